"""What a release of statistics says of itself in words, before anything is drawn."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from ....mechanisms.statistics.chosen_ends import STEPS, ChosenEnds, ClippedSums
from ....mechanisms.statistics.chosen_quantiles import ChosenQuantiles
from ....mechanisms.statistics.code_path import stated_of
from ....mechanisms.statistics.marginal_tables import NoisyMarginals
from ....mechanisms.statistics.parts import GAUSSIAN, Part, SumsDrawer
from ....mechanisms.statistics.range_tables import RangeQueries
from ....mechanisms.statistics.workload import Workload
from ..manifest import PER_RECORD
from ..policy import Policy
from .predicted_utility import predict_utility


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
        out.append(PER_RECORD)
    else:
        out.append(
            f"Of a person at most {policy.rows_of_unit} records count, chosen by a secret hash: numbers are those of the records that count, and "
            "no interval covers what is left out of persons with more. "
            "Persons are told apart by a hash of 64 bits: of n of them a given one is taken for another with a probability below n 2^-55, which the guarantee leaves out."
        )
    if policy.model.table.missing_person == "drop":
        out.append(
            f"Records without {policy.model.table.person_key} are dropped, as the policy declares: they count in no number but the noisy one of all of them. "
            f"The guarantee covers at most {policy.rows_of_unit} such records of a person, beside all that have the key; nothing tells how many somebody has."
        )
    if any(getattr(a, "rounding", 0) for p in load.parts for a in p.measurement.amounts):
        out.append(
            "What is not whole is rounded to the step of its sum, record by record, before it is summed: the interval of a sum is about the sum of "
            "rounded values; that of a mean or a variance allows for the rounding."
        )
    if any(isinstance(p, NoisyMarginals) for p in load.parts):
        out.append(
            "Tables of marginals count the records that have a declared value of every column of their statistic, so that they agree."
        )
    if load.first:
        out.append(
            "Where ends of clipping were drawn, numbers beyond them counted as the ends: intervals are about sums and means of clipped numbers, and what "
            "clipping takes away or adds is not in them. The ends are about the quantiles that the policy names, and are published."
        )
    if any(isinstance(p, ChosenQuantiles) for p in load.parts):
        out.append(
            "A quantile comes with a bound on its error in ranks, not in units: how far that is depends on the data, and is not published."
        )
    if not load.unit.resizes:
        out.append("The number of records is taken as known: it is not protected.")
    out.append(
        "A refusal would reveal something about the table: its message goes to the one who releases only."
    )
    return tuple(out)


def utility_of(policy: Policy, load: Workload) -> dict[str, Any]:
    """What the noise leaves of every statistic: from the laws alone."""
    return {
        "basis": "the laws of the noise alone: no figure was computed from the table, so none costs budget",
        "statistics": {one.statistic.name: one.figures() for one in predict_utility(policy, load)},
    }


def lines_of(policy: Policy, load: Workload) -> tuple[str, ...]:
    """What `calibrate` says of the statistics: their noise, and why the budget is split as it is."""
    found = tuple(one.line() for one in predict_utility(policy, load))
    return (*found, *_left_out(policy), *split_sentences(load), split_verdict(load))


def _left_out(policy: Policy) -> Iterator[str]:
    """How many records may be left out since those of a person are bounded: of any table, for none is opened."""
    if policy.unit == "person":
        k = policy.rows_of_unit
        yield (
            f"numbers are of records that count (at most {k} a person): of somebody with {2 * k} records half are left out, with {10 * k} nine of ten; "
            f"of N records of P persons at least N - {k} P and, with P > 0, at most N - P{'' if k == 1 else f' - {k - 1}'} are left out, and no interval covers them"
        )


def split_sentences(load: Workload) -> list[str]:
    """What first draws take, and why the rest of the budget is split as it is."""
    return [*(_taken(load, part) for part in load.first), *load.split.sentences]


def _taken(load: Workload, part: ChosenEnds) -> str:
    without = float(load.rest / load.budget + part.share)
    wider = (without / float(load.rest / load.budget)) ** (0.5 if load.noise == GAUSSIAN else 1.0)
    return (
        f"{load.name_of(part)}: drawn first, for {float(part.share):.4g} of the whole budget, as the policy says; all other noise is "
        f"{wider:.4g} times as wide as it would be without"
    )


def split_verdict(load: Workload) -> str:
    """Whether the split is proved to be the best one; what it is proved by stands among its conditions."""
    found = load.split.certificate
    if found.verdict == "PROVED":
        return "PROVED: it keeps to the budget and the targets, and no other split that does has a smaller weighted sum of variances"
    return f"{found.verdict}: {found.reason}"


def parts_of(load: Workload) -> list[dict[str, Any]]:
    """Each draw: what is summed within which ends, its law, and what it costs."""
    return [_part(load, part) for part in load.parts]


def _part(load: Workload, part: Part) -> dict[str, Any]:
    name, drawer = load.name_of(part), load.drawers[part]
    said: dict[str, Any] = {"part": name, **stated_of(part), "share": str(drawer.cost), **drawer.said()}
    if isinstance(drawer, SumsDrawer):
        said["deviation"] = drawer.law.standard_deviation()
        said["step"] = str(_widest_step(part))
        if isinstance(part, ClippedSums):
            said["step_is"] = f"that of the declared ends; of the drawn ones 1/{2 * STEPS} of their range"
        elif isinstance(part, RangeQueries) and part.largest > 1:
            said["step_is"] = (
                f"of answers that count a record up to {part.largest:,} times; ranges follow from many"
            )
    said["multiplier"] = load.split.multipliers.get(name, 0.0)
    return said


def _widest_step(part: Part) -> Fraction:
    """The unit of the sums of a part; of numbers between chosen ends that of the declared ones."""
    if isinstance(part, ClippedSums):
        return part.widest_step
    return part.measurement.amounts[0].step
