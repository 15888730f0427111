"""Facts that follow from a density: is it log-concave, symmetric, of location and scale, an exponential family?  Each three-valued.

HOLDS is proved by signs and identities for all values of the parameters in their domains, FAILS by one point; all else is UNKNOWN.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from ..proof.apart import UnfinishedError, apart, at_once
from ..proof.fact import Fact
from ..proof.truth import Truth
from .law import READERS, Law
from .lawful import mass_is_one, nonnegative
from .log_concavity import log_concave
from .parameter_families import exponential_family, location_scale
from .symmetry import symmetric


@dataclass(frozen=True)
class LawProperties:
    """The properties of a law, from `law.facts()`: a Fact each, with `truth`, `reason`, and in `found` what it is about.

    `symmetric.found` is the centre, `location_scale.found` the parameters of location, then of scale, and
    `exponential_family.found` the statistics. `nonnegative` and `mass_is_one` are what makes it a law.

    >>> y, rate = sp.Symbol("y"), sp.Symbol("rate", positive=True)
    >>> facts = npf.Law.from_density(rate * sp.exp(-rate * y), y, (0, "oo")).facts()
    >>> facts.log_concave.truth.name, facts.symmetric.truth.name, facts.exponential_family.found
    ('HOLDS', 'FAILS', (y,))
    """

    nonnegative: Fact
    mass_is_one: Fact
    log_concave: Fact
    symmetric: Fact
    location_scale: Fact
    exponential_family: Fact

    def __str__(self) -> str:
        rows = ((name.replace("_", " "), getattr(self, name)) for name in self.__dataclass_fields__)
        return "\n".join(f"{name}: {fact}" for name, fact in rows)


def facts_of(law: Law, effort: float = 1.0) -> LawProperties:
    """All facts of a law; `effort` scales the limit on processor time."""
    if not isinstance(law, Law):
        raise TypeError(f"law must be a Law, got {type(law).__name__}")
    asked: dict[str, Callable[[Law], Fact]] = {
        "nonnegative": nonnegative,
        "mass_is_one": mass_is_one,
        "log_concave": log_concave,
        "symmetric": symmetric,
        "location_scale": location_scale,
        "exponential_family": exponential_family,
    }

    def fact(name: str) -> Fact:
        try:
            return apart(partial(asked[name], law), name)
        except UnfinishedError as stuck:
            return Fact(Truth.UNKNOWN, f"unknown: {stuck}")

    return at_once(lambda: LawProperties(**{name: fact(name) for name in asked}), effort)


READERS["facts"] = facts_of
