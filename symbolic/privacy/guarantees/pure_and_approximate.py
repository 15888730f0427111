"""Pure and approximate differential privacy: one point of the curve says it all."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
import sympy as sp
from numpy.typing import ArrayLike

from ...arrays import Floats, is_finite
from ...proof.derivation import Step
from ...proof.enclosure import rational
from ...proof.reading import most
from ...proof.truth import Truth
from ..pair import DiscretePair, Pair
from .guarantee import (
    READ,
    Curve,
    Guarantee,
    at_most,
    claimed_step,
    deciding_step,
    follows,
    graded,
    loosest,
    positive,
)
from .renyi import RenyiDP, ZeroConcentratedDP


@dataclass(frozen=True)
class PureDP(Guarantee):
    """epsilon-differential privacy: P(E) <= e^epsilon Q(E) for all events E and both orders of the neighbours.

    `epsilon` > 0 is the bound of the privacy loss, in nats. ValueError for anything else. Source: Dwork et al. 2006; Dwork and
    Roth 2014, definition 2.4.

    >>> npf.PureDP(0.5).implies(npf.ZeroConcentratedDP(0.125)).name  # rho = epsilon^2/2: Bun and Steinke 2016
    'HOLDS'
    """

    epsilon: float

    key: ClassVar[str] = "pure"
    spec_key: ClassVar[str] = "pure-dp"
    currency: ClassVar[str] = "epsilon (pure)"

    def __post_init__(self) -> None:
        positive("epsilon", self.epsilon)

    def sentence(self) -> str:
        return f"{self.epsilon:g}-differentially private"

    def curve(self) -> Curve:
        return lambda eps: _randomised_response_curve(self.epsilon, 0.0, eps)

    def point(self) -> tuple[float, float]:
        return self.epsilon, 0.0

    def attained_pair(self) -> Pair:
        return _randomised_response(self.epsilon, 0.0)

    def implies(self, other: Guarantee) -> Truth:
        match other:
            case PureDP():
                return follows(self.epsilon <= other.epsilon, Truth.FAILS)
            case ApproxDP() | RenyiDP():
                return follows(self.epsilon <= other.epsilon)
            case ZeroConcentratedDP():
                # Bun, Steinke 2016, proposition 1.4.
                return follows(self.epsilon * self.epsilon / 2 <= other.rho)
        return super().implies(other)

    def allowed_loss(self) -> float:
        return self.epsilon

    def cost(self) -> dict[str, Any]:
        return {"epsilon": self.epsilon}

    def inequality(self, pair: Pair) -> Step:
        return claimed_step(pair.max_loss(), self.epsilon, "the largest privacy loss is at most epsilon")

    def tightened(self, factor: float) -> Self:
        return replace(self, epsilon=self.epsilon / factor)


@dataclass(frozen=True)
class ApproxDP(Guarantee):
    """(epsilon, delta)-differential privacy: P(E) <= e^epsilon Q(E) + delta for all events E and both orders of the neighbours.

    `epsilon` >= 0 in nats, 0 <= `delta` < 1 a probability. ValueError for anything else. Source: Dwork and Roth 2014, definition 2.4.

    >>> pair = npf.GaussianMechanism(sigma=2.0, sensitivity=1.0).worst_case().pair
    >>> npf.ApproxDP(1.0, 0.01).holds(pair).name, npf.ApproxDP(1.0, 0.001).holds(pair).name
    ('HOLDS', 'FAILS')
    """

    epsilon: float
    delta: float

    key: ClassVar[str] = "approximate"
    spec_key: ClassVar[str] = "approx-dp"
    currency: ClassVar[str] = "epsilon with delta"
    by_profile: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not (is_finite(self.epsilon) and self.epsilon >= 0):
            raise ValueError(f"epsilon must be a finite number >= 0, got {self.epsilon!r}")
        if not (is_finite(self.delta) and 0 <= self.delta < 1):
            text = isinstance(self.delta, str)
            got = f"the text {self.delta!r}" if text else f"{self.delta!r}; delta >= 1 would allow everything"
            raise ValueError(f"delta must lie in [0, 1), got {got}")
        if self.epsilon == 0 and self.delta == 0:
            raise ValueError(
                "epsilon = 0 with delta = 0 claims that the release ignores its input: give one above 0"
            )

    def sentence(self) -> str:
        return f"({self.epsilon:g}, {self.delta:g})-differentially private"

    def curve(self) -> Curve:
        return lambda eps: _randomised_response_curve(self.epsilon, self.delta, eps)

    def point(self) -> tuple[float, float]:
        return self.epsilon, self.delta

    def attained_pair(self) -> Pair:
        return _randomised_response(self.epsilon, self.delta)

    def implies(self, other: Guarantee) -> Truth:
        match other:
            case PureDP():
                return Truth.FAILS if self.delta > 0 else Truth.UNKNOWN
            case ApproxDP() if self.delta > other.delta:
                return Truth.FAILS
        return super().implies(other)

    def with_noise_divided_by(self, factor: float) -> ApproxDP:
        return ApproxDP(factor * self.epsilon, min(factor * self.delta, 1 - (1 - self.delta) / factor))

    def allowed_loss(self) -> float:
        return self.epsilon

    def vacuous(self) -> str:
        if sp.Integer(1) <= loosest(self.delta):
            return "delta read to 12 digits is 1, which allows everything"
        return super().vacuous()

    def cost(self) -> dict[str, Any]:
        return {"approximate": (self.epsilon, self.delta)}

    def read_up(self) -> tuple[str, ...]:
        return ("delta",) if self.delta else ("epsilon",)

    def compared_with(self) -> tuple[float, ...]:
        return (self.delta,) if self.delta else (0.0, self.epsilon)

    def inequality(self, pair: Pair) -> Step:
        if self.delta == 0:
            return PureDP(self.epsilon).inequality(pair)
        # The reading of epsilon would move a small delta by more than its own digits, so epsilon is taken as it is.
        e, d = rational(self.epsilon), most(self.delta)
        if at_most(pair.max_loss(), e) is Truth.HOLDS:
            return deciding_step(
                pair.max_loss(), e, "the largest privacy loss is at most epsilon, delta is not even needed"
            )

        def decide(left: sp.Expr, right: sp.Expr) -> Truth:
            exact = graded(at_most(left, right), lambda: at_most(left, loosest(self.delta)))
            if exact is not Truth.FAILS:
                return exact
            # Within the reading of epsilon nothing is refuted either: scales are often one rounding off.
            read = at_most(pair.profile(loosest(self.epsilon)), loosest(self.delta))
            return exact if read is Truth.FAILS else Truth.UNKNOWN

        reason = f"the exact delta at epsilon is at most the claimed one ({READ})"
        return Step(pair.profile(e), "<=", d, reason, how=decide)

    def tightened(self, factor: float) -> Self:
        return replace(self, epsilon=self.epsilon / factor)


def _randomised_response(epsilon: float, delta: float) -> DiscretePair:
    """The truth with probability delta, randomised response otherwise: Kairouz, Oh, Viswanath (2017), their extreme pair."""
    leaks = rational(delta)
    keep = (1 - leaks) / (1 + sp.exp(-rational(epsilon)))
    p = (sp.Integer(0), 1 - leaks - keep, keep, leaks)
    return DiscretePair(p, p[::-1])


def _randomised_response_curve(epsilon: float, delta: float, eps: ArrayLike) -> Floats:
    """Its profile, which (epsilon, delta) implies at every eps."""
    x = np.asarray(eps, dtype=float)
    inside = delta + (1 - delta) * -np.expm1(np.minimum(x - epsilon, 0.0)) / (1 + np.exp(-epsilon))
    return np.asarray(np.where(x < epsilon, inside, delta), dtype=float)
