"""Two small policies that use every measure, and a table for them: persons with Gaussian noise, records with Laplace noise."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import numpy as np

_COLUMNS = """
[[columns]]
name = "age"
kind = "integer"
role = "private"
low = 0
high = 100
missing = "skip"
[[columns]]
name = "pay"
kind = "number"
role = "private"
low = -10.3
high = 31.9
missing = "skip"
[[columns]]
name = "sex"
kind = "category"
role = "private"
categories = ["f", "m", "other"]
missing = "skip"
undeclared = "skip"
[[columns]]
name = "town"
kind = "category"
role = "private"
categories = ["Oslo", "Rome", "Wien"]
missing = { value = "Wien" }
undeclared = { value = "Wien" }
[[columns]]
name = "id"
role = "drop"
"""
_STATISTICS = """
[[statistics]]
name = "towns"
measure = "count"
by = ["town"]
[[statistics]]
name = "first towns"
measure = "top"
column = "town"
top = 2
[[statistics]]
name = "all ages"
measure = "sum"
column = "age"
by = ["sex"]
[[statistics]]
name = "mean pay"
measure = "mean"
column = "pay"
where = { age = { low = 18 } }
size = 300
[[statistics]]
name = "spread of pay"
measure = "variance"
column = "pay"
where = { age = { low = 18 } }
[[statistics]]
name = "ages"
measure = "histogram"
column = "age"
edges = [0, 18, 65, 100]
by = ["sex"]
[[statistics]]
name = "quartiles"
measure = "quantiles"
column = "age"
quantiles = [0.25, 0.5, 0.75]
by = ["sex"]
[[statistics]]
name = "tables"
measure = "marginals"
columns = ["sex", "town"]
ways = 1
[[statistics]]
name = "usual pay"
measure = "mean"
column = "pay"
by = ["sex"]
clip = { low = 0.05, high = 0.95, share = 0.2 }
[[statistics]]
name = "different towns"
measure = "distinct"
column = "town"
by = ["sex"]
"""
_PERSON = """
title = "Persons, Gaussian noise"
[table]
path = "table.csv"
rows_public = false
unit_of_privacy = "person"
person_key = "id"
rows_per_person = 3
[mechanism]
kind = "statistics"
noise = "gaussian"
adjacency = "add-or-remove"
[limits]
rho = 0.5
[ledger]
path = "persons.ledger"
table_id = "people"
create = true
[ledger.budget]
rho = 5.0
"""
_RECORD = """
title = "Records, Laplace noise"
[table]
path = "table.csv"
rows_public = true
[mechanism]
kind = "statistics"
noise = "laplace"
adjacency = "replace-one"
[limits]
epsilon = 2.0
[ledger]
path = "records.ledger"
table_id = "people"
create = true
[ledger.budget]
epsilon = 20.0
"""
POLICIES = {"persons": _PERSON, "records": _RECORD}
ROWS = 400


def policy_text(name: str, seed: int = 0, only: Collection[str] = (), samples: int = 5_000) -> str:
    """TOML of one of the policies, with all statistics or with those that are named."""
    audit = f"[audit]\nseed = {seed}\nsamples = {samples}\n"
    asked = [f"[[statistics]]{one}" for one in _STATISTICS.split("[[statistics]]")[1:]]
    found = [one for one in asked if not only or any(f'name = "{n}"' in one for n in only)]
    return POLICIES[name] + audit + _COLUMNS + "".join(found)


def write_table(folder: Path, rows: int = ROWS) -> Path:
    """table.csv with seeded records: values missing, undeclared and beyond their ends, persons with too many records."""
    rng = np.random.default_rng(1)
    lines = ["age,pay,sex,town,id"]
    for _ in range(rows):
        age = rng.choice(["", "130", *map(str, rng.integers(0, 100, 20))])
        pay = rng.choice(["", "1e9", *(f"{v:.2f}" for v in rng.normal(10, 8, 20))])
        sex = rng.choice(["f", "m", "other", "x", ""], p=[0.4, 0.4, 0.1, 0.05, 0.05])
        town = rng.choice(["Oslo", "Rome", "Wien", "Riga"])
        lines.append(f"{age},{pay},{sex},{town},p{rng.integers(0, rows // 4)}")
    path = folder / "table.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path
