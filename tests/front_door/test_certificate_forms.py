"""Certificates of every form: schema, round trip, tampering, and how verdicts follow from evidence."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import jsonschema
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from noiseproof import (
    BROKEN_MECHANISMS,
    ApproxDP,
    BlackBox,
    Certificate,
    Claim,
    ErrorBound,
    Evidence,
    Family,
    FisherInformation,
    GaussianDP,
    GaussianMechanism,
    Mutant,
    OptimalGaussian,
    PureDP,
    Verdict,
    examine,
)
from noiseproof.audit.record.certificate import Finding
from noiseproof.audit.record.evidence import combine
from noiseproof.audit.record.plain import json_text, plain
from noiseproof.audit.record.reading.certificate_form import CertificateForm
from noiseproof.reports import certificate_schema


def proved() -> Certificate:
    return examine(
        GaussianMechanism(1.0, 1.0), Claim(GaussianDP(1.0), about="law"), samples=100, title="A proof"
    )


def mixed() -> Certificate:
    records = np.array([[0.5, 1.0], [0.2, 2.0]])
    subject = OptimalGaussian(1.0, ([0.0, 0.0], [1.0, 3.0]), records=records)
    control = Claim(ErrorBound(2.0), Mutant.noise_divided_by(subject, 3.0), expect="falls")
    claims: list[Any] = [ErrorBound(2.0), GaussianDP(4.0), control]
    return examine(subject, claims, samples=2000, notes=["labels are released in clear"], bits=True)


def broken() -> Certificate:
    return examine(None, [Claim(f.claim, f.subject) for f in BROKEN_MECHANISMS], samples=4000)


def families() -> Certificate:
    known = Family(
        lambda theta, size, rng: theta + rng.normal(size=size),
        lambda y, theta: -0.5 * (np.asarray(y) - theta) ** 2 - 0.5 * np.log(2 * np.pi),
        0.0,
        location=True,
    )
    claims = [FisherInformation(1.0), FisherInformation(3.0), ErrorBound(1.0)]
    return examine(known, claims, samples=2000)


def nothing() -> Certificate:
    return examine(BlackBox(lambda d, n, r: d, (0, 1)), [], samples=100)


FORMS: dict[str, Callable[[], Certificate]] = {
    "proved": cache(proved),
    "mixed": cache(mixed),
    "broken": cache(broken),
    "families": cache(families),
    "nothing": cache(nothing),
}


@pytest.mark.parametrize("name", FORMS)
def test_it_satisfies_the_published_schema(name: str) -> None:
    schema = certificate_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.Draft202012Validator(schema).validate(json.loads(FORMS[name]().to_json()))


@pytest.mark.parametrize("name", FORMS)
def test_it_survives_a_round_trip(name: str) -> None:
    text = FORMS[name]().to_json()
    again = Certificate.from_json(text)
    assert again.to_json() == text
    assert (again.verdict, again.exit_code) == (FORMS[name]().verdict, FORMS[name]().exit_code)


def test_the_forms_say_what_they_should() -> None:
    assert (FORMS["proved"]().verdict, FORMS["proved"]().exit_code) == (Verdict.PROVED, 0)
    assert FORMS["nothing"]().exit_code == 5
    assert [f.verdict for f in FORMS["broken"]().findings] == [Verdict.REFUTED] * len(BROKEN_MECHANISMS)
    assert FORMS["families"]().findings[1].verdict is Verdict.REFUTED
    control = FORMS["mixed"]().findings[2]
    assert control.is_control
    assert control.as_expected


def _first(data: dict[str, Any]) -> dict[str, Any]:
    first: dict[str, Any] = data["findings"][0]
    return first


BOUNDS = ("delta", "claimed", "certified", "attainable")


def test_bounds_are_numbers_at_ascending_deltas_and_infinities_are_words() -> None:
    claims = [GaussianDP(1.0), PureDP(1.0), ApproxDP(1.0, 1e-3)]
    certificate = examine(BlackBox(lambda d, n, r: d + r.normal(size=n), (0.0, 1.0)), claims, samples=2000)
    data = json.loads(certificate.to_json())
    tables = [[e["bounds"] for e in f["evidence"] if e["bounds"]] for f in data["findings"]]
    assert all(len(found) == 1 for found in tables)
    for (rows,) in tables:
        assert all(tuple(row) == BOUNDS for row in rows)
        assert [r["delta"] for r in rows] == sorted({r["delta"] for r in rows})
        assert all(0 <= r["certified"] <= r["attainable"] for r in rows)
    # A whole curve and a claim with a delta say nothing about delta = 0, a pure claim does.
    assert [rows[0]["claimed"] for (rows,) in tables] == ["inf", 1.0, "inf"]
    again = Certificate.from_json(json.dumps(data))
    assert [e.bounds for f in again.findings for e in f.evidence] == [
        e.bounds for f in certificate.findings for e in f.evidence
    ]
    assert again.findings[0].evidence[-1].bounds[0]["claimed"] == np.inf


@pytest.mark.parametrize(
    "row",
    [
        {"delta": 0.0, "claimed": 1.0, "certified": 0.5},
        {"delta": 0.0, "claimed": 1.0, "certified": "inf", "attainable": 2.0},
        {"delta": 0.0, "claimed": "unbounded", "certified": 0.5, "attainable": 2.0},
        {"delta": 1.5, "claimed": 1.0, "certified": 0.5, "attainable": 2.0},
        {"delta": 0.0, "claimed": 1.0, "certified": -0.5, "attainable": 2.0},
        {"delta": 0.0, "claimed": 1.0, "certified": 0.5, "attainable": 2.0, "more": 1},
    ],
)
def test_rows_of_bounds_that_are_none_break_the_schema(row: dict[str, Any]) -> None:
    data = json.loads(FORMS["proved"]().to_json())
    _first(data)["evidence"][0]["bounds"] = [row]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(certificate_schema()).validate(data)


TAMPERED: dict[str, Callable[[dict[str, Any]], Any]] = {
    "finding": lambda d: d["findings"][2].update(verdict="SURVIVED"),
    "sentence": lambda d: _first(d)["sentences"].update(code="PROVED"),
    "sentence left out": lambda d: d["findings"][2]["sentences"].update(code=None, fit=None),
    "as expected": lambda d: _first(d).update(as_expected=not _first(d)["as_expected"]),
    "evidence": lambda d: [e.update(verdict="SURVIVED") for e in d["findings"][2]["evidence"]],
    "evidence left out": lambda d: _first(d).update(evidence=[]),
    "schema": lambda d: d.update(schema="other"),
    "findings": lambda d: d.pop("findings"),
    "bounds": lambda d: _first(d)["evidence"][0].pop("bounds"),
    "bounds that are no numbers": lambda d: _first(d)["evidence"][0].update(bounds=[{"delta": "x"}]),
    "series": lambda d: _first(d)["evidence"][0].pop("series"),
    "unknown verdict": lambda d: _first(d)["evidence"][0].update(verdict="SAFE"),
}


@pytest.mark.parametrize("name", TAMPERED)
def test_tampering_is_noticed(name: str) -> None:
    data = copy.deepcopy(FORMS["mixed"]().to_dict())
    TAMPERED[name](data)
    with pytest.raises(ValueError, match=r"certificate|verdict|finding"):
        Certificate.from_json(json.dumps(data))


@pytest.mark.parametrize("text", ["", "[]", "{}", "3", '{"schema": "noiseproof-certificate-1"}'])
def test_text_that_is_no_certificate_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        Certificate.from_json(text)


def test_the_order_of_claims_does_not_change_the_evidence() -> None:
    box = BlackBox(lambda d, n, r: d + r.laplace(0, 1, n), (0.0, 1.0))
    one = examine(box, [PureDP(1.0), GaussianDP(2.0)], samples=1000)
    two = examine(box, [GaussianDP(2.0), PureDP(1.0)], samples=1000)
    assert one.findings[0].evidence == two.findings[1].evidence


@given(st.lists(st.sampled_from(list(Verdict)), max_size=5))
@settings(max_examples=50, derandomize=True)
def test_on_one_sentence_a_refutation_wins_unless_a_proof_disagrees_then_the_strongest_support(
    verdicts: list[Verdict],
) -> None:
    evidence = [Evidence("c", "attack", "code", v, "", "") for v in verdicts]
    best = max(verdicts, default=Verdict.UNDECIDED)
    refuted = Verdict.UNDECIDED if Verdict.PROVED in verdicts else Verdict.REFUTED
    assert combine(evidence) is (refuted if Verdict.REFUTED in verdicts else best)


SENTENCES: Any = ("law", "fit", "code", "bytes")


@given(
    st.dictionaries(st.sampled_from(SENTENCES), st.sampled_from(list(Verdict)), min_size=1),
    st.sampled_from(["law", "code"]),
)
@settings(max_examples=80, derandomize=True)
def test_a_finding_is_as_good_as_its_weakest_sentence(by: dict[Any, Verdict], about: str) -> None:
    evidence = tuple(Evidence("c", "attack", s, v, "", "") for s, v in by.items())
    claim = {"about": about, "expect": "holds"}
    finding = Finding(1, "s", "t", claim, tuple(by), evidence)
    assert finding.verdict <= min(by.values())
    assert about == "law" or finding.verdict <= Verdict.SURVIVED
    # A sentence that was asked for and never looked at is not green.
    asked_more = Finding(1, "s", "t", claim, SENTENCES, evidence)
    assert len(by) == 4 or asked_more.verdict <= Verdict.UNDECIDED


def test_plain_data_is_json_whatever_comes_in() -> None:
    odd = {
        "a": np.float32(0.5),
        2: [np.int64(3), float("nan"), float("-inf")],
        "d": Verdict.PROVED,
        "f": object,
    }
    assert json.loads(json.dumps(plain(odd), allow_nan=False))["2"] == [3, "nan", "-inf"]
    assert plain(np.zeros(1000))["shape"] == [1000]


def test_the_text_of_a_file_is_the_same_bytes_in_every_place() -> None:
    assert json_text({"b": [1, "é ≤"], "a": {}}) == '{\n "b": [\n  1,\n  "é ≤"\n ],\n "a": {}\n}\n'
    # A file with NaN in it is no JSON: whoever writes one takes `plain` first.
    with pytest.raises(ValueError, match="not JSON compliant"):
        json_text([float("nan")])


def test_private_records_are_not_printed() -> None:
    subject = OptimalGaussian(1.0, ([0.0], [1.0]), records=[[0.123456789]])
    text = examine(subject, Claim(ErrorBound(1.0), about="law"), samples=100).to_json()
    assert "0.123456789" not in text


def _described(schema: Any, node: Any, place: str = "") -> Iterator[tuple[str, frozenset[str]]]:
    """Every place of a schema with its keys, those that are required, and the words that may stand there."""
    node = schema["$defs"][node["$ref"].split("/")[-1]] if "$ref" in node else node
    yield from ((place, frozenset(node[kind])) for kind in ("enum", "required", "properties") if kind in node)
    inner = [(place, one) for one in node.get("anyOf", ())]
    inner += [(f"{place}[]", node["items"])] if "items" in node else []
    inner += [(f"{place}.{key}", one) for key, one in node.get("properties", {}).items()]
    # What is open to further keys is described by the reader of each.
    for where, one in inner:
        if not where.endswith((".settings", ".witness")):
            yield from _described(schema, one, where)


def test_the_strict_reader_and_the_published_schema_describe_one_form() -> None:
    form, published = CertificateForm.model_json_schema(by_alias=True), certificate_schema()
    assert set(_described(form, form)) == set(_described(published, published))
