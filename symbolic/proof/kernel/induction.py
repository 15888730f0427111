"""Induction: what holds at a whole number, and at k + 1 wherever it holds at k, holds from that number on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from .atoms import NONNEGATIVE
from .context import Context, Declared, anew
from .defined import defined
from .dependence import quotient_depends
from .hypotheses import beyond, sign_said
from .language import Reader, Rejected, Statement
from .normal_form import form
from .quotients import plus

# Rejected where a rule inside a rule does not settle the statement.
Inner = Callable[[Statement, Any, Context, Reader], None]


def induction(
    one: Statement, hints: Mapping[str, Any], context: Context, reader: Reader, inner: Inner
) -> None:
    """The statement at `from` by the rule `base`; at k + 1 by the rule `step`, which may use it at a k of which no more is known."""
    name, start = hints.get("variable"), reader.term(hints.get("from"))
    if name not in context.variables or not context.variables[name].whole:
        raise Rejected("induction names a variable that is declared as a whole number")
    defined(start, context)
    first, index = form(start, context), context.variable_number(name)
    if quotient_depends(first, index, context.atoms) or not context.is_whole(first):
        raise Rejected("induction begins at a whole number that does not depend on the variable")
    if not context.is_nonnegative(plus(context.variable(name), first, -1)):
        raise Rejected("the variable is not known to be at least that number")
    inner(one.put({name: start}), hints.get("base"), context, reader)
    sign = beyond(context.sign(first), up=True)
    way = anew(context, name, Declared(sign, whole=True))
    way = replace(way, facts=(*way.facts, (plus(way.variable(name), first, -1), NONNEGATIVE)))
    for side in (one.left, one.right):
        defined(side, way)
    way = replace(way, facts=(*way.facts, (form(one.difference, way), sign_said(one.relation))))
    later = one.put({name: ("+", ("var", name), ("num", Fraction(1)))})
    inner(later, hints.get("step"), way, reader)
