"""How utility changes with lambda or epsilon, as one slope with an interval that need not have the same spread everywhere.

Repeats scatter most where the noise is large, so that the textbook interval of a regression would be wrong: statsmodels gives the
covariance HC3 (MacKinnon and White 1985) and Huber's fit, which a few wild repeats do not turn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ....symbolic.arrays import Floats
from .result import ResultTable

LEVEL = 0.95
COLUMNS = ("curve", "change per factor of 10", "± s.e. (HC3)", "95 % from", "to", "Huber's fit")


@dataclass(frozen=True)
class Slope:
    """The change of a score per factor of 10 of what is varied: least squares, its HC3 error and interval, and Huber's fit."""

    value: float
    error: float
    low: float
    high: float
    huber: float


def slope(levels: Sequence[float], scores: Floats) -> Slope | None:
    """The slope of `scores` (points, repeats) against log10 of `levels` (points,); None where there are too few to have one.

    Repeats are independent of each other and missing ones (NaN) left out.  ValueError for levels that are not positive.
    """
    if min(levels, default=0.0) <= 0:
        raise ValueError(f"levels must be positive numbers, got {list(levels)}")
    x = np.repeat(np.log10(levels), scores.shape[1])
    y = scores.ravel()
    there = np.isfinite(y)
    x, y = x[there], y[there]
    # A level with one repeat has the leverage 1, of which HC3 knows no spread.
    if len(np.unique(x)) < 2 or len(y) < 4 or np.unique(x, return_counts=True)[1].min() < 2:
        return None
    import statsmodels.api as sm

    design = sm.add_constant(x)
    found = sm.OLS(y, design).fit(cov_type="HC3", use_t=True)
    low, high = found.conf_int(1 - LEVEL)[1]
    return Slope(
        float(found.params[1]),
        float(found.bse[1]),
        float(low),
        float(high),
        _huber(design, y, found.params[1]),
    )


def slope_table(caption: str, levels: Sequence[float], curves: Mapping[str, Floats]) -> ResultTable | None:
    """A row for each named curve (points, repeats); None where none has a slope."""
    found = {name: slope(levels, scores) for name, scores in curves.items()}
    rows = tuple(
        (name, s.value, s.error, s.low, s.high, s.huber) for name, s in found.items() if s is not None
    )
    return ResultTable(caption, COLUMNS, rows) if rows else None


def _huber(design: Floats, y: Floats, usual: float) -> float:
    """Huber's slope; that of least squares where more than half of the residuals are zero, so that they have no scale."""
    import statsmodels.api as sm

    start = np.linalg.lstsq(design, y, rcond=None)[0]
    left = np.abs(y - design @ start)
    if np.median(left) <= 1e-12 * (1 + np.abs(y).max()):
        return float(usual)
    return float(sm.RLM(y, design, M=sm.robust.norms.HuberT()).fit().params[1])
