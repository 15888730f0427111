"""The cost of a policy from its density alone, by quadrature with an error estimate."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import sympy as sp

from noiseproof.mechanisms.dependent_noise.problem import PolicyProblem
from noiseproof.mechanisms.dependent_noise.weight import X, numeric
from noiseproof.symbolic.arrays import Floats
from policy_trials.density import DensityPolicy, W

PANELS = 24
TAIL = 1e-13


@dataclass(frozen=True)
class PolicyCost:
    """J + rho Q of a policy, its parts, and the difference of two quadratures as the error."""

    information: float
    moment: float
    value: float
    error: float


def information_at(
    policy: DensityPolicy, problem: PolicyProblem, x: Floats, *, printed_sign: bool = False, order: int = 96
) -> tuple[Floats, Floats]:
    """(Fisher information, E w^2) at each x, by Gauss-Legendre over W of the squared score of the density.

    With s = (d/dx - f' d/dw) shape / shape the score of y is s - E s, so the shape need not be normalised.
    `printed_sign` takes f' with the plus sign of the paper's appendix C.
    """
    slope = -problem.slope if printed_sign else problem.slope
    moved = sp.diff(policy.shape, X) - slope * sp.diff(policy.shape, W)
    table, weights = np.polynomial.legendre.leggauss(order)
    low, high = (float(end) for end in problem.noise)
    w = (low + high) / 2 + (high - low) / 2 * table
    density = numeric(policy.shape, W, X)(w[None, :], x[:, None])
    change = numeric(moved, W, X)(w[None, :], x[:, None])
    if np.any(density < 0) or not (np.all(np.isfinite(density)) and np.all(np.isfinite(change))):
        raise ValueError(f"the density of {policy.name} must be >= 0 and differentiable inside W")
    scores = np.divide(change, density, out=np.zeros_like(change), where=density > 0)
    masses = density * weights
    masses = masses / masses.sum(axis=1, keepdims=True)
    mean = (masses * scores).sum(axis=1, keepdims=True)
    return (masses * (scores - mean) ** 2).sum(axis=1), masses @ w**2


def cost(policy: DensityPolicy, problem: PolicyProblem, *, printed_sign: bool = False) -> PolicyCost:
    """The cost of `policy`, evaluated without its closed forms; unbounded X is cut where p has mass 1e-13.

    Raises ValueError for an unbounded W or a density that is not positive inside it.
    """
    if not problem.noise_bounded:
        raise ValueError("the quadrature of a policy needs a bounded W")
    fine = _average(policy, problem, printed_sign, PANELS, 96)
    coarse = _average(policy, problem, printed_sign, PANELS // 2, 64)
    rho = float(problem.rho)
    value = fine[0] + rho * fine[1]
    error = abs(fine[0] - coarse[0]) + rho * abs(fine[1] - coarse[1]) + 1e-12 * abs(value)
    return PolicyCost(fine[0], fine[1], value, error)


def _average(
    policy: DensityPolicy, problem: PolicyProblem, printed_sign: bool, panels: int, order: int
) -> tuple[float, float]:
    low, high = problem.weight.truncated(TAIL)
    cuts = np.linspace(low, high, panels + 1)
    table, weights = np.polynomial.legendre.leggauss(12)
    half = np.diff(cuts) / 2
    x = ((cuts[1:] + cuts[:-1]) / 2)[:, None] + half[:, None] * table
    mass = problem.weight.density(x) * weights * half[:, None]
    information, moment = information_at(policy, problem, x.ravel(), printed_sign=printed_sign, order=order)
    return float(mass.ravel() @ information), float(mass.ravel() @ moment)
