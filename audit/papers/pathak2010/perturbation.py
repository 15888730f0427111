"""Section 3.1: the noise, the perturbed objective, and what is said of them in passing."""

from __future__ import annotations

from functools import partial

import sympy as sp

from ...dossier.paper_claim import PaperClaim, Statement
from ...dossier.parts import ARGUED, CHECKS, Parts, parts
from .arguments.minimisers import noise_for_an_output, outputs_elsewhere
from .arguments.noise import ORDER, descent, mass, perturbation_term, radial
from .dossier import DOSSIER

MORE = sp.Rational(101, 100)


@DOSSIER.claim("eq-7")
def eq_7() -> PaperClaim[Parts]:
    text = (
        "exp(-(eps/2)|b|) over all (d + 1) x (d + 1) matrices is a density up to a constant: its integral is finite. Formula: it "
        "is {}(2/eps)^N times that for eps = 2, N = (d + 1)^2; the step gives its value for every N."
    )
    return PaperClaim(
        title="Density of the noise (equation 7)",
        printed=Statement(text.format(""), parts(mass())),
        twin=Statement(text.format("1.01 * "), parts(mass(MORE))),
        checks=CHECKS,
    )


@DOSSIER.claim("noise-sampling")
def noise_sampling() -> PaperClaim[Parts]:
    text = (
        "The noise of equation 7 is drawn by a length of the Gamma law with shape {}(d + 1)^2 and scale 2/eps and a uniform direction. Formula: "
        "the slopes of the logarithms of both densities of the length."
    )
    return PaperClaim(
        title="Drawing the noise",
        printed=Statement(text.format(""), parts(radial(ORDER - 1))),
        twin=Statement(text.format("1.01 "), parts(radial(ORDER - 1, MORE * ORDER))),
        checks=CHECKS,
    )


@DOSSIER.claim("eq-8")
def eq_8() -> PaperClaim[Parts]:
    """The corner b_kk has an even law, so that at least half of all noises leave nothing to release."""
    return PaperClaim(
        title="The perturbed objective (equation 8)",
        printed=Statement(
            "The release is the minimiser of J + sum_c <b, Phi_c> over positive semidefinite matrices, one noise b for all classes; it exists for "
            "every b. Formula: at a minimiser moving both Phi_c by vv' costs 2 v'(lambda I_Phi + b)v >= 0, one feature.",
            parts(descent(False)),
        ),
        twin=Statement(
            "It exists wherever lambda I_Phi + (b + b')/2 is positive definite. Formula: with that matrix G'G + m, m > 0, the same cost is "
            "at least 2 m |v|^2.",
            parts(descent(True)),
        ),
        checks=CHECKS,
    )


@DOSSIER.claim("same-dimension")
def same_dimension() -> PaperClaim[Parts]:
    """The equations for two classes leave Phi_1 (g_1 - g_2) Phi_2 = 0, whatever the noise: a condition on the data."""

    def says(noise: str) -> Parts:
        return Parts(
            instances=outputs_elsewhere(noise),
            argument=partial(noise_for_an_output, noise == "one for all classes"),
        )

    return PaperClaim(
        title="Every output of one data set is one of the other",
        printed=Statement(
            "A minimiser of the perturbed objective for one data set is one for any other, for another noise b. Instances: exact minimisers for "
            "records r and -r of two classes, and the data set with 0 in place of r.",
            says("one for all classes"),
        ),
        twin=Statement(
            "So it is without positive semidefiniteness, with a noise b_c of its own for every class and a ridge (mu/2)|Phi|^2.",
            says("one per class"),
        ),
        checks=ARGUED,
    )


@DOSSIER.claim("perturbation-properties")
def perturbation_properties() -> PaperClaim[Parts]:
    return PaperClaim(
        title="Properties of the perturbation",
        printed=Statement(
            "The perturbation term <b, Phi_c> is convex and never negative on positive semidefinite matrices, so that J_p is like J. "
            "Formulas: the term on a segment, and at vv'.",
            parts(*perturbation_term(True)),
        ),
        twin=Statement(
            "The term is linear, so convex; J_p is bounded below by m times the traces where lambda I_Phi + (b + b')/2 = G'G + m, m > 0.",
            parts(*perturbation_term(False), descent(True)),
        ),
        checks=CHECKS,
    )
