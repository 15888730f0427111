"""Spec files: TOML read into models; errors name file, key path, what was expected and the nearest key."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from pathlib import Path

from ...record.reading.explaining import Words
from ...record.reading.toml_file import read_bytes
from ...record.reading.toml_model import PublishedSchema, parse_as
from .models import ControlFields, SpecModel, spec_model

SCHEMA = PublishedSchema("spec", spec_model)
_EXPECTED = "a TOML spec (`noiseproof init` writes one)"
_WORDS = Words(
    wanted={
        "greater_than": "a number > {gt}",
        "greater_than_equal": "a number >= {ge}",
        "less_than": "a number < {lt}",
        "less_than_equal": "a number <= {le}",
        "too_short": "at least {min_length} entries",
    },
    homes=dict.fromkeys(ControlFields.model_fields, "[[controls]]")
    | dict.fromkeys(("discrete-laplace", "discrete-gaussian"), "say DiscreteNoiseMechanism in Python"),
    names_tags=True,
)


@dataclass(frozen=True)
class Spec:
    """A spec file that has been read: its models, where it lies and the digest of its bytes."""

    model: SpecModel
    file: str
    folder: Path
    digest: str
    raw: bytes = field(default=b"", repr=False)


def load_spec(path: str | Path) -> Spec:
    """The spec in a TOML file, or a SpecError that says what to change."""
    path = Path(path)
    return parse_spec(read_bytes(path, _EXPECTED), file=str(path), folder=path.parent)


def parse_spec(raw: bytes, *, file: str = "spec.toml", folder: Path | None = None) -> Spec:
    """The spec in the bytes of a TOML document; relative paths in it start at `folder`."""
    model = parse_as(spec_model(), raw, _EXPECTED, file, _WORDS)
    return Spec(model, file, folder or Path(), f"sha256:{hashlib.sha256(raw).hexdigest()}", raw)
