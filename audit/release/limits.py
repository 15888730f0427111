"""The limits of a policy against what is known exactly of a release: each is decided here, before anything is sampled."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp

from ...symbolic.claim import Scope
from ...symbolic.information.error_bounds import LowerBound
from ...symbolic.predicates import ErrorBound, Limit, Predicate, Relation
from ...symbolic.privacy.guarantees import ApproxDP, Guarantee, PureDP, ZeroConcentratedDP
from ...symbolic.proof.derivation import Derivation
from ...symbolic.proof.enclosure import rational
from ...symbolic.proof.reading import allowance
from .ledger.cost import Cost
from .policy import Policy
from .policy.models import LimitsModel
from .settled_claim import SettledClaim, settled

UTILITY = {
    "mean-squared-error": "the mean squared noise of a record, summed over its private numbers",
    "relative-error": "the largest root mean squared noise over the width of a column's domain",
}
_SLACK = 1e-12
_LIMIT = "limit of the policy"


@dataclass(frozen=True, eq=False)
class Decision:
    """What became of one limit: why it is not met (None: it is), and the claim that was settled for it, if one was."""

    limit: str
    unmet: str | None = None
    settled: SettledClaim | None = None


@dataclass(frozen=True, eq=False)
class Limits:
    """The limits of a policy on one release, whose claims quantify over `scope`; one that is not set has no decision."""

    policy: Policy
    scope: Scope

    @property
    def _set(self) -> LimitsModel:
        return self.policy.model.limits

    def settle(
        self,
        limit: str,
        claim: Predicate,
        left: sp.Expr,
        right: float,
        reason: str,
        subject: Any,
        *,
        relation: Relation = "<=",
        before: Derivation | None = None,
        word: str = _LIMIT,
    ) -> Decision:
        """The decision on a claim that holds because `left relation right`."""
        most = rational(right) + (allowance(right) if relation == "<=" else -allowance(right))
        title = f"{word}: {claim.sentence()}"
        found = settled(
            claim, left, relation, most, reason, subject=subject, scope=self.scope, before=before, title=title
        )
        return Decision(limit, found.unmet, found)

    def refused(self, names: Sequence[str], why: str) -> Iterator[Decision]:
        """The limits that this release cannot be held to."""
        for name in names:
            if getattr(self._set, name) is not None:
                yield Decision(name, f"limits.{name}{why}")

    def number(
        self,
        name: str,
        found: float,
        said: str = "",
        *,
        slack: float = _SLACK,
        claim: SettledClaim | None = None,
    ) -> Iterator[Decision]:
        """A limit against a number, which `said` calls otherwise than the policy does."""
        limit = getattr(self._set, name)
        if limit is None:
            return
        which = f"the limit on {name}" if said else "the limit"
        unmet = f"{said or name} is {found:.6g}, {which} is {limit:g}"
        yield Decision(name, None if found <= limit * (1 + slack) else unmet, claim)

    def epsilon(
        self, pure: Callable[[], float | None], delta_at: Callable[[float], float], noise: str
    ) -> Iterator[Decision]:
        """The limit on epsilon against an exact privacy curve; the claim itself is audited with the code."""
        limits = self._set
        if limits.epsilon is None:
            return
        if limits.delta is None:
            found = pure()
            if found is not None:
                yield from self.number("epsilon", found)
                return
            yield Decision(
                "epsilon",
                f"epsilon = {limits.epsilon:g} with delta = 0 is asked for, and {noise} noise has no finite epsilon with delta = 0: "
                "set limits.delta, or take Laplace noise",
            )
            return
        delta = delta_at(float(limits.epsilon))
        if delta > limits.delta * (1 + _SLACK):
            yield Decision(
                "epsilon",
                f"delta at epsilon = {limits.epsilon:g} is {delta:.4g}, the limit is {limits.delta:g}",
            )

    def rho(self, known_cost: Callable[[], Cost], subject: Any) -> Iterator[Decision]:
        """The limit on rho against what a ledger is charged."""
        limit = self._set.rho
        if limit is None:
            return
        cost = known_cost()
        claim: Predicate = ZeroConcentratedDP(float(limit))
        known = None if cost.epsilon is None else rho_of(cost.epsilon)
        if cost.rho is not None:
            known = cost.rho
            claim = Limit(
                f"rho of the ideal laws, from which the law that is drawn from is {cost.delta_slack:.3g} away in total variation,",
                "<=",
                float(limit),
            )
        left = sp.oo if known is None else exact(known)
        yield self.settle(
            "rho", claim, left, limit, "rho of one unit of privacy, summed over its columns", subject
        )

    def information(self, known: Sequence[sp.Expr], subject: Any) -> Iterator[Decision]:
        """The limit on the Fisher information about each private number."""
        limit = self._set.information
        if limit is None:
            return
        each = self.policy.per_number(limit)
        for number, information, most in zip(self.policy.numbers, known, each, strict=True):
            claim = Limit(
                f"the Fisher information of a release about {number.name}",
                "<=",
                float(most),
                f"({number.said_unit})^-2",
            )
            reason = "the information of the continuous law, which the law on the grid approximates"
            yield self.settle("information", claim, information, float(most), reason, subject)

    def error(
        self,
        known: Callable[[], Sequence[LowerBound | float]],
        reason: str,
        subject: Callable[[Sequence[int], str], Any],
    ) -> Iterator[Decision]:
        """The limit on the error of an adversary against a bound for each number, summed over those of a column or record."""
        if self._set.error is None:
            return
        numbers, bounds = self.policy.numbers, known()
        for column, least, places in by_column(self.policy, self._set.error):
            domain = (np.array([numbers[j].low for j in places]), np.array([numbers[j].high for j in places]))
            parts = [bounds[j] for j in places]
            derivations = [b.derivation for b in parts if isinstance(b, LowerBound)]
            # The derivations of alike laws are alike: each step once.
            steps = tuple(dict.fromkeys(s for d in derivations for s in d.steps))
            yield self.settle(
                "error",
                ErrorBound(least, "minimax", domain=domain),
                sp.Add(*(b.value if isinstance(b, LowerBound) else exact(b) for b in parts)),
                least,
                f"{reason}, summed over the numbers" if derivations and len(places) > 1 else reason,
                subject(places, column),
                relation=">=",
                before=Derivation("", steps, derivations[0].lemmas) if derivations else None,
                word=f"{_LIMIT} on {column}" if column else _LIMIT,
            )

    def utility(
        self, known: Callable[[], Mapping[str, Any]], reason: str, subject: Any
    ) -> Iterator[Decision]:
        """The limit on how much noise there is, instead of how little."""
        limit = self._set.utility
        if limit is None:
            return
        claim = Limit(UTILITY[limit.measure], "<=", float(limit.at_most))
        yield self.settle("utility", claim, exact(known()[limit.measure]), limit.at_most, reason, subject)


def exact(value: float) -> sp.Rational:
    """The number that a double is."""
    return sp.Rational(*float(value).as_integer_ratio())


def rho_of(epsilon: float) -> float:
    """A law that is epsilon-private is min(epsilon^2/2, epsilon)-zero-concentrated."""
    return min(epsilon**2 / 2, epsilon)


def epsilon_asked(limits: LimitsModel) -> float | None:
    """The largest epsilon, with delta = 0, that the limits on epsilon and rho allow; None without such limits."""
    found = [] if limits.epsilon is None else [float(limits.epsilon)]
    if limits.rho is not None:
        found.append(max(float(limits.rho), math.sqrt(2 * limits.rho)))
    return min(found, default=None)


def guarantee_asked(limits: LimitsModel) -> Guarantee | None:
    """The limit on epsilon and delta as a guarantee."""
    if limits.epsilon is None:
        return None
    epsilon = float(limits.epsilon)
    return PureDP(epsilon) if limits.delta is None else ApproxDP(epsilon, float(limits.delta))


def by_column(policy: Policy, limit: Any) -> Iterator[tuple[str, float, list[int]]]:
    """Each column of a limit with its number and the places of its private numbers; "" for one number on the whole record."""
    for column in list(limit) if isinstance(limit, Mapping) else [""]:
        places = [j for j, n in enumerate(policy.numbers) if column in ("", n.column)]
        yield column, float(limit[column] if isinstance(limit, Mapping) else limit), places
