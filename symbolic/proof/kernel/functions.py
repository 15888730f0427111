"""Functions of normal forms: those that others express are, of the rest only the sign, the parity and sin^2 + cos^2 = 1 are known."""

from __future__ import annotations

from fractions import Fraction
from math import factorial, floor

from .atoms import NEGATIVE, NONNEGATIVE, NONPOSITIVE, NONZERO, POSITIVE, ZERO, Atom, Sign, opposite
from .context import Context
from .language import Rejected
from .polynomials import Key, Monomial, Polynomial
from .powers import absolute, exponential, leading_positive, logarithm, reduced
from .quotients import Quotient, number, plus, power, product, reciprocal

_MOST_TURNS = 24
_ODD = frozenset({"erf", "asin", "atan"})
_SIGN_OF_ARGUMENT = frozenset({"erf", "atan", "asin"})


def function(op: str, parts: list[Quotient], context: Context) -> Quotient:
    parts = [reduced(q, context) for q in parts]
    q = parts[0]
    if op == "exp":
        return exponential(q, context)
    if op == "abs":
        return absolute(q, context)
    if op == "sign":
        return _sign(context.sign(q))
    if op in ("sinh", "cosh", "tanh"):
        return _hyperbolic(op, q, context)
    if op == "tan":
        return product(function("sin", [q], context), reciprocal(function("cos", [q], context)))
    if op == "erfc":
        return plus(number(1), function("erf", [q], context), -1)
    if op in ("gamma", "factorial"):
        return _gamma(plus(q, number(1)) if op == "factorial" else q, context)
    if op == "loggamma":
        return log_gamma(q, context)
    if op in ("max", "min"):
        return _extreme(op, parts, context)
    if op in ("sin", "cos"):
        return _angle(op, q, context)
    if not q.numerator and op in _ODD:
        return number(0)
    if op in _ODD:
        turned, side = leading_positive(q.numerator)
        found = opaque(op, op, [Quotient(turned, q.denominator)], context)
        return product(found, number(side))
    return opaque(op, op, parts, context)


def _angle(op: str, q: Quotient, context: Context) -> Quotient:
    """By the laws of sums, down to half of each term of the angle: (cos, sin) of the sum, one multiple after the other."""
    cosine, sine = number(1), number(0)
    for m, c in q.numerator.items():
        one = _of_term(m, c, q.denominator, context)
        cosine, sine = (
            reduced(plus(product(cosine, one[0]), product(sine, one[1]), -1), context),
            reduced(plus(product(sine, one[0]), product(cosine, one[1])), context),
        )
    return cosine if op == "cos" else sine


def _of_term(
    m: Monomial, c: Fraction, denominator: dict[Key, int], context: Context
) -> tuple[Quotient, Quotient]:
    if c.denominator == 1 and not denominator and _whole_times_pi(m, context):
        # Whole turns, and halves: cos(pi k) is 1 or -1.
        return (number(1), number(0)) if c % 2 == 0 else (_of_half_turns(m, context), number(0))
    turns = 2 * abs(c)
    if turns.denominator != 1 or turns > _MOST_TURNS:
        half, turns = Quotient({m: abs(c)}, denominator), Fraction(1)
    else:
        half = Quotient({m: Fraction(1, 2)}, denominator)
    if half.numerator == {((context.constant("pi"), 1),): Fraction(1, 2)} and not half.denominator:
        step = number(0), number(1)
    else:
        step = opaque("cos", "cos", [half], context), opaque("sin", "sin", [half], context)
    found = number(1), number(0)
    for _ in range(int(turns)):
        found = (
            reduced(plus(product(found[0], step[0]), product(found[1], step[1]), -1), context),
            reduced(plus(product(found[1], step[0]), product(found[0], step[1])), context),
        )
    return found if c > 0 else (found[0], product(found[1], number(-1)))


def _of_half_turns(m: Monomial, context: Context) -> Quotient:
    """cos(pi k) for a product k of whole variables; its square is 1."""
    if len(m) == 1:
        return number(-1)
    q = Quotient({m: Fraction(1)})
    atom = Atom("cos", ("cos", (q,)), NONZERO, number(1).numerator)
    return context.atoms.one(context.atoms.number("half turns", q.key, atom))


def _whole_times_pi(m: Monomial, context: Context) -> bool:
    """Whether the monomial is pi times powers of whole variables."""
    rest = tuple(p for p in m if p != (context.constant("pi"), 1))
    return len(rest) == len(m) - 1 and context.is_whole(Quotient({rest: Fraction(1)}))


def _sign(sign: Sign) -> Quotient:
    found = {POSITIVE: 1, NEGATIVE: -1, ZERO: 0}.get(sign or "")
    if found is None:
        raise Rejected("sign() of what may have several signs")
    return number(found)


def _hyperbolic(op: str, q: Quotient, context: Context) -> Quotient:
    up, down = exponential(q, context), exponential(product(q, number(-1)), context)
    if op == "cosh":
        return product(plus(up, down), number(Fraction(1, 2)))
    difference = plus(up, down, -1)
    return product(difference, number(Fraction(1, 2)) if op == "sinh" else reciprocal(plus(up, down)))


def _from_one(q: Quotient) -> tuple[Quotient, int]:
    """(z, n) with q = z + n, z having a constant term in (0, 1]."""
    constant = q.numerator.get((), Fraction(0)) if not q.denominator else Fraction(0)
    whole = -floor(-constant) - 1
    if abs(whole) > 60:
        raise Rejected("gamma of a number above 60")
    return plus(q, number(-whole)), whole


def _between(z: Quotient, n: int) -> list[Quotient]:
    """z, ..., z + n - 1 for n > 0; z + n, ..., z - 1 for n < 0."""
    return [plus(z, number(i)) for i in (range(n) if n > 0 else range(n, 0))]


def _gamma(q: Quotient, context: Context) -> Quotient:
    """gamma(z + n) = (z + n - 1) ... z gamma(z); gamma(1) = 1, gamma(1/2) = sqrt(pi)."""
    z, n = _from_one(q)
    if z.number == 1:
        found = number(1)
    elif z.number == Fraction(1, 2):
        found = context.atoms.one(context.constant("pi"), Fraction(1, 2))
    else:
        found = opaque("gamma", "gamma", [z], context)
    for factor in _between(z, n):
        found = product(found, factor if n > 0 else reciprocal(factor))
    return found


def log_gamma(q: Quotient, context: Context) -> Quotient:
    """log gamma(z + n) = log z + ... + log(z + n - 1) + log gamma(z), for positive z and z + n."""
    z, n = _from_one(q)
    if not (context.is_positive(z) and context.is_positive(q)):
        return opaque("loggamma", "loggamma", [q], context)
    found = opaque("loggamma", "loggamma", [z], context)
    for factor in _between(z, n):
        found = plus(found, logarithm(factor, context), 1 if n > 0 else -1)
    return found


def polygamma(order: int, q: Quotient, context: Context) -> Quotient:
    """psi_m(z + n) = psi_m(z) + (-1)^m m! (z^(-m - 1) + ... + (z + n - 1)^(-m - 1))."""
    z, n = _from_one(q)
    found = opaque("polygamma", order, [z], context)
    slope = Fraction((-1) ** order * factorial(order) * (1 if n > 0 else -1))
    for term in _between(z, n):
        found = plus(found, power(reciprocal(term), order + 1), slope)
    return found


def _extreme(op: str, parts: list[Quotient], context: Context) -> Quotient:
    """The largest or the least: without those that another is known to beat."""
    kept: list[Quotient] = []
    for q in parts:
        signs = [context.sign(plus(q, other, -1)) for other in kept]
        if op == "min":
            signs = [opposite(s) for s in signs]
        if any(s in (NEGATIVE, NONPOSITIVE, ZERO) for s in signs):
            continue
        kept = [o for o, s in zip(kept, signs, strict=True) if s not in (POSITIVE, NONNEGATIVE)] + [q]
    return kept[0] if len(kept) == 1 else opaque(op, op, sorted(kept, key=lambda q: repr(q.key)), context)


def opaque(kind: str, name: str | int, parts: list[Quotient], context: Context) -> Quotient:
    """A function of which nothing is known here but its sign."""
    signs = [context.sign(q) for q in parts]
    sign: Sign = signs[0] if kind in _SIGN_OF_ARGUMENT else None
    if kind == "gamma" and signs[0] == POSITIVE:
        sign = POSITIVE
    if kind in ("max", "min"):
        weak = [s in (POSITIVE, NONNEGATIVE, ZERO) for s in signs]
        good = any(weak) if kind == "max" else all(weak)
        sign = NONNEGATIVE if good else None
        if (any if kind == "max" else all)(s == POSITIVE for s in signs):
            sign = POSITIVE
    found = (name, tuple(q.key for q in parts), sign)
    square: Polynomial | None = None
    if kind == "sin":
        cosine = opaque("cos", "cos", parts, context)
        square = plus(number(1), power(cosine, 2), -1).numerator
    return context.atoms.one(
        context.atoms.number(kind, found, Atom(kind, (name, tuple(parts)), sign, square))
    )
