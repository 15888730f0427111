"""Privacy guarantees: each is a whole privacy curve (for refutation) and a question to an exact pair (for proof)."""

from __future__ import annotations

import numbers
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import sympy as sp
from numpy.typing import ArrayLike

from ..arrays import Floats
from ..predicates import Predicate
from ..proof.derivation import Derivation, Step
from ..proof.enclosure import is_zero, rational, sign
from ..proof.truth import Truth
from .pair import GaussianPair, Pair, gaussian_delta

Curve = Callable[[ArrayLike], Floats]

# A claim's number is read to twelve digits: a scale computed as sensitivity/epsilon may be one rounding off.
READING = sp.Rational(1, 10**12)
# Where a Gaussian curve is tried on the profile of other laws, and Renyi orders at which a zero-concentrated bound is.
EPSILONS = np.linspace(0.0, 12.0, 481)
ORDERS = tuple(map(sp.Rational, ("3/2", "2", "4", "8", "32", "101/100")))


def _loosened(value: float) -> sp.Expr:
    return rational(value) * (1 + READING)


def at_most(left: sp.Expr, right: sp.Expr) -> Truth:
    """Whether left <= right between two exact constants, by enclosure."""
    if left is sp.oo:
        return Truth.FAILS
    s = sign(left - right)
    if s is None:
        return Truth.HOLDS if is_zero(left - right) is Truth.HOLDS else Truth.UNKNOWN
    return Truth.HOLDS if s <= 0 else Truth.FAILS


def positive(name: str, value: float, hint: str = "") -> None:
    """Raise ValueError unless `value` is a finite number above zero."""
    if isinstance(value, bool) or not (
        isinstance(value, numbers.Real) and np.isfinite(float(value)) and value > 0
    ):
        raise ValueError(f"{name} must be a finite number > 0, got {value!r}{hint}")


class Guarantee(Predicate):
    """For every epsilon >= 0 the delta that is allowed between neighbours, in both orders."""

    @abstractmethod
    def curve(self) -> Curve:
        """delta(epsilon), non-increasing: every pair that satisfies the guarantee lies below it."""

    @abstractmethod
    def inequality(self, pair: Pair) -> Step:
        """The one comparison that decides the guarantee on an exact pair."""

    @abstractmethod
    def tightened(self, factor: float) -> Self:
        """The same kind of guarantee, stricter by `factor` >= 1 (epsilon or mu divided by it)."""

    def prove(self, pair: Pair) -> Derivation:
        """The steps of the pair's profile and the deciding comparison."""
        return Derivation(self.sentence(), (*pair.steps(), self.inequality(pair)), pair_lemmas(pair))

    def holds(self, pair: Pair) -> Truth:
        """HOLDS or FAILS for this exact pair, UNKNOWN if no rigorous comparison is available."""
        return self.inequality(pair).check()

    def parameters(self) -> dict[str, Any]:
        return {k: float(v) for k, v in vars(self).items()}


def pair_lemmas(pair: Pair) -> tuple[str, ...]:
    """The facts that a pair's closed form takes from the literature."""
    first = ("Neyman-Pearson: sup_E P(E) - e^epsilon Q(E) is attained on {log p/q > epsilon}",)
    if isinstance(pair, GaussianPair):
        return (*first, "a linear bijection of the outcome leaves every hockey-stick divergence unchanged")
    return first


def _step(left: sp.Expr, right: sp.Expr, reason: str) -> Step:
    return Step(left, "<=", right, reason + " (the claim's numbers are read to 12 digits)", how=at_most)


@dataclass(frozen=True)
class PureDP(Guarantee):
    """epsilon-differential privacy: P(E) <= e^epsilon Q(E) for all events."""

    epsilon: float

    def __post_init__(self) -> None:
        positive("epsilon", self.epsilon)

    def sentence(self) -> str:
        return f"{self.epsilon:g}-differentially private"

    def curve(self) -> Curve:
        return lambda eps: _randomised_response_curve(self.epsilon, 0.0, eps)

    def inequality(self, pair: Pair) -> Step:
        return _step(pair.max_loss(), _loosened(self.epsilon), "the largest privacy loss is at most epsilon")

    def tightened(self, factor: float) -> Self:
        return replace(self, epsilon=self.epsilon / factor)


def _randomised_response_curve(epsilon: float, delta: float, eps: ArrayLike) -> Floats:
    """The profile that (epsilon, delta) implies at every eps: Kairouz, Oh, Viswanath (2017), their extreme pair."""
    x = np.asarray(eps, dtype=float)
    inside = delta + (1 - delta) * -np.expm1(np.minimum(x - epsilon, 0.0)) / (1 + np.exp(-epsilon))
    return np.asarray(np.where(x < epsilon, inside, delta), dtype=float)


@dataclass(frozen=True)
class ApproxDP(Guarantee):
    """(epsilon, delta)-differential privacy: P(E) <= e^epsilon Q(E) + delta for all events."""

    epsilon: float
    delta: float

    def __post_init__(self) -> None:
        if not (np.isfinite(self.epsilon) and self.epsilon >= 0):
            raise ValueError(f"epsilon must be a finite number >= 0, got {self.epsilon!r}")
        if not 0 <= self.delta < 1:
            raise ValueError(
                f"delta must lie in [0, 1), got {self.delta!r}; delta >= 1 would allow everything"
            )
        if self.epsilon == 0 and self.delta == 0:
            raise ValueError(
                "epsilon = 0 with delta = 0 claims that the release ignores its input: give one above 0"
            )

    def sentence(self) -> str:
        return f"({self.epsilon:g}, {self.delta:g})-differentially private"

    def curve(self) -> Curve:
        return lambda eps: _randomised_response_curve(self.epsilon, self.delta, eps)

    def inequality(self, pair: Pair) -> Step:
        if self.delta == 0:
            return PureDP(self.epsilon).inequality(pair)
        e, d = _loosened(self.epsilon), _loosened(self.delta)
        if at_most(pair.max_loss(), e) is Truth.HOLDS:
            return _step(
                pair.max_loss(), e, "the largest privacy loss is at most epsilon, delta is not even needed"
            )
        return _step(pair.profile(e), d, "the exact profile at epsilon is at most delta")

    def tightened(self, factor: float) -> Self:
        return replace(self, epsilon=self.epsilon / factor)


@dataclass(frozen=True)
class GaussianDP(Guarantee):
    """mu-Gaussian differential privacy: no pair is easier to tell apart than N(0,1) and N(mu,1) (Dong, Roth, Su 2022)."""

    mu: float

    def __post_init__(self) -> None:
        positive("mu", self.mu)

    def sentence(self) -> str:
        return f"{self.mu:g}-Gaussian differentially private"

    def curve(self) -> Curve:
        return lambda eps: gaussian_delta(self.mu, eps)

    def inequality(self, pair: Pair) -> Step:
        mu = _loosened(self.mu)
        if isinstance(pair, GaussianPair):
            return _step(pair.mu, mu, "the pair is N(0,1) against N(mu,1) with mu at most the claimed one")
        epsilon = _violating_epsilon(pair, self)
        if epsilon is not None:
            return Step(
                pair.profile(epsilon),
                "<=",
                GaussianPair(mu).profile(epsilon),
                f"the profiles at epsilon = {epsilon} (the claim's numbers are read to 12 digits)",
                how=_can_only_fail,
            )
        # Total variation alone decides for pure-DP pairs: f_epsilon lies above the trade-off function of a GDP pair
        # with at least the same total variation only if the whole curve does, which is not settled by points.
        return Step(
            pair.profile(sp.Symbol("epsilon")),
            "<=",
            GaussianPair(mu).profile(sp.Symbol("epsilon")),
            "for all epsilon: not decided by evaluating points",
            how=lambda _l, _r: Truth.UNKNOWN,
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


@dataclass(frozen=True)
class RenyiDP(Guarantee):
    """Renyi divergence of the given order at most epsilon, in both orders of the neighbours (Mironov 2017)."""

    order: float
    epsilon: float

    def __post_init__(self) -> None:
        if not (np.isfinite(self.order) and self.order > 1):
            raise ValueError(f"order must be a finite number > 1, got {self.order!r}")
        positive("epsilon", self.epsilon)

    def sentence(self) -> str:
        return f"({self.order:g}, {self.epsilon:g})-Renyi differentially private"

    def curve(self) -> Curve:
        return lambda eps: _renyi_curve(self.order, self.epsilon, eps)

    def inequality(self, pair: Pair) -> Step:
        return _step(
            pair.renyi(rational(self.order)), _loosened(self.epsilon), "the Renyi divergence of this order"
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
    """Renyi divergence of every order a > 1 at most rho * a (Bun, Steinke 2016)."""

    rho: float

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

    def inequality(self, pair: Pair) -> Step:
        rho = _loosened(self.rho)
        if isinstance(pair, GaussianPair):
            return _step(pair.mu**2 / 2, rho, "the Renyi divergence of order a is a mu^2/2, for every a")
        for order in ORDERS:
            if at_most(pair.renyi(order), rho * order) is Truth.FAILS:
                return _step(pair.renyi(order), rho * order, f"the Renyi divergence of order {order}")
        loss = pair.max_loss()
        if loss is not sp.oo and at_most(loss**2 / 2, rho) is Truth.HOLDS:
            return _step(
                loss**2 / 2,
                rho,
                "pure epsilon implies rho = epsilon^2/2 (Bun, Steinke 2016, proposition 1.4)",
            )
        a = sp.Symbol("a", positive=True)
        return Step(
            pair.renyi(1 + a),
            "<=",
            rho * (1 + a),
            "for every order: not settled here",
            how=lambda _l, _r: Truth.UNKNOWN,
        )

    def tightened(self, factor: float) -> Self:
        return replace(self, rho=self.rho / factor**2)


# By the name under which claims and witnesses are recorded.
GUARANTEES: dict[str, type[Guarantee]] = {
    kind.__name__: kind for kind in (PureDP, ApproxDP, GaussianDP, RenyiDP, ZeroConcentratedDP)
}
