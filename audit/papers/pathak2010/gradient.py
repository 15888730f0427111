"""Appendix: Lemma 1, how far one record moves the gradient of the loss."""

from __future__ import annotations

from functools import partial

from ...dossier import Parts, Statement, parts
from .arguments.gradient import (
    NEEDED_BOUND,
    PRINTED_BOUND,
    block_bound,
    derivative_formulas,
    factor_bounds,
    moves,
    rank_one,
)
from .dossier import DOSSIER


@DOSSIER.disputed(
    "lemma-1",
    "Sensitivity of the gradient (Lemma 1)",
    printed=("2", PRINTED_BOUND),
    twin=("max(2 C, 2 sqrt(2) (C - 1))", NEEDED_BOUND),
)
def lemma_1(said: str, bound: str) -> Statement[Parts]:
    """The needed bound is the supremum over all Phi: 2 C for labels that differ, 2 sqrt 2 (C - 1) for one label."""
    text = f"For records of the unit ball one labelled record moves dL/dPhi_c by at most {said}, C classes. Instances: exact gradients at records of one feature."
    return Statement(text, Parts(instances=moves(bound), argument=partial(block_bound, bound)))


@DOSSIER.disputed(
    "lemma-1/derivative",
    "Derivative of the loss (proof of Lemma 1)",
    printed=("(h - s)/(2h)", "1", "the same at s = 0, 1/2", "(h - s)/(2*h)", "1/2"),
    twin=(
        "-(h + s)/(2h)",
        "-1",
        "the sum of (h + s_c)/(2h)",
        "-(h + s)/(2*h)",
        "(h + s)/(2*h) + (h + s2)/(2*h)",
    ),
)
def lemma_1_derivative(said: str, value: str, claimed: str, constant: str, words: str) -> Statement[Parts]:
    """The printed coefficients are the slopes of the printed equation 6, but for its jumps; the own class is left out."""
    text = (
        f"With s = x'(Phi_y - Phi_c)x the loss of a record has dL/dPhi_c = {said} X on |s| <= h and {value} X for s > h, X = zz'; for its own class, two wrong "
        f"classes on their parabolas, {claimed} X. Formulas: against the derivative of the loss whose pieces join, in any direction, one feature."
    )
    return Statement(text, parts(*derivative_formulas(constant, value, words)))


@DOSSIER.disputed(
    "lemma-1/rank-one-norm",
    "Norm of a rank-one matrix (proof of Lemma 1)",
    printed=("", 1),
    twin=("^2 = 1 + |x|^2", 2),
)
def lemma_1_rank_one_norm(said: str, value: int) -> Statement[Parts]:
    """That z itself lies in the unit ball cannot be meant: its last entry is 1, so that every x would be 0."""
    text = f"The Frobenius norm of zz', z = (x, 1), is |z|{said}, at most {value} for x in the unit ball. Formulas: one feature; the step for all."
    return Statement(text, parts(*rank_one(value, value)))


@DOSSIER.disputed(
    "lemma-1/factor-at-most-one",
    "The factor on the parabola (proof of Lemma 1)",
    condition="Phi_c is that of a wrong class, and |X| <= 1; records of the unit ball with a 1 behind them have "
    "|X| = 1 + |x|^2.",
    printed=("X.", True),
    without=("X. The norms are 1 + |x|^2 with |x| = 1/(1 + x').", False),
)
def lemma_1_factor(words: str, unit: bool) -> Statement[Parts]:
    return Statement(
        "On its parabola the factor of X in the derivative is at most 1, so that the derivative is at most 1 "
        "in norm and two of them differ by at most 2. Formulas: the factor at the leads h - q and q - h, "
        f"which is not negative; weights 1/(1 + u) in [0, 1] times the norms of {words}",
        parts(*factor_bounds(unit)),
    )
