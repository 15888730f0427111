"""Noise that depends on the record, so that what is released stays in the declared interval; of least Fisher information."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import sympy as sp

from ....mechanisms.tampered import Tampered
from ....symbolic.claim import Claim, Scope
from ....symbolic.errors import SpecError
from ....symbolic.predicates import ErrorBound, Limit
from ....symbolic.privacy.guarantees import READING, ApproxDP
from ....symbolic.proof.enclosure import rational
from ..calibration import widths
from ..derived import Derived
from ..ledger.cost import Cost
from ..limits import settled
from ..manifest import ColumnNoise, ErrorFigure, StatedGuarantee
from ..not_met import PolicyNotMetError
from ..policy import Number, Policy
from .channel import Channel, ChannelMechanism, leaky
from .grid_kind import per_number, row_wise_adjacency, row_wise_caveats, rows_of_unit, squared
from .grid_limits import UTILITY
from .kind import Drawn, Kind

if TYPE_CHECKING:
    from ....mechanisms.grid_noise import Bits
    from ..tables import PolicyTable

AGAINST = "every adversary, unbiased or not, for the worst record of the declared interval (and on average over a prior on it)"
NO_EPSILON = "an answer excludes with certainty the records that are further from it than the half width: no epsilon is finite with delta = 0"
_BATCH = 1 << 16
_COARSE = 12  # steps of the grid while a half width is looked for
_HALVINGS = 6


@dataclass(frozen=True, eq=False)
class ConstrainedKind(Kind):
    """One channel for each private number: least average information with |y - x| <= half_widths[j] and y in the interval."""

    policy: Policy
    half_widths: tuple[float, ...]
    channels: tuple[Channel, ...]

    name: ClassVar[str] = "constrained"
    row_wise: ClassVar[bool] = True

    @classmethod
    def configure(cls, policy: Policy) -> Self:
        model: Any = policy.model.mechanism
        sizes = _calibrated(policy) if model.calibrate else per_number(policy, model.half_width)
        return cls.with_sizes(policy, tuple(float(s) for s in sizes))

    @classmethod
    def with_sizes(cls, policy: Policy, sizes: tuple[float, ...]) -> Self:
        """The channels of these half widths; SpecError where there is none."""
        model: Any = policy.model.mechanism
        try:
            made = tuple(
                _channel(n, s, model.price, model.cells) for n, s in zip(policy.numbers, sizes, strict=True)
            )
        except ValueError as error:
            raise SpecError(str(error), key="mechanism", file=policy.file) from None
        return cls(policy, sizes, made)

    @property
    def adjacency(self) -> str:
        return row_wise_adjacency(self.policy)

    @property
    def group(self) -> int:
        return rows_of_unit(self.policy)

    def parameters(self) -> dict[str, Any]:
        model: Any = self.policy.model.mechanism
        return {
            "half_width": {n.name: s for n, s in zip(self.policy.numbers, self.half_widths, strict=True)},
            "price": model.price,
            "cells": model.cells,
            "random_source": "ChaCha20, keyed by the operating system",
        }

    def columns(self) -> tuple[ColumnNoise, ...]:
        return tuple(
            ColumnNoise(
                n.name,
                n.unit,
                n.low,
                n.high,
                {
                    "law": "finite answers",
                    "half_width": s,
                    "answers": len(c.answers),
                    "nodes": len(c.nodes),
                    "standard_deviation": float(c.spread().max()) ** 0.5,
                },
            )
            for n, s, c in zip(self.policy.numbers, self.half_widths, self.channels, strict=True)
        )

    def stated(self) -> tuple[float, float] | None:
        """(epsilon, delta) of one unit at the epsilon of the policy: each of its numbers has the same share, deltas add up."""
        epsilon = self.policy.model.limits.epsilon
        if epsilon is None:
            return None
        share = float(epsilon) / (len(self.channels) * self.group)
        delta = self.group * math.fsum(c.worst_delta(share)[0] for c in self.channels)
        return (float(epsilon), delta) if delta < 1 else None

    def cost(self) -> Cost:
        stated, unit = self.stated(), self.policy.model.table.unit_of_privacy
        return Cost.none(NO_EPSILON, unit=unit) if stated is None else Cost.approximate_dp(*stated, unit=unit)

    def guarantees(self) -> tuple[StatedGuarantee, ...]:
        stated = self.stated()
        none = StatedGuarantee(
            "none", f"not differentially private with delta = 0 at any epsilon: {NO_EPSILON}"
        )
        if stated is None:
            return (none,)
        sentence = f"({stated[0]:.6g}, {stated[1]:.6g})-differentially private per {self.policy.model.table.unit_of_privacy}"
        return (StatedGuarantee(ApproxDP.key, sentence, {"epsilon": stated[0], "delta": stated[1]}), none)

    @property
    def _scope(self) -> Scope:
        domain = "; ".join(
            f"{n.name} in [{n.low:g}, {n.high:g}] {n.unit}".strip() for n in self.policy.numbers
        )
        return Scope(self.adjacency, domain, self.policy.model.table.unit_of_privacy)

    def trials(self) -> tuple[Claim, ...]:
        """Each column's code and law: at the epsilon of the policy for the worst records, else for records close to each other."""
        claims: list[Claim] = []
        limits, parts = self.policy.model.limits, len(self.channels) * self.group
        for number, channel, half in zip(self.policy.numbers, self.channels, self.half_widths, strict=True):
            scope = self._scope
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
            weaker = Tampered(subject, leaky(subject), "half of its answers are the nearest to the record")
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

    def derived(self) -> tuple[Derived, ...]:
        return (*self._privacy(), *self._error(), *self._utility())

    def _privacy(self) -> Iterator[Derived]:
        stated, limits = self.stated(), self.policy.model.limits
        if stated is None:
            return
        subject = ChannelMechanism(self.channels[0], 0, len(self.channels[0].nodes) - 1, "all")
        claims = [("as released", ApproxDP(*stated))]
        if limits.delta is not None:
            claims.append(("limit of the policy", ApproxDP(float(limits.epsilon or 0), limits.delta)))
        for word, claim in claims:
            yield settled(
                claim,
                sp.Rational(*stated[1].as_integer_ratio()),
                "<=",
                rational(claim.delta) * (1 + READING),
                "deltas of all numbers of one unit at equal shares of epsilon, over all pairs of records, added up (basic composition)",
                subject=subject,
                scope=self._scope,
                title=f"{word}: {claim.sentence()}",
            )

    def _error(self) -> Iterator[Derived]:
        limit, numbers = self.policy.model.limits.error, self.policy.numbers
        if limit is None:
            return
        bounds = [c.least_error() for c in self.channels]
        for column in list(limit) if isinstance(limit, Mapping) else [""]:
            places = [j for j, n in enumerate(numbers) if column in ("", n.column)]
            value = float(limit[column] if isinstance(limit, Mapping) else limit)
            domain = (np.array([numbers[j].low for j in places]), np.array([numbers[j].high for j in places]))
            claim = ErrorBound(value, "minimax", domain=domain)
            left = sp.Add(*(sp.Rational(*bounds[j].as_integer_ratio()) for j in places))
            subject = ChannelMechanism(self.channels[places[0]], 0, 1, column or "all")
            yield settled(
                claim,
                left,
                ">=",
                rational(value) * (1 - READING),
                "the least mean squared error under a prior on the records, from the whole weights in balls",
                subject=subject,
                scope=self._scope,
                title=f"limit of the policy{f' on {column}' if column else ''}: {claim.sentence()}",
            )

    def _utility(self) -> Iterator[Derived]:
        limit = self.policy.model.limits.utility
        if limit is None:
            return
        claim = Limit(UTILITY[limit.measure], "<=", float(limit.at_most))
        left = sp.Rational(*float(self.utility()[limit.measure]).as_integer_ratio())
        yield settled(
            claim,
            left,
            "<=",
            rational(limit.at_most) * (1 + READING),
            "from the laws alone, at the record that suffers most",
            subject=ChannelMechanism(self.channels[0], 0, 1, "all"),
            scope=self._scope,
            title=f"limit of the policy: {claim.sentence()}",
        )

    def unmet(self) -> tuple[str, ...]:
        limits, reasons = self.policy.model.limits, list(super().unmet())
        if limits.epsilon is not None and (limits.delta is None or self.stated() is None):
            reasons.append(
                f"a limit on epsilon is set{'' if limits.delta is not None else ' without a delta'}, and {NO_EPSILON}"
            )
        for name in ("rho", "information"):
            if getattr(limits, name) is not None:
                reasons.append(
                    f"limits.{name}: no finite number is known for answers from a finite list; limit the error instead"
                )
        return tuple(reasons)

    def error_bounds(self) -> tuple[ErrorFigure, ...]:
        return tuple(
            ErrorFigure(n.name, c.least_error(), squared(n.unit), AGAINST)
            for n, c in zip(self.policy.numbers, self.channels, strict=True)
        )

    def utility(self) -> dict[str, Any]:
        squares = [float(c.spread().max()) for c in self.channels]
        return {
            "basis": "the law of the answers alone, at the record that suffers most: no figure was computed from the table, so none costs budget",
            "mean-squared-error": math.fsum(squares),
            "relative-error": max(s**0.5 / w for s, w in zip(squares, widths(self.policy), strict=True)),
            "root_mean_squared_noise": {
                n.name: s**0.5 for n, s in zip(self.policy.numbers, squares, strict=True)
            },
        }

    def does_not_mean(self) -> tuple[str, ...]:
        return (
            *row_wise_caveats(self.policy),
            "Not differentially private with delta = 0: an answer excludes the records that are further from it than the half width.",
            "The noise depends on the record and its mean is not zero near the ends of an interval: averages of released numbers are biased there.",
            "Numbers are read at the nearest of finitely many points of their interval before they are answered.",
        )

    @contextmanager
    def draw(self, table: PolicyTable, bits: Bits) -> Iterator[Drawn]:
        def batches() -> Iterator[Any]:
            for batch in table.batches(_BATCH):
                numbers = table.numbers(batch)
                out = np.stack([c.released(numbers[:, j], bits) for j, c in enumerate(self.channels)])
                yield table.released(batch, out.T)

        yield Drawn(table.released_schema, batches())


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
    from ....mechanisms.dependent_noise import PolicyProblem, Weight, X, solve_policy

    problem = PolicyProblem(
        Weight(sp.Integer(1), 0, 1), (-rational(share), rational(share)), X, rational(price)
    )
    policy = solve_policy(problem, cells).policy
    return policy.places(), np.array([float(a) for a in policy.answers]), policy.probabilities


def _calibrated(policy: Policy) -> tuple[float, ...]:
    """Half widths whose channels have the error that is asked for: halved on a coarse grid, then raised on the one of the policy."""
    limits, model = policy.model.limits, policy.model.mechanism
    price: Any = model.price  # type: ignore[union-attr]
    if limits.error is None:
        raise PolicyNotMetError(
            ("constrained noise is calibrated from limits.error: set it, or give half_width",)
        )
    sizes = [0.0] * len(policy.numbers)
    length = widths(policy)
    for column in list(limits.error) if isinstance(limits.error, Mapping) else [""]:
        places = [j for j, n in enumerate(policy.numbers) if column in ("", n.column)]
        asked = float(limits.error[column] if isinstance(limits.error, Mapping) else limits.error)
        share = asked / math.fsum(length[j] ** 2 for j in places)
        for j in places:
            sizes[j] = _half_width(policy.numbers[j], share * length[j] ** 2, price, model.cells)  # type: ignore[union-attr]
    return tuple(sizes)


def _half_width(number: Number, asked: float, price: float | None, cells: int) -> float:
    width = number.high - number.low
    low, high = 0.0, 0.49 if price is None else 1.0

    def error(share: float, grid: int) -> float:
        return _channel(number, share * width, price, grid).least_error()

    if error(high, min(cells, _COARSE)) < asked:
        raise PolicyNotMetError(
            (f"{number.name}: no half width up to {high * width:g} gives an error of {asked:g}",)
        )
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if error(middle, min(cells, _COARSE)) < asked else (low, middle)
    while error(high, cells) < asked:
        high *= 1.02
    return float(f"{high * width:.7g}")
