"""Laplace noise on records on equal terms with optimal Gaussian noise: equal bound, equal variance or equal epsilon.

The scales follow the deviations of the Gaussian noise, b_j = f s_j, and one factor f makes the terms equal.  Equal
Cramer-Rao bounds are not equal errors: the bound b^2 is attained by no unbiased estimate, and of one response the
response itself is the only one (1/(1 + b^2 t^2) has no zero), with error 2 b^2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from ...symbolic.arrays import Floats
from ...symbolic.privacy.pair import gaussian_epsilon
from ..gaussian import OptimalGaussian

Terms = Literal["bound", "trace bound", "variance", "epsilon"]


@dataclass(frozen=True, eq=False)
class LaplaceNoise:
    """Independent Laplace entries of scales b (p,), one record per row."""

    scales: Floats

    def __post_init__(self) -> None:
        if self.scales.ndim != 1 or not np.all(np.isfinite(self.scales)) or not np.all(self.scales > 0):
            raise ValueError(f"scales must be finite numbers > 0, one per feature, got {self.scales!r}")

    @classmethod
    def matching(cls, gaussian: OptimalGaussian, terms: Terms, delta: float | None = None) -> LaplaceNoise:
        """The Laplace noise on equal terms with a Gaussian noise; Pi and the domain are those of the Gaussian.

        "bound": equal Tr(Pi I^{-1}), the Cramer-Rao bound.  "trace bound": equal 1/Tr(Pi^{-1} I), which farokhi2020
        maximises.  "variance": equal E|n|^2.  "epsilon": epsilon-LDP with the epsilon that the Gaussian has at `delta`, by
        its exact curve, for all pairs of records of the domain.
        """
        if terms not in get_args(Terms):
            raise ValueError(f"terms must be one of {', '.join(get_args(Terms))}, got {terms!r}")
        if (delta is not None) != (terms == "epsilon"):
            raise ValueError("delta is needed for equal epsilon, and for nothing else")
        covariance = gaussian.covariance()
        deviations = np.sqrt(np.diag(covariance))
        pi = np.eye(len(deviations)) if gaussian.weight is None else gaussian.weight
        if terms == "variance":
            return cls(deviations / np.sqrt(2))
        if terms == "bound":
            factor = np.trace(pi @ covariance) / (np.diag(pi) @ deviations**2)
            return cls(deviations * np.sqrt(factor))
        if terms == "trace bound":
            inverse = np.linalg.inv(pi)
            wanted = np.trace(inverse @ np.linalg.inv(covariance))
            return cls(deviations * np.sqrt(np.diag(inverse) @ (1 / deviations**2) / wanted))
        assert delta is not None
        case = gaussian.worst_case()
        mu = float((case.dominating or case.pair).mu)  # type: ignore[attr-defined]
        widths = gaussian.domain[1] - gaussian.domain[0]
        epsilon = gaussian_epsilon(mu, delta)
        if epsilon <= 0:
            raise ValueError(
                f"the Gaussian noise has delta <= {delta:g} at epsilon = 0: no Laplace noise has epsilon = 0, give a smaller delta"
            )
        return cls(deviations * float((widths / deviations).sum()) / epsilon)

    def draw(self, size: int, rng: np.random.Generator) -> Floats:
        """`size` records of noise, shape (size, p)."""
        return np.asarray(rng.laplace(size=(size, len(self.scales))) * self.scales, dtype=float)

    @property
    def covariance(self) -> Floats:
        """diag(2 b^2)."""
        return np.diag(2 * self.scales**2)

    @property
    def information(self) -> Floats:
        """diag(1/b^2): the kink of the density at 0 costs it its second derivative, not its information."""
        return np.diag(1 / self.scales**2)

    def epsilon(self, domain: tuple[ArrayLike, ArrayLike]) -> float:
        """The least epsilon of local privacy on a box: the sum of its widths over the scales."""
        return float(
            ((np.asarray(domain[1], dtype=float) - np.asarray(domain[0], dtype=float)) / self.scales).sum()
        )
