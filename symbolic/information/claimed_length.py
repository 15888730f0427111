"""How long a way between parameters is, measured by a claimed information: the integral of its root (Rao 1945), from above."""

from __future__ import annotations

import math
from collections.abc import Callable

import sympy as sp
from flint import arb, fmpq

from ..proof.enclosure import NotEnclosableError, enclose, enclose_over, rational

_CELLS = 512


class NoLengthError(ValueError):
    """The formula has no finite value somewhere on the way."""


def length_above(information: sp.Expr, symbol: sp.Symbol, low: float, high: float) -> float:
    """At least the integral of sqrt(information) from `low` to `high`; negative values count as zero; NoLengthError if it has none."""
    ends = [arb(fmpq(int(r.p), int(r.q))) for r in map(rational, (low, high))]
    step, total = (ends[1] - ends[0]) / _CELLS, arb(0)
    for k in range(_CELLS):
        cell = (ends[0] + step * k).union(ends[0] + step * (k + 1))
        try:
            value = enclose_over(information, {symbol: cell})
        except (NotEnclosableError, ArithmeticError, TypeError, ValueError) as error:
            raise NoLengthError(
                f"{information} has no value near {symbol} = {float(cell.mid()):.6g}"
            ) from error
        if not value.is_finite():
            raise NoLengthError(f"{information} has no finite value near {symbol} = {float(cell.mid()):.6g}")
        top = value.upper()
        total += top.sqrt() * step if top > 0 else 0
    return math.nextafter(float(total.upper()), math.inf)


def places_along(
    information: sp.Expr,
    symbol: sp.Symbol,
    middle: float,
    inside: Callable[[float], bool],
    length: float,
    steps: int,
) -> list[float] | None:
    """`steps` + 1 parameters around the `middle`, each `length`/`steps` from the next as the claim measures; None if one is not inside."""

    def speed(x: float) -> float | None:
        try:
            value = float(enclose(information, {symbol: rational(x)}, bits=80).mid())
        except (NotEnclosableError, ArithmeticError, TypeError, ValueError):
            return None
        return math.sqrt(value) if 0 < value < math.inf else None

    fine = 16  # parts of one step
    small = length / steps / fine
    ways = []
    for side, count in ((-1, steps // 2), (1, steps - steps // 2)):
        x, way = middle, []
        for k in range(count * fine):
            here = speed(x)
            half = None if here is None else x + side * small / here / 2
            there = None if half is None or not inside(half) else speed(half)
            if there is None:
                return None
            x += side * small / there
            if not inside(x):
                return None
            if (k + 1) % fine == 0:
                way.append(x)
        ways.append(way)
    places = [*ways[0][::-1], middle, *ways[1]]
    return [float(f"{x:.12g}") for x in places]
