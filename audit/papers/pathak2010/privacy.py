"""Section 3.2: Theorem 1 and the steps of its proof."""

from __future__ import annotations

from functools import partial
from typing import Any

import sympy as sp

from ...dossier import ARGUED, Formula, Later, Parts, Statement, parts
from ...dossier.parts import proof
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


@DOSSIER.disputed(
    "proof-requirements",
    "What the proof needs",
    printed="The Huber loss is differentiable, L is strictly convex in the matrices as the proof needs it, and "
    "all this holds for support vector machines. Formulas: the pieces of the corrected loss join with "
    "equal slopes; the second difference of L where both Phi_c move by one matrix is positive; the "
    "slopes of the hinge loss agree at its corner.",
    twin="The Huber loss is differentiable; not L but J_p with (mu/2)|Phi|^2 added is strictly convex. "
    "Formulas: the same, the second difference of that.",
    at=(
        Later(lambda: parts(*joints(CORRECTED), bend(ZERO, regularised=False), kink())),
        Later(lambda: parts(*joints(CORRECTED), bend(RIDGE))),
    ),
)
def proof_requirements(data: Parts) -> Parts:
    return data


@DOSSIER.disputed(
    "theorem-1",
    "Privacy of the perturbed minimiser (Theorem 1)",
    printed="For adjacent data sets the log ratio of the laws of the released minimiser (signs of the loss "
    "corrected, margin 0 or 1) is at most eps + log(1 + 2 alpha/(n lambda) + alpha^2/(n lambda)^2). "
    "Instances: two records of two classes, 1 and -1 or both 1; an event that has probability 0 under "
    "the second against a lower bound for the first, for several alpha.",
    twin=f"{_VARIANT} the minimiser is eps-private. Derivation: 3 classes, 100 records. Instances: log ratios "
    "of the densities at releases.",
    at=(
        ("one noise for all classes", partial(block_bound, PRINTED_BOUND)),
        ("private variant", private_steps),
    ),
)
def theorem_1(said: str, argument: Any) -> Parts:
    """Neighbours that differ in features alone: no finite eps' serves, so that no constant alpha does."""
    return Parts(instances=event_of_a_release(said, False), argument=argument)


@DOSSIER.disputed(
    "theorem-1/unique-minimiser",
    "One minimiser each (proof of Theorem 1)",
    printed="As it is convex and differentiable, J has exactly one minimiser, and so has J_p. Formulas: the "
    "second difference where both Phi_c move by one matrix is positive; no rule with Psi_c = eta and "
    "leads h + 1 has a cheaper one with eta/2.",
    twin="With (mu/2)|Phi|^2 added both have exactly one. Formula: the same second difference.",
    at=(Later(lambda: ((bend(ZERO), linear_rules()), ZERO)), Later(lambda: ((bend(RIDGE),), RIDGE))),
)
def theorem_1_unique(formulas: tuple[Formula, ...], said: sp.Expr) -> Parts:
    return Parts(formulas, argument=partial(strict_minimum, said))


@DOSSIER.disputed(
    "eq-9",
    "Stationarity (equation 9)",
    printed="At the minimiser over positive semidefinite matrices dL/dPhi_c + lambda I_Phi + b (the symmetric "
    "part of b) is zero for every c. Instances: exact minimisers for records r and -r of two classes.",
    twin="That derivative is positive semidefinite, and its product with Phi_c is zero, for every c.",
    at=("derivative", "derivative times Phi_c"),
)
def eq_9(zero: str) -> Parts:
    return Parts(instances=derivative_at_minimisers(zero), argument=partial(first_order, zero))


@DOSSIER.disputed(
    "theorem-1/bijection",
    "Noise and minimiser determine each other (proof of Theorem 1)",
    printed="Different noises have different minimisers. Instances: the noises 10 I and 11 I, records 1 and -1 "
    "of two classes.",
    twin="So it is for symmetric noises, one for every class, over all symmetric matrices and with "
    "(mu/2)|Phi|^2 added.",
    at=((True, ZERO), (False, RIDGE)),
)
def theorem_1_bijection(constrained: bool, said: sp.Expr) -> Parts:
    return Parts(instances=two_noises(constrained), argument=partial(strict_minimum, said))


@DOSSIER.disputed(
    "eq-10",
    "Noises that lead to one minimiser (equation 10)",
    printed="If b1 on one data set and b2 on its neighbour have one minimiser, b1 - b2 is the difference of the "
    "gradients of L in Phi_c, for every class c. Formula: one entry, S1 and S2 the derivatives at the "
    "minimiser. Instances: the minimiser 0.",
    twin="So it is without positive semidefiniteness (S1 = S2 = 0), b1 and b2 having a part for every class, "
    "and with a ridge.",
    at=(True, False),
)
def eq_10(constrained: bool) -> Parts:
    return parts(noise_difference(constrained), instances=one_minimiser(constrained))


@DOSSIER.disputed(
    "eq-10-norm",
    "Distance of the two noises (proof of Theorem 1)",
    printed=(
        "have |b1 - b2| <= 2",
        "the minimiser 0 for the noises 10 I and 13 I, two records, one of them in both data sets",
        PRINTED_BOUND,
        True,
    ),
    twin=(
        "over all symmetric matrices, with a ridge and one noise for every class, have |b1 - b2| <= max(2 C, "
        "2 sqrt(2) (C - 1)) in every class",
        "any minimisers",
        NEEDED_BOUND,
        False,
    ),
)
def eq_10_norm(value: str, said: str, claimed: str, constant: bool) -> Statement[Parts]:
    def says(bound: str, constrained: bool) -> Parts:
        return Parts(instances=one_minimiser(constrained, bound), argument=partial(block_bound, bound))

    text = f"Noises b1 on one data set and b2 on its neighbour that lead to one minimiser {value}: all records but one cancel. Instances: {said}."
    return Statement(text, says(claimed, constrained=constant))


@DOSSIER.disputed(
    "density-form",
    "Density of the noise by its length (proof of Theorem 1)",
    reading="the recipe for drawing the noise, a length of the Gamma law with shape (d + 1)^2",
    printed=("d", D),
    twin=("(d + 1)^2 - 1", ORDER - 1),
)
def density_form(said: str, exponent: sp.Expr) -> Statement[Parts]:
    text = (
        f"The noise has its length by the density r^m exp(-eps r/2), m = {said}, and a direction on the sphere of m + 1 dimensions, of area surf(1) r^m. "
        "Formulas: the slope of the log density against that of the Gamma law; the ratio of r^m exp(-eps r/2)/surf(r) at two lengths."
    )
    return Statement(text, parts(radial(exponent), ratio_of_densities(exponent)))


@DOSSIER.disputed(
    "eq-11",
    "Ratio of the densities of the noises (equation 11)",
    checks=ARGUED,
    printed="The densities of two noises with one minimiser differ by exp((eps/2) (|b2| - |b1|)) <= exp((eps/2) "
    "|b2 - b1|) <= exp(eps). Formulas, in exponents: the triangle inequality; (eps/2) times the supremum "
    "of |dL - dL'| in one Phi_c against eps. Instances: (eps/2) (|b2| - |b1|) and (eps/2) |b2 - b1| "
    "against eps.",
    twin="The densities of two noises with one minimiser differ by exp(rate (|b2| - |b1|)) <= exp(rate |b2 - "
    "b1|) <= exp(eps). Formulas, in exponents: the triangle inequality; rate times the supremum of |dL - "
    "dL'| in one Phi_c against eps. Instances: rate (|b2| - |b1|) and rate |b2 - b1| against eps. With "
    "rate = eps/max(2 C, 2 sqrt(2) (C - 1)), over all symmetric matrices, with a ridge, for the part of "
    "every class.",
    at=((PRINTED_BOUND, True), (NEEDED_BOUND, False)),
)
def eq_11(said: str, claimed: bool) -> Parts:

    def says(bound: str, constrained: bool) -> Parts:
        return parts(*noise_ratio(EPSILON / bound_of(bound)), instances=one_minimiser(constrained, bound))

    return says(said, constrained=claimed)


@DOSSIER.disputed(
    "eq-12",
    "Change of variables (equation 12)",
    printed="The minimiser has a density: that of its noise times the inverse of |det db/dPhi|; so different "
    "noises have different minimisers. Formula: one number, phi = -b/mu. Instances: the noises 10 I and "
    "11 I.",
    twin="Over all symmetric matrices, with one noise for every class and a ridge, it has the density of its "
    "noise times |det db/dPhi|.",
    at=((True, -1), (False, 1)),
)
def eq_12(constrained: bool, power: int) -> Parts:
    """The instances do not depend on how the printed Jacobian is read; the formula reads it as that of b in Phi."""

    formula = change_of_variables(power, strict_minimum(ZERO if constrained else RIDGE).steps)
    return parts(formula, instances=two_noises(constrained))


@DOSSIER.disputed(
    "jacobian-factor",
    "The share of the Jacobian (proof of Theorem 1)",
    checks=(proof,),
    printed="The determinants of db/dPhi on adjacent data sets have a ratio of at most 1 + 2 alpha/(n lambda) + "
    "alpha^2/(n lambda)^2. Formula: they are positive, so that there is a ratio; one record on its "
    "parabola, two classes, one feature.",
    twin="With (mu/2)|Phi|^2 added they are positive, and one record changes them by a factor of at most "
    "e^kappa = (1 + C t)(1 + t)^(C - 2), t = (1 + R^2)^2/(2 h n mu). Formulas: the same record; the "
    "steps for two classes.",
    at=(False, True),
)
def jacobian_factor(ridge: bool) -> Parts:
    return parts(*jacobian(ridge))


@DOSSIER.disputed(
    "eq-13",
    "Bound on the ratio of the laws (equation 13)",
    printed="The ratio of the laws of the minimiser lies in [exp(-eps'), exp(eps')], eps' = eps + k. Instances: "
    "one record -1, of class 2 or of class 1; an event that has probability 0 under the second.",
    twin=f"{_VARIANT} the ratio of the densities lies in [exp(-eps), exp(eps)]. Derivation: 2 classes, 1 "
    "record.",
    at=(
        ("one noise for all classes", partial(block_bound, PRINTED_BOUND)),
        ("private variant", partial(private_steps, 2, 1)),
    ),
)
def eq_13(said: str, argument: Any) -> Parts:
    return Parts(instances=event_of_a_release(said, True), argument=argument)
