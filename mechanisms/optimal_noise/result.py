"""The noise of least cost Tr(A K) + rho E|w|^2 on a support, and what is known about it."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from ...symbolic.arrays import Floats
from ...symbolic.laws.law import Law
from .certificate import OptimalityCertificate
from .query import Query
from .release import OptimalNoiseMechanism
from .scalar import ExactScalar
from .supports import Support
from .vector_noise import Independent, Noise, Released


@dataclass(frozen=True, eq=False)
class OptimalNoise:
    """A noise in R^m for the answer y = C x + w, A = C C^T.

    `information` is K (m, m), the Fisher information of y about C x; `second_moment` is E|w|^2 about 0; `cost` is
    Tr(A K) + rho E|w|^2, which `certificate` shows to be least up to its gap.
    """

    support: Support
    rho: float
    query: Query = field(repr=False)
    noise: Noise = field(repr=False)
    information: Floats = field(repr=False)
    second_moment: float
    certificate: OptimalityCertificate = field(repr=False)

    @property
    def cost(self) -> float:
        """Tr(A K) + rho E|w|^2."""
        return self.certificate.cost

    @property
    def trace(self) -> float:
        """Tr(A K), the trace of the information about x."""
        return float(np.trace(self.query.gram @ self.information))

    @property
    def information_about_input(self) -> Floats:
        """C^T K C, the Fisher information of y about x, shape (n, n)."""
        c = self.query.matrix
        return np.asarray(c.T @ self.information @ c, dtype=float)

    @property
    def law(self) -> Released:
        """The law of w itself."""
        return self.around(np.zeros(self.noise.dimension))

    def around(self, centre: ArrayLike) -> Released:
        """The law of centre + w, centre (m,): what an additive mechanism releases on an input with f(x) = centre."""
        return Released(self.noise, centre)

    @property
    def exact_laws(self) -> tuple[Law, ...] | None:
        """The laws of the entries where all of them are known in closed form."""
        if not isinstance(self.noise, Independent):
            return None
        laws = [entry.law for entry in self.noise.entries if isinstance(entry, ExactScalar)]
        return tuple(laws) if len(laws) == self.noise.dimension else None

    def subject(self, sensitivity: float = 1.0) -> OptimalNoiseMechanism:
        """The release y = C x + w, which `examine` takes; neighbours differ by `sensitivity` in the first entry of x."""
        return OptimalNoiseMechanism(
            self.support, self.rho, self.query, self.noise, self.information, sensitivity=sensitivity
        )

    def density(self, w: ArrayLike) -> Floats:
        """The density at the rows of w (size, m), zero outside W."""
        return np.asarray(np.exp(self.noise.log_density(self._rows(w))), dtype=float)

    def score(self, w: ArrayLike) -> Floats:
        """The gradient of the log density at the rows of w (size, m)."""
        return self.noise.score(self._rows(w))

    def sample(self, size: int, rng: np.random.Generator) -> Floats:
        """`size` independent draws, shape (size, m)."""
        return self.noise.sample(size, rng)

    def _rows(self, w: ArrayLike) -> Floats:
        rows = np.asarray(w, dtype=float)
        if rows.ndim != 2 or rows.shape[1] != self.noise.dimension:
            raise ValueError(f"w must have shape (size, {self.noise.dimension}), got {rows.shape}")
        return rows
