"""Models of TOML files: unknown keys are refused, slips are explained, the published JSON Schema derives from the model."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
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


@dataclass(frozen=True)
class PublishedSchema:
    """The JSON Schema of a kind of TOML file, for editors; derived from what `model` returns: predicates may be added to it."""

    kind: str
    model: Callable[[], type[BaseModel]]

    def data(self) -> dict[str, Any]:
        """The schema as plain data."""
        return {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "$id": f"noiseproof-{self.kind}-1",
            **self.model().model_json_schema(),
            "title": f"noiseproof {self.kind}",
        }

    def text(self) -> str:
        """The published file reports/schemas/KIND-1.schema.json."""
        return json.dumps(self.data(), indent=1, ensure_ascii=False, sort_keys=True) + "\n"
