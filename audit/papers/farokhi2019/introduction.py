"""What the introduction announces: the measure, unbounded noise, differential privacy, mutual information."""

from __future__ import annotations

import sympy as sp

from ....symbolic.proof.as_written import applied, power, product, quotient, total
from ....symbolic.proof.derivation import Step
from ...dossier import Formula, Later, Parts, parts
from ...dossier.arguments.bounds_arguments import SQUARES, by_steps, inverse_of_trace
from ...dossier.arguments.information_noise import (
    FREE_NOISE,
    answer_close_to_constant,
    error_of_response,
    pushed_to_zero,
    quadratic_cost,
)
from ...dossier.arguments.release_statements import FAR, normal_privacy
from .dossier import DOSSIER

A, B = sp.symbols("a b", positive=True)


@DOSSIER.disputed(
    "intro-measure",
    "The measure of privacy: the inverse of a trace or the trace of an inverse",
    reading="equation (9) and Proposition 1, which use Tr(I^-1), and the sentence of the introduction on the "
    "Cramer-Rao bound",
    printed="The measure of privacy is 1/Tr(I), the inverse of the trace of the Fisher information matrix I; "
    "n^2/Tr(I), which is maximised instead of it, is a lower bound of that measure. Formula: n = 2, "
    "eigenvalues a and b of I.",
    twin="The measure is Tr(I^-1), the trace of the inverse; n^2/Tr(I) is a lower bound of it.",
    at=(1 / (A + B), 1 / A + 1 / B),
)
def intro_measure(left: sp.Expr) -> Parts:
    """The lower bound that is maximised in the second step is the inverse of the trace of I, times n^2."""
    bound = 4 / (A + B)
    argument = by_steps(
        "the scaled inverse of the trace is a lower bound of the trace of the inverse",
        inverse_of_trace,
        quotient(total(B, A), product(A, B)),
        ">=",
        quotient(power(2, 2), total(A, B)),
        (SQUARES,),
    )
    return parts(Formula(left, ">=", bound, argument=argument))


@DOSSIER.disputed(
    "intro-unbounded",
    "Unbounded noise: information is pushed to zero by variance, a price on it makes Gaussian noise optimal",
    condition=FREE_NOISE,
    printed="On an unbounded support, the trace of the information can be pushed below every level B > 0 by "
    "scaling the noise, and only by noise whose variance grows without bound (variance >= "
    "1/information); with a price rho on the variance, a Gaussian is the cheapest noise on R^m.",
    without="The same for noise that may depend on x: also then little information needs a large variance.",
    at=(Later(lambda: error_of_response()), Later(lambda: answer_close_to_constant())),
)
def intro_unbounded(formula: Formula) -> Parts:
    """No noise of least information exists on R^m; with a price on the variance the Gaussian is the cheapest."""
    return parts(pushed_to_zero(), formula, quadratic_cost())


@DOSSIER.disputed(
    "intro-dp",
    "The Gaussian optimum is (epsilon, delta)-differentially private",
    condition="The entries lie in a bounded set, so that the answers to neighbouring databases are at a bounded "
    "distance; the introduction does not say so.",
    printed="For every epsilon >= 0 the Gaussian noise is (epsilon, delta)-private with delta = erf(mu/sqrt(8)) "
    "< 1, which tends to 0 as the noise grows; mu is the largest distance of the answers to two "
    "databases that differ in one entry, in standard deviations of the noise.",
    without="The same for entries without bounds: neighbours at any distance mu_far are covered.",
    at=(normal_privacy(), normal_privacy(FAR)),
)
def intro_dp(formula: Formula) -> Parts:
    """mu is the largest distance of two answers, in standard deviations of the noise."""
    return parts(formula)


@DOSSIER.disputed(
    "intro-mi",
    "Noise of least Fisher information and noise of least mutual information",
    printed="Without constraints on the noise, the policy of least Fisher information within the budget theta also "
    "minimises the mutual information: of the answers c x_1, d x_2 (entries independent and standard normal), "
    "the variances theta c/(c+d), theta d/(c+d) leak no more than any split s theta, (1-s) theta.",
    twin="For one answer both choose the Gaussian of variance theta: it leaks no more about a Gaussian entry than "
    "noise of a smaller variance theta/(1+r). For several answers the two optima differ in general.",
    at=(True, False),
)
def intro_mi(several: bool) -> Parts:
    """Answers c_i x_i, Gaussian prior of variance 1, noise variances that add up to theta."""
    c, d, theta, share, more = sp.symbols("c d theta s r", positive=True)
    split = theta * c / (c + d)
    ours = _leak(c, split) + _leak(d, theta - split)
    theirs = _leak(c, theta * share) + _leak(d, theta * (1 - share))
    # One answer: any noise within the budget has variance theta/(1 + r).
    fewer = theta / (1 + more)
    grows = Step(
        c**2 / theta, "<=", sp.expand(c**2 / fewer), "less variance, more signal to noise; log increases"
    )
    gaussian = "among noises of one variance the Gaussian leaks least about a Gaussian (Ihara 1978, Inf. Control 37(1))"
    if several:
        return parts(Formula(ours, "<=", theirs, (1 - share,)))
    argument = by_steps(
        "one answer: both criteria take the Gaussian of the largest variance",
        lambda: (grows,),
        _leak_written(c, theta),
        "<=",
        _leak_written(c, fewer),
        (gaussian, "the logarithm increases"),
    )
    return parts(Formula(_leak(c, theta), "<=", _leak(c, fewer), argument=argument))


def _leak(slope: sp.Expr, variance: sp.Expr) -> sp.Expr:
    return sp.log(1 + slope**2 / variance) / 2


def _leak_written(slope: sp.Expr, variance: sp.Expr) -> sp.Expr:
    """The same as half the logarithm of the variance of the answer over that of the noise."""
    return quotient(applied(sp.log, quotient(total(variance, power(slope, 2)), variance)), 2)
