"""The search for a rule and hints with which the kernel accepts a step: sympy looks, nothing that it says is believed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from copy import deepcopy
from dataclasses import replace
from itertools import islice, product
from typing import Any, TypeVar

import sympy as sp
from sympy.core.function import AppliedUndef

from ..apart import UnfinishedError
from ..derivation import MatrixFacts, Step
from ..enclosure import sample_points
from ..kernel.proof import ACCEPTED, Answer, answer
from .antiderivatives import antiderivative, below_exponentials, parts
from .intervals import middle, rules_within
from .known_values import law_of
from .lemmas import lemmas
from .squares import as_squares
from .terms import NotInLanguageError, Translation

SYMPY = "trusted: sympy"
_INSTANCES, _SIGNS = 12, 16
_OPERATIONS, _ALONG = 400, 2
_MOST_KEPT = 8192
_FOUND: dict[Any, dict[str, Any]] = {}
Hints = tuple[str, dict[str, Any]]
_T = TypeVar("_T")


def written(step: Step, where: tuple[sp.Expr, ...] = ()) -> dict[str, Any]:
    """The step in the kernel's language with a rule by which it is accepted; by "trusted: sympy", and why, where none was found.

    All of `where` are positive, a hypothesis that is used where the step needs it.
    """
    step = replace(step, left=sp.sympify(step.left), right=sp.sympify(step.right))
    where = (*step.where, *where, *_positive_functions(step))
    facts = step.matrices or MatrixFacts()
    given = (*facts.rules.items(),), (*facts.traces.items(),), (*(facts.instance or {}).items(),)
    key = (step.left, step.relation, step.right, repr(given), where, step.within)
    # A search is made once for each step: derivations are recorded for several pages.
    if key not in _FOUND:
        if len(_FOUND) >= _MOST_KEPT:
            _FOUND.clear()
        found = _found(step, ())
        _FOUND[key] = _found(step, where) if where and found["by"] == SYMPY else found
    return deepcopy(_FOUND[key])


def _positive_functions(step: Step) -> tuple[sp.Expr, ...]:
    """Functions whose own assumption is that they are positive, where they stand outside of integrals and sums."""
    free = step.left.free_symbols | step.right.free_symbols
    found = {f for side in (step.left, step.right) for f in side.atoms(AppliedUndef, sp.Indexed)}
    return tuple(sorted((f for f in found if f.is_positive and f.free_symbols <= free), key=str))


def _found(step: Step, where: tuple[sp.Expr, ...]) -> dict[str, Any]:
    translation = Translation()
    try:
        said = {
            "left": translation.term(step.left),
            "relation": step.relation,
            "right": translation.term(step.right),
        }
        given = [[translation.term(w), ">", 0] for w in where]
        given += translation.ends_of(step.within)
    except (NotInLanguageError, RecursionError) as error:
        return {"by": SYMPY, "reason": f"not in the kernel's language: {error}"}
    free = step.left.free_symbols | step.right.free_symbols
    translation.bound = [s for s in translation.bound if s not in free]
    more = {"given": given} if given else {}
    last = Answer("rejected", "no rule was tried")
    for known in _while_it_goes(_known(step, translation, more)):
        for rule, hints in _while_it_goes(_rules(step, translation)):
            row = {**said, **_declared(step, translation, more), "by": rule}
            if hints or known:
                row["with"] = hints | known
            last = answer(row)
            if last.word == ACCEPTED:
                return row
    return {"by": SYMPY, "reason": last.why}


def _while_it_goes(found: Iterator[_T]) -> Iterator[_T]:
    """What a search comes upon, until sympy raises what it raises of an expression that it does not know: nothing more is found then."""
    try:
        yield from found
    except UnfinishedError:
        raise
    except Exception:
        return


def _known(step: Step, translation: Translation, more: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Nothing; then the signs on which it depends whether the step is defined."""
    yield {}

    def accepted(row: dict[str, Any]) -> bool:
        return answer({**row, **_declared(step, translation, more)}).word == ACCEPTED

    found = lemmas((step.left, step.right, *step.where), translation, accepted)
    if found:
        yield {"lemmas": found}


def _declared(step: Step, translation: Translation, more: dict[str, Any]) -> dict[str, Any]:
    """Variables, letters and what is known of these."""
    found: dict[str, Any] = {}
    if step.matrices is not None:
        found["rules"] = [
            [list(map(_name, word)), translation.term(value)] for word, value in step.matrices.rules.items()
        ]
        if step.matrices.instance is not None and found["rules"]:
            given = {_name(x): _rows(m) for x, m in step.matrices.instance.items()}
            found["matrices"] = {n: given[n] for n in translation.letters if n in given}
        found["traces"] = [
            [translation.term(t), translation.term(v)] for t, v in step.matrices.traces.items()
        ]
    found = {k: v for k, v in (found | more).items() if v}
    if translation.letters:
        found["letters"] = dict(translation.letters)
    if translation.names:
        found["for"] = translation.declarations()
    if {"traces", "matrices", "given"} & set(found):
        names = tuple(translation.names)
        if names not in translation.instances:
            translation.instances[names] = _instance(found, translation, step)
        found |= translation.instances[names]
    return found


def _rows(matrix: sp.Matrix) -> list[list[Any]]:
    return [[int(v) if v.is_Integer else [int(v.p), int(v.q)] for v in row] for row in matrix.tolist()]


def _name(letter: sp.Symbol) -> str:
    name: str = letter.name
    return name.removesuffix("_transpose") + ("'" if name.endswith("_transpose") else "")


def _instance(found: dict[str, Any], translation: Translation, step: Step) -> dict[str, Any]:
    """Values of the variables at which matrices with these traces exist: by their inner products, or numbers 1 and -1."""
    free = [s for s in translation.names if s not in translation.bound]
    zero = {"left": 0, "relation": "=", "right": 0, "by": "ring"}
    signs = islice(product((1, -1), repeat=len(translation.letters)), _SIGNS)
    small = [
        {"matrices": {n: [[v]] for n, v in zip(translation.letters, values, strict=True)}} for values in signs
    ]
    inside = {s: middle(low, high) for s, low, high in step.within}
    points = [
        {s: inside.get(s, v) for s, v in point.items()}
        for point in islice(sample_points(set(free)), _INSTANCES)
    ]
    # Also small ones, for shares whose sum is below one.
    small_points = [{s: v if s.is_integer else v / 64 for s, v in point.items()} for point in points]
    for point in (*points, *small_points):
        at = {"at": {translation.names[s]: translation.term(v) for s, v in point.items()}}
        for more in ({}, *small):
            if answer({**zero, **found, **at, **more}).word == ACCEPTED:
                return at | more
    return {"at": {}}


# --- rules and hints ------------------------------------------------------------------------------------------------


def _rules(step: Step, translation: Translation) -> Iterator[Hints]:
    """What is tried, the cheapest first."""
    values = _values(step, translation)
    if step.relation == "=":
        yield "ring", values
        return
    yield "sign", values
    if step.within:
        yield from rules_within(step, translation)
        return
    difference = step.left.doit() - step.right.doit()
    if step.relation in ("<=", ">=") and difference == 0:
        yield "ring", values
    # Numbers have a sign by themselves, and sympy may take for ever over those with angles in them.
    if difference.count_ops() > _OPERATIONS or not difference.free_symbols or _angles(difference):
        return
    for form in _forms(difference):
        try:
            yield "sign", {**values, "as": translation.term(form)}
        except NotInLanguageError:
            continue
    yield "squares", values
    squares = sp.expand(sp.powdenest(step.left.doit() ** 2 - step.right.doit() ** 2))
    if squares.count_ops() <= _OPERATIONS and not squares.has(sp.exp):
        for form in (sp.factor(squares), as_squares(squares)):
            if form is not None:
                yield "squares", {**values, "as": translation.term(form)}
    yield from _monotone(step, difference, translation, values)


def _angles(e: sp.Expr) -> bool:
    """Whether a sine or cosine of a number is in it."""
    return any(not f.free_symbols for f in e.atoms(sp.sin, sp.cos, sp.tan))


def _values(step: Step, translation: Translation) -> dict[str, Any]:
    """Laws and antiderivatives of the integrals and sums that are written down, innermost first."""
    found: dict[str, list[Any]] = {}
    for side in (step.left, step.right):
        for e in sp.postorder_traversal(side):
            if isinstance(e, sp.Integral | sp.Sum) and len(e.limits) == 1 and len(e.limits[0]) == 3:
                with suppress(NotInLanguageError):
                    value = _value(e, translation)
                    if value:
                        kind = "integrals" if isinstance(e, sp.Integral) else "sums"
                        found.setdefault(kind, []).append([translation.term(e), *value])
    return found


def _value(e: sp.Integral | sp.Sum, translation: Translation) -> list[Any]:
    """What the kernel needs to give it a value: a law with its letters, or antiderivatives; nothing where none was found."""
    # What was written without being carried out is carried out for the search.
    body, (x, low, high) = e.function.doit(), e.limits[0]
    law = law_of(e) if below_exponentials(body, x) is None else None
    if law is not None:
        return [{"law": law[0], **{k: translation.term(v) for k, v in law[1].items()}}]
    if isinstance(e, sp.Sum):
        several = [sp.factor(sp.summation(body, (x, 0, x - 1)))] if body.is_polynomial(x) else []
        return [translation.term(f) for f in several]
    primitive = antiderivative(body, x)
    several = [primitive] if primitive is not None else parts(body, x, low, high) or []
    return [translation.term(f) for f in several]


def _forms(difference: sp.Expr) -> Iterator[sp.Expr]:
    """Ways to write a difference in which its sign may show."""
    tried = {difference}
    for rewrite in (
        sp.factor,
        as_squares,
        sp.expand,
        lambda e: as_squares(sp.expand(e)),
        _quotient,
        _separated,
        sp.simplify,
    ):
        found = rewrite(difference)
        if found is not None and found not in tried:
            tried.add(found)
            yield found


def _separated(difference: sp.Expr) -> sp.Expr | None:
    """A sum of functions of one variable each: every one less its value at a rational point where its slope is 0, as factors."""
    parts: dict[sp.Symbol | None, sp.Expr] = {}
    for term in sp.Add.make_args(sp.expand(difference)):
        free = list(term.free_symbols)
        if len(free) > 1:
            return None
        parts[free[0] if free else None] = parts.get(free[0] if free else None, sp.Integer(0)) + term
    constant, found = parts.pop(None, sp.Integer(0)), []
    for symbol, part in sorted(parts.items(), key=str):
        slope = sp.fraction(sp.together(sp.diff(part, symbol)))[0]
        if not slope.is_polynomial(symbol) or sp.degree(slope, symbol) < 1:
            return None
        roots = [r for r in sp.Poly(slope, symbol).ground_roots() if r != 0]
        # Where both signs occur the variable is positive more often than not.
        roots = [r for r in roots if r > 0] or roots
        if not roots:
            return None
        levels = [part.subs(symbol, r) for r in roots]
        if not all(level.is_extended_real and level.is_finite for level in levels):
            return None
        # Of several the lowest value leaves the most.
        lowest = min(range(len(levels)), key=lambda i: levels[i])
        found.append(sp.factor(part - levels[lowest]))
        constant += levels[lowest]
    return sp.Add(*found, constant, evaluate=False) if found else None


def _quotient(difference: sp.Expr) -> sp.Expr | None:
    """The numerator as squares over the denominator as factors."""
    above, below = sp.fraction(sp.together(difference))
    found = as_squares(sp.expand(above))
    return None if below == 1 or found is None else found / sp.factor(below)


def _monotone(
    step: Step, difference: sp.Expr, translation: Translation, values: dict[str, Any]
) -> Iterator[Hints]:
    """Along one variable from an end of its range, whose sign is then that of the slope, up to three times."""
    if len(difference.free_symbols) > _ALONG:
        return
    for symbol in sorted(difference.free_symbols, key=str):
        start = sp.Integer(1) if symbol.is_integer and symbol.is_positive else sp.Integer(0)
        side = "above" if symbol.is_nonnegative else "below" if symbol.is_nonpositive else None
        if side is None:
            continue
        way = {"variable": translation.names[symbol], "from": int(start), "side": side}
        slopes = [sp.simplify(sp.diff(difference, symbol, k)) for k in (1, 2, 3)]
        for depth in (1, 2, 3):
            try:
                *before, last = (translation.term(s) for s in slopes[:depth])
            except NotInLanguageError:
                break
            slope: dict[str, Any] = {"is": last, "by": "sign"}
            for term in reversed(before):
                slope = {"is": term, "by": "monotone", "with": {**way, "slope": slope}}
            yield "monotone", {**values, **way, "slope": slope}
