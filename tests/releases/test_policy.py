"""Policies: what one says, what may be published of it, its schema, and file names that never lead out of its folder."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_policies import (
    AGE,
    KEY,
    LABEL,
    NOTE,
    ONE_HOT,
    PERSON,
    RON,
    SCORE,
    SEX,
    TOWN,
    WEIGHT,
    made_policy,
    policy_text,
)

from noiseproof.audit.release.policy import SCHEMA, Number, inside, parse_policy, read_policy
from noiseproof.symbolic.errors import SpecError

ROOT = Path(__file__).resolve().parents[2]
GOOD: dict[str, dict[str, Any]] = {
    "laplace": {},
    "one scale a column": {
        "mechanism": {"kind": "laplace", "scale": {"age": 1, "weight": 2.5}, "exponent": -10}
    },
    "gaussian": {
        "mechanism": {"kind": "gaussian", "calibrate": True},
        "limits": {"epsilon": 1, "delta": 1e-6},
    },
    "optimal": {
        "mechanism": {"kind": "optimal", "half_width": 4.0},
        "limits": {"error": {"age": 1, "weight": 2}},
    },
    "constrained": {
        "mechanism": {"kind": "constrained", "half_width": 9.0, "price": 0.1},
        "limits": {"information": 1},
    },
    "null-space": {"columns": (AGE, WEIGHT, LABEL), "mechanism": {"kind": "null-space", "variance": 100.0}},
    "ron-gauss": {"table": {"rows_public": False}, "mechanism": {**RON, "epsilon_size": 0.1}},
    "ron-gauss with labels": {"columns": (AGE, WEIGHT, SCORE), "mechanism": RON},
    "compression": {
        "table": {"rows_public": False},
        "mechanism": {"kind": "compression", "rows": 8, "delta_max": 0.1, "covariance": [[2, 0], [0, 2]]},
    },
    "persons": {"columns": (KEY, AGE, WEIGHT), "table": PERSON},
    "everything": {
        "columns": (KEY, AGE, WEIGHT, ONE_HOT, TOWN, {**NOTE, "missing": {"value": ""}}),
        "table": {
            **PERSON,
            "path": "data/a.parquet",
            "format": "parquet",
            "missing": ["NA", "?"],
            "delimiter": ";",
        },
        "limits": {"epsilon": 9.0, "rho": 4.0, "utility": {"measure": "relative-error", "at_most": 0.5}},
        "audit": {"samples": 1000, "alpha": 0.01, "seed": 7, "bits": False},
        "ledger": {"path": "ledger.jsonl", "table_id": "people", "budget": {"epsilon": 10, "delta": 1e-6}},
        "signing": {"key": "keys/secret.pem"},
        "output": {"format": "csv"},
        "answers": {"trust-model": "the releaser holds the table"},
    },
}


@pytest.mark.parametrize("parts", GOOD.values(), ids=GOOD)
def test_a_policy_is_read_and_satisfies_the_schema(parts: dict[str, Any], tmp_path: Path) -> None:
    text = policy_text(**parts)
    policy = parse_policy(text.encode(), folder=tmp_path)
    assert policy.title == "People"
    assert policy.digest.startswith("sha256:")
    jsonschema.Draft202012Validator(SCHEMA.data()).validate(tomllib.loads(text))


def test_the_published_schema_is_in_step_with_the_models() -> None:
    published = (ROOT / "reports" / "schemas" / "policy-1.schema.json").read_text(encoding="utf-8")
    assert published == SCHEMA.text(), (
        "run: python -m noiseproof.audit.release.policy > reports/schemas/policy-1.schema.json"
    )
    jsonschema.Draft202012Validator.check_schema(SCHEMA.data())


@pytest.mark.parametrize(
    "parts",
    [
        {"mechanism": {"kind": "laplac", "scale": 1.0}},
        {"mechanism": {"kind": "laplace", "scale": -1.0}},
        {"mechanism": {"kind": "laplace", "deviation": 1.0}},
        {"limits": {"epsilon": "1"}},
        {"columns": ({**AGE, "role": "hidden"},)},
        {"columns": ({**AGE, "missing": "drop_row"},)},
        {"table": {"unit_of_privacy": "household"}},
        {"output": {"format": "xlsx"}},
    ],
)
def test_the_schema_refuses_what_the_models_refuse(parts: dict[str, Any]) -> None:
    text = policy_text(**parts)
    with pytest.raises(SpecError):
        parse_policy(text.encode())
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(SCHEMA.data()).validate(tomllib.loads(text))


def test_the_numbers_of_a_record_carry_declared_domains(tmp_path: Path) -> None:
    policy = made_policy(
        tmp_path, (AGE, SEX, {**ONE_HOT, "name": "work", "categories": [1, 2, 3]}, LABEL, TOWN)
    )
    assert policy.numbers == (
        Number("age", "age", 0.0, 120.0, "years"),
        Number("sex", "sex", 0.0, 1.0, "place in the list of categories"),
        Number("work=1", "work", 0.0, 1.0, "", 0),
        Number("work=2", "work", 0.0, 1.0, "", 1),
        Number("work=3", "work", 0.0, 1.0, "", 2),
    )
    assert [column.name for column in policy.public] == ["y", "town"]
    assert policy.label is not None
    assert policy.label.name == "y"


def test_what_may_be_published_names_no_folder_and_no_key(tmp_path: Path) -> None:
    policy = made_policy(tmp_path, **GOOD["everything"])
    data = policy.public_data()
    assert data["table"]["path"] == "a.parquet"
    assert data["ledger"]["path"] == "ledger.jsonl"
    assert "signing" not in data
    assert "secret.pem" not in str(data)
    assert str(tmp_path) not in str(data)


def test_file_names_start_in_the_folder_of_the_policy(tmp_path: Path) -> None:
    (tmp_path / "policy.toml").write_text(policy_text(**GOOD["everything"]), encoding="utf-8-sig")
    policy = read_policy(tmp_path / "policy.toml")
    assert policy.table_path == tmp_path / "data" / "a.parquet"
    assert policy.ledger_path == tmp_path / "ledger.jsonl"
    assert policy.key_path == tmp_path / "keys" / "secret.pem"
    bare = made_policy(tmp_path)
    assert bare.ledger_path is None
    assert bare.key_path is None


def test_links_are_not_followed_out_of_the_folder(tmp_path: Path) -> None:
    folder, secret = tmp_path / "policies", tmp_path / "secret.csv"
    folder.mkdir()
    secret.write_text("age,weight\n1,2\n")
    (folder / "table.csv").symlink_to(secret)
    with pytest.raises(SpecError, match=r"table\.path: a link leads out of the folder"):
        _ = made_policy(folder).table_path
    (folder / "up").symlink_to(tmp_path)
    with pytest.raises(SpecError, match="a link leads out"):
        inside(folder, "up/secret.csv")
    (folder / "loop").symlink_to("loop")
    with pytest.raises(SpecError):
        inside(folder, "loop/x")
    (folder / "real.csv").write_text("")
    (folder / "alias.csv").symlink_to("real.csv")
    assert inside(folder, "alias.csv") == folder / "alias.csv"


NAMES = st.one_of(
    st.text(max_size=12),
    st.lists(st.sampled_from(["..", ".", "", "a", "~", "C:", "\\", "\0", "up", "//"]), max_size=5).map(
        "/".join
    ),
    st.lists(st.sampled_from(["..", "a", "C:", "\\"]), max_size=4).map("\\".join),
)


@settings(max_examples=150, deadline=None)
@given(name=NAMES)
def test_no_name_leads_out_of_a_folder(name: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.getbasetemp() / "inner"
    if not folder.exists():
        folder.mkdir()
        (folder / "up").symlink_to(folder.parent)
    try:
        path = inside(folder, name)
    except SpecError:
        return
    assert os.path.realpath(path).startswith(os.path.realpath(folder))


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_damaged_policies_give_a_message_and_nothing_else(data: st.DataObject) -> None:
    raw = bytearray(policy_text(**data.draw(st.sampled_from(list(GOOD.values())))).encode())
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(raw)))
        raw[start : start + data.draw(st.integers(0, 6))] = data.draw(st.binary(max_size=6))
    message = "policy.toml: "
    try:
        parse_policy(bytes(raw))
    except SpecError as error:
        message = str(error)
    assert message.startswith("policy.toml: ")
    assert len(message) < 2000


@pytest.mark.long
@settings(max_examples=10_000, deadline=None)
@given(raw=st.binary(max_size=400) | st.text(max_size=400).map(str.encode))
def test_anything_at_all_gives_a_message(raw: bytes) -> None:
    with pytest.raises(SpecError):
        parse_policy(raw)
