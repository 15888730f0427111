"""A policy for each way to release, and how what each draws is frozen: for `frozen_release`.

A new kind joins `POLICIES` by an entry, with a function that puts fixed numbers in the place of those that it draws.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from made_policies import policy_text

from noiseproof.audit.release.kinds import compression, ron_gauss, row_wise
from noiseproof.audit.release.kinds.ron_gauss_sums import NoisySum
from noiseproof.audit.release.policy import Policy, parse_policy
from noiseproof.mechanisms.dataset_noise.null_space import NullSpaceNoise
from noiseproof.mechanisms.grid_noise import GridNoise, seeded_bits
from noiseproof.mechanisms.statistics.workload import Workload

Freeze = Callable[[pytest.MonkeyPatch], None]
"""Puts fixed numbers in the place of those that are drawn; called when a draw begins, undone when it ends."""

SIZE = 257  # the noisy number of records of every table


def fixed(rows: int, columns: int, first: int = 0) -> Any:
    """Numbers (rows, columns) that are known beforehand."""
    return np.ldexp(
        np.add.outer(np.arange(first, first + rows) * 31, np.arange(columns) * 17).astype(float) % 1000, -3
    )


def freeze_rows(patch: pytest.MonkeyPatch) -> None:
    """Of the kinds with a row for each record: the noisy private numbers, at the one place where they meet the table."""
    real = row_wise.drawn

    def drawn(table: Any, noisy: Any) -> Any:
        done = 0

        def same(numbers: Any) -> Any:
            nonlocal done
            noisy(numbers)
            done += len(numbers)
            return fixed(*numbers.shape, done - len(numbers))

        return real(table, same)

    patch.setattr(row_wise, "drawn", drawn)


def freeze_null_space(patch: pytest.MonkeyPatch) -> None:
    """Of null-space noise: the records with noise."""
    real = NullSpaceNoise.release

    def release(self: NullSpaceNoise, features: Any, rng: Any) -> Any:
        return fixed(*real(self, features, rng).shape)

    patch.setattr(NullSpaceNoise, "release", release)


def freeze_ron_gauss(patch: pytest.MonkeyPatch) -> None:
    """Of RON-Gauss: the noisy sums and, where it is private, the noisy number of records."""
    kind, release, draw, size = ron_gauss.RonGaussKind, NoisySum.release, GridNoise.draw, [0]
    records = kind._records

    def counted(self: Any, table: Any) -> Iterator[Any]:
        size[0] = 0
        for unit, labels in records(self, table):
            size[0] += len(unit)
            yield unit, labels

    def drawn(self: GridNoise, count: int, bits: Any) -> Any:
        noise = draw(self, count, bits)
        return np.array([SIZE - size[0]]) if count == 1 else noise

    def released(self: NoisySum, sums: Any, bits: Any) -> Any:
        shape = release(self, sums, bits).shape
        return np.ldexp(np.arange(7.0, 7.0 + np.prod(shape)).reshape(shape), self.noise.exponent)

    patch.setattr(kind, "_records", counted)
    patch.setattr(GridNoise, "draw", drawn)
    patch.setattr(NoisySum, "release", released)


def freeze_statistics(patch: pytest.MonkeyPatch) -> None:
    """Of statistics: the noisy parts, which are those of a table without records under a known seed."""
    real = Workload.draw

    def drawn(self: Workload, totals: Any, bits: Any) -> Any:
        real(self, totals, bits)
        empty = {measurement: measurement.zeros() for measurement in totals}
        return real(self, empty, seeded_bits(np.random.default_rng(7)))

    patch.setattr(Workload, "draw", drawn)


def freeze_compression(patch: pytest.MonkeyPatch) -> None:
    """Of compression: the rows."""
    real = compression.compress_stream

    def compressed(*arguments: Any) -> Any:
        return fixed(*real(*arguments).shape)

    patch.setattr(compression, "compress_stream", compressed)


AGE = {"name": "age", "kind": "number", "role": "private", "low": 0, "high": 100, "missing": {"value": 50}}
HOURS = {
    "name": "hours",
    "kind": "integer",
    "role": "private",
    "low": 0,
    "high": 80,
    "missing": {"value": 40},
}
SEX = {"name": "sex", "kind": "category", "role": "private", "encode": "index", "categories": ["f", "m", "x"]}
SEX = {**SEX, "missing": {"value": "f"}}
TOWN = {"name": "town", "kind": "category", "role": "public", "categories": ["Oslo", "Rome", "=1+1"]}
LABEL = {"name": "y", "kind": "label", "role": "public", "categories": ["no", "yes"]}
ONE_HOT, PRIVATE_LABEL = {**SEX, "encode": "one-hot"}, {**LABEL, "role": "private"}
PERSON = {"unit_of_privacy": "person", "person_key": "id", "rows_per_person": 2}
COUNTED = {k: v for k, v in SEX.items() if k != "encode"} | {"undeclared": "skip"}
STATISTICS: tuple[Mapping[str, Any], ...] = (
    {"name": "people", "measure": "count", "by": ["sex"]},
    {"name": "ages", "measure": "mean", "column": "age", "by": ["sex"]},
    {"name": "spread of hours", "measure": "variance", "column": "hours"},
    {"name": "middle age", "measure": "quantiles", "column": "age", "quantiles": [0.25, 0.5], "bins": 20},
    {"name": "hours", "measure": "histogram", "column": "hours", "bins": 8, "where": {"sex": ["f", "x"]}},
    {
        "name": "usual age",
        "measure": "mean",
        "column": "age",
        "by": ["sex"],
        "clip": {"low": 0.05, "high": 0.95, "share": 0.2},
    },
    {"name": "up to", "measure": "ranges", "column": "hours", "edges": [0, 20, 40, 60, 80], "by": ["sex"]},
)
LEDGER = {"path": "table.ledger", "table_id": "people", "create": True}


def dropped(name: str) -> dict[str, str]:
    """A column that is not released."""
    return {"name": name, "role": "drop"}


@dataclass(frozen=True)
class FrozenPolicy:
    """A policy for the table of `hostile_tables`, and how what it draws is frozen."""

    name: str
    columns: tuple[Mapping[str, Any], ...]
    mechanism: Mapping[str, Any]
    limits: Mapping[str, Any]
    freeze: Freeze
    table: Mapping[str, Any] = field(default_factory=dict)
    more: Mapping[str, Any] = field(default_factory=dict)
    rows_private: bool = False
    drops: tuple[str, ...] = ("id", "remark")

    @property
    def kind(self) -> str:
        return str(self.mechanism["kind"])

    def text(self) -> str:
        """TOML of the policy."""
        table = {"rows_public": not self.rows_private, **self.table}
        columns = [*map(dropped, self.drops), *self.columns]
        return policy_text(columns, table, self.mechanism, self.limits, **self.more)

    def policy(self, folder: Path) -> Policy:
        """The policy in `folder`."""
        return parse_policy(self.text().encode(), folder=folder)


ROW_WISE = (AGE, HOURS, SEX, TOWN, LABEL)
NUMBERS = (AGE, HOURS, *map(dropped, ("sex", "town")))
QUICK = {"samples": 3000}
COARSE = {"age": 3, "hours": 3, "sex": -3}  # grids on which curves are computed at once
NO_BITS = {"samples": 10_000, "bits": False}

POLICIES = (
    FrozenPolicy(
        "laplace, CSV",
        ROW_WISE,
        {"kind": "laplace", "scale": {"age": 150.0, "hours": 120.0, "sex": 3.0}, "exponent": COARSE},
        {"epsilon": 2.1},
        freeze_rows,
        more={"audit": QUICK, "output": {"format": "csv"}, "ledger": {**LEDGER, "budget": {"epsilon": 9.0}}},
    ),
    FrozenPolicy(
        "gaussian, zstd",
        (AGE, *map(dropped, ("hours", "sex")), TOWN, LABEL),
        {"kind": "gaussian", "deviation": 300.0},
        {"rho": 0.2},
        freeze_rows,
        more={
            "audit": QUICK,
            "output": {"compression": "zstd"},
            "ledger": {**LEDGER, "budget": {"information": 90.0}},
        },
    ),
    FrozenPolicy(
        "optimal",
        (AGE, HOURS, ONE_HOT, TOWN, LABEL),
        {"kind": "optimal", "half_width": {"age": 30.0, "hours": 30.0, "sex": 2.0}},
        {"error": 50.0},
        freeze_rows,
        more={"audit": {**QUICK, "bits": False}, "ledger": {**LEDGER, "budget": {"information": 90.0}}},
    ),
    FrozenPolicy(
        "constrained, persons",
        (AGE, HOURS, dropped("sex"), TOWN, LABEL),
        {"kind": "constrained", "half_width": {"age": 25.0, "hours": 20.0}, "cells": 8},
        {"error": 50.0},
        freeze_rows,
        table=PERSON,
        more={"audit": QUICK},
    ),
    FrozenPolicy(
        "null-space",
        (*NUMBERS, LABEL),
        {"kind": "null-space", "variance": 0.5},
        {"unbiased_error": 50.0},
        freeze_null_space,
        more={"audit": {**NO_BITS, "samples": 6_500}},
    ),
    FrozenPolicy(
        "ron-gauss, replace",
        (AGE, HOURS, SEX, dropped("town"), PRIVATE_LABEL),
        {"kind": "ron-gauss", "components": 2, "calibrate": True},
        {"epsilon": 2.0},
        freeze_ron_gauss,
        more={"audit": QUICK, "ledger": {**LEDGER, "budget": {"epsilon": 9.0}}},
    ),
    FrozenPolicy(
        "ron-gauss, private number of persons",
        (*NUMBERS, dropped("y")),
        {
            "kind": "ron-gauss",
            "components": 2,
            "calibrate": True,
            "records": 50,
            "adjacency": "add-or-remove",
        },
        {"epsilon": 2.0},
        freeze_ron_gauss,
        table=PERSON,
        more={"audit": {**QUICK, "bits": False}, "output": {"format": "csv"}},
        rows_private=True,
    ),
    FrozenPolicy(
        "ron-gauss, private number of records",
        (*NUMBERS, dropped("y")),
        {"kind": "ron-gauss", "components": 2, "calibrate": True, "records": 50, "epsilon_size": 0.5},
        {"epsilon": 2.0},
        freeze_ron_gauss,
        more={"audit": {**QUICK, "bits": False}},
        rows_private=True,
    ),
    FrozenPolicy(
        "compression",
        (*NUMBERS, dropped("y")),
        {"kind": "compression", "rows": 3, "covariance": [[0.33, 0.0], [0.0, 0.33]], "delta_max": 0.05},
        {"epsilon": 6.0},
        freeze_compression,
        more={"audit": NO_BITS},
    ),
    FrozenPolicy(
        "statistics, Gaussian",
        (AGE, HOURS, COUNTED, dropped("town"), dropped("y")),
        {"kind": "statistics"},
        {"rho": 0.5},
        freeze_statistics,
        more={"audit": QUICK, "ledger": {**LEDGER, "budget": {"rho": 9.0}}, "statistics": STATISTICS},
        rows_private=True,
    ),
    FrozenPolicy(
        "statistics, Laplace, persons, CSV",
        (AGE, HOURS, COUNTED, {**TOWN, "role": "private", "missing": "skip"}, dropped("y")),
        {"kind": "statistics", "noise": "laplace", "adjacency": "replace-one"},
        {"epsilon": 2.0},
        freeze_statistics,
        table=PERSON,
        more={
            "audit": {"samples": 10_000, "alpha": 0.001},
            "output": {"format": "csv"},
            "ledger": {**LEDGER, "budget": {"epsilon": 9.0}},
            "statistics": (
                *STATISTICS,
                {"name": "towns", "measure": "marginals", "columns": ["town", "sex"], "ways": 1},
                {"name": "first town", "measure": "top", "column": "town", "top": 1},
            ),
        },
        rows_private=True,
    ),
)
