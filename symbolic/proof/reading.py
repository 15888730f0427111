"""How a number of a claim is read: as the decimal that was written, up to the rounding of its own digits and never more than 1e-12 of it."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from math import ulp

import sympy as sp

from .as_written import difference, power, total, weighted
from .enclosure import rational

# A scale computed as sensitivity/epsilon may be some roundings off: of no number more than this share is excused.
READING = sp.Rational(1, 10**12)
_ONE = sp.Integer(1)
_UNITS = 8  # in the last place of a double: what arithmetic in doubles leaves of the digits beyond fifteen
_DECIMAL = re.compile(r"(?<![\w.])(?:\d+\.\d*|\.\d+)(?:[eE][+-]?\d+)?|(?<![\w.])\d+[eE][+-]?\d+")


def allowance(value: float) -> sp.Rational:
    """By how much what was meant may be off: half a unit of the last digit that is printed, at least eight units of a double's last place.

    >>> allowance(1.0), allowance(0.3333333333333)
    (1/1000000000000, 1/20000000000000)
    """
    size = abs(rational(value))
    unit = sp.Rational(10) ** Decimal(repr(float(value))).as_tuple().exponent
    return min(size * READING, max(unit / 2, _UNITS * sp.Rational(ulp(float(value)))))


def share(value: float) -> sp.Rational:
    """The same as a share of the number; of 0, which has no digits to round, 1e-12."""
    return allowance(value) / abs(rational(value)) if value else READING


def share_of_text(text: str) -> sp.Rational:
    """The same of a formula: what the decimals in it may be off, all together; nothing where it has none."""
    decimals = (float(found) for found in _DECIMAL.findall(text))
    return min(READING, sum((share(x) for x in decimals if x), sp.Integer(0)))


def most(value: float, times: sp.Expr = _ONE) -> sp.Expr:
    """What the number may be at most, `times` another, as a step shows it.

    >>> most(0.5), most(0.3333333333333)
    ((10**(-12) + 1)/2, 1/20000000000000 + 3333333333333/10000000000000)
    """
    return _beside(value, times, total)


def least(value: float) -> sp.Expr:
    """What the number may be at least, as a step shows it."""
    return _beside(value, _ONE, difference)


def _beside(value: float, times: sp.Expr, joined: Callable[..., sp.Expr]) -> sp.Expr:
    if value and share(value) == READING:
        return weighted(rational(value) * times, joined(1, power(10, -12)))
    return joined(rational(value) * times, allowance(value) * times)


def in_words(value: float) -> str:
    """The number with its allowance, as a sentence has it: "1 (1 + 1e-12)"."""
    return f"{repr(value).removesuffix('.0')} (1 + {float(share(value)):.2g})"
