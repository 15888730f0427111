"""From the statistics that a policy asks for to the workload that is drawn: groups, clipping, steps."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, pairwise
from typing import Any

from ....mechanisms.statistics.amounts import Steps, product_of, steps_of
from ....mechanisms.statistics.counts import Count, CountOfNobodys, CountOfPersons, Distinct, TopValues
from ....mechanisms.statistics.intervals import interval_labels
from ....mechanisms.statistics.marginal_tables import Marginals
from ....mechanisms.statistics.measurement import Unit
from ....mechanisms.statistics.quantiles import Quantiles
from ....mechanisms.statistics.range_design import range_design
from ....mechanisms.statistics.range_tables import Ranges
from ....mechanisms.statistics.regression import Regression
from ....mechanisms.statistics.rows import UNDECLARED, Axis, Condition
from ....mechanisms.statistics.statistic import Statistic
from ....mechanisms.statistics.sums import Mean, Sum, SumOfMean, Variance
from ....mechanisms.statistics.targets import Target
from ....mechanisms.statistics.workload import Workload
from ....symbolic.domains.exact import exact
from ..policy import Policy
from ..policy.derived import derived_columns
from ..policy.models import ColumnModel
from ..policy.range_agreement import edges_of, equal_edges
from ..policy.statistic_models import QUANTILE_BINS, Between, StatisticModel
from .clips import Clip

_OF_NOBODYS = Fraction(1, 100)  # what an error of the number of records without a key matters
_WHOLE = 1 << 16  # whole numbers that are candidates of their own


def workload_of(policy: Policy, budget: Fraction) -> Workload:
    """The workload of a policy, with this much rho or epsilon for all of it."""
    model: Any = policy.model.mechanism
    unit = Unit(policy.rows_of_unit, model.adjacency == "add-or-remove", policy.unit == "person")
    found = [one for stated in policy.model.statistics for one in _statistics(policy, stated)]
    if policy.model.table.missing_person == "drop":
        found.append(CountOfNobodys(_nobodys(policy), where=(_of_somebody(policy, 1),), weight=_OF_NOBODYS))
    parts = {part for one in found for part in one.parts}
    for i, one in enumerate(found):
        if type(one) is Quantiles and one.grid is not None:
            found[i] = one.counted(parts, skips=_column(policy, one.grid.column).missing == "skip")
    return Workload(tuple(found), unit, model.noise, budget)


def _nobodys(policy: Policy) -> str:
    """The name of the number of records without a person key."""
    name = f"records without {policy.model.table.person_key}"
    taken = {one.name for one in policy.model.statistics}
    return name if name not in taken else f"{name} (dropped)"


def _of_somebody(policy: Policy, absent: int) -> Condition:
    """The records with a person key (0), or those without one (1)."""
    return Condition(policy.model.table.person_key or "", (absent,))


def _statistics(policy: Policy, stated: StatisticModel) -> Iterator[Statistic]:
    """One statistic; before it the ends that it is clipped to, where these are drawn."""
    common: dict[str, Any] = {
        "name": stated.name,
        "by": tuple(axis_of(policy, name) for name in stated.by),
        "where": (
            *([_of_somebody(policy, 0)] if policy.model.table.missing_person == "drop" else []),
            *(_condition(policy, name, wanted) for name, wanted in sorted(stated.where.items())),
        ),
        "weight": exact(stated.weight, "weight"),
        "target": None
        if stated.error is None
        else Target(exact(stated.error.at_most, "error"), exact(stated.error.probability, "probability")),
        "size": stated.size,
    }
    if stated.measure == "count":
        yield Count(**common)
    elif stated.measure == "persons":
        yield CountOfPersons(**common, most=policy.rows_of_unit)
    elif stated.measure == "undeclared":
        common["where"] = (*common["where"], Condition(stated.column or "", (UNDECLARED,)))
        yield Count(**common)
    elif stated.measure == "marginals":
        columns = stated.columns or []
        tables = tuple(combinations(columns, stated.ways or len(columns)))
        yield Marginals(**common, columns=tuple(axis_of(policy, n) for n in columns), tables=tables)
    elif stated.measure in ("distinct", "top"):
        assert stated.column is not None
        bins = (axis_of(policy, stated.column),)
        if stated.measure == "distinct":
            yield Distinct(**common, bins=bins)
        else:
            yield TopValues(**common, bins=bins, most=min(stated.top or 1, len(bins[0].labels)))
    else:
        yield from _of_number(policy, stated, common)


def _of_number(policy: Policy, stated: StatisticModel, common: dict[str, Any]) -> Iterator[Statistic]:
    column = _column(policy, stated.column or "")
    if stated.clip is None:
        yield _alone(policy, stated, common)
        return
    ends = float(column.low or 0.0), float(column.high or 0.0)
    low, high = _narrowed(*ends, stated.where.get(column.name), column.kind == "integer")
    yield from Clip(policy, stated, column, low, high, common, interval_labels).statistics()


def _alone(policy: Policy, stated: StatisticModel, common: dict[str, Any]) -> Statistic:
    column = _column(policy, stated.column or "")
    low, high, whole = float(column.low or 0.0), float(column.high or 0.0), column.kind == "integer"
    skips = column.missing == "skip"
    if stated.measure in ("sum", "mean", "variance"):
        low, high = _narrowed(low, high, stated.where.get(column.name), whole)
    if stated.measure == "sum" and _mean_beside(policy, stated):
        return SumOfMean(
            **common, amount=steps_of(column.name, low, high, whole=whole, centred=True, skips=skips)
        )
    if stated.measure == "sum":
        return Sum(**common, amount=steps_of(column.name, low, high, whole=whole, centred=False, skips=skips))
    if stated.measure == "regression":
        response, *features = (_fine_steps(policy, name) for name in (column.name, *(stated.columns or ())))
        return Regression(**common, response=response, features=tuple(features))
    if stated.measure == "histogram":
        edges = edges_of(stated, low, high)
        return Count(**common, bins=(Axis(column.name, interval_labels(edges), edges),))
    if stated.measure == "ranges":
        return _ranges(policy, stated, common, edges_of(stated, low, high), skips)
    if stated.measure == "quantiles":
        grid, middles = _grid(column.name, low, high, whole, stated.bins)
        levels = tuple(
            exact(q, "quantile").limit_denominator(1000) for q in sorted(set(stated.quantiles or ()))
        )
        return Quantiles(
            **common, grid=grid, middles=middles, levels=tuple((q.numerator, q.denominator) for q in levels)
        )
    amount = steps_of(column.name, low, high, whole=whole, centred=True, skips=skips)
    if stated.measure == "mean":
        return Mean(**common, amount=amount)
    return Variance(**common, amount=amount, square=product_of(amount, amount))


def _ranges(
    policy: Policy, stated: StatisticModel, common: dict[str, Any], edges: tuple[float, ...], skips: bool
) -> Statistic:
    """Ranges of the cells between those edges at which one of them ends; the best draws depend on noise and neighbours."""
    wanted: Any = stated.ranges if stated.ranges else "prefixes"
    if isinstance(wanted, list):
        listed = [tuple(map(float, pair)) for pair in wanted]
        edges = tuple(sorted({edges[0], edges[-1], *(end for pair in listed for end in pair)}))
        pairs = tuple((edges.index(a), edges.index(b)) for a, b in listed)
    else:
        starts = range(len(edges) - 1) if wanted == "all" else range(1)
        pairs = tuple((a, b) for a in starts for b in range(a + 1, len(edges)))
    named = {"prefixes": "prefixes", "all": "ranges"}
    model: Any = policy.model.mechanism
    many = math.prod(len(axis.labels) for axis in common["by"]) > 1
    design = range_design(
        len(edges) - 1,
        pairs if isinstance(wanted, list) else named[wanted],
        model.noise,
        model.adjacency == "add-or-remove",
        many,
    )
    bands = Axis(stated.column or "", interval_labels(edges), edges)
    return Ranges(**common, bands=bands, skips=skips, pairs=pairs, design=design)


def _fine_steps(policy: Policy, name: str) -> Steps:
    """Centred steps of about one size for all numbers, however wide their intervals are: they share one noise."""
    column = _column(policy, name)
    low, high = float(column.low or 0.0), float(column.high or 0.0)
    return steps_of(name, low, high, whole=False, centred=True, skips=column.missing == "skip")


def _mean_beside(policy: Policy, stated: StatisticModel) -> bool:
    """Whether the mean of the same numbers is published: the sum then follows from its parts."""
    same = (stated.column, stated.by, stated.where)
    others = (o for o in policy.model.statistics if o.measure in ("mean", "variance") and o.clip is None)
    return any((o.column, o.by, o.where) == same for o in others)


def _narrowed(low: float, high: float, wanted: Any, whole: bool) -> tuple[float, float]:
    """The ends of the numbers of records that meet a condition on the same number, but for conditions that leave next to none."""
    if not isinstance(wanted, Between):
        return low, high
    least = low if wanted.low is None else max(low, float(math.ceil(wanted.low) if whole else wanted.low))
    most = (
        high if wanted.high is None else min(high, float(math.floor(wanted.high) if whole else wanted.high))
    )
    return (least, most) if most - least > (high - low) / 64 else (low, high)


def axis_of(policy: Policy, name: str) -> Axis:
    """The declared values of a category as groups."""
    return Axis(name, tuple(str(c) for c in _column(policy, name).categories or ()))


def _condition(policy: Policy, name: str, wanted: Any) -> Condition:
    if isinstance(wanted, Between):
        low, high = (None if end is None else float(end) for end in (wanted.low, wanted.high))
        return Condition(name, (), low, high)
    declared = [str(c) for c in _column(policy, name).categories or ()]
    return Condition(name, tuple(sorted(declared.index(str(v)) for v in wanted)))


def _column(policy: Policy, name: str) -> ColumnModel:
    return next(c for c in (*policy.columns, *derived_columns(policy.model)) if c.name == name)


@lru_cache(maxsize=64)
def _grid(
    column: str, low: float, high: float, whole: bool, bins: int | None
) -> tuple[Axis, tuple[float, ...]]:
    """The candidates of a quantile: every whole number where they are few, else the middles of equal intervals."""
    if whole and bins is None and high - low < _WHOLE:
        values = tuple(float(v) for v in range(int(low), int(high) + 1))
        edges = (values[0] - 0.5, *(v + 0.5 for v in values))
    else:
        edges = equal_edges(low, high, bins or QUANTILE_BINS)
        # Digits beyond a tenth of an interval would promise more than was chosen.
        digits = 1 - math.floor(math.log10((high - low) / (len(edges) - 1)))
        values = tuple(round(float((Fraction(a) + Fraction(b)) / 2), digits) for a, b in pairwise(edges))
    return Axis(column, tuple(f"{v:.12g}" for v in values), edges), values
