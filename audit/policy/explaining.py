"""What pydantic found wrong with a tree of TOML, as one sentence: where, what was expected, what came, the nearest name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from ..errors import SpecError, nearest_name

_BRANCH = re.compile(r"(int|float|str|bool)$|(list|dict|constrained|literal|function|model)[-\[]")
_NUMBERS = {"int_type", "int_from_float", "float_type", "finite_number"}
_RANK = {"extra_forbidden": 0, "union_tag_invalid": 0, "missing": 2}
_WANTED = {
    "string_type": "text in quotes",
    "string_too_short": "{min_length} or more characters",
    "string_too_long": "at most {max_length} characters",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "list_type": "a list",
    "dict_type": "a table",
    "model_type": "a table",
    "model_attributes_type": "a table",
    "finite_number": "a finite number",
    "greater_than": "a number > {gt:g}",
    "greater_than_equal": "a number >= {ge:g}",
    "less_than": "a number < {lt:g}",
    "less_than_equal": "a number <= {le:g}",
    "too_short": "{min_length} or more entries",
    "too_long": "at most {max_length} entries",
    "literal_error": "{expected}",
}


def explained(error: ValidationError, root: type[BaseModel]) -> SpecError:
    """The most telling error first: an unknown key often explains the missing one."""
    found = [(e, _place(e, root)) for e in error.errors(include_url=False)]
    # Each branch of a union reports an error of its own; the branch that got furthest was meant.
    found.sort(key=lambda pair: (_RANK.get(pair[0]["type"], 1), -pair[1].depth, -len(pair[0]["loc"])))
    keys = [place.key for _, place in found]
    parents = {k for k in keys if any(q.startswith((f"{k}.", f"{k}[")) for q in keys)}
    others = len(set(keys) - parents - {keys[0]})
    more = f" (and {others} more to correct)" if others else ""
    same = [e for e, place in found if place.key == keys[0]]
    return SpecError(_message(same, found[0][1]) + more, key=keys[0])


@dataclass(frozen=True)
class _Place:
    """A key path, how many steps it has, the model that holds its last key, and what is said of that key."""

    key: str
    depth: int
    parent: type[BaseModel] | None
    description: str


def _message(errors: Sequence[Any], place: _Place) -> str:
    """What was expected and what came, from the errors at one key (one for each branch of a union)."""
    error = errors[0]
    kind, context, came = error["type"], error.get("ctx", {}), shown(error.get("input"))
    if kind == "extra_forbidden":
        return f"unknown key; {nearest_name(str(error['loc'][-1]), place.parent.model_fields if place.parent else ())}"
    if kind == "missing":
        return f"this key is missing{f': {place.description}' if place.description else ''}"
    if kind == "union_tag_not_found":
        return "this key is missing"
    if kind == "union_tag_invalid":
        tag, names = str(context["tag"]), re.findall(r"'([^']+)'", context["expected_tags"])
        return f"unknown name {shown(tag)}; {nearest_name(tag, names)}"
    if len(errors) > 1 and {e["type"] for e in errors} <= _NUMBERS:
        return f"expected a finite number, got {came}"
    if len(errors) > 1 and place.description:
        return f"expected {place.description}; got {came}"
    wanted = _WANTED.get(kind) or re.sub(r"^Input should be (a |an )?(valid )?", "", error["msg"])
    return f"expected {wanted.format(**context)}, got {came}"


def shown(value: object) -> str:
    """A value as it is written in TOML, cut to 60 characters."""
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, list) and len(value) > 8:
        return f"a list of {len(value)} entries"
    try:
        text = str(value).lower() if isinstance(value, bool) else repr(value)
    except ValueError:
        return "a very long number"
    return text if len(text) <= 60 else f"{text[:57]}..."


def _place(error: Any, root: type[BaseModel]) -> _Place:
    """Where an error is, as in columns[0].low: array entries count from 0.

    What pydantic adds to a location, the names of branches of unions, is left out.
    """
    loc, unknown = error["loc"], error["type"] == "extra_forbidden"
    here, parent, description = [root], None, ""
    path: list[str] = []
    for number, part in enumerate(loc):
        if isinstance(part, int):
            path.append(f"[{part}]")
            continue
        holder = next((m for m in here if part in m.model_fields), None)
        if holder is None and not (unknown and number == len(loc) - 1):
            branches = [m for m in here if part in (m.__name__, _tag(m))]
            here = branches or here
            if branches or _BRANCH.match(part):
                continue
        path.append(f".{_quoted(part)}")
        parent = holder or (here[0] if here else None)
        if holder is not None:
            field = holder.model_fields[part]
            here = list(_models(field.annotation))
            description = field.description or _described(field.metadata) or _first_line(here)
        else:
            here = []
    if error["type"].startswith("union_tag"):
        path.append("." + error["ctx"]["discriminator"].strip("'"))
    return _Place("".join(path).removeprefix("."), len(path), parent, description)


def _quoted(key: str) -> str:
    return key if re.fullmatch(r"[\w-]+", key) else f'"{key[:60]}"'


def _tag(model: type[BaseModel]) -> str | None:
    field = model.model_fields.get("kind")
    values = get_args(field.annotation) if field is not None else ()
    return values[0] if len(values) == 1 and isinstance(values[0], str) else None


def _described(metadata: Sequence[Any]) -> str:
    return next((m.description for m in metadata if getattr(m, "description", None)), "")


def _first_line(models: Sequence[type[BaseModel]]) -> str:
    text = (models[0].__doc__ or "").split("\n")[0].rstrip(".") if len(models) == 1 else ""
    return text[:1].lower() + text[1:]


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    """The models that an annotation can mean."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for inner in get_args(annotation):
        yield from _models(inner)
