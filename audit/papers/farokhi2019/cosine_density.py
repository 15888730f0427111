"""Moments and information of the density 2 cos^2(pi t) on [-1/2, 1/2], by integration; w = middle + L t."""

from __future__ import annotations

from functools import lru_cache

import sympy as sp

from ....symbolic.proof.as_written import difference, power, product, quotient

LOWER = sp.Symbol("lower", real=True)
L, ENTRIES = sp.Symbol("L", positive=True), sp.Symbol("m", positive=True, integer=True)
T = sp.Symbol("t", real=True)
HALF = sp.Rational(1, 2)
DENSITY = 2 * sp.cos(sp.pi * T) ** 2


@lru_cache(maxsize=64)
def expectation(function: sp.Expr) -> sp.Expr:
    """E of a polynomial in t under the density 2 cos^2(pi t) on [-1/2, 1/2]; w = middle + L t."""
    return sp.simplify(sp.integrate(sp.expand(function * DENSITY), (T, -HALF, HALF)))


def expectation_written(function: sp.Expr) -> sp.Expr:
    """The same as the integral that it is."""
    return sp.Integral(product(function, DENSITY), (T, -HALF, HALF))


def variance_written() -> sp.Expr:
    """E t^2 - (E t)^2, as integrals."""
    return difference(expectation_written(T**2), power(expectation_written(T), 2))


@lru_cache(maxsize=1)
def entry_information() -> sp.Expr:
    """The Fisher information of one entry of the noise, by integration of (density')^2/density: 4 pi^2/L^2."""
    score = sp.simplify(sp.diff(DENSITY, T) ** 2 / DENSITY)
    return sp.integrate(score, (T, -HALF, HALF)) / L**2


def information_written() -> sp.Expr:
    """The same as an integral over t, divided by L^2."""
    score = sp.simplify(sp.diff(DENSITY, T) ** 2 / DENSITY)
    return quotient(sp.Integral(score, (T, -HALF, HALF)), L**2)


def quality(lower: sp.Expr) -> sp.Expr:
    """E|w|^2 for m independent entries on [lower, lower + L], by integration."""
    return ENTRIES * expectation((lower + L / 2 + L * T) ** 2)


def inverse_information() -> sp.Expr:
    """Tr I^-1 for f(x) = x: the information of m independent entries is a multiple of the identity."""
    return ENTRIES / entry_information()
