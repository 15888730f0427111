"""Derived columns evaluated for whole batches; where a formula has no finite value the record has none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import sympy as sp

from ....mechanisms.statistics.rows import Rows
from ..policy import Policy
from ..policy.derived import formula_of


@dataclass(frozen=True, eq=False)
class Formulas:
    """Each derived column: its name, the columns that its formula needs, and the formula for arrays."""

    columns: tuple[tuple[str, tuple[str, ...], Callable[..., Any]], ...]

    @classmethod
    def of(cls, policy: Policy) -> Formulas:
        """The derived columns of a policy."""
        found = []
        for one in policy.model.derived:
            formula = formula_of(policy.model, one.expression)
            names = sorted(s.name for s in formula.free_symbols)
            # A column may have the name of a function: in the compiled formula none has its own.
            symbols = {sp.Symbol(name, real=True): sp.Dummy() for name in names}
            found.append(
                (
                    one.name,
                    tuple(names),
                    sp.lambdify(list(symbols.values()), formula.xreplace(symbols), "numpy"),
                )
            )
        return cls(tuple(found))

    def added(self, rows: Rows) -> Rows:
        """The records with their derived numbers, NaN where there is none."""
        if not self.columns:
            return rows
        numbers = dict(rows.numbers)
        for name, needed, formula in self.columns:
            with np.errstate(all="ignore"):
                given = [np.asarray(rows.numbers[n], dtype=float) for n in needed]
                value = np.broadcast_to(np.asarray(formula(*given)), (rows.size,))
            real = np.where(np.isreal(value), np.real(value), np.nan).astype(float)
            missing = np.any([np.isnan(g) for g in given], axis=0)
            numbers[name] = np.where(np.isfinite(real) & ~missing, real, np.nan)
        return replace(rows, numbers=numbers)
