"""Noise of a known law exactly as small as a guarantee allows, at sensitivity 1."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ....mechanisms.gaussian import GaussianMechanism
from ....mechanisms.laplace import LaplaceMechanism
from ....mechanisms.mechanism import Mechanism
from ....symbolic.arrays import Floats
from ....symbolic.privacy.guarantees import Guarantee, PureDP
from ....symbolic.privacy.pair import DiscretePair, GaussianPair, gaussian_delta
from ..attack.claimed_curve import ClaimedCurve

WORST, GAUSSIAN, LAPLACE = RELEASES = "worst case", "Gaussian noise", "Laplace noise"
_SMALLEST, _LARGEST = 1e-9, 1e3  # shift of the noise in its own units


def in_words(release: str, guarantee: Guarantee) -> str:
    """A release, of the tight pair with its law if that is known."""
    worst = guarantee.attained_pair()
    response = isinstance(worst, DiscretePair)
    law = "randomised response" if response else GAUSSIAN if isinstance(worst, GaussianPair) else ""
    return f"tight pair{law and f' ({law})'}, easiest to detect" if release == WORST else release


def none_at(release: str, guarantee: Guarantee) -> str:
    """Why a release is not planned."""
    if release == GAUSSIAN and isinstance(guarantee, PureDP):
        return "Gaussian noise satisfies epsilon-DP for no finite epsilon"
    return f"{release}: at no scale is it exactly {guarantee.sentence()}"


def releases_of(subject: Any, guarantee: Guarantee) -> dict[str, bool]:
    """What a subject may be, if it tells no law, and whether there is such a release exactly at the guarantee."""
    if isinstance(subject, Mechanism):
        return {WORST: True}
    worst = guarantee.attained_pair()
    others = [LAPLACE] if isinstance(worst, GaussianPair) else [GAUSSIAN, LAPLACE]
    return {WORST: True} | {name: noise_at(name, guarantee) is not None for name in others}


def noise_at(release: str, guarantee: Guarantee) -> Mechanism | None:
    """The noise whose curve touches that of the guarantee, None if there is none."""
    if release == GAUSSIAN:
        mu = _largest_shift(gaussian_delta, guarantee, unbounded=True)
        return None if mu is None else GaussianMechanism(1 / mu)
    ratio = _largest_shift(_laplace_delta, guarantee)
    return None if ratio is None else LaplaceMechanism(ratio, 1.0)


def _laplace_delta(ratio: float, epsilon: Floats) -> Floats:
    return -np.expm1(np.minimum(epsilon - ratio, 0.0) / 2)


def _largest_shift(
    delta: Callable[[float, Floats], Floats], guarantee: Guarantee, unbounded: bool = False
) -> float | None:
    """The largest shift whose curve `delta` lies below the claimed one; None if there is none, as for a loss that is `unbounded` where no delta is allowed."""
    point = guarantee.point()
    epsilon = ClaimedCurve.of(guarantee).epsilon if point is None else np.array(point[:1])
    allowed = guarantee.curve()(epsilon)

    def within(shift: float) -> bool:
        return bool(np.all(delta(shift, epsilon) <= allowed))

    low, high = _SMALLEST, _LARGEST
    if (unbounded and np.any(allowed <= 0)) or not within(low) or within(high):
        return None
    while high / low > 1 + 1e-12:
        middle = float(np.sqrt(low * high))
        low, high = (middle, high) if within(middle) else (low, middle)
    return low
