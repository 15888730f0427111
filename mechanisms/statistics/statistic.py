"""Statistics as a person asks for them: which parts each needs, and what is published of the noisy parts."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar

from ..whole_noise import WholeNoise
from .amounts import One, Product, Steps
from .figures import Figure, Interval, cells, minus, over, squared, times, within
from .measurement import Measurement
from .parts import ChoiceDrawer, ChosenQuantile, DistinctGroups, Drawer, Noisy, NoisySums, Part, SumsDrawer
from .rows import Axis, Condition

Drawn = Mapping[Part, tuple[Drawer, Noisy]]
CONFIDENCE = Fraction(95, 100)
_OF_COUNTS = Fraction(1, 5)  # of the risk of an interval: the share of the count under a quotient


@dataclass(frozen=True)
class Target:
    """An error below `at_most` with probability `probability` in every cell, for cells of `size` records at least."""

    at_most: Fraction
    probability: Fraction = CONFIDENCE


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

    @property
    @abstractmethod
    def terms(self) -> tuple[tuple[Part, Fraction], ...]:
        """The parts, each with the factor of its variance in the squared error of this statistic, up to one common factor."""

    @property
    def parts(self) -> tuple[Part, ...]:
        return tuple(part for part, _ in self.terms)

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

    def most_variance(self, part: Part) -> Fraction | None:
        """The largest variance of the noise of a part with which the target is met; None without a target."""
        return None

    def _counts(self, amount: Steps) -> NoisySums:
        """The number of records that have a value of this amount."""
        has = (Condition(amount.column),) if amount.skips else ()
        where = tuple(sorted({*self.where, *has}, key=repr))
        return NoisySums(Measurement(self.by, (One(),), where))

    def _groups(self) -> Iterator[tuple[str, ...]]:
        return cells(tuple(axis.labels for axis in self.axes))


def half(drawer: Drawer, confidence: Fraction, step: Fraction = Fraction(1)) -> float:
    """Half the width of the shortest interval on the grid that holds the noise with this probability at least."""
    assert isinstance(drawer, SumsDrawer)
    return float(_half_width(drawer.law, confidence) * step)


@lru_cache(maxsize=4096)
def _half_width(law: WholeNoise, confidence: Fraction) -> int:
    return law.half_width(confidence)


def about(drawer: Drawer) -> str:
    """The law of a noise in words."""
    assert isinstance(drawer, SumsDrawer)
    return f"{drawer.law.kind}, deviation {drawer.law.standard_deviation():.6g}"


@dataclass(frozen=True)
class Count(Statistic):
    """The number of records of each group."""

    bins: tuple[Axis, ...] = ()
    measure: ClassVar[str] = "count"

    @property
    def axes(self) -> tuple[Axis, ...]:
        return (*self.by, *self.bins)

    @property
    def terms(self) -> tuple[tuple[Part, Fraction], ...]:
        return ((NoisySums(Measurement(self.axes, (One(),), self.where)), Fraction(1)),)

    def figures(self, drawn: Drawn) -> Iterator[Figure]:
        drawer, noisy = drawn[self.parts[0]]
        width = half(drawer, CONFIDENCE)
        said = about(drawer)
        for groups, value in zip(self._groups(), noisy[:, 0], strict=True):
            low, high = within((float(value) - width, float(value) + width), 0.0, math.inf)
            yield Figure(groups, self.measure, max(float(value), 0.0), low, high, said, bool(value <= width))

    def spread(self, drawers: Mapping[Part, Drawer]) -> tuple[float, float] | None:
        drawer = drawers[self.parts[0]]
        assert isinstance(drawer, SumsDrawer)
        return drawer.law.standard_deviation(), half(drawer, CONFIDENCE)

    def most_variance(self, part: Part) -> Fraction | None:
        return None if self.target is None else normal_variance(self.target.at_most, self.target.probability)


@dataclass(frozen=True)
class Distinct(Count):
    """How many of the declared values of `bins` occur in each group."""

    measure: ClassVar[str] = "distinct"

    @property
    def axes(self) -> tuple[Axis, ...]:
        return self.by

    @property
    def terms(self) -> tuple[tuple[Part, Fraction], ...]:
        return ((DistinctGroups(Measurement((*self.by, *self.bins), (One(),), self.where)), Fraction(1)),)

    def figures(self, drawn: Drawn) -> Iterator[Figure]:
        most = float(len(self.bins[0].labels))
        for one in super().figures(drawn):
            assert one.value is not None
            low, high = within((one.low or 0.0, one.high or 0.0), 0.0, most)
            yield Figure(one.groups, self.measure, min(one.value, most), low, high, one.noise, False)


@dataclass(frozen=True)
class TopValues(Count):
    """The `most` declared values of `bins` with the largest noisy counts in each group, in their order."""

    most: int = 1
    measure: ClassVar[str] = "top"

    @property
    def rows(self) -> int:
        return math.prod(len(axis.labels) for axis in self.by) * self.most

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


@dataclass(frozen=True)
class Sum(Statistic):
    """The sum of a number, clipped to its declared ends."""

    amount: Steps | None = None
    measure: ClassVar[str] = "sum"

    @property
    def terms(self) -> tuple[tuple[Part, Fraction], ...]:
        assert self.amount is not None
        return ((NoisySums(Measurement(self.by, (self.amount,), self.where)), self.amount.step**2),)

    def figures(self, drawn: Drawn) -> Iterator[Figure]:
        assert self.amount is not None
        drawer, noisy = drawn[self.parts[0]]
        width, step, said = half(drawer, CONFIDENCE, self.amount.step), self.amount.step, about(drawer)
        low = 0.0 if self.amount.least >= 0 else -math.inf
        high = 0.0 if self.amount.most <= 0 else math.inf
        for groups, total in zip(self._groups(), noisy[:, 0], strict=True):
            value = float(int(total) * step)
            ends = within((value - width, value + width), low, high)
            yield Figure(groups, self.measure, min(max(value, low), high), *ends, said, abs(value) <= width)

    def spread(self, drawers: Mapping[Part, Drawer]) -> tuple[float, float] | None:
        assert self.amount is not None
        drawer = drawers[self.parts[0]]
        assert isinstance(drawer, SumsDrawer)
        step = float(self.amount.step)
        return drawer.law.standard_deviation() * step, half(drawer, CONFIDENCE, self.amount.step)

    def most_variance(self, part: Part) -> Fraction | None:
        if self.target is None or self.amount is None:
            return None
        return normal_variance(self.target.at_most / self.amount.step, self.target.probability)


@dataclass(frozen=True)
class Mean(Statistic):
    """The mean of a number clipped to its declared ends: its centre and the quotient of a centred sum and a count."""

    amount: Steps | None = None
    measure: ClassVar[str] = "mean"

    @property
    def terms(self) -> tuple[tuple[Part, Fraction], ...]:
        assert self.amount is not None
        centred = NoisySums(Measurement(self.by, (self.amount,), self.where))
        reach = max(abs(self.amount.least), abs(self.amount.most)) * self.amount.step
        # A mean far from the centre feels the noise of the count; half of its reach is taken for it.
        return ((centred, self.amount.step**2), (self._counts(self.amount), (reach / 2) ** 2))

    def parts_of(self, drawn: Drawn) -> Iterator[tuple[tuple[str, ...], float, float, Interval, Interval]]:
        """Of each group: noisy sum (in units) and count, and intervals that hold together with probability 0.95."""
        assert self.amount is not None
        (top, sums), (bottom, counts) = drawn[self.parts[0]], drawn[self.parts[-1]]
        risk = 1 - CONFIDENCE
        wide = half(top, 1 - risk * (1 - _OF_COUNTS), self.amount.step)
        deep = half(bottom, 1 - risk * _OF_COUNTS)
        for groups, total, count in zip(self._groups(), sums[:, 0], counts[:, 0], strict=True):
            s, n = float(int(total) * self.amount.step), float(count)
            yield groups, s, n, (s - wide, s + wide), (n - deep, n + deep)

    def figures(self, drawn: Drawn) -> Iterator[Figure]:
        assert self.amount is not None
        low, high, centre = self.amount.low, self.amount.high, float(self.amount.centre)
        said = f"sum {about(drawn[self.parts[0]][0])}; count {about(drawn[self.parts[-1]][0])}"
        for groups, s, n, of_sum, of_count in self.parts_of(drawn):
            ends = over(of_sum, (max(of_count[0], 1.0), of_count[1])) if of_count[0] > 0 else None
            if ends is None or n < 1:
                yield Figure(groups, self.measure, None, low, high, said, True)
                continue
            value = min(max(centre + s / n, low), high)
            yield Figure(
                groups, self.measure, value, *within((centre + ends[0], centre + ends[1]), low, high), said
            )

    def spread(self, drawers: Mapping[Part, Drawer]) -> tuple[float, float] | None:
        if self.size is None or self.amount is None:
            return None
        top, bottom = drawers[self.parts[0]], drawers[self.parts[-1]]
        assert isinstance(top, SumsDrawer)
        assert isinstance(bottom, SumsDrawer)
        step, reach = float(self.amount.step), (self.amount.high - self.amount.low) / 4
        parts = math.hypot(top.law.standard_deviation() * step, bottom.law.standard_deviation() * reach)
        return parts / self.size, 1.96 * parts / self.size

    def most_variance(self, part: Part) -> Fraction | None:
        if self.target is None or self.amount is None or self.size is None:
            return None
        # Half of the squared error for each of the two parts.
        allowed = normal_variance(self.target.at_most * self.size, self.target.probability) / 2
        factor = dict(self.terms)[part]
        return allowed / factor


@dataclass(frozen=True)
class Variance(Mean):
    """The variance of a number: the mean of its centred squares less the square of its centred mean."""

    square: Product | None = None
    measure: ClassVar[str] = "variance"

    @property
    def terms(self) -> tuple[tuple[Part, Fraction], ...]:
        assert self.amount is not None
        assert self.square is not None
        squares = NoisySums(Measurement(self.by, (self.square,), self.where))
        (centred, factor), (counts, other) = super().terms
        reach = max(abs(self.amount.least), abs(self.amount.most)) * self.amount.step
        return ((centred, factor * reach**2), (squares, self.square.step**2), (counts, other * reach**2 / 4))

    def figures(self, drawn: Drawn) -> Iterator[Figure]:
        assert self.amount is not None
        assert self.square is not None
        most = (self.amount.high - self.amount.low) ** 2 / 4
        drawer, noisy = drawn[self.parts[1]]
        said = f"squares {about(drawer)}"
        risk = (1 - CONFIDENCE) / 2
        wide, deep = half(drawer, 1 - risk, self.square.step), None
        (top, _), (bottom, _) = drawn[self.parts[0]], drawn[self.parts[2]]
        wide_sum, deep = half(top, 1 - risk / 2, self.amount.step), half(bottom, 1 - risk / 2)
        for (groups, s, n, _, _), total in zip(self.parts_of(drawn), noisy[:, 0], strict=True):
            if n - deep < 1:
                yield Figure(groups, self.measure, None, 0.0, most, said, True)
                continue
            q, count = float(int(total) * self.square.step), (n - deep, n + deep)
            mean_square, mean = over((q - wide, q + wide), count), over((s - wide_sum, s + wide_sum), count)
            assert mean_square is not None
            assert mean is not None
            ends = within(minus(mean_square, squared(mean)), 0.0, most)
            yield Figure(groups, self.measure, min(max(q / n - (s / n) ** 2, 0.0), most), *ends, said)

    def spread(self, drawers: Mapping[Part, Drawer]) -> tuple[float, float] | None:
        if self.size is None or self.square is None:
            return None
        drawer = drawers[self.parts[1]]
        assert isinstance(drawer, SumsDrawer)
        deviation = drawer.law.standard_deviation() * float(self.square.step) / self.size
        return deviation, 1.96 * deviation

    def most_variance(self, part: Part) -> Fraction | None:
        return None


@dataclass(frozen=True)
class Quantiles(Statistic):
    """Quantiles numerator / denominator of a number, each one of the declared groups of `grid`, whose middles are published."""

    grid: Axis | None = None
    levels: tuple[tuple[int, int], ...] = ()
    middles: tuple[float, ...] = ()
    measure: ClassVar[str] = "quantile"

    @property
    def quantities(self) -> tuple[str, ...]:
        return tuple(f"quantile {a / b:g}" for a, b in self.levels)

    @property
    def terms(self) -> tuple[tuple[Part, Fraction], ...]:
        assert self.grid is not None
        fine = Measurement((*self.by, self.grid), (One(),), self.where)
        return tuple((ChosenQuantile(fine, a, b), Fraction(1)) for a, b in self.levels)

    def figures(self, drawn: Drawn) -> Iterator[Figure]:
        found = [drawn[part] for part in self.parts]
        for i, groups in enumerate(self._groups()):
            # Quantiles in their order: sorting brings none of them further from its true one.
            values = sorted(self.middles[int(noisy[i, 0])] for _, noisy in found)
            for quantity, value, (drawer, _) in zip(self.quantities, values, found, strict=True):
                assert isinstance(drawer, ChoiceDrawer)
                said = f"exponential mechanism, within {drawer.ranks:.4g} ranks with probability 0.95"
                yield Figure(groups, quantity, value, None, None, said)

    def spread(self, drawers: Mapping[Part, Drawer]) -> tuple[float, float] | None:
        worst = max(
            (drawers[p] for p in self.parts), key=lambda d: d.ranks if isinstance(d, ChoiceDrawer) else 0.0
        )
        assert isinstance(worst, ChoiceDrawer)
        return math.sqrt(2) * 2 * worst.reach / float(worst.epsilon) / worst.part.denominator, worst.ranks


def normal_variance(at_most: Fraction, probability: Fraction) -> Fraction:
    """The variance at which a normal law is within `at_most` with this probability, a hair less for the grid."""
    from scipy.stats import norm

    z = Fraction(float(norm.isf((1 - float(probability)) / 2))).limit_denominator(10**9)
    return max((at_most - Fraction(1, 2)) / z, at_most / (2 * z)) ** 2


__all__ = [
    "CONFIDENCE",
    "Count",
    "Distinct",
    "Mean",
    "Quantiles",
    "Statistic",
    "Sum",
    "Target",
    "TopValues",
    "Variance",
    "times",
]
