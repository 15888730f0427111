"""Exact privacy loss of a noisy second-moment matrix between explicit neighbours, and what it takes to see it.

Chanyaswad, Liu, Mittal (2019, lemma 4) scale the noise to 2 sqrt(p)/n.  One record at the first or at the second of two
unit vectors that are constant on two blocks moves the matrix by sqrt(2) p/n (even p) or sqrt(2 p^2 - 1)/n (odd p) in L1.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import sympy as sp
from numpy.typing import ArrayLike

from noiseproof.audit.record.evidence import Verdict
from noiseproof.audit.trial.attack.betting import best_fraction
from noiseproof.audit.trial.checks.rare_events import Sample, draw
from noiseproof.mechanisms.covariance import LaplaceCovariance
from noiseproof.mechanisms.ron_gauss.scales import needed_covariance, printed_covariance
from noiseproof.symbolic.arrays import Floats
from noiseproof.symbolic.errors import SpecError
from noiseproof.symbolic.laws import catalogue as laws
from noiseproof.symbolic.laws.vector import IndependentNoise
from noiseproof.symbolic.privacy.pair import ProductLaplacePair
from noiseproof.symbolic.proof.enclosure import compare, rational
from noiseproof.symbolic.proof.truth import Truth

SENSITIVITIES = ("printed", "needed")
_SECTIONS = 12
_THRESHOLDS = 30
_RELATIVE = 1e-3  # of the way from a threshold to the largest loss: the step of a slope


@dataclass(frozen=True, eq=False)
class MatrixAttack:
    """A matrix with Laplace noise of `scale` on each entry, claimed epsilon-private, attacked at one pair of neighbours.

    `u` and `v` are the record that differs, projected, in the two data sets; `pair` holds the exact laws; `bound` is a
    proved bound of the loss between any neighbours.
    """

    epsilon: float
    scale: sp.Expr
    u: Floats
    v: Floats
    pair: ProductLaplacePair
    bound: sp.Expr

    @property
    def max_loss(self) -> sp.Expr:
        """The largest privacy loss of the pair, exact: the pure epsilon that really holds there."""
        return self.pair.max_loss()

    @cached_property
    def verdict(self) -> Verdict:
        """REFUTED if the pair's loss exceeds epsilon, PROVED if the bound does not, by exact comparison."""
        claimed = rational(self.epsilon)
        if compare(self.max_loss, "<=", claimed) is Truth.FAILS:
            return Verdict.REFUTED
        return Verdict.PROVED if compare(self.bound, "<=", claimed) is Truth.HOLDS else Verdict.UNDECIDED

    def profile(self, epsilon: ArrayLike) -> tuple[Floats, Floats]:
        """Rigorous lower and upper bounds of delta at each epsilon >= 0."""
        return self.pair.bounds(epsilon)

    @cached_property
    def delta_at_claim(self) -> tuple[float, float]:
        """How severe: lower and upper bound of delta at the claimed epsilon, (0, 0) where nothing exceeds it."""
        if self.verdict is not Verdict.REFUTED:
            return 0.0, 0.0
        low, high = self.profile(self.epsilon)
        return float(low), float(high)

    def epsilon_at(self, delta: float) -> float:
        """The least epsilon >= 0 whose delta is certainly at most `delta`, to seven digits."""
        if not 0 < delta < 1:
            raise SpecError(f"delta must lie strictly between 0 and 1, got {delta!r}")
        if float(self.profile(0.0)[1]) <= delta:
            return 0.0
        low, high = 0.0, float(self.max_loss)
        while high - low > 1e-7 * high:
            grid = np.linspace(low, high, _SECTIONS + 1)
            # At the largest loss delta is zero, whatever rounding says.
            small = np.append(self.profile(grid[1:-1])[1] <= delta, True)
            first = int(np.argmax(small))
            low, high = float(grid[first]), float(grid[first + 1])
        return high

    def sample_size(self, alpha: float = 0.05) -> float:
        """Outcomes per input after which the best bet on the best event of the exact laws refutes, on average.

        No plain sample does with fewer, whatever event it looks at.  The rates of {loss > t} are delta(t) - delta'(t)
        and -e^-t delta'(t); infinite where the pair keeps the claim.
        """
        if not 0 < alpha < 1:
            raise SpecError(f"alpha must lie strictly between 0 and 1, got {alpha!r}")
        if self.verdict is not Verdict.REFUTED:
            return float("inf")
        top = float(self.max_loss)
        t = self.epsilon + (top - self.epsilon) * np.linspace(0.0, 0.98, _THRESHOLDS)
        step = _RELATIVE * (top - self.epsilon)
        left, right = self.pair.delta(t), self.pair.delta(t + step)
        slope = np.maximum(left - right, 0.0) / step
        q = np.exp(-t) * slope
        _, growth = best_fraction(np.minimum(left + slope, 1.0), np.minimum(q, 1.0), self.epsilon, 0.0)
        # The logarithms of the capital lose the digits of rare events: there the first order is exact enough.
        gain = left + slope - np.exp(self.epsilon) * q
        first_order = _rare_growth(left + slope, q, self.epsilon)
        growth = np.where(gain > 1e-9, growth, first_order)
        return float(-np.log(alpha) / growth.max()) if growth.max() > 0 else float("inf")

    def weighted(self, size: int | None = None, seed: int = 0) -> Sample:
        """Importance-weighted losses of outcomes drawn where they reach the claimed epsilon; `Sample.lower` certifies delta."""
        scaled = [float(r) for r in self.pair.ratios if r != 0]
        noise = laws.laplace(0, 1)
        p, q = IndependentNoise(noise, tuple(scaled)), IndependentNoise(noise, (0.0,) * len(scaled))
        return draw(p, q, np.array([self.epsilon]), np.random.default_rng(seed), size)


def covariance_attack(
    p: int, n: int, epsilon: float, sensitivity: str = "printed", symmetric: bool = False
) -> MatrixAttack:
    """The attack on (1/n) sum x x' (p, p) with noise on all entries, or on the upper triangle if `symmetric`.

    `sensitivity` "printed" or "needed" sets the scale.  Raises ValueError for p < 1, n < 2, epsilon <= 0.
    """
    checked(p, n, epsilon, sensitivity)
    size = needed_covariance(p, symmetric=symmetric)
    scale = (printed_covariance(p) if sensitivity == "printed" else size) / (n * rational(epsilon))
    bound = size / (n * scale)
    if p == 1:
        ratio = 1 / (n * scale)
        return MatrixAttack(epsilon, scale, np.ones(1), np.zeros(1), ProductLaplacePair((ratio,)), bound)
    mechanism = LaplaceCovariance(p, n, scale, symmetric)
    ((zero, one),) = mechanism.neighbours()
    pair = mechanism.worst_case().pair
    assert isinstance(pair, ProductLaplacePair)
    return MatrixAttack(epsilon, scale, one[0], zero[0], pair, bound)


def checked(p: int, n: int, epsilon: float, sensitivity: str) -> None:
    """Raises SpecError unless these describe a release of n >= 2 records in R^p."""
    for name, value, least in (("p", p, 1), ("n", n, 2)):
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
            raise SpecError(f"{name} must be a whole number >= {least}, got {value!r}")
    if not (np.isfinite(epsilon) and epsilon > 0):
        raise SpecError(f"epsilon must be a finite number > 0, got {epsilon!r}")
    if sensitivity not in SENSITIVITIES:
        raise SpecError(f'sensitivity must be "printed" or "needed", got {sensitivity!r}')


def _rare_growth(p: Floats, q: Floats, epsilon: float) -> Floats:
    """The best expected log growth p log(1 + s) + q log(1 - s e^epsilon) over stakes s, for events too rare to coincide."""
    stakes = np.linspace(0.02, 0.98, 49) * np.exp(-epsilon)
    growth = p[:, None] * np.log1p(stakes) + q[:, None] * np.log1p(-stakes * np.exp(epsilon))
    return np.asarray(np.maximum(growth.max(axis=1), 0.0), dtype=float)
