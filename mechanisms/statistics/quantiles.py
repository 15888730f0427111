"""Quantiles of a number by groups, chosen among declared candidates."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from .amounts import One
from .figures import Figure
from .measurement import Measurement
from .parts import ChoiceDrawer, ChosenQuantile, Drawer, Part
from .rows import Axis
from .statistic import Drawn, Statistic
from .targets import CONFIDENCE


@dataclass(frozen=True)
class Quantiles(Statistic):
    """Quantiles numerator / denominator of a number, each one of the declared groups of `grid`, whose middles are published."""

    grid: Axis | None = None
    levels: tuple[tuple[int, int], ...] = ()
    middles: tuple[float, ...] = ()
    measure: ClassVar[str] = "quantile"
    interval: ClassVar[str] = (
        "none in the unit of the column: all quantiles of a group within {:.4g} ranks of the true ones with probability {} at least"
    )

    @property
    def quantities(self) -> tuple[str, ...]:
        return tuple(f"quantile {a / b:g}" for a, b in self.levels)

    @property
    def terms(self) -> tuple[tuple[Part, Fraction], ...]:
        assert self.grid is not None
        fine = Measurement((*self.by, self.grid), (One(),), self.where)
        return tuple((ChosenQuantile(fine, a, b), Fraction(1)) for a, b in self.levels)

    def figures(self, drawn: Drawn) -> Iterator[Figure]:
        found = [drawn[part] for part in self.parts]
        said = f"exponential mechanism, within {self._ranks(d for d, _ in found):.4g} ranks with probability 0.95"
        for i, groups in enumerate(self._groups()):
            # Quantiles in their order: after sorting none is further off than the one that was furthest.
            values = sorted(self.middles[int(noisy[i, 0])] for _, noisy in found)
            for quantity, value in zip(self.quantities, values, strict=True):
                yield Figure(groups, quantity, value, None, None, said)

    def spread(self, drawers: Mapping[Part, Drawer]) -> tuple[float, float] | None:
        found = [drawers[p] for p in self.parts]
        worst = max(d.reach / float(d.epsilon) for d in found if isinstance(d, ChoiceDrawer))
        return math.sqrt(8) * worst / self.levels[0][1], self._ranks(found)

    def _ranks(self, drawers: Iterable[Drawer]) -> float:
        """How far all quantiles of a group are from the true ones at most, in ranks, with probability 0.95."""
        found = [d for d in drawers if isinstance(d, ChoiceDrawer)]
        return max(d.ranks(1 - (1 - CONFIDENCE) / len(found)) for d in found)

    def useless(self, width: float) -> bool:
        return self.size is not None and width >= self.size / 2

    @property
    def ends(self) -> tuple[float, float] | None:
        return self.middles[0], self.middles[-1]
