"""Expectations in balls: the middle is integrated by Arb, and what lies beyond is bounded by how the integrand grows there.

An end of the support, finite or not, is sent to infinity; next to it the integrand is a monotone scale times a bounded number
(`proof/growth.py`), whose integral is known.  Sums are the same with terms in place of the middle.
"""

from __future__ import annotations

from contextlib import suppress
from itertools import pairwise

import sympy as sp
from flint import acb, arb, ctx

from ..proof.enclosed_integral import ball_function, integral_between
from ..proof.enclosure import NotEnclosableError, enclose, rational, sign
from ..proof.growth import Growth, NoGrowthError, growth, located
from .countable import CountableLaw
from .finite import DiscreteLaw
from .law import Law
from .pieces import borders, resolved, sign_of, within

_Z = sp.Symbol("z", positive=True)
_BITS, _FARTHEST, _MOST = (128, 512), 2048, 1 << 16


def enclosed_expectation(
    law: Law, function: sp.Expr, tolerance: float = 1e-10, between: tuple[sp.Expr, sp.Expr] = (-sp.oo, sp.oo)
) -> arb:
    """A ball around E[function(Y)] for a law without free parameters, its radius at most the tolerance.

    `between` leaves out outcomes elsewhere, of laws with densities.  NotEnclosableError, with the reason, where no ball is
    found: nothing is then known, not even that the expectation is finite.
    """
    law.ends()
    function = law.function_of(function)
    if not 0 < tolerance < float("inf"):
        raise ValueError(f"tolerance must be a number above 0, got {tolerance!r}")
    if isinstance(law, DiscreteLaw):
        return enclose(law.expectation(function))
    for bits in _BITS:
        with ctx.workprec(bits):
            value = (
                _summed(law, function, tolerance)
                if isinstance(law, CountableLaw)
                else _integrated(law, law.density * function, tolerance, between)
            )
            if value.is_finite() and float(value.rad()) <= tolerance:
                return value
    raise NotEnclosableError(f"the expectation of {function} could not be enclosed to {tolerance:g}")


def _integrated(law: Law, integrand: sp.Expr, tolerance: float, between: tuple[sp.Expr, sp.Expr]) -> arb:
    y, total = law.variable, arb(0)
    ends = _larger(law.support[0], between[0]), -_larger(-law.support[1], -between[1])
    if sign_of(ends[1] - ends[0]) != 1:
        return total
    parts = list(within(integrand, y, ends))
    for lower, upper, formula in parts:
        if formula is None:
            raise NotEnclosableError("the density has pieces whose borders could not be solved for")
        if formula == 0:
            continue
        middle = _middle(law, lower, upper)
        share = tolerance / (16 * len(parts))
        try:
            total += _both(formula, y, (lower, middle, upper), share)
        except NotEnclosableError:
            # Poles that cancel, as in cos(y)^2 tan(y)^2, are gone from the simpler formula.
            total += _both(sp.simplify(formula), y, (lower, middle, upper), share)
    return total


def _larger(a: sp.Expr, b: sp.Expr) -> sp.Expr:
    if a == b or -sp.oo in (a, b):
        return b if a == -sp.oo else a
    return a if sign_of(a - b) == 1 else b


def _both(formula: sp.Expr, y: sp.Symbol, marks: tuple[sp.Expr, sp.Expr, sp.Expr], tolerance: float) -> arb:
    lower, middle, upper = marks
    return _half(formula, y, middle, upper, tolerance) + _half(formula, y, middle, lower, tolerance)


def _middle(law: Law, lower: sp.Expr, upper: sp.Expr) -> sp.Expr:
    """A rational number inside of a piece."""
    if lower.is_finite and upper.is_finite:
        between = (lower + upper) / 2
        # Ends that are no fractions are cut off after so many digits that the middle stays one.
        for digits in (20, 60, 400):
            point = between if between.is_Rational else sp.Rational(str(sp.N(between, digits)))
            if sign_of(point - lower) == 1 and sign_of(upper - point) == 1:
                return point
        raise NotEnclosableError(f"no number between {lower} and {upper} was found")
    low, high = (rational(sp.floor(e)) if e.is_finite else None for e in (lower, upper))
    if low is None and high is None:
        with suppress(ValueError):
            return sp.Integer(round(float(law.quantile(0.5))))
        return sp.Integer(0)
    if low is not None:
        return low + 2
    assert high is not None
    return high - 1


def _half(formula: sp.Expr, y: sp.Symbol, middle: sp.Expr, end: sp.Expr, tolerance: float) -> arb:
    """The integral between a middle point and an end, positive whatever side the end is on."""
    if end.is_finite:
        side = sp.Integer(sign(end - middle) or 0)
        direct = _direct(formula, y, middle, end, tolerance)
        if direct is not None:
            return direct * int(side)
        pulled = sp.powsimp(formula.subs(y, end - side / _Z)) / _Z**2
        return _outward(pulled, 1 / abs(end - middle), tolerance)
    if end is sp.oo:
        return _outward(
            formula.subs(y, _Z) if middle >= 0 else formula.subs(y, _Z + middle),
            max(middle, sp.Integer(0)),
            tolerance,
        )
    return _half(formula.subs(y, -y), y, -middle, sp.oo, tolerance)


def _direct(formula: sp.Expr, y: sp.Symbol, middle: sp.Expr, end: sp.Expr, tolerance: float) -> arb | None:
    """The integral up to an end at which the formula is analytic; None where that is not seen."""
    function, there = ball_function(formula, y, ctx.prec), acb(enclose(end))
    if not function(there + acb(arb(0, 1e-6), arb(0, 1e-6)), True).is_finite():
        return None
    value = integral_between(function, acb(enclose(middle)), there, tolerance / 256)
    return value if value.is_finite() and float(value.rad()) <= 2 * tolerance else None


def _outward(formula: sp.Expr, start: sp.Expr, tolerance: float) -> arb:
    """The integral of a formula in z from `start` to infinity."""
    found, least = _located(formula)
    reach, left = _reach(found, least.max(enclose(start).ceil()), tolerance)
    body = integral_between(
        ball_function(formula, _Z, ctx.prec), acb(enclose(start)), acb(reach), tolerance / 256
    )
    return body + left


def _located(formula: sp.Expr) -> tuple[Growth, arb]:
    try:
        return located(formula, _Z)
    except NoGrowthError as trouble:
        raise NotEnclosableError(f"what lies far out could not be bounded: {trouble}") from None


def _reach(found: Growth, start: arb, tolerance: float) -> tuple[arb, arb]:
    """How far out next to nothing is left, and a ball around what is."""
    reach, trouble = start, "it falls too slowly"
    for _ in range(80):
        try:
            left = found.beyond(reach)
            if float(left.rad()) <= tolerance:
                return reach, left
        except NoGrowthError as error:
            trouble = str(error)
        # Powers that fall slowly need numbers with very large exponents, and still few steps.
        reach = reach * 2 if reach < 2**40 else reach * reach
        if not reach < arb(2) ** _FARTHEST:
            break
    raise NotEnclosableError(f"what lies far out could not be bounded: {trouble}")


def _summed(law: CountableLaw, function: sp.Expr, tolerance: float) -> arb:
    lower, upper = law.support
    term, y = law.density * function, law.variable
    inner = borders(term, y)
    if inner is None or any(b.free_symbols for b in inner):
        raise NotEnclosableError("the masses have pieces whose borders could not be solved for")
    marks = [0, *(int(sp.floor(b)) for b in inner), *(int(e) for e in (lower, upper) if e.is_finite)]
    first = int(lower) if lower.is_finite else min(marks) - 1
    last = int(upper) if upper.is_finite else max(marks) + 1
    if last - first > _MOST:
        raise NotEnclosableError(f"{last - first + 1} masses are too many to add up")
    total = sum((enclose(_at(term, y, n), bits=ctx.prec) for n in _special(inner, first, last)), arb(0))
    for low, high in _runs(inner, first, last):
        total += _run(_branch(term, y, sp.Rational(low + high, 2)), y, range(low, high + 1))
    if upper is sp.oo:
        total += _from(_branch(term, y, sp.Integer(last + 1)), y, last + 1, tolerance / 4)
    if lower == -sp.oo:
        mirrored = _branch(term, y, sp.Integer(first - 1)).subs(y, -y)
        total += _from(mirrored, y, 1 - first, tolerance / 4)
    return total


def _special(inner: tuple[sp.Expr, ...], first: int, last: int) -> list[int]:
    """Whole numbers that are themselves borders."""
    return sorted({int(b) for b in inner if b.is_Integer and first <= b <= last})


def _runs(inner: tuple[sp.Expr, ...], first: int, last: int) -> list[tuple[int, int]]:
    """Runs of whole numbers with no border among or between them."""
    cuts = sorted(
        {sp.Rational(2 * first - 1, 2), sp.Rational(2 * last + 1, 2), *inner}, key=lambda b: sp.N(b, 60)
    )
    runs = [(int(sp.floor(a)) + 1, int(sp.ceiling(b)) - 1) for a, b in pairwise(cuts)]
    return [(max(a, first), min(b, last)) for a, b in runs if max(a, first) <= min(b, last)]


def _branch(term: sp.Expr, y: sp.Symbol, point: sp.Expr) -> sp.Expr:
    formula = resolved(term, y, lambda gap: sign(gap.subs(y, point)))
    if formula is None:
        raise NotEnclosableError("the masses have pieces that could not be told apart")
    return formula


def _at(term: sp.Expr, y: sp.Symbol, n: int) -> sp.Expr:
    return _branch(term, y, sp.Integer(n)).subs(y, n)


def _run(formula: sp.Expr, y: sp.Symbol, numbers: range) -> arb:
    value = ball_function(formula, y, ctx.prec)
    return sum((value(acb(n)).real for n in numbers), arb(0))


def _from(formula: sp.Expr, y: sp.Symbol, first: int, tolerance: float) -> arb:
    """The sum from `first` on: terms until what is left, at most the integral of a falling scale, is next to nothing."""
    pulled = formula.subs(y, _Z)
    found, least = _located(pulled)
    reach = max(first, int(float(least)))
    value, total, done = ball_function(formula, y, ctx.prec), arb(0), first
    while reach - first <= _MOST:
        total += sum((value(acb(n)).real for n in range(done, reach + 1)), arb(0))
        done = reach + 1
        try:
            left = growth(pulled, _Z, arb(max(reach, 4))).beyond(arb(reach))
            if float(left.rad()) <= tolerance and found.scale.falls(arb(reach)):
                return total + left
        except NoGrowthError:
            pass
        reach = reach * 2
    raise NotEnclosableError(f"the masses fall too slowly: after {_MOST} of them too much may be left")
