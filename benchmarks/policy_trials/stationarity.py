"""Stationarity of Problem 2: the Euler-Lagrange equation inside, and what must hold at the ends of X.

With D = d/dx - f' d/dw the cost is 4 int int p (D u)^2 for the root u of the density, and a stationary u has

    D(p D u) + mu(x) p u = 0  on W x X,     p D u = 0 at the ends of X,     u = 0 at the ends of W,

where the middle condition comes from the boundary term of the integration by parts in x.  The paper's equation
(12) has D = d/dx + f' d/dw, derivatives of gamma beside L, and no condition at the ends of X.
"""

from __future__ import annotations

from typing import Literal

import sympy as sp

from noiseproof.mechanisms.dependent_noise.problem import PolicyProblem
from noiseproof.mechanisms.dependent_noise.weight import X
from policy_trials.density import W

Form = Literal["stationary", "plus sign", "as printed", "one variable"]
FORMS = ("stationary", "plus sign", "as printed", "one variable")


def multiplier(u: sp.Expr, problem: PolicyProblem, form: Form = "stationary") -> sp.Expr:
    """mu as the equation gives it for the root u(w, x) of a density; u solves it iff mu does not depend on w.

    Forms: "stationary", the equation above; "plus sign", the same with D = d/dx + f' d/dw; "as printed",
    equation (12), with derivatives of gamma = u^2 beside L; "one variable", equation (20) in v = x + w, where x
    is held fixed.  rho > 0 adds -rho w^2/4 to mu, as in equation (15).
    """
    slope = problem.slope
    p = problem.weight.expression
    ratio = sp.diff(p, X) / p
    if form == "one variable":
        inside = sp.diff(u, W, 2) + ratio * sp.diff(u, W)
    elif form == "as printed":
        gamma = u**2
        second = slope**2 * sp.diff(u, W, 2) + 2 * slope * sp.diff(u, W, X) + sp.diff(u, X, 2)
        lower = (ratio * slope + sp.diff(slope, X)) * sp.diff(gamma, W) + ratio * sp.diff(gamma, X)
        inside = second + lower
    elif form in ("stationary", "plus sign"):
        sign = -1 if form == "stationary" else 1
        flow = p * _along(u, sign * slope)
        inside = _along(flow, sign * slope) / p
    else:
        raise ValueError(f"expected one of {FORMS}, got {form!r}")
    return _tidy(-inside / u + problem.rho * W**2 / 4)


def residual(u: sp.Expr, problem: PolicyProblem, form: Form = "stationary") -> sp.Expr:
    """The derivative of mu in w: zero iff u solves the equation of this form for some mu(x)."""
    return _tidy(sp.diff(multiplier(u, problem, form), W))


def end_flux(u: sp.Expr, problem: PolicyProblem) -> dict[sp.Expr, sp.Expr]:
    """p D u at each finite end of X: expressions in w that stationarity wants to be zero."""
    flow = problem.weight.normalised() * _along(u, -problem.slope)
    ends = (problem.weight.lower, problem.weight.upper)
    return {end: _tidy(flow.subs(X, end)) for end in ends if end.is_finite}


def _tidy(expression: sp.Expr) -> sp.Expr:
    # Longer expressions keep sympy busy for minutes; they are for evaluation, not for reading.
    return sp.simplify(expression) if sp.count_ops(expression) <= 150 else expression


def _along(expression: sp.Expr, slope: sp.Expr) -> sp.Expr:
    return sp.diff(expression, X) + slope * sp.diff(expression, W)
