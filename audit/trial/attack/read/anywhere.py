"""Values that may stand at any place of an outcome: records that are drawn, shuffled or sorted before they are given away."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .....symbolic.arrays import Floats
from ...outcomes import Outcomes
from ..scores import ANYWHERE, Score
from .words import telling

_MOST = 1_000_000  # numbers of an input that teach which values tell
_SEEN, _RECUR = 4_096, 0.02  # numbers that are looked at first, and the share of them that must recur


def anywhere_score(zero: Outcomes, one: Outcomes) -> Score | None:
    """The sum of the log count ratios of values that clearly more outcomes of one input hold, at whatever place; None if there are none."""
    width = max(zero.values.shape[1], one.values.shape[1])
    if width < 2 or not any(map(_recurs, (zero, one))):
        return None
    rows = max(1, _MOST // width)
    (v0, m0), (v1, m1) = (_held(s.values[:rows]) for s in (zero, one))
    found = telling((v0, m0), (v1, m1), min(len(zero), rows), min(len(one), rows))
    if not found:
        return None
    values = np.array(sorted(found))
    weights = np.array([found[v][1] for v in values.tolist()])

    def of(sample: Outcomes) -> Floats:
        place = np.searchsorted(values, sample.values).clip(max=len(values) - 1)
        row, column = np.nonzero(values[place] == sample.values)
        each = place[row, column]
        # However often an outcome holds a value, it holds it once.
        pairs = np.unique(row * len(values) + each)
        score = np.bincount(pairs // len(values), weights[pairs % len(values)], minlength=len(sample))
        return np.asarray(score, dtype=float)

    most = max(found, key=lambda v: found[v])
    return Score(ANYWHERE, of, about=f", of which {most:.10g} says most", things=len(values))


def _held(values: Floats) -> tuple[Floats, NDArray[np.float64]]:
    """The distinct values, and how many outcomes hold each."""
    inner = np.sort(values, axis=1)
    new = np.concatenate([np.ones((len(inner), 1), dtype=bool), inner[:, 1:] != inner[:, :-1]], axis=1)
    known, often = np.unique(inner[new], return_counts=True)
    return known, often.astype(float)


def _recurs(sample: Outcomes) -> bool:
    some = sample.values[: max(1, _SEEN // sample.values.shape[1])]
    return len(_held(some)[0]) < (1 - _RECUR) * some.size
