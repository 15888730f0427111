"""What hypotheses say: each is a fact of the context, and one that compares a variable with 0 is its sign."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from .atoms import NEGATIVE, NONNEGATIVE, NONPOSITIVE, NONZERO, POSITIVE, ZERO, Sign
from .context import Context, Declared
from .language import Statement
from .normal_form import form


def sign_said(relation: str) -> Sign:
    """What `q relation 0` says of q."""
    return {"=": ZERO, "<=": NONPOSITIVE, ">=": NONNEGATIVE, "<": NEGATIVE, ">": POSITIVE}[relation]


def with_given(context: Context, given: list[Statement]) -> Context:
    """The context with these hypotheses; one that compares a variable with 0 is its sign."""
    variables = dict(context.variables)
    for one in given:
        if one.left[0] == "var" and one.right == ("num", Fraction(0)) and one.left[1] in variables:
            old = variables[one.left[1]]
            variables[one.left[1]] = Declared(sharper(old.sign, sign_said(one.relation)), old.whole)
    found = replace(context, variables=variables)
    for one in given:
        # A hypothesis holds where it is defined.
        q = form(one.difference, found)
        found = replace(found, facts=(*found.facts, (q, sign_said(one.relation))))
    return found


def sharper(old: Sign, new: Sign) -> Sign:
    """The sign of what has both."""
    if old is None or {old, new} <= {NONNEGATIVE, POSITIVE} or {old, new} <= {NONPOSITIVE, NEGATIVE}:
        return new if old in (None, NONNEGATIVE, NONPOSITIVE) else old
    if old == NONZERO and new in (NONNEGATIVE, NONPOSITIVE):
        return POSITIVE if new == NONNEGATIVE else NEGATIVE
    return new if old == NONZERO and new in (POSITIVE, NEGATIVE) else old


def beyond(sign: Sign, up: bool) -> Sign:
    """Of what is at least ("up"), or at most, something of this sign."""
    if up:
        return {POSITIVE: POSITIVE, NONNEGATIVE: NONNEGATIVE, ZERO: NONNEGATIVE}.get(sign or "")
    return {NEGATIVE: NEGATIVE, NONPOSITIVE: NONPOSITIVE, ZERO: NONPOSITIVE}.get(sign or "")
