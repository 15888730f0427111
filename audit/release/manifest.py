"""The manifest of a release, release.json: what was released, under which guarantee, at which cost; public data only."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from decimal import ROUND_FLOOR, Context
from typing import Any

from ...symbolic.errors import SpecError
from ..record.plain import json_text, plain

SCHEMA = "noiseproof-release-1"
NAME = "release.json"
PER_RECORD = (
    "The guarantee is per record: someone with k records pays k times epsilon, or k squared times rho."
)


@dataclass(frozen=True)
class ColumnNoise:
    """What is done to one private column: its declared interval, the law of its noise and the grid 2^exponent (None: no grid)."""

    name: str
    unit: str
    low: float
    high: float
    noise: dict[str, Any]
    exponent: int | None = None


@dataclass(frozen=True)
class StatedGuarantee:
    """A guarantee in numbers and in one sentence; kind "none" says why there is none."""

    kind: str
    sentence: str
    numbers: dict[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        return {"kind": self.kind, **plain(self.numbers), "sentence": self.sentence}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> StatedGuarantee:
        rest = {k: v for k, v in data.items() if k not in ("kind", "sentence")}
        return cls(data["kind"], data["sentence"], rest)


@dataclass(frozen=True)
class ErrorFigure:
    """A mean squared error below which the adversaries named in `against` do not get; `column` None: the whole record."""

    column: str | None
    bound: float
    unit: str
    against: str

    @property
    def said(self) -> str:
        """The bound as a typical error, rounded down: the root of the mean squared one, in the unit of the column."""
        unit = self.unit.removeprefix("(").removesuffix(")^2")
        known = 0 <= self.bound < math.inf
        down = Context(prec=3, rounding=ROUND_FLOOR).create_decimal_from_float
        if self.column is None or not known:
            return f"{self.column or 'the whole record'}: mean squared error at least {self.bound:.6g} {self.unit}".rstrip()
        size = f"{float(down(math.sqrt(self.bound))):,g} {unit}".rstrip()
        every = self.against.startswith("every adversary")
        return (
            f"{self.column}: {'any' if every else 'an unbiased'} attacker's typical error is at least {size}, averaged over possible records ("
            + ("single records may be guessed better)" if every else "other attackers can do better)")
        )


def typical_noise(utility: Mapping[str, Any], units: Mapping[str, str]) -> dict[str, str]:
    """Measures of usefulness in words: the noise of each column in its unit, and its share of the declared range where that is largest."""
    sizes = utility["root_mean_squared_noise"].items()
    noise = ", ".join(
        f"{name} ±{float(f'{size:.3g}'):,g} {units.get(name, '')}".rstrip() for name, size in sizes
    )
    share = f"{100 * utility['relative-error']:.3g} % of a column's declared range"
    return {"typical noise (root mean square)": noise, "at worst": share}


@dataclass(frozen=True)
class LedgerEntry:
    """Where the cost of a release stands: the entry, the hash of its line, what was spent with it, and the charges until then."""

    table_id: str
    entry: str
    head: str
    spent: Any
    remaining: Any
    history: Any


@dataclass(frozen=True)
class FileFacts:
    """One file of the release that was written before the manifest."""

    name: str
    sha256: str
    bytes: int


@dataclass(frozen=True)
class Manifest:
    """Everything that a reader of a release may know; `to_dict` is the content of release.json."""

    title: str
    created: str
    policy: dict[str, Any]
    mechanism: dict[str, Any]
    columns: tuple[ColumnNoise, ...]
    guarantees: tuple[StatedGuarantee, ...]
    adjacency: str
    unit_of_privacy: str
    costs: dict[str, Any]
    ledger: LedgerEntry | None
    error_bounds: tuple[ErrorFigure, ...]
    utility: dict[str, Any] | str
    does_not_mean: tuple[str, ...]
    rows: int | None
    salted_digest: str | None
    files: tuple[FileFacts, ...]
    verdict: str
    answers: dict[str, Any]
    versions: dict[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """The manifest as plain data, in the order of its schema."""
        return {
            "schema": SCHEMA,
            "title": self.title,
            "created": self.created,
            "policy": plain(self.policy),
            "mechanism": {**plain(self.mechanism), "columns": [_data(c) for c in self.columns]},
            "guarantees": [g.to_dict() for g in self.guarantees],
            "adjacency": self.adjacency,
            "unit_of_privacy": self.unit_of_privacy,
            "costs": plain(self.costs),
            "ledger": None if self.ledger is None else _data(self.ledger),
            "error_bounds": [_data(e) for e in self.error_bounds],
            "utility": plain(self.utility),
            "does_not_mean": list(self.does_not_mean),
            "table": {"rows": self.rows, "salted_digest": self.salted_digest},
            "files": [_data(f) for f in self.files],
            "verdict": self.verdict,
            "answers": plain(self.answers),
            "versions": plain(self.versions),
        }

    def to_json(self) -> str:
        """The text of release.json."""
        return json_text(self.to_dict())

    @classmethod
    def from_dict(cls, data: Any) -> Manifest:
        """The manifest that `to_dict` made; SpecError names what is missing."""
        if not isinstance(data, dict) or data.get("schema") != SCHEMA:
            raise SpecError(f'expected a manifest with "schema": "{SCHEMA}"', file=NAME)
        try:
            mechanism = dict(data["mechanism"])
            made = {
                **data,
                **data["table"],
                "mechanism": mechanism,
                "columns": tuple(_made(ColumnNoise, c) for c in mechanism.pop("columns")),
                "guarantees": tuple(StatedGuarantee.from_dict(g) for g in data["guarantees"]),
                "ledger": None if data["ledger"] is None else _made(LedgerEntry, data["ledger"]),
                "error_bounds": tuple(_made(ErrorFigure, e) for e in data["error_bounds"]),
                "does_not_mean": tuple(data["does_not_mean"]),
                "files": tuple(_made(FileFacts, f) for f in data["files"]),
            }
            return cls(**{f.name: made[f.name] for f in fields(cls)})
        except KeyError as missing:
            raise SpecError(
                f"the entry {missing} is missing: the manifest was cut or edited", file=NAME
            ) from None
        except (TypeError, AttributeError) as error:
            raise SpecError(f"not a manifest as it was written: {error}", file=NAME) from None


def _data(value: Any) -> dict[str, Any]:
    return {f.name: plain(getattr(value, f.name)) for f in fields(value)}


def _made(kind: Any, data: dict[str, Any]) -> Any:
    return kind(**{f.name: data[f.name] for f in fields(kind) if f.default is MISSING or f.name in data})
