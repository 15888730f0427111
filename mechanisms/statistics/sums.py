"""Sums, means and variances of a number by groups, with intervals of quotients whose parts hold together."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from .amounts import Product, Steps
from .figures import Figure, Interval, between, minus, over, rounded, squared, times, within
from .measurement import Measurement
from .parts import Drawer, NoisySums, Part, SumsDrawer
from .statistic import Drawn, Statistic, about, covered, half
from .targets import CONFIDENCE, widest

_OF_COUNTS = Fraction(1, 5)  # of the risk of an interval: the share of the count under a quotient


@dataclass(frozen=True)
class Sum(Statistic):
    """The sum of a number, clipped to its declared ends."""

    amount: Steps | None = None
    measure: ClassVar[str] = "sum"
    interval: ClassVar[str] = (
        "the shortest on the steps of the sum, value -+ half width, cut at 0 where the declared ends have one sign; a noisy sum beyond 0 is published as 0, with "
        "the interval of 0"
    )
    marked: ClassVar[str] = "the noisy sum is no further from zero than the half width"

    @property
    def terms(self) -> tuple[tuple[Part, Fraction], ...]:
        assert self.amount is not None
        return ((NoisySums(Measurement(self.by, (self.amount,), self.where)), self.amount.step**2),)

    def figures(self, drawn: Drawn) -> Iterator[Figure]:
        assert self.amount is not None
        drawer, noisy = drawn[self.parts[0]]
        width, step, said = (
            half(drawer, CONFIDENCE, self.amount.step),
            self.amount.step,
            about(drawer, self.amount.step),
        )
        low = 0.0 if self.amount.least >= 0 else -math.inf
        high = 0.0 if self.amount.most <= 0 else math.inf
        for groups, total in zip(self._groups(), noisy[:, 0], strict=True):
            value = float(int(total) * step)
            inside, ends = between(value, (value - width, value + width), low, high)
            yield Figure(groups, self.measure, inside, *ends, said, abs(value) <= width)

    def spread(self, drawers: Mapping[Part, Drawer]) -> tuple[float, float] | None:
        assert self.amount is not None
        drawer = drawers[self.parts[0]]
        assert isinstance(drawer, SumsDrawer)
        step = float(self.amount.step)
        return drawer.law.standard_deviation() * step, half(drawer, CONFIDENCE, self.amount.step)

    def max_variance(self, part: Part, noise: str) -> Fraction | None:
        if self.target is None or self.amount is None:
            return None
        return widest(self.target.at_most / self.amount.step, self.target.probability, noise)

    def probability(self, drawers: Mapping[Part, Drawer]) -> float | None:
        return covered(drawers[self.parts[0]])

    def useless(self, width: float) -> bool:
        assert self.amount is not None
        return self.size is not None and width >= self.size * max(abs(self.amount.low), abs(self.amount.high))


@dataclass(frozen=True)
class Mean(Statistic):
    """The mean of a number clipped to its declared ends: its centre and the quotient of a centred sum and a count."""

    amount: Steps | None = None
    measure: ClassVar[str] = "mean"
    interval: ClassVar[str] = (
        "quotient of the ends of the intervals of a noisy sum and of a noisy count, which hold together, cut at the declared ends"
    )
    marked: ClassVar[str] = (
        "the interval of the noisy count reaches zero, or the interval is half as wide as the range between the ends, or, where these have one sign, "
        "no narrower than twice the value: it cannot be told from zero"
    )

    @property
    def terms(self) -> tuple[tuple[Part, Fraction], ...]:
        assert self.amount is not None
        centred = NoisySums(Measurement(self.by, (self.amount,), self.where))
        # A mean far from the centre feels the noise of the count; half of its reach is taken for it.
        return (
            (centred, self.amount.step**2),
            (self._counts(self.amount.column, self.amount.skips), (self._reach / 2) ** 2),
        )

    def parts_of(self, drawn: Drawn) -> Iterator[tuple[tuple[str, ...], float, float, Interval, Interval]]:
        """Of each group: noisy sum (in units) and count, and intervals that hold together with probability 0.95."""
        assert self.amount is not None
        (top, sums), (bottom, counts) = drawn[self.parts[0]], drawn[self.parts[-1]]
        wide, deep = self.halves(top, bottom)
        for groups, total, count in zip(self._groups(), sums[:, 0], counts[:, 0], strict=True):
            s, n = float(int(total) * self.amount.step), float(count)
            yield groups, s, n, (s - wide, s + wide), (n - deep, n + deep)

    def halves(self, top: Drawer, bottom: Drawer) -> tuple[float, float]:
        """Half the widths of intervals of the sum and of the count that hold together."""
        assert self.amount is not None
        risk = 1 - CONFIDENCE
        return half(top, 1 - risk * (1 - _OF_COUNTS), self.amount.step), half(bottom, 1 - risk * _OF_COUNTS)

    def figures(self, drawn: Drawn) -> Iterator[Figure]:
        assert self.amount is not None
        low, high, centre = self.amount.low, self.amount.high, float(self.amount.centre)
        said = (
            f"sum {about(drawn[self.parts[0]][0], self.amount.step)}; count {about(drawn[self.parts[-1]][0])}"
        )
        rounding = float(self.amount.rounding)
        for groups, s, n, of_sum, of_count in self.parts_of(drawn):
            ends = over(of_sum, (max(of_count[0], 1.0), of_count[1])) if of_count[0] > 0 else None
            if ends is None or n < 1:
                yield Figure(groups, self.measure, None, low, high, said, True)
                continue
            ends = centre + ends[0] - rounding, centre + ends[1] + rounding
            hidden = self.marks(centre + s / n, ends)
            value, ends = between(centre + s / n, ends, low, high)
            yield Figure(groups, self.measure, self._shown(value, ends), *ends, said, hidden)

    def spread(self, drawers: Mapping[Part, Drawer]) -> tuple[float, float] | None:
        if self.size is None or self.amount is None:
            return None
        top, bottom = drawers[self.parts[0]], drawers[self.parts[-1]]
        assert isinstance(top, SumsDrawer)
        assert isinstance(bottom, SumsDrawer)
        # As far from the centre as a mean can be: that of a group in the middle is nearer to the true one.
        step, reach = float(self.amount.step), float(self._reach)
        parts = math.hypot(top.law.standard_deviation() * step, bottom.law.standard_deviation() * reach)
        range_, (wide, deep) = self.amount.high - self.amount.low, self.halves(top, bottom)
        if self.size <= deep:
            return parts / self.size, range_
        return parts / self.size, min((wide + reach * deep) / (self.size - deep), range_)

    def narrowest(self, drawers: Mapping[Part, Drawer]) -> float | None:
        if self.size is None or self.amount is None:
            return None
        # In the middle of the range, where the count is not felt.
        wide, deep = self.halves(drawers[self.parts[0]], drawers[self.parts[-1]])
        if self.size <= deep:
            return self.amount.high - self.amount.low
        return wide / max(self.size - deep, 1) + float(self.amount.rounding)

    def max_variance(self, part: Part, noise: str) -> Fraction | None:
        if self.target is None or self.amount is None or self.size is None:
            return None
        # With x, y the errors of sum and count and R the reach, that of the mean is at most (x + R y) / (size - y).
        step, reach = self.amount.step, self._reach
        at_most = max(self.target.at_most - self.amount.rounding, Fraction(0))
        of_count = at_most * self.size / (2 * reach + at_most)
        if part == self.parts[-1]:
            return widest(of_count, self.target.half_of_risk(), noise)
        return widest(at_most * (self.size - of_count) / 2 / step, self.target.half_of_risk(), noise)

    def marks(self, value: float, interval: Interval) -> bool:
        """Whether a mean with this interval is marked as useless, before either is cut at the declared ends."""
        assert self.amount is not None
        low, high, width = self.amount.low, self.amount.high, (interval[1] - interval[0]) / 2
        one_sign = low >= 0 or high <= 0
        return self.useless(width) or (one_sign and abs(within((value, value), low, high)[0]) <= width)

    def _shown(self, value: float, ends: Interval) -> float:
        """The value without digits that say nothing; where an error is promised, all of them."""
        return rounded(value, ends) if self.target is None else value

    @property
    def _reach(self) -> Fraction:
        """How far a number lies from the centre at most."""
        assert self.amount is not None
        return max(abs(self.amount.least), abs(self.amount.most)) * self.amount.step

    def useless(self, width: float) -> bool:
        assert self.amount is not None
        return width >= (self.amount.high - self.amount.low) / 4

    @property
    def ends(self) -> tuple[float, float] | None:
        assert self.amount is not None
        return self.amount.low, self.amount.high


@dataclass(frozen=True)
class SumOfMean(Mean):
    """The sum of a number whose mean is published too: from the same centred sum and count, which cost nothing more."""

    measure: ClassVar[str] = "sum"
    narrowest = Statistic.narrowest
    interval: ClassVar[str] = (
        "sum of the ends of the intervals of a noisy centred sum and of the centre times a noisy count, which hold together"
    )
    marked: ClassVar[str] = "the interval holds zero"

    @property
    def terms(self) -> tuple[tuple[Part, Fraction], ...]:
        assert self.amount is not None
        (centred, factor), (counts, _) = super().terms
        return (centred, factor), (counts, self.amount.centre**2)

    def figures(self, drawn: Drawn) -> Iterator[Figure]:
        assert self.amount is not None
        centre = float(self.amount.centre)
        low = 0.0 if self.amount.low >= 0 else -math.inf
        high = 0.0 if self.amount.high <= 0 else math.inf
        said = (
            f"sum {about(drawn[self.parts[0]][0], self.amount.step)}; count {about(drawn[self.parts[-1]][0])}"
        )
        for groups, s, n, of_sum, of_count in self.parts_of(drawn):
            more = times((centre, centre), of_count)
            ends = of_sum[0] + more[0], of_sum[1] + more[1]
            value, ends = between(s + centre * n, ends, low, high)
            yield Figure(groups, self.measure, value, *ends, said, ends[0] <= 0 <= ends[1])

    def spread(self, drawers: Mapping[Part, Drawer]) -> tuple[float, float] | None:
        assert self.amount is not None
        top, bottom = drawers[self.parts[0]], drawers[self.parts[-1]]
        assert isinstance(top, SumsDrawer)
        assert isinstance(bottom, SumsDrawer)
        centre, risk = abs(float(self.amount.centre)), 1 - CONFIDENCE
        deviation = math.hypot(
            top.law.standard_deviation() * float(self.amount.step), bottom.law.standard_deviation() * centre
        )
        wide = half(top, 1 - risk * (1 - _OF_COUNTS), self.amount.step)
        return deviation, wide + centre * half(bottom, 1 - risk * _OF_COUNTS)

    def max_variance(self, part: Part, noise: str) -> Fraction | None:
        if self.target is None or self.amount is None:
            return None
        centre, at_most = abs(self.amount.centre), self.target.at_most
        if centre == 0:
            # The count has no part in it.
            alone = widest(at_most / self.amount.step, self.target.probability, noise)
            return alone if part == self.parts[0] else None
        each = at_most / 2 / (self.amount.step if part == self.parts[0] else centre)
        return widest(each, self.target.half_of_risk(), noise)

    def useless(self, width: float) -> bool:
        assert self.amount is not None
        return self.size is not None and width >= self.size * max(abs(self.amount.low), abs(self.amount.high))

    @property
    def ends(self) -> tuple[float, float] | None:
        return None


@dataclass(frozen=True)
class Variance(Mean):
    """The variance of a number: the mean of its centred squares less the square of its centred mean."""

    square: Product | None = None
    measure: ClassVar[str] = "variance"
    interval: ClassVar[str] = (
        "from the ends of the intervals of a noisy sum of squares, a noisy sum and a noisy count, which hold together"
    )
    marked: ClassVar[str] = (
        "the interval of the noisy count reaches below one, or the interval is half as wide as the largest variance between the ends"
    )

    @property
    def terms(self) -> tuple[tuple[Part, Fraction], ...]:
        assert self.amount is not None
        assert self.square is not None
        squares = NoisySums(Measurement(self.by, (self.square,), self.where))
        (centred, factor), (counts, other) = super().terms
        reach = self._reach
        return ((centred, factor * reach**2), (squares, self.square.step**2), (counts, other * reach**2 / 4))

    def figures(self, drawn: Drawn) -> Iterator[Figure]:
        assert self.amount is not None
        assert self.square is not None
        most = (self.amount.high - self.amount.low) ** 2 / 4
        # Rounding moves a deviation by its own size at most.
        moved = self.amount.rounding
        rounding = float(self.square.rounding + moved * (2 * self._reach + moved))
        drawer, noisy = drawn[self.parts[1]]
        said = f"squares {about(drawer, self.square.step)}"
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
            low, high = minus(mean_square, squared(mean))
            value, ends = between(q / n - (s / n) ** 2, (low - rounding, high + rounding), 0.0, most)
            hidden = self.useless((high - low) / 2 + rounding)
            yield Figure(groups, self.measure, self._shown(value, ends), *ends, said, hidden)

    def spread(self, drawers: Mapping[Part, Drawer]) -> tuple[float, float] | None:
        if self.size is None or self.square is None:
            return None
        assert self.amount is not None
        (top, squares, bottom), risk = (drawers[p] for p in self.parts), (1 - CONFIDENCE) / 2
        assert isinstance(squares, SumsDrawer)
        deviation = squares.law.standard_deviation() * float(self.square.step) / self.size
        reach, most = float(self._reach), (self.amount.high - self.amount.low) ** 2 / 4
        wide, deep = half(squares, 1 - risk, self.square.step), half(bottom, 1 - risk / 2)
        if self.size - deep < 1:
            return deviation, most
        of_squares = (wide + reach**2 * deep) / (self.size - deep)
        of_mean = (half(top, 1 - risk / 2, self.amount.step) + reach * deep) / (self.size - deep)
        return deviation, min(of_squares + 2 * reach * of_mean + of_mean**2, most)

    def narrowest(self, drawers: Mapping[Part, Drawer]) -> float | None:
        if self.size is None or self.square is None or self.amount is None:
            return None
        # Of equal numbers in the middle of the range: the squares and the square of the mean are those of the noise.
        (top, squares, bottom), risk = (drawers[p] for p in self.parts), (1 - CONFIDENCE) / 2
        size = self.size - half(bottom, 1 - risk / 2)
        if size < 1:
            return (self.amount.high - self.amount.low) ** 2 / 4
        of_mean = half(top, 1 - risk / 2, self.amount.step) / size
        return half(squares, 1 - risk, self.square.step) / size + of_mean**2 / 2

    def max_variance(self, part: Part, noise: str) -> Fraction | None:
        return None

    def useless(self, width: float) -> bool:
        assert self.amount is not None
        return width >= (self.amount.high - self.amount.low) ** 2 / 16

    @property
    def ends(self) -> tuple[float, float] | None:
        assert self.amount is not None
        return 0.0, (self.amount.high - self.amount.low) ** 2 / 4

    def unit(self, of_column: str) -> str:
        return f"({of_column})^2" if of_column else ""
