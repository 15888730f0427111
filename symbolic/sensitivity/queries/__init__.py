"""Queries whose sensitivity follows from their structure: pass one to `noiseproof.sensitivity` or a DatasetQuery.

>>> npf.sensitivity(npf.queries.median(), npf.Box(0, 50), norm="l1", n=9).exact
50
"""

from .clipped import clipped_mean, clipped_sum
from .counts import count, histogram
from .gaps import gap_sums
from .gradients import clipped_gradient
from .gram import gram
from .grouped import grouped_sums
from .grouped_vectors import grouped_vectors
from .leaders import argmax, top_k
from .order import median, order_statistic, quantile, trimmed_mean
from .projections import projection_onto_leading, projection_onto_span
from .risk import risk_minimiser
from .spread import covariance, standard_deviation, variance

__all__ = [
    "argmax",
    "clipped_gradient",
    "clipped_mean",
    "clipped_sum",
    "count",
    "covariance",
    "gap_sums",
    "gram",
    "grouped_sums",
    "grouped_vectors",
    "histogram",
    "median",
    "order_statistic",
    "projection_onto_leading",
    "projection_onto_span",
    "quantile",
    "risk_minimiser",
    "standard_deviation",
    "top_k",
    "trimmed_mean",
    "variance",
]
