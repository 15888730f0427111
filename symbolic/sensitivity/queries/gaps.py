"""Records by the gaps between cuts: a record belongs to at most one cell, and there adds the vector of the gap that it lies in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from numbers import Integral
from typing import Any

import sympy as sp

from ...domains.discrete import Categorical, Table
from ...domains.domain import Domain
from ...errors import SpecError
from ...proof.derivation import Step
from ...proof.enclosure import rational
from ..pairs import length
from .grouped import BESIDE, CELL, DISJOINT
from .sums import Farthest, SumQuery, larger

GAP = "gap"
LEAST = (
    "a cost that is the largest, over signs, of the least signed sum of the entries over ways to divide records between gaps moves by no more "
    "than the l1 norm of what one record adds: with it each way is one of before, plus one of the vectors or a mean of them"
)
_SHOWN = 3


@dataclass(frozen=True)
class GapSums(SumQuery):
    """`vectors[i]` is what a record of the i-th gap adds to the sums of its cell; all vectors have one length."""

    cells: int
    vectors: tuple[tuple[sp.Rational, ...], ...]

    def describe(self) -> str:
        each = "; ".join(f"({', '.join(map(str, v))})" for v in self.vectors)
        return f"records by {len(self.vectors)} gaps between cuts in {self.cells} disjoint cells, each adding the vector of its gap: {each}"

    def domain(self) -> Table:
        """Records of a cell (or of none) and of a gap; of many cells three, which are like all others."""
        names = (BESIDE, *(f"cell {i}" for i in range(min(self.cells, _SHOWN))))
        return Table({CELL: Categorical(names), GAP: Categorical(tuple(range(len(self.vectors))))})

    def score(self, record: Any) -> sp.Matrix:
        width = len(self.vectors[0])
        out = sp.zeros(min(self.cells, _SHOWN) * width, 1)
        if record[CELL] != BESIDE:
            first = int(record[CELL].removeprefix("cell ")) * width
            out[first : first + width, 0] = sp.Matrix(self.vectors[record[GAP]])
        return out

    def farthest(self, domain: Domain, norm: str, effort: float) -> Farthest:
        if not isinstance(domain, Table) or list(domain.columns) != list(self.domain().columns):
            raise SpecError("sums by gap: expected the domain of the query itself, query.domain()")
        known = [sp.Matrix(v) for v in self.vectors]
        long = max(range(len(known)), key=lambda i: float(length(known[i], norm)))
        ends = max(
            combinations(range(len(known)), 2),
            key=lambda pair: float(length(known[pair[0]] - known[pair[1]], norm)),
        )
        alone, within = length(known[long], norm), length(known[ends[0]] - known[ends[1]], norm)
        between = length(sp.Matrix([*known[long], *known[long]]), norm)
        apart = larger(larger(within, between) if self.cells > 1 else within, alone)
        first = {CELL: "cell 0", GAP: long}
        pairs = [
            ({CELL: "cell 0", GAP: ends[0]}, {CELL: "cell 0", GAP: ends[1]}),
            (first, {CELL: BESIDE, GAP: long}),
        ]
        if self.cells > 1:
            pairs.append((first, {CELL: "cell 1", GAP: long}))
        steps = [
            *(Step(length(v, norm), "<=", alone, f"a record of gap {i}") for i, v in enumerate(known)),
            *(
                Step(
                    length(known[i] - known[j], norm),
                    "<=",
                    within,
                    f"records of the gaps {i} and {j} of one cell",
                )
                for i, j in combinations(range(len(known)), 2)
            ),
            Step(within, "<=", apart, "two records of one cell"),
            Step(alone, "<=", apart, "a record and one of no cell"),
        ]
        if self.cells > 1:
            steps.append(
                Step(between, "<=", apart, "records of two cells: both move by the longest vector at most")
            )
        return Farthest(apart, alone, tuple(pairs), (first,), tuple(steps), (DISJOINT, LEAST))


def gap_sums(cells: int, vectors: Sequence[Sequence[Any]]) -> GapSums:
    """The query: sums (cells, d) by `cells` disjoint groups, in which a record of the i-th gap adds `vectors[i]` (d,).

    Records are those of `query.domain()`. SpecError for no cell, fewer than two gaps, or vectors of several lengths.

    >>> sums = npf.queries.gap_sums(3, [[0, 1], [2, 1]])
    >>> npf.sensitivity(sums, sums.domain(), norm="l1", adjacency="add-or-remove", n=5).exact
    3
    """
    if isinstance(cells, bool) or not isinstance(cells, Integral) or cells < 1:
        raise SpecError(f"sums by gap: expected a number of cells >= 1, got {cells!r}")
    kept = tuple(tuple(rational(x) for x in v) for v in vectors)
    if len(kept) < 2 or not kept[0] or len({len(v) for v in kept}) > 1:
        raise SpecError(f"sums by gap: expected two or more vectors of one length, got {list(vectors)!r}")
    return GapSums(cells, kept)
