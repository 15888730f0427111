"""Powers, roots, exponentials, logarithms and absolute values of normal forms, by their laws; Rejected where a law needs an unknown sign."""

from __future__ import annotations

from fractions import Fraction
from math import floor

from .atoms import NEGATIVE, NONNEGATIVE, NONPOSITIVE, POSITIVE, ZERO, Atom
from .context import Context
from .language import Rejected, spend
from .polynomials import Exponent, Monomial, Polynomial, inverse, key, plain, split, times
from .quotients import Quotient, lowest, number, plus, power, product, reciprocal

_LARGEST_PRIME_TRIED = 10_000


def reduced(q: Quotient, context: Context) -> Quotient:
    """By the relations of its atoms; where t^(-1/2) would stand, t^(1/2) / t does."""
    least: dict[int, Exponent] = {}
    for m in q.numerator:
        for n, e in m:
            if e < 0 and context.atoms.known[n].kind == "root":
                least[n] = min(e, least.get(n, 0))
    for n, e in least.items():
        steps, of = -floor(e), context.atoms.known[n].of
        assert of is not None
        above = Quotient({times(m, ((n, steps),)): c for m, c in q.numerator.items()}, q.denominator)
        q = product(above, power(reciprocal(Quotient(of)), steps))
    return lowest(Quotient(context.atoms.reduced(q.numerator), q.denominator)) if q.numerator else q


def same(a: Quotient, b: Quotient, context: Context) -> bool:
    """Whether two normal forms are equal."""
    left = reduced(plus(a, b, -1), context).numerator
    return not left or not _without_divisors(left, context)


def _without_divisors(a: Polynomial, context: Context) -> Polynomial:
    """Times the powers that stand in denominators, which are not 0, of atoms whose squares are known."""
    least: Monomial = ()
    for m in a:
        for n, e in m:
            if e < 0 and context.atoms.known[n].of is not None:
                least = tuple(p for p in least if p[0] != n) + ((n, min(e, dict(least).get(n, 0))),)
    return context.atoms.reduced({times(m, inverse(least)): c for m, c in a.items()})


def whole(q: Quotient, n: int, context: Context) -> Quotient:
    """q^n for a whole number n; Rejected for a negative power of 0."""
    return reduced(power(q, n), context) if q.numerator else _of_zero(n)


def _of_zero(n: int) -> Quotient:
    if n < 0:
        raise Rejected("a negative power of zero")
    return number(1 if n == 0 else 0)


def rooted(q: Quotient, n: Fraction, context: Context) -> Quotient:
    """q^n for a quotient that is not negative; Rejected where that is not known."""
    if n.denominator == 1:
        return whole(q, n.numerator, context)
    if not q.numerator:
        return _of_zero(floor(n) if n < 0 else 1)
    if not context.is_nonnegative(q):
        raise Rejected("a root of what is not known to be nonnegative")
    found = number(1)
    for factor, times_ in q.denominator.items():
        sign = context.sign(Quotient(dict(factor)))
        if sign in (POSITIVE, NONNEGATIVE):
            below = _root_of_sum(dict(factor), -n * times_, context)
        elif sign in (NEGATIVE, NONPOSITIVE) and times_ % 2 == 0:
            below = _root_of_sum({m: -c for m, c in factor}, -n * times_, context)
        else:
            raise Rejected("a root over a denominator of unknown sign")
        found = product(found, below)
    content, monomial, rest = split(q.numerator)
    if len(rest) == 1:
        (m, c), *_ = rest.items()
        content, monomial, rest = content * c, times(monomial, m), {(): Fraction(1)}
    outside = _root_of_monomial(monomial, n, context)
    if content < 0 or outside is None:
        # No factor alone may be rooted: all of them are kept under one root.
        return product(
            found, _root_of_sum({times(monomial, m): content * c for m, c in rest.items()}, n, context)
        )
    found = product(found, product(_root_of_number(content, n, context), outside))
    return reduced(product(found, _root_of_sum(rest, n, context)), context)


def _root_of_number(value: Fraction, n: Fraction, context: Context) -> Quotient:
    found = number(1)
    for part, sign in ((value.numerator, 1), (value.denominator, -1)):
        for prime, times_ in _primes(part).items():
            found = product(found, context.atoms.one(prime_number(prime, context), plain(n * times_ * sign)))
    return found


def prime_number(prime: int, context: Context) -> int:
    """The number of the atom of a prime, whose fractional powers are kept."""
    return context.atoms.number("prime", prime, Atom("prime", prime, POSITIVE))


def _primes(n: int) -> dict[int, int]:
    """Small prime factors, and what is left: it counts as one."""
    spend(10 * n.bit_length())
    found: dict[int, int] = {}
    d = 2
    while d * d <= n and d < _LARGEST_PRIME_TRIED:
        while n % d == 0:
            found[d] = found.get(d, 0) + 1
            n //= d
        d += 1
    if n > 1:
        found[n] = found.get(n, 0) + 1
    return found


def _root_of_monomial(m: Monomial, n: Fraction, context: Context) -> Quotient | None:
    """None where an atom of odd power may be negative."""
    found = number(1)
    for atom, e in m:
        sign = context.atoms.known[atom].sign
        if context.atoms.known[atom].kind == "root":
            return None
        if sign in (POSITIVE, NONNEGATIVE):
            found = product(found, context.atoms.one(atom, plain(n * e)))
        elif isinstance(e, int) and e % 2 == 0:
            size = absolute(context.atoms.one(atom), context)
            found = product(found, rooted(size, n * e, context))
        else:
            return None
    return found


def _root_of_sum(a: Polynomial, n: Fraction, context: Context) -> Quotient:
    if a == {(): Fraction(1)}:
        return number(1)
    q = Quotient(a)
    sign = context.sign(q)
    if sign not in (POSITIVE, NONNEGATIVE, ZERO):
        raise Rejected("a root of a factor that is not known to be nonnegative")
    below = floor(n)
    # With another sign, known under other hypotheses, it is another atom.
    atom = context.atoms.number("root", (key(a), sign), Atom("root", a, sign, a))
    outside = whole(q, below, context)
    return product(outside, context.atoms.one(atom, plain(n - below)))


def exponential(q: Quotient, context: Context) -> Quotient:
    """exp(q): a product with a factor for each term of q, so that exp(a) exp(b) = exp(a + b)."""
    found = number(1)
    for part in _apart(q):
        for m, c in part.numerator.items():
            found = product(found, _factor(m, c, part, context))
    return reduced(found, context)


def _apart(q: Quotient) -> list[Quotient]:
    """Quotients that add up to q, of which a denominator goes out where it divides all terms with the same other atoms."""
    within = {n for factor in q.denominator for m, _ in factor for n, _ in m}
    parts: dict[Monomial, Polynomial] = {}
    for m, c in q.numerator.items():
        parts.setdefault(tuple(p for p in m if p[0] not in within), {})[m] = c
    return [lowest(Quotient(part, q.denominator)) for part in parts.values()]


def _factor(m: Monomial, c: Fraction, q: Quotient, context: Context) -> Quotient:
    atoms = context.atoms
    if len(m) == 1 and m[0][1] == 1 and not q.denominator and atoms.known[m[0][0]].kind == "log":
        # exp(c log t) = t^c, t being positive.
        return rooted(atoms.known[m[0][0]].data, c, context)
    of = Quotient({m: Fraction(1)}, q.denominator)
    return atoms.one(atoms.number("exp", of.key, Atom("exp", of, POSITIVE)), plain(c))


def logarithm(q: Quotient, context: Context) -> Quotient:
    """log(q), as a sum over the factors of q that are known to be positive; Rejected where q is not."""
    if not context.is_positive(q):
        raise Rejected("a logarithm of what is not known to be positive")
    content, monomial, rest = split(q.numerator)
    if len(rest) == 1:
        (m, c), *_ = rest.items()
        content, monomial, rest = content * c, times(monomial, m), {(): Fraction(1)}
    alone = [context.atoms.known[atom] for atom, _ in monomial]
    factors = [dict(f) for f in q.denominator]
    single = content > 0 and all(a.sign == POSITIVE for a in alone)
    if not single or any(context.sign(Quotient(f)) != POSITIVE for f in factors):
        return _log_atom(q, context)
    found = number(0)
    for factor_, sign in ((content.numerator, 1), (content.denominator, -1)):
        for prime, times_ in _primes(factor_).items():
            found = plus(found, _log_atom(number(prime), context), times_ * sign)
    for atom, e in monomial:
        found = plus(found, _log_of_atom(atom, context), Fraction(e))
    for factor, times_ in q.denominator.items():
        found = plus(found, _log_atom(Quotient(dict(factor)), context), -times_)
    return found if rest == {(): Fraction(1)} else plus(found, _log_atom(Quotient(rest), context))


def _log_of_atom(atom: int, context: Context) -> Quotient:
    known = context.atoms.known[atom]
    if known.kind == "exp":
        return known.data  # type: ignore[no-any-return]
    return _log_atom(Quotient(known.of) if known.kind == "root" else context.atoms.one(atom), context)  # type: ignore[arg-type]


def _log_atom(q: Quotient, context: Context) -> Quotient:
    return context.atoms.one(context.atoms.number("log", q.key, Atom("log", q)))


def absolute(q: Quotient, context: Context) -> Quotient:
    """|q|: q or -q where its sign is known."""
    sign = context.sign(q)
    if sign in (POSITIVE, NONNEGATIVE, ZERO):
        return q
    if sign in (NEGATIVE, NONPOSITIVE):
        return product(q, number(-1))
    found = number(1)
    for factor, times_ in q.denominator.items():
        found = product(found, reciprocal(power(_size(dict(factor), context), times_)))
    content, monomial, rest = split(q.numerator)
    for atom, e in monomial:
        if not isinstance(e, int):
            found = product(found, context.atoms.one(atom, e))
        else:
            size = _size({((atom, 1),): Fraction(1)}, context)
            found = product(found, power(size, e))
    return reduced(product(product(found, number(abs(content))), _size(rest, context)), context)


def _size(a: Polynomial, context: Context) -> Quotient:
    sign = context.sign(Quotient(a))
    if len(a) == 1 and () in a:
        return number(abs(a[()]))
    if sign in (POSITIVE, NONNEGATIVE):
        return Quotient(a)
    if sign in (NEGATIVE, NONPOSITIVE):
        return Quotient({m: -c for m, c in a.items()})
    a = leading_positive(a)[0]
    square = power(Quotient(a), 2).numerator
    return context.atoms.one(
        context.atoms.number("abs", key(a), Atom("abs", Quotient(a), NONNEGATIVE, square))
    )


def leading_positive(a: Polynomial) -> tuple[Polynomial, int]:
    """The polynomial or its negative, whichever has a positive coefficient first in a fixed order."""
    first = key(a)[0][1]
    return (a, 1) if first > 0 else ({m: -c for m, c in a.items()}, -1)
