"""Sums of one score a record: k records move a sum by no more than k times what one does, and do so when they are copies."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import sympy as sp

from ...domains.domain import Domain
from ...proof.as_written import product, total
from ...proof.derivation import Step
from ...proof.enclosure import compare
from ...proof.truth import Truth
from ..answer import Dataset, Sensitivity
from ..changes import Change
from ..pairs import Found, answered, length, written_length
from ..query import Query
from ..records import some_record

_ADDED = 8  # copies that are added up in a step whose product is written like its value
COPIES = (
    "a sum of scores moves by the sum of the scores that come, minus that of those that go; by the triangle inequality k "
    "records move it by at most k times as far as one can, and k copies of the farthest record do"
)


@dataclass(frozen=True)
class Farthest:
    """An upper bound on the distance of two scores (of a score from zero, for `alone`), with records that may reach it."""

    apart: sp.Expr
    alone: sp.Expr
    pairs: tuple[tuple[Any, Any], ...]
    singles: tuple[Any, ...]
    steps: tuple[Step, ...]
    lemmas: tuple[str, ...] = ()
    reason: str = ""


class SumQuery(Query):
    """sum over the records of score(record)."""

    @abstractmethod
    def score(self, record: Any) -> sp.Matrix:
        """What one record adds, exact."""

    @abstractmethod
    def farthest(self, domain: Domain, norm: str, effort: float) -> Farthest:
        """How far scores of records of the domain are from each other, and from zero."""

    def __call__(self, dataset: Dataset) -> sp.Expr | sp.Matrix | tuple[sp.Expr, ...]:
        # A record that stands there many times, as the same object, is looked at once.
        records = {id(record): record for record in dataset}
        if not records:
            return sp.Integer(0)
        times = Counter(map(id, dataset))
        scores = [times[key] * self.score(record) for key, record in records.items()]
        added = sp.zeros(*scores[0].shape)
        for score in scores:
            added += score
        return added

    def moved(self, domain: Domain, norm: str, change: Change, n: int | None, effort: float) -> Sensitivity:
        """The number of records does not matter to a sum."""
        found = self.farthest(domain, norm, effort)
        one = {"replace": found.apart, "resize": found.alone, "both": larger(found.apart, found.alone)}[
            change.kind
        ]
        upper = change.most * one
        many = product(change.most, one)
        if sp.sstr(many) == sp.sstr(upper) and change.most <= _ADDED:
            many = total(*(one,) * change.most)
        steps = (*found.steps, Step(upper, "=", many, f"{change.most} of them"))
        pairs = self._pairs(domain, change, found, n)
        return answered(
            self,
            domain,
            norm,
            change,
            Found(upper, "scores of single records", steps, (COPIES, *found.lemmas), pairs, found.reason),
        )

    def _pairs(
        self, domain: Domain, change: Change, found: Farthest, n: int | None
    ) -> tuple[tuple[Dataset, Dataset], ...]:
        size = max((n or 1) - change.most * (change.kind == "replace"), 0)
        common = (some_record(domain),) * size
        swaps = [((*common, *(u,) * change.most), (*common, *(v,) * change.most)) for u, v in found.pairs]
        grows = [(common or (u,), (*(common or (u,)), *(u,) * change.most)) for u in found.singles]
        return tuple({"replace": swaps, "resize": grows, "both": [*swaps, *grows]}[change.kind])


def larger(first: sp.Expr, second: sp.Expr) -> sp.Expr:
    """The larger of two exact numbers."""
    return first if compare(first, ">=", second) is Truth.HOLDS else second


def among(scores: Sequence[tuple[Any, sp.Matrix]], norm: str) -> Farthest:
    """The answer where all scores are known and few: each with one record that has it."""
    pairs = list(combinations(scores, 2)) or [(scores[0], scores[0])]
    far = max(pairs, key=lambda p: float(length(p[0][1] - p[1][1], norm)))
    single = max(scores, key=lambda s: float(length(s[1], norm)))
    apart, alone = length(far[0][1] - far[1][1], norm), length(single[1], norm)
    steps = [
        Step(written_length(a[1] - b[1], norm), "<=", apart, f"scores of the records {a[0]} and {b[0]}")
        for a, b in pairs[:200]
    ]
    steps += [Step(written_length(s[1], norm), "<=", alone, f"score of the record {s[0]}") for s in scores]
    return Farthest(apart, alone, ((far[0][0], far[1][0]),), (single[0],), tuple(steps))
