"""At most so many records of a person: which ones is decided by keyed hashes of what they hold, never by their order.

The records of a person that count are those with the least hashes.  They depend on this person's records alone, so that
somebody else's coming or going changes nothing of them.  Records that hold the same are alike, whichever of them counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ....mechanisms.statistics.rows import Flags, Rows

Hashes = NDArray[np.uint64]
Pairs = Callable[[], Iterator[tuple[Hashes, Hashes]]]
MOST_HELD = 1 << 23  # records of one pass
_RANGE = 1 << 64
_GOLDEN, _FIRST, _SECOND = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB


def content_hashes(rows: Rows, factors: Hashes) -> Hashes:
    """A keyed hash of what each record holds, shape (rows,); `factors` are secret odd words, one for each column at least."""
    out = np.full(rows.size, factors[0], dtype=np.uint64)
    columns = [np.asarray(p).view(np.uint64) for p in rows.places.values()]
    # Both zeros are one number.
    columns += [(np.ascontiguousarray(v) + 0.0).view(np.uint64) for v in rows.numbers.values()]
    for i, column in enumerate(columns, 1):
        out = mixed(out ^ (column * factors[i % len(factors)]))
    return out


def mixed(words: Hashes) -> Hashes:
    """Each bit of the result depends on all bits of the word (the finaliser of SplitMix64)."""
    out = words + np.uint64(_GOLDEN)
    out = (out ^ (out >> np.uint64(30))) * np.uint64(_FIRST)
    out = (out ^ (out >> np.uint64(27))) * np.uint64(_SECOND)
    return np.asarray(out ^ (out >> np.uint64(31)))


@dataclass(frozen=True, eq=False)
class Crowded:
    """Persons with more than the bound: the largest hash of a record of theirs that counts, and how many of those do."""

    persons: Hashes
    last: Hashes
    ties: NDArray[np.int64]

    @cached_property
    def _left(self) -> NDArray[np.int64]:
        """How many of those still count, which grows less batch by batch."""
        return self.ties.copy()

    def kept(self, persons: Hashes, contents: Hashes) -> Flags:
        """Which records count, batch by batch."""
        if not len(self.persons):
            return np.ones(len(persons), dtype=bool)
        place = np.minimum(np.searchsorted(self.persons, persons), len(self.persons) - 1)
        crowded = self.persons[place] == persons
        kept = ~crowded | (contents < self.last[place])
        tied = np.flatnonzero(crowded & (contents == self.last[place]))
        kept[tied] = self._first(place[tied])
        return np.asarray(kept)

    def _first(self, at: NDArray[np.intp]) -> Flags:
        """Of records that are alike, as many as still count, by the number of their person."""
        order = np.argsort(at, kind="stable")
        ordered = at[order]
        rank = np.arange(len(at)) - np.searchsorted(ordered, ordered)
        out = np.empty(len(at), dtype=bool)
        out[order] = rank < self._left[ordered]
        np.subtract.at(self._left, at, 1)
        return out


def crowded(read: Pairs, bound: int, most: int = MOST_HELD) -> Crowded:
    """The persons with more than `bound` records; `read` gives hashes of persons and contents, from the first record each time.

    Holds the hashes of about `most` records at a time, and those of the crowded persons.
    """
    # One person fits always, so that halving comes to an end.
    most = max(most, 4 * (bound + 1))
    found: list[tuple[Hashes, Hashes, NDArray[np.int64]]] = []
    start, width = 0, _RANGE
    while start < _RANGE:
        held: list[tuple[Hashes, Hashes]] = []
        count = 0
        for persons, contents in read():
            held.append(_share(persons, contents, start, width))
            count += len(held[-1][0])
            if count > most:
                held = [_least(held, bound)]
                # Half of the room stays free: sorting again and again would take longer than another pass.
                while len(held[0][0]) > most // 2:
                    width //= 2
                    held = [_share(*held[0], start, width)]
                count = len(held[0][0])
        found.append(_crowded(held, bound))
        start += width
    persons, last, ties = (np.concatenate(parts) for parts in zip(*found, strict=True))
    return Crowded(persons, last, ties)


def _share(persons: Hashes, contents: Hashes, start: int, width: int) -> tuple[Hashes, Hashes]:
    if width == _RANGE:
        return persons, contents
    inside = (persons >= np.uint64(start)) & (persons <= np.uint64(start + width - 1))
    return persons[inside], contents[inside]


def _ordered(held: list[tuple[Hashes, Hashes]]) -> tuple[Hashes, Hashes]:
    persons = np.concatenate([p for p, _ in held] or [np.empty(0, dtype=np.uint64)])
    contents = np.concatenate([c for _, c in held] or [np.empty(0, dtype=np.uint64)])
    order = np.lexsort((contents, persons))
    return persons[order], contents[order]


def _least(held: list[tuple[Hashes, Hashes]], bound: int) -> tuple[Hashes, Hashes]:
    """Of each person the bound + 1 least hashes: all that decides which of them count."""
    persons, contents = _ordered(held)
    first = np.ones(len(persons), dtype=bool)
    first[bound + 1 :] = persons[bound + 1 :] != persons[: -bound - 1] if len(persons) > bound + 1 else True
    return persons[first], contents[first]


def _crowded(held: list[tuple[Hashes, Hashes]], bound: int) -> tuple[Hashes, Hashes, NDArray[np.int64]]:
    persons, contents = _ordered(held)
    names, first, counts = np.unique(persons, return_index=True, return_counts=True)
    many = counts > bound
    at = first[many] + bound - 1
    last = contents[at]
    # How many of the records that count have the largest hash: those from where it begins.
    begins = np.ones(len(persons), dtype=bool)
    begins[1:] = (persons[1:] != persons[:-1]) | (contents[1:] != contents[:-1])
    start = np.maximum.accumulate(np.where(begins, np.arange(len(persons)), 0))
    return names[many], last, (at - start[at] + 1).astype(np.int64)
