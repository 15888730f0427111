"""What pydantic found wrong with a tree of TOML, as one sentence: where, what was expected, what came, the nearest name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from ....symbolic.errors import SpecError, counted, nearest_name
from .toml_file import written_key

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


@dataclass(frozen=True)
class Words:
    """What one kind of file says in its own way."""

    # What was expected, by pydantic's type of error.
    wanted: Mapping[str, str] = field(default_factory=dict)
    # Where a key belongs that is unknown at its place.
    homes: Mapping[str, str] = field(default_factory=dict)
    # Whether the key that tells the tables of a union apart is spoken of by name, at the place of the table.
    names_tags: bool = False


PLAIN = Words()


def explained(error: ValidationError, root: type[BaseModel], words: Words) -> SpecError:
    """The most telling error first: an unknown key often explains the missing one."""
    found = [(e, _place(e, root, words)) for e in error.errors(include_url=False)]
    # Each branch of a union reports an error of its own; the branch that got furthest was meant.
    found.sort(key=lambda pair: (_RANK.get(pair[0]["type"], 1), -len(pair[0]["loc"])))
    keys = [place.key for _, place in found]
    parents = {k for k in keys if any(q.startswith((f"{k}.", f"{k}[")) for q in keys)}
    others = [key for key in dict.fromkeys(keys[1:]) if key not in parents and key != keys[0]]
    rest = f" and {len(others) - 6} more" if len(others) > 6 else ""
    more = f" (also to correct: {', '.join(others[:6])}{rest})" if others else ""
    same = [e for e, place in found if place.key == keys[0]]
    return SpecError(_message(same, found[0][1], words) + more, key=keys[0])


@dataclass(frozen=True)
class _Place:
    """A key path, the model that holds its last key, the ones it can mean, and what is said of it."""

    key: str
    parent: type[BaseModel] | None
    here: Sequence[type[BaseModel]]
    description: str


def _message(errors: Sequence[Any], place: _Place, words: Words) -> str:
    """What was expected and what came, from the errors at one key (one for each branch of a union)."""
    error = errors[0]
    kind, context, came = error["type"], error.get("ctx", {}), _shown(error.get("input"))
    if kind == "extra_forbidden":
        name = str(error["loc"][-1])
        if name in words.homes:
            return f"unknown key; {name} belongs to {words.homes[name]}"
        return f"unknown key; {nearest_name(name, place.parent.model_fields if place.parent else ())}"
    if kind == "missing":
        return f"this key is missing{f': {place.description}' if place.description else ''}"
    if kind in ("union_tag_invalid", "union_tag_not_found"):
        return _of_tag(context["discriminator"].strip("'"), context.get("tag"), place, words)
    if len(errors) > 1 and {e["type"] for e in errors} <= _NUMBERS:
        return f"expected a finite number, got {came}"
    if len(errors) > 1 and place.description:
        return f"expected {place.description}; got {came}"
    wanted = (
        words.wanted.get(kind)
        or _WANTED.get(kind)
        or re.sub(r"^Input should be (a |an )?(valid )?", "", error["msg"])
    )
    return f"expected {wanted.format(**context)}, got {came}"


def _of_tag(key: str, tag: str | None, place: _Place, words: Words) -> str:
    """What is wrong with the key that tells the tables of a union apart; the tag is None if it is missing."""
    if tag is None and not words.names_tags:
        return "this key is missing"
    lead = f"unknown {key if words.names_tags else 'name'} {_shown(tag)}"
    if tag is None:
        lead = f'the key "{key}" is missing'
    return f"{lead}; {nearest_name(tag or '', [_tags(model)[key] for model in place.here])}"


def _shown(value: object) -> str:
    """A value as it is written in TOML, cut to 60 characters."""
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, list) and len(value) > 8:
        return f"a list of {counted(len(value), 'entry')}"
    text = str(value).lower() if isinstance(value, bool) else repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _place(error: Any, root: type[BaseModel], words: Words) -> _Place:
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
            branches = [m for m in here if part in (m.__name__, *_tags(m).values())]
            here = branches or here
            if branches or _BRANCH.match(part):
                continue
        path.append(f".{written_key(part)}")
        parent = holder or (here[0] if here else None)
        if holder is not None:
            declared = holder.model_fields[part]
            here = list(_models(declared.annotation))
            description = declared.description or _first_line(here)
        else:
            here = []
    if error["type"].startswith("union_tag") and not words.names_tags:
        path.append("." + error["ctx"]["discriminator"].strip("'"))
    return _Place("".join(path).removeprefix("."), parent, here, description)


def _tags(model: type[BaseModel]) -> dict[str, str]:
    """The keys at which the model takes one text only: what tells it apart in a union."""
    values = {key: get_args(declared.annotation) for key, declared in model.model_fields.items()}
    return {key: texts[0] for key, texts in values.items() if len(texts) == 1 and isinstance(texts[0], str)}


def _first_line(models: Sequence[type[BaseModel]]) -> str:
    text = (models[0].__doc__ or "").split("\n")[0].rstrip(".") if len(models) == 1 else ""
    return text[:1].lower() + text[1:]


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    """The models that an annotation can mean."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for inner in get_args(annotation):
        yield from _models(inner)
