"""The law that a model file writes: formulas read by the whitelist, symbols that are assumed what their domains say."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import sympy as sp

from ....symbolic.errors import SpecError, came, nearest_name
from ....symbolic.laws.joint import JointLaw
from ....symbolic.laws.law import Law
from ....symbolic.proof.enclosure import sign
from ....symbolic.proof.expressions import CONSTANTS, FUNCTIONS, ExpressionError, parse
from .function import load_named
from .model_fields import ModelFields

Domain = tuple[sp.Expr, sp.Expr]

_CHARACTERS = 2000
_INFINITE: dict[str, sp.Expr] = {"oo": sp.oo, "-oo": -sp.oo, "inf": sp.oo, "-inf": -sp.oo}

# What densities are made of, beside the functions of every formula.
MODEL_FUNCTIONS: dict[str, tuple[int, int, Callable[..., sp.Expr]]] = FUNCTIONS | {
    "gamma": (1, 1, sp.gamma),
    "loggamma": (1, 1, sp.loggamma),
    "beta": (2, 2, lambda a, b: sp.gamma(a) * sp.gamma(b) / sp.gamma(a + b)),
    "factorial": (1, 1, sp.factorial),
    "binomial": (2, 2, sp.binomial),
    "besseli": (2, 2, sp.besseli),
    "sinh": (1, 1, sp.sinh),
    "cosh": (1, 1, sp.cosh),
    "tanh": (1, 1, sp.tanh),
    "atan": (1, 1, sp.atan),
    "floor": (1, 1, sp.floor),
}


class HasEnds(Protocol):
    """A table of a parameter."""

    @property
    def domain(self) -> list[Any]: ...


def domain_of(name: str, given: HasEnds, table: str = "model") -> Domain:
    """The ends of a parameter of that table, the lower one first; SpecError for a name that no formula could mean."""
    key = f"{table}.parameters.{name}.domain"
    check_name(name, f"{table}.parameters.{name[:40]}", "parameter")
    lower, upper = (end_of(e, {}, key, table) for e in given.domain)
    if (
        lower is sp.oo
        or upper == -sp.oo
        or (lower.is_finite and upper.is_finite and sign(upper - lower) != 1)
    ):
        raise SpecError(f"expected the lower end first, got {lower} and {upper}", key=key)
    return lower, upper


def check_name(name: str, key: str, what: str) -> None:
    """SpecError where a name is none that formulas can use."""
    if (
        len(name) > 40
        or not name.isidentifier()
        or not name.isascii()
        or name in CONSTANTS
        or name in MODEL_FUNCTIONS
        or "__" in name
    ):
        raise SpecError(
            f"the name of a {what} has up to 40 letters, digits and single underscores, and is not that of a function or constant of formulas",
            key=key,
        )


def symbol_of(name: str, domain: Domain, integer: bool) -> sp.Symbol:
    """A symbol that is assumed to be what the domain says: an open interval, closed for whole numbers."""
    lower, upper = domain
    assumed: dict[str, bool] = {"integer": True} if integer else {"real": True}
    above, below = (sign(lower) if lower.is_finite else None), (sign(upper) if upper.is_finite else None)
    if above in (0, 1):
        assumed["nonnegative" if integer and above == 0 else "positive"] = True
    elif below in (0, -1):
        assumed["nonpositive" if integer and below == 0 else "negative"] = True
    return sp.Symbol(name, **assumed)


def assumed_domain(symbol: sp.Symbol) -> Domain:
    """The interval that the assumptions of a symbol name."""
    lower = (
        sp.Integer(1 if symbol.is_integer and symbol.is_positive else 0) if symbol.is_nonnegative else -sp.oo
    )
    return lower, sp.Integer(0) if symbol.is_nonpositive else sp.oo


def written_law(
    model: ModelFields, shape: str, symbols: dict[str, sp.Symbol], domains: dict[str, Domain]
) -> Law | JointLaw:
    def read(values: Sequence[Any], key: str) -> list[sp.Expr]:
        return [formula_of(v, symbols, f"{key}[{i}]") for i, v in enumerate(values)]

    try:
        if shape == "normal":
            rows = [read(row, f"model.covariance[{i}]") for i, row in enumerate(model.covariance or ())]
            mean = read(model.mean or (), "model.mean")
            return JointLaw.normal(
                mean, rows, _used(_bounds(symbols, domains), [*mean, *(e for row in rows for e in row)])
            )
        if shape == "multinomial":
            p = read(model.probabilities or (), "model.probabilities")
            return JointLaw.multinomial(model.trials or 0, p, _used(_bounds(symbols, domains), p))
        if shape == "dirichlet":
            return JointLaw.dirichlet(read(model.exponents or (), "model.exponents"))
        return _from_density(model, symbols, domains)
    except SpecError:
        raise
    except ValueError as error:
        said = str(error).replace("a Piecewise density", "[[model.pieces]]")
        raise SpecError(said, key="model" if shape != "density" else "model.density") from None


def _from_density(model: ModelFields, symbols: dict[str, sp.Symbol], domains: dict[str, Domain]) -> Law:
    y = sp.Symbol(model.variable, real=True)
    names = {**symbols, model.variable: y}
    if model.pieces is not None:
        step = int(model.discrete)
        ends = [
            [end_of(e, symbols, f"model.pieces[{i}].support") for e in piece.support]
            for i, piece in enumerate(model.pieces)
        ]
        broken = [
            (i, e) for i, piece in enumerate(ends) for e in piece if not (e.is_infinite or e.is_integer)
        ]
        if step and broken:
            place, end = broken[0]
            raise SpecError(f"expected whole numbers, got {end}", key=f"model.pieces[{place}].support")
        for i in range(1, len(ends)):
            start = ends[i - 1][1] + step
            if sp.simplify(ends[i][0] - start) != 0:
                where = "one after the end of the one before" if step else "where the one before ends"
                raise SpecError(
                    f"expected this piece to begin at {start}, {where}, got {ends[i][0]}",
                    key=f"model.pieces[{i}].support",
                )
        parts = [
            formula_of(p.density, names, f"model.pieces[{i}].density") for i, p in enumerate(model.pieces)
        ]
        cases = [(f, y < e[1] + step) for f, e in zip(parts[:-1], ends, strict=False)]
        density = sp.Piecewise(*cases, (parts[-1], True))
        support: Any = (ends[0][0], ends[-1][1])
    else:
        density = formula_of(model.density or "", names, "model.density")
        support = _support(model.support or [], symbols)
    used = density.free_symbols | set().union(*(e.free_symbols for e in _flat(support)))
    _require_used(symbols, used)
    bounds = _bounds(symbols, domains)
    return Law.from_density(density, y, support, discrete=model.discrete, name=model.name, domains=bounds)


def _require_used(symbols: dict[str, sp.Symbol], used: set[sp.Symbol]) -> None:
    for name, symbol in symbols.items():
        if symbol not in used:
            others = [s.name for s in used if s.name in symbols]
            raise SpecError(
                f"this parameter stands nowhere in the law; {nearest_name(name, others)}",
                key=f"model.parameters.{name}",
            )


def _support(given: Sequence[Any], symbols: dict[str, sp.Symbol]) -> Any:
    """One pair of ends, or several."""
    pairs = [pair for pair in given if isinstance(pair, list)]
    if pairs and len(pairs) == len(given):
        found = [
            tuple(end_of(e, symbols, f"model.support[{i}][{j}]") for j, e in enumerate(pair))
            for i, pair in enumerate(pairs)
        ]
        return found[0] if len(found) == 1 else found
    if pairs or len(given) != 2:
        raise SpecError(
            'expected [lower, upper], as in [0, "oo"], or a list of such pairs', key="model.support"
        )
    return tuple(end_of(e, symbols, f"model.support[{i}]") for i, e in enumerate(given))


def _flat(support: Any) -> list[sp.Expr]:
    return [e for part in support for e in (part if isinstance(part, tuple) else (part,))]


def end_of(value: Any, names: Mapping[str, sp.Expr], key: str, table: str = "model") -> sp.Expr:
    """An end of a support or a domain: a formula, or infinity."""
    if isinstance(value, str) and (word := value.strip().replace("infinity", "oo")) in _INFINITE:
        return _INFINITE[word]
    return formula_of(value, names, key, table=table)


# Where a name that a formula does not know has to be declared.
_HINTS = {
    "model": "each name but the variable needs a table [model.parameters.NAME]",
    "program": "each name is a variable in `over`, or needs a table [program.parameters.NAME]",
    "query": "each name is one of `records`",
}


def formula_of(
    value: Any, names: Mapping[str, sp.Expr], key: str, file: str = "", table: str = "model"
) -> sp.Expr:
    """A formula in these names, exact; SpecError with file and key for anything else."""
    try:
        text = value if isinstance(value, str) else repr(value)
        return parse(text, names, characters=_CHARACTERS, functions=MODEL_FUNCTIONS)
    except ExpressionError as error:
        raise SpecError(explained(str(error), table), key=key, file=file) from None


def explained(said: str, table: str) -> str:
    """What is wrong with a formula of this table, cut where it is long, and where names belong."""
    hint = f"; {_HINTS[table]}" if "unknown name" in said else ""
    return f"{said if len(said) < 600 else f'{said[:400]} ... {said[-160:]}'}{hint}"


def named_law(name: str, folders: Sequence[Path | None], key: str = "") -> Law | JointLaw:
    """The law that "module:name" is, or that it returns."""
    found: Law | JointLaw = brought(name, folders, (Law, JointLaw), "a Law or JointLaw", key)
    return found


def brought(
    name: str, folders: Sequence[Path | None], kinds: tuple[type, ...], words: str, key: str = ""
) -> Any:
    """The object of one of these kinds that "module:name" is, or that this function without arguments returns."""
    wanted = f"expected {words}, or a function without arguments that returns one"
    try:
        found = load_named(name, [f for f in folders if f is not None], what="law")
        if callable(found) and not isinstance(found, kinds):
            try:
                found = found()
            except Exception as error:
                raise SpecError(f"{name}() raised {type(error).__name__}: {error}; {wanted}") from error
            name = f"{name}()"
    except SpecError as error:
        raise error.within(key=key) from error.__cause__
    if not isinstance(found, kinds):
        raise SpecError(f"{name} is {came(found)}: {wanted}", key=key)
    return found


def _bounds(symbols: dict[str, sp.Symbol], domains: dict[str, Domain]) -> dict[str, Domain]:
    """The domains that say more than the assumptions of their symbols."""
    return {
        n: d
        for n, d in domains.items()
        if any(e.is_finite for e in d) and d != (0, sp.oo) and not symbols[n].is_integer
    }


def _used(bounds: dict[str, Domain], formulas: Sequence[sp.Expr]) -> dict[str, Domain]:
    """The domains of the parameters that stand in the formulas."""
    names = {s.name for f in formulas for s in f.free_symbols}
    return {n: d for n, d in bounds.items() if n in names}
