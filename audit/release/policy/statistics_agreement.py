"""What statistics demand of the columns that they name, of their own keys, and of each other."""

from __future__ import annotations

import math
import unicodedata
from fractions import Fraction

from ....mechanisms.whole_noise.cuts import FINEST
from ....symbolic.errors import SpecError, nearest_name
from .clip_agreement import check_clips
from .derived import check_derived, derived_columns
from .models import ColumnModel, PolicyModel
from .range_agreement import check_ranges
from .statistic_models import FIXED, GROUP, QUANTILE_BINS, Between, StatisticModel

_OF_NUMBER = ("sum", "mean", "variance", "quantiles", "histogram", "ranges", "regression")
_BANDED = ("histogram", "ranges")
_OF_CATEGORY = ("distinct", "top", "undeclared")
# The keys that belong to some measures alone.
_ONLY = {
    "columns": ("marginals", "regression"),
    "ways": ("marginals",),
    "quantiles": ("quantiles",),
    "edges": _BANDED,
    "bins": (*_BANDED, "quantiles"),
    "ranges": ("ranges",),
    "top": ("top",),
    "clip": ("sum", "mean"),
    "column": (*_OF_NUMBER, *_OF_CATEGORY),
}
_NEEDED = {"marginals": "columns", "regression": "columns", "quantiles": "quantiles", "top": "top"}
_NO_TARGET = ("variance", "quantiles", "marginals", "ranges", "regression")
_FARTHEST, _NEAREST, _LEAST_WEIGHT = 1e60, 1e-60, 1e-9
_FINEST_PART = 2.0**30  # of the size of the ends: a number has its steps between them
_MOST_GROUPS = 1000  # of a person, each with noise of its own in the trial of a draw
_FINEST = 1000  # the largest denominator of a quantile


def check_statistics(policy: PolicyModel) -> None:
    """Raises SpecError, with the key, for the first statistic that cannot be meant."""
    if policy.mechanism.kind != "statistics":
        for name in ("statistics", "derived"):
            if getattr(policy, name):
                raise SpecError('only with mechanism.kind = "statistics"', key=name)
        for i, column in enumerate(policy.columns):
            for name in ("missing", "undeclared"):
                if getattr(column, name) == "skip" or (
                    name == "undeclared" and column.undeclared != "refuse"
                ):
                    raise SpecError('only with mechanism.kind = "statistics"', key=f"columns[{i}].{name}")
        return
    if not policy.statistics:
        raise SpecError(
            'there is nothing to publish: expected at least one [[statistics]], such as name = "people", measure = "count"',
            key="statistics",
        )
    check_derived(policy)
    names: dict[str, int] = {}
    for i, one in enumerate(policy.statistics):
        key = f"statistics[{i}]"
        if one.name in names:
            raise SpecError(
                f"{one.name!r} is the name of statistics[{names[one.name]}] as well", key=f"{key}.name"
            )
        names[one.name] = i
        if not one.name.isprintable():
            raise SpecError("the name holds control characters", key=f"{key}.name")
        _check(policy, one, key)
        if not _LEAST_WEIGHT <= one.weight <= 1 / _LEAST_WEIGHT:
            raise SpecError(
                f"expected {_LEAST_WEIGHT:g} to {1 / _LEAST_WEIGHT:g}, got {one.weight:g}: only ratios of weights matter",
                key=f"{key}.weight",
            )
    check_clips(policy)
    _check_rows(policy)
    for i, column in enumerate(policy.columns):
        _check_column(policy, column, f"columns[{i}]")
    for i, derived in enumerate(policy.derived):
        check_ends(float(derived.low), float(derived.high), f"derived[{i}].high")


def _check_rows(policy: PolicyModel) -> None:
    if not policy.table.rows_public:
        return
    if policy.mechanism.kind == "statistics" and policy.mechanism.adjacency == "add-or-remove":
        raise SpecError(
            "with add-or-remove the number of rows is private: set it to false, or take replace-one",
            key="table.rows_public",
        )
    if policy.table.unit_of_privacy == "person":
        raise SpecError(
            "who takes the place of a person may have more rows or fewer, so that their number tells of a person: set it to false",
            key="table.rows_public",
        )


def _check_column(policy: PolicyModel, column: ColumnModel, key: str) -> None:
    if column.role == "drop":
        return
    if column.name.removesuffix(GROUP) in FIXED and column.name.endswith(GROUP):
        raise SpecError(
            f"that is how the groups of a column {column.name.removesuffix(GROUP)!r} are published: rename it",
            key=f"{key}.name",
        )
    if column.role != "private":
        raise SpecError(
            'statistics have no row for each record: expected role = "private" or "drop"', key=f"{key}.role"
        )
    if "missing" not in column.model_fields_set:
        raise SpecError(
            'this key is missing: what becomes of a record without a value, "refuse", "skip", or { value = ... }',
            key=f"{key}.missing",
        )
    if column.categories is None:
        if column.undeclared != "refuse":
            raise SpecError(
                "numbers are clipped to low and high, none is undeclared: leave it out",
                key=f"{key}.undeclared",
            )
        low, high = float(column.low or 0), float(column.high or 0)
        check_ends(low, high, f"{key}.high", whole=column.kind == "integer")
        return
    _check_alike(column, key)
    if not isinstance(column.undeclared, str):
        value = str(column.undeclared.value)
        if value not in {str(c) for c in column.categories}:
            raise SpecError(
                f"expected one of the declared categories, got {value!r}; {nearest_name(value, map(str, column.categories))}",
                key=f"{key}.undeclared.value",
            )


def check_ends(low: float, high: float, key: str, *, whole: bool = False) -> None:
    """Raises SpecError for declared ends whose sums and squares leave the range of doubles, or between which hardly any lie."""
    size, apart = max(abs(low), abs(high)), high - low
    if size > _FARTHEST or apart < _NEAREST:
        raise SpecError(
            f"expected ends of at most {_FARTHEST:g} in size and {_NEAREST:g} apart at least, got {low:g} and {high:g}: take another unit",
            key=key,
        )
    if not whole and apart < size / _FINEST_PART:
        raise SpecError(
            f"{low!r} and {high!r} are too near each other for their size: measure from another origin",
            key=key,
        )


def _check_alike(column: ColumnModel, key: str) -> None:
    """Raises SpecError for categories that no reader tells apart: records of one would count in the other."""
    known: dict[str, str] = {}
    for text in map(str, column.categories or ()):
        plain = unicodedata.normalize("NFC", text).strip()
        if plain in known:
            raise SpecError(
                f"{known[plain]!r} and {text!r} look alike: declare one of them, and write it one way in the table",
                key=f"{key}.categories",
            )
        known[plain] = text


def _check(policy: PolicyModel, one: StatisticModel, key: str) -> None:
    for name, measures in _ONLY.items():
        if getattr(one, name) is not None and one.measure not in measures:
            raise SpecError(
                f"belongs to {' and '.join(measures)}, this is a {one.measure}: leave it out",
                key=f"{key}.{name}",
            )
    needed = _NEEDED.get(one.measure)
    if needed is not None and getattr(one, needed) is None:
        raise SpecError(f"this key is missing: {one.measure} needs it", key=f"{key}.{needed}")
    if one.measure in (*_OF_NUMBER, *_OF_CATEGORY):
        if one.column is None:
            raise SpecError(f"this key is missing: the column of the {one.measure}", key=f"{key}.column")
        _column(policy, one.column, f"{key}.column", number=one.measure in _OF_NUMBER)
    for i, name in enumerate(one.by):
        _column(policy, name, f"{key}.by[{i}]", number=False)
    if len(set(one.by)) < len(one.by):
        raise SpecError("a column stands twice", key=f"{key}.by")
    if one.measure in _OF_CATEGORY and one.column in one.by:
        raise SpecError("the groups and the column are the same: take another", key=f"{key}.by")
    _check_left_out(policy, one, key)
    _check_where(policy, one, key)
    _check_histogram(policy, one, key)
    if one.measure == "ranges":
        column = _column(policy, one.column or "", f"{key}.column", number=True)
        check_ranges(one, float(column.low or 0), float(column.high or 0), key)
    _check_quantiles(one, key)
    _check_marginals(policy, one, key)
    _check_regression(policy, one, key)
    if one.error is not None and one.measure in _NO_TARGET:
        raise SpecError(
            f"no target is kept for {one.measure}: raise its weight, or set a target for another statistic",
            key=f"{key}.error",
        )
    if one.error is not None and one.measure == "mean" and one.size is None:
        raise SpecError(
            "this key is missing: the error of a mean depends on the number of records of a group; declare one",
            key=f"{key}.size",
        )


def _check_left_out(policy: PolicyModel, one: StatisticModel, key: str) -> None:
    """Raises SpecError for persons that nothing tells apart, or for records that the policy does not leave out."""
    if one.measure == "persons" and policy.table.unit_of_privacy != "person":
        said = 'persons are counted where table.unit_of_privacy = "person", records by measure = "count"'
        raise SpecError(said, key=f"{key}.measure")
    if one.measure == "persons" and (policy.table.rows_per_person or 1) > _MOST_GROUPS:
        said = f"persons are counted in at most {_MOST_GROUPS:,} groups each: declare fewer"
        raise SpecError(said, key="table.rows_per_person")
    column = next((c for c in policy.columns if c.name == one.column), None)
    if one.measure == "undeclared" and column and "skip" not in (column.undeclared, column.missing):
        said = f'no record is left out for its {one.column!r}: set undeclared = "skip" (or missing) there'
        raise SpecError(said, key=f"{key}.column")


def _column(policy: PolicyModel, name: str, key: str, *, number: bool) -> ColumnModel:
    """The declared private column of this name: a number, or a category."""
    columns = (*policy.columns, *derived_columns(policy))
    private = {c.name: c for c in columns if c.role == "private"}
    fits = {n: c for n, c in private.items() if (c.categories is None) is number}
    if name in fits:
        return fits[name]
    kind = "number" if number else "category"
    if name in private:
        groups = "" if number or ".by" not in key else ', or measure = "histogram" with its declared edges'
        raise SpecError(
            f"{name!r} is no {kind}{', so it has no declared groups' if groups else ''}; {nearest_name(name, fits)}{groups}",
            key=key,
        )
    raise SpecError(f"no private column {name!r}; {nearest_name(name, fits)}", key=key)


def _check_where(policy: PolicyModel, one: StatisticModel, key: str) -> None:
    for name, wanted in one.where.items():
        place = f"{key}.where.{name}"
        if isinstance(wanted, Between):
            _column(policy, name, place, number=True)
            if wanted.low is None and wanted.high is None:
                raise SpecError("expected low, high or both", key=place)
            if wanted.low is not None and wanted.high is not None and not wanted.low <= wanted.high:
                raise SpecError(f"expected low <= high, got {wanted.low} and {wanted.high}", key=place)
            continue
        column = _column(policy, name, place, number=False)
        declared = [str(c) for c in column.categories or ()]
        wrong = next((v for v in wanted if str(v) not in declared), None)
        if wrong is not None:
            raise SpecError(f"{wrong!r} is not declared; {nearest_name(str(wrong), declared)}", key=place)
        if not wanted or len({str(v) for v in wanted}) < len(wanted):
            raise SpecError("expected at least one value, none of them twice", key=place)


def _check_histogram(policy: PolicyModel, one: StatisticModel, key: str) -> None:
    if one.measure in _BANDED and (one.edges is None) == (one.bins is None):
        raise SpecError("expected either edges or bins", key=f"{key}.edges")
    if one.measure in (*_BANDED, "quantiles") and one.edges is None:
        _check_bins(policy, one, key)
    if one.edges is not None and any(a >= b for a, b in zip(one.edges, one.edges[1:], strict=False)):
        raise SpecError("expected ascending edges", key=f"{key}.edges")


def _check_bins(policy: PolicyModel, one: StatisticModel, key: str) -> None:
    """Raises SpecError where so many equal intervals have no doubles between them."""
    bins = one.bins or QUANTILE_BINS
    if one.bins == 1 and one.measure == "quantiles":
        raise SpecError("a quantile is chosen among candidates: expected 2 at least", key=f"{key}.bins")
    column = _column(policy, one.column or "", f"{key}.column", number=True)
    low, high = float(column.low or 0), float(column.high or 0)
    if one.bins is None and column.kind == "integer" and high - low < QUANTILE_BINS:
        return
    if bins > 1 and (high - low) / bins < 8 * math.ulp(max(abs(low), abs(high))):
        raise SpecError(
            f"between {low!r} and {high!r} there are no {bins:,} intervals that doubles tell apart: take fewer, or measure from another origin",
            key=f"{key}.bins",
        )


def _check_quantiles(one: StatisticModel, key: str) -> None:
    seen: dict[Fraction, float] = {}
    for value in one.quantiles or ():
        near = Fraction(repr(value)).limit_denominator(_FINEST)
        if not 0 < near < 1:
            raise SpecError(
                f"expected quantiles from {1 / _FINEST:g} to {1 - 1 / _FINEST:g}, got {value!r}",
                key=f"{key}.quantiles",
            )
        if near in seen:
            raise SpecError(
                f"{seen[near]!r} and {value!r} are both the quantile {near}: expected different ones",
                key=f"{key}.quantiles",
            )
        seen[near] = value
    parts = math.lcm(*(near.denominator for near in seen))
    if parts > FINEST:
        raise SpecError(
            f"the quantiles have the common denominator {parts:,}: expected at most {FINEST:,}, as decimals of three digits have",
            key=f"{key}.quantiles",
        )


def _check_marginals(policy: PolicyModel, one: StatisticModel, key: str) -> None:
    if one.measure != "marginals":
        return
    columns = one.columns or []
    if len(columns) < 2 or len(columns) > 8 or len(set(columns)) < len(columns):
        raise SpecError("expected 2 to 8 different categories", key=f"{key}.columns")
    for i, name in enumerate(columns):
        _column(policy, name, f"{key}.columns[{i}]", number=False)
    if one.by:
        raise SpecError("marginals have no groups: add the column to `columns`", key=f"{key}.by")
    if one.ways is not None and one.ways > len(columns):
        raise SpecError(f"expected at most {len(columns)}, the number of columns", key=f"{key}.ways")


def _check_regression(policy: PolicyModel, one: StatisticModel, key: str) -> None:
    if one.measure != "regression":
        return
    columns = one.columns or []
    if not 1 <= len(columns) <= 10 or len(set(columns)) < len(columns) or one.column in columns:
        raise SpecError(
            "expected 1 to 10 different numbers, the response not among them", key=f"{key}.columns"
        )
    for i, name in enumerate(columns):
        _column(policy, name, f"{key}.columns[{i}]", number=True)
