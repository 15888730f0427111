"""What a score says: the log-likelihood ratio at each of its levels, taken for smaller than it looks.

Counts of a level are noisy where it matters, far out.  A smooth curve over the ranks of all outcomes is not, but it may
be wrong; each level is believed to lie between the two, nearer to its own count the more outcomes it has.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from ....symbolic.arrays import Floats
from ..outcomes import Outcomes
from .events import Candidates, thresholds_of
from .scores import LAWFUL, Score

_TAIL = np.array([5e-4, 1e-3, 2e-3, 4e-3, 8e-3, 0.012, 0.018, 0.027, 0.04, 0.06, 0.09, 0.13, 0.19, 0.28, 0.4])
_SHARES = np.concatenate(
    [_TAIL, [0.5], 1 - _TAIL[::-1]]
)  # of all outcomes above the thresholds between levels
_LEAST = 8.0  # outcomes in a level
_SMOOTH = 300.0  # outcomes that the curve is worth
_DEGREES = (1, 2, 3)  # of the curves that are averaged
_PENALTY = np.array([1e-3, 1.0, 4.0, 4.0])  # of their coefficients, squared and halved
_PRICE = 2.0  # of a coefficient, in units of log likelihood
_CAUTION = 0.25  # standard deviations
_BEYOND = np.array(
    [0.02, 0.07, 0.12, 0.18, 0.25, 0.35, 0.5, 0.75, 1.0, 1.5, 2.5, 4.0]
)  # above the claimed epsilon


@dataclass(frozen=True)
class Levels:
    """Thresholds (J-1,), ascending; log-likelihood ratios (J,) of input 1 over input 0; share (J,) of all outcomes."""

    thresholds: Floats
    log_ratio: Floats
    share: Floats

    @classmethod
    def of(cls, thresholds: Floats, k0: Floats, k1: Floats, n0: float, n1: float) -> Levels:
        """From ascending thresholds (c,) and how many of `n0` and `n1` outcomes lie above each (c,), (c,)."""
        cuts = _cuts(k0 + k1, n0 + n1)
        zero, one = (np.maximum(-np.diff([n, *k[cuts], 0.0]), 0.0) for k, n in ((k0, n0), (k1, n1)))
        every = zero + one
        log_odds, error = _curve(zero, one)
        believed = every / (every + _SMOOTH)
        chance = (one + _SMOOTH * special.expit(log_odds)) / (every + _SMOOTH)
        ratio = special.logit(np.clip(chance, 1e-6, 1 - 1e-6)) - np.log(n1 / n0)
        variance = ((1 - believed) * error) ** 2 + believed**2 / (
            np.maximum(every, 1.0) * np.clip(chance * (1 - chance), 0.02, 1.0)
        )
        cautious = np.sign(ratio) * np.maximum(np.abs(ratio) - _CAUTION * np.sqrt(variance), 0.0)
        return cls(thresholds[cuts], cautious, every / every.sum())

    def beyond(self, epsilon: float, seen: float) -> Levels:
        """The same for the privacy loss of a law, with levels that no outcome has reached: the law says what they mean.

        Each is given the share of one of the `seen` outcomes and the loss at its nearer end.
        """
        steps = epsilon + _BEYOND
        above, below = steps[steps > self.thresholds[-1]], -steps[-steps < self.thresholds[0]][::-1]
        share = np.concatenate([np.full(len(below), 1 / seen), self.share, np.full(len(above), 1 / seen)])
        return Levels(
            np.concatenate([below, self.thresholds, above]),
            np.concatenate([below, self.log_ratio, above]),
            share / share.sum(),
        )

    def at(self, scores: Floats) -> NDArray[np.intp]:
        """The level of each score, shape (n,)."""
        return np.searchsorted(self.thresholds, scores, side="left")


def averaged(parts: Sequence[tuple[Score, Levels]], both: Sequence[Outcomes]) -> tuple[Score, Levels] | None:
    """The average of what several scores say as a score of its own, with its levels on the sample `both`; None if it says nothing."""

    def of(sample: Outcomes) -> Floats:
        said = sum(
            (levels.log_ratio[levels.at(score.of(sample))] for score, levels in parts), np.zeros(len(sample))
        )
        return np.asarray(said / len(parts), dtype=float)

    score = Score("average of calibrated scores", of)
    every = np.sort(np.concatenate([score.of(s) for s in both]))
    thresholds = thresholds_of(every)
    if not len(thresholds):
        return None
    thresholds = thresholds[
        _cuts((len(every) - np.searchsorted(every, thresholds, side="right")).astype(float), len(every))
    ]
    place = np.searchsorted(thresholds, every, side="left")
    count = np.bincount(place, minlength=len(thresholds) + 1).astype(float)
    said = np.bincount(place, weights=every, minlength=len(thresholds) + 1) / np.maximum(count, 1.0)
    return score, Levels(thresholds, said, count / len(every))


def calibrated(candidates: Candidates, score: int, thresholds: Floats, epsilon: float) -> Levels:
    """The levels of one score of the candidates; `thresholds` are those of its candidates on the score that will be used."""
    mine = candidates.score == score
    found = Levels.of(thresholds, candidates.k0[mine], candidates.k1[mine], candidates.n0, candidates.n1)
    lawful = bool(candidates.doubt[mine][0] == LAWFUL)
    return found.beyond(epsilon, candidates.n0 + candidates.n1) if lawful else found


def _cuts(above: Floats, total: float) -> NDArray[np.intp]:
    """Which of the thresholds with `above` (c,) of `total` outcomes above them, falling, cut off the shares of the levels."""
    wanted = np.unique([int(np.argmin(np.abs(above - share * total))) for share in _SHARES])
    least, last, kept = min(_LEAST, total / 8), total, []
    for cut in wanted:
        if last - above[cut] >= least and above[cut] >= least:
            kept.append(cut)
            last = above[cut]
    return np.array(kept or [int(np.argmin(np.abs(above - total / 2)))], dtype=np.intp)


def _curve(zero: Floats, one: Floats) -> tuple[Floats, Floats]:
    """Log odds of input 1 by logistic curves over normal ranks, averaged, and their standard errors, shapes (J,)."""
    every = zero + one
    rank = special.ndtri((np.cumsum(every) - 0.5 * every).clip(1e-9, every.sum() - 1e-9) / every.sum())
    fits = [_logistic(rank, zero, one, degree) for degree in _DEGREES if degree < len(rank)]
    merit = np.array([merit for _, _, merit in fits])
    weight = np.exp(merit - merit.max())
    weight /= weight.sum()
    curves = np.stack([curve for curve, _, _ in fits])
    mean = weight @ curves
    return mean, np.sqrt(weight @ (np.stack([variance for _, variance, _ in fits]) + (curves - mean) ** 2))


def _logistic(rank: Floats, zero: Floats, one: Floats, degree: int) -> tuple[Floats, Floats, float]:
    """The curve of one degree, its variances, and its log likelihood less a price for each coefficient."""
    every = zero + one
    x = np.stack([rank**k for k in range(degree + 1)], axis=1)
    penalty = np.diag(_PENALTY[: degree + 1])
    w, information = np.zeros(degree + 1), penalty
    for _ in range(30):
        chance = special.expit(np.clip(x @ w, -20, 20))
        information = (x * (every * chance * (1 - chance))[:, None]).T @ x + penalty
        step = np.linalg.solve(information, x.T @ (one - every * chance) - penalty @ w)
        w += np.clip(step, -1, 1)
        if np.abs(step).max() < 1e-6:
            break
    curve = np.clip(x @ w, -20, 20)
    likelihood = float(one @ special.log_expit(curve) + zero @ special.log_expit(-curve))
    return (
        curve,
        np.einsum("ij,jk,ik->i", x, np.linalg.inv(information), x),
        likelihood - _PRICE * (degree + 1),
    )
