"""Noise on the null space of Omega, which leaves a support vector machine unchanged (farokhi2020, theorem 2.10).

Omega w = 0 says alpha'w_i = 0 for every record and sum_i omega_i y_i w_i = 0.  With a = alpha/|alpha| and c the unit
vector along (omega_i y_i), the projection on that space is the Kronecker product (I - c c') x (I - a a'): it acts on a
matrix w (q, p) as (I - c c') w (I - a a'), and no matrix with q p rows is ever formed.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from ...symbolic.arrays import Floats
from ..additive import positive
from ..gaussian import positive_definite
from ..learning.svm import SvmSolution
from ..learning.training_set import finite_matrix

_BLOCK = 8192
_UNIT = 1e-9
_IN_SPACE = 1e-9
_BLIND = 1e-9  # of the margin


@dataclass(frozen=True, eq=False)
class NullSpaceNoise:
    """w ~ N(0, m P), P the projection on {Omega w = 0}; the adversary sees Omega x without noise.

    `direction` a (p,) is the unit vector along alpha (zeros if alpha = 0), `coefficients` c (q,) that along (omega_i y_i),
    `m` > 0 the variance.  ValueError where the null space is {0}: then this noise is no noise.
    """

    direction: Floats = field(repr=False)
    coefficients: Floats = field(repr=False)
    m: float

    def __post_init__(self) -> None:
        positive("m", self.m, "the variance of the noise within its space")
        lengths = [float(np.linalg.norm(v)) for v in (self.direction, self.coefficients)]
        if abs(lengths[1] - 1) > _UNIT or (lengths[0] != 0 and abs(lengths[0] - 1) > _UNIT):
            raise ValueError(f"direction and coefficients must be unit vectors, got lengths {lengths}")
        if self.dimension == 0:
            q, p = self.shape
            raise ValueError(
                f"with q = {q} records of p = {p} features nothing but w = 0 leaves the classifier's conditions unchanged: "
                "this noise protects nobody. It needs p >= 2 and q >= 2"
            )

    @classmethod
    def of(cls, solution: SvmSolution, m: float) -> NullSpaceNoise:
        """The noise for one solved machine, with the multipliers that were found."""
        pulls = solution.omega * solution.data.labels
        length = float(np.linalg.norm(solution.alpha))
        # Under much noise the classifier is a constant: its alpha is then rounding, not a direction.
        blind = float(np.abs(solution.data.features @ solution.alpha).max()) <= _BLIND
        a = np.zeros_like(solution.alpha) if blind else solution.alpha / length
        return cls(a, pulls / np.linalg.norm(pulls), m)

    @property
    def shape(self) -> tuple[int, int]:
        """(q, p)."""
        return len(self.coefficients), len(self.direction)

    @property
    def rank(self) -> int:
        """The rank of Omega: q + p - 1, one less than its rows, since sum omega_i y_i alpha'w_i is in both blocks; p if alpha = 0."""
        q, p = self.shape
        return q + p - 1 if self.direction.any() else p

    @property
    def dimension(self) -> int:
        """The dimension of the null space: (q - 1)(p - 1), or (q - 1) p if alpha = 0."""
        q, p = self.shape
        return q * p - self.rank

    @property
    def shares(self) -> Floats:
        """c_i^2, shape (q,): the part of its variance that record i loses to the condition on the multipliers."""
        return np.asarray(self.coefficients**2, dtype=float)

    def project(self, w: ArrayLike) -> Floats:
        """The nearest w (q, p) with Omega w = 0; a new array."""
        rows = np.array(w, dtype=float)
        if rows.shape != self.shape:
            raise ValueError(f"w must have shape {self.shape}, got {rows.shape}")
        return self._project(rows)

    def _project(self, w: Floats) -> Floats:
        pulled = self.coefficients @ w
        for start in range(0, len(w), _BLOCK):
            rows = slice(start, start + _BLOCK)
            w[rows] -= self.coefficients[rows, None] * pulled
            w[rows] -= (w[rows] @ self.direction)[:, None] * self.direction
        return w

    def draw(self, rng: np.random.Generator) -> Floats:
        """One noise w, shape (q, p); memory for this array only."""
        w = rng.standard_normal(self.shape)
        w *= np.sqrt(self.m)
        return self._project(w)

    def release(self, features: ArrayLike, rng: np.random.Generator) -> Floats:
        """features + w, shape (q, p): a data set with the same classifier, up to the rounding of its numbers."""
        x = finite_matrix("features", features)
        if x.shape != self.shape:
            raise ValueError(
                f"the noise is for {self.shape[0]} records of {self.shape[1]} features, got {x.shape}"
            )
        w = self.draw(rng)
        w += x
        return w

    def exposed(self, w: ArrayLike) -> tuple[Floats, Floats]:
        """(c'w, w a), shapes (p,) and (q,): Omega w with rows of length one.  Of the data these are seen without noise."""
        rows = np.asarray(w, dtype=float)
        return self.coefficients @ rows, rows @ self.direction

    def covariance(self, i: int, other: int | None = None) -> Floats:
        """E w_i w_j', shape (p, p): m (1{i = j} - c_i c_j)(I - a a'); j = i unless given."""
        other = i if other is None else other
        share = float(i == other) - self.coefficients[i] * self.coefficients[other]
        return np.asarray(self.m * share * self._across(), dtype=float)

    def _across(self) -> Floats:
        return np.eye(len(self.direction)) - np.outer(self.direction, self.direction)

    def _width(self, weight: ArrayLike | None) -> float:
        """Tr(Pi (I - a a'))."""
        pi = np.eye(self.shape[1]) if weight is None else feature_weight(weight, self.shape[1])
        return float(np.trace(pi) - self.direction @ pi @ self.direction)

    def errors(self, weight: ArrayLike | None = None) -> Floats:
        """The least E|Pi^{1/2}(x_i - xhat_i)|^2 of unbiased estimates from the release alone, shape (q,).

        m (1 - c_i^2) Tr(Pi (I - a a')): the normal family on the null space is complete, so that the released record is the
        best unbiased estimate of itself (Lehmann and Scheffe).  Omega is taken as known and fixed.
        """
        return np.asarray(self.m * (1 - self.shares) * self._width(weight), dtype=float)

    def errors_given_others(self, weight: ArrayLike | None = None) -> Floats:
        """The same for adversaries who know all other records, shape (q,): 0 for every support record.

        w_i = -sum over others of c_j w_j / c_i if c_i is not 0: the record is recovered exactly.
        """
        return np.where(self.coefficients == 0, self.m * self._width(weight), 0.0)

    def information(self, direction: ArrayLike) -> float:
        """The Fisher information of the release about t in x + t v, v (q, p): |v|^2/m within the null space, else infinite."""
        v = finite_matrix("direction", direction)
        outside = float(np.linalg.norm(v - self.project(v)))
        size = float(np.linalg.norm(v))
        return size**2 / self.m if outside <= _IN_SPACE * size else np.inf


def feature_weight(weight: ArrayLike, p: int) -> Floats:
    pi = positive_definite("weight", weight)
    if len(pi) != p:
        raise ValueError(f"weight must be {p} x {p}, one row per feature, got {pi.shape}")
    return pi
