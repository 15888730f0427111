"""Statistics of numbers that are clipped to privately chosen ends: the ends themselves, and sums and means between them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar

from .amounts import Steps
from .chosen_ends import BetweenEnds, ChosenEnds, ClippedSums
from .figures import Figure
from .parts import Drawer, Part
from .quantiles import Quantiles
from .statistic import Drawn
from .sums import Mean, SumOfMean

CLIP_LOW, CLIP_HIGH = "clip low", "clip high"


@dataclass(frozen=True)
class DrawnEnds(Quantiles):
    """Two edges of declared intervals, around the intervals of two noisy quantiles: what other numbers are clipped to."""

    chosen: ChosenEnds | None = None
    measure: ClassVar[str] = "ends"
    interval: ClassVar[str] = (
        "none in the unit of the column: both quantiles within {:.4g} ranks of the true ones with probability {} at least; the ends "
        "are the outer edges of their intervals"
    )
    marked: ClassVar[str] = "never"

    @property
    def quantities(self) -> tuple[str, ...]:
        return CLIP_LOW, CLIP_HIGH

    @property
    def terms(self) -> tuple[tuple[Part, Fraction], ...]:
        assert self.chosen is not None
        return ((self.chosen, Fraction(1)),)

    def figures(self, drawn: Drawn) -> Iterator[Figure]:
        assert self.chosen is not None
        within = f"within {self._ranks([drawn[self.chosen][0]]):.4g} ranks with probability 0.95"
        ends = zip(self.quantities, self.levels, self.chosen.ends(drawn), strict=True)
        for quantity, (a, b), end in ends:
            said = f"about quantile {a / b:g}, exponential mechanism, {within}"
            yield Figure((), quantity, end, None, None, said)

    def enough(self, ranks: float) -> int:
        """The smallest number of records for which at least `ranks` records lie beyond each quantile."""
        (a, b), (c, d) = self.levels
        return math.ceil(ranks / min(a / b, 1 - c / d))

    @property
    def ends(self) -> tuple[float, float] | None:
        # A line that is drawn from declared end to declared end would show nothing of numbers that lie close together.
        return None


@dataclass(frozen=True)
class ClippedMean(Mean):
    """The mean of a number clipped to the drawn ends: the quotient of a centred sum in their steps and a count.

    `amount` has the steps of the declared ends, the widest.
    """

    clip: ClippedSums | None = None
    interval: ClassVar[str] = (
        f"{Mean.interval.replace('declared', 'drawn')}, about the mean of the clipped values"
    )

    @property
    def terms(self) -> tuple[tuple[Part, Fraction], ...]:
        assert self.clip is not None
        (_, factor), counts = super().terms
        return (self.clip, factor), counts

    @property
    def ends(self) -> tuple[float, float] | None:
        return None

    def figures(self, drawn: Drawn) -> Iterator[Figure]:
        yield from Mean.figures(replace(self, amount=_between(self.clip, self.amount, drawn)), drawn)


@dataclass(frozen=True)
class ClippedSum(SumOfMean):
    """The sum of a number clipped to the drawn ends: their middle times a count, and a centred sum in their steps."""

    clip: ClippedSums | None = None
    interval: ClassVar[str] = f"{SumOfMean.interval}, about the sum of the clipped values"

    @property
    def terms(self) -> tuple[tuple[Part, Fraction], ...]:
        assert self.clip is not None
        # How far the middle is from 0 is not known yet: as far as if the numbers began there.
        (_, factor), (counts, _) = super().terms
        return (self.clip, factor), (counts, self._reach**2)

    def figures(self, drawn: Drawn) -> Iterator[Figure]:
        yield from SumOfMean.figures(replace(self, amount=_between(self.clip, self.amount, drawn)), drawn)

    def spread(self, drawers: Mapping[Part, Drawer]) -> tuple[float, float] | None:
        return SumOfMean.spread(self._at_most, drawers)

    def max_variance(self, part: Part, noise: str) -> Fraction | None:
        return SumOfMean.max_variance(self._at_most, part, noise)

    @property
    def _at_most(self) -> ClippedSum:
        """The declared range with the middle as far from 0 as that of any ends may be: no drawn ends have more noise."""
        assert self.amount is not None
        farthest = Fraction(max(abs(self.amount.low), abs(self.amount.high)))
        return replace(self, amount=replace(self.amount, centre=farthest))


def _between(clip: ClippedSums | None, declared: Steps | None, drawn: Drawn) -> BetweenEnds:
    """The steps between the ends that were drawn."""
    assert clip is not None
    assert declared is not None
    return BetweenEnds.of_ends(declared.column, *clip.ends.ends(drawn), skips=declared.skips)
