"""Sparse polynomials over the rational numbers, in atoms that have numbers; exponents are whole or rational, either sign."""

from __future__ import annotations

from fractions import Fraction
from math import gcd, lcm

from .language import Rejected, spend

Exponent = int | Fraction
Monomial = tuple[tuple[int, Exponent], ...]  # (atom, exponent), by atom, no exponent is 0
Polynomial = dict[Monomial, Fraction]
Key = tuple[tuple[Monomial, Fraction], ...]

MOST_TERMS, MOST_PRODUCTS, MOST_BITS = 6_000, 400_000, 40_000


def constant(value: Fraction | int) -> Polynomial:
    """A number."""
    return {(): Fraction(value)} if value else {}


def times(a: Monomial, b: Monomial) -> Monomial:
    """The product of two monomials."""
    if not a or not b:
        return a or b
    powers = dict(a)
    for atom, e in b:
        powers[atom] = powers.get(atom, 0) + e
    return tuple(sorted((atom, plain(e)) for atom, e in powers.items() if e))


def plain(e: Exponent) -> Exponent:
    """A whole exponent as such."""
    return e.numerator if isinstance(e, Fraction) and e.denominator == 1 else e


def add(a: Polynomial, b: Polynomial, factor: Fraction | int = 1) -> Polynomial:
    """a + factor b."""
    spend(len(a) + len(b))
    found = dict(a)
    for m, c in b.items():
        _put(found, m, factor * c)
    return _limited(found)


def multiply(a: Polynomial, b: Polynomial) -> Polynomial:
    """a b, without the relations of the atoms."""
    spend(len(a) * len(b))
    if len(a) * len(b) > MOST_PRODUCTS:
        raise Rejected(f"a product of {len(a)} and {len(b)} terms is too long")
    found: Polynomial = {}
    for m, c in a.items():
        for n, d in b.items():
            _put(found, times(m, n), c * d)
    return _limited(found)


def _put(found: Polynomial, m: Monomial, c: Fraction) -> None:
    """Adds a term; what adds up to 0 is no term."""
    total = found.get(m, Fraction(0)) + c
    if total:
        found[m] = total
    else:
        found.pop(m, None)


def _limited(found: Polynomial) -> Polynomial:
    if len(found) > MOST_TERMS:
        raise Rejected(f"a polynomial of more than {MOST_TERMS:,} terms")
    if any(max(c.numerator.bit_length(), c.denominator.bit_length()) > MOST_BITS for c in found.values()):
        raise Rejected(f"a number of more than {MOST_BITS:,} bits")
    return found


def key(a: Polynomial) -> Key:
    """The polynomial as something that can be looked up."""
    return tuple(sorted(a.items(), key=repr))


def split(a: Polynomial) -> tuple[Fraction, Monomial, Polynomial]:
    """A positive number, a monomial and a rest whose product is a: the rest has whole coprime coefficients and no common atom."""
    content = Fraction(gcd(*(c.numerator for c in a.values())), lcm(*(c.denominator for c in a.values())))
    common = dict(next(iter(a)))
    for m in a:
        powers = dict(m)
        # An atom that a term lacks has the exponent 0 there.
        common = {
            atom: min(common.get(atom, 0), powers.get(atom, 0)) for atom in common.keys() | powers.keys()
        }
    taken: Monomial = tuple(sorted((atom, plain(e)) for atom, e in common.items() if e))
    back = inverse(taken)
    return content, taken, {times(m, back): c / content for m, c in a.items()}


def inverse(m: Monomial) -> Monomial:
    """1 / m."""
    return tuple((atom, -e) for atom, e in m)


def ratio(a: Polynomial, b: Polynomial) -> Fraction | None:
    """The number c with a = c b; None where there is none."""
    if not b or a.keys() != b.keys():
        return None
    first = next(iter(b))
    c = a[first] / b[first]
    return c if all(a[m] == c * d for m, d in b.items()) else None
