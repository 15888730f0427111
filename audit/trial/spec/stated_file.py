"""What `noiseproof derive` reads: a law, a program, a functional or a query, from a file or from Python code."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ....symbolic.errors import SpecError
from ....symbolic.laws.joint import JointLaw
from ....symbolic.laws.law import Law
from ....symbolic.programs.functional.functional import Functional
from ....symbolic.programs.program import Program
from ....symbolic.sensitivity.query_over import DatasetQuery
from ...record.reading.toml_file import parse_toml, read_bytes
from .model_file import ModelFile, model_of, parse_model
from .model_law import brought
from .program_file import ProgramFile, parse_program, program_file
from .query_file import QueryFile, parse_query, query_file

_EXPECTED = (
    "a TOML model, program or query (`noiseproof derive --example gaussian`, `svm` or `average` writes one)"
)
_READERS: dict[str, Callable[..., Any]] = {
    "model": parse_model,
    "program": parse_program,
    "query": parse_query,
}
_KINDS = (Law, JointLaw, Program, Functional, DatasetQuery)


@dataclass(frozen=True)
class FunctionalFile:
    """A functional that Python code brought."""

    functional: Functional
    title: str


Stated = ModelFile | ProgramFile | QueryFile | FunctionalFile


def load_stated(path: str | Path) -> Stated:
    """What is stated in a TOML file, or a SpecError that says what to change."""
    path = Path(path)
    raw = read_bytes(path, _EXPECTED)
    tables = [table for table in _READERS if table in parse_toml(raw, _EXPECTED, str(path))]
    if len(tables) > 1:
        raise SpecError(
            f"a file states one thing: [{tables[0]}] or [{tables[1]}]", key=tables[1], file=str(path)
        )
    found: Stated = _READERS[tables[0] if tables else "model"](raw, file=str(path), folder=path.parent)
    return found


def stated_of(name: str, norm: str | None = None, adjacency: str | None = None) -> Stated:
    """What "module:name" is, or returns; a query needs the norm in which its answers are compared."""
    found = brought(name, (), _KINDS, "a Law or JointLaw, a Program, a Functional or a DatasetQuery")
    if not isinstance(found, DatasetQuery) and (norm or adjacency):
        raise SpecError("this option goes with a query", key="--norm" if norm else "--adjacency")
    if isinstance(found, DatasetQuery):
        return query_file(found, norm, adjacency, name)
    if isinstance(found, Program):
        return program_file(found, name)
    return FunctionalFile(found, name) if isinstance(found, Functional) else model_of(name)
