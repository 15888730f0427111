"""Variances, informations and probabilities as the integrals that define them, kept as they are written."""

from __future__ import annotations

import sympy as sp

from ....symbolic.laws.law import Law
from ....symbolic.proof.as_written import power, product, quotient, total


def mean(law: Law, function: sp.Expr) -> sp.Expr:
    """E of a function of the law's variable: its integral against the density."""
    return sp.Integral(product(function, law.density), (law.variable, *law.support))


def information(law: Law) -> sp.Expr:
    """The information about the place of the law: the mean of the squared score."""
    return mean(law, power(sp.simplify(law.score()), 2))


def inverse_information(law: Law) -> sp.Expr:
    """One over the information about the place of the law."""
    return quotient(1, information(law))


def normal_probability(end: sp.Expr) -> sp.Expr:
    """Phi: one half, and the integral of the standard normal density between 0 and `end`."""
    return total(sp.Rational(1, 2), normal_between(sp.Integer(0), end))


def normal_between(low: sp.Expr, high: sp.Expr) -> sp.Expr:
    """The integral of the standard normal density between two ends."""
    z = sp.Symbol("z", real=True)
    return sp.Integral(sp.exp(-(z**2) / 2) / sp.sqrt(2 * sp.pi), (z, low, high))
