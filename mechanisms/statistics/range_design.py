"""The draws for ranges of an ordered axis: a strategy as blocks of queries, what each is worth, and the least-squares fit of all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from ...symbolic.arrays import Floats, Ints
from .level_strategy import LevelStrategy
from .optimal_ranges import LARGEST, best_queries
from .parts import GAUSSIAN
from .range_workload import range_workload
from .ranges import QueryStrategy, range_strategies

Pair = tuple[int, int]
MOST_CELLS = 128
_TURNS = 60
_NEAR = 1.05
_DONE = 1e-7  # of the error: no turn that brings less is followed by another
_LEAST = 1e-4  # of the budget: what is worth less is not drawn
_ALIKE = 1.005  # of two strategies so near each other the one with fewer draws is taken
_RIDGE = (
    1 << 10
)  # how much more a wanted range counts than a cell, where wanted ranges do not determine all cells


@dataclass(frozen=True)
class Block:
    """Queries that get noise of one law: sums between neighbouring `ends` (numbers of cells), or whole-number `queries` (q, n)."""

    name: str
    ends: tuple[int, ...] | None = None
    queries: tuple[tuple[int, ...], ...] = field(default=(), repr=False)

    def matrix(self, n: int) -> Ints:
        """The queries of n cells, (q, n)."""
        if self.ends is None:
            return np.array(self.queries, dtype=np.int64)
        cells = np.arange(n)
        return np.array(
            [(a <= cells) & (cells < b) for a, b in zip(self.ends, self.ends[1:], strict=False)],
            dtype=np.int64,
        )


@dataclass(frozen=True)
class RangeDesign:
    """Which blocks are drawn: `worth[g]` is the part of the mean squared error of the wanted ranges that a unit variance of block g makes.

    That is so for the estimate at the best shares, where the split of a budget among blocks of this worth finds the same shares again.
    """

    name: str
    n: int
    blocks: tuple[Block, ...]
    worth: tuple[float, ...]
    error: float  # mean variance of the wanted ranges for a rho (epsilon) of 1 and one record a unit


@dataclass(frozen=True)
class Fit:
    """Least squares of cells from the answers of blocks whose variances are known."""

    rows: Floats  # (Q, n): the queries over the deviations of their answers
    scales: Floats  # (Q,): 1 / deviation

    @classmethod
    def of(cls, design: RangeDesign, variances: Sequence[float]) -> Fit:
        """The fit of a design whose blocks were drawn with these variances."""
        matrices = [block.matrix(design.n) for block in design.blocks]
        scales = np.repeat(1 / np.sqrt(np.array(variances, dtype=float)), [len(m) for m in matrices])
        return cls(np.vstack(matrices) * scales[:, None], scales)

    def covariance(self) -> Floats:
        """Of the cells, (n, n); of ranges that no answer tells of it says nothing."""
        return np.asarray(np.linalg.pinv(self.rows.T @ self.rows, hermitian=True))

    def cells(self, answers: Floats) -> Floats:
        """The cells (groups, n) of answers (groups, Q), unbiased in all ranges that the answers determine."""
        return np.asarray((answers * self.scales) @ self.rows @ self.covariance())

    def nonnegative(self, answers: Floats) -> Floats | None:
        """The cells without negative entries that fit the answers (Q,) best, (n,); None where the search for them does not end."""
        from scipy.optimize import nnls

        try:
            found, _ = nnls(self.rows, answers * self.scales, maxiter=50 * self.rows.shape[1])
        except RuntimeError:
            return None
        return np.asarray(found)


@lru_cache(maxsize=64)
def range_design(
    n: int, wanted: str | tuple[Pair, ...], noise: str, resizes: bool, many: bool
) -> RangeDesign:
    """The draws of least mean variance of the wanted ranges of n cells, among the strategies that are known here.

    `wanted` is "prefixes", "ranges" or pairs; `resizes`: records come and go, else they are replaced; `many`: there are
    several groups, so that a record may move from one to another.  All strategies are compared for these neighbours.
    """
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    with threadpool_limits(1):  # small matrices: threads cost more than they bring
        return _best(n, wanted, noise, resizes, many)


def _best(n: int, wanted: str | tuple[Pair, ...], noise: str, resizes: bool, many: bool) -> RangeDesign:
    workload = range_workload(n, wanted)
    gram = workload.gram().astype(float) / workload.count

    def made(one: _Candidate, turns: int) -> RangeDesign | None:
        return _shared(one, n, gram, noise, resizes, many, turns)

    # One turn says nearly how good a strategy is; only what comes near the best has its shares sought to the end.
    first = [(one, known) for one in _candidates(n, wanted, noise, resizes) if (known := made(one, 1))]
    bound = min(known.error for _, known in first) * _NEAR
    found = [best for one, known in first if known.error <= bound and (best := made(one, _TURNS))]
    least = min(one.error for one in found)
    return min((one for one in found if one.error <= least * _ALIKE), key=lambda one: len(one.blocks))


def moved(queries: Ints, noise: str, resizes: bool, many: bool) -> int:
    """How far one record moves the answers of queries (q, n): squared l2 distance (Gaussian noise), or l1 distance."""
    columns = queries.T
    size = np.square if noise == GAUSSIAN else np.abs
    alone = int(size(columns).sum(axis=1).max())
    if resizes:
        return alone
    apart = max(int(size(columns - one).sum(axis=1).max()) for one in columns)
    return max(apart, 2 * alone if many else alone)


@dataclass(frozen=True)
class _Candidate:
    """A strategy as blocks, with shares of the budget to begin with."""

    name: str
    blocks: tuple[Block, ...]
    shares: tuple[float, ...]


def _candidates(n: int, wanted: str | tuple[Pair, ...], noise: str, resizes: bool) -> Iterator[_Candidate]:
    """Strategies, the simplest first."""
    cells = Block("cells", tuple(range(n + 1)))
    yield _Candidate("cells alone", (cells,), (1.0,))
    neighbours = "add-or-remove" if resizes else "replace-one"
    for strategy in range_strategies(n, wanted, 1, noise, neighbours=neighbours):
        if isinstance(strategy, LevelStrategy):
            blocks = tuple(_level_block(strategy, i) for i in range(len(strategy.measured)))
        elif isinstance(strategy, QueryStrategy):
            blocks = (Block("whole-number queries", None, _rows(strategy.bound.queries)),)
        yield _Candidate(strategy.name, blocks, tuple(map(float, strategy.shares)))
    if isinstance(wanted, tuple):
        yield from _of_few(n, wanted, noise, cells)


def _of_few(n: int, wanted: tuple[Pair, ...], noise: str, cells: Block) -> Iterator[_Candidate]:
    """What fits ranges that somebody listed: they themselves, with cells or without, and queries near the optimum for them."""
    places = np.arange(n)
    rows = _rows(np.array([(a <= places) & (places < b) for a, b in wanted], dtype=np.int64))
    ranges = Block("ranges", None, rows)
    yield _Candidate("the ranges themselves", (ranges,), (1.0,))
    yield _Candidate("ranges and cells", (ranges, cells), (0.5, 0.5))
    gram = range_workload(n, wanted).gram()
    if noise == GAUSSIAN and 1 < n <= LARGEST and np.linalg.matrix_rank(gram.astype(float)) < n:
        queries = best_queries(gram * _RIDGE + np.eye(n, dtype=np.int64)).queries
        block = Block("whole-number queries", None, _rows(queries))
        yield _Candidate("near-optimal queries", (block,), (1.0,))


def _level_block(strategy: LevelStrategy, i: int) -> Block:
    measured, n = strategy.measured[i], strategy.levels.n
    size = strategy.levels.sizes[measured.level]
    if not measured.differences:
        name = "total" if size >= n else "cells" if size == 1 else f"sums of {size} cells"
        return Block(name, (*range(0, n, size), n))
    rows = []
    for start in range(0, n, 2 * size):
        row = np.zeros(n, dtype=np.int64)
        row[start : start + size], row[start + size : start + 2 * size] = 1, -1
        rows.append(row)
    return Block(f"differences of halves of {2 * size} cells", None, _rows(np.array(rows)))


def _rows(queries: Ints) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(int(v) for v in row) for row in queries)


def _shared(
    one: _Candidate, n: int, gram: Floats, noise: str, resizes: bool, many: bool, turns: int
) -> RangeDesign | None:
    """The design with its best shares, by turns the best estimate for the shares and the best shares for the estimate.

    No turn makes the error larger.  None where the blocks do not determine the wanted ranges.
    """
    matrices = [block.matrix(n) for block in one.blocks]
    distances = np.array([float(moved(m, noise, resizes, many)) for m in matrices])
    shares, before = np.array(one.shares), np.inf
    for _ in range(turns):
        found = _worth(matrices, _variances(distances, shares, noise), gram)
        if found is None:
            return None
        worth, error = found
        wanted = np.sqrt(worth * distances) if noise == GAUSSIAN else np.cbrt(worth * distances**2)
        shares = wanted / wanted.sum()
        if error > before * (1 - _DONE):
            break
        before = error
    if turns > 1 and shares.min() < _LEAST:
        kept = [i for i, s in enumerate(shares) if s >= _LEAST]
        blocks, rest = tuple(one.blocks[i] for i in kept), tuple(float(shares[i]) for i in kept)
        fewer = _Candidate(one.name, blocks, rest)
        return _shared(fewer, n, gram, noise, resizes, many, turns)
    return RangeDesign(one.name, n, one.blocks, tuple(map(float, worth)), float(error))


def _variances(distances: Floats, shares: Floats, noise: str) -> Floats:
    """Of an answer of each block: a square of a distance over twice a share of rho, or twice that of a distance over a share of epsilon."""
    return np.asarray(distances / (2 * shares) if noise == GAUSSIAN else 2 * (distances / shares) ** 2)


def _worth(matrices: Sequence[Ints], variances: Floats, gram: Floats) -> tuple[Floats, float] | None:
    """What each block's variance counts for in the mean squared error of the best estimate, and that error."""
    products = [m.T.astype(float) @ m for m in matrices]
    weights = sum(p / v for p, v in zip(products, variances, strict=True))
    covariance = np.linalg.pinv(weights, hermitian=True)
    if not np.allclose(weights @ covariance @ gram, gram, atol=1e-6 * float(gram.max())):
        return None
    spread = covariance @ gram @ covariance
    worth = [float(np.sum(p * spread)) / v**2 for p, v in zip(products, variances, strict=True)]
    return np.array(worth), float(np.sum(gram * covariance))
