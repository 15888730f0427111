"""The outcomes of an audit: every release probed first, each unit drawn once and shown to all checks that want it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from typing import Any

from ..symbolic.claim import Claim
from .check import Check, Counts
from .checks.sequential import Sequential
from .errors import SpecError
from .evidence import Evidence
from .isolation.isolated import Isolated, estimate_rate, slowness
from .sampling import Schedule, draw, fingerprint, has_density, learning_part, probe, require_values

Progress = Callable[[float, str], None]

_BETTING_STREAM = 2**30  # no unit of the other checks has this number
_LEAST = 100


class Drawing:
    """The subjects of an audit that must be sampled, at which inputs, and their checks.

    Raises SpecError from the start if a release fails on all inputs, changes its input, or hangs.
    """

    def __init__(self, stack: ExitStack, jobs: Sequence[tuple[int, Check]], claims: Sequence[Claim],
                 subjects: Sequence[Any], seed: int, call_seconds: float | None) -> None:  # fmt: skip
        self.jobs, self.claims, self.seed = jobs, claims, seed
        self.wanted: dict[int, dict[str, Any]] = {}
        for i, check in jobs:
            for index in _needs(check):
                self.wanted.setdefault(id(claims[i].subject), {}).setdefault(fingerprint(index), index)
        self.subjects = [s for s in subjects if id(s) in self.wanted]
        self.sources: dict[int, Any] = {
            id(s): s if call_seconds is None
            else stack.enter_context(Isolated(s, call_seconds, list(self.wanted[id(s)].values())))
            for s in self.subjects
        }  # fmt: skip
        # Every release is probed before any long work starts.
        self.widths = {
            id(s): probe(self.sources[id(s)], list(self.wanted[id(s)].values()), seed) for s in self.subjects
        }

    def bets(
        self, samples: int, alpha: float, deadline: float | None, report: Progress
    ) -> Iterator[tuple[int, Evidence]]:
        """The evidence of the sequential checks, which draw for themselves; the time left is shared evenly."""
        mine = [(j, i, check) for j, (i, check) in enumerate(self.jobs) if isinstance(check, Sequential)]
        for done, (j, i, check) in enumerate(mine):
            source = self.sources[id(self.claims[i].subject)]

            def take(x: Any, size: int, stream: tuple[int, ...], source: Any = source, j: int = j) -> Any:
                return draw(source, x, size, (_BETTING_STREAM, j, *stream), self.seed)

            def progress(fraction: float, done: int = done, name: str = source.name) -> None:
                report(0.45 * (done + fraction) / len(mine), f"betting: {name}")

            until = None
            if deadline is not None:
                now = time.monotonic()
                until = now + (deadline - now) / (len(mine) - done + 1)
            yield j, check.run(take, samples, alpha, until, progress)

    def affordable(self, samples: int, deadline: float | None, open_jobs: set[int]) -> int:
        """How many samples per input the other checks may draw, decided before any of them is drawn.

        Raises SpecError if the time left does not even allow a hundred.
        """
        subjects = [s for s in self.subjects if self._checks_of(s, open_jobs)]
        if deadline is None or not subjects:
            return samples
        left = max(deadline - time.monotonic(), 1e-3) / len(subjects)
        for s in subjects:
            inputs = list(self.wanted[id(s)].values())
            rate = estimate_rate(self.sources[id(s)], inputs, self.seed, seconds=min(0.5, left / 4))
            if slowness(rate, samples, len(inputs), left):
                samples = min(samples, int(rate * left / len(inputs)))
            if samples < _LEAST:
                raise SpecError(
                    f"{s.name}: {slowness(rate, _LEAST, len(inputs), left)}; give more seconds or a faster release"
                )
        return samples

    def counts(self, samples: int, open_jobs: set[int], report: Progress) -> dict[int, tuple[Any, Counts]]:
        """Learn and count for all checks that look at outcomes; each unit of outcomes is drawn once and shown to all of them."""
        out: dict[int, tuple[Any, Counts]] = {}
        for number, subject in enumerate(self.subjects):
            mine = self._checks_of(subject, open_jobs)
            if not mine:
                continue
            source, inputs = self.sources[id(subject)], self.wanted[id(subject)]
            used = {key for _, _, keys in mine for key in keys}
            places = {key: (place, x) for place, (key, x) in enumerate(inputs.items()) if key in used}
            width = self.widths[id(subject)]
            known = has_density(subject, [x for _, x in places.values()], width)
            schedule = Schedule.of(samples, width, known)
            learnt = {
                key: learning_part(source, x, schedule, (number, place), self.seed)
                for key, (place, x) in places.items()
            }
            require_values(subject, list(learnt.values()))
            plans = {j: check.learn([learnt[k] for k in keys]) for j, check, keys in mine}
            totals: dict[int, Counts] = {}
            for unit, size in enumerate(schedule.units):
                report(
                    0.9 * (number + unit / len(schedule.units)) / max(len(self.subjects), 1),
                    f"sampling: {subject.name}",
                )
                drawn = {
                    key: draw(source, x, size, (number, place, unit + 1), self.seed)
                    for key, (place, x) in places.items()
                }
                for j, check, keys in mine:
                    counts = check.count(plans[j], [drawn[k] for k in keys])
                    totals[j] = counts if j not in totals else totals[j] + counts
            out.update({j: (plans[j], totals[j]) for j, _, _ in mine})
        return out

    def _checks_of(self, subject: Any, open_jobs: set[int]) -> list[tuple[int, Check, list[str]]]:
        return [
            (j, check, [fingerprint(x) for x in check.inputs()])
            for j, (i, check) in enumerate(self.jobs)
            if j in open_jobs and self.claims[i].subject is subject and check.inputs()
        ]


def _needs(check: Check) -> tuple[Any, ...]:
    return check.pair if isinstance(check, Sequential) else check.inputs()
