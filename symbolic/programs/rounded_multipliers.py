"""Bounds below every feasible value from multipliers that are rounded: they need not be the right ones."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import sympy as sp

from ..arrays import Floats
from ..proof.derivation import Step
from ..proof.truth import Truth
from .feasibility import Part, Where
from .improve import floats
from .infeasible import cone_parts, matrix_parts
from .judge import Judge
from .least_squares import nonnegative_least_squares
from .least_value import LeastValue, least_value
from .multipliers import Multipliers
from .optimality import WEAK, Proof
from .polish import polished
from .search import Numeric
from .smooth_form import SmoothForm


def by_rounded_multipliers(form: SmoothForm, where: Where, goal: sp.Expr) -> Proof | None:
    """No feasible value is below the goal, by rounded multipliers; None if they do not show it."""
    if not form.smooth:
        return None
    for bound, multipliers in bounds(form, floats(where, form).tolist()):
        step = Step(bound.bound, ">=", goal, "the bound is at least the value less the tolerance")
        if step.check() is Truth.HOLDS:
            signs = tuple(Step(e, ">=", sp.S.Zero, text) for e, text in multipliers.needs())
            return Proof("rounded multipliers", (*signs, bound.step, step), (WEAK,))
    return None


def bounds(form: SmoothForm, near: list[float]) -> Iterator[tuple[LeastValue, Multipliers]]:
    """Bounds below every feasible value from multipliers that are rounded: they need not be the right ones."""
    numeric = Numeric(form)
    x = np.array(near)
    sharp = polished(numeric, x)
    if not all(np.isfinite(float(a)) for a in (*sharp.values, *sharp.multipliers)):
        return
    at = {v: _decimal(a) for v, a in zip(form.variables, sharp.values, strict=True)}
    parts, weights = [], []
    for k, e in enumerate((*form.above, *form.equal)):
        if e in sharp.active:
            free = k >= len(form.above)
            weight = _decimal(sharp.multipliers[sharp.active.index(e)])
            parts.append(Part(e, free, f"{'nu' if free else 'mu'}_{k + 1}"))
            weights.append(weight if free else sp.Max(weight, 0))
    extra = [*cone_parts(form, x), *matrix_parts(form, x)]
    more = _fitted(form, [*parts, *extra], x) if extra else None
    if more is not None:
        parts, weights = [*parts, *extra], more
    multipliers = Multipliers(tuple(parts), tuple(weights))
    if multipliers.admissible(Judge()) is Truth.HOLDS:
        found = least_value(form, sp.expand(multipliers.lagrangian(form)), at)
        if found is not None:
            yield found, multipliers


def _fitted(form: SmoothForm, parts: list[Part], x: Floats) -> list[sp.Expr] | None:
    at = dict(zip(form.variables, x.tolist(), strict=True))
    a = np.array([[float(sp.diff(p.term, v).subs(at)) for v in form.variables] for p in parts]).T
    g = np.array([float(sp.diff(form.objective, v).subs(at)) for v in form.variables])
    free = [i for i, p in enumerate(parts) if p.free]
    values, _ = nonnegative_least_squares(np.hstack([a, -a[:, free]]), -g)
    weights = values[: len(parts)].copy()
    weights[free] -= values[len(parts) :]
    return [sp.Rational(repr(float(w))) for w in weights]


def _decimal(value: object) -> sp.Rational:
    import mpmath as mp  # type: ignore[import-untyped]

    return sp.Rational(mp.nstr(value, 40, min_fixed=-mp.inf, max_fixed=mp.inf))
