"""The law of a joint choice in floating point, for statistics: the classes of choices that a table treats alike, by enumeration."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import special

from ...symbolic.arrays import Floats, Ints
from ...symbolic.laws.vector import OutcomeLaw
from .cuts import Cuts, Levels, classes, in_runs, sizes_of
from .joint_choice import placed

MOST_CLASSES = 20_000


@dataclass(frozen=True, eq=False)
class JointOutcome(OutcomeLaw):
    """Rising groups (size, m) with chance proportional to exp(-rate cost); SpecError for more than 20,000 classes of choices."""

    cuts: Cuts
    rate: float

    @classmethod
    def of(cls, counts: Ints, levels: Levels, rate: float) -> JointOutcome:
        """The law at the records (groups,) of a table."""
        return cls(Cuts(counts, levels), rate)

    @property
    def dimension(self) -> int:  # type: ignore[override]
        return len(self.cuts.levels.places)

    @cached_property
    def _classes(self) -> NDArray[np.int64]:
        return classes(self.cuts, MOST_CLASSES)

    @cached_property
    def _many(self) -> Floats:
        return log_numbers(self.cuts, self._classes)

    @cached_property
    def costs(self) -> Floats:
        """What a choice of each class costs."""
        return np.asarray(self.cuts.costs(self._classes), dtype=float)

    def masses(self, rate: float) -> Floats:
        """The chance of each class at a rate."""
        logs = self._many - rate * self.costs
        return np.asarray(special.softmax(logs), dtype=float)

    @cached_property
    def _masses(self) -> Floats:
        return self.masses(self.rate)

    @cached_property
    def _radix(self) -> NDArray[np.int64]:
        return len(self.cuts.spans) ** np.arange(self.dimension)[::-1]

    def _class_of(self, y: Floats) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
        """The class of each row (size, m), the row as whole numbers, and which rows are rising groups at all."""
        last = len(self.cuts.counts) - 1
        known = np.isfinite(y) & (y == np.rint(y)) & (y >= 0) & (y <= last)
        fine = known.all(axis=1) & (np.diff(y, axis=1) >= 0).all(axis=1)
        groups = np.where(fine[:, None], y, 0).astype(np.int64)
        codes = self._classes @ self._radix
        return np.searchsorted(codes, self.cuts.span_of(groups) @ self._radix), groups, fine

    def sample(self, size: int, rng: np.random.Generator) -> Floats:
        """A class by its chance, then a choice of it: from doubles, another way than the code's."""
        found = self._classes[rng.choice(len(self._classes), size=size, p=self._masses)]
        return placed(self.cuts, found, lambda ends: rng.integers(np.asarray(ends))).astype(float)

    def log_density(self, y: Floats) -> Floats:
        found, _, fine = self._class_of(y)
        with np.errstate(divide="ignore"):
            each = np.log(self._masses) - self._many
        return np.asarray(np.where(fine, each[found], -np.inf), dtype=float)

    def uniforms(self, y: Floats, rng: np.random.Generator) -> Floats:
        """First the class, and inside of it where the first group lies in its run; then each group in its run, given those before it.

        Between steps uniform, by `rng`.
        """
        v = rng.random(y.shape)
        found, groups, fine = self._class_of(y)
        chosen = self._classes[found]
        total, before = in_runs(chosen)
        sizes = sizes_of(self.cuts.spans)[chosen]
        places = groups - np.array([s.first for s in self.cuts.spans])[chosen]
        starts = np.where(before > 0, np.roll(places, 1, axis=1), 0)
        here, after = (_above(sizes, places + step, total - before, starts) for step in (0, 1))
        out = 1 - here + v * (here - after)
        out[:, 0] = np.cumsum(self._masses)[found] - (1 - out[:, 0]) * self._masses[found]
        return np.asarray(np.where(fine[:, None], np.clip(out, 0.0, 1.0), 0.0), dtype=float)

    def uniforms_if_scaled(self, levels: Floats, factor: float) -> Floats:
        """On the average over the entries, of which the first alone moves."""
        edges, scaled = (
            np.concatenate([[0.0], np.cumsum(self.masses(c * self.rate))]) for c in (1.0, factor)
        )
        first = np.interp(levels, edges, scaled)
        return np.asarray((first + (self.dimension - 1) * levels) / self.dimension, dtype=float)


def log_numbers(cuts: Cuts, chosen: NDArray[np.int64]) -> Floats:
    """The logarithm of the number of choices of groups of each choice of spans (size, m)."""
    total, before = in_runs(chosen)
    ways = _log_binomial(sizes_of(cuts.spans)[chosen] + total - 1, total)
    return np.asarray(np.where(before == 0, ways, 0.0).sum(axis=1), dtype=float)


def _above(
    size: NDArray[np.int64], least: NDArray[np.int64], left: NDArray[np.int64], start: NDArray[np.int64]
) -> Floats:
    """The chance that the next of `left` rising numbers from `start` below `size` is `least` or more."""
    logs = _log_binomial(size - least + left - 1, left) - _log_binomial(size - start + left - 1, left)
    return np.asarray(np.where(least < size, np.exp(np.minimum(logs, 0.0)), 0.0), dtype=float)


def _log_binomial(n: NDArray[np.int64], k: NDArray[np.int64]) -> Floats:
    return np.asarray(special.gammaln(n + 1.0) - special.gammaln(k + 1.0) - special.gammaln(n - k + 1.0))
