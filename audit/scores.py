"""Scores: real functions of an outcome that sort outcomes by how much they speak for one input over the other.

Any function may serve, whatever it was learnt from: a score only decides which events are counted, and the counts
come from outcomes that it has not seen.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .outcomes import Outcomes, interquartile_range, is_plain, widen

Floats = NDArray[np.float64]
_CLIP = 100.0  # interquartile ranges
_FAR = 1e6  # the score of an outcome that only one input produces


@dataclass(frozen=True)
class Score:
    """A named score; `of` maps outcomes to numbers (n,)."""

    name: str
    of: Callable[[Outcomes], Floats]


def law_score(log_density: Callable[[Floats, Any], Floats | None], inputs: tuple[Any, Any], kinds: NDArray[np.str_],
              width: int | None = None) -> Score:  # fmt: skip
    """The privacy loss of the law: log density under input 1 minus under input 0, by Neyman-Pearson the best score.

    `width` is the number of columns that the density reads.
    """
    table = kind_table(kinds)

    def of(sample: Outcomes) -> Floats:
        # Rows of another structure are padded or cut here, and scored by the other scores.
        values = sample.values if width is None else widen(sample, width).values[:, :width]
        with np.errstate(all="ignore"):
            zero, one = (log_density(values, x) for x in inputs)
        assert zero is not None
        assert one is not None
        both_off = np.isneginf(zero) & np.isneginf(one)
        loss = np.where(
            both_off,
            0.0,
            np.nan_to_num(
                np.where(both_off, 0.0, one) - np.where(both_off, 0.0, zero),
                nan=0.0,
                posinf=_FAR,
                neginf=-_FAR,
            ),
        )
        return np.asarray(_where_known(sample, table, loss), dtype=float)

    return Score("privacy loss of the law", of)


def kind_table(kinds: NDArray[np.str_]) -> tuple[str, ...]:
    """The most frequent structure of plain outcomes: other structures are scored by the table of atoms alone."""
    usable = kinds[is_plain(kinds)]
    names, counts = np.unique(usable if usable.size else kinds, return_counts=True)
    return (str(names[np.argmax(counts)]),)


def _where_known(sample: Outcomes, table: tuple[str, ...], score: Floats) -> Floats:
    return np.where(sample.kinds == table[0], score, 0.0)


def atom_score(zero: Outcomes, one: Outcomes) -> Score | None:
    """Log count ratio of outcomes (and of whole structures) that repeat; None if nothing does."""
    width = max(zero.values.shape[1], one.values.shape[1])
    keys = np.concatenate([widen(s, width).keys() for s in (zero, one)])
    side = np.repeat([0, 1], [len(zero), len(one)])
    kinds = np.concatenate([zero.kinds, one.kinds])
    kind_names, kind_index = np.unique(kinds, return_inverse=True)
    kind_scores = np.where(np.bincount(kind_index) >= 2, _log_ratio(kind_index, side, len(kind_names)), 0.0)
    atoms, index, total = np.unique(keys, return_inverse=True, return_counts=True)
    repeated = total >= 2
    if not repeated.any() and len(kind_names) == 1:
        return None
    scores = np.where(repeated, _log_ratio(index, side, len(atoms)), 0.0)

    def of(sample: Outcomes) -> Floats:
        if sample.values.shape[1] > width:
            sample = Outcomes(sample.values[:, :width], sample.kinds)
        here = widen(sample, width).keys()
        place = np.clip(np.searchsorted(atoms, here), 0, len(atoms) - 1)
        known = (atoms[place] == here) & repeated[place]
        where = np.clip(np.searchsorted(kind_names, sample.kinds), 0, len(kind_names) - 1)
        by_kind = np.where(kind_names[where] == sample.kinds, kind_scores[where], 0.0)
        return np.asarray(np.where(known, scores[place], by_kind), dtype=float)

    return Score("table of repeated outcomes", of)


def _log_ratio(index: NDArray[np.intp], side: NDArray[np.intp], size: int) -> Floats:
    k0 = np.bincount(index[side == 0], minlength=size) + 0.5
    k1 = np.bincount(index[side == 1], minlength=size) + 0.5
    return np.asarray(
        np.log(k1 / k0) - np.log((side == 1).sum() + 1) + np.log((side == 0).sum() + 1), dtype=float
    )


def linear_score(zero: Outcomes, one: Outcomes) -> Score | None:
    """The linear discriminant of the numbers and of their distances from the middle (scale differences)."""
    known = kind_table(np.concatenate([zero.kinds, one.kinds]))
    a, b = (s.values[s.kinds == known[0]] for s in (zero, one))
    if len(a) < 4 or len(b) < 4:
        return None
    pooled = np.concatenate([a, b])
    unit = interquartile_range(pooled)
    unit = np.where(unit > 0, unit, np.maximum(np.abs(pooled).max(axis=0), 1e-300))
    middle = np.median(pooled / unit, axis=0)

    def features(values: Floats) -> Floats:
        # Clipped, so that a few enormous outcomes do not drown the others.
        with np.errstate(over="ignore"):
            centred = np.clip(values / unit - middle, -_CLIP, _CLIP)
        return np.concatenate([centred, np.abs(centred)], axis=1)

    fa, fb = features(a), features(b)
    spread = np.concatenate([fa, fb]).std(axis=0)
    spread = np.where(spread > 0, spread, 1.0)
    within = np.atleast_2d(np.cov(fa / spread, rowvar=False) + np.cov(fb / spread, rowvar=False)) / 2
    if min(len(a), len(b)) < 4 * len(within):
        # Too few outcomes for a full matrix, which would only learn them by heart.
        within = np.diag(np.diag(within))
    # A tiny ridge keeps directions in which the noise cancels: there the discriminant is rightly enormous.
    direction = (
        np.linalg.solve(within + 1e-10 * np.eye(len(within)), (fb.mean(axis=0) - fa.mean(axis=0)) / spread)
        / spread
    )

    def of(sample: Outcomes) -> Floats:
        width = len(middle)
        values = widen(sample, width).values[:, :width]
        return _where_known(sample, known, features(values) @ direction)

    return Score("linear discriminant", of)
