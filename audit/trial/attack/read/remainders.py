"""Plain numbers as a person reads them: even or odd, the last digit, what stands after the point; and the remainder that tells most."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from math import gcd

import numpy as np
from numpy.typing import NDArray
from scipy import special

from .....symbolic.arrays import Floats
from ...outcomes import Kinds, Outcomes, widen
from ..scores import Score, atom_score, linear_score

_COLUMNS = 16  # of an outcome, the first
_MANY = 0.1  # of the outcomes: distinct numbers from which on these are read
_FEW = 0.02  # of the outcomes: distinct parts after the point up to which these are read
_LARGEST, _DIVIDED, _TAUGHT = 1_024, 4, 3_000  # divisor; columns and outcomes per input that all divide
_CHANCE = 1e-6  # of so large a difference, below which that of some 800 remainders is believed
_EXACT = 2.0**63  # up to which whole numbers are read, with what doubles leave of them
_CLEAR = 4.5  # standard deviations between the means of a bit
_DIGITS, _GROUPED = re.compile(r"[0-9]{10,}"), re.compile(r"[0-9](?:[ -]?[0-9]){11,}")
_DIFFERENCES, _ANY = 64, 1 << 33  # outcomes of which a divisor of all differences is looked for; the largest


def remainder_scores(zero: Outcomes, one: Outcomes) -> list[Score | None]:
    """The scores of remainders: of columns of many numbers that are whole, or that share a few parts after the point."""
    width = max(zero.values.shape[1], one.values.shape[1])
    both = [widen(s, width).values[:, :_COLUMNS] for s in (zero, one)]
    columns = [j for j, column in enumerate(np.concatenate(both).T) if _of_few_parts(column)]
    if not columns:
        return []

    def digits(sample: Outcomes) -> Outcomes:
        values = widen(sample, width).values[:, columns]
        whole = np.floor(values)
        return _remainders(np.concatenate([whole % 2, whole % 10, values - whole], axis=1))

    a, b = digits(zero), digits(one)
    found = [
        s and s.after(digits, "remainders", divisors=(2, 10, 1))
        for s in (atom_score(a, b), linear_score(a, b))
    ]
    whole = [j for j in columns[:_DIVIDED] if all(_largest(s, width, j) < _EXACT for s in (zero, one))]
    by_bits: list[Score | None] = []
    for j in whole:

        def bits(sample: Outcomes, j: int = j) -> Outcomes:
            return _remainders((_whole(sample, width, j)[:, None] >> np.arange(63) & 1).astype(float))

        a, b = (bits(s[:_TAUGHT]) for s in (zero, one))
        apart = np.abs(a.values.mean(axis=0) - b.values.mean(axis=0)).max()
        if apart > _CLEAR * np.sqrt((1 / len(a) + 1 / len(b)) / 4):
            told = linear_score(bits(zero), bits(one))
            by_bits.append(told and told.after(bits, f"the bits of column {j}"))

    def part(j: int) -> Callable[[Outcomes], NDArray[np.int64]]:
        return lambda sample: _whole(sample, width, j)[:, None]

    return [*found, _divided(zero, one, [part(j) for j in whole]), *by_bits]


def digit_scores(zero: Outcomes, one: Outcomes) -> list[Score | None]:
    """The remainder that tells most of the first long run of digits in text: check digits."""
    if any(np.mean(_long(s.kinds.names)[s.kinds.codes].any(axis=1)) < _MANY for s in (zero, one)):
        return []
    return [_divided(zero, one, [lambda sample: _long(sample.kinds.names)[sample.kinds.codes]])]


@lru_cache(4)
def _long(names: tuple[str, ...]) -> NDArray[np.int64]:
    """The first long run of digits of each structure in words, or the longest in groups, nine digits a number, zero where there is none; shape (n, 6)."""
    found = [_DIGITS.findall(name)[:1] or sorted(_GROUPED.findall(name), key=len)[-1:] for name in names]
    runs = [run.replace(" ", "").replace("-", "")[:54] for run in ("".join(each) for each in found)]
    digits = np.array([run.zfill(54) for run in runs], dtype="S54").view("S9").reshape(-1, 6)
    return digits.astype(np.int64)


def _whole(sample: Outcomes, width: int, j: int) -> NDArray[np.int64]:
    """A column of whole numbers with what rounding to doubles took away, which stands in the second half of all columns."""
    values = widen(sample, width).values
    rest = values[:, j + width // 2] if _parted(values, width, j) else 0.0
    whole = np.clip(np.floor(values[:, j]), -_EXACT, np.nextafter(_EXACT, 0)).astype(np.int64)
    return np.asarray(whole + np.asarray(rest).astype(np.int64))


def _parted(values: Floats, width: int, j: int) -> bool:
    return width % 2 == 0 and j < width // 2 and bool(np.abs(values[:, j]).max(initial=0) > 2.0**53)


def _largest(sample: Outcomes, width: int, j: int) -> float:
    return float(np.abs(widen(sample, width).values[:, j]).max(initial=0))


def _divided(
    zero: Outcomes, one: Outcomes, parts: Sequence[Callable[[Outcomes], NDArray[np.int64]]]
) -> Score | None:
    """The score of the remainder that tells most, of numbers in parts of nine digits; None if none clearly does."""
    divided = _telling([[part(s[:_TAUGHT]) for part in parts] for s in (zero, one)])
    if divided is None:
        return None
    part, by = parts[divided[0]], divided[1]

    def remainder(sample: Outcomes) -> Outcomes:
        return _remainders(_by(part(sample), np.array([by])).astype(float))

    clear = atom_score(remainder(zero), remainder(one))
    return clear and clear.after(remainder, "the remainder that tells most", divisors=(by,))


def _by(parts: NDArray[np.int64], divisors: NDArray[np.int64]) -> NDArray[np.int64]:
    """Remainders, shape (n, divisors)."""
    rest = parts[:, :1] % divisors
    for column in parts.T[1:]:
        rest = (rest * (10**9 % divisors) + column[:, None]) % divisors
    return np.asarray(rest)


def _remainders(values: Floats) -> Outcomes:
    return Outcomes(values, Kinds.same("remainders", len(values)))


def _of_few_parts(column: Floats) -> bool:
    first, few = column[:_TAUGHT], max(2.0, _FEW * len(column))
    if 2 * len(np.unique(first)) < _MANY * len(first) or len(np.unique(column)) < _MANY * len(column):
        return False  # the numbers themselves repeat, and are seen as they are
    return all(len(np.unique(part - np.floor(part))) <= few for part in (first, column))


@cache
def _divisors() -> NDArray[np.int64]:
    """The powers of primes: what a remainder by any number says, that by one of these says in part."""
    primes = [n for n in range(2, _LARGEST) if all(n % k for k in range(2, int(n**0.5) + 1))]
    powers = (p**k for p in primes for k in range(1, 11))
    return np.array(sorted(q for q in powers if q <= _LARGEST), dtype=np.int64)


def _common(parts: Sequence[NDArray[np.int64]]) -> list[int]:
    """The greatest common divisor of the differences of each number, in parts of nine digits; 0 if they are all the same."""
    some = [
        part[:_DIFFERENCES].astype(object) @ 10 ** (9 * np.arange(part.shape[1], dtype=object)[::-1])
        for part in parts
    ]
    return [gcd(*(values - values[0]).tolist()) for values in some]


def _telling(both: Sequence[Sequence[NDArray[np.int64]]]) -> tuple[int, int] | None:
    """The number, of those that outcomes of either input hold, and the divisor whose remainders differ most between the inputs; None if none clearly do."""
    by = _divisors()
    starts = np.cumsum(by) - by
    least, found = _CHANCE, None
    for place, (left, right) in enumerate(zip(*map(_common, both), strict=True)):
        # That all numbers of one input leave one remainder is no chance, by whatever number.
        if left != right and _LARGEST < max(left, right) < _ANY:
            return place, max(left, right)
    for place, (zero, one) in enumerate(zip(*both, strict=True)):
        left, right = (
            np.bincount((_by(s, by) + starts).ravel(), minlength=by.sum()) / len(s) for s in (zero, one)
        )
        spread = (left + right) * 0.5 * (1 / len(zero) + 1 / len(one))
        each = np.divide((left - right) ** 2, spread, out=np.zeros_like(left), where=spread > 0)
        # All remainders together, or one of them alone, which few outcomes show among many.
        together, alone = (
            special.chdtrc(by - 1, np.add.reduceat(each, starts)),
            np.maximum.reduceat(each, starts),
        )
        chance = np.minimum(together, by * special.chdtrc(1, alone))
        # Of what is as clear the smallest divisor.
        if chance.min() < least:
            least, found = float(chance.min()), (place, int(by[np.argmin(chance)]))
    return found
