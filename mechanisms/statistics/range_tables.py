"""Numbers of records in ranges of one column, which may overlap: noisy answers of few queries, and least squares from them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import ClassVar

import numpy as np

from ...symbolic.arrays import Floats, Ints
from ...symbolic.sensitivity.queries import grouped_vectors
from ...symbolic.sensitivity.query_over import DatasetQuery
from .amounts import One
from .figures import Figure, cells, within
from .intervals import edge_labels, interval_labels
from .measurement import Measurement, Totals, Unit, paid_distance
from .nonnegative import with_total
from .parts import GAUSSIAN, Drawer, NoisySums, Part, SumsDrawer
from .range_design import Block, Fit, Pair, RangeDesign
from .rows import Axis, Condition
from .statistic import Drawn, Statistic

# Half an interval over the deviation: of a normal law, and of a Laplace law, of which sums of several are nearer to a normal one.
_NORMAL, _LAPLACE = 1.96, math.log(20) / math.sqrt(2)
_PLACES = 1_000_000  # parts of a record in which cells are rounded, so that all sums of printed numbers agree
_ROUNDING = 1e-6


@dataclass(frozen=True)
class RangeQueries(NoisySums):
    """Whole-number queries (q, n) of the n cells of the last axis, in each group of the others, each answer with noise of its own."""

    drawn_as_summed: ClassVar[bool] = False
    queries: tuple[tuple[int, ...], ...] = ()

    def __hash__(self) -> int:
        # Long lists of numbers are compared only where this is the same.
        return hash((self.measurement, len(self.queries), self.queries[:1]))

    @property
    def groups(self) -> int:
        """How many groups have answers of their own."""
        return math.prod(self.measurement.shape[:-1])

    @property
    def largest(self) -> int:
        """How often an answer counts one record at most."""
        return max(abs(entry) for query in self.queries for entry in query)

    def transformed(self, totals: Totals) -> Totals:
        counts = totals.reshape(self.groups, -1)
        return np.asarray(counts @ np.array(self.queries, dtype=np.int64).T).reshape(-1, 1)

    def stated(self) -> DatasetQuery:
        return _stated(self.groups, self.queries)

    def demand(self, unit: Unit, noise: str) -> Fraction:
        norm = self.norm(noise)
        return paid_distance(self.stated().sensitivity(norm, unit.relation()), norm)

    def farthest(self, unit: Unit, noise: str, units: int = 1) -> tuple[list[int], list[int]]:
        one, two = super().farthest(unit, noise, units)
        # Answers that do not move tell nothing apart.
        kept = [i for i, (a, b) in enumerate(zip(one, two, strict=True)) if a != b]
        return [one[i] for i in kept], [two[i] for i in kept]


@lru_cache(maxsize=64)
def _stated(groups: int, queries: tuple[tuple[int, ...], ...]) -> DatasetQuery:
    query = grouped_vectors(groups, tuple(zip(*queries, strict=True)))
    return DatasetQuery(query, query.domain())


@dataclass(frozen=True)
class Ranges(Statistic):
    """The numbers of records between edges `pairs[i]` of the cells `bands`, by groups, from the draws of `design`."""

    bands: Axis | None = None
    skips: bool = False  # whether records may have no value in the column, and are left out then
    pairs: tuple[Pair, ...] = ()
    design: RangeDesign | None = None

    measure: ClassVar[str] = "ranges"
    of_records: ClassVar[bool] = True
    interval: ClassVar[str] = (
        "unbiased least-squares estimate -+ half width, the half width that of a normal (Laplace) law of the same variance and half a record, "
        "cut at 0 and widened to the value, which is that estimate if it needs no negative cell (noise: unbiased), else the sum of cells "
        "without negative ones that fit the noisy answers best (noise: fitted), or are nearest with the same total where none were found (noise: moved)"
    )
    marked: ClassVar[str] = (
        "the unbiased estimate is no more than the half width: it cannot be told from zero"
    )

    @property
    def _cells(self) -> tuple[Axis, tuple[float, ...], RangeDesign]:
        assert self.bands is not None
        assert self.bands.edges is not None
        assert self.design is not None
        return self.bands, self.bands.edges, self.design

    @cached_property
    def terms(self) -> tuple[tuple[Part, Fraction], ...]:
        _, _, design = self._cells
        worth = zip(design.blocks, design.worth, strict=True)
        return tuple((self._part(block), Fraction(f"{w:.12e}")) for block, w in worth)

    def _part(self, block: Block) -> Part:
        bands, edges, design = self._cells
        if block.ends is None:
            return RangeQueries(Measurement((*self.by, bands), (One(),), self.where), block.queries)
        if block.ends == (0, design.n) and self.by:
            # All that have a value: the same sums as a count by these groups.
            has = (Condition(bands.column),) if self.skips else ()
            where = tuple(sorted({*self.where, *has}, key=repr))
            return NoisySums(Measurement(self.by, (One(),), where))
        kept = tuple(edges[i] for i in block.ends)
        axis = bands if kept == edges else Axis(bands.column, interval_labels(kept), kept)
        return NoisySums(Measurement((*self.by, axis), (One(),), self.where))

    def called(self, part: Part) -> str:
        _, _, design = self._cells
        return next(b.name for b, p in zip(design.blocks, self.parts, strict=True) if p == part)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The wanted ranges in words; one that ends at the last edge is closed."""
        _, edges, design = self._cells
        said = edge_labels(edges)
        return tuple(f"[{said[a]}, {said[b]}{']' if b == design.n else ')'}" for a, b in self.pairs)

    @property
    def axes(self) -> tuple[Axis, ...]:
        return (*self.by, Axis(self._cells[0].column, self.labels))

    def figures(self, drawn: Drawn) -> Iterator[Figure]:
        _, _, design = self._cells
        drawers = {part: drawer for part, (drawer, _) in drawn.items()}
        fit, deviations = self._fit(drawers), self._deviations(drawers)
        groups = math.prod(len(axis.labels) for axis in self.by)
        answers = np.hstack([np.asarray(drawn[p][1], dtype=float).reshape(groups, -1) for p in self.parts])
        times = _NORMAL if self._law(drawers) == GAUSSIAN else _LAPLACE
        named = cells(tuple(axis.labels for axis in self.by))
        for group, noisy, fitted in zip(named, answers, fit.cells(answers), strict=True):
            values, how = self._published(fit, noisy, fitted)
            middles = _between(self.pairs, fitted)
            for label, middle, value, deviation in zip(self.labels, middles, values, deviations, strict=True):
                width = times * deviation + 0.5
                low, high = within((middle - width, middle + width), 0.0, math.inf)
                said = f"{design.name} ({how}), deviation {deviation:.6g}"
                ends = min(low, value), max(high, value)
                yield Figure((*group, label), self.measure, value, *ends, said, middle <= width)

    def _published(self, fit: Fit, noisy: Floats, fitted: Floats) -> tuple[list[float], str]:
        """The ranges of one group without negative cells, in millionths, and how they were found."""
        plain, chosen, how = _between(self.pairs, fitted), fitted, "unbiased"
        if fitted.min() < -_ROUNDING:
            found = fit.nonnegative(noisy)
            chosen = with_total(fitted, max(0.0, float(fitted.sum()))) if found is None else found
            # Where the answers do not determine the cells, some without negative ones may fit as well.
            if not np.allclose(_between(self.pairs, chosen), plain, atol=_ROUNDING):
                how = "moved" if found is None else "fitted"
        whole = np.rint(np.maximum(chosen, 0.0) * _PLACES).astype(np.int64)
        return [int(v) / _PLACES for v in _between(self.pairs, whole)], how

    def _law(self, drawers: Mapping[Part, Drawer]) -> str:
        drawer = drawers[self.parts[0]]
        assert isinstance(drawer, SumsDrawer)
        return drawer.law.kind

    def _fit(self, drawers: Mapping[Part, Drawer]) -> Fit:
        return _fit(self._cells[2], tuple(_variance(drawers[part]) for part in self.parts))

    def _deviations(self, drawers: Mapping[Part, Drawer]) -> Floats:
        """The standard deviation of each estimate, (ranges,)."""
        return _deviations(self._cells[2], tuple(_variance(drawers[part]) for part in self.parts), self.pairs)

    def spread(self, drawers: Mapping[Part, Drawer]) -> tuple[float, float] | None:
        worst = float(self._deviations(drawers).max())
        times = _NORMAL if self._law(drawers) == GAUSSIAN else _LAPLACE
        return worst, times * worst + 0.5


def _variance(drawer: Drawer) -> float:
    """Of the noise of one answer."""
    assert isinstance(drawer, SumsDrawer)
    return drawer.law.variance()


@lru_cache(maxsize=64)
def _fit(design: RangeDesign, variances: tuple[float, ...]) -> Fit:
    return Fit.of(design, variances)


@lru_cache(maxsize=64)
def _deviations(design: RangeDesign, variances: tuple[float, ...], pairs: tuple[Pair, ...]) -> Floats:
    covariance = _fit(design, variances).covariance()
    sums = np.zeros((design.n + 1, design.n + 1))
    sums[1:, 1:] = covariance.cumsum(axis=0).cumsum(axis=1)
    a, b = (np.array(side) for side in zip(*pairs, strict=True))
    return np.asarray(np.sqrt(np.maximum(sums[b, b] - sums[a, b] - sums[b, a] + sums[a, a], 0.0)))


def _between(pairs: Sequence[Pair], values: Floats | Ints) -> Floats | Ints:
    """The sums of cells (n,) from a to below b, for each pair, (ranges,)."""
    sums = np.concatenate([np.zeros(1, dtype=values.dtype), values.cumsum()])
    a, b = (np.array(side) for side in zip(*pairs, strict=True))
    return np.asarray(sums[b] - sums[a])
