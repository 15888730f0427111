"""Attacks on the private large-margin classifier: its worst neighbours, and a version with too little noise."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ....mechanisms.large_margin import PrivacyTerms, PrivateLargeMarginGaussian
from ....symbolic.arrays import Floats
from ....symbolic.errors import SpecError

Sample = tuple[Floats, NDArray[np.int64]]


class PrintedScale(PrivateLargeMarginGaussian):
    """The private variant with the noise density exp(-(epsilon/2)|b|) of Pathak and Raj (2010): sensitivity 2, no Jacobian.

    Not private at its epsilon.
    """

    def _scale(self, epsilon: float, terms: PrivacyTerms) -> float:
        if self.method == "output":
            return 2 / (epsilon * terms.size * float(terms.ridge))
        return 2 / epsilon


def worst_neighbours(classes: int, size: int, dimension: int = 1) -> tuple[Sample, Sample]:
    """Two data sets of one repeated record of length 1, the last of which changes its label from 0 to 1.

    The other labels, twice as often 0 as each of 2, ..., C - 1, pull along the change where all weights are 1: there the
    two noises that give one output differ in length by as much as the gradients differ, up to the share of one record.
    """
    if classes < 2 or size < 2:
        raise SpecError(f"expected at least two classes and two records, got {classes} and {size}")
    features = np.zeros((size, dimension))
    features[:, 0] = 1.0
    order = [0, *range(2, classes), 0] if classes > 2 else [0]
    labels = np.append(np.resize(order, size - 1), 0).astype(np.int64)
    other = labels.copy()
    other[-1] = 1
    return (features, labels), (features, other)
