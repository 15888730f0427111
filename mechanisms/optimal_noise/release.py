"""The release of C x with optimal noise, as a mechanism that can be audited."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Self

import numpy as np
import sympy as sp

from ...symbolic.arrays import Floats
from ...symbolic.information.fisher import Information
from ...symbolic.proof.enclosure import rational
from ..additive import Additive, positive
from ..mechanism import WorstCase
from .noise_information import exact_jacobian, noise_information, through
from .query import Query
from .scalar import ExactScalar
from .supports import Support
from .vector_noise import Divided, Gaussian, Independent, Noise, Released


class OptimalNoiseMechanism(Additive):
    """y = C x + w for x in R^n, w the noise of least Tr(A K) + rho E|w|^2 on a set W in R^m; `optimal_noise(...).subject()`.

    Neighbours differ by `sensitivity` in their first entry.  `divisor` divides the noise.
    """

    name = "optimal-noise"
    summary = "adds the noise of least Fisher information and priced variance on a set to a linear answer"

    def __init__(
        self,
        support: Support,
        rho: float,
        query: Query,
        noise: Noise,
        information: Floats,
        *,
        sensitivity: float = 1.0,
        divisor: float = 1.0,
    ) -> None:
        self.support, self.rho, self.linear, self.information = support, rho, query, information
        self.dimension = query.matrix.shape[1]
        self.coordinatewise = bool(np.array_equal(query.matrix, np.eye(self.dimension)))
        self.sensitivity = positive(
            "sensitivity", sensitivity, "the distance of neighbours in the first entry"
        )
        self.divisor = positive("divisor", divisor, "what the noise is divided by")
        self._whole = noise
        self._noise = noise if self.divisor == 1 else Divided(noise, self.divisor)

    def query(self, data: Any) -> Floats:
        return np.asarray(self.linear.matrix @ super().query(data), dtype=float)

    def noise_law(self, centre: Floats) -> Released:
        return Released(self._noise, centre)

    def draw(self, size: int, rng: np.random.Generator) -> Floats:
        return self._noise.sample(size, rng)

    def neighbours(self) -> tuple[tuple[Any, Any], ...]:
        far = np.zeros(self.dimension)
        far[0] = self.sensitivity
        return ((np.zeros(self.dimension), far),)

    def worst_case(self) -> WorstCase | None:
        return None

    def noise_information(self) -> Information:
        return self._information

    @cached_property
    def _information(self) -> Information:
        known = noise_information(self._whole, self.information)
        return through(known, exact_jacobian(self.linear.matrix, self.divisor))

    def noise_variance(self) -> tuple[sp.Expr, ...] | None:
        """Of the entries of w where C is the identity, since only then y - E[w] estimates x, and w has a closed form."""
        if not self.coordinatewise:
            return None
        square = rational(self.divisor) ** 2
        if isinstance(self._whole, Gaussian):
            return tuple(rational(float(v)) / square for v in np.diag(self._whole.covariance))
        entries = self._whole.entries if isinstance(self._whole, Independent) else ()
        exact = [e.law.variance() / square for e in entries if isinstance(e, ExactScalar)]
        return tuple(exact) if len(exact) == self.dimension else None

    def parameters(self) -> dict[str, Any]:
        return {
            "support": str(self.support),
            "rho": self.rho,
            "query": self.linear.matrix.tolist(),
            "sensitivity": self.sensitivity,
            "divisor": self.divisor,
        }

    def with_noise_divided_by(self, factor: float) -> Self:
        return type(self)(
            self.support,
            self.rho,
            self.linear,
            self._whole,
            self.information,
            sensitivity=self.sensitivity,
            divisor=self.divisor * factor,
        )
