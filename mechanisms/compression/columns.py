"""Tables whose columns all have squared length n (Zhou, Ligett, Wasserman 2009, equation 4)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ...symbolic.arrays import Floats
from ..learning.training_set import finite_matrix


def normalised_columns(table: ArrayLike) -> Floats:
    """The table (n, p) with each column multiplied so that its squares add up to n; ValueError names a zero column.

    The factors depend on the data: a record that changes moves a whole column.  Normalised tables of neighbours
    therefore differ in all rows, and the paper's analysis starts after this step.
    """
    x = finite_matrix("table", table)
    return np.asarray(x * scale_factors((x**2).sum(axis=0), len(x)))


def scale_factors(squares: Floats, n: int) -> Floats:
    """sqrt(n / sum of squares) for each column; ValueError names a zero column."""
    zero = np.flatnonzero(squares <= 0)
    if zero.size:
        raise ValueError(f"column {zero[0]} is zero everywhere: it cannot be normalised; drop it")
    return np.asarray(np.sqrt(n / squares))


def second_moments(table: ArrayLike) -> Floats:
    """Sigma = X'X/n of a table (n, p)."""
    x = finite_matrix("table", table)
    return np.asarray(x.T @ x / len(x))
