"""The published JSON Schemas (draft 2020-12)."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any


def certificate_schema() -> dict[str, Any]:
    """The schema that every certificate.json satisfies."""
    return load("certificate-1.schema.json")


def dossier_schema() -> dict[str, Any]:
    """The schema that every KEY.json of a dossier satisfies."""
    return load("dossier-1.schema.json")


def proof_schema() -> dict[str, Any]:
    """The schema of a proof; `$defs/step` in it is that of the proof beside a step of a certificate or dossier."""
    return load("proof-1.schema.json")


def load(name: str) -> dict[str, Any]:
    """The schema in the file `name` of the package."""
    loaded: dict[str, Any] = json.loads(
        files(__package__).joinpath("schemas", name).read_text(encoding="utf-8")
    )
    return loaded
