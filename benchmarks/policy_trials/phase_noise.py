"""Solutions of the Euler-Lagrange equation with different costs: what is missing is a condition at the ends of X."""

from __future__ import annotations

import sympy as sp

from noiseproof.mechanisms.dependent_noise.problem import PolicyProblem
from noiseproof.mechanisms.dependent_noise.weight import X
from policy_trials.density import DensityPolicy, W


def phase_noise(problem: PolicyProblem, rate: float) -> DensityPolicy:
    """u = g(y) sin(r w + (pi - r L) S(y)), y = x + w: solves the equation for p constant with mu = r^2.

    For f(x) = x, X = [0, l], W = [0, L], l < L and 0 < r = `rate` <= pi/L; S is a smooth step from 0 at y = l
    to 1 at y = L, and g^2 = 1 + e B(y) with a bump B on [l, L] and the e that keeps int u^2 dw constant.  At
    fixed y it turns like sin(const - r x), so u_xx = -r^2 u there; it is positive inside W and 0 at its ends,
    and it costs 4 r^2.  Raises ValueError where 1 + e B would be negative.
    """
    weight, length = problem.weight, problem.width
    constant = not weight.expression.has(X) and problem.query == X and problem.rho == 0
    if not constant or weight.lower != 0 or problem.noise[0] != 0 or not weight.upper < length:
        raise ValueError("stated for constant p, f(x) = x, X = [0, l] and W = [0, L] with l < L")
    if not 0 < rate <= sp.pi / length:
        raise ValueError(f"the rate must lie in (0, pi/L], got {rate}")
    end, y, kappa = weight.upper, X + W, sp.sympify(rate)
    place = (y - end) / (length - end)
    step = sp.Piecewise((0, place <= 0), (place**3 * (10 - 15 * place + 6 * place**2), place < 1), (1, True))
    bump = sp.Piecewise((64 * place**3 * (1 - place) ** 3, (place > 0) & (place < 1)), (0, True))
    excess = _excess(float(kappa), float(end), float(length))
    shape = (1 + excess * bump) * sp.sin(kappa * W + (sp.pi - kappa * length) * step) ** 2
    return DensityPolicy(f"phase noise of rate {rate}", shape, 4 * kappa**2)


def _excess(kappa: float, end: float, length: float) -> float:
    """e such that int_l^L (1 + e B) cos(2 Phi - 2 Phi(middle)) dy = sin(r l)/r; then int u^2 is constant."""
    import numpy as np

    table, weights = np.polynomial.legendre.leggauss(64)
    t = (table + 1) / 2
    mass = weights / 2 * (length - end)
    step = t**3 * (10 - 15 * t + 6 * t**2)
    phase = kappa * (length - end) * (t - 0.5) + (np.pi - kappa * length) * (step - 0.5)
    wave = np.cos(2 * phase)
    bump = 64 * t**3 * (1 - t) ** 3
    excess = float((np.sin(kappa * end) / kappa - mass @ wave) / (mass @ (bump * wave)))
    if 1 + min(excess, 0.0) <= 0:
        raise ValueError("no positive density of this kind: take a larger rate or a shorter X")
    return excess
