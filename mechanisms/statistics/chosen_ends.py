"""Ends of clipping that are chosen privately, and sums between them whose law is the same whichever ends were chosen.

The table is read once.  Declared edges divide the declared range into intervals; of each group and interval it is known how many
records there are and how far into it they reach, summed.  Once two edges are chosen, the sum of the numbers clipped to them follows from
that, in steps of 2^-21 of the range between these edges: a record adds a number in [-2^20, 2^20] whichever they are, so that
sensitivity, noise and cost are fixed before anything is drawn, and only the size of a step is not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from math import lcm
from typing import Any, ClassVar

import numpy as np

from ...symbolic.sensitivity.query_over import DatasetQuery
from ..grid_noise import Bits
from .amounts import Steps
from .chosen_quantiles import ChosenQuantiles
from .measurement import Measurement, Totals, Unit
from .parts import Drawer, Noisy, NoisySums, Part, SumsDrawer
from .rows import Axis, Places, Rows

STEPS = 1 << 20  # of half of the range between the chosen edges
_FINE = 1 << 22  # places within an interval: what rounding to them moves is a quarter of a step at most
_EQUAL, _OCTAVES, _EACH = 256, 40, 16
_APART = 2.0**-26  # of an edge's size: doubles between two edges tell places within apart


@dataclass(frozen=True)
class Reach:
    """How far a number reaches into its interval of `grid`: 0 at the lower edge, 2^22 at the upper one."""

    grid: Axis
    least: int = 0
    most: int = _FINE
    step: Fraction = Fraction(1, _FINE)

    @property
    def rounding(self) -> Fraction:
        """How far it is from its places at most, in widths of its interval."""
        return self.step / 2

    def of(self, rows: Rows) -> Places:
        return rows.once(self, lambda: self._reach(rows))

    def _reach(self, rows: Rows) -> Places:
        edges, absent = _edges(self.grid), rows.absent(self.grid.column)
        values = np.asarray(rows.numbers[self.grid.column], dtype=float)
        if absent is not None:
            values = np.where(absent, edges[0], values)
        cell = np.maximum(self.grid.of(rows), 0)
        low, high = edges[cell], edges[cell + 1]
        inside = (np.clip(values, low, high) - low) / (high - low)
        return np.asarray(np.clip(np.rint(inside * _FINE), 0, _FINE), dtype=np.int64)

    @property
    def columns(self) -> tuple[str, ...]:
        return (self.grid.column,)


@dataclass(frozen=True)
class BetweenEnds(Steps):
    """Steps between two ends that are chosen later: as many for any two."""

    @property
    def rounding(self) -> Fraction:
        """Of each record a quarter of a step, and half a step of the sum."""
        return self.step

    @classmethod
    def of_ends(cls, column: str, low: float, high: float, *, skips: bool) -> BetweenEnds:
        """2^20 steps from the middle to either end."""
        ends = Fraction(low), Fraction(high)
        return cls(column, low, high, (ends[0] + ends[1]) / 2, (ends[1] - ends[0]) / 2 / STEPS, skips)


@dataclass(frozen=True)
class ChosenEnds(ChosenQuantiles):
    """Two quantiles of all records together, each an interval of the grid; drawn first, for `share` of the whole budget."""

    share: Fraction = Fraction(0)

    @property
    def grid(self) -> Axis:
        """The intervals among which both are chosen."""
        return self.measurement.axes[-1]

    def places(self, drawn: Mapping[Part, tuple[Drawer, Noisy]]) -> tuple[int, int]:
        """The chosen intervals: from noise alone."""
        first, last = sorted(int(place) for place in drawn[self][1].ravel())
        return first, last

    def ends(self, drawn: Mapping[Part, tuple[Drawer, Noisy]]) -> tuple[float, float]:
        """The outer edges of the chosen intervals: low < high, since no interval is empty."""
        first, last = self.places(drawn)
        edges = _edges(self.grid)
        return float(edges[first]), float(edges[last + 1])


@dataclass(frozen=True)
class ClippedSums(NoisySums):
    """Sums of numbers clipped to chosen ends, in steps between them; `places`: the chosen intervals, None for the declared ends.

    The sum of a cell is rounded once, after its records were added up.  One unit moves it before that by a whole number of
    steps at most, and rounding keeps to whole numbers: what is proved of the numbers of records holds of rounded sums.
    """

    chosen: ChosenEnds | None = None
    places: tuple[int, int] | None = None
    drawn_as_summed: ClassVar[bool] = False

    @property
    def ends(self) -> ChosenEnds:
        """What is drawn before it."""
        assert self.chosen is not None
        return self.chosen

    @property
    def widest_step(self) -> Fraction:
        """A step for the declared ends."""
        edges = _edges(self.ends.grid)
        return (Fraction(edges[-1]) - Fraction(edges[0])) / 2 / STEPS

    def between(self, places: tuple[int, int]) -> ClippedSums:
        """The same for these intervals."""
        return replace(self, places=places)

    @property
    def as_drawn(self) -> tuple[ClippedSums, ...]:
        # The narrowest ends at every side, and the widest.
        last = len(self.ends.grid.labels) - 1
        tried = ((0, 0), (last // 2, last // 2), (last, last), (0, last), (last // 4, 3 * last // 4))
        return tuple(self.between(places) for places in dict.fromkeys(tried))

    @property
    def outer(self) -> Measurement:
        """What is published of it: one sum for each group."""
        m = self.measurement
        return Measurement(
            m.axes[:-1], (BetweenEnds.of_ends(m.axes[-1].column, -1.0, 1.0, skips=False),), m.where
        )

    def stated(self) -> DatasetQuery:
        return self.outer.stated()

    def demand(self, unit: Unit, noise: str) -> Fraction:
        return self.outer.distance(self.norm(noise), unit)

    def transformed(self, totals: Totals) -> Totals:
        """The sums (groups, 1) in steps, from counts and reaches (groups * intervals, 2): exact, and rounded once."""
        intervals = len(self.ends.grid.labels)
        held = np.flatnonzero(totals.any(axis=1))
        group, interval = held // intervals, held % intervals
        of_count, of_reach, whole = _factors(self.ends.grid, self.places or (0, intervals - 1))
        added = totals[held].astype(object)
        numerators = added[:, 0] * of_count[interval] + added[:, 1] * of_reach[interval]
        sums = [0] * (len(totals) // intervals)
        for g, numerator in zip(group.tolist(), numerators.tolist(), strict=True):
            sums[g] += numerator
        return np.array([(2 * s + whole) // (2 * whole) for s in sums], dtype=np.int64)[:, None]

    def drawer(self, share: Fraction, unit: Unit, noise: str) -> Drawer:
        made = super().drawer(share, unit, noise)
        assert isinstance(made, SumsDrawer)
        return ClippedDrawer(self, made.law, made.cost)


@dataclass(frozen=True)
class ClippedDrawer(SumsDrawer):
    """The same noise whichever ends were chosen."""

    def at(self, drawn: Mapping[Part, tuple[Drawer, Noisy]]) -> Drawer:
        assert isinstance(self.part, ClippedSums)
        return replace(self, part=self.part.between(self.part.ends.places(drawn)))

    def draw(self, totals: Totals, bits: Bits) -> Noisy:
        assert isinstance(self.part, ClippedSums)
        if self.part.places is None:
            raise ValueError("sums between chosen ends are drawn after these: at(drawn) first")
        return super().draw(totals, bits)


@lru_cache(maxsize=64)
def edges_between(low: float, high: float, *, whole: bool) -> tuple[float, ...]:
    """Declared edges from low to high: every whole number where they are few, else equal intervals, and finer ones towards 0.

    Ends that were declared far too wide leave intervals of 4 % of their size, down to 2^-40 of the ends: the scale need not be known.  More equal intervals
    would be more candidates where no record is.
    """
    if whole and high - low <= 2 * _EQUAL:
        return tuple(float(v) for v in range(int(low), int(high) + 1))
    first, last = Fraction(low), Fraction(high)
    found = [float(first + (last - first) * i / _EQUAL) for i in range(_EQUAL)]
    most = max(abs(low), abs(high))
    sizes = [most * 2.0 ** (-j / _EACH) for j in range(1, _OCTAVES * _EACH + 1)]
    found += [edge for size in (*sizes, 0.0) for edge in (-size, size) if low < edge < high]
    out = [low]
    for edge in sorted(float(round(v)) if whole else v for v in found):
        if _apart(out[-1], edge) and _apart(edge, high):
            out.append(edge)
    return (*out, high)


def _apart(one: float, two: float) -> bool:
    return two - one > max(abs(one), abs(two)) * _APART


@lru_cache(maxsize=64)
def _edges(grid: Axis) -> Any:
    assert grid.edges is not None
    return np.asarray(grid.edges, dtype=float)


@lru_cache(maxsize=256)
def _factors(grid: Axis, places: tuple[int, int]) -> tuple[Any, Any, int]:
    """What a record, and each 2^-22 of an interval that it reaches, adds: whole numbers (intervals,) over one divisor.

    Within the ends a record adds 2^20 (2 x - low - high) / (high - low), at its clipped number x; beyond them -+2^20.
    """
    assert grid.edges is not None
    exact = [Fraction(edge) for edge in grid.edges]
    scale = lcm(*(edge.denominator for edge in exact))
    edges = [int(edge * scale) for edge in exact]
    first, last = places
    low, high = edges[first], edges[last + 1]
    whole = (high - low) * _FINE
    of_count, of_reach = [-STEPS * whole] * first, [0] * first
    for left, right in zip(edges[first : last + 1], edges[first + 1 : last + 2], strict=True):
        of_count.append(STEPS * _FINE * (2 * left - low - high))
        of_reach.append(2 * STEPS * (right - left))
    beyond = len(edges) - 2 - last
    of_count += [STEPS * whole] * beyond
    of_reach += [0] * beyond
    return np.array(of_count, dtype=object), np.array(of_reach, dtype=object), whole
