"""The published schema of proofs has what the kernel reads, and refuses what the kernel refuses for its form."""

from __future__ import annotations

import copy
import json
from functools import cache
from typing import Any

import jsonschema
import pytest
from proof_steps import INFINITY, MINUS_INFINITY, over, step

import noiseproof as npf
from noiseproof.reports import proof_schema
from noiseproof.symbolic.proof.kernel import context, language, proof, steps
from noiseproof.symbolic.proof.kernel.documents import document
from noiseproof.symbolic.proof.kernel.proof import answer, check
from noiseproof.verify_command import published_schemas

DEFINED = proof_schema()["$defs"]


@cache
def validator() -> Any:
    return jsonschema.Draft202012Validator(proof_schema())


def fits(*rows: Any, **more: Any) -> bool:
    return bool(validator().is_valid({"schema": proof.SCHEMA, "steps": list(rows), **more}))


def test_the_schema_names_what_the_kernel_knows() -> None:
    jsonschema.Draft202012Validator.check_schema(proof_schema())
    assert published_schemas()[proof.SCHEMA] == proof_schema()
    operations = set(DEFINED["operation"]["prefixItems"][0]["enum"])
    others = {"const", "int", "sum", "lim", "diff", "polygamma", "fn", "mat", "mat'", "tr"}
    assert operations == language.FUNCTIONS | set(language._ARGUMENTS) | others
    # Each function has one argument.
    one = next(rule for rule in DEFINED["operation"]["allOf"] if "tr" in str(rule["if"]))
    assert set(one["if"]["prefixItems"][0]["enum"]) == language.FUNCTIONS | {"tr"}
    constants = next(rule for rule in DEFINED["operation"]["allOf"] if "pi" in str(rule))
    assert set(constants["then"]["prefixItems"][1]["enum"]) == language.CONSTANTS
    assert set(DEFINED["relation"]["enum"]) == language.RELATIONS
    assert set(DEFINED["rule"]["enum"]) == set(steps.RULES)
    words = DEFINED["variables"]["additionalProperties"]["items"]["enum"]
    assert set(words) == {*context.WORDS, "integer"}
    assert set(DEFINED["letters"]["additionalProperties"]["enum"]) == context.LETTERS
    assert {*DEFINED["step"]["properties"], "reason"} == proof._STEP
    assert set(proof_schema()["properties"]) == proof._PROOF
    assert proof_schema()["properties"]["steps"]["maxItems"] == proof.MOST_STEPS
    assert set(DEFINED["unchecked"]["properties"]["by"]["enum"]) == set(proof._NOT_CHECKED)


INTEGRAL, ANTIDERIVATIVE = over(["exp", ["-", "x"]], "x", 0, INFINITY, ["-", ["exp", ["-", "x"]]])
GOOD = [
    step(["+", 1, 1], "=", 2),
    step(INTEGRAL, "=", 1, hints=ANTIDERIVATIVE),
    step(["sin", ["const", "pi"]], "=", 0),
    step(["diff", ["^", "x", 2], "x", 1], "=", ["*", 2, "x"], variables={"x": ["real"]}),
    step(
        ["abs", "x"],
        "<=",
        1,
        "absolute",
        variables={"x": []},
        given=[["x", "<", 1], ["x", ">", -1]],
        at={"x": 0},
    ),
    {"by": "cited", "reason": "a lemma"},
    {"by": "trusted: sympy"},
]
BAD = [
    step(1.5, "=", 2),
    step(["+"], "=", 2),
    step(["/", 1], "=", 2),
    step(["-", 1, 2, 3], "=", 2),
    step(["sin", 1, 2], "=", 2),
    step(["no", 1], "=", 2),
    step([1, "+", 1], "=", 2),
    step(None, "=", 2),
    step(True, "=", 1),
    step(1, "==", 1),
    step(1, "=", 1, "magic"),
    step(["const", "tau"], "=", 1),
    step(["const", "oo"], "=", 1),
    step(["int", "x", "x", 0], "=", 1),
    step(["int", "x", 3, 0, 1], "=", 1),
    step(["sum", "k", "k", 1], "=", 1),
    step(["lim", "x", "x", 0, "both"], "=", 1),
    step(["polygamma", "n", 1], "=", 1),
    step(["int", "x", "x", MINUS_INFINITY, ["const", "zoo"]], "=", 1),
    step(["diff", "x", "x", 0], "=", 1),
    step(["fn", "g"], "=", 1),
    step(["mat"], "=", 1),
    step("#1", "=", "#1"),
    step("x", "=", "x", variables={"x": ["odd"]}),
    step(1, "=", 1, letters={"A": "unitary"}),
    step(1, "=", 1, given=[["x", "<"]]),
    step(1, "=", 1, truth="holds"),
    {"left": 1, "right": 1, "by": "ring"},
]


@pytest.mark.parametrize("row", GOOD)
def test_steps_of_the_language_fit(row: Any) -> None:
    assert fits(row)
    assert "language" not in answer(row).why


@pytest.mark.parametrize("row", BAD)
def test_what_is_no_step_fits_neither_the_schema_nor_the_kernel(row: Any) -> None:
    assert not fits(row)
    assert answer(row).word == "rejected"


@pytest.mark.parametrize(
    "more", [{"schema": "noiseproof-proof-2"}, {"conclusion": []}, {"sure": True}, {"claim": 3}]
)
def test_what_is_no_proof_fits_not(more: dict[str, Any]) -> None:
    assert not fits(GOOD[0], **more)
    assert not fits()


def test_proofs_of_a_certificate_fit_and_so_do_their_steps() -> None:
    found = json.loads(npf.examine(npf.LaplaceMechanism(1.0, 1.0), npf.PureDP(1.0), samples=200).to_json())
    (finding,) = found["findings"]
    for evidence in (e for e in finding["evidence"] if "proof" in e):
        made = document(finding, evidence)
        assert validator().is_valid(made)
        check(made, claim=evidence["proof"]["claim"])
        wrong = copy.deepcopy(made)
        wrong["steps"][0]["left"] = 0.5
        assert not validator().is_valid(wrong)
