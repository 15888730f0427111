"""Labelled records of the public data sets of the experiments: read from a local file, encoded, scaled.

Categories become whole numbers in alphabetical order; missing numbers become the median of their column; columns with one
value are left out.  The range of each column serves as its declared bounds: these sets are public.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from ....symbolic.arrays import Floats
from ....symbolic.errors import SpecError
from ...record.table_file import DAMAGED, whole_table
from ...trial.spec.data import FOLDER_VARIABLE, NAMED
from .downloads import SOURCES, cache_folder, fetch

Scaling = Literal["raw", "standardised", "unit-box"]

# Answers that tell the interest rate only after the loan was priced, or that name it.
_AFTER_PRICING = (
    "installment",
    "balance",
    "paid_total",
    "paid_principal",
    "paid_interest",
    "paid_late_fees",
    "loan_status",
    "grade",
    "sub_grade",
)


@dataclass(frozen=True, eq=False)
class Records:
    """`features` (q, p) after scaling, `target` (q,), `widths` (p,) the range of each column after scaling."""

    name: str
    columns: tuple[str, ...]
    features: Floats
    target: Floats
    scaling: Scaling

    @property
    def widths(self) -> Floats:
        """max - min of each column (p,)."""
        return np.asarray(np.ptp(self.features, axis=0), dtype=float)

    def first(self, count: int | None) -> Records:
        """The first `count` records (None: all), for quick runs."""
        if count is None or count >= len(self.target):
            return self
        return Records(self.name, self.columns, self.features[:count], self.target[:count], self.scaling)


def breast_cancer(scaling: Scaling = "raw") -> Records:
    """Breast Cancer Wisconsin (Diagnostic), 569 x 30, shipped with scikit-learn; benign is +1."""
    from sklearn.datasets import load_breast_cancer

    bunch = load_breast_cancer()
    target = np.where(bunch.target == 1, 1.0, -1.0)
    return _records(
        "breast_cancer",
        {str(c): v for c, v in zip(bunch.feature_names, bunch.data.T, strict=True)},
        target,
        scaling,
    )


def digits() -> Records:
    """Handwritten digits, 1,797 x 64 grey levels 0 to 16, shipped with scikit-learn; the target is the digit."""
    from sklearn.datasets import load_digits

    bunch = load_digits()
    names = (str(name) for name in bunch.feature_names)
    table = dict(zip(names, bunch.data.T, strict=True))
    return _records("digits", table, bunch.target.astype(float), "raw")


def diabetes() -> Records:
    """Disease progression of 442 patients, 10 standardised columns, shipped with scikit-learn; the target is the progression."""
    from sklearn.datasets import load_diabetes

    bunch = load_diabetes()
    table = dict(zip(map(str, bunch.feature_names), bunch.data.T, strict=True))
    return _records("diabetes", table, bunch.target.astype(float), "standardised")


def adult(scaling: Scaling = "standardised", source: Path | None = None, download: bool = False) -> Records:
    """UCI Adult, 48,842 x 14, training and test parts together; income above 50,000 is +1."""
    table = _table("adult", source, download)
    label = np.array([str(v).strip().rstrip(".") for v in _column(table, "income")])
    kept = {name: column for name, column in table.items() if name not in ("income", "split")}
    return _records("adult", kept, np.where(label == ">50K", 1.0, -1.0), scaling)


def lending_club(
    scaling: Scaling = "standardised", source: Path | None = None, download: bool = False, grades: bool = True
) -> Records:
    """Loans of Lending Club, 10,000 of them; the target is the interest rate less its mean (the model has no intercept).

    `grades=False` leaves out grade and sub-grade, from which the rate is all but read off; payments made after the loan
    was priced are always left out.
    """
    table = _table("lending_club", source, download)
    target = np.asarray(_column(table, "interest_rate"), dtype=float)
    dropped = {"interest_rate", *_AFTER_PRICING} - ({"grade", "sub_grade"} if grades else set())
    kept = {name: column for name, column in table.items() if name not in dropped}
    return _records("lending_club", kept, target - target.mean(), scaling)


def encoded(column: NDArray[Any]) -> Floats:
    """Numbers with the median for what is missing; anything else as whole numbers in alphabetical order."""
    if column.dtype.kind in "fiub":
        values = column.astype(float)
        known = np.isfinite(values)
        return np.where(known, values, np.median(values[known]) if known.any() else 0.0)
    return np.unique([str(v).strip() for v in column], return_inverse=True)[1].astype(float)


def _records(name: str, table: dict[str, Any], target: Floats, scaling: Scaling) -> Records:
    if scaling not in get_args(Scaling):
        raise SpecError(f"scaling is one of {', '.join(get_args(Scaling))}, got {scaling!r}")
    columns = {c: encoded(np.asarray(v)) for c, v in table.items()}
    columns = {c: v for c, v in columns.items() if np.ptp(v) > 0}
    features = np.column_stack(list(columns.values()))
    if scaling == "standardised":
        features = (features - features.mean(axis=0)) / features.std(axis=0)
    elif scaling == "unit-box":
        features = (features - features.min(axis=0)) / np.ptp(features, axis=0)
    return Records(name, tuple(columns), features, target, scaling)


def _table(name: str, source: Path | None, download: bool) -> dict[str, NDArray[Any]]:
    path = _located(name, source, download)
    table = whole_table(path, "csv", lambda error: DAMAGED, null_values=["NA", ""], strings_can_be_null=False)
    return {c: np.asarray(table.column(c).to_numpy()) for c in table.column_names}


def _column(table: dict[str, NDArray[Any]], name: str) -> NDArray[Any]:
    if name not in table:
        raise SpecError(
            f"the file has no column {name!r}: expected {', '.join(list(table)[:6])}, ... with it"
        )
    return table[name]


def _located(name: str, source: Path | None, download: bool) -> Path:
    """The file of a named set: a file or folder given, the folder of the variable, or what was fetched before."""
    file, origin = NAMED[name]
    if source is not None:
        path = source / file if source.is_dir() else source
        if not path.is_file():
            raise SpecError(f"no such file: {path.name}", key="--data", file=str(source))
        return path
    folders = [Path(os.environ[FOLDER_VARIABLE])] if os.environ.get(FOLDER_VARIABLE) else []
    for folder in (*folders, cache_folder()):
        if (folder / file).is_file():
            return folder / file
    if download:
        return fetch(name, (*folders, cache_folder())[0] / file)
    raise SpecError(
        f"the set {name!r} is not here: give --data FILE, or set {FOLDER_VARIABLE} to a folder that holds {file} "
        f"({origin}), or fetch it from {SOURCES[name]} with --download",
        key="--data",
    )
