"""Whether a step is true at points that obey its declarations and hypotheses: one at which it is not refutes it."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

import mpmath as mp

from .values import Term, UndefinedError, UnknownError, value

DIGITS = 50
_CORNERS = [0, 1, -1, 2, Fraction(1, 2), Fraction(-1, 2), -2, 3]
_MATRICES: dict[str, list[list[list[Any]]]] = {
    "general": [[[2, 1], [-1, 3]], [[0, 1], [0, 0]], [[1, -2], [3, 1]]],
    "symmetric": [[[2, 1], [1, 3]], [[1, 0], [0, 5]]],
    "column": [[[1], [2]], [[-3], [1]]],
    # W'W = 1.
    "turn": [
        [[1, 0], [0, 1]],
        [[0, 1], [-1, 0]],
        [[Fraction(3, 5), Fraction(4, 5)], [Fraction(-4, 5), Fraction(3, 5)]],
    ],
}


def refuted(step: dict[str, Any], rng: Random, points: int = 6) -> str | None:
    """Where the step is false or not defined, in words; None where it was true at all points that could be found."""
    with mp.workdps(DIGITS):
        for i in range(points * 4):
            at = _point(step, rng, i < points)
            if at is None:
                continue
            try:
                if all(holds(one, at) for one in step.get("given", [])):
                    said = _wrong(step, at)
                    if said is not None:
                        return f"{said} at {_said(at)}"
                    points -= 1
                    if points <= 0:
                        return None
            except (UndefinedError, UnknownError):
                continue
    return None


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
        if _has_integral(one):
            raise UnknownError("quadrature does not tell what is equal")
        with mp.workdps(8 * DIGITS):
            left, right = value(one[0], at), value(one[2], at)
            if abs(left - right) <= mp.mpf(10) ** (-7 * DIGITS) * max(abs(left), abs(right)):
                return False
    return bool((left < right) is (relation in ("<", "<=")))


def _has_integral(one: Term) -> bool:
    return "'int'" in repr(one)


def tolerance(one: Term) -> Any:
    """Of a comparison: quadrature has fewer digits."""
    return mp.mpf(10) ** (-7 if _has_integral(one) else 12 - DIGITS)


def _wrong(step: dict[str, Any], at: dict[str, Any]) -> str | None:
    one = [step["left"], step["relation"], step["right"]]
    said = _once(one, at)
    if said is None or _has_integral(one):
        return said
    with mp.workdps(20 * DIGITS):
        # Large parts may have taken all digits from each other.
        return _once(one, at)


def _once(one: list[Any], at: dict[str, Any]) -> str | None:
    try:
        sides = [value(side, at) for side in (one[0], one[2])]
    except UndefinedError as error:
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


def _point(step: dict[str, Any], rng: Random, corner: bool) -> dict[str, Any] | None:
    at: dict[str, Any] = {}
    for name, words in step.get("for", {}).items():
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
    turns = {n.removesuffix("'") for rule, _ in step.get("rules", []) for n in rule}
    for name, kind in step.get("letters", {}).items():
        rows = rng.choice(_MATRICES["turn" if name in turns else kind])
        at[f"mat {name}"] = [
            [mp.mpf(Fraction(v).numerator) / Fraction(v).denominator for v in r] for r in rows
        ]
    return at
