"""Small policies and tables for the tests of releases: one case for each mechanism."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from made_policies import policy_text

from noiseproof.audit.release.policy import Policy, parse_policy

AGE = {"name": "age", "kind": "number", "role": "private", "low": 0, "high": 100, "unit": "year"}
HOURS = {"name": "hours", "kind": "integer", "role": "private", "low": 0, "high": 80, "unit": "h"}
LABEL = {"name": "y", "kind": "label", "role": "public", "categories": ["no", "yes"]}
ROWS = 300
STATISTICS = (
    {"name": "people", "measure": "count"},
    {"name": "hours", "measure": "histogram", "column": "hours", "edges": [0, 20, 40, 80]},
    {"name": "mean age", "measure": "mean", "column": "age", "size": 300},
)


@dataclass(frozen=True)
class Case:
    """A mechanism that can release the small table, with limits that it meets."""

    mechanism: Mapping[str, Any]
    limits: Mapping[str, Any]
    samples: int = 3000
    bits: bool = True
    label: str = "public"
    more: Mapping[str, Any] = field(default_factory=dict)

    @property
    def kind(self) -> str:
        return str(self.mechanism["kind"])

    def text(self, **parts: Any) -> str:
        """TOML of a policy, whose table is table.csv."""
        label = {
            "public": LABEL,
            "drop": {"name": "y", "role": "drop"},
            "private": {**LABEL, "role": "private"},
        }
        audit = {"samples": self.samples, "bits": self.bits}
        tables = {"mechanism": self.mechanism, "limits": self.limits, "audit": audit, **self.more, **parts}
        numbers = (
            [{**n, "missing": "skip"} for n in (AGE, HOURS)] if self.kind == "statistics" else [AGE, HOURS]
        )
        return policy_text([*numbers, label[self.label]], **tables)

    def policy(self, folder: Path, **parts: Any) -> Policy:
        """The policy in `folder`."""
        return parse_policy(self.text(**parts).encode(), folder=folder)

    def written(self, folder: Path, **parts: Any) -> Path:
        """policy.toml in `folder`."""
        (folder / "policy.toml").write_text(self.text(**parts))
        return folder / "policy.toml"


CASES = {
    "laplace": Case({"kind": "laplace", "calibrate": True}, {"epsilon": 2.0}),
    "gaussian": Case({"kind": "gaussian", "deviation": 300.0}, {"epsilon": 2.0, "delta": 1e-4}),
    "optimal": Case({"kind": "optimal", "half_width": 30.0}, {"error": 50.0}),
    "constrained": Case(
        {"kind": "constrained", "half_width": {"age": 25, "hours": 20}, "cells": 8}, {"error": 50.0}
    ),
    "null-space": Case(
        {"kind": "null-space", "variance": 0.5}, {"unbiased_error": 50.0}, samples=6_500, bits=False
    ),
    "ron-gauss": Case(
        {"kind": "ron-gauss", "components": 2, "calibrate": True}, {"epsilon": 2.0}, label="private"
    ),
    "compression": Case(
        {"kind": "compression", "rows": 3, "covariance": [[0.33, 0.0], [0.0, 0.33]], "delta_max": 0.05},
        {"epsilon": 6.0},
        samples=10_000,
        bits=False,
        label="drop",
    ),
    "statistics": Case(
        {"kind": "statistics", "noise": "laplace"},
        {"epsilon": 2.0},
        samples=5_000,
        label="drop",
        more={"table": {"rows_public": False}, "statistics": STATISTICS},
    ),
}


def write_table(
    folder: Path, seed: int = 0, rows: int = ROWS, ages: tuple[float, float] = (0.0, 100.0)
) -> Path:
    """table.csv with seeded records; the label depends on them, the second moments are those of uniform numbers."""
    rng = np.random.default_rng(seed)
    age, hours = rng.uniform(*ages, size=rows), rng.integers(0, 81, size=rows)
    said = np.where(age / 100 + hours / 80 + rng.normal(0, 0.2, rows) > 1, "yes", "no")
    lines = ["age,hours,y", *(f"{a:.3f},{h},{y}" for a, h, y in zip(age, hours, said, strict=True))]
    path = folder / "table.csv"
    path.write_text("\n".join(lines) + "\n")
    return path
