"""A law as a user writes it: a formula, its variable, its ends; everything is checked before it is a law."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import sympy as sp

from ..proof.apart import UnfinishedError, apart, at_once
from ..proof.enclosure import NotEnclosableError, enclose, is_zero, rational
from ..proof.exact_numbers import above
from ..proof.truth import Truth
from .computed_mass import computed_mass, enclosed_mass
from .countable import CountableLaw
from .density_text import read_density
from .domains import Domains, domain_points
from .ends import Pair, read_pair, read_pairs
from .found_charts import charts_of
from .law import READERS, Law
from .lawful import mass_is_one, negative_point

_TRIED, _POINTS, _OFF, _COARSE = 12, 3, 1e-10, 1e-7
_ROUNDED = 1e-9  # how far floats may take a mass from one
_ASK = '; where a parameter has bounds, say domains={"p": (0, 1)}'


def given_law(
    density: Any,
    variable: Any,
    support: Any,
    *,
    discrete: bool = False,
    name: str = "the law",
    domains: Mapping[Any, Sequence[Any]] | None = None,
) -> Law:
    """See `Law.from_density`."""
    if not isinstance(discrete, bool):
        raise TypeError(f"discrete must be True or False, got {discrete!r}")
    if not isinstance(name, str):
        raise TypeError(f"name must be a text, got {name!r}")
    declared = {s.name: s for s in (*_symbols(support), *_symbols(domains or {}))}
    if isinstance(density, str):
        y = _variable(variable, sp.Integer(1))
        density, declared, domains = read_density(density, y, declared, domains)
    formula = _formula(density)
    y = _variable(variable, formula)
    formula = _plain(formula.xreplace({v: y for v in formula.free_symbols if v.name == y.name}))
    twice = Counter(s.name for s in formula.free_symbols)
    if alike := sorted(n for n, count in twice.items() if count > 1):
        raise ValueError(f"two symbols of the density are called {alike[0]}: give them different names")
    names = {s.name: s for s in formula.free_symbols - {y}}
    names = {n: s for n, s in declared.items() if n != y.name} | names
    pairs = read_pairs(support, names)
    if any(y.name in map(str, end.free_symbols) for pair in pairs for end in pair):
        raise ValueError(f"an end of the support must not contain {y}, the variable of the law")

    def read(e: sp.Expr) -> tuple[Law, list[dict[sp.Symbol, sp.Expr]]]:
        made = replace(_made(name, y, e, pairs, discrete), notes=_notes(formula, e, support))
        made = _with_domains(made, read_domains(made.name, made.free_symbols, domains or {}, names))
        return made, _lawful_points(made)

    def lawful() -> Law:
        law, points = read(formula)
        if floats := formula.has(sp.Float):
            short = _decimals(formula)
            if short != formula and mass_is_one(law, enclosed=False).truth is not Truth.HOLDS:
                law, points = read(short)
            law = _normalised(law, points)
        _require_mass(law, points, _ROUNDED if floats else _OFF)
        return law

    return at_once(lawful)


def _formula(density: Any) -> sp.Expr:
    if not isinstance(density, sp.Expr):
        raise ValueError(
            f"density must be a sympy expression such as exp(-y), or its text, got {type(density).__name__}: {density!r}"
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


def _symbols(value: Any) -> set[sp.Symbol]:
    """The symbols that stand somewhere in nested lists and mappings."""
    if isinstance(value, Mapping):
        return set().union(*(_symbols(v) for pair in value.items() for v in pair))
    if isinstance(value, list | tuple):
        return set().union(*(_symbols(v) for v in value))
    return {*value.free_symbols} if isinstance(value, sp.Expr) else set()


def _notes(formula: sp.Expr, read: sp.Expr, *values: Any) -> tuple[str, ...]:
    """How each decimal fraction was read."""
    floats: dict[float, None] = {}

    def collect(value: Any) -> None:
        if isinstance(value, list | tuple):
            for v in value:
                collect(v)
        elif isinstance(value, float):
            floats[float(value)] = None
        elif isinstance(value, sp.Expr):
            floats.update(dict.fromkeys(sorted(map(float, value.atoms(sp.Float)))))

    for value in (formula, *values):
        collect(value)
    kept = {float(f) for f in read.atoms(sp.Float)} if read != formula else set(floats)
    near = {
        f: rational(f) if f in kept else sp.Rational(f"{f:.15g}")
        for f in floats
        if math.isfinite(f) and f % 1
    }
    return tuple(f"{f!r} is read as {number}" for f, number in near.items())


def _made(name: str, y: sp.Symbol, formula: sp.Expr, pairs: tuple[Pair, ...], discrete: bool) -> Law:
    """The law on one interval, or on several: then its density is zero between them."""
    laws = [_on_one(name, y, formula, pair, discrete) for pair in pairs]
    if len(laws) == 1:
        return laws[0]
    inner = [sp.And(a <= y, y <= b) if discrete else sp.And(a < y, y < b) for a, b in pairs]
    within = sp.Piecewise((sp.Integer(1), sp.Or(*inner)), (sp.Integer(0), True))
    whole = laws[0].density * within
    ends = (pairs[0][0], pairs[-1][1])
    kind = CountableLaw if discrete else Law
    return kind(name, y, whole, ends, discrete=discrete, pieces=tuple(laws))


def _on_one(name: str, y: sp.Symbol, formula: sp.Expr, ends: Pair, discrete: bool) -> Law:
    if not discrete:
        plain = Law(name, y, formula, ends)
        return replace(plain, charts=charts_of(plain.density, y, plain.support))
    if any(e.is_finite and e.is_integer is False for e in ends):
        raise ValueError(f"the ends of a discrete law are whole numbers, got {ends[0]} and {ends[1]}")
    if any(e.is_finite and not e.is_integer for e in ends):
        raise ValueError(
            f"the ends of a discrete law are whole numbers, got {ends[0]} and {ends[1]}: "
            "declare their symbols with integer=True"
        )
    return CountableLaw(name, y, formula, ends, discrete=True)


def read_domains(
    what: str,
    symbols: Iterable[sp.Symbol],
    domains: Mapping[Any, Sequence[Any]],
    names: Mapping[str, sp.Symbol] | None = None,
) -> Domains:
    """The intervals in which parameters lie, by symbol or name; ValueError for what is no parameter, or no interval."""
    if not isinstance(domains, Mapping):
        raise TypeError(f'domains must be a mapping such as {{"p": (0, 1)}}, got {domains!r}')
    known = {s.name: s for s in symbols}
    if strange := sorted(set(map(str, domains)) - set(known)):
        raise ValueError(f"domains names {', '.join(strange)}, which {what} does not contain")
    found = []
    for key, pair in domains.items():
        symbol, (lower, upper) = known[str(key)], read_pair(pair, names or known)
        if (upper - lower).is_extended_nonpositive:
            raise ValueError(f"the domain of {symbol} is empty: it begins at {lower} and ends at {upper}")
        found.append((symbol, lower, upper))
    return tuple(found)


def _with_domains(law: Law, domains: Domains) -> Law:
    """The law and its pieces with the same domains."""
    return replace(law, domains=domains, pieces=tuple(replace(p, domains=domains) for p in law.pieces))


def _lawful_points(law: Law) -> list[dict[sp.Symbol, sp.Expr]]:
    """A few values of the parameters at which the density is not negative; ValueError where it is, at all that were tried.

    Inside of given domains, and without parameters, one negative value is enough.
    """
    points = domain_points(law.free_symbols, law.domains, _TRIED)
    if not points:
        raise ValueError(
            f"no values of the parameters were found that suit both the symbols of {law.name} and domains"
        )
    negative = [negative_point(law, at) for at in points]
    bounded = law.free_symbols <= {s for s, _, _ in law.domains}
    found = [at for at, point in zip(points, negative, strict=True) if point is None]
    if not found or (bounded and len(found) < len(points)):
        point = next(p for p in negative if p is not None)
        value = sp.N(law.density.subs(point), 6)
        shown = " and ".join(
            f"{s} = {point[s]}" for s in (law.variable, *(s for s in point if s != law.variable))
        )
        raise ValueError(
            f"the density of {law.name} is {value} at {shown}:"
            f" a density is positive on its support{_ASK if law.free_symbols and not bounded else ''}"
        )
    return found[:_POINTS]


def _require_mass(law: Law, points: list[dict[sp.Symbol, sp.Expr]], off: float = _OFF) -> None:
    """ValueError with the mass, where it is proved not to be one, or with what is not decided."""
    proved = mass_is_one(law, enclosed=False)
    if proved.truth is Truth.FAILS:
        raise ValueError(f"the density of {law.name} integrates to {proved.found[0]}, expected 1")
    if proved.truth is Truth.HOLDS:
        return
    unknown, doubtful = [], []
    for at in points:
        fixed = law.at(at) if at else law
        found, doubt = computed_mass(fixed)
        if found is not None and abs(found - 1) <= max(off, _COARSE if doubt > _OFF else _OFF):
            continue
        shown = f" at {', '.join(f'{s} = {v}' for s, v in at.items())}" if at else ""
        ball = enclosed_mass(fixed)
        if ball is not None and not ball.contains(1):
            said = f"{float(ball.mid()):.12g} (+/- {above(ball.rad()):.1g})"
            raise ValueError(
                f"the density of {law.name} integrates to {said}{shown}, expected 1{_ASK if at else ''}"
            )
        if ball is None:
            unknown.append(shown)
            doubtful += [f"; a quadrature came to {found:.12g}{shown}"] if found is not None else []
    if unknown and (doubtful or len(unknown) == len(points)):
        raise ValueError(
            f"whether the mass of {law.name}{unknown[0]} is one is not decided: it could not be enclosed{''.join(doubtful[:1])};"
            " write the density so that it can be integrated"
        )


def _normalised(law: Law, points: list[dict[sp.Symbol, sp.Expr]]) -> Law:
    """The law, divided by a mass that is one but for the rounding of floats: the numbers of a formula were computed before they came here."""
    try:
        mass = apart(lambda: _mass_beside_one(law), "the mass")
        if mass is None:
            return law
        gaps = [abs(enclose(mass - 1, at)) for at in points]
    except (UnfinishedError, NotEnclosableError):
        return law
    if not all(gap < _ROUNDED for gap in gaps):
        return law
    note = f"the floats of the density take its mass from one by {max(above(gap) for gap in gaps):.1g}: it is divided by its mass"

    def divided(e: sp.Expr) -> sp.Expr:
        constant, rest = e.as_independent(law.variable, as_Add=False)
        return sp.simplify(constant / mass) * rest

    pieces = tuple(replace(p, density=divided(p.density)) for p in law.pieces)
    return replace(law, density=divided(law.density), pieces=pieces, notes=(*law.notes, note))


def _mass_beside_one(law: Law) -> sp.Expr | None:
    """The mass in closed form; None without one, and where it is one."""
    mass = law.mass()
    unknown = mass.has(sp.Integral, sp.Sum, sp.nan, sp.oo)
    return None if unknown or is_zero(mass - 1) is Truth.HOLDS else mass


def _decimals(formula: sp.Expr) -> sp.Expr:
    """The formula with floats that are one rounding away from a short decimal as this one: 0.37**2 is 0.13690000000000002."""
    short = {
        f: sp.Rational(f"{float(f):.15g}") for f in formula.atoms(sp.Float) if len(f"{float(f):.15g}") < 14
    }
    return formula.xreplace(short)


READERS["density"] = given_law
