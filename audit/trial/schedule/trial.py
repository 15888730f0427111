"""An audit in steps: bets, then per subject outcomes to learn from, plans, shards, judgements; each step done once."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from typing import Any

from ....symbolic.errors import SpecError
from ...record.evidence import Evidence, Verdict
from ..isolation.isolated import estimate_rate, slowness
from ..memory import require_outcomes
from ..sampling import Probed, Schedule, has_density, probe
from .checkpoint import Checkpoint, Record
from .executor import Executor, Serial, Task
from .progress import WorkProgress, groups, places, sampling
from .session import Session
from .steps import Bet, Draw, DrawTwice, Judge, Step, digest
from .work import Work

Report = Callable[[float, str], None]
_LEAST = 100
_BETTING, _PROBED = 0.45, 0.01  # shares of the progress


class Trial:
    """The works of an audit and how far they are.

    Raises SpecError from the start if a release fails alike on all inputs, changes its input, or hangs.
    """

    def __init__(
        self,
        stack: ExitStack,
        works: Sequence[Work],
        make: Callable[[dict[int, Session]], Executor],
        checkpoint: Checkpoint | None,
        report: Report,
    ) -> None:
        self.works, self._checkpoint, self._report = works, checkpoint, report
        self._sessions = {w.number: Session(w, stack) for w in works}
        # Every release is probed before any long work starts.
        self._probed = {
            w.number: probe(self._sessions[w.number].source, list(w.inputs), w.seed)
            for w in works
            if w.inputs
        }
        self.sampled = [w for w in works if w.inputs]
        self.notes = tuple(p.note for p in self._probed.values() if p.note)
        self._here = stack.enter_context(Serial(self._sessions))
        self._executor = stack.enter_context(make(self._sessions))
        self._at_home: set[int] = set()
        if self._executor.elsewhere:
            # Copies of a generator that a release has of its own would repeat each other's outcomes.
            self._at_home = {w.number for w in works if not w.subject.deterministic}
            elsewhere = [w for w in self.sampled if w.number not in self._at_home]
            for task, same in self._run([Task(w, DrawTwice()) for w in elsewhere]):
                if not same:
                    self._at_home.add(task.work.number)

    def bets(self, samples: int, deadline: float | None) -> dict[int, Evidence]:
        """The evidence of the betting checks, which draw for themselves; the time left is shared evenly, with all others that draw as one."""
        waiting = [(w, j) for w in self.works for j in w.bets]
        others = any(sampling(w, {*w.counted}) for w in self.works)
        found: dict[int, Evidence] = {}
        together = max(self._executor.width // 2, 1)
        # Time is shared again after each round; without a limit, all bets are one round.
        size = together if deadline is not None else max(len(waiting), 1)
        for start in range(0, len(waiting), size):
            turn = waiting[start : start + size]
            seconds = None
            if deadline is not None:
                rounds = -(-(len(waiting) - start) // size) + others
                seconds = max(deadline - time.monotonic(), 1e-3) / rounds
            name = turn[0][0].subject.name

            def progress(fraction: float, start: int = start, turn: Any = turn, name: str = name) -> None:
                done = start + (
                    fraction * len(turn) if self._executor.elsewhere else len(found) - start + fraction
                )
                self._report(_BETTING * min(done / len(waiting), 1.0), f"betting: {name}")

            for task, evidence in self._run(
                [Task(w, Bet(j, samples, seconds, self._probed[w.number].single)) for w, j in turn], progress
            ):
                found[task.step.job] = evidence  # type: ignore[attr-defined]
        return found

    def affordable(self, samples: int, deadline: float | None, open_jobs: set[int]) -> int:
        """How many samples per input the other checks may draw, decided before any of them is drawn.

        Raises SpecError if the time left does not even allow a hundred.
        """
        works = [w for w in self.sampled if sampling(w, open_jobs)]
        if deadline is None or not works:
            return samples
        known = None if self._checkpoint is None else self._checkpoint.load("samples")
        if known is not None:
            return int(known.data["samples"])  # units of another size do not add up with those that are done
        left = max(deadline - time.monotonic(), 1e-3) / len(works)
        for w in works:
            inputs = list(w.inputs)
            budget = min(0.5, left / 4)
            width, letters, single, _ = self._probed[w.number]
            size = Schedule.of(samples, width, letters=letters).units[0]
            source = self._sessions[w.number].source
            rate = estimate_rate(source, inputs, w.seed, size=size, seconds=budget, single=single)
            if slowness(rate, samples, len(inputs), left):
                samples = min(samples, int(rate * left / len(inputs)))
            if samples < _LEAST:
                raise SpecError(
                    f"{w.subject.name}: {slowness(rate, _LEAST, len(inputs), left)}; give more seconds or a faster release"
                )
        if self._checkpoint is not None:
            self._checkpoint.save("samples", Record({"samples": samples}))
        return samples

    def rest(self, samples: int, open_jobs: set[int]) -> dict[int, Evidence]:
        """The evidence of all other checks."""
        out: dict[int, Evidence] = {}
        plans = [
            WorkProgress(
                *(w, sorted(open_jobs & w.counted.keys()), self._schedule(w, samples, open_jobs)),
                single=self._probed.get(w.number, Probed()).single,
            )
            for w in self.works
        ]
        plans = [p for p in plans if p.jobs]
        total, done = sum(p.steps for p in plans) or 1, 0
        start = _BETTING if any(w.bets for w in self.works) else _PROBED
        for group in groups(plans, self._executor.width):
            for p, step, result in self._stages(group):
                done += 1
                self._report(start + (1 - start) * min(done / total, 1.0), f"{step}: {p.work.subject.name}")
                if result is not None:
                    out.update(result)
        return out

    def _schedule(self, work: Work, samples: int, open_jobs: set[int]) -> Schedule:
        used = places(work, sampling(work, open_jobs))
        if not used:
            return Schedule((), ())
        width, letters, *_ = self._probed[work.number]
        known = has_density(work.subject, [work.inputs[p] for p in used], width)
        planned = Schedule.of(samples, width, known, letters)
        require_outcomes(sum(planned.learning) * len(used), width, letters, work.subject.name)
        return planned

    def _stages(
        self, group: Sequence[WorkProgress]
    ) -> Iterator[tuple[WorkProgress, str, dict[int, Evidence] | None]]:
        """All steps of several subjects, stage by stage."""
        by_work = {p.work.number: p for p in group}
        # Judgements of an earlier run make everything before them superfluous.
        for p in group:
            for j in list(p.jobs):
                evidence = self._kept(p.work, Judge(j))
                if evidence is not None:
                    p.jobs.remove(j)
                    yield p, "judged before", {j: evidence}
        exact = [Task(p.work, Judge(j)) for p in group for j in p.jobs if not p.work.places[j]]
        for task, result in self._run([*(t for p in group for t in p.calls()), *exact]):
            p = by_work[task.work.number]
            if isinstance(task.step, Draw):
                p.drawn[task.step.place, task.step.call] = result
                yield p, "sampling", None
            else:
                yield p, "computing", {task.step.job: result}  # type: ignore[attr-defined]
        again = [p for p in group if p.fails_at_times(self._sessions[p.work.number].source)]
        for p in again:
            p.single = True
        for task, result in self._run([t for p in again for t in p.calls()]):
            by_work[task.work.number].drawn[task.step.place, task.step.call] = result  # type: ignore[attr-defined]
            yield by_work[task.work.number], "sampling one by one", None
        for task, plan in self._run([t for p in group for t in p.lessons()]):
            by_work[task.work.number].plans[task.step.job] = plan  # type: ignore[attr-defined]
            yield by_work[task.work.number], "learning", None
        for p in group:
            p.drawn.clear()
        for task, counts in self._run([t for p in group for t in p.shards()]):
            by_work[task.work.number].counts[task.step.shard] = counts  # type: ignore[attr-defined]
            yield by_work[task.work.number], "sampling", None
        for task, evidence in self._run([t for p in group for t in p.judgements()]):
            yield by_work[task.work.number], "judging", {task.step.job: evidence}  # type: ignore[attr-defined]

    def _run(
        self, tasks: Sequence[Task], progress: Callable[[float], None] | None = None
    ) -> Iterator[tuple[Task, Any]]:
        """Results of steps: kept ones first, then the others as they are done, each kept before it is handed on."""
        waiting: list[Task] = []
        for task in tasks:
            kept = (
                None
                if isinstance(task.step, Draw) and task.work.subject.deterministic
                else self._kept(task.work, task.step)
            )
            if kept is None:
                waiting.append(task)
            else:
                yield task, kept
        home = [t for t in waiting if t.work.number in self._at_home]
        away = [t for t in waiting if t.work.number not in self._at_home]
        for executor, part in ((self._executor, away), (self._here, home)):
            for task, result in executor.run(part, progress) if part else ():
                self._keep(task.work, task.step, result)
                yield task, result

    def _kept(self, work: Work, step: Step) -> Any:
        if self._checkpoint is None or not step.kept:
            return None
        name = step.name(work.stream)
        record = self._checkpoint.load(name)
        if record is None:
            return None
        try:
            return step.restore(record)
        except (KeyError, TypeError, ValueError, AttributeError, IndexError):
            raise self._checkpoint.damaged(name) from None

    def _keep(self, work: Work, step: Step, result: Any) -> None:
        if self._checkpoint is None or not step.kept:
            return
        name = step.name(work.stream)
        if not isinstance(step, Draw) or not work.subject.deterministic:
            self._checkpoint.save(name, step.record(result))
            return
        # These outcomes can be drawn again: a digest is enough, and says whether they are still the same.
        before = self._checkpoint.load(name)
        if before is None:
            self._checkpoint.save(name, Record({"digest": digest(result)}))
        elif before.data != {"digest": digest(result)}:
            raise SpecError(
                f"{work.subject.name}: the release gives other outcomes than when this checkpoint was begun, for the same seed: something that "
                "it uses has changed, or it has randomness or a state of its own (declare that: deterministic=False). To start again, "
                "remove the folder (the command does it with --fresh)",
                file=str(self._checkpoint.folder),
            )


def evidence_of(
    works: Sequence[Work],
    make: Callable[[dict[int, Session]], Executor],
    checkpoint: Checkpoint | None,
    samples: int,
    seconds: float | None,
    report: Report,
) -> tuple[dict[int, Evidence], tuple[str, ...]]:
    """The evidence of every check, by number, and what is to be noted; claims that a bet has refuted get no further samples."""
    with ExitStack() as stack:
        trial = Trial(stack, works, make, checkpoint, report)
        deadline = None if seconds is None else time.monotonic() + seconds
        found = trial.bets(samples, deadline)
        checks = {j: check for w in works for j, check in w.counted.items()}
        claims = {j: check.claim for w in works for j, check in w.bets.items()}
        fallen = {claims[j] for j, e in found.items() if e.verdict is Verdict.REFUTED}
        open_jobs = {j for j, c in checks.items() if not (c.claim in fallen and c.inputs())}
        affordable = trial.affordable(
            samples, deadline, {j for j in open_jobs if checks[j].claim not in fallen}
        )
        return found | trial.rest(affordable, open_jobs), trial.notes
