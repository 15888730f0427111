"""Formulas about the multivariate normal density and a uniform direction, for every dimension."""

from __future__ import annotations

from functools import cache

import sympy as sp

from ....symbolic.proof.as_written import applied, determinant, difference, power, product, quotient, root
from ....symbolic.proof.derivation import Derivation, Step
from ..formula import Formula, argued
from .bounds_arguments import cancelled

M = sp.Symbol("m", integer=True, positive=True)
A, B1, N1 = sp.symbols("a l n", positive=True)
K, X, Y = sp.symbols("k x y", real=True)
ONE, HALF = sp.Integer(1), sp.Rational(1, 2)
UNIFORM = "the entries of a uniform unit vector are exchangeable and symmetric: E w w' is a multiple of the identity"


def _gaussian(x: sp.Symbol, variance: sp.Expr) -> sp.Expr:
    return sp.exp(-(x**2) / (2 * variance))


@cache
def mass(factor: sp.Expr = ONE) -> Formula:
    """(2 pi)^(-factor m/2) times the product over m eigenvalues of sqrt(2 pi a)/sqrt(a), against 1."""
    left = (2 * sp.pi) ** (-factor * M / 2) * (2 * sp.pi) ** (M / 2)
    factor_of_sigma = sp.Matrix([[B1, 0], [K, N1]])
    sigma, at = factor_of_sigma * factor_of_sigma.T, sp.Matrix([X, Y])

    def argue(formula: Formula) -> Derivation:
        alone = quotient(root(2 * sp.pi * A), product(root(2 * sp.pi), root(A)))
        whole = product(power(2 * sp.pi, -factor * M / 2), power(2 * sp.pi, M / 2))
        steps = (
            Step(
                sp.Integral(_gaussian(X, A), (X, -sp.oo, sp.oo)),
                "=",
                sp.sqrt(2 * sp.pi * A),
                "one eigenvalue a",
            ),
            Step(
                sp.cancel((at.T * sigma.inv() * at)[0]),
                "=",
                sp.expand((X / B1) ** 2 + ((Y - K * X / B1) / N1) ** 2),
                "x'Sigma^-1 x is a sum of squares of L^-1 x, shown for two entries",
                cancelled,
            ),
            Step(
                determinant(sigma), "=", power(B1 * N1, 2), "and det(Sigma) the square of det(L)", cancelled
            ),
            Step(
                formula.left,
                "=",
                whole,
                "the constant before the density times m integrals, sqrt(det) cancelled",
            ),
            Step(
                whole,
                "=",
                power(alone, M),
                "a product of m factors, one for each eigenvalue; sqrt(a) cancels against the determinant",
            ),
            Step(power(alone, M), "=", formula.right, "each factor is one"),
        )
        return Derivation(
            "the density integrates to one", steps, ("a positive definite matrix has an eigenbasis",)
        )

    return Formula(left, "=", ONE, argument=argue)


@cache
def second_moment(factor: sp.Expr = ONE) -> Formula:
    """The mean of x y for x = l z1, y = k z1 + n z2, computed from the density, against the entry k l of Sigma."""
    variance = sp.Integral(X**2 * _gaussian(X, B1**2) / sp.sqrt(2 * sp.pi * B1**2), (X, -sp.oo, sp.oo))
    # Given x, y has mean k x/l: the second square of the exponent.
    argument = argued(written=product(K / B1, variance), reason="the mean of x times the mean of y given x")
    return Formula(sp.simplify(variance.doit()) * K / B1, "=", factor * K * B1, argument=argument)


def sampled_variance(valid: bool) -> Formula:
    """c - b^2/a against 0, for Sigma = [[a, b], [b, c]] with a > 0, of positive determinant if `valid`."""
    b, c = sp.symbols("b c", real=True)
    determinant = A * c - b**2
    d = sp.Symbol("d", positive=True)

    def argue(formula: Formula) -> Derivation:
        left = formula.left.subs(c, (d + b**2) / A) if formula.where == (determinant,) else formula.left
        steps = (
            Step(
                left,
                "=",
                quotient(d if formula.where else difference(A * c, b**2), A),
                "with the determinant d = a c - b^2",
                cancelled,
            ),
            Step(sp.cancel(left), ">=", formula.right, "the variance that is left"),
        )
        return Derivation("a Cholesky factor exists", steps)

    return Formula(c - b**2 / A, ">=", sp.Integer(0), (determinant,) if valid else (), argue)


def square_of_entry(m: sp.Expr = M) -> sp.Expr:
    """E w_1^2 for w uniform on the unit sphere of R^m: w_1 has the density (1 - t^2)^((m-3)/2) up to a factor."""
    return sp.sympify(_beta_ratio(m).doit(), strict=True)


def _beta_ratio(m: sp.Expr) -> sp.Expr:
    """Beta(3/2, (m-1)/2)/Beta(1/2, (m-1)/2), in which Gamma((m-1)/2) cancels."""
    above = product(applied(sp.gamma, sp.Rational(3, 2)), applied(sp.gamma, m / 2))
    return quotient(above, product(applied(sp.gamma, HALF), applied(sp.gamma, m / 2 + 1)))


def uniform_direction() -> tuple[Step, ...]:
    """E <w, x>^2 = |x|^2/m, by the Beta integral and again by symmetry."""
    return (
        Step(_beta_ratio(M), "=", 1 / M, "the second moment of one entry of w, a Beta integral"),
        Step(product(M, _beta_ratio(M)), "=", ONE, "which agrees with |w| = 1 summed over m like entries"),
    )


def projected_second_moment(claimed: sp.Expr, scale: sp.Symbol) -> Formula:
    """The second moment of one coordinate of W'X, averaged over uniform W, for E|X|^2 = scale^2 m, against `claimed`."""
    left = sp.gammasimp(square_of_entry()) * scale**2 * M

    def argue(formula: Formula) -> Derivation:
        ends = (
            Step(
                formula.left,
                "=",
                quotient(product(scale**2, M), M),
                "E|X|^2/m with E|X|^2 = sigma^2 m, condition (i)",
                cancelled,
            ),
            Step(
                sp.Integral(
                    X**2 * _gaussian(X, scale**2) / sp.sqrt(2 * sp.pi * scale**2), (X, -sp.oo, sp.oo)
                ),
                "=",
                formula.right,
                "the variance of sigma Z, Z standard normal",
            ),
        )
        return Derivation("sigma^2 is the variance", (*uniform_direction(), *ends), (UNIFORM,))

    return Formula(left, "=", claimed, argument=argue)
