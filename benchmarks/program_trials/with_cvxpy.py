"""Values of the programs by cvxpy, which noiseproof does not depend on: prints `cvxpy_values.py`.

Run where cvxpy and sympy are installed: cd benchmarks && python -m program_trials.with_cvxpy > program_trials/cvxpy_values.py
"""

from __future__ import annotations

import datetime
import time
from typing import Any

import cvxpy as cp  # type: ignore[import-not-found]
import numpy as np
import sympy as sp

from program_trials.program import Norm, Program, Psd, read, symbols_of
from program_trials.programs import PROGRAMS

AT = {"lam": 1, "t": sp.Rational(1, 3), "s": 2, "P": 3}


class NotDisciplinedError(Exception):
    """The expression is none that the rules of cvxpy see as convex."""


def written(e: sp.Expr, known: dict[sp.Symbol, Any]) -> Any:
    """An expression in the atoms of cvxpy; quadratic forms by their Hessian, as a user of it writes them."""
    e = sp.expand(e, power_exp=False)
    variables = [s for s in known if s in e.free_symbols]
    if not variables:
        return float(e)
    poly = e.as_poly(*variables) if e.is_polynomial(*variables) else None
    if poly is not None and poly.total_degree() <= 2:
        return _quadratic(e, variables, known)
    if isinstance(e, sp.Add):
        smooth = [a for a in e.args if a.is_polynomial(*variables)]
        rest = [a for a in e.args if a not in smooth]
        parts = [written(sp.Add(*smooth), known)] if smooth and rest else []
        return sum(parts + [written(a, known) for a in (rest or e.args)])
    c, factors = e.as_coeff_Mul()
    if c != 1:
        return float(c) * written(factors, known)
    return _atom(e, known)


def _quadratic(e: sp.Expr, variables: list[sp.Symbol], known: dict[sp.Symbol, Any]) -> Any:
    hessian = np.array(sp.hessian(e, variables), dtype=float)
    zero = dict.fromkeys(variables, 0)
    slope = np.array([float(e.diff(v).subs(zero)) for v in variables])
    x = cp.hstack([known[v] for v in variables])
    linear = slope @ x + float(e.subs(zero))
    return linear + (cp.quad_form(x, hessian) / 2 if hessian.any() else 0)


def _atom(e: sp.Expr, known: dict[sp.Symbol, Any]) -> Any:
    if isinstance(e, sp.exp):
        return cp.exp(written(e.args[0], known))
    if isinstance(e, sp.log):
        return cp.log(written(e.args[0], known))
    if isinstance(e, sp.Abs):
        return cp.abs(written(e.args[0], known))
    if isinstance(e, sp.Pow) and e.exp == -1:
        return cp.inv_pos(written(e.base, known))
    for log in e.atoms(sp.log):
        if sp.simplify(e / log - log.args[0]) == 0:
            return -cp.entr(written(log.args[0], known))
    raise NotDisciplinedError(str(e))


def relations(program: Program, names: dict[str, sp.Symbol], known: dict[sp.Symbol, Any]) -> list[Any]:
    found: list[Any] = []
    numbers = {names[n]: AT[n] for n in program.parameters}
    for given in program.subject_to:
        if isinstance(given, Psd):
            rows = [
                [written(sp.sympify(e).subs(numbers), known) for e in read(f"[{r}]", names)]
                for r in given.rows
            ]
            matrix = cp.Variable((2, 2), symmetric=True)
            found += [matrix[i, j] == rows[i][j] for i in (0, 1) for j in (0, 1)] + [matrix >> 0]
        elif isinstance(given, Norm):
            vector = cp.hstack([written(e, known) for e in read(f"[{given.vector}]", names)])
            found.append(cp.norm(vector, {"l1": 1, "l2": 2, "max": "inf"}[given.norm]) <= float(given.bound))
        else:
            relation = read(given, names).subs(numbers)
            left, right = written(relation.lhs, known), written(relation.rhs, known)
            kinds = {sp.Eq: lambda a, b: a == b, sp.Le: lambda a, b: a <= b, sp.Ge: lambda a, b: a >= b}
            found.append(
                next(make for kind, make in kinds.items() if isinstance(relation, kind))(left, right)
            )
    return found


def value(program: Program) -> tuple[str, float | None]:
    names = symbols_of(program)
    known = {names[n]: cp.Variable(integer=program.integer) for n in program.over.split()}
    numbers = {names[n]: AT[n] for n in program.parameters}
    try:
        problem = cp.Problem(
            cp.Minimize(written(read(program.minimise, names).subs(numbers), known)),
            relations(program, names, known),
        )
        problem.solve()
    except NotDisciplinedError:
        return "not DCP", None
    except (cp.DCPError, cp.SolverError) as error:
        return ("not DCP" if isinstance(error, cp.DCPError) else "solver failed"), None
    return problem.status, None if problem.value is None else float(problem.value)


def main() -> None:
    print(
        f'"""Values by cvxpy {cp.__version__}, {datetime.date.today().isoformat()}, by `python -m program_trials.with_cvxpy`: status, value, seconds.'
    )
    print(f'\nParameters: {", ".join(f"{n} = {v}" for n, v in AT.items())}.\n"""\n')
    print("from __future__ import annotations\n")
    print("AT = {" + ", ".join(f'"{n}": "{v}"' for n, v in AT.items()) + "}")
    print("VALUES: dict[str, tuple[str, float | None, float]] = {")
    for program in PROGRAMS:
        start = time.perf_counter()
        status, found = value(program)
        print(
            f'    "{program.name}": ("{status}", {found if found is None or np.isfinite(found) else None}, {time.perf_counter() - start:.3f}),'
        )
    print("}")


if __name__ == "__main__":
    main()
