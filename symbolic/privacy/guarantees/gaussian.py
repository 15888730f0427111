"""Gaussian differential privacy: the curve of two normal laws."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf, nextafter
from typing import Any, ClassVar, Self

import numpy as np
import sympy as sp

from ...proof.derivation import Step
from ...proof.enclosure import rational
from ...proof.truth import Truth
from ..pair import GaussianPair, Pair, gaussian_delta
from .guarantee import READ, Curve, Guarantee, at_most, claimed_step, follows, loosest, positive, unsettled
from .renyi import ZeroConcentratedDP

EPSILONS = np.linspace(0.0, 12.0, 481)  # where the curve is tried on the profile of other laws


@dataclass(frozen=True)
class GaussianDP(Guarantee):
    """mu-Gaussian differential privacy: no neighbours are easier to tell apart than N(0, 1) and N(mu, 1).

    `mu` > 0 is a distance in standard deviations. ValueError for anything else. Source: Dong, Roth and Su 2022.

    >>> pair = npf.GaussianMechanism(sigma=2.0, sensitivity=1.0).worst_case().pair
    >>> npf.GaussianDP(0.5).holds(pair).name, npf.GaussianDP(0.49).holds(pair).name
    ('HOLDS', 'FAILS')
    """

    mu: float

    key: ClassVar[str] = "gaussian"
    spec_key: ClassVar[str] = "gaussian-dp"
    by_profile: ClassVar[bool] = True
    rounding: ClassVar[float] = 1e-15

    def __post_init__(self) -> None:
        positive("mu", self.mu)

    def sentence(self) -> str:
        return f"{self.mu:g}-Gaussian differentially private"

    def curve(self) -> Curve:
        return lambda eps: gaussian_delta(self.mu, eps)

    def attained_pair(self) -> Pair:
        return GaussianPair(rational(self.mu))

    def implies(self, other: Guarantee) -> Truth:
        if isinstance(other, GaussianDP):
            return follows(self.mu <= other.mu, Truth.FAILS)
        if isinstance(other, ZeroConcentratedDP):
            return follows(self.mu * self.mu / 2 <= other.rho, Truth.FAILS)
        return super().implies(other)

    def allowed_loss(self) -> float:
        # Losses up to log (1 - x)/x satisfy mu = 2 Phi^{-1}(1 - x), and Phi(-t) <= exp(-t^2/2).
        return self.mu * self.mu / 8

    def cost(self) -> dict[str, Any]:
        return {"rho": nextafter(self.mu * self.mu / 2, inf)}

    def compared_with(self) -> tuple[float, ...]:
        # Of laws that are not normal the profiles are compared, at one of these epsilons.
        return (self.mu, *map(float, self.curve()(EPSILONS)))

    def inequality(self, pair: Pair) -> Step:
        mu = loosest(self.mu)
        if isinstance(pair, GaussianPair):
            return claimed_step(
                pair.mu, self.mu, "the pair is N(0,1) against N(mu,1) with mu at most the claimed one"
            )
        epsilon = _violating_epsilon(pair, self)
        if epsilon is not None:
            return Step(
                pair.profile(epsilon),
                "<=",
                GaussianPair(mu).profile(epsilon),
                f"the profiles at epsilon = {epsilon} ({READ})",
                how=_can_only_fail,
            )
        # Total variation alone decides for pure-DP pairs: f_epsilon lies above the trade-off function of a GDP pair
        # with at least the same total variation only if the whole curve does, which is not settled by points.
        return Step(
            pair.profile(sp.Symbol("epsilon")),
            "<=",
            GaussianPair(mu).profile(sp.Symbol("epsilon")),
            "for all epsilon: not decided by evaluating points",
            how=unsettled,
        )

    def tightened(self, factor: float) -> Self:
        return replace(self, mu=self.mu / factor)


def _can_only_fail(left: sp.Expr, right: sp.Expr) -> Truth:
    # One epsilon can refute what is said of all, and never prove it.
    return Truth.FAILS if at_most(left, right) is Truth.FAILS else Truth.UNKNOWN


def _violating_epsilon(pair: Pair, guarantee: Guarantee) -> sp.Expr | None:
    excess = pair.delta(EPSILONS) - guarantee.curve()(EPSILONS)
    worst = int(np.argmax(excess))
    return sp.Rational(repr(float(EPSILONS[worst]))) if excess[worst] > 1e-12 else None
