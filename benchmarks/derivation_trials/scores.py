"""The information of one variable as the mean of products of scores, which sympy differentiates and mpmath integrates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import mpmath as mp
import sympy as sp
from mpmath import mpf
from sympy.parsing.sympy_parser import parse_expr

from derivation_trials.family import Family, Matrix
from derivation_trials.quadrature import Integrand, Values, added, integral, whole_sum

# Places where a density has a kink, or its bulk: integrals are cut there.
BREAKS = {"Laplace (scale)": "0", "triangular on [0, 1] (mode)": "c", "von Mises": "mu", "normal": "mu"}
ASSUMED = {"positive": {"positive": True}, "unit": {"positive": True}, "real": {"real": True}}
Numbers = dict[str, mpf]


@dataclass(frozen=True)
class Law:
    """One law of a family: its mass, the means of its scores and of their products."""

    mass: mpf
    means: Values
    information: Matrix


def law(family: Family, point: dict[str, str]) -> Law:
    numbers = {name: mpf(value) for name, value in point.items()}
    size = len(numbers)
    spread = _spread(family, numbers)
    low, high = ends(family, numbers)
    if family.discrete:
        values = whole_sum(spread, low, high)
    else:
        values = integral(spread, low, high, _breaks(family, numbers))
    found = added([values, *_atoms(family, numbers)])
    pairs = iter(found[1 + size :])
    return Law(found[0], found[1 : 1 + size], [[next(pairs) for _ in range(size)] for _ in range(size)])


def expression(text: str, family: Family) -> sp.Expr:
    """A density of the list, read by sympy."""
    return parse_expr(text, local_dict=_symbols(family))


def density(family: Family, numbers: Numbers) -> Callable[[mpf], mpf]:
    evaluate = _numerical([expression(family.density or "", family)], family, numbers)
    return lambda y: evaluate(y)[0]


def ends(family: Family, numbers: Numbers) -> tuple[mpf, mpf]:
    low, high = (_number(end, family, numbers) for end in family.support)
    return low, high


def _symbols(family: Family) -> dict[str, sp.Symbol]:
    named = {name: sp.Symbol(name, **ASSUMED[kind]) for name, kind in family.parameters.items()}
    return {"y": sp.Symbol("y", real=True), **named}


def _spread(family: Family, numbers: Numbers) -> Integrand:
    """The density, times each score, times each product of two scores."""
    evaluate = _with_scores(family.density or "", family, numbers)
    return lambda y: _products(*evaluate(y))


def _atoms(family: Family, numbers: Numbers) -> list[Values]:
    """What the points with mass add."""
    parts = []
    for place, mass in family.atoms:
        evaluate = _with_scores(mass, family, numbers)
        parts.append(_products(*evaluate(mpf(place))))
    return parts


def _with_scores(text: str, family: Family, numbers: Numbers) -> Callable[[mpf], list[mpf]]:
    parsed, symbols = expression(text, family), _symbols(family)
    logarithm = sp.expand_log(sp.log(parsed), force=True)
    scores = [sp.diff(logarithm, symbols[name]) for name in family.parameters]
    return _numerical([parsed, *scores], family, numbers)


def _numerical(expressions: list[sp.Expr], family: Family, numbers: Numbers) -> Callable[[mpf], list[mpf]]:
    symbols = _symbols(family)
    arguments = [symbols["y"], *(symbols[name] for name in family.parameters)]
    compiled = sp.lambdify(arguments, expressions, modules="mpmath", cse=True)
    fixed = [numbers[name] for name in family.parameters]
    return lambda y: compiled(y, *fixed)


def _products(mass: mpf, *scores: mpf) -> Values:
    pairs = [mass * one * two for one in scores for two in scores]
    return [mpf(mass), *(mass * score for score in scores), *pairs]


def _breaks(family: Family, numbers: Numbers) -> Values:
    place = BREAKS.get(family.name, "location" if "location" in family.parameters else "")
    return [_number(place, family, numbers)] if place else []


def _number(end: int | str, family: Family, numbers: Numbers) -> mpf:
    """An end of a support as a number."""
    named = {"oo": mp.inf, "-oo": -mp.inf, "pi": mp.mpf(mp.pi), "-pi": -mp.mpf(mp.pi), **numbers}
    return named[end] if end in named else mpf(end)
