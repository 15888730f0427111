"""Which event to count: half-spaces {score > t}, chosen on outcomes that did not teach the score and will not be counted.

An event has a direction: P is the input that it speaks for, Q the other.  The choice is cautious, since the best of
thousands of candidates looks better than it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray
from scipy import special

from ....symbolic.arrays import Floats
from ..outcomes import Outcomes, join, of_distinct
from .event_bound import EventCount, nominal_bound
from .scores import UNCONFIRMED, Score, Taught

Places = NDArray[np.intp]

CAUTION = 0.8  # standard deviations of the selection sample, beyond what the test itself will ask for and the doubt of the score
# Of alpha: for the event that promises most, for the one that speaks most against the claim, and for all of them at once.
MAIN_SHARE, SECOND_SHARE, BOXES_SHARE = 0.95, 0.03, 0.02
_ALONE_SHARE = 0.16  # for what one input has alone, taken off the first
_THRESHOLDS, _FEW = 3000, 500
_INTERVALS = 4
TELLING = 0.25  # of the claimed epsilon
_SPREAD = 5
_WORTHY = 0.75  # standard deviations beyond the claim, without which what one input has alone is not tested
_NO_DOUBT = 6.0  # standard deviations
_SAME = 1e-9  # scores this close are equal, whatever their rounding


@dataclass(frozen=True)
class Event:
    """{score > threshold} with P on input 1 and Q on input 0; `swapped`: {score <= threshold} with P on input 0.

    `intervals`, where known, are the real numbers y (a, b] whose score lies above the threshold, shape (i, 2); `share`
    is the part of alpha of its test.
    """

    score: int
    threshold: float
    swapped: bool = False
    intervals: tuple[tuple[float, float], ...] | None = None
    share: float = field(default=MAIN_SHARE, compare=False)

    def above(self, scores: Floats) -> NDArray[np.bool_]:
        """Which scores lie above the threshold."""
        return np.asarray(scores > self.threshold)

    def inside(self, values: Floats) -> NDArray[np.bool_]:
        """Which real outcomes have a score above the threshold, from its intervals."""
        assert self.intervals is not None
        out = np.zeros(len(values), dtype=bool)
        for low, high in self.intervals:
            out |= (values > low) & (values <= high)
        return out


@dataclass(frozen=True)
class Candidates:
    """Thresholds of all scores and how many of `n0`, `n1` outcomes of the two inputs lie above each, shapes (c,)."""

    score: Places
    threshold: Floats
    k0: Floats
    k1: Floats
    n0: int
    n1: int
    doubt: Floats

    @classmethod
    def of(
        cls, scores: Sequence[Taught], folds: Sequence[Sequence[Outcomes]], most: int | None = None
    ) -> Candidates:
        """All thresholds at which {score > t} is neither empty nor everything, from two folds of the learning sample, or the first outcomes of each.

        Each score was taught twice, by the first and by the second fold, and sorts the fold that it has not seen; the
        loss of a law sorts both.
        The two are matched by the fraction of outcomes above; `threshold` is that of the score taught by the first.
        """
        parts: list[tuple[Floats, ...]] = []
        sizes = [[len(s[:most]) for s in fold] for fold in folds]
        n0, n1 = map(sum, zip(*sizes, strict=True))
        for i, (first, second) in enumerate(scores):
            if first.tails is not None:
                t, k0, k1 = first.tails[0], n0 * first.tails[1], n1 * first.tails[2]
            elif second is None:
                t, k0, k1 = _lawful_tails(first, [[s[:most] for s in fold] for fold in folds])
            else:
                t, k0, k1 = _tails(first, folds[1], most)
                _, j0, j1 = _tails(second, folds[0], most)
                if not (len(t) and len(j0)):
                    continue
                place = _nearest(j0 + j1, (k0 + k1) * sum(sizes[0]) / sum(sizes[1]))
                k0, k1 = k0 + j0[place], k1 + j1[place]
            parts.append((np.full(len(t), i), t, k0, k1, np.full(len(t), first.doubt)))
        if not parts:
            none = np.zeros(0)
            return cls(np.zeros(0, dtype=np.intp), none, none, none, n0, n1, none)
        index, t, k0, k1, doubt = (np.concatenate(column) for column in zip(*parts, strict=True))
        return cls(index.astype(np.intp), t, k0, k1, n0, n1, doubt)

    def __len__(self) -> int:
        return len(self.threshold)

    def beside(self, others: Candidates) -> Candidates:
        """These and others of as many outcomes, whose scores have numbers of their own."""
        columns = {
            name: np.concatenate([getattr(self, name), getattr(others, name)])
            for name in ("threshold", "k0", "k1", "doubt")
        }
        score = np.concatenate([self.score, others.score + 1 + self.score.max(initial=-1)])
        return Candidates(score=score, n0=self.n0, n1=self.n1, **columns)

    def directed(self) -> tuple[Floats, float, Floats, float, Floats, float, Floats, float]:
        """k, n, l, m of the events with P on input 1, then of their complements with P on input 0."""
        n0, n1 = float(self.n0), float(self.n1)
        return self.k1, n1, self.k0, n0, n0 - self.k0, n0, n1 - self.k1, n1

    def to_test(self, epsilon: float, delta: float, counted: float, alpha: float) -> list[Event]:
        """The event with the largest bound, and the one that speaks most against the claim if it is another; if the bound would say little, that alone.

        Beside these what comes most often of what one input has alone, if it may speak against the claim.
        """
        (best, promise), strongest = self.best_bound(delta, counted, alpha), self.strongest(epsilon, delta)
        first = best if promise > TELLING * epsilon else strongest
        others = [replace(strongest, share=SECOND_SHARE)] if first != strongest else []
        others += [e for e in self._alone(epsilon, delta) if e not in (first, strongest)]
        spared = sum(e.share for e in others)
        return [replace(first, share=MAIN_SHARE + SECOND_SHARE - max(spared, SECOND_SHARE)), *others]

    def _alone(self, epsilon: float, delta: float) -> list[Event]:
        """What comes most often of what either input has alone."""
        found, most = [], np.where(self.doubt == UNCONFIRMED, self.threshold, 0.0)
        gap = _gap(self._rates(), epsilon, delta)
        for swapped, place in ((False, np.argmax(most)), (True, np.argmin(most))):
            if most[place] and gap[int(swapped), place] > _WORTHY:
                found.append(replace(self._event(int(place), swapped), share=_ALONE_SHARE))
        return found

    def best_bound(self, delta: float, counted: float, alpha: float) -> tuple[Event, float]:
        """The event with the largest cautious prediction of the lower bound on epsilon from `counted` outcomes, and that prediction."""
        k, n, l, m, k_, n_, l_, m_ = self.directed()  # noqa: E741
        z = float(-special.ndtri(alpha)) * np.sqrt(min(self.n0, self.n1) / counted)
        strict = z + CAUTION + self.doubt
        values = np.stack(
            [nominal_bound(k, n, l, m, delta, strict), nominal_bound(k_, n_, l_, m_, delta, strict)]
        )
        side, place = np.unravel_index(int(np.argmax(values)), values.shape)
        return self._event(int(place), bool(side)), float(values[side, place])

    def strongest(self, epsilon: float, delta: float) -> Event:
        """The event that exceeds one point of a claim farthest, in standard deviations: rare ones that the best bound passes by."""
        _, side, place = _widest(self._rates(), self.doubt, np.array([epsilon]), np.array([delta]), range(1))
        return self._event(place, bool(side))

    def best_point(self, epsilon: Floats, delta: Floats) -> tuple[Event, int]:
        """The event and the point of a claimed curve that is farthest exceeded, in standard deviations."""
        rates, some = self._rates(), self._some()
        p, q, vp, vq = (r[:, some] for r in rates)
        # Every fourth point first, with some of the candidates; then those around the best, with all.
        around, _, _ = _widest((p, q, vp, vq), self.doubt[some], epsilon, delta, range(0, len(epsilon), 4))
        near = range(max(0, around - 3), min(len(epsilon), around + 4))
        point, side, place = _widest(rates, self.doubt, epsilon, delta, near)
        return self._event(place, bool(side)), point

    def _some(self) -> Places:
        """Places of candidates, of few thresholds of a score all, of many every fourth."""
        few = np.bincount(self.score)[self.score] < _FEW
        return np.flatnonzero(few | (np.arange(len(self)) % 4 == 0))

    def _rates(self) -> tuple[Floats, Floats, Floats, Floats]:
        """P, Q and the variances of their estimates, for both directions, shapes (2, c)."""
        k, n, l, m, k_, n_, l_, m_ = self.directed()  # noqa: E741
        p = np.stack([(k + 0.5) / (n + 1), (k_ + 0.5) / (n_ + 1)])
        q = np.stack([(l + 1.0) / (m + 2), (l_ + 1.0) / (m_ + 2)])
        return p, q, p * (1 - p) / np.array([[n], [n_]]), q * (1 - q) / np.array([[m], [m_]])

    def seen(self, event: Event) -> EventCount:
        """How often one of the events happened in outcomes that did not teach its score."""
        (place,) = np.flatnonzero((self.score == event.score) & (self.threshold == event.threshold))[:1]
        k0, k1 = int(self.k0[place]), int(self.k1[place])
        if event.swapped:
            return EventCount(self.n0 - k0, self.n0, self.n1 - k1, self.n1)
        return EventCount(k1, self.n1, k0, self.n0)

    def clear(self, event: Event, epsilon: float, delta: float) -> bool:
        """Whether outcomes that did not teach the score leave no doubt that the event exceeds this point of a claim."""
        seen = self.seen(event)
        return bool(nominal_bound(seen.k, seen.n, seen.l, seen.m, delta, _NO_DOUBT) > epsilon)

    def spread(self, score: int) -> list[Event]:
        """Events of one score at evenly spread false alarm rates."""
        mine = np.flatnonzero(self.score == score)
        levels = np.linspace(0, 1, _SPREAD + 2)[1:-1] * self.n0
        places = {int(mine[np.argmin(np.abs(self.k0[mine] - level))]) for level in levels}
        return [self._event(place, False) for place in sorted(places)]

    def events(self, places: Sequence[int]) -> list[Event]:
        """The events at these places of `directed` counts: c and more are the complements."""
        return [self._event(place % len(self), place >= len(self)) for place in places]

    def _event(self, place: int, swapped: bool) -> Event:
        return Event(int(self.score[place]), float(self.threshold[place]), swapped)


def taught_again(
    candidates: Candidates, scores: Sequence[Taught], events: Sequence[Event], both: Sequence[Outcomes]
) -> tuple[list[Score], list[Event]]:
    """The events with scores that were taught by the whole learning sample `both`, where a score allows it."""
    out_scores, out_events = [first for first, _ in scores], list(events)
    for i in {e.score for e in events}:
        out_scores[i], thresholds = retaught(candidates, i, out_scores[i], both)
        before = candidates.threshold[candidates.score == i]
        for j, event in enumerate(events):
            if event.score == i:
                out_events[j] = replace(
                    event, threshold=float(thresholds[np.searchsorted(before, event.threshold)])
                )
    return out_scores, out_events


def retaught(
    candidates: Candidates, place: int, score: Score, both: Sequence[Outcomes]
) -> tuple[Score, Floats]:
    """The score at `place` taught by the whole sample, and the thresholds of its candidates there, shape (c,).

    A threshold is carried over by the fraction of outcomes above it.
    """
    mine = np.flatnonzero(candidates.score == place)
    again = score.learn(both[0], both[1]) if score.learn is not None else None
    if again is None:
        return score, candidates.threshold[mine]
    t, k0, k1 = _tails(again, both)
    if not len(t):
        return again, candidates.threshold[mine]
    return again, t[_nearest(k0 + k1, candidates.k0[mine] + candidates.k1[mine])]


def _gap(rates: tuple[Floats, Floats, Floats, Floats], epsilon: float, delta: float) -> Floats:
    """P - e^epsilon Q - delta in standard deviations, shape (2, c)."""
    (p, q, vp, vq), ratio = rates, np.exp(epsilon)
    return np.asarray((p - ratio * q - delta) / np.sqrt(vp + ratio**2 * vq), dtype=float)


def _widest(
    rates: tuple[Floats, Floats, Floats, Floats],
    doubt: Floats,
    epsilon: Floats,
    delta: Floats,
    points: Sequence[int],
) -> tuple[int, int, int]:
    """The point, the side and the place of the widest gap beyond the doubt."""
    best, where = -np.inf, (0, 0, 0)
    for j in points:
        gap = _gap(rates, float(epsilon[j]), float(delta[j])) - doubt
        side, place = np.unravel_index(int(np.argmax(gap)), gap.shape)
        if gap[side, place] > best:
            best, where = float(gap[side, place]), (j, int(side), int(place))
    return where


def _tails(
    score: Score, sample: Sequence[Outcomes], most: int | None = None
) -> tuple[Floats, Floats, Floats]:
    """Thresholds, ascending, and how many outcomes of either input lie above."""
    t, k0, k1, _ = _above(*(of_distinct(score.of, s)[:most] for s in sample))
    return t, k0, k1


def _above(zero: Floats, one: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Thresholds for the scores of either input, how many of each lie above, and all scores, ascending."""
    zero, one = np.sort(zero), np.sort(one)
    every = np.sort(np.concatenate([zero, one]), kind="stable")  # a merge: both are sorted
    t = thresholds_of(every)
    k0, k1 = ((len(s) - np.searchsorted(s, t, side="right")).astype(float) for s in (zero, one))
    return t, k0, k1, every


def _lawful_tails(loss: Score, folds: Sequence[Sequence[Outcomes]]) -> tuple[Floats, Floats, Floats]:
    """The same for the privacy loss of a declared law, half of each count from the law.

    By the law an outcome of either input comes from input 1 with odds e^loss: much less noisy than a count, and as
    good as the law.
    """
    sample = [join([fold[x] for fold in folds]) for x in (0, 1)]
    t, k0, k1, every = _above(*(loss.of(part) for part in sample))
    above = k0 + k1
    n0, n1 = map(len, sample)
    from_one = special.expit(np.clip(every, -700, 700) + np.log(n1 / n0))
    total = np.concatenate([[0.0], np.cumsum(from_one[::-1])])[above.astype(np.intp)]
    expected1, expected0 = np.minimum(total, n1), np.minimum(above - total, n0)
    return t, 0.5 * (k0 + expected0), 0.5 * (k1 + expected1)


def _nearest(falling: Floats, values: Floats) -> Places:
    """The places of the numbers nearest to `values` in a falling sequence."""
    rising = falling[::-1]
    right = np.clip(np.searchsorted(rising, values), 1, max(len(rising) - 1, 1))
    right = np.minimum(right, len(rising) - 1)
    left = np.maximum(right - 1, 0)
    near = np.where(np.abs(rising[left] - values) <= np.abs(rising[right] - values), left, right)
    return np.asarray(len(falling) - 1 - near, dtype=np.intp)


def intervals(values: Floats, scores: Floats, threshold: float) -> tuple[tuple[float, float], ...] | None:
    """The real numbers whose score lies above the threshold, as far as the scores (n,) of ascending values (n,) show.

    None if they are many intervals.  Ends lie half-way between values, so that no rounding of an outcome can move it
    across.
    """
    above = scores > threshold
    turns = np.flatnonzero(above[1:] != above[:-1])
    if len(turns) > 2 * _INTERVALS:
        return None
    ends = (0.5 * values[turns] + 0.5 * values[turns + 1]).tolist()
    if above[0]:
        ends = [-np.inf, *ends]
    if above[-1]:
        ends = [*ends, np.inf]
    return tuple(zip(ends[::2], ends[1::2], strict=True))


def thresholds_of(values: Floats) -> Floats:
    """Half-way points between neighbours of sorted scores, thinned to evenly spread ranks with the tails kept."""
    last = np.flatnonzero(np.diff(values) > _SAME * np.maximum(1.0, np.abs(values[:-1])))
    if len(last) > _THRESHOLDS:
        third = _THRESHOLDS // 3
        kept = np.zeros(len(last), dtype=bool)
        kept[:third] = kept[-third:] = kept[np.linspace(0, len(last) - 1, third).astype(np.intp)] = True
        last = last[kept]
    return np.asarray(0.5 * values[last] + 0.5 * values[last + 1], dtype=float)
