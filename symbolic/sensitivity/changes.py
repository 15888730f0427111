"""How many records of a data set a neighbour may change: what the sensitivity of a query by structure asks of an adjacency."""

from __future__ import annotations

from dataclasses import dataclass

from ..domains.adjacency import AddOrRemove, Adjacency, Person, ReplaceOne, one_record
from ..domains.discrete import Table
from ..domains.domain import Domain
from ..errors import SpecError, came


@dataclass(frozen=True)
class Change:
    """Up to `most` records are taken out of a data set and up to `most` put in, by rule.

    kind "replace": as many are put in as are taken out (the number of records stays); "resize": some are only taken out, or
    only put in; "both": any number of each.
    """

    kind: str
    most: int
    name: str

    @property
    def resizes(self) -> bool:
        """Whether neighbours may differ in their number of records."""
        return self.kind != "replace"


def change_of(adjacency: str | Adjacency, domain: Domain | None = None) -> Change:
    """The change that an adjacency, or its name, allows; SpecError where it bounds no number of records."""
    if isinstance(adjacency, str):
        try:
            adjacency = one_record(adjacency)
        except ValueError as error:
            raise SpecError(str(error)) from None
    if isinstance(adjacency, ReplaceOne):
        return Change("replace", 1, adjacency.name)
    if isinstance(adjacency, AddOrRemove):
        return Change("resize", 1, adjacency.name)
    if not isinstance(adjacency, Person):
        raise SpecError(
            f'expected "replace-one", "add-or-remove", or npf.Person(key, most=k) as the adjacency, got {came(adjacency)}'
        )
    if adjacency.most is None:
        raise SpecError("person: give the largest number of records of a person, npf.Person(key, most=k)")
    if isinstance(domain, Table):
        adjacency.check(domain)
    kind = "resize" if adjacency.change == "remove" else "both"
    return Change(kind, adjacency.most, f"person (most {adjacency.most}, {adjacency.change})")
