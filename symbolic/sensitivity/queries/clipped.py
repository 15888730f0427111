"""Sums and means of numbers that are clipped to an interval."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any

import sympy as sp

from ...domains.domain import Domain
from ...errors import SpecError
from ...proof.as_written import difference
from ...proof.as_written import product as times
from ...proof.derivation import Step
from ...proof.enclosure import compare, rational
from ...proof.truth import Truth, all_hold
from ..answer import Dataset, Sensitivity
from ..changes import Change
from ..pairs import Found, answered
from ..query import Query
from ..records import Column
from .sums import Farthest, SumQuery, among

MONOTONE = "clipping is monotone, so a clipped number is extreme at an end of its interval"


@dataclass(frozen=True)
class Clip:
    """A number of a record, moved to the nearest one from `low` to `high`."""

    low: sp.Rational
    high: sp.Rational
    column: Column

    def of(self, record: Any) -> sp.Rational:
        """The clipped number of a record."""
        return min(max(self.column.read(record), self.low), self.high)

    def extremes(self, domain: Domain) -> tuple[tuple[Any, sp.Rational], tuple[Any, sp.Rational]]:
        """A record with the least clipped number over the domain, and one with the largest, each with it."""
        low, high = (self.column.record(domain, end) for end in self.column.interval(domain))
        return (low, self.of(low)), (high, self.of(high))


@dataclass(frozen=True)
class ClippedSum(SumQuery):
    """The sum of clipped numbers."""

    clip: Clip

    def describe(self) -> str:
        return f"sum of numbers clipped to [{self.clip.low}, {self.clip.high}]"

    def score(self, record: Any) -> sp.Matrix:
        return sp.Matrix([self.clip.of(record)])

    def farthest(self, domain: Domain, norm: str, seconds: float) -> Farthest:
        found = among([(r, sp.Matrix([v])) for r, v in self.clip.extremes(domain)], norm)
        return Farthest(found.apart, found.alone, found.pairs, found.singles, found.steps, (MONOTONE,))


@dataclass(frozen=True)
class ClippedMean(Query):
    """The mean of clipped numbers of one record at least."""

    clip: Clip

    def describe(self) -> str:
        return f"mean of numbers clipped to [{self.clip.low}, {self.clip.high}]"

    def __call__(self, dataset: Dataset) -> sp.Expr:
        if not dataset:
            raise SpecError(f"{self.describe()}: of no record there is none")
        return sp.Add(*(self.clip.of(record) for record in dataset)) / len(dataset)

    def moved(self, domain: Domain, norm: str, change: Change, n: int | None, seconds: float) -> Sensitivity:
        """`n` is needed: the number of records, or those that are shared where neighbours differ in it."""
        if n is None:
            raise SpecError(
                f"{self.describe()}: give n=, the number of records (the smaller one where neighbours differ in it)"
            )
        if change.kind == "replace" and change.most > n:
            raise SpecError(f"{self.describe()}: {change.most} records cannot be replaced among {n}")
        (low, least), (high, most) = self.clip.extremes(domain)
        share, (one, two) = farthest_shares(n, change)
        upper = (most - least) * share

        def again(left: sp.Expr, right: sp.Expr) -> Truth:
            known = farthest_shares(n, change)[0]
            return all_hold(compare(side, "=", known) for side in (left, right))

        pair = tuple((low,) * zeros + (high,) * ones for zeros, ones in (one, two))
        steps = (
            Step(
                share,
                "=",
                share,
                "all numbers of low and high records",
                again,
                ("farthest shares of high ones", sp.sstr(share)),
            ),
            Step(
                upper, "=", times(difference(most, least), share), "times the width of the clipped interval"
            ),
        )
        lemma = (
            "a mean is affine in each number, so that it is extreme where every number is least or largest"
        )
        found = Found(upper, "every number at an end", steps, (MONOTONE, lemma), ((pair[0], pair[1]),))
        return answered(self, domain, norm, change, found)


def farthest_shares(n: int, change: Change) -> tuple[sp.Rational, tuple[tuple[int, int], tuple[int, int]]]:
    """The farthest shares of ones that neighbours of zeros and ones can have, and (zeros, ones) of both."""
    best: tuple[sp.Rational, tuple[tuple[int, int], tuple[int, int]]] = (sp.Integer(-1), ((0, 0), (0, 0)))
    shared = n - change.most if change.kind == "replace" else n
    for ones in (0, shared):
        # All shared records are low, or all are high: the distance is affine in each of them.
        for one, two in product(_extras(change), repeat=2):
            if change.kind == "replace" and sum(one) != sum(two):
                continue
            if change.kind == "resize" and sum(one) > 0 and sum(two) > 0:
                continue
            left, right = ((shared - ones + e[0], ones + e[1]) for e in (one, two))
            apart = abs(sp.Rational(left[1], sum(left)) - sp.Rational(right[1], sum(right)))
            if apart > best[0]:
                best = (apart, (left, right))
    return best


def _extras(change: Change) -> list[tuple[int, int]]:
    if change.kind == "replace":
        return [(change.most, 0), (0, change.most)]
    return [e for size in range(change.most + 1) for e in {(size, 0), (0, size)}]


def _clip(low: Any, high: Any, column: int | str | None) -> Clip:
    ends = rational(low), rational(high)
    if ends[0] >= ends[1]:
        raise SpecError(f"expected two ends low < high to clip to, got {low!r} and {high!r}")
    return Clip(*ends, Column(column))


def clipped_sum(low: Any, high: Any, *, column: int | str | None = None) -> ClippedSum:
    """The sum of the numbers of a column, each moved to the nearest one from `low` to `high`."""
    return ClippedSum(_clip(low, high, column))


def clipped_mean(low: Any, high: Any, *, column: int | str | None = None) -> ClippedMean:
    """The mean of the numbers of a column, each moved to the nearest one from `low` to `high`."""
    return ClippedMean(_clip(low, high, column))
