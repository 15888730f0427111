"""The explicit reference covariance of a compression, the set of tables that it protects, and the window of outputs it accepts."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from ...symbolic.arrays import Floats
from ...symbolic.proof.symmetric_matrix import SymmetricMatrix
from ..additive import whole
from .columns import second_moments

# Zhou, Ligett, Wasserman (2009), lemma B.1.
C_1 = 4 * math.e / math.sqrt(6 * math.pi)
C_2 = math.sqrt(8) * math.e
C = math.sqrt(2 * (C_1 + C_2))


@dataclass(frozen=True, eq=False)
class ReferenceCovariance:
    """The set of tables that Compression protects: second moments within `delta_max`, entry by entry, of Sigma_1, the `covariance`.

    The paper (Zhou, Ligett, Wasserman 2009) takes any table of the set as reference; one that is one of the private tables is no
    public constant, so it is given here. ValueError unless Sigma_1 (p, p) is symmetric and positive definite and delta_max >= 0.

    >>> reference = npf.ReferenceCovariance(np.eye(2), delta_max=0.1)
    >>> round(reference.distance([[1.0, 1.0], [1.0, -0.9]]), 3)
    0.095
    """

    covariance: Floats = field(repr=False)
    delta_max: float

    def __post_init__(self) -> None:
        s = SymmetricMatrix.of("the reference covariance", self.covariance).values
        lowest = float(np.linalg.eigvalsh(s)[0])
        if lowest <= 1e-12 * float(np.abs(s).max()):
            raise ValueError(
                f"the reference covariance must be positive definite, its least eigenvalue is {lowest:.3g}: "
                "with p > n, or with columns that depend on each other, no density ratio is bounded"
            )
        if not (np.isfinite(self.delta_max) and self.delta_max >= 0):
            raise ValueError(f"delta_max must be a finite number >= 0, got {self.delta_max!r}")
        object.__setattr__(self, "covariance", s)

    @property
    def dimension(self) -> int:
        """p, the number of columns."""
        return len(self.covariance)

    def distance(self, table: ArrayLike) -> float:
        """max |Sigma - Sigma_1| over the entries for a table (n, p)."""
        return self.distance_of_moments(second_moments(table))

    def distance_of_moments(self, sigma: Floats) -> float:
        """max |Sigma - Sigma_1| over the entries for second moments (p, p)."""
        if sigma.shape != self.covariance.shape:
            raise ValueError(
                f"the reference has {self.dimension} columns, the table {len(sigma)}: give the covariance of the same columns"
            )
        return float(np.abs(sigma - self.covariance).max())

    def require(self, table: ArrayLike) -> None:
        """ValueError if the table lies outside the protected set: nothing is claimed about it.

        Refusing is an answer that depends on the data; it is meant for tables known to lie inside.
        """
        self.require_moments(second_moments(table))

    def require_moments(self, sigma: Floats) -> None:
        """The same for second moments (p, p)."""
        found = self.distance_of_moments(sigma)
        if found > self.delta_max:
            raise ValueError(
                f"the table's second moments differ from the reference by {found:.6g}, more than delta_max = "
                f"{self.delta_max:.6g}: the guarantee does not cover it; take a wider set or another public reference"
            )

    def window(self, m: int, n: int) -> float:
        """C sqrt(ln(2 n p)/m) + delta_max: how far accepted outputs lie from Sigma_1, entry by entry (procedure 4.1)."""
        m, n = whole("m", m), whole("n", n)
        return C * math.sqrt(math.log(2 * n * self.dimension) / m) + self.delta_max
