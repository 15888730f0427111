"""Adult and Lending Club released end to end with each mechanism that fits them, by the examples that are shipped."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from sealed_release import verify

from noiseproof.audit.release import release
from noiseproof.audit.release.kinds import KINDS
from noiseproof.audit.release.plan import plan
from noiseproof.audit.release.policy import Policy, parse_policy, read_policy
from noiseproof.audit.release.policy.mechanism_models import ROW_WISE
from noiseproof.audit.release.tables import open_table
from noiseproof.release_command import pages

EXAMPLES = sorted((Path(__file__).parents[2] / "examples" / "release").glob("*.toml"))
TABLES = {"adult": ("adult.csv.gz", 48_842), "lending": ("lending_club_10k.csv.gz", 10_000)}


def test_every_mechanism_has_an_example() -> None:
    assert {read_policy(p).model.mechanism.kind for p in EXAMPLES} == set(KINDS)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_an_example_is_a_policy_that_can_be_met(path: Path) -> None:
    policy = read_policy(path)
    assert path.stem in path.read_text()
    if policy.model.mechanism.kind in ("gaussian", "laplace"):
        return  # their exact curves take seconds: the long test releases with them
    assert plan(policy, 10_000).unmet == ()


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_an_example_has_its_table_beside_it(path: Path) -> None:
    assert open_table(read_policy(path)).count() >= 2_000


@pytest.mark.long
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_an_example_runs_as_its_first_lines_say(path: Path, tmp_path: Path) -> None:
    shutil.copytree(path.parent, tmp_path / "examples" / "release")
    line = next(one for one in path.read_text().splitlines() if "noiseproof release" in one)
    words = line.strip("# ").split()[1:]
    done = subprocess.run([sys.executable, "-m", "noiseproof", *words], cwd=tmp_path, check=False)
    assert done.returncode == 0
    assert (tmp_path / words[-1] / "index.html").is_file()


@pytest.mark.long
@pytest.mark.skipif("NOISEPROOF_DATA" not in os.environ, reason="NOISEPROOF_DATA is not set")
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_real_data_are_released_end_to_end(path: Path, tmp_path: Path) -> None:
    name, rows = TABLES[path.stem.split("_")[0]]
    shutil.copy(path, tmp_path / path.name)
    table = Path(os.environ["NOISEPROOF_DATA"]) / name
    policy = read_policy(tmp_path / path.name)
    done = release(policy, tmp_path / "out", table=table, salt=tmp_path / "salt", pages=pages)
    assert done.certificate.exit_code == 0
    data = pq.read_table(tmp_path / "out" / "data.parquet")
    if policy.model.mechanism.kind in ROW_WISE:
        assert data.num_rows == rows
    assert not [
        f for f in verify(tmp_path / "out") if f.state == "fails" and not f.what.startswith("checklist")
    ]
    page = (tmp_path / "out" / "index.html").read_text()
    assert all(g.sentence.split(":")[0][:40] in page.replace("&#39;", "'") for g in done.manifest.guarantees)
    text = (tmp_path / "out" / "release.json").read_text() + (
        tmp_path / "out" / "certificate.json"
    ).read_text()
    assert str(table.parent) not in text


THREE = {"annual_income": 1e9, "loan_amount": 1e7, "interest_rate": 10.0}
LOAN_TERM = {"name": "term", "kind": "label", "role": "public", "categories": ["36", "60"]}
OTHERS: dict[str, tuple[str, dict[str, Any], dict[str, Any], dict[str, Any]]] = {
    "lending-laplace": ("lending_gaussian", {"kind": "laplace", "calibrate": True}, {"epsilon": 6.0}, {}),
    "lending-optimal": ("lending_gaussian", {"kind": "optimal", "calibrate": True}, {"error": THREE}, {}),
    "lending-constrained": (
        "lending_gaussian",
        {
            "kind": "constrained",
            "half_width": {"annual_income": 125e3, "loan_amount": 1e4, "interest_rate": 9.0},
            "cells": 16,
        },
        {"error": THREE},
        {},
    ),
    "lending-ron-gauss": (
        "lending_gaussian",
        {"kind": "ron-gauss", "components": 2, "calibrate": True},
        {"epsilon": 6.0},
        {"term": {"name": "term", "role": "drop"}},
    ),
    "lending-null-space": (
        "lending_gaussian",
        {"kind": "null-space", "variance": 0.5},
        {"unbiased_error": 1e6},
        {"term": LOAN_TERM},
    ),
    "adult-compression": (
        "adult_laplace",
        {"kind": "compression", "rows": 10, "covariance": [[0.18, 0.0], [0.0, 0.066]], "delta_max": 0.01},
        {"epsilon": 4.0},
        {n: {"name": n, "role": "drop"} for n in ("income", "hours_per_week")},
    ),
}


def adapted(name: str, folder: Path) -> Policy:
    """A shipped policy on the same table with another mechanism, other limits and some columns declared otherwise."""
    shipped, mechanism, limits, columns = OTHERS[name]
    tree = tomllib.loads((EXAMPLES[0].parent / f"{shipped}.toml").read_text())
    tree["mechanism"], tree["limits"] = mechanism, limits
    tree["audit"]["bits"] = mechanism["kind"] not in ("null-space", "compression")
    tree["columns"] = [columns.get(c["name"], c) for c in tree["columns"]]
    tree.pop("ledger", None)
    return parse_policy(_toml(tree).encode(), folder=folder)


@pytest.mark.long
@pytest.mark.skipif("NOISEPROOF_DATA" not in os.environ, reason="NOISEPROOF_DATA is not set")
@pytest.mark.parametrize("name", OTHERS)
def test_both_tables_are_released_with_the_mechanisms_that_have_no_example(name: str, tmp_path: Path) -> None:
    file, rows = TABLES[name.split("-")[0]]
    done = release(
        adapted(name, tmp_path),
        tmp_path / "out",
        table=Path(os.environ["NOISEPROOF_DATA"]) / file,
        pages=pages,
    )
    assert done.certificate.exit_code == 0
    assert done.manifest.rows == rows
    assert not [
        f for f in verify(tmp_path / "out") if f.state == "fails" and not f.what.startswith("checklist")
    ]


def _toml(tree: dict[str, Any]) -> str:
    """TOML of plain data, enough for a policy."""
    from made_policies import _value

    lines = [f"{k} = {_value(v)}" for k, v in tree.items() if not isinstance(v, dict | list)]
    for key, value in tree.items():
        if isinstance(value, dict):
            lines += [f"[{key}]", *(f"{json.dumps(k)} = {_value(v)}" for k, v in value.items())]
    for column in tree["columns"]:
        lines += ["[[columns]]", *(f"{json.dumps(k)} = {_value(v)}" for k, v in column.items())]
    return "\n".join(lines) + "\n"
