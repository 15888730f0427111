"""Statistics of the order of numbers: order statistics, quantiles, trimmed means; exact by layers.

A weighted sum of sorted numbers is the integral over t of the same sum of the indicators [x > t]: numbers between two ends
come apart into data sets of zeros and ones, so that the two ends alone decide how far neighbours can be.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from numbers import Integral
from typing import Any, Literal

import sympy as sp

from ...domains.domain import Domain
from ...errors import SpecError
from ...proof.as_written import applied, difference, total
from ...proof.as_written import product as times
from ...proof.derivation import Step
from ...proof.enclosure import compare, rational
from ...proof.truth import Truth, all_hold
from ..answer import Dataset, Sensitivity
from ..changes import Change
from ..pairs import Found, answered
from ..query import Query
from ..records import Column

Weights = tuple[sp.Rational, ...]
MOST = 400  # records: the exact search over numbers of ones is cubic in it for the widest relation
_SHOWN = 24  # pairs of data sets of zeros and ones that are written out
LAYERS = (
    "a weighted sum of sorted numbers in [a, b] is a times the sum of the weights, plus the integral from a to b over t of "
    "the same sum of the indicators [x > t]; neighbours stay neighbours, or become equal, under each indicator"
)


@dataclass(frozen=True)
class OrderQuery(Query):
    """sum_i w_i x_(i) of the numbers of a column in ascending order; `weights(n)` are the w, with the same sum for every n."""

    name: str
    weights: Callable[[int], Weights]
    column: Column

    def describe(self) -> str:
        return self.name

    def __call__(self, dataset: Dataset) -> sp.Expr:
        values = sorted(self.column.read(record) for record in dataset)
        return sp.Add(*(w * x for w, x in zip(self.weights(len(values)), values, strict=True)))

    def moved(self, domain: Domain, norm: str, change: Change, n: int | None, effort: float) -> Sensitivity:
        """`n` is needed: the number of records, or those that are shared where neighbours differ in it."""
        low, high = self.column.interval(domain)
        if n is None:
            raise SpecError(
                f"{self.name}: give n=, the number of records (the smaller one where neighbours differ in it)"
            )
        if n > MOST:
            raise SpecError(f"{self.name}: n is at most {MOST} here, got {n}")
        share, ones = self._largest(n, change)
        upper = (high - low) * share

        steps = (
            *self._layer_steps(n, change, share),
            Step(upper, "=", times(difference(high, low), share), "each layer moves by no more than that"),
        )
        pair = tuple(
            tuple(self.column.record(domain, low if i < zeros else high) for i in range(zeros + many))
            for zeros, many in ones
        )
        found = Found(
            upper,
            "layers of zeros and ones",
            steps,
            (LAYERS,),
            ((pair[0], pair[1]),),
            local=self._local(low, high, change),
        )
        single = self._single(n)
        if single is not None and change.kind == "replace" and change.most == 1:
            found = Found(
                upper,
                found.method,
                steps,
                (LAYERS,),
                found.pairs,
                local=found.local,
                smooth=lambda data, beta: smooth(
                    self._sorted(data, low, high), self._rank(data), low, high, beta
                ),
            )
        return answered(self, domain, norm, change, found)

    def _sorted(self, dataset: Dataset, low: sp.Rational, high: sp.Rational) -> list[sp.Rational]:
        values = sorted(self.column.read(record) for record in dataset)
        if not values or values[0] < low or values[-1] > high:
            raise SpecError(f"expected a data set with numbers from {low} to {high}")
        return values

    def _single(self, n: int) -> int | None:
        """The rank whose weight is 1, where all others are 0."""
        weights = self.weights(n)
        places = [i for i, w in enumerate(weights) if w != 0]
        return places[0] + 1 if len(places) == 1 and weights[places[0]] == 1 else None

    def _rank(self, dataset: Dataset) -> int:
        rank = self._single(len(dataset))
        if rank is None:
            raise ValueError(
                f"smooth sensitivity: the {self.name} of {len(dataset)} records is no single order statistic"
            )
        return rank

    def _tops(self, n: int) -> tuple[sp.Rational, ...]:
        """The sum of the a largest places' weights, a = 0, ..., n."""
        sums = [sp.Integer(0)]
        for weight in reversed(self.weights(n)):
            sums.append(sums[-1] + weight)
        return tuple(sums)

    def _layer_steps(self, n: int, change: Change, share: sp.Rational) -> tuple[Step, ...]:
        """The distance of each pair of data sets of zeros and ones; where these are many their largest distance alone."""
        pairs = [pair for pair in binary_neighbours(n, change) if pair[0] != pair[1]]
        if len(pairs) <= _SHOWN:
            return tuple(
                Step(
                    applied(sp.Abs, difference(self._written(one), self._written(two))),
                    "<=",
                    share,
                    f"zeros and ones: {one[1]} of {sum(one)} are ones, and {two[1]} of {sum(two)}",
                )
                for one, two in pairs
            )

        def again(left: sp.Expr, right: sp.Expr) -> Truth:
            known = self._largest(n, change)[0]
            return all_hold(compare(side, "=", known) for side in (left, right))

        shown = ("max |f(D) - f(D')| over zeros and ones", sp.sstr(share))
        return (Step(share, "=", share, "all numbers of ones that neighbours can have", again, shown),)

    def _written(self, data: tuple[int, int]) -> sp.Expr:
        """The weighted sum of so many zeros and then so many ones."""
        weights = [w for w in self.weights(sum(data))[data[0] :] if w != 0]
        return total(*weights) if weights else sp.Integer(0)

    def _largest(self, n: int, change: Change) -> tuple[sp.Rational, tuple[tuple[int, int], tuple[int, int]]]:
        """The largest distance over data sets of zeros and ones, and (zeros, ones) of both sides."""
        tops: dict[int, tuple[sp.Rational, ...]] = {}
        best: tuple[sp.Rational, tuple[tuple[int, int], tuple[int, int]]] = (sp.Integer(-1), ((0, 0), (0, 0)))
        for one, two in binary_neighbours(n, change):
            for size in (sum(one), sum(two)):
                if size not in tops:
                    tops[size] = self._tops(size)
            apart = abs(tops[sum(one)][one[1]] - tops[sum(two)][two[1]])
            if apart > best[0]:
                best = (apart, (one, two))
        return best

    def _local(
        self, low: sp.Rational, high: sp.Rational, change: Change
    ) -> Callable[[Dataset], sp.Expr] | None:
        if change.most != 1 or change.kind == "both":
            return None

        def local(dataset: Dataset) -> sp.Expr:
            values = self._sorted(dataset, low, high)
            return max(
                (abs(self._of(other) - self._of(values)) for other in neighbours(values, low, high, change)),
                default=sp.Integer(0),
            )

        return local

    def _of(self, values: list[sp.Rational]) -> sp.Rational:
        return sum(
            (w * x for w, x in zip(self.weights(len(values)), sorted(values), strict=True)), sp.Integer(0)
        )


def binary_neighbours(n: int, change: Change) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """(zeros, ones) of neighbours made of zeros and ones, up to swapping the two sides."""
    if change.kind == "replace":
        for ones in range(n + 1):
            for more in range(ones, min(n, ones + change.most) + 1):
                yield (n - ones, ones), (n - more, more)
        return
    for ones in range(n + 1):
        shared = (n - ones, ones)
        extra = [(z, o) for z, o in product(range(change.most + 1), repeat=2) if z + o <= change.most]
        others = [(0, 0)] if change.kind == "resize" else extra
        for one, two in product(others, extra):
            yield (shared[0] + one[0], shared[1] + one[1]), (shared[0] + two[0], shared[1] + two[1])


def neighbours(
    values: list[sp.Rational], low: sp.Rational, high: sp.Rational, change: Change
) -> Iterator[list[sp.Rational]]:
    """Neighbours among which a weighted sum of sorted numbers is extreme: it is linear between the numbers that are there."""
    ends = [low, *values, high]
    rests = [values[:i] + values[i + 1 :] for i in range(len(values))]
    if change.kind == "replace":
        yield from ([*rest, end] for rest in rests for end in ends)
        return
    yield from (rest for rest in rests if rest)
    yield from ([*values, end] for end in ends)


def smooth(
    values: list[sp.Rational], rank: int, low: sp.Rational, high: sp.Rational, beta: sp.Expr
) -> sp.Expr:
    """max over k of e^(-k beta) A_k, with A_k = max over t of x_(m+t) - x_(m+t-k-1) (Nissim, Raskhodnikova, Smith 2007, 3.1)."""
    n = len(values)

    def at(i: int) -> sp.Rational:
        return low if i < 1 else high if i > n else values[i - 1]

    best: sp.Expr = sp.Integer(0)
    for k in range(n + 1):
        reach = max(at(rank + t) - at(rank + t - k - 1) for t in range(k + 2))
        term = sp.exp(-k * beta) * reach
        if compare(term, ">", best) is Truth.HOLDS:
            best = term
    return best


def order_statistic(rank: int, *, column: int | str | None = None) -> OrderQuery:
    """The query: the `rank`-th smallest number of a `column`, from 1. SpecError where a data set has fewer records.

    >>> npf.sensitivity(npf.queries.order_statistic(2), npf.Box(0, 50), norm="l1", n=9).exact
    50
    """
    if isinstance(rank, bool) or not isinstance(rank, Integral) or rank < 1:
        raise SpecError(f"order_statistic: expected a rank >= 1, got {rank!r}")
    return OrderQuery(
        f"order statistic {rank}", lambda n: _at({_checked(rank, n): sp.Integer(1)}, n), Column(column)
    )


def _checked(rank: int, n: int) -> int:
    if rank > n:
        raise SpecError(f"order statistic {rank}: the data set has {n} records")
    return rank


def _at(chosen: dict[int, sp.Rational], n: int) -> Weights:
    return tuple(chosen.get(i, sp.Integer(0)) for i in range(1, n + 1))


def median(*, of_two: Literal["mean", "low", "high"] = "mean", column: int | str | None = None) -> OrderQuery:
    """The query: the median; of an even number of records the mean of the two in the middle, or the lower or higher one.

    `of_two` is "mean", "low" or "high" (SpecError for another), `column` that of a table. `answer.smooth(dataset, beta)` is the
    smooth sensitivity of Nissim, Raskhodnikova and Smith 2007.

    >>> found = npf.sensitivity(npf.queries.median(), npf.Box(0, 50), norm="l1", n=5)
    >>> found.exact, found.local([20, 21, 23, 26, 30])
    (50, 3)
    """
    if of_two not in ("mean", "low", "high"):
        raise SpecError(f'median: expected of_two = "mean", "low" or "high", got {of_two!r}')

    def weights(n: int) -> Weights:
        low, high = (n + 1) // 2, n // 2 + 1
        if low == high or of_two == "low":
            return _at({low: sp.Integer(1)}, n)
        return _at(
            {high: sp.Integer(1)} if of_two == "high" else dict.fromkeys((low, high), sp.Rational(1, 2)), n
        )

    return OrderQuery("median", weights, Column(column))


def quantile(
    share: Any, *, method: Literal["inverted", "linear"] = "inverted", column: int | str | None = None
) -> OrderQuery:
    """The query: the quantile of a `share` in [0, 1]: "inverted" is the number of rank ceil(share n), the least one for share 0.

    `method` "linear" lies between the two numbers beside place 1 + (n - 1) share, in proportion, as numpy's default does;
    `column` is that of a table. SpecError for another method or share.

    >>> npf.sensitivity(npf.queries.quantile(0.9), npf.Box(0, 50), norm="l1", n=9).exact
    50
    """
    q = rational(share)
    if not 0 <= q <= 1:
        raise SpecError(f"quantile: expected a share in [0, 1], got {share!r}")
    if method not in ("inverted", "linear"):
        raise SpecError(f'quantile: expected method = "inverted" or "linear", got {method!r}')

    def weights(n: int) -> Weights:
        if method == "inverted":
            return _at({max(int(sp.ceiling(q * n)), 1): sp.Integer(1)}, n)
        place = 1 + (n - 1) * q
        below = int(sp.floor(place))
        return _at({below: 1 - (place - below), below + 1: place - below}, n)

    return OrderQuery(f"quantile {q}", weights, Column(column))


def trimmed_mean(trimmed: int, *, column: int | str | None = None) -> OrderQuery:
    """The query: the mean without the `trimmed` smallest and the `trimmed` largest numbers.

    `column` is that of a table. SpecError for a negative `trimmed`, and where a data set has no more than twice as many records.

    >>> npf.sensitivity(npf.queries.trimmed_mean(2), npf.Box(0, 50), norm="l1", n=14).exact
    5
    """
    if isinstance(trimmed, bool) or not isinstance(trimmed, Integral) or trimmed < 0:
        raise SpecError(
            f"trimmed_mean: expected a whole number >= 0 to be cut off at each end, got {trimmed!r}"
        )

    def weights(n: int) -> Weights:
        kept = n - 2 * trimmed
        if kept < 1:
            raise SpecError(f"trimmed_mean: of {n} records none is left without {trimmed} at each end")
        return _at(dict.fromkeys(range(trimmed + 1, n - trimmed + 1), sp.Rational(1, kept)), n)

    return OrderQuery(f"mean without {trimmed} at each end", weights, Column(column))
