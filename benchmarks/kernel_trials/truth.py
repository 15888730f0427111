"""Whether a step is true at points that obey its declarations and hypotheses: one at which it is not refutes it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import Any

import mpmath as mp

from .letters import chosen
from .values import Term, UndefinedError, UnknownError, value

DIGITS = 50
# Matrices that obey hypotheses are known to fewer.
_DIGITS_OF_MATRICES = 20
# How often a point is looked for near the instance of the hypotheses.
_NEAR = 0.5
_POOL = 4
_CORNERS = [0, 1, -1, 2, Fraction(1, 2), Fraction(-1, 2), -2, 3]


@dataclass(frozen=True)
class Judged:
    """Where a step is false or not defined, in words, or None; and at how many points it was true."""

    wrong: str | None
    true_at: int


def refuted(step: dict[str, Any], rng: Random, points: int = 6) -> str | None:
    """Where the step is false or not defined, in words; None where it was true at all points that could be found."""
    return judged(step, rng, points).wrong


def judged(step: dict[str, Any], rng: Random, points: int = 6, sure: bool = True) -> Judged:
    """The step at so many points that obey its declarations and hypotheses, if there are so many among four times as many.

    Where it has to be `sure`, what is called false is so in 1,000 digits, otherwise in 100.
    """
    true_at = 0
    with mp.workdps(_DIGITS_OF_MATRICES if step.get("letters") else DIGITS):
        for i in range(points * 4):
            try:
                at = _point(step, rng, i < points)
                if at is not None and all(holds(one, at) for one in step.get("given", [])):
                    said = _wrong(step, at, sure)
                    if said is not None:
                        return Judged(f"{said} at {_said(at)}", true_at)
                    true_at += 1
                    if true_at >= points:
                        break
            except (UndefinedError, UnknownError):
                continue
    return Judged(None, true_at)


def _said(at: dict[str, Any]) -> str:
    return ", ".join(f"{n} = {v}" for n, v in at.items() if isinstance(v, Fraction)) or "any values"


def holds(one: list[Any], at: dict[str, Any]) -> bool:
    """Whether [left, relation, right] holds here; exactly, but for the last digits."""
    return _compared(one, value(one[0], at), value(one[2], at), at)


def _compared(one: list[Any], left: Any, right: Any, at: dict[str, Any]) -> bool:
    relation = one[1]
    near = abs(left - right) <= tolerance(one) * (1 + abs(left) + abs(right))
    if relation == "=" or (near and relation in ("<=", ">=")):
        return bool(near)
    if near:
        if _has_integral(one) or "'tr'" in repr(one):
            raise UnknownError("these digits do not tell what is equal")
        with mp.workdps(8 * DIGITS):
            left, right = value(one[0], at), value(one[2], at)
            if abs(left - right) <= mp.mpf(10) ** (-7 * DIGITS) * max(abs(left), abs(right)):
                return False
    return bool((left < right) is (relation in ("<", "<=")))


def _has_integral(one: Term) -> bool:
    return "'int'" in repr(one)


def tolerance(one: Term) -> Any:
    """Of a comparison: quadrature has fewer digits, and so have matrices that obey hypotheses."""
    return mp.mpf(10) ** (-7 if _has_integral(one) or "'tr'" in repr(one) else 12 - DIGITS)


def _wrong(step: dict[str, Any], at: dict[str, Any], sure: bool) -> str | None:
    one = [step["left"], step["relation"], step["right"]]
    said = _once(one, at)
    if said is None or _has_integral(one) or step.get("letters"):
        return said
    with mp.workdps((20 if sure else 2) * DIGITS):
        # Large parts may have taken all digits from each other.
        return _once(one, at)


def _once(one: list[Any], at: dict[str, Any]) -> str | None:
    try:
        sides = [value(side, at) for side in (one[0], one[2])]
    except UndefinedError as error:
        if _has_integral(one) and not error.of_integral:
            raise UnknownError("quadrature does not tell what is 0") from None
        return f"not defined: {error}"
    return None if _compared(one, *sides, at) else "false"


def _bounds(step: dict[str, Any], name: str) -> tuple[Fraction | None, Fraction | None]:
    """What the hypotheses say of the variable alone."""
    low = high = None
    for left, relation, right in step.get("given", []):
        if left == name and not isinstance(right, str):
            try:
                end = Fraction(int(mp.nint(value(right, {}) * 720)), 720)
            except UndefinedError:
                continue
            low, high = (end, high) if relation in (">", ">=") else (low, end)
    return low, high


def _number(rng: Random, corner: bool, low: Fraction | None, high: Fraction | None) -> Fraction:
    ends = [e for e in (low, high) if e is not None]
    if ends and rng.random() < 0.8:
        size = high - low if low is not None and high is not None else Fraction(rng.choice([1, 1, 30]))
        part = Fraction(rng.choice([0, 0, 1, rng.randint(0, 60)]), 60) * size
        part = part if part <= size else size
        return low + part if low is not None else ends[0] - part
    if corner or rng.random() < 0.3:
        return Fraction(rng.choice(_CORNERS))
    return Fraction(rng.randint(-40, 40), rng.randint(1, 12))


def _nearby(term: Term, rng: Random) -> Fraction | None:
    """The variable's value at the instance of the hypotheses, or not far from it; None where that is no rational number."""
    try:
        number = value(term, {}) if term is not None else mp.nan
    except (UndefinedError, UnknownError):
        return None
    found = Fraction(int(mp.nint(number * 5040)), 5040) if mp.isfinite(number) else None
    return found if found is None or rng.random() < 0.4 else found * Fraction(rng.randint(2, 40), 20)


def _point(step: dict[str, Any], rng: Random, corner: bool) -> dict[str, Any] | None:
    at: dict[str, Any] = {}
    near = rng.random() < _NEAR and "at" in step
    for name, words in step.get("for", {}).items():
        number = _nearby(step["at"].get(name), rng) if near else None
        if number is None:
            number = _number(rng, corner, *_bounds(step, name))
        if "integer" in words:
            number = Fraction(round(number))
        for word, good in (
            ("positive", number > 0),
            ("negative", number < 0),
            ("nonnegative", number >= 0),
            ("nonpositive", number <= 0),
            ("nonzero", number != 0),
        ):
            if word in words and not good:
                number = -number if number else Fraction(1 if word == "positive" else -1)
        at[name] = number
    if step.get("letters"):
        if step.get("rules") or step.get("traces"):
            # Few points: matrices are looked for once for each.
            at |= _point({"for": step.get("for", {})}, Random(rng.randrange(_POOL)), False) or {}
        found = chosen(step, at, rng)
        return None if found is None else at | found
    return at
