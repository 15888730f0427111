"""Principal components, ridge and sparse regression on compressed tables, each beside its deterministic perturbation bound."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from compression_trials.models import components, released_moments, ridge_regression, sparse_regression
from noiseproof.mechanisms.additive import whole
from noiseproof.mechanisms.compression import Compression, second_moments


@dataclass(frozen=True)
class CompressedModels:
    """One accepted output: how far its models are from those of the table, and the bounds.

    `change` = |S - Sigma|_F, at most `change_bound` = p (window + |Sigma - R|) (theorem 5.1); `subspace` the distance of the projectors, at
    most `subspace_bound` = change/delta_D where change <= delta_D/2 (proposition 3.4; infinite beyond); `ridge` the distance of the
    coefficients, at most `ridge_bound` = (|change of X'y| + |change of X'X|_2 |beta|)/price; `support` says whether the lasso
    selects the same columns from the output as from the table.
    """

    change: float
    change_bound: float
    subspace: float
    subspace_bound: float
    ridge: float
    ridge_bound: float
    support: bool

    @property
    def within(self) -> bool:
        """Whether every bound holds, up to rounding."""
        pairs = (
            (self.change, self.change_bound),
            (self.subspace, self.subspace_bound),
            (self.ridge, self.ridge_bound),
        )
        return all(value <= bound * (1 + 1e-9) + 1e-9 for value, bound in pairs)


def compressed_models(
    compression: Compression, table: ArrayLike, count: int, seeds: int, price: float = 0.1, target: int = 0
) -> list[CompressedModels]:
    """`count` components, ridge and lasso of column `target` from `seeds` accepted outputs, beside those of the table (n, p)."""
    x = compression.table(table)
    n, p = x.shape
    sigma = second_moments(x)
    whole_table = components(sigma, count)
    other = np.arange(p) != target
    beta, kept = ridge_regression(x, target, price), sparse_regression(x, target, price) != 0
    room = compression.reference.window(compression.rows, n) + compression.reference.distance(x)
    found = []
    for seed in range(whole("seeds", seeds)):
        output = compression.sample_moments(sigma, n, 1, np.random.default_rng(seed))[0]
        moved = released_moments(output) - sigma
        change = float(np.linalg.norm(moved))
        part = np.linalg.norm(moved[other, target]) + np.linalg.norm(
            moved[np.ix_(other, other)], 2
        ) * np.linalg.norm(beta)
        found.append(
            CompressedModels(
                change,
                p * room,
                components(sigma + moved, count).distance(whole_table),
                whole_table.perturbation_bound(change),
                float(np.linalg.norm(ridge_regression(output, target, price) - beta)),
                float(part / price),
                bool(((sparse_regression(output, target, price) != 0) == kept).all()),
            )
        )
    return found
