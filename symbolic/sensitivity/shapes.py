"""Coordinates in which an expression is proved to be monotone or convex over a region: the largest value lies at their ends."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import sympy as sp
from flint import arb, ctx

from ..laws.domains import inside
from ..proof import intervals as iv
from ..proof.apart import UnfinishedError, apart, tame
from ..proof.branch_and_bound import BITS, maximum, quotient_of
from ..proof.derivation import Step
from ..proof.enclosure import NotEnclosableError, compare
from ..proof.interval_tape import Tape
from ..proof.intervals import Interval
from ..proof.nonnegative import nonnegative
from ..proof.truth import Truth
from ..proof.work import spent
from .regions import Ends, Point

Box = Mapping[sp.Symbol, Ends]
MIDDLING = 200
ROUGH = (sp.Abs, sp.Max, sp.Min, sp.Piecewise, sp.sign, sp.floor, sp.ceiling)
TRIES, FEW, SAMPLES, LONGEST, MOST_FACES = 300, 60, 12, 400, 64


@dataclass(frozen=True)
class Face:
    """What is left of an expression where some coordinates are at their ends, and the steps that put them there."""

    expression: sp.Expr
    fixed: Point
    steps: tuple[Step, ...] = ()


def faces(
    expression: sp.Expr, box: Box, bound_by: set[sp.Symbol], until: int, most: int = MOST_FACES
) -> list[Face]:
    """Faces of the box on one of which the largest value lies; symbols in `bound_by` stay.  The box itself if none is known.

    After the count of work `until` no face is looked into any more.
    """
    here = [Face(expression, {})]
    done: list[Face] = []
    while here:
        face = here.pop()
        late = spent() > until or len(here) + len(done) >= most
        found = None if late else _lower_faces(face, box, bound_by, until)
        if found is None:
            done.append(face)
        else:
            here += found
    # One expression may be left on several faces: the steps to each of them are kept.
    merged: dict[sp.Expr, Face] = {}
    for face in done:
        before = merged[face.expression].steps if face.expression in merged else ()
        merged[face.expression] = replace(face, steps=tuple(dict.fromkeys((*before, *face.steps))))
    return list(merged.values())


def _lower_faces(face: Face, box: Box, bound_by: set[sp.Symbol], until: int) -> list[Face] | None:
    e = face.expression
    free = sorted((s for s in e.free_symbols - bound_by if s in box), key=str)
    if not free:
        return None
    inside = {s: box[s] for s in e.free_symbols}
    for x, slope in zip(free, _slopes(e, free, inside), strict=True):
        for end, is_known in ((1, slope[0] >= 0), (0, slope[1] <= 0)):
            if is_known and box[x][end].is_finite:
                return [_at_end(face, x, end, box, _slope_step(e, x, end, inside))]
    if e.has(*ROUGH) or sp.count_ops(e) > LONGEST:
        return None
    signs = _signs_at_samples(e, free, inside)
    for x, sign in zip(free, signs, strict=True):
        end = int(sign > 0)
        if spent() > until:
            return None
        if sign == 0 or not _valued(e, x, box[x][end]):
            continue
        rise = _never_negative_form(sign * sp.diff(e, x), inside)
        if rise is not None:
            return [_at_end(face, x, end, box, _monotone_step(e, x, end, inside))]
    for x in free:
        if spent() > until:
            return None
        if not all(_valued(e, x, end) for end in box[x]):
            continue
        bend = sp.diff(e, x, 2)
        if _negative_somewhere(bend, inside):
            continue
        known = _never_negative_form(bend, inside)
        if known is not None:
            step = _chord_step(e, x, inside)
            return [_at_end(face, x, end, box, step) for end in (0, 1)]
    return None


def _valued(e: sp.Expr, x: sp.Symbol, end: sp.Expr) -> bool:
    """Whether an end of x is finite, and the expression no 0/0 there, as x log x is at 0."""
    return bool(end.is_finite) and not e.subs(x, end).has(sp.nan)


def _never_negative_form(e: sp.Expr, box: Box) -> sp.Expr | None:
    """A form of the expression that is proved to be >= 0 all over the box."""
    if never_negative(e, box, FEW):
        return e
    tidy = _tidy(e)
    return tidy if never_negative(tidy, box) or _nonnegative_inside(tidy, box) else None


def _nonnegative_inside(e: sp.Expr, box: Box) -> bool:
    """Whether an expression that has no value at some border of the box is >= 0 inside: what is continuous is so wherever it has one."""
    ends = {s: box[s] for s in e.free_symbols}
    try:
        with ctx.workprec(BITS):
            if not Tape([e], list(ends)).over(interval_box(list(ends), ends)).partial:
                return False
        form = e.xreplace({s: inside(*pair, s.name) for s, pair in ends.items()})
        return apart(lambda: nonnegative(form), "the sign of a slope") is Truth.HOLDS
    except (NotEnclosableError, iv.OutsideError, UnfinishedError):
        return False


def _samples(box: Box) -> Iterator[list[Interval]]:
    """Some points of the box, fixed for it."""
    rng = np.random.default_rng(0)
    for _ in range(SAMPLES):
        point = []
        for low, high in box.values():
            share = float(rng.random())
            a, b = (_far(low, high), _far(high, low))
            point.append(arb(a + share * (b - a)))
        yield [(x, x) for x in point]


def _far(end: sp.Expr, other: sp.Expr) -> float:
    if end.is_finite:
        return float(end)
    return (float(other) if other.is_finite else 0.0) + (8.0 if end is sp.oo else -8.0)


def _signs_at_samples(e: sp.Expr, free: Sequence[sp.Symbol], box: Box) -> list[int]:
    """For each symbol the one sign of all slopes at some points; 0 where there are two."""
    symbols = list(box)
    met: list[set[int]] = [set() for _ in free]
    try:
        tape = Tape([e], symbols)
        for point in _samples(box):
            slopes = tape.slopes(tape.over(point), 0)
            for x, seen in zip(free, met, strict=True):
                low, high = slopes[symbols.index(x)]
                seen |= ({1} if low > 0 else set()) | ({-1} if high < 0 else set())
    except (NotEnclosableError, iv.OutsideError):
        return [0] * len(free)
    return [next(iter(seen)) if len(seen) == 1 else 0 for seen in met]


def _negative_somewhere(e: sp.Expr, box: Box) -> bool:
    inside = {s: box[s] for s in e.free_symbols}
    try:
        tape = Tape([e], list(inside))
        return any(tape.over(point).values[tape.outputs[0]][1] < 0 for point in _samples(inside))
    except (NotEnclosableError, iv.OutsideError):
        return True


def _tidy(e: sp.Expr) -> sp.Expr:
    if sp.count_ops(e) > MIDDLING:
        return e
    try:
        together = apart(lambda: sp.factor(sp.together(e)), "factors of a slope", here=tame(e))
    except UnfinishedError:
        return e
    return together if sp.count_ops(together) <= 2 * sp.count_ops(e) + 10 else e


def _at_end(face: Face, x: sp.Symbol, end: int, box: Box, step: Step) -> Face:
    value = box[x][end]
    return Face(face.expression.subs(x, value), {**face.fixed, x: value}, (*face.steps, step))


def _ball_of(end: sp.Expr) -> arb:
    return arb(quotient_of(end)) if end.is_finite else (iv.INFINITY if end is sp.oo else -iv.INFINITY)


def interval_box(symbols: Sequence[sp.Symbol], box: Box) -> list[Interval]:
    """The ends in balls, which may be infinite."""
    return [(_ball_of(box[s][0]), _ball_of(box[s][1])) for s in symbols]


def _slopes(e: sp.Expr, free: Sequence[sp.Symbol], box: Box) -> list[Interval]:
    """Slopes over the whole box; anything where the expression is not defined all over it."""
    unknown = [iv.WHOLE] * len(free)
    symbols = list(box)
    try:
        with ctx.workprec(BITS):
            tape = Tape([e], symbols)
            over = tape.over(interval_box(symbols, box))
            found = tape.slopes(over, 0)
    except (NotEnclosableError, iv.OutsideError):
        return unknown
    return unknown if over.partial else [found[symbols.index(x)] for x in free]


def _slope_step(e: sp.Expr, x: sp.Symbol, end: int, box: Box) -> Step:
    def again(left: sp.Expr, right: sp.Expr) -> Truth:
        (slope,) = _slopes(left, [x], box)
        rises = slope[0] >= 0 if end else slope[1] <= 0
        return compare(right, "=", left.subs(x, box[x][end])) if rises else Truth.UNKNOWN

    return Step(e, "<=", e.subs(x, box[x][end]), f"slopes in {x} have one sign", again, within=ends_of(box))


def _monotone_step(e: sp.Expr, x: sp.Symbol, end: int, box: Box) -> Step:
    def again(left: sp.Expr, right: sp.Expr) -> Truth:
        rise = sp.diff(left, x) if end else -sp.diff(left, x)
        if _never_negative_form(rise, box) is None:
            return Truth.UNKNOWN
        return compare(right, "=", left.subs(x, box[x][end]))

    return Step(e, "<=", e.subs(x, box[x][end]), f"monotone in {x}", again, within=ends_of(box))


def _chord_step(e: sp.Expr, x: sp.Symbol, box: Box) -> Step:
    def at_ends(f: sp.Expr) -> sp.Expr:
        two = [f.subs(x, end) for end in box[x]]
        return two[0] if two[0] == two[1] else sp.Max(*two, evaluate=False)

    def again(left: sp.Expr, right: sp.Expr) -> Truth:
        if _never_negative_form(sp.diff(left, x, 2), box) is None:
            return Truth.UNKNOWN
        return Truth.HOLDS if right == at_ends(left) else compare(right, "=", at_ends(left))

    reason = f"convex in {x}: the largest value lies at an end"
    return Step(e, "<=", at_ends(e), reason, again, within=ends_of(box))


def ends_of(box: Box) -> tuple[tuple[sp.Symbol, sp.Expr, sp.Expr], ...]:
    """The box as a hypothesis of a step."""
    return tuple((s, low, high) for s, (low, high) in box.items())


def never_negative(e: sp.Expr, box: Box, boxes: int = TRIES) -> bool:
    """Whether an expression is proved to be >= 0 all over the box; False says nothing."""
    if e.is_number:
        return bool(e.is_nonnegative)
    if e.has(sp.zoo, sp.nan, sp.oo):
        return False
    inside = {s: box[s] for s in e.free_symbols}
    try:
        if not all(end.is_finite for ends in inside.values() for end in ends):
            with ctx.workprec(BITS):
                tape = Tape([e], list(inside))
                over = tape.over(interval_box(list(inside), inside))
                return not over.partial and bool(over.values[tape.outputs[0]][0] >= 0)
        found = maximum(-e, inside, boxes=boxes, beyond=0, tolerance=1e-3)
    except (NotEnclosableError, iv.OutsideError):
        return False
    return not found.undefined and bool(found.upper <= 0)
