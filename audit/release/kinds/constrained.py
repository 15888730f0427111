"""Noise that depends on the record, so that what is released stays in the declared interval; of least Fisher information."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import sympy as sp

from ....mechanisms.mutant import Mutant
from ....symbolic.arrays import Floats
from ....symbolic.claim import Claim
from ....symbolic.privacy.guarantees import ApproxDP
from ....symbolic.proof.enclosure import rational
from ..ledger.cost import Cost
from ..limits import Decision, Limits, by_column, exact
from ..manifest import ErrorFigure, StatedGuarantee
from ..not_met import PolicyNotMetError
from ..policy import Number, Policy
from . import row_wise
from .channel import Channel, ChannelMechanism, leaky
from .kind import Drawn, Kind, numbers_of
from .terms import Terms, by_name, columns_of, never_pure, squared

if TYPE_CHECKING:
    from ....mechanisms.grid_noise import Bits
    from ..tables import PolicyTable

AGAINST = "every adversary, unbiased or not, on average over a prior on the declared interval (so that at least one record is this hard to estimate)"
NO_EPSILON = "an answer excludes with certainty the records that are further from it than the half width: no epsilon is finite with delta = 0"
_COARSE = 12  # steps of the grid while a half width is looked for
_HALVINGS = 6


@dataclass(frozen=True, eq=False)
class ConstrainedKind(Kind):
    """One channel for each private number: least average information with |y - x| <= half_widths[j] and y in the interval."""

    policy: Policy
    half_widths: tuple[float, ...]
    channels: tuple[Channel, ...]

    name: ClassVar[str] = "constrained"

    @classmethod
    def configure(cls, policy: Policy, records: int | None = None) -> Self:
        model: Any = policy.model.mechanism
        given = _calibrated(policy) if model.calibrate else policy.per_number(model.half_width)
        sizes = tuple(float(s) for s in given)
        with numbers_of(policy):
            made = (
                _channel(n, s, model.price, model.cells) for n, s in zip(policy.numbers, sizes, strict=True)
            )
            return cls(policy, sizes, tuple(made))

    def stated(self) -> tuple[float, float] | None:
        """(epsilon, delta) of one unit at the epsilon of the policy: each of its numbers has the same share, deltas add up."""
        epsilon = self.policy.model.limits.epsilon
        if epsilon is None:
            return None
        group = self.policy.rows_of_unit
        share = float(epsilon) / (len(self.channels) * group)
        delta = group * math.fsum(c.worst_delta(share)[0] for c in self.channels)
        return (float(epsilon), delta) if delta < 1 else None

    @property
    def cost(self) -> Cost:
        stated, unit = self.stated(), self.policy.unit
        return Cost.none(NO_EPSILON, unit=unit) if stated is None else Cost.approximate_dp(*stated, unit=unit)

    @cached_property
    def terms(self) -> Terms:
        model: Any = self.policy.model.mechanism
        laws = (
            {
                "law": "finite answers",
                "half_width": s,
                "answers": len(c.answers),
                "nodes": len(c.nodes),
                "standard_deviation": float(c.spread().max()) ** 0.5,
            }
            for s, c in zip(self.half_widths, self.channels, strict=True)
        )
        return Terms(
            parameters={
                "half_width": by_name(self.policy, self.half_widths),
                "price": model.price,
                "cells": model.cells,
                "random_source": "ChaCha20, keyed by the operating system",
            },
            columns=columns_of(self.policy, laws),
            guarantees=self._guarantees(),
            adjacency=row_wise.adjacency(self.policy),
            does_not_mean=(
                *row_wise.caveats(self.policy),
                "Not differentially private with delta = 0: an answer excludes the records that are further from it than the half width.",
                "The noise depends on the record and its mean is not zero near the ends of an interval: averages of released numbers are biased there.",
                "Numbers are read at the nearest of finitely many points of their interval before they are answered.",
            ),
            error_bounds=tuple(
                ErrorFigure(n.name, bound, squared(n.unit), AGAINST)
                for n, bound in zip(self.policy.numbers, self._least_errors(), strict=True)
            ),
            utility=self._utility(),
        )

    def _guarantees(self) -> tuple[StatedGuarantee, ...]:
        stated = self.stated()
        if stated is None:
            return (never_pure(NO_EPSILON),)
        epsilon, delta = stated
        unit = self.policy.unit
        sentence = f"({epsilon:.6g}, {delta:.6g})-differentially private per {unit} under replace-one"
        numbers = {"epsilon": epsilon, "delta": delta}
        return (StatedGuarantee(ApproxDP.key, sentence, numbers), never_pure(NO_EPSILON))

    def _least_errors(self) -> tuple[float, ...]:
        return tuple(c.least_error() for c in self.channels)

    def _utility(self) -> dict[str, Any]:
        squares = [float(c.spread().max()) for c in self.channels]
        return {
            "basis": "the distribution of the answers alone, at the record that suffers most: no figure was computed from the table, so none costs budget",
            "mean-squared-error": math.fsum(squares),
            "relative-error": max(s**0.5 / w for s, w in zip(squares, self.policy.widths, strict=True)),
            "root_mean_squared_noise": by_name(self.policy, (s**0.5 for s in squares)),
        }

    def trials(self) -> tuple[Claim, ...]:
        """Each column's code and law: at the epsilon of the policy for the worst records, else for records close to each other."""
        claims: list[Claim] = []
        limits, parts = self.policy.model.limits, len(self.channels) * self.policy.rows_of_unit
        for number, channel, half in zip(self.policy.numbers, self.channels, self.half_widths, strict=True):
            scope = row_wise.scope(self.policy)
            if limits.epsilon is not None:
                share = float(limits.epsilon) / parts
                delta, first, second = channel.worst_delta(share)
                said = f"{number.name}, any two records"
            else:
                share, first = 0.0, len(channel.nodes) // 2
                second = int(channel.places(np.array([channel.nodes[first] + half / 8]))[0])
                second = max(second, first + 1)
                p = channel.probabilities()
                delta = float(np.maximum(p[first] - p[second], 0).sum()) * (1 + 1e-9) + 1e-12
                said = f"{number.name}, two records {channel.nodes[second] - channel.nodes[first]:.4g} apart"
                scope = replace(scope, domain=said)
            if not 0 < delta < 1:
                continue
            claim, subject = ApproxDP(share, delta), ChannelMechanism(channel, first, second, number.name)
            weaker = Mutant(subject, leaky(subject), "half of its answers are the nearest to the record")
            claims += [
                Claim(claim, subject, scope, title=f"{said}: {claim.sentence()}"),
                Claim(
                    claim,
                    weaker,
                    scope,
                    expect="falls",
                    title=f"control, {said}: {claim.sentence()} if half of the answers are the nearest to the record",
                ),
            ]
        return tuple(claims)

    @cached_property
    def decisions(self) -> tuple[Decision, ...]:
        limits, held = Limits(self.policy, row_wise.scope(self.policy)), self.policy.model.limits

        def ends(places: Sequence[int], column: str) -> ChannelMechanism:
            return ChannelMechanism(self.channels[places[0]], 0, 1, column or "all")

        bound = "the least mean squared error under a prior on the records, from the whole weights in balls"
        spread = "from the laws alone, at the record that suffers most"
        decisions = [
            *self._privacy(limits),
            *limits.error(self._least_errors, bound, ends),
            *limits.utility(self._utility, spread, ends((0,), "")),
        ]
        if held.epsilon is not None and (held.delta is None or self.stated() is None):
            without = "" if held.delta is not None else " without a delta"
            decisions.append(Decision("epsilon", f"a limit on epsilon is set{without}, and {NO_EPSILON}"))
        unknown = ": no finite number is known for answers from a finite list; limit the error instead"
        return (*decisions, *limits.refused(("rho", "information"), unknown))

    def _privacy(self, limits: Limits) -> list[Decision]:
        stated, held = self.stated(), self.policy.model.limits
        if stated is None:
            return []
        subject = ChannelMechanism(self.channels[0], 0, len(self.channels[0].nodes) - 1, "all")
        claims = {"as released": ApproxDP(*stated)}
        if held.delta is not None:
            claims["limit of the policy"] = ApproxDP(float(held.epsilon or 0), held.delta)
        reason = "deltas of all numbers of one unit at equal shares of epsilon, over all pairs of records, added up (basic composition)"
        return [
            limits.settle("epsilon", claim, exact(stated[1]), claim.delta, reason, subject, word=word)
            for word, claim in claims.items()
        ]

    def draw(self, table: PolicyTable, bits: Bits) -> AbstractContextManager[Drawn]:
        def answered(numbers: Floats) -> Floats:
            return np.stack([c.released(numbers[:, j], bits) for j, c in enumerate(self.channels)]).T

        return row_wise.drawn(table, answered)


def _channel(number: Number, half_width: float, price: float | None, cells: int) -> Channel:
    """The channel of one number: solved on [0, 1], then stretched to the interval."""
    width = number.high - number.low
    share = half_width / width
    if price is None and share >= 0.5:
        raise ValueError(
            f"{number.name}: noise of up to {half_width:g} lets every record of [{number.low:g}, {number.high:g}] have the same answer, which is "
            "optimal and tells nothing: give a price, or a half width below half of the interval"
        )
    # I + price E w^2 in the unit of the column is (I + price width^4 E w^2)/width^2 on [0, 1].
    nodes, answers, table = _solved(
        float(f"{share:.9g}"), 0.0 if price is None else float(f"{price * width**4:.9g}"), cells
    )
    return Channel.of(number.low + width * nodes, number.low + width * answers, table)


@lru_cache(maxsize=64)
def _solved(share: float, price: float, cells: int) -> tuple[Any, Any, Any]:
    from ....mechanisms.dependent_noise.optimum import solve_policy
    from ....mechanisms.dependent_noise.problem import PolicyProblem
    from ....mechanisms.dependent_noise.weight import Weight, X

    problem = PolicyProblem(
        Weight(sp.Integer(1), 0, 1), (-rational(share), rational(share)), X, rational(price)
    )
    policy = solve_policy(problem, cells).policy
    return policy.places(), np.array([float(a) for a in policy.answers]), policy.probabilities


def _calibrated(policy: Policy) -> tuple[float, ...]:
    """Half widths whose channels have the error that is asked for: halved on a coarse grid, then raised on the one of the policy."""
    model: Any = policy.model.mechanism
    length = policy.widths
    if policy.model.limits.error is None:
        raise PolicyNotMetError(
            "constrained noise is calibrated from limits.error: set it, or give half_width"
        )
    sizes = [0.0] * len(length)
    for _, asked, places in by_column(policy, policy.model.limits.error):
        share = asked / math.fsum(length[j] ** 2 for j in places)
        for j in places:
            sizes[j] = _half_width(policy.numbers[j], share * length[j] ** 2, model.price, model.cells)
    return tuple(sizes)


def _half_width(number: Number, asked: float, price: float | None, cells: int) -> float:
    width = number.high - number.low
    low, high = 0.0, 0.49 if price is None else 1.0

    def error(share: float, grid: int) -> float:
        return _channel(number, share * width, price, grid).least_error()

    if error(high, min(cells, _COARSE)) < asked:
        raise PolicyNotMetError(
            f"{number.name}: no half width up to {high * width:g} gives an error of {asked:g}"
        )
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if error(middle, min(cells, _COARSE)) < asked else (low, middle)
    while error(high, cells) < asked:
        high *= 1.02
    return float(f"{high * width:.7g}")
