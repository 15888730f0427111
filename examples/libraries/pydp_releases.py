"""Releases of PyDP (python-dp 1.1.5), epsilon = 1, one outcome per call: python pydp_releases.py NAME."""

from __future__ import annotations

from typing import Any

from serving import require, serve

require("python-dp", "1.1.5")

from pydp.algorithms import laplacian, numerical_mechanisms  # noqa: E402


def of(kind: Any, **options: Any) -> Any:
    """A fresh algorithm for each outcome: its budget is for one result."""
    return lambda data: kind(epsilon=1.0, **options).quick_result(data)


between: dict[str, Any] = {"lower_bound": 0.0, "upper_bound": 1.0, "dtype": "float"}
serve(
    {
        "laplace": numerical_mechanisms.LaplaceMechanism(1.0, 1.0).add_noise,
        "gaussian": numerical_mechanisms.GaussianMechanism(1.0, 0.01, 1.0).add_noise,
        "sum": of(laplacian.BoundedSum, delta=0.0, **between),
        "integer-sum": of(laplacian.BoundedSum, delta=0.0, lower_bound=0, upper_bound=2, dtype="int"),
        "mean": of(laplacian.BoundedMean, delta=0.0, **between),
        "variance": of(laplacian.BoundedVariance, **between),
        "deviation": of(laplacian.BoundedStandardDeviation, **between),
        "count": of(laplacian.Count, dtype="float"),
        "max": of(laplacian.Max, **between),
        "median": of(laplacian.Median, **between),
        "percentile": of(
            laplacian.Percentile, percentile=0.25, lower_bound=0.0, upper_bound=1.0, dtype="float"
        ),
    }
)
