"""Numerical routes to a law without free parameters: distribution function, quantiles and samples."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from ..arrays import Floats

Size = int | tuple[int, ...]


class Route(Protocol):
    """The part of scipy.stats' frozen distributions that is used; `sf` and `isf` are the upper tail."""

    def cdf(self, x: Floats) -> Any: ...
    def sf(self, x: Floats) -> Any: ...
    def ppf(self, q: Floats) -> Any: ...
    def isf(self, q: Floats) -> Any: ...
    def rvs(self, *, size: Any, random_state: Any) -> Any: ...


@dataclass(frozen=True)
class ScipyRoute:
    """One of scipy.stats' distributions, by name; scipy.stats is imported when it is first asked."""

    family: str
    loc: float
    scale: float
    shape: tuple[float, ...] = ()

    @cached_property
    def _frozen(self) -> Route:
        from scipy import stats

        frozen: Route = getattr(stats, self.family)(*self.shape, loc=self.loc, scale=self.scale)
        return frozen

    def cdf(self, x: Floats) -> Any:
        return self._frozen.cdf(x)

    def sf(self, x: Floats) -> Any:
        return self._frozen.sf(x)

    def ppf(self, q: Floats) -> Any:
        return self._frozen.ppf(q)

    def isf(self, q: Floats) -> Any:
        return self._frozen.isf(q)

    def rvs(self, *, size: Size, random_state: np.random.Generator) -> Any:
        return self._frozen.rvs(size=size, random_state=random_state)


@dataclass(frozen=True)
class AffineRoute:
    """The route of a Y + b."""

    base: Route
    a: float
    b: float

    def cdf(self, x: Floats) -> Floats:
        z = (x - self.b) / self.a
        return np.asarray(self.base.cdf(z) if self.a > 0 else self.base.sf(z))

    def sf(self, x: Floats) -> Floats:
        z = (x - self.b) / self.a
        return np.asarray(self.base.sf(z) if self.a > 0 else self.base.cdf(z))

    def ppf(self, q: Floats) -> Floats:
        return np.asarray(self.a * (self.base.ppf(q) if self.a > 0 else self.base.isf(q)) + self.b)

    def isf(self, q: Floats) -> Floats:
        return np.asarray(self.a * (self.base.isf(q) if self.a > 0 else self.base.ppf(q)) + self.b)

    def rvs(self, *, size: Size, random_state: np.random.Generator) -> Floats:
        return np.asarray(self.a * self.base.rvs(size=size, random_state=random_state) + self.b)


@dataclass(frozen=True)
class TruncatedRoute:
    """The route of Y given lower <= Y <= upper, worked from the nearer tail so that far tails keep digits."""

    base: Route
    lower: float
    upper: float

    def _tail(self) -> tuple[bool, float, float]:
        """Whether the upper tail is used, and the tail probabilities at the two ends."""
        ends = np.array([self.lower, self.upper])
        right = float(self.base.cdf(ends)[0]) > 0.5
        at = self.base.sf(ends) if right else self.base.cdf(ends)
        return right, float(at[0]), float(at[1])

    def cdf(self, x: Floats) -> Floats:
        right, a, b = self._tail()
        y = np.clip(x, self.lower, self.upper)
        return np.asarray(((self.base.sf(y) if right else self.base.cdf(y)) - a) / (b - a))

    def sf(self, x: Floats) -> Floats:
        right, a, b = self._tail()
        y = np.clip(x, self.lower, self.upper)
        return np.asarray((b - (self.base.sf(y) if right else self.base.cdf(y))) / (b - a))

    def ppf(self, q: Floats) -> Floats:
        right, a, b = self._tail()
        level = a + np.asarray(q) * (b - a)
        return np.asarray(
            np.clip(self.base.isf(level) if right else self.base.ppf(level), self.lower, self.upper)
        )

    def isf(self, q: Floats) -> Floats:
        right, a, b = self._tail()
        level = b + np.asarray(q) * (a - b)
        return np.asarray(
            np.clip(self.base.isf(level) if right else self.base.ppf(level), self.lower, self.upper)
        )

    def rvs(self, *, size: Size, random_state: np.random.Generator) -> Floats:
        return self.ppf(random_state.random(size))


@dataclass(frozen=True)
class MixtureRoute:
    """The route of a mixture; quantiles by bisection between the smallest and largest component quantile."""

    weights: tuple[float, ...]
    bases: tuple[Route, ...]

    def cdf(self, x: Floats) -> Floats:
        return np.asarray(sum(w * b.cdf(x) for w, b in zip(self.weights, self.bases, strict=True)))

    def sf(self, x: Floats) -> Floats:
        return np.asarray(sum(w * b.sf(x) for w, b in zip(self.weights, self.bases, strict=True)))

    def ppf(self, q: Floats) -> Floats:
        return self._invert(np.asarray(q, dtype=float), False)

    def isf(self, q: Floats) -> Floats:
        return self._invert(np.asarray(q, dtype=float), True)

    def _invert(self, q: Floats, upper: bool) -> Floats:
        at = np.array([b.isf(q) if upper else b.ppf(q) for b in self.bases])
        low, high = at.min(axis=0), at.max(axis=0)
        # A component that weighs nothing at q = 0 or 1 leaves infinite ends, which are the answer.
        settled = ~np.isfinite(low) | ~np.isfinite(high) | (q <= 0) | (q >= 1)
        ends = high if upper else low
        other = low if upper else high
        a, b = np.where(settled, 0.0, low), np.where(settled, 0.0, high)
        for _ in range(200):
            middle = a + (b - a) / 2
            left = (self.sf(middle) > q) if upper else (self.cdf(middle) < q)
            a, b = np.where(left, middle, a), np.where(left, b, middle)
            if np.all((b - a) <= 4e-16 * np.maximum(np.abs(a), np.abs(b))):
                break
        return np.asarray(np.where(settled, np.where(q <= 0, ends, other), b))

    def rvs(self, *, size: Size, random_state: np.random.Generator) -> Floats:
        which = random_state.choice(len(self.weights), size=size, p=self.weights)
        out = np.empty(which.shape)
        for i, base in enumerate(self.bases):
            mask = which == i
            out[mask] = base.rvs(size=int(mask.sum()), random_state=random_state)
        return out


@dataclass(frozen=True, eq=False)
class TabulatedRoute:
    """A density integrated panel by panel: cdf to about 1e-10 for piecewise smooth densities."""

    knots: Floats
    below: Floats
    density: Callable[[Floats], Floats]
    nodes = np.polynomial.legendre.leggauss(10)

    @classmethod
    @np.errstate(over="ignore", invalid="ignore")  # what overflows is no density, and said to be none
    def of(
        cls,
        density: Callable[[Floats], Floats],
        ends: tuple[float, float],
        hint: tuple[float, float] | None = None,
        kinks: tuple[float, ...] = (),
    ) -> TabulatedRoute:
        """Two passes: a coarse one finds median and spread, the second puts the knots where the mass is.

        `kinks` are inner points where the density may jump, or be unbounded: they are knots.
        """
        centre, spread = hint or (0.0, 1.0)
        if hint is None and np.isfinite(ends[0]) and np.isfinite(ends[1]):
            centre, spread = (ends[0] + ends[1]) / 2, (ends[1] - ends[0]) / 2
        elif hint is None and (np.isfinite(ends[0]) or np.isfinite(ends[1])):
            centre = ends[0] if np.isfinite(ends[0]) else ends[1]
        table = cls._build(density, ends, centre, spread, kinks)
        for _ in range(3):
            if not table.below[-1] > 0:
                break
            low, centre, high = np.interp([0.25, 0.5, 0.75], table.below / table.below[-1], table.knots)
            table = cls._build(density, ends, float(centre), max(float(high - low), 1e-300), kinks)
        if not abs(table.below[-1] - 1) <= 1e-7:
            raise ValueError(
                f"a table of the density comes to {table.below[-1]:.10g}, expected 1: either its mass is not one, or too much of it"
                " lies where floats do not reach"
            )
        return table

    @classmethod
    def _build(
        cls,
        density: Callable[[Floats], Floats],
        ends: tuple[float, float],
        centre: float,
        spread: float,
        kinks: tuple[float, ...] = (),
    ) -> TabulatedRoute:
        grid = np.linspace(-1, 1, 6001)[1:-1]
        knots = centre + spread * grid / (1 - grid**2) ** 2
        inside = knots[(knots > ends[0]) & (knots < ends[1])]
        finite = np.linspace(*ends, 4001) if np.all(np.isfinite(ends)) else np.array(ends)
        # A density may be unbounded at an end: panels that shrink towards it integrate every power.
        reach = np.geomspace(1e-300, min(ends[1] - ends[0], spread) / 10, 600)
        near = [end + side * reach for end, side in zip(ends, (1, -1), strict=True) if np.isfinite(end)]
        near += [k + side * reach for k in kinks for side in (-1, 1)] + [np.array(kinks)]
        # Tails that fall like a power are followed far out.
        far = spread * np.geomspace(1e6, 1e60, 800)
        near += [centre + side * far for end, side in zip(ends, (-1, 1), strict=True) if np.isinf(end)]
        knots = np.unique(np.concatenate([inside, finite[np.isfinite(finite)], *near]))
        knots = knots[(knots >= ends[0]) & (knots <= ends[1])]
        panels = cls._panels(density, knots[:-1], knots[1:])
        return cls(knots, np.concatenate([[0.0], np.cumsum(panels)]), density)

    @classmethod
    def _panels(cls, density: Callable[[Floats], Floats], low: Floats, high: Floats) -> Floats:
        half = (high - low) / 2
        total = np.zeros(half.shape)
        for node, weight in zip(*cls.nodes, strict=True):
            # Rounding next to an end can leave the logarithm of a negative number, or the pole itself.
            total += weight * np.nan_to_num(density(low + half * (1 + node)), nan=0.0, posinf=0.0)
        return half * total

    def cdf(self, x: Floats) -> Floats:
        y = np.clip(np.asarray(x, dtype=float), self.knots[0], self.knots[-1])
        at = np.clip(np.searchsorted(self.knots, y, side="right") - 1, 0, len(self.knots) - 2)
        return np.asarray(np.clip(self.below[at] + self._panels(self.density, self.knots[at], y), 0.0, 1.0))

    def sf(self, x: Floats) -> Floats:
        return 1 - self.cdf(x)

    def ppf(self, q: Floats) -> Floats:
        level = np.asarray(q, dtype=float) * self.below[-1]
        at = np.clip(np.searchsorted(self.below, level, side="left") - 1, 0, len(self.knots) - 2)
        low, high, rest = self.knots[at], self.knots[at + 1], level - self.below[at]
        a, b = low, high
        for _ in range(60):
            middle = (a + b) / 2
            left = self._panels(self.density, low, middle) < rest
            a, b = np.where(left, middle, a), np.where(left, b, middle)
            if np.all(b - a <= 4e-16 * np.maximum(np.abs(a), np.abs(b))):
                break
        return np.asarray(b)

    def isf(self, q: Floats) -> Floats:
        return self.ppf(1 - np.asarray(q))

    def rvs(self, *, size: Size, random_state: np.random.Generator) -> Floats:
        # Linear between 6000 knots: its error is far below what a sample can show.
        drawn = random_state.random(size) * self.below[-1]
        return np.asarray(np.interp(drawn, self.below, self.knots))
