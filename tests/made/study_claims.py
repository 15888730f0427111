"""What the studies say of their mechanisms, as claims: each true one beside a false one that must fall."""

from __future__ import annotations

import numpy as np
from adversary_trials.linear import weighted_least_squares

from noiseproof.audit.studies.dataset_release.local_privacy import printed_epsilon, separation
from noiseproof.audit.studies.large_margin.private_attack import PrintedScale, worst_neighbours
from noiseproof.mechanisms.covariance import LaplaceCovariance
from noiseproof.mechanisms.dynamics import TrajectoryNoise
from noiseproof.mechanisms.gaussian import OptimalGaussian
from noiseproof.mechanisms.large_margin import PrivateLargeMarginGaussian, audit_subject
from noiseproof.symbolic.claim import Claim, Scope
from noiseproof.symbolic.predicates import ErrorBound
from noiseproof.symbolic.privacy.guarantees import ApproxDP, PureDP

_ROUNDING = 1e-9


def adversaries_claims(noise: TrajectoryNoise) -> tuple[Claim, ...]:
    """The smoother's exact error bounds that of every unbiased adversary of x[0]; one percent more must fall."""
    covariance = noise.covariance()
    best = weighted_least_squares(noise.psi, covariance)
    error = best.split(noise.psi, covariance, np.zeros(noise.order)).total
    # x[0] + z is seen by whoever sees the answers, and shows them.
    said, high = (ErrorBound(error * share) for share in (1 - _ROUNDING, 1.01))
    return (
        Claim(said, noise.state, about="law", title="the smoother's error"),
        Claim(high, noise.state, about="law", expect="falls", title="one percent more"),
    )


def dataset_release_claims(noise: OptimalGaussian, delta: float) -> tuple[Claim, ...]:
    """The error Tr V, which the response itself attains, one percent more, which must fall, and theorem 2.5 at this delta."""
    scope = Scope("any two records of the domain", "the box of the mechanism", "one record")
    error = float(np.trace(noise.covariance()))
    epsilon = printed_epsilon(separation(noise.covariance(), noise.domain[1] - noise.domain[0]), delta)
    return (
        Claim(ErrorBound(error), noise, scope, about="law", title="the error of an unbiased adversary"),
        Claim(ErrorBound(1.01 * error), noise, scope, about="law", expect="falls", title="one percent more"),
        Claim(ApproxDP(epsilon, delta), noise, scope, about="law", source="Farokhi (2020), theorem 2.5"),
    )


def large_margin_claims(
    model: PrivateLargeMarginGaussian, size: int, dimension: int = 1
) -> tuple[Claim, ...]:
    """The model keeps its epsilon for data sets of `size` records in R^dimension; with the printed noise it must fall."""
    pair = worst_neighbours(np.size(model.classes), size, dimension)
    printed = PrintedScale(**model.get_params())
    scope = Scope("one labelled record is replaced", f"{size} equal records of length 1", "one record")
    said = PureDP(model.epsilon)
    return (
        Claim(said, audit_subject(model, *pair), scope, title="the derived noise"),
        Claim(
            said,
            audit_subject(printed, *pair),
            scope,
            source="Pathak, Raj (2010), theorem 1",
            expect="falls",
            title="the printed noise",
        ),
    )


def ron_gauss_claims(p: int, n: int, epsilon: float) -> tuple[Claim, ...]:
    """epsilon-privacy of n records in the unit ball of R^p; noise scaled to 2 sqrt(p)/n is too small for p > 2."""
    scope = Scope("one record is replaced", f"{n} records in the unit ball of R^{p}", "one record")
    return (
        Claim(
            PureDP(epsilon),
            LaplaceCovariance.needed(p, n, epsilon),
            scope,
            about="law",
            title="the proved sensitivity",
        ),
        Claim(
            PureDP(epsilon),
            LaplaceCovariance.printed(p, n, epsilon),
            scope,
            about="law",
            source="Chanyaswad, Liu, Mittal (2019), lemma 4",
            expect="falls" if p > 2 else "holds",
            title="the printed sensitivity",
        ),
    )
