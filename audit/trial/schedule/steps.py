"""The steps of an audit: each is done anywhere, depends on nothing but its own fields, the work and the plans."""

from __future__ import annotations

import hashlib
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from ...record.evidence import Evidence, Verdict
from ...record.finding import evidence_from_record
from ..check import Counts
from ..outcomes import Kinds, Outcomes
from ..sampling import fails_at_times
from .checkpoint import Record
from .session import Session

Plans = Mapping[int, Any]
BETTING_STREAM = 2**30  # no unit of the other checks has this number
_TWICE_STREAM = 2**31 + 2
_COUNTING_STREAM = 2**30 + 1
_TOGETHER = 250_000  # numbers of calls that are counted together


class Step(ABC):
    """One unit of work on one subject."""

    kept: ClassVar[bool] = True  # whether a checkpoint keeps the result
    plans: ClassVar[bool] = False  # whether the plans of the checks in `jobs` are needed
    jobs: tuple[int, ...] = ()

    def name(self, stream: int) -> str:
        """Its name in a checkpoint, for the subject at this place in the streams; a step that is kept has one."""
        raise NotImplementedError

    @abstractmethod
    def do(self, on: Session, plans: Plans, progress: Callable[[float], None] | None = None) -> Any:
        """The result."""

    @np.errstate(over="ignore", invalid="ignore")
    def done(self, on: Session, plans: Plans, progress: Callable[[float], None] | None = None) -> Any:
        """The same; what overflows is infinite, what then has no value is NaN, and the checks look for both."""
        return self.do(on, plans, progress)

    def record(self, result: Any) -> Record:
        """The result as plain data and arrays."""
        raise NotImplementedError

    def restore(self, record: Record) -> Any:
        """The result of a record."""
        raise NotImplementedError


@dataclass(frozen=True)
class DrawTwice(Step):
    """Whether equal streams give equal outcomes: only then does it not matter who draws which shard."""

    kept: ClassVar[bool] = False

    def do(self, on: Session, plans: Plans, progress: Callable[[float], None] | None = None) -> bool:
        stream = (_TWICE_STREAM,)
        return all(
            digest(on.draw(place, 4, (*stream, place))) == digest(on.draw(place, 4, (*stream, place)))
            for place in range(len(on.work.inputs))
        )


@dataclass(frozen=True)
class Draw(Step):
    """One call for outcomes to learn from."""

    place: int
    call: int
    size: int
    single: bool = False

    def name(self, stream: int) -> str:
        return f"draw-{stream}-{self.place}-{self.call}{'-single' * self.single}"

    def do(self, on: Session, plans: Plans, progress: Callable[[float], None] | None = None) -> Outcomes:
        return on.draw(self.place, self.size, (on.work.stream, self.place, 0, self.call), self.single)

    def record(self, result: Outcomes) -> Record:
        return Record(
            {"kinds": list(result.kinds.names)},
            {"values": result.values, "codes": np.asarray(result.kinds.codes)},
        )

    def restore(self, record: Record) -> Outcomes:
        names, codes = tuple(record.data["kinds"]), record.arrays["codes"]
        kinds = Kinds(names, codes) if len(names) > 1 else Kinds.same(names[0], len(codes))
        return Outcomes(record.arrays["values"], kinds)


@dataclass(frozen=True)
class Learn(Step):
    """What one check looks at, from the outcomes at its inputs."""

    kept: ClassVar[bool] = False
    job: int
    sample: tuple[Outcomes, ...]

    def do(self, on: Session, plans: Plans, progress: Callable[[float], None] | None = None) -> Any:
        return on.work.counted[self.job].learn(list(self.sample))


@dataclass(frozen=True)
class Count(Step):
    """One shard: calls of these sizes at each input, each counted for each check that looks at them; `first` is the number of the first."""

    plans: ClassVar[bool] = True
    shard: int
    first: int
    sizes: tuple[int, ...]
    jobs: tuple[int, ...]
    single: bool = False

    def name(self, stream: int) -> str:
        return f"count-{stream}-{self.shard}{'-single' * self.single}"

    def do(
        self, on: Session, plans: Plans, progress: Callable[[float], None] | None = None
    ) -> dict[int, Counts]:
        work = on.work
        used = sorted({place for j in self.jobs for place in work.places[j]})
        total: dict[int, Counts] = {}

        def stream(j: int, call: int) -> np.random.Generator:
            key = (work.stream, _COUNTING_STREAM, j, call)
            return np.random.default_rng(np.random.SeedSequence(work.seed, spawn_key=key))

        drawn: dict[int, dict[int, Outcomes]] = {}
        for call, size in enumerate(self.sizes, self.first + 1):
            drawn[call] = {p: on.draw(p, size, (work.stream, p, call), self.single) for p in used}
            held = sum(s.values.size for unit in drawn.values() for s in unit.values())
            if held < _TOGETHER and call < self.first + len(self.sizes):
                continue
            for j in self.jobs:
                units = [[unit[p] for p in work.places[j]] for unit in drawn.values()]
                counts = work.counted[j].count_calls(plans[j], units, (stream(j, call) for call in drawn))
                total[j] = total[j] + counts if j in total else counts
            drawn.clear()
        return total

    def record(self, result: dict[int, Counts]) -> Record:
        return Record({"sizes": list(self.sizes)}, {str(j): counts for j, counts in result.items()})

    def restore(self, record: Record) -> dict[int, Counts]:
        if record.data["sizes"] != list(self.sizes):
            raise ValueError("these are calls of other sizes")
        return {j: record.arrays[str(j)] for j in self.jobs}


class _Evidence(Step):
    def record(self, result: Evidence) -> Record:
        return Record({"evidence": result.record(), "statement": result.statement}, {})

    def restore(self, record: Record) -> Evidence:
        return replace(evidence_from_record(record.data["evidence"], ""), statement=record.data["statement"])


@dataclass(frozen=True)
class Judge(_Evidence):
    """The evidence of one check: of its counts, or of an exact computation."""

    job: int
    counts: Counts | None = None
    jobs: tuple[int, ...] = ()
    plans: ClassVar[bool] = True

    def name(self, stream: int) -> str:
        return f"judge-{self.job}"

    def do(self, on: Session, plans: Plans, progress: Callable[[float], None] | None = None) -> Evidence:
        check = on.work.counted[self.job]
        try:
            return check.judge(plans.get(self.job), self.counts, on.work.share)
        except (ArithmeticError, RecursionError) as error:
            # Mathematics that does not go through is no verdict, and no end of the audit either.
            why = f"the numbers leave the range of what can be computed ({type(error).__name__}: {error})"
            return check.evidence(Verdict.UNDECIDED, why)


@dataclass(frozen=True)
class Bet(_Evidence):
    """A sequential check from its first pair to its last: each bet depends on those before it."""

    job: int
    samples: int
    seconds: float | None
    single: bool = False

    def name(self, stream: int) -> str:
        return f"bet-{self.job}"

    def do(self, on: Session, plans: Plans, progress: Callable[[float], None] | None = None) -> Evidence:
        take = _Take(on, self.job, self.single)
        until = None if self.seconds is None else time.monotonic() + self.seconds
        return on.work.bets[self.job].run(take, self.samples, on.work.share, until, progress)


@dataclass
class _Take:
    """Draws for bets: one outcome a call from the first call on that fails, which is made again."""

    on: Session
    job: int
    single: bool

    def __call__(self, index: Any, size: int, stream: tuple[int, ...]) -> Outcomes:
        place, stream = self.on.work.places[self.job][stream[0]], (BETTING_STREAM, self.job, *stream)
        sample, seed = self.on.draw(place, size, stream, self.single), self.on.work.seed
        if not self.single and fails_at_times(self.on.source, index, [sample], (*stream, size), seed):
            self.single, sample = True, self.on.draw(place, size, stream, single=True)
        return sample


def digest(sample: Outcomes) -> str:
    """A digest of outcomes: equal for equal outcomes, bit for bit."""
    h = hashlib.blake2b(repr((sample.kinds.names, sample.values.shape)).encode(), digest_size=16)
    h.update(np.ascontiguousarray(sample.values).tobytes())
    if len(sample.kinds.names) > 1:
        h.update(np.ascontiguousarray(sample.kinds.codes).tobytes())
    return h.hexdigest()
