"""A query over a domain, as it was stated: what a claim of a sensitivity is about, and what noise is added to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp

from ..arrays import Floats
from ..domains.adjacency import Adjacency
from ..errors import SpecError
from .answer import Dataset, Sensitivity
from .moves import StatedQuery
from .query import Query
from .verb import sensitivity, stated_query


@dataclass(frozen=True, init=False)
class DatasetQuery:
    """A query of data sets whose records lie in a domain; the arguments are those of `npf.sensitivity`, without norm and adjacency.

    `query.sensitivity(norm, adjacency)` is the answer of that function, `query(dataset)` the exact value. `query`, `domain`, `records`,
    `each`, `n` and `ordered` as there. SpecError for what is no query.

    >>> x = sp.Symbol("x")
    >>> total = npf.DatasetQuery(x**2, npf.Box(0, 3), records=[x], each="sum", n=10)
    >>> float(total.sensitivity("l1").at_least()), total([1] * 9 + [3])
    (9.0, (18,))
    """

    query: Any
    domain: Any
    records: tuple[Any, ...] | None
    each: str | None
    n: int | None
    ordered: bool
    stated: StatedQuery | None

    def __init__(
        self,
        query: Any,
        domain: Any,
        *,
        records: Sequence[Any] | None = None,
        each: str | None = None,
        n: int | None = None,
        ordered: bool = False,
    ) -> None:
        if isinstance(query, Query) and (records is not None or each is not None):
            raise SpecError("a query by name reads the records itself: leave records= and each= out")
        stated = None if isinstance(query, Query) else stated_query(query, domain, records, each, n)
        for name, value in (
            ("query", query),
            ("domain", domain),
            ("records", None if records is None else tuple(records)),
            ("each", each),
            ("n", n),
            ("ordered", ordered),
            ("stated", stated),
        ):
            object.__setattr__(self, name, value)

    def sensitivity(
        self,
        norm: str,
        adjacency: str | Adjacency = "replace-one",
        *,
        tolerance: float = 1e-6,
        effort: float = 1,
    ) -> Sensitivity:
        """How far the answers of neighbours may be apart: see `npf.sensitivity`."""
        return sensitivity(
            self.query,
            self.domain,
            records=self.records,
            norm=norm,
            adjacency=adjacency,
            each=self.each,
            n=self.n,
            ordered=self.ordered,
            tolerance=tolerance,
            effort=effort,
        )

    def __call__(self, dataset: Dataset) -> tuple[sp.Expr, ...]:
        """The entries of the answer, exact; of a matrix row by row."""
        if self.stated is not None:
            return tuple(self.stated.answer(tuple(dataset)).entries)
        value = self.query(tuple(dataset))
        if isinstance(value, sp.MatrixBase):
            return tuple(value)
        return tuple(value) if isinstance(value, tuple) else (value,)

    def numbers(self, dataset: Dataset) -> Floats:
        """The entries of the answer as floats."""
        return np.array([float(entry) for entry in self(dataset)])

    def describe(self) -> str:
        """The query in words or formulas."""
        if self.stated is None:
            return str(self.query.describe())
        entries = ", ".join(sp.sstr(e) for e in self.stated.vector.entries)
        if self.each is None:
            return entries
        many = "n" if self.n is None else str(self.n)
        return f"{self.each} of {entries} over {many} records"
