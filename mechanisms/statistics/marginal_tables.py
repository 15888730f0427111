"""Tables of counts that cross several categories, measured together: noisy marginals, and consistent estimates of those asked for."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from ...symbolic.arrays import Floats
from ..grid_noise import Bits, seeded_bits
from ..mechanism import Mechanism
from ..whole_noise import DiscreteNoiseMechanism
from .amounts import One
from .balanced import balanced_strategy
from .figures import Figure, cells, within
from .marginal_space import Marginal
from .marginals import MarginalStrategy
from .measurement import Measurement, Totals, Unit
from .parts import GAUSSIAN, Drawer, Noisy, NoisySums, Part, SumsDrawer
from .rows import Axis
from .statistic import Drawn, Statistic

# Half an interval over the deviation: of a normal law, and of a Laplace law, of which sums of several are nearer to a normal one.
_NORMAL, _LAPLACE = 1.96, math.log(20) / math.sqrt(2)


@dataclass(frozen=True)
class NoisyMarginals(NoisySums):
    """Counts of all cells of the joint table, from which the marginals of the strategy are summed and get noise of their own."""

    workload: tuple[Marginal, ...] = ()

    @property
    def sizes(self) -> dict[str, int]:
        """The number of values of each column."""
        return {axis.column: len(axis.labels) for axis in self.measurement.axes}

    def strategy(self, unit: Unit, noise: str, total: Fraction = Fraction(1)) -> MarginalStrategy:
        """Which marginals are measured, for this much rho or epsilon."""
        neighbours = "add-or-remove" if unit.resizes else "replace-one"
        made = balanced_strategy(self.sizes, self.workload, noise, neighbours=neighbours, rows=unit.most)
        return made.scaled(total)

    def demand(self, unit: Unit, noise: str) -> Fraction:
        """That of one count whose variance is the mean one of the cells asked for."""
        variance = Fraction(self.strategy(unit, noise).root_mean_squared_error ** 2)
        return 2 * variance if noise == GAUSSIAN else Fraction(math.sqrt(variance / 2))

    def farthest(self, unit: Unit, noise: str, units: int = 1) -> tuple[list[int], list[int]]:
        # Every measured marginal moves in one cell; in two where a record takes the values of another one.
        measured = self.strategy(unit, noise).measured
        cells = [1 if unit.resizes or not marginal else 2 for marginal in measured]
        moved = unit.most * units
        still = moved if unit.resizes else 0
        there = [v for n in cells for v in ((still,) if n == 1 else (-moved, moved))]
        return [0] * len(there), there

    def drawer(self, share: Fraction, unit: Unit, noise: str) -> MarginalsDrawer:
        return MarginalsDrawer(self, self.strategy(unit, noise, share), unit)

    def summed(self, totals: Totals, marginal: Marginal) -> Totals:
        """The counts of one marginal, in the order of its columns."""
        shape = self.measurement.shape
        away = tuple(j for j, axis in enumerate(self.measurement.axes) if axis.column not in marginal)
        return np.asarray(totals[:, 0].reshape(shape).sum(axis=away, dtype=np.int64))


@dataclass(frozen=True)
class MarginalsDrawer(Drawer):
    """Independent noise on the cells of every measured marginal."""

    part: NoisyMarginals
    strategy: MarginalStrategy
    unit: Unit

    @property
    def cost(self) -> Fraction:  # type: ignore[override]
        return sum(self.strategy.shares.values(), Fraction(0))

    @cached_property
    def drawers(self) -> dict[Marginal, SumsDrawer]:
        """The draw of each measured marginal."""
        found = {}
        for marginal, share in self.strategy.shares.items():
            drawer = NoisySums(self._measurement(marginal)).drawer(share, self.unit, self.strategy.noise)
            assert isinstance(drawer, SumsDrawer)
            found[marginal] = drawer
        return found

    def _measurement(self, marginal: Marginal) -> Measurement:
        whole = self.part.measurement
        return Measurement(
            tuple(axis for axis in whole.axes if axis.column in marginal), whole.amounts, whole.where
        )

    def draw(self, totals: Totals, bits: Bits) -> Noisy:
        """The noisy marginals one after the other, (cells of all of them, 1)."""
        drawn = [
            drawer.noised(self.part.summed(totals, marginal).ravel(), bits)
            for marginal, drawer in self.drawers.items()
        ]
        return np.concatenate(drawn)[:, None]

    def farthest(self, unit: Unit, units: int = 1) -> tuple[list[int], list[int]]:
        return self.part.farthest(unit, self.strategy.noise, units)

    def on_trial(self, one: Sequence[int], two: Sequence[int], units: int = 1) -> Mechanism:
        return DrawnMarginals(self, one, two)

    def estimates(self, noisy: Noisy) -> dict[Marginal, Floats]:
        """The marginals asked for, by least squares: unbiased, and what two of them share agrees."""
        return self.strategy.estimate(self._tables(noisy))

    def published(self, noisy: Noisy) -> tuple[dict[Marginal, Floats], str]:
        """The marginals asked for without negative counts, and how they were found: "unbiased" or "joint" (they agree), or "each"."""
        return self.strategy.published(self._tables(noisy))

    def _tables(self, noisy: Noisy) -> dict[Marginal, Noisy]:
        tables, start = {}, 0
        for marginal in self.drawers:
            shape = self.strategy.space.shape(marginal)
            size = math.prod(shape)
            tables[marginal] = noisy[start : start + size, 0].reshape(shape)
            start += size
        return tables

    def deviation(self, marginal: Marginal) -> float:
        """The standard deviation of a cell of an estimate."""
        return math.sqrt(float(self.strategy.cell_variance(marginal)))

    def half_width(self, marginal: Marginal) -> float:
        """Half of an interval that holds the error with probability 0.95, as for a normal (Laplace) law of its variance."""
        times = _NORMAL if self.strategy.noise == GAUSSIAN else _LAPLACE
        return times * self.deviation(marginal) + 0.5

    def said(self) -> dict[str, Any]:
        marginals = {" x ".join(m) or "total": d.law.parameters() for m, d in self.drawers.items()}
        return {"law": f"{self.strategy.noise}, of marginals", "marginals": marginals}


class DrawnMarginals(DiscreteNoiseMechanism):
    """The code that adds noise to the marginals of a release: the cells that move, beside the laws that it states."""

    summary = "adds noise to marginals of a release"

    def __init__(self, drawer: MarginalsDrawer, one: Sequence[int], two: Sequence[int]) -> None:
        share = len(one) / len(drawer.drawers)
        of_cells = [d for m, d in drawer.drawers.items() for _ in range(1 if share == 1 or not m else 2)]
        super().__init__([d.law for d in of_cells], one, two)
        self._of_cells, self.name = of_cells, "noise of marginals"

    def release(self, data: Any, size: int, rng: np.random.Generator) -> Floats:
        bits = seeded_bits(rng)
        columns = [
            drawer.noised(np.full(size, int(centre), dtype=np.int64), bits)
            for drawer, centre in zip(self._of_cells, np.asarray(data), strict=True)
        ]
        return np.stack(columns, axis=1).astype(float)


@dataclass(frozen=True)
class Marginals(Statistic):
    """One table for each set of columns in `tables`; all agree on what they share, unless the table of all columns is too large."""

    columns: tuple[Axis, ...] = ()
    tables: tuple[Marginal, ...] = ()
    measure: ClassVar[str] = "marginals"
    of_records: ClassVar[bool] = True
    interval: ClassVar[str] = (
        "unbiased least-squares estimate -+ half width, the half width that of a normal (Laplace) law of the same variance, cut at 0 and "
        "widened to the value, which is that estimate if no count of it is negative (noise: unbiased), else of one table of all columns without "
        "negative counts that is fitted to all noisy tables (noise: joint), or of the nearest such table where none is fitted (noise: each)"
    )
    marked: ClassVar[str] = (
        "the unbiased estimate is no more than the half width: it cannot be told from zero"
    )

    @property
    def terms(self) -> tuple[tuple[Part, Fraction], ...]:
        joint = Measurement(self.columns, (One(),), self.where)
        return ((NoisyMarginals(joint, self.tables), Fraction(1)),)

    @property
    def axes(self) -> tuple[Axis, ...]:
        return self.columns

    @property
    def rows(self) -> int:
        sizes = {axis.column: len(axis.labels) for axis in self.columns}
        return sum(math.prod(sizes[name] for name in table) for table in self.tables)

    def figures(self, drawn: Drawn) -> Iterator[Figure]:
        drawer, noisy = drawn[self.parts[0]]
        assert isinstance(drawer, MarginalsDrawer)
        labels = {axis.column: axis.labels for axis in self.columns}
        # The interval is about the unbiased estimate; the value agrees between tables too, unless it says each.
        unbiased, (shown, how) = drawer.estimates(noisy), drawer.published(noisy)
        for table in self.tables:
            width = drawer.half_width(table)
            said = f"estimate ({how}), deviation {drawer.deviation(table):.6g}"
            of_table = cells(tuple(labels[name] for name in table))
            pairs = zip(np.asarray(unbiased[table]).ravel(), np.asarray(shown[table]).ravel(), strict=True)
            for groups, (middle, value) in zip(of_table, pairs, strict=True):
                placed = dict(zip(table, groups, strict=True))
                low, high = within((float(middle) - width, float(middle) + width), 0.0, math.inf)
                everywhere = tuple(placed.get(axis.column) for axis in self.columns)
                # Six places: those of the joint table, whose sums agree to the last one.
                shown_value = round(float(value), 6)
                ends = min(low, shown_value), max(high, shown_value)
                yield Figure(everywhere, " x ".join(table), shown_value, *ends, said, bool(middle <= width))

    def spread(self, drawers: Mapping[Part, Drawer]) -> tuple[float, float] | None:
        drawer = drawers[self.parts[0]]
        assert isinstance(drawer, MarginalsDrawer)
        worst = max(self.tables, key=drawer.deviation)
        return drawer.deviation(worst), drawer.half_width(worst)
