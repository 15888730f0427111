"""Rational expressions over many boxes at once, in floating point rounded outwards: arrays of lower and upper ends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import sympy as sp

from ..arrays import Floats

Ends = tuple[Floats, Floats]
_MINUS, _PLUS = -np.inf, np.inf
_ULP, _TINY = 2.0**-52, 1e-300


def outward(low: Floats, high: Floats) -> Ends:
    """At least one float further at both ends: what round-to-nearest may have lost, underflow included."""
    return low - (np.abs(low) * _ULP + _TINY), high + (np.abs(high) * _ULP + _TINY)


def number(value: sp.Rational) -> Ends:
    """A rational number between two floats."""
    near = float(value)
    exact = sp.Rational(*near.as_integer_ratio()) == value
    ends = (np.float64(near), np.float64(near))
    return ends if exact else outward(*ends)  # type: ignore[return-value, arg-type]


def plus(a: Ends, b: Ends) -> Ends:
    return outward(a[0] + b[0], a[1] + b[1])


def times(a: Ends, b: Ends) -> Ends:
    corners = (a[0] * b[0], a[0] * b[1], a[1] * b[0], a[1] * b[1])
    low = np.minimum(np.minimum(corners[0], corners[1]), np.minimum(corners[2], corners[3]))
    high = np.maximum(np.maximum(corners[0], corners[1]), np.maximum(corners[2], corners[3]))
    return outward(low, high)


def scaled(a: Ends, factor: sp.Rational) -> Ends:
    """A rational multiple: of 1 and -1 without rounding."""
    if factor in (1, -1):
        return a if factor == 1 else (-a[1], -a[0])
    low, high = number(factor)
    if low != high:
        return times(a, (low, high))
    return outward(low * a[0], low * a[1]) if low > 0 else outward(low * a[1], low * a[0])


def power(a: Ends, n: int) -> Ends:
    """A whole power; of a range that holds 0 a negative one is everything."""
    if n < 0:
        low, high = power(a, -n)
        apart = (low > 0) | (high < 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            return outward(np.where(apart, 1 / high, _MINUS), np.where(apart, 1 / low, _PLUS))
    if n == 0:
        return np.ones_like(a[0]), np.ones_like(a[1])
    if n == 1:
        return a
    if n % 2:
        return times(a, power(a, n - 1))
    size_low = np.where((a[0] <= 0) & (a[1] >= 0), 0.0, np.minimum(np.abs(a[0]), np.abs(a[1])))
    size_high = np.maximum(np.abs(a[0]), np.abs(a[1]))
    low, high = size_low, size_high
    for _ in range(n - 1):
        low, high = outward(low * size_low, high * size_high)
    return np.maximum(low, 0.0), high


class BoxTape:
    """Rational expressions compiled once: `over` gives their ends over boxes, one row of the arrays a box."""

    def __init__(self, expressions: Sequence[sp.Expr]) -> None:
        self.shared, self.last = sp.cse(list(expressions))

    def over(self, boxes: Mapping[sp.Symbol, Ends]) -> list[Ends]:
        """Lower and upper ends of each expression; ValueError for what is not rational in the symbols of the boxes."""
        known: dict[sp.Symbol, Ends] = dict(boxes)
        for name, e in self.shared:
            known[name] = _ends(e, known)
        return [_ends(e, known) for e in self.last]


def _ends(e: sp.Expr, known: Mapping[sp.Symbol, Ends]) -> Ends:
    if isinstance(e, sp.Symbol):
        return known[e]
    if isinstance(e, sp.Rational):
        return number(e)
    if isinstance(e, sp.Mul) and isinstance(e.args[0], sp.Rational):
        return scaled(_ends(sp.Mul(*e.args[1:]), known), e.args[0])
    if isinstance(e, sp.Add | sp.Mul):
        join = plus if isinstance(e, sp.Add) else times
        total = _ends(e.args[0], known)
        for part in e.args[1:]:
            total = join(total, _ends(part, known))
        return total
    if isinstance(e, sp.Pow) and e.exp.is_Integer:
        return power(_ends(e.base, known), int(e.exp))
    raise ValueError(f"expected a rational expression, got {e}")
