"""Section 3.1: the noise, the perturbed objective, and what is said of them in passing."""

from __future__ import annotations

from functools import partial

import sympy as sp

from ...dossier import Parts, Statement, parts, times
from .arguments.minimisers import noise_for_an_output, outputs_elsewhere
from .arguments.noise import ORDER, descent, mass, perturbation_term, radial
from .dossier import DOSSIER

MORE = sp.Rational(101, 100)


@DOSSIER.disputed("eq-7", "Density of the noise (equation 7)", printed=sp.Integer(1), twin=MORE)
def eq_7(factor: sp.Expr) -> Statement[Parts]:
    text = (
        "exp(-(eps/2)|b|) over all (d + 1) x (d + 1) matrices is a density up to a constant: its integral is finite. Formula: it "
        f"is {times(factor, ' * ')}(2/eps)^N times that for eps = 2, N = (d + 1)^2; the step gives its value for every N."
    )
    return Statement(text, parts(mass(factor=factor)))


@DOSSIER.disputed("noise-sampling", "Drawing the noise", printed=("", ORDER), twin=("1.01 ", MORE * ORDER))
def noise_sampling(said: str, shape: sp.Expr) -> Statement[Parts]:
    text = (
        f"The noise of equation 7 is drawn by a length of the Gamma law with shape {said}(d + 1)^2 and scale 2/eps and a uniform direction. Formula: "
        "the slopes of the logarithms of both densities of the length."
    )
    return Statement(text, parts(radial(ORDER - 1, shape=shape)))


@DOSSIER.disputed(
    "eq-8",
    "The perturbed objective (equation 8)",
    printed="The release is the minimiser of J + sum_c <b, Phi_c> over positive semidefinite matrices, one noise "
    "b for all classes; it exists for every b. Formula: at a minimiser moving both Phi_c by vv' costs 2 "
    "v'(lambda I_Phi + b)v >= 0, one feature.",
    twin="It exists wherever lambda I_Phi + (b + b')/2 is positive definite. Formula: with that matrix G'G + "
    "m, m > 0, the same cost is at least 2 m |v|^2.",
    at=(False, True),
)
def eq_8(definite: bool) -> Parts:
    """The corner b_kk has an even law, so that at least half of all noises leave nothing to release."""
    return parts(descent(definite))


@DOSSIER.disputed(
    "same-dimension",
    "Every output of one data set is one of the other",
    printed="A minimiser of the perturbed objective for one data set is one for any other, for another noise b. "
    "Instances: exact minimisers for records r and -r of two classes, and the data set with 0 in place "
    "of r.",
    twin="So it is without positive semidefiniteness, with a noise b_c of its own for every class and a ridge "
    "(mu/2)|Phi|^2.",
    at=("one for all classes", "one per class"),
)
def same_dimension(noise: str) -> Parts:
    """The equations for two classes leave Phi_1 (g_1 - g_2) Phi_2 = 0, whatever the noise: a condition on the data."""

    return Parts(
        instances=outputs_elsewhere(noise),
        argument=partial(noise_for_an_output, noise == "one for all classes"),
    )


@DOSSIER.disputed(
    "perturbation-properties",
    "Properties of the perturbation",
    printed="The perturbation term <b, Phi_c> is convex and never negative on positive semidefinite matrices, so "
    "that J_p is like J. Formulas: the term on a segment, and at vv'.",
    twin="The term is linear, so convex; J_p is bounded below by m times the traces where lambda I_Phi + (b + "
    "b')/2 = G'G + m, m > 0.",
    at=(parts(*perturbation_term(True)), parts(*perturbation_term(False), descent(True))),
)
def perturbation_properties(data: Parts) -> Parts:
    return data
