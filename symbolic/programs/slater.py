"""Slater's condition: convex constraints, and one exact point at which every constraint that is not affine holds strictly."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, islice, product
from typing import Any

import sympy as sp

from ..proof.apart import UnfinishedError, apart
from ..proof.fact import Fact
from ..proof.truth import Truth
from .constraints import PSD, Constraint, Equation, Inequality, NormCone
from .convexity import convexity_of
from .lifting import affine
from .natural_domain import all_constraints
from .region import Point, Region, region_of
from .stated_program import StatedProgram

_GRID, _COMBINATIONS = 3, 4_000


def slater(program: StatedProgram) -> Fact:
    """HOLDS with the point in `at` (for all parameters); FAILS where a constraint is not convex or no point can be strict.

    Affine inequalities may be tight: that is Slater's condition as it is needed for KKT (Rockafellar 1970, theorem 28.2).
    """
    try:
        return apart(lambda: _slater(program), "Slater's point")
    except UnfinishedError as stuck:
        return Fact(Truth.UNKNOWN, f"unknown: {stuck}")


def _slater(program: StatedProgram) -> Fact:
    region = region_of(program)
    constraints = all_constraints(program)
    if trouble := _not_convex(constraints, region):
        return trouble
    curved = [c for c in constraints if not is_affine(c, program.variables)]
    if none := _never_strict(curved, program):
        return none
    for point in islice(_candidates(program, constraints, region), _COMBINATIONS):
        if _strict(point, program, constraints, region):
            where = ", ".join(f"{v} = {point[v]}" for v in program.variables)
            word = "holds strictly" if curved else "is feasible (all constraints are affine)"
            return Fact(Truth.HOLDS, f"({where}) {word}", tuple(point[v] for v in program.variables), point)
    return Fact(
        Truth.UNKNOWN, "no point was found at which the constraints that are not affine hold strictly"
    )


def is_affine(c: Constraint, variables: tuple[sp.Symbol, ...]) -> bool:
    return isinstance(c, Inequality | Equation) and affine(c.excess, variables)


def _not_convex(constraints: tuple[Constraint, ...], region: Region) -> Fact | None:
    for k, c in enumerate(constraints, 1):
        fact, _ = convexity_of(c, region)
        if fact.truth is Truth.FAILS:
            reason = (
                f"Slater's condition is one of convex constraints, and constraint {k} is none: {fact.reason}"
            )
            return Fact(Truth.FAILS, reason, fact.found, fact.at)
        if fact.truth is Truth.UNKNOWN:
            reason = f"Slater's condition is one of convex constraints: constraint {k}: {fact.reason}"
            return Fact(Truth.UNKNOWN, reason)
    return None


def _never_strict(curved: list[Constraint], program: StatedProgram) -> Fact | None:
    """A sum of constraints that is nowhere negative leaves none of them below zero wherever all hold."""
    whole = Region(program.variables, program.domain, {}, {}, region_of(program).positive)
    excesses = [c.excess for c in curved if isinstance(c, Inequality)]
    for size in (1, 2, 3):
        for chosen in combinations(excesses, size):
            total = sp.expand(sp.Add(*chosen))
            if whole.known(total, "nonnegative"):
                names = " + ".join(f"({e})" for e in chosen)
                return Fact(Truth.FAILS, f"no point is strict: {names} is nowhere below zero", tuple(chosen))
    return None


def _strict(
    point: Point, program: StatedProgram, constraints: tuple[Constraint, ...], region: Region
) -> bool:
    """Whether the point is proved to be strict for all parameters."""
    alone = Region((), program.domain, {}, {}, ())

    def holds(e: sp.Expr, need: str) -> bool:
        value = sp.simplify(e.subs(point)) if e.subs(point).free_symbols else e.subs(point)
        return value.is_finite is not False and alone.known(value, need)

    for c in constraints:
        if isinstance(c, Equation):
            fits = sp.simplify(c.excess.subs(point)) == 0
        elif isinstance(c, PSD):
            fits = all(holds(c.matrix[: k + 1, : k + 1].det(), "positive") for k in range(c.matrix.rows))
        else:
            need = "nonnegative" if is_affine(c, program.variables) else "positive"
            fits = holds(-c.excess, need)
        if not fits:
            return False
    return all(holds(e, "positive") for e in region.positive)


def _candidates(
    program: StatedProgram, constraints: tuple[Constraint, ...], region: Region
) -> Iterator[Point]:
    """Points on the affine equations: computed ones, rounded, at a few parameters; then simple formulas of the parameters."""
    free, solution = _on_equations(program, constraints)
    if solution is None:
        return
    samples = list(islice(program.domain.points(), _GRID)) or [{}]
    for sample in samples:
        for values in _computed(free, solution, sample, constraints, region):
            yield {
                v: sp.nsimplify(e.subs(values)) if not e.free_symbols - set(free) else e.subs(values)
                for v, e in solution.items()
            }
    simple: list[sp.Expr] = [sp.Integer(0), sp.Integer(1), sp.Rational(1, 2), sp.Integer(-1)]
    for p in program.parameters:
        simple += [p, p / 2, 2 * p, -p, p / (1 + sp.Abs(p)), 1 / p, 1 + sp.Abs(p)]
    for chosen in product(simple, repeat=len(free)):
        values = dict(zip(free, chosen, strict=True))
        yield {v: e.subs(values) for v, e in solution.items()}


def _on_equations(
    program: StatedProgram, constraints: tuple[Constraint, ...]
) -> tuple[list[sp.Symbol], dict[sp.Symbol, sp.Expr] | None]:
    """The variables that stay free, and all of them as formulas of these."""
    equations = [c.excess for c in constraints if isinstance(c, Equation)]
    plain = {v: sp.Dummy(v.name, real=True) for v in program.variables}
    found: Any = (
        sp.solve([e.xreplace(plain) for e in equations], list(plain.values()), dict=True)
        if equations
        else [{}]
    )
    if not found:
        return [], None
    solution = {v: found[0].get(d, d) for v, d in plain.items()}
    free = sorted(
        {s for e in solution.values() for s in e.free_symbols} & set(plain.values()), key=lambda s: s.name
    )
    return free, solution


def _computed(
    free: list[sp.Symbol],
    solution: dict[sp.Symbol, sp.Expr],
    sample: Point,
    constraints: tuple[Constraint, ...],
    region: Region,
) -> Iterator[dict[sp.Symbol, sp.Expr]]:
    """The point with most room as scipy finds it, rounded to few digits first."""
    import numpy as np
    from scipy.optimize import minimize

    def inward(e: sp.Expr) -> Any:
        return sp.lambdify(free, sp.sympify(e).subs(solution, simultaneous=True).subs(sample), "numpy")

    margins = [inward(-c.excess) for c in constraints if isinstance(c, Inequality | NormCone)]
    margins += [inward(e) for e in region.positive]
    shapes = [inward(c.matrix) for c in constraints if isinstance(c, PSD)]

    def room(y: Any) -> float:
        with np.errstate(all="ignore"):
            try:
                values = [float(f(*y)) for f in margins]
                values += [float(np.linalg.eigvalsh(np.array(f(*y), dtype=float))[0]) for f in shapes]
            except (
                ArithmeticError,
                TypeError,
                np.linalg.LinAlgError,
            ):  # too large for floats, or no real number
                return -1e6
        return min([1.0, *(v if np.isfinite(v) else -1e6 for v in values)]) - 1e-3 * float(np.dot(y, y)) / (
            1 + float(np.dot(y, y))
        )

    if not free:
        yield {}
        return
    starts = [np.zeros(len(free)), np.ones(len(free)), np.full(len(free), 0.3), -np.ones(len(free))]
    best = max(starts, key=room)
    search: Any = minimize
    for method in ("Nelder-Mead", "Powell"):
        found = search(lambda y: -room(y), best, method=method, options={"maxiter": 400 * len(free)})
        best = max((best, found.x), key=room)
    for digits in (1, 2, 8, 64, 4096):
        yield {s: sp.Rational(round(float(x) * digits), digits) for s, x in zip(free, best, strict=True)}
