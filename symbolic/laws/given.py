"""A law as a user writes it: a formula, its variable, its ends; everything is checked before it is a law."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import mpmath  # type: ignore[import-untyped]
import sympy as sp

from ..proof.enclosure import is_zero, rational, sample_points
from ..proof.time_limit import OutOfTimeError, time_limit
from ..proof.truth import Truth
from .countable import CountableLaw
from .found_charts import found_charts
from .law import READERS, Law
from .pieces import borders

_TRIED, _POINTS, _OFF = 12, 3, 1e-9
_SECONDS = 10.0
_ASK = '; where a parameter has bounds, say domains={"p": (0, 1)}'
Domains = Mapping[Any, Sequence[Any]]
_ENDS = {"oo": sp.oo, "-oo": -sp.oo, "inf": sp.oo, "-inf": -sp.oo}


def given_law(
    density: Any,
    variable: Any,
    support: Sequence[Any],
    *,
    discrete: bool = False,
    name: str = "the law",
    domains: Domains | None = None,
) -> Law:
    """See `Law.from_density`."""
    formula = _formula(density)
    y = _variable(variable, formula)
    formula = _plain(formula.xreplace({v: y for v in formula.free_symbols if v.name == y.name}))
    ends = tuple(_end(e) for e in _pair(support))
    if ends[0] is sp.oo or ends[1] == -sp.oo:
        raise ValueError(f"the support begins at {ends[0]} and ends at {ends[1]}: give the lower end first")
    law = _made(name, y, formula, (ends[0], ends[1]), discrete)
    _require_mass(law, _lawful_points(law, domains or {}))
    return law


def _formula(density: Any) -> sp.Expr:
    if not isinstance(density, sp.Expr):
        raise ValueError(
            f"density must be a sympy expression such as exp(-y), got {type(density).__name__}: {density!r}"
        )
    return density


def _variable(variable: Any, formula: sp.Expr) -> sp.Symbol:
    """The variable as a real symbol, however it was declared."""
    found = variable if isinstance(variable, str) else getattr(variable, "name", None)
    if not isinstance(found, str) or not (isinstance(variable, str | sp.Symbol)):
        raise ValueError(f"variable must be a sympy symbol, or its name, got {variable!r}")
    known = [s for s in formula.free_symbols if s.name == found]
    if len(known) > 1:
        raise ValueError(f"two symbols of the density are called {found}: give them different names")
    return sp.Symbol(found, real=True)


def _plain(formula: sp.Expr) -> sp.Expr:
    """Beta functions, binomials and factorials as Gamma functions, which all routes know."""
    gamma = sp.gamma
    formula = formula.replace(sp.beta, lambda a, b=None: gamma(a) * gamma(b) / gamma(a + b))
    formula = formula.replace(sp.binomial, lambda n, k: gamma(n + 1) / (gamma(k + 1) * gamma(n - k + 1)))
    return formula.replace(sp.factorial, lambda n: gamma(n + 1))


def _pair(support: Any) -> Sequence[Any]:
    if isinstance(support, str) or not isinstance(support, Sequence) or len(support) != 2:
        raise ValueError(f'support must be a pair such as (0, 1) or (0, "oo"), got {support!r}')
    return support


def _end(end: Any) -> sp.Expr:
    """One end of the support: a number as the decimal that was written, a formula, or infinity."""
    if isinstance(end, str):
        if end.strip() in _ENDS:
            return _ENDS[end.strip()]
        raise ValueError(f'an end of the support is a number, a sympy expression, "oo" or "-oo", got {end!r}')
    if isinstance(end, sp.Expr):
        return end
    if isinstance(end, bool) or not isinstance(end, int | float):
        raise ValueError(f'an end of the support is a number, a sympy expression, "oo" or "-oo", got {end!r}')
    if end in (float("inf"), float("-inf")):
        return sp.oo if end > 0 else -sp.oo
    if end != end:
        raise ValueError("an end of the support is nan")
    return rational(end)


def _made(name: str, y: sp.Symbol, formula: sp.Expr, ends: tuple[sp.Expr, sp.Expr], discrete: bool) -> Law:
    if not discrete:
        plain = Law(name, y, formula, ends)
        return replace(plain, charts=found_charts(plain.density, y, plain.support))
    if any(e.is_finite and not e.is_integer for e in ends):
        raise ValueError(f"the ends of a discrete law are whole numbers, got {ends[0]} and {ends[1]}")
    return CountableLaw(name, y, formula, ends, discrete=True)


def _lawful_points(law: Law, domains: Domains) -> list[dict[sp.Symbol, sp.Expr]]:
    """A few values of the parameters at which the density is not negative; ValueError if it is at all that were tried."""
    points = _points(law, domains)
    found = [at for at in points if not _negative(law, at)]
    if not found:
        shown = ", ".join(f"{s} = {v}" for s, v in points[0].items())
        raise ValueError(
            f"the density of {law.name} is {_negative(law, points[0])}{f' and {shown}' if shown else ''}:"
            f" a density is positive on its support{_ASK if shown else ''}"
        )
    return found[:_POINTS]


def _points(law: Law, domains: Domains) -> list[dict[sp.Symbol, sp.Expr]]:
    """Values of the parameters, those with a domain from inside of it."""
    names = {s.name for s in law.free_symbols}
    if strange := sorted(set(map(str, domains)) - names):
        raise ValueError(f"domains names {', '.join(strange)}, which {law.name} does not contain")
    if not names:
        return [{}]
    bounds = {str(name): (_end(_pair(ends)[0]), _end(_pair(ends)[1])) for name, ends in domains.items()}
    points = [*itertools.islice(sample_points(law.free_symbols), _TRIED)]
    for k, at in enumerate(points):
        inner = sp.Rational(2 * k + 3, 2 * _TRIED + 5)
        at.update({s: _inside(*bounds[s.name], inner) for s in at if s.name in bounds})
    return points


def _negative(law: Law, at: dict[sp.Symbol, sp.Expr]) -> str:
    """Where the density is not positive, in words; "" where it was seen to be wherever it was looked at."""
    lower, upper = (e.subs(at) for e in law.support)
    probes = [_inside(lower, upper, sp.Rational(k, 9)) for k in (1, 4, 8)]
    for point in [sp.floor(x) for x in probes] if law.discrete else probes:
        value = sp.N(law.density.subs(at).subs(law.variable, point))
        if value.is_number and value.is_positive is not True:
            return f"{sp.N(value, 6)} at {law.variable} = {point}"
    return ""


def _inside(lower: sp.Expr, upper: sp.Expr, q: sp.Rational) -> sp.Expr:
    if lower.is_finite and upper.is_finite:
        return lower + (upper - lower) * q
    if lower.is_finite or upper.is_finite:
        return lower + q / (1 - q) if lower.is_finite else upper - q / (1 - q)
    return (2 * q - 1) / (q * (1 - q))


def _require_mass(law: Law, points: list[dict[sp.Symbol, sp.Expr]]) -> None:
    """ValueError with the mass that was found, where it is certainly not one."""
    try:
        with time_limit(_SECONDS, "the mass"):
            mass = law.mass()
    except OutOfTimeError:
        mass = sp.Integral(law.density, (law.variable, *law.support))
    if not mass.has(sp.Integral, sp.Sum):
        if is_zero(mass - 1) is Truth.FAILS:
            raise ValueError(f"the density of {law.name} integrates to {mass}, expected 1")
        if is_zero(mass - 1) is Truth.HOLDS:
            return
    for at in points:
        found, doubt = _numeric_mass(law.at(at) if at else law) or (1.0, 0.0)
        if abs(found - 1) > max(_OFF, 10 * doubt):
            shown = f" at {', '.join(f'{s} = {v}' for s, v in at.items())}" if at else ""
            raise ValueError(
                f"the density of {law.name} integrates to {found:.12g}{shown}, expected 1{_ASK if at else ''}"
            )


def _numeric_mass(law: Law) -> tuple[float, float] | None:
    """The mass in numbers and how far it may be off; None where it cannot be computed."""
    if isinstance(law, CountableLaw):
        return law.summed(), 1e-12
    inner = borders(law.density, law.variable)
    if inner is None:
        return None
    lower, upper = law.ends()
    points = [
        *law.support[:1],
        *sorted((b for b in inner if lower < float(b) < upper), key=float),
        *law.support[1:],
    ]
    try:
        with mpmath.workdps(25):
            value, doubt = mpmath.quad(
                sp.lambdify(law.variable, law.density, modules="mpmath"),
                [mpmath.mpf(sp.N(p, 25)) if p.is_finite else mpmath.mpf(float(p)) for p in points],
                error=True,
            )
    except (ArithmeticError, TypeError, ValueError, NameError, AttributeError, NotImplementedError):
        return None
    return float(value), float(doubt)


READERS.append(given_law)
