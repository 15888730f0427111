"""Quantiles of a number by groups, chosen among declared candidates."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from .amounts import One
from .figures import Figure
from .measurement import Measurement
from .parts import ChoiceDrawer, ChosenQuantile, Drawer, Part
from .rows import Axis
from .statistic import Drawn, Statistic


@dataclass(frozen=True)
class Quantiles(Statistic):
    """Quantiles numerator / denominator of a number, each one of the declared groups of `grid`, whose middles are published."""

    grid: Axis | None = None
    levels: tuple[tuple[int, int], ...] = ()
    middles: tuple[float, ...] = ()
    measure: ClassVar[str] = "quantile"
    interval: ClassVar[str] = (
        "none in the unit of the column: within {:.4g} ranks of the best candidate with probability {} at least"
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
        for i, groups in enumerate(self._groups()):
            # Quantiles in their order: sorting brings none of them further from its true one.
            values = sorted(self.middles[int(noisy[i, 0])] for _, noisy in found)
            for quantity, value, (drawer, _) in zip(self.quantities, values, found, strict=True):
                assert isinstance(drawer, ChoiceDrawer)
                said = f"exponential mechanism, within {drawer.ranks:.4g} ranks with probability 0.95"
                yield Figure(groups, quantity, value, None, None, said)

    def spread(self, drawers: Mapping[Part, Drawer]) -> tuple[float, float] | None:
        worst = max(
            (drawers[p] for p in self.parts), key=lambda d: d.ranks if isinstance(d, ChoiceDrawer) else 0.0
        )
        assert isinstance(worst, ChoiceDrawer)
        return math.sqrt(2) * 2 * worst.reach / float(worst.epsilon) / worst.part.denominator, worst.ranks

    def useless(self, width: float) -> bool:
        return self.size is not None and width >= self.size / 2

    @property
    def ends(self) -> tuple[float, float] | None:
        return self.middles[0], self.middles[-1]
