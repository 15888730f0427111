"""One projection of records against the normal law that the theorem promises, at the scale of that law."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from noiseproof.symbolic.arrays import Floats
from noiseproof.symbolic.errors import SpecError

from .bounded_lipschitz import Interval, between_samples, to_normal_on_line, witnessed
from .inputs import orthonormal, positive, records, whole
from .line_distances import sliced
from .mardia import MardiaTest, mardia_test

ERROR = 0.05
# With fewer, a two-sided rank among the null samples could never reach ERROR/2.
FEWEST_DRAWS = 79


@dataclass(frozen=True)
class Gaussianity:
    """Distances of W'X/sigma from N(0, I): what N(0, I) itself shows at the same n stands beside each.

    `sliced_wasserstein`, `sliced_kolmogorov`: means over directions; `_null` is their 95 % point for n normal records.
    `first_axis`: encloses the bounded-Lipschitz distance of the first coordinate's empirical law from N(0, 1).
    `lower`: at 95 % a lower bound of the bounded-Lipschitz distance of the law of the records.
    `transport`: the same distance between `compared` of the records and as many normal ones, exact, on average above the distance of
    the laws; `transport_null` replaces the records by normal ones.  `absolute` is an upper bound of the distance of W'X
    from sigma N(0, I) without dividing by sigma, which holds for any records of this size: it carries no information.
    `moments` is None where n <= p or the records lie in a subspace.
    """

    n: int
    m: int
    p: int
    sigma: float
    sliced_wasserstein: float
    sliced_wasserstein_null: float
    sliced_kolmogorov: float
    sliced_kolmogorov_null: float
    first_axis: Interval
    lower: float
    transport: float
    transport_null: float
    compared: int
    absolute: float
    moments: MardiaTest | None

    @property
    def normal_looking(self) -> bool:
        """The sliced distance is not above its null point (5 %) and no moment test fails (2.5 % each): 10 % false alarms at most."""
        tests = self.moments
        alarmed = tests is not None and min(tests.skewness_p, tests.kurtosis_p) <= ERROR / 2
        return not alarmed and self.sliced_wasserstein <= self.sliced_wasserstein_null


def gaussianity(
    X: ArrayLike,
    W: ArrayLike,
    rng: np.random.Generator,
    *,
    sigma: float | None = None,
    directions: int = 20,
    draws: int = FEWEST_DRAWS,
    compared: int = 300,
) -> Gaussianity:
    """How normal the records X (n, m) are after W (m, p); sigma is sqrt(mean |x|^2/m), 1/sqrt(m) on the sphere, if not given.

    `directions` are shared by records and null samples; `draws` null samples and draws of the moment tests; `compared`
    records, at most, enter the assignment.  SpecError for records or projections that are none.
    """
    rows = records(X)
    n, m = rows.shape
    matrix = orthonormal(W, m)
    p = matrix.shape[1]
    scale = (
        float(np.sqrt(np.mean(np.sum(rows**2, axis=1)) / m)) if sigma is None else positive(sigma, "sigma")
    )
    Z = np.asarray(rows @ matrix / scale, dtype=float)
    along = rng.standard_normal((whole(directions, "directions"), p))
    moved, stepped = _sliced(Z, along)
    null = np.array(
        [_sliced(rng.standard_normal((n, p)), along) for _ in range(whole(draws, "draws", FEWEST_DRAWS))]
    )
    size = min(n, whole(compared, "compared", 2))
    chosen = Z[rng.permutation(n)[:size]]
    first, second = rng.standard_normal((2, size, p))
    moments: MardiaTest | None
    try:
        moments = mardia_test(Z, rng, draws)
    except SpecError:
        moments = None
    typical = float(np.mean(np.linalg.norm(Z, axis=1))) + float(np.sqrt(p))
    return Gaussianity(
        n,
        m,
        p,
        scale,
        moved,
        float(np.quantile(null[:, 0], 1 - ERROR, method="higher")),
        stepped,
        float(np.quantile(null[:, 1], 1 - ERROR, method="higher")),
        to_normal_on_line(Z[:, 0]),
        witnessed(Z, rng, ERROR),
        between_samples(chosen, first),
        between_samples(second, first),
        size,
        min(2.0, scale * typical),
        moments,
    )


def _sliced(Z: Floats, along: Floats) -> tuple[float, float]:
    moved, stepped = sliced(Z, along)
    return float(moved.mean()), float(stepped.mean())
