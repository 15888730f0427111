"""Integrals over the line of functions that live where a density has its mass, and the Hellinger speed of a family."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np

from ...symbolic.arrays import Floats

_DECADES = 7  # of step sizes, from 1/25 of the spread
_SETTLES, _PERSISTS = 0.15, 0.97
_REACH = 2**16  # of the whole numbers that are asked for a probability
_CUTS, _PARTS = 10, np.linspace(0.0, 1.0, 65)  # of a change of sign: 2**60 in all
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(12)


class Base(Protocol):
    """What functions of an outcome are integrated over, where the mass of one law lies: `spread` is its width."""

    spread: float

    def integral(self, function: Callable[[Floats], Floats], also: Sequence[float] = ()) -> float:
        """The integral of `function`, over the same set moved by `also` too."""


class WholeNumbers:
    """Probabilities of whole numbers, in whose place a density is given; ValueError if those up to 2^16 do not sum to 1."""

    def __init__(self, mass: Callable[[Floats], Floats]) -> None:
        points = np.arange(-_REACH, _REACH + 1.0)
        self.points = points
        self.require_all(mass)
        below = np.cumsum(mass(points))
        first, (low, high, last) = np.argmax(below > 0), np.searchsorted(below, [0.25, 0.75, below[-1]])
        self.spread = max(float(high - low), 1.0)
        reach = int(last - first) + 2
        self.points = points[max(first - reach, 0) : last + reach]

    def require_all(self, mass: Callable[[Floats], Floats]) -> None:
        """Raise ValueError unless these probabilities sum to 1."""
        total = self.integral(mass)
        if not abs(total - 1) <= 1e-7:
            raise ValueError(f"over whole numbers it sums to {total:.8g}, expected 1")

    def integral(self, function: Callable[[Floats], Floats], also: Sequence[float] = ()) -> float:
        """The sum over these numbers, which no parameter moves."""
        return float(function(self.points).sum())


class LineDensity:
    """A density on the line with panels that follow its mass, refined towards the ends of its support.

    `quartiles`, if known, say where to look first.  Raises ValueError if the integral is not 1 to seven digits.
    """

    def __init__(
        self,
        pdf: Callable[[Floats], Floats],
        ends: tuple[float, float],
        quartiles: tuple[float, float, float] = (-0.5, 0.0, 0.5),
    ) -> None:
        self.pdf = pdf
        centre, spread = quartiles[1], quartiles[2] - quartiles[0]
        for _ in range(6):
            knots = _cover(centre, spread, ends)
            masses = _panels(pdf, knots)
            total = masses.sum()
            if not np.isfinite(total) or total <= 0:
                raise ValueError(
                    "the density has no mass that a search around its parameter finds: shift or scale the outcomes"
                )
            below = np.concatenate([[0.0], np.cumsum(masses)]) / total
            low, centre, high = np.interp([0.25, 0.5, 0.75], below, knots)
            spread = max(float(high - low), 1e-14 * abs(float(centre)), 1e-300)
        self.spread = spread
        levels = np.concatenate(
            [
                np.geomspace(1e-13, 1e-3, 41),
                np.linspace(1e-3, 0.999, 400)[1:-1],
                1 - np.geomspace(1e-13, 1e-3, 41)[::-1],
            ]
        )
        by_mass = np.interp(levels, below, knots)
        support = self._support(knots)
        refined = [
            end + side * spread * np.geomspace(1e-9, 0.3, 60)
            for end, side in zip(support, (1, -1), strict=True)
            if np.isfinite(end)
        ]
        finite = [end for end in support if np.isfinite(end)]
        self.knots = np.unique(np.concatenate([knots, by_mass, *refined, finite]))
        self.knots = self.knots[(self.knots >= support[0]) & (self.knots <= support[1])]
        self.support = support
        mass = self.integral(self.pdf)
        if abs(mass - 1) > 1e-7:
            raise ValueError(
                f"the density integrates to {mass:.8f}, expected 1: check its normalising constant"
            )

    def integral(self, function: Callable[[Floats], Floats], also: Sequence[float] = ()) -> float:
        """The integral of `function` over these panels and over the same panels moved by `also`."""
        return float(_panels(function, _joint(self, also)).sum())

    def _support(self, knots: Floats) -> tuple[float, float]:
        """Where the density becomes zero, to rounding; infinite if it does not."""
        inside = self.pdf(knots) > 0
        first, last = np.flatnonzero(inside)[[0, -1]]
        low = -np.inf if first == 0 else self._edge(knots[first - 1], knots[first])
        high = np.inf if last == len(knots) - 1 else self._edge(knots[last + 1], knots[last])
        # Underflow far out is not the end of a support.
        return (low if self._sharp(low, 1) else -np.inf), (high if self._sharp(high, -1) else np.inf)

    def _edge(self, outside: float, inside: float) -> float:
        for _ in range(200):
            middle = 0.5 * (outside + inside)
            if middle in (outside, inside):
                break
            if self.pdf(np.array([middle]))[0] > 0:
                inside = middle
            else:
                outside = middle
        return float(inside)

    def _sharp(self, edge: float, side: int) -> bool:
        return bool(np.isfinite(edge) and self.pdf(np.array([edge + side * 1e-3 * self.spread]))[0] > 1e-30)


def _cover(centre: float, spread: float, ends: tuple[float, float]) -> Floats:
    grid = np.linspace(-1, 1, 3001)[1:-1]
    knots = centre + spread * grid / (1 - grid**2) ** 3
    knots = knots[(knots > ends[0]) & (knots < ends[1])]
    finite = (
        np.linspace(*ends, 2001)
        if np.all(np.isfinite(ends))
        else np.array([e for e in ends if np.isfinite(e)])
    )
    return np.unique(np.concatenate([knots, finite]))


def _panels(function: Callable[[Floats], Floats], knots: Floats) -> Floats:
    half = np.diff(knots) / 2
    points = (knots[:-1] + half)[:, None] + half[:, None] * _NODES
    values = function(points.ravel()).reshape(points.shape)
    return np.asarray((values * _WEIGHTS).sum(axis=1) * half, dtype=float)


def integrate_positive_part(
    density: LineDensity, function: Callable[[Floats], Floats], also: Sequence[float] = ()
) -> float:
    """The integral of max(function, 0); panels are cut where the function changes its sign."""
    knots = _joint(density, also)
    above = function(knots) > 0
    at = np.flatnonzero(above[1:] != above[:-1])
    low, high = knots[at], knots[at + 1]
    rows = np.arange(len(at))
    for _ in range(_CUTS):
        points = low[:, None] + (high - low)[:, None] * _PARTS
        points[:, -1] = high
        turned = (function(points.ravel()) > 0).reshape(points.shape) != above[at, None]
        turned[:, -1] = True
        first = np.maximum(np.argmax(turned, axis=1), 1)
        low, high = points[rows, first - 1], points[rows, first]
    cut = np.unique(np.concatenate([knots, low, high]))
    return float(_panels(lambda y: np.maximum(function(y), 0.0), cut).sum())


def _joint(density: LineDensity, also: Sequence[float]) -> Floats:
    return np.unique(np.concatenate([density.knots, *(density.knots + a for a in also)]))


def hellinger_information(
    pdf: Callable[[Floats, float], Floats], base: Base
) -> tuple[float | None, list[float]]:
    """lim 4 |sqrt f(t + h/2) - sqrt f(t - h/2)|^2 / h^2 as h -> 0, which is the Fisher information of a regular family.

    `pdf(y, t)` moves the density by t along the parameter, t = 0 is `base`.  None if the speeds grow by as much from
    decade to decade, however small the step: the square root of the density is then not differentiable in the mean,
    and the family is irregular.  Raises ValueError if neither is seen.
    """
    speeds: list[float] = []
    for decade in range(_DECADES):
        for h in (base.spread * s * 10.0**-decade for s in (4e-2, 2e-2)):

            def speed(y: Floats, h: float = h) -> Floats:
                difference = np.sqrt(pdf(y, h / 2)) - np.sqrt(pdf(y, -h / 2))
                return np.asarray(4 * (difference / h) ** 2, dtype=float)

            moved = [side * h / 2 for side in (-1, 1)]
            speeds.append(base.integral(speed, also=moved))
        if decade < 2:
            continue
        first, second = speeds[-3] - speeds[-5], speeds[-1] - speeds[-3]
        # An error of order h falls tenfold from decade to decade.
        if abs(second) > max(_SETTLES * abs(first), 1e-7 * abs(speeds[-1])):
            continue
        # Richardson: kinks leave an error of order h, smooth densities of order h^2.
        factor = 2 if abs(second) > 0.03 * abs(first) and abs(first) > 1e-7 * speeds[-1] else 4
        before, now = ((factor * speeds[i] - speeds[i - 1]) / (factor - 1) for i in (-3, -1))
        if abs(now - before) <= 1e-6 * abs(now):
            return now, speeds
    growth = np.diff(speeds[-7::2])
    if np.all(growth > 0) and np.all(growth[1:] >= _PERSISTS * growth[:-1]):
        return None, speeds
    raise ValueError(
        f"the Hellinger speeds {', '.join(f'{v:.4g}' for v in speeds[1::2])} neither settle nor grow without limit: "
        "the information cannot be integrated here; derive it from the law"
    )
