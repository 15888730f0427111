"""What farokhi2020 says of a released record as claims: the error of an unbiased adversary, local privacy."""

from __future__ import annotations

import numpy as np

from ....mechanisms.gaussian import OptimalGaussian
from ....symbolic.claim import Claim, Scope
from ....symbolic.predicates import ErrorBound
from ....symbolic.privacy.guarantees import ApproxDP
from .local_privacy import printed_epsilon, separation


def claims(noise: OptimalGaussian, delta: float) -> tuple[Claim, ...]:
    """The error Tr V, which the response itself attains, one percent more, which must fall, and theorem 2.5 at this delta."""
    scope = Scope("any two records of the domain", "the box of the mechanism", "one record")
    error = float(np.trace(noise.covariance()))
    epsilon = printed_epsilon(separation(noise.covariance(), noise.domain[1] - noise.domain[0]), delta)
    return (
        Claim(ErrorBound(error), noise, scope, about="law", title="the error of an unbiased adversary"),
        Claim(ErrorBound(1.01 * error), noise, scope, about="law", expect="falls", title="one percent more"),
        Claim(ApproxDP(epsilon, delta), noise, scope, about="law", source="Farokhi (2020), theorem 2.5"),
    )
