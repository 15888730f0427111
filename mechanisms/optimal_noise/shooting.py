"""The least eigenvalue of -u'' + k2 w^2 u on an interval, enclosed between two numbers that are proved.

A solution is carried from either end to a point in the middle (`taylor`).  If both are positive there and the kink in
which they meet points upwards, their union is a positive supersolution and the eigenvalue is at least `lam`
(Barta 1937; Picone's identity); if it points downwards, the union is a test function of smaller energy.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from flint import arb, ctx

from ...symbolic.arrays import Floats
from ...symbolic.proof.exact_numbers import ball
from .taylor import Sweep, TooCoarseError, sweep

BITS = 160
DEEPEST = 350.0  # nats: u^2 has fallen by e^-700 where an interval is cut
_FINENESS = 2.0**-70
_MOST_PANELS = 4000


class UnsolvedError(ValueError):
    """The eigenvalue could not be enclosed; the message says what stood in the way."""


@dataclass(frozen=True)
class Problem:
    """-u'' + k2 w^2 u = lam u on [lower, upper] with u = 0 at the ends; None for an end at infinity.

    An end that lies so deep that u^2 < e^-700 is cut: there solutions start with the slope of a decaying exponential.
    """

    k2: Fraction
    lower: Fraction | None
    upper: Fraction | None

    def cuts(self) -> tuple[tuple[float, bool], tuple[float, bool]]:
        """(place, whether it is a cut) of both ends."""
        low = -np.inf if self.lower is None else float(self.lower)
        high = np.inf if self.upper is None else float(self.upper)
        k, roof = float(self.k2) ** 0.5, self._roof(low, high)
        reach = _reach(k, roof) if k > 0 else np.inf
        return (max(low, -reach), -reach > low), (min(high, reach), reach < high)

    def _roof(self, low: float, high: float) -> float:
        """An upper bound of the eigenvalue: that of a piece of the interval next to 0, with the potential's largest value."""
        near = min(max(0.0, low), high)
        widest = high - low if np.isfinite(high - low) else max(1.0, abs(near)) * 1e9
        k2 = float(self.k2)
        width = widest * 2.0 ** -np.arange(0.0, 200.0)
        left = np.maximum(low, near - width / 2)
        right = np.minimum(high, left + width)
        left = np.maximum(low, right - width)
        with np.errstate(over="ignore", divide="ignore"):
            bound = (np.pi / (right - left)) ** 2 + k2 * np.maximum(left**2, right**2)
        return float(np.nanmin(bound))


def _reach(k: float, lam: float) -> float:
    """Where the action, the integral of sqrt(k^2 w^2 - lam) from the turning point on, comes to DEEPEST."""
    turning, scale = lam**0.5 / k, lam / (2 * k)
    low, high = 0.0, 40.0
    for _ in range(200):
        s = (low + high) / 2
        # w = turning cosh(s); the difference of the two terms loses all digits for small s.
        action = scale * (np.sinh(2 * s) / 2 - s if s > 1e-2 else 2 * s**3 / 3)
        low, high = (low, s) if action >= DEEPEST else (s, high)
    return float(turning * np.cosh(high))


@dataclass(frozen=True)
class GroundState:
    """The eigenvalue between `below` and `above` (exact bounds), and the two sweeps that meet at `middle`."""

    problem: Problem
    below: arb
    above: arb
    middle: float
    cut: tuple[bool, bool]
    sweeps: tuple[Sweep, Sweep]

    @property
    def lam(self) -> arb:
        """The middle of the enclosure."""
        return (self.below + self.above) / 2


def ground_state(problem: Problem) -> GroundState:
    """Encloses the least eigenvalue to about 20 digits; UnsolvedError if that does not succeed."""
    (low, low_cut), (high, high_cut) = problem.cuts()
    if not high - low > 1e-13 * max(abs(low), abs(high)):
        raise UnsolvedError(
            f"u lives between {low!r} and {high!r}, which floating point hardly tells apart: move W closer to 0"
        )
    guess, excess, peak = _guess(float(problem.k2), low, high)
    points = _points(float(problem.k2), guess, low, peak, high)
    middle = int(np.argmin(np.abs(points - peak)[1:-1])) + 1
    with ctx.workprec(BITS):
        exact = [_ball(p) for p in points]
        exact[0] = exact[0] if low_cut or problem.lower is None else ball(problem.lower)
        exact[-1] = exact[-1] if high_cut or problem.upper is None else ball(problem.upper)
        k2 = ball(problem.k2)

        def meet(lam: arb, decaying: bool) -> tuple[Sweep, Sweep]:
            halves = (exact[: middle + 1], exact[middle:][::-1])
            starts = (
                _start(k2, lam, half[0], cut and decaying)
                for half, cut in zip(halves, (low_cut, high_cut), strict=True)
            )
            left, right = (sweep(k2, lam, half, *start) for half, start in zip(halves, starts, strict=True))
            return left, right

        lam = _root(lambda x: _kink(*meet(x, True)), arb(guess), arb(excess))
        below, above = lam * (1 - arb(_FINENESS)), lam * (1 + arb(_FINENESS))
        under, over = meet(below, True), meet(above, False)
        if not (under[0].positive and under[1].positive and _kink(*under) > 0):
            raise UnsolvedError(f"no positive supersolution was found at {float(below.mid()):.17g}")
        if not (over[0].value > 0 and over[1].value > 0 and _kink(*over) < 0):
            raise UnsolvedError(f"no test function of energy below {float(above.mid()):.17g} was found")
        return GroundState(
            problem, below.mid(), above.mid(), float(points[middle]), (low_cut, high_cut), meet(lam, True)
        )


def _start(k2: arb, lam: arb, at: arb, decaying: bool) -> tuple[arb, arb]:
    """Value and slope inwards: zero at an end, e^(-kappa |w - cut|) continued at a cut (kappa^2 <= k2 w^2 - lam beyond it)."""
    return (arb(1), (k2 * at**2 - lam).sqrt()) if decaying else (arb(0), arb(1))


def _kink(left: Sweep, right: Sweep) -> arb:
    """Positive if u'/u falls from the left half to the right one."""
    return left.slope / left.value + right.slope / right.value


def _root(function: Callable[[arb], arb], guess: arb, excess: arb) -> arb:
    """Secant steps on midpoints; what they find is proved afterwards.  `excess` is the scale of the first step."""
    x, y = guess, (guess + excess * arb(1e-5)).mid()
    fx, fy = function(x).mid(), function(y).mid()
    for _ in range(60):
        if fy == fx:
            break
        x, y, fx = y, (y - fy * (y - x) / (fy - fx)).mid(), fy
        if not y > 0:
            raise UnsolvedError("the search for the eigenvalue left the positive numbers")
        if abs(y - x) < abs(y) * arb(2.0**-100):
            break
        fy = function(y).mid()
    return y


def _guess(k2: float, low: float, high: float, size: int = 1500) -> tuple[float, float, float]:
    """The eigenvalue, its excess over the least potential, and the maximum of u, by differences on a uniform grid."""
    from scipy.linalg import eigh_tridiagonal

    step = (high - low) / (size + 1)
    w = low + step * np.arange(1, size + 1)
    floor = k2 * np.min(w**2)
    # The least potential is taken off first: it may be far larger than the differences that matter.
    diagonal = 2 + (k2 * w**2 - floor) * step**2
    values, vectors = eigh_tridiagonal(diagonal, -np.ones(size - 1), select="i", select_range=(0, 0))
    excess = float(values[0]) / step**2
    return excess + floor, excess, float(w[np.argmax(np.abs(vectors[:, 0]))])


def _points(k2: float, lam: float, low: float, peak: float, high: float) -> Floats:
    """Ends of panels narrow enough for their Taylor sums, the peak among them."""

    def outwards(end: float) -> list[float]:
        places, at, sign = [peak], peak, 1.0 if end > peak else -1.0
        while (end - at) * sign > 0:
            step = abs(end - at)
            # The size a panel may have, as `taylor.sweep` measures it from the end that it starts at.
            while _size(k2, lam, at, step) > 6 or _size(k2, lam, at + sign * step, step) > 6:
                step *= 0.7
            at += sign * step
            places.append(at if (end - at) * sign > 1e-9 * step else end)
            at = places[-1]
            if len(places) > _MOST_PANELS:
                raise UnsolvedError(
                    f"more than {_MOST_PANELS} panels are needed between {low:.3g} and {high:.3g}"
                )
        return places

    return np.array(outwards(low)[:0:-1] + outwards(high))


def _size(k2: float, lam: float, at: float, step: float) -> float:
    return abs(k2 * at**2 - lam) * step**2 + 2 * k2 * abs(at) * step**3 + k2 * step**4


def _ball(x: float) -> arb:
    return arb(float(x))


__all__ = ["GroundState", "Problem", "TooCoarseError", "UnsolvedError", "ground_state"]
