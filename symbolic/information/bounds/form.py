"""Every bound here is D C^{-1} D' + b b': the covariance inequality, with its entries exact or in balls."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import sympy as sp
from flint import arb, arb_mat, ctx

from ...laws.law import simplified
from ...proof.as_written import product, total
from ...proof.derivation import Derivation, Step
from ...proof.enclosure import NotEnclosableError, enclose, is_zero
from ...proof.truth import Truth
from ...proof.written_matrices import solves
from ..enclosed_bound import end_steps
from .answer import Adversary, Balls, EstimationBound, Status
from .problem import Problem

Ball = Callable[[Mapping[sp.Symbol, sp.Expr], float], arb]
COVARIANCE = "covariance inequality (Lehmann and Casella 1998, Theory of point estimation, 2.5)"
SINGULAR = (
    "where C is singular, D X = D C^+ D' for every X with C X = D': E[(T - g - X's)(T - g - X's)'] is nonnegative"
    " (Stoica and Marzetta 2001, Parameter estimation problems with singular information matrices)"
)
_FINER = (1.0, 1e-3, 1e-6, 1e-9)


@dataclass(frozen=True)
class Quantity:
    """A number: exact, or a ball for each tolerance."""

    exact: sp.Expr | None
    enclosed: Ball | None = None

    def ball(self, at: Mapping[sp.Symbol, sp.Expr], tolerance: float) -> arb:
        """A ball around it at these values."""
        if self.exact is not None:
            return enclose(self.exact.subs(dict(at)), bits=max(ctx.prec, 160))
        if self.enclosed is None:
            raise NotEnclosableError("no enclosure is known")
        return self.enclosed(at, tolerance)

    def map(self, change: Callable[[Any], Any]) -> Quantity:
        """The same function of it, which works on expressions and on balls."""
        if self.exact is not None:
            return Quantity(change(self.exact))
        return Quantity(None, lambda at, tolerance: change(self.ball(at, tolerance)))


def known(expression: Any) -> Quantity:
    """An exact number."""
    return Quantity(sp.sympify(expression, strict=True))


@dataclass(frozen=True)
class Form:
    """D (m rows of r quantities) and C (r rows of r): what the covariance inequality is made of."""

    numerators: Sequence[Sequence[Quantity]]
    middle: Sequence[Sequence[Quantity]]

    @property
    def exact(self) -> bool:
        """Whether all entries are exact."""
        return all(
            q.exact is not None for rows in (self.numerators, self.middle) for row in rows for q in row
        )


def bounded_by(
    problem: Problem,
    kind: str,
    adversary: Adversary,
    form: Form,
    *,
    status: Status,
    reason: str,
    steps: Sequence[Step] = (),
    lemmas: Sequence[str] = (),
    points: tuple[tuple[sp.Expr, ...], ...] = (),
) -> EstimationBound:
    """The bound of a form; "vacuous" where C is singular and D' leaves its range."""
    made = _exact if form.exact else _enclosed
    return made(problem, kind, adversary, form, status, reason, tuple(steps), tuple(lemmas), points)


def _exact(
    problem: Problem,
    kind: str,
    adversary: Adversary,
    form: Form,
    status: Status,
    reason: str,
    steps: tuple[Step, ...],
    lemmas: tuple[str, ...],
    points: tuple[tuple[sp.Expr, ...], ...],
) -> EstimationBound:
    d = sp.Matrix([[q.exact for q in row] for row in form.numerators])
    c = sp.Matrix([[q.exact for q in row] for row in form.middle])
    solved = _solved(c, d, [sp.sstr(e) for e in problem.estimand])
    if isinstance(solved, str):
        return no_bound(
            problem,
            kind,
            adversary,
            "vacuous",
            f"the matrix of the covariance inequality {solved}: {c.tolist()}",
        )
    solution, left = solved
    b = sp.zeros(d.shape[0], 1) if adversary == "anyone" else problem.placed(problem.bias)
    value = (d * solution + b * b.T).applyfunc(tidy)
    m = d.shape[0]
    solving = "X solves C X = D': multiplied out again, nothing is left"
    system = solves(c, solution, d.T, solving, "C*X - D_transpose")
    if system.check() is not Truth.HOLDS:
        # Numbers that are no fractions: zero is seen where symbols stand in their place.
        system = replace(system, left=sp.Add(*(e**2 for e in left)), shown=("C*X - D_transpose", "0"))
    steps = (
        *steps,
        system,
        *(
            Step(
                _entry(d[i, :], solution[:, j], b[i], b[j]),
                "=",
                value[i, j],
                f"entry ({i + 1}, {j + 1}) of D X{' + b b_transpose' if any(b) else ''}",
            )
            for i in range(m)
            for j in range(i + 1)
        ),
    )
    shown = value[0, 0] if problem.scalar else sp.ImmutableMatrix(value)
    singular = (SINGULAR,) if is_zero(c.det(method="berkowitz")) is Truth.HOLDS else ()
    conclusion = f"the {kind} bound: {sp.sstr(shown)}"
    return EstimationBound(
        kind,
        problem,
        adversary,
        shown,
        status,
        reason,
        Derivation(conclusion, steps, (*lemmas, COVARIANCE, *singular)),
        points,
    )


def tidy(e: sp.Expr) -> sp.Expr:
    """Simplified where it is a formula; a number stays as it came about, for balls know it as it is."""
    return simplified(e) if e.free_symbols else sp.cancel(e) if e.is_rational else e


def _solved(c: sp.Matrix, d: sp.Matrix, estimands: Sequence[str]) -> tuple[sp.Matrix, sp.Matrix] | str:
    """X of C X = D' and what is left of the system; in words, where there is certainly none, or C may be singular."""
    singular = is_zero(c.det(method="berkowitz"))
    if singular is Truth.HOLDS:
        return _on_range(c, d, estimands)
    if singular is Truth.UNKNOWN:
        return "may be singular"
    if c.shape == (1, 1) or c.free_symbols | d.free_symbols or all(e.is_Rational for e in [*c, *d]):
        solution = c.LUsolve(d.T).applyfunc(tidy)
        return solution, (c * solution - d.T).applyfunc(tidy)
    # Numbers that are no fractions: the system is solved for symbols in their place, where zero is seen.
    r = c.shape[0]
    names = sp.Matrix(r, r, lambda i, j: sp.Symbol(f"c{max(i, j)}{min(i, j)}", real=True))
    inverse = (names.adjugate() / names.det(method="berkowitz")).applyfunc(sp.cancel)
    left = (names * inverse - sp.eye(r)).applyfunc(sp.cancel)
    return inverse.subs(
        {names[i, j]: c[i, j] for i in range(r) for j in range(i + 1)}, simultaneous=True
    ) * d.T, left


def _on_range(c: sp.Matrix, d: sp.Matrix, names: Sequence[str]) -> tuple[sp.Matrix, sp.Matrix] | str:
    """The same of a singular C, whose range is that of a largest principal block that is regular.

    For every X the matrix E[(T - g - X' s)(T - g - X' s)'] = Var(T) - X' D' - D X + X' C X is nonnegative; where C X = D' the
    right side is Var(T) - D X, whichever solution X is: D X = D C^+ D'.
    """
    block: list[int] = []
    for i in range(c.rows):
        wider = is_zero(c.extract([*block, i], [*block, i]).det(method="berkowitz"))
        if wider is Truth.UNKNOWN:
            return "is singular, and its range is not known"
        block += [i] if wider is Truth.FAILS else []
    solution = sp.zeros(c.rows, d.rows)
    if block:
        part = _solved(c.extract(block, block), d.extract(list(range(d.rows)), block), names)
        if isinstance(part, str):
            return part
        for k, i in enumerate(block):
            solution[i, :] = part[0][k, :]
    left = (c * solution - d.T).applyfunc(tidy)
    zeros = [[is_zero(e) for e in left[:, j]] for j in range(d.rows)]
    outside = [name for name, column in zip(names, zeros, strict=True) if Truth.FAILS in column]
    if outside:
        return f"is singular, and the slopes of {', '.join(outside)} are not in its range: nothing finite is left"
    if any(truth is Truth.UNKNOWN for column in zeros for truth in column):
        return "is singular, and that the slopes are in its range is not known"
    return solution, left


def _enclosed(
    problem: Problem,
    kind: str,
    adversary: Adversary,
    form: Form,
    status: Status,
    reason: str,
    steps: tuple[Step, ...],
    lemmas: tuple[str, ...],
    points: tuple[tuple[sp.Expr, ...], ...],
) -> EstimationBound:
    bias = problem.bias if adversary != "anyone" else sp.zeros(len(problem.bias), 1)

    def evaluate(at: Mapping[sp.Symbol, sp.Expr], tolerance: float) -> Balls:
        trouble = "the matrix may be singular"
        for finer in _FINER:
            try:
                with ctx.workprec(320):
                    balls = _balls(form, bias, at, tolerance * finer)
            except ZeroDivisionError:
                continue
            if all(b.is_finite() and float(b.rad()) <= tolerance for row in balls for b in row):
                return balls
            trouble = "its entries are not known well enough"
        raise NotEnclosableError(f"the bound could not be enclosed to {tolerance:g}: {trouble}")

    conclusion = f"the {kind} bound, in a ball"
    words = f"{reason}; no closed form is known, the value is enclosed"
    if problem.at or adversary == "anyone":
        try:
            first = evaluate(problem.at, 1e-6)
        except (NotEnclosableError, ValueError) as trouble:
            return no_bound(problem, kind, adversary, "unknown", f"{reason}; {trouble}")
        if problem.scalar and first[0][0] > 0:
            _, step = end_steps(lambda: evaluate(problem.at, 1e-6)[0][0], "the bound, enclosed again")
            steps = (*steps, step)
    return EstimationBound(
        kind,
        problem,
        adversary,
        None,
        status,
        words,
        Derivation(conclusion, steps, (*lemmas, COVARIANCE)),
        points,
        evaluate,
    )


def _balls(form: Form, bias: Any, at: Mapping[sp.Symbol, sp.Expr], tolerance: float) -> Balls:
    d = arb_mat([[q.ball(at, tolerance) for q in row] for row in form.numerators])
    c = arb_mat([[q.ball(at, tolerance) for q in row] for row in form.middle])
    b = arb_mat([[enclose(e.subs(dict(at)))] for e in bias])
    value = d * c.solve(d.transpose()) + b * b.transpose()
    return [[value[i, j] for j in range(value.ncols())] for i in range(value.nrows())]


def no_bound(
    problem: Problem, kind: str, adversary: Adversary, status: Status, reason: str
) -> EstimationBound:
    """The answer that there is none, and why."""
    return EstimationBound(kind, problem, adversary, None, status, reason, Derivation(reason, ()))


def _entry(row: sp.Matrix, column: sp.Matrix, first: sp.Expr, second: sp.Expr) -> sp.Expr:
    """An entry of D X + b b', its products kept; those that are 0 are left out."""
    factors = [*zip(row, column, strict=True), (first, second)]
    parts = [product(a, b) for a, b in factors if a != 0 and b != 0]
    return total(*parts) if parts else sp.Integer(0)
