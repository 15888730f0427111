"""Paths along which a program falls without end, or towards an infimum that no feasible point reaches."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np
import sympy as sp

from ..arrays import Floats
from ..proof.derivation import Derivation, Step
from ..proof.truth import Truth, all_hold
from .convex_lagrangian import placed
from .feasibility import Where, feasibility_steps, put
from .improve import feasible_points
from .infeasible import simple_fraction
from .judge import Judge
from .search import Numeric, best, nearest
from .smooth_form import SmoothForm

T = sp.Symbol("t", nonnegative=True)
_FAR = 200


@dataclass(frozen=True)
class Path:
    """A point for every t >= 0, feasible for all of them; `limit` is what the minimised objective tends to."""

    point: dict[sp.Symbol, sp.Expr]
    limit: sp.Expr
    derivation: Derivation

    @property
    def reason(self) -> str:
        """In words."""
        where = ", ".join(f"{v} = {e}" for v, e in self.point.items())
        if self.limit == -sp.oo:
            return f"unbounded: along {where} all points with t >= 0 are feasible, and the objective goes to minus infinity"
        return f"the infimum {self.limit} is not attained: along {where} the objective tends to it, and it is above it at every feasible point"


def unbounded(form: SmoothForm) -> Path | None:
    """A feasible path along which the objective goes to minus infinity; None proves nothing."""
    for path in _paths(form):
        if _limit(form, path) == -sp.oo and feasible_along(form, path) is Truth.HOLDS:
            return _found(form, path, -sp.oo, ())
    return None


def not_attained(form: SmoothForm) -> Path | None:
    """A feasible path along which the objective tends to a number that it stays above on the feasible set; None proves nothing."""
    for path in _paths(form):
        limit = _limit(form, path)
        if limit is None or not limit.is_finite or feasible_along(form, path) is not Truth.HOLDS:
            continue
        step = _above(form, limit)
        if step.check() is Truth.HOLDS:
            return _found(form, path, limit, (step,))
    return None


def _found(form: SmoothForm, path: Where, limit: sp.Expr, more: tuple[Step, ...]) -> Path:
    along = put(form.objective, path)
    steps = (
        *feasibility_steps(form, path, Judge()),
        Step(
            sp.Limit(along, T, sp.oo),
            "=",
            limit,
            "the objective along the path",
            lambda left, right: Truth.HOLDS if left.doit() == right else Truth.UNKNOWN,
        ),
        *more,
    )
    own = {v: path[v] for v in form.stated.variables}
    return Path(own, limit, Derivation("the objective along a feasible path", steps))


def _limit(form: SmoothForm, path: Where) -> sp.Expr | None:
    try:
        found = sp.limit(put(form.objective, path), T, sp.oo)
    except (NotImplementedError, ValueError, TypeError, RecursionError):
        return None
    return None if found.has(sp.AccumBounds, sp.nan, sp.zoo, sp.I) else found


def feasible_along(form: SmoothForm, path: Where) -> Truth:
    """Whether every point of the path with t >= 0 is feasible."""
    if form.natural.integers:
        return Truth.UNKNOWN
    return all_hold(step.check() for step in feasibility_steps(form, path, Judge()))


def _above(form: SmoothForm, limit: sp.Expr) -> Step:
    """The objective is above the limit at every feasible point, by signs in the box; a border that is not feasible is left out."""
    # One end of each variable is enough: what is above the limit on the larger set is so on the feasible one.
    ends = form.ranges()
    ranges = {v: (low, sp.oo) if low.is_finite else (low, high) for v, (low, high) in ends.items()}
    strict = {v for v in form.variables if _off_border(form, v, ranges)}
    moved = {}
    for v, place in placed(ranges).items():
        loose = {d: sp.Dummy(d.name, nonnegative=True) for d in place.free_symbols if d.is_positive}
        moved[v] = place if v in strict else place.xreplace(loose)
    gap = (form.objective - limit).subs(moved, simultaneous=True)
    return Step(gap, ">", sp.S.Zero, "no feasible point reaches it", lambda a, b: Judge().positive(a - b))


def _off_border(form: SmoothForm, v: sp.Symbol, ranges: dict[sp.Symbol, tuple[sp.Expr, sp.Expr]]) -> bool:
    low, high = ranges[v]
    if (low.is_finite and high.is_finite) or not (low.is_finite or high.is_finite):
        return False
    end = low if low.is_finite else high
    if any(e == v - end or e == end - v for e in form.natural.positive):
        return True
    minors = (-m.matrix[:k, :k].det() for m in form.matrices for k in range(1, m.matrix.rows + 1))
    return any(e.has(v) and bool(e.subs(v, end).is_positive) for e in (*form.above, *minors))


def _paths(form: SmoothForm) -> Iterator[dict[sp.Symbol, sp.Expr]]:
    """Rays from feasible points, and paths with a square of t or its inverse beside it, the likely ones first."""
    centred = replace(form, objective=sp.Add(*((v - sp.Rational(3, 2)) ** 2 for v in form.variables)))
    starts = [at for at, _ in islice(feasible_points(centred, [], 1), 1)]
    if not starts:
        return
    stated = form.stated.variables
    directions = _directions(form, starts[0])
    for start in starts[:1]:
        for d in directions:
            yield _lifted(form, {v: start[v] + T * x for v, x in zip(stated, d, strict=True)})
    for v, (low, high) in form.ranges().items():
        for end in (low, high):
            if end.is_finite and v in stated:
                inner = {w: starts[0][w] for w in stated}
                yield _lifted(form, {**inner, v: end + (inner[v] - end) / (1 + T)})
    for v, end in _poles(form):
        for side in (1, -1):
            yield _lifted(form, {**{w: starts[0][w] for w in stated}, v: end + side / (1 + T)})
    n = len(stated)
    axes = [tuple(s if i == k else 0 for i in range(n)) for k in range(n) for s in (1, -1)]
    if n > 3:
        return
    for start in starts[:1]:
        for d in axes:
            for e in axes:
                if d != e and tuple(-x for x in d) != e:
                    rows = zip(stated, d, e, strict=True)
                    yield _lifted(
                        form,
                        {v: start[v] + T * x + (T**2 + 2 * T * sp.Abs(start[v])) * z for v, x, z in rows},
                    )
    if n == 2:
        for near, far in (stated, stated[::-1]):
            for size in (1, 2):
                yield _lifted(form, {near: sp.Integer(1) / (1 + T), far: size * (1 + T)})


def _poles(form: SmoothForm) -> Iterator[tuple[sp.Symbol, sp.Expr]]:
    """Where a formula of one variable that must not vanish does."""
    for e in form.natural.nonzero:
        own = e.free_symbols & set(form.stated.variables)
        if len(own) == 1 and e.is_polynomial(*own):
            yield from ((*own, r) for r in sp.roots(sp.Poly(e, *own)) if r.is_real)


def _lifted(form: SmoothForm, path: dict[sp.Symbol, sp.Expr]) -> dict[sp.Symbol, sp.Expr]:
    return form.lifting.point(path)


def _directions(form: SmoothForm, start: Where) -> list[tuple[sp.Rational, ...]]:
    n = len(form.stated.variables)
    rows: list[tuple[sp.Rational, ...]] = [
        tuple(sp.Integer(s if i == k else 0) for i in range(n)) for k in range(n) for s in (1, -1)
    ]
    boxed = tuple(s * v - _FAR for v in form.variables for s in (1, -1))
    far = best(Numeric(replace(form, above=(*form.above, *boxed))), [], tries=2)[:2]
    origin = np.array([nearest(start[v]) for v in form.stated.variables])
    found: list[tuple[sp.Rational, ...]] = []
    for x in far:
        away: Floats = x[:n] - origin
        size = float(np.abs(away).max())
        if size > _FAR / 20:
            for bound in (1, 4, 24):
                found.append(tuple(simple_fraction(float(a) / size, bound) for a in away))
    return list(dict.fromkeys([*found, *rows]))
