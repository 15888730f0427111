"""Functions of one number on intervals: their values, their slopes, and where they are defined."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

import sympy as sp
from flint import arb, fmpq

from . import intervals as iv
from .intervals import Interval


def scaled(factor: int | Fraction, a: Interval) -> Interval:
    exact = Fraction(factor)
    number = arb(fmpq(exact.numerator, exact.denominator))
    return iv.times((number, number), a)


def any_power(a: Interval, power: Fraction) -> Interval:
    """x^p over positive x."""
    size = abs(power)
    found = iv.whole_power(a, int(size)) if size.denominator == 1 else iv.root_power(a, size)
    return found if power > 0 else iv.inverse(found)


def root_slope(power: Fraction) -> Callable[[Interval, Interval], Interval]:
    def slope(a: Interval, mine: Interval) -> Interval:
        inside = iv.from_zero(a)
        rest = power - 1
        if rest > 0 or inside[0] > 0:
            return scaled(power, any_power(inside, rest))
        if inside[1] > 0:
            return scaled(power, (any_power((inside[1], inside[1]), rest)[0], iv.INFINITY))
        return iv.ZERO, iv.INFINITY

    return slope


def from_zero(a: Interval) -> bool:
    return bool(a[0] >= 0)


def _above_zero(a: Interval) -> bool:
    return bool(a[0] > 0)


def _within_one(a: Interval) -> bool:
    return bool(a[0] > -1 and a[1] < 1)


def _over_square(a: Interval, sign: int) -> Interval:
    """1 / (1 + sign x^2)."""
    square = iv.whole_power(a, 2)
    return iv.inverse(iv.plus(iv.SINGLE, square if sign > 0 else iv.minus(square)))


def _bell(a: Interval) -> Interval:
    """2 exp(-x^2) / sqrt(pi)."""
    factor = 2 / arb.pi().sqrt()
    return iv.times((factor, factor), iv.exponential(iv.minus(iv.whole_power(a, 2))))


def _side(a: Interval) -> Interval:
    """The slope of |x|, which is x itself on all of [0, b]."""
    if a[0] >= 0:
        return iv.SINGLE
    return (-iv.ONE, -iv.ONE) if a[1] <= 0 else (-iv.ONE, iv.ONE)


def _jumps(a: Interval, mine: Interval) -> Interval:
    return iv.NOUGHT if (mine[1] - mine[0]).is_zero() else iv.WHOLE


_Known = tuple[
    Callable[[Interval], Interval],
    Callable[[Interval, Interval], Interval],
    Callable[[Interval], bool] | None,
]
KNOWN: Mapping[type, _Known] = {
    sp.log: (iv.logarithm, lambda a, v: iv.inverse(a), _above_zero),
    sp.Abs: (iv.absolute, lambda a, v: _side(a), None),
    sp.sign: (iv.step, _jumps, None),
    sp.floor: (iv.rising(arb.floor), _jumps, None),
    sp.ceiling: (iv.rising(arb.ceil), _jumps, None),
    sp.sin: (iv.sine, lambda a, v: iv.cosine(a), None),
    sp.cos: (iv.cosine, lambda a, v: iv.minus(iv.sine(a)), None),
    sp.sinh: (iv.rising(arb.sinh), lambda a, v: iv.hyperbolic_cosine(a), None),
    sp.cosh: (iv.hyperbolic_cosine, lambda a, v: iv.rising(arb.sinh)(a), None),
    sp.tanh: (iv.rising(arb.tanh), lambda a, v: iv.plus(iv.SINGLE, iv.minus(iv.whole_power(v, 2))), None),
    sp.atan: (iv.rising(arb.atan), lambda a, v: _over_square(a, 1), None),
    sp.asinh: (iv.rising(arb.asinh), lambda a, v: iv.root_power(_over_square(a, 1), Fraction(1, 2)), None),
    sp.atanh: (iv.rising(arb.atanh), lambda a, v: _over_square(a, -1), _within_one),
    sp.erf: (iv.rising(arb.erf), lambda a, v: _bell(a), None),
    sp.erfc: (iv.falling(arb.erfc), lambda a, v: iv.minus(_bell(a)), None),
}
