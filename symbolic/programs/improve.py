"""A feasible point of lower value than a given one, exact and checked; none found proves nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import sympy as sp

from ..arrays import Floats
from ..proof.truth import Truth
from .feasibility import Where, at_point, put
from .judge import Judge
from .polish import Point, near_points, polished
from .search import Numeric, best, nearest
from .smooth_form import SmoothForm

_BOXES = (1, 50)


@dataclass(frozen=True)
class Better:
    """A feasible point, as exact numbers for the stated variables, and the objective that is minimised there."""

    point: Point
    value: sp.Expr


def floats(where: Where, form: SmoothForm) -> Floats:
    """The point in floating point."""
    return np.array([nearest(where[v]) for v in form.variables])


def stated_point(form: SmoothForm, where: Where) -> Point:
    """The lifted point over what its stated variables are: new variables have the value of their terms."""
    return form.lifting.point({v: where[v] for v in form.stated.variables})


def feasible_points(form: SmoothForm, starts: list[Floats], tries: int = 8) -> Iterator[tuple[Point, Floats]]:
    """Feasible points near local minima, exact, the lowest first, simple ones first; each with the candidate it is near."""
    numeric, judge, seen = Numeric(form), Judge(), list[Point]()
    for x in best(numeric, starts, tries)[:4]:
        for at in near_points(numeric, polished(numeric, x), x):
            whole = stated_point(form, at)
            if whole in seen:
                continue
            seen.append(whole)
            if at_point(form, whole, judge).feasible is Truth.HOLDS:
                yield whole, x


def improved(form: SmoothForm, where: Where, value: sp.Expr, slack: sp.Expr, tries: int = 8) -> Better | None:
    """A feasible point whose value is proved lower than `value` by more than `slack`."""
    judge = Judge()
    for at, _ in feasible_points(form, [floats(where, form)], tries):
        lower = put(form.objective, at)
        if judge.positive(value - slack - lower) is Truth.HOLDS:
            return Better({v: at[v] for v in form.stated.variables}, lower)
    return None


def improved_near(form: SmoothForm, where: Where, value: sp.Expr, slack: sp.Expr) -> Better | None:
    """The same near by, along axes and in boxes: a program that falls without end has no local minimum to be found elsewhere."""
    judge = Judge()
    for at in _beside(form, where):
        if at_point(form, at, judge).feasible is Truth.HOLDS:
            lower = put(form.objective, at)
            if judge.positive(value - slack - lower) is Truth.HOLDS:
                return Better({v: at[v] for v in form.stated.variables}, lower)
    if not np.all(np.isfinite(floats(where, form))):
        return None
    middle = [sp.Rational(round(nearest(where[v]) * 4), 4) for v in form.variables]
    for size in _BOXES:
        pairs = list(zip(form.variables, middle, strict=True))
        sides = tuple(s * (v - m) - size for v, m in pairs for s in (1, -1))
        found = improved(replace(form, above=(*form.above, *sides)), where, value, slack, tries=4)
        if found is not None:
            return found
    return None


def _beside(form: SmoothForm, where: Where) -> Iterator[Point]:
    own = {v: where[v] for v in form.stated.variables}
    for size in (sp.Rational(1, 8), *_BOXES):
        for v in own:
            for step in (size, -size):
                yield stated_point(form, {**own, v: own[v] + step})
