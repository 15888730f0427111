"""The law of a sum of two independent numbers, where its density closes."""

from __future__ import annotations

import sympy as sp

from ..proof.enclosure import is_zero
from ..proof.truth import Truth
from .elementary_integrals import elementary_integral
from .law import Law
from .pieces import borders, within


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
    """The law of Y + W for a law on the whole line and noise on any interval; None where an integral does not close."""
    if law.support != (-sp.oo, sp.oo) or noise.free_symbols or noise.discrete or law.discrete:
        return None
    if borders(law.density, law.variable) != ():
        return None
    # A parameter may be called what one of the variables is.
    y, w, total = sp.Dummy("y", real=True), sp.Dummy("w", real=True), sp.Integer(0)
    whole = law.density.subs(law.variable, y - w)
    for lower, upper, formula in within(noise.density.subs(noise.variable, w), w, noise.support):
        value = None if formula is None else elementary_integral(whole * formula, w, (lower, upper))
        if value is None:
            return None
        total += value
    return Law(f"{law.name} + {noise.name}", y, total, (-sp.oo, sp.oo), domains=law.domains)
