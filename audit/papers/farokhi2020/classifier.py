"""Section 2.1 and Appendix A: the soft-margin machine, its regularised version and the limit rho -> 0."""

from __future__ import annotations

import sympy as sp

from ...dossier import Formula, Parts, Statement, parts, times
from .arguments.svm_statements import (
    convexity,
    limit_offset,
    limit_slope,
    optimal_cost,
    oscillating_singletons,
)
from .dossier import DOSSIER

T, G = sp.symbols("t g", positive=True)
ONE_PER_CENT = sp.Rational(101, 100)


@DOSSIER.disputed(
    "eq-1",
    "The soft-margin support vector machine (1)",
    condition="alpha, beta and xi are optimal: then xi_i = max(0, 1 - y_i f(x_i)), the least slack allowed.",
    printed="y_i f(x_i) > 1 means that record i is classified correctly, xi_i > 1 that it is not, and (1) may "
    "have several solutions. Formulas: y f = 1 + t is positive; y f = 1 - xi is negative at xi = 1 + t; "
    "for the records 1/10, -1/10, 1/5, -3/10 with labels +, -, +, -, theta = 1 and alpha = 7/10, the "
    "offsets 0, 1/2, -3/4 attain the dual value.",
    without="The same for every feasible point: y f = 1 - xi + g with some g >= 0 is negative where xi = 1 + t.",
    at=(1 - (1 + T), 1 - (1 + T) + G),
)
def equation_1(left: sp.Expr) -> Parts:
    """t is what y f(x) exceeds 1 by, or what xi exceeds 1 by."""
    beyond = Formula(1 + T, ">", sp.Integer(0))
    several = (optimal_cost("0"), optimal_cost("1/2"), optimal_cost("-3/4"))
    return parts(beyond, Formula(left, "<", sp.Integer(0)), *several)


# A program with a name for its optimum.
DOSSIER.introduces(
    "eq-2",
    "The regularised machine (2)",
    "(alpha*, beta*, xi*) minimises alpha'alpha/2 + (rho/2)(beta^2 + xi'xi) + theta sum xi under the constraints of (1).",
)


@DOSSIER.disputed(
    "eq-2-uniqueness", "The regularised machine has one solution", printed=sp.Integer(1), twin=ONE_PER_CENT
)
def uniqueness(factor: sp.Expr) -> Statement[Parts]:
    """Strong convexity with its constant."""
    text = (
        "Program (2) has exactly one solution: its cost is strictly convex, its constraints convex. Formula: the cost at the "
        f"middle of two points is below their mean by {times(factor, ' times ')}(|dalpha|^2 + rho dbeta^2 + rho |dxi|^2)/8."
    )
    return Statement(text, parts(convexity(factor=factor)))


@DOSSIER.disputed(
    "proposition-2.1",
    "The regularised machine tends to a solution of the usual one (Proposition 2.1)",
    printed="As rho falls to 0 the solution of (2) converges, to a solution of (1): the one of least beta^2 + "
    "|xi|^2. Formulas: alpha and beta for four records on a line, theta <= 1.",
    twin="It converges to a solution of (1) with theta 1 % larger.",
    at=(sp.Integer(1), ONE_PER_CENT),
)
def proposition_2_1(factor: sp.Expr) -> Parts:
    """All four telling records keep their slack, so that the path is a rational function of rho."""
    return parts(limit_slope(factor=factor), limit_offset())


@DOSSIER.disputed(
    "appA-1",
    "Cluster points of solutions are solutions (Appendix A)",
    printed="Every cluster point of the solutions of (2) as rho falls to 0 solves (1). Formula: alpha for four "
    "records on a line, theta <= 1.",
    twin="Every cluster point solves (1) with theta 1 % smaller.",
    at=(sp.Integer(1), sp.Rational(99, 100)),
)
def appendix_a_1(factor: sp.Expr) -> Parts:
    """Shown without the cited theorem: the costs of (1) tend to the least one."""
    return parts(limit_slope(factor=factor))


@DOSSIER.disputed(
    "appA-2",
    "From cluster points to a limit (Appendix A)",
    condition="The limit exists. It does, because solutions of (2) cost no more in beta^2 + |xi|^2 than any "
    "solution of (1), and one of these has the least; the argument of the paper does not show it.",
    printed="Since the solution set of (2) is a singleton for rho > 0, its limit as rho falls to 0 exists and "
    "lies in the solution set of (1). Formulas: alpha and beta for four records on a line against the "
    "solution of least beta^2 + |xi|^2.",
    without="Singletons with all cluster points in one set converge. Formula: sin(1/rho) at 1/rho = 2 pi k + "
    "pi/2 and 2 pi k - pi/2.",
    at=(parts(limit_slope(), limit_offset()), parts(oscillating_singletons())),
)
def appendix_a_2(data: Parts) -> Parts:
    """The conclusion is true; that sets are singletons does not make them converge."""
    return data
