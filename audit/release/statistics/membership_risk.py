"""The risk of a guarantee: how often an adversary who knows all other records is right about one unit."""

from __future__ import annotations

import math

from ....symbolic.privacy.guarantees import Guarantee, ZeroConcentratedDP


def right_at_most(guarantee: Guarantee, slack: float = 0.0) -> float:
    """The largest probability of a right guess between two neighbours of equal prior probability, rounded up.

    It is (1 + v) / 2 for the total variation v of what is published, which `slack` for each of the two adds to.
    """
    return math.ceil(1e6 * min(1.0, (1 + total_variation(guarantee)) / 2 + slack)) / 1e6


def total_variation(guarantee: Guarantee) -> float:
    """What the total variation of two neighbours is at most: the curve at epsilon = 0.

    Of rho it is no more than sqrt(rho / 2) either (Pinsker; the divergence of order 1 is at most rho).
    """
    apart = float(guarantee.curve()(0.0))
    if isinstance(guarantee, ZeroConcentratedDP):
        apart = min(apart, math.sqrt(guarantee.rho / 2))
    return apart


def membership_risk(right: float, unit: str, *, resizes: bool, within: str = "") -> str:
    """The risk in a sentence, if such a guess is `right` at most so often; `within`: what both tables are known to be."""
    about = (
        f"tables with and without one {unit}" if resizes else f"values of the private columns of one {unit}"
    )
    return (
        f"An attacker who knows everything else and has to choose between two equally likely {about}{within} is right at most "
        f"{math.ceil(1000 * right) / 10:.1f} times in 100 (50 without the release)."
    )
