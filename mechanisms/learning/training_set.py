"""A labelled data set that a classifier can be trained on: checked once, before any work."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ...symbolic.arrays import Floats
from ...symbolic.errors import counted


@dataclass(frozen=True, eq=False)
class TrainingSet:
    """`features` (q, p) and `labels` (q,) in {-1, +1}; both classes occur, and no column is constant."""

    features: Floats
    labels: Floats

    @classmethod
    def of(cls, features: ArrayLike, labels: ArrayLike) -> TrainingSet:
        """The checked set; ValueError for wrong shapes, NaN, constant columns, other labels, one class only."""
        x = finite_matrix("features", features)
        y = as_floats("labels", labels)
        if y.shape != (len(x),):
            raise ValueError(
                f"labels must have one entry per record: {counted(len(x), 'record')}, labels of shape {y.shape}"
            )
        strange = np.unique(y[~np.isin(y, (-1.0, 1.0))])
        if strange.size:
            shown = ", ".join(f"{v:g}" for v in strange[:5])
            hint = "; for labels 0 and 1 pass 2*y - 1" if set(np.unique(y)) <= {0.0, 1.0} else ""
            raise ValueError(f"labels must be -1 or +1, got {shown}{hint}")
        if np.all(y == y[0]):
            raise ValueError(
                f"all {counted(len(y), 'label')} are {y[0]:+g}: a classifier needs records of both classes"
            )
        refuse_constant_columns(x)
        return cls(x, y)

    @property
    def size(self) -> int:
        """q, the number of records."""
        return len(self.features)

    @property
    def dimension(self) -> int:
        """p, the number of features."""
        return int(self.features.shape[1])


def as_floats(name: str, values: ArrayLike) -> Floats:
    """`values` as floats, or a ValueError that names what is not a number."""
    try:
        return np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise ValueError(
            f"{name} must be numbers, got {np.asarray(values, dtype=object).dtype} entries: encode categories first"
        ) from None


def finite_matrix(name: str, values: ArrayLike) -> Floats:
    """`values` as a finite matrix (q, p) with q, p >= 1, or a ValueError that says where it is not."""
    x = as_floats(name, values)
    if x.ndim != 2 or not x.size:
        raise ValueError(f"{name} must be a matrix with one row per record, got shape {x.shape}")
    finite = np.isfinite(x)
    if not finite.all():
        bad = np.argwhere(~finite)
        row, column = bad[0]
        raise ValueError(
            f"{name} must be finite: NaN or infinity in {counted(len(bad), 'entry')}, first in record {row}, column {column}"
        )
    return x


def refuse_constant_columns(x: Floats) -> None:
    """ValueError if a column of x (q, p) has one value only: it says nothing beside the intercept."""
    constant = np.flatnonzero(np.ptp(x, axis=0) == 0)
    if constant.size:
        shown = ", ".join(str(c) for c in constant[:10])
        raise ValueError(
            f"{constant.size} columns are constant (column {shown}): drop them, the offset covers them"
        )
