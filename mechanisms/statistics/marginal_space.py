"""Marginals of a table of counts and their components: cells, degrees of freedom, and what a variance of each component costs."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from ...symbolic.domains.exact import exact
from ...symbolic.errors import SpecError, nearest_name

Marginal = tuple[str, ...]
_MOST_COLUMNS = 8


@dataclass(frozen=True)
class MarginalSpace:
    """Columns with their numbers of categories, the marginals that are wanted with weights, and those that may be measured.

    A marginal is a tuple of names in the order of `sizes`. Its table is a sum of components, one for each subset S of its columns,
    with (n - 1) multiplied over S dimensions; measurements with noise of one variance in each cell say independent things of each.
    """

    sizes: dict[str, int]
    workload: dict[Marginal, Fraction]
    candidates: tuple[Marginal, ...] = field(repr=False)

    def cells(self, marginal: Iterable[str]) -> int:
        """How many cells its table has."""
        return math.prod(self.sizes[name] for name in marginal)

    def freedom(self, component: Iterable[str]) -> int:
        """The dimension of a component."""
        return math.prod(self.sizes[name] - 1 for name in component)

    def shape(self, marginal: Iterable[str]) -> tuple[int, ...]:
        """The shape of its table."""
        return tuple(self.sizes[name] for name in marginal)

    @property
    def components(self) -> tuple[Marginal, ...]:
        """All components of the wanted marginals that are not empty, small ones first."""
        found = {s for wanted in self.workload for s in subsets(wanted) if self.freedom(s) > 0}
        return tuple(sorted(found, key=self._order))

    def costs(self) -> dict[Marginal, Fraction]:
        """What the objective pays for variance 1 / precision of each component: c_S = freedom * sum of weight / cells."""
        return {
            s: self.freedom(s)
            * sum((w / self.cells(m) for m, w in self.workload.items() if set(s) <= set(m)), Fraction(0))
            for s in self.components
        }

    def precisions(self, weights: Mapping[Marginal, Fraction]) -> dict[Marginal, Fraction]:
        """p_S = sum over measured marginals A around S of weight / cells, where weight = 1 / variance of a cell of A."""
        parts = {a: Fraction(w) / self.cells(a) for a, w in weights.items() if w > 0}
        return {
            s: sum((x for a, x in parts.items() if set(s) <= set(a)), Fraction(0)) for s in self.components
        }

    def cell_variance(self, marginal: Marginal, precisions: Mapping[Marginal, Fraction]) -> Fraction:
        """The variance of each cell of the least-squares estimate: sum over S of freedom / (cells^2 p_S)."""
        parts = (Fraction(self.freedom(s)) / precisions[s] for s in subsets(marginal) if self.freedom(s) > 0)
        return sum(parts, Fraction(0)) / self.cells(marginal) ** 2

    def canonical(self, names: Any) -> Marginal:
        """The names in the order of the columns; SpecError for an unknown name or one that stands twice."""
        listed = [names] if isinstance(names, str) else list(names)
        for name in listed:
            if name not in self.sizes:
                raise SpecError(f"workload: no column {name!r}: {nearest_name(str(name), self.sizes)}")
        if len(set(listed)) < len(listed):
            raise SpecError(f"workload: {listed} names a column twice")
        return tuple(name for name in self.sizes if name in listed)

    def _order(self, marginal: Marginal) -> tuple[int, list[int]]:
        columns = list(self.sizes)
        return len(marginal), [columns.index(name) for name in marginal]


def subsets(marginal: Iterable[str]) -> list[Marginal]:
    """All subsets of its columns, in their order, small ones first."""
    names = tuple(marginal)
    return [c for k in range(len(names) + 1) for c in itertools.combinations(names, k)]


def marginal_space(sizes: Mapping[str, int], workload: Any, most_cells: int) -> MarginalSpace:
    """The space of a workload: marginals, or marginals with weights; SpecError for what is none.

    Every marginal of the wanted columns with at most `most_cells` cells may be measured.
    """
    named = _sizes(sizes)
    empty = MarginalSpace(named, {}, ())
    pairs = workload.items() if isinstance(workload, Mapping) else ((m, 1) for m in _listed(workload))
    wanted: dict[Marginal, Fraction] = {}
    for names, weight in pairs:
        marginal, value = empty.canonical(names), exact(weight, f"weight of {names}")
        if value <= 0:
            raise SpecError(f"weight of {names} must be above 0, got {weight}: leave out what is not wanted")
        wanted[marginal] = wanted.get(marginal, Fraction(0)) + value
    if not wanted:
        raise SpecError("workload is empty: list the marginals that are wanted, such as [('sex', 'race')]")
    large = next((m for m in wanted if empty.cells(m) > most_cells), None)
    if large is not None:
        raise SpecError(
            f"the marginal of {', '.join(large)} has {empty.cells(large):,} cells, more than most_cells = {most_cells:,}"
        )
    used = {name for m in wanted for name in m}
    if len(used) > _MOST_COLUMNS:
        raise SpecError(
            f"the workload is about {len(used)} columns, and at most {_MOST_COLUMNS} are planned together: split it into several"
        )
    candidates = [m for m in subsets(name for name in named if name in used) if empty.cells(m) <= most_cells]
    return MarginalSpace(named, wanted, tuple(candidates))


def _listed(workload: Any) -> list[Any]:
    if isinstance(workload, str) or not isinstance(workload, Iterable):
        raise SpecError(f"workload must be a list of tuples of column names, got {workload!r}")
    return list(workload)


def _sizes(sizes: Mapping[str, int]) -> dict[str, int]:
    if not isinstance(sizes, Mapping) or not sizes:
        raise SpecError("sizes must say how many categories each column has, such as {'sex': 2, 'race': 5}")
    for name, size in sizes.items():
        if isinstance(size, bool) or not isinstance(size, int) or size < 1:
            raise SpecError(f"sizes: {name} must be a whole number of categories, at least 1, got {size!r}")
    return dict(sizes)
