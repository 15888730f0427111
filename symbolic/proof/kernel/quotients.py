"""Quotients of polynomials in atoms, kept over factored denominators: equal iff their difference has the numerator 0."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from .language import Rejected
from .polynomials import Key, Polynomial, add, constant, inverse, key, multiply, ratio, split, times

MOST_POWER = 60


@dataclass(frozen=True)
class Quotient:
    """numerator / product of factor^power; the factors are polynomials of several terms that do not vanish where it is defined."""

    numerator: Polynomial
    denominator: dict[Key, int] = field(default_factory=dict)

    @property
    def number(self) -> Fraction | None:
        """Its value, if it is a rational number."""
        if not self.numerator:
            return Fraction(0)
        return None if self.denominator or self.numerator.keys() != {()} else self.numerator[()]

    @property
    def key(self) -> tuple[Key, tuple[tuple[Key, int], ...]]:
        """What is the same for two quotients only if they are equal."""
        return key(self.numerator), tuple(sorted(self.denominator.items(), key=repr))


def number(value: Fraction | int) -> Quotient:
    """A rational number."""
    return Quotient(constant(value))


def plus(a: Quotient, b: Quotient, factor: Fraction | int = 1) -> Quotient:
    """a + factor b."""
    if a.denominator == b.denominator:
        return lowest(Quotient(add(a.numerator, b.numerator, factor), a.denominator))
    common = {f: max(a.denominator.get(f, 0), b.denominator.get(f, 0)) for f in a.denominator | b.denominator}
    one, two = (_over(q, common) for q in (a, b))
    return lowest(Quotient(add(one, two, factor), common))


def scaled(q: Quotient, factor: int) -> Quotient:
    """A multiple that is not 0."""
    return Quotient({m: c * factor for m, c in q.numerator.items()}, q.denominator)


def _over(q: Quotient, common: dict[Key, int]) -> Polynomial:
    found = q.numerator
    for factor, power in common.items():
        for _ in range(power - q.denominator.get(factor, 0)):
            found = multiply(found, dict(factor))
    return found


def product(a: Quotient, b: Quotient) -> Quotient:
    """a b."""
    powers = dict(a.denominator)
    for factor, power in b.denominator.items():
        powers[factor] = powers.get(factor, 0) + power
    # Each numerator may be a factor of the other's denominator.
    one, powers = _cancelled(a.numerator, powers)
    two, powers = _cancelled(b.numerator, powers)
    return Quotient(multiply(one, two), powers)


def lowest(q: Quotient) -> Quotient:
    """The quotient, less a factor that its numerator is a multiple of; a numerator of 0 needs no denominator."""
    return Quotient(*_cancelled(q.numerator, q.denominator))


def _cancelled(numerator: Polynomial, denominator: dict[Key, int]) -> tuple[Polynomial, dict[Key, int]]:
    if not numerator:
        return {}, {}
    if not denominator or len(numerator) == 1:
        return numerator, denominator
    content, monomial, rest = split(numerator)
    for factor in denominator:
        c = ratio(rest, dict(factor))
        if c is not None:
            left = {f: p - (f == factor) for f, p in denominator.items() if p - (f == factor)}
            return {monomial: content * c}, left
    return numerator, denominator


def reciprocal(q: Quotient) -> Quotient:
    """1 / q; Rejected for 0."""
    if not q.numerator:
        raise Rejected("a division by zero")
    over: Polynomial = constant(1)
    for factor, power in q.denominator.items():
        for _ in range(power):
            over = multiply(over, dict(factor))
    content, monomial, rest = split(q.numerator)
    if len(rest) == 1:
        # Of a single term the rest is 1 or -1.
        (m, c), *_ = rest.items()
        return Quotient(multiply(over, {inverse(times(monomial, m)): 1 / (content * c)}))
    return Quotient(multiply(over, {inverse(monomial): 1 / content}), {key(rest): 1})


def power(q: Quotient, n: int) -> Quotient:
    """q^n for a whole number n."""
    if abs(n) > MOST_POWER and (len(q.numerator) > 1 or q.denominator):
        raise Rejected(f"a power above {MOST_POWER} of a sum")
    if n < 0:
        return power(reciprocal(q), -n)
    if len(q.numerator) == 1 and not q.denominator:
        (m, c), *_ = q.numerator.items()
        if n * max(abs(c.numerator), c.denominator).bit_length() > 20_000:
            raise Rejected("a power of a number that is too large")
        return Quotient({tuple((atom, e * n) for atom, e in m if n): c**n})
    found = number(1)
    for _ in range(n):
        found = product(found, q)
    return found
