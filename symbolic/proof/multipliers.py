"""Multiples of constraints that make a mean value form small: least squares on the slopes at the middle."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from flint import arb

from ..arrays import Floats
from .intervals import ONE, Interval

LARGEST = 1e8


def multipliers(
    slopes: Mapping[int, list[Interval]], values: Mapping[int, Interval], inequalities: int
) -> Iterator[dict[int, arb]]:
    """Weights {0: 1, k: -m_k} with m_k >= 0 for k <= inequalities: f <= f - sum m_k g_k where g_k <= 0.

    Outputs are numbered as in the tape: 0 is what is bounded, then inequalities, then equations.  Any weights of these
    signs are right; these ones are near the multipliers of the Karush-Kuhn-Tucker conditions.
    """
    middle = {k: np.array([(float(a.mid()) + float(b.mid())) / 2 for a, b in s]) for k, s in slopes.items()}
    known = [k for k in values if np.all(np.isfinite(middle[k])) and np.any(middle[k])]
    if not known or not np.all(np.isfinite(middle[0])):
        return
    found = _least_squares(
        np.array([middle[k] for k in known]).T, middle[0], [k <= inequalities for k in known]
    )
    weights = {k: arb(-m) for k, m in zip(known, found, strict=True) if m and abs(m) < LARGEST}
    if weights:
        yield {0: ONE} | weights


def _least_squares(matrix: Floats, right: Floats, signed: list[bool]) -> list[float]:
    if matrix.shape[1] == 1:
        column = matrix[:, 0]
        value = float(column @ right / (column @ column))
        return [max(value, 0.0) if signed[0] else value]
    from scipy.optimize import nnls

    # An equation's multiple has either sign: its column is given twice.
    both = np.concatenate([matrix, -matrix[:, [not s for s in signed]]], axis=1)
    try:
        parts = nnls(both, right)[0]
    except (RuntimeError, ValueError):
        return [0.0] * matrix.shape[1]
    minus = iter(parts[matrix.shape[1] :])
    return [float(x) if s else float(x - next(minus)) for x, s in zip(parts, signed, strict=False)]
