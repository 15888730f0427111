"""How far the checks of one subject are: what was drawn, learnt and counted, and what is to be asked next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from ....mechanisms.mechanism import Subject
from ....symbolic.privacy.guarantees import Guarantee
from ..check import Counts
from ..outcomes import Outcomes, join
from ..sampling import Apart, Schedule, fails_at_times, require_values
from .executor import Task
from .steps import Count, Draw, Judge, Learn
from .work import Work

_ALONE = 2**31 + 3  # the stream of calls for one outcome
_SHARDS, _OUTCOMES = 12, 50_000  # at least, and outcomes per input in one of them at most
_AT_ONCE = 12_000_000  # numbers that are learnt from at a time


class WorkProgress:
    """How far the open counted checks of one work are; with `single` outcomes are asked for one at a time."""

    def __init__(self, work: Work, jobs: list[int], schedule: Schedule, single: bool) -> None:
        self.work, self.schedule, self.single = work, schedule, single
        self.jobs = jobs
        self.drawn: dict[tuple[int, int], Outcomes] = {}
        self.plans: dict[int, Any] = {}
        self.counts: dict[int, dict[int, Counts]] = {}
        self.steps = (
            len(schedule.learning) * len(places(work, self.sampling))
            + len(_shards(schedule.units))
            + 2 * len(self.jobs)
        )

    @property
    def sampling(self) -> list[int]:
        """The open checks that look at outcomes."""
        return [j for j in self.jobs if self.work.places[j]]

    def calls(self) -> list[Task]:
        """The calls for outcomes to learn from."""
        sizes = list(enumerate(self.schedule.learning))
        used = places(self.work, self.sampling)
        return [Task(self.work, Draw(place, i, size, self.single)) for place in used for i, size in sizes]

    def fails_at_times(self, source: Subject | Apart) -> bool:
        """Whether calls for many outcomes failed where some for one would answer."""
        calls, work = range(len(self.schedule.learning)), self.work
        drawn = {p: [self.drawn[p, i] for i in calls] for p in places(work, self.sampling)}
        return not self.single and any(
            fails_at_times(source, work.inputs[p], d, (_ALONE, p), work.seed) for p, d in drawn.items()
        )

    def lessons(self) -> list[Task]:
        """What each check learns from; SpecError if there is not a single value among the outcomes."""
        calls = range(len(self.schedule.learning))
        learnt = {p: join([self.drawn[p, i] for i in calls]) for p in places(self.work, self.sampling)}
        claims = [self.work.counted[j].claim for j in self.sampling]
        private = all(isinstance(claim.predicate, Guarantee) for claim in claims)
        require_values(self.work.subject, list(learnt.values()), private=private)
        return [
            Task(self.work, Learn(j, tuple(learnt[p] for p in self.work.places[j]))) for j in self.sampling
        ]

    def shards(self) -> list[Task]:
        """The units to count."""
        jobs = tuple(self.sampling)
        units = self.schedule.units if jobs else ()
        return [
            Task(self.work, Count(i, calls.start, units[calls], jobs, self.single), self.plans)
            for i, calls in enumerate(_shards(units))
        ]

    def judgements(self) -> list[Task]:
        """The sums to judge, added in the order of the shards: sums of rounded numbers depend on it."""
        out = []
        for j in self.sampling:
            total, *others = (self.counts[i][j] for i in range(len(self.counts)))
            for counts in others:
                total = total + counts
            out.append(Task(self.work, Judge(j, total, (j,)), self.plans))
        return out


def _shards(units: Sequence[int]) -> list[slice]:
    """Calls that are made and counted together: as few shards as keep workers busy, as many as keep progress fine."""
    most = max(_SHARDS, sum(units) // _OUTCOMES)
    ends = sorted({len(units) * i // most for i in range(most + 1)})
    return [slice(a, b) for a, b in pairwise(ends)]


def sampling(work: Work, open_jobs: set[int]) -> list[int]:
    """The open checks of a work that look at outcomes."""
    return [j for j, places in work.places.items() if places and j in open_jobs]


def places(work: Work, jobs: Sequence[int]) -> list[int]:
    """The places of the inputs that these checks look at."""
    return sorted({p for j in jobs for p in work.places[j]})


def groups(plans: Sequence[WorkProgress], most: int) -> Iterator[list[WorkProgress]]:
    """Subjects that are worked on together: as many as the executor wants, and no more outcomes than memory bears."""
    group: list[WorkProgress] = []
    held = 0
    for p in plans:
        numbers = sum(p.schedule.learning) * len(places(p.work, p.sampling))
        if group and (len(group) >= most or held + numbers > _AT_ONCE):
            yield group
            group, held = [], 0
        group.append(p)
        held += numbers
    if group:
        yield group
