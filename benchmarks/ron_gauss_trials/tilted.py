"""Laplace noise drawn where the privacy loss is large, with weights that are known exactly.

In units of the scale, input 1 is centred at 0 and input 2 at r.  The density e^-|y| e^(s loss(y))/Z(s), with the loss
|y - r| - |y|, is piecewise exponential: s = 0 is the law of input 1, s = -1 that of input 2, s > 0 lies beyond.  Over many
entries the loss adds up, so that the ratio to the law of input 1 is e^(s loss)/prod Z.
"""

from __future__ import annotations

import numpy as np

from noiseproof.symbolic.arrays import Floats

_STEEPEST = 2.0**40


def losses(noise: Floats, shift: Floats) -> Floats:
    """log p/q at noise (n, d) of input 1, input 2 at `shift` (d,) or (n, d): shape (n,)."""
    return np.asarray((np.abs(noise - shift) - np.abs(noise)).sum(axis=-1), dtype=float)


def log_normaliser(shift: Floats, steepness: float) -> Floats:
    """sum over entries of log Z(s) for `shift` (..., d), s >= 0 or s = -1; shape (...)."""
    below, between, beyond = _masses(np.abs(shift), steepness)
    return np.asarray(
        np.log((below + between + beyond) / 2).sum(axis=-1) + steepness * np.abs(shift).sum(axis=-1)
    )


def tilted_noise(shift: Floats, steepness: float, rng: np.random.Generator) -> Floats:
    """One noise vector for each row of `shift` (n, d), from the density e^-|y| e^(s loss(y))/Z(s)."""
    distance = np.abs(shift)
    below, between, beyond = _masses(distance, steepness)
    place = rng.random(shift.shape) * (below + between + beyond)
    outside = rng.standard_exponential(shift.shape)
    rate = 1 + 2 * steepness
    # Inside, a truncated exponential by its quantile function.
    inner = -np.log1p(rng.random(shift.shape) * np.expm1(-rate * distance)) / rate
    noise = np.where(place < below, -outside, np.where(place < below + between, inner, distance + outside))
    return np.asarray(np.where(shift < 0, -noise, noise), dtype=float)


def steepness_for(shift: Floats, target: float) -> float:
    """The s >= 0 whose mean loss over entries `shift` (d,) is `target`; 0 if the law of input 1 reaches it, capped near the end."""

    def mean(s: float) -> float:
        step = 1e-4 * (1 + s)
        ends = [float(log_normaliser(shift, v)) for v in (s + step, s + 2 * step)]
        return (ends[1] - ends[0]) / step

    high = 1.0
    while mean(high) < target and high < _STEEPEST:
        high *= 2
    if high >= _STEEPEST:
        return 0.0
    low = 0.0
    for _ in range(50):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if mean(middle) < target else (low, middle)
    return high


def _masses(distance: Floats, s: float) -> tuple[Floats, Floats, Floats]:
    """Masses below, between and beyond the two centres, before normalising, divided by e^(s distance)."""
    rate = 1 + 2 * s
    below = np.ones_like(distance)
    return below, -np.expm1(-rate * distance) / rate, np.exp(-rate * distance)
