"""Tests of whether random matrices with orthonormal columns are uniform on the Stiefel manifold, from their moments.

For uniform W (m, p) and any fixed unit vector e, |W'e|^2 follows Beta(p/2, (m - p)/2), and the entries q_i of a column have
E sum q_i^4 = 3/(m + 2).  The first column of the recipe by QR of a uniform matrix is a normalised vector a/|a| of uniform
entries: on [0, 1] it leans to the constant direction; on [-1, 1] its mean vanishes, but the flat density of its entries
shows in the fourth moment.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from noiseproof.symbolic.arrays import Floats


@dataclass(frozen=True)
class UniformityTest:
    """One test: what was observed on average, what uniform matrices have on average, and a p-value valid at every sample size."""

    what: str
    observed: float
    expected: float
    p_value: float


def uniformity_tests(matrices: ArrayLike) -> tuple[UniformityTest, ...]:
    """Tests on independent matrices (k, m, p), m >= 2: direction of the span (p < m) and of the first column, fourth moment.

    Each rejects uniform matrices with probability at most its level: the first two are Kolmogorov-Smirnov tests of an exact
    law, the last is Hoeffding's inequality for numbers in [1/m, 1].
    """
    W = np.asarray(matrices, dtype=float)
    if (
        W.ndim != 3
        or W.shape[1] < max(2, W.shape[2])
        or not np.allclose(W.swapaxes(1, 2) @ W, np.eye(W.shape[2]))
    ):
        raise ValueError(
            f"expected matrices (k, m, p) with orthonormal columns and m >= 2, got shape {W.shape}"
        )
    k, m, p = W.shape
    along = W.sum(axis=1) / np.sqrt(m)
    tests = [_beta("squared cosine of the first column with the constant vector", along[:, 0] ** 2, 1, m)]
    if p < m:
        tests.insert(
            0, _beta("squared length of the constant vector in the span", (along**2).sum(axis=1), p, m)
        )
    fourth = (W[:, :, 0] ** 4).sum(axis=1)
    gap = float(fourth.mean()) - 3 / (m + 2)
    bound = 2 * float(np.exp(-2 * k * (gap / (1 - 1 / m)) ** 2))
    tests.append(
        UniformityTest(
            "sum of fourth powers of the first column", float(fourth.mean()), 3 / (m + 2), min(1.0, bound)
        )
    )
    return tuple(tests)


def _beta(what: str, values: Floats, p: int, m: int) -> UniformityTest:
    law = stats.beta(p / 2, (m - p) / 2)
    p_value = float(stats.kstest(np.clip(values, 0.0, 1.0), law.cdf).pvalue)
    return UniformityTest(what, float(values.mean()), p / m, p_value)
