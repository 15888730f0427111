"""What is to be estimated, from how many observations of which law, with which bias or prior: read once, and checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp

from ...laws.countable import CountableLaw
from ...laws.differentiability import Place
from ...laws.form import meaning
from ...laws.joint import JointLaw
from ...laws.law import Law, exact
from ...laws.lawful_at import lawful, require_lawful
from ...proof.enclosure import admits, sign
from ...proof.expressions import ExpressionError
from ...stated_formula import read_entry, words_of
from ..of_model import parameters_of

_MASSES = 40


@dataclass(frozen=True)
class Problem:
    """So many independent observations of a law; `estimand` (m, 1) and `bias` (m, 1) are formulas of the parameters.

    `at` fixes parameters; `priors` holds a law for each parameter, or is empty.  `scalar`: one number was asked for.
    """

    law: Law | JointLaw
    parameters: tuple[sp.Symbol, ...]
    estimand: sp.ImmutableMatrix
    bias: sp.ImmutableMatrix
    observations: int
    at: Mapping[sp.Symbol, sp.Expr]
    priors: tuple[Law, ...]
    scalar: bool

    @property
    def biased(self) -> bool:
        """Whether a bias was stated."""
        return any(b != 0 for b in self.bias)

    @property
    def mean(self) -> sp.ImmutableMatrix:
        """The mean of the estimators that are bound: estimand and bias."""
        return self.estimand + self.bias

    def placed(self, expression: Any) -> Any:
        """A formula, or a matrix of them, at the values that were given."""
        return expression.subs(dict(self.at)) if self.at else expression


def read_problem(
    law: Any,
    parameters: Any,
    estimand: Any,
    *,
    bias: Any = None,
    observations: Any = 1,
    at: Any = None,
    prior: Any = None,
) -> Problem:
    """The problem; ValueError or TypeError that names what was expected and found."""
    if not isinstance(law, Law | JointLaw):
        raise TypeError(f"law must be a Law, such as Law.from_density(...), got {type(law).__name__}")
    if isinstance(observations, np.integer):
        observations = int(observations)
    if isinstance(observations, bool) or not isinstance(observations, int) or observations < 1:
        raise ValueError(f"observations must be a whole number of at least 1, got {observations!r}")
    theta = _parameters(law, parameters)
    scalar = not isinstance(estimand, Sequence | sp.MatrixBase | np.ndarray) or isinstance(estimand, str)
    asked = _column(estimand, theta, law, "estimand")
    stated = sp.zeros(len(asked), 1) if bias is None else _column(bias, theta, law, "bias")
    if len(stated) != len(asked):
        raise ValueError(f"bias needs one formula for each of the {len(asked)} estimands, got {len(stated)}")
    if not any(e.has(*theta) for e in asked):
        names = ", ".join(map(str, theta))
        raise ValueError(
            f"estimand must contain a parameter ({names}), got {', '.join(map(sp.sstr, asked))}: it is known already"
        )
    fixed = values_of(law, theta, at)
    if fixed:
        law_at(law, fixed) if isinstance(law, Law) else require_lawful(law, fixed)
    return Problem(
        law,
        theta,
        sp.ImmutableMatrix(asked),
        sp.ImmutableMatrix(stated),
        observations,
        fixed,
        _priors(theta, prior),
        scalar,
    )


def rough(problem: Problem) -> str:
    """Why estimand or bias has no slope in the parameters; "" where both are smooth."""
    try:
        place = Place.of(problem.parameters, problem.at)
        for e in problem.mean:
            place.form(e)
    except ValueError as trouble:
        return f"the estimand may have no slope: {trouble}"
    return ""


def law_at(law: Law, values: Mapping[sp.Symbol, sp.Expr]) -> Law:
    """The law at these values; ValueError where it is certainly none, by its masses too."""
    fixed = lawful(law, values)
    if isinstance(fixed, CountableLaw) and not fixed.free_symbols:
        low, high = fixed.support
        start = low if low.is_finite else high - _MASSES if high.is_finite else -sp.Integer(_MASSES // 2)
        for k in range(int(start), int(min(high, start + _MASSES)) + 1):
            mass = fixed.density.subs(fixed.variable, k)
            if mass.is_real is False or sign(mass) == -1:
                raise ValueError(f"the mass of {law.name} at {k} is {mass}, expected a number of at least 0")
    return fixed


def _parameters(law: Law | JointLaw, parameters: Any) -> tuple[sp.Symbol, ...]:
    if not isinstance(parameters, str | sp.Symbol | Sequence):
        raise TypeError(
            f"parameters must be a symbol of the law, its name, or a list of them, got {parameters!r}"
        )
    return tuple(parameters_of(law, parameters))


def _column(value: Any, theta: Sequence[sp.Symbol], law: Law | JointLaw, what: str) -> sp.Matrix:
    """Formulas as a column; symbols of the same name are those of the law."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    rows = (
        list(value) if isinstance(value, Sequence | sp.MatrixBase) and not isinstance(value, str) else [value]
    )
    if not rows:
        raise ValueError(f"{what} must be a formula, or a list of them, got an empty list")
    return sp.Matrix([_formula(e, theta, law, what) for e in rows])


def _formula(value: Any, theta: Sequence[sp.Symbol], law: Law | JointLaw, what: str) -> sp.Expr:
    known = {s.name: s for s in law.free_symbols}
    if isinstance(value, str):
        return known[value] if value in known else _read(value, known, law, what)
    if isinstance(value, bool) or not isinstance(value, sp.Expr | int | float | np.number):
        raise TypeError(
            f"{what} must be a sympy expression of {', '.join(map(str, theta))}, got {type(value).__name__}: {value!r}"
        )
    formula = value if isinstance(value, sp.Expr) else exact(value, what)
    strange = sorted(s.name for s in formula.free_symbols if s.name not in known)
    if strange:
        raise ValueError(
            f"{what} contains {', '.join(strange)}, which {law.name} does not; its parameters are: {', '.join(sorted(known))}"
        )
    return exact(formula.xreplace({s: known[s.name] for s in formula.free_symbols}), what)


def read_rule(text: str, law: Law) -> sp.Expr:
    """An estimator that is given as text, a formula of the variable of the law."""
    return _read(text, {law.variable.name: law.variable}, law, "estimator")


def _read(text: str, known: Mapping[str, sp.Symbol], law: Law | JointLaw, what: str) -> sp.Expr:
    """The formula that a text states, by the reader of claims; ValueError with what may stand in it."""
    try:
        return read_entry(text, known)
    except ExpressionError as trouble:
        names = meaning([w for w in words_of(text) if w not in known], law.notes)
        raise ValueError(
            f"{what} must be a formula of {', '.join(sorted(known))}, got {text!r:.80}: {trouble}{names}"
        ) from None


def values_of(law: Law | JointLaw, theta: Sequence[sp.Symbol], at: Any) -> dict[sp.Symbol, sp.Expr]:
    """A number for every parameter of the law, by symbol; ValueError for what is missing, no number, or not admitted."""
    if at is None:
        return {}
    if not isinstance(at, Mapping):
        raise TypeError(f"at must say the value of each parameter, such as {{{theta[0]}: 1}}, got {at!r}")
    known = {s.name: s for s in law.free_symbols}
    found: dict[sp.Symbol, sp.Expr] = {}
    for key, given in at.items():
        name = key if isinstance(key, str) else getattr(key, "name", None)
        if name not in known:
            raise ValueError(
                f"{key!r} in at is no parameter of {law.name}; expected {', '.join(sorted(known))}"
                + meaning([str(name)], law.notes)
            )
        if isinstance(given, bool) or not isinstance(given, sp.Expr | int | float | np.number):
            raise TypeError(f"at must give {name} a number, got {given!r}")
        value = exact(given, str(name))
        if value.free_symbols:
            raise ValueError(f"at gives {name} the value {value}: expected a number")
        if not admits(known[name], value):
            raise ValueError(f"{name} = {value} contradicts what the symbol {name} was declared to be")
        for s, low, high in law.domains if isinstance(law, Law) else ():
            if s == known[name] and not (sign(value - low) == 1 and sign(high - value) == 1):
                raise ValueError(f"{name} = {value} lies outside of its domain ({low}, {high})")
        found[known[name]] = value
    missing = sorted(s.name for s in law.free_symbols if s not in found)
    if missing:
        raise ValueError(
            f"at must give a value to every parameter of {law.name}, missing: {', '.join(missing)}"
        )
    return found


def _priors(theta: Sequence[sp.Symbol], prior: Any) -> tuple[Law, ...]:
    if prior is None:
        return ()
    if isinstance(prior, Mapping):
        named = {getattr(k, "name", k): v for k, v in prior.items()}
        strange = sorted(str(n) for n in named if n not in {p.name for p in theta})
        missing = [p.name for p in theta if p.name not in named]
        if strange or missing:
            raise ValueError(
                f"prior needs one law for each of {', '.join(p.name for p in theta)}"
                f"{f', missing: {chr(44).join(missing)}' if missing else ''}{f', unknown: {chr(44).join(strange)}' if strange else ''}"
            )
        laws = [named[p.name] for p in theta]
    else:
        laws = list(prior) if isinstance(prior, Sequence) and not isinstance(prior, str) else [prior]
    wrong = [type(v).__name__ for v in laws if not isinstance(v, Law)]
    if wrong:
        raise TypeError(f"a prior is a Law, such as Law.from_density(...), got {', '.join(wrong)}")
    if len(laws) != len(theta):
        raise ValueError(f"prior needs one law for each of the {len(theta)} parameters, got {len(laws)}")
    return tuple(laws)
