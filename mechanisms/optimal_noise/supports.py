"""The sets W that a noise may be confined to: intervals, half-lines, boxes, the whole space, discs."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ...symbolic.proof.enclosure import rational


class Support(ABC):
    """A set W in R^m in which the noise lives; its density vanishes on the boundary."""

    dimension: int

    @property
    @abstractmethod
    def bounded(self) -> bool:
        """Whether W fits into a ball."""


def number(value: Any, what: str) -> float:
    """`value` as a finite float, or a ValueError that says which number it should have been."""
    try:
        x = float(value)
    except (TypeError, ValueError):
        raise ValueError(f"{what} must be a number, got {value!r}") from None
    if not math.isfinite(x):
        raise ValueError(f"{what} must be finite, got {value!r}")
    return x


def fraction(value: Any) -> Fraction:
    """The number that was written: 0.1 is one tenth."""
    exact = rational(value)
    return Fraction(int(exact.p), int(exact.q))


@dataclass(frozen=True)
class Interval(Support):
    """[lower, upper], both finite, lower < upper."""

    lower: float
    upper: float
    dimension = 1
    bounded = True

    def __post_init__(self) -> None:
        low, high = number(self.lower, "lower"), number(self.upper, "upper")
        if not low < high:
            raise ValueError(
                f"W = [{self.lower}, {self.upper}] has no interior: a density that vanishes at both ends needs "
                "lower < upper"
            )


@dataclass(frozen=True)
class HalfLine(Support):
    """[end, inf), or (-inf, end] if not `upwards`."""

    end: float = 0.0
    upwards: bool = True
    dimension = 1
    bounded = False

    def __post_init__(self) -> None:
        number(self.end, "end")


@dataclass(frozen=True)
class WholeSpace(Support):
    """R^m: no constraint."""

    dimension: int = 1
    bounded = False

    def __post_init__(self) -> None:
        if isinstance(self.dimension, bool) or self.dimension != int(self.dimension) or self.dimension < 1:
            raise ValueError(f"dimension must be a whole number >= 1, got {self.dimension!r}")


@dataclass(frozen=True)
class Box(Support):
    """lower_i <= w_i <= upper_i in R^m; an end may be infinite."""

    lower: tuple[float, ...]
    upper: tuple[float, ...]

    def __init__(self, lower: Sequence[float], upper: Sequence[float]) -> None:
        object.__setattr__(self, "lower", tuple(lower))
        object.__setattr__(self, "upper", tuple(upper))
        if len(self.lower) != len(self.upper) or not self.lower:
            raise ValueError(
                f"a box needs as many lower as upper ends, at least one, got {len(self.lower)} and {len(self.upper)}"
            )
        _ = self.factors

    @property
    def dimension(self) -> int:  # type: ignore[override]
        return len(self.lower)

    @property
    def bounded(self) -> bool:
        return all(side.bounded for side in self.factors)

    @property
    def factors(self) -> tuple[Support, ...]:
        """The sides: intervals, half-lines or lines."""
        return tuple(_side(low, high) for low, high in zip(self.lower, self.upper, strict=True))


def _side(low: Any, high: Any) -> Support:
    below, above = float(low) == -math.inf, float(high) == math.inf
    if below and above:
        return WholeSpace(1)
    if above:
        return HalfLine(low, True)
    return HalfLine(high, False) if below else Interval(low, high)


@dataclass(frozen=True)
class Disc(Support):
    """The points of the plane within `radius` > 0 of `centre`."""

    radius: float = 1.0
    centre: tuple[float, float] = (0.0, 0.0)
    dimension = 2
    bounded = True

    def __post_init__(self) -> None:
        if not number(self.radius, "radius") > 0:
            raise ValueError(f"a disc of radius {self.radius!r} has no interior: radius must be > 0")
        if len(self.centre) != 2:
            raise ValueError(f"centre must be a pair of numbers, got {self.centre!r}")
        for value in self.centre:
            number(value, "each coordinate of the centre")
