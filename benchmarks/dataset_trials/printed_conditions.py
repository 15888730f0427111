"""The printed conditions (15) of farokhi2020 beside the derived ones, equation by equation."""

from __future__ import annotations

import sympy as sp

from noiseproof.mechanisms.learning.program import alpha, beta, derived, j, printed, rho, theta, xi
from noiseproof.symbolic.proof.enclosure import is_zero
from noiseproof.symbolic.proof.truth import Truth


def slack_formula() -> sp.Expr:
    """xi_j as the derived stationarity gives it: (omega_j + varsigma_j - theta)/rho."""
    return sp.solve(derived().zero["xi"], xi[j], dict=True)[0][xi[j]]


def comparison(theta_one: bool = False) -> dict[str, Truth]:
    """Whether each printed equation is the derived one solved for its variable; and, for each derived sign, whether it is printed.

    FAILS for xi unless `theta_one`: printed is theta = 1.  "margin" FAILS: (15) does not ask for feasibility.
    """
    ours, theirs = derived(), printed()
    one = {theta: sp.Integer(1)} if theta_one else {}
    unknowns = {"alpha": alpha[j], "beta": beta, "xi": xi[j]}
    out = {}
    for name, unknown in unknowns.items():
        mine = sp.solve(ours.zero[name].subs(one), unknown, dict=True)[0][unknown]
        other = _without_max(unknown - theirs.zero[name])
        out[name] = _same(mine, other)
    for name in ("margin complementarity", "slack complementarity"):
        out[name] = _same(ours.zero[name], theirs.zero[name])
    # xi >= 0 is printed as the maximum with 0.
    asked = set(theirs.nonnegative) | ({"slack"} if theirs.zero["xi"].has(sp.Max) else set())
    return out | {name: Truth.HOLDS if name in asked else Truth.FAILS for name in ours.nonnegative}


def _without_max(expression: sp.Expr) -> sp.Expr:
    return expression.replace(sp.Max, lambda *args: next(a for a in args if a != 0))


def _same(left: sp.Expr, right: sp.Expr) -> Truth:
    """Equality of expressions with sums: linear in them, so that their difference expands to zero or does not."""
    difference = sp.expand(sp.expand(left) - sp.expand(right))
    if difference == 0:
        return Truth.HOLDS
    if difference.has(sp.Sum):
        return Truth.UNKNOWN
    return is_zero(difference.subs(theta, sp.Rational(1, 2)).subs(rho, 1))
