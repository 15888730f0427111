"""Error bounds from information that is known in balls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import sympy as sp
from flint import arb, arb_mat, ctx

from ..predicates import ErrorBound
from ..proof.derivation import Step
from ..proof.enclosed_matrices import BITS, inverse, short, trace_of
from ..proof.enclosure import enclose
from ..proof.exact_matrices import identity_of
from ..proof.exact_numbers import quotient, symbolic_number
from ..proof.symmetric_matrix import SymmetricMatrix
from ..proof.truth import Truth
from .fisher import EnclosedInformation


def weights(weight: Any, order: int) -> arb_mat:
    """The weight Pi (k, k), the identity by default."""
    with ctx.workprec(BITS):
        if weight is None:
            return arb_mat(identity_of(order))
        return arb_mat(SymmetricMatrix.of("weight", weight).exact)


def unbiased_bound(known: EnclosedInformation, claim: ErrorBound) -> arb:
    """A ball around Tr(Pi I^{-1}), or sum Pi_ii / I_ii for the informed."""
    if claim.adversary == "unbiased":
        return trace_of(weights(claim.weight, known.inverse.nrows()), known.inverse)
    with ctx.workprec(BITS):
        order = known.information.nrows()
        pi = weights(claim.weight, order)
        return sum((pi[i, i] / known.information[i, i] for i in range(order)), arb(0))


def released_error(known: EnclosedInformation, claim: ErrorBound) -> arb:
    """A ball around Tr(Pi S), the error of the released value itself: normal noise has the covariance S = I^{-1}."""
    covariance = known.inverse if known.released is None else known.released
    return trace_of(weights(claim.weight, covariance.nrows()), covariance)


def prior_bound(known: EnclosedInformation, weight: Any, prior: Sequence[sp.Expr]) -> arb:
    """A ball around Tr(Pi (I + J)^{-1}), J the diagonal information of the prior."""
    with ctx.workprec(BITS):
        k = len(prior)
        own = [enclose(j, bits=BITS) for j in prior]
        added = arb_mat(k, k, [own[i] if i == j else arb(0) for i in range(k) for j in range(k)])
        return trace_of(weights(weight, k), inverse(known.information + added))


def within(ball: arb, target: sp.Rational, share: sp.Rational) -> Truth:
    """Whether |b - target| <= share max(|b|, |target|), b the number in the ball."""
    with ctx.workprec(BITS):
        wanted = arb(quotient(target))
        gap, allowed = abs(ball - wanted), abs(ball).max(abs(wanted)) * arb(quotient(share))
        return Truth.HOLDS if gap <= allowed else Truth.FAILS if gap > allowed else Truth.UNKNOWN


def near(ball: arb, target: sp.Rational, error: float) -> bool:
    """Whether it is not certain that they are farther apart than this."""
    with ctx.workprec(BITS):
        return not abs(ball - arb(quotient(target))) > error


def end_steps(ball: Callable[[], arb], what: str) -> tuple[sp.Rational, Step]:
    """The lower end of a ball to thirty digits, and the step that encloses anew."""

    def holds(left: sp.Expr, _right: sp.Expr) -> Truth:
        with ctx.workprec(BITS):
            return Truth.HOLDS if ball() >= arb(quotient(left)) else Truth.UNKNOWN

    with ctx.workprec(BITS):
        number = symbolic_number(short(ball(), "below"))
    return number, Step(number, "<=", sp.Symbol("bound", positive=True), what, how=holds)


def upper_end(ball: arb) -> sp.Rational:
    """A number of thirty digits above the ball."""
    return symbolic_number(short(ball, "above"))
