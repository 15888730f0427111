"""Independent noise on all of R^p: Theorem 2.4."""

from __future__ import annotations

import sympy as sp

from ....symbolic.programs.least_cost_noise import EIGENVALUE, RHO, GaussianNoise
from ...dossier.arguments.optimality_checks import CHECKS, OptimalNoise
from .dossier import DOSSIER


@DOSSIER.disputed(
    "theorem-2.4",
    "Optimal independent noise (Theorem 2.4)",
    checks=CHECKS,
    printed="For positive definite Pi and lambda > 0 the twice continuously differentiable density of least "
    "Tr(Pi^-1 I) + lambda Tr(V) is det(2 pi Pi^(-1/2)/sqrt(lambda))^(-1/2) exp(-(sqrt(lambda)/2) n' "
    "Pi^(1/2) n).",
    twin="The minimiser is that Gaussian with its covariance 1 % larger.",
    at=(sp.Integer(1), sp.Rational(101, 100)),
)
def theorem_2_4(widening: sp.Expr) -> OptimalNoise:
    """P(lambda): minimise Tr(Pi^-1 I) + lambda Tr(V); an eigenvalue of Pi is 1/a, and lambda is rho."""
    weight = 1 / EIGENVALUE
    printed = GaussianNoise(
        normaliser=(2 * sp.pi / (sp.sqrt(weight) * sp.sqrt(RHO))) ** sp.Rational(-1, 2),
        rate=sp.sqrt(RHO) / 2 * sp.sqrt(weight),
    )
    return OptimalNoise(printed.widened(widening))
