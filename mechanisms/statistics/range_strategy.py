"""What the strategies for an ordered axis share: groups of integer queries with integer noise, estimates, exact variances."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from ...symbolic.arrays import Floats, Ints
from ...symbolic.domains.exact import exact
from ...symbolic.errors import SpecError
from ...symbolic.proof.derivation import Derivation
from .budget_item import BudgetItem, BudgetLaw, budget_law, cut_fraction, shown
from .nonnegative import with_total
from .range_workload import RangeWorkload


@dataclass(frozen=True)
class QueryGroup:
    """Integer queries that get independent noise of one law: `squared` and `absolute` are the squared l2 and the l1 sensitivity in rows."""

    name: str
    count: int
    squared: int
    absolute: int

    @property
    def item(self) -> BudgetItem:
        """The group as the split of a budget sees it."""
        return BudgetItem(self.name, sensitivity_squared=self.squared, sensitivity=self.absolute)


@dataclass(frozen=True)
class RangeStrategy(ABC):
    """Which integer queries of the cells of an ordered axis are measured with which shares of the total.

    `value` is the sum of the variances of the wanted ranges, `derivation` says how it compares with other shares or strategies.
    """

    name: str
    workload: RangeWorkload
    total: Fraction
    noise: str
    groups: tuple[QueryGroup, ...]
    shares: tuple[Fraction, ...]
    value: Fraction = field(repr=False)
    derivation: Derivation = field(repr=False)
    reason: str

    @abstractmethod
    def measure(self, cells: Ints) -> list[Ints]:
        """The exact answers of each group to the counts of the cells, shape (n,)."""

    @abstractmethod
    def least_squares(self, noisy: Sequence[Floats]) -> Floats:
        """Cells whose sums are the least-squares estimates of the wanted ranges, shape (n,)."""

    @abstractmethod
    def variance(self, start: int, stop: int) -> Fraction:
        """The variance of the estimate of start <= cell < stop, exactly: at most that, on the grid."""

    @property
    def law(self) -> BudgetLaw:
        """How variance falls with a share."""
        return budget_law(self.noise)

    @property
    def parameters(self) -> tuple[Fraction, ...]:
        """For each group what the law of its noise is made from: Gaussian variance, or Laplace scale."""
        return tuple(self.law.parameter(g.item, s) for g, s in zip(self.groups, self.shares, strict=True))

    @property
    def root_mean_squared_error(self) -> float:
        """Of the wanted ranges."""
        return math.sqrt(self.value / self.workload.count)

    def estimate(self, noisy: Sequence[Any], *, nonnegative: bool = False) -> Floats:
        """Cells from the noisy answers of each group: each range is the sum of its cells, so that all sums agree.

        With `nonnegative` the cells move to the nearest ones without negative entries and with the same total: no variance is
        stated for these.
        """
        if len(noisy) != len(self.groups):
            raise SpecError(
                f"noisy must have an array for each of {len(self.groups)} groups, got {len(noisy)}"
            )
        arrays = [np.asarray(answers, dtype=float) for answers in noisy]
        for group, answers in zip(self.groups, arrays, strict=True):
            if answers.shape != (group.count,):
                raise SpecError(
                    f"noisy: {group.name} has {group.count} answers, got the shape {answers.shape}"
                )
        cells = self.least_squares(arrays)
        return with_total(cells, max(0.0, float(cells.sum()))) if nonnegative else cells

    def as_item(self, name: str, weight: Any = 1) -> BudgetItem:
        """The whole workload as one item of a budget, whose share is this strategy's total."""
        return whole_item(name, self.value * exact(weight, "weight"), self.total, self.law)

    def lines(self) -> list[str]:
        """What is measured, what comes out, and how it compares."""
        share = self.law.share
        rows = [
            f"{self.name}: {self.workload.said()} with {share} = {shown(self.total)} ({self.noise} noise)"
        ]
        for g, s, p in zip(self.groups, self.shares, self.parameters, strict=True):
            deviation = float(p) ** 0.5 if self.noise == "gaussian" else float(p) * 2**0.5
            rows.append(f"  {g.count} {g.name}: share {shown(s)}, standard deviation {deviation:.4g}")
        return [
            *rows,
            f"  root mean squared error of a range {self.root_mean_squared_error:.4g}",
            self.reason,
        ]


def whole_cells(cells: Any, n: int, largest: int = 1) -> Ints:
    """Counts of n cells as 64-bit whole numbers; SpecError for another shape, or where queries with entries up to `largest` could overflow."""
    counts = np.asarray(cells)
    if counts.shape != (n,) or counts.dtype.kind not in "iu":
        raise SpecError(f"cells must be {n} whole numbers, got the shape {counts.shape} of {counts.dtype}")
    if sum(abs(int(c)) for c in counts) * largest >= 1 << 62:
        raise SpecError("the counts are too large for 64-bit sums")
    return np.asarray(counts, dtype=np.int64)


def whole_item(name: str, value: Fraction, total: Fraction, law: BudgetLaw) -> BudgetItem:
    """A workload whose weighted variance at this total is `value`, as one item of unit sensitivity."""
    at_one = value * total**law.power / law.factor
    return BudgetItem(name, sensitivity_squared=1, sensitivity=1, weight=cut_fraction(at_one))
