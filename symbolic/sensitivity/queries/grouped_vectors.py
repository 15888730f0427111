"""Vectors by group: a record belongs to at most one group, and adds one of finitely many vectors to the answers of it."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from numbers import Integral
from typing import Any

import numpy as np
import sympy as sp

from ...arrays import Ints
from ...domains.discrete import Categorical, Table
from ...domains.domain import Domain
from ...errors import SpecError, counted
from ...proof.derivation import Step
from ..pairs import length
from .sums import Farthest, SumQuery, larger

CELL, BESIDE = "cell", "none"
OF_GROUPS = (
    "groups have answers of their own: two records of different groups move different coordinates, two of one group the same "
    "ones; which groups these are does not matter, since all groups are alike"
)
OF_PAIRS = "the length of the difference of two vectors is found for all pairs; of each vector the farthest other one is shown"
_SHOWN = 2
_LARGEST = 1 << 20  # of an entry: squared lengths of 2^20 entries fit 64 bits


@dataclass(frozen=True)
class GroupedVectors(SumQuery):
    """`vectors[i]`, whole numbers, is what a record of the i-th cell adds to the answers of its group."""

    groups: int
    vectors: tuple[tuple[int, ...], ...] = field(repr=False)

    def describe(self) -> str:
        # Two lists of queries of one size are told apart by their numbers.
        text = ";".join(",".join(map(str, vector)) for vector in self.vectors)
        said, most = (
            counted(len(self.vectors[0]), "whole-number query"),
            max(abs(e) for vector in self.vectors for e in vector),
        )
        return (
            f"{said} with numbers up to {most:,} of {counted(len(self.vectors), 'cell')}, by {counted(self.groups, 'disjoint group')} "
            f"(SHA-256 {hashlib.sha256(text.encode()).hexdigest()[:16]})"
        )

    def domain(self) -> Table:
        """Records of a cell of a group (or of none); of many groups two, which are like all others."""
        shown = min(self.groups, _SHOWN)
        names = (_name(g, i) for g in range(shown) for i in range(len(self.vectors)))
        return Table({CELL: Categorical((BESIDE, *names))})

    def score(self, record: Any) -> sp.Matrix:
        shown, many = min(self.groups, _SHOWN), len(self.vectors[0])
        entries = [0] * (shown * many)
        if record[CELL] != BESIDE:
            group, cell = (int(word) for word in record[CELL].split()[1::2])
            entries[group * many : (group + 1) * many] = self.vectors[cell]
        return sp.Matrix(entries)

    def farthest(self, domain: Domain, norm: str, effort: float) -> Farthest:
        if not isinstance(domain, Table) or list(domain.columns) != [CELL]:
            raise SpecError("vectors by group: expected the domain of the query itself, query.domain()")
        table = np.array(self.vectors, dtype=np.int64)
        single = int(np.argmax(_sizes(table, norm)))
        partners = [int(np.argmax(_sizes(table - row, norm))) for row in table]
        lengths = [self._between(i, j, norm) for i, j in enumerate(partners)]
        first = max(range(len(table)), key=lambda i: int(_sizes(table[i] - table[partners[i]], norm)))
        alone, within = length(sp.Matrix(self.vectors[single]), norm), lengths[first]
        both = length(sp.Matrix([*self.vectors[single], *self.vectors[single]]), norm)
        apart = larger(within, both if self.groups > 1 else alone)
        here, none = {CELL: _name(0, single)}, {CELL: BESIDE}
        pairs = [({CELL: _name(0, first)}, {CELL: _name(0, partners[first])}), (here, none)]
        if self.groups > 1:
            pairs.append((here, {CELL: _name(1, single)}))
        steps = [
            Step(length(sp.Matrix(v), norm), "<=", alone, f"a record of cell {i}, and one of no cell")
            for i, v in enumerate(self.vectors)
        ]
        steps += [
            Step(one, "<=", apart, f"a record of cell {i} and the farthest of its group, of cell {j}")
            for i, (one, j) in enumerate(zip(lengths, partners, strict=True))
        ]
        steps.append(Step(alone, "<=", apart, "a record, and one of no cell"))
        if self.groups > 1:
            steps.append(
                Step(both, "<=", apart, "records of two groups: both move by the longest vector at most")
            )
        return Farthest(apart, alone, tuple(pairs), (here,), tuple(steps), (OF_GROUPS, OF_PAIRS))

    def _between(self, i: int, j: int, norm: str) -> sp.Expr:
        return length(sp.Matrix([a - b for a, b in zip(self.vectors[i], self.vectors[j], strict=True)]), norm)


def _name(group: int, cell: int) -> str:
    return f"group {group} cell {cell}"


def _sizes(rows: Ints, norm: str) -> Ints:
    """What grows with the norm of each row, in whole numbers: the squared length for l2."""
    if norm == "l2":
        return np.asarray((rows**2).sum(axis=-1))
    sizes = np.abs(rows)
    return np.asarray(sizes.sum(axis=-1) if norm == "l1" else sizes.max(axis=-1))


def grouped_vectors(groups: int, vectors: Sequence[Sequence[int]]) -> GroupedVectors:
    """The query: answers (groups, d) by `groups` disjoint groups; a record of the i-th cell adds the integers `vectors[i]` to its group.

    Its records are those of `query.domain()`. SpecError for no group, no vector, vectors of different lengths, or entries
    that are no integers up to 2^20.

    >>> prefixes = npf.queries.grouped_vectors(2, [[1, 1, 1], [0, 1, 1], [0, 0, 1]])
    >>> npf.sensitivity(prefixes, prefixes.domain(), norm="l1", adjacency="add-or-remove", n=5).exact
    3
    """
    if isinstance(groups, bool) or not isinstance(groups, Integral) or groups < 1:
        raise SpecError(f"vectors by group: expected a number of groups >= 1, got {groups!r}")
    kept = tuple(tuple(vector) for vector in vectors)
    if not kept or not kept[0] or len({len(vector) for vector in kept}) > 1:
        raise SpecError("vectors by group: expected vectors of one length, at least one entry each")
    for entry in (e for vector in kept for e in vector):
        if isinstance(entry, bool) or not isinstance(entry, Integral) or abs(entry) > _LARGEST:
            raise SpecError(f"vectors by group: expected whole numbers up to 2^20, got {entry!r}")
    return GroupedVectors(groups, kept)
