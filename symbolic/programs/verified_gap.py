"""A feasible point near the optimum of a convex program, with a bound below every feasible value."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import sympy as sp

from ..proof.derivation import Derivation, Step
from ..proof.truth import Truth
from .certificate import Certificate
from .certify import feasibility_steps
from .feasibility import Part, Where, put
from .improve import feasible_points
from .infeasible import cone_parts, matrix_parts
from .judge import Judge
from .least_value import LeastValue, least_value
from .multipliers import Multipliers
from .optimality import WEAK
from .polish import polished
from .search import Numeric
from .smooth_form import SmoothForm

_WORTH = sp.Rational(1, 10**3)


def within(form: SmoothForm) -> Certificate | None:
    """The feasible point with the smallest proved gap that was found; None if no gap below a thousandth was."""
    if not form.smooth or form.natural.integers:
        return None
    judge, found = Judge(), None
    for where, x in feasible_points(form, [], 4):
        for bound, multipliers in bounds(form, x.tolist()):
            gap = put(form.objective, where) - bound.bound
            if judge.positive(_WORTH - gap) is Truth.HOLDS and (
                found is None or bool(sp.N(gap - found[0]) < 0)
            ):
                found = gap, where, bound, multipliers
        if found is not None and float(found[0]) < 1e-20:
            break
    return None if found is None else _certificate(form, *found[1:])


def bounds(form: SmoothForm, near: list[float]) -> Iterator[tuple[LeastValue, Multipliers]]:
    """Bounds below every feasible value from multipliers that are rounded: they need not be the right ones."""
    numeric = Numeric(form)
    x = np.array(near)
    sharp = polished(numeric, x)
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


def _fitted(form: SmoothForm, parts: list[Part], x: np.ndarray) -> list[sp.Expr] | None:
    from scipy.optimize import nnls

    at = dict(zip(form.variables, x.tolist(), strict=True))
    a = np.array([[float(sp.diff(p.term, v).subs(at)) for v in form.variables] for p in parts]).T
    g = np.array([float(sp.diff(form.objective, v).subs(at)) for v in form.variables])
    free = [i for i, p in enumerate(parts) if p.free]
    values, _ = nnls(np.hstack([a, -a[:, free]]), -g)
    weights = values[: len(parts)].copy()
    weights[free] -= values[len(parts) :]
    return [sp.Rational(repr(float(w))) for w in weights]


def _decimal(value: object) -> sp.Rational:
    import mpmath as mp

    return sp.Rational(mp.nstr(value, 40, min_fixed=-mp.inf, max_fixed=mp.inf))


def _certificate(form: SmoothForm, where: Where, bound: LeastValue, multipliers: Multipliers) -> Certificate:
    sign, value = form.stated.sign, put(form.objective, where)
    gap = sp.N(value - bound.bound, 5)
    reason = f"feasible, and no feasible value is lower by more than {gap}"
    steps = (
        *feasibility_steps(form, where, Judge()),
        *(Step(e, ">=", sp.S.Zero, text) for e, text in multipliers.needs()),
        bound.step,
    )
    return Certificate(
        "UNDECIDED",
        {v: where[v] for v in form.stated.variables},
        Truth.HOLDS,
        sign * value,
        sign * bound.bound,
        "rounded multipliers",
        reason,
        Derivation(reason, steps, (WEAK,)),
        multipliers=multipliers,
    )
