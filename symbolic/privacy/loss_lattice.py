"""Privacy profiles of independent Laplace coordinates from both sides, by convolving their losses on a lattice.

Weighted by sqrt(p q), the loss of a Laplace coordinate of ratio r (centres r scales apart) has atoms 1 at r and -r
and the constant density 1/2 between them, all times e^(-r/2)/2.  Cutting [-r, r] into cells gives two coordinates
on a lattice: merging a cell into one point is a post-processing (a lower bound), splitting it to its two ends
leaves more to see (an upper bound).  Both keep the masses of p and q, so that the gap is of second order in a cell.

Sums of coordinates are powers of a Fourier transform, tilted so that the epsilons asked for lie in the bulk.  Each
value of a fast transform of length N is a sum over paths of at most log2 N operations, so that it is off by at
most _PATH u log2 N times the sum of the absolute inputs; what follows from that is added to the upper bound and
taken off the lower one (Higham 2002, Accuracy and Stability of Numerical Algorithms, chapter 24, for the principle).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats

Number = TypeVar("Number", np.float64, np.complex128)

_UNIT = 2.0**-53
_PATH = 8.0  # roundings per stage of a transform: a complex product, an addition, the root of unity
_PROPORTIONAL = 1e-10
_TRIALS = 400_000  # numbers looked at in search of a common step
_REACH = 3.0  # standard deviations of the tilted loss that one transform serves


@dataclass(frozen=True)
class LossLattice:
    """`counts[g]` coordinates whose ratio is `cells[g]` times `step`."""

    step: float
    cells: tuple[int, ...]
    counts: tuple[int, ...]

    @property
    def width(self) -> int:
        """The largest loss in steps."""
        return sum(k * n for k, n in zip(self.cells, self.counts, strict=True))

    def delta(self, epsilon: Floats, upper: bool) -> Floats:
        """An upper (or lower) bound of the profile at each epsilon >= 0, shape of `epsilon` (e,)."""
        out = np.zeros(len(epsilon))
        order = np.argsort(epsilon)
        top = self.width * self.step
        pending = [int(i) for i in order if epsilon[i] < top * (1 + 8 * _UNIT)]
        while pending:
            first = float(epsilon[pending[0]])
            tilt, last = self._tilt(first)
            served = [i for i in pending if epsilon[i] <= max(first, last)]
            out[served] = self._tails(epsilon[served], tilt, upper)
            pending = pending[len(served) :]
        return out

    def _tilt(self, epsilon: float) -> tuple[float, float]:
        """The exponent at which the mean loss lies a little above epsilon, and the largest epsilon that it serves.

        It is 1/2 at least: that is P itself, whose bulk is what counts at every epsilon below its mean loss.
        """
        ratios, counts = np.array(self.cells) * self.step, np.array(self.counts)
        top = float(ratios @ counts)

        def moments(t: float) -> tuple[float, float]:
            grid = np.linspace(-1.0, 1.0, 65)
            log = t * grid[None, :] * ratios[:, None] + np.log(ratios[:, None] / 64)
            log[:, [0, -1]] = np.logaddexp(log[:, [0, -1]], t * ratios[:, None] * grid[[0, -1]])
            mass = np.exp(log - log.max(axis=1, keepdims=True))
            mass /= mass.sum(axis=1, keepdims=True)
            mean = mass @ grid
            variance = np.maximum(mass @ grid**2 - mean**2, 0.0)
            return float(counts @ (ratios * mean)), float(np.sqrt(counts @ (ratios**2 * variance)))

        low, high = 0.5, 0.5 + 60.0 / float(ratios.min())
        _, spread = moments(0.5)
        target = epsilon + min(0.5 * _REACH * spread, 0.5 * max(top - epsilon, 0.0))
        for _ in range(60):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if moments(middle)[0] < target else (low, middle)
        mean, spread = moments(low)
        return low, mean + 0.5 * _REACH * spread

    def _coordinate(self, cells: int, tilt: float, upper: bool) -> tuple[Floats, float, float]:
        """Probabilities of the tilted losses -cells..cells, log of their sum before, log of e^(-r/2)/2."""
        h = self.step
        inner = np.zeros(2 * cells + 1)
        ends = 1.0
        if upper:
            inner[:] = 2 * np.tanh(h / 4)
            ends += np.tanh(h / 4)
        else:
            inner[1::2] = 2 * np.sinh(h / 2)
        inner[0] = inner[-1] = ends
        with np.errstate(divide="ignore"):
            log = np.log(inner) + tilt * h * np.arange(-cells, cells + 1)
        peak = float(log.max())
        mass = np.exp(log - peak)
        return mass / mass.sum(), peak + float(np.log(mass.sum())), -cells * h / 2 - float(np.log(2))

    def _tails(self, epsilon: Floats, tilt: float, upper: bool) -> Floats:
        width, n = self.width, 2
        while n < 2 * width + 2:
            n *= 2
        stages = float(np.log2(n))
        product = np.ones(n // 2 + 1, dtype=complex)
        reach, log_mass = np.ones(len(product)), 0.0
        slip = _PATH * _UNIT * stages
        for cells, count in zip(self.cells, self.counts, strict=True):
            mass, log_sum, log_scale = self._coordinate(cells, tilt, upper)
            log_mass += count * (log_sum + log_scale)
            spectrum = np.fft.rfft(mass, n)
            reach *= _power(np.abs(spectrum) + slip, count)
            product *= _power(spectrum, count)
        coordinates = sum(self.counts)
        both = np.concatenate([[1.0], np.full(len(product) - 2, 2.0), [1.0]]) / n
        rounding = _UNIT * (16 * coordinates + _PATH * stages + 64)
        error = float(both @ np.maximum(reach - np.abs(product), 0.0) + rounding * (both @ reach))
        mass = np.fft.irfft(product, n)[: 2 * width + 1]
        mass = np.maximum(mass + error, 0.0) if upper else np.maximum(mass - error, 0.0)
        top = width * self.step
        sure = _UNIT * (
            128 * coordinates + 8 * (abs(log_mass) + tilt * top + top + stages) + 4 * np.sqrt(n) + 1024
        )
        loss = self.step * np.arange(-width, width + 1)
        values = np.empty(len(epsilon))
        for i, e in enumerate(epsilon):
            # Where the loss is within rounding of epsilon, the gap is taken on the safe side.
            gap = loss - e + (8 * _UNIT if upper else -8 * _UNIT) * (top + e)
            ahead = gap > 0
            # In logarithms, relative to the heaviest loss: each factor alone would leave the range of a double.
            heavy = (0.5 - tilt) * gap[ahead]
            peak = float(heavy.max(initial=-np.inf))
            total = float((np.exp(heavy - peak) * -np.expm1(-gap[ahead])) @ mass[ahead])
            log = log_mass + (0.5 - tilt) * e + peak + np.log(total) if total > 0 else -np.inf
            values[i] = np.exp(min(log, 1.0))
        if upper:
            return np.asarray(np.minimum(values * (1 + sure) + 1e-305, 1.0), dtype=float)
        return np.asarray(np.maximum(values * (1 - sure), 0.0), dtype=float)


def _power(base: NDArray[Number], exponent: int) -> NDArray[Number]:
    """base**exponent, exponent >= 1, by squaring: off by at most 3 `exponent` units in the last place."""
    result, square = None, base
    while exponent:
        if exponent & 1:
            result = square if result is None else result * square
        exponent >>= 1
        if exponent:
            square = square * square
    assert result is not None
    return result


def profile_bounds(
    ratios: Sequence[float], counts: Sequence[int], epsilon: Floats, cells: int = 60_000
) -> tuple[Floats, Floats]:
    """Lower and upper bounds of delta at each epsilon >= 0 (e,), for counts[g] coordinates of ratio ratios[g] > 0.

    A pair of larger ratios is never harder to tell apart, so ratios may be lowered for the lower bound and raised for
    the upper one.  If they are close to whole multiples of one step, that costs next to nothing and the bounds are of
    second order; else each ratio is rounded to the lattice.  `cells` is the largest loss in steps, about.
    """
    r, n = np.asarray(ratios, dtype=float), np.asarray(counts)
    multiples = common_multiples(r, n, cells)
    if multiples is not None:
        steps = r / multiples
        sides = [
            (float(steps.min()) * (1 - 8 * _UNIT), multiples),
            (float(steps.max()) * (1 + 8 * _UNIT), multiples),
        ]
    else:
        step = float(r @ n) / cells
        below, above = np.floor(r / step * (1 - 8 * _UNIT)), np.ceil(r / step * (1 + 8 * _UNIT))
        sides = [(step, below), (step, above)]
    bounds = []
    for side, (step, places) in enumerate(sides):
        kept, where = np.unique(places, return_inverse=True)
        together = np.bincount(where, weights=n)
        if kept[0] == 0:  # ratios below one step: rounded down they tell nothing
            kept, together = kept[1:], together[1:]
        lattice = LossLattice(step, tuple(int(k) for k in kept), tuple(int(m) for m in together))
        bounds.append(lattice.delta(epsilon, upper=side == 1) if len(kept) else np.zeros(len(epsilon)))
    return bounds[0], bounds[1]


def common_multiples(ratios: Floats, counts: Floats | NDArray[np.int64], cells: int) -> Floats | None:
    """Whole numbers in proportion to the ratios to ten digits, together at most about 2 * cells; None if there are none."""
    total = float(ratios @ counts)
    for largest in (cells, 2 * cells):
        tried = max(1, min(largest // 2, _TRIALS // len(ratios)))
        widths = np.arange(largest, largest - tried, -1, dtype=float)
        places = np.rint(widths[:, None] * (ratios / total))
        steps = ratios / np.maximum(places, 0.5)
        spread = steps.max(axis=1) / steps.min(axis=1) - 1
        best = int(np.argmin(spread))
        if spread[best] < _PROPORTIONAL and places[best].min() >= 1:
            return np.asarray(places[best], dtype=float)
    return None
