"""One step: `left relation right` for all admissible values, by a named rule; what is not decided is rejected with the reason."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from typing import Any

from .atoms import NEGATIVE, NONNEGATIVE, NONPOSITIVE, POSITIVE, ZERO, Sign, sum_sign
from .context import Context, Declared, anew
from .defined import defined
from .dependence import quotient_depends
from .derivatives import derivative
from .enclosures import keeps_sign
from .hypotheses import beyond, sharper, sign_said
from .induction import induction
from .instances import instance
from .integrals import integral, total
from .known_values import known
from .language import Reader, Rejected, Statement, Term, listed, mapping, put, statement
from .normal_form import form
from .powers import same
from .quotients import Quotient, number, plus, power, product, scaled
from .signs_of_terms import satisfies, sign_of


def settle(one: Statement, rule: str, hints: Mapping[str, Any], context: Context, reader: Reader) -> None:
    """Rejected where the rule does not settle the statement in this context."""
    decide = RULES.get(rule)
    if decide is None:
        raise Rejected(f"no rule {str(rule)[:60]!r}")
    context = _with_lemmas(hints, _with_instances(hints, context, reader), reader)
    context = _with_values(hints, context, reader)
    for side in (one.left, one.right):
        defined(side, context)
    decide(one, hints, context, reader)


def _with_values(hints: Mapping[str, Any], context: Context, reader: Reader) -> Context:
    """The context in which integrals and sums have the values that their antiderivatives, or laws, give."""
    for kind, value in (("integrals", integral), ("sums", total)):
        for row in listed(hints.get(kind, []), kind):
            if not isinstance(row, list) or len(row) < 2:
                raise Rejected(f"{kind} are lists of a term and its antiderivative, or its law")
            term = reader.term(row[0])
            if term[0] != kind[:3]:
                raise Rejected(f"{kind} of something else")
            if isinstance(row[1], dict) and len(row) == 2:
                letters = {k: reader.term(v) for k, v in row[1].items() if k != "law"}
                found = known(term, row[1].get("law"), letters, context)
            else:
                found = value(term, [reader.term(t) for t in row[1:]], context)
            context = replace(context, values={**context.values, term: found})
    return context


def _with_instances(hints: Mapping[str, Any], context: Context, reader: Reader) -> Context:
    """The context in which instances of earlier steps are facts."""
    for data in listed(hints.get("instances", []), "instances"):
        context = replace(context, facts=(*context.facts, instance(data, context, reader, _inner)))
    return context


def _with_lemmas(hints: Mapping[str, Any], context: Context, reader: Reader) -> Context:
    """The context in which statements that follow from it, each by a rule of its own, are facts."""
    for data in listed(hints.get("lemmas", []), "lemmas"):
        row = mapping(data, "a lemma")
        one = statement([row.get("left"), row.get("relation"), row.get("right")], reader)
        _inner(one, row, context, reader)
        fact = (form(one.difference, context), sign_said(one.relation))
        context = replace(context, facts=(*context.facts, fact))
    return context


# --- rules ----------------------------------------------------------------------------------------------------------


def _ring(one: Statement, hints: Mapping[str, Any], context: Context, reader: Reader) -> None:
    if one.relation not in ("=", "<=", ">="):
        raise Rejected("a ring proves equality")
    if not same(form(one.left, context), form(one.right, context), context):
        raise Rejected("both sides have different normal forms")


def _sign(one: Statement, hints: Mapping[str, Any], context: Context, reader: Reader) -> None:
    """The sign of left - right, written as `as` where that is given: equal to it in the ring."""
    difference: Term = one.difference
    if "as" in hints:
        written = reader.term(hints["as"])
        defined(written, context)
        if not same(form(difference, context), form(written, context), context):
            raise Rejected("the difference is not what it is said to be")
        difference = written
    if not satisfies(sign_of(difference, context), one.relation):
        raise Rejected("the sign of the difference is not known to be that")


def _box(one: Statement, hints: Mapping[str, Any], context: Context, reader: Reader) -> None:
    """A strict sign over a box that holds all values, by enclosures."""
    # Values in the box of which nothing else is known.
    way, box = context, {}
    for name, pair in mapping(hints.get("box"), "box").items():
        low, high = (_rational(v, reader) for v in listed(pair, "an interval"))
        x = context.variable(name)
        way = anew(way, name, Declared(_between(_sign_of_number(low), _sign_of_number(high))))
        for end, side, says in ((low, 1, NONNEGATIVE), (high, -1, NONPOSITIVE)):
            if not context.is_nonnegative(scaled(plus(x, number(end), -1), side)):
                raise Rejected(f"{name} is not known to stay in its interval")
            way = replace(way, facts=(*way.facts, (plus(way.variable(name), number(end), -1), says)))
        box[name] = (low, high)
    q, slopes = form(one.difference, context), None
    numbers = {context.variable_number(n): e for n, e in box.items()}
    with suppress(Rejected):
        for term in (one.left, one.right):
            defined(term, way, frozenset(box))
        smooth, numbered = form(one.difference, way), {way.variable_number(n): e for n, e in box.items()}
        slopes = {n: derivative(smooth, n, way) for n in numbered}
        q, numbers = smooth, numbered
    if not satisfies(keeps_sign(q, context.atoms, numbers, slopes), one.relation):
        raise Rejected("another sign in the box")


def _sign_of_number(value: Fraction) -> Sign:
    return POSITIVE if value > 0 else NEGATIVE if value < 0 else ZERO


def _monotone(one: Statement, hints: Mapping[str, Any], context: Context, reader: Reader) -> None:
    """left - right has the sign at the end of a half-line or of an interval, and moves away from 0 along it."""
    name, start = hints.get("variable"), reader.term(hints.get("from"))
    if name not in context.variables:
        raise Rejected("monotone names a variable that is declared")
    x, end = context.variable(name), form(start, context)
    defined(start, context)
    gap = plus(x, end, -1)
    up = hints.get("side", "above") == "above"
    if not context.is_nonnegative(scaled(gap, 1 if up else -1)):
        raise Rejected("the variable is not known to lie on that side of the point")
    index = context.variable_number(name)
    if quotient_depends(end, index, context.atoms):
        raise Rejected("the point depends on the variable")
    # On the way from the point nothing is known of the variable but the side, and what holds at both its ends and is affine.
    between = _between(context.variables[name].sign, context.sign(end))
    sign = sharper(beyond(context.sign(end), up), between)
    way = anew(context, name, Declared(sign))
    y = way.variable(name)
    kept = [_on_the_way(f, index, gap, y, context) for f in context.facts]
    side = (plus(y, end, -1), NONNEGATIVE if up else NONPOSITIVE)
    way = replace(way, facts=(*way.facts, side, *(f for f in kept if f is not None)))
    at_end = Statement(put(one.left, {name: start}), one.relation, put(one.right, {name: start}))
    for term in (one.left, one.right):
        defined(term, way, frozenset({name}))
    slope = _slope(one, name, hints.get("slope"), way, reader)
    grows = one.relation in (">", ">=")
    if one.relation == "=":
        raise Rejected("monotone proves inequalities")
    wanted = ">=" if grows == up else "<="
    _inner(at_end, hints.get("end"), context, reader)
    _inner(Statement(slope, wanted, ("num", Fraction(0))), hints.get("slope"), way, reader)


def _between(first: Sign, second: Sign) -> Sign:
    """Of numbers between two with these signs."""
    found = sum_sign([NONNEGATIVE if s == ZERO else s for s in (first, second)])
    return (
        found if first == second else {POSITIVE: NONNEGATIVE, NEGATIVE: NONPOSITIVE}.get(found or "", found)
    )


def _on_the_way(
    fact: tuple[Quotient, Sign], index: int, gap: Quotient, y: Quotient, context: Context
) -> tuple[Quotient, Sign] | None:
    """A hypothesis that is affine in the variable and holds at the point too, said of what lies between."""
    q, says = fact
    numerator = {m: c for m, c in q.numerator.items() if (index, 1) in m}
    slope = Quotient({tuple(p for p in m if p != (index, 1)): c for m, c in numerator.items()}, q.denominator)
    rest = Quotient({m: c for m, c in q.numerator.items() if m not in numerator}, q.denominator)
    if not numerator or any(quotient_depends(part, index, context.atoms) for part in (slope, rest)):
        return None
    sign = _between(says, context.sign(plus(q, product(slope, gap), -1)))
    return None if sign is None else (plus(rest, product(slope, y)), sign)


def _ends(one: Statement, hints: Mapping[str, Any], context: Context, reader: Reader) -> None:
    """left - right bends one way in a variable between two points, and has the relation at both: between a chord and 0."""
    name = hints.get("variable")
    if name not in context.variables or one.relation == "=":
        raise Rejected("ends names a variable that is declared, and proves inequalities")
    x, index = context.variable(name), context.variable_number(name)
    terms = [reader.term(hints.get(word)) for word in ("low", "high")]
    for term in terms:
        defined(term, context)
    low, high = (form(term, context) for term in terms)
    way = anew(context, name, Declared(_between(context.sign(low), context.sign(high))))
    for end, side, says in ((low, 1, NONNEGATIVE), (high, -1, NONPOSITIVE)):
        if quotient_depends(end, index, context.atoms) or not context.is_nonnegative(
            scaled(plus(x, end, -1), side)
        ):
            raise Rejected(f"{name} is not known to stay between the points")
        way = replace(way, facts=(*way.facts, (plus(way.variable(name), end, -1), says)))
    for term in (one.left, one.right):
        defined(term, way, frozenset({name}))
    bend = ("diff", one.difference, name, 2)
    wanted = ">=" if one.relation[0] == "<" else "<="
    _inner(Statement(bend, wanted, ("num", Fraction(0))), hints.get("bend"), way, reader)
    for term in terms:
        at_end = Statement(put(one.left, {name: term}), one.relation, put(one.right, {name: term}))
        _inner(at_end, hints.get("at"), context, reader)


def _cases(one: Statement, hints: Mapping[str, Any], context: Context, reader: Reader) -> None:
    """A maximum is one of its entries and no less than the others, |a| is the larger of a and -a."""
    split = reader.term(hints.get("of"))
    if split[0] not in ("max", "min", "abs"):
        raise Rejected("cases are those of a maximum, a minimum or an absolute value")
    defined(split, context)
    entries = split[1:] if split[0] != "abs" else (split[1], ("-", split[1]))
    each = listed(hints.get("each"), "cases")
    if len(each) != len(entries):
        raise Rejected("one rule for each case")
    says = NONPOSITIVE if split[0] == "min" else NONNEGATIVE
    for entry, data in zip(entries, each, strict=True):
        facts = tuple((form(("-", entry, other), context), says) for other in entries if other != entry)
        chosen = Statement(_chosen(one.left, split, entry), one.relation, _chosen(one.right, split, entry))
        _inner(chosen, data, replace(context, facts=(*context.facts, *facts)), reader)


def _chosen(term: Term, split: Term, entry: Term) -> Term:
    """The term with the entry for the maximum, where nothing binds a variable."""
    if term == split:
        return entry
    if term[0] in ("num", "var", "const", "tr", "int", "sum", "lim", "diff"):
        return term
    return tuple(_chosen(a, split, entry) if isinstance(a, tuple) else a for a in term)


def _induction(one: Statement, hints: Mapping[str, Any], context: Context, reader: Reader) -> None:
    induction(one, hints, context, reader, _inner)


def _slope(one: Statement, name: str, data: Any, way: Context, reader: Reader) -> Term:
    """The slope of left - right, written as `is` where that is given: equal to it in the ring."""
    slope: Term = ("diff", one.difference, name, 1)
    if not isinstance(data, dict) or "is" not in data:
        return slope
    written = reader.term(data["is"])
    defined(written, way)
    if not same(form(slope, way), form(written, way), way):
        raise Rejected("the slope is not what it is said to be")
    return written


def _inner(one: Statement, data: Any, context: Context, reader: Reader) -> None:
    inner = mapping(data if data is not None else {}, "a rule inside a rule")
    settle(one, inner.get("by", "sign"), mapping(inner.get("with", {}), "with"), context, reader)


def _squares(one: Statement, hints: Mapping[str, Any], context: Context, reader: Reader) -> None:
    """Both sides are nonnegative, and their squares have the relation."""
    for side in (one.left, one.right):
        if sign_of(side, context) not in (POSITIVE, NONNEGATIVE, ZERO):
            raise Rejected("a side is not known to be nonnegative")
    two = ("num", Fraction(2))
    squared = Statement(("^", one.left, two), one.relation, ("^", one.right, two))
    difference = plus(power(form(one.left, context), 2), power(form(one.right, context), 2), -1)
    if one.relation == "=" and not difference.numerator:
        return
    _sign(squared, {k: v for k, v in hints.items() if k == "as"}, context, reader)


def _absolute(one: Statement, hints: Mapping[str, Any], context: Context, reader: Reader) -> None:
    """|a| <= b from -b <= a <= b; |a| < b likewise."""
    if one.left[0] != "abs" or one.relation not in ("<=", "<"):
        raise Rejected("this rule is for |a| <= b")
    inner = one.left[1]
    _inner(Statement(inner, one.relation, one.right), hints.get("above"), context, reader)
    _inner(Statement(("-", one.right), one.relation, inner), hints.get("below"), context, reader)


def _chain(one: Statement, hints: Mapping[str, Any], context: Context, reader: Reader) -> None:
    """left ~ a ~ b ~ ... ~ right, each link by a rule of its own; all relations point the same way."""
    links = listed(hints.get("links"), "links")
    at, strict = one.left, False
    for link in links:
        data = mapping(link, "a link")
        relation, to = data.get("relation"), reader.term(data.get("to"))
        if relation not in _LINKS[one.relation]:
            raise Rejected("a link that points another way")
        defined(to, context)
        _inner(Statement(at, relation, to), data, context, reader)
        strict = strict or relation in ("<", ">")
        at = to
    if not same(form(at, context), form(one.right, context), context):
        raise Rejected("the chain does not end at the right side")
    if one.relation in ("<", ">") and not strict:
        raise Rejected("a strict relation needs a strict link")


_LINKS = {
    "=": ("=",),
    "<": ("=", "<", "<="),
    "<=": ("=", "<", "<="),
    ">": ("=", ">", ">="),
    ">=": ("=", ">", ">="),
}

RULES: dict[str, Callable[[Statement, Mapping[str, Any], Context, Reader], None]] = {
    "ring": _ring,
    "sign": _sign,
    "box": _box,
    "monotone": _monotone,
    "squares": _squares,
    "absolute": _absolute,
    "ends": _ends,
    "cases": _cases,
    "induction": _induction,
    "chain": _chain,
}


def _rational(data: Any, reader: Reader) -> Fraction:
    value = form(reader.term(data), Context({})).number
    if value is None:
        raise Rejected("a rational number was expected")
    return value
