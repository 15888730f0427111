"""What polynomials of the kernel are made of: variables, primes, exponentials, logarithms, roots, functions; signs and relations of each."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from math import floor
from typing import Any

from .language import Rejected
from .polynomials import Monomial, Polynomial, add, multiply, plain, times
from .quotients import MOST_POWER, Quotient

POSITIVE, NONNEGATIVE, ZERO, NONPOSITIVE, NEGATIVE, NONZERO = "> 0", ">= 0", "= 0", "<= 0", "< 0", "!= 0"
Sign = str | None
_OPPOSITE = {POSITIVE: NEGATIVE, NEGATIVE: POSITIVE, NONNEGATIVE: NONPOSITIVE, NONPOSITIVE: NONNEGATIVE}
_STRICT = {POSITIVE, NEGATIVE, NONZERO}


@dataclass(frozen=True)
class Atom:
    """kind is "var", "prime", "const", "exp", "root", "log", "abs", "sin", "cos", "fn", "sum", "int", "tr", ...; data is what it is of."""

    kind: str
    data: Any
    sign: Sign = None
    # What its square (abs, sin) or its whole powers (root) are, as a polynomial.
    of: Polynomial | None = None


@dataclass
class Atoms:
    """The atoms of one step, numbered as they come."""

    known: list[Atom] = field(default_factory=list)
    numbers: dict[Any, int] = field(default_factory=dict)

    def number(self, kind: str, key: Any, atom: Atom) -> int:
        """The number of the atom with this key."""
        at = (kind, key)
        if at not in self.numbers:
            self.numbers[at] = len(self.known)
            self.known.append(atom)
        return self.numbers[at]

    def one(self, number: int, exponent: Any = 1) -> Quotient:
        """A power of an atom."""
        if not exponent:
            return Quotient({(): Fraction(1)})
        return Quotient(self.reduced({((number, exponent),): Fraction(1)}))

    def reduced(self, a: Polynomial) -> Polynomial:
        """By the relations: p^(3/2) = p p^(1/2), t^(3/2) = t t^(1/2), |t|^2 = t^2, sin^2 = 1 - cos^2, cos(pi k)^2 = 1."""
        found: Polynomial = {}
        for m, c in a.items():
            first = next((i for i, (n, e) in enumerate(m) if self._reducible(self.known[n], e)), None)
            found = add(found, {m: c} if first is None else self._less(m, c, first))
        return found

    def _reducible(self, atom: Atom, e: Any) -> bool:
        if atom.kind in ("prime", "root"):
            return not 0 <= e < 1
        # Of a cosine only where it is that of half turns.
        return atom.of is not None and e >= 2

    def _less(self, m: Monomial, c: Fraction, i: int) -> Polynomial:
        number, e = m[i]
        atom, rest = self.known[number], m[:i] + m[i + 1 :]
        if atom.kind == "prime":
            whole = floor(e)
            left = plain(e - whole)
            if abs(whole) > 5_000:
                raise Rejected("a power of a number that is too large")
            back = times(rest, ((number, left),)) if left else rest
            return self.reduced({back: c * Fraction(atom.data) ** whole})
        if atom.kind == "root" and e < 0:
            raise Rejected("a root in a denominator that was not made free of it")
        whole, left = (
            (floor(e), plain(e - floor(e)))
            if atom.kind == "root"
            else (int(e) // 2, plain(e - int(e) // 2 * 2))
        )
        if whole > MOST_POWER:
            raise Rejected(f"a power above {MOST_POWER} of a root")
        found: Polynomial = {times(rest, ((number, left),)) if left else rest: c}
        assert atom.of is not None
        for _ in range(whole):
            found = multiply(found, atom.of)
        return self.reduced(found)

    # --- signs ------------------------------------------------------------------------------------------------------

    def monomial_sign(self, m: Monomial, c: Fraction) -> Sign:
        """Where it is defined: what stands in a denominator is not 0 there."""
        found: Sign = POSITIVE if c > 0 else NEGATIVE
        for number, e in m:
            found = product_sign(found, power_sign(self.known[number].sign, e))
        return found

    def polynomial_sign(self, a: Polynomial) -> Sign:
        """From the signs of its terms alone."""
        return sum_sign([self.monomial_sign(m, c) for m, c in a.items()])


def power_sign(sign: Sign, e: Any) -> Sign:
    """Of a power, where it is defined."""
    if e == 0:
        # Also 0^0 is 1.
        return POSITIVE
    if isinstance(e, int) and e % 2 == 0:
        return POSITIVE if sign in _STRICT or e < 0 else ZERO if sign == ZERO else NONNEGATIVE
    if isinstance(e, int) and e > 0:
        return sign
    if isinstance(e, int):
        return {NONNEGATIVE: POSITIVE, NONPOSITIVE: NEGATIVE, None: NONZERO, ZERO: None}.get(sign, sign)
    return POSITIVE if sign == POSITIVE or e < 0 else NONNEGATIVE


def product_sign(a: Sign, b: Sign) -> Sign:
    """Of a product."""
    if ZERO in (a, b):
        return ZERO
    if a is None or b is None:
        return None
    if NONZERO in (a, b):
        return NONZERO if a in _STRICT and b in _STRICT else None
    strict = a in _STRICT and b in _STRICT
    up = (a in (POSITIVE, NONNEGATIVE)) == (b in (POSITIVE, NONNEGATIVE))
    return (POSITIVE if strict else NONNEGATIVE) if up else (NEGATIVE if strict else NONPOSITIVE)


def sum_sign(signs: list[Sign]) -> Sign:
    """Of a sum."""
    signs = [s for s in signs if s != ZERO]
    if not signs:
        return ZERO
    for strict, weak in ((POSITIVE, NONNEGATIVE), (NEGATIVE, NONPOSITIVE)):
        if all(s in (strict, weak) for s in signs):
            return strict if strict in signs else weak
    return signs[0] if len(signs) == 1 else None


def opposite(sign: Sign) -> Sign:
    """Of the negative."""
    return _OPPOSITE.get(sign, sign) if sign is not None else None


def agrees(sign: Sign, said: Sign) -> bool:
    """Whether what has this sign has that one, which may say less."""
    wider = {
        NONNEGATIVE: {POSITIVE, ZERO, NONNEGATIVE},
        NONPOSITIVE: {NEGATIVE, ZERO, NONPOSITIVE},
        NONZERO: {POSITIVE, NEGATIVE, NONZERO},
    }
    return sign == said or sign in wider.get(said or "", set())
