"""Outcomes of any kind in one form: a structure in words and the numbers it holds.

Type, shape, dtype, strings, keys, the pattern of NaN and infinities and exceptions all belong to the structure, so
that each of them can tell two inputs apart.  Two outcomes are equal when structure and numbers are.
"""

from __future__ import annotations

import dataclasses
import numbers
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cache, lru_cache
from math import isfinite
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from ...symbolic.arrays import Floats

_EXACT = 2**53  # whole numbers up to here are doubles
_MARKED = 50  # places of NaN or infinity that are named
_NON_FINITE = re.compile(r" non-finite at [^'\"]*$")  # text that an outcome holds is quoted
# What objects of other libraries hold, which their words would cut short.
_CONTENTS: dict[str, Callable[[Any], Any]] = {
    "pandas": lambda table: [list(getattr(table, "columns", ())), list(table.index), table.to_numpy()],
    "pyarrow": lambda table: table.to_pydict() if hasattr(table, "to_pydict") else str(table),
    "scipy": lambda matrix: matrix.toarray() if hasattr(matrix, "toarray") else str(matrix),
}


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
    return not (kind.startswith("raises ") or _NON_FINITE.search(kind))


@dataclass(frozen=True)
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
        odd = _odd_numbers(self.values.shape[1])
        # Adding zero makes one of the two zeros.
        key = np.zeros(len(self), dtype=np.uint64)
        for column, factor in zip(self.values.T, odd, strict=True):
            key += (column + 0.0).view(np.uint64) * factor
        key ^= key >> np.uint64(29)
        salts = np.array([_salt(name) for name in self.kinds.names], dtype=np.uint64)
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
        # Whole numbers are on every grid finer than one.
        whole = (np.abs(values - np.rint(values)).max(axis=0) == 0) & (fine <= 0)
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
    """At most about `rows` evenly spread rows: quantiles of columns need no more."""
    return values[:: max(1, len(values) // rows)]


@lru_cache(64)
def _odd_numbers(count: int) -> NDArray[np.uint64]:
    """As many odd numbers of 63 bits, always the same."""
    odd = np.asarray(np.random.default_rng(20_231).integers(1, 2**62, size=count) | 1, dtype=np.uint64)
    odd.flags.writeable = False
    return odd


def interquartile_range(values: Floats) -> Floats:
    """The interquartile range of each column (d,); quarters keep the largest doubles from overflowing."""
    quarter = np.subtract(*np.quantile(values / 4, [0.75, 0.25], axis=0))
    return np.asarray(4 * np.minimum(quarter, 2e307), dtype=float)


def _salt(name: str) -> int:
    import hashlib

    return int.from_bytes(hashlib.blake2b(name.encode(), digest_size=8).digest(), "little")


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
    return Outcomes(np.zeros((size, 1)), Kinds.same(f"raises {type(error).__name__}", size))


def canonical(raw: Any, size: int) -> Outcomes:
    """The outcomes of one call; ValueError if their number is not `size` or if one cannot be read."""
    if not isinstance(raw, np.ndarray) and callable(getattr(raw, "to_numpy", None)):
        raw = raw.to_numpy()  # tables and series: rows are outcomes
    if isinstance(raw, np.ndarray) and raw.dtype.kind in "biufc":
        if raw.ndim == 0 or len(raw) != size:
            raise ValueError(f"expected an array whose first axis has length {size}, got shape {raw.shape}")
        return _array(raw)
    if isinstance(raw, str | bytes | dict) or not hasattr(raw, "__len__"):
        raise ValueError(f"expected an array or a list of {size} outcomes, got one {type(raw).__name__}")
    if len(raw) != size:
        raise ValueError(f"expected {size} outcomes, got {len(raw)}")
    kinds: list[str] = []
    numbers: list[list[float]] = []
    for outcome in raw:
        leaves: list[float] = []
        kinds.append(_structure(outcome, leaves))
        numbers.append(leaves)
    width = max(1, max((len(v) for v in numbers), default=1))
    values = np.zeros((size, width))
    for row, leaves in zip(values, numbers, strict=True):
        row[: len(leaves)] = leaves
    return _mark_non_finite(values, Kinds.of(kinds))


def _array(raw: NDArray[Any]) -> Outcomes:
    if raw.dtype.kind == "c":
        raw = np.stack([raw.real, raw.imag], axis=-1)
    flat = raw.reshape(len(raw), -1)
    values = flat.astype(float)
    if raw.dtype.kind in "iu" and raw.size and max(int(raw.max()), -int(raw.min())) > _EXACT:
        # Whole numbers beyond 2^53: what rounding took away follows in columns of its own.
        lost = [
            [float(int(v) - int(f)) for v, f in zip(row, near, strict=True)]
            for row, near in zip(flat, values, strict=True)
        ]
        values = np.concatenate([values, np.array(lost)], axis=1)
    if values.shape[1] == 0:
        values = np.zeros((len(raw), 1))
    return _mark_non_finite(values, Kinds.same(_array_kind(raw.dtype, raw.shape[1:]), len(raw)))


@cache
def _array_kind(dtype: np.dtype[Any], shape: tuple[int, ...]) -> str:
    return f"{dtype.name}{list(shape) if shape else ''}"


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


def _large(outcome: Any, leaves: list[float]) -> str:
    """A whole number that no double holds: the nearest double, what is lost, and of still larger ones the last digits."""
    whole, name = int(outcome), type(outcome).__name__
    if abs(whole) >= 2**1000:
        return f"large {name} {outcome}"
    near = int(float(whole))
    leaves.extend([float(near), float(whole - near)])
    if abs(whole) < _EXACT**2:
        return f"large {name}"
    leaves.append(float(whole % 2**32))
    return f"huge {name}"


def _nearest(number: Any) -> tuple[float, float]:
    """The nearest double of an exact number, and what rounding took away."""
    near = float(number)
    if not isfinite(near):
        return near, 0.0
    if isinstance(number, np.longdouble):
        return near, float(number - np.longdouble(near))
    return near, float(Fraction(number) - Fraction(near))


def _structure(outcome: Any, leaves: list[float]) -> str:
    """The structure of one outcome in words; numbers are appended to `leaves`."""
    if isinstance(outcome, bool | np.bool_):
        leaves.append(float(outcome))
        return "bool"
    if isinstance(outcome, numbers.Integral) and abs(int(outcome)) > _EXACT:
        return _large(outcome, leaves)
    if isinstance(outcome, Decimal | Fraction | np.longdouble):
        leaves.extend(_nearest(outcome))
        return type(outcome).__name__
    if isinstance(outcome, numbers.Real):
        leaves.append(float(outcome))
        return type(outcome).__name__
    if isinstance(outcome, numbers.Complex):
        leaves.extend([float(outcome.real), float(outcome.imag)])
        return type(outcome).__name__
    if outcome is None:
        return "None"
    if isinstance(outcome, str | bytes):
        return f"{type(outcome).__name__} {outcome!r}"
    if isinstance(outcome, BaseException):
        return f"raises {type(outcome).__name__}" + (f": {_shown(outcome.args)}" if outcome.args else "")
    if isinstance(outcome, np.ma.MaskedArray):
        hidden = np.flatnonzero(np.ma.getmaskarray(outcome)).tolist()
        return f"masked {_structure(outcome.filled(0), leaves)} {hidden}"
    if isinstance(outcome, np.ndarray) and outcome.dtype.kind in "biuf":
        leaves.extend(outcome.ravel().astype(float).tolist())
        return f"{outcome.dtype.name}{list(outcome.shape)}"
    if isinstance(outcome, dict):
        keys = sorted(outcome, key=repr)
        inside = [f"{key!r}: {_structure(outcome[key], leaves)}" for key in keys]
        order = "" if keys == list(outcome) else f" in the order {list(outcome)!r}"
        return "{" + ", ".join(inside) + "}" + order
    if isinstance(outcome, tuple | list | set | frozenset):
        items = sorted(outcome, key=repr) if isinstance(outcome, set | frozenset) else outcome
        return f"{type(outcome).__name__}[" + ", ".join(_structure(item, leaves) for item in items) + "]"
    if isinstance(outcome, np.ndarray):
        return f"{outcome.dtype.name} " + _structure(outcome.tolist(), leaves)
    if dataclasses.is_dataclass(outcome) and not isinstance(outcome, type):
        return f"{type(outcome).__name__} " + _structure(
            vars(outcome) if hasattr(outcome, "__dict__") else dataclasses.asdict(outcome), leaves
        )
    held = _CONTENTS.get(type(outcome).__module__.partition(".")[0])
    if held is not None:
        return f"{type(outcome).__name__} {_structure(held(outcome), leaves)}"
    if type(outcome).__repr__ is getattr(object, "__repr__"):  # noqa: B009 - typed as a method of object otherwise
        raise ValueError(
            f"an outcome of type {type(outcome).__name__} shows nothing that could be compared: return numbers, text, lists or dicts"
        )
    return f"{type(outcome).__name__} {_shown(outcome)}"


def _shown(value: Any) -> str:
    """The words of an object, whose own code may fail."""
    try:
        return repr(value)
    except Exception as error:
        return f"without words: {type(error).__name__}"
