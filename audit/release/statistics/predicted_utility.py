"""What is known of every statistic before anything is drawn: its noise, its interval and its share, from laws and policy alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from ....mechanisms.statistics.clipped import ClippedMean, ClippedSum, DrawnEnds
from ....mechanisms.statistics.quantiles import Quantiles
from ....mechanisms.statistics.rows import UNDECLARED
from ....mechanisms.statistics.statistic import Statistic
from ....mechanisms.statistics.sums import Mean
from ....mechanisms.statistics.targets import CONFIDENCE
from ....mechanisms.statistics.workload import Workload
from ....symbolic.errors import counted
from ..policy import Policy
from .published import column_of

_KEYS: dict[tuple[int, ...], str] = {(0,): "a", (1,): "no"}
_SAID: dict[tuple[int, ...], str] = {(UNDECLARED,): "no declared"}


@dataclass(frozen=True, eq=False)
class PredictedUtility:
    """One statistic of a workload; `unit` is that of the policy's column, `skipping` the columns without whose value a record is left out."""

    statistic: Statistic
    workload: Workload
    unit: str
    skipping: frozenset[str] = frozenset()
    key: str | None = None

    @property
    def parts(self) -> list[str]:
        """The names of what is drawn for it."""
        return [self.workload.name_of(part) for part in self.statistic.parts]

    @property
    def share(self) -> float:
        """The part of the budget that its draws cost; a draw that several statistics use counts for each."""
        costs = (self.workload.drawers[part].cost for part in self.statistic.parts)
        return float(sum(costs, Fraction(0)) / self.workload.budget)

    @property
    def size(self) -> int | None:
        """The declared number of records of a group."""
        return self.statistic.size

    @cached_property
    def spread(self) -> tuple[float, float] | None:
        """Standard deviation and half the width of the interval; of a quotient about that of a group of the declared size."""
        return self.statistic.spread(self.workload.drawers)

    @cached_property
    def probability(self) -> float | None:
        """The exact probability of the interval before it is cut at declared ends, rounded down; None for a bound."""
        return self.statistic.probability(self.workload.drawers)

    @property
    def useless(self) -> bool:
        """Whether a release marks a group of the declared size whatever its values: even the narrowest interval says nothing."""
        width = None if self.size is None else self.statistic.narrowest(self.workload.drawers)
        return width is not None and self.statistic.useless(width)

    def figures(self) -> dict[str, Any]:
        """The numbers, for manifest and calibration."""
        said: dict[str, Any] = {"numbers": self.statistic.rows, "share": self.share}
        if self.size is not None:
            said["size"] = self.size
        if self.spread is None:
            return {**said, "deviation": "declare the size of a group to see it"}
        if isinstance(self.statistic, Quantiles):
            said["within_ranks"] = self.spread[1]
        else:
            said |= {"deviation": self.spread[0], "interval_half_width": self.spread[1]}
        said["probability"] = float(CONFIDENCE) if self.probability is None else self.probability
        if self.statistic.of_records:
            said["least_count_told_from_zero"] = int(self.spread[1]) + 1
        if self.size is not None:
            said["useless_at_declared_size"] = self.statistic.rows if self.useless else 0
        return said

    def words(self) -> dict[str, Any]:
        """What the numbers are, how their intervals were made, and when one is marked as suppressed."""
        one = self.statistic
        return {
            "name": one.name,
            "measure": one.measure,
            "unit": one.counting(self.workload.unit) if one.of_records else one.unit(self.unit),
            "groups": [column_of(axis) for axis in one.axes],
            "records": self._records() or "all",
            "numbers": one.rows,
            "parts": self.parts,
            "ends": None if one.ends is None else list(one.ends),
            "interval": self._interval(),
            "probability": 0.0
            if isinstance(one, Quantiles)
            else float(CONFIDENCE)
            if self.probability is None
            else self.probability,
            "suppressed": one.marked,
        }

    def _records(self) -> list[str]:
        """The columns that decide which records count: by a condition, or because values that are missing or undeclared are left out."""
        one = self.statistic
        amount = getattr(one, "amount", None) or getattr(one, "grid", None)
        used = [*(axis.column for axis in one.axes), *([] if amount is None else [amount.column])]
        skipped = [f"a declared {name}" for name in dict.fromkeys(used) if name in self.skipping]
        said = [
            f"{_KEYS[c.places]} {c.column}"
            if c.column == self.key
            else f"{_SAID.get(c.places, 'a condition on')} {c.column}"
            for c in one.where
        ]
        return [*said, *skipped]

    def _interval(self) -> str:
        said = self.statistic.interval.format(
            0.0 if self.spread is None else self.spread[1], float(CONFIDENCE)
        )
        amount = getattr(self.statistic, "amount", None)
        if amount is None:
            return said
        unit = f" {self.unit}" if self.unit else ""
        if self._chosen:
            within = f"within {amount.low:g} to {amount.high:g}{unit}"
            return f"{said}; values are clipped to the ends that were drawn, {within}"
        return f"{said}; values are clipped to {amount.low:g} to {amount.high:g}{unit}"

    @property
    def _chosen(self) -> bool:
        """Whether it is clipped to ends that are drawn first: its noise is predicted for the widest."""
        return isinstance(self.statistic, ClippedMean | ClippedSum)

    def line(self) -> str:
        """All of it on one line."""
        one, figures = self.statistic, self.figures()
        head = f"{one.name} ({one.measure}, {counted(one.rows, 'number')}, {self.share:.1%} of the budget)"
        if self.spread is None:
            return f"{head}: declare its size, a number of records of a group, to see its noise"
        deviation, half = (f"{v:.4g}" for v in self.spread)
        at = f" in a group of {one.size:,}" if isinstance(one, Mean) and one.size else ""
        if isinstance(one, Quantiles):
            text = f"within {half} ranks with probability {float(CONFIDENCE)} at least"
        elif self.probability is None:
            text = f"deviation about {deviation}{at}, interval about +-{half} with probability {float(CONFIDENCE)} at least"
        else:
            text = f"deviation {deviation}, interval +-{half} with probability {self.probability:.6f}"
        if "least_count_told_from_zero" in figures:
            text += f", told from zero from {figures['least_count_told_from_zero']} on"
        if isinstance(one, DrawnEnds):
            text += (
                f"; with fewer than {one.enough(self.spread[1]):,} records an end may lie beyond all of them"
            )
        if self._chosen:
            text += ", for the declared ends: in proportion less for those that will be drawn"
        if figures.get("useless_at_declared_size"):
            text += f"; USELESS at the declared size of {one.size:,}"
        elif one.size is not None and one.useless(self.spread[1]):
            text += f"; marked as suppressed at the declared size of {one.size:,} if values lie near an end"
        return f"{head}: {text}"


def predict_utility(policy: Policy, load: Workload) -> Iterator[PredictedUtility]:
    """Every statistic, in the order of the policy."""
    units = {c.name: c.unit for c in policy.columns}
    skipping = frozenset(c.name for c in policy.columns if "skip" in (c.missing, c.undeclared))
    key = policy.model.table.person_key
    for one in load.statistics:
        amount = getattr(one, "amount", None) or getattr(one, "grid", None)
        yield PredictedUtility(
            one, load, "" if amount is None else units.get(amount.column, ""), skipping, key
        )
