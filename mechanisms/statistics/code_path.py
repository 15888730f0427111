"""The code between a table and its exact sums as a subject: its sensitivity is proved of the query, and tried on the code."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from ..stated import QuerySubject, shown
from .measurement import Totals
from .parts import Part


@dataclass(frozen=True, eq=False)
class TriedPair:
    """Two neighbouring tables, as lists of rows, and what the code summed of them."""

    one: list[Any]
    two: list[Any]
    totals: tuple[Totals, Totals]


class CodePath(QuerySubject):
    """One part of a release: the query that it says it computes, and `pairs()`, neighbours that its code was run on; `still`: none moves it."""

    of_code: ClassVar[bool] = True

    def __init__(
        self, part: Part, pairs: Callable[[], Iterator[TriedPair]], name: str, *, still: bool = False
    ) -> None:
        super().__init__(part.stated(), name)
        self.part, self.pairs, self.still = part, pairs, still
        self.summary = "the sums of a release"

    def parameters(self) -> dict[str, Any]:
        return {**super().parameters(), **stated_of(self.part)}


def stated_of(part: Part) -> dict[str, Any]:
    """What the code of a part says that it sums: manifest and certificate name the same."""
    m = part.measurement
    return {
        "query": shown(part.stated().describe()),
        "cells": m.cells,
        "groups": [axis.column for axis in m.axes],
        "records": "all" if not m.where else [condition.column for condition in m.where],
    }
