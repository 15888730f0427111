"""Pairs of neighbouring output laws that are known exactly, and their privacy profiles.

The profile of a pair (P, Q) is delta(epsilon) = max over both orders of the hockey-stick divergence
sup_E P(E) - e^epsilon Q(E).  Each class gives it in closed form; `steps` says how the closed form comes about.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from dataclasses import dataclass
from functools import cache, cached_property
from typing import ClassVar

import numpy as np
import sympy as sp
from numpy.typing import ArrayLike
from scipy import special

from ..arrays import Floats
from ..proof.as_written import difference, product, value_at
from ..proof.derivation import Step, evaluated
from ..proof.enclosure import is_zero
from .product_pair import Groups, floating_bounds, grouped, profile_function
from .product_steps import product_steps


def Phi(x: sp.Expr) -> sp.Expr:  # noqa: N802 - the field's name for the normal distribution function
    """The standard normal distribution function, written through erfc so that it can be enclosed."""
    return sp.erfc(-x / sp.sqrt(2)) / 2


class Pair(ABC):
    """Two neighbouring output laws, known exactly; `curve_known` says how `delta`, which figures show, is known."""

    curve_known: ClassVar[str] = "law, exact"

    @abstractmethod
    def profile(self, epsilon: sp.Expr) -> sp.Expr:
        """The exact delta at a numeric or symbolic epsilon >= 0."""

    @abstractmethod
    def delta(self, epsilon: ArrayLike) -> Floats:
        """The profile in floating point, vectorised over epsilon."""

    @abstractmethod
    def max_loss(self) -> sp.Expr:
        """The essential supremum of the absolute privacy loss; oo if it is unbounded."""

    @abstractmethod
    def renyi(self, order: sp.Expr) -> sp.Expr:
        """The larger of the two Renyi divergences of the given order > 1."""

    def concentration(self) -> tuple[sp.Expr, str] | None:
        """The least rho such that the Renyi divergence of every order a > 1 is at most a rho, and why; None if not known."""
        return None

    def loss_range(self) -> sp.Expr | None:
        """The length of the least interval that holds all losses of one law against the other; None if not known, or endless."""
        return None

    @abstractmethod
    def steps(self) -> tuple[Step, ...]:
        """Checked steps from the two densities to the closed form of the profile."""


@dataclass(frozen=True)
class GaussianPair(Pair):
    """N(0, 1) against N(mu, 1); every pair of normal laws of equal covariance S with means d apart is one,
    with mu^2 = d' S^{-1} d (a linear bijection of the outcome changes no divergence)."""

    mu: sp.Expr

    def __post_init__(self) -> None:
        _not_negative("mu", self.mu)

    def profile(self, epsilon: sp.Expr) -> sp.Expr:
        if self.mu == 0:
            return sp.Integer(0)
        return Phi(self.mu / 2 - epsilon / self.mu) - sp.exp(epsilon) * Phi(-self.mu / 2 - epsilon / self.mu)

    def delta(self, epsilon: ArrayLike) -> Floats:
        return gaussian_delta(float(self.mu), epsilon)

    def max_loss(self) -> sp.Expr:
        return sp.oo if self.mu != 0 else sp.Integer(0)

    def renyi(self, order: sp.Expr) -> sp.Expr:
        return order * self.mu**2 / 2

    def concentration(self) -> tuple[sp.Expr, str]:
        return self.mu**2 / 2, "the Renyi divergence of order a is a mu^2/2, for every a"

    def steps(self) -> tuple[Step, ...]:
        return _gaussian_steps()


def gaussian_delta(mu: float, epsilon: ArrayLike) -> Floats:
    """delta(epsilon) of N(0,1) against N(mu,1); the second term by log_ndtr so that large epsilon does not overflow."""
    eps = np.asarray(epsilon, dtype=float)
    if mu == 0:
        return np.zeros(eps.shape)
    with np.errstate(over="ignore"):
        steps = eps / mu
    upper = special.ndtr(mu / 2 - steps)
    lower = np.exp(eps + special.log_ndtr(-mu / 2 - steps))
    return np.asarray(np.clip(upper - lower, 0.0, 1.0), dtype=float)


def gaussian_epsilon(mu: float, delta: float) -> float:
    """The least epsilon >= 0 at which N(0,1) against N(mu,1) has delta(epsilon) at most `delta` (Balle, Wang 2018, theorem 5).

    ValueError unless mu > 0 and 0 < delta < 1.
    """
    from scipy import optimize

    if not (np.isfinite(mu) and mu > 0 and 0 < delta < 1):
        raise ValueError(
            f"expected a finite mu > 0 and delta strictly between 0 and 1, got {mu!r} and {delta!r}"
        )
    if gaussian_delta(mu, 0.0) <= delta:
        return 0.0
    high = 1.0
    while gaussian_delta(mu, high) > delta:
        high *= 2
    return float(
        optimize.brentq(lambda e: float(gaussian_delta(mu, e)) / delta - 1, 0.0, high, xtol=1e-13, rtol=1e-14)
    )


@cache
def _gaussian_steps() -> tuple[Step, ...]:
    y = sp.Symbol("y", real=True)
    t = sp.Symbol("t", real=True)
    mu, eps = sp.Symbol("mu", positive=True), sp.Symbol("epsilon", nonnegative=True)
    p = sp.exp(-((y - mu) ** 2) / 2) / sp.sqrt(2 * sp.pi)
    q = sp.exp(-(y**2) / 2) / sp.sqrt(2 * sp.pi)
    loss = sp.expand(sp.expand_log(sp.log(p), force=True) - sp.expand_log(sp.log(q), force=True))
    threshold = eps / mu + mu / 2
    profile = GaussianPair(mu).profile(eps)
    return (
        Step(
            sp.log(p) - sp.log(q),
            "=",
            mu * y - mu**2 / 2,
            "the privacy loss log p(y)/q(y) is linear in the outcome y",
            lambda left, right: is_zero(sp.expand(sp.expand_log(left, force=True)) - right),
        ),
        Step(
            sp.Derivative(loss, y),
            "=",
            mu,
            "it increases, so {loss > epsilon} is the half-line y > t",
            evaluated,
        ),
        Step(loss.subs(y, threshold), "=", eps, "the half-line starts at t = epsilon/mu + mu/2"),
        # Differentiating the tails avoids trusting an integrator: equal derivatives, equal limits.
        Step(
            sp.Derivative(Phi(mu - t), t),
            "=",
            -p.subs(y, t),
            "P(y > t) = Phi(mu - t): minus the density is its derivative in t, and both vanish at oo",
            evaluated,
        ),
        Step(
            sp.Derivative(Phi(-t), t),
            "=",
            -q.subs(y, t),
            "Q(y > t) = Phi(-t): minus the density is its derivative in t, and both vanish at oo",
            evaluated,
        ),
        Step(
            Phi(mu - threshold) - sp.exp(eps) * Phi(-threshold),
            "=",
            profile,
            "delta(epsilon) = P(y > t) - e^epsilon Q(y > t)",
            shown=(
                "Phi(mu - (epsilon/mu + mu/2)) - exp(epsilon)*Phi(-(epsilon/mu + mu/2))",
                "Phi(mu/2 - epsilon/mu) - exp(epsilon)*Phi(-mu/2 - epsilon/mu)",
            ),
        ),
        Step(
            sp.Derivative(profile, mu),
            "=",
            sp.exp(-((mu / 2 - eps / mu) ** 2) / 2) / sp.sqrt(2 * sp.pi),
            "delta increases with mu: the worst neighbours are those farthest apart",
            lambda left, right: is_zero(sp.simplify(left.doit()) - right),
        ),
    )


@dataclass(frozen=True)
class LaplacePair(Pair):
    """Laplace noise of scale b on one real number, centres b * ratio apart."""

    ratio: sp.Expr

    def __post_init__(self) -> None:
        _not_negative("ratio", self.ratio)

    def profile(self, epsilon: sp.Expr) -> sp.Expr:
        return sp.Max(0, 1 - sp.exp((epsilon - self.ratio) / 2))

    def delta(self, epsilon: ArrayLike) -> Floats:
        return np.abs(np.expm1(np.minimum(np.asarray(epsilon, dtype=float) - float(self.ratio), 0.0) / 2))

    def max_loss(self) -> sp.Expr:
        return self.ratio

    def renyi(self, order: sp.Expr) -> sp.Expr:
        r, a = self.ratio, order
        return sp.log(a * sp.exp((a - 1) * r) / (2 * a - 1) + (a - 1) * sp.exp(-a * r) / (2 * a - 1)) / (
            a - 1
        )

    def steps(self) -> tuple[Step, ...]:
        return _laplace_steps()


@cache
def _laplace_steps() -> tuple[Step, ...]:
    t, r = sp.Symbol("t", nonnegative=True), sp.Symbol("r", positive=True)
    # Noise scale 1, centres 0 and r; on [0, r] write y = r*u to keep the sign of y - r known to sympy.
    u = sp.Symbol("u", positive=True)
    gap = sp.Symbol("g", nonnegative=True)
    eps = sp.Symbol("epsilon", nonnegative=True)
    loss_inside = -(r - r * u) + r * u
    above = sp.exp(-(t + gap)) / 2
    falls = product(-1, sp.Derivative(above, gap))
    profile = 1 - sp.exp((eps - r) / 2)
    threshold = (eps + r) / 2
    return (
        Step(
            difference(t + r, t), "=", r, "beyond both centres the loss |y| - |y - r| is r, its largest value"
        ),
        Step(
            value_at(loss_inside, {u: threshold / r}),
            "=",
            eps,
            "between the centres the loss is 2y - r: it reaches epsilon at y = (epsilon + r)/2",
        ),
        Step(falls, "=", above, "a Laplace tail e^{-s}/2 has the density e^{-s}/2"),
        Step(
            (1 - sp.exp(-(r - threshold)) / 2) - sp.exp(eps) * sp.exp(-threshold) / 2,
            "=",
            profile,
            "delta(epsilon) = P(y > t) - e^epsilon Q(y > t) with the two tails, for epsilon <= r",
        ),
        Step(sp.diff(profile, r), ">", sp.Integer(0), "delta increases with the distance of the centres"),
    )


@dataclass(frozen=True)
class DiscretePair(Pair):
    """Two laws on the same finite set, as exact probabilities."""

    p: tuple[sp.Expr, ...]
    q: tuple[sp.Expr, ...]

    def __post_init__(self) -> None:
        if len(self.p) != len(self.q) or not self.p:
            raise ValueError(f"p and q need the same number of outcomes, got {len(self.p)} and {len(self.q)}")
        if any(sp.sympify(v).is_negative for v in (*self.p, *self.q)):
            raise ValueError(f"probabilities must be >= 0, got {self.p} and {self.q}")

    @cached_property
    def _groups(self) -> tuple[tuple[sp.Expr, sp.Expr, int], ...]:
        """Outcomes of the same two probabilities, which no event need tell apart, with their number."""
        return tuple((a, b, n) for (a, b), n in Counter(zip(self.p, self.q, strict=True)).items())

    def profile(self, epsilon: sp.Expr) -> sp.Expr:
        e = sp.exp(epsilon)
        one = sum((n * sp.Max(0, a - e * b, evaluate=False) for a, b, n in self._groups), sp.Integer(0))
        two = sum((n * sp.Max(0, b - e * a, evaluate=False) for a, b, n in self._groups), sp.Integer(0))
        return _larger(one, two)

    def delta(self, epsilon: ArrayLike) -> Floats:
        with np.errstate(over="ignore"):
            e = np.exp(np.asarray(epsilon, dtype=float))[..., None]
        # Beyond the range of a double e^epsilon takes everything from what has any probability at all.
        e = np.minimum(e, np.finfo(float).max)
        p, q, n = (np.array(column, dtype=float) for column in zip(*self._groups, strict=True))
        both = [(n * np.maximum(0.0, a - e * b)).sum(axis=-1) for a, b in ((p, q), (q, p))]
        return np.asarray(np.maximum(*both), dtype=float)

    def max_loss(self) -> sp.Expr:
        losses = [sp.Integer(0)]
        for a, b, _ in self._groups:
            if a == 0 and b == 0:
                continue
            if a == 0 or b == 0:
                return sp.oo
            losses += [sp.log(a / b), sp.log(b / a)]
        return _larger(*losses)

    def loss_range(self) -> sp.Expr | None:
        losses = [sp.log(a / b) for a, b, _ in self._groups if a != 0 and b != 0]
        if self.max_loss() is sp.oo or not losses:
            return None
        return _larger(*losses) + _larger(*(-loss for loss in losses))

    def renyi(self, order: sp.Expr) -> sp.Expr:
        if self.max_loss() is sp.oo:
            return sp.oo

        def one(forward: bool) -> sp.Expr:
            sides = ((a, b, n) if forward else (b, a, n) for a, b, n in self._groups)
            return sp.log(sum(n * a**order * b ** (1 - order) for a, b, n in sides if a != 0)) / (order - 1)

        return _larger(one(True), one(False))

    def steps(self) -> tuple[Step, ...]:
        reason = "probabilities sum to one; the best event collects the outcomes with p > e^epsilon q"
        sums = (sum((row[side] * row[2] for row in self._groups), sp.Integer(0)) for side in (0, 1))
        return tuple(Step(total, "=", sp.Integer(1), reason) for total in sums)


def _larger(*values: sp.Expr) -> sp.Expr:
    """The largest value, left to the enclosure: sympy would compare such numbers by evaluation without end."""
    distinct = list(dict.fromkeys(values))
    return distinct[0] if len(distinct) == 1 else sp.Max(*distinct, evaluate=False)


@dataclass(frozen=True)
class ProductLaplacePair(Pair):
    """Independent Laplace noise on d numbers, centres ratios[i] >= 0 scales apart in coordinate i.

    The loss is a sum of independent clipped terms; `symbolic/privacy/product_pair.py` has the exact profile.  `delta` is the
    middle of `bounds`; `grid` > 0 is the step of the lattice of losses, 0 leaves it to the lattice.
    """

    ratios: tuple[sp.Expr, ...]
    grid: float = 0.0

    def __post_init__(self) -> None:
        for ratio in self.ratios:
            _not_negative("ratio", ratio)

    @property
    def groups(self) -> Groups:
        """The distinct ratios above zero, each with its number of coordinates."""
        return grouped(self.ratios)

    def profile(self, epsilon: sp.Expr) -> sp.Expr:
        return profile_function(self.groups)(epsilon)

    def bounds(self, epsilon: ArrayLike) -> tuple[Floats, Floats]:
        """Rigorous lower and upper bounds of the profile at each epsilon >= 0, in floating point."""
        eps = np.asarray(epsilon, dtype=float)
        low, high = floating_bounds(self.groups, np.atleast_1d(eps).ravel(), self.grid)
        return low.reshape(eps.shape), high.reshape(eps.shape)

    def delta(self, epsilon: ArrayLike) -> Floats:
        low, high = self.bounds(epsilon)
        return np.asarray((low + high) / 2, dtype=float)

    def max_loss(self) -> sp.Expr:
        return sp.Add(*(n * r for r, n in self.groups))

    def renyi(self, order: sp.Expr) -> sp.Expr:
        return sp.Add(*(n * LaplacePair(r).renyi(order) for r, n in self.groups))

    def steps(self) -> tuple[Step, ...]:
        one = _laplace_steps()[0]
        reason = "in each coordinate the loss is at most its ratio, and losses of independent noise add"
        return (Step(one.left, "=", one.right, reason), *product_steps())


@dataclass(frozen=True)
class BoundedByEach(Pair):
    """An upper bound only: every pair in question is at least as hard to tell apart as each of `pairs`.

    A guarantee that holds for one of them holds for the pairs that they bound, whatever the others say.
    """

    pairs: tuple[Pair, ...]

    def profile(self, epsilon: sp.Expr) -> sp.Expr:
        return sp.Min(*(p.profile(epsilon) for p in self.pairs), evaluate=False)

    def delta(self, epsilon: ArrayLike) -> Floats:
        return np.asarray(np.min([p.delta(epsilon) for p in self.pairs], axis=0), dtype=float)

    def max_loss(self) -> sp.Expr:
        return sp.Min(*(p.max_loss() for p in self.pairs))

    def renyi(self, order: sp.Expr) -> sp.Expr:
        return sp.Min(*(p.renyi(order) for p in self.pairs))

    def steps(self) -> tuple[Step, ...]:
        return tuple(step for p in self.pairs for step in p.steps())


def _not_negative(name: str, value: sp.Expr) -> None:
    if sp.sympify(value).is_negative:
        raise ValueError(
            f"{name} is a distance of centres in scales, >= 0: take the absolute value first, got {value}"
        )
