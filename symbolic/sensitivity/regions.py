"""Where the numbers of one or several records may lie, in exact terms: ends, constraints, and finitely many values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import sympy as sp

from ..domains.ball import Ball, Sphere
from ..domains.box import Box
from ..domains.discrete import Categorical, Table
from ..domains.domain import Domain
from ..domains.exact import Block
from ..domains.simplex import Simplex
from ..errors import SpecError, came, counted
from ..proof.enclosure import rational, sign

Ends = tuple[sp.Expr, sp.Expr]
Point = dict[sp.Symbol, sp.Rational]
MOST_WHOLE = 512


@dataclass(frozen=True)
class Region:
    """Ends of symbols, which may be infinite, or open; symbols of finitely many values; symbols that follow from others.

    All of `at_most_zero` are <= 0 and all of `zero` vanish in it.  `blocks` names the sets of rational numbers it is made
    of, with their symbols, where the polynomial engine knows them.
    """

    intervals: Mapping[sp.Symbol, Ends] = field(default_factory=dict)
    at_most_zero: tuple[sp.Expr, ...] = ()
    zero: tuple[sp.Expr, ...] = ()
    choices: Mapping[sp.Symbol, tuple[sp.Rational, ...]] = field(default_factory=dict)
    expressed: Mapping[sp.Symbol, sp.Expr] = field(default_factory=dict)
    open_ends: frozenset[tuple[sp.Symbol, int]] = frozenset()
    blocks: tuple[tuple[Block, tuple[sp.Symbol, ...]], ...] = ()

    def joined(self, other: Region) -> Region:
        """The product with a region of other symbols."""
        return Region(
            {**self.intervals, **other.intervals},
            self.at_most_zero + other.at_most_zero,
            self.zero + other.zero,
            {**self.choices, **other.choices},
            {**self.expressed, **other.expressed},
            self.open_ends | other.open_ends,
            self.blocks + other.blocks,
        )

    def of(self, symbols: set[sp.Symbol]) -> Region:
        """What of it speaks of these symbols, and of those bound to them by a constraint."""
        linked = set(symbols)
        for g in (*self.at_most_zero, *self.zero):
            if g.free_symbols & linked:
                linked |= g.free_symbols
        return Region(
            {s: e for s, e in self.intervals.items() if s in linked},
            tuple(g for g in self.at_most_zero if g.free_symbols & linked),
            tuple(g for g in self.zero if g.free_symbols & linked),
            {s: c for s, c in self.choices.items() if s in linked},
            {},
            frozenset(o for o in self.open_ends if o[0] in linked),
            (),
        )

    def fixed(self, point: Point) -> Region | None:
        """What is left where some symbols have these values; None where a constraint then fails."""
        at_most, zero = ([g.xreplace(point) for g in gs] for gs in (self.at_most_zero, self.zero))
        if any(g.is_number and sign(g) == 1 for g in at_most) or any(
            g.is_number and sign(g) in (1, -1) for g in zero
        ):
            return None
        return Region(
            {s: e for s, e in self.intervals.items() if s not in point},
            tuple(g for g in at_most if not g.is_number),
            tuple(g for g in zero if not g.is_number),
            {s: c for s, c in self.choices.items() if s not in point},
            self.expressed,
            self.open_ends,
            self.blocks,
        )

    @property
    def constrained(self) -> set[sp.Symbol]:
        """The symbols that constraints speak of."""
        return {s for g in (*self.at_most_zero, *self.zero) for s in g.free_symbols}

    @property
    def bounded(self) -> bool:
        return all(e.is_finite for ends in self.intervals.values() for e in ends)

    def completed(self, point: Point) -> Point:
        """The point with the symbols that follow from others, and anything allowed for those not asked about."""
        whole = dict(point)
        for s, ends in self.intervals.items():
            whole.setdefault(s, anywhere(ends))
        for s, values in self.choices.items():
            whole.setdefault(s, values[0])
        return whole | {s: e.xreplace(whole) for s, e in self.expressed.items()}

    def holds(self, point: Point) -> bool:
        """Whether a completed rational point lies in the region, exactly."""
        inside = all(
            (a < point[s] or (a == point[s] and (s, 0) not in self.open_ends))
            and (point[s] < b or (point[s] == b and (s, 1) not in self.open_ends))
            for s, (a, b) in self.intervals.items()
        )
        return (
            inside
            and all(point[s] in values for s, values in self.choices.items())
            and all((sign(g, point) or 0) <= 0 and sign(g, point) is not None for g in self.at_most_zero)
            and all(sign(g, point) == 0 for g in self.zero)
        )

    def inward(self, point: Point) -> Point:
        """The point moved off ends that do not belong to the region."""
        moved = dict(point)
        for s, end in self.open_ends:
            a, b = self.intervals[s]
            if s in moved and moved[s] == (a, b)[end]:
                step = (b - a) / 2**40 if (b - a).is_finite else sp.Rational(1, 2**20)
                moved[s] = moved[s] + step * (1 - 2 * end)
        return moved


def anywhere(ends: Ends) -> sp.Rational:
    """A number between two ends: nought if it is there, else the end that is nearer to it."""
    low, high = ends
    return sp.Integer(0) if low <= 0 <= high else low if low > 0 else high


def region_of(domain: Any, symbols: Sequence[sp.Symbol]) -> Region:
    """The region of one record's symbols; SpecError where the domain has another number of coordinates, or is none.

    A domain is a Domain of noiseproof, a sympy Interval (its ends may be open or infinite), Reals or FiniteSet, a product
    of these, or a list of them in the order of the symbols.
    """
    parts = _parts(domain)
    total = sum(size for _, size in parts)
    if total != len(symbols):
        raise SpecError(
            f"a record has {counted(len(symbols), 'symbol')} ({', '.join(map(str, symbols))}) and the domain "
            f"{counted(total, 'coordinate')}: give one coordinate for each symbol"
        )
    region, at = Region(), 0
    for part, size in parts:
        region = region.joined(_part_region(part, tuple(symbols[at : at + size])))
        at += size
    return region


def _parts(domain: Any) -> list[tuple[Any, int]]:
    if isinstance(domain, list | tuple):
        if not domain:
            raise SpecError(
                "expected a domain, got an empty list: give one domain for each symbol of a record"
            )
        return [part for one in domain for part in _parts(one)]
    if isinstance(domain, sp.ProductSet):
        return [part for one in domain.args for part in _parts(one)]
    if isinstance(domain, sp.Set):
        if domain is sp.S.EmptySet:
            raise SpecError("the domain is empty: no record can lie in it")
        if not isinstance(domain, sp.Interval | sp.FiniteSet) and domain is not sp.S.Reals:
            raise SpecError(f"expected an Interval, Reals or a FiniteSet, got {domain}")
        return [(domain, 1)]
    if isinstance(domain, Table):
        return [part for column in domain.columns.values() for part in _parts(column)]
    if isinstance(domain, Categorical):
        return [(domain, 1)]
    if isinstance(domain, Box | Ball | Simplex):
        return [(domain, domain.dimension_of_records)]
    if isinstance(domain, Sphere):
        return [(domain, domain.dimension)]
    raise SpecError(
        f"expected a Box, Ball, Simplex, Categorical or Table, a sympy Interval, or a list of these, got {came(domain)}; "
        "numbers from 0 to 1 are Box(0, 1)"
    )


def _part_region(part: Any, symbols: tuple[sp.Symbol, ...]) -> Region:
    if isinstance(part, sp.FiniteSet | Categorical):
        return _finite(part, symbols[0])
    if isinstance(part, sp.Set):
        interval = sp.Interval(-sp.oo, sp.oo) if part is sp.S.Reals else part
        return _interval(interval, symbols[0])
    if isinstance(part, Box):
        return _box(part, symbols)
    if isinstance(part, Simplex):
        return _simplex(part, symbols)
    radius = rational(part.radius)
    intervals = dict.fromkeys(symbols, (-radius, radius))
    blocks = ((part, symbols),) if isinstance(part, Sphere) or part.norm == 2 else ()
    if isinstance(part, Sphere):
        return Region(intervals, zero=(_squares(symbols) - radius**2,), blocks=blocks)
    if len(symbols) == 1 or part.norm not in (1, 2):
        return Region(intervals)
    size = _squares(symbols) - radius**2 if part.norm == 2 else sp.Add(*map(sp.Abs, symbols)) - radius
    return Region(intervals, (size,), blocks=blocks)


def _squares(symbols: Sequence[sp.Symbol]) -> sp.Expr:
    return sp.Add(*(s**2 for s in symbols))


def _finite(part: sp.FiniteSet | Categorical, symbol: sp.Symbol) -> Region:
    given = part.values if isinstance(part, Categorical) else part.args
    odd = next((v for v in given if isinstance(v, str | bytes | bool) or v is None), None)
    if odd is not None:
        raise SpecError(
            f"an expression needs numbers as categories, got {odd!r}: number them, or use noiseproof.queries.count or histogram"
        )
    values = tuple(rational(v) for v in given)
    return Region(choices={symbol: values})


def _interval(part: sp.Interval, symbol: sp.Symbol) -> Region:
    ends = tuple(rational(e) if e.is_Float else e for e in (part.start, part.end))
    if not all(e.is_Rational or e in (sp.oo, -sp.oo) for e in ends):
        raise SpecError(f"expected rational or infinite ends, got {part}")
    opened = {(symbol, k) for k, o in enumerate((part.left_open, part.right_open)) if o and ends[k].is_finite}
    blocks: tuple[tuple[Block, tuple[sp.Symbol, ...]], ...] = ()
    return Region({symbol: ends}, open_ends=frozenset(opened), blocks=blocks)


def _box(part: Box, symbols: tuple[sp.Symbol, ...]) -> Region:
    if not part.integer:
        ends = [(rational(a), rational(b)) for a, b in part.bounds]
        return Region(dict(zip(symbols, ends, strict=True)), blocks=((part, symbols),))
    choices = {}
    for s, a, b in zip(symbols, *part.ends, strict=True):
        if b - a >= MOST_WHOLE:
            raise SpecError(
                f"{b - a + 1:.0f} whole numbers are too many to be tried one by one (at most {MOST_WHOLE}): give a Box of "
                "real numbers, whose sensitivity is no smaller"
            )
        choices[s] = tuple(map(sp.Integer, range(int(a), int(b) + 1)))
    return Region(choices=choices)


def _simplex(part: Simplex, symbols: tuple[sp.Symbol, ...]) -> Region:
    """The last coordinate follows from the others."""
    total, free = rational(part.total), symbols[:-1]
    constraint = (sp.Add(*free) - total,) if len(free) > 1 else ()
    return Region(
        {s: (sp.Integer(0), total) for s in free},
        constraint,
        expressed={symbols[-1]: total - sp.Add(*free)},
        blocks=((part, symbols),),
    )


def described(domain: Any) -> str:
    """The domain in words."""
    if isinstance(domain, Domain):
        return domain.describe()
    if isinstance(domain, list | tuple):
        return "; ".join(described(one) for one in domain)
    if isinstance(domain, Sphere):
        return f"vectors of {domain.dimension} numbers of length {domain.radius}"
    return str(domain)
