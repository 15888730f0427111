"""A table of records with DECLARED public bounds per column; a bound is never read off the data.

A digest of a small private table can be inverted by trying candidates, so the digest is recorded for public
sources only and is None for files, unless the spec says `public = true`.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ....symbolic.errors import SpecError, counted, nearest_name
from ...record.table_file import DAMAGED, form_of, whole_table

FloatArray = NDArray[np.float64]
Bounds = tuple[float, float]

BUILT_IN = ("breast_cancer", "diabetes", "digits", "iris", "wine")
FOLDER_VARIABLE = "NOISEPROOF_DATA"
NAMED = {
    "adult": (
        "adult.csv.gz",
        "UCI Adult (48,842 x 16, train and test parts in one CSV with a header, last column `split`), "
        "from https://archive.ics.uci.edu/dataset/2/adult",
    ),
    "lending_club": (
        "lending_club_10k.csv.gz",
        "OpenIntro's loans_full_schema (10,000 loans) as CSV without the column emp_title, "
        "from https://www.openintro.org/data/",
    ),
}


@dataclass(frozen=True, eq=False)
class Dataset:
    """`values` has shape (n, d), each column inside its declared bounds `lower`, `upper` of shape (d,)."""

    name: str
    columns: tuple[str, ...]
    values: FloatArray
    lower: FloatArray
    upper: FloatArray
    label: NDArray[Any] | None = None
    label_name: str = ""
    digest: str | None = None
    clipped: tuple[str, ...] = ()
    scaled: bool = False

    @property
    def domain(self) -> tuple[FloatArray, FloatArray]:
        """The box of possible records, as declared."""
        return self.lower, self.upper

    def describe(self) -> str:
        """One sentence without any value of the table, and without the size of a private one."""
        d = self.values.shape[1]
        rows = f"{len(self.values)} records x " if self.digest is not None else ""
        scale = ", scaled to the unit box by the declared bounds" if self.scaled else ""
        return f"{self.name}: {rows}{d} columns with declared public bounds{scale}"


def load_table(
    source: str,
    *,
    bounds: Mapping[str, Bounds] | Bounds,
    columns: Sequence[str] | None = None,
    label: str | None = None,
    scale: Literal["none", "unit-box"] = "none",
    outside: Literal["error", "clip"] = "error",
    public: bool | None = None,
    folder: Path | None = None,
) -> Dataset:
    """The table named by `source`: "sklearn:NAME", "adult", "lending_club", or a CSV or Parquet file."""
    raw, label, is_public = _read(source, label, folder or Path())
    n = len(next(iter(raw.values()), ()))
    if n == 0 or not raw:
        raise SpecError(
            f"{source} holds no record: expected at least one row below the header", key="data.source"
        )
    if label is not None and label not in raw:
        raise SpecError(f"no column {label!r}; {nearest_name(label, raw)}", key="data.label")
    used = _columns(raw, columns, bounds, label)
    lower, upper = _bounds(used, bounds)
    values = np.column_stack([_numeric(name, raw[name]) for name in used])
    digest = (
        _digest(used, values, raw.get(label or "")) if (is_public if public is None else public) else None
    )
    values, clipped = _inside(used, values, lower, upper, outside)
    if scale == "unit-box":
        values = np.clip((values - lower) / (upper - lower), 0.0, 1.0)
        lower, upper = np.zeros(len(used)), np.ones(len(used))
    return Dataset(
        name=source if source.startswith("sklearn:") or source in NAMED else Path(source).name,
        columns=tuple(used),
        values=values,
        lower=lower,
        upper=upper,
        label=raw[label] if label else None,
        label_name=label or "",
        digest=digest,
        clipped=clipped,
        scaled=scale == "unit-box",
    )


def _read(source: str, label: str | None, folder: Path) -> tuple[dict[str, NDArray[Any]], str | None, bool]:
    """Columns by name, the label column and whether the source is public."""
    if source.startswith("sklearn:"):
        return _built_in(source.removeprefix("sklearn:")), label or "target", True
    if source in NAMED:
        return _file(_named_path(source)), label, True
    path = folder / Path(source).expanduser()
    if not path.is_file():
        known = [*(f"sklearn:{name}" for name in BUILT_IN), *NAMED]
        hint = (
            f"; {nearest_name(source, known)}, or a .csv, .csv.gz or .parquet file" if not path.suffix else ""
        )
        raise SpecError(f"no such file: {source} (looked for it beside the spec){hint}", key="data.source")
    return _file(path), label, False


def _built_in(name: str) -> dict[str, NDArray[Any]]:
    if name not in BUILT_IN:
        raise SpecError(f"no built-in set {name!r}; {nearest_name(name, BUILT_IN)}", key="data.source")
    import sklearn.datasets as sets

    # The scaled form of diabetes is centred by its own mean: its bounds would not be public.
    options = {"scaled": False} if name == "diabetes" else {}
    bunch = getattr(sets, f"load_{name}")(**options)
    table = {
        str(c): np.asarray(v, dtype=float) for c, v in zip(bunch.feature_names, bunch.data.T, strict=True)
    }
    return {**table, "target": np.asarray(bunch.target)}


def _named_path(name: str) -> Path:
    file, origin = NAMED[name]
    folder = os.environ.get(FOLDER_VARIABLE)
    path = Path(folder) / file if folder else None
    if path is None or not path.is_file():
        where = f"{FOLDER_VARIABLE} does not hold {file}" if folder else f"{FOLDER_VARIABLE} is not set"
        raise SpecError(
            f"the set {name!r} is read from the folder named by the variable {FOLDER_VARIABLE}, but {where}; "
            f"put {file} there: {origin}",
            key="data.source",
        )
    return path


def _file(path: Path) -> dict[str, NDArray[Any]]:
    form = form_of(path)
    if form is None:
        raise SpecError(f"expected a .csv, .csv.gz or .parquet file, got {path.name}", key="data.source")
    try:
        table = whole_table(path, form, _fault)
    except SpecError as error:
        raise error.within(key="data.source") from None
    names = list(table.column_names)
    twice = sorted({c for c in names if names.count(c) > 1})
    if twice:
        raise SpecError(f"{path.name} has several columns named {', '.join(twice)}", key="data.source")
    return {c: _array(table.column(c)) for c in names}


def _fault(error: BaseException) -> str:
    shape = re.search(r"Expected \d+ columns, got \d+|Empty CSV file", str(error))
    return shape.group(0) if shape else DAMAGED


def _array(column: Any) -> NDArray[Any]:
    import pyarrow as pa

    kind = column.type
    if pa.types.is_boolean(kind):
        column = column.cast(pa.int8())
    if pa.types.is_integer(column.type) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        column = column.cast(pa.float64(), safe=False)
    elif pa.types.is_null(kind):
        column = column.cast(pa.float64())
    return np.asarray(column.to_numpy())


def _columns(
    raw: Mapping[str, Any],
    columns: Sequence[str] | None,
    bounds: Mapping[str, Bounds] | Bounds,
    label: str | None,
) -> list[str]:
    features = [c for c in raw if c != label]
    for name in columns or ():
        if name not in raw:
            raise SpecError(f"no column {name!r}; {nearest_name(name, features)}", key="data.columns")
        if name == label:
            raise SpecError(f"{name!r} is the label and cannot be a column as well", key="data.columns")
    used = list(columns) if columns is not None else features
    if not used:
        raise SpecError("no column is left to release: name at least one", key="data.columns")
    if len(set(used)) < len(used):
        raise SpecError("a column is named twice", key="data.columns")
    if isinstance(bounds, Mapping):
        for name in bounds:
            if name not in used:
                raise SpecError(
                    f"no column {name!r} is released; {nearest_name(name, used)}", key="data.bounds"
                )
        missing = [c for c in used if c not in bounds]
        if missing:
            raise SpecError(
                f"no declared bounds for {counted(len(missing), 'column')}: {', '.join(missing[:8])}"
                f"{', ...' if len(missing) > 8 else ''}; declare a public range such as "
                f'"{missing[0]}" = [0, 1] or list only the released ones in data.columns',
                key="data.bounds",
            )
    return used


def _bounds(used: Sequence[str], bounds: Mapping[str, Bounds] | Bounds) -> tuple[FloatArray, FloatArray]:
    # Whole numbers of 2^63 and above are no numbers to numpy.
    pairs = [tuple(map(float, bounds[c] if isinstance(bounds, Mapping) else bounds)) for c in used]
    for name, (low, high) in zip(used, pairs, strict=True):
        if not (np.isfinite(low) and np.isfinite(high) and low < high and np.isfinite(high - low)):
            key = f'data.bounds."{name}"' if isinstance(bounds, Mapping) else "data.bounds"
            raise SpecError(
                f"expected finite [lower, upper] of finite width with lower < upper, got [{low:g}, {high:g}]",
                key=key,
            )
    return np.array([p[0] for p in pairs], dtype=float), np.array([p[1] for p in pairs], dtype=float)


def _numeric(name: str, column: NDArray[Any]) -> FloatArray:
    if column.dtype.kind not in "fiub":
        raise SpecError(
            f"column {name!r} is not numeric ({column.dtype}); encode it as numbers, or leave it out by "
            "listing the released ones in data.columns",
            key="data.columns",
        )
    values = column.astype(np.float64)
    bad = int(np.count_nonzero(~np.isfinite(values)))
    if bad:
        raise SpecError(
            f"column {name!r}: {bad} of {values.size} rows are missing, NaN or infinite; fill or remove them",
            key="data.columns",
        )
    return values


def _inside(
    used: Sequence[str], values: FloatArray, lower: FloatArray, upper: FloatArray, outside: str
) -> tuple[FloatArray, tuple[str, ...]]:
    counts = np.count_nonzero((values < lower) | (values > upper), axis=0)
    clipped = tuple(name for name, count in zip(used, counts, strict=True) if count)
    if not clipped or outside == "clip":
        return np.clip(values, lower, upper), clipped
    j = int(np.flatnonzero(counts)[0])
    more = f" (and {len(clipped) - 1} more columns)" if len(clipped) > 1 else ""
    raise SpecError(
        f"{counts[j]} of {len(values)} rows lie outside the declared [{lower[j]:g}, {upper[j]:g}]{more}; "
        'declare the true public range, or set data.outside = "clip"',
        key=f'data.bounds."{used[j]}"',
    )


def _digest(used: Sequence[str], values: FloatArray, label: NDArray[Any] | None) -> str:
    """sha256 of the column names, the shape, the values as little-endian doubles and the labels as text."""
    h = hashlib.sha256(json.dumps([list(used), list(values.shape)], ensure_ascii=True).encode())
    h.update(np.ascontiguousarray(values, dtype="<f8").tobytes())
    if label is not None:
        h.update(json.dumps([str(v) for v in label.tolist()], ensure_ascii=True).encode())
    return f"sha256:{h.hexdigest()}"
