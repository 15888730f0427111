"""A release of your own: a count with two-sided geometric noise (Ghosh, Roughgarden, Sundararajan 2009).

noiseproof audit examples/noisy_count.toml          the claims stand in the spec
noiseproof audit examples.noisy_count:claims        the claims stand in the function below
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

import noiseproof as npf


def release(data: ArrayLike, size: int, rng: np.random.Generator, epsilon: float = 1.0) -> NDArray[np.int64]:
    """`size` noisy counts of the ones in `data`; the noise is a difference of two geometric variables."""
    stop = 1 - np.exp(-epsilon)
    noise = rng.geometric(stop, size) - rng.geometric(stop, size)
    return np.count_nonzero(data) + noise


def claims() -> tuple[npf.BlackBox, list[npf.Claim]]:
    """Subject and claims for `noiseproof audit examples.noisy_count:claims`."""
    subject = npf.BlackBox(release, inputs=(np.zeros(10), np.eye(10)[0]))
    return subject, [
        npf.Claim(npf.PureDP(1.0)),
        npf.Claim(npf.PureDP(0.8), expect="falls", title="Control: too small"),
    ]
