"""One exponential mechanism over choices of groups for several levels at once, exactly: c_1 <= ... <= c_m with chance ~ e^(-rate cost).

The cost is that of `cuts.py`: the length of a path, or less for the one choice that holds all levels.  Sums over all choices go level by level over the position s_j and the group c_j; positive numbers
alone are added, in balls.  A choice is drawn from the last level to the first, each step from random words by comparison with
enclosures as fine as the comparison needs.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

import numpy as np
from flint import arb, ctx
from numpy.typing import NDArray

from ...symbolic.arrays import Ints
from ...symbolic.errors import SpecError
from ...symbolic.proof.exact_numbers import ball
from ..grid_noise.secure_bits import Bits
from .choice import uniform_below
from .comparison import Uniform, decided
from .cuts import Cuts, Levels, in_runs, sizes_of
from .joint_sums import Falling, Rising, nearest
from .noise import exactly, inside

_PLACES, _PRECISION = 64, 128
_CHUNK = 1 << 14
_HELD = -1  # in the place of a level: whether the choice is the one that holds all levels, beyond its chance among all paths


@dataclass(eq=False)
class Stage:
    """All states after one level, in the order of their groups, and so of their positions: span, how many chose this run, s, sum."""

    span: list[int] = field(default_factory=list)
    run: list[int] = field(default_factory=list)
    at: list[int] = field(default_factory=list)
    weight: list[arb] = field(default_factory=list)

    def add(self, span: int, run: int, at: int, weight: arb) -> None:
        self.span.append(span)
        self.run.append(run)
        self.at.append(at)
        self.weight.append(weight)

    def windows(self, span: int, low: int, high: int, empty: bool) -> tuple[int, int, int]:
        """The states before which a group may stand are the first `end`; those up to `one` come from below it, from `two` on from above."""
        end = (bisect_left if empty else bisect_right)(self.span, span)
        one = min(bisect_right(self.at, low), end)
        return one, one if empty else min(bisect_left(self.at, high), end), end


@dataclass(eq=False)
class JointChoice:
    """Choices for `levels` among the groups of `counts` (groups,), with chance proportional to exp(-epsilon cost / (2 sensitivity)).

    Where the cost of every choice moves by at most `sensitivity` between neighbours, all losses lie in an interval of length
    epsilon: pure epsilon (McSherry and Talwar 2007), and epsilon^2 / 8 of zCDP (Cesar and Rogers 2021).
    """

    counts: Ints
    levels: Levels
    epsilon: Fraction
    sensitivity: Fraction

    def __post_init__(self) -> None:
        self.cuts = Cuts(self.counts, self.levels)
        for name in ("epsilon", "sensitivity"):
            value = inside(name, exactly(name, getattr(self, name)), Fraction(0), None, "plain numbers")
            if not value:
                raise SpecError(f"{name} must be above 0")
            setattr(self, name, value)
        self._stages: dict[int, list[Stage]] = {}
        self._edges: dict[tuple[int, int, int], Edges] = {}
        self._ends = [self.cuts.ends(j) for j in range(len(self.levels.places))]

    @property
    def rate(self) -> Fraction:
        """epsilon / (2 sensitivity)."""
        return self.epsilon / (2 * self.sensitivity)

    def total(self) -> arb:
        """A ball around the sum of e^(-rate cost) over all choices."""
        with ctx.workprec(_PRECISION):
            return self._total() + self._more()

    def _more(self) -> arb:
        """What the choice that holds all levels weighs more than by the length of its path, 0."""
        return self._fall(-self.cuts.margin) - 1

    def _total(self) -> arb:
        """The sum of e^(-rate length) over all choices, in the precision of now."""
        last, fall = self._forward()[-1], self._fall
        return sum((w * fall(abs(s)) for s, w in zip(last.at, last.weight, strict=True)), arb(0))

    # --- sums over all choices ---------------------------------------------------------------------------------------

    @cached_property
    def _falls(self) -> dict[int, dict[int, arb]]:
        return {}

    @property
    def _fall(self) -> Callable[[int], arb]:
        """e^(-rate k) in the precision of now."""
        known, rate = self._falls.setdefault(ctx.prec, {}), ball(self.rate)

        def fall(k: int) -> arb:
            found = known.get(k)
            if found is None:
                found = known[k] = (-rate * k).exp()
            return found

        return fall

    def _forward(self) -> list[Stage]:
        """The stages 0, ..., m: of each state the sum of e^(-rate length) over the ways to it, in the precision of now."""
        found = self._stages.get(ctx.prec)
        if found is None:
            first = Stage()
            first.add(-1, 0, 0, arb(1))
            found = [first]
            for level in range(len(self.levels.places)):
                found.append(self._after(found[-1], level))
            self._stages[ctx.prec] = found
        return found

    def _after(self, stage: Stage, level: int) -> Stage:
        out, fall = Stage(), self._fall
        below, above = Rising(stage.at, stage.weight, fall), Falling(stage.at, stage.weight, fall)
        before = {s: i for i, s in reversed([*enumerate(stage.span)])}
        lows, highs = self._ends[level]
        for span, (low, high, group) in enumerate(zip(lows, highs, self.cuts.spans, strict=True)):
            one, two, end = stage.windows(span, low, high, group.empty)
            from_below, from_above = below.upto(one, low), above.over(two, end, high)
            if group.empty:
                if end:
                    out.add(span, 1, low, group.size * (from_below + from_above))
                self._longer(stage, out, before.get(span), span, low)
                continue
            if one:
                out.add(span, 0, low, from_below)
            for i in range(one, two):
                if out.span and out.span[-1] == span and out.at[-1] == stage.at[i]:
                    out.weight[-1] += stage.weight[i]
                else:
                    out.add(span, 0, stage.at[i], stage.weight[i])
            if two < end:
                out.add(span, 0, high, from_above)
        return out

    def _longer(self, stage: Stage, out: Stage, i: int | None, span: int, at: int) -> None:
        """States of a run that was chosen before: k rising choices among r groups are C(r + k - 1, k)."""
        size = self.cuts.spans[span].size
        while i is not None and i < len(stage.span) and stage.span[i] == span:
            k = stage.run[i] + 1
            weight = stage.weight[i] * self._fall(abs(at - stage.at[i])) * (size + k - 1) / k
            out.add(span, k, at, weight)
            i += 1

    # --- draws -------------------------------------------------------------------------------------------------------

    def draw(self, size: int, bits: Bits) -> NDArray[np.int64]:
        """`size` independent choices (size, m) of groups, of exactly this law, from words of `bits` alone."""
        parts = [
            self._drawn(min(_CHUNK, size - start), bits) for start in range(0, size, _CHUNK) if size > start
        ]
        return np.concatenate(parts) if parts else np.zeros((0, len(self.levels.places)), dtype=np.int64)

    def _drawn(self, size: int, bits: Bits) -> NDArray[np.int64]:
        m = len(self.levels.places)
        chosen = np.zeros((size, m), dtype=np.int64)
        state = np.zeros(size, dtype=np.int64)
        with ctx.workprec(_PRECISION):
            stages = self._forward()
        for level in range(m, 0, -1):
            state = self._earlier(level, state, bits)
            chosen[:, level - 1] = np.array(stages[level].span)[state]
        if self.cuts.margin:
            chosen[self._decided(_HELD, 0, size, bits) == 1] = self.cuts.held
        return placed(self.cuts, chosen, lambda ends: uniform_below(ends, bits))

    def _earlier(self, level: int, state: NDArray[np.int64], bits: Bits) -> NDArray[np.int64]:
        """For states (size,) after one more level (0 for the end) the states after `level` that they come from."""
        out = np.zeros(len(state), dtype=np.int64)
        kinds, which = np.unique(state, return_inverse=True)
        order = np.argsort(which, kind="stable")
        for later, rows in zip(
            kinds.tolist(), np.split(order, np.cumsum(np.bincount(which))[:-1]), strict=True
        ):
            out[rows] = self._decided(level, later, len(rows), bits)
        return out

    def _decided(self, level: int, later: int, size: int, bits: Bits) -> NDArray[np.int64]:
        """Of one state `size` of the ways to it."""
        with ctx.workprec(_PRECISION):
            edges = self._edges_of(level, later, _PLACES)
            if edges.only is not None:
                return np.full(size, edges.only)
            words = bits(size)
            found = edges.find_all(words)
        for i in np.flatnonzero(found < 0):
            found[i] = decided(
                Uniform(int(words[i]), bits),
                lambda known, places: self._edges_of(level, later, places).find(known),
            )
        return found

    def _edges_of(self, level: int, later: int, places: int) -> Edges:
        key = level, later, places
        found = self._edges.get(key)
        if found is None:
            found = Edges(*self._ways(level, later), places)
            if places == _PLACES:
                self._edges[key] = found
        return found

    def _ways(self, level: int, later: int) -> tuple[Iterator[tuple[int, arb]], int, arb]:
        """The states after `level` from which one comes, with their weights, nearest first; their number and their sum."""
        if level == _HELD:
            total, more = self._total(), self._more()
            return iter([(1, more), (0, total)]), 2, total + more
        stages, fall = self._forward(), self._fall
        stage = stages[level]
        if level == len(stages) - 1:
            first, end, at, total = 0, len(stage.at), 0, self._total()
        else:
            first, end, at, total = self._window(level, later)
        ways = ((i, stage.weight[i] * fall(abs(at - stage.at[i]))) for i in nearest(stage.at, first, end, at))
        return ways, end - first, total

    def _window(self, level: int, later: int) -> tuple[int, int, int, arb]:
        stages = self._forward()
        stage, after = stages[level], stages[level + 1]
        span, run, at, total = after.span[later], after.run[later], after.at[later], after.weight[later]
        group = self.cuts.spans[span]
        if run > 1:
            i = next(
                i for i in range(bisect_left(stage.span, span), len(stage.span)) if stage.run[i] == run - 1
            )
            return i, i + 1, at, stage.weight[i] * self._fall(abs(at - stage.at[i]))
        low, high = (ends[span] for ends in self._ends[level])
        one, two, end = stage.windows(span, low, high, group.empty)
        if group.empty:
            return 0, end, at, total / group.size
        if at == low:
            return 0, one, at, total
        if at == high:
            return two, end, at, total
        return bisect_left(stage.at, at, one, two), bisect_right(stage.at, at, one, two), at, total


class Edges:
    """The shares of the first ways in all of them, cumulated, times 2^places from below and from above; as many as were needed."""

    def __init__(self, ways: Iterator[tuple[int, arb]], number: int, total: arb, places: int) -> None:
        self.ways, self.number, self.scale = ways, number, arb(2) ** places / total
        self.only: int | None = next(ways)[0] if number == 1 else None
        self.index: list[int] = []
        self.low: list[int] = []
        self.high: list[int] = []
        self._sum = arb(0)

    def _grow(self, known: int) -> None:
        """Until a word lies below an edge, or there are no more ways."""
        while len(self.index) < self.number and not (self.low and self.low[-1] > known):
            i, weight = next(self.ways)
            self._sum += weight
            edge = self._sum * self.scale
            low, high = edge.lower().floor().unique_fmpz(), edge.upper().floor().unique_fmpz()
            assert low is not None
            assert high is not None
            self.index.append(i)
            # Sums rise: so do bounds of them.
            self.low.append(max(int(low), self.low[-1] if self.low else 0))
            self.high.append(max(int(high), self.high[-1] if self.high else 0))

    @property
    def _inner(self) -> int:
        """How many edges are known to lie below 1."""
        return len(self.index) - (len(self.index) == self.number)

    def find(self, known: int) -> int | None:
        """The way of all numbers in [known, known + 1) / 2^places; None if there are several or it is not certain."""
        if self.only is not None:
            return self.only
        self._grow(known)
        # Edges with high < known lie below the interval, those with low > known above it.
        found = bisect_left(self.high, known, hi=self._inner)
        certain = found == bisect_right(self.low, known, hi=self._inner)
        return self.index[found] if certain and found < len(self.index) else None

    def find_all(self, words: NDArray[np.uint64]) -> NDArray[np.int64]:
        """The same for 64 places and many words (size,), -1 for None."""
        if len(words) < 32:
            found = [self.find(w) for w in words.tolist()]
            return np.array([-1 if i is None else i for i in found], dtype=np.int64)
        self._grow(int(words.max()))
        low, high = (
            np.array(side[: self._inner], dtype=object).clip(0, (1 << 64) - 1).astype(np.uint64)
            for side in (self.low, self.high)
        )
        place = np.searchsorted(high, words, side="left")
        certain = (place == np.searchsorted(low, words, side="right")) & (place < len(self.index))
        index = np.array(self.index, dtype=np.int64)
        return np.where(certain, index[np.where(certain, place, 0)], -1)


def placed(
    cuts: Cuts, chosen: NDArray[np.int64], below: Callable[[Sequence[int] | Ints], Ints]
) -> NDArray[np.int64]:
    """Groups (size, m) of choices of spans: those of a run uniform among the rising ones, from uniform whole numbers `below` ends."""
    total, before = in_runs(chosen)
    sizes = sizes_of(cuts.spans)[chosen]
    out = np.array([s.first for s in cuts.spans])[chosen]
    for k in range(1, chosen.shape[1] + 1):
        rows, columns = np.nonzero((total == k) & (before == 0) & (sizes > 1))
        if len(rows):
            picked = _rising(sizes[rows, columns], k, below)
            for i in range(k):
                out[rows, columns + i] += picked[:, i]
    return out


def _rising(sizes: Ints, k: int, below: Callable[[Sequence[int] | Ints], Ints]) -> NDArray[np.int64]:
    """k numbers x_1 <= ... <= x_k below each size, uniform: x_i + i are a set of k below size + k - 1 (drawn as Floyd does)."""
    picked = np.zeros((len(sizes), k), dtype=np.int64)
    for i in range(k):
        last = sizes + i - 1
        new = below(last + 1)
        seen = (picked[:, :i] == new[:, None]).any(axis=1)
        picked[:, i] = np.where(seen, last, new)
    return np.asarray(np.sort(picked, axis=1) - np.arange(k))
