"""Policy files: TOML read into models, then checked against each other; errors name file, key and the nearest name."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ....symbolic.errors import SpecError
from ...record.reading.explaining import PLAIN, explained
from ...record.reading.toml_file import parse_toml, read_bytes
from ...record.reading.toml_model import PublishedSchema
from .agreement import check_agreement, policy_numbers
from .models import ColumnModel, PolicyModel
from .named_entries import named_entries
from .places import inside

SCHEMA = PublishedSchema("policy", lambda: PolicyModel)
_EXPECTED = "a TOML policy"
# Keys of a table that a manifest names only where they are set.
UNSAID = {"encoding": "utf-8", "title_lines": 0, "missing_person": "refuse"}


@dataclass(frozen=True)
class Number:
    """One private number of a record: where it comes from and its declared interval.

    `name` is that of the column, or COLUMN=CATEGORY for an entry of a one-hot category, whose place in `categories` is
    `level`.
    """

    name: str
    column: str
    low: float
    high: float
    unit: str = ""
    level: int | None = None

    @property
    def said_unit(self) -> str:
        """The unit, for a sentence."""
        return self.unit or "unit of the column"


@dataclass(frozen=True)
class Policy:
    """A policy that has been read and agrees with itself; `folder` is where its file names start, `digest` that of its bytes."""

    model: PolicyModel
    file: str
    folder: Path
    digest: str

    @property
    def title(self) -> str:
        return self.model.title

    @property
    def columns(self) -> tuple[ColumnModel, ...]:
        return tuple(self.model.columns)

    @cached_property
    def numbers(self) -> tuple[Number, ...]:
        """The private numbers of a record, in the order of their columns; labels are not among them."""
        return tuple(_number(column, level) for column, level in policy_numbers(self.model))

    @cached_property
    def kept(self) -> tuple[ColumnModel, ...]:
        """The columns that are read: all but the dropped ones."""
        return tuple(column for column in self.columns if column.role != "drop")

    @cached_property
    def public(self) -> tuple[ColumnModel, ...]:
        """The columns that are released as they are, a public label among them."""
        return tuple(column for column in self.columns if column.role == "public")

    @cached_property
    def label(self) -> ColumnModel | None:
        """The label, if one is declared and not dropped."""
        return next((c for c in self.kept if c.kind == "label"), None)

    @property
    def unit(self) -> str:
        """The unit of privacy: record or person."""
        return self.model.table.unit_of_privacy

    @property
    def rows_of_unit(self) -> int:
        """The largest number of records of one unit of privacy."""
        return int(self.model.table.rows_per_person or 1)

    @property
    def widths(self) -> tuple[float, ...]:
        """The lengths of the declared intervals."""
        return tuple(n.high - n.low for n in self.numbers)

    def per_number(self, given: Any) -> tuple[Any, ...]:
        """One value for each private number, from a number for all or a table by column."""
        if isinstance(given, Mapping):
            return tuple(given[n.column] for n in self.numbers)
        return tuple(given for _ in self.numbers)

    @property
    def table_path(self) -> Path:
        """The table, inside the policy's folder; SpecError for a name that leads out of it."""
        return self._inside("table.path", self.model.table.path)

    @property
    def ledger_path(self) -> Path | None:
        """The ledger, inside the policy's folder."""
        ledger = self.model.ledger
        return None if ledger is None else self._inside("ledger.path", ledger.path)

    @property
    def key_path(self) -> Path | None:
        """The signing key, inside the policy's folder."""
        signing = self.model.signing
        return None if signing is None else self._inside("signing.key", signing.key)

    def _inside(self, key: str, name: str) -> Path:
        try:
            return inside(self.folder, name, key)
        except SpecError as error:
            raise error.within(file=self.file) from None

    def public_data(self) -> dict[str, Any]:
        """The policy as plain data that may be published: paths are reduced to names, the key is left out."""
        data: dict[str, Any] = self.model.model_dump(mode="json", exclude_none=True, exclude={"signing"})
        for part in ("table", "ledger"):
            if part in data:
                data[part]["path"] = Path(data[part]["path"]).name
        for name, usual in UNSAID.items():
            if data["table"][name] == usual:
                del data["table"][name]
        for name in ("statistics", "derived"):
            if not data[name]:
                del data[name]
        for column in data["columns"]:
            if column["undeclared"] == "refuse":
                del column["undeclared"]
        return data


def read_policy(path: str | Path) -> Policy:
    """The policy in a TOML file, or a SpecError that says what to change."""
    path = Path(path)
    return parse_policy(read_bytes(path, _EXPECTED), file=str(path), folder=path.parent)


def parse_policy(raw: bytes, *, file: str = "policy.toml", folder: Path | None = None) -> Policy:
    """The policy in the bytes of a TOML document; names of files in it start at `folder`."""
    model = _checked(parse_toml(raw, _EXPECTED, file), file)
    return Policy(model, file, folder or Path(), f"sha256:{hashlib.sha256(raw).hexdigest()}")


def policy_of(data: Any, file: str) -> Policy:
    """The policy that a manifest shows (`Policy.public_data`): paths are reduced to names, the key is left out."""
    return Policy(_checked(data, file), file, Path(), "")


def _checked(tree: Any, file: str) -> PolicyModel:
    with named_entries(tree):
        try:
            model = PolicyModel.model_validate(tree)
        except ValidationError as error:
            raise explained(error, PolicyModel, PLAIN).within(file=file) from None
        try:
            check_agreement(model)
        except SpecError as error:
            raise error.within(file=file) from None
    return model


def _number(column: ColumnModel, level: int | None) -> Number:
    if column.categories is None:
        assert column.low is not None
        assert column.high is not None
        return Number(column.name, column.name, float(column.low), float(column.high), column.unit)
    if level is None:
        return Number(
            column.name, column.name, 0.0, len(column.categories) - 1.0, "place in the list of categories"
        )
    return Number(f"{column.name}={column.categories[level]}", column.name, 0.0, 1.0, "", level)
