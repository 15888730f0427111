"""A feasible point near the optimum of a convex program, with a bound below every feasible value."""

from __future__ import annotations

import sympy as sp

from ..proof.derivation import Derivation, Step
from ..proof.truth import Truth
from .certificate import PointCertificate
from .feasibility import Where, feasibility_steps, put
from .improve import feasible_points
from .judge import Judge
from .least_value import LeastValue
from .multipliers import Multipliers
from .optimality import WEAK
from .rounded_multipliers import bounds
from .smooth_form import SmoothForm

_WORTH = sp.Rational(1, 10**3)


def within(form: SmoothForm) -> PointCertificate | None:
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


def _certificate(
    form: SmoothForm, where: Where, bound: LeastValue, multipliers: Multipliers
) -> PointCertificate:
    sign, value = form.stated.sign, put(form.objective, where)
    gap = sp.N(value - bound.bound, 5)
    reason = f"feasible, and no feasible value is lower by more than {gap}"
    steps = (
        *feasibility_steps(form, where, Judge()),
        *(Step(e, ">=", sp.S.Zero, text) for e, text in multipliers.needs()),
        bound.step,
    )
    return PointCertificate(
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
