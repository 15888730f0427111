"""The release of records with noise on a grid: clamp to the declared bounds, round to whole steps, add whole steps.

The release of one record is a mechanism: its exact law beside this code.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import ArrayLike

from ...symbolic.arrays import Floats
from ...symbolic.information.error_bounds import LowerBound
from ...symbolic.information.grid_error import weiss_weinstein
from ...symbolic.laws.vector import OutcomeLaw
from ..additive import positive
from ..mechanism import Mechanism, WorstCase
from .laws import default_exponent, grid_noise
from .outcome import GridOutcome
from .pair import GridPair
from .sampler import GridNoise
from .secure_bits import Bits, seeded_bits

_CHUNK = 1 << 14
_MOST_EPSILON = 1000.0
_LARGEST = 2**52  # steps that are a double, with room for the noise


@dataclass(frozen=True)
class GridCosts:
    """What one record costs: `pure_epsilon` or None; `rho` of the ideal discrete Gaussian laws or None, to which the
    total variation distance of a record's release is at most `total_variation`."""

    pure_epsilon: float | None
    rho: float | None
    total_variation: float


@dataclass(frozen=True, eq=False)
class GridRelease:
    """Column j: clamp to [lows[j], highs[j]], round to the grid of noises[j], add noise; every record on its own.

    Records are clamped to the multiples of the step inside the bounds, so that two are never farther apart than the
    bounds are.  All sums are of whole numbers; the conversion to doubles comes last and is exact.
    """

    noises: tuple[GridNoise, ...]
    lows: tuple[float, ...]
    highs: tuple[float, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "noises", tuple(self.noises))
        for name in ("lows", "highs"):
            object.__setattr__(self, name, tuple(float(v) for v in getattr(self, name)))
        if not self.noises or not len(self.noises) == len(self.lows) == len(self.highs):
            raise ValueError(
                f"expected as many noises as lows and highs, at least one, got {len(self.noises)}, {len(self.lows)}, {len(self.highs)}"
            )
        for j, (noise, low, high) in enumerate(zip(self.noises, self.lows, self.highs, strict=True)):
            if not (math.isfinite(low) and math.isfinite(high) and low < high):
                raise ValueError(f"column {j} needs finite bounds with low < high, got [{low!r}, {high!r}]")
            first, last = _inside(low, high, noise.exponent)
            if last <= first:
                raise ValueError(
                    f"column {j}: fewer than two multiples of the step 2^{noise.exponent} lie in [{low!r}, {high!r}]: choose a smaller exponent"
                )
            if max(abs(first), abs(last)) >= _LARGEST:
                raise ValueError(
                    f"column {j}: [{low!r}, {high!r}] reaches beyond 2^52 steps of 2^{noise.exponent}: choose a larger exponent"
                )

    @property
    def dimension(self) -> int:
        """The number of columns."""
        return len(self.noises)

    @cached_property
    def ends(self) -> tuple[tuple[int, int], ...]:
        """For each column the first and the last step that a record can have."""
        return tuple(
            _inside(low, high, n.exponent)
            for n, low, high in zip(self.noises, self.lows, self.highs, strict=True)
        )

    @cached_property
    def spans(self) -> tuple[int, ...]:
        """For each column how many steps two records can be apart."""
        return tuple(last - first for first, last in self.ends)

    def steps(self, column: int, values: ArrayLike) -> Floats:
        """The records (rows,) of one column as whole steps, clamped; ValueError if one is not a number."""
        first, last = self.ends[column]
        # Numbers far beyond the bounds may overflow to infinity, which is clamped like them.
        with np.errstate(over="ignore", under="ignore"):
            steps = np.multiply(values, 2.0 ** -self.noises[column].exponent, dtype=float)
        np.rint(steps, out=steps)
        np.maximum(steps, float(first), out=steps)
        np.minimum(steps, float(last), out=steps)
        if steps.size and np.isnan(steps.min()):
            raise ValueError(
                f"column {column} has missing values (NaN): fill, drop or refuse them before the release"
            )
        return steps

    def apply_column(self, column: int, values: ArrayLike, bits: Bits) -> Floats:
        """The released numbers (rows,) of one column; infinite values are clamped, NaN raises ValueError."""
        raw = np.asarray(values, dtype=float)
        if raw.ndim != 1:
            raise ValueError(f"expected the records of one column, shape (rows,), got shape {raw.shape}")
        out = np.empty(len(raw))
        self._release(column, raw, bits, out)
        return out

    def apply(self, block: ArrayLike, bits: Bits) -> Floats:
        """The released records (rows, columns), with words from `bits` (`secure_bits()` for a real release)."""
        raw = np.asarray(block, dtype=float)
        if raw.ndim != 2 or raw.shape[1] != self.dimension:
            raise ValueError(f"expected a block of shape (rows, {self.dimension}), got {raw.shape}")
        out = np.empty(raw.shape)
        rows = max(_CHUNK // 4, 1)
        for start in range(0, len(raw), rows):
            # Columns of a table are strided: they are worked on in rows of their own.
            part = np.array(raw[start : start + rows].T, order="C", copy=True)
            for j, column in enumerate(part):
                self._release(j, column, bits, column)
            out[start : start + rows] = part.T
        return out

    def _release(self, column: int, raw: Floats, bits: Bits, out: Floats) -> None:
        noise = self.noises[column]
        for start in range(0, len(raw), _CHUNK):
            steps = self.steps(column, raw[start : start + _CHUNK])
            # Sums of whole numbers below 2^53 are exact in doubles, and so is the power of two.
            steps += noise.draw(len(steps), bits)
            np.multiply(steps, noise.step, out=out[start : start + len(steps)])

    def pair(self, group: int = 1) -> GridPair:
        """The exact worst pair of neighbours, a record at all lows against one at all highs; `group` records of a person."""
        if isinstance(group, bool) or int(group) != group or group < 1:
            raise ValueError(f"group must be a whole number >= 1 of records per person, got {group!r}")
        counts = Counter(zip(self.noises, self.spans, strict=True))
        return GridPair(tuple((noise, span, n * int(group)) for (noise, span), n in counts.items()))

    def pure_epsilon(self, group: int = 1) -> float | None:
        """The least epsilon with delta = 0, rounded up; None if there is none."""
        return self.pair(group).pure_epsilon()

    def delta(self, epsilon: ArrayLike, group: int = 1) -> Floats:
        """A rigorous upper bound of the privacy curve at each epsilon >= 0, exact to twelve digits for one column, to about six for more."""
        return self.delta_bounds(epsilon, group)[1]

    def delta_bounds(self, epsilon: ArrayLike, group: int = 1) -> tuple[Floats, Floats]:
        """Rigorous lower and upper bounds of the privacy curve at each epsilon >= 0."""
        return self.pair(group).bounds(epsilon)

    def profile(self, epsilon: Any, group: int = 1) -> sp.Expr:
        """The privacy curve at epsilon as an exact expression that can be enclosed."""
        return self.pair(group).profile(sp.sympify(epsilon, strict=True))

    def epsilon(self, delta: float, group: int = 1) -> float:
        """An epsilon >= 0 at which the privacy curve is at most `delta` (0 < delta < 1), larger than the least by little more than 1e-9.

        ValueError if the curve stays above delta for all epsilon below 1000.
        """
        if not 0 < delta < 1:
            raise ValueError(
                f"delta must lie strictly between 0 and 1, got {delta!r}; for delta = 0 use pure_epsilon"
            )
        from scipy import optimize

        if self.delta(0.0, group) <= delta:
            return 0.0
        high, pair = 1.0, self.pair(group)
        while pair.delta(high) > delta:
            high *= 2
            if high > _MOST_EPSILON:
                raise ValueError(
                    f"delta stays above {delta:g} for every epsilon below {_MOST_EPSILON:g}: add more noise"
                )
        root = float(optimize.brentq(lambda e: float(pair.delta(e)) - delta, 0.0, high, xtol=1e-12))
        # From the root of the quick curve Newton steps to that of the rigorous one, then up until delta is kept.
        around = pair.delta(np.array([root, root + 1e-3]))
        fall = max(float(np.log(around[0] / max(around[1], 1e-300))) / 1e-3, 1e-3)
        for _ in range(2):
            root = max(0.0, root + float(np.log(self.delta(root, group) / delta)) / fall)
        step = 1e-9 * max(1.0, root)
        while self.delta(root, group) > delta:
            root, step = root + step, 2 * step
        return root

    def costs(self, group: int = 1) -> GridCosts:
        """Numbers for a ledger: pure epsilon if finite, rho of the ideal laws if all are Gaussian, distance to them."""
        rho = None
        if all(n.kind == "gaussian" for n in self.noises):
            exact = sum(
                (Fraction(span) * Fraction(2) ** n.exponent / Fraction(repr(n.parameter))) ** 2 / 2
                for n, span in zip(self.noises, self.spans, strict=True)
            )
            rho = math.nextafter(float(exact * group), math.inf)
        distance = math.fsum(n.total_variation for n in self.noises) * group
        return GridCosts(self.pure_epsilon(group), rho, math.nextafter(distance, math.inf))

    def mechanism(self) -> GridMechanism:
        """The release of one record as a subject for `examine`: law and code side by side, neighbours at the bounds."""
        return GridMechanism(self)

    def description(self) -> list[dict[str, Any]]:
        """The columns as plain data."""
        return [
            {
                "noise": n.kind,
                "parameter": n.parameter,
                "exponent": n.exponent,
                "low": low,
                "high": high,
                "span_steps": span,
            }
            for n, low, high, span in zip(self.noises, self.lows, self.highs, self.spans, strict=True)
        ]


class GridMechanism(Mechanism):
    """One record, clamped, on a grid, plus grid noise in each column.

    Local model: every record of a table is released on its own, so that neighbours are any two records inside the bounds.
    """

    name = "grid-noise"
    summary = "adds noise of exactly known law to one record, in whole steps of powers of two"

    def __init__(self, release: GridRelease) -> None:
        self.released = release
        self.dimension = release.dimension

    def parameters(self) -> dict[str, Any]:
        return {"columns": self.released.description()}

    def _record(self, data: Any) -> Floats:
        record = np.atleast_1d(np.asarray(data, dtype=float))
        if record.shape != (self.dimension,):
            raise ValueError(
                f"{self.name} expects a record of {self.dimension} numbers, got shape {record.shape}"
            )
        return record

    def law(self, data: Any) -> OutcomeLaw:
        record = self._record(data)
        centres = [
            # The nearest step by fractions, another way than the code's; halves go to the even step in both.
            max(first, min(last, round(Fraction(x) / Fraction(2) ** noise.exponent)))
            for x, noise, (first, last) in zip(
                record.tolist(), self.released.noises, self.released.ends, strict=True
            )
        ]
        return GridOutcome(self.released.noises, tuple(centres))

    def release(self, data: Any, size: int, rng: np.random.Generator) -> Floats:
        block = np.broadcast_to(self._record(data), (size, self.dimension))
        return self.released.apply(block, seeded_bits(rng))

    def neighbours(self) -> tuple[tuple[Any, Any], ...]:
        return ((np.array(self.released.lows), np.array(self.released.highs)),)

    def worst_case(self) -> WorstCase:
        return WorstCase(
            self.released.pair(),
            lemmas=(
                "log-concave noise: the likelihood ratio of two shifts is monotone, the best events are half-lines, and the power of "
                "each grows with the distance: of all pairs of records in the bounds, low against high dominates (Blackwell order)",
                "a product of pairs is dominated by the product of pairs that dominate them",
            ),
        )

    def error_bounds(self) -> tuple[LowerBound, ...]:
        """For each column the least mean squared error of any adversary about the worst record in the bounds."""
        return tuple(
            weiss_weinstein(noise, domain=ends)
            for noise, ends in zip(self.released.noises, self.released.ends, strict=True)
        )

    def with_noise_divided_by(self, factor: float) -> GridMechanism:
        noises = []
        for noise in self.released.noises:
            parameter = positive("parameter", noise.parameter / factor, "of the noise after the division")
            # The same grid, unless larger noise does not fit a table on it.
            noises.append(grid_noise(noise.kind, parameter, max(noise.exponent, default_exponent(parameter))))
        return GridMechanism(GridRelease(tuple(noises), self.released.lows, self.released.highs))


def _inside(low: float, high: float, exponent: int) -> tuple[int, int]:
    """The first and the last multiple of 2^exponent in [low, high], exactly."""
    step = Fraction(2) ** exponent
    return math.ceil(Fraction(low) / step), math.floor(Fraction(high) / step)
