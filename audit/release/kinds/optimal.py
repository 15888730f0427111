"""Squared-cosine noise on every private number: of all noise on an interval the one with the least Fisher information."""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar

import sympy as sp

from ....mechanisms.grid_noise import GridNoise, grid_cosine
from ....mechanisms.grid_noise.pair import GridPair
from ....symbolic.privacy.guarantees import ApproxDP
from ..ledger.cost import Cost
from ..manifest import StatedGuarantee
from ..not_met import PolicyNotMetError
from ..policy import Policy
from .grid_kind import GridKind
from .terms import never_pure

NO_EPSILON = "the noise is bounded, so that an outcome excludes some values with certainty: no epsilon is finite with delta = 0"

_LARGEST = 1024.0
_HALVINGS = 9


class OptimalKind(GridKind):
    """Independent noise with density cos^2 on (-a_j, a_j); its information pi^2/a_j^2 is the least there (farokhi2019, corollary 1)."""

    name: ClassVar[str] = "optimal"
    size_key: ClassVar[str] = "half_width"
    unit_information: ClassVar[sp.Expr] = sp.pi**2

    @classmethod
    def noise(cls, size: float, exponent: int) -> GridNoise:
        return grid_cosine(size, exponent)

    @classmethod
    def sizes_of_privacy(cls, policy: Policy) -> tuple[float, ...] | None:
        """By doubling, then halving the bracket: the curve of bounded noise has no closed form."""
        limits, length = policy.model.limits, policy.widths
        if limits.rho is not None or (limits.epsilon is not None and limits.delta is None):
            raise PolicyNotMetError(
                f"a limit on {'rho' if limits.rho is not None else 'epsilon without a delta'} is set, and {NO_EPSILON}"
            )
        if limits.epsilon is None:
            return None

        parts = len(length) * policy.rows_of_unit

        def short(factor: float) -> bool:
            # On an interval of length 1; the grids of the columns differ a hair from this one.
            noise = grid_cosine(factor)
            pair = GridPair(((noise, round(1 / noise.step), parts),))
            return float(pair.bounds([float(limits.epsilon or 0)])[1][0]) > (limits.delta or 0)

        low, high = 0.5, 1.0
        while short(high):
            low, high = high, 2 * high
            if high > _LARGEST:
                raise PolicyNotMetError(
                    f"no half width up to {_LARGEST:g} times the domain meets the limits on epsilon and delta"
                )
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            low, high = (middle, high) if short(middle) else (low, middle)
        return tuple(high * w for w in length)

    @cached_property
    def delta(self) -> float | None:
        """delta of one unit at the epsilon of the policy; None without one, or where it is 1."""
        return self.delta_of(self.group)

    def delta_of(self, records: int) -> float | None:
        """The same for `records` records together."""
        epsilon = self.policy.model.limits.epsilon
        if epsilon is None:
            return None
        found = float(self.release.delta([float(epsilon)], records)[0])
        return found if 0 < found < 1 else None

    def stated(self, records: int | None = None) -> ApproxDP | None:
        epsilon = self.policy.model.limits.epsilon
        delta = self.delta if records is None else self.delta_of(records)
        return None if delta is None or epsilon is None else ApproxDP(float(epsilon), delta)

    @property
    def cost(self) -> Cost:
        information, unit = self.informations(), self.policy.unit
        stated = self.stated()
        if stated is None:
            return Cost.none(NO_EPSILON, fisher_information=information, unit=unit)
        return Cost.approximate_dp(stated.epsilon, stated.delta, fisher_information=information, unit=unit)

    def guarantees(self) -> tuple[StatedGuarantee, ...]:
        unit, stated = self.policy.unit, self.stated()
        if stated is None:
            return (self.information_stated(), never_pure(NO_EPSILON))
        sentence = f"({stated.epsilon:.6g}, {stated.delta:.6g})-differentially private per {unit} under replace-one, by the exact curve of the law that is drawn from"
        numbers = {"epsilon": stated.epsilon, "delta": stated.delta}
        return (
            self.information_stated(),
            StatedGuarantee(ApproxDP.key, sentence, numbers),
            never_pure(NO_EPSILON),
        )

    def caveats(self) -> tuple[str, ...]:
        return (
            *super().caveats(),
            "Not differentially private with delta = 0: the noise is bounded, so that each released number excludes with certainty all values "
            "that are further from it than the half width. What is promised is an error, not that anything can be denied.",
        )
