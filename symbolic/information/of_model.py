"""The Fisher information of a user's own model: exact where a route finds a closed form, and which routes agree on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import Any

import numpy as np
import sympy as sp
from flint import arb
from numpy.typing import NDArray

from ..laws.countable import CountableLaw
from ..laws.law import Law, admitted, simplified
from ..proof.derivation import Derivation, Step
from ..proof.enclosure import enclose, is_zero
from ..proof.time_limit import OutOfTimeError, time_limit
from ..proof.truth import Truth
from .exponential_family import FAMILY, of_exponential_family
from .fisher import Information
from .fisher import fisher_information as by_integrals

_TOLERANCE = 1e-8


@dataclass(frozen=True)
class ModelInformation:
    """The Fisher information matrix of a law about its parameters.

    `value` is exact (k x k, in the parameters), None where no route found a closed form or there is none: `reason` says why.
    `regular` says whether the family is regular enough for the Cramer-Rao bound.  `routes` are those that gave the value.
    """

    law: Law
    parameters: tuple[sp.Symbol, ...]
    value: sp.ImmutableMatrix | None
    regular: Truth
    reason: str
    routes: tuple[str, ...]
    derivation: Derivation = field(repr=False)

    @property
    def scalar(self) -> sp.Expr:
        """The information about one parameter."""
        if self.value is None or self.value.shape != (1, 1):
            raise ValueError(self.reason if self.value is None else f"{self.value.shape} is not one number")
        return self.value[0, 0]

    def at(self, values: Mapping[sp.Symbol, Any]) -> NDArray[np.float64]:
        """The matrix in numbers, shape (k, k)."""
        return np.array([[float(b.mid()) for b in row] for row in self.enclose(values)])

    def enclose(self, at: Mapping[sp.Symbol, Any], tolerance: float = _TOLERANCE) -> list[list[arb]]:
        """Balls that contain the entries at these values of the parameters, none wider than the tolerance."""
        if self.value is None:
            raise ValueError(f"nothing to enclose: {self.reason}")
        fixed = admitted(_named(at, self.law))
        missing = sorted(str(s) for s in self.value.free_symbols - set(fixed))
        if missing:
            raise ValueError(f"a value is needed for {', '.join(missing)}")
        for bits in (160, 640, 2560):
            balls = [[enclose(e.subs(fixed), bits=bits) for e in row] for row in self.value.tolist()]
            if all(float(b.rad()) <= tolerance for row in balls for b in row):
                return balls
        raise ValueError(f"the information could not be enclosed to {tolerance:g} at {dict(at)}")

    def n(self, observations: int) -> ModelInformation:
        """The information in so many independent observations."""
        if isinstance(observations, bool) or not isinstance(observations, int) or observations < 1:
            raise ValueError(f"observations must be a whole number of at least 1, got {observations!r}")
        value = None if self.value is None else self.value * observations
        return replace(self, value=value, reason=f"{self.reason}; {observations:,} independent observations")

    def of(self, functions: Mapping[sp.Symbol, sp.Expr], parameters: Sequence[sp.Symbol]) -> ModelInformation:
        """The information about other parameters, of which the old ones are `functions`: J' I J."""
        if self.value is None:
            raise ValueError(f"nothing to transform: {self.reason}")
        absent = [str(p) for p in self.parameters if p not in functions]
        if absent:
            raise ValueError(f"functions must say what {', '.join(absent)} is in the new parameters")
        moved = sp.Matrix([functions[p] for p in self.parameters])
        jacobian = moved.jacobian(sp.Matrix(list(parameters)))
        inner = self.value.subs(dict(functions), simultaneous=True)
        value = sp.ImmutableMatrix((jacobian.T * inner * jacobian).applyfunc(simplified))
        law = self.law.map(lambda e: e.subs(dict(functions), simultaneous=True))
        return replace(
            self, law=law, parameters=tuple(parameters), value=value, reason=f"{self.reason}; chain rule"
        )

    def _repr_latex_(self) -> str:
        return f"${sp.latex(self.value)}$" if self.value is not None else self.reason


def fisher_information(law: Law, parameters: Any, *, seconds: float = 30.0) -> ModelInformation:
    """The information of a law about its parameters, a symbol or several, or their names; at most so many seconds."""
    if not isinstance(law, Law):
        raise TypeError(f"law must be a Law, such as Law.from_density(...), got {type(law).__name__}")
    theta = _symbols(law, parameters)
    if not seconds > 0:
        raise ValueError(f"seconds must be above 0, got {seconds!r}")
    end = monotonic() + seconds
    found: dict[str, Information] = {}
    stuck = ""
    for name, route in (("exponential family", _by_family), ("integrals of the scores", by_integrals)):
        if route is by_integrals and isinstance(law, CountableLaw):
            continue
        try:
            with time_limit(end - monotonic(), name):
                found |= {name: answer} if (answer := route(law, theta)) is not None else {}
        except OutOfTimeError:
            stuck = f"unknown after {seconds:g} s: stuck at {name}"
    return _joined(law, theta, found, stuck)


def _by_family(law: Law, theta: list[sp.Symbol]) -> Information | None:
    answer = None if type(law) not in (Law, CountableLaw) else of_exponential_family(law, theta)
    if answer is None:
        return None
    return Information(answer[0], None, Truth.HOLDS, FAMILY, answer[1])


def _joined(law: Law, theta: list[sp.Symbol], found: dict[str, Information], stuck: str) -> ModelInformation:
    """One answer of the routes; ValueError where two of them differ, which none ever should."""
    closed = {n: i for n, i in found.items() if i.value is not None and not i.value.has(sp.Integral, sp.Sum)}
    if not closed:
        refuted = next((i for i in found.values() if i.regular is Truth.FAILS), None)
        if refuted is not None:
            return ModelInformation(
                law, tuple(theta), None, Truth.FAILS, refuted.reason, (), refuted.derivation
            )
        reason = stuck or "no route found a closed form"
        return ModelInformation(law, tuple(theta), None, Truth.UNKNOWN, reason, (), Derivation(reason, ()))
    first = next(iter(closed.values()))
    value = first.value
    assert value is not None
    steps = list(first.derivation.steps)
    for name, other in list(closed.items())[1:]:
        assert other.value is not None
        for e in value - other.value:
            if is_zero(e) is Truth.FAILS:
                raise ValueError(f"two routes differ by {e}: please report this law")
            steps.append(Step(e, "=", sp.Integer(0), f"the route by {name} gives the same"))
    regular = next((i for i in closed.values() if i.regular is Truth.HOLDS), first)
    derivation = Derivation(first.derivation.conclusion, tuple(steps), first.derivation.lemmas)
    return ModelInformation(
        law, tuple(theta), value, regular.regular, regular.reason, tuple(closed), derivation
    )


def _symbols(law: Law, parameters: Any) -> list[sp.Symbol]:
    asked = [parameters] if isinstance(parameters, str | sp.Symbol) else list(parameters)
    known = {s.name: s for s in law.free_symbols}
    found: list[sp.Symbol] = []
    for p in asked:
        name = p if isinstance(p, str) else getattr(p, "name", None)
        if name not in known:
            names = ", ".join(sorted(known)) or "none"
            raise ValueError(f"{p!r} is no parameter of {law.name}; its parameters are: {names}")
        found.append(known[name])
    if not found or len(set(found)) < len(found):
        raise ValueError("parameters must be one or several different symbols of the law")
    return found


def _named(at: Mapping[Any, Any], law: Law) -> dict[sp.Symbol, Any]:
    known = {s.name: s for s in law.free_symbols}
    return {known.get(getattr(s, "name", s), s): v for s, v in at.items()}
