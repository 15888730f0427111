"""The conditions of a regular family of laws, each proved, refuted or open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import sympy as sp

from ..laws.by_terms import by_terms
from ..laws.countable import CountableLaw
from ..laws.differentiability import NotDifferentiableError, Place
from ..laws.domains import inside
from ..laws.finite import DiscreteLaw
from ..laws.law import Law, smooth_derivative
from ..laws.lawful import mass_is_one, nonnegative, positive_masses
from ..proof.truth import Truth, all_hold
from .regularity import IRREGULAR, Regularity, smooth_law
from .smooth_parameters import doubt_of_smoothness

POSITIVE, MASS = "the density is never negative", "the mass is one"
SMOOTH, FINITE = "the family is smooth in the parameters", "the information is finite"


@dataclass(frozen=True)
class Condition:
    """One condition of regularity, whether it is proved, refuted or open, and why."""

    name: str
    truth: Truth
    reason: str

    def __str__(self) -> str:
        return f"{self.name}: {self.truth.value} ({self.reason})"


def inner_law(
    law: Law, parameters: Sequence[sp.Symbol]
) -> tuple[Law, list[sp.Symbol], dict[sp.Symbol, sp.Expr]]:
    """The law, its parameters with a domain written as points inside of it; the new parameters, and what the old ones are in them."""
    changes = {s: inside(lower, upper, s.name) for s, lower, upper in law.domains}
    ends = {s for change in changes.values() for s in change.free_symbols}
    if not changes or ends & set(changes):
        # Where one domain ends at another parameter, several would change at once.
        return law, list(parameters), {}
    fresh = [
        next(iter(changes[p].free_symbols - law.free_symbols)) if p in changes else p for p in parameters
    ]
    return law.map(lambda e: e.subs(changes)), fresh, changes


def conditions_of(
    law: Law, parameters: Sequence[sp.Symbol], family: str, closed: bool
) -> tuple[Condition, ...]:
    """What the Cramer-Rao bound asks of a family.  `family` is the lemma of a route that settles smoothness, `closed` says that the value is known."""
    mass, sign = mass_is_one(law), nonnegative(law)
    inner, fresh, _ = inner_law(law, parameters)
    smooth = _smooth_family(inner, fresh, family) if family else _smooth(inner, fresh)
    positive = Truth.HOLDS if smooth.truth is Truth.HOLDS and not family else sign.truth
    finite, why = Truth.HOLDS, "its closed form is"
    if not closed:
        bounded = _finite(inner, fresh)
        finite, why = (
            (Truth.HOLDS, "each term of the density has finite information")
            if bounded
            else (Truth.UNKNOWN, "no proof for all parameters was found")
        )
    return (
        Condition(
            POSITIVE, positive, sign.reason if positive is sign.truth else "proved with its smoothness"
        ),
        Condition(MASS, mass.truth, mass.reason),
        Condition(SMOOTH, smooth.truth, smooth.reason),
        Condition(FINITE, finite, why),
    )


def joined(conditions: Sequence[Condition]) -> Truth:
    """FAILS if one condition is refuted, HOLDS if all are proved, UNKNOWN also where none was looked at."""
    return all_hold(c.truth for c in conditions) if conditions else Truth.UNKNOWN


def _smooth_family(law: Law, parameters: Sequence[sp.Symbol], family: str) -> Regularity:
    """The lemma on a family takes for granted that its parameters enter smoothly."""
    doubt = doubt_of_smoothness(law, parameters)
    return Regularity(Truth.HOLDS, family) if doubt is None else Regularity(Truth.UNKNOWN, doubt)


def _smooth(law: Law, parameters: Sequence[sp.Symbol]) -> Regularity:
    if not isinstance(law, CountableLaw):
        return smooth_law(law, parameters, {})[1]
    if any(e.has(*parameters) for e in law.support):
        return Regularity(
            Truth.FAILS, f"{IRREGULAR}: the whole numbers that have mass move with the parameter"
        )
    place = replace(Place.of(list(parameters), {}), variable=law.variable, support=law.support)
    try:
        place.form(law.density)
    except NotDifferentiableError as doubt:
        return Regularity(Truth.UNKNOWN, f"differentiability in the parameters is not proved: {doubt}")
    if not positive_masses(law):
        # The root of a mass has a kink where the mass is zero.
        return Regularity(Truth.UNKNOWN, "that every mass is positive for all parameters is not proved")
    return Regularity(Truth.HOLDS, "every mass is a smooth function of the parameters, and positive")


def _finite(law: Law, parameters: Sequence[sp.Symbol]) -> bool:
    """(sum t')^2 / sum t <= sum t'^2 / t for positive terms t, by Cauchy-Schwarz: are the integrals on the right finite?"""
    if isinstance(law, CountableLaw | DiscreteLaw) or law.pieces:
        return False
    y = law.variable
    place = replace(Place.of(list(parameters), {}), variable=y, support=law.support)
    for term in sp.Add.make_args(sp.expand_mul(law.density, deep=False)):
        if place.everywhere(term) != 1:
            return False
        for p in parameters:
            score = smooth_derivative(sp.expand_log(sp.log(term), force=True), p)
            value = by_terms(term * score**2, y, law.support, law.domains)
            if value is None or value.is_finite is False or value.has(sp.oo, sp.zoo, sp.nan):
                return False
    return True
