"""The largest value of an expression on a box, under constraints: interval branch and bound in balls (python-flint's Arb).

Boxes wait in order of their upper bounds: the values over the box, and the mean value form around the best centre, with
multiples of the constraints added that make it small.  Where the slope in a coordinate has one sign, that coordinate
goes to its end.  What is never halved further is counted in the bound, so that it holds whenever work stops.
(Hansen, Walster: Global Optimization Using Interval Analysis, 2004; the centre by Baumann 1988.)
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeAlias

import numpy as np
import sympy as sp
from flint import arb, ctx, fmpq

from . import intervals as iv
from .enclosure import rational
from .exact_numbers import quotient, symbolic_number
from .interval_tape import Over, Tape
from .intervals import Interval
from .local_climb import climbs
from .multipliers import multipliers
from .work import spent

Ends = list[tuple[fmpq, fmpq]]
Number: TypeAlias = int | float | str | Fraction | sp.Expr
BITS = 80
_NONE = -iv.INFINITY
NEAR = 1e-9
_LEAST_WIDTH = fmpq(1, 2**60)


@dataclass(frozen=True)
class BoundedMaximum:
    """lower <= sup <= upper, where `point` (exact, feasible) reaches `lower`.

    `upper` is never below the supremum over the feasible points at which the expression is defined; it is infinite where
    none was found.  `reached`: the relative tolerance was.  `infeasible`: proved that no point of the box is feasible.
    `undefined`: points of the box may be left out because the expression or a constraint has no real value there.
    """

    lower: arb | None
    upper: arb
    point: dict[sp.Symbol, sp.Rational] | None
    reached: bool
    boxes: int
    infeasible: bool = False
    undefined: bool = False
    stuck: str = ""


def maximum(
    expression: sp.Expr,
    box: Mapping[sp.Symbol, tuple[Number, Number]],
    *,
    at_most_zero: Sequence[sp.Expr] = (),
    zero: Sequence[sp.Expr] = (),
    tolerance: float = 1e-9,
    units: int | None = None,
    start: Sequence[Mapping[sp.Symbol, Number]] = (),
    boxes: int = 200_000,
    beyond: Number | None = None,
    floor: Number | None = None,
    climb: bool = True,
) -> BoundedMaximum:
    """The largest value of `expression` over the box where all of `at_most_zero` are <= 0 and all of `zero` vanish.

    `tolerance` is relative; `units` of work may be spent; `start` holds points to begin from; without `climb` no local search is made, for many small
    questions whose upper end alone matters.  With `beyond` only what exceeds
    that number is looked for: `upper` is that number where nothing does, and work stops where something is found; with
    `floor` work goes on then.  Raises ValueError for ends in the wrong order or a symbol
    without an interval, NotEnclosableError for a function without an enclosure.
    """
    symbols = list(box)
    ends = [(quotient_of(a), quotient_of(b)) for a, b in box.values()]
    for x, (a, b) in zip(symbols, ends, strict=True):
        if a > b:
            raise ValueError(f"expected low <= high for {x}, got {a} and {b}")
    bits = max(BITS, int(-2 * np.log2(tolerance)) + 20)
    with ctx.workprec(bits):
        tape = Tape([expression, *at_most_zero, *zero], symbols)
        search = _Search(tape, ends, len(at_most_zero), tolerance)
        limit = beyond if beyond is not None else floor
        if limit is not None:
            search.beyond, search.stops = arb(quotient_of(limit)), beyond is not None
        given = [[quotient_of(point[x]) for x in symbols] for point in start]
        return search.run(given, boxes, None if units is None else spent() + units, climb)


def quotient_of(value: Number) -> fmpq:
    """The rational number that was written."""
    exact = rational(value)
    return fmpq(int(exact.p), int(exact.q))


@dataclass
class _Search:
    tape: Tape
    root: Ends
    inequalities: int
    tolerance: float
    lower: arb | None = None
    point: list[fmpq] | None = None
    undefined: bool = False
    boxes: int = 0
    goal: arb = _NONE  # the best value at a point that is feasible up to rounding
    leaves: arb = _NONE  # upper bounds of boxes that are not halved any more
    waiting: list[tuple[float, int, arb, Ends, list[float]]] = field(default_factory=list)
    count: itertools.count[int] = field(default_factory=itertools.count)
    spread: float = 0.0
    beyond: arb | None = None  # what is no larger than this is of no interest
    stops: bool = False
    meets: list[set[sp.Symbol]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.meets = [e.free_symbols for e in self.tape.expressions]

    def run(self, start: list[list[fmpq]], boxes: int, end: int | None, climb: bool) -> BoundedMaximum:
        for point in start:
            self.visit([min(max(x, pair[0]), pair[1]) for x, pair in zip(point, self.root, strict=True)])
        self.examine(self.root)
        if self.waiting and climb and not self.stops:
            for point in climbs(self.tape, self.root, self.inequalities, end):
                self.visit(point)
        stuck = ""
        while self.waiting and not self.done():
            if self.boxes >= boxes or (end is not None and spent() > end):
                stuck = f"stopped after {self.boxes} boxes, {len(self.waiting)} still open"
                break
            _, _, _, ends, weights = heapq.heappop(self.waiting)
            for half in _halves(ends, weights):
                self.examine(half)
        return self.result(stuck)

    def upper(self) -> arb:
        """The largest bound of what is left."""
        top = self.leaves if self.lower is None else self.leaves.max(self.lower.upper())
        if self.beyond is not None:
            top = top.max(self.beyond)
        return top.max(self.waiting[0][2]) if self.waiting else top

    def done(self) -> bool:
        if self.stops and self.lower is not None and self.beyond is not None and self.lower > self.beyond:
            return True
        least = self.goal if self.lower is None else self.goal.max(self.lower.lower())
        return bool(least.is_finite()) and self.small(self.waiting[0][2].max(self.leaves), least)

    def small(self, upper: arb, least: arb) -> bool:
        """Whether a bound is no more above a value than the tolerance admits."""
        room = self.tolerance * max(float(abs(least)), 1e-6 * self.spread)
        return bool(upper <= least + arb(room))

    def result(self, stuck: str) -> BoundedMaximum:
        upper = self.upper()
        reached = self.lower is not None and bool(upper.is_finite()) and self.small(upper, self.lower.lower())
        point = (
            None
            if self.point is None
            else {s: symbolic_number(x) for s, x in zip(self.tape.symbols, self.point, strict=True)}
        )
        infeasible = self.lower is None and not self.waiting and upper == _NONE and self.beyond is None
        return BoundedMaximum(
            self.lower, upper, point, reached, self.boxes, infeasible, self.undefined, stuck
        )

    def visit(self, point: Sequence[fmpq]) -> Over | None:
        """Keep a point if it is certainly feasible and better than the best one; the values there."""
        try:
            over = self.tape.over([(arb(x), arb(x)) for x in point])
        except iv.OutsideError:
            self.undefined = True
            return None
        low, high = over.values[self.tape.outputs[0]]
        value = low.union(high)
        if over.partial or not value.is_finite():
            return over
        self.spread = max(self.spread, float(abs(value.mid())))
        if self.lower is None or value.lower() > self.lower.lower():
            if self.feasible(over, point):
                self.lower, self.point = value, list(point)
            elif self.nearly_feasible(over):
                self.goal = self.goal.max(value.lower())
        return over

    def nearly_feasible(self, over: Over) -> bool:
        """Whether constraints fail by so little that the value is a goal: nothing better than it is worth a search."""
        return all(
            over.values[place][0] <= arb(NEAR)
            and (k < self.inequalities or over.values[place][1] >= -arb(NEAR))
            for k, place in enumerate(self.tape.outputs[1:])
        )

    def feasible(self, over: Over, point: Sequence[fmpq]) -> bool:
        """Whether all constraints certainly hold at a point: in balls, or exactly where a ball lies around zero."""
        for k, place in enumerate(self.tape.outputs[1:]):
            low, high = over.values[place]
            met = high <= 0 if k < self.inequalities else low.is_zero() and high.is_zero()
            around_zero = not (low > 0 or high < 0)
            if not met and not (around_zero and self.exactly(k + 1, point)):
                return False
        return True

    def exactly(self, k: int, point: Sequence[fmpq]) -> bool:
        """Whether a polynomial constraint holds in rational numbers."""
        expression = self.tape.expressions[k]
        at = {s: symbolic_number(x) for s, x in zip(self.tape.symbols, point, strict=True)}
        value = expression.subs(at) if expression.is_polynomial(*self.tape.symbols) else None
        if not isinstance(value, sp.Rational):
            return False
        return bool(value <= 0) if k <= self.inequalities else value == 0

    def examine(self, ends: Ends) -> None:
        """Bound the expression over a box, and keep the box if it may hold a larger value than the best one."""
        while True:
            self.boxes += 1
            box = [(arb(a), arb(b)) for a, b in ends]
            try:
                over = self.tape.over(box)
            except iv.OutsideError:
                self.undefined = True
                return
            if self.excluded(over):
                return
            bound = over.values[self.tape.outputs[0]][1].upper()
            self.undefined |= over.partial
            slopes = None if over.partial else self.tape.slopes(over, 0)
            if self.useless(bound):
                return
            shrunk = None if slopes is None else self.at_ends(ends, over, slopes)
            if shrunk is None:
                break
            ends = shrunk
        if slopes is not None:
            bound = self.centred(ends, box, over, slopes, bound)
        else:
            self.visit([(a + b) / 2 for a, b in ends])
        self.keep(ends, bound, slopes)

    def useless(self, bound: arb) -> bool:
        if self.beyond is not None and bound <= self.beyond:
            return True
        return self.lower is not None and bool(bound <= self.lower.lower())

    def excluded(self, over: Over) -> bool:
        """Whether no point of the box is feasible."""
        for k, place in enumerate(self.tape.outputs[1:]):
            low, high = over.values[place]
            if low > 0 or (k >= self.inequalities and high < 0):
                return True
        return False

    def open_constraints(self, over: Over) -> list[int]:
        """The constraints that may fail in the box, by output."""
        return [
            k
            for k, place in enumerate(self.tape.outputs)
            if k and not (k <= self.inequalities and over.values[place][1] <= 0)
        ]

    def at_ends(self, ends: Ends, over: Over, slopes: list[Interval]) -> Ends | None:
        """The face on which the largest value lies; None where no coordinate is known to go to an end."""
        fixed = list(ends)
        bound_by = {s for k in self.open_constraints(over) for s in self.meets[k]}
        for i, ((a, b), (low, high)) in enumerate(zip(ends, slopes, strict=True)):
            if a != b and self.tape.symbols[i] not in bound_by:
                if low >= 0:
                    fixed[i] = (b, b)
                elif high <= 0:
                    fixed[i] = (a, a)
        return None if fixed == ends else fixed

    def centred(self, ends: Ends, box: list[Interval], over: Over, slopes: list[Interval], bound: arb) -> arb:
        """The bound by a mean value form, and the value at its centre."""
        centre = [_centre(pair, slope) for pair, slope in zip(ends, slopes, strict=True)]
        at = self.visit(centre)
        active = self.open_constraints(over)
        if self.lower is None:
            self.visit([(a + b) / 2 for a, b in ends])
        if at is None:
            return bound
        bound = _least(bound, self.mean_value(box, centre, at, {0: iv.ONE}, {0: slopes}))
        if active:
            gradients = {0: slopes} | {k: self.tape.slopes(over, k) for k in active}
            values = {k: over.values[self.tape.outputs[k]] for k in active}
            for weights in multipliers(gradients, values, self.inequalities):
                bound = _least(bound, self.mean_value(box, centre, at, weights, gradients))
        return bound

    def mean_value(
        self,
        box: list[Interval],
        centre: list[fmpq],
        at: Over,
        weights: Mapping[int, arb],
        gradients: Mapping[int, list[Interval]],
    ) -> arb:
        """An upper bound of the weighted sum of outputs over the box."""
        total = iv.NOUGHT
        for k, w in weights.items():
            total = iv.plus(total, iv.times((w, w), at.values[self.tape.outputs[k]]))
        for i, ((a, b), c) in enumerate(zip(box, centre, strict=True)):
            slope = iv.NOUGHT
            for k, w in weights.items():
                slope = iv.plus(slope, iv.times((w, w), gradients[k][i]))
            total = iv.plus(total, iv.times(slope, (a - arb(c), b - arb(c))))
        return total[1].upper()

    def keep(self, ends: Ends, bound: arb, slopes: list[Interval] | None) -> None:
        if self.useless(bound):
            return
        weights = [
            _weight(pair, whole, None if slopes is None else slopes[i])
            for i, (pair, whole) in enumerate(zip(ends, self.root, strict=True))
        ]
        if max(weights, default=0.0) <= 0:
            self.leaves = self.leaves.max(bound)
            return
        order = -float(bound) if bound.is_finite() else float("-inf")
        heapq.heappush(self.waiting, (order, next(self.count), bound, ends, weights))


def _least(a: arb, b: arb) -> arb:
    return a if b.is_nan() or a <= b else b


def _centre(pair: tuple[fmpq, fmpq], slope: Interval) -> fmpq:
    """The point from which the mean value form is least: the middle moved towards the end at which values grow."""
    a, b = pair
    if a == b:
        return a
    low, high = float(slope[0].mid()), float(slope[1].mid())
    if not np.isfinite(low) or not np.isfinite(high):
        return (a + b) / 2
    if low >= 0:
        return b
    if high <= 0:
        return a
    share = Fraction(round(high / (high - low) * 2**20), 2**20)
    return a + (b - a) * quotient(share)


def _weight(pair: tuple[fmpq, fmpq], whole: tuple[fmpq, fmpq], slope: Interval | None) -> float:
    """How much halving this coordinate promises; 0 if it is too narrow to be halved."""
    a, b = pair
    if a == b or b - a <= _LEAST_WIDTH * (whole[1] - whole[0]):
        return 0.0
    width = float((b - a).p) / float((b - a).q)
    if slope is None:
        return width / (float((whole[1] - whole[0]).p) / float((whole[1] - whole[0]).q))
    size = max(abs(float(slope[0].mid())), abs(float(slope[1].mid())))
    # Slopes without bound come first, the widest of them before the others.
    return width * (size if np.isfinite(size) else 1e200) + 1e-300 * width


def _halves(ends: Ends, weights: list[float]) -> list[Ends]:
    i = int(np.argmax(weights))
    a, b = ends[i]
    middle = (a + b) / 2
    return [[*ends[:i], part, *ends[i + 1 :]] for part in ((a, middle), (middle, b))]
