"""The private part of RON-Gauss configured: budgets, exact sensitivities, and the noise on sums in whole numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import sympy as sp

from ....mechanisms.grid_noise import GridNoise, grid_laplace
from ....mechanisms.ron_gauss import scales
from ....symbolic.arrays import Floats
from ....symbolic.proof.enclosure import enclose, rational
from .ron_gauss_sums import FINE, NoisySum, radius


@dataclass(frozen=True, eq=False)
class RonGaussNoise:
    """Budgets per unit of privacy, of `group` records, for the mean, the second moments and the number of records if it is private.

    `relation` is replace-one or add-or-remove; `labelled` says that records have a private label beside them.
    """

    projection: Floats
    labelled: bool
    group: int
    relation: str
    epsilon_mean: float
    epsilon_covariance: float
    epsilon_size: float | None

    @property
    def epsilon(self) -> float:
        """The sum of the budgets that neighbours cost: replacing a record leaves their number as it is."""
        size = self.epsilon_size if self.relation == "add-or-remove" else None
        return math.fsum((self.epsilon_mean, self.epsilon_covariance, size or 0.0))

    @property
    def width(self) -> int:
        """The numbers of a projected record, its label included."""
        return int(self.projection.shape[1]) + self.labelled

    @cached_property
    def sensitivities(self) -> tuple[sp.Expr, sp.Expr]:
        """Of the sums of records and of products, per unit of privacy and before rounding, exact and in L1."""
        m, p = self.projection.shape
        first = scales.needed_mean(m, self.relation)
        if self.labelled:
            second = scales.needed_augmented(p, 1.0, self.relation, symmetric=True)
        else:
            second = scales.needed_covariance(p, self.relation, symmetric=True)
        return self.group * first, self.group * second

    @cached_property
    def _entries(self) -> tuple[tuple[int, Fraction], tuple[int, Fraction]]:
        """For the sum of records and the upper triangle of that of products: entries, and by how much rounding stretches them."""
        m, q = self.projection.shape[0], self.width
        return (m, radius(m)), (q * (q + 1) // 2, radius(q) ** 2)

    @cached_property
    def sums(self) -> tuple[NoisySum, NoisySum]:
        """The noise on the sum of records and on the upper triangle of the sum of products."""
        first, second = (
            NoisySum.of(_upper(sensitivity) * grown, entries, epsilon, unit)
            for sensitivity, (entries, grown), epsilon, unit in zip(
                self.sensitivities,
                self._entries,
                (self.epsilon_mean, self.epsilon_covariance),
                (FINE, 2 * FINE),
                strict=True,
            )
        )
        return first, second

    @cached_property
    def size_noise(self) -> GridNoise | None:
        """The noise on the number of records."""
        return None if self.epsilon_size is None else grid_laplace(self.group / self.epsilon_size, 0)

    def loss(self) -> sp.Expr:
        """The exact loss of one unit of privacy: steps that neighbours move each sum by, times the loss of a step."""
        total = sp.Integer(0)
        for sensitivity, (entries, grown), sum_ in zip(
            self.sensitivities, self._entries, self.sums, strict=True
        ):
            step = sp.Integer(2) ** sum_.noise.exponent
            moved = sensitivity * sp.Rational(grown.numerator, grown.denominator) / step + entries
            total += moved * step / rational(sum_.noise.parameter)
        if self.relation == "add-or-remove" and self.size_noise is not None:
            total += sp.Integer(self.group) / rational(float(self.size_noise.parameter))
        return total


def _upper(value: sp.Expr) -> Fraction:
    """A fraction that is certainly at least an exact number, nine digits above it at most."""
    return Fraction(math.nextafter(float(enclose(value).upper()), math.inf))
