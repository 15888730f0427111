"""Records that are categories, and tables whose columns are numbers or categories."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from ..arrays import Floats
from ..errors import SpecError, counted
from .box import Box
from .domain import Domain, Record, distinct
from .exact import plain

_SCALARS = (str, bytes, bool, int, float, Fraction, type(None))


def _plain(value: Any) -> Any:
    """Scalars of numpy and sympy as Python ones."""
    return value.item() if isinstance(value, np.generic) else plain(value)


@dataclass(frozen=True, eq=False)
class Categorical(Domain):
    """The domain of finitely many `values`: text, numbers, bools or None. SpecError unless at least two differ.

    >>> npf.Categorical(["never", "often"]).contains("sometimes")
    False
    """

    values: Sequence[Any]

    def __post_init__(self) -> None:
        if not isinstance(self.values, Iterable):
            raise SpecError(f"categorical: expected a list of values, got {self.values!r}")
        values = tuple(_plain(v) for v in self.values)
        odd = next((v for v in values if not isinstance(v, _SCALARS)), None)
        if odd is not None:
            raise SpecError(f"categorical: expected text, numbers, bools or None, got {odd!r}")
        keys = {self.cell(v): i for i, v in enumerate(values)}
        if len(values) < 2 or len(keys) < len(values):
            raise SpecError(f"categorical: expected at least two different values, got {values!r}")
        object.__setattr__(self, "values", values)
        object.__setattr__(self, "_place", keys)

    def describe(self) -> str:
        shown = ", ".join(repr(v) for v in self.values[:6]) + (", ..." if len(self.values) > 6 else "")
        return f"one of {counted(len(self.values), 'category')} ({shown})"

    def contains(self, record: Any) -> bool:
        try:
            return self.cell(record) in self._place  # type: ignore[attr-defined]
        except TypeError:
            return False

    def rows(self, data: Any) -> list[Any]:
        if isinstance(data, str | bytes | dict) or not hasattr(data, "__len__"):
            raise ValueError(f"expected a list of categories, got {type(data).__name__}")
        return data.tolist() if isinstance(data, np.ndarray) else list(data)

    def cell(self, record: Any) -> Hashable:
        value = _plain(record)
        # 1, 1.0 and True are equal in Python and different categories.
        return type(value).__name__, value

    def dataset(self, records: Sequence[Record]) -> Any:
        kinds = {type(v) for v in self.values}
        kind = kinds.pop() if len(kinds) == 1 else object
        if kind in (str, bytes, bool, int, float):
            width = np.array(self.values).dtype  # an empty data set has the same type as others
            return np.array(records, dtype=width)
        out = np.empty(len(records), dtype=object)
        out[:] = records
        return out

    def landmarks(self, rng: np.random.Generator, most: int) -> list[Record]:
        if len(self.values) <= most:
            return [self.values[0], self.values[-1], *self.values[1:-1]][:most]
        chosen = rng.permutation(np.arange(1, len(self.values) - 1))[: max(0, most - 2)]
        return [self.values[0], self.values[-1], *(self.values[i] for i in chosen)]

    def draw(self, rng: np.random.Generator) -> Record:
        return self.values[int(rng.integers(len(self.values)))]

    def vary(self, record: Record, rng: np.random.Generator, step: float) -> Record:
        count, here = len(self.values), self._place[self.cell(record)]  # type: ignore[attr-defined]
        if rng.random() < 0.2:  # categories that stand together may be alike
            return self.values[(here + int(rng.choice([-1, 1]))) % count]
        return self.values[(here + 1 + int(rng.integers(count - 1))) % count]

    def cross(self, one: Record, two: Record, rng: np.random.Generator) -> Record:
        return one if rng.random() < 0.5 else two


@dataclass(frozen=True, eq=False)
class Table(Domain):
    """The domain of records with named `columns`, each a Box of numbers or a Categorical.

    `columns` maps a name to its domain. A data set is a dict of arrays (n,) (layout "columns") or a list of n dicts (layout
    "records"). SpecError if a column is something else or there is none.

    >>> people = npf.Table({"age": npf.Box(0, 120), "smokes": npf.Categorical([False, True])})
    >>> people.contains_all({"age": [31, 64], "smokes": [True, False]})
    True
    """

    columns: Mapping[str, Domain]
    layout: Literal["columns", "records"] = "columns"

    def __post_init__(self) -> None:
        if not self.columns or not isinstance(self.columns, Mapping):
            raise SpecError("table: expected at least one column, as {name: domain}")
        for name, column in self.columns.items():
            if not isinstance(name, str) or not (
                isinstance(column, Categorical) or (isinstance(column, Box) and column.scalar)
            ):
                raise SpecError(f"table: column {name!r} must be a Box of numbers or a Categorical")
        if self.layout not in ("columns", "records"):
            raise SpecError(f'table: expected layout "columns" or "records", got {self.layout!r}')

    def describe(self) -> str:
        inside = "; ".join(f"{name}: {column.describe()}" for name, column in self.columns.items())
        return f"records with {inside}"

    def contains(self, record: Any) -> bool:
        return (
            isinstance(record, Mapping)
            and list(record) == list(self.columns)
            and all(column.contains(record[name]) for name, column in self.columns.items())
        )

    def rows(self, data: Any) -> list[Any]:
        if isinstance(data, Mapping):
            if list(data) != list(self.columns):
                raise ValueError(f"expected the columns {list(self.columns)}, got {list(data)}")
            columns = [list(data[name]) for name in self.columns]
            if len({len(column) for column in columns}) != 1:
                raise ValueError("expected columns of equal length")
            return [dict(zip(self.columns, row, strict=True)) for row in zip(*columns, strict=True)]
        if isinstance(data, list | tuple):
            return list(data)
        raise ValueError(f"expected a dict of columns or a list of dicts, got {type(data).__name__}")

    def contains_all(self, data: Any) -> bool:
        if not isinstance(data, Mapping):
            return super().contains_all(data)
        if list(data) != list(self.columns) or len({len(data[name]) for name in self.columns}) != 1:
            return False
        return all(column.contains_all(data[name]) for name, column in self.columns.items())

    def cells(self, data: Any) -> list[Hashable]:
        if not isinstance(data, Mapping):
            return super().cells(data)
        return list(zip(*(column.cells(data[name]) for name, column in self.columns.items()), strict=True))

    def cell(self, record: Any) -> Hashable:
        return tuple(column.cell(record[name]) for name, column in self.columns.items())

    def dataset(self, records: Sequence[Record]) -> Any:
        if self.layout == "records":
            return [dict(record) for record in records]
        return {name: column.dataset([r[name] for r in records]) for name, column in self.columns.items()}

    def landmarks(self, rng: np.random.Generator, most: int) -> list[Record]:
        marks = {name: column.landmarks(rng, most) for name, column in self.columns.items()}
        found = [{name: m[i] for name, m in marks.items()} for i in (0, 1)]
        mixed = (
            {
                name: m[int(rng.integers(min(2, len(m)) if rng.random() < 0.5 else len(m)))]
                for name, m in marks.items()
            }
            for _ in range(4 * most)
        )
        return distinct(self, [*found, *mixed], most)

    def draw(self, rng: np.random.Generator) -> Record:
        return {name: column.draw(rng) for name, column in self.columns.items()}

    def vary(self, record: Record, rng: np.random.Generator, step: float) -> Record:
        names = list(self.columns)
        count = 1 if rng.random() < 0.7 else int(rng.integers(1, len(names) + 1))
        chosen = {names[i] for i in rng.permutation(len(names))[:count]}
        return {
            n: c.vary(record[n], rng, step) if n in chosen else record[n] for n, c in self.columns.items()
        }

    def cross(self, one: Record, two: Record, rng: np.random.Generator) -> Record:
        return {name: column.cross(one[name], two[name], rng) for name, column in self.columns.items()}

    def numbers(self, record: Record) -> Floats:
        return np.concatenate([column.numbers(record[name]) for name, column in self.columns.items()])

    def with_numbers(self, record: Record, numbers: Floats) -> Record:
        out, at = {}, 0
        for name, column in self.columns.items():
            count = len(column.numbers(record[name]))
            out[name] = column.with_numbers(record[name], numbers[at : at + count])
            at += count
        return out
