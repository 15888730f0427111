"""What the checks that tell two inputs apart share: the pair, the scores that sort outcomes, and the power they have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np

from ....mechanisms.mechanism import Subject
from ....symbolic.arrays import Floats
from ....symbolic.claim import Claim
from ....symbolic.privacy.guarantees import Guarantee
from ...record.evidence import Resolution
from ..attack.bounds_table import attainable
from ..attack.claimed_curve import ClaimedCurve
from ..attack.copies import Copies
from ..attack.event_bound import LEAST_LEVEL
from ..attack.events import MAIN_SHARE, Candidates, Event
from ..attack.planted import EVERY, MOST, STRICT, Planted, found_share, in_clear, promising
from ..attack.read import (
    Columns,
    alone_score,
    anywhere_score,
    difference_scores,
    digit_scores,
    inside_scores,
    parity_score,
    placed_score,
    product_score,
    remainder_scores,
    unread_share,
    word_score,
)
from ..attack.scores import (
    BESIDE_A_LAW,
    Score,
    Taught,
    any_order,
    atom_score,
    law_score,
    linear_score,
    step_score,
    sum_score,
    tree_score,
    usual_kind,
)
from ..check import Check, attackable_pairs
from ..outcomes import Grid, Once, Outcomes, join, widen
from ..sampling import answers
from .distinguishing_power import finds_half_noise, power_here
from .enough_samples import smallest_size, would_decide

_MISSED = "the record in clear, planted into every one of these outcomes, would have been missed (with probability above 0.05): nothing that survives was tested"
_COPIES = (
    "outcomes repeat values as copied records would, a typical one in {rate:.2g} of them, and the record in clear at that rate "
    "would have been missed (with probability above 0.05): give more samples, {size}"
)
_NO_POWER = (
    "no power: half the noise breaks the claim at these inputs, or may do so, and would have been missed (with probability above 0.05): "
    "give more samples, {size}"
)
_FAILS = "the release fails in every call on both inputs: failures that differ would have refuted the claim, failures alone support nothing"
ALLOWS_ALL = "the claim allows so much that even outcomes which give the input away would not refute it at this alpha and sample size"
_SOME = 1_000  # outcomes
_UNREAD = 0.2  # of the letters of outcomes: more, and nothing that survives was tested


class Distinguisher(Check):
    """One pair of neighbours whose outcomes the whole claimed curve says are hard to tell apart."""

    def __init__(self, claim: Claim, pair: tuple[Any, Any]) -> None:
        super().__init__(claim)
        self.pair = pair
        assert isinstance(claim.predicate, Guarantee)
        self.guarantee = claim.predicate
        self.subject: Subject = claim.subject
        self.claimed = ClaimedCurve.of(claim.predicate)

    @classmethod
    def bind_all(cls, claim: Claim) -> list[Self]:
        return [cls(claim, pair) for pair in attackable_pairs(claim)]

    def inputs(self) -> tuple[Any, ...]:
        return self.pair

    @staticmethod
    def rounded(sample: Sequence[Outcomes]) -> tuple[Grid, list[Outcomes]]:
        """The grid of a learning sample, and the sample on it, of one width."""
        width = max(s.values.shape[1] for s in sample)
        both = [widen(s, width) for s in sample]
        grid = Grid.of(join(both))
        return grid, [grid.round(s) for s in both]

    def candidates(self, both: Sequence[Outcomes]) -> tuple[list[Taught], Candidates]:
        """The scores that either half of a sample teaches, and how well the other half is sorted by them."""
        folds = _halves(both)
        scores = self._scores(folds) if len(folds[0][0]) else []
        found = Candidates.of(scores, folds)
        if scores and not len(found):
            # All scores tie, as by chance for two answers that are equally frequent on both inputs: any order will do.
            order = any_order()
            scores = [(order, order)]
            found = Candidates.of(scores, folds)
        return scores, found

    def _scores(self, folds: Sequence[Sequence[Outcomes]]) -> list[Taught]:
        """The scores that both folds can teach, each taught by one and by the other."""
        law = self._law_score([join([fold[x] for fold in folds]) for x in (0, 1)])
        first, second = (
            [*_of_numbers(*fold, flexible=law is None), *self._written(*fold, flexible=law is None)]
            for fold in folds
        )
        pairs = [self._doubted(pair, law is not None) for pair in _paired(first, second)]
        # What luck may leave to one input is beside other events, never all that was tried.
        if law is None:
            return [*pairs, *(self._alone(folds) if pairs else ())]
        return [(law, None), *pairs]

    @staticmethod
    def _alone(folds: Sequence[Sequence[Outcomes]]) -> list[Taught]:
        """What values say that one input has alone, as all outcomes teach it."""
        columns = Columns.of([s for fold in folds for s in fold])
        read = [[columns.read(s) for s in fold] for fold in folds] if columns else folds
        found = columns.on(alone_score(read)) if columns else alone_score(read)
        return [(found, None)] if found else []

    @staticmethod
    def _written(zero: Outcomes, one: Outcomes, *, flexible: bool = True) -> list[Score | None]:
        """What the text of outcomes says, where there is any, and the remainders of numbers where they say anything."""
        columns = Columns.of([zero, one])
        if columns is None:
            return [parity_score(zero, one), *_of_relations(zero, one, flexible=flexible)]
        a, b = columns.read(zero), columns.read(one)
        taught = [*_of_numbers(a, b, flexible=True), *_of_relations(a, b, flexible=True)]
        written = [word_score(zero, one), parity_score(zero, one), *digit_scores(zero, one)]
        return [*written, *map(columns.on, taught)]

    @staticmethod
    def _doubted(pair: Taught, lawful: bool) -> Taught:
        """A score beside the loss of a law, which is the best there is if the law is true."""
        first, second = (s and replace(s, of=Once(s.of), doubt=s.doubt + BESIDE_A_LAW * lawful) for s in pair)
        assert first is not None
        return first, second

    def _law_score(self, sample: Sequence[Outcomes]) -> Score | None:
        kind = usual_kind(sample)
        usual = next(s for s in sample if kind in s.kinds.counts())
        try:
            known = all(self.subject.log_density(usual.values[:2], x) is not None for x in self.pair)
        except (ValueError, TypeError, IndexError):
            return None  # outcomes that the declared law cannot even read: the other scores see them
        return law_score(self.subject.log_density, self.pair, kind, usual.values.shape[1]) if known else None

    def chosen(
        self, candidates: Candidates, counted: float, alpha: float
    ) -> tuple[list[Event], float, float]:
        """The events that are tested one by one, and at which point of the claim."""
        if self.claimed.fixed is not None:
            epsilon, delta = float(self.guarantee.epsilon), self.claimed.fixed  # type: ignore[attr-defined]
            return candidates.to_test(epsilon, delta, counted, alpha), epsilon, delta
        event, place = candidates.best_point(self.claimed.epsilon, self.claimed.delta)
        return [event], float(self.claimed.epsilon[place]), float(self.claimed.delta[place])

    def planted(
        self,
        both: Sequence[Outcomes],
        counted: float,
        alpha: float,
        scores: Sequence[Taught] = (),
        most: int = MOST,
    ) -> tuple[Planted, ...]:
        """Records in clear, planted into the outcomes of input 1 at rising rates, up to one that this attack finds; then into all.

        `most` outcomes are looked at; `scores` are those that the halves of all have taught, if they have.
        """
        found: list[Planted] = []
        scores, folds, size = scores or self.candidates(both)[0], _halves(both), min(len(s) for s in both)
        both, few = _fewer(both, most), _fewer(both, EVERY)
        # Of what a law explains nobody asks whether it was copied.
        copies = Copies.of(both[0]) if self._law_score(both) is None else None
        rivals = Candidates.of(scores, folds, most // 2 if size > most else None)
        for share in promising(min(len(s) for s in both), counted, self.claimed):
            last = self._planted_at(share, both, rivals, counted, alpha, copies)
            found += last
            if found_share(last, counted, STRICT) is not None:
                break
        rivals = Candidates.of(scores, folds, EVERY // 2 if size > EVERY else None)
        found += self._planted_at(1.0, few, rivals, counted, alpha, copies)
        return tuple(replace(leak, copies=copies) for leak in found)

    def _planted_at(
        self,
        share: float,
        both: Sequence[Outcomes],
        rivals: Candidates,
        counted: float,
        alpha: float,
        copies: Copies | None,
    ) -> list[Planted]:
        """Which events the attack chooses when records are planted at this rate, and how often these happen.

        The readers of what repeats learn from the planted outcomes; the candidates of all others stand beside as they are.
        """
        anywhere, lawful = copies is not None and not copies.text, self._law_score(both) is not None
        folds = _halves([both[0], in_clear(both[1], share, np.random.default_rng(7), anywhere)])
        readers = (word_score, atom_score, anywhere_score if anywhere else placed_score)
        first, second = ([read(*fold) for read in readers] for fold in folds)
        taught = [self._doubted(pair, lawful) for pair in _paired(first, second)]
        candidates = rivals.beside(Candidates.of(taught, folds))
        if not len(candidates):
            return []
        events, epsilon, delta = self.chosen(candidates, counted, alpha)
        return [Planted.of(share, candidates.seen(event), epsilon, delta, event.share) for event in events]

    def worth(
        self,
        planted: Sequence[Planted],
        chosen: float,
        counted: float,
        alpha: float,
        seen: tuple[Floats, Floats],
        main: float = MAIN_SHARE,
    ) -> tuple[Resolution | None, str]:
        """Whether a survival would have found half the noise, and why it is none if so.

        The main event has the part `main` of alpha.
        """
        level = main * alpha
        found = self.resolution(chosen, counted, alpha, seen, main)
        assert found is not None
        share = found_share(planted, counted, alpha)
        found = replace(found, in_clear=share)
        if not finds_half_noise(self.guarantee, chosen, counted, level):
            return self._misses_half_noise(found, chosen, counted, level)
        copies = planted[0].copies if planted else None
        if copies and (share is None or share > copies.rate):
            least = min(promising(chosen, counted, self.claimed), default=1.0)
            size = would_decide((chosen + counted) * least / copies.rate, "")
            return None, _COPIES.format(rate=copies.rate, size=size)
        if share is None and planted:
            return None, _MISSED
        if found.samples is not None:
            return found, _NO_POWER.format(size=would_decide(found.samples, ""))
        return found, ""

    def _could_refute(self, n0: int, n1: int, alpha: float) -> bool:
        """Whether a release that gives its input away in every outcome would have been caught: otherwise nothing was tested."""
        points = zip(self.claimed.epsilon, self.claimed.delta, strict=True)
        return MAIN_SHARE * alpha >= LEAST_LEVEL and any(
            attainable(float(d), (n0, n1), MAIN_SHARE * alpha) > e for e, d in points
        )

    def _would_refute(self, n: int, learnt: int, alpha: float) -> str:
        """How many samples would catch a release that gives its input away and half the noise, which n counted ones beside those learnt from cannot."""
        if MAIN_SHARE * alpha < LEAST_LEVEL:
            return f"at alpha below {LEAST_LEVEL / MAIN_SHARE:.3g} for each test no sample refutes anything: give more alpha"
        level, ratio = MAIN_SHARE * alpha, learnt / max(n, 1)

        def enough(m: float) -> bool:
            loud = self._could_refute(int(m), int(m), alpha)
            return loud and finds_half_noise(self.guarantee, m * ratio, m, level)

        why = "no event that can be counted breaks it, only the law decides"
        return would_decide(smallest_size(enough, float(n)) * (1 + ratio), why)

    def _misses_half_noise(
        self, found: Resolution, chosen: float, counted: float, level: float
    ) -> tuple[Resolution, str]:
        """What to say if an audit of this size would not have found half of the noise that the claim needs."""
        why, ratio = "no event shows half of the noise", chosen / counted
        size = smallest_size(lambda m: finds_half_noise(self.guarantee, m * ratio, m, level), 1.5 * counted)
        samples = max(size * (1 + ratio), found.samples or 0.0)
        return (
            replace(found, value=None if found.half else found.value, limit=None, samples=samples),
            f"even the clearest release with half of the noise that {self.guarantee.sentence()} needs would have been missed "
            f"(with probability above 0.05, at this alpha): give more samples, {would_decide(samples, why)}",
        )

    @staticmethod
    def hidden(sample: Sequence[Outcomes]) -> str:
        """What to say if outcomes are nothing but failures, or if much of their text is in a form that nothing reads."""
        if not answers(*sample):
            return _FAILS
        share = unread_share(sample)
        if share <= _UNREAD:
            return ""
        return f"{share:.0%} of the text of the outcomes is in long runs that no reader decodes or far from both ends, and was tested for equality and by what is read"

    def resolution(
        self,
        chosen: float,
        counted: float,
        alpha: float,
        seen: tuple[Floats, Floats] | None = None,
        main: float = MAIN_SHARE,
    ) -> Resolution | None:
        """Whether half the noise would have been found at this pair; None without outcomes, where the law cannot be scaled."""
        return power_here(self.subject, self.pair, self.guarantee, chosen, counted, main * alpha, seen)


def rounding(grid: Grid, raw: Sequence[Outcomes], rounded: Sequence[Outcomes]) -> str:
    """By how much numbers are rounded before they are counted, in words; "" if none of some is moved."""
    moved = np.zeros(len(grid.steps), dtype=bool)
    for before, after in zip(raw, rounded, strict=True):
        d = min(before.values.shape[1], len(moved))
        moved[:d] |= np.any(before.values[:_SOME, :d] != after.values[:_SOME, :d], axis=0)
    return (
        f", of numbers rounded to multiples of 2^{np.log2(grid.steps[moved].max()):.0f}"
        if moved.any()
        else ""
    )


def _of_relations(zero: Outcomes, one: Outcomes, *, flexible: bool) -> list[Score | None]:
    """The scores of what numbers say together, by their remainders, and by values that come now and then."""
    together = [*difference_scores(zero, one), *remainder_scores(zero, one)]
    return [*together, *(inside_scores(zero, one) if flexible else ()), placed_score(zero, one, usual=False)]


def _halves(both: Sequence[Outcomes]) -> list[list[Outcomes]]:
    """Two folds of a sample."""
    half = min(len(s) for s in both) // 2
    parts = [_parts(s).setdefault(half, (s[:half], s[half:])) for s in both]
    return [list(fold) for fold in zip(*parts, strict=True)]


@Once
def _parts(sample: Outcomes) -> dict[int, tuple[Outcomes, Outcomes]]:
    """The two parts of a sample, by the size of the first: what is known of them is asked for again."""
    return {}


def _fewer(both: Sequence[Outcomes], most: int) -> list[Outcomes]:
    """At most so many outcomes of a sample, as many of one half as of the other."""
    if min(len(s) for s in both) <= most:
        return list(both)
    return [join([fold[x][: most // 2] for fold in _halves(both)]) for x in (0, 1)]


def _paired(first: Sequence[Score | None], second: Sequence[Score | None]) -> list[Taught]:
    """The scores that both folds have taught."""
    known = {s.name: s for s in second if s is not None}
    return [(s, known[s.name]) for s in first if s is not None and s.name in known]


def _of_numbers(zero: Outcomes, one: Outcomes, *, flexible: bool) -> list[Score | None]:
    """The scores of what is equal and of numbers; `flexible` ones where no law says what is best."""
    linear, steps = linear_score(zero, one), step_score(zero, one)
    both = sum_score(linear, steps)
    found = [atom_score(zero, one), linear, steps, both]
    if flexible:
        trees = tree_score(zero, one, both or linear)
        found += [trees, product_score(zero, one), anywhere_score(zero, one)]
    return found
