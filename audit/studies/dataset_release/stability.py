"""How far a model moves when its records do: constants for Propositions 2.3 and 2.11 of Farokhi (2020).

Globally, for the SVM: strong monotonicity of its optimality conditions gives
|dalpha|^2 + rho dbeta^2 + rho |dxi|^2 <= sum_i y_i n_i'(omega_i alphabar - omegabar_i alpha), for every noise n.
Locally, where every multiplier is strictly complementary, the solution is differentiable and its slope gives the constant.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ....mechanisms.learning.svm import SvmSolution
from ....symbolic.errors import SpecError


@dataclass(frozen=True)
class LocalStability:
    """|dz| <= `constant` |M| to first order while |M| < `radius`; M has the rows y_i n_i', z = (alpha, beta, xi).

    `radius` is where the first-order motion first changes which constraints are active: a linearised, not a certified one.
    `active` = (records at the kink, with slack, without multiplier).
    """

    constant: float
    radius: float
    active: tuple[int, int, int]


def local_stability(model: SvmSolution) -> LocalStability:
    """The slope of the solution of (2) in its records, bounded by |K_f| |omega| + |K_g| |alpha|.

    dz = K_f M'omega + K_g M alpha solves the linearised optimality conditions on the active set.  SpecError where the
    records at the kink are linearly dependent: the solution need not have a slope there.
    """
    points, labels = model.data.features, model.data.labels
    p, theta, rho = points.shape[1], model.program.theta, model.program.rho
    omega, kink, slacked, rest = model.omega, model.edge, model.inside, ~model.support
    rows = labels[:, None] * np.column_stack([points, np.ones(len(points))])
    margins = 1 - rows @ np.append(model.alpha, model.beta)
    a, u = rows[kink], rows[slacked]
    top = np.diag(np.append(np.ones(p), rho)) + rho * u.T @ u
    system = np.block([[top, -a.T], [a, np.zeros((len(a), len(a)))]])
    if np.linalg.cond(system) > 1e13:
        raise SpecError("the active constraints are linearly dependent: the solution has no slope here")
    # Right sides: one column per entry of M'omega, then one per entry of (M alpha) at the kink, then with slack.
    k, s = len(a), len(u)
    sides = np.zeros((p + 1 + k, p + k + s))
    sides[:p, :p] = np.eye(p)
    sides[p + 1 :, p : p + k] = -np.eye(k)
    sides[: p + 1, p + k :] = -rho * u.T
    motion = np.linalg.solve(system, sides)
    size, strength = float(np.linalg.norm(model.alpha)), float(np.linalg.norm(omega))
    # (v, -U v) has the norm of R v with R'R = I + U'U: no matrix with a row and a column per record is formed.
    root = np.linalg.cholesky(np.eye(p + 1) + u.T @ u).T
    by_f = _norm(root @ motion[: p + 1, :p])
    # The slacks also follow g directly: the triangle inequality adds one.
    by_g = _norm(root @ motion[: p + 1, p:]) + (1.0 if s else 0.0)
    constant = float(by_f * strength + by_g * size)
    multiplier = float(_norm(motion[p + 1 :, :p]) * strength + _norm(motion[p + 1 :, p:]) * size)
    limits = [np.inf]
    if k:
        limits.append(float(np.min(np.minimum(omega[kink], theta - omega[kink]))) / max(multiplier, 1e-300))
    if s:
        limits.append(float(np.min(model.xi[slacked])) / max(constant, 1e-300))
    if rest.any():
        speed = np.linalg.norm(rows[rest], axis=1) * constant + size
        limits.append(float(np.min(-margins[rest] / speed)))
    return LocalStability(max(1.0, constant), max(float(min(limits)), 0.0), (k, s, int(rest.sum())))


@dataclass(frozen=True)
class GlobalStability:
    """|dz|^2 <= `constant` |M| for EVERY perturbation: an exponent of one half, with a constant that is proved."""

    constant: float


def global_stability(model: SvmSolution) -> GlobalStability:
    """(|omega| R + W |alpha|)/min(1, rho), with R and W from the cost at zero: |alphabar| <= R, |omegabar| <= W."""
    q, theta, rho = model.data.size, model.program.theta, model.program.rho
    reach = float(np.sqrt(q * (2 * theta + rho)))
    weight = float(theta * np.sqrt(q) + np.sqrt(rho) * reach)
    size = np.linalg.norm(model.omega) * reach + weight * np.linalg.norm(model.alpha)
    return GlobalStability(float(size / min(1.0, rho)))


def ridge_stability(phi: ArrayLike, x: ArrayLike, y: ArrayLike, *, sigma: float = 1e-5) -> float:
    """max_i |d phi/d x_i|_2 at the data: |dphi| <= c sum_i |n_i| to first order (the implicit function theorem, appendix G).

    d phi/d x_i = -(sigma I + X'X/q)^{-1} (r_i I + x_i phi')/q with r_i = phi'x_i - y_i.
    """
    points, weights = np.asarray(x, dtype=float), np.asarray(phi, dtype=float)
    q, p = points.shape
    rest = points @ weights - np.asarray(y, dtype=float)
    inverse = np.linalg.inv(sigma * np.eye(p) + points.T @ points / q)
    # (r I + x phi')(r I + x phi')' in p x p blocks, a few thousand records at a time.
    largest = 0.0
    for start in range(0, q, 4096):
        part = slice(start, start + 4096)
        slope = rest[part, None, None] * np.eye(p) + points[part, :, None] * weights[None, None, :]
        largest = max(largest, float(np.linalg.norm(inverse @ slope / q, 2, axis=(1, 2)).max()))
    return largest


def proposition_2_3(q: int, trace: float, constant: float, tolerance: float) -> float:
    """1 - q c^2 Tr(V)/eps_u^2, the printed bound on D for independent noise; negative values say nothing."""
    return 1 - q * constant**2 * trace / tolerance**2


def proposition_2_3_global(q: int, trace: float, stability: GlobalStability, tolerance: float) -> float:
    """1 - q Tr(V) B^2/eps_u^4: what the proved constant B gives, by Markov's inequality for |M|^2 <= sum |n_i|^2."""
    return 1 - q * trace * stability.constant**2 / tolerance**4


def proposition_2_11(q: int, trace: float, constant: float, tolerance: float) -> float:
    """1 - q^2 c^2 Tr(V)/eps_u^2, the printed bound on D for smooth losses."""
    return 1 - (q * max(1.0, constant)) ** 2 * trace / tolerance**2


def _norm(matrix: NDArray[Any]) -> float:
    return float(np.linalg.norm(matrix, 2)) if matrix.size else 0.0
