"""Models of TOML files: unknown keys are refused, slips are explained, the published JSON Schema derives from the model."""

from __future__ import annotations

import json
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from .explaining import PLAIN, Words, explained
from .toml_file import parse_toml


class Model(BaseModel):
    """A table of the file; keys that are not declared are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


M = TypeVar("M", bound=BaseModel)


def parse_as(model: type[M], raw: bytes, expected: str, file: str, words: Words = PLAIN) -> M:
    """The bytes of a TOML document as a model, or a SpecError that says what to change."""
    tree = parse_toml(raw, expected, file)
    try:
        return model.model_validate(tree)
    except ValidationError as error:
        raise explained(error, model, words).within(file=file) from None


def schema_of(model: type[BaseModel], schema_id: str, title: str) -> dict[str, Any]:
    """The JSON Schema of a file, for editors."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": schema_id,
        **model.model_json_schema(),
        "title": title,
    }


def published(schema: dict[str, Any]) -> str:
    """The text of a schema as it stands in reports/schemas/."""
    return json.dumps(schema, indent=1, ensure_ascii=False, sort_keys=True) + "\n"
