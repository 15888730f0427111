"""The distinguisher's whole procedure on simulated counts: how often it would refute."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from ....symbolic.arrays import Floats
from ..attack.chosen_event import LARGEST, chosen_event_refutes, directed, gap, looked_up, steepest
from ..attack.claimed_curve import ClaimedCurve
from ..attack.events import BOXES_SHARE, MAIN_SHARE
from ..attack.rate_boxes import RateBoxes
from ..attack.scores import LAWFUL
from .cells import Cells

_ROUNDING = 1e-9  # masses are known to this precision
_SPREAD = np.arange(1, 6) / 6  # false alarm rates of the events that are counted beside the main one
_POINTS = 8  # of a claimed curve, among which an audit chooses


def refuted_share(
    cells: Cells, claimed: ClaimedCurve, chosen: int, counted: int, alpha: float, audits: int
) -> float:
    """The share of `audits` simulated audits that refute: `chosen` outcomes pick the event, `counted` test it at level alpha."""
    rng = np.random.default_rng((chosen, counted))
    select = _above(cells, _drawn(cells, chosen, audits, rng), choosing=True)
    seen = _above(cells, _drawn(cells, counted, audits, rng))
    doubt = np.tile(_of_each_event(cells)[0], 2)
    a, b = directed(*select, chosen)
    points = (
        None
        if claimed.fixed is not None
        else _promising(a.mean(axis=0), b.mean(axis=0), chosen, claimed, doubt)
    )
    found, place = chosen_event_refutes(
        (a, b),
        chosen,
        looked_up(directed(*seen, counted)),
        counted,
        claimed,
        MAIN_SHARE * alpha,
        doubt,
        points,
    )
    missed = np.flatnonzero(~found)
    if missed.size:
        error = BOXES_SHARE * alpha
        found[missed] = _boxes_refute(
            cells,
            select[0][missed],
            [k[missed] for k in seen],
            place[missed],
            chosen,
            counted,
            claimed,
            error,
        )
    return float(found.mean())


def fewest_samples(cells: Cells, claimed: ClaimedCurve, alpha: float, power: float) -> float:
    """How many counted outcomes refute with probability `power` if the best event is known beforehand; infinite if no event breaks the claim.

    By the normal approximation: where to look first, and no more than that.
    """
    a, b = directed(*_above(cells, (cells.q[None], cells.p[None])), 1)
    reach = float(special.ndtri(power) - special.ndtri(MAIN_SHARE * alpha))
    best = steepest(a, b, claimed, _ROUNDING)
    return (reach / best) ** 2 if best > 0 else np.inf


def _of_each_event(cells: Cells) -> tuple[Floats, NDArray[np.intp]]:
    """The doubt and the number of the score of each event, in the order of `_above`."""
    sizes = [len(np.unique(score)) - 1 for score, _ in cells.scores]
    doubts = np.array([doubt for _, doubt in cells.scores], dtype=float)
    return np.repeat(doubts, sizes), np.repeat(np.arange(len(sizes)), sizes)


def _drawn(cells: Cells, size: int, audits: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """How many of `size` outcomes fall into each cell on inputs 0 and 1, each (audits, cells)."""
    zero = rng.multinomial(size, cells.q / cells.q.sum(), size=audits).astype(float)
    return zero, rng.multinomial(size, cells.p / cells.p.sum(), size=audits).astype(float)


def _above(cells: Cells, drawn: tuple[Floats, Floats], choosing: bool = False) -> tuple[Floats, Floats]:
    """How many outcomes lie above each threshold of each score, on inputs 0 and 1, each (audits, events).

    For `choosing`, half of a count that a declared law sorts is what the law expects, as in `Candidates`.
    """
    zero: list[Floats] = []
    one: list[Floats] = []
    for score, doubt in cells.scores:
        order = np.argsort(score, kind="stable")
        last = np.flatnonzero(np.diff(score[order]) > 0)

        def tails(counts: Floats, order: Any = order, last: Any = last) -> Floats:
            return np.cumsum(counts[:, order[::-1]], axis=1)[:, ::-1][:, last + 1]

        k0, k1 = (tails(counts) for counts in drawn)
        if choosing and doubt == LAWFUL:
            both, size = drawn[0] + drawn[1], drawn[0][0].sum()
            expected = tails(both * special.expit(score))
            k0 = 0.5 * (k0 + np.minimum(tails(both) - expected, size))
            k1 = 0.5 * (k1 + np.minimum(expected, size))
        zero.append(k0)
        one.append(k1)
    return np.concatenate(zero, axis=1), np.concatenate(one, axis=1)


def _promising(a: Floats, b: Floats, size: int, claimed: ClaimedCurve, doubt: Floats) -> list[int]:
    """Every second one of the points of the curve that are most often chosen: neighbouring points see the same events."""
    expected = np.array(
        [np.max(gap(a, b, size, e, d) - doubt) for e, d in zip(claimed.epsilon, claimed.delta, strict=True)]
    )
    return [int(j) for j in np.argsort(-expected, kind="stable")[: 2 * _POINTS : 2]]


def _boxes_refute(
    cells: Cells,
    select0: Floats,
    seen: list[Floats],
    main: NDArray[np.intp],
    chosen: int,
    counted: int,
    claimed: ClaimedCurve,
    error: float,
) -> NDArray[np.bool_]:
    """Whether the main event and those beside it refute together, in exact boxes at level `error`; shape of `main`."""
    owner = _of_each_event(cells)[1]
    main = main % len(owner)
    places = np.empty((len(main), len(_SPREAD) + 1), dtype=np.intp)
    places[:, -1] = main
    for score in np.unique(owner[main]):
        rows, mine = np.flatnonzero(owner[main] == score), np.flatnonzero(owner == score)
        for i, level in enumerate(_SPREAD):
            places[rows, i] = mine[np.argmin(np.abs(select0[np.ix_(rows, mine)] - level * chosen), axis=1)]
    k0, k1 = (np.take_along_axis(k, places, axis=1).ravel() for k in seen)
    # `RateBoxes` splits its error over all the events that it is given, here those of all audits.
    boxes = RateBoxes.of(k0, counted, k1, counted, error * len(main))
    p, q = (corner.reshape(4, *places.shape) for corner in boxes.corners())
    curve = zip(claimed.epsilon, claimed.delta, strict=True)
    broken = [np.any(p - np.exp(min(e, LARGEST)) * q > d, axis=(0, 2)) for e, d in curve]
    return np.asarray(np.any(broken, axis=0), dtype=bool)
