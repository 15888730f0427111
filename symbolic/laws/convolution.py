"""The law of a sum of two independent numbers, where its density closes."""

from __future__ import annotations

from itertools import pairwise

import sympy as sp

from ..proof.enclosure import is_zero, sign
from ..proof.time_limit import OutOfTimeError, time_limit
from ..proof.truth import Truth
from .law import Law
from .pieces import between, borders, resolved

_SECONDS = 8.0


def normal_moments(law: Law) -> tuple[sp.Expr, sp.Expr] | None:
    """Mean and variance of a law whose log density is a parabola on the whole line; None for every other."""
    y = law.variable
    if law.support != (-sp.oo, sp.oo) or law.discrete or law.parts or borders(law.density, y) != ():
        return None
    log = sp.expand(sp.expand_log(law.log_density(), force=True))
    curve = sp.simplify(sp.diff(log, y, 2))
    if curve.has(y) or curve.is_negative is not True:
        return None
    variance = sp.simplify(-1 / curve)
    mean = sp.simplify(sp.diff(log, y).subs(y, 0) * variance)
    normal = sp.exp(-((y - mean) ** 2) / (2 * variance)) / sp.sqrt(2 * sp.pi * variance)
    same = is_zero(sp.simplify(sp.expand(sp.log(normal), force=True) - log)) is Truth.HOLDS
    return (mean, variance) if same or is_zero(normal - law.density) is Truth.HOLDS else None


def convolved(law: Law, noise: Law) -> Law | None:
    """The law of Y + W; None where no antiderivative is found.  Both supports reach over the whole line."""
    line = (-sp.oo, sp.oo)
    if law.support != line or noise.support != line:
        return None
    try:
        with time_limit(_SECONDS, "a convolution"):
            return _convolved(law, noise)
    except OutOfTimeError:
        return None


def _convolved(law: Law, noise: Law) -> Law | None:
    y, total = sp.Symbol("y_sum", real=True), sp.Integer(0)
    w = noise.variable
    kinks = borders(noise.density, w)
    if kinks is None or borders(law.density, law.variable) != () or any(k.has(w) for k in kinks):
        return None
    marks = [-sp.oo, *sorted(kinks, key=lambda k: sp.N(k)), sp.oo]
    for lower, upper in pairwise(marks):
        inside = sp.Dummy("w", real=True)
        point = between(lower, upper)
        formula = resolved(noise.density, w, lambda gap, p=point: sign(gap.subs(w, p)))
        if formula is None:
            return None
        integrand = sp.expand(
            sp.powsimp(law.density.subs(law.variable, y - inside) * formula.subs(w, inside))
        )
        primitive = sp.integrate(integrand, inside)
        if (
            primitive.has(sp.Integral, sp.Piecewise)
            or is_zero(sp.diff(primitive, inside) - integrand) is not Truth.HOLDS
        ):
            return None
        values = [
            sp.limit(primitive, inside, e, side) if not e.is_finite else primitive.subs(inside, e)
            for e, side in ((upper, "-"), (lower, "+"))
        ]
        if any(v.has(sp.oo, sp.zoo, sp.nan, sp.Limit) for v in values):
            return None
        total += values[0] - values[1]
    return Law(f"{law.name} + {noise.name}", y, total, (-sp.oo, sp.oo))
