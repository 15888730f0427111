"""Symbols of records that are declared to be what not every record of the domain is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import sympy as sp

from ..errors import SpecError
from .regions import Ends, Region, region_of

_WORDS = ("integer", "positive", "negative", "nonnegative", "nonpositive", "nonzero", "rational", "imaginary")
_REAL = frozenset(sp.Dummy(real=True).assumptions0.items())


def check_declared(group: Sequence[sp.Symbol], domain: Any) -> None:
    """SpecError where a symbol is declared positive, integer and so on, and the domain has another number there.

    sympy simplifies by such a declaration while the query is written, so that |p| - p of a positive p is 0 from the start.
    """
    if all(_REAL.issuperset(s.assumptions0.items()) for s in group):
        return
    region = region_of(domain, group)
    for s in group:
        for value in _numbers(region, s):
            word = _denied(s, value)
            if word:
                raise SpecError(
                    f"{s} is declared {word}, and the domain has records where it is {value}: sympy has simplified the query "
                    f"by that declaration; write sp.Symbol({s.name!r}, real=True), or give a domain where it is true"
                )


def _denied(s: sp.Symbol, value: sp.Expr) -> str | None:
    """What is declared of the symbol and false of the number."""
    declared = s.assumptions0
    wrong = [k for k, truth in declared.items() if getattr(value, f"is_{k}", None) is (not truth)]
    known = [k for k in _WORDS if k in wrong and declared[k]]
    if known or not wrong:
        return known[0] if known else None
    return f"{wrong[0]}={declared[wrong[0]]}"


def _numbers(region: Region, s: sp.Symbol) -> Iterator[sp.Expr]:
    """Numbers that the symbol takes in the domain: its ends, nought, a fraction and a root between them."""
    if s in region.choices:
        yield from region.choices[s]
    elif s in region.intervals:
        closed = [k for k in (0, 1) if (s, k) not in region.open_ends]
        yield from _between(region.intervals[s], closed)
    else:
        for t, ends in region.intervals.items():
            yield from (region.completed({t: value})[s] for value in _between(ends, [0, 1]))


def _between(ends: Ends, closed: Sequence[int]) -> Iterator[sp.Expr]:
    low, high = ends
    yield from (ends[k] for k in closed if ends[k].is_finite)
    if low < 0 < high:
        yield sp.Integer(0)
    start = low if low.is_finite else high - 2 if high.is_finite else sp.Integer(-1)
    width = high - start if high.is_finite else sp.Integer(2)
    yield start + width * sp.Rational(5, 997)
    yield start + width * (sp.sqrt(2) - 1)
