"""The two inputs on trial: given, or derived from a domain and an adjacency; checked to be neighbours."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from ..errors import SpecError
from .data import FloatArray, Table
from .models import NeighboursSpec

KEY = "neighbours"


def inputs_of(spec: NeighboursSpec, table: Table | None) -> tuple[Any, Any]:
    """The pair (x0, x1) that a `[neighbours]` table describes."""
    box = domain_of(spec, table)
    if spec.inputs is not None:
        pair = _plain(spec.inputs[0]), _plain(spec.inputs[1])
        check_neighbours(pair, spec.adjacency, box)
        return pair
    if spec.adjacency is None:
        raise SpecError(
            'expected `inputs = [x0, x1]`, or `adjacency` = "any-two", "replace-one" or "add-or-remove"',
            key=KEY,
        )
    if box is None:
        raise SpecError(
            "adjacency needs the set of possible records: give `domain = [lower, upper]` or [data]", key=KEY
        )
    low, high = box
    if spec.adjacency == "any-two":
        return low, high
    if table is not None and spec.records is not None:
        raise SpecError(
            f"the data set the number of records ({len(table.values)}); remove this key", key=f"{KEY}.records"
        )
    if table is None and spec.records is None:
        raise SpecError(f"{spec.adjacency} needs the number of records of a data set", key=f"{KEY}.records")
    base = table.values.copy() if table is not None else np.stack([low] * (spec.records or 1))
    if spec.adjacency == "add-or-remove":
        return base, np.concatenate([base, np.asarray(high)[None]])
    base[0] = low
    other = base.copy()
    other[0] = high
    return base, other


def domain_of(spec: NeighboursSpec | None, table: Table | None) -> tuple[Any, Any] | None:
    """(lower, upper) of one record: declared here, else the bounds of the data; floats or arrays (d,)."""
    if spec is None or spec.domain is None:
        return table.domain if table is not None else None
    low, high = (_plain(v) for v in spec.domain)
    if np.shape(low) != np.shape(high) or not np.all(np.asarray(low) < np.asarray(high)):
        raise SpecError(
            "expected [lower, upper] of equal length with lower < upper everywhere", key=f"{KEY}.domain"
        )
    return low, high


def check_neighbours(pair: tuple[Any, Any], adjacency: str | None, box: tuple[Any, Any] | None) -> None:
    """Raise SpecError if the two inputs are equal, outside the domain or not related by the adjacency."""
    one, two = pair
    key = f"{KEY}.inputs"
    if np.shape(one) == np.shape(two) and np.all(np.asarray(one) == np.asarray(two)):
        raise SpecError("the two inputs are equal: expected neighbours that differ", key=key)
    if box is not None:
        for i, x in enumerate(pair):
            _check_inside(x, box, f"{key}[{i}]")
    if adjacency == "replace-one":
        if np.ndim(one) == 0 or np.shape(one) != np.shape(two):
            raise SpecError(
                f"not neighbours: replace-one needs two data sets of the same size, got shapes "
                f"{np.shape(one)} and {np.shape(two)}",
                key=key,
            )
        changed = int(np.sum(np.any(_rows(one) != _rows(two), axis=1)))
        if changed != 1:
            raise SpecError(
                f"not neighbours: replace-one allows one differing record, got {changed}", key=key
            )
    if adjacency == "add-or-remove":
        less, more = sorted((Counter(map(bytes, _rows(x))) for x in pair), key=lambda c: c.total())
        if more.total() - less.total() != 1 or less - more:
            raise SpecError(
                "not neighbours: add-or-remove needs one data set to be the other plus one record", key=key
            )


def _rows(data: Any) -> FloatArray:
    array = np.asarray(data, dtype=float)
    return np.ascontiguousarray(array.reshape(array.shape[0] if array.ndim else 1, -1)) + 0.0


def _check_inside(x: Any, box: tuple[Any, Any], key: str) -> None:
    try:
        inside = bool(np.all((np.asarray(x) >= box[0]) & (np.asarray(x) <= box[1])))
    except (ValueError, TypeError):
        raise SpecError(
            f"an input of shape {np.shape(x)} does not fit records of shape {np.shape(box[0])}", key=key
        ) from None
    if not inside:
        raise SpecError("this input lies outside the declared domain: it is not a possible value", key=key)


def _plain(value: Any) -> Any:
    """Numbers stay numbers, rectangular lists of numbers become arrays, anything else stays as it is."""
    if isinstance(value, float) and not np.isfinite(value):
        raise SpecError("inputs must be finite numbers", key=KEY)
    if isinstance(value, list):
        try:
            array = np.array(value, dtype=float)
        except (ValueError, TypeError):
            return value
        if not np.all(np.isfinite(array)):
            raise SpecError("inputs must be finite numbers", key=KEY)
        return array
    return value
