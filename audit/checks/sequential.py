"""The distinguisher as a gambler: events and stakes change at fixed epochs, and one may stop whenever one likes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import special

from ..attack.betting import PairCounts, best_fraction, log_capital
from ..attack.bounds_table import attainable
from ..attack.dependence import depends
from ..attack.events import Event, taught_again
from ..attack.scores import Score
from ..check import Counts
from ..evidence import Evidence, Verdict
from ..outcomes import Grid, Outcomes, join, widen
from ..plain import plain
from .likelihood_ratio import LikelihoodRatio

Floats = NDArray[np.float64]
Draw = Callable[[Any, int, tuple[int, ...]], Outcomes]

UNIT = 16  # pairs
LOOKS = 16  # per epoch
_LARGEST_CALL = 10_000
_TAUGHT = 100_000  # outcomes per input that are kept to learn from
_BETS = 4  # events per epoch
_FIRST, _SECOND = 0.4, 0.4  # of the bets: on the most promising event, and on it at a lower stake
_CASH, _WAITING = 0.05, 0.7  # of the capital that stays out
_SHRINK, _DEEPER = 0.3, 1.5  # the same as `_CAUTION` below, for the stakes
_PROMISING = 400  # candidates whose growth is computed
_CAUTION = (0.5, 1.5)  # standard deviations by which rates are taken for worse than they look, when choosing
_EPSILONS = 60


@dataclass(frozen=True)
class Bets:
    """The events of one epoch, the rates that were expected of them, and the capital on each; weights sum to one."""

    grid: Grid
    scores: tuple[Score, ...]
    events: tuple[Event, ...]
    p: Floats
    q: Floats
    weights: Floats
    epsilon: float
    delta: float

    def memberships(self, sample: Sequence[Outcomes]) -> list[PairCounts]:
        """The pairs of one draw, counted for each event."""
        rounded = [self.grid.round(s) for s in sample]
        scores = {i: [self.scores[i].of(s) for s in rounded] for i in {e.score for e in self.events}}
        out = []
        for e in self.events:
            zero, one = (s > e.threshold for s in scores[e.score])
            out.append(PairCounts.of(~zero, ~one) if e.swapped else PairCounts.of(one, zero))
        return out

    def log_capital(self, counts: Floats, epsilon: Floats, delta: float) -> Floats:
        """Log capital of all bets together against each epsilon (g,), from counts (J, 4)."""
        eps = epsilon[:, None]
        fraction, _ = best_fraction(self.p, self.q, eps, delta)
        each = log_capital(counts, np.broadcast_to(eps, fraction.shape), delta, fraction)
        return np.asarray(special.logsumexp(each, b=self.weights, axis=1), dtype=float)


@dataclass
class Ledger:
    """Log capital against each epsilon of a grid: now, and the largest ever."""

    epsilon: Floats
    settled: Floats
    highest: Floats
    pairs: int = 0


class Sequential(LikelihoodRatio):
    """Bets on pairs of outcomes: valid at every sample size, and stopped at the first refutation."""

    name: ClassVar[str] = "sequential likelihood ratio"
    statistical: ClassVar[bool] = True

    def inputs(self) -> tuple[Any, ...]:
        return ()  # it draws for itself, as many outcomes as it needs

    def judge(self, plan: Any, counts: Counts | None, alpha: float) -> Evidence:
        raise NotImplementedError("a sequential check is run, not judged")

    def run(self, draw: Draw, samples: int, alpha: float, deadline: float | None = None,
            progress: Callable[[float], None] | None = None) -> Evidence:  # fmt: skip
        """Draw and bet until the claim falls, `samples` outcomes per input are used, or the clock passes `deadline`.

        `draw(input, size, stream)`; `deadline` is a time of `time.monotonic`, looked at between draws only.
        """
        fixed = self.claimed.fixed
        claimed = self.guarantee.epsilon if fixed is not None else 0.0  # type: ignore[attr-defined]
        near = np.linspace(0, 1.25 * claimed + 0.25, _EPSILONS)
        grid = np.unique([*near, *np.linspace(near[-1], near[-1] + 8, _EPSILONS // 2), claimed])
        ledger = Ledger(grid, np.zeros(len(grid)), np.zeros(len(grid)))
        against = int(np.searchsorted(grid, claimed))
        kept: list[list[Outcomes]] = [[], []]
        bets: Bets | None = None
        used, log_claim, highest, history, blind, dependent = 0, 0.0, 0.0, [], True, False
        stopped = "the sample was used up"
        for epoch, sizes in enumerate(_epochs(samples)):
            start, counts, squares, calls = log_claim, None, np.zeros((2, 0)), 0
            for place, size in enumerate(sizes):
                if deadline is not None and epoch and time.monotonic() > deadline:
                    stopped = "the time was used up"
                    break
                unit = [draw(x, size, (side, epoch, place)) for side, x in enumerate(self.pair)]
                used += size
                if sum(len(s) for s in kept[0]) < _TAUGHT:
                    for part, s in zip(kept, unit, strict=True):
                        part.append(s)
                if progress is not None:
                    progress(used / samples)
                if bets is None:
                    continue
                blind = False
                found = np.stack([c.array() for c in bets.memberships([_width(s, bets) for s in unit])])
                sides = np.stack([found[:, 0] + found[:, 1], found[:, 0] + found[:, 2]])
                squares = sides**2 / size if counts is None else squares + sides**2 / size
                counts, calls = found if counts is None else counts + found, calls + 1
                ledger.pairs += size
                log_claim, ladder = self._capital(bets, counts, start, ledger)
                highest = max(highest, log_claim)
                if fixed is not None:
                    np.maximum(ledger.highest, ladder, out=ledger.highest)
                if highest >= -np.log(alpha):
                    stopped = "the claim fell"
                    break
            if bets is not None and counts is not None:
                history.append((bets, counts))
                pairs = float(counts[0].sum())
                for side, other in enumerate((1, 2)):
                    dependent |= depends(
                        counts[:, 0] + counts[:, other], squares[side], pairs, calls, least=1.0
                    )
                if fixed is not None:
                    ledger.settled = ledger.settled + bets.log_capital(counts, grid, fixed)
            if stopped != "the sample was used up":
                break
            if sum(len(s) for s in kept[0]) < _TAUGHT or bets is None:
                bets = self._place([join(part) for part in kept]) or bets
        refuted = highest >= -np.log(alpha)
        return self._evidence(
            refuted, blind, dependent, highest, history, ledger, used, stopped, alpha, against
        )

    def _capital(self, bets: Bets, counts: Floats, start: float, ledger: Ledger) -> tuple[float, Floats]:
        """Log capital against the claim and against every epsilon of the grid."""
        claim = bets.log_capital(counts, np.array([bets.epsilon]), bets.delta)[0]
        fixed = self.claimed.fixed
        ladder = (
            ledger.settled
            if fixed is None
            else ledger.settled + bets.log_capital(counts, ledger.epsilon, fixed)
        )
        return start + float(claim), ladder

    def _place(self, sample: Sequence[Outcomes]) -> Bets | None:
        """The bets that promise most after these outcomes; None if there is nothing to bet on."""
        grid, both = self.rounded(sample)
        scores, candidates = self.candidates(both)
        if not len(candidates):
            return None
        k, n, l, m, k_, n_, l_, m_ = candidates.directed()  # noqa: E741
        a, b = (np.concatenate(v) for v in ((k / n, k_ / n_), (l / m, l_ / m_)))
        doubt = np.concatenate([candidates.doubt] * 2)
        if self.claimed.fixed is not None:
            epsilon, delta = float(self.guarantee.epsilon), self.claimed.fixed  # type: ignore[attr-defined]
        else:
            _, place = candidates.best_point(self.claimed.epsilon, self.claimed.delta)
            epsilon, delta = float(self.claimed.epsilon[place]), float(self.claimed.delta[place])
        size = float(min(n, m))
        spread = np.sqrt(a * (1 - a) + np.exp(2 * epsilon) * b * (1 - b) + 1 / size)
        promising = np.argsort(-(a - np.exp(epsilon) * b - delta) / spread)[:_PROMISING]
        chosen: list[int] = []
        for caution in _CAUTION:
            p, q = _worse(a[promising], b[promising], size, caution + doubt[promising])
            _, growth = best_fraction(p, q, epsilon, delta)
            for place in promising[np.argsort(-growth, kind="stable")[: _BETS // len(_CAUTION)]]:
                if int(place) not in chosen:
                    chosen.append(int(place))
        events = candidates.events(chosen)
        final, events = taught_again(candidates, scores, events, both)
        # The most promising looks better than it is: it is bet on at a lower stake too, and part of the capital stays
        # out, most of it where little speaks for a violation yet.
        rows, shrink = [*range(len(chosen)), 0], np.array([*[_SHRINK] * len(chosen), _DEEPER])
        p, q = _worse(a[chosen][rows], b[chosen][rows], size, shrink)
        _, growth = best_fraction(p[-1], q[-1], epsilon, delta)
        cash = _CASH if growth > 0 else _WAITING
        rest = (1 - _FIRST - _SECOND) / max(len(chosen) - 1, 1)
        weights = np.array([_FIRST, *[rest] * (len(chosen) - 1), _SECOND])
        # A bet on an event that is no likelier is none: that is the capital kept.
        weights, events = (
            np.append((1 - cash) * weights / weights.sum(), cash),
            [events[i] for i in [*rows, 0]],
        )
        p, q = np.append(p, 0.0), np.append(q, 1.0)
        return Bets(grid, tuple(final), tuple(events), p, q, weights, epsilon, delta)

    def _evidence(self, refuted: bool, blind: bool, dependent: bool, highest: float, history: list[tuple[Bets, Floats]], ledger: Ledger,
                  used: int, stopped: str, alpha: float, against: int) -> Evidence:  # fmt: skip
        lower = _lower(ledger, alpha)
        fixed = self.claimed.fixed
        if refuted and fixed is not None:
            lower = max(lower, float(ledger.epsilon[against]))
        within = attainable(fixed or 0.0, (max(used, 1), max(used, 1)), alpha)
        reachable = fixed is None or within > self.claimed.allowed_epsilon(fixed)
        toothless = not reachable or (fixed is not None and not self._could_refute(used, used, alpha))
        silent = blind or toothless or dependent
        refuted = refuted and not dependent
        verdict = Verdict.REFUTED if refuted else Verdict.UNDECIDED if silent else Verdict.SURVIVED
        detail = (
            f"{used:,} outcomes on either input, {ledger.pairs:,} pairs bet on in {len(history)} epochs of doubling length; {stopped}; "
            f"capital multiplied by 10^{highest / np.log(10):.1f} at its highest, refuted from 10^{-np.log10(alpha):.1f}"
        )
        if fixed is not None:
            detail += f"; at delta = {fixed:g} epsilon is certainly at least {lower:.4g}"
        if blind:
            detail = f"nothing to bet on was found; {detail}"
        elif dependent:
            detail = f"outcomes of one call depend on each other: no bet on pairs applies; draw every outcome independently; {detail}"
        elif toothless:
            detail = f"the claim allows so much that even outcomes which give the input away would not refute it at this sample size; {detail}"
        rows = () if fixed is None else (
            {"delta": fixed, "claimed": self.claimed.allowed_epsilon(fixed), "certified": lower, "attainable": within},
        )  # fmt: skip
        witness = None
        if refuted:
            witness = {
                "kind": "bets", "predicate": type(self.guarantee).__name__, "parameters": plain(self.guarantee.parameters()),
                "inputs": [plain(x) for x in self.pair], "alpha": alpha,
                "epochs": [
                    {"epsilon": b.epsilon, "delta": b.delta, "p": b.p.tolist(), "q": b.q.tolist(), "weights": b.weights.tolist(),
                     "pairs": c.tolist(), "events": [{"score": b.scores[e.score].name, "threshold": e.threshold} for e in b.events]}
                    for b, c in history
                ],
            }  # fmt: skip
        resolution = None
        if verdict is Verdict.SURVIVED and history:
            rates = [
                np.concatenate([c[:, 0] + c[:, k] for _, c in history[-1:]]) / max(history[-1][1][0].sum(), 1)
                for k in (1, 2)
            ]
            # Half of the pairs choose, half bet; a bet needs as much evidence as a test at level alpha^2 would.
            resolution = self.resolution(used / 2, used / 2, alpha**2, (rates[1], rates[0]))
        return Evidence(
            self.name, self.kind, self.sentence, verdict,
            f"no event tells the two inputs apart better than {self.guarantee.sentence()} allows",
            detail, error=alpha, witness=witness, resolution=resolution, bounds=rows,
        )  # fmt: skip


def _epochs(samples: int) -> Iterator[list[int]]:
    """Sizes of the draws of each epoch: one unit to learn from, then 1, 2, 4, ... units, all looked at several times."""
    left, units = samples, 1
    first = True
    while left > 0:
        total = min(UNIT * units, left)
        left -= total
        draws = max(LOOKS if not first else 2, -(-total // _LARGEST_CALL))
        sizes = [len(part) for part in np.array_split(np.arange(total), min(draws, total))]
        yield sizes
        if not first:
            units *= 2
        first = False


def _worse(p: Floats, q: Floats, size: float, caution: Floats) -> tuple[Floats, Floats]:
    """Rates moved towards each other by so many standard deviations, with half an outcome added."""
    a, b = (p * size + 0.5) / (size + 1), (q * size + 0.5) / (size + 1)
    return (
        np.clip(a - caution * np.sqrt(a * (1 - a) / size), 1e-12, 1.0),
        np.clip(b + caution * np.sqrt(b * (1 - b) / size), 1e-12, 1.0),
    )


def _lower(ledger: Ledger, alpha: float) -> float:
    """The largest epsilon of the grid up to which all are refuted."""
    out = ledger.highest < -np.log(alpha)
    first = int(np.argmax(out)) if out.any() else len(out)
    return float(ledger.epsilon[first - 1]) if first > 0 else 0.0


def _width(sample: Outcomes, bets: Bets) -> Outcomes:
    return widen(sample, len(bets.grid.steps))
