"""Lagrange duals: textbook forms, weak duality on random programs, equal optima where Slater holds, and what is refused."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import sympy as sp
from scipy.optimize import linprog, minimize

import noiseproof as npf
from noiseproof.symbolic.programs.constraints import Equation, Inequality, NormCone
from noiseproof.symbolic.programs.stated_program import StatedProgram
from noiseproof.symbolic.proof.truth import Truth

x, y, z = sp.symbols("x y z", real=True)
c = sp.Symbol("c", positive=True)
p, q = sp.symbols("p q", positive=True)
n, m = sp.symbols("n m", nonnegative=True)
m1, n1 = sp.symbols("mu_1 nu_1", real=True)

FORMS = {
    "least norm": (npf.Program(x**2 + y**2, [x, y], [x + y >= c], [c]), c * m1 - m1**2 / 2),
    "linear": (npf.Program(2 * n + 3 * m, [n, m], [n + m >= c], [c]), c * m1),
    "entropy": (
        npf.Program(p * sp.log(p) + q * sp.log(q), [p, q], [sp.Eq(p + q, 1)]),
        -n1 - 2 * sp.exp(-n1 - 1),
    ),
    "barrier": (
        npf.Program(-sp.log(x) - sp.log(y), [x, y], [x + 2 * y <= 1]),
        2 + sp.log(2) + 2 * sp.log(m1) - m1,
    ),
    "inverse": (npf.Program(1 / p + 4 / q, [p, q], [p + q <= c], [c]), 6 * sp.sqrt(m1) - c * m1),
    "power": (npf.Program(x**4, [x], [x >= 1]), m1 - 3 * (m1 / 4) ** sp.Rational(4, 3)),
}


@pytest.mark.parametrize("name", FORMS)
def test_the_function_is_that_of_the_textbook(name: str) -> None:
    program, expected = FORMS[name]
    found = program.dual()
    assert found.function is not None
    for at in ({m1: 1, n1: 0, c: 2}, {m1: sp.Rational(1, 3), n1: -1, c: 1}):
        assert abs(sp.N((found.function - expected).subs(at), 30)) < 1e-25
    assert found.derivation.check() is Truth.HOLDS


def test_the_dual_of_a_dual_is_the_linear_program_again() -> None:
    matrix, bound, cost = [[1, 2], [3, 1], [1, 1]], [4, 6, 3], [5, 4]
    primal = npf.Program(
        sum(k * v for k, v in zip(cost, (n, m), strict=True)),
        [n, m],
        [r[0] * n + r[1] * m >= b for r, b in zip(matrix, bound, strict=True)],
    )
    once = primal.dual().program()
    twice = npf.Program(maximise=-once.objective, over=once.variables, subject_to=once.constraints).dual()
    exact = linprog(cost, [[-k for k in r] for r in matrix], [-b for b in bound]).fun
    assert optimum(once) == pytest.approx(-exact, abs=1e-7)
    assert optimum(twice.program()) == pytest.approx(exact, abs=1e-7)


def written(program: StatedProgram) -> list[Any]:
    return [getattr(k, "written", None) for k in program.constraints]


def optimum(program: StatedProgram) -> float:
    """The least value that SLSQP meets from a few starts."""
    order = list(program.variables)
    f = sp.lambdify(order, program.objective, "numpy")
    rules: list[dict[str, Any]] = []
    for constraint in program.constraints:
        if isinstance(constraint, Inequality | Equation | NormCone):
            kind = "eq" if isinstance(constraint, Equation) else "ineq"
            g = sp.lambdify(order, -constraint.excess, "numpy")
            rules.append({"type": kind, "fun": lambda t, g=g: float(g(*t))})
        else:
            h = sp.lambdify(order, constraint.matrix, "numpy")
            rules.append(
                {"type": "ineq", "fun": lambda t, h=h: np.linalg.eigvalsh(np.array(h(*t), dtype=float))[0]}
            )
    bounds = [
        (0.0 if sp.Ge(s, 0) in written(program) else None, 0.0 if sp.Ge(-s, 0) in written(program) else None)
        for s in order
    ]
    rng = np.random.default_rng(3)
    best = np.inf
    for _ in range(4):
        signs = [1 if low == 0 else -1 if high == 0 else rng.choice([1, -1]) for low, high in bounds]
        start = rng.uniform(0.05, 1.5, len(order)) * np.array(signs)
        with np.errstate(all="ignore"):
            found = minimize(
                lambda t: np.nan_to_num(float(f(*t)), nan=1e9, posinf=1e9), start, method="SLSQP", constraints=rules, bounds=bounds,
                options={"maxiter": 150, "ftol": 1e-12},
            )  # fmt: skip
        off = [abs(r["fun"](found.x)) if r["type"] == "eq" else -r["fun"](found.x) for r in rules]
        if max(off, default=0.0) < 1e-6 and np.isfinite(found.fun):
            best = min(best, float(found.fun))
    return best


STRONG = {
    "quadratic": (npf.Program(x**2 + x * y + y**2 - x, [x, y], [x + y >= 2, x <= 1]), 2.0),
    "cone": (npf.Program(x + 2 * y, [x, y], [npf.NormCone([x, y], 1)]), -(5**0.5)),
    "l1": (npf.Program((x - 2) ** 2 + (y - 1) ** 2, [x, y], [npf.NormCone([x, y], 1, "l1")]), 2.0),
    "cube": (npf.Program((x - 2) ** 2 + y**2, [x, y], [npf.NormCone([x, y], 1, "max")]), 1.0),
    "matrix": (npf.Program(x + y, [x, y], [npf.PSD([[x, 1], [1, y]])]), 2.0),
    "kinks": (npf.Program(sp.Max(x, 2 - x) + sp.Abs(x - 3), [x]), 3.0),
    "water": (npf.Program(maximise=sp.log(1 + n) + sp.log(3 + m), over=[n, m], subject_to=[n + m <= 1]), -(2 * np.log(2) + np.log(3) - np.log(2))),
    "log-sum": (npf.Program(sp.log(sp.exp(x) + sp.exp(y)), [x, y], [sp.Eq(x + 2 * y, 1)]), 0.9698371577),
    "geometric": (npf.Program(sp.exp(x + y) + sp.exp(-x) + sp.exp(-y), [x, y], []), 3.0),
    "trust region": (npf.Program(x * y, [x, y], [x**2 + y**2 <= 1]), -0.5),
    "hyperbola": (npf.Program(sp.sqrt(1 + x**2) - x / 2, [x], [x <= c.subs(c, 3)]), 3**0.5 / 2),
}  # fmt: skip


@pytest.mark.parametrize("name", STRONG)
def test_the_optima_agree_where_slater_holds(name: str) -> None:
    program, value = STRONG[name]
    found = program.dual()
    assert found.derivation.check() is Truth.HOLDS
    assert -optimum(found.program()) == pytest.approx(value, abs=2e-4)


def random_program(rng: random.Random) -> npf.Program:
    """Small, convex or not, with a feasible set that holds a known point."""
    inside = {x: sp.Rational(rng.randint(-4, 4), 4), y: sp.Rational(rng.randint(-4, 4), 4)}
    terms = [
        x**2,
        y**2,
        x * y,
        (x + y) ** 2,
        sp.exp(x),
        sp.exp(-y),
        sp.Abs(x - y),
        x,
        -2 * y,
        sp.exp(x - y),
        x**4,
    ]
    objective = sp.Add(*(rng.choice((1, 1, 2, sp.Rational(1, 2))) * t for t in rng.sample(terms, 3)))
    relations: list[Any] = []
    for left in rng.sample(
        [x + 2 * y, x - y, x**2 + y**2, -x, x**2 - y, sp.exp(x) + y, sp.Abs(x) + sp.Abs(y)], 2
    ):
        relations.append(sp.Le(left, sp.ceiling(left.subs(inside)) + rng.randint(0, 1)))
    return npf.Program(objective, [x, y], [r for r in relations if r not in (sp.true, sp.false)])


@pytest.mark.parametrize(
    ("count", "least"), [(5, 1), pytest.param(60, 25, marks=pytest.mark.long)], ids=["few", "many"]
)
def test_weak_duality_on_random_programs(count: int, least: int) -> None:
    """No value of the dual function lies above the objective at any feasible point, in floating point at many of both."""
    rng, numbers = random.Random(24), np.random.default_rng(24)
    closed = met = 0
    for _ in range(count):
        program = random_program(rng)
        found = program.dual()
        if found.function in (None, -sp.oo) or not found.multipliers:
            continue
        closed += 1
        lower = highest_value(found, numbers)
        upper = least_feasible(program, numbers)
        met += np.isfinite(lower) and np.isfinite(upper)
        assert lower <= upper + 1e-7, program
    assert closed >= least
    assert met >= least


def least_feasible(program: npf.Program, rng: np.random.Generator) -> float:
    points = rng.normal(size=(2, 20_000)) * 1.5
    values = sp.lambdify([x, y], program.objective, "numpy")(*points) + 0 * points[0]
    for constraint in program.inequalities:
        values = np.where(sp.lambdify([x, y], constraint.excess, "numpy")(*points) <= 0, values, np.inf)
    return float(values.min())


def highest_value(found: npf.Dual, rng: np.random.Generator) -> float:
    best = -optimum(found.program())
    return best if np.isfinite(best) else -np.inf


def test_a_dual_that_says_too_much_is_seen() -> None:
    from noiseproof.symbolic.programs.dual import held_against

    found = npf.Program(x**2 + y**2, [x, y], [x + y >= c], [c]).dual()
    assert held_against(found) is Truth.UNKNOWN
    assert held_against(replace(found, function=found.function + sp.Rational(1, 4))) is Truth.FAILS
    assert held_against(replace(found, function=c * m1 - m1**2 / 3)) is Truth.FAILS


def test_a_duality_gap_is_no_error() -> None:
    """min x y on a square that is given by lines has no dual; on one that is given by squares it has, with a gap."""
    none = npf.Program(x * y, [x, y], [x <= 1, x >= -1, y <= 1, y >= -1]).dual()
    assert none.function == -sp.oo
    with pytest.raises(ValueError, match="bounded below for no multipliers"):
        none.program()
    squares = npf.Program(x * y + x + y, [x, y], [x**2 <= 1, y**2 <= 1]).dual()
    assert -optimum(squares.program()) <= -1 + 1e-6


def test_where_nothing_closes_it_says_what_does_not() -> None:
    found = npf.Program(sp.sin(x), [x], [x >= 0]).dual()
    assert found.function is None
    assert "not known to be convex" in found.reason
    assert found.derivation.check() is Truth.UNKNOWN
    assert "no dual" in str(found)


def test_parameters_stay_parameters() -> None:
    found = npf.Program((x - c) ** 2, [x], [x <= 1], [c]).dual()
    value = found.function.subs({m1: 2 * (c - 1)})
    assert sp.expand(value - (c - 1) ** 2) == 0
    assert found.program().parameters == (c,)


def test_the_relaxation_of_whole_numbers_bounds_them() -> None:
    k = sp.Symbol("k", integer=True)
    found = npf.Program((k - sp.Rational(1, 2)) ** 2, [k], [k >= 1]).dual()
    assert "relaxation" in found.reason
    assert -optimum(found.program()) == pytest.approx(0.25, abs=1e-6)


def test_it_is_shown_as_formulas() -> None:
    shown = npf.Program(x + y, [x, y], [npf.PSD([[x, 1], [1, y]])]).dual()._repr_latex_()
    assert r"\max" in shown
    assert r"\succeq 0" in shown


def test_a_program_without_constraints_has_its_minimum_for_a_dual() -> None:
    found = npf.Program(x**2 - 2 * x * z + 2 * z**2 + z, [x, z]).dual()
    assert found.function == sp.Rational(-1, 4)
    with pytest.raises(ValueError, match="the minimum is -1/4"):
        found.program()


def test_the_border_of_a_root_needs_no_multiplier_in_the_dual() -> None:
    t = sp.Symbol("t", real=True)
    found = npf.Program(-sp.sqrt(t), [t], [t <= 1]).dual()
    (mu,) = found.multipliers
    assert sp.simplify(found.function + mu + 1 / (4 * mu)) == 0
