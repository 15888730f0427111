"""Integer programs of few points: all of them are listed."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from operator import mul

import sympy as sp

from ..proof.derivation import Derivation, Step
from ..proof.truth import Truth
from .feasibility import at_point, put
from .judge import Judge
from .lifting import affine
from .smooth_form import SmoothForm

MOST_POINTS = 20_000


@dataclass(frozen=True)
class Listed:
    """The feasible whole points of least value, among all in a box that holds every feasible one."""

    best: tuple[dict[sp.Symbol, sp.Expr], ...]
    value: sp.Expr
    count: int
    reason: str
    derivation: Derivation


def enumerated(form: SmoothForm) -> Listed | None:
    """All whole points of the box, each decided exactly; None where the box is not bounded, too large, or a point stays open."""
    if set(form.natural.integers) != set(form.stated.variables):
        return None
    box = whole_box(form)
    if box is None or prod(_count(r) for r in box.values()) > MOST_POINTS:
        return None
    return _listed(form, box)


def _listed(form: SmoothForm, box: dict[sp.Symbol, range]) -> Listed | None:
    judge = Judge()
    best: list[dict[sp.Symbol, sp.Expr]] = []
    value: sp.Expr = sp.oo
    count = 0
    for where in _near_points(form, box):
        at = at_point(form, where, judge)
        if at.feasible is Truth.UNKNOWN:
            return None
        if at.feasible is Truth.FAILS:
            continue
        count += 1
        now = put(form.objective, where)
        lower = Truth.HOLDS if value is sp.oo else judge.positive(value - now)
        if lower is Truth.HOLDS:
            best, value = [], now
        elif lower is Truth.UNKNOWN or judge.zero(value - now) is Truth.UNKNOWN:
            return None
        if lower is Truth.HOLDS or judge.zero(value - now) is Truth.HOLDS:
            best.append({v: where[v] for v in form.stated.variables})
    points = prod(_count(r) for r in box.values())
    reason = (
        f"an integer program: all {points} whole points of the box were looked at, {count} of them feasible"
    )
    return Listed(tuple(best), value, count, reason, _derivation(form, box, value, reason))


def _count(r: range) -> int:
    """The length of a range, which Python's own word for it refuses to say above 2^63."""
    return max(r.stop - r.start, 0)


def _derivation(form: SmoothForm, box: dict[sp.Symbol, range], value: sp.Expr, reason: str) -> Derivation:
    def again(left: sp.Expr, right: sp.Expr) -> Truth:
        judge = Judge()
        for where in _near_points(form, box):
            feasible = at_point(form, where, judge).feasible
            if feasible is Truth.UNKNOWN:
                return Truth.UNKNOWN
            if feasible is Truth.HOLDS and judge.at_least_zero(put(left, where) - right) is not Truth.HOLDS:
                return judge.at_least_zero(put(left, where) - right)
        return Truth.HOLDS

    step = Step(form.stated.objective, ">=", value, reason, again)
    return Derivation(reason, (step,), ("single linear constraints with whole numbers bound the box",))


def _near_points(form: SmoothForm, box: dict[sp.Symbol, range]) -> Iterator[dict[sp.Symbol, sp.Expr]]:
    """The whole points of the box that affine constraints do not refuse in exact integers, as lifted points."""
    names = list(form.stated.variables)
    rows = [e for e in form.above if affine(e, tuple(names)) and not e.free_symbols - set(names)]
    rows = [sp.Poly(e, *names) for e in rows]
    rows = [p for p in rows if all(c.is_Rational for c in p.coeffs())]
    scaled = [_integers(p, names) for p in rows]
    for values in itertools.product(*(box[v] for v in names)):
        if all(sum(map(mul, c, values)) + d <= 0 for c, d in scaled):
            yield form.lifting.point({v: sp.Integer(x) for v, x in zip(names, values, strict=True)})


def _integers(p: sp.Poly, names: list[sp.Symbol]) -> tuple[list[int], int]:
    scale = sp.ilcm(1, *(c.q for c in p.coeffs()))
    return [int(p.coeff_monomial(v) * scale) for v in names], int(p.coeff_monomial(1) * scale)


def whole_box(form: SmoothForm) -> dict[sp.Symbol, range] | None:
    """A range of whole numbers for each variable that holds every feasible point, by affine constraints taken one by one."""
    ends = tightened(form)
    # Terms like |n - m| have variables of their own, which follow from these.
    own = {v: ends[v] for v in form.stated.variables}
    if not all(low.is_finite and high.is_finite for low, high in own.values()):
        return None
    return {v: range(int(sp.ceiling(low)), int(sp.floor(high)) + 1) for v, (low, high) in own.items()}


def tightened(form: SmoothForm) -> dict[sp.Symbol, list[sp.Expr]]:
    """The ends that constraints on single variables and affine ones, taken one by one, leave to each variable."""
    names = form.variables
    ends: dict[sp.Symbol, list[sp.Expr]] = {v: list(form.ranges()[v]) for v in names}
    affine_rows = [e for e in (*form.above, *form.equal, *(-e for e in form.equal)) if affine(e, names)]
    for _ in range(4):
        for e in affine_rows:
            _tighten(e, ends)
    return ends


def _tighten(e: sp.Expr, ends: dict[sp.Symbol, list[sp.Expr]]) -> None:
    """c'x + d <= 0 bounds each variable by the least that the others can give."""
    if e.free_symbols - set(ends):
        return
    slopes = {v: sp.diff(e, v) for v in ends if e.has(v)}
    constant = e.subs(dict.fromkeys(ends, 0))
    for v, slope in slopes.items():
        others = constant
        for w, s in slopes.items():
            if w != v:
                end = ends[w][0 if s.is_positive else 1]
                if not end.is_finite:
                    break
                others += s * end
        else:
            if slope.is_positive:
                ends[v][1] = sp.Min(ends[v][1], -others / slope)
            elif slope.is_negative:
                ends[v][0] = sp.Max(ends[v][0], -others / slope)
