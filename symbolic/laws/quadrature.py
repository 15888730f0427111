"""Integrals against a density to about 25 digits, by tanh-sinh quadrature between its kinks.

The result is a computation with an error estimate, not an enclosure: no step of a proof rests on it.
"""

from __future__ import annotations

from itertools import pairwise

import mpmath  # type: ignore[import-untyped]
import numpy as np
import sympy as sp

from .law import Law
from .pieces import borders

LEVELS = (1e-9, 1e-4, 0.02, 0.25, 0.5, 0.75, 0.98, 1 - 1e-4, 1 - 1e-9)
_NO_NUMBER = (ArithmeticError, AttributeError, NameError, NotImplementedError, TypeError)


def quadrature(law: Law, function: sp.Expr, digits: int = 30) -> tuple[mpmath.mpf, mpmath.mpf]:
    """E[function(Y)] and an estimate of its error, for a law without free parameters."""
    lower, upper = law.ends()
    inner = borders(law.density * function, law.variable)
    if inner is None:
        raise ValueError(f"the integrand over {law.name} has pieces whose borders could not be solved for")
    with mpmath.workdps(digits):
        integrand = sp.lambdify(law.variable, _constants_once(law.density * function), modules="mpmath")
        kinks = [mpmath.mpf(sp.N(b, digits + 5)) for b in inner if lower < float(b) < upper]
        # Quantiles of each part of a mixture: narrow components are found wherever they lie.
        laws = [part for _, part in law.parts] or [law]
        levels = [q for part in laws for q in np.atleast_1d(part.quantile(np.array(LEVELS)))]
        ends = [mpmath.mpf(sp.N(e, digits + 5)) if e.is_finite else mpmath.mpf(float(e)) for e in law.support]
        near = [mpmath.mpf(float(q)) for q in levels if lower < q < upper]
        points = [ends[0], *sorted({*kinks, *near}), ends[1]]
        total, error = mpmath.mpf(0), mpmath.mpf(0)
        for a, b in pairwise(points):
            if b > a:
                try:
                    value, doubt = mpmath.quad(integrand, [a, b], error=True, maxdegree=8)
                    total, error = total + mpmath.mpf(value), error + doubt
                except _NO_NUMBER as trouble:
                    raise ValueError(f"the density of {law.name} cannot be integrated: {trouble}") from None
        return total, error


def _constants_once(integrand: sp.Expr) -> sp.Expr:
    """Integrals that are numbers, such as a normalising constant, as numbers: not computed anew at each node."""
    numbers = [i for i in integrand.atoms(sp.Integral) if not i.free_symbols]
    try:
        return integrand.xreplace(
            {i: sp.Float(sp.lambdify([], i, "mpmath")(), mpmath.mp.dps) for i in numbers}
        )
    except _NO_NUMBER:
        # What cannot be computed is said where the integrand is.
        return integrand
