"""Differential privacy as the paper uses it: definitions, the Laplace mechanism, composition; the Gaussian model."""

from __future__ import annotations

import sympy as sp

from ...dossier import Parts, Statement, parts, times
from ...dossier.arguments.gaussian_model import mass, sampled_variance, second_moment
from .arguments.privacy_background import (
    composition,
    finite_mechanisms,
    laplace_ratio,
    post_processing,
    proper_relaxation,
    relaxation,
    replaced,
    size_released,
)
from .dossier import DOSSIER

LESS = sp.Rational(99, 100)
MORE = sp.Rational(101, 100)
TWO = sp.Integer(2)


# Names the property; the ratio is read as a product, since a probability may be zero.
DOSSIER.introduces(
    "def-1",
    "Differential privacy (Definition 1)",
    "A is epsilon-private if Pr[A(f(X)) in S]/Pr[A(f(X')) in S] <= e^epsilon for all measurable S and all X, X' that differ in one "
    "record. Read as Pr <= e^epsilon Pr', which also says something where Pr' = 0.",
)


@DOSSIER.disputed(
    "remark-1", "(epsilon, delta)-privacy is a relaxation (Remark 1)", printed=sp.Integer(1), twin=LESS
)
def remark_1(factor: sp.Expr) -> Statement[Parts]:
    """The relaxation is proper: what shows the record with probability d is private at no epsilon with delta = 0."""
    text = (
        f"(epsilon, 0)-privacy implies ({times(factor)}epsilon, delta)-privacy for every delta >= 0, and not conversely. Formulas: "
        "P = e^epsilon Q/(1 + s1) for any s1 >= 0; the probability d > 0 of an outcome that the neighbour never has."
    )
    return Statement(text, parts(relaxation(factor=factor), proper_relaxation()))


# Names the quantity.
DOSSIER.introduces(
    "def-2",
    "L1-sensitivity (Definition 2)",
    "S(f) is the supremum of the sum of |entries| of f(X) - f(X') over all X, X' that differ in one record.",
)


@DOSSIER.disputed(
    "remark-2",
    "Bounded and unbounded neighbours (Remark 2)",
    printed="A mechanism that is epsilon-private for one notion of neighbours (one record replaced; one added or "
    "removed) is private for the other at the cost of a constant factor, here 2. Formulas: a replacement "
    "through the data without the record; the size plus geometric noise of any ratio, released alone, "
    "which has epsilon = 0 for data of one size.",
    twin="What is epsilon-private when a record is added or removed is 2 epsilon-private when one is "
    "replaced. There is nothing in return: what reveals the size is 0-private for replacements, and "
    "private for additions at no epsilon.",
    at=(
        parts(replaced(TWO), size_released(TWO), instances=finite_mechanisms("2", ("unbounded", "bounded"))),
        parts(replaced(TWO), instances=finite_mechanisms("2", ("unbounded",))),
    ),
)
def remark_2(data: Parts) -> Parts:
    """One way costs a factor of 2; the other way there is no price: the size may be all that a mechanism says."""
    return data


@DOSSIER.disputed("theorem-1", "The Laplace mechanism (Theorem 1)", printed=sp.Integer(1), twin=LESS)
def theorem_1(factor: sp.Expr) -> Statement[Parts]:
    """The loss is bounded at every outcome; the smallest telling case has two entries."""
    text = (
        f"f(X) + Z with independent Lap({times(factor)}S(f)/epsilon) entries is epsilon-private. Formula: the privacy loss at any outcome y, "
        "for two entries f (g for the neighbour) with |f1 - g1| + |f2 - g2| = S."
    )
    return Statement(text, parts(laplace_ratio(factor=factor)))


@DOSSIER.disputed("post-processing", "Post-processing", printed=sp.Integer(1), twin=LESS)
def post_processing_claim(factor: sp.Expr) -> Statement[Parts]:
    """Deterministic maps are the case where every k is 0 or 1; randomness of the map is its own."""
    text = (
        f"A map of an epsilon-private output that looks at nothing else of the data, randomised or not, is {times(factor)}epsilon-private. Formula: "
        "k1, k2 are the probabilities of one value of the map at two outputs."
    )
    return Statement(text, parts(post_processing(factor=factor)))


@DOSSIER.disputed("serial-composition", "Serial composition", printed=sp.Integer(1), twin=LESS)
def serial_composition(factor: sp.Expr) -> Statement[Parts]:
    """Adaptive: the second mechanism may depend on the first output."""
    text = (
        "Two mechanisms on the same data, private with epsilon and epsilon2, the second chosen by the output of the first, are together "
        f"{times(factor)}(epsilon + epsilon2)-private; so on for more. Formula: the joint density of both outputs."
    )
    return Statement(text, parts(composition(factor=factor)))


# An assumption: who sees what.
DOSSIER.introduces(
    "threat-model",
    "Who sees what",
    "A trusted party runs the algorithm; its output is public, the centred and the projected records never are.",
)


@DOSSIER.disputed("eq-1", "The Gaussian density (1)", printed=sp.Integer(1), twin=MORE)
def equation_1(factor: sp.Expr) -> Statement[Parts]:
    """In the eigenbasis of Sigma the density is a product over m entries."""
    text = (
        f"(2 pi)^(-{times(factor)}m/2) det(Sigma)^(-1/2) exp(-(x - mu)'Sigma^-1(x - mu)/2) is a probability density with mean mu and covariance Sigma, "
        "positive definite, so that nothing but these two is left to estimate within the model. Formulas: the mass for every m; "
        "the second moments for two entries with Sigma = L L'."
    )
    return Statement(text, parts(mass(factor=factor), second_moment()))


@DOSSIER.disputed(
    "gauss-sampling",
    "Sampling from the Gaussian model",
    condition="Sigma is symmetric and positive definite. A covariance with independent Laplace noise on every "
    "entry need not be: it has to be repaired first, which costs no privacy.",
    printed="Available packages draw from N(0, Sigma): L z with Sigma = L L'. Formula: the variance c - b^2/a "
    "that is left of the second entry for Sigma = [[a, b], [b, c]].",
    without="The same for every Sigma that noise on each entry can give.",
    at=(True, False),
)
def gauss_sampling(valid: bool) -> Parts:
    """The second step of a Cholesky factorisation, which samplers take in one form or another."""
    return parts(sampled_variance(valid=valid))
