"""A frozen distribution of scipy.stats as a law: its documented density, with exact numbers or symbols as parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import sympy as sp

from ..proof.enclosure import rational
from ..proof.expressions import nearest
from .continuous_families import CONTINUOUS
from .countable import CountableLaw
from .discrete_families import DISCRETE
from .found_charts import charts_of
from .law import READERS, Law
from .route import ScipyRoute

VARIABLE = sp.Symbol("y", real=True)
_SHARES = {("triang", "c")}
_WHOLE = {"n", "N", "M", "r", "low", "high"}


def law_of_scipy(frozen: Any, parameters: Mapping[str, Any] | None = None, name: str | None = None) -> Law:
    """See `Law.from_scipy`."""
    distribution = getattr(frozen, "dist", None)
    if distribution is None or not type(frozen).__module__.startswith("scipy.stats"):
        hint = "; give it its parameters, such as scipy.stats.norm(0, 1)" if hasattr(frozen, "rvs") else ""
        raise TypeError(f"expected a frozen distribution of scipy.stats, got {type(frozen).__name__}{hint}")
    family = str(distribution.name)
    discrete = family in DISCRETE
    if family not in CONTINUOUS and not discrete:
        raise ValueError(
            f"the density of scipy.stats.{family} is not known here: {nearest(family, [*CONTINUOUS, *DISCRETE])};"
            " others by Law.from_density"
        )
    given = _given(frozen, distribution, discrete)
    values = _read(given, parameters or {}, family, discrete)
    shapes = [values[s] for s in given if s not in ("loc", "scale")]
    y, loc, scale = VARIABLE, values["loc"], values.get("scale", sp.Integer(1))
    if any(s.name == y.name for v in values.values() for s in v.free_symbols):
        raise ValueError(f"{y} is the variable of the law: give the parameters other names")
    density, lower, upper = (DISCRETE if discrete else CONTINUOUS)[family](
        y - loc if discrete else y, *shapes
    )
    called = name or f"scipy.stats.{family}"
    # What is a share lies between 0 and 1, however its symbol was declared.
    shares = [
        v for k, v in values.items() if v.is_Symbol and (k == "p" if discrete else (family, k) in _SHARES)
    ]
    domains = tuple((v, sp.Integer(0), sp.Integer(1)) for v in shares)
    notes = tuple(
        f"{float(v)!r} is read as {values[k]}"
        for k, v in given.items()
        if not values[k].free_symbols and v % 1
    )
    if discrete:
        ends = loc + lower, loc + upper
        if not all(e.is_infinite or e.is_integer for e in ends):
            raise ValueError(f"the ends of {called} are whole numbers, got {ends[0]} and {ends[1]}")
        return CountableLaw(called, y, density, ends, discrete=True, notes=notes, domains=domains)
    standard = Law(called, y, density, (lower, upper), notes=notes, domains=domains)
    standard = replace(standard, charts=charts_of(standard.density, y, standard.support))
    law = standard if (loc, scale) == (0, 1) else standard._affine(scale, loc, called)
    if law.free_symbols:
        return law
    numbers = tuple(float(v) for k, v in given.items() if k not in ("loc", "scale"))
    return replace(law, route=ScipyRoute(family, float(given["loc"]), float(given["scale"]), numbers))


def _given(frozen: Any, distribution: Any, discrete: bool) -> dict[str, Any]:
    """The parameters as they were frozen, shapes first, then loc and, of a density, scale."""
    shapes = [s.strip() for s in distribution.shapes.split(",")] if distribution.shapes else []
    order = [*shapes, "loc"] if discrete else [*shapes, "loc", "scale"]
    found: dict[str, Any] = (
        {"loc": 0, "scale": 1} | dict(zip(order, frozen.args, strict=False)) | dict(frozen.kwds)
    )
    for key, value in found.items():
        if np.size(value) != 1:
            raise ValueError(f"expected one number for {key}, got an array of the shape {np.shape(value)}")
        number = np.asarray(value).reshape(-1)[0].item()
        if isinstance(number, bool) or not isinstance(number, int | float) or not np.isfinite(number):
            raise ValueError(f"{key} must be a finite number, got {number!r}")
        found[key] = number
    if not np.all(np.isfinite(frozen.cdf(found["loc"]))):
        said = ", ".join(f"{k} = {v}" for k, v in found.items())
        raise ValueError(f"scipy.stats.{distribution.name} has no law with {said}")
    return {key: found[key] for key in order}


def _read(
    given: Mapping[str, Any], parameters: Mapping[str, Any], family: str, discrete: bool
) -> dict[str, sp.Expr]:
    """Exact numbers, and the symbols that `parameters` puts in their place."""
    if not isinstance(parameters, Mapping):
        raise TypeError(f'parameters must be a mapping such as {{"scale": symbol}}, got {parameters!r}')
    names = {key.rstrip("_"): key for key in given}
    values = {key: rational(value) for key, value in given.items()}
    for asked, symbol in parameters.items():
        key = asked if asked in given else names.get(str(asked))
        if key is None:
            raise ValueError(
                f"{asked!r} is no parameter of scipy.stats.{family}; its parameters are: {', '.join(given)}"
            )
        values[key] = _symbol(key, symbol, values[key], discrete)
    symbols = [s for v in values.values() for s in v.free_symbols]
    if len({s.name for s in symbols}) < len(set(symbols)):
        raise ValueError("two symbols have the same name with other assumptions: declare it once")
    return values


def _symbol(key: str, symbol: Any, value: sp.Rational, discrete: bool) -> sp.Expr:
    whole = discrete and (key in _WHOLE or key == "loc")
    if isinstance(symbol, str):
        if not symbol.isidentifier():
            raise ValueError(f"the symbol for {key} needs a name such as {key}, got {symbol!r}")
        positive = True if value.is_positive and key != "loc" else None
        return sp.Symbol(symbol, real=True, positive=positive, integer=True if whole else None)
    if not isinstance(symbol, sp.Expr) or not symbol.free_symbols:
        raise ValueError(
            f"parameters[{key!r}] must be a symbol, a formula of symbols, or a name, got {symbol!r}"
        )
    if key == "scale" and not symbol.is_positive:
        raise ValueError(
            f"the scale must be known to be positive, got {symbol}: declare it with positive=True"
        )
    return symbol


READERS["scipy"] = law_of_scipy
