"""Noise on all of R^m: Theorem 3, Corollary 6 and Appendices I, J."""

from __future__ import annotations

import sympy as sp

from ....symbolic.programs.least_cost_noise import EIGENVALUE, RHO, GaussianNoise
from ...dossier.arguments.optimality_checks import CHECKS, OptimalNoise
from .dossier import DOSSIER


@DOSSIER.disputed(
    "corollary-6",
    "Optimal unconstrained noise for a linear query (Corollary 6, Problem 3)",
    checks=CHECKS,
    condition="The noise does not depend on x. Problem 3 admits densities of the noise given x: where x "
    "lies in a known bounded set, answering a constant can cost less than any noise independent of x.",
    reading="the sentence after Corollary 6 (farokhi2019/corollary-6-text), which has no factor 2, "
    "and by equation (15), which this covariance solves and the printed one does not; Appendix J repeats "
    "the factor",
    printed="For the query C x with C of full row rank, noise on all of R^m and constant weight, the "
    "minimiser of "
    "J + rho Q is the centred Gaussian with covariance 2 (C C')^(1/2) / sqrt(rho).",
    twin="The covariance is (C C')^(1/2) / sqrt(rho), without the factor 2.",
    without="The same Gaussian, without the factor 2, is optimal among all policies, also those that depend "
    "on x.",
    at=((2, True), (1, True), (1, False)),
)
def corollary_6(factor: int, data_independent: bool) -> OptimalNoise:
    """Problem 3 for f(x) = C x: J = Tr(A K) with A = C C', Q = Tr(V); a is an eigenvalue of A."""
    noise = GaussianNoise.with_variance(factor * sp.sqrt(EIGENVALUE) / sp.sqrt(RHO))
    return OptimalNoise(noise, data_independent=data_independent)
