"""Privacy profiles of many columns of grid noise from both sides: their losses, added up on a lattice.

Each outcome of a column, with probability p under P and loss l, is split to the two lattice points around l such that
its masses under P and under Q = e^-l P are kept.  Merging the two again is a post-processing: the split columns are
easier to tell apart (an upper bound).  A split moves the likelihood ratio by a relative rho in the mean and by h at most;
only outcomes with a total loss within D = sum of the h of epsilon can gain from it, which bounds the gap from above:

    delta' - delta <= (prod (1 + rho) - 1) P'(|L' - epsilon| <= 2 D).

Sums are powers of a Fourier transform, tilted so that the epsilons asked for lie in the bulk; its rounding is bounded as
in `symbolic/privacy/loss_lattice.py` and added to the upper bound (Higham 2002, chapter 24, for the principle).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from ...symbolic.arrays import Floats
from ...symbolic.privacy.loss_lattice import _power
from .column_loss import UNIT, ColumnLoss, SplitLoss
from .sampler import GridNoise

Columns = tuple[tuple[GridNoise, int, int], ...]

_PATH = 8.0  # roundings per stage of a transform
CELLS = 1 << 19  # lattice points that the largest loss takes, about
_REACH = 3.0  # standard deviations of the tilted loss that one transform serves


@dataclass(frozen=True, eq=False)
class LossSum:
    """The losses of all columns on the lattice of `step`; `upper` bounds the profile, `gap` what it is too large by."""

    columns: tuple[ColumnLoss, ...]
    counts: tuple[int, ...]
    step: float

    @cached_property
    def _split(self) -> list[SplitLoss]:
        return [SplitLoss.of(column, self.step) for column in self.columns]

    @property
    def endless(self) -> float:
        """P(some column shows an outcome that Q cannot), rounded up."""
        total = sum(
            n * np.log1p(-min(c.endless, 1.0))
            for c, n in zip(self.columns, self.counts, strict=True)
            if c.endless < 1
        )
        if any(c.endless >= 1 for c in self.columns):
            return 1.0
        return float(-np.expm1(total)) * (1 + 1e-12)

    def bounds(self, epsilon: Floats) -> tuple[Floats, Floats]:
        """Lower and upper bounds of the profile at each epsilon >= 0 (e,)."""
        if self.endless >= 1:
            return np.ones(len(epsilon)), np.ones(len(epsilon))
        low, high = np.zeros(len(epsilon)), np.zeros(len(epsilon))
        top = (self._base + self._width) * self.step
        pending = [int(i) for i in np.argsort(epsilon, kind="stable")]
        while pending:
            first = float(epsilon[pending[0]])
            if first >= top * (1 + 8 * UNIT):
                break  # no finite loss is as large
            tilt, spread = self._tilt(first, top)
            served = [i for i in pending if epsilon[i] <= first + _REACH * spread]
            low[served], high[served] = self._tails(epsilon[served], tilt)
            pending = pending[len(served) :]
        return np.maximum(low + self.endless * (1 - 1e-11), 0.0), np.minimum(high + self.endless, 1.0)

    @property
    def _base(self) -> int:
        return sum(n * c.base for c, n in zip(self._split, self.counts, strict=True))

    @property
    def _width(self) -> int:
        return sum(n * (len(c.mass) - 1) for c, n in zip(self._split, self.counts, strict=True))

    def _tilted(self, split: SplitLoss, tilt: float) -> tuple[Floats, Floats, float]:
        """The losses of a column, its masses times e^(tilt loss) over their largest, and the log of that."""
        loss = np.asarray((split.base + np.arange(len(split.mass))) * self.step, dtype=float)
        with np.errstate(divide="ignore"):
            log = np.log(split.mass) + tilt * loss
        peak = float(log.max())
        return loss, np.asarray(np.exp(log - peak), dtype=float), peak

    @cached_property
    def _coarse(self) -> list[tuple[Floats, Floats]]:
        """Losses and masses of each column in about a thousand cells: which tilt is taken costs nothing but tightness."""
        out: list[tuple[Floats, Floats]] = []
        for split in self._split:
            cell = max(1, len(split.mass) // 1024)
            starts = np.arange(0, len(split.mass), cell)
            mass: Floats = np.add.reduceat(split.mass, starts)
            loss = np.asarray((split.base + starts + (cell - 1) / 2) * self.step, dtype=float)
            out.append((loss[mass > 0], mass[mass > 0]))
        return out

    def _moments(self, tilt: float) -> tuple[float, float]:
        """Mean and standard deviation of the total loss under the tilted masses, about."""
        mean = variance = 0.0
        for (loss, mass), n in zip(self._coarse, self.counts, strict=True):
            log = np.log(mass) + tilt * loss
            w = np.exp(log - log.max())
            w /= w.sum()
            m = float(w @ loss)
            mean, variance = mean + n * m, variance + n * float(w @ (loss - m) ** 2)
        return mean, float(np.sqrt(variance))

    def _tilt(self, epsilon: float, top: float) -> tuple[float, float]:
        """The exponent at which the mean loss lies a little above epsilon, and the standard deviation there."""
        spread = self._moments(0.0)[1]
        target = epsilon + min(0.5 * _REACH * spread, 0.5 * max(top - epsilon, 0.0))
        low, high = -0.5, 1.0
        while self._moments(high)[0] < target and high < 2.0**20:
            high *= 2
        for _ in range(20):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if self._moments(middle)[0] < target else (low, middle)
        return low, self._moments(low)[1]

    def _convolved(self, tilt: float) -> tuple[Floats, float, float, float]:
        """Tilted masses of the total loss, a bound on their errors, the log of their sum, and how sure the rest is."""
        n = 1 << (self._width + 1).bit_length()
        stages = float(np.log2(n))
        product, reach = np.ones(n // 2 + 1, dtype=complex), np.ones(n // 2 + 1)
        log_mass, largest, coordinates = 0.0, 0.0, sum(self.counts)
        for split, count in zip(self._split, self.counts, strict=True):
            loss, scaled, peak = self._tilted(split, tilt)
            log_mass += count * (peak + float(np.log(scaled.sum())))
            largest = max(largest, abs(tilt) * float(np.abs(loss).max()) + abs(peak))
            spectrum = np.fft.rfft(scaled / scaled.sum(), n)
            reach *= _power(np.abs(spectrum) + _PATH * UNIT * stages, count)
            product *= _power(spectrum, count)
        both = np.concatenate([[1.0], np.full(len(product) - 2, 2.0), [1.0]]) / n
        rounding = UNIT * (64 * coordinates + _PATH * stages + 64)
        error = float(both @ np.maximum(reach - np.abs(product), 0.0) + rounding * (both @ reach))
        sure = UNIT * (
            128 * coordinates * (1 + largest) + 8 * (abs(log_mass) + stages) + 4 * np.sqrt(n) + 1024
        )
        mass = np.maximum(np.fft.irfft(product, n)[: self._width + 1] + error, 0.0)
        return mass, error, log_mass, sure

    def _tails(self, epsilon: Floats, tilt: float) -> tuple[Floats, Floats]:
        mass, error, log_mass, sure = self._convolved(tilt)
        loss = (self._base + np.arange(self._width + 1)) * self.step
        counted = list(zip(self._split, self.counts, strict=True))
        share = float(np.expm1(sum(n * np.log1p(s.rho) for s, n in counted)))
        far = 2 * sum(n * (self.step + s.raised) for s, n in counted) * (1 + 1e-9)
        raised = float(np.expm1(sum(n * s.raised for s, n in counted)))
        inflated = float(np.expm1(sum(n * np.log1p(s.inflated) for s, n in counted))) * (1 + 1e-9)
        low, high = np.empty(len(epsilon)), np.empty(len(epsilon))
        for i, e in enumerate(epsilon):
            # A loss within rounding of epsilon is taken as larger.
            gap = loss - e + 8 * UNIT * (np.abs(loss[[0, -1]]).max() + e)
            kept = slice(int(np.searchsorted(gap, -far)), None)
            gap, there = gap[kept], mass[kept]
            back = np.exp(np.minimum(log_mass - tilt * (e + gap), 700.0))
            weight = back * -np.expm1(-np.maximum(gap, 0.0))
            total, slipped = float(weight @ there), 2 * error * float(weight.sum())
            near, ahead = float(back[gap <= far] @ there[gap <= far]), float(back @ there)
            high[i] = total * (1 + sure) + 1e-305
            low[i] = total * (1 - sure - inflated) - slipped - (share * near + raised * ahead) * (1 + sure)
        return np.maximum(low, 0.0), high


@lru_cache(maxsize=8)
def _sum_of(columns: Columns, cells: int) -> LossSum:
    losses = tuple(ColumnLoss.of(noise, span) for noise, span, _ in columns)
    counts = tuple(n for _, _, n in columns)
    width = sum(n * float(np.ptp(c.loss)) for c, n in zip(losses, counts, strict=True) if len(c.loss))
    step = max(width / cells, 1e-9)
    own = _spacing(losses[0])
    if len(columns) == 1 and own > step:
        # An even number of cells between two losses: those of Laplace and Gaussian noise then lie on the lattice.
        step = own / (2 * np.ceil(own / step / 2))
    return LossSum(losses, counts, float(step))


def _spacing(column: ColumnLoss) -> float:
    """How far the losses of two outcomes in the middle are apart."""
    middle = len(column.loss) // 2
    return float(abs(column.loss[middle] - column.loss[middle - 1])) if middle > 0 else 0.0


def profile_bounds(columns: Columns, epsilon: Floats, cells: int = CELLS) -> tuple[Floats, Floats]:
    """Rigorous lower and upper bounds of delta at each epsilon >= 0 (e,) for independent columns (noise, span, how often).

    The range of the total loss is cut into about `cells` steps; the bounds differ by a share that falls with their square.
    """
    return _sum_of(columns, cells).bounds(epsilon)
