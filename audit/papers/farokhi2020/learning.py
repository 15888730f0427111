"""Section 2.4, appendix G and Remark 2.2: models that minimise a smooth loss."""

from __future__ import annotations

import sympy as sp

from ....symbolic.proof.as_written import applied, difference, quotient, root
from ...dossier.formula import Formula, argued
from ...dossier.parts import Parts, enclosures, parts, proof
from .arguments.learning_activations import activations
from .arguments.learning_losses import hinge_loss, kept_share, least_cost, no_constant
from .arguments.learning_motion import branch_at_a_kink, mean_motion, second_moment, solved, variation
from .arguments.svm_statements import MARKOV
from .dossier import DOSSIER

ONE_PER_CENT = sp.Rational(101, 100)
_QUARTIC = "for l = phi^4/4 - x phi at x = 0, whose minimiser is the cube root of the data, and normal noise of deviation eps_u^3"


# A definition: that the minimiser exists and is one is not said.
DOSSIER.introduces(
    "eq-17",
    "Learning as optimisation (equation 17)",
    "The model trained on records (x_i, y_i), with x_i and y_i real vectors, is a minimiser of a loss l(phi; data) over all "
    "parameter vectors phi.",
)


@DOSSIER.disputed(
    "example-nonlinear-svm",
    "A nonlinear support vector machine as an instance of (17)",
    reading="the name of the example: in problem (1) the classifier is alpha' kappa(x) + beta for both labels",
    printed="With phi = (alpha, beta), l = phi' diag(I, 0) phi/2 + theta sum max(1 - y_i [kappa(x_i)' y_i] phi, "
    "0) is the cost of the soft-margin machine on the mapped records kappa(x_i). Formula: one record of "
    "each label, one mapped feature.",
    twin="The same with [kappa(x_i)' 1] in place of [kappa(x_i)' y_i].",
    at=("y", "1"),
)
def example_nonlinear_svm(said: str) -> Parts:
    """As printed the offset counts for every record alike, whatever its label: phi = (0, 1) has loss 0 on every data set."""
    return parts(hinge_loss(said))


# A definition: that a minimiser exists is not said (for one sigmoid unit and the target 1 there is none).
DOSSIER.introduces(
    "example-ann",
    "A neural network as an instance of (17)",
    "For a network ANN(x, phi) with weights phi the loss is the mean over the records of |y_i - ANN(x_i, phi)|^2.",
)


@DOSSIER.disputed(
    "proposition-2.11",
    "Quality of a model trained on released records (Proposition 2.11)",
    checks=(proof, enclosures, no_constant),
    printed="For every twice continuously differentiable loss there are c >= 1 and eps_0 > 0 with D >= 1 - q^2 "
    "c^2 Tr(V)/eps_u^2 for all eps_u < eps_0, D the probability that the model moves by at most eps_u. "
    f"Formula: whatever c and e0 = eps_0 are, at eps_u = 1/(2 c + 1/e0), {_QUARTIC}.",
    twin="So it is if l is strongly convex in phi as well. Formula: l = mu phi^2/2 - x phi, with c = 1 + "
    "1/mu, any eps_u and any deviation s.",
    at=("phi**4/4", "mu*phi**2/2"),
)
def proposition_2_11(said: str) -> Parts:
    return parts(kept_share(said))


@DOSSIER.disputed(
    "appG-1",
    "Variation of the optimality condition (appendix G)",
    condition="The model is differentiable in the data. For l = phi^4/4 - x phi it is not at x = 0: there D^2_phi "
    "l = 0 and grad_x grad_phi l = -1, so that no number g solves the equation.",
    printed="At the model the gradient of l in phi is zero, and so D^2_phi l grad_x phi + grad_x grad_phi l = 0. "
    "Formula: two parameters, all derivatives free up to the third, e any direction.",
    without="The same for every twice continuously differentiable l.",
    at=(variation(sp.Integer(1)), branch_at_a_kink("phi**4/4")),
)
def app_g_1(formula: Formula) -> Parts:
    return parts(formula)


@DOSSIER.disputed(
    "appG-2",
    "Slope of the model in the data (appendix G)",
    printed="If D^2_phi l is invertible, grad_x phi = -(D^2_phi l)^-1 grad_x grad_phi l along the stationary "
    "points through the model.",
    twin="The same with a factor 1.01.",
    at=(sp.Integer(1), ONE_PER_CENT),
)
def app_g_2(factor: sp.Expr) -> Parts:
    return parts(solved(factor))


@DOSSIER.disputed(
    "appG-3",
    "How far the model moves, by a Taylor expansion (appendix G)",
    printed="|phibar - phi| <= sum_i |(D^2_phi l)^-1 D^2_{x_i phi} l| |n_i| with both derivatives taken at the "
    "ORIGINAL data and at a point phi' between phi and phibar. Formula, squared: l = (phi - x^2)^2/2, "
    "where neither depends on phi'.",
    twin="For l strongly convex in phi: the same with both derivatives taken at data x' between x and xbar "
    "and at the model of these.",
    at=("x", "x + n/2"),
)
def app_g_3(said: str) -> Parts:
    return parts(mean_motion(said))


@DOSSIER.disputed(
    "appG-4",
    "Markov's inequality for the sum of the noises (appendix G)",
    reading="both ends of the chain: eps/c squared is eps^2/c^2, and so has the last bound",
    printed="P{sum |n_i| <= eps/c} = P{(sum |n_i|)^2 <= eps^2/c} >= 1 - (c^2/eps^2) E{(sum |n_i|)^2}. Formulas, "
    "c = 1 + k: the two probabilities for one normal noise of deviation s; the bound that Markov's "
    "inequality gives for the second.",
    twin="The same with eps^2/c^2 in the second probability.",
    at=(1, 2),
)
def app_g_4(power: int) -> Parts:
    eps, s = sp.symbols("eps s", positive=True)
    c = 1 + sp.Symbol("k", nonnegative=True)
    square = eps**2 / c**power
    one = Formula(
        sp.erf(eps / c / (s * sp.sqrt(2))), "=", applied(sp.erf, quotient(root(square), s * sp.sqrt(2)))
    )
    markov = Formula(
        difference(1, quotient(s**2, square)),
        ">=",
        1 - c**2 / eps**2 * s**2,
        argument=argued(lemmas=(MARKOV,), relation=">="),
    )
    return parts(one, markov)


DOSSIER.disputed(
    "appG-5",
    "Second moment of the sum of the noises (appendix G)",
    printed="For independent n_i of one law E{(sum |n_i|)^2} <= q Tr V + q (q - 1) sqrt((Tr V)^2) = q^2 Tr V, by "
    "Jensen's inequality. Formulas: the last equation, and the bound for normal numbers; the argument is "
    "for all laws.",
    twin="It is at most 0.99 q^2 Tr V.",
    at=(sp.Integer(1), sp.Rational(99, 100)),
)(second_moment)


@DOSSIER.disputed(
    "claim-2.4-general",
    "Theorem 2.4 beyond support vector machines (section 2.4)",
    checks=(proof, enclosures, no_constant),
    condition=f"The loss is strongly convex in phi. Without that the quality need not obey the bound: {_QUARTIC}.",
    printed="The quality of a model trained on released records is bounded through Tr V alone (Proposition "
    "2.11), so that problem (8) stays the one to solve, and the Gaussian of Theorem 2.4 solves it. "
    "Formulas: that bound; the cost of the Gaussian against the least.",
    without="The same for every twice continuously differentiable loss.",
    at=("mu*phi**2/2", "phi**4/4"),
)
def claim_2_4_general(said: str) -> Parts:
    normal = least_cost(sp.Integer(1))
    return parts(kept_share(said), normal)


@DOSSIER.disputed(
    "remark-2.2",
    "Activation functions that are smooth enough (Remark 2.2)",
    printed="A network of rectified linear units is not twice differentiable; one of sigmoid, softplus, GELU, "
    "SoftExponential (where it is defined) or SQNL units (x - x^2/4 up to 2, x + x^2/4 from -2, else the "
    "sign of x) is. Formulas: closed second derivatives; those of SQNL from both sides of its joints.",
    twin="The same without SQNL, which is continuously differentiable once only. Formulas: its first "
    "derivatives from both sides.",
    at=(2, 1),
)
def remark_2_2(order: int) -> Parts:
    """SQNL is put together from parabolas and constants: its slope is continuous, the slope of its slope is not."""
    return activations(order)
