"""Columns that statistics compute from the numbers of a record, by a formula of the whitelist."""

from __future__ import annotations

from collections.abc import Iterator

import sympy as sp

from ....symbolic.errors import SpecError, nearest_name
from ....symbolic.proof.expressions import ExpressionError, parse
from .models import ColumnModel, PolicyModel

_LONGEST = 500  # characters of a formula


def formula_of(policy: PolicyModel, expression: str) -> sp.Expr:
    """The formula in the private numbers of a record, as real symbols; ExpressionError with the place and what is allowed."""
    names = {c.name: sp.Symbol(c.name, real=True) for c in policy.columns if _usable(c)}
    return parse(expression, names, characters=_LONGEST)


def _usable(column: ColumnModel) -> bool:
    return column.role == "private" and column.categories is None and column.name.isidentifier()


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
                f"a formula without a column is the same for all records; {nearest_name(one.expression, usable)}",
                key=f"{key}.expression",
            )
