"""Proofs that a feasible point is a minimiser: a convex Lagrangian that is stationary there, equations that are implied, powers."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import sympy as sp

from ..parameter_domain import ParameterDomain
from ..proof.as_written import product, value_at
from ..proof.derivation import Step
from ..proof.truth import Truth, all_hold
from .convex_lagrangian import Ranges, convex, convex_in_logarithms, placed
from .convexity import convex as convex_on
from .feasibility import AtPoint, Where, at_point, put, worked_out
from .judge import Judge
from .least_squares import nonnegative_least_squares
from .lifting import affine
from .multipliers import Multipliers, multipliers_at
from .on_equations import on_equations
from .region import Region
from .search import nearest
from .smooth_form import SmoothForm

WEAK = "on the feasible set each part of the Lagrangian with its multiplier is at most zero, so that the Lagrangian is at most the objective"
TANGENT = "a convex function lies above its tangents: where its gradient vanishes it has its least value"
ALONG = "variables that the affine equations leave free"
LOGARITHMS = "a sum of monomials with positive coefficients is convex in the logarithms of its variables (Boyd and Vandenberghe 2004, 4.5)"
_SQUARES, _PAIRED = 60, 20


@dataclass(frozen=True)
class Proof:
    """Every feasible value is at least the value at the point; the steps check it again."""

    method: str
    steps: tuple[Step, ...]
    lemmas: tuple[str, ...]
    multipliers: Multipliers | None = None
    qualified: bool = True


def by_kkt(
    form: SmoothForm, where: Where, at: AtPoint, judge: Judge, sample: Where | None = None
) -> Proof | None:
    """Multipliers whose Lagrangian is convex and stationary at the point; None if no such were found."""
    for shape in _shapes(form):
        there = at if shape is form else at_point(shape, where, judge)
        found = multipliers_at(shape, where, there, judge, sample)
        if found is None or not all(map(judge.defined, found.values)):
            continue
        lagrangian = found.lagrangian(shape)
        how = curved_upwards(shape, lagrangian, judge) or curved_along(shape, lagrangian, judge)
        if how is not None:
            lemmas = (WEAK, TANGENT, *((LOGARITHMS,) if how == "logarithms" else ()))
            return Proof("multipliers", steps_of(shape, where, found, judge, how), lemmas, found)
    return None


def curved_upwards(form: SmoothForm, e: sp.Expr, judge: Judge) -> str | None:
    """In which variables the expression is proved convex on a convex set around the feasible one."""
    ranges = form.ranges()
    home = convex_home(form, ranges, judge) is Truth.HOLDS
    if home and convex(e, form.variables, ranges, judge) is Truth.HOLDS:
        return "variables"
    if all_positive(form) and convex_in_logarithms(e, form.variables, judge) is Truth.HOLDS:
        return "logarithms"
    return "variables" if all(convex_by_rules(form, inside(e)) for inside in judge.cover) else None


def curved_along(form: SmoothForm, e: sp.Expr, judge: Judge) -> str | None:
    """Whether it is proved convex in the variables that the affine equations leave free: all feasible points are there."""
    found = on_equations(form)
    if found is None:
        return None
    less, moved = found
    if not less.variables:
        return ALONG  # a single point
    return ALONG if curved_upwards(less, sp.expand(e.subs(moved, simultaneous=True)), judge) else None


def convex_by_rules(form: SmoothForm, e: sp.Expr) -> bool:
    """Whether the rules of composition show it, whatever the parameters that are left.

    Inside of the border of a natural domain; the formulas of roots are continuous, and so convex with it.
    """
    ends = form.ranges()
    region = Region(
        form.variables,
        ParameterDomain.of(e.free_symbols - set(form.variables), {}),
        {v: low for v, (low, _) in ends.items() if low.is_finite},
        {v: high for v, (_, high) in ends.items() if high.is_finite},
        (*form.natural.positive, *form.natural.nonnegative),
        form.natural.nonzero,
    )
    return convex_on(e, region)[0].truth is Truth.HOLDS


def convex_home(form: SmoothForm, ranges: Ranges, judge: Judge) -> Truth:
    """Whether the formulas have values on a convex set: each need is concave, or holds in the whole box."""
    answers = []
    for e in (*form.natural.positive, *form.natural.nonnegative):
        answers.append(convex(-e, form.variables, ranges, judge))
    for e in form.natural.nonzero:
        moved = e.subs(placed(ranges), simultaneous=True)
        either = judge.positive(moved) is Truth.HOLDS or judge.positive(-moved) is Truth.HOLDS
        inner = either and _closed_away(form, e, ranges, judge)
        answers.append(Truth.HOLDS if inner else Truth.UNKNOWN)
    return all_hold(answers)


def _closed_away(form: SmoothForm, e: sp.Expr, ranges: Ranges, judge: Judge) -> bool:
    """A need of one sign inside of the box: where it vanishes at the border nothing has a value, and the rest is convex if it is affine."""
    return affine(e, form.variables)


def all_positive(form: SmoothForm) -> bool:
    """Whether every variable is positive on the feasible set."""
    ranges = form.ranges()
    return all(v in form.natural.positive or bool(ranges[v][0].is_positive) for v in form.variables)


def _shapes(form: SmoothForm) -> Iterator[SmoothForm]:
    """The form, and for positive variables the one in which each monomial that is subtracted divides its constraint."""
    yield form
    if not all_positive(form) or form.cones or form.matrices:
        return
    positive = {v: sp.Dummy(v.name, positive=True) for v in form.variables}
    back = {d: v for v, d in positive.items()}
    above = tuple(_divided(e.subs(positive)).subs(back) for e in form.above)
    equal = tuple(_logarithm(e.subs(positive)).subs(back) for e in form.equal)
    yield replace(form, above=above, equal=equal)


def _divided(e: sp.Expr) -> sp.Expr:
    terms = sp.Add.make_args(sp.expand(e))
    negative = [t for t in terms if t.is_negative]
    if len(negative) != 1:
        return e
    return sp.expand(sp.Add(*(t / -negative[0] for t in terms)))


def _logarithm(e: sp.Expr) -> sp.Expr:
    terms = sp.Add.make_args(sp.expand(e))
    if len(terms) != 2 or {t.is_positive for t in terms} != {True, False}:
        return e
    first, second = sorted(terms, key=lambda t: not t.is_positive)
    return sp.expand_log(sp.log(first / -second), force=True)


def steps_of(form: SmoothForm, where: Where, found: Multipliers, judge: Judge, how: str) -> tuple[Step, ...]:
    """Signs, complementarity, stationarity and convexity, each to be checked again."""
    lagrangian = found.lagrangian(form)
    rows = [
        Step(e, ">=", sp.S.Zero, reason, how=lambda a, b: judge.at_least_zero(a - b))
        for e, reason in found.needs()
    ]
    for v, part in zip(found.values, found.parts, strict=True):
        if v != 0:
            rows.append(
                Step(
                    product(v, value_at(part.term, where)),
                    "=",
                    sp.S.Zero,
                    f"{part.name} belongs to a constraint that is active",
                    how=lambda a, b: judge.zero(worked_out(a) - b),
                )
            )
    for v in form.variables:
        rows.append(
            Step(
                found.slope(form, v, where),
                "=",
                sp.S.Zero,
                f"the Lagrangian is stationary in {v}",
                how=lambda a, b: judge.zero(worked_out(a) - b),
            )
        )
    rows.append(
        Step(
            found.written(form),
            ">=",
            put(lagrangian, where),
            f"the Lagrangian is convex in the {how} and its gradient vanishes at the point",
            how=lambda a, b: (
                judge.zero(put(worked_out(a), where) - b)
                if (curved_along if how == ALONG else curved_upwards)(form, worked_out(a), judge)
                else Truth.UNKNOWN
            ),
            where=form.natural.positive,
        )
    )
    return tuple(rows)


def by_implied_equations(form: SmoothForm, where: Where, at: AtPoint, judge: Judge) -> Proof | None:
    """Where no multipliers exist: those of Fritz John imply equations on the feasible set, with which multipliers exist.

    U = sum u_i g_i with u >= 0 is at most zero on the feasible set; if it is convex and stationary at the point with U = 0,
    then U vanishes on the feasible set, at its least value, so that its gradient vanishes there too.
    """
    steps: list[Step] = []
    work, there = form, at
    for _ in range(len(form.variables) + 1):
        proof = by_kkt(work, where, there, judge)
        if proof is not None:
            lemma = "where a convex function that is at most zero on the feasible set has the minimum zero, its gradient vanishes on the feasible set"
            return replace(
                proof,
                method="multipliers with equations that Fritz John's imply",
                steps=(*steps, *proof.steps),
                lemmas=(*proof.lemmas, lemma),
                qualified=not steps,
            )
        john = multipliers_at(work, where, there, judge, john=True)
        if john is None:
            return None
        u = john.lagrangian(work)
        how = curved_upwards(work, u, judge)
        new = [sp.diff(u, v) for v in work.variables]
        new = [e for e in new if affine(e, work.variables) and e.free_symbols and e not in work.equal]
        if how != "variables" or not new:
            return None
        steps += steps_of(work, where, john, judge, how)
        work = replace(work, equal=(*work.equal, *new))
        there = at_point(work, where, judge)
    return None


def by_power(form: SmoothForm, value: sp.Expr, judge: Judge) -> Proof | None:
    """An identity (f - value)^k = sum of squares - sum of multipliers times constraints for an odd k: f >= value."""
    rows = (*form.above, *form.equal)
    if (
        form.cones
        or form.matrices
        or not all(e.is_polynomial(*form.variables) for e in (form.objective, *rows))
    ):
        return None
    for k in (1, 3, 5):
        power = sp.expand((form.objective - value) ** k)
        found = _identity(form, power, k == 1)
        if found is None:
            continue
        multipliers, squares = found
        left = power + sp.Add(*(m * e for m, e in zip(multipliers, rows, strict=True)))
        right = sp.Add(*(c * m**2 for c, m in squares))
        steps = [Step(left, "=", right, f"identity of polynomials for the power {k} of f - ({value})")]
        weights = (*multipliers[: len(form.above)], *(c for c, _ in squares))
        steps += [Step(c, ">=", sp.S.Zero, "a weight is not negative") for c in weights]
        if all_hold(s.check() for s in steps) is Truth.HOLDS:
            lemma = "an odd power has the sign of its base"
            return Proof("an identity of powers", tuple(steps), (WEAK, lemma), None, qualified=False)
    return None


def _identity(
    form: SmoothForm, power: sp.Expr, rich: bool
) -> tuple[list[sp.Expr], list[tuple[sp.Expr, sp.Expr]]] | None:
    """Numbers for the inequalities, and squares of monomials; if `rich` polynomials for the equations, and squares of sums of two."""
    v = form.variables
    polys = [sp.Poly(e, *v) for e in (power, *form.above, *form.equal)]
    degree = max(p.total_degree() for p in polys)
    single = sorted(sp.itermonomials(list(v), (degree + 1) // 2), key=sp.default_sort_key)[:_SQUARES]
    pairs = itertools.combinations(single if rich and len(single) <= _PAIRED else [], 2)
    squares = [*single, *(m + s * n for m, n in pairs for s in (1, -1))]
    times = [
        (k, m)
        for k, p in enumerate(polys[1 + len(form.above) :], len(form.above))
        for m in sp.itermonomials(list(v), degree - p.total_degree() if rich else 0)
    ]
    products = [polys[k + 1] * sp.Poly(m, *v) for k, m in times]
    columns = [
        *polys[1 : 1 + len(form.above)],
        *(-(sp.Poly(m, *v) ** 2) for m in squares),
        *products,
        *(-p for p in products),
    ]
    monomials = sorted({m for p in (polys[0], *columns) for m in p.monoms()})
    tables = [p.as_dict() for p in (polys[0], *columns)]
    a, row = np.zeros((len(monomials), len(tables))), {m: i for i, m in enumerate(monomials)}
    for j, table in enumerate(tables):
        for m, c in table.items():
            a[row[m], j] = nearest(c)
    a, b = a[:, 1:], a[:, 0]
    values, miss = nonnegative_least_squares(a, -b)
    if miss > 1e-9:
        return None
    support = [i for i, x in enumerate(values) if x > 1e-9]
    unknown = sp.symbols(f"w:{len(support)}", cls=sp.Dummy)
    exact = sp.Matrix([[tables[i + 1].get(m, 0) for i in support] for m in monomials])
    right = -sp.Matrix([tables[0].get(m, 0) for m in monomials])
    solutions = sp.linsolve((exact, right), *unknown) if support else None
    if not solutions:
        return None
    full = [sp.S.Zero] * len(columns)
    for i, x in zip(support, next(iter(solutions)), strict=True):
        full[i] = x.subs(dict.fromkeys(unknown, 0))
    first = len(form.above)
    last = first + len(squares)
    multipliers = [*full[:first], *(sp.S.Zero for _ in form.equal)]
    for (k, m), up, down in zip(
        times, full[last : last + len(times)], full[last + len(times) :], strict=True
    ):
        multipliers[k] += (up - down) * m
    kept = [(c, m) for c, m in zip(full[first:last], squares, strict=True) if c != 0]
    return multipliers, kept
