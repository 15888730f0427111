"""One point of the search: two inputs that share all records but a few."""

from __future__ import annotations

from dataclasses import dataclass

from .domain import Record


@dataclass(frozen=True, eq=False)
class Candidate:
    """Inputs common[:place] + left + common[place:] and common[:place] + right + common[place:].

    `origin` says in words where it comes from, `root` numbers the candidate without parents that it descends from.
    """

    common: tuple[Record, ...]
    place: int
    left: tuple[Record, ...]
    right: tuple[Record, ...]
    origin: str = ""
    root: int = -1

    def sides(self) -> tuple[tuple[Record, ...], tuple[Record, ...]]:
        """The records of both inputs, in order."""
        before, after = self.common[: self.place], self.common[self.place :]
        return (*before, *self.left, *after), (*before, *self.right, *after)
