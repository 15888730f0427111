"""Plain numbers as a person reads them: even or odd, the last digit, what stands after the point; and the remainder that tells most."""

from __future__ import annotations

from functools import cache

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
_EXACT = 2.0**53


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
    divided = _telling(both[0][:_TAUGHT], both[1][:_TAUGHT], columns[:_DIVIDED])
    if divided is None:
        return found
    column, by = divided

    def remainder(sample: Outcomes) -> Outcomes:
        return _remainders(np.floor(widen(sample, width).values[:, [column]]) % by)

    clear = atom_score(remainder(zero), remainder(one))
    told = clear and clear.after(remainder, "the remainder that tells most", divisors=(by,))
    return [*found, told]


def _remainders(values: Floats) -> Outcomes:
    return Outcomes(values, Kinds.same("remainders", len(values)))


def _of_few_parts(column: Floats) -> bool:
    if len(np.unique(column)) < _MANY * len(column):
        return False  # the numbers themselves repeat, and are seen as they are
    return len(np.unique(column - np.floor(column))) <= max(2.0, _FEW * len(column))


@cache
def _divisors() -> NDArray[np.int64]:
    """The powers of primes: what a remainder by any number says, that by one of these says in part."""
    primes = [n for n in range(2, _LARGEST) if all(n % k for k in range(2, int(n**0.5) + 1))]
    powers = (p**k for p in primes for k in range(1, 11))
    return np.array(sorted(q for q in powers if q <= _LARGEST), dtype=np.int64)


def _telling(zero: Floats, one: Floats, columns: list[int]) -> tuple[int, int] | None:
    """The column and the divisor whose remainders differ most between the inputs; None if none clearly do."""
    by = _divisors()
    starts = np.cumsum(by) - by
    least, found = _CHANCE, None
    for j in columns:
        if max(np.abs(s[:, j]).max() for s in (zero, one)) >= _EXACT:
            continue
        left, right = (
            np.bincount(
                (np.floor(s[:, j]).astype(np.int64)[:, None] % by + starts).ravel(), minlength=by.sum()
            )
            / len(s)
            for s in (zero, one)
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
            least, found = float(chance.min()), (j, int(by[np.argmin(chance)]))
    return found
