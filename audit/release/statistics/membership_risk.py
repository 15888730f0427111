"""Membership risk of a guarantee: how often an adversary who knows all other records is right about one unit."""

from __future__ import annotations

import math

from ....symbolic.privacy.guarantees import PureDP, ZeroConcentratedDP


def right_at_most(guarantee: PureDP | ZeroConcentratedDP) -> float:
    """The largest probability of a right guess between two neighbours of equal prior probability, rounded up.

    It is (1 + v) / 2 for the total variation v of what is published.
    """
    return math.ceil(1e6 * min(1.0, (1 + total_variation(guarantee)) / 2)) / 1e6


def total_variation(guarantee: PureDP | ZeroConcentratedDP) -> float:
    """What the total variation of two neighbours is at most: the curve at epsilon = 0.

    Of rho it is no more than sqrt(rho / 2) either (Pinsker; the divergence of order 1 is at most rho).
    """
    apart = float(guarantee.curve()(0.0))
    if isinstance(guarantee, ZeroConcentratedDP):
        apart = min(apart, math.sqrt(guarantee.rho / 2))
    return apart


def membership_risk(guarantee: PureDP | ZeroConcentratedDP, unit: str, *, resizes: bool) -> str:
    """The risk in a sentence."""
    about = (
        f"whether one {unit} is in the table at all"
        if resizes
        else f"which of two possible contents one {unit} has"
    )
    right = 100 * right_at_most(guarantee)
    return (
        f"An adversary who knows everything else in the table and guesses, at even prior odds, {about}, is right at most {right:.1f} times in 100 "
        "after reading all of these numbers (50 without them)."
    )
