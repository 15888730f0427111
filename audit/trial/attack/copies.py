"""Whether outcomes repeat what they hold as copied records would, and how often a typical one comes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..outcomes import Outcomes

_OFTEN = 0.4  # of the values recur: fewer may be rounding, or the ends of a range
_CROWDED = 4.0  # times what the places between the values explain
_FEWEST = 8  # values


def copied_rate(sample: Outcomes) -> float | None:
    """The share of outcomes that hold a typical one of the values that recur.

    None if values recur no more than rounded noise does, which falls on neighbouring places of a grid; records lie anywhere.
    """
    outcomes, width = sample.values.shape
    words = np.bincount(sample.kinds.codes)
    if len(words) > 1:
        # A few words are answers.
        copied = len(words) >= _FEWEST and np.mean(words > 1) > _OFTEN
        return _typical(words, outcomes) if copied else None
    values, place = np.unique(sample.values, return_inverse=True)
    # Of each value and outcome that holds it one pair, however often it does.
    pairs = np.unique(place.ravel() * outcomes + np.repeat(np.arange(outcomes), width))
    held = np.bincount(pairs // outcomes, minlength=len(values))
    low, high = np.quantile(sample.values, [0.25, 0.75])
    gaps = np.diff(values[(values >= low) & (values <= high)])
    recur = float(np.mean(held > 1))
    if len(gaps) < _FEWEST or recur <= max(_OFTEN, _CROWDED * np.quantile(gaps, 0.1) / gaps.mean()):
        return None
    return _typical(held, outcomes)


def _typical(held: NDArray[np.intp], outcomes: int) -> float:
    """From how many outcomes hold each value: every outcome that holds a value counts."""
    each = np.repeat(held, held)
    return float(np.median(each[each > 1])) / outcomes
