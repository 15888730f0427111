"""Numbers and texts of a ledger are read strictly: finite, not negative, and as the decimals that are written."""

from __future__ import annotations

import math
import numbers
from fractions import Fraction
from typing import Any

from ....symbolic.errors import SpecError


def decimal(value: float) -> Fraction:
    """The decimal that a number is written as: 0.1 is 1/10, so that three of them fit into 0.3."""
    return Fraction(repr(float(value)))


def digits(value: Fraction) -> str:
    """A finite decimal, written out exactly; SpecError if the fraction is none.

    >>> digits(Fraction(1, 8)), digits(Fraction(0)), digits(Fraction(3))
    ('0.125', '0', '3')
    """
    twos = fives = 0
    rest = value.denominator
    while rest % 2 == 0:
        rest, twos = rest // 2, twos + 1
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    if rest != 1:
        raise SpecError(f"expected a finite decimal, got {value}")
    places = max(twos, fives)
    whole = value.numerator * 10**places // value.denominator
    sign, shown = ("-", str(-whole)) if whole < 0 else ("", str(whole))
    if not places:
        return sign + shown
    shown = shown.rjust(places + 1, "0")
    return f"{sign}{shown[:-places]}.{shown[-places:]}"


def amount(name: str, value: Any, *, below: float = math.inf) -> float:
    """The number `value` if it is finite, at least 0 and below `below`; SpecError for anything else."""
    end = "" if below == math.inf else f", below {below:g}"
    expected = f"{name} must be a finite number, at least 0{end}, got {value!r:.80}"
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise SpecError(expected)
    try:
        number = float(value)
    except OverflowError:
        raise SpecError(expected) from None
    if not (math.isfinite(number) and 0 <= number < below):
        raise SpecError(expected)
    return abs(number)  # -0.0 would be written with its sign


def line_of_text(name: str, value: Any, longest: int = 200) -> str:
    """The text `value` if it is one printable line of at most `longest` characters; SpecError otherwise."""
    if not isinstance(value, str) or not value.strip() or len(value) > longest or not value.isprintable():
        raise SpecError(f"{name} must be one printable line of 1 to {longest} characters, got {value!r:.80}")
    return value
