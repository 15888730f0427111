"""Values of integrals and sums, by an antiderivative that is given: its slope is checked, and its limits at the ends."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction

from .atoms import POSITIVE
from .context import Context
from .defined import defined
from .derivatives import derivative
from .language import Rejected, Term, put
from .limits import limit
from .normal_form import approached, ends, form, in_order, inside, whole_ends
from .powers import reduced, same
from .quotients import Quotient, number, plus

_LINE: tuple[Term, Term] = (("const", "-oo"), ("const", "oo"))


def integral(term: Term, given: Sequence[Term], context: Context) -> Quotient:
    """The improper integral by an antiderivative, or by several with the points between them where one ends and the next begins."""
    if len(given) == 1:
        return _piece(term, given[0], context)
    if len(given) % 2 == 0:
        raise Rejected("antiderivatives of parts stand with the points between them")
    found, low = number(0), term[3]
    for primitive, high in zip(given[::2], (*given[1::2], term[4]), strict=True):
        found = plus(found, _piece((*term[:3], low, high), primitive, context))
        low = high
    return found


def _piece(term: Term, antiderivative: Term, context: Context) -> Quotient:
    """Its slope is what is integrated, everywhere inside the range; its value is the difference of its limits at the ends."""
    low, high = ends(term, context)
    for end, q in ((term[3], low), (term[4], high)):
        if isinstance(q, Quotient):
            defined(end, context)
    # The integral from b to a is minus that from a to b: between ends in whatever order all has to hold on the whole line.
    anywhere = False
    if isinstance(low, Quotient) and isinstance(high, Quotient):
        anywhere = not context.is_nonnegative(plus(high, low, -1))
    else:
        in_order(low, high, context)
    inner, x = inside((*term[:3], *_LINE) if anywhere else term, context)
    here = {term[2]: ("var", x)}
    body, primitive = put(term[1], here), put(antiderivative, here)
    defined(body, inner)
    defined(primitive, inner, frozenset({x}))
    index = inner.variable_number(x)
    slope = reduced(derivative(form(primitive, inner), index, inner), inner)
    if not same(slope, form(body, inner), inner):
        in_order(low, high, context)
        raise Rejected("the slope of the antiderivative is not what is integrated")
    if anywhere:
        at_high, at_low = (form(put(antiderivative, {term[2]: term[i]}), context) for i in (4, 3))
        return plus(at_high, at_low, -1)
    return plus(_at(term, antiderivative, high, 4, context), _at(term, antiderivative, low, 3, context), -1)


def _at(term: Term, antiderivative: Term, end: Quotient | int, place: int, context: Context) -> Quotient:
    """The value at the end where it is continuous up to there; else its limit."""
    if isinstance(end, Quotient):
        with suppress(Rejected):
            # What is defined up to the end is continuous there: no function of the language jumps but those rejected above.
            closed, x = inside(term, context, (place == 3, place == 4))
            defined(put(antiderivative, {term[2]: ("var", x)}), closed)
            value = put(antiderivative, {term[2]: term[place]})
            defined(value, context)
            return form(value, context)
        low, high = ends(term, context)
        if (
            isinstance(low, Quotient)
            and isinstance(high, Quotient)
            and not context.is_positive(plus(high, low, -1))
        ):
            # From the two sides of one point the limits need not agree, and the range has nothing in it.
            raise Rejected("a limit at the end of a range that may be a point")
    side = "above" if place == 3 else "below"
    near, t, at = approached(("lim", ("var", term[2]), term[2], term[place], side), context)
    low, high = ends(term, context)
    gaps = [("-", at, term[3])] if isinstance(low, Quotient) else []
    gaps += [("-", term[4], at)] if isinstance(high, Quotient) else []
    near = replace(near, facts=(*near.facts, *((form(gap, near), POSITIVE) for gap in gaps)))
    return limit(form(put(antiderivative, {term[2]: at}), near), near.variable_number(t), near)


def total(term: Term, given: Sequence[Term], context: Context) -> Quotient:
    """The value of a sum whose antidifference S is given: S(k + 1) - S(k) is the body, the sum S(high + 1) - S(low)."""
    if len(given) != 1:
        raise Rejected("a sum has one antidifference")
    antidifference = given[0]
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
