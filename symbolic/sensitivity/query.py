"""A query whose sensitivity follows from its structure: what all of them share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from numbers import Integral
from typing import Any, ClassVar

import sympy as sp

from ..domains.adjacency import Adjacency
from ..domains.domain import Domain
from ..errors import SpecError, nearest_name
from .answer import Dataset, Sensitivity
from .changes import Change, change_of

VECTOR_NORMS = ("l1", "l2", "max")
MATRIX_NORMS = ("frobenius", "spectral", "max")


class Query(ABC):
    """A function of data sets.  `query(dataset)` is its exact value, `answer(...)` its sensitivity.

    A data set is a sequence of records in any order: each a number, a tuple of numbers, or a category.
    """

    norms: ClassVar[Sequence[str]] = VECTOR_NORMS

    @abstractmethod
    def __call__(self, dataset: Dataset) -> sp.Expr | sp.Matrix | tuple[sp.Expr, ...]:
        """The value at a data set, exact."""

    @abstractmethod
    def describe(self) -> str:
        """The query in words."""

    @abstractmethod
    def moved(self, domain: Domain, norm: str, change: Change, n: int | None, effort: float) -> Sensitivity:
        """The answer for neighbours of this change; norm and `n` are checked already."""

    def answer(
        self,
        domain: Domain,
        norm: str,
        adjacency: str | Adjacency = "replace-one",
        *,
        n: int | None = None,
        effort: float = 1,
    ) -> Sensitivity:
        """The sensitivity over data sets of records of the domain; `n` is their (smaller) number, where it matters.

        SpecError for a norm, an adjacency, a domain or a number of records with which the query makes no sense.
        """
        self.check(norm, n)
        return self.moved(domain, norm, change_of(adjacency, domain), n, effort)

    def check(self, norm: Any, n: Any = None) -> None:
        """SpecError for a norm that is unknown, or a number of records that is none."""
        if norm not in self.norms:
            raise SpecError(f"unknown norm of {self.describe()}; {nearest_name(str(norm), self.norms)}")
        if n is not None and (isinstance(n, bool) or not isinstance(n, Integral) or n < 1):
            raise SpecError(f"n must be a whole number of records >= 1, got {n!r}")
