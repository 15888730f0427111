"""A formula with Max, Min, Abs or Piecewise in parameters, split into regions in each of which it is one smooth formula."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations, permutations

import numpy as np
import sympy as sp
from sympy.core.relational import GreaterThan, LessThan, StrictGreaterThan, StrictLessThan

from ..parameter_domain import ParameterDomain, declared
from ..proof.enclosure import sign
from .impossible import impossible, inner_point

Inside = Callable[[sp.Expr], sp.Expr]
# Conditions, the branch, those of the conditions that are strict, the number of the branch.
_Split = tuple[list[sp.Expr], sp.Expr, list[sp.Expr], int]
_MOST = 256
_DRAWS = 600


@dataclass(frozen=True)
class ParameterRegion:
    """Where all `conditions` are at least zero, those in `strict` above it, and the values that the variables have there."""

    conditions: tuple[sp.Expr, ...]
    values: dict[sp.Symbol, sp.Expr]
    strict: frozenset[sp.Expr] = frozenset()

    def said(self) -> str:
        """The conditions in words."""
        return " and ".join(f"{c} >= 0" for c in self.conditions) or "everywhere"

    def holds(self, at: Mapping[sp.Symbol, sp.Expr], strictly: bool = True) -> bool:
        """Whether a point of the parameters lies in the region, in its interior if `strictly`."""
        wanted = (1,) if strictly else (0, 1)
        return all(sign(c.subs(at)) in wanted for c in self.conditions)


def regions(values: Mapping[sp.Symbol, sp.Expr], domain: ParameterDomain) -> list[ParameterRegion] | None:
    """The regions of all cases, some of them perhaps empty; None for a condition that is no inequality, or too many cases."""
    ends = domain_ends(domain)
    done: list[ParameterRegion] = []
    waiting = [ParameterRegion((), dict(values))]
    while waiting:
        region = waiting.pop()
        kink = next((k for e in region.values.values() for k in _kinks(e)), None)
        if kink is None:
            done.append(region)
            continue
        cases = _cases(kink)
        if cases is None or len(done) + len(waiting) > _MOST:
            return None
        for conditions, branch, strict, index in cases:
            same = [k for k in _together(kink, region) if k != kink]
            swapped = {kink: branch, **{k: k.args[index][0] if index < len(k.args) else sp.nan for k in same}}
            moved = {v: e.xreplace(swapped) for v, e in region.values.items()}
            new = [c for c in conditions if not c.is_nonnegative and c not in region.conditions]
            whole, above = (*region.conditions, *new), region.strict | frozenset(strict)
            rows = (*whole, *ends)
            if any(c.is_negative for c in new) or impossible(rows, above | {*ends}, _symbols(rows)):
                continue
            waiting.append(ParameterRegion(whole, moved, above))
    return done


def _symbols(conditions: tuple[sp.Expr, ...]) -> list[sp.Symbol]:
    return sorted({s for c in conditions for s in c.free_symbols}, key=lambda s: s.name)


def _together(kink: sp.Expr, region: ParameterRegion) -> list[sp.Expr]:
    """The Piecewise formulas of other variables with the same conditions: they are split as one."""
    if not isinstance(kink, sp.Piecewise):
        return []
    found = [k for e in region.values.values() for k in e.atoms(sp.Piecewise)]
    return [k for k in found if [c for _, c in k.args] == [c for _, c in kink.args]]


def _kinks(e: sp.Expr) -> list[sp.Expr]:
    found = [k for k in e.atoms(sp.Max, sp.Min, sp.Abs, sp.Piecewise) if k.free_symbols]
    inner = (sp.Max, sp.Min, sp.Abs, sp.Piecewise)
    return sorted((k for k in found if not any(a.has(*inner) for a in k.args)), key=sp.default_sort_key)


def _cases(kink: sp.Expr) -> list[_Split] | None:
    if isinstance(kink, sp.Abs):
        (inside,) = kink.args
        return [([inside], inside, [], 0), ([-inside], -inside, [], 1)]
    if isinstance(kink, sp.Max | sp.Min):
        s = 1 if isinstance(kink, sp.Max) else -1
        return [([s * (a - b) for b in kink.args if b != a], a, [], 0) for a in kink.args]
    rows: list[_Split] = []
    outside: list[list[sp.Expr]] = [[]]
    beyond: set[sp.Expr] = set()
    for index, (branch, condition) in enumerate(kink.args):
        inside = _alternatives(condition)
        if inside is None:
            return None
        # What earlier branches took is left out: their conditions fail strictly, unless these were strict themselves.
        rows += [
            ([*before, *way], branch, [c for c in before if c in beyond], index)
            for before in outside
            for way in inside
        ]
        strict = condition.has(sp.StrictGreaterThan, sp.StrictLessThan)
        beyond |= set() if strict else {-c for way in inside for c in way}
        for way in inside:
            outside = [[*before, -c] for before in outside for c in way]
            outside = [b for b in outside if not impossible(b, frozenset(beyond), _symbols(tuple(b)))]
    # Beyond the last branch the formula has no value.
    return rows + [(before, sp.nan, [c for c in before if c in beyond], len(kink.args)) for before in outside]


def _alternatives(condition: sp.Basic) -> list[list[sp.Expr]] | None:
    """Ways to meet the condition, each as expressions that are not negative there, up to the border."""
    ways = [_inequalities(c) for c in (condition.args if isinstance(condition, sp.Or) else (condition,))]
    return None if any(w is None for w in ways) else [w for w in ways if w is not None]


def _inequalities(condition: sp.Basic) -> list[sp.Expr] | None:
    """Expressions that are not negative exactly where the condition holds, up to its border."""
    if condition is sp.true:
        return []
    if isinstance(condition, sp.And):
        parts = [_inequalities(a) for a in condition.args]
        return None if any(p is None for p in parts) else [c for p in parts if p for c in p]
    if isinstance(condition, GreaterThan | StrictGreaterThan):
        return [condition.lhs - condition.rhs]
    if isinstance(condition, LessThan | StrictLessThan):
        return [condition.rhs - condition.lhs]
    return None


def points(
    domain: ParameterDomain, region: ParameterRegion, count: int = 3
) -> list[dict[sp.Symbol, sp.Expr]]:
    """Rational parameters in the interior of the region, half of them drawn at random."""
    found = [at for at in domain.points() if region.holds(at)][: (count + 1) // 2]
    draw, tried = np.random.default_rng(1), 0
    while len(found) < count and tried < _DRAWS and domain.ends:
        tried += 1
        at = {s: _drawn(draw, low, high) for s, (low, high) in domain.ends}
        if domain.contains({s.name: v for s, v in at.items()}) and region.holds(at):
            found.append(at)
    return found


def some_point(domain: ParameterDomain, region: ParameterRegion) -> dict[sp.Symbol, sp.Expr] | None:
    """Rational parameters in the interior of the region, however narrow it is if its conditions are affine; None if none was met."""
    symbols = [s for s, _ in domain.ends]
    known = given(domain, region)
    at = inner_point(known, symbols)
    if at is not None and region.holds(at) and domain.contains({s.name: v for s, v in at.items()}):
        return at
    decided = at is None and known and set(region.conditions) <= set(known)
    return None if decided else next(iter(points(domain, region, 1)), None if symbols else {})


def domain_ends(domain: ParameterDomain) -> list[sp.Expr]:
    """Expressions that are positive where each parameter lies between its ends."""
    rows = []
    for s, (low, high) in domain.ends:
        rows += [s - low] if low.is_finite else []
        rows += [high - s] if high.is_finite else []
    return rows


def on_border(domain: ParameterDomain, region: ParameterRegion) -> list[dict[sp.Symbol, sp.Expr]]:
    """Parameters of a region without interior points, or of the border of one."""
    found = []
    for at in domain.points():
        for c in region.conditions:
            for s, _ in domain.ends:
                root = _linear_root(c, s)
                moved = at if root is None else {**at, s: sp.expand(root[1].subs(at))}
                inside = domain.contains({k.name: v for k, v in moved.items()})
                if inside and region.holds(moved, strictly=False):
                    found.append(moved)
    return found


def _drawn(draw: np.random.Generator, low: sp.Expr, high: sp.Expr) -> sp.Rational:
    t = sp.Rational(int(draw.integers(1, 1000)), 1000)
    if low.is_finite and high.is_finite:
        return low + (high - low) * t
    size = sp.Rational(int(draw.integers(1, 4000)), 400)
    return (
        low + size if low.is_finite else high - size if high.is_finite else size * int(draw.choice([-1, 1]))
    )


def breakpoints(domain: ParameterDomain, region: ParameterRegion) -> list[dict[sp.Symbol, sp.Expr]]:
    """With one parameter: where a condition vanishes."""
    if len(domain.ends) != 1:
        return []
    ((s, _),) = domain.ends
    rows = []
    for c in region.conditions:
        root = _linear_root(c, s)
        if root is not None and domain.contains({s.name: root[1]}):
            rows.append({s: root[1]})
    return rows


def _linear_root(c: sp.Expr, s: sp.Symbol) -> tuple[sp.Expr, sp.Expr] | None:
    """The slope and the root of a condition that is affine in the symbol."""
    slope = sp.diff(c, s)
    if slope == 0 or slope.has(s):
        return None
    return slope, sp.expand(s - c / slope)


def insides(domain: ParameterDomain, region: ParameterRegion) -> Iterator[tuple[Inside, ...]]:
    """Ways to cover the region, or a larger set that holds it: what is true in all sets of a cover is true in the region."""
    if len(domain.ends) == 1:
        cover = _interval(domain, region)
        if cover:
            yield cover
            return
    yield (domain.inside,)
    for size in range(1, len(domain.ends) + 2):
        for chosen in combinations(region.conditions, size):
            yield from _substituted(domain, chosen)


def given(domain: ParameterDomain, region: ParameterRegion) -> tuple[sp.Expr, ...]:
    """Affine expressions that are not negative in the region: its conditions and the ends of the domain."""
    rows = [*region.conditions, *domain_ends(domain)]
    symbols = [s for s, _ in domain.ends]
    return tuple(e for e in rows if e.is_polynomial(*symbols) and sp.Poly(e, *symbols).total_degree() <= 1)


def _interval(domain: ParameterDomain, region: ParameterRegion) -> tuple[Inside, ...]:
    ((s, ends),) = domain.ends
    low, high = ends
    for c in region.conditions:
        root = _linear_root(c, s)
        if root is None or not root[1].is_number:
            continue
        if root[0].is_positive:
            low = sp.Max(low, root[1])
        elif root[0].is_negative:
            high = sp.Min(high, root[1])
    if (low, high) == declared(s):
        return ()
    # An end of the domain is open, one that a condition sets is closed.
    w = sp.Dummy(s.name, nonnegative=True) if (low, high) != ends else sp.Dummy(s.name, positive=True)
    if not (low.is_finite and high.is_finite):
        return (lambda e: e.subs(s, low + w if low.is_finite else high - w),)
    inner = (low + high * w) / (1 + w)
    if low == ends[0]:
        inner = (high + low * w) / (1 + w)
    closed = [end for end, given in ((low, ends[0]), (high, ends[1])) if end != given]
    return (lambda e: e.subs(s, inner), *(_fixed(s, end) for end in closed))


def _fixed(s: sp.Symbol, value: sp.Expr) -> Inside:
    return lambda e: e.subs(s, value)


def _substituted(domain: ParameterDomain, conditions: tuple[sp.Expr, ...]) -> Iterator[tuple[Inside, ...]]:
    """Each condition solved for one parameter in which it is affine, or for what an earlier one left free."""
    names = [s for s, _ in domain.ends]
    for order in permutations(names, min(len(conditions), len(names))):
        covers: list[dict[sp.Symbol, sp.Expr]] | None = [{}]
        for k, c in enumerate(conditions):
            covers = None if covers is None else _placed(covers, c, order[k] if k < len(order) else None)
        if covers:
            yield tuple(_composed(domain, moved) for moved in covers)


def _placed(
    covers: list[dict[sp.Symbol, sp.Expr]], c: sp.Expr, s: sp.Symbol | None
) -> list[dict[sp.Symbol, sp.Expr]] | None:
    new = []
    for moved in covers:
        now = sp.expand(c.subs(moved))
        if now.is_nonnegative:
            new.append(moved)
            continue
        root = None if s is None else _linear_root(now, s)
        if root is not None and s is not None and (root[0].is_positive or root[0].is_negative):
            w = sp.Dummy(s.name, nonnegative=True)
            new.append(_with(moved, s, root[1] + w / root[0]))
            continue
        free = [w for w in now.free_symbols if isinstance(w, sp.Dummy)]
        root = _linear_root(now, free[0]) if len(now.free_symbols) == len(free) == 1 else None
        if root is None or not root[0].is_negative or not root[1].is_nonnegative:
            return None
        if root[1] == 0:
            new.append(_with(moved, free[0], sp.S.Zero))
            continue
        v = sp.Dummy(nonnegative=True)
        new += [_with(moved, free[0], root[1] * v / (1 + v)), _with(moved, free[0], root[1])]
    return new


def _with(moved: dict[sp.Symbol, sp.Expr], s: sp.Symbol, value: sp.Expr) -> dict[sp.Symbol, sp.Expr]:
    changed = {k: sp.expand(v.subs(s, value)) for k, v in moved.items()}
    return changed if isinstance(s, sp.Dummy) else {**changed, s: value}


def _composed(domain: ParameterDomain, moved: dict[sp.Symbol, sp.Expr]) -> Inside:
    # What was moved may be anything that its condition allows: the ends of its own interval are given up.
    rest = ParameterDomain(tuple((s, ends) for s, ends in domain.ends if s not in moved))
    return lambda e: rest.inside(e.subs(moved, simultaneous=True))
