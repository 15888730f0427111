"""The record of a derivation, of whatever was stated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...trial.spec.program_file import ProgramFile
from ...trial.spec.query_file import QueryFile
from ...trial.spec.stated_file import FunctionalFile, Stated


def derive_stated(
    stated: Stated,
    *,
    at: Mapping[str, str | int | float] | None = None,
    information: Sequence[str] | None = None,
    observations: int | None = None,
    effort: float | None = None,
    command: str | None = None,
) -> dict[str, Any]:
    """The record of a law, a program, a functional or a query. What each needs is heavy, and imported where it is asked for."""
    if isinstance(stated, ProgramFile):
        from .program import derive_program

        return derive_program(stated, at=at, effort=effort, command=command)
    if isinstance(stated, QueryFile):
        from .query import derive_query

        return derive_query(stated, effort=effort, command=command)
    if isinstance(stated, FunctionalFile):
        from .functional import derive_functional

        return derive_functional(stated.functional, stated.title, effort=effort, command=command)
    from ..model.derived import derive

    return derive(
        stated, at=at, information=information, observations=observations, effort=effort, command=command
    )
