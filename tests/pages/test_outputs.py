"""JUnit XML, SARIF and Markdown of a certificate: valid, faithful to the verdicts, and harmless."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest
from made_certificates import certificate, finding, one_of_each

from noiseproof.audit.trial.gate.fingerprints import claim_fingerprints
from noiseproof.reports import render_certificate
from noiseproof.reports.junit import render_junit
from noiseproof.reports.markdown import escape, render_markdown
from noiseproof.reports.sarif import RULES, render_sarif

SCHEMAS = Path(__file__).parent / "schemas"
EVERYTHING = one_of_each().to_dict()
WAIVED = {2: "waived by Ann <a@b> until 2099-01-01: because"}
XS = "{http://www.w3.org/2001/XMLSchema}"


def junit_faults(text: str) -> list[str]:
    """What the published schema forbids: its elements, attributes and patterns, read from the schema itself."""
    schema = ElementTree.parse(SCHEMAS / "junit-10.xsd").getroot()
    elements = {e.get("name"): e for e in schema.findall(f"{XS}element")}
    patterns = {
        s.get("name"): str(p.get("value"))
        for s in schema.findall(f"{XS}simpleType")
        for p in s.iter(f"{XS}pattern")
    }
    faults: list[str] = []

    def visit(node: ElementTree.Element) -> None:
        declared = elements.get(node.tag)
        if declared is None:
            faults.append(f"element {node.tag}")
            return
        attributes = {a.get("name"): a for a in declared.iter(f"{XS}attribute")}
        children = {e.get("ref") for e in declared.iter(f"{XS}element") if e.get("ref")}
        faults.extend(f"{node.tag}@{name}" for name in node.attrib if name not in attributes)
        faults.extend(
            f"{node.tag} lacks @{name}"
            for name, a in attributes.items()
            if a.get("use") == "required" and name not in node.attrib
        )
        for name, value in node.attrib.items():
            pattern = patterns.get(attributes[name].get("type")) if name in attributes else None
            if pattern is not None and not re.fullmatch(pattern, value):
                faults.append(f"{node.tag}@{name}={value}")
        mixed = any(c.get("mixed") == "true" for c in declared) or declared.get("type") == "xs:string"
        if not mixed and (node.text or "").strip():
            faults.append(f"text in {node.tag}")
        for child in node:
            if child.tag not in children:
                faults.append(f"{child.tag} in {node.tag}")
            visit(child)

    visit(ElementTree.fromstring(text))
    return faults


@pytest.mark.parametrize("waived", [{}, WAIVED])
def test_junit_satisfies_the_published_schema(waived: dict[int, str]) -> None:
    assert junit_faults(render_junit(EVERYTHING, waived)) == []


def test_junit_is_valid_for_a_validator_as_well() -> None:
    xmlschema = pytest.importorskip("xmlschema")
    xmlschema.XMLSchema(SCHEMAS / "junit-10.xsd").validate(render_junit(EVERYTHING, WAIVED))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('name="noiseproof"', 'named="noiseproof"'),
        ("<testcase ", "<test "),
        (' tests="5"', ""),
        ("<system-out>", "<properties /><system-out>"),
        ("<properties>", "<properties>text"),
    ],
)
def test_a_fault_in_junit_is_seen(old: str, new: str) -> None:
    text = render_junit(EVERYTHING).replace(old, new)
    assert junit_faults(text.replace("</testcase>", "</test>") if new == "<test " else text)


def test_junit_says_what_the_verdicts_say() -> None:
    def outcomes(waived: dict[int, str]) -> tuple[list[str], dict[str, str]]:
        root = ElementTree.fromstring(render_junit(EVERYTHING, waived))
        (suite,) = root
        return [case[0].tag for case in suite.findall("testcase")], suite.attrib

    words, counts = outcomes({})
    assert words == ["system-out", "failure", "error", "system-out", "failure"]
    assert {k: counts[k] for k in ("tests", "failures", "errors", "skipped")} == {
        "tests": "5",
        "failures": "2",
        "errors": "1",
        "skipped": "0",
    }
    words, counts = outcomes(WAIVED)
    assert words == ["system-out", "skipped", "error", "system-out", "failure"]
    assert (counts["failures"], counts["skipped"]) == ("1", "1")
    text = render_junit(EVERYTHING, WAIVED)
    assert "WAIVED: REFUTED" in text
    assert "\x07" not in text


# The part of SARIF 2.1.0 that is written here; nothing else may appear.
TEXT = {
    "type": "object",
    "properties": {"text": {"type": "string", "minLength": 1}},
    "required": ["text"],
    "additionalProperties": False,
}


def closed(required: tuple[str, ...], **properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


LEVEL = {"enum": ["none", "note", "warning", "error"]}
RULE = closed(
    ("id",),
    id={"type": "string"},
    name={"type": "string"},
    shortDescription=TEXT,
    defaultConfiguration=closed((), level=LEVEL),
)
LOCATION = closed(
    (),
    logicalLocations={
        "type": "array",
        "items": closed((), name={"type": "string"}, kind={"const": "function"}),
    },
    physicalLocation=closed(
        (),
        artifactLocation=closed((), uri={"type": "string", "pattern": r"^[A-Za-z0-9_./%~-]+$"}),
        region=closed((), startLine={"type": "integer", "minimum": 1}),
    ),
)
RESULT = closed(
    ("message",),
    ruleId={"enum": [rule[0] for rule in RULES.values()]},
    ruleIndex={"type": "integer", "minimum": 0},
    kind={"enum": ["fail", "open"]},
    level=LEVEL,
    message=TEXT,
    locations={"type": "array", "items": LOCATION},
    partialFingerprints={"type": "object", "additionalProperties": {"type": "string"}},
    properties={"type": "object"},
    suppressions={
        "type": "array",
        "items": closed(
            ("kind",),
            kind={"enum": ["inSource", "external"]},
            status={"enum": ["accepted", "underReview", "rejected"]},
            justification={"type": "string"},
        ),
    },
)
SARIF = closed(
    ("version", "runs"),
    **{"$schema": {"type": "string", "pattern": "^https://"}},
    version={"const": "2.1.0"},
    runs={
        "type": "array",
        "items": closed(
            ("tool",),
            tool=closed(
                ("driver",),
                driver=closed(
                    ("name",),
                    name={"type": "string"},
                    version={"type": "string"},
                    rules={"type": "array", "items": RULE},
                ),
            ),
            automationDetails=closed((), id={"type": "string"}),
            invocations={
                "type": "array",
                "items": closed(
                    ("executionSuccessful",),
                    executionSuccessful={"type": "boolean"},
                    exitCode={"type": "integer"},
                ),
            },
            results={"type": "array", "items": RESULT},
            properties=closed(("certificate",), certificate={"type": "string"}),
        ),
    },
)


@pytest.mark.parametrize("waived", [{}, WAIVED])
@pytest.mark.parametrize("artifact", [None, "specs/my audit.toml"])
def test_sarif_is_what_the_standard_asks_for(waived: dict[int, str], artifact: str | None) -> None:
    log = json.loads(render_sarif(EVERYTHING, waived, artifact))
    jsonschema.Draft202012Validator(SARIF).validate(log)
    for result in log["runs"][0]["results"]:
        rules = log["runs"][0]["tool"]["driver"]["rules"]
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        # A level beside another kind than fail is against section 3.27.10.
        assert (result["kind"] == "fail") == (result["level"] != "none")
    published = os.environ.get("NOISEPROOF_SARIF_SCHEMA")
    if published:
        jsonschema.Draft4Validator(json.loads(Path(published).read_text(encoding="utf-8"))).validate(log)


def test_sarif_says_what_the_verdicts_say() -> None:
    results = json.loads(render_sarif(EVERYTHING, WAIVED, "a.toml"))["runs"][0]["results"]
    assert [r["ruleId"] for r in results] == ["NP001", "NP003", "NP002"]
    assert [bool(r.get("suppressions")) for r in results] == [True, False, False]
    assert results[0]["suppressions"][0]["justification"] == WAIVED[2]
    assert results[0]["properties"]["witnessDigest"].startswith("sha256:")
    assert {rule[0] for rule in RULES.values()} == {"NP001", "NP002", "NP003"}


def test_fingerprints_follow_what_is_claimed_and_nothing_else() -> None:
    first = one_of_each().to_dict()["findings"]
    again = certificate(*(finding(n, "SURVIVED", subject=f"s{n % 2}", title=f"t{n}") for n in range(4)))
    prints = claim_fingerprints(again.to_dict()["findings"])
    assert prints[2:] == [f"{p}-2" for p in prints[:2]]
    other = [dict(f, id=9, title="x", verdict="UNDECIDED", evidence=[]) for f in first]
    assert claim_fingerprints(other) == claim_fingerprints(first)
    for change in ({"subject": "another"}, {"claim": {**first[0]["claim"], "about": "law"}}):
        assert claim_fingerprints([{**first[0], **change}]) != claim_fingerprints(first[:1])
    # Written down: a change of these would orphan every waiver and every alert.
    assert claim_fingerprints(first[:1]) == ["d789f92a4f9c8915"]


def test_markdown_shows_each_claim_and_what_failed() -> None:
    text = render_markdown(EVERYTHING, WAIVED)
    rows = [line for line in text.splitlines() if line.startswith("|")][2:]
    assert len(rows) == 5
    assert all(len(re.findall(r"(?<!\\)\|", row)) == 7 for row in rows)
    assert [re.search(r"(passed|\*\*\w+\*\*)", row).group() for row in rows] == [  # type: ignore[union-attr]
        "passed",
        "**WAIVED**",
        "**OPEN**",
        "passed",
        "**FAILED**",
    ]
    assert text.count("#### ") == 3


def test_markdown_of_strangers_stays_text() -> None:
    text = render_markdown(EVERYTHING)
    assert "<" not in text
    assert "\u202e" not in text
    assert "](javascript" not in text
    hostile = "a|b\n# c <img src=x> **d** `e` [f](http://g) @h www.i.com ![j] &lt; $k$ ~~l~~ _m_ \\| 1.5 x-y"
    found = escape(hostile)
    assert "\n" not in found
    assert re.findall(r"(?<!\\)[|*`\[\]()@~$_!#:]", found.replace(r"\\", "")) == []
    assert found.endswith(r"\\\| 1.5 x-y")
    markdown = pytest.importorskip("markdown_it").MarkdownIt("gfm-like", {"html": True, "linkify": False})
    html = markdown.render(f"- {found}")
    assert not set(re.findall(r"<(\w+)", html)) - {"ul", "li", "p"}
    assert len(re.findall("<tr>", markdown.render(text))) == 6


def test_what_a_refuted_claim_showed_stands_on_the_first_screen() -> None:
    data = one_of_each().to_dict()
    data["findings"][1]["evidence"][0]["witness"]["score"] = "ends with b"
    said = "Seen: ends with b, in 900 of 1,000 outcomes on input 1 and 10 of 1,000 on input 0"
    assert said in render_certificate(data)
