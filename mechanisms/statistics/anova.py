"""Tables taken apart into components and put together again: least squares for noisy marginals without a matrix."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction

import numpy as np

from ...symbolic.arrays import Floats
from .marginal_space import Marginal, MarginalSpace, subsets


def parts(table: Floats, marginal: Marginal, wanted: Iterable[Marginal]) -> dict[Marginal, Floats]:
    """For each wanted subset S of the columns: the table summed over the others and centred along each axis of S.

    `table` has one axis for each column. Each axis is taken once, so that the work is a small multiple of the cells.
    """
    asked = {frozenset(s) for s in wanted}
    found: dict[Marginal, Floats] = {}

    def taken(array: Floats, axis: int, kept: Marginal) -> None:
        if axis == len(marginal):
            found[kept] = array
            return
        rest = frozenset(marginal[axis + 1 :])
        here = len(kept)
        name = marginal[axis]
        if any(s - rest == frozenset(kept) for s in asked):
            taken(array.sum(axis=here), axis + 1, kept)
        if any(s - rest == frozenset((*kept, name)) for s in asked):
            taken(array - array.mean(axis=here, keepdims=True), axis + 1, (*kept, name))

    taken(np.asarray(table, dtype=float), 0, ())
    return {s: a for s, a in found.items() if frozenset(s) in asked}


def put_together(space: MarginalSpace, components: Mapping[Marginal, Floats], marginal: Marginal) -> Floats:
    """The marginal that has these components: each is spread evenly over the columns that it lacks."""
    table = np.zeros(space.shape(marginal))
    for s in subsets(marginal):
        if s in components:
            axes = tuple(i for i, name in enumerate(marginal) if name not in s)
            table += np.expand_dims(components[s], axes) * (space.cells(s) / space.cells(marginal))
    return table


def least_squares(
    space: MarginalSpace, measured: Mapping[Marginal, Floats], weights: Mapping[Marginal, Fraction]
) -> dict[Marginal, Floats]:
    """The components of the generalised least-squares estimate from noisy marginals with variances 1 / weight in each cell.

    Each measurement says of a component its own centred sums, with precision weight / cells: the estimate is their weighted mean.
    """
    precisions = space.precisions(weights)
    components: dict[Marginal, Floats] = {}
    for a, table in measured.items():
        wanted = [s for s in space.components if set(s) <= set(a)]
        for s, part in parts(table, a, wanted).items():
            share = float(weights[a] / space.cells(a) / precisions[s])
            components[s] = components.get(s, np.zeros(space.shape(s))) + share * part
    return components
