"""Counts of records by groups, of the groups that occur, and the groups with most records."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from .amounts import One
from .figures import Figure, between
from .measurement import Measurement, Unit
from .parts import DistinctGroups, Drawer, NoisySums, Part, SumsDrawer
from .rows import Axis
from .statistic import Drawn, Statistic, about, covered, half
from .targets import CONFIDENCE, widest


@dataclass(frozen=True)
class Count(Statistic):
    """The number of records of each group."""

    bins: tuple[Axis, ...] = ()
    measure: ClassVar[str] = "count"
    of_records: ClassVar[bool] = True
    interval: ClassVar[str] = (
        "the shortest on the whole numbers, value -+ half width, cut at 0; a noisy count below 0 is published as 0, with the interval of 0"
    )
    marked: ClassVar[str] = "the noisy count is no more than the half width: it cannot be told from zero"

    @property
    def axes(self) -> tuple[Axis, ...]:
        return (*self.by, *self.bins)

    @property
    def terms(self) -> tuple[tuple[Part, Fraction], ...]:
        return ((NoisySums(Measurement(self.axes, (One(),), self.where)), Fraction(1)),)

    def figures(self, drawn: Drawn) -> Iterator[Figure]:
        drawer, noisy = drawn[self.parts[0]]
        width = half(drawer, self.confidence)
        said = about(drawer)
        for groups, value in zip(self._groups(), noisy[:, 0], strict=True):
            count = float(value)
            inside, ends = between(count, (count - width, count + width), 0.0, self._most)
            yield Figure(groups, self.measure, inside, *ends, said, self._hidden(count, width))

    def _hidden(self, count: float, width: float) -> bool:
        return count <= width

    @property
    def _most(self) -> float:
        """What no true number is above."""
        return math.inf

    def spread(self, drawers: Mapping[Part, Drawer]) -> tuple[float, float] | None:
        drawer = drawers[self.parts[0]]
        assert isinstance(drawer, SumsDrawer)
        return drawer.law.standard_deviation(), half(drawer, self.confidence)

    @property
    def confidence(self) -> Fraction:
        """With which probability at least the noise of one count lies in its interval."""
        return CONFIDENCE

    def max_variance(self, part: Part, noise: str) -> Fraction | None:
        return None if self.target is None else widest(self.target.at_most, self.target.probability, noise)

    def probability(self, drawers: Mapping[Part, Drawer]) -> float | None:
        return covered(drawers[self.parts[0]])


@dataclass(frozen=True)
class CountOfPersons(Count):
    """The number of persons with a record of each group, of whose records `most` count."""

    most: int = 1
    measure: ClassVar[str] = "persons"

    @property
    def terms(self) -> tuple[tuple[Part, Fraction], ...]:
        return ((NoisySums(Measurement(self.axes, (One(),), self.where, self.most)), Fraction(1)),)

    def counting(self, unit: Unit) -> str:
        return f"persons, by {unit.counted}"


@dataclass(frozen=True)
class CountOfNobodys(Count):
    """The number of records that are nobody's: all of them count."""

    def counting(self, unit: Unit) -> str:
        return "records"


@dataclass(frozen=True)
class Distinct(Count):
    """How many of the declared values of `bins` occur in each group."""

    measure: ClassVar[str] = "distinct"
    of_records: ClassVar[bool] = False
    interval: ClassVar[str] = (
        "the shortest on the whole numbers, value -+ half width, cut at 0 and at the number of declared values; a noisy number beyond them "
        "is published as the nearer of the two, with the interval of that"
    )
    marked: ClassVar[str] = "the interval is half as wide as the number of declared values"

    def _hidden(self, count: float, width: float) -> bool:
        return self.useless(width)

    @property
    def axes(self) -> tuple[Axis, ...]:
        return self.by

    @property
    def terms(self) -> tuple[tuple[Part, Fraction], ...]:
        return ((DistinctGroups(Measurement((*self.by, *self.bins), (One(),), self.where)), Fraction(1)),)

    @property
    def _most(self) -> float:
        return float(len(self.bins[0].labels))

    def useless(self, width: float) -> bool:
        return width >= self._most / 4

    @property
    def ends(self) -> tuple[float, float] | None:
        return 0.0, self._most

    def unit(self, of_column: str) -> str:
        return "values"


@dataclass(frozen=True)
class TopValues(Count):
    """The `most` declared values of `bins` with the largest noisy counts in each group, in their order."""

    most: int = 1
    measure: ClassVar[str] = "top"
    interval: ClassVar[str] = (
        "value -+ half width, which holds for all candidates of a group together, whichever are named, cut at 0 (that of 0 where the noisy count is below); that the order is right is not said"
    )

    @property
    def rows(self) -> int:
        return math.prod(len(axis.labels) for axis in self.by) * self.most

    @property
    def confidence(self) -> Fraction:
        # What is named was chosen by its noise: the largest of many is no single draw.
        return 1 - (1 - CONFIDENCE) / len(self.bins[0].labels)

    def probability(self, drawers: Mapping[Part, Drawer]) -> float | None:
        return None

    def figures(self, drawn: Drawn) -> Iterator[Figure]:
        found = list(super().figures(drawn))
        _, noisy = drawn[self.parts[0]]
        size = len(self.bins[0].labels)
        for start in range(0, len(found), size):
            order = sorted(range(start, start + size), key=lambda i: (-int(noisy[i, 0]), i))
            for place, i in enumerate(order[: self.most], 1):
                one = found[i]
                yield Figure(
                    one.groups, f"top {place}", one.value, one.low, one.high, one.noise, one.suppressed
                )
