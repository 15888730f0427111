"""The bytes that are written: floating-point patterns that a noise over the reals would not show."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ..check import Counts
from ..evidence import Kind, Resolution, Sentence
from ..outcomes import Outcomes
from .distinguishing_power import found_factor
from .likelihood_ratio import LikelihoodRatio, Plan

Floats = NDArray[np.float64]


class BitPatterns(LikelihoodRatio):
    """The distinguisher on exponents and trailing zero bits of the numbers instead of on their values."""

    name: ClassVar[str] = "bit patterns"
    kind: ClassVar[Kind] = "attack"
    sentence: ClassVar[Sentence] = "bytes"

    def learn(self, sample: Sequence[Outcomes], counted: float | None = None, alpha: float = 0.05) -> Plan:
        return super().learn([patterns(s) for s in sample], counted, alpha)

    def count(self, plan: Plan, unit: Sequence[Outcomes]) -> Counts:
        return super().count(plan, [patterns(s) for s in unit])

    def _law_score(self, sample: Sequence[Outcomes]) -> None:
        return None  # the law over the reals knows nothing of bits

    def resolution(
        self, chosen: float, counted: float, alpha: float, seen: tuple[Floats, Floats] | None = None
    ) -> Resolution | None:
        """The claim made c times stricter: scaling the law says nothing about bits."""
        return found_factor(None, self.pair, self.guarantee, chosen, counted, alpha, seen)


def patterns(sample: Outcomes) -> Outcomes:
    """Exponent and number of trailing zeros of the significand of each number, shape (n, 2d)."""
    bits = np.ascontiguousarray(sample.values[:, :8]).view(np.uint64)
    exponent = ((bits >> np.uint64(52)) & np.uint64(0x7FF)).astype(float)
    significand = bits & np.uint64((1 << 52) - 1)
    lowest = significand & (~significand + np.uint64(1))
    zeros = np.where(significand == 0, 52.0, np.log2(np.maximum(lowest, 1).astype(float)))
    return Outcomes(np.concatenate([exponent, zeros], axis=1), sample.kinds)
