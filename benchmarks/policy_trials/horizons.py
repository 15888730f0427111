"""Privacy of an initial state over longer horizons, and the vehicle of example 4 of Farokhi and Sandberg (2019) in closed form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import sympy as sp

from noiseproof.mechanisms.additive import positive
from noiseproof.mechanisms.dynamics import LinearSystem, T, vehicle_gramian, vehicle_root_traces
from noiseproof.symbolic.arrays import Floats
from noiseproof.symbolic.proof.derivation import Derivation, Step


@dataclass(frozen=True)
class Horizons:
    """Per horizon (k,): Q, the least unbiased error about x[0] under the optimal noise, and under i.i.d. noise of the same Q."""

    horizons: tuple[int, ...]
    quality: Floats
    error: Floats
    independent_error: Floats
    information: Floats


def over_horizons(
    system: LinearSystem, horizons: Sequence[int], rho: float | None = None, budget: float | None = None
) -> Horizons:
    """The privacy of x[0] when more answers are given, at a fixed price rho, or at a fixed `budget` for Q."""
    if (rho is None) == (budget is None):
        raise ValueError("give exactly one of rho (the price of variance) and budget (the largest Q)")
    rows = []
    for horizon in horizons:
        s = np.linalg.svd(system.checked(horizon), compute_uv=False)
        root = (
            np.sqrt(positive("rho", rho, "the price of variance"))
            if rho is not None
            else s.sum() / positive("budget", budget, "the largest Q")
        )
        quality, outputs = s.sum() / root, len(system.c) * (horizon + 1)
        rows.append((quality, np.sum(1 / s) / root, quality / outputs * np.sum(s**-2.0), root * s.sum()))
    columns = np.array(rows, dtype=float).reshape(len(rows), 4).T
    return Horizons(tuple(int(h) for h in horizons), *columns)


VEHICLE = LinearSystem(((1.0, 1.0), (0.0, 1.0)), ((1.0, 0.0),))


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
