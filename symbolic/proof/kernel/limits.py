"""Limits of normal forms for x -> oo, term by term: powers, logarithms, exponentials and erf, each by its growth.

A term is known as (c + o(1)) x^p log(x)^k; an exponent that tends to -oo faster than any multiple of log x outweighs all of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import reduce

from .atoms import NEGATIVE, NONNEGATIVE, POSITIVE, ZERO
from .context import Context
from .dependence import depends_on, quotient_depends
from .functions import function
from .language import Rejected
from .polynomials import Key, Monomial
from .powers import exponential, logarithm, rooted
from .quotients import Quotient, number, plus, power, product

_SATURATED = frozenset({"erf", "atan"})
_BOUNDED = frozenset({"sin", "cos"})
_CONSTANT, _LOGARITHM = (Fraction(0), 0), (Fraction(0), 1)


@dataclass(frozen=True)
class Growth:
    """(factor + o(1)) x^power log(x)^logs for x -> oo; the factor does not depend on x and may be 0."""

    power: Fraction
    logs: int
    factor: Quotient

    @property
    def order(self) -> tuple[Fraction, int]:
        """What grows faster comes later."""
        return self.power, self.logs

    def times(self, other: Growth, e: int = 1) -> Growth:
        """This times a whole power of another."""
        return Growth(
            self.power + other.power * e,
            self.logs + other.logs * e,
            product(self.factor, power(other.factor, e)),
        )


_ONE = Growth(Fraction(0), 0, number(1))


def limit(q: Quotient, x: int, context: Context) -> Quotient:
    """The limit of q for x -> oo, x being the number of a positive variable; Rejected where a term has none that is known."""
    found, logarithms = number(0), number(0)
    for m, c in q.numerator.items():
        one, growing = _Term(m, c, q.denominator, x, context).limit()
        found, logarithms = plus(found, one), plus(logarithms, growing)
    if logarithms.numerator:
        raise Rejected("a limit that is infinite: logarithms that do not cancel")
    return found


class _Term:
    """One term over the denominator of its sum, taken apart by how its factors grow."""

    def __init__(self, m: Monomial, c: Fraction, below: dict[Key, int], x: int, context: Context) -> None:
        self.m, self.c, self.below, self.x, self.context = m, c, below, x, context
        self.exponent, self.wild, plain, saturated = number(0), False, [], number(1)
        for n, e in m:
            atom = context.atoms.known[n]
            moves = depends_on(n, x, context.atoms)
            if moves and atom.kind == "exp":
                self.exponent = plus(self.exponent, product(atom.data, number(Fraction(e))))
            elif moves and atom.kind in _BOUNDED and isinstance(e, int) and e > 0:
                self.wild = True
            elif moves and atom.kind in _SATURATED and isinstance(e, int) and e > 0:
                saturated = product(saturated, power(self._far(atom.kind, atom.data[1][0]), e))
            else:
                plain.append((n, e))
        self.growth = _of_monomial(tuple(plain), c, x, context).times(Growth(Fraction(0), 0, saturated))
        self.growth = _over(self.growth, below, x, context)

    def limit(self) -> tuple[Quotient, Quotient]:
        """(s, d): the term is s + d log x + o(1); d is 0 but for a constant times one logarithm."""
        nothing, below = number(0), self.exponent.denominator
        growths = [
            (growth_of(Quotient({m: c}, below), self.x, self.context), m, c)
            for m, c in self.exponent.numerator.items()
        ]
        top = max((g.order for g, _, _ in growths), default=_CONSTANT)
        if top > _LOGARITHM:
            rate = reduce(plus, (g.factor for g, _, _ in growths if g.order == top))
            if self.context.sign(rate) != NEGATIVE:
                raise Rejected("a limit of an exponential that is not known to vanish")
            return nothing, nothing
        rate, kept = number(self.growth.power), number(0)
        for g, m, c in growths:
            if g.order == _LOGARITHM:
                start, slope = self._logarithm(m, c, below)
                rate, kept = plus(rate, slope), plus(kept, start)
            elif g.order == _CONSTANT:
                kept = plus(kept, g.factor)
        if self.context.sign(rate) == NEGATIVE:
            return nothing, nothing
        if rate.numerator or self.wild:
            raise Rejected("a limit that is infinite, or of a function that has none")
        if not self.growth.logs:
            return product(self.growth.factor, exponential(kept, self.context)), nothing
        if growths:
            raise Rejected("a limit of a logarithm times an exponential")
        return self._logarithm(self.m, self.c, self.below)

    def _logarithm(self, m: Monomial, c: Fraction, below: dict[Key, int]) -> tuple[Quotient, Quotient]:
        """(s, d) with s + d log x + o(1) for what is a constant times one logarithm; Rejected for anything else of that growth."""
        moving = [(n, e) for n, e in m if depends_on(n, self.x, self.context.atoms)]
        constant = Quotient({tuple(p for p in m if p not in moving): c}, below)
        if (
            len(moving) != 1
            or moving[0][1] != 1
            or any(_factor_moves(f, self.x, self.context) for f in below)
        ):
            raise Rejected("what grows like a logarithm and is none")
        inner = growth_of(self.context.atoms.known[moving[0][0]].data, self.x, self.context)
        return (
            product(constant, logarithm(inner.factor, self.context)),
            product(constant, number(inner.power)),
        )

    def _far(self, kind: str, argument: Quotient) -> Quotient:
        """The limit of erf or atan."""
        inner = growth_of(argument, self.x, self.context)
        if inner.order < _CONSTANT:
            return number(0)
        if inner.order == _CONSTANT:
            return function(kind, [inner.factor], self.context)
        sign = self.context.sign(inner.factor)
        if sign not in (POSITIVE, NEGATIVE):
            raise Rejected(f"a limit of {kind} of what has no sign far out")
        end = number(1)
        if kind == "atan":
            end = product(self.context.atoms.one(self.context.constant("pi")), number(Fraction(1, 2)))
        return end if sign == POSITIVE else product(end, number(-1))


def growth_of(q: Quotient, x: int, context: Context) -> Growth:
    """The growth of a sum is that of its fastest terms; Rejected for exponentials and other functions of x."""
    several = [_of_monomial(m, c, x, context) for m, c in q.numerator.items()]
    top = max(g.order for g in several)
    fastest = Growth(*top, reduce(plus, (g.factor for g in several if g.order == top)))
    return _over(fastest, q.denominator, x, context)


def _over(above: Growth, below: dict[Key, int], x: int, context: Context) -> Growth:
    for factor, times in below.items():
        if not _factor_moves(factor, x, context):
            above = above.times(Growth(Fraction(0), 0, Quotient({(): Fraction(1)}, {factor: times})))
            continue
        one = growth_of(Quotient(dict(factor)), x, context)
        if not context.is_nonzero(one.factor):
            raise Rejected("a limit that depends on the leading coefficient being 0")
        above = above.times(one, -times)
    return above


def _of_monomial(m: Monomial, c: Fraction, x: int, context: Context) -> Growth:
    found = Growth(Fraction(0), 0, number(c))
    for n, e in m:
        found = found.times(_of_atom(n, e, x, context))
    return found


def _of_atom(n: int, e: Fraction | int, x: int, context: Context) -> Growth:
    atom = context.atoms.known[n]
    if n == x:
        return Growth(Fraction(e), 0, number(1))
    if not depends_on(n, x, context.atoms):
        return Growth(Fraction(0), 0, context.atoms.one(n, e))
    if atom.kind == "log" and isinstance(e, int) and e > 0:
        inner = growth_of(atom.data, x, context)
        if inner.logs or not inner.power or context.sign(inner.factor) != POSITIVE:
            raise Rejected("a limit of a logarithm of what has no power or no sign far out")
        return _ONE.times(Growth(Fraction(0), 1, number(inner.power)), e)
    if atom.kind == "root" and e > 0:
        inner = growth_of(Quotient(atom.data), x, context)
        if inner.logs or context.sign(inner.factor) not in (POSITIVE, NONNEGATIVE, ZERO):
            raise Rejected("a limit of a root of what has no sign far out")
        return Growth(inner.power * Fraction(e), 0, rooted(inner.factor, Fraction(e), context))
    raise Rejected(f"a limit of {atom.kind}")


def _factor_moves(factor: Key, x: int, context: Context) -> bool:
    return quotient_depends(Quotient(dict(factor)), x, context.atoms)
