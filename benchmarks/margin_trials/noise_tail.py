"""The tail of the printed noise norm against exact Gamma tails: |b| epsilon/2 ~ Gamma((d + 1)^2).

Lemma 4 of Pathak and Raj (2010) says P[|b| >= (2 N/epsilon) log(d/delta)] <= delta with N = (d + 1)^2; the union bound over N
exponential variables gives log(N/delta) instead.
"""

from __future__ import annotations

from fractions import Fraction

from flint import arb

from noiseproof.symbolic.errors import SpecError
from noiseproof.symbolic.proof.exact_numbers import ball


def tail(shape: int, point: arb) -> arb:
    """P[Gamma(shape, 1) >= point], enclosed, for whole shapes: exp(-t) (1 + t + ... + t^(shape - 1)/(shape - 1)!)."""
    if not point > 0:
        return arb(1)
    term, total = arb(1), arb(1)
    for j in range(1, shape):
        term = term * point / j
        total += term
    return total * (-point).exp()


def printed_tail(d: int, delta: Fraction) -> arb:
    """The exact probability that the printed bound (d for d features) claims to be at most delta; epsilon cancels."""
    n = _size(d, delta)
    return tail(n, n * (ball(Fraction(d)) / ball(delta)).log())


def union_tail(d: int, delta: Fraction) -> arb:
    """The exact probability beyond the union bound (2 N/epsilon) log(N/delta)."""
    n = _size(d, delta)
    return tail(n, n * (ball(Fraction(n)) / ball(delta)).log())


def quantile(shape: int, delta: Fraction, digits: int = 40) -> arb:
    """An enclosure of the t with P[Gamma(shape, 1) >= t] = delta, by bisection with decided signs."""
    _size(1, delta)
    low, high, target = Fraction(0), Fraction(1), ball(delta)
    while not tail(shape, ball(high)) < target:
        low, high = high, 2 * high
    for _ in range(digits):
        middle = (low + high) / 2
        if tail(shape, ball(middle)) > target:
            low = middle
        else:
            high = middle
    return ball(low).union(ball(high))


def _size(d: int, delta: Fraction) -> int:
    if d < 1 or not 0 < delta < 1:
        raise SpecError(f"expected d >= 1 and 0 < delta < 1, got {d} and {delta}")
    return (d + 1) ** 2
