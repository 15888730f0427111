"""Integrals and sums of vectors of functions at thirty digits and more, by double-exponential substitution."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count, pairwise

import mpmath as mp
from mpmath import mpf

Values = list[mpf]
Integrand = Callable[[mpf], Values]

# Digits that are computed with; many, since 1 - y loses digits near the end of (0, 1).
WORKING = 100
# Terms below this are left out, once several follow each other.
NEGLIGIBLE = mpf(10) ** -45
AGREED = mpf(10) ** -34
FINEST = mpf(1) / 512
SEVERAL, REACH = 3, 2


def integral(integrand: Integrand, low: mpf, high: mpf, breaks: Values) -> Values:
    """The integral over (low, high), in pieces between `breaks`; a whole line without breaks is cut at 0."""
    inside = [place for place in breaks if low < place < high]
    if not inside and mp.isinf(low) and mp.isinf(high):
        inside = [mpf(0)]
    ends = [low, *sorted(inside), high]
    pieces = [_refined(_substituted(integrand, a, b)) for a, b in pairwise(ends)]
    return added(pieces)


def whole_sum(term: Integrand, low: mpf, high: mpf) -> Values:
    """The sum over the whole numbers from low to high, either of which may be infinite."""
    if mp.isinf(low):
        return added([_until_negligible(term, count(0), 10), _until_negligible(term, count(-1, -1), 10)])
    if mp.isinf(high):
        return _until_negligible(term, count(int(low)), 10)
    return added([term(mpf(y)) for y in range(int(low), int(high) + 1)])


def trapezoid(term: Integrand, step: mpf) -> Values:
    """The trapezoidal rule on the whole line."""
    return _line(term, step, mpf(0))


def added(parts: list[Values]) -> Values:
    return [mp.fsum(entries) for entries in zip(*parts, strict=True)]


def _substituted(integrand: Integrand, low: mpf, high: mpf) -> Integrand:
    """The integrand over (low, high) as one over the line that falls off doubly exponentially."""
    if mp.isinf(low) or mp.isinf(high):
        start, sign = (low, 1) if mp.isinf(high) else (high, -1)
        return lambda t: _half_line(integrand, start, sign, t)
    return lambda t: _interval(integrand, low, high, t)


def _half_line(integrand: Integrand, start: mpf, sign: int, t: mpf) -> Values:
    distance = mp.exp(mp.pi / 2 * mp.sinh(t))
    weight = mp.pi / 2 * mp.cosh(t) * distance
    return [weight * value for value in integrand(start + sign * distance)]


def _interval(integrand: Integrand, low: mpf, high: mpf, t: mpf) -> Values:
    small = mp.exp(-mp.pi * abs(mp.sinh(t)))
    share = small / (1 + small)
    place = low + (high - low) * share if t < 0 else high - (high - low) * share
    weight = (high - low) * mp.pi * mp.cosh(t) * share / (1 + small)
    return [weight * value for value in integrand(place)]


def _refined(term: Integrand) -> Values:
    """Trapezoidal sums with half the step each time, until two agree."""
    step = mpf(1) / 8
    found = _line(term, step, mpf(0))
    while step > FINEST:
        between = _line(term, step, step / 2)
        finer = [(a + b) / 2 for a, b in zip(found, between, strict=True)]
        step /= 2
        # The first value is the mass, which is not zero.
        if all(abs(a - b) < AGREED * max(abs(a), abs(finer[0])) for a, b in zip(finer, found, strict=True)):
            return finer
        found = finer
    raise ArithmeticError("the quadrature does not settle")


def _line(term: Integrand, step: mpf, offset: mpf) -> Values:
    least = int(REACH / step)
    up = _until_negligible(term, (offset + step * i for i in count(0)), least)
    down = _until_negligible(term, (offset - step * i for i in count(1)), least)
    return [step * value for value in added([up, down])]


def _until_negligible(term: Integrand, places: Iterator[mpf] | Iterator[int], least: int) -> Values:
    """The sum over at least `least` places, and until several terms in a row do not count."""
    terms: list[Values] = []
    quiet = 0
    for place in places:
        terms.append(term(mpf(place)))
        quiet = quiet + 1 if all(abs(value) < NEGLIGIBLE for value in terms[-1]) else 0
        if quiet >= SEVERAL and len(terms) >= least:
            return added(terms)
    raise ArithmeticError("the sum ends before its terms do")
