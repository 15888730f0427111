"""Releases of diffprivlib 0.6.6, epsilon = 1, one outcome per call: python diffprivlib_releases.py NAME.

Version 0.6.6 does not import beside the newest scikit-learn; with 1.5.2 it does.
"""

from __future__ import annotations

import math
import warnings
from typing import Any

from serving import require, serve

require("diffprivlib", "0.6.6")
require("scikit-learn", "1.5.2")

from diffprivlib import mechanisms, tools  # noqa: E402

warnings.simplefilter("ignore")  # of privacy leaks by bounds that are not given: they are given
E, BOUNDS = 1.0, (0.0, 1.0)


def with_nan(data: list[float | None]) -> list[float]:
    """JSON has no NaN: None stands for it."""
    return [math.nan if x is None else x for x in data]


def chosen(kind: Any) -> Any:
    """A choice among three candidates whose scores are the input."""
    return lambda scores: kind(epsilon=E, sensitivity=1, utility=list(scores)).randomise()


common: dict[str, Any] = {"epsilon": E, "sensitivity": 1}
serve(
    {
        "laplace": mechanisms.Laplace(**common).randomise,
        "laplace-bounded-domain": mechanisms.LaplaceBoundedDomain(**common, lower=0, upper=1).randomise,
        "laplace-bounded-noise": mechanisms.LaplaceBoundedNoise(**common, delta=0.1).randomise,
        "geometric": mechanisms.Geometric(**common).randomise,
        "gaussian-analytic": mechanisms.GaussianAnalytic(**common, delta=0.01).randomise,
        "gaussian-discrete": mechanisms.GaussianDiscrete(**common, delta=0.01).randomise,
        "staircase": mechanisms.Staircase(**common).randomise,
        "snapping": mechanisms.Snapping(**common, lower=-4, upper=5).randomise,
        "binary": mechanisms.Binary(epsilon=E, value0="no", value1="yes").randomise,
        "exponential": chosen(mechanisms.Exponential),
        "permute-and-flip": chosen(mechanisms.PermuteAndFlip),
        "mean": lambda data: float(tools.mean(data, epsilon=E, bounds=BOUNDS)),
        "sum": lambda data: float(tools.sum(data, epsilon=E, bounds=BOUNDS)),
        "variance": lambda data: float(tools.var(data, epsilon=E, bounds=BOUNDS)),
        "median": lambda data: float(tools.median(data, epsilon=E, bounds=BOUNDS)),
        "count": lambda data: int(tools.count_nonzero(data, epsilon=E)),
        "histogram": lambda data: tools.histogram(data, epsilon=E, bins=3, range=BOUNDS)[0].tolist(),
        "nanmean": lambda data: float(tools.nanmean(with_nan(data), epsilon=E, bounds=BOUNDS)),
        "nanvar": lambda data: float(tools.nanvar(with_nan(data), epsilon=E, bounds=BOUNDS)),
    }
)
