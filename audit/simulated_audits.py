"""The distinguisher's whole procedure on simulated counts: how often it would refute."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import special

from .cells import Cells
from .claimed_curve import ClaimedCurve
from .event_bound import nominal_bound
from .events import CAUTION
from .rate_boxes import RateBoxes
from .scores import LAWFUL

Floats = NDArray[np.float64]

MAIN_SHARE = 0.95  # of alpha for the one event that was chosen, the rest for all others
_LEVEL, _COUNTED = 0.05, 3.0  # what the choice of an event is told of the test that follows
_SPREAD = np.arange(1, 6) / 6  # false alarm rates of the events that are counted beside the main one
_NEAR = 4.0  # standard deviations: points of a curve that promise less than the best by this much are never chosen


def refuted_share(
    cells: Cells, claimed: ClaimedCurve, chosen: int, counted: int, alpha: float, audits: int
) -> float:
    """The share of `audits` simulated audits that refute: `chosen` outcomes pick the event, `counted` test it at level alpha."""
    rng = np.random.default_rng(0)
    select = _above(cells, _drawn(cells, chosen, audits, rng), choosing=True)
    seen = _above(cells, _drawn(cells, counted, audits, rng))
    doubt = np.tile(_of_each_event(cells)[0], 2)
    a, b = _directed(*select, chosen)
    k, l = _directed(*seen, counted)
    z, rows = float(-special.ndtri(MAIN_SHARE * alpha)), np.arange(audits)
    if claimed.fixed is not None:
        strict = float(-special.ndtri(_LEVEL)) / np.sqrt(_COUNTED) + CAUTION + doubt
        promise = nominal_bound(a, chosen, b, chosen, claimed.fixed, strict)
        unclear = np.isneginf(promise).all(axis=1)
        promise[unclear] = _gap(a[unclear], b[unclear], chosen, 0.0, claimed.fixed)
        place = np.argmax(promise, axis=1)
        delta: Floats | float = claimed.fixed
        allowed: Floats | float = claimed.allowed_epsilon(claimed.fixed)
    else:
        place, point = _best_point(cells, a, b, chosen, claimed, doubt)
        delta, allowed = claimed.delta[point], claimed.epsilon[point]
    found = nominal_bound(k[rows, place], counted, l[rows, place], counted, delta, z) > allowed
    missed = np.flatnonzero(~found)
    if missed.size:
        error = (1 - MAIN_SHARE) * alpha
        some = [[k[missed] for k in part] for part in (select, seen)]
        found[missed] = _boxes_refute(cells, *some, place[missed], chosen, counted, claimed, error)
    return float(found.mean())


def _of_each_event(cells: Cells) -> tuple[Floats, NDArray[np.intp]]:
    """The doubt and the number of the score of each event, in the order of `_above`."""
    sizes = [len(np.unique(score)) - 1 for score, _ in cells.scores]
    doubts = np.array([doubt for _, doubt in cells.scores], dtype=float)
    return np.repeat(doubts, sizes), np.repeat(np.arange(len(sizes)), sizes)


def _drawn(cells: Cells, size: int, audits: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """How many of `size` outcomes fall into each cell on inputs 0 and 1, each (audits, cells)."""
    zero, one = (rng.multinomial(size, mass / mass.sum(), size=audits).astype(float) for mass in (cells.q, cells.p))
    return zero, one


def _above(cells: Cells, drawn: tuple[Floats, Floats], choosing: bool = False) -> tuple[Floats, Floats]:
    """How many outcomes lie above each threshold of each score, on inputs 0 and 1, each (audits, events).

    For `choosing`, half of a count that a declared law sorts is what the law expects, as in `Candidates`.
    """
    zero: list[Floats] = []
    one: list[Floats] = []
    for score, doubt in cells.scores:
        c0, c1 = drawn
        if choosing and doubt == LAWFUL:
            from_one = (c0 + c1) * special.expit(score)
            c0, c1 = 0.5 * (c0 + (drawn[0] + drawn[1] - from_one)), 0.5 * (c1 + from_one)
        order = np.argsort(score, kind="stable")
        last = np.flatnonzero(np.diff(score[order]) > 0)
        for counts, out in ((c0, zero), (c1, one)):
            out.append(np.cumsum(counts[:, order[::-1]], axis=1)[:, ::-1][:, last + 1])
    return np.concatenate(zero, axis=1), np.concatenate(one, axis=1)


def _directed(k0: Floats, k1: Floats, size: int) -> tuple[Floats, Floats]:
    """Counts under P and under Q: events with P on input 1, then their complements with P on input 0."""
    return np.concatenate([k1, size - k0], axis=1), np.concatenate([k0, size - k1], axis=1)


def _best_point(cells: Cells, a: Floats, b: Floats, size: int, claimed: ClaimedCurve,
                doubt: Floats) -> tuple[NDArray[np.intp], NDArray[np.intp]]:  # fmt: skip
    """The event and the point of the curve that each audit chooses."""
    audits = len(a)
    rows = np.arange(audits)
    top, place, point = np.full(audits, -np.inf), np.zeros(audits, dtype=np.intp), np.zeros(audits, dtype=np.intp)
    points = range(len(claimed.epsilon))
    expected = [np.max(_gap(a.mean(axis=0), b.mean(axis=0), size, claimed.epsilon[j], claimed.delta[j]) - doubt) for j in points]
    for j in np.flatnonzero(expected > max(expected) - _NEAR):
        gap = _gap(a, b, size, claimed.epsilon[j], claimed.delta[j]) - doubt
        best = np.argmax(gap, axis=1)
        better = gap[rows, best] > top
        top, place, point = (
            np.where(better, new, old)
            for new, old in ((gap[rows, best], top), (best, place), (np.full(audits, j), point))
        )
    return place, point


def _gap(a: Floats, b: Floats, size: int, epsilon: float, delta: float) -> Floats:
    """P - e^epsilon Q - delta in standard deviations of the outcomes that choose."""
    u, v, ratio = (a + 0.5) / (size + 1), (b + 1.0) / (size + 2), np.exp(epsilon)
    spread = np.sqrt(np.maximum(u * (1 - u) + ratio**2 * v * (1 - v), 1e-12) / size)
    return np.asarray((u - ratio * v - delta) / spread, dtype=float)


def _boxes_refute(cells: Cells, select: list[Floats], seen: list[Floats], main: NDArray[np.intp],
                  chosen: int, counted: int, claimed: ClaimedCurve, error: float) -> NDArray[np.bool_]:  # fmt: skip
    """Whether the main event and those beside it refute together, in exact boxes at level `error`; shape of `main`."""
    owner = _of_each_event(cells)[1]
    main = main % len(owner)
    places = np.empty((len(main), len(_SPREAD) + 1), dtype=np.intp)
    places[:, -1] = main
    for score in np.unique(owner[main]):
        rows, mine = np.flatnonzero(owner[main] == score), np.flatnonzero(owner == score)
        for i, level in enumerate(_SPREAD):
            places[rows, i] = mine[np.argmin(np.abs(select[0][np.ix_(rows, mine)] - level * chosen), axis=1)]
    k0, k1 = (np.take_along_axis(k, places, axis=1).ravel() for k in seen)
    # `RateBoxes` splits its error over all the events that it is given, here those of all audits.
    boxes = RateBoxes.of(k0, counted, k1, counted, error * len(main))
    p, q = (corner.reshape(4, *places.shape) for corner in boxes.corners())
    allowed = zip(claimed.epsilon, claimed.delta, strict=True)
    return np.any([np.any(p - np.exp(e) * q > d, axis=(0, 2)) for e, d in allowed], axis=0)
