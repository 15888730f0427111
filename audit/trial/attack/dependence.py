"""Outcomes of one call may depend on each other, calls may not: what a test must grant where counts vary between calls.

Counts per call hold one observation each.  Their variance between calls, over that of independent outcomes, says how
many outcomes count as one; a test that divides all counts by it, and asks for the quantile of Student's t in place of
the normal one, keeps its level where outcomes of a call share noise, as it does where they do not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from ....symbolic.arrays import Floats
from .event_bound import EventCount, nominal_bound
from .rate_boxes import RateBoxes

_LEVEL = 1e-9  # of `depends`, which only ever leads to UNDECIDED: its chi-squared is an approximation

BY_CALLS = "by calls, one observation each, they do not: so many calls do not bear it, whether outcomes of a call are independent or not; draw one outcome a call, or give more samples"


def depends(k: Floats, squares: Floats, n: float, calls: float, least: float = 5.0) -> bool:
    """Whether the counts of one of J events vary so much between calls that nothing can be said.

    `k` (J,) outcomes in each event of `n` in all, `squares` (J,) the sum over the calls of count^2/size; events with
    fewer than `least` expected outcomes per call, inside or outside, are left out.
    """
    rate = k / max(n, 1.0)
    usable = np.minimum(rate, 1 - rate) * n >= least * calls
    if calls < 2 or not usable.any():
        return False
    k, squares, rate = k[usable], squares[usable], rate[usable]
    tail = special.chdtrc(calls - 1, (squares - k * k / n) / (rate * (1 - rate)))
    return bool(tail.min() < _LEVEL / len(usable))


def excess_variance(squares: ArrayLike, n: float, each: ArrayLike, calls: float) -> Floats:
    """How many outcomes count as one, at least 1: `squares` about the mean between calls, over `each` of one outcome."""
    if n <= calls:  # calls of one outcome each
        return np.ones(np.shape(squares))
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.asarray(squares, dtype=float) / (max(calls - 1, 1) * np.asarray(each, dtype=float))
    return np.asarray(np.fmax(ratio, 1.0), dtype=float)


@dataclass(frozen=True)
class CallCounts:
    """J events at one input: `k` (J,) of `n` outcomes, each of which weighs as much as 1/`excess` (J,), in so many calls."""

    k: Floats
    n: float
    excess: Floats
    calls: float

    @classmethod
    def of(cls, row: Floats) -> CallCounts:
        """From counts, squares of these over the outcomes, outcomes, calls."""
        events, n, calls = (len(row) - 2) // 2, float(row[-2]), float(row[-1])
        k, squares = row[:events], row[events:-2]
        return cls(k, n, excess_variance(squares - k * k / n, n, k / n * (1 - k / n), calls), calls)

    @property
    def degrees(self) -> float:
        """Of freedom of the excess; calls of one outcome leave nothing to estimate."""
        return max(self.calls - 1, 1.0) if self.n > self.calls else np.inf


def _weighed(zero: CallCounts, one: CallCounts, alpha: float) -> list[tuple[Floats, Floats]]:
    """Counts and outcomes, each (J,), of either input as far as calls bear them in a test at level `alpha` for normal counts."""
    few, weighed = few_calls(alpha, min(zero.degrees, one.degrees)), []
    for side in (zero, one):
        # What never or always happens has no variance that calls would have to show.
        weight = np.where((side.k > 0) & (side.k < side.n), few * side.excess, 1.0)
        weighed.append((side.k / weight, side.n / weight))
    return weighed


def call_bounds(zero: CallCounts, one: CallCounts, at: tuple[float, float], alpha: float) -> Floats:
    """Nominal bounds on epsilon as far as calls bear them, at the point `at` of a claim, shape (4, J).

    P on input 1 and Q on input 0 of the events, then P on input 0 and Q on input 1 of their complements, then each of
    the two with the inputs exchanged.
    """
    (k0, n0), (k1, n1) = _weighed(zero, one, alpha)
    z = -special.ndtri(alpha)
    rest = (n0 - k0, n0), (n1 - k1, n1)
    sides = ((k1, n1), (k0, n0)), rest, ((k0, n0), (k1, n1)), rest[::-1]
    return np.array([nominal_bound(*p, *q, at[1], z) for p, q in sides])


def call_boxes(zero: CallCounts, one: CallCounts, error: float) -> RateBoxes:
    """Boxes around all rates, as far as calls bear them."""
    (k0, n0), (k1, n1) = _weighed(zero, one, error / (4 * max(len(zero.k), 1)))
    return RateBoxes.of(k0, n0, k1, n1, error)


def calls_exceed(zero: CallCounts, one: CallCounts, at: tuple[float, float], error: float) -> bool:
    """Whether calls bear that an event exceeds a point of a curve that was chosen among all; in two ways, each at level `error`."""
    joint = call_bounds(zero, one, at, error / (16 * len(zero.k)))
    return bool(np.any(joint > at[0]) or call_boxes(zero, one, error).delta(at[0])[0] > at[1])


def student(alpha: float, degrees: float) -> float:
    """The upper quantile of Student's t."""
    return float(-special.stdtrit(min(degrees, 1e9), alpha))


def few_calls(alpha: float, degrees: float) -> float:
    """By what to divide counts so that the normal quantile stands for that of Student's t."""
    return 1.0 if alpha >= 0.5 else (student(alpha, degrees) / float(-special.ndtri(alpha))) ** 2


def weight_by_calls(sides: ArrayLike, alpha: float) -> float:
    """By what to divide all counts of rows (2, 2 J + 2) as for `CallCounts`: the largest that one of the events asks for."""
    zero, one = (CallCounts.of(row) for row in np.asarray(sides, dtype=float))
    largest = float(max(zero.excess.max(), one.excess.max()))
    return largest * few_calls(alpha, min(zero.degrees, one.degrees))


def directed(swapped: bool, zero: CallCounts, one: CallCounts, at: int) -> EventCount:
    """The event at a place as it was counted, or its complement with P on input 0."""
    return _directed(swapped, (zero.k[at], zero.n), (one.k[at], one.n))


def borne(swapped: bool, zero: CallCounts, one: CallCounts, at: int, alpha: float) -> EventCount:
    """The same as far as calls bear it, in a test at `alpha`."""
    (k0, n0), (k1, n1) = _weighed(zero, one, alpha)
    return _directed(swapped, (k0[at], n0[at]), (k1[at], n1[at]))


def _directed(swapped: bool, zero: tuple[float, float], one: tuple[float, float]) -> EventCount:
    (k0, n0), (k1, n1) = ((round(k), max(round(n), 1)) for k, n in (zero, one))
    return EventCount(n0 - k0, n0, n1 - k1, n1) if swapped else EventCount(k1, n1, k0, n0)
