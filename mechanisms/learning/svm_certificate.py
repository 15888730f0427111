"""What vouches for a classifier: its optimality conditions and duality gap, recomputed from the data alone.

Nothing here is shared with the solvers: sums run over the records once more, in extended precision, in the
variables of the program (features and labels, not their products).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...symbolic.arrays import Floats
from .training_set import TrainingSet

TOLERANCE = 1e-8
_BLOCK = 4096


@dataclass(frozen=True)
class SvmCertificate:
    """Relative violations of the optimality conditions of the soft-margin program, and its duality gap.

    `primal` is the cost of a feasible point: that of the slacks returned, raised where they are too small.  `dual` is a
    lower bound on the cost of every classifier if rho > 0; for rho = 0 it is one if sum omega_i y_i = 0, the
    condition measured by `beta`.  Each figure is the largest absolute violation over the scale that `scales` names.
    """

    primal: float
    dual: float
    alpha: float
    beta: float
    slack: float
    feasibility: float
    signs: float
    complementarity: float

    scales = {  # noqa: RUF012 - a constant
        "alpha": "max(1, |alpha|_inf)",
        "beta": "max(1, theta, rho |beta|)",
        "slack": "max(theta, largest rho xi)",
        "feasibility": "1, the margin",
        "signs": "max(1, largest value)",
        "complementarity": "max(1, theta)",
        "gap": "max(1, primal)",
    }

    @property
    def gap(self) -> float:
        """(primal - dual) / max(1, primal); rounding may make it slightly negative."""
        return (self.primal - self.dual) / max(1.0, abs(self.primal))

    @property
    def worst(self) -> float:
        """The largest of all figures."""
        others = (self.alpha, self.beta, self.slack, self.feasibility, self.signs, self.complementarity)
        return max(abs(self.gap), *others)

    def holds(self, tolerance: float = TOLERANCE) -> bool:
        """Whether every figure is at most `tolerance`; NaN is not."""
        return self.worst <= tolerance


def certify(
    data: TrainingSet,
    theta: float,
    prices: tuple[float, float],
    point: tuple[Floats, float, Floats],
    multipliers: tuple[Floats, Floats],
) -> SvmCertificate:
    """The certificate of (alpha, beta, xi) with multipliers (omega, varsigma).

    `prices` = (price of beta^2/2, price of xi_i^2/2): (rho, rho) for program (2) of farokhi2020, (0, 0) for (1).
    """
    wide = np.longdouble
    alpha, beta, xi = point[0].astype(wide), wide(point[1]), point[2].astype(wide)
    omega, varsigma = (m.astype(wide) for m in multipliers)
    rho, s = prices
    y = data.labels.astype(wide)
    value, pulled = np.empty(data.size, dtype=wide), np.zeros(data.dimension, dtype=wide)
    clean = np.maximum(omega, 0) if s else np.clip(omega, 0, theta)
    pulled_clean = np.zeros_like(pulled)
    for k in range(0, data.size, _BLOCK):
        rows = slice(k, k + _BLOCK)
        x = data.features[rows].astype(wide)
        value[rows] = x @ alpha + beta
        pulled += (omega[rows] * y[rows]) @ x
        pulled_clean += ((clean[rows] - omega[rows]) * y[rows]) @ x
    pulled_clean += pulled
    balance = (omega * y).sum()
    hinge = 1 - y * value
    feasible = np.maximum(np.maximum(xi, hinge), 0)
    primal = alpha @ alpha / 2 + rho * beta**2 / 2 + theta * feasible.sum() + s * (feasible @ feasible) / 2
    dual = clean.sum() - pulled_clean @ pulled_clean / 2
    if rho:
        dual -= (clean * y).sum() ** 2 / (2 * wide(rho))
    if s:
        dual -= (np.maximum(clean - theta, 0) ** 2).sum() / (2 * wide(s))
    slack = theta + s * xi - omega - varsigma
    products = np.abs(omega * (xi - hinge)).max(), np.abs(varsigma * xi).max()
    least = max(0.0, *(float(-a.min()) / max(1.0, float(a.max())) for a in (xi, omega, varsigma)))
    return SvmCertificate(
        float(primal),
        float(dual),
        float(np.abs(alpha - pulled).max()) / max(1.0, float(np.abs(alpha).max())),
        float(abs(rho * beta - balance)) / max(1.0, theta, float(rho * abs(beta))),
        float(np.abs(slack).max()) / max(theta, float(s * np.abs(xi).max())),
        max(0.0, float((hinge - xi).max())),
        least,
        float(max(products)) / max(1.0, theta),
    )
