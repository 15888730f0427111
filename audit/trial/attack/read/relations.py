"""What no column shows alone: a checksum that holds on one input only, a parity of any number of bits, two numbers that stay close.

A parity that never fails on one input is found by elimination among the bits of letters and of whole numbers.  A difference
is read where it varies so much less than its numbers that no weights of these would show it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from .....symbolic.arrays import Floats
from ...outcomes import Kinds, Outcomes, interquartile_range, widen
from ..scores import FLEXIBLE, Score, atom_score, linear_score, tree_score
from .coded import bytes_of

Bits = NDArray[np.uint8]
_LETTERS, _NUMBERS = 96, 64  # of an outcome, the last and the first, of which the bits are read
_LOW = 12  # bits of a whole number, beside those of its decimal digits
_LARGEST = 1e15
_SPARE = 48  # outcomes beyond the bits: a relation holds on all by chance once in 2**48
_LOOKED = 2_000  # outcomes per input on which relations are compared
_FIRST = 8  # one of so many of these is looked at first
_BETTER = 0.02  # of outcomes: least difference between the inputs that is worth a score
_KEPT = 4  # samples: of two inputs, and the next two
_COLUMNS, _CLOSE = (
    32,
    1e-3,
)  # columns of which differences are read; their spread, in that of the less spread column
_ORDERED = 0.98  # correlation of ranks of numbers that stay close


@dataclass(frozen=True)
class _Reader:
    """The bits of outcomes whose text is so many letters, and of their whole numbers."""

    length: int
    width: int
    whole: NDArray[np.intp]
    largest: int

    @classmethod
    def of(cls, zero: Outcomes, one: Outcomes) -> _Reader | None:
        """For the most frequent length of text; None if neither text nor several numbers are there to be related."""
        width = max(zero.values.shape[1], one.values.shape[1])
        length = int(np.bincount(np.concatenate([_lengths(s) for s in (zero, one)])).argmax())
        values = np.concatenate([widen(s[:_LOOKED], width).values[:, :_NUMBERS] for s in (zero, one)])
        whole = np.flatnonzero(
            ((values == np.floor(values)) & (np.abs(values) < _LARGEST)).all(axis=0)
            & (np.ptp(values, axis=0) > 0)
        )
        written = max(len(s.kinds.names) for s in (zero, one)) > 2 * _SPARE
        many = len(whole) == 1 and len(np.unique(values[:, whole[0]])) > 2 * _SPARE
        largest = int(np.abs(values[:, whole]).max(initial=0))
        return cls(length, width, whole, largest) if written or many or len(whole) > 1 else None

    def known(self, sample: Outcomes) -> NDArray[np.bool_]:
        return np.asarray(_lengths(sample) == self.length)

    def bits(self, sample: Outcomes) -> Bits:
        """Of known outcomes, shape (n, bits); the last is always one."""
        rows = [np.frombuffer(t, np.uint8) for t in _texts(sample.kinds.names) if len(t) == self.length]
        place = np.cumsum([len(t) == self.length for t in _texts(sample.kinds.names)]) - 1
        letters = np.array(rows, dtype=np.uint8)[:, -_LETTERS:]
        values = np.abs(widen(sample, self.width).values[:, self.whole]).astype(np.int64)[:, :, None]
        digits = values // 10 ** np.arange(len(str(self.largest))) % 10
        parts = [_of_letters(letters)[place[sample.kinds.codes]], digits % 2, digits > 4]
        parts += [values >> np.arange(min(_LOW, self.largest.bit_length())) & 1, np.ones((len(sample), 1))]
        return np.concatenate([p.reshape(len(sample), -1).astype(np.uint8) for p in parts], axis=1)


def _lengths(sample: Outcomes) -> NDArray[np.intp]:
    return np.array([len(text) for text in _texts(sample.kinds.names)], dtype=np.intp)[sample.kinds.codes]


@lru_cache(_KEPT)
def _texts(names: tuple[str, ...]) -> tuple[bytes, ...]:
    """The letters of each structure in words; of bytes, these themselves."""
    return tuple(bytes_of(name) or name.encode("latin-1", "replace") for name in names)


def _of_letters(texts: Bits) -> Bits:
    """Eight bits a letter; above four, which a check digit doubles otherwise, takes the place of the one that no letter has."""
    bits = np.unpackbits(texts[:, :, None], axis=2)
    bits[:, :, 0] ^= (texts > ord("4")) & (texts <= ord("9"))
    return bits


def parity_score(zero: Outcomes, one: Outcomes) -> Score | None:
    """Whether a parity of bits holds that always does on one input, and less often on the other; None if there is none."""
    reader = _Reader.of(zero, one)
    if reader is None:
        return None
    samples = [s[reader.known(s)][:_LOOKED] for s in (zero, one)]
    if min(map(len, samples)) <= 2 * _SPARE:
        return None
    bits = [reader.bits(s) for s in samples]
    both = np.concatenate(bits)
    changing = np.flatnonzero((both != both[:1]).any(axis=0))[: min(map(len, bits)) - _SPARE]
    places = np.append(changing, both.shape[1] - 1)
    best, found = _BETTER, None
    for side in (1, 0):
        for relation in _relations(bits[side][: len(places) + _SPARE, places]):
            if len(relation) - (relation[-1] == len(places) - 1) < 2:
                continue  # one bit alone is seen without its relations
            odd = [float(np.mean(b[:, places[relation]].sum(axis=1) % 2)) for b in bits]
            if abs(odd[1] - odd[0]) > best:
                best, found = abs(odd[1] - odd[0]), (places[relation], odd[1] > odd[0])
    if found is None:
        return None
    chosen, up = found

    def of(sample: Outcomes) -> Floats:
        score, known = np.zeros(len(sample)), reader.known(sample)
        odd = reader.bits(sample[known])[:, chosen].sum(axis=1) % 2
        score[known] = np.where(odd == up, 1.0, -1.0)
        return score

    return Score("parity", of, FLEXIBLE, about=f" of {np.count_nonzero(chosen != places[-1])} bits")


def _relations(bits: Bits) -> Iterator[NDArray[np.intp]]:
    """Sets of columns that are an even number of ones in every row, as many as span all of them."""
    width = bits.shape[1]
    pivots: dict[int, int] = {}
    for row in bits:
        left = int.from_bytes(np.packbits(row, bitorder="little").tobytes(), "little")
        while left:
            top = left.bit_length() - 1
            if top not in pivots:
                pivots[top] = left
                break
            left ^= pivots[top]
    for free in set(range(width)) - set(pivots):
        # Every pivot, the lowest first, is set as its row demands.
        relation = 1 << free
        for top in sorted(pivots):
            if (pivots[top] & relation).bit_count() % 2:
                relation ^= 1 << top
        yield np.array([i for i in range(width) if relation >> i & 1], dtype=np.intp)


def _close(values: Floats, least: float) -> list[tuple[int, int]]:
    """The pairs of columns that are in nearly the same order, as numbers that stay close are."""
    moving = np.flatnonzero(interquartile_range(values) > 0)
    if len(moving) < 2:
        return []
    order = np.argsort(np.argsort(values[:, moving], axis=0), axis=0)
    alike = np.asarray(np.corrcoef(order, rowvar=False)) > least
    return [(int(moving[a]), int(moving[b])) for a, b in combinations(range(len(moving)), 2) if alike[a, b]]


def difference_scores(zero: Outcomes, one: Outcomes) -> list[Score | None]:
    """The scores of the difference of two numbers that vary far more than it does: of the two whose difference tells most."""
    width = min(max(s.values.shape[1] for s in (zero, one)), _COLUMNS)
    if width < 2:
        return []
    both = [widen(s[:_LOOKED], width).values[:, :width] for s in (zero, one)]
    told: dict[tuple[int, int], float] = {}
    every = np.concatenate(both)
    # Few outcomes show whether any numbers stay close.
    if not _close(every[::_FIRST], _ORDERED - 0.02):
        return []
    spread = interquartile_range(every) / 2
    for i, j in _close(every, _ORDERED):
        first, second = (b[:, j] / 2 - b[:, i] / 2 for b in both)
        apart = np.concatenate([first, second])
        if apart.min() < apart.max() and interquartile_range(apart) < _CLOSE * min(spread[i], spread[j]):
            told[i, j] = float(stats.ks_2samp(first, second, method="asymp").statistic)
    if not told:
        return []
    left, right = max(told, key=lambda pair: told[pair])

    def difference(sample: Outcomes) -> Outcomes:
        values = widen(sample, width).values
        # Halves, so that no difference of the largest doubles overflows.
        return Outcomes(values[:, [right]] / 2 - values[:, [left]] / 2, Kinds.same("difference", len(sample)))

    a, b = difference(zero), difference(one)
    found = (atom_score(a, b), linear_score(a, b), tree_score(a, b))
    return [
        s and replace(s.after(difference, "a difference"), about=f" (columns {right} and {left})")
        for s in found
    ]
