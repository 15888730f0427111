"""Model files: a law written down as TOML, with the domains of its parameters; nothing in it is evaluated as code."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import sympy as sp

from ....symbolic.errors import SpecError, nearest_name
from ....symbolic.laws.joint import JointLaw
from ....symbolic.laws.law import Law
from ....symbolic.proof.enclosure import sign
from ...record.reading.explaining import Words
from ...record.reading.toml_model import PublishedSchema, parse_as
from .model_fields import SHAPES, BesideAudit, DeriveFields, FileFields, ModelFields, shape_of, strange_keys
from .model_law import Domain, assumed_domain, domain_of, formula_of, named_law, symbol_of, written_law

SCHEMA = PublishedSchema("model", lambda: FileFields)
_EXPECTED = "a TOML model (`noiseproof derive --example gaussian` writes one)"
_WORDS = Words(
    homes=dict.fromkeys(DeriveFields.model_fields, "[derive]")
    | dict.fromkeys(ModelFields.model_fields, "[model]")
)


@dataclass(frozen=True)
class ModelFile:
    """A law that has been read, its parameters by name, their domains, and what is asked of it.

    `domains` are open intervals (closed at finite ends for a parameter of `integers`).  `digest` is that of the bytes.
    """

    law: Law | JointLaw
    parameters: dict[str, sp.Symbol]
    domains: dict[str, Domain]
    derive: DeriveFields
    file: str
    integers: frozenset[str] = frozenset()
    digest: str | None = None
    kind: str = "density"
    title: str = ""

    def formula(
        self, text: str | int | float, key: str, more: Mapping[str, sp.Expr] | None = None
    ) -> sp.Expr:
        """A formula in the parameters (and `more` names), exact; SpecError with file and key."""
        return formula_of(text, {**self.parameters, **(more or {})}, key, self.file)


def parse_model(raw: bytes, *, file: str = "model.toml", folder: Path | None = None) -> ModelFile:
    """The model in the bytes of a TOML document; a function that it names is searched in `folder` too."""
    fields = parse_as(FileFields, raw, _EXPECTED, file, _WORDS)
    check_beside(fields, "model", file)
    try:
        return _read(fields, file, folder, f"sha256:{hashlib.sha256(raw).hexdigest()}")
    except SpecError as error:
        raise error.within(file=file) from error.__cause__


def check_beside(fields: BesideAudit, table: str, file: str) -> None:
    """SpecError for keys of an audit in a file without claims."""
    own = {table, "derive", "claims", "controls", *(["title"] if table == "program" else [])}
    lonely = sorted(fields.model_fields_set - own)
    if lonely and not (fields.claims or fields.controls):
        raise SpecError("this key is one of an audit, and there is no [[claims]]", key=lonely[0], file=file)


def model_from(fields: ModelFields, folder: Path | None = None) -> ModelFile:
    """The law of a table that has been read as a part of another file."""
    return _read(FileFields.model_validate({"model": fields}), "", folder, "")


def model_of(name: str, folders: Sequence[Path] = ()) -> ModelFile:
    """The model that "module:name" is: a Law, a JointLaw, or a function without arguments that returns one."""
    law = named_law(name, folders)
    parameters = {s.name: s for s in sorted(law.free_symbols, key=str)}
    domains = {n: assumed_domain(s) for n, s in parameters.items()}
    whole = frozenset(n for n, s in parameters.items() if s.is_integer)
    return ModelFile(
        law, parameters, domains, DeriveFields.model_validate({}), name, whole, None, "function", law.name
    )


def _read(fields: FileFields, file: str, folder: Path | None, digest: str) -> ModelFile:
    model = fields.model
    shape = shape_of(model)
    missing, strange = strange_keys(model)
    if missing:
        about = ModelFields.model_fields[missing[0]].description
        raise SpecError(f"this key is missing for {SHAPES[shape]}: {about}", key=f"model.{missing[0]}")
    if strange:
        raise SpecError(
            f"this key says nothing about {SHAPES[shape]}: leave it out", key=f"model.{strange[0]}"
        )
    domains = {name: domain_of(name, given) for name, given in model.parameters.items()}
    symbols = {
        name: symbol_of(name, domains[name], given.integer) for name, given in model.parameters.items()
    }
    if model.variable in symbols:
        raise SpecError(
            f"{model.variable} is the variable: give the parameter another name",
            key=f"model.parameters.{model.variable}",
        )
    law = (
        named_law(model.function, [folder] if folder else [], "model.function")
        if model.function
        else written_law(model, shape, symbols, domains)
    )
    if model.copies > 1:
        law = JointLaw.independent(*[law] * model.copies)
    known = {s.name: s for s in law.free_symbols}
    if model.function:
        domains = {n: assumed_domain(s) for n, s in known.items()} | {
            n: d for n, d in domains.items() if n in known
        }
    for name in symbols:
        if name not in known:
            raise SpecError(
                f"this parameter stands nowhere in the law; {nearest_name(name, known)}",
                key=f"model.parameters.{name}",
            )
    parameters = {
        **{n: known[n] for n in symbols},
        **{n: known[n] for n in sorted(known) if n not in symbols},
    }
    whole = frozenset(n for n, s in parameters.items() if s.is_integer)
    found = ModelFile(law, parameters, domains, fields.derive, file, whole, digest, shape, _title(model, law))
    _check_asked(found)
    return found


def _title(model: ModelFields, law: Law | JointLaw) -> str:
    return model.name if "name" in model.model_fields_set else law.name


def _check_asked(model: ModelFile) -> None:
    """The names under [derive] are parameters, and the values lie in their domains: said before any long work."""
    asked = model.derive
    for key, names in (
        ("information", asked.information or ()),
        ("nuisance", asked.nuisance),
        ("at", asked.at),
        ("prior", asked.prior),
    ):
        for name in names:
            if name not in model.parameters:
                raise SpecError(
                    f"{name[:40]!r} is no parameter; {nearest_name(name, model.parameters)}",
                    key=f"derive.{key}",
                )
    named = [*(asked.information or ()), *asked.nuisance]
    for name in named:
        if named.count(name) > 1:
            raise SpecError(f"{name} is named twice", key="derive.information")
    if asked.nuisance and not set(asked.information or model.parameters) - set(asked.nuisance):
        raise SpecError(
            "all parameters are nuisance: leave one that the information is about", key="derive.nuisance"
        )
    for name, value in asked.at.items():
        value_in_domain(model, name, value, f"derive.at.{name}")


class HasParameters(Protocol):
    """What has been read of a file: its parameters and where they lie."""

    @property
    def parameters(self) -> Mapping[str, sp.Symbol]: ...
    @property
    def domains(self) -> Mapping[str, Domain]: ...
    @property
    def integers(self) -> frozenset[str]: ...
    @property
    def file(self) -> str: ...


def value_in_domain(model: HasParameters, name: str, value: str | int | float, key: str) -> sp.Expr:
    """A number for a parameter, exact; SpecError where it lies outside of its domain."""
    number = formula_of(value, {}, key, model.file)
    lower, upper = model.domains[name]
    whole = name in model.integers
    margins = [number - lower if lower.is_finite else 1, upper - number if upper.is_finite else 1]
    signs = [sign(sp.sympify(m)) for m in margins]
    inside = all(s == 1 or (whole and s == 0) for s in signs)
    if not inside or (whole and number.is_integer is not True):
        kind = "a whole number" if whole else "a number"
        raise SpecError(
            f"expected {kind} between {lower} and {upper}, got {str(value)[:60]}", key=key, file=model.file
        )
    return number
