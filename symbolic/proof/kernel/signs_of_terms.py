"""The sign of an expression as it is written: a sum of squares is seen where its normal form has lost them."""

from __future__ import annotations

from functools import reduce

from .atoms import (
    NEGATIVE,
    NONNEGATIVE,
    NONPOSITIVE,
    POSITIVE,
    ZERO,
    Sign,
    opposite,
    power_sign,
    product_sign,
    sum_sign,
)
from .context import Context
from .language import Rejected, Term
from .normal_form import form

_SATISFIES = {
    "=": {ZERO},
    ">=": {POSITIVE, NONNEGATIVE, ZERO},
    ">": {POSITIVE},
    "<=": {NEGATIVE, NONPOSITIVE, ZERO},
    "<": {NEGATIVE},
}


def satisfies(sign: Sign, relation: str) -> bool:
    """Whether a difference of this sign has this relation to 0."""
    return sign in _SATISFIES[relation]


def sign_of(term: Term, context: Context) -> Sign:
    """From the parts as written, or from the normal form; None where neither knows."""
    op = term[0]
    found: Sign = None
    if op == "+":
        found = sum_sign([sign_of(a, context) for a in term[1:]])
    elif op == "*":
        found = reduce(product_sign, (sign_of(a, context) for a in term[1:]))
    elif op == "-":
        *first, last = (sign_of(a, context) for a in term[1:])
        found = sum_sign([*first, opposite(last)])
    elif op == "/":
        found = product_sign(sign_of(term[1], context), power_sign(sign_of(term[2], context), -1))
    elif op == "gamma" and sign_of(term[1], context) == POSITIVE:
        # Its normal form may be a product over places where the sign is not known.
        found = POSITIVE
    elif op in ("sinh", "tanh"):
        found = sign_of(term[1], context)
    elif op == "^" and term[2][0] == "num":
        e = term[2][1]
        found = power_sign(sign_of(term[1], context), e.numerator if e.denominator == 1 else e)
    if found in (POSITIVE, NEGATIVE, ZERO):
        return found
    try:
        other = context.sign(form(term, context))
    except Rejected:
        return found
    # Both are true: the strict one says more.
    return other if found is None or other in (POSITIVE, NEGATIVE, ZERO) else found
