"""`npf.Statistics`: a policy of statistics from Python, released from a table in memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import noiseproof as npf
from noiseproof.symbolic.errors import SpecError

AGE = {"kind": "integer", "low": 0, "high": 120, "missing": "skip"}
TOWN = {"kind": "category", "categories": ["a", "b"], "missing": "skip"}


def asked(**more: Any) -> npf.Statistics:
    given: dict[str, Any] = {
        "columns": {"age": AGE, "town": TOWN, "id": "drop"},
        "statistics": {"people": {"measure": "count", "by": ["town"]}},
        "limits": {"epsilon": 2.0},
        "noise": "laplace",
        "audit": {"samples": 2_000, "alpha": 0.001},
        **more,
    }
    return npf.Statistics(given.pop("columns"), given.pop("statistics"), **given)


def test_a_frame_is_released_as_a_file_is(tmp_path: Path) -> None:
    table = pa.table(
        {"age": [20, 30, None, 999] * 50, "town": ["a", "b", "c", "a"] * 50, "id": list(range(200))}
    )
    town = {**TOWN, "undeclared": "skip"}
    found = asked(columns={"age": AGE, "town": town, "id": "drop"}).release(table, tmp_path / "out")
    values = found.table["value"].to_pylist()
    assert len(values) == 2
    assert abs(values[0] - 100) < 20
    assert abs(values[1] - 50) < 20
    assert (tmp_path / "out" / "index.html").exists()


def test_noise_and_split_are_said_before_a_table_is_there() -> None:
    made = asked(statistics=[{"name": "mean", "measure": "mean", "column": "age", "size": 100}])
    assert "mean (mean, 1 number" in str(made)
    assert any("Karush" in line for line in made.split())


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"columns": [1]}, "columns as"),
        ({"columns": {"age": 3}}, r"columns\.age"),
        ({"statistics": {"x": {"measure": "mode"}}}, "measure"),
        ({"limits": {"eps": 1.0}}, "epsilon"),
        ({"rows_per_person": 3}, "person"),
        ({"person": "nobody", "rows_per_person": 3}, "nobody"),
        ({"statistics": {}}, "nothing to publish"),
    ],
)
def test_what_cannot_be_meant_is_refused_with_its_key(more: dict[str, Any], words: str) -> None:
    with pytest.raises(SpecError, match=words):
        asked(**more)
