"""Errors at the n-th column or statistic of a policy also say its name: nobody counts tables of a file from 0."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ....symbolic.errors import SpecError

_ENTRY = re.compile(r"(columns|statistics|derived)\[(\d+)\](?!\.name$)")


@contextmanager
def named_entries(tree: Any) -> Iterator[None]:
    """What is raised inside names the entries of this policy, as plain data, that it is about."""
    try:
        yield
    except SpecError as error:
        name = _name(error.key, tree)
        if name is None:
            raise
        message = f"{error.message} ({name})"
        raise SpecError(message, key=error.key, file=error.file) from None


def _name(key: str, tree: Any) -> str | None:
    """The entry that a key path begins with, and what it is called."""
    found = _ENTRY.match(key)
    try:
        name = None if found is None else tree[found[1]][int(found[2])]["name"]
    except (KeyError, IndexError, TypeError):
        return None
    return f"{found[0]} is {name[:60]!r}" if found is not None and isinstance(name, str) else None
