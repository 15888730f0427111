"""The subject of a spec that brings a problem in formulas: a law (alone, or with code that is meant to follow it), a program, a query."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ....mechanisms.family import Family
from ....mechanisms.mechanism import Subject
from ....mechanisms.model import Model
from ....mechanisms.stated import ProgramSubject, QuerySubject
from ....symbolic.errors import SpecError
from ....symbolic.laws.law import Law
from .function import load_function
from .model_file import model_from
from .models import SpecModel
from .program_file import program_from
from .query_file import query_from

TABLES = ("model", "program", "query")


def is_stated(model: SpecModel) -> bool:
    """Whether a spec brings a law, a program or a query."""
    return any(getattr(model, table) is not None for table in TABLES)


def stated_subject(model: SpecModel, folder: Path) -> Subject:
    """The subject of [model], [program] or [query]; SpecError for what does not belong to it, and for two of them."""
    given = [table for table in TABLES if getattr(model, table) is not None]
    if len(given) > 1:
        raise SpecError(f"a spec has one subject: [{given[0]}] or [{given[1]}]", key=given[1])
    if model.model is not None:
        return subject_of_model(model, folder)
    for key in ("mechanism", "data", "neighbours", "code"):
        if getattr(model, key) is not None:
            raise SpecError(f"[{key}] says nothing about a {given[0]} in formulas: leave it out", key=key)
    if model.program is not None:
        problem = program_from(model.program, folder)
        return ProgramSubject(problem.program, problem.title)
    assert model.query is not None
    asked = query_from(model.query, folder)
    return QuerySubject(asked.query, asked.title)


def subject_of_model(model: SpecModel, folder: Path) -> Model | Family:
    """The law of [model], with the code of [code] if there is any; SpecError for what does not belong to a law."""
    for key in ("mechanism", "data", "neighbours"):
        if getattr(model, key) is not None:
            raise SpecError(f"a spec has [model] or [mechanism]: [{key}] says nothing about a law", key=key)
    assert model.model is not None
    read = model_from(model.model, folder)
    domains = {name: ends for name, ends in read.domains.items() if name not in read.integers}
    if model.code is None:
        return Model(read.law, read.title, domains)
    if not isinstance(read.law, Law):
        raise SpecError(f"code is held against a law of one number, not {read.law.name}", key="code")
    try:
        sample = load_function(model.code.sample, (folder,))
    except SpecError as error:
        raise error.within(key="code.sample") from error.__cause__
    if missing := sorted(set(read.parameters) ^ set(model.code.at)):
        raise SpecError(
            f"expected a value for each of {', '.join(read.parameters)}; see {', '.join(missing)}",
            key="code.at",
        )
    theta: Any = [float(model.code.at[name]) for name in read.parameters]
    try:
        made = Family.of_law(
            read.law,
            tuple(read.parameters.values()),
            theta[0] if len(theta) == 1 else theta,
            sample=sample,
            domains=domains,
        )
    except ValueError as error:
        raise SpecError(str(error), key="code.at") from None
    made.name = read.title
    return made
