"""Spec files: TOML read into models; errors name file, key path, what was expected and the nearest key."""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from ..errors import SpecError, nearest_name
from .models import (
    ControlFields,
    DataSpec,
    MechanismSpec,
    NeighboursSpec,
    ScopeSpec,
    SpecModel,
    by_predicate,
)

SCHEMA_ID = "noiseproof-spec-1"


@dataclass(frozen=True)
class Spec:
    """A spec file that has been read: its models, where it lies and the digest of its bytes."""

    model: SpecModel
    file: str
    folder: Path
    digest: str


def load_spec(path: str | Path) -> Spec:
    """The spec in a TOML file, or a SpecError that says what to change."""
    path = Path(path)
    try:
        raw = path.read_bytes()
    except OSError as error:
        reason = (
            "no such file" if isinstance(error, FileNotFoundError) else (error.strerror or "cannot be read")
        )
        raise SpecError(
            f"{reason}; expected a TOML spec (`noiseproof init` writes one)", file=str(path)
        ) from None
    return parse_spec(raw, file=str(path), folder=path.parent)


def parse_spec(raw: bytes, *, file: str = "spec.toml", folder: Path | None = None) -> Spec:
    """The spec in the bytes of a TOML document; relative paths in it start at `folder`."""
    try:
        tree = tomllib.loads(raw.decode("utf-8-sig"))
    except tomllib.TOMLDecodeError as error:
        raise SpecError(f"not valid TOML: {error}", file=file) from None
    except UnicodeDecodeError:
        raise SpecError("not valid TOML: the file is not UTF-8 text", file=file) from None
    except RecursionError:
        raise SpecError("not valid TOML: nested too deeply", file=file) from None
    try:
        model = SpecModel.model_validate(tree)
    except ValidationError as error:
        raise _explain(error).within(file=file) from None
    return Spec(model, file, folder or Path(), f"sha256:{hashlib.sha256(raw).hexdigest()}")


def json_schema() -> dict[str, Any]:
    """The JSON Schema of a spec, for editors; derived from the models."""
    schema = SpecModel.model_json_schema()
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": SCHEMA_ID,
        **schema,
        "title": "noiseproof spec",
    }


def _explain(error: ValidationError) -> SpecError:
    """The most telling error first: an unknown key often explains the missing one."""
    rank = {"extra_forbidden": 0, "union_tag_invalid": 0, "missing": 2}
    # Each branch of a union reports an error of its own; the branch that got furthest was meant.
    errors = sorted(error.errors(include_url=False), key=lambda e: (rank.get(e["type"], 1), -len(e["loc"])))
    paths = [_key_path(e["loc"]) for e in errors]
    parents = {p for p in paths if any(q.startswith((f"{p}.", f"{p}[")) for q in paths)}
    others = len(set(paths) - parents - {paths[0]})
    more = f" (and {others} more to correct)" if others else ""
    return SpecError(
        _message([e for e, p in zip(errors, paths, strict=True) if p == paths[0]]) + more, key=paths[0]
    )


def _message(errors: Sequence[Any]) -> str:
    """What was expected and what came, from the errors at one key (one for each branch of a union)."""
    error = errors[0]
    kind, loc, value = error["type"], error["loc"], error.get("input")
    context = error.get("ctx", {})
    if kind == "extra_forbidden":
        if loc[-1] in ControlFields.model_fields:
            return f"unknown key; {loc[-1]} belongs to [[controls]]"
        return f"unknown key; {nearest_name(str(loc[-1]), _model_at(loc[:-1]).model_fields)}"
    if kind == "missing":
        meaning = _meaning(loc)
        return f"this key is missing{f': {meaning}' if meaning else ''}"
    if kind in ("union_tag_invalid", "union_tag_not_found"):
        names = by_predicate("claims")
        came = context.get("tag")
        lead = f"unknown predicate {came!r}" if came is not None else 'the key "predicate" is missing'
        return f"{lead}; {nearest_name(str(came or ''), names)}"
    if len(errors) > 1 and (meaning := _meaning(loc)):
        return f"expected {meaning}; got {_shown(value)}"
    if len(errors) > 1 and {e["type"] for e in errors} <= {
        "int_type",
        "int_from_float",
        "float_type",
        "finite_number",
    }:
        return f"expected a finite number, got {_shown(value)}"
    if kind == "literal_error":
        return f"expected {context['expected']}, got {_shown(value)}"
    wanted = _WANTED.get(kind) or re.sub(r"^Input should be (a |an )?(valid )?", "", error["msg"])
    return f"expected {wanted.format(**context)}, got {_shown(value)}"


def _meaning(loc: Sequence[int | str]) -> str:
    """The description of the field at a location, or an empty text."""
    plain = [p for i, p in enumerate(loc) if i <= 2 or not _is_branch(str(p))]
    while plain and _is_branch(str(plain[-1])):
        plain.pop()
    field = _model_at(plain[:-1]).model_fields.get(str(plain[-1])) if plain else None
    if field is None:
        return ""
    # Pydantic keeps the description of Annotated[...] with the field it stands in.
    return field.description or ""


_WANTED = {
    "string_type": "text in quotes",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "list_type": "a list",
    "dict_type": "a table",
    "model_type": "a table",
    "model_attributes_type": "a table",
    "finite_number": "a finite number",
    "greater_than": "a number > {gt}",
    "greater_than_equal": "a number >= {ge}",
    "less_than": "a number < {lt}",
    "less_than_equal": "a number <= {le}",
    "too_short": "at least {min_length} entries",
    "too_long": "at most {max_length} entries",
}


def _shown(value: object) -> str:
    text = repr(value) if not isinstance(value, bool) else str(value).lower()
    return text if len(text) <= 60 else f"{text[:57]}..."


_TAGS = set(by_predicate("claims"))


def _key_path(loc: Sequence[int | str]) -> str:
    """claims[0].epsilon: array entries count from 0; names of union branches are left out."""
    path = ""
    for i, part in enumerate(loc):
        if isinstance(part, int):
            path += f"[{part}]"
        elif (i == 2 and part in _TAGS) or _is_branch(str(part)):
            continue
        else:
            name = part if re.fullmatch(r"[\w-]+", part) else f'"{part}"'
            path += f".{name}" if path else name
    return path


def _is_branch(part: str) -> bool:
    """Whether pydantic put the name of a union's branch, not a key, into the location."""
    return part in ("int", "float", "str", "bool") or bool(
        re.match(r"(list|dict|constrained|literal|function)[-\[]", part)
    )


def _model_at(loc: Sequence[int | str]) -> type[BaseModel]:
    match list(loc):
        case ["claims" | "controls" as kind, int(), str() as tag]:
            return by_predicate("claims" if kind == "claims" else "controls")[tag]
        case [*_, "scope"]:
            return ScopeSpec
        case ["data", *_]:
            return DataSpec
        case ["mechanism", *_]:
            return MechanismSpec
        case ["neighbours", *_]:
            return NeighboursSpec
        case _:
            return SpecModel


def schema_text() -> str:
    """The published file reports/schemas/spec-1.schema.json."""
    return json.dumps(json_schema(), indent=1, ensure_ascii=False, sort_keys=True) + "\n"


if __name__ == "__main__":
    print(schema_text(), end="")
