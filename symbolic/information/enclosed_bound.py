"""Error bounds from information that is known in balls: every reading of a matrix of floats must agree."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import sympy as sp
from flint import arb, arb_mat, ctx

from ..predicates import ErrorBound
from ..proof.derivation import Step
from ..proof.enclosed_matrices import BITS, short, trace_of
from ..proof.enclosure import enclose
from ..proof.exact_numbers import quotient
from ..proof.symmetric_matrix import SymmetricMatrix
from ..proof.truth import Truth
from .fisher import EnclosedInformation


def weights(weight: Any, order: int) -> tuple[arb_mat, ...]:
    """The readings of the weight Pi (k, k), the identity by default."""
    with ctx.workprec(BITS):
        if weight is None:
            return (arb_mat(order, order, [arb(i == j) for i in range(order) for j in range(order)]),)
        return tuple(arb_mat(r) for r in SymmetricMatrix.of("weight", weight).readings)


def unbiased_bound(enclosed: Sequence[EnclosedInformation], claim: ErrorBound) -> arb:
    """A ball around Tr(Pi I^{-1}), or sum Pi_ii / I_ii for the informed, and around those of all other readings."""
    with ctx.workprec(BITS):
        if claim.adversary == "unbiased":
            return released_error(enclosed, claim)
        return _union(
            sum((pi[i, i] / one.information[i, i] for i in range(pi.nrows())), arb(0))
            for one in enclosed
            for pi in weights(claim.weight, one.information.nrows())
        )


def released_error(enclosed: Sequence[EnclosedInformation], claim: ErrorBound) -> arb:
    """A ball around Tr(Pi S), the error of the released value itself: normal noise with covariance S = I^{-1}."""
    return _union(
        trace_of(pi, one.inverse) for one in enclosed for pi in weights(claim.weight, one.information.nrows())
    )


def prior_bound(enclosed: Sequence[EnclosedInformation], weight: Any, prior: Sequence[sp.Expr]) -> arb:
    """A ball around Tr(Pi (I + J)^{-1}), J the diagonal information of the prior."""
    with ctx.workprec(BITS):
        k = len(prior)
        own = [enclose(j, bits=BITS) for j in prior]
        added = arb_mat(k, k, [own[i] if i == j else arb(0) for i in range(k) for j in range(k)])
        return _union(
            trace_of(pi, (one.information + added).inv()) for one in enclosed for pi in weights(weight, k)
        )


def within(ball: arb, target: sp.Rational, share: sp.Rational) -> Truth:
    """Whether |b - target| <= share max(|b|, |target|), b the number in the ball."""
    with ctx.workprec(BITS):
        wanted = arb(quotient(target))
        gap, allowed = abs(ball - wanted), abs(ball).max(abs(wanted)) * arb(quotient(share))
        return Truth.HOLDS if gap <= allowed else Truth.FAILS if gap > allowed else Truth.UNKNOWN


def agreed(answers: Iterable[Truth]) -> Truth:
    """What all readings say, UNKNOWN if they differ."""
    said = set(answers)
    return said.pop() if len(said) == 1 else Truth.UNKNOWN


def end_steps(ball: arb, again: Callable[[], arb], what: str) -> tuple[sp.Rational, Step]:
    """The lower end of a ball to thirty digits, and the step that encloses anew."""
    low = short(ball, "below")

    def holds(left: sp.Expr, _right: sp.Expr) -> Truth:
        return Truth.HOLDS if again() >= arb(quotient(left)) else Truth.UNKNOWN

    number = sp.Rational(int(low.p), int(low.q))
    return number, Step(number, "<=", sp.Symbol("bound", positive=True), what, how=holds)


def upper_end(ball: arb) -> sp.Rational:
    """A number of thirty digits above the ball."""
    high = short(ball, "above")
    return sp.Rational(int(high.p), int(high.q))


def _union(balls: Iterable[arb]) -> arb:
    with ctx.workprec(BITS):
        first, *others = balls
        for ball in others:
            first = first.union(ball)
        return first
