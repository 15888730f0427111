"""Estimates without negative counts: projections that use released values only and keep the total."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import numpy as np

from ...symbolic.arrays import Floats
from .anova import parts, put_together
from .marginal_space import Marginal, MarginalSpace, subsets

_STEPS = 200


def with_total(table: Floats, total: float) -> Floats:
    """The nearest table with entries >= 0 that add up to the total (>= 0): one number is taken from all, and negative ones become 0.

    The Euclidean projection on a simplex (Held, Wolfe and Crowder 1974).
    """
    flat = np.asarray(table, dtype=float).ravel()
    if total <= 0:
        return np.zeros_like(np.asarray(table, dtype=float))
    sorted_ = np.sort(flat)[::-1]
    excess = (np.cumsum(sorted_) - total) / np.arange(1, flat.size + 1)
    level = excess[np.flatnonzero(sorted_ > excess)[-1]]
    return np.asarray(np.maximum(flat - level, 0.0).reshape(np.shape(table)))


def joint_table(
    space: MarginalSpace,
    components: Mapping[Marginal, Floats],
    weights: Mapping[Marginal, Fraction],
    columns: Marginal,
) -> Floats:
    """A table of all columns >= 0 with the estimated total whose marginals are near the estimate in the weights of the measurements.

    200 steps of the alternating direction method of multipliers from the least-squares table; the linear step is solved component
    by component.  Its marginals are not negative and agree with each other exactly.
    """
    start = put_together(space, components, columns)
    total = float(components.get((), np.zeros(())))
    curvature = _curvatures(space, weights, columns)
    push = float(np.exp(np.mean(np.log([c for c in curvature.values() if c > 0]))))
    table, dual = with_total(start, total), np.zeros_like(start)
    for _ in range(_STEPS):
        away = start - (table - dual)
        moved = parts(away, columns, curvature)
        scaled = {s: moved[s] * (c / (c + push)) for s, c in curvature.items()}
        near = (table - dual) + put_together(space, scaled, columns)
        table = with_total(near + dual, total)
        dual = dual + near - table
    return table


def _curvatures(
    space: MarginalSpace, weights: Mapping[Marginal, Fraction], columns: Marginal
) -> dict[Marginal, float]:
    """The eigenvalue of the weighted squares on each component of the joint table that is measured."""
    cells = space.cells(columns)
    found = {}
    for s in subsets(columns):
        p = sum(float(w / space.cells(a)) for a, w in weights.items() if set(s) <= set(a))
        if p > 0 and space.freedom(s) > 0:
            found[s] = cells * p
    return found


def marginal_of(table: Floats, columns: Marginal, marginal: Marginal) -> Floats:
    """The sums of a table over the columns that the marginal lacks."""
    return np.asarray(table.sum(axis=tuple(i for i, name in enumerate(columns) if name not in marginal)))
