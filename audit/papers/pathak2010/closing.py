"""Section 5 and the remarks of sections 2 and 4: what the paper says its bounds show."""

from __future__ import annotations

import sympy as sp

from ...dossier import PaperClaim, Parts, Statement, parts
from .arguments.risk_bounds import (
    falling_traces,
    in_classes,
    in_dimension,
    in_epsilon,
    in_lambda,
    sensitivity_argument,
)
from .arguments.risk_remarks import objective_perturbation, one_against_all, robust
from .dossier import DOSSIER
from .risk import under_ridge

ONE = sp.Integer(1)


@DOSSIER.disputed(
    "remark-eps-dependence",
    "The bound of theorem 3 in eps",
    printed="The bound on the true excess risk is what does not depend on eps, divided by eps.",
    twin="It is a/eps + c/eps^2 + e, with e > 0 the statistical term. Formula: a, c, e read off at eps = 1, 2 "
    "and infinity.",
    at=(True, False),
)
def remark_eps_dependence(printed: bool) -> Parts:
    """About the printed expression, as are the next two."""
    return parts(in_epsilon(printed=printed))


@DOSSIER.disputed(
    "remark-linear-in-C",
    "The bound of theorem 3 in the number of classes",
    condition="Linear means affine: the statistical term 16 (32 + ln(1/delta))/(lambda n) does not depend on C.",
    printed=("its value at C = 0 plus", True),
    without=("itself", False),
)
def remark_linear_in_c(said: str, constant: bool) -> Statement[Parts]:
    text = f"The bound on the true excess risk is {said} a multiple of C."
    return Statement(text, parts(in_classes(constant=constant)))


@DOSSIER.claim("remark-lambda")
def remark_lambda() -> PaperClaim[Parts]:
    """Without the ridge the sample of the wide parabola moves by 2 h b_11, whatever lambda is."""
    text = (
        "A larger lambda gives minimisers with no larger sum of the traces of the inverse covariances, which move less under the "
        "perturbation: sum_c |Phi_c^* - Phi_c^p|^2 <= (4 C/lambda^2)|b|^2, which falls; the printed bound on the true excess risk is a "
        "multiple of 1/lambda."
    )
    return under_ridge(
        "Larger regularisation, less sensitivity",
        text,
        sensitivity_argument,
        ("S", "<=", "4*C/lambda**2*noise2"),
        formulas=(falling_traces(), in_lambda(ONE)),
        flat="J as printed.",
    )


@DOSSIER.disputed(
    "conclusion-scaling",
    "How the bound scales, by the conclusion",
    printed="The bound on the excess risk is inversely proportional to d, directly proportional to C and "
    "inversely proportional to eps. Formulas: theorem 3; its slope in d, for d = 1 + z.",
    twin="It rises with d, is affine in C and a/eps + c/eps^2 + e in eps.",
    at=((True, False), (False, True)),
)
def conclusion_scaling(printed: bool, constant: bool) -> Parts:
    """Inverse proportion to the dimension is the plainest of three errors."""
    return parts(in_dimension(printed=printed), in_classes(constant=constant), in_epsilon(printed=printed))


@DOSSIER.disputed(
    "conclusion-robust",
    "Margins and robustness",
    condition="Classifiers are compared at one size, the sum of traces say, on records of one length. By how much "
    "it is more robust is not said.",
    printed="A classifier of the largest least lead m over the records keeps all their labels under all "
    "perturbations of its Phi_c of Frobenius norm up to m/(2 |z|^2), z a record with a 1 behind it; no "
    "other classifier, of lead m/(1 + k), tolerates more. Formula: the norms that others tolerate.",
    without="A classifier of the largest least lead m over the records keeps all their labels under all "
    "perturbations of its Phi_c of Frobenius norm up to m/(2 |z|^2), z a record with a 1 behind it; no "
    "other classifier, whatever its size, tolerates more. Formula: the norms that others tolerate. "
    "Multiples t Phi have the leads t m, make the same decisions and tolerate t times as much: 2 Phi, "
    "say, twice.",
    at=((ONE, False), (sp.Integer(2), True)),
)
def conclusion_robust(factor: sp.Expr, any_size: bool) -> Parts:
    """The paper announces an intuition; this is the part of it that can be stated. Accuracy on new data is not settled by it."""
    return robust(factor, any_size=any_size)


@DOSSIER.disputed(
    "related-objective-perturbation",
    "Objective against output perturbation",
    condition="The mean loss has curvature c > 0. Where it has none, on records 0 say, the error is the same.",
    printed=("c.", True),
    without=("c. c >= 0.", False),
)
def related_objective_perturbation(words: str, curved: bool) -> Statement[Parts]:
    """With the later correction of its privacy loss, log(1 + ...), objective perturbation is even worse on a flat loss."""
    return Statement(
        "Perturbing the objective (noise b of density exp(-eps |b|/2), which no sensitivity of the minimiser "
        "enters) has a smaller mean squared error in the parameters than perturbing the output (the same "
        f"density at n lambda eta). Formula: losses of curvature {words}",
        parts(objective_perturbation(curved=curved)),
    )


@DOSSIER.disputed(
    "ova-cost",
    "The cost of one against all",
    condition="Cost is noise at one eps, split evenly over the problems (basic composition), and the noise of the "
    "algorithm for all classes does not grow with C, as in equation 7. With the noise that its own "
    "gradient needs, one against all has just twice as much.",
    printed=("s = 1.", False),
    without=("s = 2 sqrt(2) C, as far as one record moves the gradient (C = 2 for the binary ones).", True),
)
def ova_cost(value: str, grows: bool) -> Statement[Parts]:
    """Cost is read as noise: a pass over the data evaluates C n losses against (C - 1) n, which is not much more."""
    text = (
        "One against all trains C binary classifiers on the same records, each with eps/C: the noise of each has C times the mean norm of "
        f"the noise of one algorithm for all C = 2 + j classes at eps. Formula: the mean of Gamma(N, scale 2 s/eps), by its integral, {value}"
    )
    return Statement(text, parts(one_against_all(grows=grows)))
