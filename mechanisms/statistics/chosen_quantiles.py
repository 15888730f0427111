"""Quantiles of a number, in each cell one group for every level, all of them chosen at once by the exponential mechanism."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import isqrt
from typing import Any

import numpy as np
from scipy import special

from ...symbolic.arrays import Floats
from ...symbolic.sensitivity.queries import gap_sums
from ...symbolic.sensitivity.query_over import DatasetQuery
from ..grid_noise import Bits, seeded_bits
from ..mechanism import Mechanism
from ..whole_noise import JointChoice, JointChoiceMechanism, Levels, choice_rho, furthest_costs
from ..whole_noise.joint_law import JointOutcome
from .measurement import Measurement, Totals, Unit
from .parts import GAUSSIAN, Drawer, Noisy, Part

_FEW, _MANY = (0.25, 0.5, 1.0, 2.0), 1 << 20


@dataclass(frozen=True)
class ChosenQuantiles(Part):
    """In each cell one group of the last axis for each level; what a choice costs is said in `whole_noise/cuts.py`."""

    levels: Levels

    @property
    def groups(self) -> int:
        """How many candidates there are."""
        return len(self.measurement.axes[-1].labels)

    def stated(self) -> DatasetQuery:
        outer = Measurement(self.measurement.axes[:-1], (), ()).cells
        query = gap_sums(outer, self.levels.vectors)
        return DatasetQuery(query, query.domain())

    def norm(self, noise: str) -> str:
        return "l1"

    def reach(self, unit: Unit) -> int:
        """How far one unit of privacy moves the cost of a choice, summed over the cells that it enters or leaves; proved."""
        exact: Any = self.stated().sensitivity("l1", unit.relation()).exact
        return int(exact)

    def counts(self, totals: Totals) -> Totals:
        """The records of each cell by groups, shape (cells, groups)."""
        return totals.reshape(-1, self.groups)

    def answers(self, one: Totals, two: Totals) -> tuple[list[int], list[int]]:
        cells = zip(self.counts(one), self.counts(two), strict=True)
        pairs = [furthest_costs(a, b, self.levels) for a, b in cells if (a != b).any()]
        return [a for a, _ in pairs], [b for _, b in pairs]

    def demand(self, unit: Unit, noise: str) -> Fraction:
        # In ranks: a level that is off by r ranks costs 2 r denominator, and chances fall off like e^(-epsilon cost / (2 reach)).
        ranks = Fraction(self.reach(unit), self.levels.denominator)
        return ranks**2 / 2 if noise == GAUSSIAN else ranks

    def drawer(self, share: Fraction, unit: Unit, noise: str) -> QuantilesDrawer:
        epsilon = _root(8 * share) if noise == GAUSSIAN else share
        cost = choice_rho(epsilon) if noise == GAUSSIAN else epsilon
        return QuantilesDrawer(self, epsilon, self.reach(unit), cost)


@dataclass(frozen=True)
class QuantilesDrawer(Drawer):
    """The exponential mechanism in every cell."""

    part: ChosenQuantiles
    epsilon: Fraction
    reach: int
    cost: Fraction

    def draw(self, totals: Totals, bits: Bits) -> Noisy:
        return np.concatenate([self.chosen(row, 1, bits) for row in self.part.counts(totals)])

    def chosen(self, counts: Totals, size: int, bits: Bits) -> Noisy:
        """`size` draws (size, levels) from the records (groups,) of one cell."""
        return JointChoice(counts, self.part.levels, self.epsilon, Fraction(self.reach)).draw(size, bits)

    @cached_property
    def _choices(self) -> float:
        """The logarithm of the number of rising choices."""
        k, m = self.part.groups, len(self.part.levels.places)
        return float(special.gammaln(k + m) - special.gammaln(m + 1) - special.gammaln(k))

    def farthest(self, unit: Unit, units: int = 1) -> tuple[list[int], list[int]]:
        """Records of one cell: at both ends so many that all other choices weigh about as much as those of an end."""
        rate = float(self.epsilon) / (2 * self.reach)
        best: tuple[float, Totals, Totals] | None = None
        for base in self._bases(rate):
            for one, two in self._moved(base, unit, unit.most * units):
                made = self.on_trial(one.tolist(), two.tolist(), units)
                assert isinstance(made, JointChoiceMechanism)
                apart = made.apart()
                if best is None or apart > best[0]:
                    best = apart, one, two
        assert best is not None
        return best[1].tolist(), best[2].tolist()

    def _bases(self, rate: float) -> Iterator[Totals]:
        levels = self.part.levels
        yield np.zeros(self.part.groups, dtype=np.int64)
        first, last = (levels.places[i] / levels.denominator for i in (0, -1))
        for share in dict.fromkeys((0.0, first, 0.5, last, 1.0)):
            many = np.zeros(self.part.groups, dtype=np.int64)
            many[0], many[-1] = round(share * _MANY), round((1 - share) * _MANY)
            # What it costs to choose nothing but groups between the ends, for each record.
            each = float(JointOutcome.of(many, levels, rate).costs.max()) / _MANY
            for part in _FEW if each else ():
                yield np.rint(many / _MANY * part * self._choices / (rate * each)).astype(np.int64)

    def _moved(self, base: Totals, unit: Unit, k: int) -> Iterator[tuple[Totals, Totals]]:
        """Neighbours with `k` records at one end or in the middle, or, where records are replaced, at both."""
        places = dict.fromkeys((0, self.part.groups // 2, self.part.groups - 1))
        with_one = []
        for place in places:
            two = base.copy()
            two[place] += k
            with_one.append(two)
        if unit.resizes:
            yield from ((base, two) for two in with_one)
        else:
            yield from ((with_one[0], two) for two in with_one[1:])

    def on_trial(self, one: Sequence[int], two: Sequence[int], units: int = 1) -> Mechanism:
        return DrawnQuantiles(self, one, two, units)

    def said(self) -> dict[str, Any]:
        return {"law": "exponential mechanism", "epsilon": str(self.epsilon), "reach": self.reach}

    def ranks(self, probability: Fraction) -> float:
        """With this probability or more all that is chosen is this close to its quantile, in ranks (McSherry and Talwar 2007).

        Groups that hold their quantiles cost 0 or less.  Where a level is off by r ranks the path of `cuts.py` goes that far from 0
        and back: 2 r denominator.  All choices together weigh no more than their number.
        """
        beyond = self._choices - math.log(float(1 - probability))
        return self.reach / float(self.epsilon) * beyond / self.part.levels.denominator


class DrawnQuantiles(JointChoiceMechanism):
    """The code that chooses quantiles, beside the law that it states."""

    summary = "chooses quantiles of a release"

    def __init__(self, drawer: QuantilesDrawer, one: Sequence[int], two: Sequence[int], units: int) -> None:
        # The same rate: so many units move the costs so many times as far.
        super().__init__(one, two, drawer.part.levels, drawer.epsilon * units, drawer.reach * units)
        self.drawer = drawer
        self.name = "choice of quantiles"

    def release(self, data: Any, size: int, rng: np.random.Generator) -> Floats:
        counts = np.asarray(data, dtype=np.int64)
        return self.drawer.chosen(counts, size, seeded_bits(rng)).astype(float)


def _root(value: Fraction) -> Fraction:
    """A fraction whose square is no more than the value, within 2^-40 of its root."""
    scale = 1 << 40
    return Fraction(isqrt(value.numerator * scale * scale // value.denominator), scale)
