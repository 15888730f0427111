"""What can be learnt from a compressed table: principal components, ridge and sparse regression."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from noiseproof.mechanisms.additive import positive, whole
from noiseproof.mechanisms.learning.training_set import finite_matrix
from noiseproof.symbolic.arrays import Floats


def released_moments(output: ArrayLike) -> Floats:
    """S = (Phi X)'(Phi X)/m from an output (m, p): an unbiased estimate of X'X/n before truncation."""
    out = finite_matrix("output", output)
    return np.asarray(out.T @ out / len(out))


@dataclass(frozen=True, eq=False)
class Components:
    """The leading eigenvectors (p, D) of second moments, all eigenvalues (p,) from large to small, and the gap after D."""

    vectors: Floats
    values: Floats

    @property
    def gap(self) -> float:
        """delta_D = (l_D - l_(D+1))/2, with l_(p+1) = 0."""
        d = self.vectors.shape[1]
        following = self.values[d] if d < len(self.values) else 0.0
        return float(self.values[d - 1] - following) / 2

    @property
    def projector(self) -> Floats:
        """The projector (p, p) on their span."""
        return np.asarray(self.vectors @ self.vectors.T)

    def distance(self, other: Components) -> float:
        """The Frobenius distance of the two projectors."""
        return float(np.linalg.norm(self.projector - other.projector))

    def perturbation_bound(self, change: float) -> float:
        """|change|_F/delta_D: how far the projector moves if the second moments change by at most delta_D/2 in Frobenius norm.

        Zwald, Blanchard (2006, theorem 3), cited in Zhou, Ligett, Wasserman (2009, proposition 3.4).  Infinite beyond that.
        """
        return change / self.gap if self.gap > 0 and change <= self.gap / 2 else float("inf")


def components(moments: ArrayLike, count: int) -> Components:
    """The leading `count` eigenvectors of a symmetric matrix (p, p)."""
    s = finite_matrix("moments", moments)
    if whole("count", count) > len(s):
        raise ValueError(f"at most {len(s)} components exist, {count} were asked for")
    values, vectors = np.linalg.eigh((s + s.T) / 2)
    return Components(np.asarray(vectors[:, ::-1][:, :count]), np.asarray(values[::-1]))


def ridge_regression(output: ArrayLike, target: int, price: float) -> Floats:
    """The coefficients (p - 1,) of column `target` on the others: (S_xx + price)^-1 S_xy from the released moments."""
    features, response = _split(output, target)
    m = len(response)
    gram = features.T @ features / m + positive("price", price, "of the squared coefficients") * np.eye(
        features.shape[1]
    )
    return np.asarray(np.linalg.solve(gram, features.T @ response / m))


def sparse_regression(output: ArrayLike, target: int, price: float) -> Floats:
    """The lasso's coefficients (p - 1,) of column `target` on the others from the m compressed rows, without an offset."""
    from sklearn.linear_model import Lasso

    features, response = _split(output, target)
    model = Lasso(
        alpha=positive("price", price, "of the absolute coefficients"), fit_intercept=False, max_iter=100_000
    )
    return np.asarray(model.fit(features, response).coef_, dtype=float)


def _split(output: ArrayLike, target: int) -> tuple[Floats, Floats]:
    out = finite_matrix("output", output)
    if not 0 <= target < out.shape[1] or out.shape[1] < 2:
        raise ValueError(
            f"target must be the number of one of {out.shape[1]} columns, with at least one other, got {target!r}"
        )
    return np.delete(out, target, axis=1), out[:, target]
