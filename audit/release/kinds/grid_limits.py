"""The limits of a policy on noise on a grid: each against an exact number, before anything is sampled."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np
import sympy as sp

from ....symbolic.claim import Scope
from ....symbolic.predicates import ErrorBound, Limit, Predicate
from ....symbolic.privacy.guarantees import READING, ZeroConcentratedDP, loosened
from ....symbolic.proof.derivation import Derivation
from ....symbolic.proof.enclosure import rational
from ..derived import Derived
from ..limits import settled

if TYPE_CHECKING:
    from .grid_kind import GridKind


UTILITY = {
    "mean-squared-error": "the mean squared noise of a record, summed over its private numbers",
    "relative-error": "the largest root mean squared noise over the width of a column's domain",
}


def grid_limits(kind: GridKind) -> tuple[Derived, ...]:
    """One claim for each limit on rho, information, error and utility; those on epsilon are put on trial with the code."""
    return (*_rho(kind), *_information(kind), *_error(kind), *_utility(kind))


def privacy_unmet(kind: GridKind) -> tuple[str, ...]:
    """One sentence if the exact law breaks the limit on epsilon."""
    limits = kind.policy.model.limits
    if limits.epsilon is None:
        return ()
    if limits.delta is None:
        stated = None if kind.release.pure_epsilon() is None else kind.stated()
        point = None if stated is None else stated.point()
        if point is None:
            return (
                f"epsilon = {limits.epsilon:g} with delta = 0 is asked for, and {kind.name} noise has no finite epsilon with delta = 0: "
                "set limits.delta, or take Laplace noise",
            )
        if point[0] > limits.epsilon * (1 + 1e-12):
            return (f"epsilon is {point[0]:.6g}, the limit is {limits.epsilon:g}",)
        return ()
    delta = float(kind.release.delta([float(limits.epsilon)], kind.group)[0])
    if delta > limits.delta * (1 + 1e-12):
        return (f"delta at epsilon = {limits.epsilon:g} is {delta:.4g}, the limit is {limits.delta:g}",)
    return ()


def is_utility(derived: Derived) -> bool:
    """Whether a claim limits how much noise there is, instead of how little."""
    predicate = derived.claim.predicate
    return isinstance(predicate, Limit) and predicate.quantity in UTILITY.values()


def scope_of(kind: GridKind) -> Scope:
    """What the claims quantify over."""
    numbers = kind.policy.numbers
    domain = "; ".join(f"{n.name} in [{n.low:g}, {n.high:g}] {n.unit}".strip() for n in numbers[:20])
    more = "" if len(numbers) <= 20 else f"; and {len(numbers) - 20} more"
    return Scope(kind.adjacency, f"{domain}{more}", kind.policy.model.table.unit_of_privacy)


def _rho(kind: GridKind) -> Iterator[Derived]:
    limit = kind.policy.model.limits.rho
    if limit is None:
        return
    cost = kind.cost()
    claim: Predicate = ZeroConcentratedDP(float(limit))
    if cost.rho is not None:
        claim = Limit(
            f"rho of the ideal laws, from which the law that is drawn from is {cost.delta_slack:.3g} away in total variation,",
            "<=",
            float(limit),
        )
    # A law that is epsilon-private is min(epsilon^2/2, epsilon)-zero-concentrated.
    known = (
        cost.rho
        if cost.rho is not None
        else None
        if cost.epsilon is None
        else min(cost.epsilon**2 / 2, cost.epsilon)
    )
    left = sp.oo if known is None else sp.Rational(*float(known).as_integer_ratio())
    reason = "rho of one unit of privacy, summed over its columns"
    yield settled(
        claim,
        left,
        "<=",
        loosened(limit),
        reason,
        subject=kind.release.mechanism(),
        scope=scope_of(kind),
        title=f"limit of the policy: {claim.sentence()}",
    )


def _information(kind: GridKind) -> Iterator[Derived]:
    limit = kind.policy.model.limits.information
    if limit is None:
        return
    for number, size in zip(kind.policy.numbers, kind.sizes, strict=True):
        value = float(limit[number.column] if isinstance(limit, Mapping) else limit)
        claim = Limit(
            f"the Fisher information of a release about {number.name}",
            "<=",
            value,
            f"({number.unit or 'unit of the column'})^-2",
        )
        reason = "the information of the continuous law, which the law on the grid approximates"
        yield settled(
            claim,
            kind.ideal_information(size),
            "<=",
            loosened(value),
            reason,
            subject=kind.release.mechanism(),
            scope=scope_of(kind),
            title=f"limit of the policy: {claim.sentence()}",
        )


def _error(kind: GridKind) -> Iterator[Derived]:
    limit = kind.policy.model.limits.error
    if limit is None:
        return
    numbers, bounds = kind.policy.numbers, kind.derived_bounds
    groups = (
        {"": range(len(numbers))}
        if not isinstance(limit, Mapping)
        else {column: [j for j, n in enumerate(numbers) if n.column == column] for column in limit}
    )
    for column, places in groups.items():
        value = float(limit[column] if isinstance(limit, Mapping) else limit)
        ends = (np.array([numbers[j].low for j in places]), np.array([numbers[j].high for j in places]))
        claim = ErrorBound(value, "minimax", domain=ends)
        left = sp.Add(*(bounds[j].value for j in places))
        # The derivations of alike laws are alike: each step once.
        steps = tuple(dict.fromkeys(s for j in places for s in bounds[j].derivation.steps))
        before = Derivation("", steps, bounds[places[0]].derivation.lemmas)
        reason = "the bound against every adversary on the grid, rounded down" + (
            "" if len(places) == 1 else ", summed over the numbers"
        )
        about = f"limit of the policy on {column}: " if column else "limit of the policy: "
        yield settled(
            claim,
            left,
            ">=",
            rational(value) * (1 - READING),
            reason,
            subject=kind.release.mechanism(),
            scope=scope_of(kind),
            before=before,
            title=about + claim.sentence(),
        )


def _utility(kind: GridKind) -> Iterator[Derived]:
    limit = kind.policy.model.limits.utility
    if limit is None:
        return
    known = kind.utility()
    claim = Limit(UTILITY[limit.measure], "<=", float(limit.at_most))
    left = sp.Rational(*float(known[limit.measure]).as_integer_ratio())
    yield settled(
        claim,
        left,
        "<=",
        loosened(limit.at_most),
        "from the law of the noise alone",
        subject=kind.release.mechanism(),
        scope=scope_of(kind),
        title=f"limit of the policy: {claim.sentence()}",
    )
