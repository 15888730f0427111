"""Which data sets a query's noise was scaled for: how many records, and where each of them lies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy as sp

from ..symbolic.arrays import Floats
from ..symbolic.domains.adjacency import Adjacency, Person
from ..symbolic.domains.discrete import Categorical
from ..symbolic.domains.domain import Domain
from ..symbolic.sensitivity.query_over import DatasetQuery
from ..symbolic.sensitivity.regions import Region, described, region_of

_SLACK = 1e-9  # floats near a rounded end are on it


def check_size(query: DatasetQuery, adjacency: str | Adjacency, count: int) -> None:
    """ValueError for a data set of another size than the n that the sensitivity was proved for."""
    n = query.n if query.each is not None or query.stated is None else len(query.stated.records)
    if n is None or (isinstance(adjacency, Person) and adjacency.most is None):
        return
    more = (adjacency.most or 0) if isinstance(adjacency, Person) else int(adjacency == "add-or-remove")
    if not n <= count <= n + more:
        expected = str(n) if more == 0 else f"{n} to {n + more}"
        raise ValueError(
            f"expected {expected} records, for which the noise is scaled, got {count}: state the query with n={count}"
        )


def check_inside(query: DatasetQuery, records: Sequence[Any]) -> None:
    """ValueError for a record outside of the domain, up to a relative 1e-9: the noise would not hide it."""
    domain = query.domain
    named = query.stated is None and isinstance(domain, Categorical)
    if named or any(isinstance(r, str | dict) for r in records):
        bad = next((r for r in records if isinstance(domain, Domain) and not domain.contains(r)), None)
    else:
        bad = _first_outside(domain, np.array([np.atleast_1d(r) for r in records], dtype=float), records)
    if bad is not None:
        raise ValueError(
            f"the record {bad!r} lies outside of the domain, {described(domain)}: clip the records to it before, or state a "
            "larger domain"
        )


def _first_outside(domain: Any, rows: Floats, records: Sequence[Any]) -> Any:
    if not len(rows):
        return None
    symbols = [sp.Dummy(f"x{k}", real=True) for k in range(rows.shape[1])]
    outside = _outside(region_of(domain, symbols), symbols, rows)
    return records[int(np.argmax(outside))] if outside.any() else None


def _outside(region: Region, symbols: list[sp.Symbol], rows: Floats) -> Any:
    """Which rows break an end, a choice or a constraint of the region."""
    found = np.zeros(len(rows), dtype=bool)
    for s, column in zip(symbols, rows.T, strict=True):
        if s in region.intervals:
            low, high = (float(e) for e in region.intervals[s])
            slack = _SLACK * np.maximum(1.0, np.abs(column))
            found |= (column < low - slack) | (column > high + slack)
        if s in region.choices:
            found |= ~np.isin(column, [float(v) for v in region.choices[s]])
    scale = _SLACK * np.maximum(1.0, (rows**2).sum(axis=1))
    links = [s - e for s, e in region.expressed.items()]
    for g in (*region.at_most_zero, *region.zero, *links):
        value = sp.lambdify(symbols, g, "numpy")(*rows.T)
        found |= (np.abs(value) if g not in region.at_most_zero else value) > scale
    return found
