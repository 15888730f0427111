"""A session of correct claims, most of them tight, and a fault planted among them: what a build with a privacy gate collects.

CLAIMS and FAULT (its place, or nothing) come from the environment.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest

import noiseproof as npf

CLAIMS = int(os.environ["CLAIMS"])
FAULT = int(os.environ.get("FAULT", -1))
SAMPLES = 150_000  # so many that half of the noise would be found, at a small share of alpha


def laplace(epsilon: float, noise: float = 1.0) -> npf.BlackBox:
    """One Laplace number, its noise multiplied by `noise`."""

    def release(x: float, size: int, rng: np.random.Generator) -> Any:
        return x + rng.laplace(scale=noise / epsilon, size=(size, 1))

    return npf.BlackBox(release, (0.0, 1.0), name=f"laplace {epsilon:g}")


def vector(epsilon: float) -> npf.BlackBox:
    """Three Laplace numbers whose centres move by 1 in sum."""

    def release(x: Any, size: int, rng: np.random.Generator) -> Any:
        return x + rng.laplace(scale=1 / epsilon, size=(size, 3))

    return npf.BlackBox(release, (np.zeros(3), np.full(3, 1 / 3)), name=f"vector {epsilon:g}")


def answer(epsilon: float) -> npf.BlackBox:
    """A truthful word with probability e^epsilon/(1 + e^epsilon)."""
    truth = 1 / (1 + np.exp(-epsilon))

    def release(x: str, size: int, rng: np.random.Generator) -> Any:
        other = "no" if x == "yes" else "yes"
        return [x if keep else other for keep in rng.random(size) < truth]

    return npf.BlackBox(release, ("yes", "no"), name=f"answer {epsilon:g}")


def geometric(epsilon: float) -> npf.BlackBox:
    """A whole number with two-sided geometric noise."""

    def release(x: int, size: int, rng: np.random.Generator) -> Any:
        p = -np.expm1(-epsilon)
        return x + rng.geometric(p, size=(size, 1)) - rng.geometric(p, size=(size, 1))

    return npf.BlackBox(release, (3, 4), name=f"geometric {epsilon:g}")


def gaussian(mu: float) -> npf.BlackBox:
    """One normal number."""

    def release(x: float, size: int, rng: np.random.Generator) -> Any:
        return rng.normal(x, 1 / mu, size=(size, 1))

    return npf.BlackBox(release, (0.0, 1.0), name=f"gaussian {mu:g}")


def case(i: int) -> tuple[Any, Any]:
    """The i-th correct claim with its subject."""
    epsilon = round(0.3 + 0.017 * i % 2.0, 3)
    match i % 7 if i % 40 else "law":
        case 0:
            return laplace(epsilon), npf.PureDP(epsilon)
        case 1:
            return answer(epsilon), npf.PureDP(epsilon)
        case 2:
            return gaussian(epsilon), npf.GaussianDP(epsilon)
        case 3:
            return geometric(epsilon), npf.PureDP(epsilon)
        case 4:
            return vector(epsilon), npf.PureDP(epsilon)
        case 5:
            from noiseproof.symbolic.privacy.pair import gaussian_delta

            return gaussian(epsilon), npf.ApproxDP(1.0, float(gaussian_delta(epsilon, 1.0)))
        case "law":
            mechanism = npf.LaplaceMechanism(epsilon=epsilon, sensitivity=1.0)
            return mechanism, npf.Claim(npf.PureDP(epsilon), about="law")
        case _:
            # Not tight: half of what is claimed.
            return laplace(epsilon / 2), npf.PureDP(epsilon)


NAMES = [f"claim-{i}" for i in range(CLAIMS)]
if FAULT >= 0:
    NAMES.insert(FAULT, "fault")


@pytest.mark.parametrize("name", NAMES)
def test_release(noiseproof: Any, name: str) -> None:
    if name == "fault":
        # Half of the noise that the claim needs.
        noiseproof.holds(laplace(1.0, noise=0.5), npf.PureDP(1.0), samples=8_000)
    else:
        subject, claim = case(int(name.removeprefix("claim-")))
        noiseproof.holds(subject, claim, samples=SAMPLES)
