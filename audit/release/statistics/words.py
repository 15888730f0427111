"""What a release of statistics says of itself in words, and how much noise there is, before anything is drawn."""

from __future__ import annotations

from typing import Any

from ....mechanisms.statistics.parts import ChosenQuantile
from ....mechanisms.statistics.statistic import Count, Statistic
from ....mechanisms.statistics.workload import Workload
from ..policy import Policy


def adjacency_of(policy: Policy) -> str:
    """Which tables are neighbours."""
    model: Any = policy.model.mechanism
    if policy.unit == "person":
        what = f"all records of one person (of which at most {policy.rows_of_unit} count)"
    else:
        what = "one record"
    if model.adjacency == "add-or-remove":
        return (
            f"add-or-remove {policy.unit}: one of two tables lacks {what}; the number of records is private"
        )
    return (
        f"replace-one {policy.unit}: {what} are any others"
        if policy.unit == "person"
        else ("replace-one record: one record takes any values; the number of records is the same")
    )


def caveats(policy: Policy, load: Workload) -> tuple[str, ...]:
    """What a reader must not take from the guarantee."""
    unit = policy.unit
    out = [
        f"The guarantee is about one {unit}: what the numbers say of groups is published on purpose, and holds of members who are not in the table too.",
        "Numbers are noisy: read the interval. Counts are cut at 0, so that sums of many small ones lie too high; intervals hold one by one, "
        "not all together.",
        "Groups, bounds and bins are those that were declared: what lies beyond them was clipped, left out or refused, and the numbers are those of the clipped values.",
    ]
    if unit == "record":
        out.append("The guarantee is per record: someone with k records is protected k times less.")
    else:
        out.append(
            f"Of a person at most {policy.rows_of_unit} records count, chosen by a secret hash: numbers are those of the records that count."
        )
    if any(isinstance(p, ChosenQuantile) for p in load.parts):
        out.append(
            "A quantile comes with a bound on its error in ranks, not in units: how far that is depends on the data, and is not published."
        )
    if not load.unit.resizes:
        out.append("The number of records is taken as known: it is not protected.")
    out.append("A refusal would tell something of the table: its message goes to the one who releases only.")
    return tuple(out)


def utility_of(load: Workload) -> dict[str, Any]:
    """For each statistic the deviation of its noise and half the width of its interval: from the laws alone."""
    return {
        "basis": "the laws of the noise alone: no figure was computed from the table, so none costs budget",
        "statistics": {s.name: _spread(s, load) for s in load.statistics},
    }


def _spread(statistic: Statistic, load: Workload) -> dict[str, Any]:
    found = statistic.spread(load.drawers)
    said: dict[str, Any] = {"numbers": statistic.rows}
    if found is None:
        return {**said, "deviation": "declare the size of a group to see it"}
    said |= {"deviation": found[0], "interval_half_width": found[1]}
    if isinstance(statistic, Count):
        said["least_count_told_from_zero"] = int(found[1]) + 1
    if statistic.size is not None and isinstance(statistic, Count):
        said["useless_at_declared_size"] = bool(found[1] >= statistic.size)
    return said
