"""Plain data from a file is read by path; what is missing or of another kind is named, never guessed."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_INFINITIES = {"inf": math.inf, "-inf": -math.inf}


class UnreadableError(ValueError):
    """Says which place of which file holds something else than was expected."""


@dataclass(frozen=True)
class Record:
    """A JSON object together with its place, such as `release.json: mechanism.columns[0]`."""

    data: Mapping[str, Any]
    place: str

    @classmethod
    def of(cls, data: object, place: str) -> Record:
        """Raises UnreadableError unless `data` is a JSON object."""
        if not isinstance(data, Mapping):
            raise UnreadableError(f"{place}: expected an object, got {_shown(data)}")
        return cls(data, place)

    def where(self, path: str) -> str:
        """The place of a value, for messages and for pointers to evidence."""
        return f"{self.place}{'.' if ': ' in self.place else ': '}{path}"

    def value(self, path: str) -> Any:
        """The value at a dotted path; UnreadableError if a step is missing."""
        here: Any = self.data
        for step in path.split("."):
            if not isinstance(here, Mapping) or step not in here:
                raise UnreadableError(f"{self.where(path)} is missing")
            here = here[step]
        return here

    def get(self, path: str, default: Any = None) -> Any:
        """The value at a dotted path, or `default` if a step is missing."""
        try:
            return self.value(path)
        except UnreadableError:
            return default

    def text(self, path: str) -> str:
        """A string that says something."""
        value = self.value(path)
        if not isinstance(value, str) or not value.strip():
            raise UnreadableError(f"{self.where(path)}: expected text, got {_shown(value)}")
        return value

    def number(self, path: str) -> float:
        """A number; infinities may be written as "inf" and "-inf", as in certificates."""
        number = as_number(self.value(path))
        if number is None:
            raise UnreadableError(f"{self.where(path)}: expected a number, got {_shown(self.value(path))}")
        return number

    def record(self, path: str) -> Record:
        """An object inside this one."""
        return Record.of(self.value(path), self.where(path))

    def records(self, path: str) -> tuple[Record, ...]:
        """A list of objects inside this one."""
        return tuple(
            Record.of(item, f"{self.where(path)}[{number}]") for number, item in enumerate(self.items(path))
        )

    def items(self, path: str) -> list[Any]:
        """A list inside this object."""
        value = self.value(path)
        if not isinstance(value, list | tuple):
            raise UnreadableError(f"{self.where(path)}: expected a list, got {_shown(value)}")
        return list(value)

    def texts(self, path: str) -> tuple[str, ...]:
        """A list of strings inside this object."""
        items = self.items(path)
        for number, item in enumerate(items):
            if not isinstance(item, str):
                raise UnreadableError(f"{self.where(path)}[{number}]: expected text, got {_shown(item)}")
        return tuple(items)


def as_number(value: Any) -> float | None:
    """The number that a JSON value stands for; None if it stands for none."""
    if isinstance(value, str):
        return _INFINITIES.get(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return None if math.isnan(number) else number


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:60] + " ..."
