"""The soft-margin support vector machine, solved exactly and with all multipliers (farokhi2020, programs (1) and (2))."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...symbolic.arrays import Floats
from ...symbolic.errors import counted
from .active_set import finish
from .conic import clarabel_point
from .interior_point import Interior, interior_point
from .svm_certificate import SvmCertificate, certify
from .training_set import TrainingSet, finite_matrix

Flags = NDArray[np.bool_]

SOLVERS = {"interior": interior_point, "clarabel": clarabel_point}


@dataclass(frozen=True)
class SvmProgram:
    """min (1/2)|alpha|^2 + (rho/2)(beta^2 + |xi|^2) + theta sum xi,  y_i (alpha'x_i + beta) >= 1 - xi_i,  xi >= 0.

    rho = 0 is the usual soft-margin machine, whose offset need not be unique.  Without `quadratic_slack` the term
    (rho/2)|xi|^2 is left out and (rho/2) beta^2 kept: scikit-learn's LinearSVC (hinge) with C = theta and
    intercept_scaling = 1/sqrt(rho) solves that program.
    """

    rho: float = 1e-2
    theta: float = 1.0
    quadratic_slack: bool = True

    def __post_init__(self) -> None:
        if not (np.isfinite(self.theta) and self.theta > 0):
            raise ValueError(f"theta (the price of slack) must be a finite number > 0, got {self.theta!r}")
        if not (np.isfinite(self.rho) and self.rho >= 0):
            raise ValueError(
                f"rho (the price of beta^2 and xi^2) must be a finite number >= 0, got {self.rho!r}"
            )

    @property
    def prices(self) -> tuple[float, float]:
        """The prices of beta^2/2 and of each xi_i^2/2."""
        return float(self.rho), float(self.rho) if self.quadratic_slack else 0.0

    def solve(self, features: ArrayLike, labels: ArrayLike, solver: str = "interior") -> SvmSolution:
        """The optimum for features (q, p) and labels (q,) in {-1, +1}; `solver` is "interior" or "clarabel".

        ValueError for unusable data.  Whether the optimum was reached stands in `certificate`.
        """
        if solver not in SOLVERS:
            raise ValueError(f"solver must be one of {', '.join(SOLVERS)}, got {solver!r}")
        return self.solve_set(TrainingSet.of(features, labels), solver)

    def solve_set(self, data: TrainingSet, solver: str = "interior") -> SvmSolution:
        """The optimum for a set that was checked before."""
        z = np.empty((data.size, data.dimension + 1))
        np.multiply(data.features, data.labels[:, None], out=z[:, :-1])
        z[:, -1] = data.labels
        offset, s = self.prices
        d = np.append(np.ones(data.dimension), offset)
        near = SOLVERS[solver](z, d, self.theta, s)
        exact = finish(z, d, self.theta, s, near)
        last = Interior(exact.v, exact.xi, near.t, exact.omega, exact.varsigma, near.steps)
        best = self._solution(data, last)
        if not best.certificate.holds():
            rough = self._solution(data, near)
            best = min(best, rough, key=lambda found: found.certificate.worst)
        return best

    def _solution(self, data: TrainingSet, point: Interior) -> SvmSolution:
        parts = point.v[:-1], float(point.v[-1]), point.xi
        proof = certify(data, self.theta, self.prices, parts, (point.omega, point.varsigma))
        return SvmSolution(self, data, *parts, point.omega, point.varsigma, proof, point.steps)


@dataclass(frozen=True, eq=False)
class SvmSolution:
    """The classifier sign(alpha'x + beta), the slacks xi, and the multipliers: omega of the margins, varsigma of xi >= 0."""

    program: SvmProgram
    data: TrainingSet = field(repr=False)
    alpha: Floats
    beta: float
    xi: Floats = field(repr=False)
    omega: Floats = field(repr=False)
    varsigma: Floats = field(repr=False)
    certificate: SvmCertificate
    steps: int = field(default=0, repr=False)

    @property
    def objective(self) -> float:
        """The cost that is attained."""
        return self.certificate.primal

    @property
    def support(self) -> Flags:
        """The records with omega_i > 0, shape (q,)."""
        return np.asarray(self.omega > 0)

    @property
    def inside(self) -> Flags:
        """The records with xi_i > 0: inside the margin or on the wrong side."""
        return np.asarray(self.xi > 0)

    @property
    def edge(self) -> Flags:
        """The support records without slack: exactly on the margin."""
        return np.asarray(self.support & ~self.inside)

    def decision(self, features: ArrayLike) -> Floats:
        """alpha'x + beta for each row x of features (n, p)."""
        x = finite_matrix("features", features)
        if x.shape[1] != len(self.alpha):
            raise ValueError(f"expected {counted(len(self.alpha), 'feature')} per record, got {x.shape[1]}")
        return np.asarray(x @ self.alpha + self.beta, dtype=float)

    def success_rate(self, data: TrainingSet | None = None) -> float:
        """The share of records with y_i (alpha'x_i + beta) > 0; of the training set unless another one is given."""
        data = self.data if data is None else data
        return float((data.labels * self.decision(data.features) > 0).mean())


def solve_svm(
    features: ArrayLike,
    labels: ArrayLike,
    *,
    rho: float = 1e-2,
    theta: float = 1.0,
    quadratic_slack: bool = True,
    solver: str = "interior",
) -> SvmSolution:
    """The regularised soft-margin machine of farokhi2020, program (2), with multipliers and certificate.

    >>> found = solve_svm([[-2.0], [-1.0], [1.0], [3.0]], [-1, -1, 1, 1])
    >>> found.certificate.holds(1e-8), found.success_rate()
    (True, 1.0)
    """
    return SvmProgram(rho, theta, quadratic_slack).solve(features, labels, solver)
