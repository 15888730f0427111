"""Where a printed calibration of Gaussian noise holds and where it fails, by rigorous enclosures over whole regions.

The exact curve delta(epsilon, mu) of N(0, 1) against N(mu, 1) decreases in epsilon and increases in mu, so the largest mu
that (epsilon, delta) admits increases in both; B(epsilon, delta) decreases in both.  Corners therefore bound a whole box.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import sympy as sp
from flint import arb, ctx
from numpy.typing import ArrayLike, NDArray

from noiseproof.audit.papers.farokhi2019.arguments.calibration_regions import exact_delta
from noiseproof.symbolic.arrays import Floats
from noiseproof.symbolic.privacy.pair import GaussianPair, Phi, gaussian_delta
from noiseproof.symbolic.proof.derivation import Derivation, Step
from noiseproof.symbolic.proof.exact_numbers import ball
from noiseproof.symbolic.proof.truth import Truth

Ends = tuple[float, float]
_BITS = 256


def condition_ball(epsilon: arb, delta: arb) -> arb:
    """A ball around B(epsilon, delta), the right side of condition (16) for S = 1, delta <= 1/2."""
    logarithm = (1 / (2 * delta)).log()
    return (2 * logarithm.max(arb(0))).sqrt() / epsilon + (2 * epsilon).rsqrt()


def critical_mu(epsilon: float, delta: float) -> Ends:
    """Two numbers between which the largest admissible mu = S/sigma certainly lies, 0 < delta <= 1/2."""
    guess = _critical_guess(_positive("epsilon", epsilon), _probability(delta))
    with ctx.workprec(_BITS):
        for width in (1e-12, 1e-10, 1e-8, 1e-5, 1e-3):
            low, high = guess * (1 - width), guess * (1 + width)
            within = exact_delta(arb(epsilon), arb(low)) <= arb(delta)
            if within and exact_delta(arb(epsilon), arb(high)) > arb(delta):
                return low, high
    raise ArithmeticError(f"no certified bracket of the critical mu at epsilon = {epsilon}, delta = {delta}")


def largest_sensitivity(epsilon: Ends, delta: Ends) -> Ends:
    """For all (epsilon, delta) of the box: theta = S B gives privacy where S <= low, and does not where S >= high.

    theta is the VARIANCE, as proposition 4 prints it; a single point is a box of equal ends.
    """
    return _product(epsilon, delta, 2)


def deviation_margin(epsilon: Ends, delta: Ends) -> Ends:
    """Bounds on B times the critical mu over the box: where low >= 1, a DEVIATION of S B gives privacy for all S."""
    return _product(epsilon, delta, 1)


def _product(epsilon: Ends, delta: Ends, power: int) -> Ends:
    """Bounds on B mu^power over a box, from its two extreme corners, rounded outwards."""
    low, _ = critical_mu(epsilon[0], delta[0])
    _, high = critical_mu(epsilon[1], delta[1])
    with ctx.workprec(_BITS):
        least = condition_ball(arb(epsilon[1]), arb(delta[1])) * arb(low) ** power
        most = condition_ball(arb(epsilon[0]), arb(delta[0])) * arb(high) ** power
        return (
            float(np.nextafter(float(least.lower()), 0.0)),
            float(np.nextafter(float(most.upper()), np.inf)),
        )


def printed_truth(epsilon: Ends, delta: Ends, sensitivity: Ends) -> Truth:
    """Proposition 4 with theta a variance, on a box of (epsilon, delta, S): true everywhere, false everywhere, or neither shown.

    It suffices to look at theta = S B: a larger theta only lowers delta.
    """
    low, high = largest_sensitivity(epsilon, delta)
    if sensitivity[1] <= low:
        return Truth.HOLDS
    return Truth.FAILS if sensitivity[0] >= high else Truth.UNKNOWN


def monotone() -> Derivation:
    """The monotonicity that lets corners speak for boxes."""
    eps, mu, delta = sp.symbols("epsilon mu delta", positive=True)
    k = sp.Symbol("K", positive=True)
    profile = GaussianPair(mu).profile(eps)
    in_mu = GaussianPair(mu).steps()[-1]
    steps = (
        in_mu,
        Step(in_mu.right, ">", sp.Integer(0), "so delta increases with mu"),
        Step(
            sp.simplify(sp.diff(profile, eps)),
            "=",
            -sp.exp(eps) * Phi(-mu / 2 - eps / mu),
            "delta decreases with epsilon: Phi is positive",
        ),
        Step(sp.diff(k / eps + 1 / sp.sqrt(2 * eps), eps), "<", sp.Integer(0), "B decreases with epsilon"),
        Step(
            sp.diff(sp.log(1 / (2 * delta)), delta), "<", sp.Integer(0), "B decreases with delta, through K"
        ),
    )
    return Derivation("the largest admissible mu increases, B decreases with epsilon and with delta", steps)


@dataclass(frozen=True)
class Region:
    """Per cell of a grid (k, l) of (epsilon, delta): the printed proposition 4 holds for S <= `holds`, fails for S >= `fails`."""

    epsilon: Floats
    delta: Floats
    holds: Floats
    fails: Floats

    def truth(self, sensitivity: float) -> NDArray[np.int8]:
        """1 where it holds on the whole cell, -1 where it fails on the whole cell, 0 where this was not decided."""
        return np.where(sensitivity <= self.holds, 1, np.where(sensitivity >= self.fails, -1, 0)).astype(
            np.int8
        )


def printed_region(epsilon: ArrayLike, delta: ArrayLike) -> Region:
    """The thresholds over the cells of a grid, `epsilon` (k + 1,) and `delta` (l + 1,) increasing, delta <= 1/2."""
    e, d = (np.asarray(v, dtype=float) for v in (epsilon, delta))
    if any(v.ndim != 1 or v.size < 2 or np.any(np.diff(v) <= 0) for v in (e, d)):
        raise ValueError("epsilon and delta are increasing lists of at least two grid lines")
    corners = np.array([[critical_mu(x, y) for y in d] for x in e])
    values = np.array([[_condition_ends(x, y) for y in d] for x in e])
    low = values[1:, 1:, 0] * corners[:-1, :-1, 0] ** 2
    high = values[:-1, :-1, 1] * corners[1:, 1:, 1] ** 2
    # Three roundings of doubles: far below one part in 1e15 each.
    return Region(e, d, low * (1 - 1e-15), high * (1 + 1e-15))


def _condition_ends(epsilon: float, delta: float) -> Ends:
    with ctx.workprec(_BITS):
        ball = condition_ball(arb(epsilon), arb(delta))
        return float(np.nextafter(float(ball.lower()), 0.0)), float(np.nextafter(float(ball.upper()), np.inf))


def failing_point(theta: Fraction, sensitivity: Fraction = Fraction(1)) -> tuple[Fraction, Fraction] | None:
    """(epsilon, K), delta = exp(-K^2/2)/2, that satisfy (16) for this variance, though the noise certainly is not that private.

    None if theta <= 1, where there is no such point (`printed.variance_reading`).  For theta > 1 there always is
    one: as K grows the condition allows epsilon near S K/theta, while privacy needs epsilon near S K/sqrt(theta).
    """
    if theta <= 0 or sensitivity <= 0:
        raise ValueError(f"theta and the sensitivity must be > 0, got {theta} and {sensitivity}")
    k, slope = 0.25, 4 * float(theta / sensitivity)
    while theta > 1 and k < 1e12:
        shown = Fraction(f"{k:.3g}")
        # The epsilon of equality solves K u^2 + u/sqrt(2) = theta/S with u = epsilon^(-1/2); rounded up it satisfies (16).
        root = (math.sqrt(0.5 + slope * float(shown)) - math.sqrt(0.5)) / (2 * float(shown))
        epsilon = Fraction(f"{root**-2 * (1 + 1e-8):.9g}")
        if breaks_printed(theta, sensitivity, epsilon, shown):
            return epsilon, shown
        k *= 1.25
    if theta > 1:
        raise ArithmeticError(
            f"no failing point found for theta = {theta}: it lies beyond delta = exp(-{k:.3g}^2/2)/2"
        )
    return None


def breaks_printed(theta: Fraction, sensitivity: Fraction, epsilon: Fraction, k: Fraction) -> bool:
    """Whether, at delta = exp(-K^2/2)/2, theta >= S B certainly holds and the exact delta certainly exceeds delta."""
    with ctx.workprec(4 * _BITS):
        t, s, e, bar = (ball(v) for v in (theta, sensitivity, epsilon, k))
        satisfied = t >= s * (bar / e + (2 * e).rsqrt())
        return bool(satisfied) and bool(exact_delta(e, s / t.sqrt()) > (-(bar**2) / 2).exp() / 2)


def _critical_guess(epsilon: float, delta: float) -> float:
    from scipy.optimize import brentq

    def excess(log_mu: float) -> float:
        value = float(gaussian_delta(math.exp(log_mu), epsilon))
        return math.log(max(value, 1e-320)) - math.log(delta)

    return math.exp(
        brentq(excess, math.log(epsilon) - 8, math.log(epsilon + 40) + 4, xtol=1e-15, rtol=8.9e-16)
    )


def _positive(name: str, value: float) -> float:
    if not (math.isfinite(value) and value > 0):
        raise ValueError(f"{name} must be a finite number > 0, got {value!r}")
    return float(value)


def _probability(value: float) -> float:
    if not 1e-300 <= value <= 0.5:
        raise ValueError(f"delta must lie in [1e-300, 1/2], where condition (16) is defined, got {value!r}")
    return float(value)
