"""Columns that statistics compute from the numbers of a record, by a formula of the whitelist."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice

import sympy as sp

from ....symbolic.errors import SpecError, nearest_name
from ....symbolic.proof.expressions import ExpressionError, parse
from .models import ColumnModel, PolicyModel

_LONGEST = 500  # characters of a formula


def formula_of(policy: PolicyModel, expression: str) -> sp.Expr:
    """The formula in the private numbers of a record, as real symbols; ExpressionError with the place and what is allowed.

    Names are written as they are, or between backticks where they are no identifiers: `weight [kg]` / 2.
    """
    usable = {c.name: sp.Symbol(c.name, real=True) for c in policy.columns if _usable(c)}
    names = {name: symbol for name, symbol in usable.items() if name.isidentifier()}
    quoted: dict[str, str] = {}

    def stand_in(found: re.Match[str]) -> str:
        if found[1] not in usable:
            raise ExpressionError(
                f"in the formula {expression!r} at character {found.start() + 1}: no private number {found[1]!r}; {_said(usable)}"
            )
        # Of the same length, so that places in messages are those of the text.
        name = f"q{len(quoted)}".ljust(len(found[0]), "_")
        while name in names or name in expression:
            name = f"_{name}"
        names[name], quoted[name] = usable[found[1]], found[0]
        return name

    source = re.sub("`([^`]*)`", stand_in, expression)
    try:
        return parse(source, names, characters=_LONGEST)
    except ExpressionError as error:
        message = str(error)
        for name, text in quoted.items():
            message = message.replace(name, text)
        odd = [name for name in usable if not name.isidentifier()]
        raise ExpressionError(f"{message}; {_said(odd)}" if odd else message) from None


def _usable(column: ColumnModel) -> bool:
    return column.role == "private" and column.categories is None and "`" not in column.name


def _said(names: Iterable[str]) -> str:
    """How these names are written in a formula."""
    shown = ", ".join(name if name.isidentifier() else f"`{name}`" for name in islice(names, 12))
    return f"names that are no words stand between backticks: {shown}"


def derived_columns(policy: PolicyModel) -> Iterator[ColumnModel]:
    """Each as a private number; a record for which the formula has no finite value is left out of its statistics."""
    for one in policy.derived:
        own = {"name": one.name, "low": one.low, "high": one.high, "unit": one.unit}
        yield ColumnModel.model_validate({**own, "role": "private", "kind": "number", "missing": "skip"})


def check_derived(policy: PolicyModel) -> None:
    """Raises SpecError, with the key, for the first one that cannot be meant."""
    taken = {c.name for c in policy.columns}
    for i, one in enumerate(policy.derived):
        key = f"derived[{i}]"
        if one.name in taken:
            raise SpecError(f"{one.name!r} is the name of another column", key=f"{key}.name")
        taken.add(one.name)
        if not float(one.low) < float(one.high):
            raise SpecError(f"expected low < high, got {one.low} and {one.high}", key=f"{key}.high")
        try:
            formula = formula_of(policy, one.expression)
        except ExpressionError as error:
            raise SpecError(str(error), key=f"{key}.expression") from None
        if not formula.free_symbols:
            usable = [c.name for c in policy.columns if _usable(c)]
            raise SpecError(
                f"a formula without a column is the same for all records; {nearest_name(one.expression, usable)}; {_said(usable)}",
                key=f"{key}.expression",
            )
