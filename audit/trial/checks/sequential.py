"""The distinguisher as a gambler: events and stakes change at fixed epochs, and one may stop whenever one likes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from ....symbolic.arrays import Floats
from ...record.evidence import Evidence, Measured, Verdict
from ...record.plain import shown
from ...record.sentences import most_won
from ..attack.betting import best_fraction
from ..attack.bounds_table import attainable
from ..attack.dependence import BY_CALLS, depends, excess_variance, student
from ..attack.events import Event
from ..attack.planted import EVERY, MOST, Planted
from ..attack.portfolio import Portfolio, placed
from ..attack.read.sentences import said, some
from ..attack.scores import Score
from ..check import Betting, Draw
from ..outcomes import Outcomes, join, widen
from .distinguisher import ALLOWS_ALL, Distinguisher, rounding

UNIT = 16  # pairs
LOOKS = 32  # per epoch
_LARGEST_CALL = 10_000
_TAUGHT = 100_000  # outcomes per input that are kept to learn from
_EPSILONS = 60
Stopped = Literal["refuted", "samples", "samples before the time", "time"]


@dataclass
class Capital:
    """Log capital against each epsilon of a grid: now, and the largest ever."""

    epsilon: Floats
    settled: Floats
    highest: Floats
    pairs: int = 0


class Round:
    """The bets of one epoch and the pairs that settle them, as they come."""

    def __init__(self, bets: Portfolio, ladder: Floats, fixed: float | None, alpha: float) -> None:
        self.bets, self._alpha = bets, alpha
        self.tables = [np.zeros((len(b.thresholds) + 1,) * 2) for b in bets.bets]
        self.squares = np.zeros((2, sum(len(b.thresholds) for b in bets.bets)))
        self.gains = np.zeros(len(bets.bets))
        self.pairs, self.calls = 0, 0
        self._against = bets.prices(np.array([bets.epsilon]), bets.delta)
        self._ladder = None if fixed is None else bets.prices(ladder, fixed)

    def settle(self, unit: Sequence[Outcomes]) -> None:
        """The outcomes of one call on either input."""
        tables = self.bets.tables(unit)
        self.squares += above(tables) ** 2 / len(unit[0])
        self.gains += self._gained(tables) ** 2 / len(unit[0])
        self.tables = [a + b for a, b in zip(self.tables, tables, strict=True)]
        self.pairs, self.calls = self.pairs + len(unit[0]), self.calls + 1

    def log_capital(self) -> float:
        """Against the claim, from 0 at the start of the epoch."""
        return float(self.bets.log_capital(self.tables, self._against)[0])

    def borne(self) -> float:
        """The same, as far as calls bear it."""
        return float(self.bets.log_capital(self.tables, self._against, self._excess())[0])

    def ladder(self) -> Floats:
        """Against each epsilon of the grid, for a claim at a fixed delta, as far as calls bear it."""
        assert self._ladder is not None
        return self.bets.log_capital(self.tables, self._ladder, self._excess())

    def _gained(self, tables: Sequence[Floats], power: int = 1) -> Floats:
        """Log gains against the claim, or squares of them, summed over the pairs of these tables, for each bet."""
        return np.array([(p[0] ** power * t).sum() for p, t in zip(self._against, tables, strict=True)])

    def _excess(self) -> Floats:
        """How many pairs count as one for each bet: the capital to that power is fair again, were the gains normal."""
        if self.pairs <= self.calls:
            return np.ones(len(self.gains))
        total = self._gained(self.tables)
        each = self._gained(self.tables, 2) / self.pairs - (total / self.pairs) ** 2
        # What the variance between few calls leaves open, in the terms of Student's t.
        few = student(self._alpha / 2, self.calls - 1) ** 2 / (-2 * np.log(self._alpha))
        between = self.gains - total**2 / self.pairs
        return np.asarray(max(few, 1.0) * excess_variance(between, self.pairs, each, self.calls), dtype=float)

    def dependent(self) -> bool:
        """Whether outcomes of one call depend on each other."""
        return any(
            depends(k, squares, float(self.pairs), self.calls, least=1.0)
            for k, squares in zip(above(self.tables), self.squares, strict=True)
        )

    def won(self) -> tuple[Score, Event, int, int]:
        """The event that a stake would have won most on: its score, itself, and how many outcomes of inputs 0 and 1 lie in it."""
        counts = above(self.tables)
        sides = np.concatenate(
            [counts, self.pairs - counts], axis=1
        )  # {> t} with P on input 1, {<= t} with P on input 0
        half = counts.shape[1]
        p, q = np.concatenate([sides[::-1, :half], sides[:, half:]], axis=1) / self.pairs
        at = int(np.argmax(best_fraction(p, q, self.bets.epsilon, self.bets.delta)[1]))
        places = [(bet.score, float(t)) for bet in self.bets.bets for t in bet.thresholds]
        score, threshold = places[at % half]
        return score, Event(0, threshold, at >= half), int(sides[0, at]), int(sides[1, at])

    def witness(self) -> dict[str, Any]:
        """What was staked on what, and the pairs that came: `pairs` lists level on input 1, level on input 0, how many.

        Levels beside each other with the same stakes are one.
        """
        epsilon, rows = np.array([self.bets.epsilon]), []
        for bet, table in zip(self.bets.bets, self.tables, strict=True):
            stakes = np.concatenate(bet.stakes(epsilon, self.bets.delta))
            starts = np.flatnonzero(np.r_[True, np.any(np.diff(stakes) != 0, axis=0)])
            pairs = np.add.reduceat(np.add.reduceat(table, starts, axis=0), starts, axis=1)
            plus, minus = stakes[:, starts].tolist()
            rows.append(
                {
                    "score": bet.score.said,
                    "thresholds": bet.thresholds[starts[1:] - 1].tolist(),
                    "plus": plus,
                    "minus": minus,
                    "pairs": [[*map(int, cell), int(pairs[tuple(cell)])] for cell in np.argwhere(pairs > 0)],
                }
            )
        return {
            "epsilon": self.bets.epsilon,
            "delta": self.bets.delta,
            "weights": self.bets.weights.tolist(),
            "bets": rows,
        }


def above(tables: Sequence[Floats]) -> Floats:
    """How many outcomes of input 0 and of input 1 lie above each threshold of each bet, shape (2, t)."""
    sides = [[t.sum(axis=axis)[::-1].cumsum()[-2::-1] for t in tables] for axis in (0, 1)]
    return np.stack([np.concatenate(side) for side in sides])


class Sequential(Distinguisher, Betting):
    """Bets on pairs of outcomes: valid at every sample size, and stopped at the first refutation."""

    name: ClassVar[str] = "sequential likelihood ratio"

    def run(
        self,
        draw: Draw,
        samples: int,
        alpha: float,
        deadline: float | None = None,
        progress: Callable[[float], None] | None = None,
    ) -> Evidence:
        """Draw and bet until the claim falls, `samples` outcomes per input are used, or the clock passes `deadline`."""
        fixed = self.claimed.fixed
        claimed = self.guarantee.epsilon if fixed is not None else 0.0  # type: ignore[attr-defined]
        near = np.linspace(0, 1.25 * claimed + 0.25, _EPSILONS)
        grid = np.unique([*near, *np.linspace(near[-1], near[-1] + 8, _EPSILONS // 2), claimed])
        capital = Capital(grid, np.zeros(len(grid)), np.zeros(len(grid)))
        kept: list[list[Outcomes]] = [[], []]
        bets: Portfolio | None = None
        used, log_claim, borne, highest, rounds, dependent = 0, 0.0, 0.0, 0.0, [], False
        stopped: Stopped | None = None
        for epoch, sizes in enumerate(_epochs(samples)):
            start, settled, now = log_claim, borne, None if bets is None else Round(bets, grid, fixed, alpha)
            for place, size in enumerate(sizes):
                if deadline is not None and epoch and time.monotonic() > deadline:
                    stopped = "time"
                    break
                used += size
                units = []
                # Two calls a look: how much calls vary is seen in many of them.
                for call, part in enumerate(filter(None, (size - size // 2, size // 2))):
                    stream = (epoch, place, call)
                    units.append([draw(x, part, (side, *stream)) for side, x in enumerate(self.pair)])
                if sum(len(s) for s in kept[0]) < _TAUGHT:
                    for side in (0, 1):
                        kept[side] += [unit[side] for unit in units]
                if progress is not None:
                    progress(used / samples)
                if now is None:
                    continue
                for unit in units:
                    now.settle(unit)
                capital.pairs += size
                log_claim = start + now.log_capital()
                highest = max(highest, log_claim)
                if fixed is not None:
                    np.maximum(capital.highest, capital.settled + now.ladder(), out=capital.highest)
                if log_claim >= -np.log(alpha):
                    borne = settled + now.borne()
                if min(log_claim, borne) >= -np.log(alpha):
                    stopped = "refuted"
                    break
            if now is not None and now.calls:
                rounds.append(now)
                dependent |= now.dependent()
                borne = settled + now.borne()
                if fixed is not None:
                    capital.settled = capital.settled + now.ladder()
            if stopped:
                break
            if sum(len(s) for s in kept[0]) < _TAUGHT or bets is None:
                bets = self._place([join(part) for part in kept]) or bets
        if not stopped:
            stopped = "samples" if deadline is None else "samples before the time"
        hidden, won = "", Measured()
        planted: tuple[Planted, ...] = ()
        both = [join(part) for part in kept]
        if stopped == "refuted":
            won = self._won(rounds[-1], both)
        else:
            hidden = self.hidden(both)
            if rounds:
                most = MOST if self._law_score(both) is None else EVERY
                planted = self.planted(self.rounded([s[:most] for s in both])[1], used / 2, alpha**2)
        return self._evidence(
            dependent, won, hidden, planted, highest, rounds, capital, used, stopped, alpha, claimed
        )

    def _won(self, last: Round, kept: Sequence[Outcomes]) -> Measured:
        """The event that most was to be won on, as a sentence where no law says what outcomes are, and how often it happened."""
        score, event, k0, k1 = last.won()
        grid = last.bets.grid
        lawful = self._law_score(kept) is not None
        raw = [] if lawful else [widen(s, len(grid.steps)) for s in kept]
        on_grid = [grid.round(s) for s in raw]
        shown = [some(s, [score]) for s in on_grid]
        k, l, on = (k0, k1, 0) if event.swapped else (k1, k0, 1)  # noqa: E741
        words = f"{said(score, event, shown)}{rounding(grid, raw, on_grid)}"
        return Measured(of=words, on=0 if on == 0 else 1, count=[int(k), last.pairs, int(l), last.pairs])

    def _place(self, sample: Sequence[Outcomes]) -> Portfolio | None:
        """The bets that promise most after these outcomes; None if there is nothing to bet on."""
        grid, both = self.rounded(sample)
        scores, candidates = self.candidates(both)
        if not len(candidates):
            return None
        if self.claimed.fixed is not None:
            epsilon, delta = float(self.guarantee.epsilon), self.claimed.fixed  # type: ignore[attr-defined]
        else:
            _, place = candidates.best_point(self.claimed.epsilon, self.claimed.delta)
            epsilon, delta = float(self.claimed.epsilon[place]), float(self.claimed.delta[place])
        return placed(grid, candidates, scores, both, epsilon, delta)

    def _evidence(
        self,
        dependent: bool,
        won: Measured,
        hidden: str,
        planted: Sequence[Planted],
        highest: float,
        rounds: list[Round],
        capital: Capital,
        used: int,
        stopped: Stopped,
        alpha: float,
        claimed: float,
    ) -> Evidence:
        refuted, fixed = stopped == "refuted", self.claimed.fixed
        doubted = highest >= -np.log(alpha) and not refuted
        lower = _lower(capital, alpha)
        if refuted and fixed is not None:
            lower = max(lower, claimed)
        within = attainable(fixed or 0.0, (max(used, 1), max(used, 1)), alpha)
        reachable = fixed is None or within > self.claimed.allowed_epsilon(fixed)
        powerless = not reachable or (fixed is not None and not self._could_refute(used, used, alpha))
        silent = not rounds or powerless or dependent or doubted
        refuted = refuted and not dependent
        # Half of the pairs choose, half bet; a bet needs as much evidence as a test at level alpha^2 would.
        size = (used / 2, used / 2, alpha**2)
        weak, resolution = "", None
        if not (refuted or silent):
            resolution, weak = self.worth(planted, *size, _usual_rates(rounds))
            if hidden:
                resolution, weak = None, hidden
        verdict = Verdict.REFUTED if refuted else Verdict.UNDECIDED if silent or weak else Verdict.SURVIVED
        if not rounds:
            weak = "nothing to bet on was found"
        elif dependent:
            weak = "outcomes of one call depend on each other: no bet on pairs applies; draw every outcome independently"
        elif doubted:
            weak = f"counted one by one the pairs refute the claim, counted {BY_CALLS}"
        elif powerless:
            weak = ALLOWS_ALL
        measured = won.model_copy(
            update={
                "samples": [used, used],
                "pairs": capital.pairs,
                "epochs": len(rounds),
                "stopped": stopped,
                "capital": float(highest / np.log(10)),
                "needed": float(-np.log10(alpha)),
                **({} if fixed is None else {"delta": fixed, "found": lower}),
            }
        )
        rows: tuple[dict[str, float], ...] = ()
        if fixed is not None:
            allowed = self.claimed.allowed_epsilon(fixed)
            rows = ({"delta": fixed, "claimed": allowed, "certified": lower, "attainable": within},)
        witness = None
        if refuted:
            witness = {
                "kind": "bets",
                **self.key(),
                "inputs": shown(self.pair),
                "alpha": alpha,
                "told": most_won(won),
                "epochs": [r.witness() for r in rounds],
            }
        return self.evidence(
            verdict, weak, measured, error=alpha, witness=witness, resolution=resolution, bounds=rows
        )


def _usual_rates(rounds: Sequence[Round]) -> tuple[Floats, Floats]:
    """Rates on inputs 0 and 1 of the events of the longest epoch."""
    longest = max(rounds, key=lambda r: r.pairs)
    counts, pairs = above(longest.tables), float(longest.pairs)
    zero, one = (counts + 1) / (pairs + 2)
    return zero, one


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


def _lower(capital: Capital, alpha: float) -> float:
    """The largest epsilon of the grid up to which all are refuted."""
    out = capital.highest < -np.log(alpha)
    first = int(np.argmax(out)) if out.any() else len(out)
    return float(capital.epsilon[first - 1]) if first > 0 else 0.0
