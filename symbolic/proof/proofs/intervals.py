"""Rules for steps whose symbols lie between ends: monotone or convex in one symbol, by cases, or enclosed over the whole box."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, product
from typing import Any

import sympy as sp

from ..derivation import Step
from .terms import NotInLanguageError, Translation

Hints = tuple[str, dict[str, Any]]
_OPERATIONS, _MOST_CASES, _MOST_ENDS = 400, 3, 10
_ROUGH = (sp.Abs, sp.Max, sp.Min, sp.sign, sp.floor, sp.ceiling)


def rules_within(step: Step, translation: Translation) -> Iterator[Hints]:
    """What is tried for an inequality, the cheapest first."""
    difference = step.left.doit() - step.right.doit()
    ends = {s: (low, high) for s, low, high in step.within if s in translation.names}
    moving = sorted(step.left.free_symbols - step.right.free_symbols, key=str)
    try:
        if isinstance(step.left, sp.Abs) and step.relation in ("<=", "<"):
            yield from _absolute(step, translation)
        if difference.has(sp.Max, sp.Min, sp.Abs):
            yield from _cases(step, difference, translation)
        if len(moving) == 1 and moving[0] in ends:
            yield from _along(step, difference, moving[0], ends, translation)
            yield from _one_by_one(step, moving[0], translation)
        closed = [s for s in moving if s in ends and all(end.is_finite for end in ends[s])]
        bent = _bent_one_way(step, difference, closed)
        if bent:
            yield "ends", _at_all_ends(bent, ends, translation)
        yield from (("sign", {"as": translation.term(f)}) for f in _forms(difference))
        if difference.free_symbols:
            yield "box", _box(difference, ends, translation)
    except (NotInLanguageError, ValueError, TypeError):
        # Also where sympy puts a number in at which a part is not real.
        return


def middle(low: sp.Expr, high: sp.Expr) -> sp.Expr:
    """A number between two ends, which may be infinite."""
    if low.is_finite and high.is_finite:
        return (low + high) / 2
    return low + 1 if low.is_finite else high - 1 if high.is_finite else sp.Integer(0)


def _forms(difference: sp.Expr) -> Iterator[sp.Expr]:
    if difference.count_ops() <= _OPERATIONS and not difference.has(*_ROUGH):
        found = sp.factor(difference)
        if found != difference:
            yield found


def _box(
    difference: sp.Expr, ends: dict[sp.Symbol, tuple[sp.Expr, sp.Expr]], translation: Translation
) -> dict[str, Any]:
    return {
        "box": {
            translation.names[s]: [translation.term(end) for end in ends[s]]
            for s in sorted(difference.free_symbols, key=str)
            if s in ends and all(end.is_finite for end in ends[s])
        }
    }


def _along(
    step: Step,
    difference: sp.Expr,
    x: sp.Symbol,
    ends: dict[sp.Symbol, tuple[sp.Expr, sp.Expr]],
    translation: Translation,
) -> Iterator[Hints]:
    """From that end at which the sides are closest, whose sign is that of the slope; convex functions at both ends."""
    low, high = ends[x]
    name = translation.names[x]
    chord = low.is_finite and high.is_finite
    if chord and isinstance(step.right, sp.Max):
        yield from _bent(difference, x, ends, translation)
    if any(a.has(x) for a in difference.atoms(*_ROUGH)):
        return
    slope = sp.factor(sp.together(sp.diff(difference, x)))
    sides = [(high, "below"), (low, "above")]
    # At the end that the function nears where it is in the middle: the other is tried last.
    rising = slope.subs({s: middle(*two) for s, two in ends.items()})
    if rising.is_number and bool(rising.is_negative) is (step.relation[0] == "<"):
        sides.reverse()
    for end, side in sides:
        if end.is_finite:
            way = {"variable": name, "from": translation.term(end), "side": side}
            for inner in ({"by": "sign"}, {"by": "box", "with": _box(slope, ends, translation)}):
                yield "monotone", {**way, "slope": {"is": translation.term(slope), **inner}}
    if chord:
        yield from _bent(difference, x, ends, translation)


def _bent(
    difference: sp.Expr,
    x: sp.Symbol,
    ends: dict[sp.Symbol, tuple[sp.Expr, sp.Expr]],
    translation: Translation,
) -> Iterator[Hints]:
    """Both ends, between which the function lies below its chord."""
    bend = sp.factor(sp.together(sp.diff(difference, x, 2)))
    low, high = (translation.term(end) for end in ends[x])
    two = {"variable": translation.names[x], "low": low, "high": high}
    yield "ends", {**two, "bend": {"by": "sign", "with": {"as": translation.term(bend)}}}


def _at_all_ends(
    moving: Sequence[sp.Symbol], ends: dict[sp.Symbol, tuple[sp.Expr, sp.Expr]], translation: Translation
) -> dict[str, Any]:
    """One symbol after the other at its ends, where the sign is that of numbers."""
    inner: dict[str, Any] = {"by": "sign"}
    for s in reversed(moving):
        low, high = ends[s]
        two = {"variable": translation.names[s], "low": translation.term(low), "high": translation.term(high)}
        inner = {"by": "ends", "with": {**two, "at": inner}}
    hints: dict[str, Any] = inner["with"]
    return hints


def _bent_one_way(step: Step, difference: sp.Expr, moving: Sequence[sp.Symbol]) -> list[sp.Symbol]:
    """The symbols in which a polynomial is affine, or a parabola that bends the right way: it is extreme at their ends."""
    if len(moving) > _MOST_ENDS or not difference.is_polynomial(*moving):
        return []
    ways = (sp.diff(difference, s, 2) for s in moving)
    up = step.relation[0] == "<"
    return [
        s
        for s, way in zip(moving, map(sp.expand, ways), strict=True)
        if way.is_number and bool(way >= 0 if up else way <= 0)
    ]


def _one_by_one(step: Step, x: sp.Symbol, translation: Translation) -> Iterator[Hints]:
    """Where a symbol is put to its end in several maxima and minima: in one after the other, the larger maximum split or the less."""
    rough = [e for e in sorted(step.left.atoms(sp.Max, sp.Min), key=str) if e.has(x)]
    end = next(
        (e for s, *two in step.within if s == x for e in two if step.left.subs(x, e) == step.right), None
    )
    if end is None or not 1 < len(rough) <= _MOST_CASES:
        return
    pairs = [(e, e.subs(x, end)) for e in rough]
    for split in product(*pairs):
        at, links = step.left, []
        for (old, new), of in zip(pairs, split, strict=True):
            at = at.xreplace({old: new})
            entries = len(of.args) if isinstance(of, sp.Max | sp.Min) else 1
            rule = {"by": "cases", "with": {"of": translation.term(of), "each": [{"by": "sign"}] * entries}}
            links.append({"relation": step.relation, "to": translation.term(at), **rule})
        yield "chain", {"links": links}


def _absolute(step: Step, translation: Translation) -> Iterator[Hints]:
    """|a| from a and from -a, each by the first of the rules that may do."""
    inside = step.left.args[0]
    above = Step(inside, step.relation, step.right, "", within=step.within)
    below = Step(-step.right, step.relation, inside, "", within=step.within)
    for two in zip(_tried(above, translation), _tried(below, translation), strict=False):
        (rule, hints), (other, more) = two
        yield "absolute", {"above": _said(rule, hints), "below": _said(other, more)}


def _tried(step: Step, translation: Translation) -> Iterator[Hints]:
    yield "sign", {}
    yield from rules_within(step, translation)


def _said(rule: str, hints: dict[str, Any]) -> dict[str, Any]:
    return {"by": rule, "with": hints} if hints else {"by": rule}


def _cases(step: Step, difference: sp.Expr, translation: Translation) -> Iterator[Hints]:
    """Maxima, minima and absolute values of the difference split, one inside the other: each of them alone, then some or all."""
    split = sorted(difference.atoms(sp.Max, sp.Min, sp.Abs), key=lambda e: (sp.count_ops(e), str(e)))
    if len(split) > _MOST_CASES:
        return
    for size in range(1, len(split) + 1):
        for chosen in combinations(split, size):
            inner: dict[str, Any] = {"by": "sign"}
            for e in chosen:
                entries = 2 if isinstance(e, sp.Abs) else len(e.args)
                inner = {"by": "cases", "with": {"of": translation.term(e), "each": [inner] * entries}}
            yield "cases", inner["with"]
