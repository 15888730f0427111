"""The parameters of a release as JSON for a public registry, after a published schema."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..audit.record.certificate import Certificate
from ..audit.record.reading.by_path import Record
from ..audit.release.checklist.item import Item
from .release_facts import release_facts

SCHEMA = "noiseproof-parameters-1"


def parameters(
    manifest: Mapping[str, Any], certificate: Mapping[str, Any], checklist: Sequence[Item]
) -> dict[str, Any]:
    """The content of parameters.json: public data only, each number as the manifest or the certificate has it."""
    facts = release_facts(manifest)
    record, audit = (
        Record.of(manifest, "release.json"),
        Record.of(Certificate.from_data(certificate).to_dict(), "certificate.json"),
    )
    return {
        "schema": SCHEMA,
        "title": facts.title,
        "created": facts.created,
        "unit_of_privacy": facts.unit_of_privacy,
        "adjacency": facts.adjacency,
        "records": facts.rows,
        "mechanism": {
            "kind": facts.mechanism,
            "parameters": {
                name: value
                for name, value in record.record("mechanism.parameters").data.items()
                if name != "results"  # released numbers are data, no parameters
            },
            "columns": [
                {
                    "name": column.name,
                    "unit": column.unit,
                    "low": raw.value("low"),
                    "high": raw.value("high"),
                    "noise": dict(raw.record("noise").data),
                    "grid_exponent": column.exponent,
                }
                for column, raw in zip(facts.columns, record.records("mechanism.columns"), strict=True)
            ],
        },
        "unchanged_columns": list(facts.public),
        "guarantees": [dict(one.data) for one in record.records("guarantees")],
        "error_bounds": [
            {
                "column": bound.column,
                "bound": raw.value("bound"),
                "unit": bound.unit,
                "against": bound.against,
            }
            for bound, raw in zip(facts.bounds, record.records("error_bounds"), strict=True)
        ],
        "costs": dict(record.record("costs").data),
        "does_not_mean": list(facts.does_not_mean),
        "audit": {
            "verdict": audit.text("verdict"),
            "alpha": audit.number("settings.alpha"),
            "bits": audit.get("settings.bits") is True,
            "claims": _claims(audit, "holds"),
            "controls": _claims(audit, "falls"),
        },
        "checklist": {item.key: item.answer.state for item in checklist},
        "versions": dict(record.record("versions").data),
    }


def _claims(audit: Record, expect: str) -> int:
    return sum(one.text("claim.expect") == expect for one in audit.records("findings"))
