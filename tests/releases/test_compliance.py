"""The checklist: evidence answers, sabotage flips, a signer is asked and never turns an item green."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_release import answers, certificate, changed, manifest, places, without_bytes, without_evidence

from noiseproof.audit.record.certificate import Certificate
from noiseproof.audit.release.checklist.checklist import QUESTIONS, checklist
from noiseproof.audit.release.checklist.item import STATES, Item
from noiseproof.audit.release.checklist.template import answers_template
from noiseproof.symbolic.errors import SpecError

ANSWERED = {q.key for q in QUESTIONS if q.check is not None}
ASKED = {q.key for q in QUESTIONS} - ANSWERED
# Answered by a person in this release, by a check in others: no person key, public columns, a source of bits that no outcome shows.
PARTLY = {"unit-rows", "algorithm-public-columns", "side-time", "implementation-randomness"}


def states(release: dict[str, Any], audit: dict[str, Any], said: Any = None) -> dict[str, str]:
    return {item.key: item.answer.state for item in checklist(release, audit, said)}


def item(key: str, release: dict[str, Any], audit: dict[str, Any]) -> Item:
    return next(one for one in checklist(release, audit) if one.key == key)


def test_a_release_in_order_is_met_by_evidence_and_asks_the_rest() -> None:
    found = states(manifest(), certificate())
    assert {key for key, state in found.items() if state == "met"} == ANSWERED - PARTLY
    assert {key for key, state in found.items() if state == "asked of the signer"} == ASKED | PARTLY
    for one in checklist(manifest(), certificate()):
        assert one.answer.state in STATES
        assert one.question.endswith("?")
        assert one.answer.why
        assert one.answer.evidence or one.answer.state == "asked of the signer"


def test_topics_are_those_of_the_publication() -> None:
    assert list(dict.fromkeys(q.topic for q in QUESTIONS)) == [
        "Privacy parameters",
        "Unit of privacy",
        "Adjacency",
        "Algorithm",
        "Utility and bias",
        "Implementation",
        "Side channels",
        "Trust model",
        "Data collection",
    ]


# For each item that a check answers: what is falsified, and what the item must then say.
SABOTAGE: list[list[Any]] = json.loads(
    Path(__file__).with_name("compliance_sabotage.json").read_text("utf-8")
)
# The same in the certificate, through its evidence.
WITHOUT = [("algorithm-law", "derivation", "open"), ("implementation-code", "likelihood ratio", "open")]


@pytest.mark.parametrize(("key", "path", "value", "expected"), SABOTAGE)
def test_sabotage_of_the_manifest_flips_the_item(key: str, path: str, value: Any, expected: str) -> None:
    assert states(changed(manifest(), path, value), certificate())[key] == expected


@pytest.mark.parametrize(("key", "check", "expected"), WITHOUT)
def test_an_item_falls_with_its_evidence(key: str, check: str, expected: str) -> None:
    assert states(manifest(), without_evidence(check))[key] == expected


def test_of_two_bounds_on_one_number_the_smaller_one_counts() -> None:
    bound = manifest()["error_bounds"][0]
    for bounds in ([bound, {**bound, "bound": 9.0}], [{**bound, "bound": 9.0}, bound]):
        assert (
            states(changed(manifest(), "error_bounds", bounds), certificate())["parameters-limits"]
            == "not met"
        )


def test_the_length_of_a_file_with_a_row_per_record_tells_their_number() -> None:
    withheld = changed(changed(manifest(), "table.rows", None), "policy.table.rows_public", False)
    assert states(withheld, certificate())["adjacency-size"] == "not met"
    synthetic = changed(withheld, "mechanism.kind", "ron-gauss")
    assert states(synthetic, certificate())["adjacency-size"] == "asked of the signer"


def test_bytes_and_digests_are_looked_at() -> None:
    assert states(manifest(), changed(without_bytes(), "settings.bits", False))["side-bytes"] == "not met"
    digest = changed(certificate(), "provenance.data_digest", "sha256:" + "00" * 32)
    assert states(manifest(), digest)["side-certificate"] == "not met"
    other = changed(certificate(), "subjects.0.parameters.columns.0.parameter", 73.0)
    assert states(manifest(), other)["implementation-configuration"] == "not met"


def test_a_release_without_epsilon_is_never_green_on_its_parameters() -> None:
    none = changed(
        manifest(),
        "guarantees",
        [{"kind": "information", "sentence": "x"}, {"kind": "none", "sentence": "y"}],
    )
    found = states(none, certificate())
    lost = {key for key, state in found.items() if state in ("open", "not met")}
    assert lost == {
        "parameters-stated",
        "parameters-carried",
        "parameters-limits",
        "parameters-delta",
        "algorithm-law",
    }
    for path, value in (("exponent", 3), ("noise.scale", 1.0)):
        other = changed(none, f"mechanism.columns.0.{path}", value)
        assert states(other, certificate())["implementation-configuration"] == "not met"


def test_synthetic_records_rest_on_sums_on_a_grid() -> None:
    synthetic = changed(
        changed(manifest(), "mechanism.kind", "ron-gauss"), "mechanism.columns.0.exponent", None
    )
    assert states(synthetic, certificate())["side-grid"] == "open"
    both = changed(synthetic, "mechanism.parameters", {"exponent_of_sum": -6, "exponent_of_products": -7})
    assert states(both, certificate())["side-grid"] == "met"
    assert states(changed(both, "mechanism.kind", "laplace"), certificate())["side-grid"] == "open"
    assert (
        states(changed(both, "mechanism.parameters.exponent_of_sum", 0.5), certificate())["side-grid"]
        == "open"
    )


def test_a_control_that_stands_and_one_that_is_missing() -> None:
    alone = certificate()
    alone["findings"].pop()
    assert states(manifest(), alone)["implementation-controls"] == "open"
    standing = without_evidence("likelihood ratio")
    assert states(manifest(), standing)["implementation-controls"] == "not met"
    assert states(manifest(), standing)["implementation-verdict"] == "not met"


def test_an_edited_certificate_turns_every_check_red() -> None:
    for path, value in (
        ("verdict", "PROVED"),
        ("findings.0.verdict", "PROVED"),
        ("findings", 3),
        ("subjects", None),
    ):
        found = states(manifest(), changed(certificate(), path, value))
        assert {found[key] for key in ANSWERED} == {"not met"}, path
        assert {found[key] for key in ASKED} == {"asked of the signer"}
    for broken in ({}, {"schema": "noiseproof-certificate-1"}, {"schema": 1}):
        assert {states(manifest(), broken)[key] for key in ANSWERED} == {"not met"}


def test_every_item_with_a_check_can_be_lost() -> None:
    flipped = {key for key, *_ in SABOTAGE} | {key for key, *_ in WITHOUT}
    assert flipped | {"implementation-controls", "implementation-verdict"} == ANSWERED - {"side-time"}
    refuted = changed(certificate(), "findings", [])
    assert (
        states(manifest(), changed(refuted, "verdict", "UNDECIDED") | {"exit_code": 5})[
            "implementation-verdict"
        ]
        == "open"
    )


def test_the_question_about_rows_says_that_a_no_fails_the_verification() -> None:
    (item,) = (one for one in checklist(manifest(), certificate()) if one.key == "unit-rows")
    assert 'A "no" fails the verification' in item.answer.why
    assert states(manifest(), certificate(), {"unit-rows": "no: some have two"})["unit-rows"] == "not met"


def test_a_unit_of_persons_is_met_by_a_bound_on_their_rows() -> None:
    table = {"unit_of_privacy": "person", "person_key": "id", "rows_per_person": 4, "rows_public": True}
    person = changed(changed(manifest(), "policy.table", table), "unit_of_privacy", "person")
    assert states(person, certificate())["unit-rows"] == "met"
    for value in (0, True, None, 2.5):
        assert (
            states(changed(person, "policy.table.rows_per_person", value), certificate())["unit-rows"]
            == "not met"
        )


@pytest.mark.parametrize(
    ("check", "key"), [("timing", "side-time"), ("repeated calls", "implementation-randomness")]
)
def test_a_release_that_gives_itself_away_is_not_asked_about(check: str, key: str) -> None:
    data = certificate()
    timing = dict(data["findings"][0]["evidence"][2]) | {
        "check": check,
        "sentence": "bytes",
        "verdict": "REFUTED",
        "measured": {},
        "resolution": None,
        "series": [],
        "bounds": [],
        "witness": {"kind": "binomial"}
        if check == "timing"
        else data["findings"][1]["evidence"][0]["witness"],
    }
    claim = data["findings"][0]["claim"]
    timing["witness"] = timing["witness"] | {key: claim[key] for key in ("predicate", "parameters")}
    data["settings"]["alpha"] = 0.06
    data["findings"][0]["evidence"].append(timing)
    data["findings"][0] |= {"verdict": "REFUTED", "as_expected": False}
    data["findings"][0]["sentences"]["bytes"] = "REFUTED"
    data |= {"verdict": "REFUTED", "exit_code": 1}
    assert Certificate.from_json(json.dumps(data)).exit_code == 1
    found = states(manifest(), data)
    assert (found[key], found["side-bytes"], found["parameters-carried"]) == ("not met",) * 3


def test_no_word_of_a_signer_turns_an_item_green() -> None:
    yes, no = ({q.key: f"{word}: I say so" for q in QUESTIONS} for word in ("yes", "no"))
    plain = states(manifest(), certificate(), {})
    assert states(manifest(), certificate(), yes) == plain
    for key, state in states(manifest(), certificate(), no).items():
        assert state == ("not met" if plain[key] == "asked of the signer" else plain[key])
    for word, settled in (("not known", False), ("Not  applicable", True)):
        other = dict.fromkeys(yes, f"{word}: nobody can say")
        assert states(manifest(), certificate(), other) == plain
        said = {one.key: one.answer for one in checklist(manifest(), certificate(), other)}
        assert {said[key].settled for key in ASKED} == {settled}
    broken = changed(manifest(), "costs.unit", "person")
    assert states(broken, certificate(), yes)["unit-agrees"] == "not met"


def test_answers_are_shown_with_who_gave_them() -> None:
    said = item("parameters-acceptable", manifest(), certificate()).answer
    assert said.signer is not None
    assert (str(said.signer), said.settled) == ("yes - Decided in the meeting of 3 March.", True)
    assert not item("trust-curator", manifest(), certificate()).answer.settled
    short = checklist(manifest(), certificate(), {"trust-curator": "No: the vendor reads it too"})
    curator = next(one for one in short if one.key == "trust-curator")
    assert curator.answer.state == "not met"
    assert curator.answer.against == "the signer says no: the vendor reads it too"
    assert curator.to_dict()["signer"] == {"answer": "no", "why": "the vendor reads it too"}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([], "expected a table of answers"),
        ({"trust-curater": "yes: x"}, "did you mean 'trust-curator'"),
        ({3: "yes: x"}, "no item 3"),
        (
            {"trust-curator": "maybe: x"},
            'expected "yes: why", "no: why", "not applicable: why", "not known: why"',
        ),
        ({"trust-curator": "yes"}, "with the reason in words"),
        ({"trust-curator": 1}, "with the reason in words"),
    ],
)
def test_answers_of_another_form_are_refused(given: Any, message: str) -> None:
    with pytest.raises(SpecError) as error:
        checklist(manifest(), certificate(), given)
    assert message in str(error.value)


def test_the_template_asks_what_is_open_and_reads_back() -> None:
    items = checklist(manifest(), certificate())
    empty = answers_template(items)
    asked = {
        key for key, state in states(manifest(), certificate()).items() if state == "asked of the signer"
    }
    assert set(tomllib.loads(empty)["answers"]) == asked - set(answers())
    assert set(tomllib.loads(answers_template())["answers"]) == ASKED
    with pytest.raises(SpecError, match="answers"):
        checklist(manifest(), certificate(), tomllib.loads(empty)["answers"])
    filled = empty.replace(' = ""', ' = "yes: seen by R. Okafor, 31 March"')
    signed = checklist(manifest(), certificate(), {**answers(), **tomllib.loads(filled)["answers"]})
    assert all(one.answer.settled for one in signed)


def test_hostile_names_end_no_comment_of_the_template() -> None:
    name = 'x\n[answers.trust-curator]\u2028\r\x85answer = "yes"'
    hostile = changed(manifest(), "policy.columns.3.name", name)
    text = answers_template(checklist(hostile, certificate()))
    assert tomllib.loads(text)["answers"]["trust-curator"] == ""


JUNK = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=8),
    st.just("inf"),
    st.lists(st.integers(), max_size=2),
    st.dictionaries(st.text(max_size=4), st.integers(), max_size=2),
    st.just([{}]),
    st.just([{"name": "age"}]),
    st.just(10**400),
)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(path=st.sampled_from(places(manifest())), value=JUNK)
def test_a_damaged_manifest_is_an_answer_or_a_message(path: str, value: Any) -> None:
    try:
        items = checklist(changed(manifest(), path, value), certificate())
    except SpecError:
        assert path.startswith("answers")
        return
    assert [one.key for one in items] == [q.key for q in QUESTIONS]


@settings(max_examples=60, deadline=None, derandomize=True)
@given(path=st.sampled_from(places(certificate())), value=JUNK)
def test_a_damaged_certificate_is_no_accident(path: str, value: Any) -> None:
    assert {one.answer.state for one in checklist(manifest(), changed(certificate(), path, value))} <= set(
        STATES
    )
