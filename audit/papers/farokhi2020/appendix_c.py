"""The optimal noise problem (8), Appendix C on its solution, local privacy, and the release with correlated noise."""

from __future__ import annotations

import sympy as sp

from ...dossier import Formula, Parts, Statement, parts, times
from ...dossier.arguments.release_statements import budget_equivalence, weighted_sum_prefers_no_scale
from ...dossier.arguments.release_stationarity import (
    above_tangent,
    lagrangian,
    root_form,
    solution,
    stationarity,
)
from .dossier import DOSSIER

MORE = sp.Rational(101, 100)


# Names the problem.
DOSSIER.introduces(
    "eq-8",
    "The optimal noise problem P(lambda) (8)",
    "Minimise Tr(Pi^-1 I) + lambda Tr(V) over densities, lambda > 0.",
)


@DOSSIER.disputed(
    "claim-eq-8-equivalence",
    "Maximising 1/Tr(Pi^-1 I) - price Tr(V) is equivalent to (8)",
    printed="For every price > 0 some lambda > 0 makes the solution of P(lambda) a maximiser of 1/Tr(Pi^-1 I) - "
    "price Tr(V). Formula: that noise against the same scaled by sqrt(2) and sqrt(1/2), Tr(Pi^(-1/2)) = "
    "1, divided by Tr(V) so that lambda drops out. Both terms scale alike: there is a maximiser only if "
    "price = Tr(Pi^(-1/2))^-2.",
    twin="Maximising 1/Tr(Pi^-1 I) under Tr(V) <= b is equivalent to (8): for every b > 0, lambda = "
    "(Tr(Pi^(-1/2))/b)^2 has the same solution.",
    at=(weighted_sum_prefers_no_scale(), budget_equivalence()),
)
def equivalence(formula: Formula) -> Parts:
    """Noise scaled by s has 1/Tr(Pi^-1 I) and Tr(V) multiplied by s^2: the difference has no maximiser but by accident."""
    return parts(formula)


@DOSSIER.disputed("appC-1", "The Lagrangian of P(lambda) (Appendix C)", printed=sp.Integer(1), twin=MORE)
def appendix_c_1(factor: sp.Expr) -> Statement[Parts]:
    """Integrands at one point."""
    text = f"The Lagrangian of P(lambda) is the integral of {times(factor)}[(grad gamma)'Pi^-1 (grad gamma)/gamma + (lambda n'n + mu) gamma], less mu."
    return Statement(text, parts(lagrangian(factor=factor)))


@DOSSIER.disputed(
    "appC-2",
    "Stationarity suffices (Appendix C)",
    printed=("gamma", sp.Integer(1)),
    twin=("gamma^(101/100)", MORE),
)
def appendix_c_2(said: str, power: sp.Expr) -> Statement[Parts]:
    """The perspective of a square is convex."""
    text = (
        "P(lambda) is convex in gamma, so that a density at which the first variation vanishes is optimal, and all such densities "
        f"cost the same. Formula: |D gamma|^2/{said} lies above its tangents."
    )
    return Statement(text, parts(above_tangent(power=power)))


@DOSSIER.disputed(
    "appC-3",
    "The stationarity condition of P(lambda) (Appendix C)",
    printed=("2", sp.Integer(1)),
    twin=("2.02", MORE),
)
def appendix_c_3(said: str, factor: sp.Expr) -> Statement[Parts]:
    """Euler's expression on jets."""
    text = f"Stationarity of the Lagrangian: lambda n'n + mu + (grad gamma)'Pi^-1 (grad gamma)/gamma^2 - {said} Tr(Pi^-1 D^2 gamma)/gamma = 0."
    return Statement(text, parts(stationarity(factor=factor)))


@DOSSIER.disputed(
    "appC-4", "The change of variable (Appendix C)", printed=("4", sp.Integer(1)), twin=("4.04", MORE)
)
def appendix_c_4(said: str, factor: sp.Expr) -> Statement[Parts]:
    """The same at gamma = u^2."""
    text = f"With gamma = u^2 stationarity says lambda n'n + mu - {said} Tr(Pi^-1 D^2 u)/u = 0."
    return Statement(text, parts(root_form(factor=factor)))


@DOSSIER.disputed(
    "appC-5",
    "The solution of the stationarity condition (Appendix C)",
    reading="the condition in u of the same appendix (farokhi2020/appC-4), which this u solves with mu = -4 "
    "Tr(Pi^-1 X) and with no other mu",
    printed=("", False),
    twin=("Pi^-1 ", True),
)
def appendix_c_5(said: str, weighted: bool) -> Statement[Parts]:
    """The multiplier lacks the weight; the density does not depend on it."""
    text = (
        "u = c_0 exp(-n'X n/2) with X = Pi^(1/2) lambda^(1/2)/2 and c_0 = det(pi X^-1)^(-1/4) solves the condition in u with mu = -4 "
        f"Tr({said}X), and u^2 integrates to one. Formulas: two entries, in the eigenbasis of Pi."
    )
    return Statement(text, parts(*solution(weighted=weighted)))


# Names the property.
DOSSIER.introduces(
    "definition-2.1",
    "Local differential privacy (Definition 2.1)",
    "A release x + n is (eps, delta)-locally private if P(x + n in S) <= e^eps P(x' + n in S) + delta for Borel sets S and "
    "possible records x, x'.",
)

# Names the mechanism.
DOSSIER.introduces(
    "eq-release-correlated",
    "Release with correlated noise",
    "All records, stacked to one vector x, are released as x + w; w has mean zero and a density on R^(qp).",
)
