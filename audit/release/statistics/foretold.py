"""What is known of every statistic before anything is drawn: its noise, its interval and its share, from laws and policy alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from ....mechanisms.statistics.marginal_tables import Marginals
from ....mechanisms.statistics.parts import SumsDrawer
from ....mechanisms.statistics.statistic import (
    CONFIDENCE,
    Count,
    Distinct,
    Mean,
    Quantiles,
    Statistic,
    Sum,
    TopValues,
    Variance,
)
from ....mechanisms.statistics.workload import Workload
from ....symbolic.errors import counted
from ..policy import Policy
from .published import column_of


@dataclass(frozen=True, eq=False)
class Foretold:
    """One statistic of a workload; `unit` is that of the policy's column."""

    statistic: Statistic
    workload: Workload
    unit: str

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
        one = self.statistic
        if not isinstance(one, Count | Sum):
            return None
        drawer = self.workload.drawers[one.parts[0]]
        assert isinstance(drawer, SumsDrawer)
        return drawer.law.coverage(drawer.law.half_width(CONFIDENCE))

    @property
    def useless(self) -> bool:
        """Whether the interval of a group of the declared size says nothing: it holds zero, or half of the declared range."""
        if self.size is None or self.spread is None:
            return False
        half, one = self.spread[1], self.statistic
        if isinstance(one, Distinct):
            return half >= len(one.bins[0].labels) / 2
        if isinstance(one, Count | Marginals):
            return half >= self.size
        if isinstance(one, Quantiles):
            return half >= self.size / 2
        if isinstance(one, Variance):
            assert one.amount is not None
            return half >= (one.amount.high - one.amount.low) ** 2 / 8
        if isinstance(one, Mean):
            assert one.amount is not None
            return half >= (one.amount.high - one.amount.low) / 2
        assert isinstance(one, Sum)
        assert one.amount is not None
        return half >= self.size * max(abs(one.amount.low), abs(one.amount.high))

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
        if isinstance(self.statistic, Count) and not isinstance(self.statistic, Distinct):
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
            "unit": self._unit(),
            "groups": [column_of(axis) for axis in one.axes],
            "records": [c.column for c in one.where] or "all",
            "numbers": one.rows,
            "parts": self.parts,
            "ends": self._ends(),
            "interval": self._interval(),
            "probability": 0.0
            if isinstance(one, Quantiles)
            else float(CONFIDENCE)
            if self.probability is None
            else self.probability,
            "suppressed": _SUPPRESSED[_family(one)],
        }

    def _interval(self) -> str:
        said = _INTERVALS[_family(self.statistic)]
        return said.format(0.0 if self.spread is None else self.spread[1], float(CONFIDENCE))

    def _unit(self) -> str:
        one = self.statistic
        if isinstance(one, Distinct):
            return "values"
        if isinstance(one, Count | Marginals):
            return "records"
        if isinstance(one, Variance):
            return f"({self.unit})^2" if self.unit else ""
        return self.unit

    def _ends(self) -> list[float] | None:
        """Between which declared ends every number lies, if there are both."""
        one = self.statistic
        if isinstance(one, Distinct):
            return [0.0, float(len(one.bins[0].labels))]
        if isinstance(one, Quantiles):
            return [one.middles[0], one.middles[-1]]
        if isinstance(one, Variance) and one.amount is not None:
            return [0.0, (one.amount.high - one.amount.low) ** 2 / 4]
        if isinstance(one, Mean) and one.amount is not None:
            return [one.amount.low, one.amount.high]
        return None

    def line(self) -> str:
        """All of it on one line."""
        one, figures = self.statistic, self.figures()
        head = f"{one.name} ({one.measure}, {counted(one.rows, 'number')}, {self.share:.1%} of the budget)"
        if self.spread is None:
            return f"{head}: declare its size, a number of records of a group, to see its noise"
        deviation, half = (f"{v:.4g}" for v in self.spread)
        at = f" in a group of {one.size:,}" if isinstance(one, Mean) else ""
        if isinstance(one, Quantiles):
            text = f"within {half} ranks with probability {float(CONFIDENCE)} at least"
        elif self.probability is None:
            text = f"deviation about {deviation}{at}, interval about +-{half} with probability {float(CONFIDENCE)} at least"
        else:
            text = f"deviation {deviation}, interval +-{half} with probability {self.probability:.6f}"
        if "least_count_told_from_zero" in figures:
            text += f", told from zero from {figures['least_count_told_from_zero']} on"
        if figures.get("useless_at_declared_size"):
            text += f"; USELESS at the declared size of {one.size:,}"
        return f"{head}: {text}"


_QUOTIENT = "quotient of the ends of the intervals of a noisy sum and of a noisy count, which hold together"
_INTERVALS = {
    "count": "the shortest on the whole numbers, value -+ half width, cut at 0",
    "distinct": "the shortest on the whole numbers, value -+ half width, cut at 0 and at the number of declared values",
    "top": "that of the count of the value that is named; that the order is right is not said",
    "marginals": "unbiased least-squares estimate -+ half width, the half width that of a normal (Laplace) law of the same variance, "
    "cut at 0 and widened to the value, which is the nearest estimate without negative counts",
    "sum": "the shortest on the steps of the sum, value -+ half width, cut at 0 where the declared ends have one sign",
    "mean": f"{_QUOTIENT}, cut at the declared ends",
    "variance": "from the ends of the intervals of a noisy sum of squares, a noisy sum and a noisy count, which hold together",
    "quantile": "none in the unit of the column: within {:.4g} ranks of the best candidate with probability {} at least",
}
_SUPPRESSED = {
    "count": "the noisy count is no more than the half width: it cannot be told from zero",
    "distinct": "never",
    "top": "the noisy count is no more than the half width: it cannot be told from zero",
    "marginals": "the unbiased estimate is no more than the half width: it cannot be told from zero",
    "sum": "the noisy sum is no further from zero than the half width",
    "mean": "the interval of the noisy count reaches zero",
    "variance": "the interval of the noisy count reaches below one",
    "quantile": "never",
}


def _family(one: Statistic) -> str:
    kinds = ((Distinct, "distinct"), (TopValues, "top"), (Count, "count"), (Variance, "variance"))
    more = ((Mean, "mean"), (Sum, "sum"), (Quantiles, "quantile"), (Marginals, "marginals"))
    return next(name for kind, name in (*kinds, *more) if isinstance(one, kind))


def foretold(policy: Policy, load: Workload) -> Iterator[Foretold]:
    """Every statistic, in the order of the policy."""
    units = {c.name: c.unit for c in policy.columns}
    for one in load.statistics:
        amount = getattr(one, "amount", None) or getattr(one, "grid", None)
        yield Foretold(one, load, "" if amount is None else units.get(amount.column, ""))
