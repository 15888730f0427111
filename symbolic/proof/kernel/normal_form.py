"""Expressions as quotients of polynomials in atoms: what is equal by the laws of a ring, of powers, exp, log, abs, sin and cos, agrees."""

from __future__ import annotations

from fractions import Fraction
from functools import reduce

from .atoms import NEGATIVE, NONNEGATIVE, NONPOSITIVE, POSITIVE, ZERO, Atom
from .context import Context
from .dependence import depends_on
from .derivatives import derivative
from .functions import function, log_gamma, opaque, polygamma
from .language import INFINITE, Rejected, Term, put, spend
from .limits import limit
from .polynomials import Polynomial, split, times
from .powers import absolute, exponential, logarithm, reduced, rooted, whole
from .quotients import Quotient, number, plus, product, reciprocal
from .words import trace

_MOST_TERMS_OF_SUM = 64
_WEAK = {
    POSITIVE: NONNEGATIVE,
    NEGATIVE: NONPOSITIVE,
    NONNEGATIVE: NONNEGATIVE,
    NONPOSITIVE: NONPOSITIVE,
    ZERO: ZERO,
}


def form(term: Term, context: Context) -> Quotient:
    """The normal form of the term; Rejected where a law needs a sign that is not known."""
    op = term[0]
    spend(50)
    if op == "num":
        return number(term[1])
    if op == "var":
        return context.variable(term[1])
    if op == "const":
        return _constant(term[1], context)
    if op == "tr":
        return trace(term[1], context, form)
    if op in ("sum", "int"):
        return context.values[term] if term in context.values else _bound(term, context)
    if op == "diff":
        return _derivative(term, context)
    if op == "lim":
        near, t, body = approached(term, context)
        return limit(form(body, near), near.variable_number(t), near)
    if op == "log":
        return _logarithm(term[1], context)
    if op == "sqrt":
        return _root_as_written(term[1], Fraction(1, 2), context)
    if op == "fn":
        return opaque("fn", term[1], [form(a, context) for a in term[2:]], context)
    if op == "polygamma":
        return reduced(polygamma(term[1], form(term[2], context), context), context)
    if op in ("^", "sqrt"):
        return _power(term[1], term[2] if op == "^" else ("num", Fraction(1, 2)), context)
    parts = [form(a, context) for a in term[1:]]
    if op == "+":
        return reduced(reduce(plus, parts), context)
    if op == "*":
        return reduced(reduce(product, parts), context)
    if op == "-":
        return (
            reduced(plus(parts[0], parts[1], -1), context)
            if len(parts) == 2
            else product(parts[0], number(-1))
        )
    if op == "/":
        return reduced(product(parts[0], reciprocal(parts[1])), context)
    return function(op, parts, context)


def _constant(name: str, context: Context) -> Quotient:
    if name in INFINITE:
        raise Rejected("an infinite end stands in an integral only")
    if name == "e":
        return exponential(number(1), context)
    return context.atoms.one(context.constant(name))


def _logarithm(of: Term, context: Context) -> Quotient:
    """Over the factors as they are written, where each is known to be positive."""
    if of[0] in ("*", "/") and all(context.is_positive(form(a, context)) for a in of[1:]):
        logs = [_logarithm(a, context) for a in of[1:]]
        return reduce(plus, logs) if of[0] == "*" else plus(logs[0], logs[1], -1)
    if of[0] == "gamma" and context.is_positive(form(of[1], context)):
        return log_gamma(form(of[1], context), context)
    return logarithm(form(of, context), context)


def _power(base: Term, exponent: Term, context: Context) -> Quotient:
    e = form(exponent, context)
    n = e.number
    if n is None:
        b = form(base, context)
        if not context.is_positive(b):
            raise Rejected("a base that is not known to be positive has an exponent that is no number")
        return exponential(product(logarithm(b, context), e), context)
    if n.denominator == 1:
        return whole(form(base, context), n.numerator, context)
    if base[0] == "*" and all(context.is_nonnegative(form(a, context)) for a in base[1:]):
        factors = [_power(a, ("num", n), context) for a in base[1:]]
        return reduced(reduce(product, factors), context)
    return _root_as_written(base, n, context)


def _root_as_written(base: Term, n: Fraction, context: Context) -> Quotient:
    """base^n; of factors that are even powers (a^2k)^n = |a|^(2kn) comes out, of whatever sign a is."""
    outside, inside_ = number(1), []
    for factor, side in _factors(base):
        e = form(factor[2], context).number if factor[0] == "^" else None
        if e is not None and e.denominator == 1 and e % 2 == 0:
            size = absolute(form(factor[1], context), context)
            outside = product(outside, rooted(size, e * n * side, context))
        else:
            q = form(factor, context)
            inside_.append(q if side == 1 else reciprocal(q))
    # A power of what was not in the root needs no root of 1.
    rest = reduced(reduce(product, [number(1), *inside_]), context)
    if all(map(context.is_nonnegative, inside_)) and not context.is_nonnegative(rest):
        # The sign of the product multiplied out is not seen, that of its factors is.
        roots = [rooted(q, n, context) for q in inside_]
    else:
        roots = [rooted(rest, n, context)]
    return reduced(reduce(product, [outside, *roots]), context)


def _factors(term: Term, side: int = 1) -> list[tuple[Term, int]]:
    """Factors as they are written, and on which side of a division."""
    if term[0] == "*":
        return [f for a in term[1:] for f in _factors(a, side)]
    if term[0] == "/":
        return _factors(term[1], side) + _factors(term[2], -side)
    return [(term, side)]


# --- what binds a variable --------------------------------------------------------------------------------------------


def approached(term: Term, context: Context) -> tuple[Context, str, Term]:
    """A positive variable that tends to oo, and the body of a limit in it: x is t, -t, or an end plus or less 1 / t."""
    near, t = context.bound("int", number(0), 1)
    far: Term = ("var", t)
    end, above = term[3], term[4] == "above"
    infinite = INFINITE.get(end[1]) if end[0] == "const" else None
    if infinite is not None and above != (infinite < 0):
        raise Rejected("oo is approached from below, -oo from above")
    step: Term = far if infinite is not None else ("/", ("num", Fraction(1)), far)
    sided: Term = step if above == (infinite is None) else ("-", step)
    return near, t, put(term[1], {term[2]: sided if infinite is not None else ("+", end, sided)})


def ends(term: Term, context: Context) -> tuple[Quotient | int, Quotient | int]:
    """The ends of a sum or an integral; 1 and -1 stand for oo and -oo."""
    low, high = (
        INFINITE[e[1]] if e[0] == "const" and e[1] in INFINITE else form(e, context) for e in term[3:5]
    )
    return low, high


def in_order(low: Quotient | int, high: Quotient | int, context: Context) -> None:
    """Rejected where the lower end of an integral is not known to be at most the upper one."""
    if low == 1 or high == -1:
        raise Rejected("an integral that begins at oo or ends at -oo")
    if (
        isinstance(low, Quotient)
        and isinstance(high, Quotient)
        and not context.is_nonnegative(plus(high, low, -1))
    ):
        raise Rejected("an integral whose lower end is not known to be at most its upper end")


def inside(term: Term, context: Context, closed: tuple[bool, bool] = (False, False)) -> tuple[Context, str]:
    """The context inside a sum or an integral, and the name of its variable there; `closed` ends belong to the range."""
    low, high = ends(term, context)
    return context.bound(term[0], low, high, closed)


def _bound(term: Term, context: Context) -> Quotient:
    op = term[0]
    if op == "sum":
        return _sum(term, context)
    low, high = ends(term, context)
    in_order(low, high, context)
    inner, x = context.bound(op, low, high)
    body = form(put(term[1], {term[2]: ("var", x)}), inner)
    # Nothing but a constant factor leaves an integral: that the parts of a sum can be integrated is not known.
    content, rest = _content(body)
    found = (rest.key, x)
    return product(
        number(content),
        context.atoms.one(
            context.atoms.number("int", found, Atom("int", (rest, inner.variable_number(x), low, high)))
        ),
    )


def _content(q: Quotient) -> tuple[Fraction, Quotient]:
    if not q.numerator:
        return Fraction(0), number(1)
    content, monomial, rest = split(q.numerator)
    return content, Quotient({times(monomial, m): c for m, c in rest.items()}, q.denominator)


def whole_ends(term: Term, context: Context) -> tuple[Quotient, Quotient]:
    """The ends of a sum; Rejected where they are not known to be whole numbers, the upper one at least the lower one less 1."""
    low, high = ends(term, context)
    if isinstance(low, int) or isinstance(high, int):
        raise Rejected("an infinite sum")
    if not (context.is_whole(low) and context.is_whole(high)):
        raise Rejected("a sum that does not run over whole numbers")
    if not context.is_nonnegative(_count(low, high)):
        raise Rejected("a sum whose upper end may lie below its lower end by more than one")
    return low, high


def _count(low: Quotient, high: Quotient) -> Quotient:
    return plus(plus(high, low, -1), number(1))


def _sum(term: Term, context: Context) -> Quotient:
    """Linear in its body: each term loses the factors that do not depend on the index."""
    low, high = whole_ends(term, context)
    count = _count(low, high)
    if low.number is not None and high.number is not None:
        if high.number - low.number >= _MOST_TERMS_OF_SUM:
            raise Rejected("a sum of too many terms")
        found = number(0)
        for i in range(int(low.number), int(high.number) + 1):
            found = plus(found, form(put(term[1], {term[2]: ("num", Fraction(i))}), context))
        return found
    inner, k = context.bound("sum", low, high)
    index = inner.variable_number(k)
    body = form(put(term[1], {term[2]: ("var", k)}), inner)

    def one(q: Quotient) -> Quotient:
        # That all terms are not 0 says nothing of their sum; and without terms it is 0.
        sign = _WEAK.get(inner.sign(q) or "")
        return context.atoms.one(
            context.atoms.number("sum", (q.key, k, sign), Atom("sum", (q, index, low, high), sign))
        )

    if any(depends(dict(f), index, inner) for f in body.denominator):
        return one(body)
    found = number(0)
    for m, c in body.numerator.items():
        within = tuple((n, e) for n, e in m if depends({((n, 1),): Fraction(1)}, index, inner))
        outside = Quotient({tuple(p for p in m if p not in within): c}, body.denominator)
        found = plus(found, product(outside, one(Quotient({within: Fraction(1)})) if within else count))
    return found


def depends(a: Polynomial, index: int, context: Context) -> bool:
    """Whether a polynomial depends on the variable of this number, through its atoms."""
    return any(depends_on(n, index, context.atoms) for m in a for n, _ in m)


def _derivative(term: Term, context: Context) -> Quotient:
    found = form(term[1], context)
    for _ in range(term[3]):
        found = derivative(found, context.variable_number(term[2]), context)
    return reduced(found, context)
