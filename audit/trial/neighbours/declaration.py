"""Domains and relations written as plain data, such as a table of a spec file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ....symbolic.domains.adjacency import Adjacency, Distance, Person, named
from ....symbolic.domains.ball import Ball
from ....symbolic.domains.box import Box
from ....symbolic.domains.discrete import Categorical, Table
from ....symbolic.domains.domain import Domain
from ....symbolic.domains.simplex import Simplex
from ....symbolic.errors import SpecError, nearest_name

# kind -> constructor, keys that must be there, keys that may
_KINDS: dict[str, tuple[Callable[..., Domain], tuple[str, ...], tuple[str, ...]]] = {
    "box": (Box, ("low", "high"), ("dimension", "integer")),
    "ball": (Ball, ("radius", "dimension"), ("norm",)),
    "simplex": (Simplex, ("dimension",), ("total",)),
    "categorical": (Categorical, ("values",), ()),
    "table": (Table, ("columns",), ("layout",)),
}


def domain_from(value: Any, key: str = "domain") -> Domain:
    """The domain of records that plain data describe; SpecError (at `key`) if they describe none.

    [lower, upper] is a box, a list of texts are categories, a mapping says its `kind` ("box", "ball", "simplex",
    "categorical", "table") and the arguments of that class; columns of a table are written in the same ways.
    """
    if isinstance(value, Mapping):
        return _of_kind(value, key)
    if isinstance(value, list | tuple) and value and all(isinstance(v, str) for v in value):
        return _made(Categorical, {"values": list(value)}, key)
    if isinstance(value, list | tuple) and len(value) == 2:
        return _made(Box, {"low": value[0], "high": value[1]}, key)
    raise SpecError(
        f"expected [lower, upper], a list of texts, or a table with kind = one of {', '.join(_KINDS)}; got {value!r}",
        key=key,
    )


def _of_kind(value: Mapping[str, Any], key: str) -> Domain:
    kind = value.get("kind")
    if kind not in _KINDS:
        lead = 'the key "kind" is missing' if kind is None else f"unknown kind {kind!r}"
        raise SpecError(f"{lead}; {nearest_name(str(kind or ''), _KINDS)}", key=key)
    make, needed, optional = _KINDS[kind]
    for name in value:
        if name not in ("kind", *needed, *optional):
            raise SpecError(f"unknown key; {nearest_name(name, (*needed, *optional))}", key=f"{key}.{name}")
    missing = [name for name in needed if name not in value]
    if missing:
        raise SpecError(f"a {kind} needs {', '.join(missing)}", key=key)
    arguments = {name: v for name, v in value.items() if name != "kind"}
    if "norm" in arguments:
        arguments["norm"] = norm_from(arguments["norm"], f"{key}.norm")
    if kind == "table":
        columns = arguments["columns"]
        if not isinstance(columns, Mapping):
            raise SpecError(
                f"expected a table with one domain per column, got {columns!r}", key=f"{key}.columns"
            )
        arguments["columns"] = {name: domain_from(v, f"{key}.columns.{name}") for name, v in columns.items()}
    return _made(make, arguments, key)


def _made(make: Callable[..., Domain], arguments: dict[str, Any], key: str) -> Domain:
    try:
        return make(**arguments)
    except SpecError as error:
        raise error.within(key=key) from None
    except (ValueError, TypeError) as error:
        raise SpecError(f"expected numbers where numbers belong: {error}", key=key) from None


def norm_from(value: Any, key: str) -> float:
    """1, 2 or inf, from a number or the text "inf"."""
    if value in (1, 2, np.inf, "inf") and not isinstance(value, bool):
        return float(value)
    raise SpecError(f'expected norm 1, 2 or "inf", got {value!r}', key=key)


def adjacency_from(
    name: str,
    *,
    person: str | None = None,
    per_person: int | None = None,
    apart: float | None = None,
    norm: Any = 1,
) -> Adjacency:
    """The relation of that name: "any-two", "replace-one" or "add-or-remove".

    With `person`, the column that names persons, all records of one person are replaced or removed together; with
    `apart`, any-two admits vectors that are so near in the given norm.  SpecError for anything else.
    """
    relation = named(name)
    if person is not None:
        if not relation.of_datasets:
            raise SpecError('a person goes with "replace-one" or "add-or-remove"', key="person")
        return Person(person, "remove" if relation.resizes else "replace", per_person)
    if per_person is not None:
        raise SpecError("this key goes with `person`, the column that names persons", key="per_person")
    if apart is not None:
        if relation.of_datasets:
            raise SpecError('a distance goes with adjacency = "any-two"', key="apart")
        return Distance(apart, norm_from(norm, "norm"))
    return relation
