"""A number below all values of a convex function, from a point near its minimum: exact, whatever the point."""

from __future__ import annotations

from dataclasses import dataclass

import sympy as sp

from ..proof.derivation import Step
from ..proof.enclosure import sign
from ..proof.truth import Truth, all_hold
from .convex_lagrangian import convex
from .feasibility import Where, put
from .judge import Judge
from .optimality import convex_home, curved_upwards
from .smooth_form import SmoothForm

_MODULI = (sp.Integer(1), sp.Rational(1, 10), sp.Rational(1, 100), sp.Rational(1, 10**4))


@dataclass(frozen=True)
class LeastValue:
    """`bound` is at most every value of the function where the program has values; `step` checks it again."""

    bound: sp.Expr
    step: Step


def least_value(form: SmoothForm, e: sp.Expr, near: Where) -> LeastValue | None:
    """By completing the square, by the gradient over a box, or by strong convexity; None if none of them applies."""
    near = _into_box(form, near)
    found = _of_quadratic(form, e) or _at_minimum(form, e, near)
    if found is not None or not _at_home(form, near):
        return found
    return _over_box(form, e, near) or _strongly(form, e, near)


def _into_box(form: SmoothForm, near: Where) -> Where:
    moved = dict(near)
    for v, (low, high) in form.ranges().items():
        for end, side in ((low, 1), (high, -1)):
            if end.is_finite and sign(side * (end - moved[v])) == 1:
                moved[v] = end
    return moved


def _at_home(form: SmoothForm, near: Where) -> bool:
    """Whether the point lies in the box and the natural domain: a function that is convex there has tangents below it from there only."""
    ranges, judge, natural = form.ranges(), Judge(), form.natural
    sides = [e for v, (low, high) in ranges.items() for e in (near[v] - low, high - near[v])]
    inside = all_hold(judge.at_least_zero(e) for e in sides if e.is_finite)
    needs = [judge.positive(put(e, near)) for e in natural.positive]
    needs += [judge.at_least_zero(put(e, near)) for e in natural.nonnegative]
    needs += [~judge.zero(put(e, near)) for e in natural.nonzero]
    return all_hold((inside, *needs)) is Truth.HOLDS


def _at_minimum(form: SmoothForm, e: sp.Expr, near: Where) -> LeastValue | None:
    """Where a simple point near by is stationary."""
    at = {v: near[v].limit_denominator(12) for v in form.variables if near[v].is_Rational}
    if len(at) < len(form.variables) or not _at_home(form, at):
        return None
    judge = Judge()

    def how(left: sp.Expr, right: sp.Expr) -> Truth:
        slopes = [put(sp.diff(left, v), at) for v in form.variables]
        flat = all_hold(judge.zero(e) for e in (*slopes, put(left, at) - right))
        return flat if curved_upwards(form, left, judge) else Truth.UNKNOWN

    bound = put(e, at)
    found = Step(e, ">=", bound, "a convex function has its least value where its gradient vanishes", how)
    return LeastValue(bound, found) if found.check() is Truth.HOLDS else None


def _of_quadratic(form: SmoothForm, e: sp.Expr) -> LeastValue | None:
    v = list(form.variables)
    if not e.is_polynomial(*v) or sp.Poly(e, *v).total_degree() > 2:
        return None
    if convex(e, v, form.ranges(), Judge()) is not Truth.HOLDS:
        return None
    solutions = sp.linsolve([sp.diff(e, x) for x in v], *v)
    if not solutions:
        return None
    at = dict(zip(v, (s.subs(dict.fromkeys(v, 0)) for s in next(iter(solutions))), strict=True))
    bound = sp.expand(e.subs(at, simultaneous=True))

    def how(left: sp.Expr, right: sp.Expr) -> Truth:
        flat = all(put(sp.diff(left, x), at) == 0 for x in v)
        same = Judge().zero(put(left, at) - right) is Truth.HOLDS
        return convex(left, v, form.ranges(), Judge()) if flat and same else Truth.FAILS

    return LeastValue(bound, Step(e, ">=", bound, "least value of a convex quadratic function", how))


def _over_box(form: SmoothForm, e: sp.Expr, near: Where) -> LeastValue | None:
    bound = _least_of_tangent(form, e, near)
    if bound is None or curved_upwards(form, e, Judge()) != "variables":
        return None

    def how(left: sp.Expr, right: sp.Expr) -> Truth:
        same = _least_of_tangent(form, left, near) == right
        return Truth.HOLDS if same and curved_upwards(form, left, Judge()) == "variables" else Truth.UNKNOWN

    reason = "a convex function lies above its tangent, which has this least value in the box"
    return LeastValue(bound, Step(e, ">=", bound, reason, how))


def _least_of_tangent(form: SmoothForm, e: sp.Expr, near: Where) -> sp.Expr | None:
    """The least value in the box of the tangent at a point; None where it falls without end."""
    ranges = form.ranges()
    bound = put(e, near)
    for v in form.variables:
        slope = put(sp.diff(e, v), near)
        if slope == 0:
            continue
        low, high = ranges[v]
        if not (low.is_finite and high.is_finite):
            return None
        side = sign(slope) if slope.is_finite else None
        if side is None:
            return None
        bound += slope * ((low if side > 0 else high) - near[v])
    return bound


def _strongly(form: SmoothForm, e: sp.Expr, near: Where) -> LeastValue | None:
    v, ranges, judge = form.variables, form.ranges(), Judge()
    if convex_home(form, ranges, judge) is not Truth.HOLDS:
        return None

    def bent(e: sp.Expr, modulus: sp.Rational) -> Truth:
        return convex(e - modulus / 2 * sp.Add(*(x**2 for x in v)), v, ranges, judge)

    def bounded(e: sp.Expr, modulus: sp.Rational) -> sp.Expr:
        return put(e, near) - sp.Add(*(put(sp.diff(e, x), near) ** 2 for x in v)) / (2 * modulus)

    modulus = next((m for m in _MODULI if bent(e, m) is Truth.HOLDS), None)
    if modulus is None:
        return None

    def how(left: sp.Expr, right: sp.Expr) -> Truth:
        return all_hold((bent(left, modulus), judge.zero(bounded(left, modulus) - right)))

    bound = bounded(e, modulus)
    reason = f"strong convexity with modulus {modulus}: f >= f(p) - |grad f(p)|^2 / (2 modulus)"
    return LeastValue(bound, Step(e, ">=", bound, reason, how))
