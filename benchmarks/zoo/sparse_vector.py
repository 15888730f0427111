"""The sparse vector technique: Algorithms 1, 2, 4, 5 and 6 of Lyu, Su, Li (PVLDB 2017, figure 1), symbols only.

Ten queries of sensitivity 1, threshold 1, cutoff 2 where the algorithm has one.  One symbol per query: 1 above,
0 below, -1 not reached.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from noiseproof.mechanisms.black_box import BlackBox
from noiseproof.symbolic.arrays import Floats
from noiseproof.symbolic.privacy.guarantees import PureDP

from .entry import EPSILON, ZooEntry, largest_loss, rates_of
from .laplace_integral import cdf, nodes

Answers = tuple[int, ...]
Symbols = NDArray[np.int8]

INPUTS: tuple[Answers, Answers] = ((1,) * 5 + (0,) * 5, (0,) * 5 + (1,) * 5)
THRESHOLD, CUTOFF = 1.0, 2
ABOVE, BELOW, NOT_REACHED = 1, 0, -1


@dataclass(frozen=True)
class SparseVector:
    """Laplace scales of the threshold and of the queries; `cutoff` None: it never stops; `redraw`: a new threshold after each above."""

    threshold_scale: float
    query_scale: float
    cutoff: int | None = CUTOFF
    redraw: bool = False

    def release(self, data: Answers, size: int, rng: np.random.Generator) -> Symbols:
        """`size` rows of symbols."""
        length = len(data)
        cutoff = length if self.cutoff is None else self.cutoff
        thresholds = THRESHOLD + rng.laplace(
            0.0, self.threshold_scale, size=(size, cutoff if self.redraw else 1)
        )
        answers = np.asarray(data) + (
            rng.laplace(0.0, self.query_scale, size=(size, length)) if self.query_scale else 0.0
        )
        out = np.full((size, length), NOT_REACHED, dtype=np.int8)
        tops = np.zeros(size, dtype=np.intp)
        rows = np.arange(size)
        answers = np.broadcast_to(answers, (size, length))
        for i in range(length):
            bar = thresholds[rows, np.minimum(tops, cutoff - 1)] if self.redraw else thresholds[:, 0]
            reached, above = tops < cutoff, answers[:, i] >= bar
            out[:, i] = np.where(reached, np.where(above, ABOVE, BELOW), NOT_REACHED)
            tops += reached & above
        return out

    def outcomes(self, length: int) -> Symbols:
        """All rows of symbols that can come out, shape (m, length)."""
        cutoff = length if self.cutoff is None else self.cutoff
        rows = np.array(list(itertools.product((BELOW, ABOVE), repeat=length)), dtype=np.int8)
        before = np.cumsum(rows, axis=1) - rows
        return np.unique(np.where(before < cutoff, rows, NOT_REACHED), axis=0).astype(np.int8)

    def masses(self, data: Answers) -> Floats:
        """Exact probabilities of `outcomes`: integrals over the threshold's noise, one per threshold that is drawn."""
        rows = self.outcomes(len(data))
        if not self.redraw:
            return self._integral(rows, np.asarray(data))
        drawn = np.cumsum(rows == ABOVE, axis=1) - (rows == ABOVE)  # the number of the threshold in force
        parts = [np.where(drawn == j, rows, NOT_REACHED) for j in range(int(drawn.max()) + 1)]
        return np.asarray(np.prod([self._integral(part, np.asarray(data)) for part in parts], axis=0))

    def _integral(self, rows: Symbols, data: NDArray[np.int_]) -> Floats:
        z, w = nodes(self.threshold_scale)
        product = np.ones((len(rows), len(z)))
        for symbols, answer in zip(rows.T, data, strict=True):
            below = cdf(THRESHOLD + z - answer, self.query_scale)
            # P(above) by symmetry rather than 1 - P(below), which would cancel.
            above = cdf(answer - THRESHOLD - z, self.query_scale)
            product *= np.stack([np.ones_like(z), below, above])[symbols + 1]
        return np.asarray(product @ w)


def _code(rows: NDArray[np.generic] | Floats) -> NDArray[np.intp]:
    """One whole number per row of symbols: its digits to base 3."""
    whole = np.asarray(rows).astype(np.intp) + 1
    return np.asarray(whole @ 3 ** np.arange(whole.shape[1]))


def _entry(name: str, mechanism: SparseVector) -> ZooEntry:
    codes = _code(mechanism.outcomes(len(INPUTS[0])))

    @cache
    def table(data: Answers) -> Floats:
        logs = np.full(3 ** len(data), -np.inf)
        with np.errstate(divide="ignore"):
            logs[codes] = np.log(mechanism.masses(data))
        return logs

    def log_density(y: Floats, data: Answers) -> Floats:
        return table(tuple(data))[_code(y)]

    def log_ratio(y: Floats) -> Floats:
        return loss[_code(y)]

    zero, one = (mechanism.masses(data) for data in INPUTS)
    with np.errstate(invalid="ignore"):
        loss = np.round(table(INPUTS[1]) - table(INPUTS[0]), 9)
    seen = (zero > 0) | (one > 0)
    return ZooEntry(
        name,
        BlackBox(mechanism.release, INPUTS, log_density, name=name),
        PureDP(EPSILON),
        0.0,
        largest_loss(zero, one),
        log_ratio,
        lambda: rates_of(loss[codes][seen], zero[seen], one[seen]),
    )


_HALF, _QUARTER = EPSILON / 2, EPSILON / 4

VARIANTS: dict[str, SparseVector] = {
    "svt1": SparseVector(1 / _HALF, 2 * CUTOFF / _HALF),
    "svt2": SparseVector(CUTOFF / _HALF, 2 * CUTOFF / _HALF, redraw=True),
    "svt4": SparseVector(1 / _QUARTER, 1 / (EPSILON - _QUARTER)),
    "svt5": SparseVector(1 / _HALF, 0.0, cutoff=None),
    "svt6": SparseVector(1 / _HALF, 1 / _HALF, cutoff=None),
}
SPARSE_VECTORS = tuple(_entry(name, mechanism) for name, mechanism in VARIANTS.items())
