"""The vehicle s[k+1] = s[k] + v[k], v[k+1] = v[k], position released (example 4 of Farokhi and Sandberg 2019), in closed form."""

from __future__ import annotations

import sympy as sp

from ..symbolic.proof.derivation import Derivation, Step
from .dynamics import LinearSystem

VEHICLE = LinearSystem(((1.0, 1.0), (0.0, 1.0)), ((1.0, 0.0),))
T = sp.Symbol("T", positive=True)


def vehicle_gramian(horizon: sp.Expr = T) -> sp.Matrix:
    """sum over k = 0..T of [1, k]'[1, k], by summation."""
    k = sp.Symbol("k", integer=True)
    sums = [sp.factor(sp.summation(k**p, (k, 0, T))) for p in range(3)]
    return sp.Matrix([[sums[0], sums[1]], [sums[1], sums[2]]]).subs(T, horizon)


def vehicle_root_traces(horizon: sp.Expr = T) -> tuple[sp.Expr, sp.Expr]:
    """(Tr G^{1/2}, Tr G^{-1/2}) of the Gramian G: sqrt(Tr G + 2 sqrt(det G)), and the same over sqrt(det G)."""
    g = vehicle_gramian(horizon)
    root = sp.sqrt(sp.factor(g.det()))
    first = sp.sqrt(sp.factor(g.trace()) + 2 * root)
    return first, first / root


def vehicle_quality(rho: sp.Expr, horizon: sp.Expr = T, factor: int = 1) -> sp.Expr:
    """Q for the covariance factor G^{-1/2}/sqrt(rho); the optimum has factor 1, the paper prints 2."""
    return factor * vehicle_root_traces(horizon)[0] / sp.sqrt(rho)


def vehicle_error(rho: sp.Expr, horizon: sp.Expr = T, factor: int = 1) -> sp.Expr:
    """The least unbiased error about (s[0], v[0]) for that covariance."""
    return factor * vehicle_root_traces(horizon)[1] / sp.sqrt(rho)


def growth(expression: sp.Expr, power: sp.Expr) -> sp.Expr:
    """The limit of expression / T^power as T -> oo."""
    return sp.limit(sp.simplify(expression / T**power), T, sp.oo)


def vehicle_steps() -> Derivation:
    """For every T: with r = sqrt(Delta) and a = 2T^2 + T + 6, the two roots of the closed form add up to 2 sqrt(3) Tr G^{1/2}."""
    r = sp.Symbol("r", nonnegative=True)
    g, a = vehicle_gramian(), 2 * T**2 + T + 6
    delta = 4 * T**4 + 4 * T**3 + 13 * T**2 - 12 * T + 36
    least, largest = (T + 1) * (a - r) / 12, (T + 1) * (a + r) / 12
    steps = (
        Step(
            sp.expand((g.trace() ** 2 - 4 * g.det()) * 36),
            "=",
            sp.expand((T + 1) ** 2 * delta),
            "Delta is the discriminant of the Gramian G",
        ),
        Step(
            sp.expand(least + largest),
            "=",
            sp.expand(g.trace()),
            "the two numbers under the roots, over 12, add up to its trace",
        ),
        Step(
            sp.expand(least * largest).subs(r**2, delta),
            "=",
            g.det(),
            "and multiply to its determinant: they are its eigenvalues",
        ),
        Step(
            sp.factor(g.det()),
            ">",
            sp.Integer(0),
            "positive for T > 0, as is the trace: G is positive definite",
        ),
        Step(
            vehicle_root_traces()[0] ** 2,
            "=",
            g.trace() + 2 * sp.sqrt(sp.factor(g.det())),
            "(Tr G^{1/2})^2 = Tr G + 2 sqrt(det G) for two eigenvalues",
        ),
    )
    return Derivation("Q and E of example 4 in closed form", steps)
