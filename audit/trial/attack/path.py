"""A lower bound on the information along a path of parameters, from bounded statistics of outcomes at each of them.

Between neighbouring parameters cos(angle) is at most (E_p w(Y) + E_q 1/w(Y)) / 2 for every positive w, with equality at
w = sqrt(q/p), and the angle is at most half of the integral of sqrt(I) (Rao 1945).  A claimed I thus bounds the mean of
V = sum of both sides over the steps from below.  V is bounded, learnt beforehand, and at inner parameters what one step
adds the next one takes away: its deviation is that of the two ends.

The mean is tested by an e-value: for X >= -1 with mean at most 0, exp(t X - (-log(1-t) - t) X^2) has mean at most 1
(Fan, Grama and Liu 2015, Electron. J. Probab. 20, inequality 4.1), so that only n, the sum and the sum of squares are needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ....symbolic.arrays import Floats
from ..outcomes import Outcomes, join
from .scores import Score

_CELLS, _PER_CELL, _DEGREES = 40, 60, (1, 2, 3, 4, 6)
_TAILS = np.geomspace(0.0125, 2e-4, 5)
_WIDTH = 12  # numbers of an outcome, products of which are formed
_WIDEST = np.log(8.0)  # of a logarithm of w
_FARTHEST = 1e6  # times the claimed information


@dataclass(frozen=True)
class PathCells:
    """Cells of a score by their inner `edges`, and what an outcome at parameter j in cell c adds to V, `values` (K + 1, cells)."""

    score: Score
    edges: Floats
    values: Floats

    @property
    def highest(self) -> float:
        """The largest value that V can have, less the number of steps."""
        return float(self.values.max(axis=1).sum())

    def statistic(self, sample: Sequence[Outcomes]) -> Floats:
        """V less the number of steps, of the i-th outcomes at all parameters together."""
        size = min(len(s) for s in sample)
        total = np.zeros(size)
        for row, s in zip(self.values, sample, strict=True):
            total += row[np.searchsorted(self.edges, self.score.of(s[:size]))]
        return total

    @classmethod
    def learn(cls, score: Score, sample: Sequence[Outcomes], degree: int) -> PathCells:
        """The cells of a score on these outcomes at K + 1 parameters: w from a polynomial through the logarithms of each cell's rates."""
        edges, table = _counted([score.of(s) for s in sample])
        return cls(score, edges, _values(table, degree))


def _counted(scored: Sequence[Floats]) -> tuple[Floats, Floats]:
    """Inner edges of cells, and how many values lie in each, shape (K + 1, cells)."""
    edges = _edges(np.sort(np.concatenate(scored)))
    counts = [np.bincount(np.searchsorted(edges, v), minlength=len(edges) + 1) for v in scored]
    return edges, np.array(counts, dtype=float)


def _edges(pooled: Floats) -> Floats:
    """Inner edges of cells at ranks that are closer together towards both ends; a value that repeats often is a cell of its own."""
    size = len(pooled)
    ranks = np.unique(np.concatenate([np.linspace(0, 1, _CELLS)[1:-1], _TAILS, 1 - _TAILS]))
    kept, last = [], 0
    for place in np.unique((ranks * size).astype(int)):
        if place - last >= _PER_CELL and size - place >= _PER_CELL:
            kept.append(place)
            last = place
    low, high = (np.searchsorted(pooled, pooled[kept], side=side) for side in ("left", "right"))
    many = high - low >= _PER_CELL
    places = np.unique(np.concatenate([np.where(many, low, kept), high[many]]).astype(int))
    places = places[(places > 0) & (places < size)]
    return np.unique(pooled[places - 1] / 2 + pooled[places] / 2)


def _values(table: Floats, degree: int) -> Floats:
    """What each cell adds to V at each parameter, from counts (K + 1, cells)."""
    place = np.linspace(-1.0, 1.0, len(table))
    rates = np.log((table + 0.5) / (table + 0.5).sum(axis=1, keepdims=True))
    design = np.stack([place**k for k in range(degree + 1)], axis=1)
    fitted = np.empty_like(rates)
    for c in range(rates.shape[1]):
        weight = np.sqrt(table[:, c] + 0.5)
        solution = np.linalg.lstsq(design * weight[:, None], rates[:, c] * weight, rcond=None)[0]
        fitted[:, c] = design @ solution
    logs = np.clip(np.diff(fitted, axis=0) / 2, -_WIDEST, _WIDEST)
    values = np.zeros(rates.shape)
    # Less 1/2 each, so that V is small: sums of what nearly cancels stay exact.
    values[:-1] += np.expm1(logs) / 2
    values[1:] += np.expm1(-logs) / 2
    return np.asarray(values)


def choose(scores: Sequence[Score], sample: Sequence[Outcomes]) -> PathCells:
    """The cells, learnt from one half of a sample, along which the other half moves most; then learnt from all of it."""
    halves = [[s[: len(s) // 2] for s in sample], [s[len(s) // 2 :] for s in sample]]
    best, found = np.inf, (scores[0], 1)
    for score in scores:
        scored = [[score.of(s) for s in half] for half in halves]
        edges, table = _counted(scored[0])
        # Where the other half lies does not depend on the degree.
        placed = [np.searchsorted(edges, v) for v in scored[1]]
        size = min(map(len, placed))
        for degree in (d for d in _DEGREES if d < len(sample)):
            seen = np.zeros(size)
            for row, cells in zip(_values(table, degree), placed, strict=True):
                seen += row[cells[:size]]
            reached = float(seen.mean()) + score.doubt * float(seen.std()) / np.sqrt(max(size, 1)) / 10
            if reached < best:
                best, found = reached, (score, degree)
    return PathCells.learn(found[0], sample, found[1])


@dataclass(frozen=True)
class PathCount:
    """`n` values of V less the number of steps, their sum and that of their squares; the largest that V can have."""

    n: float
    total: float
    squares: float
    highest: float

    def log_e_value(self, lengths: Floats, deviation: float, alpha: float, ratio: float = 1.0) -> float:
        """The logarithm of the e-value against claimed `lengths` (K,) of the steps, the claimed information times `ratio`.

        `deviation` is that of V as it was learnt: it sets the stake, whatever it is the e-value is one.
        """
        angles = np.minimum(np.asarray(lengths) * np.sqrt(ratio) / 2, np.pi / 2)
        least = float(np.sum(-2 * np.sin(angles / 2) ** 2))  # the sum of cos - 1
        room = self.highest - least
        if room <= 0 or self.n < 1:
            return 0.0
        total = (self.n * least - self.total) / room
        square = (self.squares - 2 * least * self.total + self.n * least**2) / room**2
        size = max(deviation / room, 1e-12)
        stake = min(np.sqrt(2 * np.log(1 / alpha) / self.n) / size, 0.9)
        return float(stake * total - (-np.log1p(-stake) - stake) * square)

    def least_ratio(self, lengths: Floats, deviation: float, alpha: float) -> float:
        """The information along the path is at least this share of what is claimed, with probability 1 - alpha."""
        wanted = -np.log(alpha)

        def falls(ratio: float) -> bool:
            return bool(self.log_e_value(lengths, deviation, alpha, ratio) >= wanted)

        if not falls(1e-9):
            return 0.0
        low, high = 1e-9, 1.0
        while falls(high):
            low, high = high, high * 2
            if high > _FARTHEST:
                return _FARTHEST
        for _ in range(60):
            middle = np.sqrt(low * high) if low > 1e-8 else (low + high) / 2
            low, high = (middle, high) if falls(middle) else (low, middle)
        return float(low)


def plain_scores(sample: Sequence[Outcomes]) -> list[Score]:
    """Where all outcomes are single numbers: the number itself, and how far it lies from the middle."""
    both = join(list(sample))
    if both.values.shape[1] != 1 or not both.plain().all():
        return []
    middle = float(np.median(both.values[:, 0]))

    def number(s: Outcomes) -> Floats:
        return np.where(s.plain(), s.values[:, 0], -np.inf)

    return [Score("value", number), Score("distance from the middle", lambda s: np.abs(number(s) - middle))]


def product_score(zero: Outcomes, one: Outcomes) -> Score | None:
    """A sum of numbers and of their products two by two, fitted to tell these outcomes apart; None of too many numbers, or of others."""
    width = zero.values.shape[1]
    if (
        not 1 < width <= _WIDTH
        or width != one.values.shape[1]
        or not (zero.plain().all() and one.plain().all())
    ):
        return None
    centre, spread = zero.values.mean(axis=0), zero.values.std(axis=0) + 1e-300
    rows, columns = np.triu_indices(width)

    def features(s: Outcomes) -> Floats:
        values = np.where(s.plain()[:, None], (s.values[:, :width] - centre) / spread, 0.0)
        return np.concatenate(
            [values, values[:, rows] * values[:, columns], np.ones((len(values), 1))], axis=1
        )

    both = np.concatenate([features(zero), features(one)])
    label = np.repeat([-1.0, 1.0], [len(zero), len(one)])
    weights = np.linalg.lstsq(both, label, rcond=None)[0]
    return Score("numbers and their products", lambda s: np.asarray(features(s) @ weights, dtype=float))
