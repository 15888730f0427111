"""Statistics as a person asks for them: which parts each needs, and what is published of the noisy parts."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar

from ..whole_noise import DiscreteNoise
from .amounts import One
from .figures import Figure, cells
from .measurement import Measurement, Unit
from .parts import Drawer, Noisy, NoisySums, Part, SumsDrawer
from .rows import Axis, Condition
from .targets import CONFIDENCE, Target

Drawn = Mapping[Part, tuple[Drawer, Noisy]]


@dataclass(frozen=True)
class Statistic(ABC):
    """One request: `by` are its groups, `where` the records that count, `weight` its importance against the others.

    `size`: a declared number of records of a cell, for what is said before anything is drawn.
    """

    name: str
    by: tuple[Axis, ...] = ()
    where: tuple[Condition, ...] = ()
    weight: Fraction = Fraction(1)
    target: Target | None = None
    size: int | None = None

    measure: ClassVar[str]
    of_records: ClassVar[bool] = (
        False  # whether the numbers are numbers of records, which can be told from zero
    )
    interval: ClassVar[str]  # how the interval is made
    marked: ClassVar[str] = "never"  # when a number is marked as suppressed

    @property
    @abstractmethod
    def terms(self) -> tuple[tuple[Part, Fraction], ...]:
        """The parts, each with the factor of its variance in the squared error of this statistic, up to one common factor."""

    @property
    def parts(self) -> tuple[Part, ...]:
        return tuple(part for part, _ in self.terms)

    def called(self, part: Part) -> str:
        """What a part is of this statistic, in words of its own; empty for those of the measurement."""
        return ""

    @property
    def axes(self) -> tuple[Axis, ...]:
        """What tells the published numbers apart."""
        return self.by

    @property
    def quantities(self) -> tuple[str, ...]:
        """The numbers that are published of each group."""
        return (self.measure,)

    @property
    def rows(self) -> int:
        """How many numbers are published."""
        return math.prod(len(axis.labels) for axis in self.axes) * len(self.quantities)

    @abstractmethod
    def figures(self, drawn: Drawn) -> Iterator[Figure]:
        """What is published, from noisy parts alone."""

    @abstractmethod
    def spread(self, drawers: Mapping[Part, Drawer]) -> tuple[float, float] | None:
        """Standard deviation and half the width of the interval, before anything is drawn; None where both need `size`."""

    def probability(self, drawers: Mapping[Part, Drawer]) -> float | None:
        """The exact probability of the interval before it is cut at declared ends, rounded down; None for a bound."""
        return None

    def useless(self, width: float) -> bool:
        """Whether half an interval of this width says nothing of a group of the declared size: it holds zero, or half of the range."""
        return self.of_records and self.size is not None and width >= self.size

    def narrowest(self, drawers: Mapping[Part, Drawer]) -> float | None:
        """Half the narrowest interval that a group of the declared size can get: if that is useless, every one is marked."""
        spread = self.spread(drawers)
        return None if spread is None else spread[1]

    @property
    def ends(self) -> tuple[float, float] | None:
        """Between which declared ends every number lies, if there are both."""
        return None

    def unit(self, of_column: str) -> str:
        """The unit of the numbers, for this unit of the column."""
        return "records" if self.of_records else of_column

    def counting(self, unit: Unit) -> str:
        """What is counted, in words, if numbers of records are: of a person no more of them than are declared."""
        return unit.counted

    def max_variance(self, part: Part, noise: str) -> Fraction | None:
        """The largest variance of this noise of a part with which the target is met; None without a target."""
        return None

    def _counts(self, column: str, skips: bool) -> NoisySums:
        """The number of records that have a value of this number, if it `skips` those without."""
        has = (Condition(column),) if skips else ()
        where = tuple(sorted({*self.where, *has}, key=repr))
        return NoisySums(Measurement(self.by, (One(),), where))

    def _groups(self) -> Iterator[tuple[str, ...]]:
        return cells(tuple(axis.labels for axis in self.axes))


def half(drawer: Drawer, confidence: Fraction, step: Fraction = Fraction(1)) -> float:
    """Half the width of the shortest interval on the grid that holds the noise with this probability at least."""
    assert isinstance(drawer, SumsDrawer)
    return float(_half_width(drawer.law, confidence) * step)


@lru_cache(maxsize=4096)
def _half_width(law: DiscreteNoise, confidence: Fraction) -> int:
    return law.half_width(confidence)


def covered(drawer: Drawer) -> float:
    """The exact probability of that interval, rounded down."""
    assert isinstance(drawer, SumsDrawer)
    return drawer.law.coverage(_half_width(drawer.law, CONFIDENCE))


def about(drawer: Drawer, step: Fraction = Fraction(1)) -> str:
    """The law of a noise in words, its deviation in the unit of which a step of the sum is so much."""
    assert isinstance(drawer, SumsDrawer)
    fine = "" if step == 1 else f" in steps of {float(step):.6g}"
    return f"{drawer.law.kind}, deviation {drawer.law.standard_deviation() * float(step):.6g}{fine}"
