"""Few cells of outcomes, cut along an order that was learnt, on which two inputs lie as far apart as can be shown.

Whatever the order, a histogram of its levels carries no more information than the outcomes do.  Only the choice is
learnt; what is counted afterwards has not been seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ....symbolic.arrays import Floats
from ..outcomes import Outcomes
from .scores import Score

_SIZES = (2, 3, 4, 6, 8, 12)
_LEVELS = np.linspace(0, 1, 41)[1:-1]  # ranks at which an order is cut first, and some towards both ends
_TAILS = np.geomspace(0.025, 1e-4, 12)
_RANKS = np.unique(np.concatenate([_LEVELS, _TAILS, 1 - _TAILS]))


@dataclass(frozen=True)
class LevelCells:
    """Edges (cells - 1,) of the levels of a score, and how many outcomes of either input lay in them, `prior` (2, cells)."""

    score: Score
    edges: Floats
    prior: Floats

    @classmethod
    def learn(
        cls, choices: Sequence[tuple[Score, Sequence[Outcomes]]], counted: float, alpha: float
    ) -> LevelCells:
        """The cells with the largest cautious prediction of a bound on the angle from `counted` outcomes per input.

        Each score comes with outcomes of the two inputs that did not teach it; one cell if no score sorts them.
        """
        best, found = -np.inf, cls(choices[0][0], np.zeros(0), np.zeros((2, 1)))
        for score, sample in choices:
            values = [score.of(s) for s in sample]
            promise, cuts = _promises(values, counted, alpha), _cuts(values)
            promise -= score.doubt / np.sqrt(2.0 * len(values[0]))
            size = _SIZES[int(np.argmax(promise))]
            if promise.max() > best and size in cuts:
                best, found = float(promise.max()), cls(score, cuts[size], _table(cuts[size], values))
        return found

    def count(self, both: Sequence[Outcomes]) -> Floats:
        """How many outcomes of either input lie in each cell, shape (2, cells)."""
        return _table(self.edges, [self.score.of(s) for s in both])


def seen_angle(table: Floats) -> float:
    """The angle between two histograms (2, cells), less what they show by chance."""
    n = max(float(table.sum(axis=1).min()), 1.0)
    cosine = np.sqrt(table.prod(axis=0)).sum() / max(np.sqrt(table.sum(axis=1).prod()), 1.0)
    return float(np.sqrt(max(np.arccos(min(cosine, 1.0)) ** 2 - (table.shape[1] - 1) / (2 * n), 0.0)))


def nats(cells: int, learnt: float, counted: float, alpha: float) -> float:
    """What a bound has to show: of the error, and of the rates that the e-value learns, one for each cell but one and input."""
    return float(-np.log(alpha) + (cells - 1) * (1 + np.log1p(counted / max(learnt, 1.0))))


def _table(edges: Floats, values: Sequence[Floats]) -> Floats:
    cells = [np.bincount(np.searchsorted(edges, v), minlength=len(edges) + 1) for v in values]
    return np.array(cells, dtype=float)


def _cuts(values: Sequence[Floats]) -> dict[int, Floats]:
    """Edges by the number of cells: of many cells, neighbours that differ least are joined until so many are left."""
    ordered = np.sort(np.concatenate(values))
    # A value that repeats is a cell of its own, between half-way points to its neighbours.
    at = ordered[(_RANKS * (len(ordered) - 1)).astype(int)]
    places = np.unique(
        [np.searchsorted(ordered, at, side="left"), np.searchsorted(ordered, at, side="right")]
    )
    places = places[(places > 0) & (places < len(ordered))]
    ends = np.unique(0.5 * ordered[places - 1] + 0.5 * ordered[places])
    table, found = _table(ends, values), {}
    while table.shape[1] >= 2:
        if table.shape[1] in _SIZES:
            found[table.shape[1]] = ends
        joined, apart = table[:, 1:] + table[:, :-1], np.sqrt(table.prod(axis=0))
        place = int(np.argmin(np.sqrt(joined.prod(axis=0)) - apart[1:] - apart[:-1]))
        table = np.concatenate([table[:, :place], joined[:, [place]], table[:, place + 2 :]], axis=1)
        ends = np.delete(ends, place)
    return found


def _promises(values: Sequence[Floats], counted: float, alpha: float) -> Floats:
    """For each number of cells the bound on the angle that so many outcomes would give, minus infinity without such cells.

    Either half of the outcomes is counted in the cells that the other half cut.
    """
    halves = [[v[side::2] for v in values] for side in (0, 1)]
    seen = np.full((2, len(_SIZES)), -np.inf)
    for row, here, there in zip(seen, halves, halves[::-1], strict=True):
        for cells, edges in _cuts(here).items():
            row[_SIZES.index(cells)] = seen_angle(_table(edges, there))
    price = [nats(cells, len(values[0]), counted, alpha) for cells in _SIZES]
    return np.asarray(seen.mean(axis=0) - np.sqrt(np.array(price) / max(counted, 1.0)), dtype=float)
