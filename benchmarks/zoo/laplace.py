"""y = x + Laplace noise on every entry: the loss of an entry is linear between the two centres and constant beyond."""

from __future__ import annotations

from typing import Any

import numpy as np

from noiseproof.mechanisms.black_box import BlackBox
from noiseproof.symbolic.arrays import Floats
from noiseproof.symbolic.privacy.guarantees import PureDP

from .entry import EPSILON, Rates, ZooEntry


def laplace_entry(name: str, zero: Any, one: Any, scale: float, rates: Rates | None = None) -> ZooEntry:
    """Independent Laplace(scale) noise on every entry of inputs that differ by one amount wherever they differ.

    `rates` may be left out if they differ in a single entry.
    """
    shape = np.shape(zero)
    centre, shift = np.ravel(zero).astype(float), (np.asarray(one, dtype=float) - zero).ravel()
    moved = np.flatnonzero(shift)
    step, sign = np.abs(shift[moved[0]]), np.sign(shift[moved])
    if np.ptp(np.abs(shift[moved])) > 0:
        raise ValueError(
            f"the entries that differ must differ by one amount, got {sorted(set(np.abs(shift[moved])))}"
        )

    def release(data: Any, size: int, rng: np.random.Generator) -> Floats:
        noise = rng.laplace(0.0, scale, size=(size, *shape))
        return np.asarray(np.asarray(data, dtype=float) + noise)

    def log_density(y: Floats, data: Any) -> Floats:
        distance = np.abs(np.reshape(y, (len(y), -1)) - np.ravel(data)).sum(axis=1)
        return np.asarray(-distance / scale - centre.size * np.log(2 * scale))

    def log_ratio(y: Floats) -> Floats:
        # Clipped to -1 and 1, which add without rounding: |y - x0| - |y - x1| would split the atoms.
        offset = np.reshape(y, (len(y), -1))[:, moved] - centre[moved]
        return np.asarray(np.clip(2 * sign * offset / step - 1, -1.0, 1.0).sum(axis=1) * (step / scale))

    def half_lines() -> tuple[Floats, Floats]:
        # {y > x0 + t}, t between the centres: beyond them the loss is constant.
        t = np.linspace(0.0, step, 4097)[:-1]
        return 0.5 * np.exp(-t / scale), 1 - 0.5 * np.exp((t - step) / scale)

    if rates is None and moved.size != 1:
        raise ValueError("rates are needed where the inputs differ in more than one entry")
    return ZooEntry(
        name,
        BlackBox(release, (zero, one), log_density, name=name),
        PureDP(EPSILON),
        0.0,
        float(moved.size * step / scale),
        log_ratio,
        rates or half_lines,
    )


LAPLACES = (
    laplace_entry("laplace", 0.0, 1.0, 1.0 / EPSILON),
    # Sensitivity 2: epsilon/sensitivity stands where sensitivity/epsilon belongs.
    laplace_entry("laplace_inverted", 0.0, 2.0, EPSILON / 2.0),
)
