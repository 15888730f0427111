"""Sums and means of numbers that are clipped to an interval."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import sympy as sp

from ...domains.domain import Domain
from ...errors import SpecError
from ...proof.as_written import applied, difference, quotient
from ...proof.as_written import product as times
from ...proof.derivation import Step
from ...proof.enclosure import rational
from ...proof.proofs.kernel_checked import accepted_steps
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

    def range_steps(self, domain: Domain, least: sp.Rational, most: sp.Rational) -> tuple[Step, ...]:
        """That a clipped number of the domain lies between its ends."""
        x = sp.Symbol("x", real=True)
        clipped = sp.Min(sp.Max(x, self.low), self.high, evaluate=False)
        ends = ((x, *self.column.interval(domain)),)
        said = "a clipped number of the domain"
        return tuple(accepted_steps((clipped, ">=", least, said, ends), (clipped, "<=", most, said, ends)))


@dataclass(frozen=True)
class ClippedSum(SumQuery):
    """The sum of clipped numbers."""

    clip: Clip

    def describe(self) -> str:
        return f"sum of numbers clipped to [{self.clip.low}, {self.clip.high}]"

    def score(self, record: Any) -> sp.Matrix:
        return sp.Matrix([self.clip.of(record)])

    def farthest(self, domain: Domain, norm: str, effort: float) -> Farthest:
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

    def moved(self, domain: Domain, norm: str, change: Change, n: int | None, effort: float) -> Sensitivity:
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

        pair = tuple((low,) * zeros + (high,) * ones for zeros, ones in (one, two))
        steps = (
            *self.clip.range_steps(domain, least, most),
            *_share_steps(n, change, share),
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
    apart = {
        pair: abs(sp.Rational(pair[0][1], sum(pair[0])) - sp.Rational(pair[1][1], sum(pair[1])))
        for pair in _extreme_neighbours(n, change)
    }
    best = max(apart, key=lambda pair: apart[pair])
    return apart[best], best


def _extreme_neighbours(n: int, change: Change) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """(zeros, ones) of neighbours: all shared records are low, or all are high, as the distance is affine in each of them."""
    shared = n - change.most if change.kind == "replace" else n
    for ones in (0, shared):
        for one, two in product(_extras(change), repeat=2):
            if change.kind == "replace" and sum(one) != sum(two):
                continue
            if change.kind == "resize" and sum(one) > 0 and sum(two) > 0:
                continue
            yield (shared - ones + one[0], ones + one[1]), (shared - ones + two[0], ones + two[1])


def _share_steps(n: int, change: Change, share: sp.Rational) -> tuple[Step, ...]:
    """The distance of each pair of shares, up to the order of the two."""
    pairs = dict.fromkeys(tuple(sorted(p)) for p in _extreme_neighbours(n, change) if p[0] != p[1])
    return tuple(
        Step(
            applied(sp.Abs, difference(quotient(one[1], sum(one)), quotient(two[1], sum(two)))),
            "<=",
            share,
            f"{one[1]} of {sum(one)} numbers are high, and {two[1]} of {sum(two)}",
        )
        for one, two in pairs
    )


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
    """The query: the sum of the numbers of a `column`, each moved to the nearest one from `low` to `high`. SpecError unless low < high.

    >>> npf.sensitivity(npf.queries.clipped_sum(-10, 50), npf.Box(-1000, 1000), norm="l1", n=100).exact
    60
    """
    return ClippedSum(_clip(low, high, column))


def clipped_mean(low: Any, high: Any, *, column: int | str | None = None) -> ClippedMean:
    """The query: the mean of the numbers of a `column`, each moved to the nearest one from `low` to `high`. SpecError unless low < high.

    >>> npf.sensitivity(npf.queries.clipped_mean(0, 50), npf.Box(-1000, 1000), norm="l1", n=100).exact
    1/2
    """
    return ClippedMean(_clip(low, high, column))
