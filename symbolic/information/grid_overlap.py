"""How much whole-number noise overlaps with itself moved: affinities and chi-squared, from exact masses."""

from __future__ import annotations

from collections.abc import Callable
from math import isqrt
from typing import Protocol

from flint import arb, ctx

BITS = 192  # of the balls


class GridLaw(Protocol):
    """Noise of whole steps 2^exponent: weights[i] / 2^128 at first + i, beyond both ends a geometric tail.

    A tail has the mass tail / 2^128 and falls by ratio / 2^64 from step to step.
    """

    @property
    def exponent(self) -> int: ...
    @property
    def first(self) -> int: ...
    @property
    def weights(self) -> tuple[int, ...]: ...
    @property
    def tail(self) -> int: ...
    @property
    def ratio(self) -> int: ...


def affinity(noise: GridLaw, h: int) -> arb:
    """sum over k of sqrt(P(k) P(k + h)), a ball; h >= 0 steps."""
    return overlap(noise, h, lambda a, b: (a * b).sqrt())


def overlap(noise: GridLaw, h: int, kernel: Callable[[arb, arb], arb]) -> arb:
    """sum over k of kernel(P(k), P(k + h)) for a kernel of degree one: in both tails the ratio P(k + h)/P(k) is constant."""
    with ctx.workprec(BITS):
        unit = arb(2) ** -128
        table = [w * unit for w in noise.weights]
        if not noise.tail:
            return sum((kernel(a, b) for a, b in zip(table, table[h:], strict=False)), arb(0))
        r, tail = arb(noise.ratio) / arb(2) ** 64, noise.tail * unit
        side = [tail * (1 - r)]
        for _ in range(h - 1):
            side.append(side[-1] * r)
        side = side[:h]
        masses = [*reversed(side), *table, *side]
        middle = sum((kernel(a, b) for a, b in zip(masses, masses[h:], strict=False)), arb(0))
        fall = r**h
        # k before the left end of `masses` by h and more: k + h is in the left tail as well; and the same to the right.
        return middle + kernel(tail * fall, tail) + kernel(tail, tail * fall)


def whole_affinity(noise: GridLaw, h: int) -> tuple[arb, arb]:
    """Bounds of A(h) by whole square roots of whole masses over 2^128, those of the tail rounded down and up."""
    w = noise.weights
    low, high = list(w), list(w)
    ends = [0, 0]
    if noise.tail:
        # 64 more bits are kept, so that j products rounded down are at most j of their units too small.
        first, ends_at = noise.tail * ((1 << 64) - noise.ratio), noise.tail << 64
        under, over = [], []
        for j in range(h):
            under.append(first >> 64)
            over.append((first + j >> 64) + 1)
            first, ends_at = first * noise.ratio >> 64, ends_at * noise.ratio >> 64
        low, high = [*reversed(under), *w, *under], [*reversed(over), *w, *over]
        ends = [
            2 * isqrt(noise.tail * (ends_at >> 64)),
            2 * isqrt(noise.tail * ((ends_at + h >> 64) + 1)) + 2,
        ]
    least = sum(isqrt(a * b) for a, b in zip(low, low[h:], strict=False)) + ends[0]
    most = sum(isqrt(a * b) + 1 for a, b in zip(high, high[h:], strict=False)) + ends[1]
    with ctx.workprec(BITS):
        return arb(least) * arb(2) ** -128, arb(most) * arb(2) ** -128
