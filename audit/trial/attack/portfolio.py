"""What an epoch's capital is bet on: one event at two stakes, the graded verdict of several scores, and cash.

The event is quick where a few outcomes give the input away, the grades where every outcome tells a little.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy import special

from ....symbolic.arrays import Floats
from ..outcomes import Grid, Outcomes, widen
from .betting import best_fraction, graded_stakes, pair_counts, payoffs
from .events import Candidates, retaught
from .levels import Levels, averaged, calibrated
from .scores import Score, Taught

_EVENT, _GRADED = 0.5, 0.5  # of the capital
_CASH, _WAITING = 0.05, 0.7  # of either part that stays out; of the event's part while little speaks for it
_CHOOSING = (
    0.5  # standard deviations by which rates are taken for worse than they look, when an event is chosen
)
_STAKING = (0.3, 1.5)  # the same for the two stakes on it
_PROMISING = 400  # candidates whose growth is computed
_STRICTER = np.array([1.0, 0.8, 0.6, 0.4, 0.2, 0.0])  # times the epsilon of the claim
_AVERAGED, _WORTHY = 3, 0.3  # scores, and the part of the best one's growth that the others need


@dataclass(frozen=True)
class EventBet:
    """A stake on {score > threshold} of rates p on input 1 and q on input 0; `swapped`: on the rest, p on input 0."""

    score: Score
    thresholds: Floats
    p: float
    q: float
    swapped: bool

    def stakes(self, epsilon: Floats, delta: float) -> tuple[Floats, Floats]:
        """On the two levels in either direction against each epsilon (g,), shapes (g, 2)."""
        fraction, _ = best_fraction(self.p, self.q, epsilon, delta)
        stake, none = fraction / (np.exp(epsilon) + delta), np.zeros((len(epsilon), 2))
        if self.swapped:
            return none, np.stack([stake, none[:, 0]], axis=1)
        return np.stack([none[:, 0], stake], axis=1), none


@dataclass(frozen=True)
class GradedBet:
    """Stakes on all levels of a score, as their log-likelihood ratios deserve."""

    score: Score
    levels: Levels

    @property
    def thresholds(self) -> Floats:
        """Between the levels, shape (J-1,)."""
        return self.levels.thresholds

    def stakes(self, epsilon: Floats, delta: float) -> tuple[Floats, Floats]:
        """On the levels in either direction against each epsilon (g,), shapes (g, J)."""
        plus, minus, _ = graded_stakes(self.levels.log_ratio, self.levels.share, epsilon, delta)
        return plus, minus


Bet = EventBet | GradedBet


@dataclass(frozen=True)
class Portfolio:
    """Bets against the point (epsilon, delta) and their weights, the last of which is cash; weights sum to one."""

    grid: Grid
    bets: tuple[Bet, ...]
    weights: Floats
    epsilon: float
    delta: float

    def tables(self, sample: Sequence[Outcomes]) -> list[Floats]:
        """The pairs of one draw from input 0 and input 1, counted by their levels for each bet, shapes (J, J)."""
        zero, one = (self.grid.round(widen(s, len(self.grid.steps))) for s in sample)
        scored = cache(lambda score: (score.of(one), score.of(zero)))
        tables = []
        for bet in self.bets:
            one_level, zero_level = (np.searchsorted(bet.thresholds, s) for s in scored(bet.score))
            tables.append(pair_counts(one_level, zero_level, len(bet.thresholds) + 1))
        return tables

    def prices(self, epsilon: Floats, delta: float) -> list[Floats]:
        """Log of what each kind of pair multiplies the capital of each bet by, against each epsilon (g,): shapes (g, J, J)."""
        return [np.log1p(payoffs(*b.stakes(epsilon, delta), epsilon, delta)) for b in self.bets]

    def log_capital(
        self, tables: Sequence[Floats], prices: Sequence[Floats], excess: Floats | float = 1.0
    ) -> Floats:
        """Log capital of all together after these pairs, shape (g,); `excess` pairs of a bet count as one where it wins."""
        each = np.array([np.tensordot(price, table, 2) for price, table in zip(prices, tables, strict=True)])
        each = np.minimum(each, each / np.reshape(excess, (-1, 1)))
        return np.asarray(
            special.logsumexp([*each, np.zeros_like(each[0])], b=self.weights[:, None], axis=0), dtype=float
        )


def placed(
    grid: Grid,
    candidates: Candidates,
    scores: Sequence[Taught],
    both: Sequence[Outcomes],
    epsilon: float,
    delta: float,
) -> Portfolio:
    """The bets that promise most after the outcomes `both`, against the point (epsilon, delta).

    Where nothing speaks against the point they are chosen against a stricter one: they stake nothing on the claim, but
    show how much less it could have allowed.
    """
    taught = cache(lambda i: retaught(candidates, i, scores[i][0], both))
    place, a, b, size = _best_event(candidates, epsilon, delta)
    (event,) = candidates.events([place])
    score, thresholds = taught(event.score)
    threshold = thresholds[
        np.searchsorted(candidates.threshold[candidates.score == event.score], event.threshold)
    ]
    p, q = _worse(np.full(2, a), np.full(2, b), size, np.array(_STAKING))
    bets: list[Bet] = [
        EventBet(score, np.array([threshold]), float(p[i]), float(q[i]), event.swapped) for i in (0, 1)
    ]
    # The most promising looks better than it is: little is bet on it before something speaks for a violation.
    _, growth = best_fraction(p[-1], q[-1], epsilon, delta)
    staked = [0.5 * _EVENT * (1 - (_CASH if growth > 0 else _WAITING))] * 2
    graded = _graded(candidates, taught, both, epsilon, delta)
    if graded is not None:
        bets.append(graded)
        staked.append(_GRADED * (1 - _CASH))
    return Portfolio(grid, tuple(bets), np.array([*staked, 1 - sum(staked)]), epsilon, delta)


def _best_event(candidates: Candidates, epsilon: float, delta: float) -> tuple[int, float, float, float]:
    """The event whose growth is best, its rates and the outcomes that they were estimated from."""
    k, n, l, m, k_, n_, l_, m_ = candidates.directed()  # noqa: E741
    a, b = (np.concatenate(v) for v in ((k / n, k_ / n_), (l / m, l_ / m_)))
    doubt, size = np.concatenate([candidates.doubt] * 2), float(min(n, m))
    place = 0
    for against in _STRICTER * epsilon:
        spread = np.sqrt(a * (1 - a) + np.exp(2 * against) * b * (1 - b) + 1 / size)
        promising = np.argsort(-(a - np.exp(against) * b - delta) / spread)[:_PROMISING]
        p, q = _worse(a[promising], b[promising], size, _CHOOSING + doubt[promising])
        _, growth = best_fraction(p, q, against, delta)
        place = int(promising[np.argmax(growth)])
        if growth.max() > 0:
            break
    return place, float(a[place]), float(b[place]), size


def _graded(
    candidates: Candidates,
    taught: Callable[[int], tuple[Score, Floats]],
    both: Sequence[Outcomes],
    epsilon: float,
    delta: float,
) -> GradedBet | None:
    """The average of the scores that promise most, graded; None if none promises anything."""
    places = np.unique(candidates.score).tolist()
    growth = np.zeros((len(places), len(_STRICTER)))
    for row, i in enumerate(places):
        levels = calibrated(candidates, i, candidates.threshold[candidates.score == i], epsilon)
        growth[row] = graded_stakes(levels.log_ratio, levels.share, _STRICTER * epsilon, delta)[2]
    promised = growth[:, int(np.argmax(growth.max(axis=0) > 0))]
    parts = []
    for row in np.argsort(-promised, kind="stable")[:_AVERAGED]:
        if promised[row] > 0 and promised[row] >= _WORTHY * promised.max():
            score, thresholds = taught(places[row])
            parts.append((score, calibrated(candidates, places[row], thresholds, epsilon)))
    made = averaged(parts, both) if len(parts) > 1 else next(iter(parts), None)
    return None if made is None else GradedBet(*made)


def _worse(p: Floats, q: Floats, size: float, caution: Floats) -> tuple[Floats, Floats]:
    """Rates moved towards each other by so many standard deviations, with half an outcome added."""
    a, b = (p * size + 0.5) / (size + 1), (q * size + 0.5) / (size + 1)
    return (
        np.clip(a - caution * np.sqrt(a * (1 - a) / size), 1e-12, 1.0),
        np.clip(b + caution * np.sqrt(b * (1 - b) / size), 1e-12, 1.0),
    )
