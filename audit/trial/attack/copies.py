"""Whether outcomes repeat what they hold as copied records would, and how often a typical one comes."""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....symbolic.arrays import Floats
from ..outcomes import Outcomes

_OFTEN = 0.4  # of the values recur: fewer may be rounding, or the ends of a range
_CROWDED = 1 / 3  # of the usual gap between values: many narrower ones are no grid
_FEWEST = 8  # values: a few are answers
_TEXT = re.compile(r"(?s)(?:str |bytes b)(?:'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")|raises .*")


class Copies(NamedTuple):
    """The share of outcomes that hold a typical one of what recurs, and whether it is text."""

    rate: float
    text: bool

    @classmethod
    def of(cls, sample: Outcomes) -> Copies | None:
        """None if no text recurs, and values no more than rounded noise does, which falls on neighbouring places of a grid; records lie anywhere."""
        other = not sample.values.any()  # dates, say
        texts = [_TEXT.findall(name) or [name] * other for name in sample.kinds.names]
        names = {text: i for i, text in enumerate(sorted({t for held in texts for t in held}))}
        if len(names) >= _FEWEST:
            held = np.zeros(len(names), dtype=np.intp)
            for code, count in enumerate(np.bincount(sample.kinds.codes)):
                held[list({names[text] for text in texts[code]})] += count
            if np.mean(held[held > 0] > 1) > _OFTEN:
                return _typical(held, len(sample), True)
        values, place, often = np.unique(sample.values, return_inverse=True, return_counts=True)
        place = place.reshape(sample.values.shape)
        recur = np.mean((often[place] > 1) & (sample.values != 0), axis=0)
        # Beside noise the places of an outcome at which values recur.
        columns = [j for j in np.flatnonzero(recur > _OFTEN) if _anywhere(sample.values[:, j])]
        if not columns:
            return None
        inner = np.sort(place[:, columns], axis=1)
        again = np.diff(inner, axis=1, prepend=-1) == 0
        held = np.bincount(inner[~again], minlength=len(values))
        held[values == 0] = 0  # it may stand for nothing
        if np.mean(held[held > 0] > 1) <= _OFTEN:
            return None
        return _typical(held, len(sample), False)


def _anywhere(column: Floats) -> bool:
    """Whether the values of a column lie as records do, and not on neighbouring places of a grid."""
    column = column[column != 0]
    low, high = np.quantile(column, [0.25, 0.75])
    gaps = np.diff(np.unique(column[(column >= low) & (column <= high)]))
    return len(gaps) >= _FEWEST and bool(np.quantile(gaps, 0.1) < _CROWDED * np.median(gaps))


def _typical(held: NDArray[np.intp], outcomes: int, text: bool) -> Copies:
    """From how many outcomes hold each value: every outcome that holds a value counts."""
    each = np.repeat(held, held)
    return Copies(float(np.median(each[each > 1])) / outcomes, text)
