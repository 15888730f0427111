"""Gaussian noise on every private number: (epsilon, delta)-differential privacy, counted in rho."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any, ClassVar

from ....mechanisms.grid_noise import GridNoise, grid_gaussian
from ....symbolic.privacy.guarantees import ApproxDP, ZeroConcentratedDP
from ....symbolic.privacy.pair import gaussian_delta, gaussian_epsilon
from ..ledger.cost import Cost
from ..manifest import StatedGuarantee
from ..policy import Policy
from .grid_kind import GridKind
from .privacy_curve import epsilon_at

DELTA = 1e-6
_ROOM = 1 + 2e-4  # the bounds of the exact curve lie a hair above the ideal one


class GaussianKind(GridKind):
    """Independent discrete Gaussian noise of deviation s_j on number j; rho is half the sum of (width/deviation)^2."""

    name: ClassVar[str] = "gaussian"
    size_key: ClassVar[str] = "deviation"

    @classmethod
    def noise(cls, size: float, exponent: int) -> GridNoise:
        return grid_gaussian(size, exponent)

    @classmethod
    def sizes_of_privacy(cls, policy: Policy) -> tuple[float, ...] | None:
        limits, length = policy.model.limits, policy.widths
        known = [] if limits.rho is None else [math.sqrt(2 * limits.rho)]
        if limits.epsilon is not None and limits.delta is not None:
            known.append(_distance(float(limits.epsilon), limits.delta))
        if not known:
            return None
        parts = len(length) * policy.rows_of_unit
        return tuple(w * math.sqrt(parts) / min(known) * _ROOM for w in length)

    @property
    def delta(self) -> float:
        """The delta of the policy, else 1e-6."""
        return self.policy.model.limits.delta or DELTA

    @cached_property
    def epsilon(self) -> float | None:
        """The least epsilon of one unit at `delta`, rounded up; None if delta is above that at every epsilon."""
        return self.epsilon_of(self.group)

    def epsilon_of(self, records: int) -> float | None:
        """The same for `records` records together."""
        mu = math.sqrt(2 * (self.release.costs(records).rho or 0.0))
        return epsilon_at(self.release.pair(records), self.delta, gaussian_epsilon(mu, self.delta) or None)

    def epsilon_at_size(self, factor: float) -> float:
        return gaussian_epsilon(math.sqrt(2 * self.rho()[0]) / factor, self.delta)

    def stated(self, records: int | None = None) -> ApproxDP | None:
        epsilon = self.epsilon if records is None else self.epsilon_of(records)
        return None if epsilon is None else ApproxDP(epsilon, self.delta)

    def rho(self) -> tuple[float, float]:
        """rho of the ideal discrete Gaussian laws for one unit, and the total variation distance to them."""
        costs = self.release.costs(self.group)
        assert costs.rho is not None  # all laws are Gaussian
        return costs.rho, costs.total_variation

    def parameters(self) -> dict[str, Any]:
        rho, slack = self.rho()
        return {**super().parameters(), "rho": rho, "delta_slack": slack}

    @property
    def cost(self) -> Cost:
        known = self.epsilon
        return Cost.zcdp(
            *self.rho(),
            approximate=None if known is None else (known, self.delta),
            fisher_information=self.informations(),
            unit=self.policy.unit,
        )

    def guarantees(self) -> tuple[StatedGuarantee, ...]:
        unit, (rho, slack) = self.policy.unit, self.rho()
        limited = self.policy.model.limits.rho is not None
        concentrated = (
            ()
            if not limited
            else (
                StatedGuarantee(
                    ZeroConcentratedDP.key,
                    f"{rho:.6g}-zero-concentrated differentially private per {unit} under replace-one, but for a law at distance {slack:.3g} in total variation",
                    {"rho": rho, "delta_slack": slack},
                ),
            )
        )
        if self.epsilon is None:
            return (*concentrated, self.information_stated())
        sentence = f"({self.epsilon:.6g}, {self.delta:.3g})-differentially private per {unit} under replace-one, by the exact curve of the law that is drawn from"
        numbers = {"epsilon": self.epsilon, "delta": self.delta}
        return (StatedGuarantee(ApproxDP.key, sentence, numbers), *concentrated, self.information_stated())

    def caveats(self) -> tuple[str, ...]:
        return (
            *super().caveats(),
            f"With a probability of up to {self.delta:.3g} per unit of privacy an outcome may tell more than epsilon allows: no epsilon holds "
            "with delta = 0.",
        )


def _distance(epsilon: float, delta: float) -> float:
    """mu at which N(0, 1) against N(mu, 1) has this delta at epsilon, in floating point; the exact law is checked later."""
    from scipy.optimize import brentq

    low, high = 1e-12, 1.0
    while float(gaussian_delta(high, epsilon)) < delta:
        high *= 2
    return float(
        brentq(lambda mu: float(gaussian_delta(mu, epsilon)) - delta, low, high, xtol=1e-14, rtol=1e-12)
    )
