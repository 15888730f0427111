"""Appendix C: the information of a policy that depends on x, its Lagrangian, and the stationarity condition of Theorem 2."""

from __future__ import annotations

from typing import Literal

import sympy as sp

from ....symbolic.proof.derivation import Derivation, Step
from ....symbolic.proof.enclosure import compare
from ....symbolic.proof.truth import Truth
from ...dossier.arguments.release_stationarity import above_tangent
from ...dossier.arguments.stationarity import Equation
from ...dossier.formula import Formula
from .arguments.density_condition import (
    DensityCondition,
    RootForm,
    density_optimum,
    density_variation,
    from_density,
    lagrangian_formula,
)
from .arguments.policy_information import Score, cost_formula, information_formula
from .dossier import DOSSIER
from .policies import PLUS_TERMS, SIGN


@DOSSIER.disputed(
    "appendix-c-sufficiency",
    "Vanishing variation suffices for optimality (Appendix C)",
    printed="The cost and the set of densities are convex; so a policy at which the first variation of J "
    "vanishes along every line to another policy (the part at the ends of X included) is optimal, and "
    "all such policies have one cost. Precise form: |D gamma|^2/gamma lies above each of its tangents.",
    twin="The same with gamma^(101/100) in the denominator.",
    at=(sp.Integer(1), sp.Rational(101, 100)),
)
def sufficiency(power: sp.Expr) -> Formula:
    """The tangent of |D gamma|^2/gamma^q lies below it iff q <= 1."""
    return above_tangent(power=power)


@DOSSIER.disputed(
    "appendix-c-fisher",
    "Fisher information of a policy that depends on x (Appendix C)",
    printed="I(x) is the integral over w of s s'/gamma with s = F' d gamma/dw + d gamma/dx.",
    twin=f"s = d gamma/dx - F' d gamma/dw: {SIGN}.",
    at=("1", "-1"),
)
def fisher(said: str) -> Formula:
    """Both printed integrals have one integrand."""
    return information_formula(Score(said))


@DOSSIER.disputed(
    "appendix-c-J",
    "The cost J of a policy (Appendix C)",
    printed="J is the integral over x and w of (p/gamma) |F' d gamma/dw + d gamma/dx|^2.",
    twin=f"J is the integral of (p/gamma) |d gamma/dx - F' d gamma/dw|^2: {SIGN}.",
    at=("1", "-1"),
)
def cost(said: str) -> Formula:
    """J is the average of the trace of the above."""
    return cost_formula(Score(said))


@DOSSIER.disputed(
    "appendix-c-lagrangian",
    "The Lagrangian of Problem 2 (Appendix C)",
    printed="J - int p mu (int gamma dw - 1) dx is the Lagrangian of Problem 2: its derivative in gamma is that "
    "of J minus p mu(x), and its derivative in mu vanishes exactly at densities, where p > 0.",
    twin="The same with int gamma dw - 1.01.",
    at=("1", "1.01"),
)
def lagrangian(said: str) -> Formula:
    """Whatever J is: the side condition is what is tested."""
    return lagrangian_formula("1", said)


@DOSSIER.disputed(
    "eq-18",
    "Stationarity in terms of the density (equation 18)",
    checks=(density_variation, density_optimum),
    printed="An optimal policy solves (p/gamma^2) Z'MZ + 2 sum d/dw_i (p e_i'MZ/gamma) + 2 p sum d/dx_i (e_i'MZ/gamma) + "
    "2 sum dp/dx_i e_i'MZ/gamma + p mu(x) = 0 with Z = [d gamma/dw; d gamma/dx], M = [[FF', F], [F', I]].",
    twin=f"The same with M = [[FF', -F], [-F', I]]: {SIGN}.",
    at=("1", "-1"),
)
def equation_18(block: str) -> DensityCondition:
    """The condition follows from the printed J, and inherits its sign."""
    return DensityCondition({"block": block, "square": "1", "w": "2", "x": "2", "p": "2"})


@DOSSIER.disputed(
    "appendix-c-u-form",
    "Equation (18) in terms of the root of the density (Appendix C)",
    reading="Appendix G, which states the condition for the query x with the derivatives of u, and the term "
    "before it, where the derivative of u stands beside the second derivatives of f",
    printed="With gamma = u^2, (18) divided by p is mu + (4/u) [Tr(M D^2 u) + Lap f' du/dw + (grad p/p)' (F' d "
    "gamma/dw + d gamma/dx)] = 0, where 1' D^2 f is read as the row of the Laplacians of the entries of "
    "f.",
    twin="Beside grad p/p stand the derivatives of u: mu + (4/u) [Tr(M D^2 u) + Lap f' du/dw + (grad p/p)' "
    "(F' du/dw + du/dx)] = 0. (M has the sign of equation 18, which is wrong on its own account.)",
    at=("gamma", "u"),
)
def root_form(beside: Literal["u", "gamma"]) -> Formula:
    """The step from (18) to (12), with the sign that both have."""
    return from_density(RootForm(Equation(PLUS_TERMS, beside=beside)))


@DOSSIER.disputed(
    "appendix-c-nodal",
    "No multiplier where the root has a zero (Appendix C)",
    printed="If u is zero at some noise inside W, no mu makes the stationarity condition (multiplied by u) hold. Tried on "
    "u = sin(k pi w/L), k >= 2, W = [0, L], p constant, f(x) = x, with mu = (k pi/L)^2: some residual is left.",
    twin="The condition does hold at such roots; they are stationary, and excluded by their cost: sin(k pi w/L), k >= 2, "
    "costs more than the cosine noise.",
    at=(True, False),
)
def nodal(some_residual: bool) -> Formula:
    """p constant, f(x) = x, u = sin(k pi w/L) on [0, L], k >= 2: zeros inside W, and the equation holds."""
    k = sp.Symbol("k", integer=True, positive=True)
    L, w = sp.Symbol("L", positive=True), sp.Symbol("w", real=True)
    u = sp.sin(k * sp.pi * w / L)
    mu = (k * sp.pi / L) ** 2
    if some_residual:
        residual = sp.simplify(sp.diff(u, w, 2) + mu * u)
        return Formula(residual**2, ">", sp.Integer(0), (k - 1,))
    cost = sp.simplify(4 * mu * sp.integrate(sp.cos(k * sp.pi * w / L) ** 2, (w, 0, L)) / (L / 2))
    least = sp.simplify(4 * sp.integrate(sp.diff(sp.sqrt(2 / L) * sp.sin(sp.pi * w / L), w) ** 2, (w, 0, L)))
    return Formula(cost, ">", least, (k - 1,), argument=_nodal_argument)


def _nodal_argument(formula: Formula) -> Derivation:
    j = sp.Symbol("j", integer=True, nonnegative=True)
    shift = {s: j + 2 for s in formula.symbols if s.name == "k"}
    difference = sp.factor((formula.left - formula.right).subs(shift))
    return Derivation(
        "sin(k pi w/L) costs 4 (k pi/L)^2, more than 4 (pi/L)^2",
        (Step(difference, ">", sp.Integer(0), "with k = j + 2, j = 0, 1, ...", how=_positive),),
    )


def _positive(left: sp.Expr, right: sp.Expr) -> Truth:
    return compare(sp.expand(left - right), ">", sp.Integer(0))
