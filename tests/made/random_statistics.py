"""Random policies of kind "statistics" from the whole of their grammar, and hostile tables for them."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any, get_args

import numpy as np

from noiseproof.audit.release.policy.statistic_models import StatisticModel

# All but regressions, which have tests of their own.
MEASURES = [m for m in get_args(StatisticModel.model_fields["measure"].annotation) if m != "regression"]
Row = dict[str, Any]
Entries = dict[str, Any]
Formula = Callable[[Row], float]
NAMES = (
    ("x", "age", "pay", "value", "low", "noise", "statistic", "Größe", "a b", "it's", 'q"q', "sum(x)", "=1+1")
    + (
        "-",
        "exp",
        "lambda",
        "None",
        "e",
        "pi",
        "E",
        "I",
        "weight[kg]",
        "%s{0}",
        "<b>",
        "cell",
        "amount 0",
        "🙂",
    )
    + ("suppressed", "quantity", "N", "S", "é")
)
TEXTS = (
    "a",
    "A",
    "b",
    "NULL",
    "nan",
    "NaN",
    "0",
    "00",
    "1.0",
    "true",
    "é",
    "a,b",
    'q"q',
    "=cmd()",
    "🙂",
    "other",
    "-1",
)
TITLES = (
    "people",
    "people and pay",
    "m, part 1",
    "=1+1",
    "<script>",
    "Größe",
    "x",
    'a "b"',
    "50 %",
    "{0}",
    "a/b",
    "🙂",
)
FORMULAS: tuple[tuple[str, Callable[[float, float], float]], ...] = (
    ("2*{0}", lambda a, b: 2 * a),
    ("{0} + {1}", lambda a, b: a + b),
    ("{0}/{1}", lambda a, b: a / b),
    ("log({0})", lambda a, b: math.log(a)),
    ("sqrt({0} - 1)", lambda a, b: math.sqrt(a - 1)),
    ("{0}**2 - {1}", lambda a, b: a * a - b),
    ("1/{0}", lambda a, b: 1 / a),
)
_STRANGE = ("undeclared", " a", "a ", "aa", "\u00e9", "e\u0301", "null", "x" * 300)


@dataclass(frozen=True)
class Case:
    """The parts of a policy, and the rows of a table that it is meant for."""

    columns: list[Entries]
    statistics: list[Entries]
    derived: list[Entries]
    table: Entries
    mechanism: Entries
    limits: Entries
    rows: list[Row] = field(default_factory=list)
    formulas: dict[str, Formula] = field(
        default_factory=dict
    )  # of derived columns, in Python's own arithmetic

    @property
    def person(self) -> str | None:
        """The column of the persons, if these are the units."""
        key: str | None = self.table.get("person_key")
        return key

    @property
    def bound(self) -> int:
        """How many records of a unit count."""
        return int(self.table.get("rows_per_person", 1))


class Dice:
    """A few ways to choose."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng

    def one(self, choices: Sequence[Any]) -> Any:
        return choices[int(self.rng.integers(len(choices)))]

    def some(self, choices: Sequence[Any], least: int, most: int) -> list[Any]:
        size = min(int(self.rng.integers(least, most + 1)), len(choices))
        return [choices[int(i)] for i in self.rng.permutation(len(choices))[:size]]

    def chance(self, probability: float) -> bool:
        return bool(self.rng.random() < probability)


# --- policies --------------------------------------------------------------------------------------------------------


def random_case(seed: int, most_rows: int = 40) -> Case:
    """A policy that its grammar allows, nearly always, and a table of at most so many rows."""
    dice = Dice(np.random.default_rng([seed, 25]))
    names = dice.some(NAMES, 3, 6)
    columns = [_column(dice, name, i) for i, name in enumerate(names)]
    table: Entries = {"rows_public": False}
    if dice.chance(0.4):
        columns.append({"name": "id", "role": "drop"})
        table |= {"unit_of_privacy": "person", "person_key": "id", "rows_per_person": dice.one([1, 2, 3, 7])}
    derived, formulas = _derived(dice, columns) if dice.chance(0.3) else ([], {})
    statistics = [
        s for s in (_statistic(dice, columns, derived) for _ in range(int(dice.rng.integers(1, 5)))) if s
    ]
    if "person_key" not in table:
        statistics = [{**s, "measure": s["measure"].replace("persons", "count")} for s in statistics]
    titles = dice.some(TITLES, len(statistics), len(statistics))
    statistics = [{"name": title, **one} for title, one in zip(titles, statistics, strict=True)]
    _clip(Dice(np.random.default_rng([seed, 26])), statistics)
    noise = dice.one(["gaussian", "laplace"])
    size = dice.one([0.03, 0.3, 1.0, 3.0])
    limits: Entries = {"epsilon": size}
    if noise == "gaussian":
        limits = dice.one([{"rho": size}, {"epsilon": size, "delta": 1e-6}])
    mechanism = {
        "kind": "statistics",
        "noise": noise,
        "adjacency": dice.one(["add-or-remove", "replace-one"]),
    }
    case = Case(columns, statistics, derived, table, mechanism, limits, [], formulas)
    strict = dice.chance(0.85)
    size = int(dice.rng.integers(0, most_rows + 1))
    return replace(case, rows=[random_row(dice, case, refused=not strict) for _ in range(size)])


def _column(dice: Dice, name: str, place: int) -> Entries:
    common = {"name": name, "role": "private"}
    # A category and a number stand in every table.
    kind = ("category", "number")[place] if place < 2 else dice.one(["category", "number", "integer"])
    if kind == "category":
        if dice.chance(0.2):
            categories: list[Any] = sorted({int(v) for v in dice.rng.integers(-3, 12, 5)})
        else:
            categories = dice.some(TEXTS, 2, 6)
        missing = dice.one(["skip", "skip", "refuse", {"value": categories[0]}])
        undeclared = dice.one(["skip", "skip", "refuse", {"value": categories[-1]}])
        return {
            **common,
            "kind": kind,
            "categories": categories,
            "missing": missing,
            "undeclared": undeclared,
        }
    if kind == "integer":
        low, high = dice.one(
            [(0, 100), (-5, 5), (17, 18), (0, 2**30), (-(2**52), 2**52), (10**9, 10**9 + 50)]
        )
    else:
        low, high = dice.one(
            [(0.0, 1.0), (-10.0, 30.0), (0.0, 1e9), (-1e-6, 1e-6), (0.1, 0.3), (-1e30, 1e30), (5.0, 2000.0)]
        )
    missing = dice.one(["skip", "skip", "refuse", {"value": low}])
    return {**common, "kind": kind, "low": low, "high": high, "missing": missing}


def _derived(dice: Dice, columns: list[Entries]) -> tuple[list[Entries], dict[str, Formula]]:
    usable = [
        c["name"]
        for c in columns
        if c.get("kind") in ("number", "integer") and c["name"] in ("x", "age", "pay", "value")
    ]
    if not usable:
        return [], {}
    first, second = dice.one(usable), dice.one(usable)
    text, formula = dice.one(FORMULAS)
    made = {
        "name": "made",
        "expression": text.format(first, second),
        "low": -3.0,
        "high": dice.one([5.0, 1000.0]),
    }
    both = "{1}" in text

    def of(row: Row) -> float:
        if row[first] is None or (both and row[second] is None):
            return math.nan
        return float(formula(float(row[first]), float(row[second] or 0)))

    return [made], {"made": of}


def _statistic(dice: Dice, columns: list[Entries], derived: list[Entries]) -> Entries:
    categories = [c for c in columns if c.get("kind") == "category"]
    numbers = [c for c in columns if c.get("kind") in ("number", "integer")]
    measure = dice.one(MEASURES)
    out: Entries = {"measure": measure}
    groups = [c["name"] for c in categories]
    if measure == "marginals":
        if len(groups) < 2:
            return {}
        out["columns"] = dice.some(groups, 2, 3)
        if dice.chance(0.5):
            out["ways"] = int(dice.rng.integers(1, len(out["columns"]) + 1))
    elif measure in ("distinct", "top", "undeclared"):
        out["column"] = dice.one(groups)
        groups = [g for g in groups if g != out["column"]]
        if measure == "top":
            out["top"] = int(dice.rng.integers(1, 4))
    elif measure not in ("count", "persons"):
        one = dice.one([*numbers, *derived])
        out["column"] = one["name"]
        if measure == "quantiles":
            out["quantiles"] = sorted(dice.some([0.01, 0.25, 1 / 3, 0.5, 0.9, 0.999], 1, 3))
            if dice.chance(0.8):
                out["bins"] = dice.one([2, 3, 17, 64])
        elif measure in ("histogram", "ranges"):
            if dice.chance(0.5):
                out["bins"] = dice.one([1, 2, 10, 33])
            else:
                inside = sorted(
                    {one["low"] + (one["high"] - one["low"]) * k / 8 for k in dice.some(range(9), 2, 9)}
                )
                out["edges"] = dice.one([inside, [one["low"] - 1.5, *inside[1:-1], one["high"] + 7.25]])
                if any(a >= b for a, b in pairwise(out["edges"])):
                    return {}
            if measure == "ranges" and dice.chance(0.7):
                pairs = [list(p) for p in combinations(out.get("edges", []), 2)]
                out["ranges"] = dice.one(["all", "prefixes", *([dice.some(pairs, 1, 4)] if pairs else [])])
    if measure != "marginals" and dice.chance(0.5):
        out["by"] = dice.some(groups, 0, 2)
    if dice.chance(0.4):
        out["where"] = _where(dice, categories, numbers)
    if dice.chance(0.2):
        out["weight"] = dice.one([0.1, 5.0, 1000.0])
    if dice.chance(0.3):
        out["size"] = dice.one([1, 50, 10**6])
    return out


def _clip(dice: Dice, statistics: list[Entries]) -> None:
    """Sums and means that are clipped to drawn ends, some of them to the same."""
    for one in statistics:
        if one["measure"] in ("sum", "mean") and dice.chance(0.4):
            low, high = dice.one([(0.1, 0.9), (0.001, 0.999), (0.25, 0.5)])
            one["clip"] = {"low": low, "high": high, "share": dice.one([0.05, 0.2])}


def _where(dice: Dice, categories: list[Entries], numbers: list[Entries]) -> Entries:
    out: Entries = {}
    for one in dice.some([*categories, *numbers], 1, 2):
        if one["kind"] == "category":
            out[one["name"]] = dice.some(one["categories"], 1, 3)
        else:
            low, high = sorted(dice.some([one["low"], (one["low"] + one["high"]) / 2, one["high"]], 2, 2))
            out[one["name"]] = dice.one([{"low": low}, {"high": high}, {"low": low, "high": high}])
    return out


def missing(value: Any) -> bool:
    """Whether a cell holds no value."""
    return value is None or (isinstance(value, float) and math.isnan(value))


# --- tables ----------------------------------------------------------------------------------------------------------


def random_row(dice: Dice, case: Case, *, refused: bool = False) -> Row:
    """A record; without `refused` hardly ever one that the policy refuses."""
    row = {c["name"]: _cell(dice, c, refused) for c in case.columns if c["role"] == "private"}
    if case.person is not None:
        row[case.person] = dice.one(["p", "q", "P", "p ", *(f"p{i}" for i in range(6))])
    return row


def _cell(dice: Dice, column: Entries, refused: bool) -> Any:
    may_miss = refused or column["missing"] != "refuse"
    if may_miss and dice.chance(0.15):
        return None if column["kind"] != "number" or dice.chance(0.5) else math.nan
    if column["kind"] == "category":
        if (refused or column["undeclared"] != "refuse") and dice.chance(0.2):
            return dice.one(_STRANGE)
        return str(dice.one(column["categories"]))
    low, high = column["low"], column["high"]
    if column["kind"] == "integer":
        near = int(dice.rng.integers(low, high + 1))
        return dice.one([near, near, near, low, high, low - 1, high + 1, 2**62, -(2**62), 0])
    near = float(dice.rng.uniform(low, high))
    beyond = [float(np.nextafter(low, -math.inf)), float(np.nextafter(high, math.inf)), 1e308, -1e308]
    return dice.one([near] * 6 + [low, high, *beyond, math.inf, -math.inf, 0.0, -0.0, 5e-324])


def as_arrow(case: Case, *, encoded: bool = False) -> Any:
    """The table in memory, in batches of a few rows; `encoded`: categories as dictionaries."""
    import pyarrow as pa

    kinds = {"category": pa.string(), "number": pa.float64(), "integer": pa.int64()}
    fields = [(c["name"], kinds.get(c.get("kind", "category"), pa.string())) for c in case.columns]
    # A hundred nulls and more of a column that is dropped do no harm.
    whole = pa.table({n: pa.array([r.get(n) for r in case.rows], type=kind) for n, kind in fields})
    if encoded:
        whole = pa.table(
            {
                n: c.dictionary_encode() if pa.types.is_string(c.type) else c
                for n, c in zip(whole.column_names, whole.columns, strict=True)
            }
        )
    return pa.Table.from_batches(whole.to_batches(max_chunksize=7), schema=whole.schema)


def write_csv(case: Case, path: Path) -> None:
    """The table as a CSV file; what is missing is empty."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        names = [c["name"] for c in case.columns]
        writer.writerow(names)
        for row in case.rows:
            writer.writerow(["" if missing(row.get(n)) else row.get(n) for n in names])


def neighbours(case: Case, seed: int, pairs: int = 6) -> Iterator[tuple[Case, Case]]:
    """Tables that differ in one unit of privacy: it is there or not, or another is in its place; rows in another order."""
    dice = Dice(np.random.default_rng([seed, 26]))

    def fresh() -> list[Row]:
        size = int(dice.rng.integers(1, 2 * case.bound + 1)) if case.person else 1
        made = [random_row(dice, case) for _ in range(size)]
        return [{**r, case.person: "somebody"} if case.person else r for r in made]

    for _ in range(pairs):
        gone = [] if case.mechanism["adjacency"] == "add-or-remove" else fresh()
        mixed = [*case.rows, *fresh()]
        yield (
            replace(case, rows=[*case.rows, *gone]),
            replace(case, rows=[mixed[int(i)] for i in dice.rng.permutation(len(mixed))]),
        )
