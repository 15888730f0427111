"""That a feasible point has no multipliers: a direction in which the objective falls and no active constraint rises, to first order."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import sympy as sp

from ..proof.as_written import inner
from ..proof.derivation import Step
from ..proof.truth import Truth, all_hold
from .feasibility import AtPoint, Where, put
from .judge import Judge
from .search import nearest
from .smooth_form import SmoothForm


@dataclass(frozen=True)
class Falling:
    """The direction, with the steps that check its slopes."""

    direction: dict[sp.Symbol, sp.Expr]
    steps: tuple[Step, ...]


def falling_direction(form: SmoothForm, where: Where, at: AtPoint, judge: Judge) -> Falling | None:
    """A direction that shows that no multipliers exist at the point; None proves nothing, nor for groups of multipliers."""
    from scipy.optimize import linprog

    if any(p.group is not None for p in at.parts):
        return None
    v = form.variables
    gradient = [put(sp.diff(form.objective, x), where) for x in v]
    rows = [(p.free, [put(sp.diff(p.term, x), where) for x in v]) for p in at.parts]
    try:
        slope = np.array([nearest(g) for g in gradient])
        above = [[nearest(e) for e in row] for free, row in rows if not free]
        equal = [[nearest(e) for e in row] for free, row in rows if free]
    except TypeError:
        return None
    if not np.all(np.isfinite(np.concatenate([slope, *map(np.array, (*above, *equal))]))):
        return None
    found = linprog(
        slope,
        A_ub=np.array(above) if above else None,
        b_ub=np.zeros(len(above)) if above else None,
        A_eq=np.array(equal) if equal else None,
        b_eq=np.zeros(len(equal)) if equal else None,
        bounds=[(-1, 1)] * len(v),
    )
    if found.status != 0 or found.x is None or float(found.fun or 0.0) > -1e-9:
        return None
    near = [Fraction(float(d)).limit_denominator(1000) for d in found.x]
    d = [sp.Rational(f.numerator, f.denominator) for f in near]
    return _checked(dict(zip(v, d, strict=True)), gradient, rows, judge)


def _checked(
    direction: dict[sp.Symbol, sp.Expr],
    gradient: list[sp.Expr],
    rows: list[tuple[bool, list[sp.Expr]]],
    judge: Judge,
) -> Falling | None:
    def along(row: list[sp.Expr]) -> sp.Expr:
        return inner(row, direction.values())

    steps = [Step(along(gradient), "<", sp.S.Zero, "the objective falls in the direction")]
    steps += [
        Step(along(row), "=" if free else "<=", sp.S.Zero, "no active constraint rises in it, to first order")
        for free, row in rows
    ]
    if all_hold(s.check() for s in steps) is not Truth.HOLDS:
        return None
    return Falling(direction, tuple(steps))
