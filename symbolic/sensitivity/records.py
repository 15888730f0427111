"""Exact records of a domain: intervals of their numbers, and records that hold a given number."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import sympy as sp

from ..domains.ball import Ball
from ..domains.box import Box
from ..domains.discrete import Categorical, Table
from ..domains.domain import Domain
from ..domains.exact import Block
from ..domains.simplex import Simplex
from ..errors import SpecError
from ..proof.enclosure import rational

Interval = tuple[sp.Rational, sp.Rational]


def intervals(domain: Domain) -> tuple[Interval, ...]:
    """The least and the largest value of each number of a record, in order; SpecError where records are no numbers."""
    if isinstance(domain, Table):
        return tuple(pair for column in domain.columns.values() for pair in intervals(column))
    if isinstance(domain, Box) and domain.integer:
        return tuple((sp.Integer(int(a)), sp.Integer(int(b))) for a, b in zip(*domain.ends, strict=True))
    if isinstance(domain, Ball) and domain.norm != 2:
        radius = rational(domain.radius)
        return ((-radius, radius),) * domain.dimension
    if not isinstance(domain, Block):
        raise SpecError(
            f"expected records that are numbers or vectors (Box, Ball, Simplex), got {domain.describe()}"
        )
    return tuple((rational(a), rational(b)) for a, b in domain.bounds)


def record_of(domain: Domain, numbers: tuple[sp.Rational, ...]) -> Any:
    """A record of these numbers as queries take it: a number where records are numbers, a tuple of them otherwise."""
    return numbers[0] if getattr(domain, "scalar", False) else tuple(numbers)


def some_record(domain: Domain) -> Any:
    """One record of the domain, exact."""
    if isinstance(domain, Categorical):
        return domain.values[0]
    if isinstance(domain, Table):
        return {name: some_record(column) for name, column in domain.columns.items()}
    if isinstance(domain, Ball):
        return (sp.Integer(0),) * domain.dimension
    if isinstance(domain, Simplex):
        return tuple(rational(domain.total) * int(i == 0) for i in range(domain.dimension))
    return record_of(domain, tuple(low for low, _ in intervals(domain)))


def exact_number(value: Any) -> sp.Rational:
    """A number of a record as it was written; SpecError for anything else."""
    if isinstance(value, sp.Rational | int | float | Fraction | str) and not isinstance(value, bool):
        return rational(value)
    try:
        return rational(float(value))
    except (TypeError, ValueError):
        raise SpecError(f"expected a number in a record, got {value!r}") from None


@dataclass(frozen=True)
class Column:
    """One number of a record: the record itself, the coordinate of a vector (from 0), or the named column of a table."""

    place: int | str | None = None

    def read(self, record: Any) -> sp.Rational:
        """The number of a record."""
        if self.place is None:
            return exact_number(record)
        return exact_number(record[self.place])

    def interval(self, domain: Domain) -> Interval:
        """Its least and largest value over the domain; SpecError where there is no such number."""
        if isinstance(domain, Table):
            column = domain.columns.get(self.place) if isinstance(self.place, str) else None
            if column is None or isinstance(column, Categorical):
                numeric = [n for n, c in domain.columns.items() if not isinstance(c, Categorical)]
                raise SpecError(
                    f"give column= one of the columns of numbers, {', '.join(numeric)}; got {self.place!r}"
                )
            return intervals(column)[0]
        found = intervals(domain)
        if self.place is None:
            if len(found) > 1 or not getattr(domain, "scalar", True):
                raise SpecError(
                    f"records are vectors of {len(found)} numbers: give column= a number from 0 to {len(found) - 1}"
                )
            return found[0]
        if (
            not isinstance(self.place, int)
            or not 0 <= self.place < len(found)
            or getattr(domain, "scalar", False)
        ):
            raise SpecError(f"column {self.place!r} is no coordinate of {domain.describe()}")
        return found[self.place]

    def record(self, domain: Domain, number: sp.Rational) -> Any:
        """A record of the domain that holds this number, which lies in the interval."""
        if self.place is None:
            return record_of(domain, (number,))
        base = some_record(domain)
        if isinstance(base, Mapping):
            return {**base, self.place: number}
        vector = list(base)
        vector[int(self.place)] = number
        if isinstance(domain, Simplex):
            other = 0 if self.place else 1
            vector = [sp.Integer(0)] * len(vector)
            vector[int(self.place)], vector[other] = number, rational(domain.total) - number
        return tuple(vector)
