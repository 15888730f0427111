"""Section 2: the smoothed hinge loss, and what kind of program the objective is."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import sympy as sp

from ...dossier.formula import Formula
from ...dossier.paper_claim import PaperClaim, Statement
from ...dossier.parts import ARGUED, CHECKS, WITH_INSTANCES, Parts, parts, proof
from .arguments.loss import (
    CORRECTED,
    PRINTED,
    Pieces,
    convexity_steps,
    drawn,
    joints,
    midpoints,
    mixture_formulas,
    mixture_losses,
    near_hinge,
)
from .dossier import DOSSIER


def illustrated(found: tuple[Formula, ...]) -> tuple[Formula, ...]:
    """The formulas with the figure of the loss."""
    return (replace(found[0], series=(drawn(),)), *found[1:])


@DOSSIER.claim("eq-6")
def eq_6() -> PaperClaim[Parts]:
    text = (
        "With s = x'(Phi_y - Phi_c)x the smooth loss is 0 for s < -h, {} for |s| <= h and {} for s > h (the condition of the middle piece as "
        "in the appendix). Formulas: values and slopes of neighbouring pieces where they meet."
    )
    return PaperClaim(
        title="Huber loss (equation 6)",
        printed=Statement(text.format("(h - s)^2/(4h)", "-s"), parts(*illustrated(joints(PRINTED)))),
        twin=Statement(text.format("(h + s)^2/(4h)", "s"), parts(*joints(CORRECTED))),
        checks=CHECKS,
        reading="section 3, which needs the loss to be differentiable and says that it is by definition, and the hinge loss of "
        "equation 4 that it stands for, which grows with s",
    )


@DOSSIER.claim("huber-similar-to-hinge")
def huber_similar_to_hinge() -> PaperClaim[Parts]:
    text = "For small h the loss{} is close to the hinge loss max(0, 1 + s) of equation 4. Formula: the distance is at most h/4."
    return PaperClaim(
        title="The Huber loss is like the hinge loss",
        printed=Statement(
            text.format(" of equation 6, its signs corrected,"), parts(near_hinge(0, sp.Integer(1)))
        ),
        twin=Statement(text.format(", moved by the margin to s + 1,"), parts(near_hinge(1))),
        checks=(proof,),
    )


@DOSSIER.claim("objective-convex")
def objective_convex() -> PaperClaim[Parts]:
    def says(pieces: Pieces) -> Parts:
        return Parts(instances=midpoints(pieces), argument=partial(convexity_steps, pieces))

    text = (
        "The objective with the Huber loss is convex in the positive semidefinite matrices and a semidefinite program. Instances: the "
        "objective halfway between two parameters, exactly."
    )
    return PaperClaim(
        title="A convex program",
        printed=Statement(text, says(CORRECTED)),
        checks=ARGUED,
        condition="Equation 6 with its signs corrected.",
        without_condition=Statement(text + " The loss is that of equation 6 as printed.", says(PRINTED)),
    )


@DOSSIER.claim("extensions-easy")
def extensions_easy() -> PaperClaim[Parts]:
    """One Gaussian per class is a mixture of one: what fails of Theorem 1 there fails here."""
    text = (
        "With a mixture of Gaussians for each class and slack variables the problem stays convex with piecewise linear terms, also with the "
        "linear term of the noise. Formulas: the loss against the least score of a class is a largest linear term, this term beside it; a "
        "feasible slack is no less than the hinge. Instances: two components for each of two classes, the loss halfway."
    )
    return PaperClaim(
        title="Mixtures and slack variables",
        printed=Statement(text, parts(*mixture_formulas("told"), instances=mixture_losses("told"))),
        checks=WITH_INSTANCES,
        condition="Each record is told the component of its own class, as in Sha and Saul (2006); what extends is the perturbed problem, not "
        "its privacy, which one Gaussian per class does not have (Theorem 1).",
        without_condition=Statement(
            text + " The own score of a record is the least over the components of its class.",
            parts(*mixture_formulas("least"), instances=mixture_losses("least")),
        ),
    )
