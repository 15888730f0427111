"""What is drawn from the table: sums with noise, and quantiles chosen with noise; each costs a share of the budget."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import isqrt
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ...symbolic.arrays import Floats
from ...symbolic.sensitivity.queries import grouped_sums
from ...symbolic.sensitivity.query_over import QueryOver
from ..grid_noise import Bits, seeded_bits
from ..mechanism import Mechanism
from ..whole_noise import (
    WholeChoiceMechanism,
    WholeGaussian,
    WholeLaplace,
    WholeNoise,
    WholeNoiseMechanism,
    choose,
)
from .measurement import Measurement, Totals, Unit

Noisy = NDArray[np.int64]
GAUSSIAN, LAPLACE = "gaussian", "laplace"
_ALIKE = 1.0


@dataclass(frozen=True)
class Part(ABC):
    """One draw: from the totals of a measurement, whole numbers that may be published."""

    measurement: Measurement

    @abstractmethod
    def demand(self, unit: Unit, noise: str) -> Fraction:
        """What a unit of budget buys: the share is demand / (2 variance) in rho, sqrt(2 demand^2 / variance) in epsilon.

        Of "gaussian" the square of a sensitivity, of "laplace" a sensitivity; in steps, or in ranks.
        """

    @abstractmethod
    def stated(self) -> QueryOver:
        """The query whose sensitivity bounds how far one unit moves what is drawn from."""

    def norm(self, noise: str) -> str:
        """The norm in which the sensitivity counts."""
        return "l2" if noise == GAUSSIAN else "l1"

    @abstractmethod
    def answers(self, one: Totals, two: Totals) -> tuple[list[int], list[int]]:
        """What is drawn from at two totals, the entries that differ: their distance is what the sensitivity bounds."""

    @abstractmethod
    def drawer(self, share: Fraction, unit: Unit, noise: str) -> Drawer:
        """The draw that costs no more than this share of rho ("gaussian") or of epsilon ("laplace")."""


class Drawer(ABC):
    """A draw whose law is fixed."""

    cost: Fraction  # rho or epsilon, exact

    @abstractmethod
    def draw(self, totals: Totals, bits: Bits) -> Noisy:
        """What is published of totals (cells, amounts)."""

    @abstractmethod
    def said(self) -> dict[str, Any]:
        """The law, as plain data."""

    @abstractmethod
    def farthest(self, unit: Unit, units: int = 1) -> tuple[list[int], list[int]]:
        """What is drawn from for two tables that differ in so many units and are told apart best, or, of sums, are farthest apart."""

    @abstractmethod
    def on_trial(self, one: Sequence[int], two: Sequence[int], units: int = 1) -> Mechanism:
        """The code that draws as a mechanism, at what it draws from for two tables that differ in so many units; its law beside it."""


@dataclass(frozen=True)
class NoisySums(Part):
    """The totals, each with noise of its own; `drawn_as_summed`: noise is added to them as they are, in any shape."""

    drawn_as_summed: ClassVar[bool] = True

    def transformed(self, totals: Totals) -> Totals:
        """What noise is added to."""
        return totals

    def stated(self) -> QueryOver:
        return self.measurement.stated()

    def answers(self, one: Totals, two: Totals) -> tuple[list[int], list[int]]:
        first, second = (self.transformed(t).ravel() for t in (one, two))
        moved = np.flatnonzero(first != second)
        return first[moved].tolist(), second[moved].tolist()

    def farthest(self, unit: Unit, noise: str, units: int = 1) -> tuple[list[int], list[int]]:
        pair = self.stated().sensitivity(self.norm(noise), unit.relation()).attained_at
        assert pair is not None
        one, two = ([int(v) for v in self.stated()(side)] for side in pair)
        return one, [a + units * (b - a) for a, b in zip(one, two, strict=True)]

    def demand(self, unit: Unit, noise: str) -> Fraction:
        return self.measurement.distance("l2" if noise == GAUSSIAN else "l1", unit)

    def drawer(self, share: Fraction, unit: Unit, noise: str) -> Drawer:
        demand = self.demand(unit, noise)
        law = WholeGaussian(demand / (2 * share)) if noise == GAUSSIAN else WholeLaplace(demand / share)
        return SumsDrawer(self, law, share)


@dataclass(frozen=True)
class DistinctGroups(NoisySums):
    """How many groups of the last axis hold a record, in each cell of the others; no more groups come or go than records."""

    drawn_as_summed: ClassVar[bool] = False

    @property
    def outer(self) -> Measurement:
        """The counts that bound it."""
        return Measurement(self.measurement.axes[:-1], self.measurement.amounts, self.measurement.where)

    @property
    def most(self) -> int:
        """How many groups can hold a record: those of the last axis that meet the conditions on it."""
        axis = self.measurement.axes[-1]
        wanted = [len(c.places) for c in self.measurement.where if c.column == axis.column and c.places]
        return min([len(axis.labels), *wanted])

    def transformed(self, totals: Totals) -> Totals:
        groups = len(self.measurement.axes[-1].labels)
        return np.asarray((totals.reshape(-1, groups) > 0).sum(axis=1, dtype=np.int64)[:, None])

    def stated(self) -> QueryOver:
        return self.outer.stated()

    def demand(self, unit: Unit, noise: str) -> Fraction:
        return self.outer.distance("l2" if noise == GAUSSIAN else "l1", unit)


@dataclass(frozen=True)
class SumsDrawer(Drawer):
    """Independent noise of one law on every total."""

    part: NoisySums
    law: WholeNoise
    cost: Fraction

    def draw(self, totals: Totals, bits: Bits) -> Noisy:
        return self.noised(self.part.transformed(totals), bits)

    def noised(self, exact: Totals, bits: Bits) -> Noisy:
        """Exact numbers of any shape, each with noise of its own."""
        noise = self.law.draw(exact.size, bits)
        return np.asarray(exact + noise.reshape(exact.shape))

    def farthest(self, unit: Unit, units: int = 1) -> tuple[list[int], list[int]]:
        return self.part.farthest(unit, self.law.kind, units)

    def said(self) -> dict[str, Any]:
        return {**self.law.parameters()}

    def on_trial(self, one: Sequence[int], two: Sequence[int], units: int = 1) -> Mechanism:
        # Outcomes that are nearly always the same say little about a law: sums that do not move are drawn beside them.
        still = [0] * beside(self.law)
        return DrawnSums(self, [*one, *still], [*two, *still])


def beside(law: WholeNoise) -> int:
    """How many more draws make it unlikely that twenty outcomes are those of twenty others, at most 512."""
    same = -math.log(float(law.mass(0).mid()))
    return min(math.ceil(_ALIKE / same) - 1, 512) if same < _ALIKE else 0


class DrawnSums(WholeNoiseMechanism):
    """The code that adds noise to the sums of a release, beside the law that it states."""

    summary = "adds noise to the sums of a release"

    def __init__(self, drawer: SumsDrawer, one: Sequence[int], two: Sequence[int]) -> None:
        super().__init__(drawer.law, one, two)
        self.drawer = drawer
        self.name = "noise of sums"

    def release(self, data: Any, size: int, rng: np.random.Generator) -> Floats:
        exact = np.broadcast_to(np.asarray(data, dtype=np.int64), (size, self.dimension))
        draw = self.drawer.draw if self.drawer.part.drawn_as_summed else self.drawer.noised
        return draw(exact, seeded_bits(rng)).astype(float)


@dataclass(frozen=True)
class ChosenQuantile(Part):
    """In each cell one group of the last axis, near the quantile numerator / denominator, by the exponential mechanism.

    The score of a group is -max(0, b below - a n, a n - b upto) for the quantile a/b of n records, of which `below` lie
    below the group and `upto` in it or below: -b times its distance from the quantile in ranks, 0 where it holds it (as in
    Smith 2011, for groups of several records).
    """

    numerator: int
    denominator: int

    def stated(self) -> QueryOver:
        # To b below - a n, and to b upto - a n, a record adds b - a or -a; the larger of 0 and two of them moves no further.
        a, b = self.numerator, self.denominator
        outer = Measurement(self.measurement.axes[:-1], (), ()).cells
        query = grouped_sums(outer, ((-a, b - a),))
        return QueryOver(query, query.domain())

    def norm(self, noise: str) -> str:
        return "l1"

    def reach(self, unit: Unit) -> int:
        """How far one unit of privacy moves the scores of a group, summed over the cells that it enters or leaves; proved."""
        exact: Any = self.stated().sensitivity("l1", unit.relation()).exact
        return int(exact)

    def answers(self, one: Totals, two: Totals) -> tuple[list[int], list[int]]:
        first, second = self.scores(one), self.scores(two)
        farthest = np.abs(first - second).argmax(axis=1)[:, None]
        pair = (np.take_along_axis(s, farthest, axis=1)[:, 0] for s in (first, second))
        one_side, other = (side.tolist() for side in pair)
        return one_side, other

    def demand(self, unit: Unit, noise: str) -> Fraction:
        # In ranks: the scores move `denominator` times as fast at most, and fall off like e^(-epsilon score / (2 reach)).
        ranks = Fraction(2 * self.reach(unit), self.denominator)
        return ranks**2 / 2 if noise == GAUSSIAN else ranks

    def drawer(self, share: Fraction, unit: Unit, noise: str) -> ChoiceDrawer:
        epsilon = _root(8 * share) if noise == GAUSSIAN else share
        return ChoiceDrawer(self, epsilon, self.reach(unit), epsilon**2 / 8 if noise == GAUSSIAN else epsilon)

    def scores(self, totals: Totals) -> Totals:
        """The score of each group in each cell, shape (cells, groups)."""
        counts = totals.reshape(-1, len(self.measurement.axes[-1].labels))
        upto = np.cumsum(counts, axis=1)
        below, wanted = self.denominator * (upto - counts), self.numerator * upto[:, -1:]
        return np.asarray(-np.maximum(np.maximum(below - wanted, wanted - self.denominator * upto), 0))


@dataclass(frozen=True)
class ChoiceDrawer(Drawer):
    """The exponential mechanism in every cell."""

    part: ChosenQuantile
    epsilon: Fraction
    reach: int
    cost: Fraction

    def draw(self, totals: Totals, bits: Bits) -> Noisy:
        return np.concatenate([self.chosen(row, 1, bits) for row in self.part.scores(totals)])[:, None]

    def chosen(self, scores: Totals, size: int, bits: Bits) -> Noisy:
        """`size` draws from the scores (groups,) of one cell."""
        return choose(scores, self.epsilon, Fraction(self.reach), bits, size)

    def farthest(self, unit: Unit, units: int = 1) -> tuple[list[int], list[int]]:
        """Scores of one cell: records at both ends so many that many groups between them weigh about as much as one at an end."""
        part, k = self.part, unit.most * units
        groups, rate = len(part.measurement.axes[-1].labels), float(self.epsilon) / (2 * self.reach)
        a, b = part.numerator, part.denominator
        level = math.log(max(groups, 2)) / rate
        best: tuple[float, Totals, Totals] | None = None
        for low, high in product((0.0, 0.5, 1.0, 2.0), repeat=2):
            base = np.zeros(groups, dtype=np.int64)
            base[0], base[-1] = round(low * level / (b - a)), round(high * level / a)
            ends = base.copy(), base.copy()
            ends[0][0] += k
            ends[1][-1] += k
            for one, two in ((base, ends[0]), (base, ends[1])) if unit.resizes else (ends,):
                first, second = part.scores(one)[0], part.scores(two)[0]
                apart = float(np.abs(_weights(rate * first) - _weights(rate * second)).sum())
                if best is None or apart > best[0]:
                    best = apart, first, second
        assert best is not None
        return best[1].tolist(), best[2].tolist()

    def on_trial(self, one: Sequence[int], two: Sequence[int], units: int = 1) -> Mechanism:
        return DrawnChoice(self, one, two, units)

    def said(self) -> dict[str, Any]:
        return {"law": "exponential mechanism", "epsilon": str(self.epsilon), "reach": self.reach}

    def ranks(self, probability: Fraction) -> float:
        """With this probability or more what is chosen is this close to the quantile, in ranks (McSherry and Talwar 2007).

        A group that holds the quantile has the score 0, and others that of their distance.
        """
        groups = len(self.part.measurement.axes[-1].labels)
        reach = 2 * self.reach / float(self.epsilon) * math.log(groups / float(1 - probability))
        return reach / self.part.denominator


def _weights(logarithms: Floats) -> Floats:
    """Probabilities in proportion to the exponentials of these numbers."""
    found = np.exp(logarithms - logarithms.max())
    return np.asarray(found / found.sum(), dtype=float)


class DrawnChoice(WholeChoiceMechanism):
    """The code that chooses a quantile, beside the law that it states."""

    summary = "chooses a quantile of a release"

    def __init__(self, drawer: ChoiceDrawer, one: Sequence[int], two: Sequence[int], units: int) -> None:
        # The same rate: so many units move the scores so many times as far.
        super().__init__(one, two, drawer.epsilon * units, drawer.reach * units)
        self.drawer = drawer
        self.name = "choice of a quantile"

    def release(self, data: Any, size: int, rng: np.random.Generator) -> Floats:
        scores = np.asarray(data, dtype=np.int64)
        return self.drawer.chosen(scores, size, seeded_bits(rng)).astype(float)


def _root(value: Fraction) -> Fraction:
    """A fraction whose square is no more than the value, within 2^-40 of its root."""
    scale = 1 << 40
    return Fraction(isqrt(value.numerator * scale * scale // value.denominator), scale)
