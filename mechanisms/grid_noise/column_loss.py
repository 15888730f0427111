"""The privacy loss of one column of grid noise in floating point, and how it is split to a lattice of losses."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...symbolic.arrays import Floats
from .sampler import GridNoise

UNIT = 2.0**-53
_SLACK = 64 * UNIT  # what floating point may take off a loss, relative to the largest logarithm


@dataclass(frozen=True, eq=False)
class ColumnLoss:
    """One column's outcomes: log P and loss of each where both laws have mass, and the mass of P where Q has none."""

    log_p: Floats
    loss: Floats
    endless: float

    @classmethod
    def of(cls, noise: GridNoise, span: int) -> ColumnLoss:
        """Steps first - 1 (all of the left tail), ..., last + span + 1 (all of the right tail) of the noise against itself moved."""
        logs = np.log(np.array([float(w) for w in noise.weights])) - 128 * np.log(2.0)
        if not noise.tail:
            # P at k = first + span .. last, Q at k - span.
            kept = max(len(logs) - span, 0)
            outside = noise.cumulative[min(span, len(logs))]
            return cls(logs[span:], logs[span:] - logs[:kept], float(outside) * 2.0**-128 * (1 + 4 * UNIT))
        rate = -float(np.log1p(-(2**64 - noise.ratio) * 2.0**-64))
        edge = np.log(noise.tail * 2.0**-128)
        beyond = edge + np.log(-np.expm1(-rate)) - rate * np.arange(span)
        extended = np.concatenate([beyond[::-1], logs, beyond])
        log_p, log_q = extended[span:], extended[: len(logs) + span]
        ends = np.array([edge, edge - rate * span])
        log_p = np.concatenate([ends[:1], log_p, ends[1:]])
        log_q = np.concatenate([ends[1:], log_q, ends[:1]])
        return cls(log_p, log_p - log_q, 0.0)


@dataclass(frozen=True, eq=False)
class SplitLoss:
    """One column on the lattice: masses from the point `base` on, rho and h of its moves, what was added for safety.

    `raised` is added to every loss, `inflated` multiplies every mass, so that floating point leaves an upper bound.
    """

    base: int
    mass: Floats
    rho: float
    raised: float
    inflated: float

    @classmethod
    def of(cls, column: ColumnLoss, step: float) -> SplitLoss:
        if not len(column.loss):
            return cls(0, np.ones(1), 0.0, 0.0, 0.0)
        slack = _SLACK * (1 + float(np.abs(column.log_p).max()) + float(np.abs(column.loss).max()))
        loss = column.loss + slack
        low = np.floor(loss / step)
        place = np.clip(loss - low * step, 0.0, step)
        up = np.expm1(-place) / np.expm1(-step)
        p = np.asarray(np.exp(column.log_p), dtype=float)
        index = (low - low.min()).astype(np.int64)
        size = int(index.max()) + 2
        inflated = slack + 4 * UNIT * len(p)
        split = np.bincount(index, p * (1 - up), size) + np.bincount(index + 1, p * up, size)
        mass: Floats = np.asarray(split * (1 + inflated), dtype=float)
        moved = (1 - up) * -np.expm1(-place) + up * np.expm1(step - place)
        return cls(int(low.min()), mass, float(moved.max()) * (1 + 1e-9) + 1e-15, slack, inflated)
