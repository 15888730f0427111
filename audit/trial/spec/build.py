"""From a spec to claims: subjects constructed, sweeps unfolded, formulas read in their parameters."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import sympy as sp

from ....symbolic.claim import Claim, Scope
from ....symbolic.errors import SpecError, nearest_name
from ....symbolic.predicates import ErrorBound, FisherInformation, Predicate
from ....symbolic.privacy.guarantees import GUARANTEES
from ....symbolic.proof.enclosure import enclose, rational, sign
from ....symbolic.proof.expressions import ExpressionError, parse
from ..neighbours.evolution import Progress
from .data import Dataset, load_table
from .function import claims_of, line_of, load_function
from .lines import entry_lines
from .models import ClaimSpec, ControlFields, DataSpec, ScopeSpec, SpecModel
from .reading import Spec
from .stated_claims import OF_PROBLEMS, check_fits, stated_predicate
from .stated_subject import is_stated
from .subjects import Candidate, candidates


@dataclass(frozen=True)
class Settings:
    """What an audit may be asked to vary without touching its claims."""

    alpha: float = 0.05
    samples: int = 100_000
    seed: int = 0
    bits: bool = False
    sequential: bool = False
    seconds: float | None = None
    call_seconds: float | None = None


@dataclass(frozen=True, eq=False)
class Job:
    """Everything that one audit needs; each claim carries its own subject."""

    title: str
    notes: tuple[str, ...]
    claims: tuple[Claim, ...]
    settings: Settings
    spec_digest: str | None = None
    data_digest: str | None = None
    lines: tuple[int, ...] = ()  # where each claim stands in the file, if that is known


def build(spec: Spec, *, progress: Progress | None = None, **overrides: float | int | bool) -> Job:
    """The job of a spec; `overrides` (of the fields of `Settings`) replace what the file says.

    A search for neighbours, if the spec asks for one, runs here and tells `progress` (a share of it, a text).
    """
    try:
        return _build(spec, overrides, progress)
    except SpecError as error:
        raise error.within(file=spec.file) from error.__cause__


def build_from_function(name: str, **settings: float | int | bool) -> Job:
    """The job of a user's function without arguments, "module:function"."""
    function = load_function(name)
    claims = claims_of(name, function)
    return Job(name, (), claims, Settings(**settings), lines=(line_of(name, function),) * len(claims))  # type: ignore[arg-type]


def _build(spec: Spec, overrides: Mapping[str, Any], progress: Progress | None) -> Job:
    model = spec.model
    chosen = {k: overrides.get(k, getattr(model, k)) for k in (f.name for f in fields(Settings))}
    settings = Settings(**chosen)
    for key in ("timing", "processes"):
        if getattr(model.mechanism, key, False) and not settings.bits:
            raise SpecError(
                "calls are audited with the bytes only: set bits = true or pass --bits",
                key=f"mechanism.{key}",
            )
    table = _table(model.data, spec) if model.data else None
    subjects = candidates(
        model, table, spec.folder, seed=settings.seed, samples=settings.samples, progress=progress
    )
    asked = [
        (entry, candidate, f"{kind}[{i}]")
        for kind, entries in (("claims", model.claims), ("controls", model.controls))
        for i, entry in enumerate(entries)
        for candidate in _selected(entry, subjects, f"{kind}[{i}]")
    ]
    # All claims are read before a search for neighbours runs: a slip in the last one must not cost the work.
    predicates = []
    for entry, candidate, key in asked:
        with _errors_within(key):
            stated = stated_predicate(entry, model) if is_stated(model) else None
            predicates.append(stated or _predicate(entry, candidate.names(table), table))
            if stated is not None:
                check_fits(stated, candidate.subject())
            if candidate.mechanism is None and _noise_factor(entry) is not None:
                candidate.factor(
                    _noise_factor(entry), predicates[-1], entry.about, settings.samples, settings.alpha
                )
    lines = entry_lines(spec.raw, claims=len(model.claims), controls=len(model.controls))
    claims = []
    for (entry, candidate, key), predicate in zip(asked, predicates, strict=True):
        with _errors_within(key):
            claims.append(_claim(entry, candidate, predicate, settings, several=len(subjects) > 1))
    return Job(
        model.title,
        (*_notes(model, table), *_search_notes({id(c): c for _, c, _ in asked}.values())),
        tuple(claims),
        settings,
        spec.digest,
        table.digest if table else None,
        tuple(lines[key] for *_, key in asked),
    )


def _table(data: DataSpec, spec: Spec) -> Dataset:
    bounds = (
        {k: (v[0], v[1]) for k, v in data.bounds.items()}
        if isinstance(data.bounds, dict)
        else tuple(data.bounds)
    )
    return load_table(
        data.source,
        bounds=bounds,  # type: ignore[arg-type]
        columns=data.columns,
        label=data.label,
        scale=data.scale,
        outside=data.outside,
        public=data.public,
        folder=spec.folder,
    )


def _notes(model: SpecModel, table: Dataset | None) -> tuple[str, ...]:
    notes = list(model.notes)
    if table is not None:
        notes.append(table.describe())
        if table.clipped:
            notes.append(f"values outside the declared bounds were clipped in: {', '.join(table.clipped)}")
    return tuple(notes)


def _search_notes(used: Iterable[Candidate]) -> Iterator[str]:
    """How the neighbours of each searched release were found."""
    for candidate in used:
        if candidate.search is not None:
            label = f"{candidate.label()}: " if candidate.swept else ""
            yield from (label + note for note in candidate.search().notes)


@contextmanager
def _errors_within(key: str) -> Iterator[None]:
    try:
        yield
    except SpecError as error:
        raise error.within(key=key) from error.__cause__


def _selected(entry: ClaimSpec, subjects: tuple[Candidate, ...], key: str) -> list[Candidate]:
    """The subjects that `where` admits; a value that no subject has is an error."""
    kept = list(subjects)
    for name, wanted in entry.where.items():
        if name not in subjects[0].values:
            raise SpecError(
                f"no parameter {name!r} in [mechanism]; {nearest_name(name, subjects[0].values)}",
                key=f"{key}.where",
            )
        allowed = wanted if isinstance(wanted, list) else [wanted]
        present = [s.values[name] for s in subjects]
        for value in allowed:
            if value not in present:
                raise SpecError(
                    f"{name} is never {value!r}; expected some of {present}", key=f"{key}.where.{name}"
                )
        kept = [s for s in kept if s.values[name] in allowed]
    if not kept:
        raise SpecError("no subject satisfies all conditions", key=f"{key}.where")
    return kept


def _noise_factor(entry: Any) -> Any:
    return entry.noise_factor if isinstance(entry, ControlFields) else None


def _claim(
    entry: Any, candidate: Candidate, predicate: Predicate, settings: Settings, several: bool
) -> Claim:
    control, factor = isinstance(entry, ControlFields), _noise_factor(entry)
    subject, title = candidate.subject(), entry.title
    if factor is not None:
        factor = candidate.factor(factor, predicate, entry.about, settings.samples, settings.alpha)
        subject = candidate.subject(factor, entry.about)
        title = f"{title or 'control'}: noise divided by {factor:g}"
    if several and title:
        title = f"{title} ({candidate.label()})"
    return Claim(
        predicate,
        subject,
        scope=_scope(entry.scope, candidate),
        about=entry.about,
        assumptions=tuple(entry.assumptions),
        source=entry.source,
        expect="falls" if control else "holds",
        title=title,
    )


def _scope(scope: ScopeSpec, candidate: Candidate) -> Scope:
    """As written; after a search the relation and the domain are those that were searched."""
    if candidate.search is None:
        return Scope(scope.adjacency, scope.domain, scope.unit)
    found = candidate.search().scope
    return Scope(
        scope.adjacency if "adjacency" in scope.model_fields_set else found.adjacency,
        scope.domain or found.domain,
        scope.unit,
    )


def _predicate(entry: Any, names: Mapping[str, Any], table: Dataset | None) -> Predicate:
    guarantee = next((kind for kind in GUARANTEES.values() if kind.spec_key == entry.predicate), None)

    def number(field: str, side: int, value: Any = None) -> float:
        return real(getattr(entry, field) if value is None else value, names, field, side)

    if entry.predicate in OF_PROBLEMS:
        raise SpecError(
            f"{entry.predicate} is said of a problem in formulas: give [{OF_PROBLEMS[entry.predicate]}]",
            key="predicate",
        )
    try:
        if guarantee is not None:
            # Rounded so that the claim is never stronger than its formula.
            return guarantee(**{f: number(f, side) for f, side in guarantee.stated_numbers().items()})
        for key in ("of", "domains"):
            if getattr(entry, key) is not None:
                raise SpecError("this key goes with [model] only", key=key)
        if entry.predicate == "fisher-information":
            rows = entry.value if isinstance(entry.value, list) else [[entry.value]]
            matrix = _rectangle([[number("value", 0, v) for v in row] for row in rows], "value")
            return FisherInformation(matrix if isinstance(entry.value, list) else float(matrix[0, 0]))
        weight = None
        if entry.weight is not None:
            nested = isinstance(entry.weight[0], list) if entry.weight else False
            rows = entry.weight if nested else [entry.weight]
            if any(isinstance(row, list) != nested for row in entry.weight):
                raise SpecError("expected a list of numbers (the diagonal) or a list of rows", key="weight")
            given = _rectangle([[number("weight", 0, v) for v in row] for row in rows], "weight")
            weight = given if nested else np.diag(given[0])
        domain = None
        if "minimax" in (entry.adversary, entry.against):
            domain = tuple(entry.domain) if entry.domain else (table.domain if table else None)
        return ErrorBound(number("value", -1), entry.adversary, weight, domain, against=entry.against)
    except ExpressionError as error:
        raise SpecError(str(error)) from None
    except SpecError:
        raise
    except ValueError as error:
        field = str(error).split(" ", 1)[0]
        raise SpecError(str(error), key=field if field in type(entry).model_fields else "") from None


def _rectangle(rows: list[list[float]], key: str) -> np.ndarray[Any, np.dtype[np.float64]]:
    if not rows or not rows[0] or len({len(row) for row in rows}) != 1:
        raise SpecError("expected rows of equal length", key=key)
    return np.array(rows, dtype=float)


def real(value: Any, names: Mapping[str, Any], key: str, side: int = 0) -> float:
    """A number or formula as a float: nearest (side 0), not below (1) or not above (-1) its exact value."""
    if not isinstance(value, str):
        return float(value)
    try:
        exact = parse(value, names)
    except ExpressionError as error:
        raise SpecError(str(error), key=key) from None
    x = float(enclose(exact, bits=160).mid())
    for _ in range(4 if side else 0):
        if sign((exact - rational(x)) * sp.Integer(side)) != 1:
            break
        x = math.nextafter(x, math.inf * side)
    return x
