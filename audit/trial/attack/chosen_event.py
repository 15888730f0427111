"""What the distinguisher does with counts, for many simulated audits at once: choose one event, then test it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import special

from ....symbolic.arrays import Floats
from .claimed_curve import ClaimedCurve
from .event_bound import nominal_bound
from .events import CAUTION, MAIN_SHARE, SECOND_SHARE, TELLING

Places = NDArray[np.intp]
# Counts under P and Q of the events at places (audits, tests) of each audit.
Counts = Callable[[Places], tuple[Floats, Floats]]

LARGEST = 300.0  # an epsilon: beyond it nothing changes, and the square of e^epsilon overflows
_NUMBERS = 40_000  # held at once: as many as stay in the cache of a core
_LEVEL, _COUNTED = 0.05, 3.0  # what the choice of an event is told of the test that follows


def directed(k0: Floats, k1: Floats, size: int) -> tuple[Floats, Floats]:
    """Counts under P and under Q: events with P on input 1, then their complements with P on input 0."""
    return np.concatenate([k1, size - k0], axis=1), np.concatenate([k0, size - k1], axis=1)


def looked_up(counts: tuple[Floats, Floats]) -> Counts:
    """The counts of tables (audits, events)."""
    return lambda places: (
        np.take_along_axis(counts[0], places, axis=1),
        np.take_along_axis(counts[1], places, axis=1),
    )


def chosen_event_refutes(
    choosing: tuple[Floats, Floats],
    chosen: int,
    testing: Counts,
    counted: int,
    claimed: ClaimedCurve,
    alpha: float,
    doubt: Floats | float = 0.0,
    points: Sequence[int] | None = None,
) -> tuple[NDArray[np.bool_], Places]:
    """Which audits refute by the events that they choose, and the place of the first among the events; each (audits,).

    `choosing` are counts (audits, events) under P and Q of `chosen` outcomes, `testing` gives those of `counted` ones;
    `doubt` is taken off an event's promise.  The first test is at level alpha; `points` of the curve are looked at, None: all.
    """
    a, b = choosing

    def exceeds(
        counts: tuple[Floats, Floats], delta: Floats | float, allowed: Floats | float, level: float
    ) -> NDArray[np.bool_]:
        k, other = counts
        bound = nominal_bound(k, counted, other, counted, delta, float(-special.ndtri(level)))
        return np.asarray(bound > allowed, dtype=bool)

    if claimed.fixed is None:
        place, point = _widest(a, b, chosen, claimed, doubt, points)
        k, other = testing(place[:, None])
        first = exceeds((k[:, 0], other[:, 0]), claimed.delta[point], claimed.epsilon[point], alpha)
        return first, place
    # As `Candidates.to_test`.
    delta, allowed = claimed.fixed, claimed.allowed_epsilon(claimed.fixed)
    strict = float(-special.ndtri(_LEVEL)) / np.sqrt(_COUNTED) + CAUTION + doubt
    promise = nominal_bound(a, chosen, b, chosen, delta, strict)
    strongest = np.argmax(gap(a, b, chosen, allowed, delta) - doubt, axis=1)
    place = np.where(promise.max(axis=1) > TELLING * allowed, np.argmax(promise, axis=1), strongest)
    k, other = testing(np.stack([place, strongest], axis=1))
    first, second = (
        exceeds((k[:, i], other[:, i]), delta, allowed, level)
        for i, level in enumerate((alpha, alpha * SECOND_SHARE / MAIN_SHARE))
    )
    return first | (second & (place != strongest)), place


def gap(a: Floats, b: Floats, size: int, epsilon: Floats | float, delta: Floats | float) -> Floats:
    """P - e^epsilon Q - delta in standard deviations of the outcomes that choose."""
    u, v, ratio = (a + 0.5) / (size + 1), (b + 1.0) / (size + 2), np.exp(np.minimum(epsilon, LARGEST))
    spread = np.sqrt(np.maximum(u * (1 - u) + ratio**2 * v * (1 - v), 1e-12) / size)
    return np.asarray((u - ratio * v - delta) / spread, dtype=float)


def steepest(a: Floats, b: Floats, claimed: ClaimedCurve, rounding: float) -> float:
    """How far the event of rates a under P and b under Q that breaks the claim most does so, in standard deviations of one outcome; 0 if none does.

    Rates are known to `rounding`.
    """
    if claimed.fixed is not None:
        points = [(claimed.allowed_epsilon(claimed.fixed), claimed.fixed)]
    else:
        points = list(zip(claimed.epsilon, claimed.delta, strict=True))
    best = 0.0
    for epsilon, delta in points:
        # Above 1/rounding no gain counts, and a larger ratio says the same.
        ratio = np.exp(min(epsilon, LARGEST))
        gain = a - ratio * b - delta
        gain = np.where(gain > rounding * (1 + ratio), gain, 0.0)
        spread = np.sqrt(np.maximum(a * (1 - a) + ratio**2 * b * (1 - b), 1e-12))
        best = max(best, float(np.max(gain / spread)))
    return best


def _widest(
    a: Floats,
    b: Floats,
    size: int,
    claimed: ClaimedCurve,
    doubt: Floats | float,
    points: Sequence[int] | None,
) -> tuple[Places, Places]:
    """The event and the point of the curve at which each audit sees the widest gap."""
    looked = np.arange(len(claimed.epsilon)) if points is None else np.asarray(points, dtype=np.intp)
    rows, top = np.arange(len(a)), np.full(len(a), -np.inf)
    place, point = np.zeros(len(a), dtype=np.intp), np.zeros(len(a), dtype=np.intp)
    step = max(1, _NUMBERS // max(a.size, 1))
    for part in (looked[i : i + step] for i in range(0, len(looked), step)):
        epsilon, delta = (column[part, None, None] for column in (claimed.epsilon, claimed.delta))
        found = gap(a, b, size, epsilon, delta) - doubt
        best, widest = np.argmax(found, axis=2), np.max(found, axis=2)
        first = np.argmax(widest, axis=0)
        better = widest[first, rows] > top
        top, place, point = (
            np.where(better, new, old)
            for new, old in ((widest[first, rows], top), (best[first, rows], place), (part[first], point))
        )
    return place, point
