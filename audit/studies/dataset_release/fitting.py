"""The models that others train on a released data set, by `mechanisms.learning`, and how far two of them lie apart."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ....mechanisms.learning.losses import ridge
from ....mechanisms.learning.minimiser import Minimiser, minimise
from ....mechanisms.learning.svm import SvmProgram, SvmSolution
from ....mechanisms.learning.training_set import TrainingSet
from ....symbolic.errors import SpecError


def fit_classifier(
    x: ArrayLike, y: ArrayLike, *, theta: float = 1.0, rho: float = 1e-2, tolerance: float = 1e-6
) -> SvmSolution:
    """The solution of program (2) of Farokhi (2020) for records x (q, p), labels y in {-1, +1}, theta > 0 and rho > 0.

    SpecError for unusable records, or if the certificate does not hold to `tolerance` with either solver.
    """
    if not rho > 0:
        raise SpecError(f"rho is a number > 0, got {rho}: without it the classifier need not be unique")
    try:
        data, program = TrainingSet.of(x, y), SvmProgram(rho, theta)
    except ValueError as error:
        raise SpecError(str(error)) from error
    worst = np.inf
    # The other solver where records so noisy that floating point runs out defeat the first.
    for solver in ("interior", "clarabel"):
        try:
            with np.errstate(all="ignore"):
                found = program.solve_set(data, solver)
        except (ValueError, ArithmeticError):
            continue
        if found.certificate.holds(tolerance):
            return found
        worst = min(worst, found.certificate.worst)
    raise SpecError(f"the classifier was found to {worst:.1e} only: scale the columns to similar sizes")


def success(model: SvmSolution, x: ArrayLike, y: ArrayLike) -> float:
    """The share of records x (n, p) with y (alpha'x + beta) > 0, as the score of section 3.2.1."""
    return float(np.mean(np.asarray(y) * model.decision(np.asarray(x)) > 0))


def distance(a: SvmSolution, b: SvmSolution) -> float:
    """|(alpha, beta, xi) - (alpha', beta', xi')|_2, the deviation in equation (7)."""
    return float(np.linalg.norm(np.concatenate([a.alpha - b.alpha, [a.beta - b.beta], a.xi - b.xi])))


def fit_ridge(x: ArrayLike, y: ArrayLike, *, sigma: float = 1e-5) -> Minimiser:
    """phi of least sigma |phi|^2 + sum (y_i - phi'x_i)^2 / q, with its sensitivities; sigma > 0."""
    try:
        return minimise(ridge(sigma), np.asarray(x, dtype=float), np.asarray(y, dtype=float))
    except ValueError as error:
        raise SpecError(str(error)) from error


def ridge_loss(phi: ArrayLike, x: ArrayLike, y: ArrayLike, *, sigma: float = 1e-5) -> float:
    """sigma |phi|^2 + sum (y_i - phi'x_i)^2 / q on records x (q, p) and targets y (q,)."""
    weights = np.asarray(phi, dtype=float)
    rest = np.asarray(y, dtype=float) - np.asarray(x, dtype=float) @ weights
    return float(sigma * weights @ weights + rest @ rest / len(rest))
