"""The Gram matrix X'X: the sum of x x' over the records."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import sympy as sp

from ...domains.ball import Ball
from ...domains.box import Box
from ...domains.domain import Domain
from ...domains.simplex import Simplex
from ...errors import SpecError
from ...proof.as_written import applied, difference, power, product, total
from ...proof.derivation import Step
from ...proof.enclosure import compare, rational
from ...proof.proofs.kernel_checked import accepted_steps
from ...proof.truth import Truth, all_hold
from ..pairs import length, written_length
from ..query import MATRIX_NORMS
from ..records import exact_number, intervals, record_of
from .sums import Farthest, SumQuery

Vector = tuple[sp.Rational, ...]
FROBENIUS = "|uu' - vv'|^2 = |u|^4 + |v|^4 - 2 (u.v)^2 <= 2 max |x|^4 in the Frobenius norm, and in one dimension |u^2 - v^2| <= max x^2"
SPECTRAL = "-vv' <= uu' - vv' <= uu', so the spectral norm is at most max |x|^2; so it is of one uu'"
ENTRIES = "an entry is the product of two coordinates: its range over a box is that of the products of the ends, of squares from 0 where 0 lies between them"
BALL_ENTRIES = (
    "over a ball x_i x_j lies between -R^2/2 and R^2/2 for different i and j, and x_i^2 between 0 and R^2"
)
SIMPLEX_ENTRIES = "entries are products of shares, between 0 and the square of the total"


def vector(record: Any) -> Vector:
    """The numbers of a record."""
    return tuple(exact_number(x) for x in record) if isinstance(record, Sequence) else (exact_number(record),)


def corners(domain: Domain) -> list[Vector]:
    """Extreme records, all of them where they are few; the origin and the axes of a ball."""
    bounds = intervals(domain)
    d = len(bounds)
    if isinstance(domain, Box):
        few = itertools.product(*bounds) if d <= 8 else ([p[k] for p in bounds] for k in (0, 1))
        extra = [(sp.Integer(0),) * d] if all(a <= 0 <= b for a, b in bounds) else []
        return [*(tuple(row) for row in few), *extra]
    size = rational(domain.total) if isinstance(domain, Simplex) else bounds[0][1]
    axes = [tuple(size * int(i == j) for j in range(d)) for i in range(min(d, 8))]
    if isinstance(domain, Simplex):
        return axes
    return [*axes, (sp.Integer(0),) * d]


def longest_square(domain: Domain) -> sp.Rational:
    """max |x|^2 over the domain, exact; SpecError where this is not known."""
    if isinstance(domain, Ball):
        return rational(domain.radius) ** 2
    if isinstance(domain, Simplex):
        return rational(domain.total) ** 2
    if isinstance(domain, Box):
        return sum((max(a * a, b * b) for a, b in intervals(domain)), sp.Integer(0))
    raise SpecError(f"expected a Ball, a Box or a Simplex of vectors, got {domain.describe()}")


@dataclass(frozen=True)
class Gram(SumQuery):
    """X'X of the matrix X whose rows are the records."""

    norms: ClassVar[Sequence[str]] = MATRIX_NORMS

    def describe(self) -> str:
        return "Gram matrix X'X"

    def score(self, record: Any) -> sp.Matrix:
        row = sp.Matrix([vector(record)])
        return row.T * row

    def farthest(self, domain: Domain, norm: str, effort: float) -> Farthest:
        if isinstance(domain, Ball) and domain.norm == float("inf"):
            domain = Box(-domain.radius, domain.radius, dimension=domain.dimension)
        square = longest_square(domain)
        d = len(intervals(domain))
        if norm == "max":
            return _entries(domain)
        points = [record_of(domain, p) for p in corners(domain)]
        scored = [(p, self.score(p)) for p in points]
        far = _farthest_pair(scored, norm)
        longest = max(points, key=lambda p: sum((x * x for x in vector(p)), sp.Integer(0)))
        apart = square * (sp.sqrt(2) if norm == "frobenius" and d > 1 else 1)
        lemma = FROBENIUS if norm == "frobenius" else SPECTRAL
        step = Step(written_length(self.score(longest), norm), "<=", square, "the longest record")
        steps = (
            step,
            *(_frobenius_steps(domain, square) if norm == "frobenius" and 1 < d <= _WRITTEN else ()),
        )
        return Farthest(apart, square, (far,), (longest,), steps, (lemma,))


def _frobenius_steps(domain: Domain, square: sp.Rational) -> Iterator[Step]:
    """The squared length of uu' - vv' by lengths and inner product, and its bound where the lengths have theirs."""
    bounds = intervals(domain)
    u, v = (sp.symbols(f"{name}1:{len(bounds) + 1}", real=True) for name in "uv")
    squares = [total(*(power(x, 2) for x in one)) for one in (u, v)]
    gaps = (u[i] * u[j] - v[i] * v[j] for i in range(len(u)) for j in range(len(u)))
    yield Step(
        total(*(power(gap, 2) for gap in gaps)),
        "=",
        difference(
            total(*(power(s, 2) for s in squares)),
            product(2, power(total(*(a * b for a, b in zip(u, v, strict=True))), 2)),
        ),
        "two records",
    )
    if isinstance(domain, Box):
        within = tuple((x, *ends) for x, ends in zip(u, bounds, strict=True))
        yield from accepted_steps((squares[0], "<=", square, "the square of a record's length", within))
    a, b, c = sp.symbols("a b c", real=True)
    ends = ((a, sp.Integer(0), square), (b, sp.Integer(0), square))
    left = difference(total(power(a, 2), power(b, 2)), product(2, power(c, 2)))
    said = "squares a and b of lengths, inner product c"
    yield from accepted_steps((left, "<=", product(2, power(square, 2)), said, ends))


_WRITTEN = 3  # dimensions up to which every entry has steps of its own


def _farthest_pair(scored: list[tuple[Any, sp.Matrix]], norm: str) -> tuple[Any, Any]:
    chosen = scored[:20] if len(scored) <= 20 else [*scored[:10], *scored[-10:]]
    pairs = ((length(a[1] - b[1], norm), a[0], b[0]) for a in chosen for b in chosen)
    best = max(pairs, key=lambda found: float(found[0]))
    return best[1], best[2]


def _entries(domain: Domain) -> Farthest:
    """The largest range of an entry: exact by the ends of a box, by the radius of a ball."""
    bounds = intervals(domain)
    if not isinstance(domain, Box):
        square = longest_square(domain) if not isinstance(domain, Ball) else rational(domain.radius) ** 2
        axis = tuple(bounds[0][1] * int(i == 0) for i in range(len(bounds)))
        other = (sp.Integer(0),) * len(bounds) if isinstance(domain, Ball) else axis[1:] + axis[:1]
        step = Step(bounds[0][1] ** 2, "=", square, "the square of the largest coordinate")
        lemma = BALL_ENTRIES if isinstance(domain, Ball) else SIMPLEX_ENTRIES
        return Farthest(square, square, ((axis, other),), (axis,), (step,), (lemma,))
    apart, alone = _extremes(domain, bounds)
    if len(bounds) <= _WRITTEN:
        steps = tuple(_range_steps(domain, bounds, apart[0], alone[0]))
    else:
        steps = (
            _extreme_step(domain, "the largest range of an entry", 0, apart[0]),
            _extreme_step(domain, "the largest entry", 1, alone[0]),
        )
    return Farthest(apart[0], alone[0], ((apart[1], apart[2]),), (alone[1],), steps, (ENTRIES,))


def _range_steps(
    domain: Box, bounds: tuple[tuple[sp.Rational, sp.Rational], ...], apart: sp.Rational, alone: sp.Rational
) -> Iterator[Step]:
    """Between which numbers each entry of xx' lies, and that these are no further apart, and no larger, than those of the answer."""
    said = "an entry of a record's matrix"
    symbols = [sp.Symbol(f"x{i + 1}", real=True) for i in range(len(bounds))]
    for i, j in itertools.combinations_with_replacement(range(len(bounds)), 2):
        values = [value for value, _ in _products(domain, bounds, i, j)]
        low, high, entry = min(values), max(values), symbols[i] * symbols[j]
        within = tuple((symbols[k], *bounds[k]) for k in sorted({i, j}))
        yield from accepted_steps((entry, ">=", low, said, within), (entry, "<=", high, said, within))
        yield Step(difference(high, low), "<=", apart, "its range")
        yield Step(
            sp.Max(*(applied(sp.Abs, v) for v in (low, high)), evaluate=False), "<=", alone, "its size"
        )


def _extreme_step(domain: Box, what: str, place: int, value: sp.Rational) -> Step:
    def again(left: sp.Expr, right: sp.Expr) -> Truth:
        known = _extremes(domain, intervals(domain))[place][0]
        return all_hold(compare(side, "=", known) for side in (left, right))

    return Step(value, "=", value, f"{what}, at ends of the box", again, (what, sp.sstr(value)))


def _extremes(
    domain: Box, bounds: tuple[tuple[sp.Rational, sp.Rational], ...]
) -> tuple[tuple[sp.Rational, Any, Any], tuple[sp.Rational, Any]]:
    """The largest range of an entry with two records that differ so, and the largest entry with its record."""
    apart, alone = (sp.Integer(-1), None, None), (sp.Integer(-1), None)
    for i in range(len(bounds)):
        for j in range(i, len(bounds)):
            products = _products(domain, bounds, i, j)
            low, high = min(products, key=lambda p: p[0]), max(products, key=lambda p: p[0])
            if high[0] - low[0] > apart[0]:
                apart = (high[0] - low[0], high[1], low[1])
            size = max((low, high), key=lambda p: abs(p[0]))
            if abs(size[0]) > alone[0]:
                alone = (abs(size[0]), size[1])
    return apart, alone


def _products(
    domain: Domain, bounds: tuple[tuple[sp.Rational, sp.Rational], ...], i: int, j: int
) -> list[tuple[sp.Rational, Any]]:
    def record(x: sp.Rational, y: sp.Rational) -> Any:
        numbers = [low for low, _ in bounds]
        numbers[i], numbers[j] = x, y
        return record_of(domain, tuple(numbers))

    if i == j:
        ends = [*bounds[i], *([sp.Integer(0)] if bounds[i][0] < 0 < bounds[i][1] else [])]
        return [(x * x, record(x, x)) for x in ends]
    return [(x * y, record(x, y)) for x in bounds[i] for y in bounds[j]]


def gram() -> Gram:
    """The query: the matrix X'X (d, d) of the records as rows of X; norms "frobenius", "spectral" and "max" (the largest entry).

    >>> npf.sensitivity(npf.queries.gram(), npf.Ball(1, dimension=3), norm="frobenius", n=10).exact
    sqrt(2)
    """
    return Gram()
