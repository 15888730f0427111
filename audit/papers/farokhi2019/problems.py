"""Section 2, Problem 1 and its remarks: the weighted privacy measure, when it is bounded, processing, side information."""

from __future__ import annotations

import sympy as sp

from ....symbolic.proof.as_written import applied, product, quotient, total
from ....symbolic.proof.derivation import Step
from ...dossier import Formula, Later, Parts, argued, parts
from ...dossier.arguments.bounds_arguments import SQUARES, by_steps, processing
from ...dossier.arguments.information_noise import (
    FREE_NOISE,
    almost_one_answer,
    answer_close_to_constant,
    at_least_cosine,
    cells,
    error_of_response,
    flat_query_inverse,
    nearly_one_answer_inverse,
    pushed_to_infinity,
    stationary_is_least,
)
from .arguments.bounds_matrices import processed
from .dossier import DOSSIER

WEIGHT, REACH, INSIDE, SCALE = sp.symbols("k r t c", positive=True)
NOISE, MORE, LEVEL = (
    sp.Symbol("v", positive=True),
    sp.Symbol("h", nonnegative=True),
    sp.Symbol("B", positive=True),
)
ONE_PER_CENT = sp.Rational(101, 100)
BOUNDED = (
    "For f(x) = x on a box of sides L and noise that does not depend on x, Tr(I^-1) is at most n L^2/(4 pi^2), which "
    "independent entries of density cos^2 attain. Formula: one entry, 4 pi^2/L^2 against the information of other modes."
)


@DOSSIER.disputed(
    "eq-9",
    "The weighted measure, and weights that integrate to one (9)",
    condition="The integral of p over X is finite. A constant weight on R^n, which the results on linear queries allow, "
    "has no such scale.",
    printed="The measure is the integral of Tr(I(x)^-1) p(x) for a weight p that is positive on a set of positive measure; "
    "p can be divided by a constant so that it integrates to one. Formula: p = k on [-r, r].",
    without="The same for p = k on the line, divided by some constant c: the mass within c/k of 0 is then at most 1.",
    at=(True, False),
)
def eq_9(finite: bool) -> Parts:
    """A weight k on [-r, r], divided by its integral: the mass inside [-r t/(1+t), r t/(1+t)]."""
    inner = REACH * INSIDE / (1 + INSIDE)
    x = sp.Symbol("x", real=True)
    whole = sp.integrate(WEIGHT, (x, -REACH, REACH))
    if not finite:
        near = sp.integrate(WEIGHT / SCALE, (x, -SCALE / WEIGHT, SCALE / WEIGHT))
        return parts(Formula(near, "<=", sp.Integer(1)))
    all_of_it, part = (sp.integrate(WEIGHT / whole, (x, -end, end)) for end in (REACH, inner))
    written = sp.Integral(quotient(WEIGHT, product(2, REACH, WEIGHT)), (x, -REACH, REACH))
    mass = Formula(all_of_it, "=", sp.Integer(1), argument=argued(written=written))
    return parts(mass, Formula(part, "<=", sp.Integer(1)))


DOSSIER.introduces(
    "problem-1", "Problem 1", "Find a policy in Gamma for which the integral of Tr(I(x)^-1) p(x) is largest."
)


@DOSSIER.disputed(
    "remark-1a",
    "Problem 1 on a bounded support",
    printed="If W is bounded, Problem 1 is well defined: its cost has a finite bound B over all policies. "
    "Formula: answers s x + z to f(x) = x, x in an interval shorter by l than W, z of density cos^4 on a "
    "length l: the noise stays in W, and s is chosen for the cost 2 B.",
    twin=BOUNDED,
    at=(nearly_one_answer_inverse(), Later(lambda: at_least_cosine())),
)
def remark_1a(formula: Formula) -> Parts:
    return parts(formula)


@DOSSIER.disputed(
    "remark-1b",
    "The trace of the inverse information on a bounded support",
    printed="If W is bounded, Tr(I^-1) has a bound B. Formula: f(x) = x^3 with x in [-1, 1] and cos^2 noise on a "
    "length L, at the x for which Tr(I^-1) is 2 B. (For fewer answers than entries and noise independent "
    "of x there is no inverse at all.)",
    twin=BOUNDED,
    at=(flat_query_inverse(), Later(lambda: at_least_cosine())),
)
def remark_1b(formula: Formula) -> Parts:
    return parts(formula)


@DOSSIER.disputed(
    "remark-1c",
    "Problem 1 on an unbounded support",
    condition=FREE_NOISE,
    printed="If W is unbounded, Tr(I^-1) exceeds every level B for scaled noise, and it does so only with the "
    "variance: for f(x) = x the variance is at least Tr(I^-1).",
    without="The same on every unbounded W, such as separate intervals of length L, and for noise that may "
    "depend on x.",
    at=(
        Later(lambda: (pushed_to_infinity(), error_of_response())),
        Later(lambda: (cells(inverse=True), answer_close_to_constant())),
    ),
)
def remark_1c(formula: Formula, value: Formula) -> Parts:
    return parts(formula, value)


@DOSSIER.disputed(
    "remark-2",
    "Stationary policies of the convex problem",
    printed="For the convex problem the necessary conditions, a differential equation in (w, x) with u = 0 on "
    "the boundary of W, are sufficient. Formula: u = cos solves it for f(x) = x, x in an interval "
    "shorter than W and constant weight; its cost against that of a policy which, but for a share e, "
    "answers the same whatever x is.",
    twin="They are sufficient among noises that do not depend on x: a solution that is positive inside W has "
    "the least cost. (In general a condition on the boundary of X is missing.) Formula: against other "
    "modes.",
    at=(almost_one_answer(), Later(lambda: stationary_is_least())),
)
def remark_2(formula: Formula) -> Parts:
    return parts(formula)


def _processed(factor: sp.Expr) -> Formula:
    """y = x + w of covariance diag(v, v), then z = y + h-variance noise in the first entry."""
    before, after = sp.diag(NOISE, NOISE), sp.diag(NOISE + MORE, NOISE)
    argument = by_steps(
        "E[score of y | z] is the score of z, so that I_y - I_z is a mean square",
        processing,
        total(NOISE + MORE, NOISE),
        ">=",
        total(NOISE, NOISE),
        (
            SQUARES,
            "the score of z is the mean of the score of y given z, for z drawn from y without a further look at x",
        ),
    )
    return Formula(after.trace(), ">=", factor * before.trace(), argument=argument)


@DOSSIER.disputed(
    "remark-3",
    "Processing of the answer",
    printed="Whatever is made of y, without a further look at x, has a Tr(I^-1) that is at least as large. "
    "Formula: normal noise of variance v in two entries, then noise of variance h added to one.",
    twin="It is larger by 1 % at least.",
    at=((sp.Integer(1), "1"), (ONE_PER_CENT, "101/100")),
)
def remark_3(factor: sp.Expr, said: str) -> Parts:
    return parts(_processed(factor), instances=processed(said))


def _side_information(share: sp.Expr) -> Parts:
    """z = x + noise of variance B next to y = x + noise of variance v; the prior of x has variance 1."""
    epsilon = sp.Symbol("epsilon", positive=True)
    error = 1 / (1 / NOISE + 1 / LEVEL)
    ratio = sp.exp(2 * LEVEL) - 1
    # Both leak: log(1 + 1/v + 1/r)/2 for z of variance r = 1/ratio.
    leaked = sp.log(1 + 1 / NOISE + ratio) / 2
    more = Step(
        1 + 1 / NOISE + ratio - sp.exp(2 * LEVEL),
        ">",
        sp.Integer(0),
        "what both leak is more than log(exp(2 B))/2 = B, as the logarithm increases",
    )
    increasing = by_steps(
        "mutual information adds up",
        lambda: (more,),
        # The bits of both answers together, and half the logarithm of exp(2 B).
        quotient(applied(sp.log, total(1, quotient(1, NOISE), sp.exp(2 * LEVEL) - 1)), 2),
        ">",
        quotient(applied(sp.log, sp.exp(2 * LEVEL)), 2),
        ("the logarithm increases",),
    )
    return parts(
        Formula(error, "<", share * LEVEL),
        Formula(leaked, ">", LEVEL, argument=increasing),
        # Randomised response about the same entry, with odds e^B, adds its own loss to that of the answer.
        Formula(epsilon + LEVEL, ">", LEVEL),
    )


DOSSIER.disputed(
    "remark-4",
    "Side information",
    printed="Whatever the noise, side information z can bring the error bound of y and z together below every "
    "level B; mutual information and differential privacy are as fragile: both leaks can exceed every B. "
    "Formula: normal noise of variance v; an epsilon-private answer with randomised response of odds e^B.",
    twin="Side information of error B brings the error below 0.99 B, whatever the noise.",
    at=(sp.Integer(1), sp.Rational(99, 100)),
)(_side_information)
