"""The distinguisher: events {score > t} on the code's outcomes against the whole claimed privacy curve."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from ...record.evidence import Evidence, Kind, Sentence, Verdict
from ...record.plain import plain, shown
from ..attack.bounds_table import bounds_table
from ..attack.dependence import BY_CALLS, CallCounts, call_bounds, call_boxes, calls_exceed, depends, directed
from ..attack.event_bound import EventTest
from ..attack.events import Event, intervals, taught_again
from ..attack.rate_boxes import RateBoxes
from ..attack.scores import Score
from ..check import Counted, Counts
from ..outcomes import Grid, Kinds, Outcomes, thin
from .distinguisher import MAIN_SHARE, Distinguisher
from .privacy_figures import privacy_figures

_SHOWN = 3_000  # outcomes per input that show where the events of one number lie
CHOOSING = 3_000  # outcomes per input that choose a threshold of a known density: more would change little

_CALLS_MAIN = 0.7  # of alpha for what calls say of the main event; the rest for the others, which are tested in two ways


@dataclass(frozen=True)
class ChosenEvents:
    """The main event with its point of the claimed curve, and other events that are counted beside it.

    Of `learnt` outcomes per input that were set aside, `choosing` chose the events.
    """

    grid: Grid
    scores: tuple[Score, ...]
    events: tuple[Event, ...]
    epsilon: float
    delta: float
    learnt: int
    choosing: int
    kind: str
    blind: bool = False
    hidden: str = ""


class LikelihoodRatio(Distinguisher, Counted):
    """Exact joint tests over all epsilons and both orders of one pair of neighbours."""

    name: ClassVar[str] = "likelihood ratio"
    kind: ClassVar[Kind] = "attack"
    sentence: ClassVar[Sentence] = "code"

    def learn(
        self, sample: Sequence[Outcomes], counted: float | None = None, alpha: float = 0.05
    ) -> ChosenEvents:
        """The event for a test on `counted` outcomes per input, three times the sample if not given."""
        drawn = min(len(s) for s in sample)
        if self._law_score(sample) is not None:
            sample = [s[:CHOOSING] for s in sample]
        grid, both = self.rounded(sample)
        scores, candidates = self.candidates(both)
        size = min(len(s) for s in both)
        if not len(candidates):
            # One and the same outcome on both inputs leaves nothing to tell apart; outcomes that never repeat and hold
            # no numbers leave nothing to count.
            blind = len(np.unique(np.concatenate([s.keys() for s in both]))) > 1
            nothing = Score("constant", lambda o: np.zeros(len(o)))
            return ChosenEvents(
                grid, (nothing,), (Event(0, 0.0),), 0.0, self.claimed.fixed or 0.0, drawn, size, "", blind
            )
        if self.claimed.fixed is not None:
            event = candidates.best_bound(self.claimed.fixed, counted or 3.0 * drawn, alpha)
            epsilon, delta = self.guarantee.epsilon, self.claimed.fixed  # type: ignore[attr-defined]
        else:
            event, place = candidates.best_point(self.claimed.epsilon, self.claimed.delta)
            epsilon, delta = float(self.claimed.epsilon[place]), float(self.claimed.delta[place])
        events = [event, *(e for e in candidates.spread(event.score) if e != event)]
        final, events = taught_again(candidates, scores, events, both)
        kind = ""
        if (
            both[0].values.shape[1] == 1
            and len(both[0].kinds.names) == 1
            and both[0].kinds.names == both[1].kinds.names
        ):
            kind, distinct = (
                both[0].kinds.names[0],
                np.unique(np.concatenate([thin(s.values[:, 0], _SHOWN) for s in both])),
            )
            pooled = Outcomes(distinct[:, None], Kinds.same(kind, len(distinct)))
            known = {i: final[i].of(pooled) for i in {e.score for e in events}}
            events = [replace(e, intervals=intervals(distinct, known[e.score], e.threshold)) for e in events]
        return ChosenEvents(
            grid, tuple(final), tuple(events), epsilon, delta, drawn, size, kind, hidden=self.hidden(both)
        )

    def count(self, plan: ChosenEvents, unit: Sequence[Outcomes]) -> Counts:
        """Per input: how many outcomes lie in each {score > t}, squares of these over the outcomes, outcomes, units."""
        rows: list[list[float]] = []
        for sample in unit:
            above = self._above(plan, sample)
            rows.append([*above, *(k * k / len(sample) for k in above), len(sample), 1.0])
        return np.array(rows, dtype=float)

    def _above(self, plan: ChosenEvents, sample: Outcomes) -> list[float]:
        """How many outcomes lie in each event: numbers of the usual structure by their place on the line, all others by their score."""
        inside, rest = [0] * len(plan.events), sample
        if plan.kind in sample.kinds.names and all(e.intervals is not None for e in plan.events):
            whole = len(sample.kinds.names) == 1
            place = sample.kinds.names.index(plan.kind)
            usual = sample if whole else sample[sample.kinds.codes == place]
            values = np.ascontiguousarray(usual.values[:, 0])
            inside = [e.inside(values) for e in plan.events]
            if whole:
                return [float(k) for k in inside]
            rest = sample[sample.kinds.codes != place]
        rounded = plan.grid.round(rest)
        scores = {i: plan.scores[i].of(rounded) for i in {e.score for e in plan.events}}
        return [float(k + e.above(scores[e.score])) for k, e in zip(inside, plan.events, strict=True)]

    def judge(self, plan: ChosenEvents, counts: Counts | None, alpha: float) -> Evidence:
        assert counts is not None
        zero, one = (CallCounts.of(row) for row in counts)
        k0, k1, n0, n1 = zero.k, one.k, int(zero.n), int(one.n)
        swapped, events = plan.events[0].swapped, len(plan.events)
        test = EventTest(directed(swapped, zero, one), plan.delta, MAIN_SHARE * alpha)
        exact = test.lower_bound()
        found = test.refutes(plan.epsilon, exact)
        exact = max(exact, plan.epsilon) if found else exact
        # Exact tests take outcomes for independent; calls, which are, must bear what they say.
        point, error = (plan.epsilon, plan.delta), (1 - MAIN_SHARE) * alpha
        borne = float(call_bounds(zero, one, point, _CALLS_MAIN * alpha)[int(swapped), 0])
        excess = RateBoxes.of(k0, n0, k1, n1, error).delta(self.claimed.epsilon) - self.claimed.delta
        broken = int(np.argmax(excess))
        seen = found or bool(excess[broken] > 0)
        found = found and borne > plan.epsilon
        worst = (float(self.claimed.epsilon[broken]), float(self.claimed.delta[broken]))
        exceeded = excess[broken] > 0 and calls_exceed(zero, one, worst, (1 - _CALLS_MAIN) / 2 * alpha)
        boxes = call_boxes(zero, one, error)
        certified = max(
            min(exact, borne), boxes.epsilon(plan.delta), plan.epsilon * (exceeded and worst == point)
        )
        # NaN is a curve that could not be evaluated: no evidence for anything.
        known = bool(np.isfinite(self.claimed.delta).all())
        refuted = known and (found or exceeded)
        doubted = seen and not (found or exceeded)
        dependent = [
            name
            for name, row in (("0", counts[0]), ("1", counts[1]))
            if depends(row[:events], row[events:-2], float(row[-2]), float(row[-1]))
        ]
        # What was seen in calls to learn from and in no call since was no event of single outcomes.
        idle = plan.scores[0].name != "constant" and not np.any((k0 + k1) % (n0 + n1))
        plan = replace(plan, blind=plan.blind or idle)
        toothless = not self._could_refute(n0, n1, alpha)
        silent = plan.blind or toothless or not known or bool(dependent) or doubted
        verdict = Verdict.UNDECIDED if silent else Verdict.REFUTED if refuted else Verdict.SURVIVED
        weak = ""
        if verdict is Verdict.SURVIVED:
            weak = plan.hidden or self._misses_half_noise(plan.choosing, n1, alpha)
        verdict = Verdict.UNDECIDED if weak else verdict
        witness = None
        if verdict is Verdict.REFUTED:
            witness = self._witness(plan, test, (zero, one), alpha, None if found else broken)
        # Outcomes that depend on each other bound nothing.
        table, series = (), ()
        if not dependent:
            table = bounds_table(self.claimed, plan.delta, certified, boxes, (n0, n1), test.alpha)
            series = privacy_figures(self.subject, self.claimed, boxes, (plan.delta, certified))
        return self.evidence(
            verdict,
            f"no event tells the two inputs apart better than {self.guarantee.sentence()} allows",
            weak + self._detail(plan, test, certified, dependent, toothless, doubted),
            error=alpha,
            witness=witness,
            resolution=self.resolution(plan.choosing, n1, alpha, (k0 / n0, k1 / n1))
            if verdict is Verdict.SURVIVED
            else None,
            series=series,
            bounds=table,
        )

    def _detail(
        self,
        plan: ChosenEvents,
        test: EventTest,
        certified: float,
        dependent: Sequence[str],
        toothless: bool,
        doubted: bool,
    ) -> str:
        c, event = test.count, plan.events[0]
        n0, n1 = (c.n, c.m) if event.swapped else (c.m, c.n)
        sign = "at most" if event.swapped else "above"
        words = (
            f"{n0 + plan.learnt:,} outcomes on input 0 and {n1 + plan.learnt:,} on input 1, of which {plan.learnt:,} each chose "
            f"the events; the event ({plan.scores[event.score].said} {sign} {event.threshold:.6g}) happened "
            f"{c.k:,} times in {c.n:,} on input {0 if event.swapped else 1} and {c.l:,} times in {c.m:,} on input {1 if event.swapped else 0}"
        )
        if not dependent:
            words += f"; at delta = {plan.delta:g} epsilon is certainly at least {certified:.4g}, where the claim allows {plan.epsilon:.4g}"
        if plan.blind:
            words = f"no event could be learnt, since outcomes never repeat and hold no numbers, or those of one call depend on each other: none was tested; {words}"
        if dependent:
            words = (
                f"outcomes of one call depend on each other on input {' and '.join(dependent)}: counts vary more between calls than "
                f"independent outcomes could, so that no test applies; draw every outcome independently; {words}"
            )
        elif doubted:
            words = f"counted one by one the outcomes refute the claim, counted {BY_CALLS}; {words}"
        if toothless:
            words = f"the claim allows so much that even outcomes which give the input away would not refute it at this sample size; {words}"
        return words

    def _witness(
        self, plan: ChosenEvents, test: EventTest, sides: Sequence[CallCounts], alpha: float, at: int | None
    ) -> dict[str, Any]:
        claim = {
            "predicate": type(self.guarantee).__name__,
            "parameters": plain(self.guarantee.parameters()),
            "inputs": shown(self.pair),
            "alpha": alpha,
        }
        if at is None:
            event = plan.events[0]
            return {
                "kind": "event",
                **claim,
                "score": plan.scores[event.score].said,
                "threshold": event.threshold,
                "p_is_input": 0 if event.swapped else 1,
                "count": plain(vars(test.count)),
                "epsilon": plan.epsilon,
                "delta": plan.delta,
                "level": MAIN_SHARE * alpha,
            }
        return {
            "kind": "rate boxes",
            **claim,
            "events": [{"score": plan.scores[e.score].said, "threshold": e.threshold} for e in plan.events],
            "k0": sides[0].k.tolist(),
            "n0": int(sides[0].n),
            "k1": sides[1].k.tolist(),
            "n1": int(sides[1].n),
            "epsilon": float(self.claimed.epsilon[at]),
            "delta": float(self.claimed.delta[at]),
            "level": (1 - MAIN_SHARE) * alpha,
        }
