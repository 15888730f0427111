"""Bounds of an expression far out on an unbounded region, and next to a place where numerator and denominator both vanish."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import sympy as sp
from flint import arb, ctx

from ..proof import intervals as iv
from ..proof.branch_and_bound import BITS, maximum
from ..proof.enclosure import NotEnclosableError, enclose, is_zero
from ..proof.growth import NoGrowthError, Scale, growth
from ..proof.interval_tape import Tape
from ..proof.truth import Truth
from .bound_steps import bound_step
from .regions import Ends, Region
from .shapes import ROUGH, interval_box
from .supremum import WHERE_DEFINED, Supremum, given, largest

MOST_ORDER, LONGEST = 4, 200
NEAR_ZEROS = (sp.Rational(1, 4), sp.Rational(1, 64), sp.Rational(1, 2**14))
MEAN_VALUE = "next to a common zero N/D has the values of N'/D' between there and the zero (Cauchy's mean value theorem)"


def middle(pair: Ends, far: int) -> Ends:
    """The part of an interval that is no farther out."""
    a, b = pair
    size = sp.Integer(far) + max([abs(e) for e in pair if e.is_finite], default=0)
    return (a if a.is_finite else -size), (b if b.is_finite else size)


def tail_bound(e: sp.Expr, region: Region, far: int) -> arb | None:
    """A bound of the values where some coordinate is beyond `far`; None where there is none."""
    symbols = list(region.intervals)
    top = -iv.INFINITY
    for moving, part in _tails(region, far):
        try:
            with ctx.workprec(BITS):
                tape = Tape([e], symbols)
                over = tape.over(interval_box(symbols, part))
        except iv.OutsideError:
            continue
        bound = over.values[tape.outputs[0]][1]
        if not bound.is_finite():
            found = _by_growth(e, moving, part[moving]) if len(symbols) == 1 else None
            if found is None:
                return None
            bound = found
        top = top.max(bound.upper())
    return top


def _tails(region: Region, far: int) -> Iterator[tuple[sp.Symbol, dict[sp.Symbol, Ends]]]:
    for s, (a, b) in region.intervals.items():
        low, high = middle((a, b), far)
        if b is sp.oo:
            yield s, {**region.intervals, s: (high, b)}
        if a is -sp.oo:
            yield s, {**region.intervals, s: (a, low)}


def _by_growth(e: sp.Expr, s: sp.Symbol, ends: Ends) -> arb | None:
    """A bound on a half-line, from a scale that does not grow there."""
    z = sp.Dummy("z", positive=True)
    start, along = (ends[0], e.xreplace({s: z})) if ends[1] is sp.oo else (-ends[1], e.xreplace({s: -z}))
    if start < 3:
        return None
    try:
        found = growth(along, z, arb(int(start)))
        if not found.scale.falls(arb(int(start))):
            return None
        size = arb(1) if found.scale == Scale() else found.scale.at(arb(int(start)))
    except (NoGrowthError, NotEnclosableError, ValueError, TypeError):
        return None
    top = (found.factor * size).upper()
    return top if found.scale == Scale() else top.max(arb(0))


def one_period(e: sp.Expr, region: Region) -> Region:
    """A bounded part of the region in which the expression has all of its values, where it is periodic in one symbol."""
    waves = sorted(e.atoms(sp.sin, sp.cos), key=sp.default_sort_key)
    if len(region.intervals) != 1 or region.constrained or region.bounded or not waves:
        return region
    ((t, (low, high)),) = region.intervals.items()
    rates = [sp.diff(w.args[0], t) for w in waves]
    ratios = [r / rates[0] for r in rates if rates[0] != 0]
    if e.xreplace({w: sp.Dummy() for w in waves}).has(t) or len(ratios) < len(waves):
        return region
    if rates[0].has(t) or not all(r.is_Rational and r != 0 for r in ratios):
        return region
    period = sp.ceiling(2 * sp.pi / abs(rates[0]) * sp.ilcm(1, *(r.q for r in ratios)))
    start = low if low.is_finite else high - period if high.is_finite else sp.Integer(0)
    return replace(region, intervals={t: (start, start + period)})


def common_zeros(e: sp.Expr, t: sp.Symbol, ends: Ends) -> list[sp.Rational]:
    """Rational numbers of a closed interval at which numerator and denominator vanish."""
    top, bottom = sp.fraction(sp.together(e))
    if e.has(*ROUGH) or not bottom.has(t) or sp.count_ops(e) > LONGEST:
        return []
    places = {sp.Integer(0), *(x for x in ends if x.is_finite)}
    for factor in sp.Mul.make_args(sp.factor(bottom)):
        base = factor.base if isinstance(factor, sp.Pow) else factor
        if base.is_polynomial(t) and all(c.is_Rational for c in sp.Poly(base, t).all_coeffs()):
            places |= set(sp.Poly(base, t).ground_roots())
    inside = [x for x in places if ends[0] <= x <= ends[1]]
    return sorted(x for x in inside if all(is_zero(part.subs(t, x)) is Truth.HOLDS for part in (top, bottom)))


def bound_near(e: sp.Expr, t: sp.Symbol, zero: sp.Rational, ends: Ends) -> arb | None:
    """A bound of N/D on an interval around a common zero that is the only zero of D there; None where none was found.

    D and its derivatives vanish at most there if the first one that is not 0 at the zero vanishes nowhere in the interval (Rolle).
    """
    top, bottom = sp.fraction(sp.together(e))
    try:
        for _ in range(MOST_ORDER):
            with ctx.workprec(BITS):
                tape = Tape([top, bottom], [t])
                over = tape.over(interval_box([t], {t: ends}))
            if over.partial:
                return None
            low, high = over.values[tape.outputs[1]]
            if low > 0 or high < 0:
                found = maximum(top / bottom, {t: ends}, tolerance=1e-9, boxes=2000)
                return found.upper if found.upper.is_finite() and not found.undefined else None
            if any(is_zero(part.subs(t, zero)) is not Truth.HOLDS for part in (top, bottom)):
                return None
            top, bottom = sp.diff(top, t), sp.diff(bottom, t)
    except (NotEnclosableError, iv.OutsideError, ValueError):
        return None
    return None


def beside_common_zeros(
    e: sp.Expr, region: Region, tolerance: float, bounded: Callable[[Region], Supremum]
) -> Supremum | None:
    """Of one symbol: the parts of an interval between common zeros of numerator and denominator, and what is next to these."""
    if len(e.free_symbols) != 1 or region.constrained:
        return None
    (t,) = e.free_symbols
    low, high = region.intervals[t]
    zeros = common_zeros(e, t, (low, high))
    if not zeros:
        return None
    found = None
    for near in NEAR_ZEROS:
        stops, inner = [low], []
        for z in zeros:
            around = (max(z - near, low), min(z + near, high))
            inner.append((z, bound_near(e, t, z, around)))
            stops += list(around)
        stops.append(high)
        if any(bound is None for _, bound in inner):
            continue
        outer = [
            bounded(replace(region, intervals={t: pair}))
            for pair in zip(stops[::2], stops[1::2], strict=True)
            if pair[0] < pair[1]
        ]
        next_to = [
            Supremum(
                bound,
                {t: z + near / 2**30 * (1 if z < high else -1)},
                "the mean value theorem",
                lemmas=(MEAN_VALUE, WHERE_DEFINED),
            )
            for z, bound in inner
        ]
        found = largest([*outer, *next_to])
        if found.upper is None or _reached(e, found, tolerance):
            break
    if found is None or found.upper is None:
        return found
    step = bound_step(e, region, found.upper, lambda: beside_common_zeros(e, region, tolerance, bounded))
    return replace(found, steps=(step,), exact=None)


def _reached(e: sp.Expr, found: Supremum, tolerance: float) -> bool:
    try:
        return bool(
            enclose(e, found.point) >= given(found.upper) - abs(given(found.upper)) * arb(tolerance) / 2
        )
    except (NotEnclosableError, ValueError, TypeError):
        return False
