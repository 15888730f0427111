"""Which pairs are tried and how many calls each of them gets: races, generations, a final."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from ....mechanisms.mechanism import Subject
from ....symbolic.domains.candidate import Candidate
from ..outcomes import Outcomes, join
from ..sampling import draw, require_values
from ..schedule.reached import Reached
from .ascent import climb
from .patterns import patterns
from .result import FoundPair, SearchResult
from .separation import separation
from .space import PairSpace
from .variation import Breeder

Progress = Callable[[float, str], None]
Draw = Callable[[Any, int, Sequence[int], int], Outcomes]

STREAM = 2**31 + 1  # the first entry of all spawn keys of the search
_FIRST_STAGE, _LAST_STAGE = 0.3, 0.15  # shares of the calls
_FIRST = 24  # outcomes per input of a new pair
_GROWTH, _ROUNDS = 3, 2  # how many times as many those get that go on, and how often
_POPULATION, _LEADERS, _FINALISTS = 24, 12, 6
_CHILDREN, _IMMIGRANTS, _CLIMB_EVERY = 16, 10, 4  # of a generation
_CLIMBS = 5  # gradients in a row
_STEPS = (0.02, 0.1, 0.3)  # shares of the width of the domain
_CAUTION = 1.5  # standard errors that are taken off an estimate
_IDLE = 20  # generations without a new pair: all of a small space has been seen


@dataclass(eq=False)
class _Entry:
    """A pair in the running: its outcomes so far (until it drops out) and its score."""

    candidate: Candidate
    made_by: str
    outcomes: list[Outcomes] | None = None
    score: float = -np.inf

    @property
    def drawn(self) -> int:
        return len(self.outcomes[0]) if self.outcomes else 0


class Evolution:
    """One search: `samples` outcomes at most, all randomness from `seed`."""

    def __init__(
        self, space: PairSpace, subject: Subject, *, seed: int, samples: int, delta: float, report: Progress
    ) -> None:
        self.space, self.subject, self.seed, self.samples = space, subject, seed, samples
        self.code = Reached([subject])  # before a call can move what it holds
        self.delta, self.report = delta, report
        self.draw: Draw = partial(draw, subject)
        self.rng = np.random.default_rng(np.random.SeedSequence(entropy=seed, spawn_key=(STREAM,)))
        # Many pairs a little rather than few well: the good ones get more later.
        self.first, self.enough = _FIRST, _FIRST * _GROWTH**_ROUNDS
        self.limit = self.calls = self.batch = self.discarded = self.roots = 0
        self.population: list[_Entry] = []
        self.seen: set[object] = set()
        self.tried = dict.fromkeys(("patterns", "random draws", "evolution", "gradient ascent"), 0)
        self.history: list[tuple[int, float]] = []
        self.with_law: Subject | None = None

    def run(self, given: Sequence[Candidate], pairs: int) -> SearchResult:
        """Given pairs, patterns and random pairs race; the best breed; finalists get the last calls."""
        self.limit = int(_FIRST_STAGE * self.samples)
        room = max(6, int(0.6 * self.limit / (6 * self.first)))
        known = [*given, *patterns(self.space, self.rng, room)]
        self.with_law = self._law(known[0])
        self._race(known, "patterns")
        require_values(self.subject, [s for e in self.population for s in e.outcomes or []])
        self._race([self.space.random(self.rng) for _ in range(room // 3)], "random draws")
        self.limit = int((1 - _LAST_STAGE) * self.samples)
        self._evolve()
        self.limit = self.samples
        return self._finish(pairs)

    def _law(self, candidate: Candidate) -> Subject | None:
        """The subject if it has a log density that reads its own outcomes."""
        inputs = self.space.inputs(candidate)
        sample = self.draw(inputs[0], 4, (STREAM, 0, 0, 0), self.seed)
        try:
            known = all(self.subject.log_density(sample.values, x) is not None for x in inputs)
        except (ValueError, TypeError, IndexError):
            return None
        return self.subject if known else None

    def _race(self, candidates: Sequence[Candidate], made_by: str) -> list[_Entry | None]:
        """Successive halving: all get few outcomes, the best third three times as many, and so on."""
        entries = self._admitted(candidates, made_by)
        running = [e for e in entries if e is not None]
        size = self.first
        while running and self._extend(running, size) and size < self.enough:
            bar = (
                self.population[_POPULATION // 2].score
                if len(self.population) > _POPULATION // 2
                else -np.inf
            )
            best = sorted((e for e in running if e.score > bar), key=lambda e: -e.score)
            running, size = best[: max(1, len(running) // 3)], size * _GROWTH
        self._keep([e for e in entries if e is not None and e.outcomes])
        return entries

    def _admitted(self, candidates: Sequence[Candidate], made_by: str) -> list[_Entry | None]:
        """New pairs that the independent test admits, in order; None for the others."""
        entries: list[_Entry | None] = []
        for candidate in candidates:
            inputs = self.space.inputs(candidate)
            key = self.space.key(inputs)
            fresh = key not in self.seen
            self.seen.add(key)
            admitted = fresh and self.space.admits(*inputs)
            self.discarded += fresh and not admitted
            if candidate.root < 0:
                self.roots += 1
                candidate = replace(candidate, root=self.roots)
            entries.append(_Entry(candidate, made_by) if admitted else None)
        return entries

    def _extend(
        self, entries: Sequence[_Entry], size: int = 0, more: int = 0, same_luck: bool = False
    ) -> bool:
        """Draw `more` outcomes per input of each entry, or up to `size`; False if the calls are spent.

        `same_luck` draws them for all entries from the same new streams, so that noise cancels in differences of their
        scores.  Otherwise each has its own: a lucky stream must not lift a whole generation.
        """
        self.batch += 1
        for number, entry in enumerate(entries):
            missing = more or size - entry.drawn
            if missing <= 0:
                continue
            if self.calls + 2 * missing > self.limit:
                return False
            self.tried[entry.made_by] += not entry.outcomes
            inputs, place = self.space.inputs(entry.candidate), 0 if same_luck else number
            new = [
                self.draw(x, missing, (STREAM, self.batch, place, i), self.seed) for i, x in enumerate(inputs)
            ]
            self.calls += 2 * missing
            old = entry.outcomes
            entry.outcomes = [join([a, b]) for a, b in zip(old, new, strict=True)] if old else new
            entry.score = self._score(entry)
        return True

    def _score(self, entry: _Entry, caution: float = _CAUTION) -> float:
        assert entry.outcomes is not None
        inputs = self.space.inputs(entry.candidate)
        return separation(
            *entry.outcomes, delta=self.delta, caution=caution, subject=self.with_law, inputs=inputs
        )

    def _keep(self, entries: Sequence[_Entry]) -> None:
        """The best stay, at most a third of them from one ancestor; the others give their outcomes back."""
        ranked = sorted([*self.population, *entries], key=lambda e: -e.score)
        count: dict[int, int] = {}
        self.population = []
        for entry in ranked:
            root = entry.candidate.root
            if len(self.population) < _POPULATION and count.get(root, 0) < _POPULATION // 3:
                count[root] = count.get(root, 0) + 1
                self.population.append(entry)
            else:
                entry.outcomes = None
        if self.population:
            self.history.append((self.calls, self.population[0].score))
        number = sum(self.tried.values())
        self.report(0.99 * self.calls / self.samples, f"searching neighbours: {number} pairs tried")

    def _evolve(self) -> None:
        """Generations of children, new random pairs and uphill steps, until the calls are spent."""
        breeder = Breeder(self.space, self.rng)
        generation, idle = 0, 0
        while self.calls + 2 * self.first <= self.limit and idle < _IDLE:
            generation, before = generation + 1, self.calls
            parents = [self._parent() for _ in range(_CHILDREN)]
            bred = [
                breeder.child(p.candidate, self._parent().candidate, float(self.rng.choice(_STEPS)))
                for p in parents
            ]
            bars = [p.score for p in parents]
            entries = self._race([child for child, _ in bred], "evolution")
            for entry, bar, (_, used) in zip(entries, bars, bred, strict=True):
                breeder.credit(used, entry is not None and entry.score > bar)
            self._race([self.space.random(self.rng) for _ in range(_IMMIGRANTS)], "random draws")
            if generation % _CLIMB_EVERY == 0:
                self._climb(self._parent().candidate, float(self.rng.choice(_STEPS)))
            self._confirm()
            self._keep([])
            idle = idle + 1 if self.calls == before else 0

    def _confirm(self) -> None:
        """The leaders lead by luck in part: some get more outcomes, the first most of all."""
        for leaders, enough, count in ((_LEADERS, self.enough, 3), (_LEADERS // 4, self.enough * _GROWTH, 1)):
            for entry in [e for e in self.population[:leaders] if e.drawn < enough][:count]:
                self._extend([entry], entry.drawn * _GROWTH)

    def _climb(self, start: Candidate, step: float) -> None:
        """Uphill as long as it goes up, a few times."""
        here: Candidate | None = start
        for _ in range(_CLIMBS):
            here = climb(here, self.space, self._assess, self.rng, step) if here is not None else None

    def _assess(self, candidates: Sequence[Candidate]) -> list[float | None]:
        """The scores of some candidates, which enter the population if they are good."""
        entries = self._admitted(candidates, "gradient ascent")
        self._extend([e for e in entries if e is not None], self.first * _GROWTH, same_luck=True)
        found = [e.score if e is not None and e.outcomes else None for e in entries]
        self._keep([e for e in entries if e is not None and e.outcomes])
        return found

    def _parent(self) -> _Entry:
        """The better of two drawn from the population."""
        i, j = self.rng.integers(len(self.population), size=2)
        return self.population[min(int(i), int(j))]

    def _finish(self, pairs: int) -> SearchResult:
        """Two rounds for the finalists; the best are handed on, of different ancestry where there are several."""
        finalists = self.population[: max(_FINALISTS, 3 * pairs)]
        for share, kept in ((0.5, max(3, 2 * pairs)), (1.0, pairs)):
            self._extend(finalists, more=int(share * (self.limit - self.calls)) // (2 * len(finalists)))
            finalists.sort(key=lambda e: -e.score)
            first: dict[int, _Entry] = {}
            for entry in finalists:
                first.setdefault(entry.candidate.root, entry)
            rest = [e for e in finalists if first[e.candidate.root] is not e]
            finalists = [*first.values(), *rest][:kept]
        self.report(1.0, "neighbours found")
        return SearchResult(
            self.subject,
            tuple(self._found(e) for e in finalists),
            self.space,
            self.calls,
            dict(self.tried),
            self.discarded,
            self.seed,
            self.delta,
            tuple(self.history),
            self.samples,
            self.code,
        )

    def _found(self, entry: _Entry) -> FoundPair:
        kinds = sorted({kind for sample in entry.outcomes or [] for kind in sample.kinds.counts()})
        odd = tuple(kind.removeprefix("raises ") for kind in kinds if kind.startswith("raises "))
        score = self._score(entry, caution=0.0)
        return FoundPair(self.space.inputs(entry.candidate), score, entry.drawn, entry.candidate.origin, odd)
