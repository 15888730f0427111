"""Releases of the form y = f(x) + w: the query, the law of w, and the code that draws w."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
import sympy as sp

from ..symbolic.arrays import Floats, is_finite
from ..symbolic.laws.vector import IndependentNoise, OutcomeLaw
from .mechanism import Mechanism


class Additive(Mechanism):
    """y = f(x) + w with w independent of x; `coordinatewise` says that y_i depends on x_i alone (f = identity)."""

    coordinatewise = True

    def query(self, data: Any) -> Floats:
        """f(x), shape (d,); the identity unless a subclass says otherwise."""
        value = np.atleast_1d(np.asarray(data, dtype=float))
        if value.shape != (self.dimension,):
            raise ValueError(
                f"{self.name} expects an input of {self.dimension} numbers, got shape {value.shape}"
            )
        return value

    @abstractmethod
    def noise_law(self, centre: Floats) -> OutcomeLaw:
        """The law of centre + w."""

    @abstractmethod
    def draw(self, size: int, rng: np.random.Generator) -> Floats:
        """The code's noise, shape (size, d)."""

    def noise_variance(self) -> tuple[sp.Expr, ...] | None:
        law = self.noise_law(np.zeros(self.dimension))
        if not isinstance(law, IndependentNoise):
            return None
        variance = law.noise.variance()
        return (variance,) * self.dimension if variance.is_finite else None

    def noise_mean(self) -> float:
        law = self.noise_law(np.zeros(self.dimension))
        return float(law.noise.mean()) if isinstance(law, IndependentNoise) else 0.0

    def law(self, data: Any) -> OutcomeLaw:
        return self.noise_law(self.query(data))

    def release(self, data: Any, size: int, rng: np.random.Generator) -> Floats:
        return self.query(data) + self.draw(size, rng)


def positive(name: str, value: Any, meaning: str) -> float:
    """`value` as a float, or a ValueError that says what it means and what came."""
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = np.nan
    if not (np.isfinite(number) and number > 0):
        raise ValueError(f"{name} ({meaning}) must be a finite number > 0, got {value!r}")
    return number


def deviation(name: str, value: Any, meaning: str) -> float:
    """`value` as a float whose square is one too, or a ValueError."""
    number = positive(name, value, meaning)
    if not 1e-150 < number < 1e150:
        raise ValueError(
            f"{name} ({meaning}) must lie between 1e-150 and 1e150, so that it has a variance, got {value!r}"
        )
    return number


def whole(name: str, value: Any, least: int = 1) -> int:
    """`value` as an int of at least `least`."""
    if not is_finite(value) or int(value) != value or value < least:
        raise ValueError(f"{name} must be a whole number >= {least}, got {value!r}")
    return int(value)
