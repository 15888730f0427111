"""Expressions of Max, Min, Abs, sign and pieces, cut into cells on which they are polynomials: identities and largest values, exact.

A cell is a set of signs of polynomials.  Functions that are no polynomials (exp(x), 1/x) and constants like sqrt(2) count as numbers
of their own: what holds whatever these are holds.  Cells whose linear signs exclude each other are left out.  Work is counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import sympy as sp

from ..proof.enclosure import NotEnclosableError, enclose
from .enclosure import ends
from .linear_rows import Row, TooManyRowsError, feasible, largest_value, row

MOST_CELLS, MOST_NUMBERS, MOST_DEGREE = 4_000, 20, 16
SMOOTH_IN_CELLS = (sp.Abs, sp.Max, sp.Min, sp.Piecewise, sp.sign)
_TRUE_WHERE = {">": (1,), ">=": (0, 1), "<": (-1,), "<=": (-1, 0), "==": (0,), "!=": (-1, 1)}
Box = Mapping[sp.Symbol, tuple[sp.Expr, sp.Expr]]
Polynomial = Any  # an element of sympy's ring of polynomials with rational coefficients


class NotDecidedError(Exception):
    """The expression has too many cells, or is not of this kind."""


class _SignNeededError(Exception):
    """The sign of this polynomial."""


@dataclass(frozen=True)
class Cell:
    """`rows` are positive, `signs` known, and `values` are what numbers are by an equation."""

    rows: tuple[Row, ...] = ()
    signs: Mapping[Polynomial, int] = field(default_factory=dict)
    values: Mapping[int, Polynomial] = field(default_factory=dict)


def vanishes(e: sp.Expr, box: Box) -> bool:
    """Whether the expression is proved to be 0 wherever in the box it has a value; False says nothing."""
    try:
        return all(_is_zero(cell, p) for cell, p in _Cells(e, box).leaves())
    except NotDecidedError:
        return False


def _is_zero(cell: Cell, p: Polynomial) -> bool:
    zeros = [q for q, s in cell.signs.items() if s == 0]
    return p == 0 or (bool(zeros) and p.rem(zeros) == 0)


def piecewise_linear_maximum(e: sp.Expr, box: Box) -> tuple[sp.Rational, dict[sp.Symbol, sp.Rational]] | None:
    """The supremum over a bounded box and a point of it, in whose cell it is reached or neared; None where it is not found."""
    cells, best = _Cells(e, box), None
    try:
        for cell, p in cells.leaves():
            if not _is_linear(p) or any(i >= len(box) for i in _slopes(p)):
                return None
            found, point = largest_value(cells.rows_with(cell, p), len(cells.ring.gens))
            if found is not None and (best is None or found > best[0]):
                best = found, point
    except (NotDecidedError, TooManyRowsError):
        return None
    if best is None:
        return None
    at = {s: _rational(best[1].get(i, Fraction(0))) for i, s in enumerate(box)}
    return _rational(best[0]), {s: min(max(v, box[s][0]), box[s][1]) for s, v in at.items()}


def _rational(x: Fraction) -> sp.Rational:
    return sp.Rational(x.numerator, x.denominator)


def _slopes(p: Polynomial) -> dict[int, Fraction]:
    """The coefficients of a linear polynomial by place."""
    return {m.index(1): Fraction(int(c.numerator), int(c.denominator)) for m, c in p.terms() if any(m)}


def _is_linear(p: Polynomial) -> bool:
    return all(sum(m) <= 1 for m in p.monoms())


def _row(p: Polynomial, strict: bool = False) -> Row:
    constant = p.const()
    return row(_slopes(p), Fraction(int(constant.numerator), int(constant.denominator)), strict)


class _Cells:
    def __init__(self, expression: sp.Expr, box: Box) -> None:
        self.expression = expression
        self.ring = sp.ring([f"g{i}" for i in range(len(box) + MOST_NUMBERS)], sp.QQ)[0]
        self.places: dict[Any, int] = {s: i for i, s in enumerate(box)}
        # A continuous expression is known on the closures of cells of full dimension, which cover the box.
        self.jumps = expression.has(sp.Piecewise, sp.sign)
        self.within: list[Row] = []
        self.factors: dict[Polynomial, Any] = {}
        for s, (low, high) in box.items():
            self._between(self.ring.gens[self.places[s]], low, high)

    def _between(self, g: Polynomial, low: sp.Expr, high: sp.Expr) -> None:
        self.within += [_row(g - sp.QQ(low.p, low.q))] if low.is_finite else []
        self.within += [_row(sp.QQ(high.p, high.q) - g)] if high.is_finite else []

    def leaves(self) -> Iterator[tuple[Cell, Polynomial]]:
        """Each cell with the polynomial that the expression is there."""
        waiting, work = [Cell()], 0
        while waiting:
            cell, work = waiting.pop(), work + 1
            if work > MOST_CELLS:
                raise NotDecidedError("too many cells")
            try:
                yield cell, self.value(self.expression, cell)
            except _SignNeededError as needed:
                waiting += self._parts(cell, needed.args[0])

    def rows_with(self, cell: Cell, p: Polynomial) -> list[Row]:
        """The closure of a cell, and a number at the place beyond all others that is the polynomial there."""
        closed = [(slopes, constant, False) for slopes, constant, _ in cell.rows]
        last = len(self.ring.gens)
        slopes, constant = _slopes(p), Fraction(int(p.const().numerator), int(p.const().denominator))
        both = [
            row({**{i: s * c for i, c in slopes.items()}, last: Fraction(-s)}, s * constant) for s in (1, -1)
        ]
        return [*self._within(cell), *closed, *both]

    def _within(self, cell: Cell) -> list[Row]:
        equations = [_row(s * (self.ring.gens[i] - v)) for i, v in cell.values.items() for s in (1, -1)]
        return [*self.within, *equations]

    def _parts(self, cell: Cell, p: Polynomial) -> Iterator[Cell]:
        """The cell cut in two along a polynomial, and the cut itself where the expression may jump there."""
        for sign in (1, -1, 0) if self.jumps else (1, -1):
            if not _is_linear(p):
                yield Cell(cell.rows, {**cell.signs, p: sign}, cell.values)
                continue
            rows, values = (*cell.rows, _row(sign * p, True)), cell.values
            if sign == 0:
                rows, place = cell.rows, max(_slopes(p))
                g = self.ring.gens[place]
                at = g - p * (1 / p.coeff(g))
                values = {i: v.compose(g, at) for i, v in values.items()} | {place: at}
            part = Cell(rows, {**cell.signs, p: sign} if sign else cell.signs, values)
            try:
                if feasible([*self._within(part), *rows]):
                    yield part
            except TooManyRowsError as error:
                raise NotDecidedError(str(error)) from None

    def value(self, e: sp.Expr, cell: Cell) -> Polynomial:
        """The polynomial that an expression is in the cell; _SignNeededError where it depends on a sign."""
        if isinstance(e, sp.Rational):
            return self.ring(sp.QQ(e.p, e.q))
        if e in self.places:
            return self._number(e, cell)
        if isinstance(e, sp.Piecewise):
            for value, condition in e.args:
                if self._holds(condition, cell):
                    return self.value(value, cell)
            raise NotDecidedError("a piece is missing")
        if not isinstance(e, sp.Expr):
            raise NotDecidedError(f"{e} is no number")
        if not e.free_symbols and not isinstance(e, sp.Add | sp.Mul):
            return self._number(e, cell)
        if isinstance(e, sp.exp) and isinstance(e.exp, sp.Add):
            return self.value(sp.Mul(*map(sp.exp, e.exp.args), evaluate=False), cell)
        parts = [self.value(a, cell) for a in e.args]
        if isinstance(e, sp.Add):
            return sum(parts[1:], parts[0])
        if isinstance(e, sp.Mul):
            for p in parts[1:]:
                parts[0] = self._modest(parts[0] * p)
            return parts[0]
        if isinstance(e, sp.Pow):
            return self._power(parts[0], e.exp, cell, parts[1])
        if isinstance(e, sp.Abs | sp.sign):
            sign = self._sign(parts[0], cell)
            return self.ring(sign) if isinstance(e, sp.sign) else sign * parts[0]
        if isinstance(e, sp.Max | sp.Min):
            wanted = 1 if isinstance(e, sp.Max) else -1
            best = parts[0]
            for p in parts[1:]:
                best = p if self._sign(p - best, cell) == wanted else best
            return best
        return self._number((e.func, *parts), cell)

    def _power(self, base: Polynomial, exponent: sp.Expr, cell: Cell, written: Polynomial) -> Polynomial:
        if exponent.is_Integer and 0 < exponent <= MOST_DEGREE:
            return self._modest(base ** int(exponent))
        if exponent.is_Integer and -MOST_DEGREE <= exponent < 0 and base != 0:
            inverse = self._number((sp.Pow, base.monic(), -1), cell)
            return self._modest((inverse * (1 / base.LC)) ** int(-exponent))
        if exponent == sp.S.Half and base != 0:
            factor, parts = self._factors(base)
            root = sp.sqrt(sp.Rational(int(factor.numerator), int(factor.denominator)))
            if root.is_Rational and all(k % 2 == 0 for _, k in parts):
                found = self.ring(sp.QQ(root.p, root.q))
                for q, k in parts:
                    found *= (self._sign(q, cell) * q) ** (k // 2) if k % 4 else q ** (k // 2)
                return self._modest(found)
        return self._number((sp.Pow, base, written), cell)

    def _factors(self, p: Polynomial) -> Any:
        """The factors over the rational numbers, found among the variables that the polynomial has."""
        if p not in self.factors:
            used = [i for i, n in enumerate(p.degrees()) if n > 0]
            ring = sp.ring([self.ring.symbols[i] for i in used] or ["unused"], sp.QQ)[0]
            small = ring.from_dict({tuple(m[i] for i in used) or (0,): c for m, c in p.terms()})
            factor, parts = small.factor_list()
            self.factors[p] = factor, [(q.set_ring(self.ring), k) for q, k in parts]
        return self.factors[p]

    @staticmethod
    def _modest(p: Polynomial) -> Polynomial:
        if p and max(map(sum, p.monoms())) > MOST_DEGREE:
            raise NotDecidedError("a polynomial of high degree")
        return p

    def _number(self, key: Any, cell: Cell) -> Polynomial:
        """A symbol, a constant or a function at polynomials as a number of its own."""
        if key not in self.places:
            if len(self.places) == len(self.ring.gens):
                raise NotDecidedError("too many functions")
            self.places[key] = len(self.places)
            if isinstance(key, sp.Expr):
                self._between(self.ring.gens[self.places[key]], *_ends_of(key))
        place = self.places[key]
        return cell.values.get(place, self.ring.gens[place])

    def _holds(self, condition: sp.Basic, cell: Cell) -> bool:
        if condition in (sp.true, sp.false):
            return condition is sp.true
        if isinstance(condition, sp.ITE):
            return self._holds(condition.to_nnf(), cell)
        if isinstance(condition, sp.And | sp.Or):
            wanted = isinstance(condition, sp.And)
            return (
                all(self._holds(c, cell) for c in condition.args)
                if wanted
                else any(self._holds(c, cell) for c in condition.args)
            )
        if isinstance(condition, sp.Not):
            return not self._holds(condition.args[0], cell)
        if not isinstance(condition, sp.core.relational.Relational):
            raise NotDecidedError(f"the condition {condition} is no relation")
        left, right = (self.value(side, cell) for side in (condition.lhs, condition.rhs))
        return self._sign(left - right, cell) in _TRUE_WHERE[condition.rel_op]

    def _sign(self, p: Polynomial, cell: Cell) -> int:
        """The sign of a polynomial as that of its factors."""
        if p.is_ground:
            c = p.const()
            return int(c > 0) - int(c < 0)
        factor, parts = (p.LC, [(p.monic(), 1)]) if _is_linear(p) else self._factors(p)
        sign = 1 if factor > 0 else -1
        for q, k in parts:
            sign *= 1 if q.LC > 0 or k % 2 == 0 else -1
            known = cell.signs.get(q.monic())
            if known is None:
                raise _SignNeededError(q.monic())
            sign *= known**k
        return sign


def _ends_of(constant: sp.Expr) -> tuple[sp.Rational, sp.Rational]:
    try:
        low, high = ends(enclose(constant))
    except (NotEnclosableError, ValueError, TypeError):
        raise NotDecidedError(f"{constant} is no number") from None
    return _rational(low), _rational(high)
