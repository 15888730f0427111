"""Section 2: the smoothed hinge loss, and what kind of program the objective is."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import sympy as sp

from ...dossier import Formula, Parts, Statement, parts
from ...dossier.parts import proof
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


@DOSSIER.disputed(
    "eq-6",
    "Huber loss (equation 6)",
    reading="section 3, which needs the loss to be differentiable and says that it is by definition, and the "
    "hinge loss of equation 4 that it stands for, which grows with s",
    printed=("(h - s)^2/(4h)", "-s", illustrated(joints(PRINTED))),
    twin=("(h + s)^2/(4h)", "s", joints(CORRECTED)),
)
def eq_6(said: str, value: str, claimed: tuple[Formula, ...]) -> Statement[Parts]:
    text = (
        f"With s = x'(Phi_y - Phi_c)x the smooth loss is 0 for s < -h, {said} for |s| <= h and {value} for s > h (the condition of the middle piece as "
        "in the appendix). Formulas: values and slopes of neighbouring pieces where they meet."
    )
    return Statement(text, parts(*claimed))


@DOSSIER.disputed(
    "huber-similar-to-hinge",
    "The Huber loss is like the hinge loss",
    checks=(proof,),
    printed=(" of equation 6, its signs corrected,", 0),
    twin=(", moved by the margin to s + 1,", 1),
)
def huber_similar_to_hinge(said: str, margin: int) -> Statement[Parts]:
    text = f"For small h the loss{said} is close to the hinge loss max(0, 1 + s) of equation 4. Formula: the distance is at most h/4."
    return Statement(text, parts(near_hinge(margin, share=sp.Integer(1))))


@DOSSIER.disputed(
    "objective-convex",
    "A convex program",
    condition="Equation 6 with its signs corrected.",
    printed=("exactly.", CORRECTED),
    without=("exactly. The loss is that of equation 6 as printed.", PRINTED),
)
def objective_convex(words: str, pieces: Pieces) -> Statement[Parts]:
    return Statement(
        "The objective with the Huber loss is convex in the positive semidefinite matrices and a "
        f"semidefinite program. Instances: the objective halfway between two parameters, {words}",
        Parts(instances=midpoints(pieces), argument=partial(convexity_steps, pieces)),
    )


@DOSSIER.disputed(
    "extensions-easy",
    "Mixtures and slack variables",
    condition="Each record is told the component of its own class, as in Sha and Saul (2006); what extends is the "
    "perturbed problem, not its privacy, which one Gaussian per class does not have (Theorem 1).",
    printed=("halfway.", "told"),
    without=("halfway. The own score of a record is the least over the components of its class.", "least"),
)
def extensions_easy(words: str, said: str) -> Statement[Parts]:
    """One Gaussian per class is a mixture of one: what fails of Theorem 1 there fails here."""
    return Statement(
        "With a mixture of Gaussians for each class and slack variables the problem stays convex with "
        "piecewise linear terms, also with the linear term of the noise. Formulas: the loss against the "
        "least score of a class is a largest linear term, this term beside it; a feasible slack is no less "
        f"than the hinge. Instances: two components for each of two classes, the loss {words}",
        parts(*mixture_formulas(said), instances=mixture_losses(said)),
    )
