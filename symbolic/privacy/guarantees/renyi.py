"""Renyi and zero-concentrated differential privacy: bounds on Renyi divergences, of one order or of all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
import sympy as sp
from numpy.typing import ArrayLike

from ...arrays import Floats, is_finite
from ...proof.derivation import Step
from ...proof.enclosure import rational
from ...proof.truth import Truth
from ..pair import GaussianPair, Pair
from .guarantee import Curve, Guarantee, at_most, claimed_step, follows, loosened, positive, unsettled

_ORDERS = tuple(map(sp.Rational, ("3/2", "2", "4", "8", "32", "101/100")))


@dataclass(frozen=True)
class RenyiDP(Guarantee):
    """Renyi differential privacy: the Renyi divergence of `order` is at most `epsilon`, in both orders of the neighbours.

    `order` > 1, `epsilon` > 0 in nats. ValueError for anything else. Source: Mironov 2017.

    >>> pair = npf.GaussianMechanism(sigma=2.0, sensitivity=1.0).worst_case().pair
    >>> npf.RenyiDP(order=4.0, epsilon=0.5).holds(pair).name  # order mu^2/2 with mu = 1/2
    'HOLDS'
    """

    order: float
    epsilon: float

    key: ClassVar[str] = "renyi"
    spec_key: ClassVar[str] = "renyi-dp"
    currency: ClassVar[str] = "Renyi points"
    weaker: ClassVar[Mapping[str, int]] = {"order": 0}

    def __post_init__(self) -> None:
        if not (is_finite(self.order) and self.order > 1):
            raise ValueError(f"order must be a finite number > 1, got {self.order!r}")
        positive("epsilon", self.epsilon)

    def sentence(self) -> str:
        return f"({self.order:g}, {self.epsilon:g})-Renyi differentially private"

    def curve(self) -> Curve:
        return lambda eps: _renyi_curve(self.order, self.epsilon, eps)

    def attained_pair(self) -> Pair:
        return GaussianPair(sp.sqrt(2 * rational(self.epsilon) / rational(self.order)))

    def implies(self, other: Guarantee) -> Truth:
        if not isinstance(other, RenyiDP):
            return super().implies(other)
        if self.epsilon > other.epsilon and self.order <= other.order:
            return Truth.FAILS
        # A Renyi divergence does not decrease with the order.
        return follows(self.order >= other.order and self.epsilon <= other.epsilon)

    def with_noise_divided_by(self, factor: float) -> RenyiDP:
        return replace(self, epsilon=factor**2 * self.epsilon)

    def allowed_loss(self) -> float:
        return self.epsilon

    def cost(self) -> dict[str, Any]:
        return {"renyi": ((self.order, self.epsilon),)}

    def compared_with(self) -> tuple[float, ...]:
        return (self.epsilon,)

    def inequality(self, pair: Pair) -> Step:
        return claimed_step(
            pair.renyi(rational(self.order)), self.epsilon, "the Renyi divergence of this order"
        )

    def tightened(self, factor: float) -> Self:
        return replace(self, epsilon=self.epsilon / factor)


def _renyi_curve(order: ArrayLike, bound: ArrayLike, eps: ArrayLike) -> Floats:
    """delta implied by one Renyi bound (Canonne, Kamath, Steinke 2020, proposition 12); capped at 1."""
    a = np.asarray(order, dtype=float)
    log_delta = (
        (a - 1) * (np.asarray(bound) - np.asarray(eps, dtype=float)) - np.log(a) + (a - 1) * np.log1p(-1 / a)
    )
    return np.asarray(np.exp(np.minimum(log_delta, 0.0)), dtype=float)


@dataclass(frozen=True)
class ZeroConcentratedDP(Guarantee):
    """rho-zero-concentrated DP: the Renyi divergence of every order a > 1 is at most rho a.

    `rho` > 0 in nats. ValueError for anything else. Source: Bun and Steinke 2016.

    >>> npf.ZeroConcentratedDP(0.125).holds(npf.GaussianMechanism(sigma=2.0).worst_case().pair).name
    'HOLDS'
    """

    rho: float

    key: ClassVar[str] = "zcdp"
    spec_key: ClassVar[str] = "zcdp"
    currency: ClassVar[str] = "rho (zero-concentrated)"

    def __post_init__(self) -> None:
        positive("rho", self.rho)

    def sentence(self) -> str:
        return f"{self.rho:g}-zero-concentrated differentially private"

    def curve(self) -> Curve:
        orders = 1 + np.geomspace(1e-2, 1e4, 400)

        def delta(eps: ArrayLike) -> Floats:
            x = np.asarray(eps, dtype=float)[..., None]
            return np.asarray(_renyi_curve(orders, self.rho * orders, x).min(axis=-1), dtype=float)

        return delta

    def attained_pair(self) -> Pair:
        return GaussianPair(sp.sqrt(2 * rational(self.rho)))

    def implies(self, other: Guarantee) -> Truth:
        if isinstance(other, ZeroConcentratedDP):
            return follows(self.rho <= other.rho, Truth.FAILS)
        return super().implies(other)

    def allowed_loss(self) -> float:
        return self.rho

    def cost(self) -> dict[str, Any]:
        return {"rho": self.rho}

    def compared_with(self) -> tuple[float, ...]:
        return tuple(self.rho * float(order) for order in (1, *_ORDERS))

    def stated_by(self, left: float, right: float) -> tuple[str, float, float]:
        # Both sides may be those of one order, of which rho has its share.
        return "rho", self.rho, left * self.rho / right

    def inequality(self, pair: Pair) -> Step:
        rho = loosened(self.rho)
        known = pair.concentration()
        if known is not None:
            return claimed_step(known[0], self.rho, known[1])
        for order in _ORDERS:
            if at_most(pair.renyi(order), rho * order) is Truth.FAILS:
                return claimed_step(
                    pair.renyi(order), self.rho, f"the Renyi divergence of order {order}", order
                )
        loss = pair.max_loss()
        if loss is not sp.oo and at_most(loss**2 / 2, rho) is Truth.HOLDS:
            return claimed_step(
                loss**2 / 2,
                self.rho,
                "pure epsilon implies rho = epsilon^2/2 (Bun, Steinke 2016, proposition 1.4)",
            )
        length = pair.loss_range()
        if length is not None and at_most(length**2 / 8, rho) is Truth.HOLDS:
            return claimed_step(
                length**2 / 8,
                self.rho,
                "losses in an interval of this length imply rho = length^2/8 (Cesar, Rogers 2021: bounded range)",
            )
        a = sp.Symbol("a", positive=True)
        return Step(
            pair.renyi(1 + a), "<=", rho * (1 + a), "for every order: not settled here", how=unsettled
        )

    def tightened(self, factor: float) -> Self:
        return replace(self, rho=self.rho / factor**2)
