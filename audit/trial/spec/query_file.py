"""Query files: a query of records and its domain written down as TOML; nothing in it is evaluated as code."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sympy as sp

from ....symbolic.domains.adjacency import Adjacency
from ....symbolic.errors import SpecError, came, nearest_name
from ....symbolic.programs.written import read_condition
from ....symbolic.proof.expressions import ExpressionError
from ....symbolic.sensitivity import queries
from ....symbolic.sensitivity.query import Query
from ....symbolic.sensitivity.query_over import DatasetQuery
from ....symbolic.sensitivity.verb import NAMES
from ....symbolic.stated_optima import adjacency_of
from ...record.reading.explaining import Words
from ...record.reading.toml_model import PublishedSchema, parse_as
from ..neighbours.declaration import domain_from
from .model_file import check_beside
from .model_law import MODEL_FUNCTIONS, brought, check_name, end_of, explained, formula_of
from .program_fields import QueryDeriveFields, QueryFields, QueryFileFields

SCHEMA = PublishedSchema("query", lambda: QueryFileFields)
_EXPECTED = "a TOML query (`noiseproof derive --example average` writes one)"
_WORDS = Words(
    homes=dict.fromkeys(QueryDeriveFields.model_fields, "[derive]")
    | dict.fromkeys(QueryFields.model_fields, "[query]")
)
_INFINITE = ("oo", "-oo", "inf", "-inf")
Symbols = dict[str, sp.Symbol]


@dataclass(frozen=True)
class QueryFile:
    """A query that has been read, in which norm its answers are compared between which neighbours, and what is asked of it."""

    query: DatasetQuery
    norm: str
    adjacency: str | Adjacency
    derive: QueryDeriveFields
    file: str
    digest: str | None = None
    title: str = ""


def parse_query(raw: bytes, *, file: str = "query.toml", folder: Path | None = None) -> QueryFile:
    """The query in the bytes of a TOML document; a function that it names is searched in `folder` too."""
    fields = parse_as(QueryFileFields, raw, _EXPECTED, file, _WORDS)
    check_beside(fields, "query", file)
    digest = f"sha256:{hashlib.sha256(raw).hexdigest()}"
    try:
        return _read(fields.query, fields.derive, file, digest, folder)
    except SpecError as error:
        raise error.within(file=file) from error.__cause__


def query_from(fields: QueryFields, folder: Path | None = None) -> QueryFile:
    """The query of a table that has been read as a part of another file."""
    return _read(fields, QueryDeriveFields.model_validate({}), "", None, folder)


def query_file(query: DatasetQuery, norm: str | None, adjacency: str | None, name: str) -> QueryFile:
    """A query that Python code brought; SpecError where nobody says in which norm its answers are compared."""
    if norm is None:
        raise SpecError(
            'a query from Python needs a norm: "l1", "l2", "max", "frobenius" or "spectral"', key="--norm"
        )
    relation = _adjacency(adjacency or "replace-one", "--adjacency")
    return QueryFile(query, norm, relation, QueryDeriveFields.model_validate({}), name, None, name)


def _read(
    fields: QueryFields, derive: QueryDeriveFields, file: str, digest: str | None, folder: Path | None
) -> QueryFile:
    said = [key for key in ("value", "named", "function") if getattr(fields, key) is not None]
    if len(said) != 1:
        raise SpecError(
            "a query is one of value (formulas), named (one of noiseproof.queries) and function (Python code)",
            key=f"query.{said[1] if said else 'value'}",
        )
    _check_keys(fields, said[0])
    records, symbols = _records(fields.records)
    domain = _domain(fields.domain, "query.domain")
    adjacency = _adjacency(fields.adjacency, "query.adjacency")
    options: dict[str, Any] = {"n": fields.n}
    if fields.value is not None:
        query: Any = _formulas(fields.value, symbols)
        options |= {"records": records, "each": fields.each, "ordered": fields.ordered}
    elif fields.named is not None:
        query = _named(fields.named, fields.arguments, symbols)
    else:
        query = brought(
            fields.function or "", [folder] if folder else [], (Query,), "a Query", "query.function"
        )
    try:
        made = DatasetQuery(query, domain, **options)
    except SpecError as error:
        raise error.within(key="query") from None
    except (ValueError, TypeError, ArithmeticError) as error:
        raise SpecError(f"this is no query over a domain: {error}", key="query") from None
    _check_norm(made, fields.norm)
    title = fields.name if "name" in fields.model_fields_set else made.describe()[:80]
    return QueryFile(made, fields.norm, adjacency, derive, file, digest, title)


def _check_keys(fields: QueryFields, said: str) -> None:
    """SpecError for a key that says nothing of such a query, and for one that it needs."""
    strange = {
        "value": ("arguments",),
        "named": ("each", "ordered"),
        "function": ("arguments", "records", "each", "ordered"),
    }[said]
    for key in strange:
        if key in fields.model_fields_set:
            raise SpecError(
                f"this key goes with another query than one by `{said}`: leave it out", key=f"query.{key}"
            )
    if said == "value" and fields.records is None:
        about = QueryFields.model_fields["records"].description
        raise SpecError(f"this key is missing: {about}", key="query.records")


def _check_norm(made: DatasetQuery, norm: str) -> None:
    shape = None if made.stated is None else made.stated.vector.shape
    allowed = ("frobenius", "spectral", "max") if shape is not None else ("l1", "l2", "max")
    if made.stated is None:
        allowed = tuple(made.query.norms)
    if norm not in allowed:
        raise SpecError(
            f"{norm!r} is no norm of these answers; {nearest_name(norm, allowed)}", key="query.norm"
        )


def _records(given: Sequence[str | list[str]] | None) -> tuple[list[Any] | None, Symbols]:
    """The symbols of the records as they were grouped, and all of them by name."""
    if given is None:
        return None, {}
    flat = [name for group in given for name in ([group] if isinstance(group, str) else group)]
    for name in flat:
        check_name(name, "query.records", "number of a record")
    if len(set(flat)) < len(flat):
        raise SpecError(
            "a name stands for two numbers of the records: give each its own", key="query.records"
        )
    symbols = {name: sp.Symbol(name, real=True) for name in flat}
    grouped = [symbols[g] if isinstance(g, str) else tuple(symbols[n] for n in g) for g in given]
    return grouped, symbols


def _formulas(value: Any, symbols: Symbols) -> Any:
    def read(text: Any, key: str) -> sp.Expr:
        return formula_of(text, symbols, key, table="query")

    if not isinstance(value, list):
        return read(value, "query.value")
    if all(isinstance(row, list) for row in value):
        if len({len(row) for row in value}) > 1:
            raise SpecError("expected rows of equal length", key="query.value")
        return sp.Matrix(
            [[read(e, f"query.value[{i}][{j}]") for j, e in enumerate(row)] for i, row in enumerate(value)]
        )
    return [read(e, f"query.value[{i}]") for i, e in enumerate(value)]


def _domain(given: Any, key: str) -> Any:
    """A Domain, or intervals with infinite ends."""
    if isinstance(given, Mapping) and given.get("kind") == "intervals":
        ends = given.get("ends")
        odd = sorted(set(given) - {"kind", "ends"})
        if odd:
            raise SpecError(f"unknown key; {nearest_name(odd[0], ('ends',))}", key=f"{key}.{odd[0][:40]}")
        if not isinstance(ends, list) or not ends:
            raise SpecError(
                'expected a pair for each number of a record, as in [[0, 1], [0, "oo"]]', key=f"{key}.ends"
            )
        return [_interval(pair, f"{key}.ends[{i}]") for i, pair in enumerate(ends)]
    if (
        isinstance(given, list)
        and len(given) == 2
        and any(e in _INFINITE for e in given if isinstance(e, str))
    ):
        return _interval(given, key)
    try:
        return domain_from(given, key)
    except (ValueError, TypeError, ArithmeticError) as error:
        if isinstance(error, SpecError):
            raise
        raise SpecError(f"this is no domain: {error}", key=key) from None


def _interval(pair: Any, key: str) -> sp.Interval:
    if (
        not isinstance(pair, list)
        or len(pair) != 2
        or not all(isinstance(e, str | int | float) for e in pair)
    ):
        raise SpecError(f'expected [lower, upper], as in [0, "oo"], got {came(pair)}', key=key)
    low, high = (end_of(e, {}, key, "query") for e in pair)
    ends_fit = all(e.is_Rational or e in (sp.oo, -sp.oo) for e in (low, high))
    if not ends_fit or not low < high:
        raise SpecError(f"expected two rational ends, the lower one first, got {low} and {high}", key=key)
    return sp.Interval(low, high)


def _adjacency(given: Any, key: str) -> str | Adjacency:
    try:
        relation = adjacency_of(given)
    except (ValueError, TypeError, ArithmeticError) as error:
        raise SpecError(getattr(error, "message", str(error)), key=key) from None
    return given if isinstance(given, str) and given in NAMES else relation


def _named(name: str, arguments: Mapping[str, Any], symbols: Symbols) -> Query:
    """A query of `noiseproof.queries` with its arguments, of which formulas are read in the names of the records."""
    if name not in queries.__all__:
        raise SpecError(
            f"unknown query {name[:40]!r}; {nearest_name(name, queries.__all__)}", key="query.named"
        )
    make = getattr(queries, name)
    wanted = inspect.signature(make).parameters
    for key in arguments:
        if key not in wanted or key == "records":
            hint = (
                "; it stands in [query]"
                if key == "records"
                else f"; {nearest_name(key, set(wanted) - {'records'})}"
            )
            raise SpecError(f"{name} takes no such argument{hint}", key=f"query.arguments.{key[:40]}")
    needed = [k for k, p in wanted.items() if p.default is p.empty and k not in arguments]
    if others := [k for k in needed if k != "records"]:
        raise SpecError(f"{name} needs {others[0]}", key=f"query.arguments.{others[0]}")
    if ("records" in wanted) != bool(symbols) and (needed or symbols):
        word = (
            "needs records, the names of the numbers of one record"
            if needed
            else "reads the records itself: leave records out"
        )
        raise SpecError(f"{name} {word}", key="query.records")
    read = _Arguments(symbols).read(arguments)
    if "records" in wanted and symbols:
        read["records"] = list(symbols.values())
    try:
        made: Query = make(**read)
    except SpecError as error:
        raise error.within(key="query.arguments") from None
    except (ValueError, TypeError, AttributeError, ArithmeticError, RecursionError) as error:
        raise SpecError(f"{name} cannot take these: {error}", key="query.arguments") from None
    return made


class _Arguments:
    """Arguments as a query takes them: formulas, relations and symbols where it wants these, plain data else."""

    def __init__(self, symbols: Symbols) -> None:
        self.symbols = dict(symbols)

    def read(self, given: Mapping[str, Any]) -> dict[str, Any]:
        for key in ("over", "at"):
            for name in given.get(key, ()) if isinstance(given.get(key, ()), list | dict) else ():
                self._declare(name, f"query.arguments.{key}")
        return {key: self._one(key, value) for key, value in given.items()}

    def _declare(self, name: Any, key: str) -> None:
        if not isinstance(name, str):
            raise SpecError(f"expected the name of a parameter in quotes, got {came(name)}", key=key)
        check_name(name, key, "parameter")
        if name in self.symbols:
            raise SpecError(f"{name} is named twice", key=key)
        self.symbols[name] = sp.Symbol(name, real=True)

    def _one(self, name: str, value: Any) -> Any:
        key = f"query.arguments.{name}"
        if name == "over" and isinstance(value, list):
            return [self.symbols[n] for n in value]
        if name == "at" and isinstance(value, dict):
            return {self.symbols[n]: formula_of(v, {}, f"{key}.{n}", table="query") for n, v in value.items()}
        if name in ("over", "at"):
            raise SpecError(
                f"expected {'a list of names' if name == 'over' else 'a table of values'}", key=key
            )
        if name in ("loss", "regulariser"):
            return formula_of(value, self.symbols, key, table="query")
        if name == "predicate" and isinstance(value, str):
            return self._predicate(value, key)
        if isinstance(value, dict) or (
            isinstance(value, list) and any(isinstance(v, list | dict) for v in value)
        ):
            raise SpecError("expected a number, a text or a list of these", key=key)
        return value

    def _predicate(self, text: str, key: str) -> Any:
        try:
            return read_condition(text, self.symbols, MODEL_FUNCTIONS)
        except ExpressionError as error:
            raise SpecError(explained(str(error), "query"), key=key) from None
        except TypeError as error:
            raise SpecError(f"this cannot be compared: {error}", key=key) from None
