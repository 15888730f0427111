"""The privacy of the noisy second moments of RON-Gauss as claims: with the proved sensitivity, and with the printed one."""

from __future__ import annotations

from ....mechanisms.covariance import LaplaceCovariance
from ....symbolic.claim import Claim, Scope
from ....symbolic.privacy.guarantees import PureDP


def claims(p: int, n: int, epsilon: float) -> tuple[Claim, ...]:
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
