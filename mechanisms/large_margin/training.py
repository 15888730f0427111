"""Labelled records of several classes, checked before any work."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...symbolic.arrays import Floats, Ints
from ...symbolic.errors import counted
from ..learning.training_set import finite_matrix


def labelled(
    features: ArrayLike, labels: ArrayLike, classes: ArrayLike | None = None
) -> tuple[Floats, Ints, NDArray[Any]]:
    """Records (n, d), numbers of their classes (n,), and the classes; ValueError says what is wrong.

    Without `classes` they are read off the labels, which is no private operation.
    """
    if np.iscomplexobj(features):
        raise ValueError("features must be real numbers, got complex ones. Complex data not supported")
    x = finite_matrix("features", features)
    y = np.asarray(labels)
    if y.shape != (len(x),):
        raise ValueError(
            f"labels must have one entry per record: {counted(len(x), 'record')}, labels of shape {y.shape}"
        )
    known = _distinct(y if classes is None else np.asarray(classes))
    if (y.dtype.kind in "biuf") != (known.dtype.kind in "biuf"):
        raise ValueError(
            f"labels of type {y.dtype} cannot be among classes of type {known.dtype}: write both in one way"
        )
    if len(known) < 2:
        raise ValueError(f"a classifier needs at least two classes, got {len(known)}: {known.tolist()}")
    number = np.searchsorted(known, y).clip(0, len(known) - 1)
    strange = np.flatnonzero(known[number] != y)
    if strange.size:
        raise ValueError(
            f"record {strange[0]} has the label {y[strange[0]]!r}, which is none of the declared classes {known.tolist()}"
        )
    return x, number, known


def _distinct(values: NDArray[Any]) -> NDArray[Any]:
    """The different labels in order; ValueError for NaN and for labels that cannot be ordered."""
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        raise ValueError("labels and classes must be finite: some are NaN or infinite")
    try:
        return np.unique(values)
    except TypeError:
        raise ValueError(
            "labels must all be numbers or all be strings, got a mixture, or missing values"
        ) from None


def in_unit_ball(x: Floats) -> Floats:
    """The records, those longer than 1 by rounding shortened; ValueError names the first that is longer than that."""
    lengths = np.linalg.norm(x, axis=1)
    long = np.flatnonzero(lengths > 1 + 1e-12)
    if long.size:
        raise ValueError(
            f"record {long[0]} has length {lengths[long[0]]:.6g}, more than 1: the privacy analysis needs records in the unit "
            "ball; divide all records by a public bound on their length, or clip them"
        )
    return np.asarray(x / np.maximum(lengths, 1.0)[:, None])
