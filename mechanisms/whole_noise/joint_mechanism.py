"""The exact joint choice under audit: the records by groups of two neighbouring tables, law and code side by side."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from math import comb
from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import NDArray
from scipy import special

from ...symbolic.arrays import Floats
from ...symbolic.errors import SpecError
from ...symbolic.laws.vector import OutcomeLaw
from ...symbolic.privacy.pair import DiscretePair
from ...symbolic.proof.enclosure import rational
from ..additive import positive
from ..grid_noise.secure_bits import seeded_bits
from ..mechanism import Mechanism, WorstCase
from .cuts import Cuts, Levels, classes, in_runs, sizes_of
from .joint_choice import JointChoice
from .joint_law import MOST_CLASSES, JointOutcome, log_numbers
from .noise import exactly


class JointChoiceMechanism(Mechanism):
    """Chooses a group for every level at once, with chance proportional to exp(-epsilon cost / (2 sensitivity)).

    `first` and `second` are the records (groups,) of two neighbouring tables, in which no choice's cost differs by more than
    `sensitivity` (SpecError otherwise); an outcome is a row of m groups.  For tables of few groups with records.
    """

    name = "joint-choice"
    summary = "chooses groups for several levels at once by the exponential mechanism, exactly"

    def __init__(
        self,
        first: Sequence[int],
        second: Sequence[int],
        levels: Levels,
        epsilon: Fraction | float,
        sensitivity: Fraction | float,
    ) -> None:
        self.epsilon, self.sensitivity = exactly("epsilon", epsilon), exactly("sensitivity", sensitivity)
        self.levels = levels
        self.first, self.second = np.asarray(first, dtype=np.int64), np.asarray(second, dtype=np.int64)
        if len(self.first) != len(self.second):
            raise SpecError(
                f"first and second need the same number of groups, got {len(self.first)} and {len(self.second)}"
            )
        moved = int(np.abs(self._costs[0] - self._costs[1]).max())
        if not 0 < moved <= self.sensitivity:
            raise SpecError(
                f"the costs of neighbours differ by at most the sensitivity, and somewhere: got {moved} where {self.sensitivity} is declared"
            )

    @cached_property
    def _both(self) -> tuple[Cuts, Cuts]:
        """The two tables, cut into the same spans."""
        return Cuts(self.first, self.levels, self.second), Cuts(self.second, self.levels, self.first)

    @cached_property
    def _classes(self) -> NDArray[np.int64]:
        return classes(self._both[0], MOST_CLASSES)

    @cached_property
    def _costs(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        one, two = self._both
        return one.costs(self._classes), two.costs(self._classes)

    def parameters(self) -> dict[str, Any]:
        return {
            "first": self.first.tolist(),
            "second": self.second.tolist(),
            "levels": [f"{a}/{self.levels.denominator}" for a in self.levels.places],
            "epsilon": str(self.epsilon),
            "sensitivity": str(self.sensitivity),
        }

    def choice(self, data: Any) -> JointChoice:
        """The law and the draw at the records (groups,) of one table."""
        return JointChoice(np.asarray(data, dtype=np.int64), self.levels, self.epsilon, self.sensitivity)

    def law(self, data: Any) -> OutcomeLaw:
        counts = np.asarray(data, dtype=np.int64)
        return JointOutcome(Cuts(counts, self.levels), float(self.epsilon / (2 * self.sensitivity)))

    def release(self, data: Any, size: int, rng: np.random.Generator) -> Floats:
        return self.choice(data).draw(size, seeded_bits(rng)).astype(float)

    def neighbours(self) -> tuple[tuple[Any, Any], ...]:
        return ((self.first, self.second),)

    def _numbers(self) -> list[int]:
        """How many choices each class has."""
        total, before = in_runs(self._classes)
        sizes = sizes_of(self._both[0].spans)[self._classes]
        out = []
        for size, k, place in zip(sizes.tolist(), total.tolist(), before.tolist(), strict=True):
            n = 1
            for r, several, at in zip(size, k, place, strict=True):
                n *= comb(r + several - 1, several) if at == 0 else 1
            out.append(n)
        return out

    def apart(self) -> float:
        """The l1 distance of the two laws, about."""
        many, rate = log_numbers(self._both[0], self._classes), float(self.epsilon / (2 * self.sensitivity))
        one, two = (special.softmax(many - rate * costs) for costs in self._costs)
        return float(np.abs(one - two).sum())

    def worst_case(self) -> WorstCase:
        """Choices whose cost moves alike have one loss: each such set is one outcome of the pair."""
        pooled: dict[int, dict[int, int]] = defaultdict(lambda: defaultdict(int))
        for one, two, n in zip(*(c.tolist() for c in self._costs), self._numbers(), strict=True):
            pooled[two - one][one] += n
        rate = rational(self.epsilon / (2 * self.sensitivity))
        p, q = [], []
        for moved, costs in pooled.items():
            p.append(sp.Add(*(n * sp.exp(-rate * cost) for cost, n in costs.items())))
            q.append(sp.Add(*(n * sp.exp(-rate * (cost + moved)) for cost, n in costs.items())))
        pair = DiscretePair(tuple(v / sp.Add(*p) for v in p), tuple(v / sp.Add(*q) for v in q))
        lemma = "choices of one privacy loss may be merged to one outcome: no divergence changes"
        return WorstCase(pair, lemmas=(lemma,))

    def with_noise_divided_by(self, factor: float) -> JointChoiceMechanism:
        by = exactly("factor", positive("factor", factor, "by which the noise is divided"))
        return JointChoiceMechanism(
            self.first.tolist(), self.second.tolist(), self.levels, self.epsilon * by, self.sensitivity
        )
