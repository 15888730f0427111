"""The distinguisher: events {score > t} on the code's outcomes against the whole claimed privacy curve."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ...record.evidence import Evidence, Measured, Verdict
from ...record.plain import plain, shown
from ..attack.bounds_table import bounds_table
from ..attack.dependence import BY_CALLS, CallCounts, borne, call_boxes, calls_exceed, depends, directed
from ..attack.event_bound import EventCount, EventTest
from ..attack.events import BOXES_SHARE, Event, intervals, taught_again
from ..attack.planted import EVERY, MOST, Planted
from ..attack.rate_boxes import RateBoxes
from ..attack.read import unread_relations
from ..attack.read.sentences import said, some
from ..attack.scores import ALONE, PLACED, REPEATED, Score
from ..check import Counted, Counts
from ..outcomes import Grid, Kinds, Outcomes, join, of_distinct, thin
from .distinguisher import ALLOWS_ALL, Distinguisher, rounding
from .privacy_figures import privacy_figures

_OF_WORDS = ("the outcome contains", "the outcome hides")  # sentences that no rounding of numbers touches
_SHOWN = 3_000  # outcomes per input that show where the events of one number lie
_BLIND = "no event could be learnt, since outcomes never repeat and hold no numbers, or those of one call depend on each other: none was tested"
CHOOSING = 3_000  # outcomes per input that choose a threshold of a known density: more would change little


@dataclass(frozen=True)
class ChosenEvents:
    """The main event with its point of the claimed curve, and other events that are counted beside it.

    Of `learnt` outcomes per input that were set aside, `choosing` chose the events; `single` of these are tested one by one.
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
    single: int = 1
    planted: tuple[Planted, ...] = ()
    hidden: str = ""
    unread: str = ""  # relations inside an outcome
    shown: tuple[Outcomes, ...] = ()  # some that were learnt from, where no law is known
    rounding: str = ""  # of the numbers that are counted, in words

    def said(self, event: Event, refuted: bool) -> str:
        """The event as a sentence where it refutes and what is read allows one, otherwise by its score."""
        words = said(self.scores[event.score], event, self.shown if refuted else ())
        of_numbers = event.intervals is None and not words.startswith(_OF_WORDS)
        return words + self.rounding if refuted and of_numbers else words


class LikelihoodRatio(Distinguisher, Counted):
    """Exact joint tests over all epsilons and both orders of one pair of neighbours."""

    name: ClassVar[str] = "likelihood ratio"

    def learn(
        self, sample: Sequence[Outcomes], counted: float | None = None, alpha: float = 0.05
    ) -> ChosenEvents:
        """The event for a test on `counted` outcomes per input, three times the sample if not given."""
        drawn = min(len(s) for s in sample)
        counted = counted or 3.0 * drawn
        lawful = self._law_score(sample) is not None
        if lawful:
            sample = [s[:CHOOSING] for s in sample]
        # A declared law says more than leaks do: few outcomes are enough for these.
        planted = EVERY if lawful else MOST
        grid, both = self.rounded(sample)
        scores, candidates = self.candidates(both)
        size = min(len(s) for s in both)
        if not len(candidates):
            # One and the same outcome on both inputs leaves nothing to tell apart; outcomes that never repeat and hold
            # no numbers leave nothing to count.
            blind = len(np.unique(np.concatenate([s.keys() for s in both]))) > 1
            nothing = Score("constant", lambda o: np.zeros(len(o)))
            return ChosenEvents(
                *(grid, (nothing,), (Event(0, 0.0),), 0.0, self.claimed.fixed or 0.0, drawn, size, "", blind),
                planted=() if blind else self.planted(both, counted, alpha, scores, planted),
            )
        chosen, epsilon, delta = self.chosen(candidates, counted, alpha)
        # What is about to fall needs no resolution.
        falls = any(candidates.clear(event, epsilon, delta) for event in chosen)
        events = list(dict.fromkeys([*chosen, *candidates.spread(chosen[0].score)]))
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
            # What is said by the outcomes themselves is counted by them, and not by what lies around them.
            events = [
                e
                if final[e.score].name in (REPEATED, PLACED, ALONE)
                else replace(e, intervals=intervals(distinct, known[e.score], e.threshold))
                for e in events
            ]
        return ChosenEvents(
            *(grid, tuple(final), tuple(events), epsilon, delta, drawn, size, kind),
            single=len(chosen),
            hidden=self.hidden(both),
            unread="" if lawful else unread_relations(both),
            shown=() if lawful else tuple(some(s, [final[e.score] for e in chosen]) for s in both),
            rounding="" if lawful else rounding(grid, sample, both),
            planted=() if falls else self.planted(both, counted, alpha, scores, planted),
        )

    def count(self, plan: ChosenEvents, unit: Sequence[Outcomes], rng: np.random.Generator) -> Counts:
        return self.count_calls(plan, [unit], [rng])

    def count_calls(
        self, plan: ChosenEvents, units: Sequence[Sequence[Outcomes]], streams: Iterable[np.random.Generator]
    ) -> Counts:
        """Per input: how many outcomes lie in each {score > t}, squares of these over the outcomes, outcomes, units."""
        rows: list[list[float]] = []
        for calls in zip(*units, strict=True):
            sizes = np.array([len(call) for call in calls])
            starts = np.cumsum(sizes) - sizes
            k = np.add.reduceat(self._above(plan, join(calls)), starts, axis=1, dtype=float)
            rows.append([*k.sum(axis=1), *(k * k / sizes).sum(axis=1), sizes.sum(), len(sizes)])
        return np.array(rows, dtype=float)

    def _above(self, plan: ChosenEvents, sample: Outcomes) -> NDArray[np.bool_]:
        """Which outcomes lie in each event: numbers of the usual structure by their place on the line, all others by their score."""
        out = np.zeros((len(plan.events), len(sample)), dtype=bool)
        rest = np.ones(len(sample), dtype=bool)
        if all(e.intervals is not None for e in plan.events):
            rest = ~sample.kinds.are(plan.kind)
            values = np.ascontiguousarray(sample.values[~rest, 0])
            out[:, ~rest] = [event.inside(values) for event in plan.events]
        if rest.any():
            rounded = plan.grid.round(sample if rest.all() else sample[rest])
            scores = {i: of_distinct(plan.scores[i].of, rounded) for i in {e.score for e in plan.events}}
            out[:, rest] = [event.above(scores[event.score]) for event in plan.events]
        return out

    def judge(self, plan: ChosenEvents, counts: Counts | None, alpha: float) -> Evidence:
        assert counts is not None
        zero, one = (CallCounts.of(row) for row in counts)
        k0, k1, n0, n1 = zero.k, one.k, int(zero.n), int(one.n)
        events, found = len(plan.events), _sharpest(plan, zero, one, alpha)
        exact = RateBoxes.of(k0, n0, k1, n1, BOXES_SHARE * alpha)
        excess = exact.delta(self.claimed.epsilon) - self.claimed.delta
        broken = int(np.argmax(excess))
        seen = found.seen or bool(excess[broken] > 0)
        worst = (float(self.claimed.epsilon[broken]), float(self.claimed.delta[broken]))
        exceeded = bool(excess[broken] > 0) and calls_exceed(zero, one, worst, BOXES_SHARE * alpha / 2)
        boxes = call_boxes(zero, one, BOXES_SHARE * alpha)
        certified = max(found.certain, boxes.epsilon(plan.delta))
        if exceeded and worst == (plan.epsilon, plan.delta):
            certified = max(certified, plan.epsilon)
        # NaN is a curve that could not be evaluated: no evidence for anything.
        known = bool(np.isfinite(self.claimed.delta).all())
        refuted = known and (found.refutes or exceeded)
        doubted = seen and not (found.refutes or exceeded)
        dependent = [
            name
            for name, row in (("0", counts[0]), ("1", counts[1]))
            if depends(row[:events], row[events:-2], float(row[-2]), float(row[-1]))
        ]
        # What was seen in calls to learn from and in no call since was no event of single outcomes.
        idle = plan.scores[0].name != "constant" and not np.any((k0 + k1) % (n0 + n1))
        plan = replace(plan, blind=plan.blind or idle)
        powerless = not self._could_refute(n0, n1, alpha)
        silent = plan.blind or powerless or not known or bool(dependent) or doubted
        verdict = Verdict.UNDECIDED if silent else Verdict.REFUTED if refuted else Verdict.SURVIVED
        weak, resolution = "", None
        if powerless:
            weak = self._would_refute(min(n0, n1), plan.learnt, alpha)
        if verdict is Verdict.SURVIVED:
            seen_rates, share = (k0 / n0, k1 / n1), plan.events[0].share
            resolution, weak = self.worth(plan.planted, plan.choosing, n1, alpha, seen_rates, share)
            if plan.hidden:
                resolution, weak = None, plan.hidden
        verdict = Verdict.UNDECIDED if weak else verdict
        witness, told = None, _Told.of(plan.events[found.at], found.test.count)
        if verdict is Verdict.REFUTED and not found.refutes:
            told = _Told.of_boxes(plan, exact, worst[0], zero, one)
        words = plan.said(told.event, verdict is Verdict.REFUTED)
        if verdict is Verdict.REFUTED:
            witness = (
                self._event_witness(plan, told, found.test.alpha, alpha, words)
                if found.refutes
                else self._boxes_witness(plan, zero, one, alpha, worst, (told.event, words))
            )
        # Outcomes that depend on each other bound nothing.
        table = (
            ()
            if dependent
            else bounds_table(self.claimed, plan.delta, certified, boxes, (n0, n1), found.test.alpha)
        )
        series = (
            () if dependent else privacy_figures(self.subject, self.claimed, boxes, (plan.delta, certified))
        )
        return self.evidence(
            verdict,
            _why(weak, plan, dependent, powerless, doubted),
            Measured(
                of=words,
                samples=[n0 + plan.learnt, n1 + plan.learnt],
                learnt=plan.learnt,
                on=0 if told.on == 0 else 1,
                count=[told.count.k, told.count.n, told.count.l, told.count.m],
                delta=plan.delta,
                found=None if dependent else certified,
                claimed=None if dependent else self.claimed.allowed_epsilon(plan.delta),
                note=plan.unread if verdict is Verdict.SURVIVED else "",
            ),
            error=alpha,
            witness=witness,
            resolution=resolution,
            series=series,
            bounds=table,
        )

    def _claim(self, alpha: float) -> dict[str, Any]:
        return {**self.key(), "inputs": shown(self.pair), "alpha": alpha}

    def _event_witness(
        self, plan: ChosenEvents, told: _Told, level: float, alpha: float, words: str
    ) -> dict[str, Any]:
        return {
            "kind": "event",
            **self._claim(alpha),
            "score": words,
            "threshold": told.event.threshold,
            "p_is_input": told.on,
            "count": plain(vars(told.count)),
            "epsilon": plan.epsilon,
            "delta": plan.delta,
            "level": level,
        }

    def _boxes_witness(
        self,
        plan: ChosenEvents,
        zero: CallCounts,
        one: CallCounts,
        alpha: float,
        point: tuple[float, float],
        told: tuple[Event, str],
    ) -> dict[str, Any]:
        """`told` is the event that reaches most, and how it is said."""
        place = (told[0].score, told[0].threshold)
        return {
            "kind": "rate boxes",
            **self._claim(alpha),
            "events": [
                {
                    "score": told[1] if (e.score, e.threshold) == place else plan.scores[e.score].said,
                    "threshold": e.threshold,
                }
                for e in plan.events
            ],
            "k0": zero.k.tolist(),
            "n0": int(zero.n),
            "k1": one.k.tolist(),
            "n1": int(one.n),
            "epsilon": point[0],
            "delta": point[1],
            "level": BOXES_SHARE * alpha,
        }


def _why(weak: str, plan: ChosenEvents, dependent: Sequence[str], powerless: bool, doubted: bool) -> str:
    """Why the counts settle nothing, if so."""
    reasons = [weak]
    if powerless:
        reasons.append(ALLOWS_ALL)
    if dependent:
        reasons.append(
            f"outcomes of one call depend on each other on input {' and '.join(dependent)}: counts vary more between calls than "
            "independent outcomes could, so that no test applies; draw every outcome independently"
        )
    elif doubted:
        reasons.append(f"counted one by one the outcomes refute the claim, counted {BY_CALLS}")
    if plan.blind:
        reasons.append(_BLIND)
    return "; ".join(filter(None, reasons))


@dataclass(frozen=True)
class _Told:
    """The event that is told, the input on which it happens more often than it may, and how often it happened."""

    event: Event
    on: int
    count: EventCount

    @classmethod
    def of(cls, event: Event, count: EventCount) -> _Told:
        return cls(event, 0 if event.swapped else 1, count)

    @classmethod
    def of_boxes(
        cls, plan: ChosenEvents, boxes: RateBoxes, epsilon: float, zero: CallCounts, one: CallCounts
    ) -> _Told:
        """The event whose box reaches most at this epsilon."""
        place, rest, on = boxes.sharpest(epsilon)
        inside = [int(c.n - c.k[place] if rest else c.k[place]) for c in (zero, one)]
        sizes = [int(zero.n), int(one.n)]
        count = EventCount(inside[on], sizes[on], inside[1 - on], sizes[1 - on])
        return cls(replace(plan.events[place], swapped=rest), on, count)


@dataclass(frozen=True)
class _Sharpest:
    """The place of the event that is told, its test, the epsilon that is certain by all; whether one refutes if outcomes
    are independent (`seen`), and as far as calls bear it too."""

    at: int
    test: EventTest
    certain: float
    seen: bool = False
    refutes: bool = False


def _sharpest(plan: ChosenEvents, zero: CallCounts, one: CallCounts, alpha: float) -> _Sharpest:
    """Exact tests take outcomes for independent; calls, which are, must bear what these say."""
    certain, told, seen = 0.0, None, False
    for at, event in enumerate(plan.events[: plan.single]):
        swapped, share = event.swapped, event.share
        exact = EventTest(directed(swapped, zero, one, at), plan.delta, share * alpha)
        test = EventTest(borne(swapped, zero, one, at, share * alpha), plan.delta, share * alpha)
        # A bound of the second is asked for only where it speaks against the claim.
        reached = test.lower_bound() if at == 0 or test.nominal > plan.epsilon else 0.0
        found = exact.refutes(plan.epsilon, 0.0)
        seen |= found
        if found and test.refutes(plan.epsilon, reached):
            return _Sharpest(at, exact, max(certain, reached, plan.epsilon), seen=True, refutes=True)
        certain, told = max(certain, reached), told or exact
    assert told is not None
    return _Sharpest(0, told, certain, seen)
