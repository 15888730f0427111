"""Solutions of y'' = (k2 w^2 - lam) y panel by panel: Taylor sums in ball arithmetic, with a bound on what is left out.

These are parabolic cylinder functions.  The sum around each panel's start replaces Kummer's series around 0, whose
terms cancel to all digits once the interval lies far from 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from flint import arb

TERMS = 48
WIDEST = 9  # below pi^2


class TooCoarseError(ValueError):
    """A panel is too wide for its Taylor sum, or for what is said about its zeros."""


@dataclass(frozen=True)
class Panel:
    """y(start + x step) = sum of coefficients[n] x^n for x in [0, 1], up to a remainder; `step` is signed."""

    start: arb
    step: arb
    coefficients: tuple[arb, ...]


@dataclass(frozen=True)
class Sweep:
    """A solution carried through panels: its value and slope (in the direction of travel) at the far end.

    `positive` is True if it was shown to have no zero after its start.
    """

    panels: tuple[Panel, ...]
    value: arb
    slope: arb
    positive: bool


def sweep(k2: arb, lam: arb, points: Sequence[arb], value: arb, slope: arb) -> Sweep:
    """The solution with the given value >= 0 and slope in the direction of travel, from points[0] to points[-1].

    Two zeros are at least pi/sqrt(q) apart where lam - k2 w^2 <= q (Sturm), so a solution that is positive at
    both ends of panels narrower than that has none between; a start at value 0 counts as one zero.
    """
    panels, positive = [], True
    for start, end in pairwise(points):
        step = end - start
        width = abs(step)
        q = ((k2 * start**2 - lam) * width**2, 2 * k2 * start * step * width**2, k2 * width**4)
        size = (abs(q[0]) + abs(q[1]) + abs(q[2])).upper()
        if not size < WIDEST:
            raise TooCoarseError(f"a panel of width {float(width.mid()):.3g} is too wide for its Taylor sum")
        b = _coefficients(q, value, slope * width)
        rest, slope_rest = _remainder(b, size)
        value = sum(b[1:], b[0]) + rest
        slope = (sum((n * c for n, c in enumerate(b[2:], 2)), b[1]) + slope_rest) / width
        panels.append(Panel(start, step, tuple(b)))
        positive = positive and bool(value > 0)
    return Sweep(tuple(panels), value, slope, positive)


def _coefficients(q: tuple[arb, arb, arb], value: arb, slope: arb) -> list[arb]:
    b = [value, slope]
    for n in range(TERMS - 1):
        term = q[0] * b[n]
        if n >= 1:
            term += q[1] * b[n - 1]
        if n >= 2:
            term += q[2] * b[n - 2]
        b.append(term / ((n + 1) * (n + 2)))
    return b


def _remainder(b: list[arb], size: arb) -> tuple[arb, arb]:
    """Balls around 0 that hold what the sum of y, and that of dy/dx, leave out.

    |b_{n+2}| <= size max(|b_n|, |b_{n-1}|, |b_{n-2}|) / ((n+1)(n+2)), so blocks of four terms shrink by theta.
    """
    last = len(b) - 1
    theta = (size / (last * (last + 1))).upper()
    top = max(abs(c).upper() for c in b[-4:])
    ratio = theta / (1 - theta)
    value = 4 * top * ratio
    slope = 4 * top * (last * ratio + 4 * theta / (1 - theta) ** 2)
    return arb(0, value.upper()), arb(0, slope.upper())
