"""Whether matrices exist that obey the hypotheses of a step: an instance in rational numbers, or a Gram matrix, by exact arithmetic."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import pairwise
from typing import Any

from .context import SYMMETRIC, Context
from .language import Rejected, Term, name, put
from .normal_form import form
from .words import has_letters, has_traces

Matrix = list[list[Fraction]]
_MOST_ROWS = 12


def matrices(data: Any, letters: dict[str, str]) -> dict[str, Matrix]:
    """The instance: for each letter rows of whole numbers or pairs [numerator, denominator]."""
    if not isinstance(data, dict) or set(data) != set(letters):
        raise Rejected("an instance has a matrix for each letter")
    found = {name(n): _matrix(rows) for n, rows in data.items()}
    for n, rows in found.items():
        kind = letters[n]
        if (
            (kind in SYMMETRIC and rows != transposed(rows))
            or (kind == "positive definite" and not positive_semidefinite(rows, strictly=True))
            or (kind == "column" and len(rows[0]) != 1)
        ):
            raise Rejected(f"the instance of {n} is not {kind}")
    return found


def _matrix(rows: Any) -> Matrix:
    good = isinstance(rows, list) and 0 < len(rows) <= _MOST_ROWS and all(isinstance(r, list) for r in rows)
    if not good or not 0 < len(rows[0]) <= _MOST_ROWS or any(len(r) != len(rows[0]) for r in rows):
        raise Rejected("a matrix is a list of rows of equal length")
    return [[_number(v) for v in r] for r in rows]


def _number(value: Any) -> Fraction:
    pair = value if isinstance(value, list) else [value, 1]
    if len(pair) != 2 or not all(isinstance(v, int) and not isinstance(v, bool) for v in pair) or not pair[1]:
        raise Rejected("an entry is a whole number or [numerator, denominator]")
    return Fraction(*pair)


@dataclass(frozen=True)
class Instance:
    """Matrices for all letters, and numbers for all variables."""

    given: dict[str, Matrix]
    at: dict[str, Term]

    def obeys(self, rule: tuple[str, ...], value: Term) -> bool:
        """Whether the product of the letters is that multiple of the identity (of zero: any shape)."""
        found = self.value(
            ("*", *(("mat'" if n.endswith("'") else "mat", n.removesuffix("'")) for n in rule))
        )
        number = self.number(value)
        assert isinstance(found, list)
        if not number:
            return not any(map(any, found))
        n = len(found)
        return len(found[0]) == n and all(
            found[i][j] == (number if i == j else 0) for i in range(n) for j in range(n)
        )

    def agrees(self, trace: Term, value: Term) -> bool:
        """Whether the trace has that value, which may have traces in it."""
        return self.number(trace) == self.number(value)

    def number(self, term: Term) -> Fraction:
        """The value of a term without free letters; Rejected where it is no rational number."""
        found = self.value(term)
        if isinstance(found, list):
            raise Rejected("a matrix where a number was expected")
        return found

    def value(self, term: Term) -> Matrix | Fraction:
        """A matrix or a number; a number beside a matrix is that multiple of the identity."""
        op = term[0]
        if op in ("mat", "mat'"):
            one = self.given[term[1]]
            return one if op == "mat" else transposed(one)
        if op == "tr":
            found = self.value(term[1])
            if not isinstance(found, list) or len(found) != len(found[0]):
                # The trace of a number is that of a multiple of the identity, of the size that all letters have.
                sizes = {len(m) for m in self.given.values()} | {len(m[0]) for m in self.given.values()}
                if isinstance(found, list) or len(sizes) != 1:
                    raise Rejected("a trace of what is not square")
                return found * sizes.pop()
            return sum((found[i][i] for i in range(len(found))), Fraction(0))
        if not has_letters(term) and not has_traces(term):
            number = form(put(term, self.at), Context({})).number
            if number is None:
                raise Rejected("an instance whose value is not rational")
            return number
        parts = [self.value(a) for a in term[1:]]
        if op == "+":
            return reduce(sum_of, parts)
        if op == "*":
            return reduce(times_either, parts)
        if op == "-":
            return (
                sum_of(parts[0], times_either(Fraction(-1), parts[1]))
                if parts[1:]
                else times_either(Fraction(-1), parts[0])
            )
        if op == "/" and isinstance(parts[1], Fraction):
            return times_either(1 / parts[1], parts[0])
        return _power(op, parts)


def _power(op: str, parts: list[Matrix | Fraction]) -> Matrix | Fraction:
    """Whole powers, and any power of the identity."""
    base, e = parts[0], Fraction(1, 2) if op == "sqrt" else parts[1] if op == "^" else None
    if not isinstance(e, Fraction):
        raise Rejected(f"{op} in an instance")
    if base == 1 or (
        isinstance(base, list)
        and base == [[Fraction(i == j) for j in range(len(base))] for i in range(len(base))]
    ):
        return base
    if e.denominator != 1 or not 0 < e <= 8:
        raise Rejected("a power in an instance that is not whole and positive")
    return reduce(times_either, [base] * int(e))


def sum_of(a: Matrix | Fraction, b: Matrix | Fraction) -> Matrix | Fraction:
    """The sum, a number being that multiple of the identity."""
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return a + b
    size = len(a) if isinstance(a, list) else len(b) if isinstance(b, list) else 0
    one, two = (
        [[x if i == j else Fraction(0) for j in range(size)] for i in range(size)]
        if isinstance(x, Fraction)
        else x
        for x in (a, b)
    )
    if len(one) != len(two) or len(one[0]) != len(two[0]):
        raise Rejected("a sum of matrices of different shapes")
    return [[x + y for x, y in zip(r, s, strict=True)] for r, s in zip(one, two, strict=True)]


def times_either(a: Matrix | Fraction, b: Matrix | Fraction) -> Matrix | Fraction:
    """The product of numbers and matrices."""
    if isinstance(a, list) and isinstance(b, list):
        if len(a[0]) != len(b):
            raise Rejected("a product of matrices whose shapes do not fit")
        return times(a, b)
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return a * b
    number, rows = (a, b) if isinstance(a, Fraction) else (b, a)
    assert isinstance(number, Fraction)
    assert isinstance(rows, list)
    return [[number * x for x in r] for r in rows]


def times(a: Matrix, b: Matrix) -> Matrix:
    """The product."""
    columns = transposed(b)
    return [[sum((x * y for x, y in zip(row, c, strict=True)), Fraction(0)) for c in columns] for row in a]


def transposed(a: Matrix) -> Matrix:
    """Rows as columns."""
    return [list(r) for r in zip(*a, strict=True)]


def traces_exist(pairs: list[tuple[Term, Term]], letters: dict[str, str], at: dict[str, Term]) -> bool:
    """Whether letters exist with these traces of pairs at the instance `at`; products that are not given count as 0.

    The trace of the identity is the size of the matrices, if all of them are symmetric and nothing else is given.  Matrices that are
    any, or symmetric, may have any inner products; whether positive definite ones, or a column beside a matrix, have them is not known.
    """
    values = [form(put(value, at), Context({})).number for _, value in pairs]
    if len(pairs) == 1 and pairs[0][0] == ("tr", ("num", Fraction(1))):
        whole = values[0] is not None and values[0].denominator == 1 and values[0] > 0
        return whole and set(letters.values()) <= SYMMETRIC
    names = sorted(letters)
    entries: dict[tuple[str, str], Fraction] = {}
    for (term, _), number in zip(pairs, values, strict=True):
        pair = _pair(term)
        if pair is None or number is None or not set(pair) <= set(names):
            return False
        kinds = {letters[n] for n in pair}
        if "positive definite" in kinds or ("column" in kinds and len(kinds) > 1):
            return False
        key = (min(pair), max(pair))
        if entries.setdefault(key, number) != number:
            return False
    return positive_semidefinite(
        [[entries.get((min(a, b), max(a, b)), Fraction(a == b)) for b in names] for a in names]
    )


def fitting(term: Term, shapes: dict[str, tuple[int, int]]) -> tuple[int, int] | None:
    """The shape of a term, None for a number; Rejected where the shapes of its matrices do not fit."""
    op = term[0]
    if op in ("mat", "mat'"):
        rows, columns = shapes[term[1]]
        return (rows, columns) if op == "mat" else (columns, rows)
    parts = [fitting(a, shapes) for a in term[1:] if isinstance(a, tuple)]
    found = [s for s in parts if s is not None]
    if not found:
        return None
    first, last = found[0], found[-1]
    pairs = list(pairwise(found))
    square = op in ("tr", "^", "sqrt") or (op in ("+", "-") and len(found) < len(parts))
    fit = all(a[1] == b[0] for a, b in pairs) if op == "*" else all(a == b for a, b in pairs)
    if not fit or (square and first[0] != first[1]):
        raise Rejected("the shapes of the matrices that obey what is known do not fit what is stated")
    return None if op == "tr" else (first[0], last[1])


def _pair(term: Term) -> tuple[str, str] | None:
    """The two letters of tr(A'B) or tr(B A'); None for other traces."""
    if term[0] != "tr" or term[1][0] != "*" or len(term[1]) != 3:
        return None
    one, two = term[1][1:]
    return (one[1], two[1]) if {one[0], two[0]} == {"mat", "mat'"} else None


def positive_semidefinite(matrix: Matrix, strictly: bool = False) -> bool:
    """By exact elimination: no pivot is negative, and a pivot of 0 has a row of zeros; definite if `strictly`: no pivot is 0."""
    rows = [list(r) for r in matrix]
    for k, row in enumerate(rows):
        pivot = row[k]
        if pivot < 0 or (pivot == 0 and (strictly or any(row[k:]))):
            return False
        for i in range(k + 1, len(rows)):
            factor = rows[i][k] / pivot if pivot else Fraction(0)
            rows[i] = [a - factor * b for a, b in zip(rows[i], row, strict=True)]
    return True
