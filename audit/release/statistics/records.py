"""The records of a table that count, batch by batch: what a release sums, and what its trial runs on synthetic tables."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ....mechanisms.statistics.measurement import Measurement
from ....mechanisms.statistics.rows import Rows
from ....symbolic.errors import SpecError
from ..policy import Policy
from ..tables.persons import LONGEST_KEY, person_hashes
from .bounding import Crowded, Hashes, content_hashes, crowded, mixed
from .formulas import Formulas
from .reading import rows_of, types_of

if TYPE_CHECKING:
    import pyarrow as pa

Read = Callable[[dict[str, Any]], Iterator["pa.RecordBatch"]]


def fresh_key(words: int = LONGEST_KEY + 1) -> Hashes:
    """Secret odd words that stay in this process: nobody can choose names that collide."""
    return np.frombuffer(os.urandom(8 * words), dtype=np.uint64) | np.uint64(1)


def trial_key(rng: np.random.Generator) -> Hashes:
    """The same from a seed, for synthetic tables: whoever runs their trial again sees the same."""
    return rng.integers(0, 2**64, LONGEST_KEY + 1, dtype=np.uint64) | np.uint64(1)


def _in_cell(measurement: Measurement, rows: Rows, persons: Hashes) -> Hashes:
    """A hash of the person and the cell of each record."""
    everybody = replace(measurement, persons=None)
    return mixed(persons ^ mixed(everybody.cell(rows).astype(np.uint64)))


@dataclass(frozen=True, eq=False)
class Records:
    """`read` gives batches with the columns of these names and Arrow types, from the first record each time.

    `tell` hears after each batch what is being done and how many records it was done with.
    """

    policy: Policy
    read: Read
    key: Hashes
    tell: Callable[[str, int], None] = lambda what, done: None
    _passes: list[tuple[int, int]] = field(default_factory=list, repr=False)

    def rows(self, measurements: Iterable[Measurement] = ()) -> Iterator[Rows]:
        """The records that count; of a person no more than the policy allows, and of those one in each cell where persons are measured."""
        if self.policy.unit != "person":
            for rows, _ in self._all("summing"):
                yield rows
            return
        found = self.crowded()
        of_persons = [m for m in measurements if m.persons is not None]
        first = {m: crowded(partial(self._in_cells, found, m), 1) for m in of_persons}
        for rows, persons, contents in self._bounded("summing", found):
            marks = {
                m: np.zeros(rows.size, dtype=bool)
                if persons is None
                else one.kept(_in_cell(m, rows, persons), contents)
                for m, one in first.items()
            }
            yield replace(rows, first=marks)

    def _bounded(self, what: str, found: Crowded) -> Iterator[tuple[Rows, Hashes | None, Hashes]]:
        """A pass over the records that count, with their persons and hashes of what they hold."""
        found = replace(found)  # which counts down the records that are alike
        for rows, persons, contents in self._hashed(what):
            if persons is None:
                yield rows, None, contents
            else:
                kept = found.kept(persons, contents)
                yield rows.only(kept), persons[kept], contents[kept]

    def _in_cells(self, found: Crowded, measurement: Measurement) -> Iterator[tuple[Hashes, Hashes]]:
        for rows, persons, contents in self._bounded("counting persons", found):
            if persons is not None:
                yield _in_cell(measurement, rows, persons), contents

    def crowded(self) -> Crowded:
        """The persons with more records than the policy allows, found in passes over the table."""

        def pairs() -> Iterator[tuple[Hashes, Hashes]]:
            for _, persons, contents in self._hashed("bounding persons"):
                if persons is not None:
                    yield persons, contents

        return crowded(pairs, self.policy.rows_of_unit)

    def _hashed(self, what: str) -> Iterator[tuple[Rows, Hashes | None, Hashes]]:
        """Each pass over the same records (persons None: they have no key): a person whose records change between two passes would have too many that count."""
        count, mark = 0, 0
        for rows, persons in self._all(what):
            contents = content_hashes(rows, self.key)
            count += rows.size
            # Whatever their order is.
            whose = mixed(contents) if persons is None else persons ^ mixed(contents)
            mark += int(mixed(whose).sum(dtype=np.uint64))
            yield rows, persons, contents
        self._passes.append((count, mark % (1 << 64)))
        if self._passes[0] != self._passes[-1]:
            raise SpecError("the table changed while it was read: run again", key="table.path")

    def _all(self, what: str) -> Iterator[tuple[Rows, Hashes | None]]:
        columns, formulas, done = self.policy.kept, Formulas.of(self.policy), 0
        types = types_of(columns)
        name = self.policy.model.table.person_key
        if name is not None:
            import pyarrow as pa

            types[name] = pa.string()
        for batch in self.read(types):
            rows = formulas.added(rows_of(batch, columns, done))
            if name is None:
                yield rows, None
            else:
                yield from self._of_persons(rows, batch.column(name), name, done)
            done += batch.num_rows
            self.tell(what, done)

    def _of_persons(
        self, rows: Rows, keys: Any, name: str, done: int
    ) -> Iterator[tuple[Rows, Hashes | None]]:
        """The records with a key and their persons; those without one, where the policy drops these, by themselves."""
        if self.policy.model.table.missing_person == "refuse":
            yield rows, mixed(person_hashes(keys, self.key, name, done))
            return
        absent = np.asarray(keys.is_null())
        rows = replace(rows, places={**rows.places, name: absent.astype(np.int64)})
        if not absent.all():
            yield rows.only(~absent), mixed(person_hashes(keys.drop_null(), self.key, name, done))
        if absent.any():
            yield rows.only(absent), None
