"""Ways on which neighbours' answers move apart without end: towards an infinite end, or a place where a query is not defined."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial

import sympy as sp

from ..proof.apart import UnfinishedError, apart, tame
from ..proof.as_written import value_at
from ..proof.derivation import Step
from ..proof.enclosure import NotEnclosableError, enclose
from ..proof.eventual import away_from_zero, eventual
from ..proof.growth import NoGrowthError, Scale
from ..proof.proofs.kernel_checked import accepted_step
from ..proof.truth import Truth
from ..proof.work import spent
from .moves import Move
from .regions import Region, anywhere

RAY = sp.Symbol("t", positive=True)
WHOLE = sp.Symbol("t", positive=True, integer=True)
_SLOW = Scale(logs=sp.Rational(1, 4))
MOST = sp.Symbol("M", nonnegative=True)
_FAR = [c * MOST + d for c in (1, 2, 3, 4, 8, 16) for d in (0, 1, 4)] + [
    c * sp.exp(MOST) - 1 for c in (1, 2, 3, 4, 8)
]
MOST_RAYS = 60
_LONGEST = 80
Way = dict[sp.Symbol, sp.Expr]


@dataclass(frozen=True)
class Ray:
    """A point of the region for each large t, along which one entry grows without end."""

    way: Way
    entry: sp.Expr
    step: Step


def ray_of(move: Move, deadline: int) -> Ray | None:
    """A way along which an entry is proved to be unbounded; None says nothing."""
    for way in itertools.islice(_ways(move), MOST_RAYS):
        if spent() > deadline:
            return None
        for entry in dict.fromkeys(e for e in move.vector.entries if e != 0):
            try:
                along = entry.xreplace(dict(move.region.expressed)).subs(way)
            except ValueError:  # sympy orders no pole among the arguments of a maximum
                continue
            if WHOLE in along.free_symbols:
                # Waves have one value at all whole numbers.
                along = along.xreplace({WHOLE: RAY})
                if not along.has(sp.sin, sp.cos) and along.free_symbols == {RAY} and _grows(along):
                    return Ray(way, along, _limit_step(along, "grows without end in whole numbers t"))
                continue
            if along.free_symbols == {RAY} and _grows(along):
                return Ray(way, along, _step(along))
    return None


def _step(along: sp.Expr) -> Step:
    """That the distance is at least any M > 0, at a t which is given; the limit in words where no such t was found."""
    reason = "grows without end in t"
    for t in _FAR:
        at = value_at(along, {RAY: t})
        if along.count_ops() > _LONGEST or not _far_enough(at):
            continue
        said, ends = f"{reason}: for every M >= 0 at t = {t}", ((MOST, sp.Integer(0), sp.oo),)
        try:
            bound = sp.Abs(at, evaluate=False)
            step = apart(partial(accepted_step, bound, ">=", MOST, said, ends), "the kernel's check of a ray")
        except UnfinishedError:
            break
        if step is not None:
            return step
    return _limit_step(along, reason)


def _limit_step(along: sp.Expr, reason: str) -> Step:
    def again(left: sp.Expr, right: sp.Expr) -> Truth:
        return Truth.HOLDS if right is sp.oo and _grows(left) else Truth.UNKNOWN

    return Step(along, "=", sp.oo, reason, again, (f"limit of |{sp.sstr(along)}| as t grows", "oo"))


def _far_enough(at: sp.Expr) -> bool:
    """Whether the bound holds at some numbers: most places of the list are not worth a proof."""
    try:
        return all(bool(abs(enclose(at, {MOST: m})) >= m) for m in map(sp.Integer, (0, 1, 30)))
    except (NotEnclosableError, ValueError, TypeError):
        return False


def _grows(along: sp.Expr) -> bool:
    """Whether it is at least a positive multiple of a scale that grows without end, from some t on."""
    try:
        return apart(lambda: _rises(along), "growth along a ray", here=tame(along))
    except (NoGrowthError, NotEnclosableError, UnfinishedError, ValueError, TypeError, AttributeError):
        return False


def _rises(along: sp.Expr) -> bool:
    found, start = away_from_zero(eventual(along, RAY), RAY)
    # At least as fast as a root of the logarithm: a scale may also rise to an end.
    return found.scale.times(_SLOW, -sp.Integer(1)).rises(start)


def _ways(move: Move) -> Iterator[Way]:
    region = move.region
    free = {s for e in move.vector.entries for s in e.xreplace(dict(region.expressed)).free_symbols}
    inner = region.of(free)
    fixed = {s: values[0] for s, values in inner.choices.items()}
    yield from ({**way, **fixed} for way in _outwards(inner))
    yield from ({**way, **fixed} for way in _through_waves(move, inner))
    yield from ({**way, **fixed} for way in _towards_poles(move, inner))
    yield from ({**way, **fixed} for way in _towards_corners(inner))


def _outwards(region: Region) -> Iterator[Way]:
    if region.constrained:
        return
    for s, (a, b) in region.intervals.items():
        for end, sign in ((b, 1), (a, -1)):
            if not end.is_finite:
                for rest in _anchors(region, s):
                    start = rest[s]
                    yield {**rest, s: start + sign * RAY}


def _through_waves(move: Move, region: Region) -> Iterator[Way]:
    """Outwards through the places at which the sines and cosines of one symbol each have one value."""
    waves = {f.args[0] for e in move.vector.entries for f in e.atoms(sp.sin, sp.cos)}
    for s, (a, b) in {} if region.constrained else region.intervals.items():
        own = [w for w in waves if w.free_symbols == {s} and w.is_polynomial(s)]
        powers = {sp.degree(w, s) for w in own}
        if len(powers) != 1 or any(
            w.coeff(s, max(powers)) * s ** max(powers) + w.subs(s, 0) != w for w in own
        ):
            continue
        (k,) = powers
        rates = [w.coeff(s, k) / own[0].coeff(s, k) for w in own]
        if not all(r.is_Rational for r in rates):
            continue
        rate, shift = own[0].coeff(s, k), own[0].subs(s, 0)
        period = 2 * sp.pi * sp.ilcm(1, *(r.q for r in rates))
        for end, sign in ((b, 1), (a, -1)):
            if end.is_finite or (sign < 0 and k % 2 == 0 and not b.is_finite):
                continue
            for quarter in range(4):
                turn = (
                    period * WHOLE * sp.sign(rate) * (sign if k % 2 else 1) + sp.pi * quarter / 2 - shift
                ) / rate
                at = sign * sp.root(sign**k * turn, k)
                first = at.subs(WHOLE, 1)
                if first.is_real and (a <= first) == True and (first <= b) == True:  # noqa: E712
                    yield from ({**rest, s: at} for rest in _anchors(region, s))


def _anchors(region: Region, moving: sp.Symbol) -> Iterator[Mapping[sp.Symbol, sp.Expr]]:
    base = {s: anywhere(ends) for s, ends in region.intervals.items()}
    yield base
    yield {s: _inside(ends, k) for k, (s, ends) in enumerate(region.intervals.items())} | {
        moving: base[moving]
    }


def _inside(ends: tuple[sp.Expr, sp.Expr], k: int) -> sp.Expr:
    a, b = ends
    if a.is_finite and b.is_finite:
        return a + (b - a) * sp.Rational(1, k + 2)
    return (a if a.is_finite else b if b.is_finite else sp.Integer(0)) + sp.Integer(k + 1) * (
        1 if a.is_finite else -1
    )


def _towards_poles(move: Move, region: Region) -> Iterator[Way]:
    """To zeros of denominators and of what stands in logarithms, where these have one symbol."""
    for e in move.vector.entries:
        for base in _bases(e):
            symbols = list(base.free_symbols)
            if len(symbols) != 1 or symbols[0] not in region.intervals or not base.is_polynomial(*symbols):
                continue
            (s,) = symbols
            a, b = region.intervals[s]
            for root in sp.Poly(base, s).ground_roots():
                for sign in (1, -1):
                    if (a <= root < b) if sign > 0 else (a < root <= b):
                        width = sp.Min(b - root, 1) if sign > 0 else sp.Min(root - a, 1)
                        for rest in _anchors(region, s):
                            yield {**rest, s: root + sign * width / (1 + RAY)}


def _bases(e: sp.Expr) -> Iterator[sp.Expr]:
    for part in e.atoms(sp.Pow, sp.log):
        if isinstance(part, sp.log) or part.exp.is_negative:
            base = part.args[0]
            yield base.args[0] if isinstance(base, sp.Abs) else base


def _towards_corners(region: Region) -> Iterator[Way]:
    if region.constrained or not region.bounded or len(region.intervals) > 6:
        return
    symbols = list(region.intervals)
    for ends in itertools.product((0, 1), repeat=len(symbols)):
        yield {
            s: region.intervals[s][e]
            + (region.intervals[s][1 - e] - region.intervals[s][e]) / (2 + (k + 1) * RAY)
            for k, (s, e) in enumerate(zip(symbols, ends, strict=True))
        }
