"""Whether a classifier is also the optimum for other features: the question of farokhi2020, proposition 2.9, decided."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from noiseproof.mechanisms.learning.svm import SvmSolution
from noiseproof.mechanisms.learning.svm_certificate import SvmCertificate, certify
from noiseproof.mechanisms.learning.training_set import TrainingSet

_ON_EDGE = 1e-7
_FEW = 1000


def same_multipliers(solution: SvmSolution, features: ArrayLike) -> SvmCertificate:
    """The certificate of the solution, slacks and multipliers included, on other features (q, p).

    It holds if Omega w = 0 for the change w of the features: then all optimality conditions stay as they are.
    """
    other = TrainingSet.of(features, solution.data.labels)
    point = solution.alpha, solution.beta, solution.xi
    program = solution.program
    return certify(other, program.theta, program.prices, point, (solution.omega, solution.varsigma))


def best_multipliers(solution: SvmSolution, features: ArrayLike) -> SvmCertificate:
    """The certificate of (alpha, beta, xi) on other features, with the multipliers that suit these best.

    It holds exactly if the point is optimal there: multipliers are fixed where xi_i > 0, zero beyond the margin, and on it
    solve a least-squares problem with bounds 0 and theta.  Other multipliers than before may serve: Omega w = 0, which
    names the old ones, is sufficient and not necessary.
    """
    from scipy.optimize import lsq_linear

    other = TrainingSet.of(features, solution.data.labels)
    program, y = solution.program, solution.data.labels
    offset, s = program.prices
    h = 1 - y * (other.features @ solution.alpha + solution.beta)
    inside = solution.xi > 0
    edge = ~inside & (np.abs(h) <= _ON_EDGE)
    omega = np.where(inside, program.theta + s * solution.xi, 0.0)
    if edge.any():
        z = y[:, None] * np.column_stack([other.features, np.ones(other.size)])
        wanted = np.append(solution.alpha, offset * solution.beta) - z[inside].T @ omega[inside]
        # The exact method costs one factorisation per record that leaves a bound.
        method: Literal["bvls", "trf"] = "bvls" if edge.sum() <= _FEW else "trf"
        omega[edge] = lsq_linear(z[edge].T, wanted, (0, program.theta), method=method, tol=1e-15).x
    varsigma = program.theta + s * solution.xi - omega
    point = solution.alpha, solution.beta, solution.xi
    return certify(other, program.theta, program.prices, point, (omega, varsigma))
