"""Laplace noise on every private number: epsilon-differential privacy of each record on its own."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import ClassVar

from ....mechanisms.grid_noise import GridNoise, grid_laplace
from ....symbolic.privacy.guarantees import PureDP
from ..ledger.cost import Cost
from ..limits import epsilon_asked
from ..manifest import StatedGuarantee
from ..policy import Policy
from .grid_kind import GridKind


class LaplaceKind(GridKind):
    """Independent Laplace noise of scale b_j on number j; epsilon is the sum of the widths of the domain over the scales."""

    name: ClassVar[str] = "laplace"
    size_key: ClassVar[str] = "scale"

    @classmethod
    def noise(cls, size: float, exponent: int) -> GridNoise:
        return grid_laplace(size, exponent)

    @classmethod
    def sizes_of_privacy(cls, policy: Policy) -> tuple[float, ...] | None:
        epsilon, length = epsilon_asked(policy.model.limits), policy.widths
        if epsilon is None:
            return None
        # Each of the numbers of one unit takes the same share of epsilon.
        share = epsilon / (len(length) * policy.rows_of_unit)
        return tuple(w / share for w in length)

    @property
    def epsilon(self) -> float:
        """The least epsilon of one unit of privacy, rounded up."""
        return self.epsilon_of(self.group)

    def epsilon_of(self, records: int) -> float:
        """The same for `records` records together: the loss of a step is at most step over scale, exactly."""
        parts = zip(self.release.noises, self.release.spans, self.sizes, strict=True)
        whole = records * sum(
            (s * Fraction(2) ** n.exponent / Fraction(repr(size)) for n, s, size in parts), Fraction(0)
        )
        up = float(whole) if Fraction(float(whole)) >= whole else math.nextafter(float(whole), math.inf)
        found = self.release.pure_epsilon(records)
        assert found is not None  # a Laplace law has no end
        return min(found, up)

    def epsilon_at_size(self, factor: float) -> float:
        return self.epsilon / factor

    def stated(self, records: int | None = None) -> PureDP:
        return PureDP(self.epsilon if records is None else self.epsilon_of(records))

    @property
    def cost(self) -> Cost:
        return Cost.pure(self.epsilon, fisher_information=self.informations(), unit=self.policy.unit)

    def guarantees(self) -> tuple[StatedGuarantee, ...]:
        unit = self.policy.unit
        sentence = (
            f"{self.epsilon:.6g}-differentially private per {unit} under replace-one: if the private values of one {unit} are replaced, the "
            f"probability of any set of outputs changes by a factor of at most e^{self.epsilon:.4g}"
        )
        return (StatedGuarantee(PureDP.key, sentence, {"epsilon": self.epsilon}), self.information_stated())
