"""The exponential mechanism over weighted candidates, exactly: index i with probability m_i e^(rate u_i) / sum.

All weights are whole numbers with enclosures, as fine as a comparison with the bits of a uniform number needs.  Utilities
u and multiplicities m are whole; a multiplicity says how many points one candidate stands for, such as those of an
interval between two values of the data.  Drawing a point of the chosen candidate uniformly (`uniform_below`) is then the
exponential mechanism over the points, whose privacy does not depend on how the data cut them into candidates.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import accumulate

import numpy as np
from flint import arb, ctx
from numpy.typing import ArrayLike, NDArray

from ...symbolic.arrays import Floats, Ints
from ...symbolic.errors import SpecError
from ...symbolic.proof.exact_numbers import ball
from ..grid_noise.secure_bits import Bits
from .comparison import Uniform, decided
from .noise import exactly, inside

MOST_CANDIDATES = 1 << 21
_PLACES = 64
_CHUNK = 1 << 14


@dataclass(frozen=True, eq=False)
class ExponentialSelection:
    """The law of the exponential mechanism: P(i) proportional to multiplicities[i] exp(epsilon utilities[i] / (2 sensitivity)).

    `utilities` and `multiplicities` are integers (n,), `epsilon` and `sensitivity` fractions > 0; SpecError for anything else.
    Where the utility of every point moves by at most `sensitivity` between neighbours, the loss of all points lies in an
    interval of length epsilon: pure epsilon (McSherry and Talwar 2007), and epsilon^2 / 8 of zCDP (Cesar and Rogers 2021).

    >>> npf.ExponentialSelection(np.array([5, 3, 0]), epsilon=1).rho
    Fraction(1, 8)
    """

    utilities: Ints
    epsilon: Fraction
    sensitivity: Fraction = Fraction(1)
    multiplicities: Ints | None = field(default=None)

    def __post_init__(self) -> None:
        set_ = object.__setattr__
        set_(self, "utilities", _whole_numbers("utilities", self.utilities))
        for name in ("epsilon", "sensitivity"):
            value = inside(name, exactly(name, getattr(self, name)), Fraction(0), None, "plain numbers")
            if not value:
                raise SpecError(f"{name} must be above 0")
            set_(self, name, value)
        ones = np.ones(len(self.utilities), dtype=np.int64)
        given = ones if self.multiplicities is None else _whole_numbers("multiplicities", self.multiplicities)
        if len(given) != len(self.utilities) or given.min() < 0 or not given.any():
            raise SpecError("multiplicities must be as many as utilities, at least 0, and not all 0")
        set_(self, "multiplicities", given)

    @property
    def rate(self) -> Fraction:
        """epsilon / (2 sensitivity)."""
        return self.epsilon / (2 * self.sensitivity)

    @property
    def rho(self) -> Fraction:
        """What a choice costs in zCDP: epsilon^2 / 8."""
        return choice_rho(self.epsilon)

    # --- the law ----------------------------------------------------------------------------------------------------

    @cached_property
    def _losses(self) -> tuple[list[int], list[int]]:
        """How far each utility lies below the best that has a multiplicity, and the multiplicities, as Python's numbers."""
        counts: Ints = np.asarray(self.multiplicities)
        best = int(self.utilities[counts > 0].max())
        # Utilities of candidates that nobody can choose may be larger: their loss does not matter.
        return [max(best - u, 0) for u in self.utilities.tolist()], counts.tolist()

    def probability(self, i: int) -> arb:
        """A ball around P(i)."""
        with ctx.workprec(256):
            losses, counts = self._losses
            return counts[i] * (-ball(self.rate * losses[i])).exp() / self._total

    @cached_property
    def _total(self) -> arb:
        """The sum of m_i e^(-rate loss_i)."""
        losses, counts = self._losses
        pooled: dict[int, int] = {}
        for loss, count in zip(losses, counts, strict=True):
            pooled[loss] = pooled.get(loss, 0) + count
        with ctx.workprec(256):
            return sum((n * (-ball(self.rate * loss)).exp() for loss, n in pooled.items() if n), arb(0))

    def log_probabilities(self) -> Floats:
        """log P(i) in floating point (n,); -inf where the multiplicity is 0."""
        losses, counts = self._losses
        with ctx.workprec(256):
            log_total = float(self._total.log().mid())
        with np.errstate(divide="ignore"):
            return np.asarray(
                np.log(np.array(counts, dtype=float))
                - np.array(losses, dtype=float) * float(self.rate)
                - log_total
            )

    def probabilities(self) -> Floats:
        """P(i) in floating point (n,), to about 1e-14 of each."""
        return np.asarray(np.exp(self.log_probabilities()), dtype=float)

    # --- draws ------------------------------------------------------------------------------------------------------

    def draw(self, size: int, bits: Bits) -> Ints:
        """`size` independent indices (size,) of exactly this law, from words of `bits` and whole numbers alone."""
        low, high = self._edges
        out = np.empty(size, dtype=np.int64)
        for start in range(0, size, _CHUNK):
            words = bits(len(out[start : start + _CHUNK]))
            found = np.searchsorted(high, words, side="left")
            open_ = np.flatnonzero(found != np.searchsorted(low, words, side="right"))
            for i in open_:
                found[i] = decided(Uniform(int(words[i]), bits), self._index)
            out[start : start + len(words)] = found
        return out

    @cached_property
    def _edges(self) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        """floor(2^64 P(index <= i)) for all i but the last, from below and from above."""
        return tuple(  # type: ignore[return-value]
            np.array(edges[:-1], dtype=object).clip(0, (1 << 64) - 1).astype(np.uint64)
            for edges in self._floors(_PLACES)
        )

    def _floors(self, places: int) -> tuple[list[int], list[int]]:
        """Whole numbers low_i <= 2^places P(index <= i) < high_i + 1, equal but where an edge is close to one."""
        low, high = self._cumulative(places)
        least, most = low[-1], high[-1]
        return [(c << places) // most for c in low], [(c << places) // least for c in high]

    def _index(self, known: int, places: int) -> int | None:
        """The index of all numbers in [known, known + 1) / 2^places; None if there are several or it is not certain."""
        low, high = self._floors(places)
        # Edges with high < known lie below the interval, those with low > known above it.
        found = bisect_left(high, known, hi=len(high) - 1)
        return found if found == bisect_right(low, known, hi=len(low) - 1) else None

    def _cumulative(self, places: int) -> tuple[list[int], list[int]]:
        """Sums of the weights times a power of two, from below and from above."""
        losses, counts = self._losses
        fine = places + sum(counts).bit_length() + 8
        table = _Exponentials(
            self.rate, fine, max((x for x, n in zip(losses, counts, strict=True) if n), default=0)
        )
        distinct = {loss: table.of(loss) for loss in set(losses)}
        pairs = [distinct[loss] for loss in losses]
        return (
            list(accumulate(n * pair[0] for n, pair in zip(counts, pairs, strict=True))),
            list(accumulate(n * pair[1] for n, pair in zip(counts, pairs, strict=True))),
        )


class _Exponentials:
    """Whole numbers low <= 2^places e^(-rate k) <= high, from a product of two tabled factors: k = (k >> half) 2^half + rest."""

    def __init__(self, rate: Fraction, places: int, most: int) -> None:
        self.rate, self.places = rate, places
        self.half = (most.bit_length() + 1) // 2
        self._known: dict[int, tuple[int, int]] = {}
        # From here on e^(-rate k) is below 2^-places: a bound by whole numbers, as log 2 < 1.
        self._end = int(places / rate) + 1

    def of(self, k: int) -> tuple[int, int]:
        """(low, high) of one k >= 0."""
        if k == 0:
            return 1 << self.places, 1 << self.places
        if k > self._end:
            return 0, 1
        first, second = (k >> self.half) << self.half, k & ((1 << self.half) - 1)
        (a, b), (c, d) = self._factor(first), self._factor(second)
        return a * c >> self.places, (b * d >> self.places) + 1

    def _factor(self, k: int) -> tuple[int, int]:
        found = self._known.get(k)
        if found is None:
            with ctx.workprec(self.places + 32):
                value = arb(2) ** self.places * (-ball(self.rate * k)).exp()
                low = value.lower().floor().unique_fmpz()
            assert low is not None
            found = self._known[k] = (int(low), int(low) + 2)
        return found


def choose(
    utilities: ArrayLike,
    epsilon: Fraction,
    sensitivity: Fraction,
    bits: Bits,
    size: int = 1,
    multiplicities: ArrayLike | None = None,
) -> Ints:
    """`size` indices (size,) with probability proportional to multiplicity times exp(epsilon u / (2 sensitivity))."""
    return ExponentialSelection(utilities, epsilon, sensitivity, multiplicities).draw(size, bits)  # type: ignore[arg-type]


def choice_rho(epsilon: Fraction) -> Fraction:
    """The zCDP of the exponential mechanism at this epsilon, epsilon^2 / 8: its losses lie in an interval of that length."""
    return epsilon**2 / 8


def uniform_below(ends: Sequence[int] | Ints, bits: Bits) -> Ints:
    """For each end n >= 1 (k,) a uniform whole number in [0, n), exactly: bits of the next power of two, drawn again from n on."""
    given = _whole_numbers("ends", ends)
    if given.min() < 1:
        raise SpecError(f"a uniform number below n needs n >= 1, got {int(given.min())}")
    shifts = np.array([64 - max(int(n - 1).bit_length(), 1) for n in given.tolist()], dtype=np.uint64)
    out, rows = np.zeros(len(given), dtype=np.int64), np.arange(len(given))
    while len(rows):
        values = (bits(len(rows)) >> shifts[rows]).astype(np.int64)
        fits = values < given[rows]
        out[rows[fits]] = values[fits]
        rows = rows[~fits]
    return out


def _whole_numbers(name: str, values: object) -> Ints:
    given = np.asarray(values)
    if given.ndim != 1 or not 0 < len(given) <= MOST_CANDIDATES or not np.issubdtype(given.dtype, np.integer):
        raise SpecError(
            f"{name} must be a list of 1 to {MOST_CANDIDATES:,} whole numbers, got {given.dtype} of shape {given.shape}"
        )
    if int(given.max()) > 1 << 62 or int(given.min()) < -(1 << 62):
        raise SpecError(f"{name} must lie within 2^62 of 0")
    return given.astype(np.int64)
