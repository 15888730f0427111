"""Strategies of nested blocks: cells alone, total and cells, trees, the Haar wavelet, each with the best shares of its levels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

import numpy as np

from ...symbolic.arrays import Floats, Ints
from ...symbolic.errors import SpecError
from .budget_item import cut_fraction
from .gaussian_shares import gaussian_shares
from .laplace_shares import laplace_shares
from .levels import Levels, branching_levels
from .range_strategy import QueryGroup, RangeStrategy, whole_cells
from .range_workload import RangeWorkload
from .share_certificate import gaussian_certificate, laplace_certificate
from .share_program import ShareProgram


@dataclass(frozen=True)
class Measured:
    """One level as it is measured: sums over its blocks, or in each block of the level above first half less second half."""

    level: int
    differences: bool = False

    def components(self) -> range:
        """The components that it tells of."""
        return range(self.level, self.level + 1) if self.differences else range(self.level + 1)

    def precision(self, levels: Levels) -> int:
        """The precision of each of these for noise of variance 1."""
        return levels.sizes[self.level - 1] if self.differences else levels.sizes[self.level]

    def group(self, levels: Levels, moved: int, rows: int) -> QueryGroup:
        """Its queries; `moved` is 1 where rows are added or removed, 2 where they are replaced."""
        size = levels.sizes[self.level]
        if self.differences:
            name, count = f"differences of halves of {2 * size} cells", levels.padded // (2 * size)
            return QueryGroup(name, count, (moved * rows) ** 2, moved * rows)
        name = "cells" if size == 1 else f"sums of {size} cells"
        return QueryGroup(name, levels.padded // size, moved * rows**2, moved * rows)


@dataclass(frozen=True)
class LevelStrategy(RangeStrategy):
    """Levels of one system of nested blocks, measured with shares of their own."""

    levels: Levels = field(repr=False)
    measured: tuple[Measured, ...] = field(repr=False)

    @cached_property
    def weights(self) -> tuple[Fraction, ...]:
        """1 / variance of an answer of each group."""
        return tuple(1 / self.law.variance(g.item, s) for g, s in zip(self.groups, self.shares, strict=True))

    @cached_property
    def precisions(self) -> tuple[Fraction, ...]:
        """Of each component; 0 where nothing tells of it."""
        found = [Fraction(0)] * len(self.levels.sizes)
        for m, w in zip(self.measured, self.weights, strict=True):
            for c in m.components():
                found[c] += w * m.precision(self.levels)
        return tuple(found)

    def measure(self, cells: Ints) -> list[Ints]:
        """The exact answers of each group."""
        levels, counts = self.levels, whole_cells(cells, self.levels.n)
        return [
            levels.differences(counts, m.level) if m.differences else levels.sums(counts, m.level)
            for m in self.measured
        ]

    def least_squares(self, noisy: Sequence[Floats]) -> Floats:
        """Component by component the mean of what the groups say of it, weighted with their precisions."""
        levels, cells = self.levels, np.zeros(self.levels.padded)
        for m, w, answers in zip(self.measured, self.weights, noisy, strict=True):
            for c in m.components():
                share = float(w * m.precision(levels) / self.precisions[c])
                if m.differences:
                    halves = np.stack([answers, -answers], axis=1).ravel()
                    # Each half is spread over half of the block whose size divides the difference.
                    cells += share * levels.spread(halves / 2, m.level)
                else:
                    cells += share * levels.component(answers, m.level, c)
        return cells[: levels.n]

    def variance(self, start: int, stop: int) -> Fraction:
        """The squared length of each component over its precision; SpecError for a range that no answer tells of."""
        if not 0 <= start < stop <= self.levels.n:
            raise SpecError(f"a range has 0 <= start < stop <= {self.levels.n}, got ({start}, {stop})")
        total = Fraction(0)
        for length, p in zip(self.levels.lengths(start, stop), self.precisions, strict=True):
            if length and not p:
                raise SpecError(
                    f"the range ({start}, {stop}) is not wanted, and nothing measured tells of it"
                )
            total += length / p if length else 0
        return total


def level_strategies(
    workload: RangeWorkload, total: Fraction, noise: str, moved: int, rows: int
) -> Iterable[LevelStrategy]:
    """All of them for this workload; shares of levels that do not help are zero, and the level is not measured."""
    n = workload.n
    flat = Levels(n, (n, 1) if n > 1 else (1,))
    cells = Measured(len(flat.sizes) - 1)
    yield _best("cells alone", flat, [cells], workload, total, noise, moved, rows)
    if n > 1:
        yield _best("total and cells", flat, [Measured(0), cells], workload, total, noise, moved, rows)
    for branching in (2, 3, 4, 8, 16):
        if n > branching:
            levels = branching_levels(n, branching)
            tree = [Measured(i) for i in range(len(levels.sizes))]
            yield _best(f"tree of branching {branching}", levels, tree, workload, total, noise, moved, rows)
    if n > 2:
        halved = branching_levels(1 << (n - 1).bit_length(), 2)
        levels = Levels(n, halved.sizes)
        haar = [Measured(0), *(Measured(i, True) for i in range(1, len(levels.sizes)))]
        yield _best("Haar wavelet", levels, haar, workload, total, noise, moved, rows)


def _best(
    name: str,
    levels: Levels,
    measured: Sequence[Measured],
    workload: RangeWorkload,
    total: Fraction,
    noise: str,
    moved: int,
    rows: int,
) -> LevelStrategy:
    groups = [m.group(levels, moved, rows) for m in measured]
    program = _program(levels, measured, groups, workload, noise)
    gaussian = gaussian_shares(program)
    parts = gaussian if noise == "gaussian" else laplace_shares(program, [gaussian], _moves)
    shares = [cut_fraction(Fraction(float(x)) * total) if x > 0 else Fraction(0) for x in parts]
    if noise == "gaussian":
        certificate = gaussian_certificate(program, shares, total)
    else:
        relaxed = [Fraction(float(x)) * total**2 * (1 - _ROUNDING) for x in gaussian]
        certificate = laplace_certificate(program, [s**2 for s in shares], relaxed, total**2)
    kept = [i for i, s in enumerate(shares) if s > 0]
    return LevelStrategy(
        name,
        workload,
        total,
        noise,
        tuple(groups[i] for i in kept),
        tuple(shares[i] for i in kept),
        certificate.value,
        certificate.derivation,
        f"{certificate.verdict}: {certificate.reason}",
        levels,
        tuple(measured[i] for i in kept),
    )


_ROUNDING = Fraction(1, 10**12)


def _program(
    levels: Levels,
    measured: Sequence[Measured],
    groups: Sequence[QueryGroup],
    workload: RangeWorkload,
    noise: str,
) -> ShareProgram:
    """Weights are shares of rho, or squares of shares of epsilon; the price of a level is its variance at weight 1 over its precision."""
    costs = levels.costs(workload)
    wanted = [i for i, c in enumerate(costs) if c > 0]
    at_one = [Fraction(g.squared, 2) if noise == "gaussian" else Fraction(2 * g.absolute**2) for g in groups]
    return ShareProgram(
        tuple(g.name for g in groups),
        tuple(v / m.precision(levels) for v, m in zip(at_one, measured, strict=True)),
        tuple(frozenset(k for k, i in enumerate(wanted) if i in m.components()) for m in measured),
        tuple(costs[i] for i in wanted),
    )


def _moves(shares: Floats) -> list[Floats]:
    """One level more or less."""
    found = []
    for i, s in enumerate(shares):
        start = shares.copy()
        start[i] = 0.0 if s > 0 else shares.sum() / len(shares)
        if start.any():
            found.append(start / start.sum())
    return found
