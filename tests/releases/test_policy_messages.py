"""Every slip in a policy gets one message: the key, what was expected, what came, the nearest name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from made_policies import AGE, KEY, LABEL, NOTE, ONE_HOT, PERSON, RON, SCORE, SEX, TOWN, WEIGHT, policy_text

from noiseproof.audit.record.reading.toml_file import LONGEST
from noiseproof.audit.release.policy import parse_policy, read_policy
from noiseproof.symbolic.errors import SpecError

SHAPES = [
    ({"tabel": {"x": 1}}, "tabel: unknown key; did you mean 'table'?"),
    ({"mechanism": {"kind": "laplac"}}, "mechanism.kind: unknown name 'laplac'; did you mean 'laplace'?"),
    ({"mechanism": {"scale": 1.0}}, "mechanism.kind: this key is missing"),
    ({"mechanism": {"kind": ["laplace"]}}, "mechanism.kind: unknown name"),
    ({"mechanism": {"kind": "laplace", "scal": 1}}, "mechanism.scal: unknown key; did you mean 'scale'?"),
    ({"mechanism": {"kind": "laplace", "scale": "1"}}, "mechanism.scale: expected a number, got '1'"),
    ({"mechanism": {"kind": "laplace", "scale": 0}}, "mechanism.scale: expected a number > 0, got 0"),
    (
        {"mechanism": {"kind": "laplace", "scale": {"age": -1.5, "weight": 1}}},
        "mechanism.scale.age: expected a number > 0, got -1.5",
    ),
    (
        {"mechanism": {"kind": "laplace", "scale": 1, "exponent": 0.5}},
        "mechanism.exponent: expected a whole number, got 0.5",
    ),
    (
        {"mechanism": {"kind": "null-space", "variance": 1, "rho": -1}},
        "mechanism.rho: expected a number >= 0, got -1",
    ),
    (
        {"mechanism": {"kind": "ron-gauss"}},
        "mechanism.components: this key is missing: dimension of the projected records",
    ),
    ({"limits": {"delta": 1}}, "limits.delta: expected a number < 1, got 1"),
    (
        {"limits": {"utility": {"measure": "x", "at_most": 1}}},
        "limits.utility.measure: expected 'mean-squared-error' or 'relative-error', got 'x'",
    ),
    ({"limits": {"utility": 3}}, "limits.utility: expected a table, got 3"),
    ({"columns": ({**AGE, "lo": 1},)}, "columns[0].lo: unknown key; did you mean 'low'?"),
    ({"columns": (AGE, {**WEIGHT, "low": "a"})}, "columns[1].low: expected a finite number, got 'a'"),
    ({"columns": ({**WEIGHT, "low": True},)}, "columns[0].low: expected a finite number, got true"),
    ({"columns": ({**WEIGHT, "low": 1e301},)}, "columns[0].low: expected a number <= 1e+300"),
    (
        {"columns": ({**AGE, "kind": "int"},)},
        "columns[0].kind: expected 'number', 'integer', 'category', 'label' or 'text', got 'int'",
    ),
    (
        {"columns": ({**AGE, "missing": "drop_row"},)},
        'columns[0].missing: expected "refuse", or { value = ... }',
    ),
    (
        {"columns": ({**AGE, "missing": {"vlue": 1}},)},
        "columns[0].missing.vlue: unknown key; did you mean 'value'?",
    ),
    ({"table": {"delimiter": "x"}}, "table.delimiter: expected ',', ';', '\\t' or '|', got 'x'"),
    ({"audit": {"samples": 10}}, "audit.samples: expected a number >= 100, got 10"),
    ({"audit": {"seed": -1}}, "audit.seed: expected a number >= 0, got -1"),
    ({"answers": {"a": 1}}, "answers.a: expected text in quotes, got 1"),
    ({"ledger": {"path": "x"}}, "ledger.table_id: this key is missing: the name of the table in the ledger"),
]

DISAGREEMENTS = [
    (
        {"columns": (AGE, {**WEIGHT, "name": "age"})},
        "columns[1].name: 'age' is declared twice, first as columns[0]",
    ),
    ({"columns": ({**AGE, "name": "a\x07"},)}, "columns[0].name: the name holds control characters"),
    (
        {"columns": ({k: v for k, v in AGE.items() if k != "low"},)},
        "columns[0].low: this key is missing: the least value",
    ),
    ({"columns": ({k: v for k, v in AGE.items() if k != "kind"},)}, "columns[0].kind: this key is missing"),
    (
        {"columns": ({**AGE, "low": 130},)},
        "columns[0].high: expected low < high, got low = 130 and high = 120",
    ),
    (
        {"columns": ({**AGE, "low": 120},)},
        "columns[0].high: expected low < high, got low = 120 and high = 120",
    ),
    (
        {"columns": ({**AGE, "low": 0.5},)},
        "columns[0].low: expected a whole number of at most 2^53 in size, got 0.5",
    ),
    ({"columns": ({**AGE, "high": 2**60},)}, "columns[0].high: expected a whole number of at most 2^53"),
    (
        {"columns": ({**AGE, "missing": {"value": 121}},)},
        "columns[0].missing.value: expected a value of the declared domain, got 121",
    ),
    (
        {"columns": ({**AGE, "missing": {"value": "x"}},)},
        "columns[0].missing.value: expected a number, got 'x'",
    ),
    (
        {"columns": ({**AGE, "missing": {"value": 0.5}},)},
        "columns[0].missing.value: expected a whole number of at most 2^53 in size, got 0.5",
    ),
    (
        {"columns": (AGE, {**NOTE, "missing": {"value": "a\n"}})},
        "columns[1].missing.value: expected text without control characters, got 'a\\n'",
    ),
    (
        {"columns": (AGE, {**NOTE, "missing": {"value": 1}})},
        "columns[1].missing.value: expected text without control characters, got 1",
    ),
    ({"columns": ({**AGE, "categories": [1]},)}, 'columns[0].categories: kind = "integer" has no categories'),
    ({"columns": ({**AGE, "encode": "index"},)}, "columns[0].encode: only a private category is encoded"),
    ({"columns": ({**SEX, "low": 0},)}, 'columns[0].low: kind = "category" has no low'),
    (
        {"columns": ({k: v for k, v in SEX.items() if k != "encode"},)},
        'columns[0].encode: this key is missing: "index" or "one-hot"',
    ),
    ({"columns": ({**SEX, "categories": ["f", "f"]},)}, "columns[0].categories: 'f' stands twice"),
    ({"columns": ({**SEX, "categories": ["f"]},)}, "columns[0].categories: expected at least 2 entries"),
    (
        {"columns": ({**SEX, "categories": ["f", "m\n"]},)},
        "columns[0].categories: 'm\\n' holds control characters",
    ),
    (
        {"columns": ({**SEX, "categories": ["f", ""]},)},
        "columns[0].categories: '' means a missing value in table.missing",
    ),
    (
        {"columns": ({**SEX, "missing": {"value": "x"}},)},
        "columns[0].missing.value: expected one of the declared categories, got 'x'",
    ),
    (
        {"columns": (ONE_HOT, {**AGE, "name": "sex=f"})},
        "columns[0].encode: its entry 'sex=f' has the name of another column",
    ),
    (
        {"columns": ({**NOTE, "role": "private"}, AGE)},
        "columns[0].kind: free text cannot be protected by noise",
    ),
    ({"columns": (NOTE, TOWN)}, "columns: no column is private"),
    (
        {"columns": (AGE, {**ONE_HOT, "categories": list(range(10_000))})},
        "columns: the private columns make 10,001 numbers a record, expected at most 10,000",
    ),
    ({"columns": (AGE, LABEL, {**LABEL, "name": "z"})}, "columns[2].kind: there is another label"),
    ({"columns": (AGE, SCORE)}, "columns[1].role: laplace does not protect labels"),
    ({"table": PERSON}, "table.person_key: no column 'id' is declared"),
    (
        {"columns": ({**AGE, "name": "id"},), "table": PERSON},
        "columns[0].role: the person key names persons and is never released",
    ),
    (
        {"columns": (KEY, AGE), "table": {"person_key": "id"}},
        'table.person_key: only with unit_of_privacy = "person"',
    ),
    (
        {"columns": (KEY, AGE), "table": {"unit_of_privacy": "person", "rows_per_person": 2}},
        "table.person_key: this key is missing",
    ),
    (
        {"columns": (KEY, AGE), "table": {"unit_of_privacy": "person", "person_key": "id"}},
        "table.rows_per_person: this key is missing",
    ),
    ({"table": {"rows_public": False}}, "table.rows_public: laplace releases one row for each record"),
    ({"table": {"path": "../x.csv"}}, 'table.path: the name holds ".."'),
    ({"table": {"path": "/etc/passwd"}}, "table.path: the name is absolute"),
    ({"table": {"path": "C:\\x.csv"}}, "table.path: the name is absolute"),
    ({"table": {"path": "a\x00.csv"}}, "table.path: the name holds control characters"),
    ({"ledger": {"path": "~/x", "table_id": "t"}}, "ledger.path: the name is absolute"),
    ({"signing": {"key": "a\\..\\k"}}, 'signing.key: the name holds ".."'),
    ({"signing": {"key": "a/../../k"}}, 'signing.key: the name holds ".."'),
    (
        {"ledger": {"path": "x", "table_id": "t", "budget": {}}},
        "ledger.budget: expected epsilon, rho or information",
    ),
    (
        {"ledger": {"path": "x", "table_id": "t", "budget": {"delta": 0.1}}},
        "ledger.budget.delta: delta belongs to an epsilon: set ledger.budget.epsilon",
    ),
    (
        {"ledger": {"path": "x", "table_id": "t", "budget": {"epsilon": 1.0, "rho": 1.0}}},
        "ledger.budget: a ledger counts in one currency",
    ),
    (
        {"mechanism": {"kind": "laplace"}},
        "mechanism.scale: this key is missing: a number, or calibrate = true",
    ),
    (
        {"mechanism": {"kind": "laplace", "scale": 1, "calibrate": True}},
        "mechanism.scale: given as a number and by calibrate = true",
    ),
    (
        {"mechanism": {"kind": "laplace", "scale": {"aeg": 1, "weight": 1}}},
        "mechanism.scale: no private column 'aeg'; did you mean 'age'?",
    ),
    (
        {"mechanism": {"kind": "laplace", "scale": {"age": 1}}},
        "mechanism.scale: no entry for the private column 'weight'",
    ),
    (
        {
            "mechanism": {"kind": "laplace", "calibrate": True},
            "limits": {"utility": {"measure": "relative-error", "at_most": 1}},
        },
        "limits: calibration needs a limit to meet",
    ),
    ({"limits": {"delta": 0.1}}, "limits.delta: delta belongs to an epsilon"),
    ({"limits": {"error": {"age": 1}}}, "limits.error: no entry for the private column 'weight'"),
    (
        {"columns": (AGE, TOWN), "mechanism": RON},
        "columns[1].role: what ron-gauss releases has no row for each record",
    ),
    ({"mechanism": {**RON, "components": 3}}, "mechanism.components: expected at most 2"),
    (
        {"mechanism": {**RON, "adjacency": "add-or-remove"}},
        "table.rows_public: with add-or-remove the number of rows is private",
    ),
    (
        {"table": {"rows_public": False}, "mechanism": {k: v for k, v in RON.items() if k != "records"}},
        "mechanism.records: this key is missing",
    ),
    (
        {"mechanism": {"kind": "null-space", "variance": 1}},
        "columns: null-space noise belongs to a classifier",
    ),
    (
        {"mechanism": {"kind": "compression", "rows": 2, "delta_max": 0, "covariance": [[1]]}},
        "mechanism.covariance: expected 2 rows of 2 numbers",
    ),
    (
        {"mechanism": {"kind": "compression", "rows": 2, "delta_max": 0, "covariance": [[1, 0], [0]]}},
        "mechanism.covariance: expected 2 rows of 2 numbers",
    ),
]


@pytest.mark.parametrize(
    ("parts", "message"), [*SHAPES, *DISAGREEMENTS], ids=lambda v: v if isinstance(v, str) else ""
)
def test_one_slip_one_message(parts: dict[str, Any], message: str) -> None:
    with pytest.raises(SpecError) as caught:
        parse_policy(policy_text(**parts).encode())
    assert str(caught.value).startswith(f"policy.toml: {message}")


def test_a_policy_without_limits_could_refuse_nothing() -> None:
    text = policy_text().replace('"epsilon" = 1000.0', "")
    with pytest.raises(SpecError, match="limits: no limit is set"):
        parse_policy(text.encode())


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"", "title: this key is missing (also to correct: table, columns, mechanism, limits)"),
        (b"\xff\xfe", "not valid TOML: the file is not UTF-8 text"),
        (b"a =", "not valid TOML: Invalid value"),
        (b"a = " + b"[" * 100_000, "not valid TOML: nested too deeply"),
        (b"a = 1" + b"0" * 5000, "not valid TOML: nested too deeply, or a number too long"),
        (b"#" * (LONGEST + 1), "longer than 5,000,000 bytes"),
    ],
)
def test_what_is_no_policy(raw: bytes, message: str) -> None:
    with pytest.raises(SpecError) as caught:
        parse_policy(raw)
    assert str(caught.value).startswith(f"policy.toml: {message}")


def test_a_policy_that_is_not_there(tmp_path: Path) -> None:
    for path, reason in (
        (tmp_path / "no.toml", "no such file"),
        (tmp_path, "Is a directory"),
        ("a\0b", "cannot be read"),
    ):
        with pytest.raises(SpecError, match=reason):
            read_policy(path)
