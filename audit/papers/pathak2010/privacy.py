"""Section 3.2: Theorem 1 and the steps of its proof."""

from __future__ import annotations

from functools import partial

import sympy as sp

from ...dossier.paper_claim import PaperClaim, Statement
from ...dossier.parts import ARGUED, CHECKS, WITH_INSTANCES, Parts, parts, proof
from .arguments.gradient import EPSILON, NEEDED_BOUND, PRINTED_BOUND, block_bound, bound_of, noise_ratio
from .arguments.loss import CORRECTED, joints
from .arguments.minimisers import (
    derivative_at_minimisers,
    first_order,
    noise_difference,
    one_minimiser,
    two_noises,
)
from .arguments.noise import (
    ORDER,
    RIDGE,
    D,
    bend,
    change_of_variables,
    jacobian,
    kink,
    linear_rules,
    private_steps,
    radial,
    ratio_of_densities,
    strict_minimum,
)
from .arguments.releases import event_of_a_release
from .dossier import DOSSIER

ZERO = sp.Integer(0)
_VARIANT = (
    "With a ridge (mu/2)|Phi|^2 beside the mean loss, all symmetric matrices, one noise for every class of density "
    "exp(-(eps - kappa)|b|/Delta), Delta = (1 + R^2) sqrt(2) C, and kappa the derived share of the Jacobian,"
)


@DOSSIER.claim("proof-requirements")
def proof_requirements() -> PaperClaim[Parts]:
    return PaperClaim(
        title="What the proof needs",
        printed=Statement(
            "The Huber loss is differentiable, L is strictly convex in the matrices as the proof needs it, and all this holds for support vector "
            "machines. Formulas: the pieces of the corrected loss join with equal slopes; the second difference of L where both Phi_c move by "
            "one matrix is positive; the slopes of the hinge loss agree at its corner.",
            parts(*joints(CORRECTED), bend(ZERO, regularised=False), kink()),
        ),
        twin=Statement(
            "The Huber loss is differentiable; not L but J_p with (mu/2)|Phi|^2 added is strictly convex. Formulas: the same, the second "
            "difference of that.",
            parts(*joints(CORRECTED), bend(RIDGE)),
        ),
        checks=CHECKS,
    )


@DOSSIER.claim("theorem-1")
def theorem_1() -> PaperClaim[Parts]:
    """Neighbours that differ in features alone: no finite eps' serves, so that no constant alpha does."""
    return PaperClaim(
        title="Privacy of the perturbed minimiser (Theorem 1)",
        printed=Statement(
            "For adjacent data sets the log ratio of the laws of the released minimiser (signs of the loss corrected, margin 0 or 1) is at most "
            "eps + log(1 + 2 alpha/(n lambda) + alpha^2/(n lambda)^2). Instances: two records of two classes, 1 and -1 or both 1; an event that has probability 0 under the "
            "second against a lower bound for the first, for several alpha.",
            Parts(
                instances=event_of_a_release("one noise for all classes", False),
                argument=partial(block_bound, PRINTED_BOUND),
            ),
        ),
        twin=Statement(
            f"{_VARIANT} the minimiser is eps-private. Derivation: 3 classes, 100 records. Instances: log ratios of the densities at releases.",
            Parts(instances=event_of_a_release("private variant", False), argument=private_steps),
        ),
        checks=ARGUED,
    )


@DOSSIER.claim("theorem-1/unique-minimiser")
def theorem_1_unique() -> PaperClaim[Parts]:
    return PaperClaim(
        title="One minimiser each (proof of Theorem 1)",
        printed=Statement(
            "As it is convex and differentiable, J has exactly one minimiser, and so has J_p. Formulas: the second difference where both "
            "Phi_c move by one matrix is positive; no rule with Psi_c = eta and leads h + 1 has a cheaper one with eta/2.",
            Parts((bend(ZERO), linear_rules()), argument=partial(strict_minimum, ZERO)),
        ),
        twin=Statement(
            "With (mu/2)|Phi|^2 added both have exactly one. Formula: the same second difference.",
            Parts((bend(RIDGE),), argument=partial(strict_minimum, RIDGE)),
        ),
        checks=CHECKS,
    )


@DOSSIER.claim("eq-9")
def eq_9() -> PaperClaim[Parts]:
    def says(zero: str) -> Parts:
        return Parts(instances=derivative_at_minimisers(zero), argument=partial(first_order, zero))

    return PaperClaim(
        title="Stationarity (equation 9)",
        printed=Statement(
            "At the minimiser over positive semidefinite matrices dL/dPhi_c + lambda I_Phi + b (the symmetric part of b) is zero for every c. "
            "Instances: exact minimisers for records r and -r of two classes.",
            says("derivative"),
        ),
        twin=Statement(
            "That derivative is positive semidefinite, and its product with Phi_c is zero, for every c.",
            says("derivative times Phi_c"),
        ),
        checks=ARGUED,
    )


@DOSSIER.claim("theorem-1/bijection")
def theorem_1_bijection() -> PaperClaim[Parts]:
    return PaperClaim(
        title="Noise and minimiser determine each other (proof of Theorem 1)",
        printed=Statement(
            "Different noises have different minimisers. Instances: the noises 10 I and 11 I, records 1 and -1 of two classes.",
            Parts(instances=two_noises(True), argument=partial(strict_minimum, ZERO)),
        ),
        twin=Statement(
            "So it is for symmetric noises, one for every class, over all symmetric matrices and with (mu/2)|Phi|^2 added.",
            Parts(instances=two_noises(False), argument=partial(strict_minimum, RIDGE)),
        ),
        checks=ARGUED,
    )


@DOSSIER.claim("eq-10")
def eq_10() -> PaperClaim[Parts]:
    def says(constrained: bool) -> Parts:
        return parts(noise_difference(constrained), instances=one_minimiser(constrained))

    return PaperClaim(
        title="Noises that lead to one minimiser (equation 10)",
        printed=Statement(
            "If b1 on one data set and b2 on its neighbour have one minimiser, b1 - b2 is the difference of the gradients of L in Phi_c, for every "
            "class c. Formula: one entry, S1 and S2 the derivatives at the minimiser. Instances: the minimiser 0.",
            says(True),
        ),
        twin=Statement(
            "So it is without positive semidefiniteness (S1 = S2 = 0), b1 and b2 having a part for every class, and with a ridge.",
            says(False),
        ),
        checks=WITH_INSTANCES,
    )


@DOSSIER.claim("eq-10-norm")
def eq_10_norm() -> PaperClaim[Parts]:
    def says(bound: str, constrained: bool) -> Parts:
        return Parts(instances=one_minimiser(constrained, bound), argument=partial(block_bound, bound))

    text = "Noises b1 on one data set and b2 on its neighbour that lead to one minimiser {}: all records but one cancel. Instances: {}."
    return PaperClaim(
        title="Distance of the two noises (proof of Theorem 1)",
        printed=Statement(
            text.format(
                "have |b1 - b2| <= 2",
                "the minimiser 0 for the noises 10 I and 13 I, two records, one of them in both data sets",
            ),
            says(PRINTED_BOUND, constrained=True),
        ),
        twin=Statement(
            text.format(
                "over all symmetric matrices, with a ridge and one noise for every class, have |b1 - b2| <= max(2 C, 2 sqrt(2) (C - 1)) in every class",
                "any minimisers",
            ),
            says(NEEDED_BOUND, constrained=False),
        ),
        checks=ARGUED,
    )


@DOSSIER.claim("density-form")
def density_form() -> PaperClaim[Parts]:
    text = (
        "The noise has its length by the density r^m exp(-eps r/2), m = {}, and a direction on the sphere of m + 1 dimensions, of area surf(1) r^m. "
        "Formulas: the slope of the log density against that of the Gamma law; the ratio of r^m exp(-eps r/2)/surf(r) at two lengths."
    )

    def says(exponent: sp.Expr) -> Parts:
        return parts(radial(exponent), ratio_of_densities(exponent))

    return PaperClaim(
        title="Density of the noise by its length (proof of Theorem 1)",
        printed=Statement(text.format("d"), says(D)),
        twin=Statement(text.format("(d + 1)^2 - 1"), says(ORDER - 1)),
        checks=CHECKS,
        reading="the recipe for drawing the noise, a length of the Gamma law with shape (d + 1)^2",
    )


@DOSSIER.claim("eq-11")
def eq_11() -> PaperClaim[Parts]:
    text = (
        "The densities of two noises with one minimiser differ by exp({0}(|b2| - |b1|)) <= exp({0}|b2 - b1|) <= exp(eps). Formulas, in exponents: "
        "the triangle inequality; {0}times the supremum of |dL - dL'| in one Phi_c against eps. Instances: {0}(|b2| - |b1|) and {0}|b2 - b1| against eps."
    )

    def says(bound: str, constrained: bool) -> Parts:
        return parts(*noise_ratio(EPSILON / bound_of(bound)), instances=one_minimiser(constrained, bound))

    return PaperClaim(
        title="Ratio of the densities of the noises (equation 11)",
        printed=Statement(text.format("(eps/2) "), says(PRINTED_BOUND, constrained=True)),
        twin=Statement(
            text.format("rate ")
            + " With rate = eps/max(2 C, 2 sqrt(2) (C - 1)), over all symmetric matrices, with a ridge, for the part of every class.",
            says(NEEDED_BOUND, constrained=False),
        ),
        checks=ARGUED,
    )


@DOSSIER.claim("eq-12")
def eq_12() -> PaperClaim[Parts]:
    """The instances do not depend on how the printed Jacobian is read; the formula reads it as that of b in Phi."""

    def says(constrained: bool, power: int) -> Parts:
        formula = change_of_variables(power, strict_minimum(ZERO if constrained else RIDGE).steps)
        return parts(formula, instances=two_noises(constrained))

    return PaperClaim(
        title="Change of variables (equation 12)",
        printed=Statement(
            "The minimiser has a density: that of its noise times the inverse of |det db/dPhi|; so different noises have different minimisers. "
            "Formula: one number, phi = -b/mu. Instances: the noises 10 I and 11 I.",
            says(True, -1),
        ),
        twin=Statement(
            "Over all symmetric matrices, with one noise for every class and a ridge, it has the density of its noise times |det db/dPhi|.",
            says(False, 1),
        ),
        checks=WITH_INSTANCES,
    )


@DOSSIER.claim("jacobian-factor")
def jacobian_factor() -> PaperClaim[Parts]:
    return PaperClaim(
        title="The share of the Jacobian (proof of Theorem 1)",
        printed=Statement(
            "The determinants of db/dPhi on adjacent data sets have a ratio of at most 1 + 2 alpha/(n lambda) + alpha^2/(n lambda)^2. Formula: "
            "they are positive, so that there is a ratio; one record on its parabola, two classes, one feature.",
            parts(*jacobian(False)),
        ),
        twin=Statement(
            "With (mu/2)|Phi|^2 added they are positive, and one record changes them by a factor of at most e^kappa = "
            "(1 + C t)(1 + t)^(C - 2), t = (1 + R^2)^2/(2 h n mu). Formulas: the same record; the steps for two classes.",
            parts(*jacobian(True)),
        ),
        checks=(proof,),
    )


@DOSSIER.claim("eq-13")
def eq_13() -> PaperClaim[Parts]:
    return PaperClaim(
        title="Bound on the ratio of the laws (equation 13)",
        printed=Statement(
            "The ratio of the laws of the minimiser lies in [exp(-eps'), exp(eps')], eps' = eps + k. Instances: one record -1, of class 2 or of "
            "class 1; an event that has probability 0 under the second.",
            Parts(
                instances=event_of_a_release("one noise for all classes", True),
                argument=partial(block_bound, PRINTED_BOUND),
            ),
        ),
        twin=Statement(
            f"{_VARIANT} the ratio of the densities lies in [exp(-eps), exp(eps)]. Derivation: 2 classes, 1 record.",
            Parts(
                instances=event_of_a_release("private variant", True), argument=partial(private_steps, 2, 1)
            ),
        ),
        checks=ARGUED,
    )
