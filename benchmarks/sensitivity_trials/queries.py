"""The forty queries, in the order of the tables that are printed of them."""

from __future__ import annotations

from sensitivity_trials.formulas import ELEMENTARY, INFINITE, POLYNOMIAL_AND_RATIONAL, STATISTICS
from sensitivity_trials.minimisers import MINIMISERS
from sensitivity_trials.query import Query
from sensitivity_trials.structures import COUNTS_AND_ORDERS, GRADIENTS_AND_MATRICES

QUERIES: tuple[Query, ...] = (
    POLYNOMIAL_AND_RATIONAL
    + ELEMENTARY
    + STATISTICS
    + COUNTS_AND_ORDERS
    + GRADIENTS_AND_MATRICES
    + INFINITE
    + MINIMISERS
)
