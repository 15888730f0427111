"""The information about one number in outcomes of any kind, bounded from below by what was learnt to move with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from numbers import Real
from typing import Self

import numpy as np

from ....mechanisms.black_box import BlackBox
from ....mechanisms.family import Family
from ....symbolic.arrays import Floats
from ....symbolic.claim import Claim
from ....symbolic.predicates import ErrorBound, FisherInformation, Predicate
from ...record.evidence import Evidence, Measured, Verdict
from ..attack.angle import angle_lower_bounds
from ..attack.dependence import BY_CALLS, depends, weight_by_calls
from ..attack.level_cells import LevelCells, nats, seen_angle
from ..attack.scores import LAWFUL, Score
from ..check import Counts
from ..outcomes import Grid, Outcomes
from .distinguisher import Distinguisher, _of_numbers
from .enough_samples import would_decide
from .information import InformationCheck, information_inputs, limits_information, step_sizes
from .resolution import smaller_scale

# Steps in deviations of the best estimate that is claimed possible.  Far apart for smooth densities, of which short
# steps show too little; close together for atoms and jumps, which speak the louder the shorter the step is.
_FAR, _NEAR = 0.65, 1 / 32
_SURE = 1.645 / np.sqrt(2)  # of an angle times the root of the outcomes: found with probability 0.95
_LUCK = 2.5 / np.sqrt(2)  # in the same unit: an audit that was lucky promises hardly more than others


@dataclass(frozen=True)
class MovedCells:
    """The grid of outcomes and the cells for each step between parameters."""

    grid: Grid
    cells: tuple[LevelCells, ...]
    learnt: int


class LearntInformation(InformationCheck):
    """Cells along learnt scores at neighbouring parameters: of a family of one parameter, or between two numbers of a black box.

    About a black box the claim speaks of every number between its two inputs: an average over them above the
    claim refutes it.
    """

    def __init__(self, claim: Claim) -> None:
        super().__init__(claim)
        subject, predicate = claim.subject, claim.predicate
        if not limits_information(predicate) or np.size(_allowed(predicate)) > 1:
            return
        if isinstance(subject, Family) and subject.dimension == 1 and information_inputs(claim):
            step = float(step_sizes(claim)[0])
            places = subject.theta[0] + step * np.array([-_FAR / 2, _FAR / 2, _FAR / 2 + _NEAR])
            self._inputs = tuple(subject.index(np.array([x])) for x in places)
            self._steps = np.diff(places)
        elif isinstance(subject, BlackBox) and all(map(_is_number, subject.inputs)):
            self._inputs = subject.inputs
            self._steps = np.abs(np.diff(np.array(subject.inputs, dtype=float)))

    @classmethod
    def bind(cls, claim: Claim) -> Self | None:
        check = cls(claim) if claim.about == "code" else None
        return check if check is not None and check.inputs() and np.all(check._steps > 0) else None

    def learn(self, sample: Sequence[Outcomes]) -> MovedCells:
        grid, rounded = Distinguisher.rounded(sample)
        width, learnt = rounded[0].values.shape[1], min(map(len, sample))
        mean = Score("mean of its numbers", lambda s: s.values[:, :width].mean(axis=1), LAWFUL)
        found = []
        for both in pairwise(rounded):
            zero, one = (s[: learnt // 2] for s in both)
            scores = [*_of_numbers(zero, one, flexible=True), *Distinguisher._written(zero, one)]
            held = [s[learnt // 2 :] for s in both]
            choices = [(mean, both), *((s, held) for s in scores if s is not None)]
            found.append(LevelCells.learn(choices, 3.0 * learnt, 0.05 / len(self._steps)))
        return MovedCells(grid, tuple(found), learnt)

    def count(self, plan: MovedCells, unit: Sequence[Outcomes], rng: np.random.Generator) -> Counts:
        """Per step and side: outcomes in each cell, their squares over the outcomes, outcomes and units; zeros between."""
        rounded = [plan.grid.round(s) for s in unit]
        width = max(c.prior.shape[1] for c in plan.cells)
        out = np.zeros((len(plan.cells), 2, 2 * width + 2))
        for row, cells, both in zip(out, plan.cells, pairwise(rounded), strict=True):
            table, size = cells.count(both), np.array([[len(s)] for s in both])
            row[:, : table.shape[1]], row[:, width : width + table.shape[1]] = table, table**2 / size
            row[:, -2:] = np.concatenate([size, np.ones((2, 1))], axis=1)
        return out

    def judge(self, plan: MovedCells, counts: Counts | None, alpha: float) -> Evidence:
        assert counts is not None
        share, width = alpha / len(plan.cells), (counts.shape[2] - 2) // 2
        tables = [row[:, : c.prior.shape[1]] for row, c in zip(counts, plan.cells, strict=True)]
        angles = [_bound(table, c, share) for table, c in zip(tables, plan.cells, strict=True)]
        reached = (2 * np.array(angles) / self._steps) ** 2
        best = int(np.argmax(reached))
        information, cells, table = reached[best : best + 1], plan.cells[best], tables[best]
        broken, compared = self._compare(information)
        borne = _bound(table / weight_by_calls(counts[best], share), cells, share)
        doubted = broken and not self._compare((2 * np.array([borne]) / self._steps[best]) ** 2)[0]
        needed, factor = self._power(table, best, plan, share)
        excuse = (
            self._excuse() if broken else self._shortfall(float(information[0]), needed, plan.learnt, table)
        )
        sides = counts.reshape(-1, counts.shape[2])
        if any(depends(r[:width], r[width:-2], float(r[-2]), float(r[-1])) for r in sides):
            excuse = "outcomes of one call depend on each other, so that no test applies: draw every outcome independently"
        elif doubted:
            doubt = f"counted one by one the outcomes refute the claim, counted {BY_CALLS}"
            excuse = f"{excuse}; {doubt}" if excuse else doubt
        verdict = Verdict.UNDECIDED if excuse else Verdict.REFUTED if broken else Verdict.SURVIVED
        measured = Measured(
            samples=[int(table[0].sum()) + plan.learnt],
            learnt=plan.learnt,
            parameters=len(self._steps) + 1,
            cells=table.shape[1],
            way=cells.score.name,
            step=float(self._steps[best]),
            **compared,
        )
        histograms = {
            "steps": [float(self._steps[best])],
            "alpha": share,
            "edges": [cells.edges.tolist()],
            "prior": cells.prior[:, None].tolist(),
            "counts": table[:, None].tolist(),
        }
        return self._found(verdict, excuse, measured, information, histograms, smaller_scale(factor), alpha)

    def _power(self, table: Floats, best: int, plan: MovedCells, alpha: float) -> tuple[float, float]:
        """Counted outcomes that would support the claim, and how much stricter it had to be for 95 % of audits to refute it."""
        n, step, allowed = (
            float(table.sum(axis=1).min()),
            float(self._steps[best]),
            _allowed(self.claim.predicate),
        )
        wanted = step / 2 * np.sqrt(float(allowed.ravel()[0]))
        price = np.sqrt(nats(table.shape[1], plan.cells[best].prior[0].sum(), n, alpha)) + _SURE
        seen = seen_angle(table)
        low = seen - (price + _LUCK) / np.sqrt(n)
        # Support is half of the claimed information, or of an error bound the power to find half of the noise.
        gap = (
            seen - wanted / np.sqrt(2) if isinstance(self.claim.predicate, FisherInformation) else wanted / 2
        )
        # Where chance alone may hide that there is a gap, nobody knows.
        needed = (price / gap) ** 2 if gap > 0 else np.nan if gap + _LUCK / np.sqrt(n) > 0 else np.inf
        return float(needed), float(max(1.0, (wanted / low) ** 2)) if low > 0 else np.inf

    def _shortfall(self, found: float, needed: float, learnt: int, table: Floats) -> str:
        """Why information within the claim does not support it, if so, and how many samples would."""
        n = max(float(table.sum(axis=1).min()), 1.0)
        why = "a release with half of the noise that the claim needs would have been missed"
        if isinstance(self.claim.predicate, FisherInformation):
            if found >= float(self.claim.predicate.matrix()[0, 0]) / 2:
                return ""
            why = "less than half of the claimed information was found: the code may well have less than is claimed"
        elif needed <= n:
            return ""
        return f"{why}; {would_decide(needed * (1 + learnt / n), 'what these outcomes show stays below')}"


def _allowed(predicate: Predicate) -> Floats:
    """The information that the claim allows, shape (1, 1) if it is about one number."""
    if isinstance(predicate, FisherInformation):
        return predicate.matrix()
    assert isinstance(predicate, ErrorBound)
    weight = np.atleast_2d(np.asarray(1.0 if predicate.weight is None else predicate.weight, dtype=float))
    return np.asarray(weight / predicate.value)


def _is_number(x: object) -> bool:
    return isinstance(x, Real) and not isinstance(x, bool)


def _bound(table: Floats, cells: LevelCells, alpha: float) -> float:
    """A lower confidence bound on the angle from counts (2, cells)."""
    if table.shape[1] < 2 or not seen_angle(table):
        return 0.0
    (k, l), (prior_k, prior_l) = table[:, None], cells.prior[:, None]  # noqa: E741
    return float(angle_lower_bounds(k, l, prior_k, prior_l, alpha)[0])
