"""Rows per person, counted exactly in bounded memory: keyed hashes of the keys, one share of them in each pass.

A pass keeps the rows whose hashes lie in one share of all possible ones, and halves the share when they are too many.  Two
persons whose hashes agree count as one, so that a crowded person is never missed, and a table that keeps the bound is
refused with a small probability: below 1e-2 for 1e7 rows of as many persons.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....symbolic.errors import SpecError
from ..policy.models import TableModel

Hashes = NDArray[np.uint64]
LONGEST_KEY = 1024
MOST_HASHES = 1 << 23
_RANGE = 1 << 64


def require_rows_per_person(
    table: TableModel, read: Callable[[dict[str, Any]], Iterator[Any]], most: int = MOST_HASHES
) -> None:
    """Raises SpecError if a person has more rows than declared, or no key; holds about `most` hashes at a time.

    `read` gives batches with the columns of these names and Arrow types, from the first row each time.
    """
    bound, key = table.rows_per_person, table.person_key
    assert bound is not None
    assert key is not None
    # One person fits always, so that halving comes to an end.
    most = max(most, 2 * bound)
    # The key of this hash stays in this process: nobody can choose names that collide.
    factors = np.frombuffer(os.urandom(8 * (LONGEST_KEY + 1)), dtype=np.uint64) | np.uint64(1)
    start, width = 0, _RANGE
    while start < _RANGE:
        held, count = [np.empty(0, dtype=np.uint64)], 0
        for hashes in _all_hashes(read, key, factors):
            held.append(_share(hashes, start, width))
            count += len(held[-1])
            if count > most:
                kept = _not_crowded(held, bound)
                while len(kept) > most:
                    width //= 2
                    kept = _share(kept, start, width)
                held, count = [kept], len(kept)
        _not_crowded(held, bound)
        start += width


def _share(hashes: Hashes, start: int, width: int) -> Hashes:
    """Those in [start, start + width)."""
    if width == _RANGE:
        return hashes
    return hashes[(hashes >= np.uint64(start)) & (hashes <= np.uint64(start + width - 1))]


def _not_crowded(held: list[Hashes], bound: int) -> Hashes:
    """The hashes in order, or SpecError if one of them comes more than `bound` times."""
    hashes = np.concatenate(held)
    hashes.sort()
    if np.any(hashes[bound:] == hashes[:-bound]):
        raise SpecError(
            f"a person has more than the declared {bound} rows: declare a larger bound, or cut their rows before",
            key="table.rows_per_person",
        )
    return hashes


def _all_hashes(
    read: Callable[[dict[str, Any]], Iterator[Any]], key: str, factors: Hashes
) -> Iterator[Hashes]:
    import pyarrow as pa

    done = 0
    for batch in read({key: pa.string()}):
        yield person_hashes(batch.column(0), factors, key, done)
        done += batch.num_rows


def person_hashes(keys: Any, factors: Hashes, name: str, before: int) -> Hashes:
    """sum over bytes of (byte + 1) * factor of its place, mod 2^64, over UTF-8 texts: two texts agree with probability <= 2^-55."""
    if keys.null_count:
        place = before + int(np.flatnonzero(np.asarray(keys.is_null()))[0]) + 1
        raise SpecError(f"column {name!r}: record {place} has no person key", key="table.person_key")
    offsets = np.frombuffer(keys.buffers()[1], dtype=np.int32)[
        keys.offset : keys.offset + len(keys) + 1
    ].astype(np.int64)
    lengths = np.diff(offsets)
    if len(lengths) and lengths.max() > LONGEST_KEY:
        raise SpecError(
            f"column {name!r}: a person key is longer than {LONGEST_KEY} bytes", key="table.person_key"
        )
    data = keys.buffers()[2]
    text = (
        np.frombuffer(data, dtype=np.uint8)[offsets[0] : offsets[-1]]
        if data is not None
        else np.empty(0, dtype=np.uint8)
    )
    within = np.arange(len(text)) - np.repeat(offsets[:-1] - offsets[0], lengths)
    terms = (text.astype(np.uint64) + np.uint64(1)) * factors[within]
    sums = np.concatenate([np.zeros(1, dtype=np.uint64), np.cumsum(terms, dtype=np.uint64)])
    ends = offsets - offsets[0]
    mixed = np.asarray((sums[ends[1:]] - sums[ends[:-1]]) * factors[LONGEST_KEY])
    # The low bits of a sum of products are its weakest; shares are cut by the high ones.
    return np.asarray(mixed ^ (mixed >> np.uint64(32)))
