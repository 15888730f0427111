"""Laplace noise on every private number: epsilon-differential privacy of each record on its own."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import ClassVar

from ....mechanisms.grid_noise import GridNoise, grid_laplace
from ....symbolic.privacy.guarantees import PureDP
from ..calibration import widths
from ..ledger.cost import Cost
from ..manifest import StatedGuarantee
from ..policy import Policy
from .grid_kind import GridKind, rows_of_unit


class LaplaceKind(GridKind):
    """Independent Laplace noise of scale b_j on number j; epsilon is the sum of the widths of the domain over the scales."""

    name: ClassVar[str] = "laplace"
    size_key: ClassVar[str] = "scale"

    @classmethod
    def noise(cls, size: float, exponent: int) -> GridNoise:
        return grid_laplace(size, exponent)

    @classmethod
    def sizes_of_privacy(cls, policy: Policy) -> tuple[float, ...] | None:
        limits, length = policy.model.limits, widths(policy)
        known = [float(limits.epsilon)] if limits.epsilon is not None else []
        if limits.rho is not None:
            known.append(max(float(limits.rho), math.sqrt(2 * limits.rho)))
        if not known:
            return None
        # Each of the numbers of one unit takes the same share of epsilon.
        share = min(known) / (len(length) * rows_of_unit(policy))
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

    def cost(self) -> Cost:
        return Cost.pure(
            self.epsilon, fisher_information=self.informations(), unit=self.policy.model.table.unit_of_privacy
        )

    def guarantees(self) -> tuple[StatedGuarantee, ...]:
        sentence = f"{self.epsilon:.6g}-differentially private per {self.policy.model.table.unit_of_privacy}: whatever is released, its probability changes by a factor of at most e^{self.epsilon:.4g}"
        return (StatedGuarantee(PureDP.key, sentence, {"epsilon": self.epsilon}), self.information_stated())
