"""The published JSON Schemas (draft 2020-12) of certificates and dossiers."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any


def certificate_schema() -> dict[str, Any]:
    """The schema that every certificate.json satisfies."""
    return _load("certificate-1.schema.json")


def dossier_schema() -> dict[str, Any]:
    """The schema that every KEY.json of a dossier satisfies."""
    return _load("dossier-1.schema.json")


def _load(name: str) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(
        files(__package__).joinpath("schemas", name).read_text(encoding="utf-8")
    )
    return loaded
