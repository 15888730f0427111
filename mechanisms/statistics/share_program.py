"""What is measured how precisely: one budget among measurements that each tell of several components."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from ...symbolic.arrays import Floats


@dataclass(frozen=True)
class ShareProgram:
    """min sum cost_S / p_S over weights >= 0 that add up to at most a total, p_S = sum of weight / price of what tells of S.

    `names` and `prices` belong to the measurements, `inside` says of which components (numbers) each tells, `costs` (above 0) belongs to
    the components. With Gaussian noise the weights are shares, with Laplace noise their squares.
    """

    names: tuple[str, ...]
    prices: tuple[Fraction, ...]
    inside: tuple[frozenset[int], ...]
    costs: tuple[Fraction, ...]

    @cached_property
    def cost(self) -> Floats:
        """The costs, shape (components,)."""
        return np.array([float(c) for c in self.costs])

    @cached_property
    def price(self) -> Floats:
        """The prices, shape (measurements,)."""
        return np.array([float(p) for p in self.prices])

    @cached_property
    def incidence(self) -> Floats:
        """1 where a measurement tells of a component, shape (components, measurements)."""
        return np.array([[float(s in told) for told in self.inside] for s in range(len(self.costs))])

    def precision(self, weights: Floats) -> Floats:
        """p, shape (components,)."""
        return np.asarray(self.incidence @ (weights / self.price))

    def value(self, weights: Floats) -> float:
        """The objective; inf where a component is not measured."""
        p = self.precision(weights)
        return float((self.cost / p).sum()) if (p > 0).all() else float("inf")

    def gains(self, weights: Floats) -> Floats:
        """Minus the derivative of the objective in each weight; at the optimum the measured ones have the greatest."""
        return np.asarray(self.incidence.T @ (self.cost / self.precision(weights) ** 2) / self.price)

    def gap(self, weights: Floats) -> float:
        """How far the objective of weights that add up to 1 may lie above the optimum, as a part of it."""
        return float(self.gains(weights).max() / self.value(weights) - 1)

    def exact_precisions(self, weights: Sequence[Fraction]) -> list[Fraction]:
        """p in fractions."""
        parts = [w / p for w, p in zip(weights, self.prices, strict=True)]
        return [
            sum((x for x, told in zip(parts, self.inside, strict=True) if s in told and x), Fraction(0))
            for s in range(len(self.costs))
        ]

    def exact_value(self, weights: Sequence[Fraction]) -> Fraction:
        """The objective in fractions."""
        p = self.exact_precisions(weights)
        return sum((c / x for c, x in zip(self.costs, p, strict=True)), Fraction(0))

    def exact_gains(self, weights: Sequence[Fraction]) -> list[Fraction]:
        """The gains in fractions."""
        slopes = [c / x**2 for c, x in zip(self.costs, self.exact_precisions(weights), strict=True)]
        return [
            sum((slopes[s] for s in told), Fraction(0)) / price
            for told, price in zip(self.inside, self.prices, strict=True)
        ]
