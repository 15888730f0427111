"""What is drawn from the table, each draw for a share of the budget; and the draws that add noise to sums."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ...symbolic.arrays import Floats
from ...symbolic.sensitivity.query_over import DatasetQuery
from ..grid_noise import Bits, seeded_bits
from ..mechanism import Mechanism
from ..whole_noise import DiscreteGaussian, DiscreteLaplace, DiscreteNoise, DiscreteNoiseMechanism
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
    def stated(self) -> DatasetQuery:
        """The query whose sensitivity bounds how far one unit moves what is drawn from."""

    def norm(self, noise: str) -> str:
        """The norm in which the sensitivity counts."""
        return "l2" if noise == GAUSSIAN else "l1"

    @abstractmethod
    def answers(self, one: Totals, two: Totals) -> tuple[list[int], list[int]]:
        """What is drawn from at two totals, the entries that differ: their distance is what the sensitivity bounds."""

    @property
    def as_drawn(self) -> tuple[Part, ...]:
        """What may be drawn from in its place, where earlier draws decide that: the extremes, to be tried."""
        return (self,)

    @abstractmethod
    def drawer(self, share: Fraction, unit: Unit, noise: str) -> Drawer:
        """The draw that costs no more than this share of rho ("gaussian") or of epsilon ("laplace")."""


class Drawer(ABC):
    """A draw whose law is fixed."""

    cost: Fraction  # rho or epsilon, exact

    def at(self, drawn: Mapping[Part, tuple[Drawer, Noisy]]) -> Drawer:
        """The draw as earlier draws leave it: of the same law and cost."""
        return self

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

    def stated(self) -> DatasetQuery:
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
        law = DiscreteGaussian(demand / (2 * share)) if noise == GAUSSIAN else DiscreteLaplace(demand / share)
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

    def stated(self) -> DatasetQuery:
        return self.outer.stated()

    def demand(self, unit: Unit, noise: str) -> Fraction:
        return self.outer.distance("l2" if noise == GAUSSIAN else "l1", unit)


@dataclass(frozen=True)
class SumsDrawer(Drawer):
    """Independent noise of one law on every total."""

    part: NoisySums
    law: DiscreteNoise
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


def beside(law: DiscreteNoise) -> int:
    """How many more draws make it unlikely that twenty outcomes are those of twenty others, at most 512."""
    same = -math.log(float(law.mass(0).mid()))
    return min(math.ceil(_ALIKE / same) - 1, 512) if same < _ALIKE else 0


class DrawnSums(DiscreteNoiseMechanism):
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
