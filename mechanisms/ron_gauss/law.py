"""The joint law of a noisy mean and of the noisy second moments of records centred by it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import sympy as sp
from numpy.typing import ArrayLike, NDArray

from ...symbolic.arrays import Floats
from ...symbolic.laws.law import Law
from ...symbolic.laws.vector import OutcomeLaw
from ...symbolic.privacy.pair import Pair
from ...symbolic.proof.derivation import Step

_NUMBERS = 2_000_000  # of centred records held at once
_OUTCOMES = 2**14


class AdaptiveMoments(OutcomeLaw):
    """Outcomes (mu, entries of Sigma): mu around the mean of unit records (n, m), Sigma around second moments given mu.

    The second centre depends on the first outcome, so that the joint density is a product of Laplace densities but not one
    of independent numbers around a fixed centre.  `labels` (n,) are appended to the projected records; `entries` are the
    rows and columns of the matrix that are released.
    """

    def __init__(
        self,
        unit: Floats,
        W: Floats,
        mean_noise: Law,
        matrix_noise: Law,
        entries: tuple[NDArray[np.int64], NDArray[np.int64]],
        labels: Floats | None = None,
    ) -> None:
        self.unit, self.W, self.labels = unit, W, labels
        self.mean_noise, self.matrix_noise, self.entries = mean_noise, matrix_noise, entries
        self.split = unit.shape[1]
        self.dimension = self.split + len(entries[0])

    def moments(self, means: Floats) -> Floats:
        """The released entries (size, k) of the second moments, records centred by each row of `means` (size, m)."""
        n = len(self.unit)
        out = np.empty((len(means), len(self.entries[0])))
        rows = max(1, _NUMBERS // self.unit.size)
        for start in range(0, len(means), rows):
            centred = self.unit[None] - means[start : start + rows, None]
            norms = np.linalg.norm(centred, axis=2, keepdims=True)
            records = (centred / np.where(norms > 0, norms, 1.0)) @ self.W
            if self.labels is not None:
                column = np.broadcast_to(self.labels[:, None], (*records.shape[:2], 1))
                records = np.concatenate([records, column], axis=2)
            i, j = self.entries
            out[start : start + rows] = np.einsum("snp,snq->spq", records, records)[:, i, j] / n
        return out

    def sample(self, size: int, rng: np.random.Generator) -> Floats:
        mean_noise = self.mean_noise.sample(size * self.split, rng).reshape(size, self.split)
        means = self.unit.mean(axis=0) + mean_noise
        entries = self.matrix_noise.sample(size * (self.dimension - self.split), rng).reshape(size, -1)
        return np.concatenate([means, self.moments(means) + entries], axis=1)

    def _noise(self, y: Floats) -> tuple[Floats, Floats]:
        means, entries = y[:, : self.split], y[:, self.split :]
        return means - self.unit.mean(axis=0), entries - self.moments(means)

    def log_density(self, y: Floats) -> Floats:
        first, second = self._noise(y)
        total = self.mean_noise.log_pdf(first).sum(axis=1) + self.matrix_noise.log_pdf(second).sum(axis=1)
        return np.asarray(total, dtype=float)

    def uniforms(self, y: Floats, rng: np.random.Generator) -> Floats:
        first, second = self._noise(y)
        return np.concatenate([self.mean_noise.cdf(first), self.matrix_noise.cdf(second)], axis=1)

    def uniforms_if_scaled(self, levels: Floats, factor: float) -> Floats:
        # Both noises have one shape: the same levels for every entry.
        return np.asarray(self.mean_noise.cdf(factor * self.mean_noise.quantile(levels)), dtype=float)


@dataclass(frozen=True, eq=False)
class LargestLoss(Pair):
    """Two joint laws of which the essential supremum of the absolute privacy loss is known in closed form, and no more.

    `delta` is an estimate for figures from seeded outcomes, its standard error at most 0.004; no verdict reads it.
    """

    curve_known: ClassVar[str] = "law, from seeded outcomes"

    loss: sp.Expr
    laws: tuple[AdaptiveMoments, AdaptiveMoments]
    reached: tuple[Step, ...] = ()

    def profile(self, epsilon: sp.Expr) -> sp.Expr:
        return sp.Function("delta")(epsilon)

    def delta(self, epsilon: ArrayLike) -> Floats:
        eps = np.asarray(epsilon, dtype=float)
        rng = np.random.default_rng(0)
        both = []
        for p, q in (self.laws, self.laws[::-1]):
            y = p.sample(_OUTCOMES, rng)
            loss = p.log_density(y) - q.log_density(y)
            both.append([float(np.mean(np.maximum(0.0, -np.expm1(e - loss)))) for e in eps.ravel()])
        return np.asarray(np.max(both, axis=0), dtype=float).reshape(eps.shape)

    def max_loss(self) -> sp.Expr:
        return self.loss

    def renyi(self, order: sp.Expr) -> sp.Expr:
        return sp.Function("renyi")(order)

    def steps(self) -> tuple[Step, ...]:
        return self.reached
