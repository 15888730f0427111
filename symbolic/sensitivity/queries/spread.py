"""Variance, standard deviation and covariance matrix.

Replacing u by v among n records, the others with mean m, moves the covariance by c ((u-m)(u-m)' - (v-m)(v-m)'), with
c = (n-1)/n^2 where one divides by n and 1/n where one divides by n - 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import sympy as sp

from ...domains.ball import Ball
from ...domains.box import Box
from ...domains.domain import Domain
from ...errors import SpecError
from ...proof.as_written import difference, power, product, quotient
from ...proof.derivation import Step
from ...proof.enclosure import rational
from ..answer import Dataset, Sensitivity
from ..changes import Change
from ..pairs import Found, answered
from ..query import MATRIX_NORMS, Query
from ..records import Column, intervals, record_of
from .gram import vector

MOVES = (
    "the covariance of n records is that of the others plus (n-1)/n^2 (u-m)(u-m)' (divided by n), so replacing u moves it by "
    "this factor times aa' - bb' with a = u-m, b = v-m; m lies in the convex hull of the domain"
)
LINEAR = (
    "of x^2-sums and the square of the sum, what is shared by neighbours of one size cancels but for a linear term: shared "
    "numbers are all at one end, those that differ too, where the variance is convex in them, and the other side's is at least 0"
)
LIPSCHITZ = "a standard deviation is the length of the centred numbers over a root: it moves by at most the length of the centred difference"
GROWN = (
    "one record a away from the mean of n turns the variance V into n/(n+1) V + n/(n+1)^2 a^2 (divided by n) or "
    "(n-1)/n V + a^2/(n+1) (divided by n-1): it grows most where V = 0, and falls by no more than V/(n+1), V/n; "
    "V is at most w^2 times h(n-h)/n^2, h(n-h)/(n(n-1)) with h = floor(n/2)"
)
HYBRID = "k records are changed one after the other, over data sets of the domain: distances add up"


def replaced(n: int, less: int) -> sp.Rational:
    """The factor of aa' - bb' when one of n records is replaced."""
    return sp.Rational(1, n) if less else sp.Rational(n - 1, n * n)


def grown(n: int, less: int) -> sp.Rational:
    """The factor of aa' when a record joins n equal ones."""
    return sp.Rational(1, n + 1) if less else sp.Rational(n, (n + 1) ** 2)


def fallen(n: int, less: int) -> sp.Rational:
    """The most that a record which joins n lowers a variance by, over the square of the width."""
    if n < 2:
        return sp.Integer(0)
    half = n // 2
    most = sp.Rational(half * (n - half), n * (n - 1) if less else n * n)
    return most / n if less else most / (n + 1)


@dataclass(frozen=True)
class Spread(Query):
    """What variance, standard deviation and covariance share: the number of records, and what is subtracted from the divisor."""

    less: int
    column: Column

    def moved(self, domain: Domain, norm: str, change: Change, n: int | None, effort: float) -> Sensitivity:
        """`n` is needed: the number of records, or of the smaller data set."""
        if change.kind == "both":
            raise SpecError(
                f"{self.describe()}: the records of a person are only added or removed here, change='remove'"
            )
        least = 1 + self.less + (change.most - 1 if change.kind == "replace" else 0)
        if n is None or n < least:
            raise SpecError(
                f"{self.describe()}: give n=, the number of records (of the smaller data set), at least {least}"
            )
        return answered(self, domain, norm, change, self.found(domain, norm, change, n))

    def found(self, domain: Domain, norm: str, change: Change, n: int) -> Found:
        """The bound and the pairs for this many records."""
        raise NotImplementedError

    def divisor(self, n: int) -> int:
        """What the sum of squares is divided by; SpecError where that is 0."""
        if n <= self.less:
            raise SpecError(f"{self.describe()}: {n} records are too few")
        return n - self.less

    def _variance(self, dataset: Dataset) -> sp.Rational:
        values = [self.column.read(record) for record in dataset]
        mean = sum(values, sp.Integer(0)) / max(len(values), 1)
        return sum(((x - mean) ** 2 for x in values), sp.Integer(0)) / self.divisor(len(values))

    def _at_ends(
        self, domain: Domain, low: sp.Rational, high: sp.Rational, change: Change, n: int, moved: int
    ) -> tuple[Dataset, Dataset]:
        """All records at the low end, and `moved` at the high one instead, or beside them."""
        a, b = (self.column.record(domain, end) for end in (low, high))
        rest = n - moved if change.kind == "replace" else n
        return (a,) * n, (*(a,) * rest, *(b,) * moved)


class Variance(Spread):
    """The variance of the numbers of a column."""

    def describe(self) -> str:
        return f"variance divided by n{' - 1' * self.less}"

    def __call__(self, dataset: Dataset) -> sp.Expr:
        return self._variance(dataset)

    def found(self, domain: Domain, norm: str, change: Change, n: int) -> Found:
        low, high = self.column.interval(domain)
        square = (high - low) ** 2
        pairs = [self._at_ends(domain, low, high, change, n, j) for j in range(1, change.most + 1)]
        if change.kind == "replace":
            shares = {j: sp.Rational(j * (n - j), n * self.divisor(n)) for j in range(1, change.most + 1)}
            best = max(shares, key=lambda j: shares[j])
            steps = tuple(
                Step(
                    quotient(product(j, n - j), product(n, self.divisor(n))),
                    "<=",
                    shares[best],
                    f"{j} of {n} at the other end",
                )
                for j in shares
            )
            return Found(square * shares[best], "shared numbers cancel", steps, (LINEAR,), tuple(pairs))
        steps = tuple(
            Step(
                fallen(n + i, self.less),
                "<=",
                grown(n + i, self.less),
                f"from {n + i} records it falls less than it grows",
            )
            for i in range(change.most)
        )
        upper = square * sum((grown(n + i, self.less) for i in range(change.most)), sp.Integer(0))
        return Found(upper, "one record more", steps, (GROWN, HYBRID), tuple(pairs))


class Deviation(Spread):
    """The standard deviation of the numbers of a column."""

    def describe(self) -> str:
        return f"standard deviation divided by n{' - 1' * self.less}"

    def __call__(self, dataset: Dataset) -> sp.Expr:
        return sp.sqrt(self._variance(dataset))

    def found(self, domain: Domain, norm: str, change: Change, n: int) -> Found:
        low, high = self.column.interval(domain)
        width, k = high - low, change.most
        pairs = tuple(self._at_ends(domain, low, high, change, n, j) for j in range(1, k + 1))
        if change.kind == "replace":
            lengths = [sp.Integer(k) - sp.Rational((2 * j - k) ** 2, n) for j in range(k + 1)]
            upper = width * sp.sqrt(max(lengths) / self.divisor(n))
            steps = tuple(
                Step(difference(k, quotient(power(2 * j - k, 2), n)), "<=", max(lengths), f"{j} of {k} go up")
                for j in range(k + 1)
            )
            return Found(upper, "a centred length", steps, (LIPSCHITZ,), pairs)
        ups = [sp.sqrt(grown(n + i, self.less)) for i in range(k)]
        steps = tuple(
            Step(self._down(n + i), "<=", up, f"from {n + i} records it falls less than it grows")
            for i, up in enumerate(ups)
        )
        lemma = "the growth of the root is largest where the variance was 0"
        return Found(width * sp.Add(*ups), "one record more", steps, (GROWN, HYBRID, lemma), pairs)

    def _down(self, n: int) -> sp.Expr:
        if n < 2:
            return sp.Integer(0)
        half = n // 2
        most = sp.sqrt(sp.Rational(half * (n - half), n * self.divisor(n)))
        return most * (1 - sp.sqrt(sp.Rational(n - 1, n) if self.less else sp.Rational(n, n + 1)))


class Covariance(Spread):
    """The covariance matrix of records that are vectors in a Euclidean Ball or a Box."""

    norms: ClassVar[Sequence[str]] = MATRIX_NORMS

    def describe(self) -> str:
        return f"covariance matrix divided by n{' - 1' * self.less}"

    def __call__(self, dataset: Dataset) -> sp.Matrix:
        rows = sp.Matrix([list(vector(record)) for record in dataset])
        centred = rows - sp.ones(rows.rows, 1) * (sp.ones(1, rows.rows) * rows) / rows.rows
        return centred.T * centred / self.divisor(rows.rows)

    def found(self, domain: Domain, norm: str, change: Change, n: int) -> Found:
        square, low, high, steps, lemma = _diameter(domain, norm)
        counts = range(1, change.most + 1)
        if change.kind == "replace":
            pairs = tuple(((low,) * n, (*(low,) * (n - j), *(high,) * j)) for j in counts)
            factor, lemmas = change.most * replaced(n, self.less), (MOVES, lemma, HYBRID)
            return Found(square * factor, "three points of the domain", steps, lemmas, pairs)
        pairs = tuple(((low,) * n, (*(low,) * n, *(high,) * j)) for j in counts)
        ups = [grown(n + i, self.less) for i in range(change.most)]
        # A growth and a fall are semidefinite and opposite: in the spectral norm the larger one counts, else their lengths add.
        downs = [self._fall(n + i, norm) for i in range(change.most)]
        both = zip(ups, downs, strict=True)
        total = {
            "spectral": lambda: sum((max(u, d) for u, d in both), sp.Integer(0)),
            "frobenius": lambda: sp.Add(*(sp.sqrt(u**2 + d**2) for u, d in both)),
            "max": lambda: sum((u + d for u, d in both), sp.Integer(0)),
        }[norm]()
        if len(intervals(domain)) == 1:
            total = sum(ups, sp.Integer(0))
        grows = tuple(
            Step(d, "<=", u, "it falls less than it grows") for u, d in zip(ups, downs, strict=True)
        )
        semidefinite = "for semidefinite A, B: |A - B| is at most max(|A|, |B|) in the spectral norm, and |A - B|^2 <= |A|^2 + |B|^2 in the Frobenius norm"
        return Found(
            square * total, "one record more", (*steps, *grows), (GROWN, semidefinite, HYBRID, lemma), pairs
        )

    def _fall(self, n: int, norm: str) -> sp.Rational:
        """The most that a record which joins n shrinks the matrix by, over the square of the diameter."""
        if norm != "frobenius" or n < 2:
            return fallen(n, self.less)
        # A Frobenius length is at most the trace, which is at most a quarter of the square of the diameter times n / divisor.
        return sp.Rational(1, 4 * (n - 1) if self.less else 4 * (n + 1))


def _diameter(domain: Domain, norm: str) -> tuple[sp.Rational, Any, Any, tuple[Step, ...], str]:
    """The largest |aa' - bb'| with a = u-m, b = v-m of three points, two points that reach it (b = 0), and why."""
    bounds = intervals(domain)
    d = len(bounds)
    if isinstance(domain, Ball) and domain.norm == 2:
        radius = rational(domain.radius)
        ends = [tuple(s * radius * int(i == 0) for i in range(d)) for s in (-1, 1)]
        return 4 * radius**2, ends[0], ends[1], _triangle(), BALL
    if not isinstance(domain, Box):
        raise SpecError(f"covariance: expected a Ball of the 2-norm or a Box, got {domain.describe()}")
    widths = [b - a for a, b in bounds]
    if norm == "max":
        widest = max(range(d), key=lambda i: widths[i])
        square, chosen = widths[widest] ** 2, {widest}
    else:
        square, chosen = sum((w * w for w in widths), sp.Integer(0)), set(range(d))
    low = tuple(a for a, _ in bounds)
    high = tuple(b if i in chosen else a for i, (a, b) in enumerate(bounds))
    return square, record_of(domain, low), record_of(domain, high), _box_steps(), BOX


BALL = (
    "m, u and v lie in a disc of radius R. With X = |a|^2, Y = |b|^2, Z = |u-v|^2 the squared Frobenius length of aa' - bb' is "
    "(X-Y)^2/2 + Z(X+Y) - Z^2/2. If Z >= X+Y it is at most (X+Y)^2 <= Z^2, if X >= Y+Z at most X^2 - Y^2; if the triangle is "
    "acute, its circumscribed circle has a radius of at most R, and the last step holds with the cosines k of its angle at m "
    "and t of the difference of the other two. The spectral norm and the largest entry are no larger than the Frobenius length"
)
BOX = (
    "aa' - bb' = sc' + cs' with c = u-v, s = (u+v)/2 - m, |s_i| <= w_i - |c_i|/2, |c_i| <= w_i. With P = sum w^2, Q = sum w|c|, "
    "T = sum c^2, T <= Q <= sqrt(PT), half of the squared Frobenius length is at most PT - 2QT + T^2/2 + Q^2, convex in Q: at "
    "both ends of Q at most P^2/2, by the two steps; an entry is at most w_i|c_j| + w_j|c_i| - |c_i c_j| <= w_i w_j. The "
    "spectral norm is no larger than the Frobenius length"
)


def _triangle() -> tuple[Step, ...]:
    k, t = sp.symbols("k t", real=True)
    z, total = 1 - k**2, 1 + k * t
    length = (1 - k**2) * (1 - t**2) / 2 + z * total - z**2 / 2
    x, y, w = sp.symbols("X Y Z", real=True)
    gain = (x - y) ** 2 / 2 + w * (x + y) - w**2 / 2
    return (
        Step(
            length,
            "=",
            (1 - k**2) * (1 + k**2 - (t - k) ** 2 / 2),
            "acute: at most 1 - k^4, in units of 16 R^4",
        ),
        Step(
            (x + y) ** 2 - gain,
            "=",
            ((x + y - w) ** 2 + (x + y) ** 2 - (x - y) ** 2) / 2,
            "obtuse at m: not above (X+Y)^2, as X, Y >= 0",
        ),
        Step(gain.subs(w, x - y), "=", x**2 - y**2, "obtuse at u: at Z = X - Y, the largest there"),
    )


def _box_steps() -> tuple[Step, ...]:
    p, t = sp.symbols("P T", nonnegative=True)
    r = sp.Symbol("r", nonnegative=True)
    q = sp.Symbol("Q", nonnegative=True)
    half = p * t - 2 * q * t + t**2 / 2 + q**2
    return (
        Step(p**2 / 2 - half.subs(q, t), "=", (p - t) ** 2 / 2, "at Q = T"),
        Step(
            sp.expand(half.subs({q: r * p, t: r**2 * p})),
            "=",
            p**2 / 2 * (1 - (1 - r) ** 2) ** 2,
            "at Q = sqrt(PT), T = r^2 P: with 0 <= r <= 1 at most P^2/2",
        ),
    )


def _less(divisor: str) -> int:
    if divisor not in ("n", "n-1"):
        raise SpecError(f'expected divisor = "n" or "n-1", got {divisor!r}')
    return int(divisor == "n-1")


def variance(*, divisor: str = "n", column: int | str | None = None) -> Variance:
    """The query: the variance of the numbers of a `column`, with the `divisor` "n" or "n-1" (SpecError for another).

    >>> npf.sensitivity(npf.queries.variance(), npf.Box(0, 10), norm="l1", n=10).exact
    9
    """
    return Variance(_less(divisor), Column(column))


def standard_deviation(*, divisor: str = "n", column: int | str | None = None) -> Deviation:
    """The query: the standard deviation of the numbers of a `column`, with the `divisor` "n" or "n-1" (SpecError for another).

    >>> npf.sensitivity(npf.queries.standard_deviation(), npf.Box(0, 10), norm="l1", n=10).exact
    3
    """
    return Deviation(_less(divisor), Column(column))


def covariance(*, divisor: str = "n") -> Covariance:
    """The query: the covariance matrix (d, d) of vectors (d,); norms "frobenius", "spectral" and "max" (the largest entry).

    `divisor` is "n" or "n-1" (SpecError for another).

    >>> npf.sensitivity(npf.queries.covariance(), npf.Ball(1, dimension=3), norm="max", n=10).exact
    9/25
    """
    return Covariance(_less(divisor), Column())
