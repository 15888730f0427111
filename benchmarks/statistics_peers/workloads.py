"""What every peer is asked to release: groups of statistics on Adult and Lending, their public facts and true answers.

No import of the project and none of a peer: each driver reads this module in its own environment (numpy is enough).
"""

from __future__ import annotations

import csv
import gzip
import itertools
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

FILES = {"adult": "adult.csv.gz", "lending": "lending_club_10k.csv.gz"}

# Each group is released alone under one of these, for tables that differ by adding or removing one record.
CLAIMS = {
    "pure": ("epsilon", 1.0),
    "zcdp": ("rho", 0.5),
    # Whole-number medians of 16,000 records or more are exact at the two above: quantiles are asked again at these.
    "pure-small": ("epsilon", 0.05),
    "zcdp-small": ("rho", 0.00125),
}

CATEGORIES: dict[str, tuple[str, ...]] = {
    "workclass": (
        "?",
        "Federal-gov",
        "Local-gov",
        "Never-worked",
        "Private",
        "Self-emp-inc",
        "Self-emp-not-inc",
        "State-gov",
        "Without-pay",
    ),
    "education": (
        "10th",
        "11th",
        "12th",
        "1st-4th",
        "5th-6th",
        "7th-8th",
        "9th",
        "Assoc-acdm",
        "Assoc-voc",
        "Bachelors",
        "Doctorate",
        "HS-grad",
        "Masters",
        "Preschool",
        "Prof-school",
        "Some-college",
    ),
    "marital_status": (
        "Divorced",
        "Married-AF-spouse",
        "Married-civ-spouse",
        "Married-spouse-absent",
        "Never-married",
        "Separated",
        "Widowed",
    ),
    "occupation": (
        "?",
        "Adm-clerical",
        "Armed-Forces",
        "Craft-repair",
        "Exec-managerial",
        "Farming-fishing",
        "Handlers-cleaners",
        "Machine-op-inspct",
        "Other-service",
        "Priv-house-serv",
        "Prof-specialty",
        "Protective-serv",
        "Sales",
        "Tech-support",
        "Transport-moving",
    ),
    "sex": ("Female", "Male"),
    "income": ("<=50K", ">50K"),
}
BOUNDS = {
    "age": (16, 100),
    "hours_per_week": (0, 100),
    "loan_amount": (0, 50_000),
    "annual_income": (0, 500_000),
}
# Where a peer selects among candidates, these are they: bounds[0], bounds[0] + step, ..., bounds[1].
STEPS = {"age": 1, "hours_per_week": 1, "loan_amount": 100, "annual_income": 1000}
EDGES = tuple(range(0, 101, 10))  # ten bins, closed on the left, the last one on both sides


@dataclass(frozen=True)
class Statistic:
    """One released array: `kind` of `column` in each cell of the declared categories of `by`.

    Cells stand in the order of `cells()`: categories as declared, then bins of a histogram or levels of quantiles.
    """

    kind: str  # count, sum, mean, quantile or histogram
    by: tuple[str, ...] = ()
    column: str = ""
    levels: tuple[float, ...] = ()
    table: str = "adult"

    @property
    def name(self) -> str:
        what = self.kind + (f" of {self.column}" if self.column else "")
        return what + (f" by {' x '.join(self.by)}" if self.by else "")

    @property
    def groups(self) -> list[tuple[str, ...]]:
        return list(itertools.product(*(CATEGORIES[column] for column in self.by)))

    @property
    def inner(self) -> list[Any]:
        if self.kind == "histogram":
            return list(range(len(EDGES) - 1))
        return list(self.levels) if self.kind == "quantile" else [0]

    @property
    def bounds(self) -> tuple[int, int]:
        return BOUNDS[self.column]

    @property
    def candidates(self) -> list[int]:
        low, high = self.bounds
        return list(range(low, high + 1, STEPS[self.column]))

    def cells(self) -> list[tuple[tuple[str, ...], Any]]:
        return [(group, inside) for group in self.groups for inside in self.inner]


QUARTILES = (0.25, 0.5, 0.75)
FIVE = (0.1, 0.25, 0.5, 0.75, 0.9)
MARGINALS = ("workclass", "education", "marital_status", "occupation", "sex")

GROUPS: dict[str, tuple[Statistic, ...]] = {
    "counts": (Statistic("count", ("education",)), Statistic("count", ("income",))),
    "means": (
        Statistic("mean", ("sex",), "age"),
        Statistic("mean", ("sex",), "hours_per_week"),
        Statistic("sum", ("sex",), "hours_per_week"),
    ),
    "medians": (
        Statistic("quantile", ("sex",), "age", (0.5,)),
        Statistic("quantile", ("sex",), "hours_per_week", (0.5,)),
    ),
    "quartiles": (Statistic("quantile", ("sex",), "age", QUARTILES),),
    "histograms": (Statistic("histogram", (), "age"), Statistic("histogram", ("sex",), "hours_per_week")),
    "marginals": tuple(Statistic("count", pair) for pair in itertools.combinations(MARGINALS, 2)),
    "lending": (
        Statistic("quantile", (), "loan_amount", FIVE, "lending"),
        Statistic("quantile", (), "annual_income", FIVE, "lending"),
    ),
}


def path(table: str) -> Path:
    """The file of `table` in the folder that NOISEPROOF_DATA names."""
    return Path(os.environ.get("NOISEPROOF_DATA", "shared/data")) / FILES[table]


def read(table: str) -> dict[str, np.ndarray]:
    """The columns that the workloads use: numbers as float64, categories as str; one entry a record."""
    with gzip.open(path(table), "rt", newline="") as file:
        rows = list(csv.DictReader(file))
    columns: dict[str, np.ndarray] = {}
    for name in rows[0]:
        if name in BOUNDS:
            columns[name] = np.array([float(row[name]) for row in rows])
        elif name in CATEGORIES:
            columns[name] = np.array([row[name] for row in rows])
    return columns


def members(statistic: Statistic, columns: dict[str, np.ndarray], group: tuple[str, ...]) -> np.ndarray:
    """Which records belong to `group`: a boolean for each."""
    size = len(next(iter(columns.values())))
    chosen = np.ones(size, dtype=bool)
    for column, category in zip(statistic.by, group, strict=True):
        chosen &= columns[column] == category
    return chosen


def clipped(statistic: Statistic, columns: dict[str, np.ndarray], group: tuple[str, ...]) -> np.ndarray:
    """The values of the column in `group`, clipped to the declared bounds."""
    return np.clip(columns[statistic.column][members(statistic, columns, group)], *statistic.bounds)


def truth(statistic: Statistic, columns: dict[str, np.ndarray]) -> np.ndarray:
    """The answer without noise, one number a cell; quantiles are the least value with that share at or below it."""
    return np.concatenate([_answers(statistic, columns, group) for group in statistic.groups])


def _answers(statistic: Statistic, columns: dict[str, np.ndarray], group: tuple[str, ...]) -> np.ndarray:
    if statistic.kind == "count":
        return np.array([float(members(statistic, columns, group).sum())])
    values = clipped(statistic, columns, group)
    if statistic.kind == "sum":
        return np.array([values.sum()])
    if statistic.kind == "mean":
        return np.array([values.mean()])
    if statistic.kind == "histogram":
        return np.histogram(values, EDGES)[0].astype(float)
    return np.quantile(values, statistic.levels, method="inverted_cdf")
