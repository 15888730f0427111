"""Quantiles of a number by groups, chosen among declared candidates."""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar

from ..whole_noise import Levels
from .amounts import One
from .chosen_quantiles import ChosenQuantiles, QuantilesDrawer
from .figures import Figure
from .measurement import Measurement
from .parts import Drawer, NoisySums, Part
from .rows import Axis
from .statistic import Drawn, Statistic
from .targets import CONFIDENCE

_TOGETHER, _STATES = 10, 600_000  # levels that are chosen at once, and their square times the candidates
_OF_COUNT = Fraction(
    1, 1000
)  # what an error of the count matters, of one in ranks: it tells useless quantiles only


@dataclass(frozen=True)
class Quantiles(Statistic):
    """Quantiles numerator / denominator of a number, each one of the declared groups of `grid`, whose middles are published.

    `count`, the records of each group, marks those that their own noise makes useless; it is drawn for them alone if they `pay`.
    """

    grid: Axis | None = None
    levels: tuple[tuple[int, int], ...] = ()
    middles: tuple[float, ...] = ()
    count: NoisySums | None = None
    pays: bool = False
    measure: ClassVar[str] = "quantile"
    interval: ClassVar[str] = (
        "none in the unit of the column: all quantiles of a group within {:.4g} ranks of the true ones with probability {} at least"
    )
    marked: ClassVar[str] = (
        "the bound in ranks is half of the noisy count of its group or more: it may be any number of the group"
    )

    @property
    def quantities(self) -> tuple[str, ...]:
        return tuple(f"quantile {a / b:g}" for a, b in self.levels)

    @property
    def terms(self) -> tuple[tuple[Part, Fraction], ...]:
        assert self.grid is not None
        fine = Measurement((*self.by, self.grid), (One(),), self.where)
        levels = [Fraction(a, b) for a, b in self.levels]
        # Of many levels those of each draw lie apart, so that the shares between them are large.
        together = min(_TOGETHER, math.isqrt(_STATES // len(self.grid.labels)))
        draws = -(-len(levels) // max(together, 1))
        chosen = tuple(
            (ChosenQuantiles(fine, Levels.of(levels[i::draws])), Fraction(1)) for i in range(draws)
        )
        return (*chosen, (self.count, _OF_COUNT)) if self.pays and self.count else chosen

    def counted(self, drawn_beside: Container[Part], *, skips: bool) -> Quantiles:
        """With the count that marks: the one that other statistics draw, or one of their own."""
        assert self.grid is not None
        count = self._counts(self.grid.column, skips)
        return replace(self, count=count, pays=count not in drawn_beside)

    def figures(self, drawn: Drawn) -> Iterator[Figure]:
        found = [one for one in (drawn[part] for part in self.parts) if isinstance(one[0], QuantilesDrawer)]
        ranks = self._ranks(d for d, _ in found)
        said = f"exponential mechanism, within {ranks:.4g} ranks with probability 0.95"
        counts = None if self.count is None else drawn[self.count][1][:, 0]
        for i, groups in enumerate(self._groups()):
            hidden = counts is not None and ranks >= float(counts[i]) / 2
            # Quantiles in their order: after sorting none is further off than the one that was furthest.
            values = sorted(self.middles[int(place)] for _, noisy in found for place in noisy[i])
            for quantity, value in zip(self.quantities, values, strict=True):
                yield Figure(groups, quantity, value, None, None, said, hidden)

    def spread(self, drawers: Mapping[Part, Drawer]) -> tuple[float, float] | None:
        found = [d for d in (drawers[p] for p in self.parts) if isinstance(d, QuantilesDrawer)]
        worst = max(d.reach / float(d.epsilon) / d.part.levels.denominator for d in found)
        return math.sqrt(2) * worst, self._ranks(found)

    def _ranks(self, drawers: Iterable[Drawer]) -> float:
        """How far all quantiles of a group are from the true ones at most, in ranks, with probability 0.95."""
        found = [d for d in drawers if isinstance(d, QuantilesDrawer)]
        return max(d.ranks(1 - (1 - CONFIDENCE) / len(found)) for d in found)

    def useless(self, width: float) -> bool:
        return self.size is not None and width >= self.size / 2

    @property
    def ends(self) -> tuple[float, float] | None:
        return self.middles[0], self.middles[-1]
