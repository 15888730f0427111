"""A certificate as JUnit XML: one test case per claim, for builds that show nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from xml.etree import ElementTree

from ..audit.record.shown_text import one_line
from .findings import facts, outcome_of
from .text import content_digest


def render_junit(certificate: dict[str, Any], waived: Mapping[int, str] | None = None) -> str:
    """The document; `waived` maps numbers of findings to who waived them and why.

    A refuted claim and a control that stands are failures, a claim that could not be settled is an error, and a waived
    one is skipped, never passed.
    """
    waived = waived or {}
    findings = certificate["findings"]
    outcomes = {f["id"]: outcome_of(f, waived) for f in findings}
    counts = {
        "tests": len(findings),
        "failures": sum(o.kind == "failure" for o in outcomes.values()),
        "errors": sum(o.kind == "error" for o in outcomes.values()),
    }
    numbers = {name: str(count) for name, count in counts.items()}
    root = ElementTree.Element("testsuites", {"name": "noiseproof", **numbers})
    skipped = str(sum(o.kind == "waived" for o in outcomes.values()))
    title = one_line(certificate["title"])
    suite = ElementTree.SubElement(root, "testsuite", {"name": title, **numbers, "skipped": skipped})
    properties = ElementTree.SubElement(suite, "properties")
    for name, value in _about(certificate):
        ElementTree.SubElement(properties, "property", {"name": name, "value": one_line(str(value))})
    for finding in findings:
        outcome = outcomes[finding["id"]]
        name = f"{finding['id']}: {finding['title']}"
        case = ElementTree.SubElement(
            suite, "testcase", {"classname": one_line(finding["subject"]), "name": one_line(name)}
        )
        if outcome.kind != "passed":
            tag = "skipped" if outcome.kind == "waived" else outcome.kind
            attributes = {"type": outcome.word, "message": one_line(outcome.message)}
            ElementTree.SubElement(case, tag, attributes).text = "\n".join(outcome.details)
        output = ElementTree.SubElement(case, "system-out")
        output.text = "\n".join(one_line(f"{key}: {value}") for key, value in facts(finding))
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _about(certificate: dict[str, Any]) -> list[tuple[str, Any]]:
    rows = [(f"noiseproof.{key}", certificate[key]) for key in ("verdict", "exit_code")]
    rows += [(f"noiseproof.{k}", v) for k, v in certificate["settings"].items() if v is not None]
    rows.append(("noiseproof.version", certificate["provenance"].get("noiseproof", "")))
    rows.append(("noiseproof.certificate", content_digest(certificate)))
    return rows
