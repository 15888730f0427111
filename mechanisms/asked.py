"""A user's query with its proved sensitivity, as what noise is added to."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np
import sympy as sp

from ..symbolic.arrays import Floats
from ..symbolic.claim import Scope
from ..symbolic.domains.adjacency import Adjacency
from ..symbolic.domains.discrete import Categorical
from ..symbolic.errors import SpecError
from ..symbolic.proof.derivation import Step
from ..symbolic.proof.enclosure import NotEnclosableError, enclose
from ..symbolic.proof.exact_numbers import above
from ..symbolic.sensitivity.answer import Dataset, Sensitivity
from ..symbolic.sensitivity.query_over import DatasetQuery
from .allowed_data import check_inside, check_size


@dataclass(frozen=True)
class Asked:
    """A query over a domain and the answer to the question for its sensitivity; `bound` is a float that is no less."""

    query: DatasetQuery
    found: Sensitivity
    bound: float
    adjacency: str | Adjacency

    @classmethod
    def of(
        cls, query: Any, domain: Any, norm: str, adjacency: Any, effort: float, given: dict[str, Any]
    ) -> Asked:
        """SpecError where the sensitivity is infinite, 0, or not bounded: no noise could be scaled to it."""
        if isinstance(query, DatasetQuery) and (domain is not None or given):
            raise SpecError(
                "a DatasetQuery has its domain and records already: leave out what is given besides"
            )
        asked = query if isinstance(query, DatasetQuery) else DatasetQuery(query, domain, **given)
        if asked.stated is not None and asked.stated.vector.shape is not None:
            raise SpecError(
                "noise is added to a number or a vector: list the entries of the matrix, as in list(matrix)"
            )
        found = asked.sensitivity(norm, adjacency, effort=effort)
        if found.infinite or found.upper is None:
            raise SpecError(
                f"noise needs a finite sensitivity: {found.sentence()}; bound the domain, or clip"
            )
        if found.exact == 0 or found.at_most() == 0:
            raise SpecError(f"the query does not move, and no noise is needed: {found.sentence()}")
        bound = above(found.upper) if found.exact is None else above(enclose(found.exact))
        if not bound < inf:
            raise SpecError(f"the sensitivity is larger than a float can be: {found.sentence()}")
        return cls(asked, found, bound, adjacency)

    @property
    def pair(self) -> tuple[Dataset, Dataset]:
        """Neighbours whose answers are furthest apart, as far as such were found."""
        if self.found.attained_at is None:
            raise SpecError(f"no pair of neighbours is known: {self.found.sentence()}")
        return self.found.attained_at

    @property
    def entries(self) -> int:
        """How many numbers an answer has."""
        return len(self.query(self.pair[0]))

    @property
    def distances(self) -> tuple[sp.Expr, ...]:
        """How far each entry moves between the two data sets of the pair, exact."""
        one, two = (self.query(side) for side in self.pair)
        return tuple(sp.Abs(a - b) for a, b in zip(one, two, strict=True))

    @property
    def steps(self) -> tuple[Step, ...]:
        """The derivation of the sensitivity, and that the float is no less."""
        upper = self.found.exact if self.found.exact is not None else sp.Rational(*_ratio(self.found))
        last = Step(
            upper,
            "<=",
            sp.Rational(*self.bound.as_integer_ratio()),
            "the float that scales the noise is no less",
        )
        return (*self.found.derivation.steps, last)

    def inputs(self) -> tuple[Any, Any]:
        """The two data sets as a caller would hold them: arrays of floats."""
        one, two = (_array(side) for side in self.pair)
        return one, two

    def numbers(self, data: Any) -> Floats:
        """The answer in floats; ValueError for a data set that the query cannot read, or that the noise is not scaled for."""
        # 1 and 1.0 are different categories, and the same number
        named = self.query.stated is None and isinstance(self.query.domain, Categorical)
        records = tuple(_plain(r) if named else _record(r) for r in data)
        check_size(self.query, self.adjacency, len(records))
        check_inside(self.query, records)
        try:
            return self.query.numbers(records)
        except (NotEnclosableError, TypeError) as error:
            raise ValueError(f"the query has no numbers at this data set: {error}") from None

    def scope(self) -> Scope:
        described = getattr(self.query.domain, "describe", None)
        return Scope(self.found.adjacency, described() if callable(described) else str(self.query.domain))

    def parameters(self) -> dict[str, Any]:
        return {
            "query": self.query.describe(),
            "domain": self.found.domain,
            "adjacency": self.found.adjacency,
        }


class OfQuery:
    """What mechanisms share that add noise to a user's own query; beside a mechanism among the bases, first."""

    asked: Asked
    coordinatewise = False

    def query(self, data: Any) -> Floats:
        """The answer in floats."""
        return self.asked.numbers(data)

    def neighbours(self) -> tuple[tuple[Any, Any], ...]:
        """The pair that was found."""
        return (self.asked.inputs(),)


def _ratio(found: Sensitivity) -> tuple[int, int]:
    top = found.at_most()
    return top.numerator, top.denominator


def _plain(record: Any) -> Any:
    return record.item() if isinstance(record, np.generic) else record


def _record(record: Any) -> Any:
    """A record as the query reads it; ValueError for numbers that are not finite."""
    if isinstance(record, str | dict):
        return record
    numbers = np.asarray(record, dtype=float)
    if not np.all(np.isfinite(numbers)):
        raise ValueError(f"a data set holds finite numbers, got {record!r}")
    return float(numbers) if numbers.ndim == 0 else tuple(numbers.tolist())


def _array(side: Dataset) -> Any:
    """The data set as an array of floats, or as the list of its records where these are no numbers."""
    try:
        return np.array([[float(x) for x in r] if isinstance(r, tuple) else float(r) for r in side])
    except (TypeError, ValueError):
        return list(side)
