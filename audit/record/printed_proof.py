"""Whether the proof of a step is of what is printed beside it: both sides evaluated at points, by the reader of formulas and by the kernel."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import cycle
from typing import Any

from flint import arb, ctx

from ...symbolic.proof.enclosure import NotEnclosableError, enclose, rational
from ...symbolic.proof.expressions import CONSTANTS, WITNESS_FUNCTIONS, parse
from ...symbolic.proof.kernel.context import Context
from ...symbolic.proof.kernel.enclosures import ball
from ...symbolic.proof.kernel.language import Reader, Rejected, allow, put
from ...symbolic.proof.kernel.normal_form import form

_BITS = 200
_NUMBERS = tuple(Fraction(*pair) for pair in ((7, 5), (9, 4), (1, 3), (5, 2), (13, 8)))
_POINTS = 2
_NAME = re.compile(r"[^\W\d]\w*")


def strays(row: Mapping[str, Any]) -> bool:
    """True only if a printed side and that of the proof certainly have different values at a point, or other variables or relations.

    Sides that the reader of formulas does not know (integrals, traces) are not compared.
    """
    proof = row["proof"]
    if "left" not in proof:
        return False
    if proof.get("relation") != row["relation"] or any(
        _unsaid(row[side], proof) for side in ("left", "right")
    ):
        return True
    return any(_apart(row[side], proof[side], point) for point in _points(row) for side in ("left", "right"))


def _unsaid(text: str, proof: Mapping[str, Any]) -> bool:
    """Whether a formula has a variable that the proof does not speak of."""
    names = set(_NAME.findall(text)) - set(WITNESS_FUNCTIONS) - set(CONSTANTS)
    more = names - set(proof.get("for", {}))
    return bool(more) and _printed(text, dict.fromkeys(names, _NUMBERS[0])) is not None


def _points(row: Mapping[str, Any]) -> Iterator[dict[str, Fraction]]:
    """Values of the declared variables, if the print names all of them: the instance of hypotheses, or some of the right sign."""
    proof = row["proof"]
    words = proof.get("for", {})
    printed = set(_NAME.findall(f"{row['left']} {row['right']}"))
    if not set(words) <= printed:
        return
    if proof.get("given"):
        at = {n: _value(v) for n, v in proof.get("at", {}).items()}
        if all(v is not None for v in at.values()):
            yield {n: v for n, v in at.items() if v is not None}
        return
    for start in range(_POINTS):
        numbers = cycle(_NUMBERS[start:] + _NUMBERS[:start])
        yield {n: _of_sign(next(numbers), i + start, said) for i, (n, said) in enumerate(words.items())}


def _of_sign(number: Fraction, whole: int, words: list[str]) -> Fraction:
    value = Fraction(whole + 2) if "integer" in words else number
    return -value if {"negative", "nonpositive"} & set(words) else value


def _value(data: Any) -> Fraction | None:
    try:
        return form(Reader().term(data), Context({})).number
    except Rejected:
        return None


def _apart(text: str, data: Any, point: Mapping[str, Fraction]) -> bool:
    printed, proved = _printed(text, point), _proved(data, point)
    return printed is not None and proved is not None and not printed.overlaps(proved)


def _printed(text: str, point: Mapping[str, Fraction]) -> arb | None:
    try:
        value = parse(text, {n: rational(v) for n, v in point.items()}, functions=WITNESS_FUNCTIONS)
        found = enclose(value, bits=_BITS)
    except (ValueError, TypeError, ArithmeticError, NotEnclosableError, RecursionError):
        return None
    return found if found.is_finite() else None


def _proved(data: Any, point: Mapping[str, Fraction]) -> arb | None:
    empty = Context({})
    try:
        allow()
        term = put(Reader().term(data), {n: ("num", v) for n, v in point.items()})
        q = form(term, empty)
        with ctx.workprec(_BITS):
            found = ball(q, empty.atoms, {})
    except (Rejected, ValueError, ArithmeticError, RecursionError):
        return None
    return found if found.is_finite() else None
