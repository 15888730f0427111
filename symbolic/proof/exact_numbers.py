"""Exact rational numbers between texts, floats, fractions and python-flint, and the balls around them."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from fractions import Fraction
from typing import TypeAlias

import sympy as sp
from flint import arb, fmpq

from .enclosure import enclose
from .expressions import Number, parse

Rational: TypeAlias = Fraction | sp.Rational | int | float | str
_FRACTION = re.compile(r"-?\d{1,400}(/\d{1,400})?")  # no exponents: a short text must not be a huge number


def quotient(value: Rational) -> fmpq:
    """A rational number, given as such, as a float or as a numeral like "3/5" or "0.6", in python-flint.

    >>> quotient("0.6")
    3/5
    """
    if isinstance(value, sp.Rational):
        return fmpq(int(value.p), int(value.q))
    exact = value if isinstance(value, Fraction) else Fraction(value)
    return fmpq(exact.numerator, exact.denominator)


def symbolic_rational(value: fmpq) -> sp.Rational:
    """The same number in sympy."""
    return sp.Rational(int(value.p), int(value.q))


def written_fraction(value: float | str | Fraction) -> fmpq:
    """The exact value of a number, or of a fraction written as text in somebody's file; ValueError for other texts."""
    if isinstance(value, str) and not _FRACTION.fullmatch(value):
        raise ValueError(f'expected a fraction such as "-3/4", got {value[:40]!r}')
    return quotient(value)


def ball(value: Rational) -> arb:
    """The ball around a rational number."""
    return arb(quotient(value))


def enclosed(text: str, names: Mapping[str, Number] | None = None) -> arb:
    """A ball that contains the value of the formula in `text`; `names` gives the meaning of each free name."""
    return enclose(parse(text, names))


def below(ball: arb) -> float:
    """A float under every number of the ball."""
    return math.nextafter(float(ball.lower()), -math.inf)


def above(ball: arb) -> float:
    """A float over every number of the ball."""
    return math.nextafter(float(ball.upper()), math.inf)
