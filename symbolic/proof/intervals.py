"""Intervals whose two ends are balls (python-flint's Arb): exact at ends that a ball around the middle would blur.

An interval (a, b) stands for all x from the lower end of `a` to the upper end of `b`; ends may be infinite.  Every
function here answers with an interval that contains all values over its arguments where these are defined.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from flint import arb, fmpq

Interval = tuple[arb, arb]

ZERO, ONE, INFINITY = arb(0), arb(1), arb("inf")
WHOLE: Interval = (-INFINITY, INFINITY)
UNIT: Interval = (ZERO, ONE)
NOUGHT: Interval = (ZERO, ZERO)
SINGLE: Interval = (ONE, ONE)


class OutsideError(ValueError):
    """A function was asked only at places where it has no real value."""


def clean(low: arb, high: arb) -> Interval:
    """The two ends, infinite where nothing is known."""
    return -INFINITY if low.is_nan() else low, INFINITY if high.is_nan() else high


def plus(a: Interval, b: Interval) -> Interval:
    """x + y."""
    return clean(a[0] + b[0], a[1] + b[1])


def minus(a: Interval) -> Interval:
    """-x."""
    return -a[1], -a[0]


def hull(a: Interval, b: Interval) -> Interval:
    """The least interval around both."""
    return a[0].min(b[0]), a[1].max(b[1])


def times(a: Interval, b: Interval) -> Interval:
    """x y; what is 0 stays 0 beside what has no bound, since every value is finite."""
    (a0, a1), (b0, b1) = a, b
    if a0 >= ZERO:
        low, high = (a0 if b0 >= ZERO else a1) * b0, (a0 if b1 <= ZERO else a1) * b1
    elif a1 <= ZERO:
        low, high = (a1 if b1 <= ZERO else a0) * b1, (a1 if b0 >= ZERO else a0) * b0
    elif b0 >= ZERO:
        low, high = a0 * b1, a1 * b1
    elif b1 <= ZERO:
        low, high = a1 * b0, a0 * b0
    else:
        low, high = (a0 * b1).min(a1 * b0), (a0 * b0).max(a1 * b1)
    if low.is_nan() or high.is_nan():
        return _with_infinite_ends(a, b)
    return low, high


def _with_infinite_ends(a: Interval, b: Interval) -> Interval:
    products = [ZERO if x.is_zero() or y.is_zero() else x * y for x in a for y in b]
    if any(p.is_nan() for p in products):
        return WHOLE
    low = high = products[0]
    for p in products[1:]:
        low, high = low.min(p), high.max(p)
    return low, high


def inverse(a: Interval) -> Interval:
    """1 / x without x = 0."""
    low, high = a
    if low > ZERO or high < ZERO:
        return ((ZERO if not high.is_finite() else 1 / high), (ZERO if not low.is_finite() else 1 / low))
    if low >= ZERO and high > ZERO:
        return (1 / high if high.is_finite() else ZERO), INFINITY
    if high <= ZERO and low < ZERO:
        return -INFINITY, (1 / low if low.is_finite() else ZERO)
    if low.is_zero() and high.is_zero():
        raise OutsideError("a division by zero")
    return WHOLE


def whole_power(a: Interval, n: int) -> Interval:
    """x^n for a whole n >= 1."""
    low, high = a
    if n % 2 or low >= ZERO:
        return clean(_power(low, n), _power(high, n))
    if high <= ZERO:
        return clean(_power(high, n), _power(low, n))
    return clean(ZERO, _power(low, n).max(_power(high, n)))


def _power(x: arb, n: int) -> arb:
    if not x.is_finite():
        return x if n % 2 or x > ZERO else -x
    value = ONE
    square = x
    # Arb's own power of a ball around zero is nan.
    while n:
        if n & 1:
            value = value * square
        n >>= 1
        if n:
            square = square * square
    return value


def root_power(a: Interval, exponent: Fraction) -> Interval:
    """x^e for a positive e that is no whole number, x >= 0."""
    low, high = from_zero(a)
    if exponent == Fraction(1, 2):
        return (low.sqrt() if low > ZERO else ZERO), (high.upper().sqrt() if high.is_finite() else INFINITY)
    e = arb(fmpq(exponent.numerator, exponent.denominator))
    return _positive_power(low, e), _positive_power(high, e)


def _positive_power(x: arb, e: arb) -> arb:
    if not x.is_finite():
        return INFINITY
    if x.is_zero():
        return ZERO
    if x > ZERO:
        return (e * x.log()).exp()
    return ZERO.union((e * x.upper().log()).exp())


def from_zero(a: Interval) -> Interval:
    """What of it is not negative; OutsideError where nothing is."""
    low, high = a
    if high < ZERO:
        raise OutsideError("a root of a negative number")
    return low.max(ZERO), high.max(ZERO)


def logarithm(a: Interval) -> Interval:
    """log x for x > 0."""
    low, high = a
    if high <= ZERO:
        raise OutsideError("a logarithm of a number that is not positive")
    return (low.log() if low > ZERO else -INFINITY), (high.upper().log() if high.is_finite() else INFINITY)


def entropic(a: Interval, exponent: Fraction) -> Interval:
    """x^e log x for e > 0 and x >= 0, with its limit 0 at x = 0: it falls to -1/(e exp(1)) at exp(-1/e), then grows."""
    low, high = from_zero(a)
    e = arb(fmpq(exponent.numerator, exponent.denominator))
    turn = (-1 / e).exp()
    first, last = _entropy_at(low, e, turn), _entropy_at(high, e, turn)
    if low >= turn:
        return clean(first, last)
    if high <= turn:
        return clean(last, first)
    return clean(-1 / (e * arb.const_e()), first.max(last))


def _entropy_at(x: arb, e: arb, turn: arb) -> arb:
    if not x.is_finite():
        return arb("nan")
    if x.is_zero():
        return ZERO
    if x > ZERO:
        return (e * x.log()).exp() * x.log()
    top = x.upper()
    # A ball around zero: what lies before the turn falls from 0.
    return ZERO.union((e * top.log()).exp() * top.log()) if ZERO < top < turn else arb("nan")


def rising(function: Callable[[arb], arb]) -> Callable[[Interval], Interval]:
    """A function that never falls, from its values at the ends."""
    return lambda a: clean(function(a[0]), function(a[1]))


def falling(function: Callable[[arb], arb]) -> Callable[[Interval], Interval]:
    """A function that never grows, from its values at the ends."""
    return lambda a: clean(function(a[1]), function(a[0]))


def exponential(a: Interval) -> Interval:
    """exp x."""
    low = ZERO if not a[0].is_finite() else a[0].exp()
    return clean(low, INFINITY if not a[1].is_finite() else a[1].exp())


def absolute(a: Interval) -> Interval:
    """|x|."""
    low, high = a
    if low >= ZERO:
        return a
    if high <= ZERO:
        return -high, -low
    return ZERO, (-low).max(high)


def hyperbolic_cosine(a: Interval) -> Interval:
    """cosh x, which grows in |x|."""
    low, high = absolute(a)
    return clean(low.cosh(), high.cosh() if high.is_finite() else INFINITY)


def sine(a: Interval) -> Interval:
    """sin x: extremes at pi/2 + j pi."""
    return _wave(a, arb.sin, arb(fmpq(1, 2)))


def cosine(a: Interval) -> Interval:
    """cos x: extremes at j pi."""
    return _wave(a, arb.cos, ZERO)


def _wave(a: Interval, function: Callable[[arb], arb], offset: arb) -> Interval:
    low, high = a
    if not (low.is_finite() and high.is_finite() and high - low < 7):
        return -ONE, ONE
    first = (low / arb.pi() - offset).lower().ceil().unique_fmpz()
    last = (high / arb.pi() - offset).upper().floor().unique_fmpz()
    if first is None or last is None or int(last) - int(first) >= 1:
        return -ONE, ONE
    one, two = function(low), function(high)
    least, most = one.min(two), one.max(two)
    if int(last) < int(first):
        return least, most
    return (least, ONE) if int(first) % 2 == 0 else (-ONE, most)


def step(a: Interval) -> Interval:
    """sign x: -1, 0 or 1."""
    low = ONE if a[0] > ZERO else ZERO if a[0] >= ZERO else -ONE
    high = -ONE if a[1] < ZERO else ZERO if a[1] <= ZERO else ONE
    return low, high


def by_ball(function: Callable[[arb], arb]) -> Callable[[Interval], Interval]:
    """A function of which only values over balls are known."""

    def value(a: Interval) -> Interval:
        if not (a[0].is_finite() and a[1].is_finite()):
            return WHOLE
        found = function(a[0].union(a[1]))
        return WHOLE if not found.is_finite() else (found.lower(), found.upper())

    return value
