"""From a clip of the policy to what is drawn: the ends first, once for all statistics that share them, then what they clip."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ....mechanisms.statistics.amounts import One
from ....mechanisms.statistics.chosen_ends import BetweenEnds, ChosenEnds, ClippedSums, Reach, edges_between
from ....mechanisms.statistics.clipped import ClippedMean, ClippedSum, DrawnEnds
from ....mechanisms.statistics.measurement import Measurement
from ....mechanisms.statistics.rows import Axis
from ....mechanisms.whole_noise import Levels
from ....symbolic.domains.exact import exact
from ..policy import Policy
from ..policy.clip_agreement import draw_of, levels_of
from ..policy.models import ColumnModel
from ..policy.statistic_models import StatisticModel


@dataclass(frozen=True, eq=False)
class Clip:
    """The clip of one statistic; `low` and `high` are the declared ends, `labels` names intervals, `common` what all statistics have."""

    policy: Policy
    stated: StatisticModel
    column: ColumnModel
    low: float
    high: float
    common: dict[str, Any]
    labels: Callable[[tuple[float, ...]], tuple[str, ...]]

    @cached_property
    def _grid(self) -> Axis:
        edges = edges_between(self.low, self.high, whole=self.column.kind == "integer")
        return Axis(self.column.name, self.labels(edges), edges)

    @cached_property
    def _chosen(self) -> ChosenEnds:
        assert self.stated.clip is not None
        records = Measurement((self._grid,), (One(),), self.common["where"])
        return ChosenEnds(records, Levels.of(levels_of(self.stated)), exact(self.stated.clip.share, "share"))

    def statistics(self) -> Iterator[DrawnEnds | ClippedMean | ClippedSum]:
        """The ends, where this is the first statistic that is clipped to them, and the statistic."""
        alike = [
            one
            for one in self.policy.model.statistics
            if one.clip is not None and draw_of(one) == draw_of(self.stated)
        ]
        if alike[0] is self.stated:
            yield DrawnEnds(
                name=self._name(f"ends of {' and '.join(one.name for one in alike)}"),
                where=self.common["where"],
                grid=self._grid,
                levels=tuple((q.numerator, q.denominator) for q in levels_of(self.stated)),
                chosen=self._chosen,
            )
        skips = self.column.missing == "skip"
        made = ClippedMean if self.stated.measure == "mean" else ClippedSum
        yield made(
            **self.common,
            amount=BetweenEnds.of_ends(self.column.name, self.low, self.high, skips=skips),
            clip=ClippedSums(
                Measurement(
                    (*self.common["by"], self._grid), (One(), Reach(self._grid)), self.common["where"]
                ),
                self._chosen,
            ),
        )

    def _name(self, name: str) -> str:
        taken = {one.name for one in self.policy.model.statistics}
        while name in taken:
            name += " (drawn)"
        return name
