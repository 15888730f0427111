"""The smoothing adversary of an initial state as claims: nobody unbiased does better, and it does as well as that."""

from __future__ import annotations

import numpy as np

from ....mechanisms.dynamics import TrajectoryNoise
from ....symbolic.claim import Claim
from ....symbolic.predicates import ErrorBound
from .linear import smoother

_ROUNDING = 1e-9


def claims(noise: TrajectoryNoise) -> tuple[Claim, ...]:
    """The smoother's exact error bounds that of every unbiased adversary of x[0]; one percent more must fall."""
    covariance = noise.covariance()
    best = smoother(noise.system, noise.horizon, covariance)
    error = best.split(noise.psi, covariance, np.zeros(noise.order)).total
    # x[0] + z is seen by whoever sees the answers, and shows them.
    said, high = (ErrorBound(error * share) for share in (1 - _ROUNDING, 1.01))
    return (
        Claim(said, noise.state, about="law", title="the smoother's error"),
        Claim(high, noise.state, about="law", expect="falls", title="one percent more"),
    )
