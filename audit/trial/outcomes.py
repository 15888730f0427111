"""Outcomes of any kind in one form: a structure in words and the numbers it holds.

Shape, strings, keys, the pattern of NaN and infinities and exceptions all belong to the structure, so that each of them can
tell two inputs apart; the type of a number or a text does not.  Two outcomes are equal when structure and numbers are.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import isfinite
from typing import Any, Generic, TypeVar
from weakref import WeakKeyDictionary
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from ...symbolic.arrays import Floats
from ...symbolic.errors import counted
from .structure import NUMBER, Lost, inexact, structure, types

_MARKED = 50  # places of NaN or infinity that are named
_NON_FINITE = " non-finite at "
_THIN = 1_000_000  # numbers from which quantiles are taken
_FIRST, _FEW = 512, 4  # outcomes that show whether many are equal; numbers below which nobody asks
_BLOCK = 1 << 16  # numbers that are hashed at once, as many as stay in the cache of a core


@dataclass(frozen=True)
class Kinds:
    """The structure of each of n outcomes: `codes` (n,) point into `names`, in words and sorted."""

    names: tuple[str, ...]
    codes: NDArray[np.intp]

    @classmethod
    def same(cls, name: str, size: int) -> Kinds:
        """One structure for all; costs no memory."""
        return cls((name,), _zeros(size))

    @classmethod
    def of(cls, words: Sequence[str]) -> Kinds:
        """From the structure of each outcome in words."""
        names = sorted(set(words))
        if len(names) == 1:
            return cls.same(names[0], len(words))
        place = {name: i for i, name in enumerate(names)}
        return cls(
            tuple(names), np.fromiter((place[word] for word in words), dtype=np.intp, count=len(words))
        )

    @classmethod
    def join(cls, parts: Sequence[Kinds]) -> Kinds:
        """Several one after the other."""
        names = tuple(sorted({name for part in parts for name in part.names}))
        size = sum(len(part) for part in parts)
        if len(names) == 1:
            return cls.same(names[0], size)
        place = {name: i for i, name in enumerate(names)}
        codes = [np.array([place[name] for name in part.names], dtype=np.intp)[part.codes] for part in parts]
        return cls(names, np.concatenate(codes))

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, rows: slice | NDArray[Any]) -> Kinds:
        return Kinds(self.names, self.codes[rows])

    def words(self) -> list[str]:
        """The structure of each outcome in words."""
        return [self.names[code] for code in self.codes]

    def are(self, name: str) -> NDArray[np.bool_]:
        """Which outcomes have this structure."""
        place = self.names.index(name) if name in self.names else -1
        return np.asarray(self.codes == place)

    def counts(self) -> dict[str, int]:
        """How many outcomes have each structure that occurs."""
        if len(self.names) == 1:
            return {self.names[0]: len(self)} if len(self) else {}
        counts = np.bincount(self.codes, minlength=len(self.names))
        return {name: int(c) for name, c in zip(self.names, counts, strict=True) if c}

    def look_up(self, table: dict[str, float]) -> Floats:
        """A number for each outcome by its structure, or by its type if it is an exception; 0 where the table has none."""
        if not table:
            return np.zeros(len(self))
        values = np.array([table.get(name, table.get(exception(name), 0.0)) for name in self.names])
        if len(values) == 1:
            return np.full(len(self), values[0])
        return np.asarray(values[self.codes], dtype=float)

    def plain(self) -> NDArray[np.bool_]:
        """Which outcomes are values rather than exceptions or non-finite numbers."""
        plain = np.array([is_plain(name) for name in self.names], dtype=bool)
        return np.asarray(np.full(len(self), plain[0]) if len(plain) == 1 else plain[self.codes], dtype=bool)


@lru_cache(64)
def _zeros(size: int) -> NDArray[np.intp]:
    """That many zeros, read only, in the memory of one."""
    return np.broadcast_to(np.intp(0), size)


def exception(kind: str) -> str:
    """The type of an exception, without what it says; "" for all other structures."""
    return kind.partition(": ")[0] if kind.startswith("raises ") else ""


def is_plain(kind: str) -> bool:
    """Whether outcomes of this structure are values rather than exceptions or non-finite numbers."""
    if kind.startswith("raises "):
        return False
    _, mark, places = kind.rpartition(_NON_FINITE)
    return not mark or "'" in places or '"' in places  # text that an outcome holds is quoted


def finite(kind: str, width: int) -> bool:
    """Whether outcomes of this structure are plain, or hold a finite number among so many."""
    odd = kind.rpartition(_NON_FINITE)[2].count(":")
    return is_plain(kind) or (not exception(kind) and odd < min(width, _MARKED))


@dataclass(frozen=True, eq=False)
class Outcomes:
    """n outcomes: `values` (n, d), padded with zeros, and `kinds`, the structure of each."""

    values: Floats
    kinds: Kinds

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, rows: slice | NDArray[Any]) -> Outcomes:
        return Outcomes(self.values[rows], self.kinds[rows])

    def keys(self) -> NDArray[np.uint64]:
        """One 64-bit number per outcome, equal for equal outcomes."""
        n, d = self.values.shape
        odd = _odd_numbers(d)
        key = np.empty(n, dtype=np.uint64)
        rows = max(1, _BLOCK // max(d, 1))
        for start in range(0, n, rows):
            # Adding zero makes one of the two zeros.
            part = np.ascontiguousarray(self.values[start : start + rows] + 0.0).view(np.uint64)
            # Small whole numbers are doubles of few bits, all high, which no product would carry down.
            part ^= part >> np.uint64(32)
            key[start : start + rows] = part @ odd
        key ^= key >> np.uint64(29)
        salts = _salts(self.kinds.names)
        salt = salts[0] if len(salts) == 1 else salts[self.kinds.codes]
        return np.asarray(key * np.uint64(0x9E3779B97F4A7C15) + salt, dtype=np.uint64)

    def plain(self) -> NDArray[np.bool_]:
        """Which outcomes are values rather than exceptions or non-finite numbers."""
        return self.kinds.plain()


@dataclass(frozen=True)
class Grid:
    """A grid per column, far coarser than floating point and far finer than the noise.

    Sentences over the reals are tested on rounded numbers: the last bits of a double tell inputs apart whatever the
    mechanism (they are the business of the bit-level checks).  A step of 0 leaves a column as it is.
    """

    steps: Floats

    @classmethod
    def of(cls, sample: Outcomes) -> Grid:
        """Steps from the spread of a sample; powers of two, so that rounding itself is exact."""
        plain = sample.plain()
        values = thin(sample.values if plain.all() or not plain.any() else sample.values[plain])
        largest = np.maximum(np.abs(values).max(axis=0), 1e-300)
        spread = interquartile_range(values)
        spread = np.where(spread > 0, spread, largest * (values / largest).std(axis=0))
        # The median, not the largest value: one sentinel such as 1e18 must not blur all the others.
        usual = np.maximum(np.quantile(np.abs(values), 0.5, axis=0, method="lower"), 1e-300)
        width = np.floor(np.log2(np.maximum(spread, 1e-300)))
        # Never coarser than 1/64 of the spread, or a leak far from zero would be rounded away.
        fine = np.clip(np.ceil(np.log2(usual)) - 42, width - 30, width - 6)
        # Whole numbers say what they say by their remainders too.
        whole = np.abs(values - np.rint(values)).max(axis=0) == 0
        return cls(np.where((spread > 0) & ~whole, 2.0 ** np.clip(fine, -1000, 1000), 0.0))

    def round(self, sample: Outcomes) -> Outcomes:
        """The same outcomes with every number moved to the nearest grid point."""
        d = min(len(self.steps), sample.values.shape[1])
        active = np.flatnonzero(self.steps[:d] > 0)
        if not active.size:
            return sample
        whole = len(active) == sample.values.shape[1]
        steps = self.steps[active]
        values = sample.values if whole else sample.values[:, active]
        with np.errstate(over="ignore", invalid="ignore"):
            place = values * (1 / steps)  # steps are powers of two: nothing is lost
            np.rint(place, out=place)
            place *= steps
        if not np.isfinite(place).all():
            # Numbers of more than a thousand bits in units of the grid lie on it already.
            place = np.where(np.isfinite(place), place, values)
        if whole:
            return Outcomes(place, sample.kinds)
        out = sample.values.copy()
        out[:, active] = place
        return Outcomes(out, sample.kinds)


def thin(values: Floats, rows: int = 5_000) -> Floats:
    """At most about `rows` evenly spread rows, fewer of many columns: quantiles of columns need no more."""
    rows = min(rows, max(_THIN // 1_000, _THIN * len(values) // max(values.size, 1)))
    return values[:: max(1, len(values) // rows)]


T = TypeVar("T")


class Once(Generic[T]):
    """A function of a sample, computed once however many scores ask; in another process it begins anew."""

    def __init__(self, of: Callable[[Outcomes], T]) -> None:
        self._of = of
        self._known: WeakKeyDictionary[Outcomes, T] = WeakKeyDictionary()

    def __call__(self, sample: Outcomes) -> T:
        if sample not in self._known:
            self._known[sample] = self._of(sample)
        return self._known[sample]

    def __reduce__(self) -> tuple[type[Once[T]], tuple[Callable[[Outcomes], T]]]:
        return Once, (self._of,)


@Once
def distinct(sample: Outcomes) -> tuple[Outcomes, NDArray[np.intp]] | None:
    """Each of equal outcomes once, and which of these each outcome is; None where few of the first are equal."""
    if sample.values.shape[1] < _FEW:
        return None  # scores of few numbers cost no more than finding what is equal
    first = sample[:_FIRST].keys()
    if 2 * len(np.unique(first)) > len(first):
        return None
    _, rows, which = np.unique(sample.keys(), return_index=True, return_inverse=True)
    once = sample[rows]
    # Outcomes whose keys are equal by chance are not.
    same = np.array_equal(once.values[which], sample.values)
    return (once, which) if same and np.array_equal(once.kinds.codes[which], sample.kinds.codes) else None


def of_distinct(of: Callable[[Outcomes], Floats], sample: Outcomes) -> Floats:
    """A number of each outcome (n,), computed once for equal ones where many are equal."""
    found = distinct(sample)
    return of(sample) if found is None else of(found[0])[found[1]]


@lru_cache(64)
def _odd_numbers(count: int) -> NDArray[np.uint64]:
    """As many odd numbers of 63 bits, always the same."""
    odd = np.asarray(np.random.default_rng(20_231).integers(1, 2**62, size=count) | 1, dtype=np.uint64)
    odd.flags.writeable = False
    return odd


def quantile(values: Floats, share: float) -> Floats:
    """The quantile of each column (d,), or of one (n,); a straight line between the two numbers around it."""
    # Whole rows are sorted several times as fast as numpy finds a quantile of columns.
    return _between(np.sort(np.ascontiguousarray(values.T), axis=-1), share)


def _between(ordered: Floats, share: float) -> Floats:
    place = share * (ordered.shape[-1] - 1)
    low = int(place)
    high = min(low + 1, ordered.shape[-1] - 1)
    return np.asarray((1 - place + low) * ordered[..., low] + (place - low) * ordered[..., high], dtype=float)


def interquartile_range(values: Floats) -> Floats:
    """The interquartile range of each column (d,); quarters keep the largest doubles from overflowing."""
    ordered = np.sort(np.ascontiguousarray(values.T / 4), axis=-1)
    quarter = _between(ordered, 0.75) - _between(ordered, 0.25)
    return np.asarray(4 * np.minimum(quarter, 2e307), dtype=float)


@lru_cache(4)
def _salts(names: tuple[str, ...]) -> NDArray[np.uint64]:
    """64 bits of each structure in words, hashed once however many scores ask."""
    import hashlib

    digests = b"".join(hashlib.blake2b(name.encode(), digest_size=8).digest() for name in names)
    return np.frombuffer(digests, dtype="<u8").astype(np.uint64)


def join(parts: Sequence[Outcomes]) -> Outcomes:
    """Several samples one after the other."""
    width = max(p.values.shape[1] for p in parts)
    values = np.concatenate([widen(p, width).values for p in parts])
    return Outcomes(values, Kinds.join([p.kinds for p in parts]))


def widen(sample: Outcomes, width: int) -> Outcomes:
    """The same outcomes with at least `width` columns."""
    missing = width - sample.values.shape[1]
    if missing <= 0:
        return sample
    return Outcomes(np.pad(sample.values, ((0, 0), (0, missing))), sample.kinds)


def raised(error: BaseException, size: int) -> Outcomes:
    """`size` outcomes that consist of this exception."""
    return Outcomes(np.zeros((size, 1)), Kinds.same(structure(error, array("d"), []), size))


def rows(raw: Any, size: int) -> Any:
    """The outcomes of one call as they came, an array or a list; ValueError if their number is not `size`."""
    if not isinstance(raw, np.ndarray) and callable(getattr(raw, "to_numpy", None)):
        raw = raw.to_numpy()  # tables and series: rows are outcomes
    if isinstance(raw, np.ndarray) and raw.dtype.kind in "biufc":
        if raw.ndim == 0 or len(raw) != size:
            raise ValueError(f"expected an array whose first axis has length {size}, got shape {raw.shape}")
        return raw
    if isinstance(raw, str | bytes | dict) or not hasattr(raw, "__len__"):
        raise ValueError(
            f"expected an array or a list of {counted(size, 'outcome')}, got one {type(raw).__name__}"
        )
    if len(raw) != size:
        raise ValueError(f"expected {counted(size, 'outcome')}, got {len(raw)}")
    return raw


def canonical(raw: Any, size: int, typed: bool = False) -> Outcomes:
    """The outcomes of one call, with their types if these are outcomes too; ValueError if their number is not `size` or if one cannot be read."""
    raw = rows(raw, size)
    if typed:
        raw = [o if isinstance(o, BaseException) else (types(o), o) for o in raw]
    if isinstance(raw, np.ndarray) and raw.dtype.kind in "biufc":
        return _array(raw)
    kinds: list[str] = []
    once: dict[str, str] = {}  # equal structures are held once, however long they are
    numbers: list[array[float]] = []
    for outcome in raw:
        leaves = array("d")
        lost: Lost = []
        kind = structure(outcome, leaves, lost)
        if lost:
            rest = dict(lost)
            leaves.extend(rest.get(i, 0.0) for i in range(len(leaves)))
        kinds.append(once.setdefault(kind, kind))
        numbers.append(leaves)
    width = max(1, max((len(v) for v in numbers), default=1))
    values = np.zeros((size, width))
    for row, leaves in zip(values, numbers, strict=True):
        row[: len(leaves)] = leaves
    return _mark_non_finite(values, Kinds.of(kinds))


def _array(raw: NDArray[Any]) -> Outcomes:
    kind = f"{NUMBER}{list(raw.shape[1:]) or ''}"
    if raw.dtype.kind == "c":
        kind = kind.replace(NUMBER, "complex")
        raw = np.stack([raw.real, raw.imag], axis=-1)
    flat = raw.reshape(len(raw), -1)
    values = flat.astype(float)
    if inexact(raw):
        # Beyond 2^53, or of more digits: what rounding took away follows in columns of its own.
        exact = flat.astype(object if raw.dtype.kind in "iu" else raw.dtype)
        near = np.vectorize(int, otypes=[object])(values) if raw.dtype.kind in "iu" else values
        lost = np.where(np.isfinite(values), (exact - near).astype(float), 0.0)
        values = np.concatenate([values, lost], axis=1)
    if values.shape[1] == 0:
        values = np.zeros((len(raw), 1))
    return _mark_non_finite(values, Kinds.same(kind, len(raw)))


def _mark_non_finite(values: Floats, kinds: Kinds) -> Outcomes:
    # A finite sum of squares has finite terms only, and is much faster to find than these.
    if isfinite(np.vdot(values, values)):
        return Outcomes(values, kinds)
    bad = ~np.isfinite(values)
    rows = np.flatnonzero(bad.any(axis=1))
    # One word per pattern, not per row: where there are NaN or infinities, there are often many.
    code = np.select(
        [np.isnan(values[rows]), np.isposinf(values[rows]), np.isneginf(values[rows])], [1, 2, 3]
    )
    patterns, which = np.unique(code.astype(np.int8), axis=0, return_inverse=True)
    names = ("", "nan", "inf", "-inf")
    marks = []
    for row in patterns:
        places = np.flatnonzero(row)
        more = f" and more {crc32(row.tobytes()):08x}" if len(places) > _MARKED else ""
        marks.append(",".join(f"{i}:{names[row[i]]}" for i in places[:_MARKED]) + more)
    words = kinds.words()
    for row, mark in zip(rows, which.ravel(), strict=True):
        words[row] += f" non-finite at {marks[mark]}"
    return Outcomes(np.where(bad, 0.0, values), Kinds.of(words))
