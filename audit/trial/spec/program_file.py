"""Program files: a minimum or maximum with its constraints written down as TOML; nothing in it is evaluated as code."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import sympy as sp

from ....symbolic.errors import SpecError, came, nearest_name
from ....symbolic.programs.constraints import PSD, Constraint
from ....symbolic.programs.program import Program
from ....symbolic.programs.written import read_relations
from ....symbolic.proof.expressions import ExpressionError
from ...record.reading.explaining import Words
from ...record.reading.toml_model import PublishedSchema, parse_as
from .model_file import check_beside, value_in_domain
from .model_law import (
    MODEL_FUNCTIONS,
    Domain,
    brought,
    check_name,
    domain_of,
    explained,
    formula_of,
    symbol_of,
)
from .program_fields import Kind, ProgramDeriveFields, ProgramFields, ProgramFileFields, PsdFields

T = TypeVar("T")
SCHEMA = PublishedSchema("program", lambda: ProgramFileFields)
_EXPECTED = "a TOML program (`noiseproof derive --example svm` writes one)"
_WORDS = Words(
    homes=dict.fromkeys(ProgramDeriveFields.model_fields, "[derive]")
    | dict.fromkeys(ProgramFields.model_fields, "[program]")
)
_ASSUMED: dict[Kind, dict[str, bool]] = {
    "real": {"real": True},
    "nonnegative": {"nonnegative": True},
    "positive": {"positive": True},
    "integer": {"integer": True},
    "nonnegative integer": {"integer": True, "nonnegative": True},
}


@dataclass(frozen=True)
class ProgramFile:
    """A program that has been read, the open intervals of its parameters by name, and what is asked of it."""

    program: Program
    domains: dict[str, Domain]
    derive: ProgramDeriveFields
    file: str
    digest: str | None = None
    title: str = ""
    integers: frozenset[str] = frozenset()

    @property
    def parameters(self) -> dict[str, sp.Symbol]:
        """The parameters by name."""
        return {s.name: s for s in self.program.parameters}

    def value(self, name: str, value: str | int | float, key: str) -> sp.Expr:
        """A number for a parameter, exact; SpecError for an unknown name or a number outside of its domain."""
        if name not in self.parameters:
            raise SpecError(
                f"{name[:40]!r} is no parameter; {nearest_name(name, self.parameters)}",
                key=key,
                file=self.file,
            )
        return value_in_domain(self, name, value, key)


def parse_program(raw: bytes, *, file: str = "program.toml", folder: Path | None = None) -> ProgramFile:
    """The program in the bytes of a TOML document; a function that it names is searched in `folder` too."""
    fields = parse_as(ProgramFileFields, raw, _EXPECTED, file, _WORDS)
    check_beside(fields, "program", file)
    digest = f"sha256:{hashlib.sha256(raw).hexdigest()}"
    try:
        found = _read(fields.program, fields.derive, file, digest, folder)
        if fields.title is not None and not isinstance(fields.title, str):
            raise SpecError(f"expected a text, got {came(fields.title)}", key="title")
        if fields.title and "name" not in fields.program.model_fields_set:
            found = replace(found, title=fields.title[:80])
        for name, value in fields.derive.at.items():
            found.value(name, value, f"derive.at.{name[:40]}")
        return found
    except SpecError as error:
        raise error.within(file=file) from error.__cause__


def program_from(fields: ProgramFields, folder: Path | None = None) -> ProgramFile:
    """The program of a table that has been read as a part of another file."""
    return _read(fields, ProgramDeriveFields.model_validate({}), "", None, folder)


def program_file(program: Program, name: str) -> ProgramFile:
    """A program that Python code brought, with nothing asked of it yet."""
    domains = {s.name: ends for s, ends in program.domain.ends}
    return ProgramFile(program, domains, ProgramDeriveFields.model_validate({}), name, None, name)


def _read(
    fields: ProgramFields, derive: ProgramDeriveFields, file: str, digest: str | None, folder: Path | None
) -> ProgramFile:
    if fields.function is not None:
        odd = sorted(fields.model_fields_set - {"function", "name"})
        if odd:
            raise SpecError(
                "this key says nothing about a program that Python code returns: leave it out",
                key=f"program.{odd[0]}",
            )
        program: Program = brought(
            fields.function, [folder] if folder else [], (Program,), "a Program", "program.function"
        )
        domains = {s.name: ends for s, ends in program.domain.ends}
        return ProgramFile(program, domains, derive, file, digest, _title(fields, fields.function))
    if (fields.minimise is None) == (fields.maximise is None):
        raise SpecError("a program has one objective: give minimise or maximise", key="program.minimise")
    if fields.over is None:
        about = ProgramFields.model_fields["over"].description
        raise SpecError(f"this key is missing: {about}", key="program.over")
    domains = {n: domain_of(n, given, "program") for n, given in fields.parameters.items()}
    parameters = {n: symbol_of(n, ends, False) for n, ends in domains.items()}
    variables = _variables(fields.over, parameters)
    names = {**parameters, **variables}
    key = "program.minimise" if fields.maximise is None else "program.maximise"
    objective = formula_of(
        fields.minimise if fields.maximise is None else fields.maximise, names, key, table="program"
    )
    constraints = [
        c
        for i, written in enumerate(fields.subject_to)
        for c in _constraints(written, names, f"program.subject_to[{i}]")
    ]
    for name, symbol in names.items():
        if not any(
            symbol in e.free_symbols for e in (objective, *(e for c in constraints for e in c.expressions()))
        ):
            where = f"parameters.{name}" if name in parameters else "over"
            raise SpecError(
                f"{name} stands neither in the objective nor in a relation: leave it out",
                key=f"program.{where}",
            )
    sides: dict[str, Any] = {"minimise" if fields.maximise is None else "maximise": objective}
    program = _within(
        "program",
        lambda: Program(
            over=list(variables.values()),
            subject_to=constraints,
            parameters=list(parameters.values()),
            domains=domains,
            **sides,
        ),
    )
    return ProgramFile(program, domains, derive, file, digest, _title(fields, fields.name))


def _title(fields: ProgramFields, otherwise: str) -> str:
    return fields.name if "name" in fields.model_fields_set else otherwise


def _variables(
    over: Sequence[str] | Mapping[str, Kind], parameters: Mapping[str, sp.Symbol]
) -> dict[str, sp.Symbol]:
    kinds = over if isinstance(over, Mapping) else dict.fromkeys(over, "real")
    if len(kinds) < len(over):
        raise SpecError("a variable is named twice", key="program.over")
    for name in kinds:
        check_name(name, "program.over", "variable")
        if name in parameters:
            raise SpecError(
                f"{name} is a variable in over: give the parameter another name",
                key=f"program.parameters.{name}",
            )
    return {name: sp.Symbol(name, **_ASSUMED[kind]) for name, kind in kinds.items()}  # type: ignore[index]


def _constraints(written: str | PsdFields, names: Mapping[str, sp.Expr], key: str) -> tuple[Constraint, ...]:
    if isinstance(written, PsdFields):
        rows = [
            [formula_of(e, names, f"{key}.psd[{i}][{j}]", table="program") for j, e in enumerate(row)]
            for i, row in enumerate(written.psd)
        ]
        return (_within(f"{key}.psd", lambda: PSD(rows)),)
    try:
        return _within(key, lambda: read_relations(written, names, MODEL_FUNCTIONS))
    except ExpressionError as error:
        raise SpecError(explained(str(error), "program"), key=key) from None


def _within(key: str, make: Callable[[], T]) -> T:
    """What is made, and a SpecError at this key where it cannot be."""
    try:
        return make()
    except SpecError as error:
        raise error.within(key=key) from None
