"""Sums of rational multiples of square or cube roots of positive rationals, whose sign is decided exactly.

Positive roots of rationals of which no two have a rational ratio are linearly independent over the rationals (Besicovitch 1940):
such a sum is zero only if each of its coefficients is, and balls of growing precision find the sign of every other one.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt

import sympy as sp
from flint import arb, ctx

from ...symbolic.proof.enclosure import rational
from ...symbolic.proof.exact_numbers import ball
from ...symbolic.proof.truth import Truth


@dataclass(frozen=True)
class Roots:
    """The sum of `coefficient` * `radicand`^(1/`order`) over `terms`; no two radicands have roots with a rational ratio."""

    order: int
    terms: tuple[tuple[Fraction, Fraction], ...] = ()

    @classmethod
    def of(cls, order: int, pairs: Iterable[tuple[Fraction, Fraction]]) -> Roots:
        """The sum of coefficient * radicand^(1/order) over pairs (coefficient, radicand > 0)."""
        found: dict[Fraction, Fraction] = {}
        for coefficient, radicand in pairs:
            for known in found:
                ratio = exact_root(radicand / known, order)
                if ratio is not None:
                    found[known] += coefficient * ratio
                    break
            else:
                found[radicand] = coefficient
        return cls(order, tuple((c, r) for r, c in found.items() if c != 0))

    def plus(self, other: Roots, factor: Fraction = Fraction(1)) -> Roots:
        """This sum and `factor` times another one."""
        return Roots.of(self.order, [*self.terms, *((factor * c, r) for c, r in other.terms)])

    def times(self, factor: Fraction) -> Roots:
        """The sum times a rational number."""
        return Roots(self.order, tuple((factor * c, r) for c, r in self.terms if factor != 0))

    def ball(self, bits: int = 160) -> arb:
        """A ball that contains the sum."""
        with ctx.workprec(bits):
            return sum((ball(c) * ball(r).root(self.order) for c, r in self.terms), arb(0))

    def sign(self) -> int:
        """-1, 0 or 1: exactly."""
        if not self.terms:
            return 0
        bits = 160
        while True:
            value = self.ball(bits)
            if value > 0 or value < 0:
                return 1 if value > 0 else -1
            bits *= 2

    @property
    def expression(self) -> sp.Expr:
        """The sum in sympy."""
        return sp.Add(*(rational(c) * sp.root(rational(r), self.order) for c, r in self.terms))


def exact_root(value: Fraction, order: int) -> Fraction | None:
    """The root of a positive rational number if that is rational."""
    above, below = _whole_root(value.numerator, order), _whole_root(value.denominator, order)
    return None if above is None or below is None else Fraction(above, below)


def _whole_root(value: int, order: int) -> int | None:
    if order == 2:
        near = isqrt(value)
    else:
        near, high = 0, 1 << -(-value.bit_length() // order)
        while near < high:  # the greatest whole number whose power is at most the value
            middle = (near + high + 1) // 2
            near, high = (middle, high) if middle**order <= value else (near, middle - 1)
    return near if near**order == value else None


def read_roots(e: sp.Expr, order: int) -> Roots | None:
    """A formula as such a sum; None if it is none."""
    pairs = []
    for term in sp.Add.make_args(sp.expand(e)):
        coefficient, rest = term.as_coeff_Mul()
        radicand = sp.S.One
        for factor in sp.Mul.make_args(rest):
            base, exponent = factor.as_base_exp()
            if not (base.is_Rational and base.is_positive and (exponent * order).is_Integer):
                return None
            radicand *= base ** (exponent * order)
        if not coefficient.is_Rational:
            return None
        pairs.append(
            (Fraction(int(coefficient.p), int(coefficient.q)), Fraction(int(radicand.p), int(radicand.q)))
        )
    return Roots.of(order, pairs)


def at_least(left: sp.Expr, right: sp.Expr, order: int) -> Truth:
    """Whether left >= right, for sums of roots of this order."""
    found = read_roots(left - right, order)
    if found is None:
        return Truth.UNKNOWN
    return Truth.HOLDS if found.sign() >= 0 else Truth.FAILS


def equal(left: sp.Expr, right: sp.Expr, order: int) -> Truth:
    """Whether left = right, for sums of roots of this order."""
    found = read_roots(left - right, order)
    if found is None:
        return Truth.UNKNOWN
    return Truth.HOLDS if found.sign() == 0 else Truth.FAILS
