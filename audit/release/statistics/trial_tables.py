"""Synthetic neighbours that a policy allows, hostile ones among them: what the code of a release is run on before a table is."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..policy import Policy
from ..policy.category_reading import written_texts
from ..policy.models import ColumnModel, MissingValue
from ..policy.statistic_models import Between

if TYPE_CHECKING:
    import pyarrow as pa

Row = dict[str, Any]
PAIRS = 200
_LARGEST, _BATCH, _SHOWN = 12, 5, 200
_MOST = 50  # records of a person in most of the pairs
_STRANGE = "no declared category"


@dataclass(frozen=True, eq=False)
class TrialTable:
    """Rows in memory, read like a file."""

    policy: Policy
    rows: list[Row]

    def read(self, types: dict[str, Any]) -> Iterator[pa.RecordBatch]:
        """Batches of a few rows each, so that sums go over batches."""
        import pyarrow as pa

        size = _BATCH if len(self.rows) < 40 * _BATCH else -(-len(self.rows) // 3)
        for start in range(0, len(self.rows), size):
            part = self.rows[start : start + size]
            arrays = [pa.array([r[name] for r in part], type=kind) for name, kind in types.items()]
            yield pa.RecordBatch.from_arrays(arrays, names=list(types))

    def shown(self) -> list[list[str]]:
        """The rows as text, for a witness; of very many the first ones."""
        return [[str(v) for v in row.values()] for row in self.rows[:_SHOWN]]


def neighbours(
    policy: Policy, resizes: bool, seed: int, pairs: int = PAIRS
) -> Iterator[tuple[TrialTable, TrialTable]]:
    """Tables that differ in one unit of privacy: in a record, or in all records of a person, more than count among them.

    Of the statistics with conditions each has pairs, more of them if need be, whose unit meets them.
    """
    rng = np.random.default_rng([seed, 0x5A])
    conditions = [one.where for one in policy.model.statistics if one.where]
    for number in range(max(pairs, 12 * len(conditions) if pairs == PAIRS else 0)):
        size = int(rng.integers(0, _LARGEST)) if number % 7 else 0
        common = [_row(policy, rng, number, i, f"other {i // 2}") for i in range(size)]
        if policy.unit == "person" and number % 5 < 2:
            # Somebody else with more records than count, of which the same ones have to count in both tables.
            common += _rows(policy, rng, number, "crowded", 2 * _most(policy, number))
        gone = _unit(policy, rng, number, "one")
        if conditions and number % 4 in (1, 2):
            met = conditions[number // 4 % len(conditions)]
            gone = [{**row, **_meeting(policy, met, rng)} for row in gone]
        # Of a person who takes the place of another: none, or another number of records.
        come = [] if resizes else _unit(policy, rng, number, "one", number // 4 % 5)
        if not resizes and policy.unit == "record" and not come:
            continue
        one, two = [*common, *gone], [*common, *come]
        # Order is none of the code's business: the second table has another one.
        two = [two[int(i)] for i in rng.permutation(len(two))]
        sides = (one, two) if number % 2 else (two, one)
        yield TrialTable(policy, list(sides[0])), TrialTable(policy, list(sides[1]))


def _unit(
    policy: Policy, rng: np.random.Generator, number: int, person: str, size: int | None = None
) -> list[Row]:
    """The records of one unit: of a person up to twice as many as count, alike, extreme or drawn."""
    if policy.unit == "record":
        return [_row(policy, rng, number, 0, person)]
    most = _most(policy, number)
    count = (1, most, most + 1, 2 * most, 0)[number % 4 if size is None else size]
    if policy.model.table.missing_person == "drop" and number % 5 == 4:
        # Records without a key: of one person as many as count with one.
        return _rows(policy, rng, number, None, min(count, most))
    return _rows(policy, rng, number, person, count)


def _rows(policy: Policy, rng: np.random.Generator, number: int, person: str | None, count: int) -> list[Row]:
    if number % 3 == 0:
        return [_row(policy, rng, number, 0, person)] * count
    return [_row(policy, rng, number, i, person) for i in range(count)]


def _meeting(policy: Policy, where: Mapping[str, Any], rng: np.random.Generator) -> Row:
    """Values with which a record meets the conditions of a statistic, but for those on derived numbers."""
    kept = {c.name: c for c in policy.kept}
    found: Row = {}
    for name, wanted in where.items():
        if name not in kept:
            continue
        if not isinstance(wanted, Between):
            texts = written_texts(kept[name].model_copy(update={"categories": list(wanted)}))
            if texts:
                found[name] = texts[int(rng.integers(len(texts)))]
            continue
        ends = [end for end in (wanted.low, wanted.high) if end is not None]
        end = ends[int(rng.integers(len(ends)))]
        if kept[name].kind == "integer":
            found[name] = math.ceil(end) if end == wanted.low else math.floor(end)
        else:
            found[name] = float(end)
    return found


def _most(policy: Policy, number: int) -> int:
    """How many records of a person count; of very many fewer are made, but now and then, where they are alike, or persons are counted."""
    persons = any(one.measure == "persons" for one in policy.model.statistics)
    all_of_them = (3, 6, 1) if persons else (3, 6)
    return policy.rows_of_unit if number % 12 in all_of_them else min(policy.rows_of_unit, _MOST)


def _row(policy: Policy, rng: np.random.Generator, number: int, i: int, person: str | None) -> Row:
    row = {c.name: _value(c, rng, extreme=number % 2 == 0) for c in policy.kept}
    key = policy.model.table.person_key
    if key is not None:
        row[key] = person
    return row


def _value(column: ColumnModel, rng: np.random.Generator, *, extreme: bool) -> Any:
    """A value that the policy does not refuse: declared, at or beyond its ends, missing, undeclared."""
    choices = hostile(column) if extreme else usual(column, rng)
    return choices[int(rng.integers(len(choices)))]


def usual(column: ColumnModel, rng: np.random.Generator) -> list[Any]:
    """Values of the declared domain."""
    if column.categories is not None:
        return written_texts(column)
    assert column.low is not None
    assert column.high is not None
    low, high = float(column.low), float(column.high)
    if column.kind == "integer":
        return [int(rng.integers(int(low), int(high) + 1)), int(low), int(high)]
    return [float(rng.uniform(low, high)), low, high]


def hostile(column: ColumnModel) -> list[Any]:
    """Values at the ends and beyond, and what is missing or undeclared where the policy says what that counts as."""
    found: list[Any] = []
    if column.missing == "skip" or isinstance(column.missing, MissingValue):
        found.append(None)
    if column.categories is not None:
        declared = written_texts(column)
        found += [declared[0], declared[-1]]
        if column.undeclared != "refuse":
            found += [_STRANGE, ""]
        return found
    assert column.low is not None
    assert column.high is not None
    low, high = float(column.low), float(column.high)
    if column.kind == "integer":
        return [*found, int(low), int(high), int(low) - 1, int(high) + 1, 2**62, -(2**62), 0]
    wide = [low, high, np.nextafter(low, -np.inf), np.nextafter(high, np.inf), 1e308, -1e308, np.inf, -np.inf]
    return [*found, *map(float, wide), 0.0, -0.0, 5e-324, *([float("nan")] if None in found else [])]
