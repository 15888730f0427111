"""Values of integrals and sums, by an antiderivative that is given: its slope is checked, and its limits at the ends."""

from __future__ import annotations

from fractions import Fraction

from .atoms import NEGATIVE, POSITIVE, Sign, product_sign
from .context import Context
from .defined import defined
from .dependence import quotient_depends
from .derivatives import derivative
from .language import Rejected, Term, put
from .normal_form import ends, form, in_order, inside, whole_ends
from .polynomials import Monomial, Polynomial, multiply
from .powers import reduced, same
from .quotients import Quotient, number, plus, product

_BOUNDED = frozenset({"sin", "cos", "erf", "atan"})


def integral(term: Term, antiderivative: Term, context: Context) -> Quotient:
    """The value of an integral whose antiderivative in its own variable is given; Rejected where one check fails."""
    low, high = ends(term, context)
    for end, q in ((term[3], low), (term[4], high)):
        if isinstance(q, Quotient):
            defined(end, context)
    in_order(low, high, context)
    inner, x = inside(term, context)
    here = {term[2]: ("var", x)}
    body, primitive = put(term[1], here), put(antiderivative, here)
    defined(body, inner)
    defined(primitive, inner, smooth=True)
    index = inner.variable_number(x)
    slope = reduced(derivative(form(primitive, inner), index, inner), inner)
    if not same(slope, form(body, inner), inner):
        raise Rejected("the slope of the antiderivative is not what is integrated")
    return plus(_at(term, antiderivative, high, 4, context), _at(term, antiderivative, low, 3, context), -1)


def _at(term: Term, antiderivative: Term, end: Quotient | int, place: int, context: Context) -> Quotient:
    if isinstance(end, int):
        inner, x = inside(term, context)
        found = form(put(antiderivative, {term[2]: ("var", x)}), inner)
        return limit(found, inner.variable_number(x), end, inner)
    # What is defined over the closed range is continuous there: no function of the language jumps but those rejected above.
    closed, x = inside(term, context, closed=True)
    defined(put(antiderivative, {term[2]: ("var", x)}), closed)
    value = put(antiderivative, {term[2]: term[place]})
    defined(value, context)
    return form(value, context)


def limit(q: Quotient, x: int, side: int, context: Context) -> Quotient:
    """The limit of q for x to oo (1) or -oo (-1), term by term; Rejected where a term has none that is known."""
    constants = {
        f: p for f, p in q.denominator.items() if not quotient_depends(Quotient(dict(f)), x, context.atoms)
    }
    moving = {f: p for f, p in q.denominator.items() if f not in constants}
    found: Polynomial = {}
    fall = sum(_degree_at_infinity(dict(f), x, context) * p for f, p in moving.items())
    for m, c in q.numerator.items():
        one = _term(m, x, side, context, fall)
        if one is not None:
            if moving:
                raise Rejected("the limit of a quotient whose numerator does not vanish")
            # What is left of the term does not depend on x.
            for n, e in multiply({one[0]: c * one[1]}, {(): Fraction(1)}).items():
                found[n] = found.get(n, Fraction(0)) + e
    return Quotient({m: c for m, c in found.items() if c}, constants)


def _degree_at_infinity(factor: Polynomial, x: int, context: Context) -> int:
    """The degree in x of a polynomial whose leading coefficient is not 0; Rejected for anything else."""
    degrees: dict[int, Polynomial] = {}
    for m, c in factor.items():
        degree = 0
        for n, e in m:
            if n == x and isinstance(e, int) and e >= 0:
                degree = e
            elif quotient_depends(Quotient({((n, 1),): Fraction(1)}), x, context.atoms):
                raise Rejected("a limit of a quotient that is not one of polynomials")
        degrees.setdefault(degree, {})[tuple(p for p in m if p[0] != x)] = c
    top = max(degrees)
    if not context.is_nonzero(Quotient(degrees[top])):
        raise Rejected("a limit that depends on the leading coefficient being 0")
    return top


def _term(m: Monomial, x: int, side: int, context: Context, fall: int) -> tuple[Monomial, int] | None:
    """None for the limit 0; otherwise the part without x, and the sign that functions like erf leave."""
    power: Fraction = Fraction(-fall)
    exponent, kept, sign, logarithms = number(0), [], 1, False
    for n, e in m:
        atom = context.atoms.known[n]
        if n == x:
            power += e
        elif not quotient_depends(Quotient({((n, 1),): Fraction(1)}), x, context.atoms):
            kept.append((n, e))
        elif atom.kind == "exp":
            exponent = plus(exponent, product(atom.data, number(Fraction(e))))
        elif atom.kind == "log" and e > 0:
            # That of a quotient of polynomials grows slower than any power.
            for part in (atom.data.numerator, *map(dict, atom.data.denominator)):
                _degree_at_infinity(part, x, context)
            logarithms = True
        elif atom.kind in _BOUNDED and isinstance(e, int) and e > 0:
            sign *= _far(n, e, x, side, context)
        else:
            raise Rejected(f"a limit of {atom.kind}")
    if exponent.numerator:
        if _grows(exponent, x, side, context) == NEGATIVE:
            return None
        raise Rejected("a limit of an exponential that does not vanish")
    if power < 0:
        return None
    if power > 0 or not sign or logarithms:
        raise Rejected("a limit that is infinite, or of a function that has none")
    return tuple(kept), sign


def _far(n: int, e: int, x: int, side: int, context: Context) -> int:
    """1 or -1 for a power of erf far out; 0 for what is bounded without a limit."""
    atom = context.atoms.known[n]
    if atom.kind != "erf":
        return 0
    grows = _grows(atom.data[1][0], x, side, context)
    if grows not in (POSITIVE, NEGATIVE):
        raise Rejected("a limit of erf of what has no sign far out")
    return -1 if grows == NEGATIVE and e % 2 else 1


def _grows(q: Quotient, x: int, side: int, context: Context) -> Sign:
    """ "> 0" for what tends to oo and "< 0" for -oo: a polynomial in x by its leading term; None where that is not known."""
    if any(quotient_depends(Quotient(dict(f)), x, context.atoms) for f in q.denominator):
        return None
    degrees: dict[int, Polynomial] = {}
    for m, c in q.numerator.items():
        degree = 0
        for n, e in m:
            if n == x:
                if not isinstance(e, int) or e < 0:
                    return None
                degree = e
            elif quotient_depends(Quotient({((n, 1),): Fraction(1)}), x, context.atoms):
                return None
        degrees.setdefault(degree, {})[tuple(p for p in m if p[0] != x)] = c
    top = max(degrees)
    sign = context.sign(Quotient(degrees[top], q.denominator)) if top else None
    return product_sign(sign, NEGATIVE) if side < 0 and top % 2 else sign


def total(term: Term, antidifference: Term, context: Context) -> Quotient:
    """The value of a sum whose antidifference S is given: S(k + 1) - S(k) is the body, the sum S(high + 1) - S(low)."""
    whole_ends(term, context)
    for end in term[3:5]:
        defined(end, context)
    inner, k = inside(term, context)
    now, later = ("var", k), ("+", ("var", k), ("num", Fraction(1)))
    body, one, two = (
        put(term[1], {term[2]: now}),
        put(antidifference, {term[2]: now}),
        put(antidifference, {term[2]: later}),
    )
    for part in (body, one, two):
        defined(part, inner)
    if not same(plus(form(two, inner), form(one, inner), -1), form(body, inner), inner):
        raise Rejected("the differences of the antidifference are not what is summed")
    last = put(antidifference, {term[2]: ("+", term[4], ("num", Fraction(1)))})
    first = put(antidifference, {term[2]: term[3]})
    for part in (last, first):
        defined(part, context)
    return plus(form(last, context), form(first, context), -1)
