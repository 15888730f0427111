"""Section 2: neighbours, differential privacy, the Gaussian classifier and its large-margin objective."""

from __future__ import annotations

import sympy as sp

from ...dossier.paper_claim import Statement, times
from ...dossier.parts import Parts, parts, proof
from .arguments.lifted import hinge_of_margins, lifted, preferred, traced
from .dossier import DOSSIER

ONE_PER_CENT = sp.Rational(1, 100)


DOSSIER.introduces(
    "def-adjacent",
    "Adjacent data sets",
    "Two data sets of n records are adjacent if one record (the n-th, say) has another value in the second; n is public.",
)

# A definition; the logarithm needs events of positive probability under both, the usual two-sided bound does not.
DOSSIER.introduces(
    "def-1",
    "Differential privacy (definition 1)",
    "A randomised map is eps-private if for adjacent data and every set of outputs the logarithm of the ratio of both "
    "probabilities lies in [-eps, eps]; a set that is possible under one only has no finite ratio and breaks it for every eps.",
)

DOSSIER.introduces(
    "eq-1",
    "Decision rule (equation 1)",
    "Class c has a centroid mu_c, an inverse covariance Psi_c and an offset theta_c >= 0; a record x goes to the class with the "
    "least (x - mu_c)'Psi_c (x - mu_c) + theta_c.",
)


@DOSSIER.disputed(
    "eq-2-3",
    "Lifted parameters (equations 2 and 3)",
    checks=(proof,),
    printed=sp.Integer(1),
    twin=1 + ONE_PER_CENT,
)
def eq_2_3(share: sp.Expr) -> Statement[Parts]:
    text = (
        f"With Phi_c = [[Psi_c, -Psi_c mu_c], [-mu_c'Psi_c, mu_c'Psi_c mu_c + {times(share)}theta_c]] the rule is the least z'Phi_c z, z = (x, 1), and Phi_c "
        "is positive semidefinite. Formulas: z'Phi z against the distance and the offset, and the sign of the form; two features, the "
        "first step for all dimensions."
    )
    return Statement(text, parts(*lifted(share=share)))


DOSSIER.introduces(
    "margin-constraint",
    "Margin constraint",
    "Of every record z_i = (x_i, 1) it is asked that z_i'Phi_c z_i >= 1 + z_i'Phi_y z_i for its class y and all other classes c.",
)


@DOSSIER.disputed(
    "eq-4-5",
    "Hinge objective (equations 4 and 5)",
    printed=("0", "1", sp.Integer(0), sp.Integer(0)),
    twin=("1/10", "0.99", sp.Rational(1, 10), ONE_PER_CENT),
)
def eq_4_5(said: str, value: str, corner: sp.Expr, kept: sp.Expr) -> Statement[Parts]:
    text = (
        f"The hinge objective is J = L + lambda sum_c tr(I_Phi Phi_c I_Phi) with I_Phi = diag(1, ..., 1, {said}): the trace is that of Psi_c, and a "
        f"record that keeps the margin {value} loses nothing. Formulas: both; two features, the step for all dimensions."
    )
    return Statement(text, parts(traced(corner=corner), hinge_of_margins(kept=kept)))


@DOSSIER.disputed(
    "regulariser-reading",
    "What the regulariser selects",
    condition="Both keep all margins, so that neither loses anything; labelling correctly is less.",
    printed=("loss.", True),
    without=("loss. Here a > 0 is any number, so that all labels are right.", False),
)
def regulariser_reading(words: str, margins_kept: bool) -> Statement[Parts]:
    """That less inverse covariance prevents over-fitting is no matter for a formula, and not looked at."""
    return Statement(
        "Of two classifiers that label all training records correctly the objective prefers that of the "
        "smaller sum of traces. Formulas: records 0 of class 1, 1 and -1 of class 2, Phi_1 = diag(2a, 0), "
        f"Phi_2 = diag(0, a), against the same with a + g; then any two objectives without {words}",
        parts(*preferred(margins_kept)),
    )
