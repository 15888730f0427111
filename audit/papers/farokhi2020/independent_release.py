"""Section 2.2 up to Proposition 2.3, and Appendix B: independent noise, errors of estimates, and the quality of a classifier."""

from __future__ import annotations

import sympy as sp

from ...dossier import Formula, Parts, Statement, parts, times
from ...dossier.arguments.release_statements import (
    BOUNDED,
    FAR,
    HALF,
    W1,
    normal_privacy,
    shrinkage,
    trace_inequality,
    unbiased_one,
    weighted_error,
)
from .arguments.svm_exact import lipschitz
from .arguments.svm_statements import (
    convexity,
    limit_slope,
    markov,
    movement_of_one,
    norm_chain,
    optimal_cost,
    quality_of_one,
)
from .dossier import DOSSIER

LESS = sp.Rational(99, 100)
MORE = sp.Rational(101, 100)
# No movement on the instances is larger than this times |M|.
CONSTANT = "1000"


# Names the mechanism.
DOSSIER.introduces(
    "eq-3",
    "Release with independent noise (3)",
    "Records x_i + n_i are released with the labels y_i; the n_i are independent, zero in mean, and have the density gamma.",
)

# An assumption.
DOSSIER.introduces(
    "assumption-2.1",
    "Smooth density (Assumption 2.1)",
    "The density gamma is twice continuously differentiable.",
)


@DOSSIER.disputed(
    "proposition-2.2",
    "Cramer-Rao bound with a weight (Proposition 2.2)",
    reading="the proof, whose first bound is the Cramer-Rao bound and whose trace is Tr(Pi^(1/2) I^-1 Pi^(1/2)): "
    "the error that this bounds is |Pi^(1/2)(x_i - xhat_i)|^2 (for correlated noise no place says so: "
    "Appendix D repeats the norm with Pi, and Proposition 2.8 is refuted)",
    printed=("Pi ", sp.Integer(1)),
    twin=("Pi^(1/2) ", HALF),
)
def proposition_2_2(said: str, power: sp.Expr) -> Statement[Parts]:
    """Pi = diag(w1, w2), normal noise; the estimate is the release itself."""
    text = (
        f"Every unbiased estimate of x_i has E|{said}(x_i - xhat_i)|^2 >= Tr(Pi I^-1) >= 1/Tr(Pi^-1 I), I the Fisher information of the "
        "noise and Pi positive definite. Formulas: the release itself, two entries, normal noise."
    )
    return Statement(text, parts(weighted_error(power), trace_inequality()))


@DOSSIER.disputed(
    "claim-any-adversary",
    "A bound for every adversary",
    printed="No adversary, whatever she computes, estimates entries with an error (in the weight Pi) below "
    "1/Tr(Pi^-1 I). Formula: the estimate s xbar of one entry x, 0 < s < 1, normal noise of variance v.",
    twin="No unbiased estimate has such an error below 1/Tr(Pi^-1 I).",
    at=(shrinkage(W1), unbiased_one(W1)),
)
def any_adversary(formula: Formula) -> Parts:
    """The estimate s xbar again, now with a weight."""
    return parts(formula)


# Names the solution for the released data.
DOSSIER.introduces(
    "eq-6",
    "The machine on released data (6)",
    "(alphabar*, betabar*, xibar*) is the solution of (2) for the released records.",
)

# Names D.
DOSSIER.introduces(
    "eq-7",
    "The measure of quality (7)",
    "D is the probability that (alpha, beta, xi) for released and original records differ by at most eps in the "
    "Euclidean norm.",
)


@DOSSIER.disputed(
    "proposition-2.3",
    "Quality of a classifier under noise (Proposition 2.3)",
    printed=sp.Integer(1),
    twin=LESS,
)
def proposition_2_3(factor: sp.Expr) -> Statement[Parts]:
    """Lipschitz constant 1 is exact for one record at 0; the noise nearly attains Markov's bound."""
    text = (
        f"For every constant c with which the optimum of (2) is locally Lipschitz in the records, and all small eps, D >= 1 - {times(factor)}q c^2 "
        "Tr(V)/eps^2; such a c exists. Formulas: one record at 0, rho = theta = 1, c = 1; two records and Markov's inequality."
    )
    return Statement(text, parts(quality_of_one(factor=factor), markov(factor=factor)))


@DOSSIER.disputed(
    "appB-1",
    "Stability of the optimum in the records (Appendix B)",
    printed="There are c >= 1 and eps_0 > 0 with |dz| <= c |M| for the change dz of the optimum of (2), |M| < "
    "eps_0, M the matrix of rows y_i n_i'. Formula: one record on a line, c = 1.",
    twin="The same with |M|^(101/100) in the place of |M|.",
    at=((sp.Integer(1), "1"), (MORE, "101/100")),
)
def appendix_b_1(exponent: sp.Expr, said: str) -> Parts:
    """Shown without the cited theorem, also where records on the margin are dependent."""
    return parts(movement_of_one(exponent=exponent), instances=lipschitz(CONSTANT, said))


@DOSSIER.disputed("appB-2", "The norm of the change (Appendix B)", printed=sp.Integer(1), twin=LESS)
def appendix_b_2(factor: sp.Expr) -> Statement[Parts]:
    """Two records: the second along the direction tried."""
    text = (
        f"|M|_2 = max |(y_i n_i'v)_i|_2 <= sqrt({times(factor)}sum |n_i|_2^2), the maximum over unit vectors v. Formula: two records in the plane, "
        "both squared."
    )
    return Statement(text, parts(norm_chain(factor=factor)))


@DOSSIER.disputed(
    "appB-3", "Markov's inequality for the change (Appendix B)", printed=sp.Integer(1), twin=LESS
)
def appendix_b_3(factor: sp.Expr) -> Statement[Parts]:
    """Noise of length 0 or 1.001 eps."""
    text = (
        f"P(|dz| <= c eps) >= P(sum |n_i|^2 <= eps^2) >= 1 - {times(factor)}q Tr(V)/eps^2. Formula: two records with noise of length 1.001 eps with a "
        "probability below 1/100, else 0."
    )
    return Statement(text, parts(markov(factor=factor)))


@DOSSIER.disputed(
    "remark-2.1",
    "The role of rho (Remark 2.1)",
    condition=BOUNDED,
    printed="The cost is positive definite for every rho > 0; a small rho hardly changes the classifier; normal "
    "noise protects whatever rho is, delta = erf(mu/sqrt(8)) < 1 for every eps; with rho = 0 the "
    "analysis of utility fails, as there may be several optima. Formulas: one for each sentence, two "
    "optima for the last.",
    without="The same for records at any distance mu_far.",
    at=(normal_privacy(), normal_privacy(FAR)),
)
def remark_2_1(formula: Formula) -> Parts:
    """Its four sentences, in order."""
    rest = (convexity(), limit_slope(), optimal_cost("0"), optimal_cost("1/2"))
    return parts(*rest, formula)
