"""Which inputs are neighbours: the relation that a privacy claim quantifies over.

`holds` judges two inputs as the release sees them and knows nothing of how they were made; `repair` is the
generator's half of the relation.  Records keep their order: a data set in another order is another data set.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, cast, get_args

import numpy as np

from ..arrays import Floats, is_finite
from ..errors import SpecError, nearest_name
from .box import Box
from .candidate import Candidate
from .discrete import Categorical, Table
from .domain import Domain, Record
from .exact import read_numbers
from .numeric import Numeric

Size = int | tuple[int, int] | None
# The names under which mechanisms, policies, ledgers and specs write a relation down.
OneRecord = Literal["replace-one", "add-or-remove"]
Named = Literal["any-two", "replace-one", "add-or-remove"]
ONE_RECORD: tuple[OneRecord, ...] = get_args(OneRecord)
_GROUPS = "cell"  # sums by group have no column of persons: their query knows of a record in which group it is, and its numbers


class Adjacency(ABC):
    """A symmetric relation between inputs."""

    name: ClassVar[str]
    of_datasets: ClassVar[bool] = True
    resizes: ClassVar[bool] = (
        False  # neighbours differ in their number of records, which therefore is private
    )

    @abstractmethod
    def sentence(self) -> str:
        """The relation in words, its name included."""

    @abstractmethod
    def sizes(self, size: Size) -> tuple[int, int] | None:
        """Smallest and largest number of records of an input; SpecError if `size` cannot be meant."""

    @abstractmethod
    def holds(self, one: Any, two: Any, domain: Domain) -> bool:
        """Whether two inputs, both of the domain, are different neighbours."""

    @abstractmethod
    def repair(self, candidate: Candidate, domain: Domain, rng: np.random.Generator) -> Candidate:
        """The candidate with its differing records brought into the form of the relation."""

    def check(self, domain: Domain) -> None:
        """Raise SpecError if the relation makes no sense for records of this domain."""
        return


@dataclass(frozen=True)
class ReplaceOne(Adjacency):
    """Neighbours are two data sets of one size that differ in one record, at the same place (bounded DP).

    The number of records is public. `holds(one, two, domain)` tests a pair. SpecError for a `size` below 1.
    Source: Dwork et al. 2006; Kifer and Machanavajjhala 2011 call it bounded.

    >>> npf.ReplaceOne().holds([0.2, 0.9], [0.2, 0.5], npf.Box(0, 1))
    True
    """

    name: ClassVar[str] = "replace-one"

    def sentence(self) -> str:
        return "two data sets of equal size that differ in one record (replace-one)"

    def sizes(self, size: Size) -> tuple[int, int]:
        return _range(size, least=1, name=self.name)

    def holds(self, one: Any, two: Any, domain: Domain) -> bool:
        a, b = domain.cells(one), domain.cells(two)
        return len(a) == len(b) and sum(x != y for x, y in zip(a, b, strict=True)) == 1

    def repair(self, candidate: Candidate, domain: Domain, rng: np.random.Generator) -> Candidate:
        left = candidate.left[:1] or (domain.draw(rng),)
        right = candidate.right[:1] or (domain.draw(rng),)
        return replace(candidate, left=left, right=_other_than(left[0], right[0], domain, rng))


@dataclass(frozen=True)
class AddOrRemove(Adjacency):
    """Neighbours are two data sets, one of which has one record more, anywhere in it (unbounded DP).

    The number of records is private. `holds(one, two, domain)` tests a pair; records keep their order. SpecError for a `size` that
    leaves no two numbers of records.
    Source: Dwork and Roth 2014, section 2.3; Kifer and Machanavajjhala 2011 call it unbounded.

    >>> npf.AddOrRemove().holds([0.2, 0.9], [0.2, 0.5, 0.9], npf.Box(0, 1))
    True
    """

    name: ClassVar[str] = "add-or-remove"
    resizes: ClassVar[bool] = True

    def sentence(self) -> str:
        return "two data sets, one of which has one record more (add-or-remove)"

    def sizes(self, size: Size) -> tuple[int, int]:
        if isinstance(size, int) and not isinstance(size, bool):
            size = (size, size + 1)
        found = _range(size, least=0, name=self.name)
        if found[0] == found[1]:
            raise SpecError(f"add-or-remove: expected sizes (low, high) with low < high, got {size!r}")
        return found

    def holds(self, one: Any, two: Any, domain: Domain) -> bool:
        less, more = sorted((domain.cells(one), domain.cells(two)), key=len)
        if len(more) != len(less) + 1:
            return False
        at = next((i for i, (x, y) in enumerate(zip(less, more, strict=False)) if x != y), len(less))
        return more[at + 1 :] == less[at:]

    def repair(self, candidate: Candidate, domain: Domain, rng: np.random.Generator) -> Candidate:
        record = (*candidate.right, *candidate.left)[:1] or (domain.draw(rng),)
        return replace(candidate, left=(), right=record)


@dataclass(frozen=True)
class Person(Adjacency):
    """Neighbours are two tables that differ in the records of one person, who is named in the column `key`: user-level DP.

    change "remove": one of the two has none of that person's records; "replace": the person's records are any others,
    more or fewer of them. `most`, an integer >= 1, bounds the records of every person; the domain of the column says who there is.
    SpecError, when it meets a domain, unless `key` is a column of a Table that is a Categorical or a Box of integers.

    >>> visits = npf.Table({"who": npf.Box(0, 9, integer=True), "cost": npf.Box(0, 50)}, "records")
    >>> one = [{"who": 1, "cost": 20}, {"who": 2, "cost": 5}, {"who": 1, "cost": 30}]
    >>> npf.Person("who", most=2).holds(one, one[1:2], visits)
    True
    """

    key: str
    change: Literal["remove", "replace"] = "remove"
    most: int | None = None
    name: ClassVar[str] = "person"

    def sentence(self) -> str:
        bound = f" (at most {self.most})" if self.most is not None else ""
        what = "lacks all records" if self.change == "remove" else "has other records"
        who = "" if self.key == _GROUPS else f", named in the column {self.key!r}"
        return f"two tables, one of which {what} of one person{who}{bound}"

    def sizes(self, size: Size) -> tuple[int, int]:
        if isinstance(size, int) and not isinstance(size, bool):
            size = (0, size)
        found = _range(size, least=0, name=self.name)
        if found[1] < 1 or (self.change == "remove" and found[0] == found[1]):
            raise SpecError(
                f"person: expected the largest number of records, or sizes (low, high), got {size!r}"
            )
        return found

    def check(self, domain: Domain) -> None:
        if not isinstance(domain, Table) or self.key not in domain.columns:
            raise SpecError(f"person: expected a Table with the column {self.key!r}, got {domain.describe()}")
        column = domain.columns[self.key]
        if not (isinstance(column, Categorical) or (isinstance(column, Box) and column.integer)):
            raise SpecError(
                f"person: the column {self.key!r} must be a Categorical or a Box of whole numbers"
            )
        if self.change not in ("remove", "replace"):
            raise SpecError(f'person: expected change "remove" or "replace", got {self.change!r}')
        if self.most is not None and (isinstance(self.most, bool) or self.most < 1):
            raise SpecError(f"person: expected at least one record per person, got most = {self.most!r}")

    def holds(self, one: Any, two: Any, domain: Domain) -> bool:
        place = list(cast(Table, domain).columns).index(self.key)
        sides = [
            [(cast(tuple[Hashable, ...], cell)[place], cell) for cell in domain.cells(x)] for x in (one, two)
        ]
        records: list[dict[Hashable, list[Hashable]]] = [{}, {}]
        for side, mine in zip(sides, records, strict=True):
            for person, cell in side:
                mine.setdefault(person, []).append(cell)
        if self.most is not None and any(len(r) > self.most for mine in records for r in mine.values()):
            return False
        differing = [p for p in {**records[0], **records[1]} if records[0].get(p) != records[1].get(p)]
        if len(differing) != 1:
            return False
        others = [[row for row in side if row[0] != differing[0]] for side in sides]
        removed = differing[0] not in records[0] or differing[0] not in records[1]
        return others[0] == others[1] and (removed or self.change == "replace")

    def repair(self, candidate: Candidate, domain: Domain, rng: np.random.Generator) -> Candidate:
        column = cast(Table, domain).columns[self.key]
        left = candidate.left or candidate.right or (domain.draw(rng),)
        who = left[0][self.key]
        limit = self.most if self.most is not None else len(left) + len(candidate.right)
        mine = tuple({**r, self.key: who} for r in left[:limit])
        theirs = tuple({**r, self.key: who} for r in candidate.right[:limit])
        if self.change == "remove":
            theirs = ()
        elif [domain.cell(r) for r in mine] == [domain.cell(r) for r in theirs]:
            theirs = theirs[1:]
        common: list[Record] = []
        count: dict[Hashable, int] = {}
        for record in candidate.common:
            if column.cell(record[self.key]) == column.cell(who):
                record = {**record, self.key: column.vary(who, rng, 1.0)}
            cell = column.cell(record[self.key])
            if cell != column.cell(who) and (self.most is None or count.get(cell, 0) < self.most):
                count[cell] = count.get(cell, 0) + 1
                common.append(record)
        place = min(candidate.place, len(common))
        return replace(candidate, common=tuple(common), place=place, left=mine, right=theirs)


@dataclass(frozen=True)
class AnyTwo(Adjacency):
    """Neighbours are any two records, each of them a whole input: the relation of local DP.

    SpecError for a `size`: there is no data set. Source: Kasiviswanathan et al. 2011 (local privacy).

    >>> npf.AnyTwo().holds("yes", "no", npf.Categorical(["no", "yes"]))
    True
    """

    name: ClassVar[str] = "any-two"
    of_datasets: ClassVar[bool] = False

    def sentence(self) -> str:
        return "any two records, each a whole input (any-two)"

    def sizes(self, size: Size) -> None:
        _no_size(size, self.name)

    def holds(self, one: Any, two: Any, domain: Domain) -> bool:
        return domain.cell(one) != domain.cell(two)

    def repair(self, candidate: Candidate, domain: Domain, rng: np.random.Generator) -> Candidate:
        one = candidate.left[0] if candidate.left else domain.draw(rng)
        two = candidate.right[0] if candidate.right else domain.draw(rng)
        return Candidate((), 0, (one,), _other_than(one, two, domain, rng), candidate.origin, candidate.root)


@dataclass(frozen=True)
class Distance(Adjacency):
    """Neighbours are two vectors (a histogram, the true answers to queries) at most `apart` from each other.

    `apart` > 0 is in the units of the entries, `norm` is 1, 2 or np.inf. SpecError, when it meets a domain, for other numbers
    and for a domain that is no Box, Ball or Simplex.

    >>> npf.Distance(2, norm=1).holds([3, 4, 5], [2, 5, 5], npf.Box(0, 9, dimension=3, integer=True))
    True
    """

    apart: float
    norm: float = 1
    name: ClassVar[str] = "distance"
    of_datasets: ClassVar[bool] = False

    def __post_init__(self) -> None:
        read_numbers(self, "apart", "norm")

    def sentence(self) -> str:
        return f"two vectors at most {float(self.apart):g} apart in the {self.norm:g}-norm (distance)"

    def sizes(self, size: Size) -> None:
        _no_size(size, self.name)

    def check(self, domain: Domain) -> None:
        if not isinstance(domain, Numeric):
            raise SpecError(f"distance: expected a Box, a Ball or a Simplex, got {domain.describe()}")
        if domain.integer and self.apart < 1:
            raise SpecError(f"distance: whole numbers are at least 1 apart, got apart = {self.apart!r}")
        if not (is_finite(self.apart) and self.apart > 0) or self.norm not in (1, 2, np.inf):
            raise SpecError(
                f"distance: expected apart > 0 and norm 1, 2 or inf, got {self.apart!r} and {self.norm!r}"
            )

    def holds(self, one: Any, two: Any, domain: Domain) -> bool:
        gap = np.ravel(np.asarray(one, dtype=float) - np.asarray(two, dtype=float))
        return 0 < float(np.linalg.norm(gap, self.norm)) <= self.apart * (1 + 1e-9)

    def repair(self, candidate: Candidate, domain: Domain, rng: np.random.Generator) -> Candidate:
        numeric = cast(Numeric, domain)
        one = candidate.left[0] if candidate.left else domain.draw(rng)
        two = (candidate.right or (domain.draw(rng),))[0]
        for _ in range(20):
            v = numeric.vector(one)
            gap = self._shortened(numeric.vector(two) - v, numeric.integer, rng)
            two = numeric.record(numeric.project(v + gap))
            if self.holds(one, two, domain):
                break
            two = domain.vary(one, rng, 1.0)  # equal, or an edge of the domain took a step back
        return Candidate((), 0, (one,), (two,), candidate.origin, candidate.root)

    def _shortened(self, gap: Floats, integer: bool, rng: np.random.Generator) -> Floats:
        """The gap (d,) brought to the largest distance: always if it is longer, mostly if it is shorter."""
        length = float(np.linalg.norm(gap, self.norm))
        if not integer:
            fits = length <= self.apart and rng.random() < 0.3
            return gap if fits or length == 0 else gap * (self.apart / length)
        out = np.zeros(len(gap))
        for i in rng.permutation(len(gap)):
            for step in range(int(min(abs(gap[i]), self.apart)), 0, -1):
                out[i] = np.sign(gap[i]) * step
                if np.linalg.norm(out, self.norm) <= self.apart:
                    break
                out[i] = 0.0
        return out


_NAMED: dict[str, Adjacency] = {r.name: r for r in (AnyTwo(), ReplaceOne(), AddOrRemove())}


def named(name: str) -> Adjacency:
    """The relation of that name: "any-two", "replace-one" or "add-or-remove"; SpecError for any other."""
    if name not in _NAMED:
        raise SpecError(f"unknown relation; {nearest_name(name, _NAMED)}", key="adjacency")
    return _NAMED[name]


def one_record(name: str) -> Adjacency:
    """The relation of that name between data sets that differ in one record; ValueError for any other."""
    if name not in ONE_RECORD:
        raise ValueError(f'adjacency must be "replace-one" or "add-or-remove", got {name!r}')
    return _NAMED[name]


def _other_than(one: Record, two: Record, domain: Domain, rng: np.random.Generator) -> tuple[Record, ...]:
    for _ in range(20):
        if domain.cell(one) != domain.cell(two):
            break
        two = domain.vary(one, rng, 1.0)
    return (two,)


def _range(size: Size, least: int, name: str) -> tuple[int, int]:
    low, high = size if isinstance(size, tuple) and len(size) == 2 else (size, size)
    whole = all(isinstance(v, int) and not isinstance(v, bool) for v in (low, high))
    if not whole or not least <= cast(int, low) <= cast(int, high):
        raise SpecError(
            f"{name} needs the number of records of a data set: expected size = n or (low, high) with "
            f"{least} <= low <= high, got {size!r}"
        )
    return cast(int, low), cast(int, high)


def _no_size(size: Size, name: str) -> None:
    if size is not None:
        raise SpecError(f"{name} compares single records: leave size out, got {size!r}")
