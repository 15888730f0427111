"""Records between two ends."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Floats
from ..errors import SpecError
from .exact import DIGITS, Block, exact, monomial, read_numbers, sized
from .numeric import Numeric, check_dimension
from .polynomials import Coefficients, Point

_ALL_VERTICES = 64


@dataclass(frozen=True, eq=False)
class Box(Numeric, Block):
    """The domain low <= record <= high: numbers, or vectors (d,) if the ends are arrays or `dimension` is given.

    `integer` admits integers only. Ends are in the units of the data and are declared, never read from it. SpecError unless
    low < high in every entry and all is finite.

    >>> npf.Box(0, 120, integer=True).contains(17.5), npf.Box([0, -1], [2, 1]).contains([1, 0.5])
    (False, True)
    """

    low: ArrayLike | Fraction | tuple[Fraction, ...]
    high: ArrayLike | Fraction | tuple[Fraction, ...]
    dimension: int | None = None
    integer: bool = False

    def __post_init__(self) -> None:
        read_numbers(self, "low", "high", "dimension")
        try:
            low, high = (np.array(v, dtype=float) for v in (self.low, self.high))
        except (TypeError, ValueError):
            raise SpecError(
                f"box: expected numbers as ends, got {self.low!r:.60} and {self.high!r:.60}"
            ) from None
        if self.dimension is not None:
            check_dimension(self.dimension)
            if low.ndim == high.ndim == 0:
                low, high = np.full(self.dimension, low), np.full(self.dimension, high)
        if low.shape != high.shape or low.ndim > 1 or not low.size or self.dimension not in (None, low.size):
            raise SpecError(
                f"box: expected two ends of equal length, got shapes {low.shape} and {high.shape}"
            )
        if not (np.all(np.isfinite(low)) and np.all(np.isfinite(high)) and np.all(low < high)):
            raise SpecError(f"box: expected finite low < high, got {self.low!r} and {self.high!r}")
        if self.integer and np.any(np.concatenate([low.ravel(), high.ravel()]) % 1):
            raise SpecError(f"box: a box of whole numbers has whole ends, got {self.low!r} and {self.high!r}")
        object.__setattr__(self, "_ends", (low.reshape(-1), high.reshape(-1)))
        object.__setattr__(self, "scalar", low.ndim == 0)

    @property
    def ends(self) -> tuple[Floats, Floats]:
        return self._ends  # type: ignore[attr-defined,no-any-return]

    def describe(self) -> str:
        low, high = self.ends
        what = "whole numbers" if self.integer else "numbers"
        same = np.all(low == low[0]) and np.all(high == high[0])
        shown = (low[0], high[0]) if same else (low, high)
        ends = " to ".join(f"{v:g}" if np.ndim(v) == 0 else str([float(f"{x:g}") for x in v]) for v in shown)
        return f"{what} from {ends}" if self.scalar else f"vectors of {len(low)} {what} from {ends}"

    def inside(self, vector: Floats) -> bool:
        low, high = self.ends
        return bool(np.all((vector >= low) & (vector <= high)))

    def project(self, vector: Floats) -> Floats:
        low, high = self.ends
        return np.clip(np.rint(vector) if self.integer else vector, low, high)

    def spread(self, rng: np.random.Generator) -> Floats:
        low, high = self.ends
        inner = rng.uniform(low, high)
        if rng.random() < 0.7:
            return inner
        # Faults live where some entries are as large or small as may be.
        return np.where(rng.random(len(low)) < 0.5, inner, np.where(rng.random(len(low)) < 0.5, low, high))

    def corners(self, rng: np.random.Generator, most: int) -> list[Floats]:
        low, high = self.ends
        d = len(low)
        index = np.arange(d)
        if 2**d <= min(most, _ALL_VERTICES):
            masks = [np.array(m) for m in itertools.product([False, True], repeat=d)]
            masks.insert(1, masks.pop())
        else:
            first = [index < 0, index >= 0, index < d // 2, index >= d // 2, index % 2 == 0, index % 2 == 1]
            one = [m for i in rng.permutation(d)[: max(1, most // 6)] for m in (index == i, index != i)]
            masks = first + one + [rng.random(d) < 0.5 for _ in range(max(0, most - len(first) - len(one)))]
        return [np.where(mask, high, low) for mask in masks]

    @cached_property
    def bounds(self) -> tuple[tuple[Fraction, Fraction], ...]:
        if self.integer:
            raise ValueError("expected a box of real numbers, got one of whole numbers")
        count = self.dimension_of_records
        given = [np.ravel(np.array(end, dtype=object)).tolist() for end in (self.low, self.high)]
        lower, upper = (end * count if len(end) < count else end for end in given)
        pairs = tuple((exact(a, "low"), exact(b, "high")) for a, b in zip(lower, upper, strict=True))
        for a, b in pairs:
            sized(max(abs(a), abs(b)), "the largest absolute value of each coordinate")
            sized(b - a, "the width of each coordinate")
        return pairs

    def nearest(self, vectors: Floats) -> Floats:
        return np.clip(vectors, *self.ends)

    def rounded(self, vector: Floats) -> Point:
        shares = (
            round((Fraction(float(x)) - a) / (b - a) * DIGITS)
            for x, (a, b) in zip(vector, self.bounds, strict=True)
        )
        return tuple(
            a + (b - a) * Fraction(min(max(share, 0), DIGITS), DIGITS)
            for share, (a, b) in zip(shares, self.bounds, strict=True)
        )

    def nonnegative(self) -> list[Coefficients]:
        n = len(self.bounds)
        return [
            {monomial(n, i, 2): Fraction(-1), monomial(n, i): a + b, (0,) * n: -a * b}
            for i, (a, b) in enumerate(self.bounds)
        ]

    def vertices(self) -> list[Point] | None:
        return list(itertools.product(*self.bounds)) if len(self.bounds) <= 14 else None
