"""The Fisher information of a user's own model: exact where a route finds a closed form, and which routes agree on it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import Any

import numpy as np
import sympy as sp
from flint import arb
from numpy.typing import NDArray

from ..laws.countable import CountableLaw
from ..laws.finite import DiscreteLaw
from ..laws.joint import JointLaw
from ..laws.law import Law, admitted, simplified
from ..proof.derivation import Derivation, Step
from ..proof.enclosure import enclose, is_zero
from ..proof.time_limit import OutOfTimeError, time_limit
from ..proof.truth import Truth
from .dependent import routes_of_links
from .exponential_family import FAMILY, of_exponential_family
from .fisher import Information
from .fisher import fisher_information as by_integrals

_TOLERANCE = 1e-8
NOT_PROVED = "that its mass is one for all parameters was computed at a few, not proved"
NORMAL = "the information of normal vectors (Kay 1993, Fundamentals of statistical signal processing I, appendix 3C)"
Route = Callable[[Any, list[sp.Symbol]], Information | None]


@dataclass(frozen=True)
class ModelInformation:
    """The Fisher information matrix of a law about its parameters.

    `value` is exact (k x k, in the parameters), None where no route found a closed form or there is none: `reason` says why.
    `regular` says whether the family is regular enough for the Cramer-Rao bound.  `routes` are those that gave the value.
    """

    law: Law | JointLaw
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
        fixed = admitted(_named(at, self.value.free_symbols | self.law.free_symbols | set(self.parameters)))
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
        return replace(self, parameters=tuple(parameters), value=value, reason=f"{self.reason}; chain rule")

    def _repr_latex_(self) -> str:
        return f"${sp.latex(self.value)}$" if self.value is not None else self.reason


def fisher_information(law: Law | JointLaw, parameters: Any, *, seconds: float = 30.0) -> ModelInformation:
    """The information of a law about its parameters, a symbol or several, or their names; at most so many seconds."""
    if not isinstance(law, Law | JointLaw):
        raise TypeError(f"law must be a Law, such as Law.from_density(...), got {type(law).__name__}")
    theta = _symbols(law, parameters)
    if not seconds > 0:
        raise ValueError(f"seconds must be above 0, got {seconds!r}")
    end = monotonic() + seconds
    found: dict[str, Information] = {}
    stuck = ""
    for name, route in _routes(law):
        try:
            with time_limit(end - monotonic(), name):
                found |= {name: answer} if (answer := route(law, theta)) is not None else {}
        except OutOfTimeError:
            stuck = f"unknown after {seconds:g} s: stuck at {name}"
    return _joined(law, theta, found, stuck)


def _routes(law: Law | JointLaw) -> list[tuple[str, Route]]:
    if isinstance(law, JointLaw):
        if links := routes_of_links(law, fisher_information):
            return links
        if law.parts:
            return [("independent parts", _by_parts)]
        return (
            [("normal vector", _by_moments)]
            if law.covariance is not None
            else [("exponential family", _by_family)]
        )
    family: list[tuple[str, Route]] = [("exponential family", _by_family)] if not law.parts else []
    return family if isinstance(law, CountableLaw) else [*family, ("integrals of the scores", by_integrals)]


def _by_family(law: Any, theta: list[sp.Symbol]) -> Information | None:
    answer = None if isinstance(law, DiscreteLaw) else of_exponential_family(law, theta)
    if answer is None:
        return None
    value, derivation = answer
    if isinstance(law, JointLaw):
        return Information(value, None, Truth.HOLDS, FAMILY, derivation)
    # The scores have mean zero because the mass is one, whatever the parameters are.
    mass = law.mass()
    if mass.has(sp.Integral, sp.Sum) or is_zero(mass - 1) is not Truth.HOLDS:
        return Information(value, None, Truth.UNKNOWN, f"{FAMILY}; {NOT_PROVED}", derivation)
    step = Step(mass, "=", sp.Integer(1), "the mass is one")
    return Information(value, None, Truth.HOLDS, FAMILY, replace(derivation, steps=(step, *derivation.steps)))


def _by_moments(law: Any, theta: list[sp.Symbol]) -> Information | None:
    """m' C^-1 m + tr(C^-1 C' C^-1 C') / 2 of a normal vector, m and C' the slopes of mean and covariance."""
    inverse = law.covariance.inv().applyfunc(sp.simplify)
    slopes = [(sp.diff(law.mean, p), sp.diff(law.covariance, p)) for p in theta]

    def entry(i: int, j: int) -> sp.Expr:
        (m, c), (n, d) = slopes[i], slopes[j]
        return sp.simplify((m.T * inverse * n)[0, 0] + (inverse * c * inverse * d).trace() / 2)

    k = len(theta)
    value = sp.ImmutableMatrix(k, k, lambda i, j: entry(max(i, j), min(i, j)))
    left = (law.covariance * inverse - sp.eye(len(law.mean))).applyfunc(sp.simplify)
    steps = (
        Step(
            sp.Add(*(e**2 for e in left)),
            "=",
            sp.Integer(0),
            "the inverse of the covariance, multiplied out again",
        ),
        *(Step(entry(j, i), "=", value[i, j], f"entry {i + 1}, {j + 1}") for i in range(k) for j in range(i)),
    )
    derivation = Derivation("the Fisher information of a normal vector", steps, (NORMAL,))
    return Information(
        value, None, Truth.HOLDS, "a normal vector whose mean and covariance are smooth", derivation
    )


def _by_parts(law: Any, theta: list[sp.Symbol]) -> Information | None:
    """The sum of the matrices of independent parts, each about the parameters that it has."""
    k, steps, reasons = len(theta), list[Step](), list[str]()
    value, lemmas = sp.zeros(k, k), set[str]()
    for part in law.parts:
        places = [i for i, p in enumerate(theta) if p in part.free_symbols]
        if not places:
            continue
        found = fisher_information(part, [theta[i] for i in places])
        if found.value is None or found.regular is not Truth.HOLDS:
            return Information(None, None, found.regular, f"{part.name}: {found.reason}", found.derivation)
        for a, i in enumerate(places):
            for b, j in enumerate(places):
                value[i, j] += found.value[a, b]
        steps += found.derivation.steps
        lemmas |= set(found.derivation.lemmas)
        reasons.append(found.reason)
    derivation = Derivation(
        "the Fisher information of independent parts is the sum of theirs",
        tuple(steps),
        tuple(sorted(lemmas)),
    )
    summed = sp.ImmutableMatrix(value.applyfunc(simplified))
    return Information(summed, None, Truth.HOLDS, "; ".join(dict.fromkeys(reasons)), derivation)


def _joined(
    law: Law | JointLaw, theta: list[sp.Symbol], found: dict[str, Information], stuck: str
) -> ModelInformation:
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


def _symbols(law: Law | JointLaw, parameters: Any) -> list[sp.Symbol]:
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


def _named(at: Mapping[Any, Any], symbols: set[sp.Symbol]) -> dict[sp.Symbol, Any]:
    """The values by symbol, of symbols or their names; ValueError for a name that is none of them."""
    known = {s.name: s for s in symbols}
    names = {getattr(s, "name", s): v for s, v in at.items()}
    if strange := sorted(str(n) for n in names if n not in known):
        raise ValueError(f"{', '.join(strange)}: no parameter; expected {', '.join(sorted(known))}")
    return {known[name]: value for name, value in names.items()}
