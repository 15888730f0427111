"""A density as text: read by the whitelist of formulas, its parameters by what `domains` says of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import sympy as sp

from ..parameter_domain import declared, sign_of
from ..proof.expressions import ExpressionError
from ..stated_formula import read_entry, words_of
from .ends import Pair, read_pair

_ASK = "a density as text needs to know where its parameters lie: say domains={}"


def read_density(
    text: str, variable: sp.Symbol, known: Mapping[str, sp.Symbol], domains: Any
) -> tuple[sp.Expr, dict[str, sp.Symbol], dict[str, Sequence[Any]]]:
    """The density, its parameters by name, and the domains that they do not say already; ValueError for what cannot be read.

    A name that is no variable and no symbol of `known` is a parameter, which `domains` must give its two ends.
    """
    if not isinstance(domains or {}, Mapping):
        raise TypeError(f'domains must be a mapping such as {{"p": (0, 1)}}, got {domains!r}')
    y = variable.name
    given: dict[str, Any] = {str(getattr(k, "name", k)): v for k, v in dict(domains or {}).items()}
    names = {n: s for n, s in known.items() if n != y}
    asked = [n for n in dict.fromkeys((*words_of(text), *given)) if n != y and n not in names]
    unknown = {n: sp.Symbol(n, positive=True) for n in asked if n not in given}
    names |= {n: _symbol(n, read_pair(given[n], names)) for n in asked if n in given}
    try:
        formula = read_entry(text, {**unknown, **names, y: variable})
    except ExpressionError as trouble:
        raise ValueError(f"density: {trouble}") from None
    if unknown:
        shown = ", ".join(f'"{n}": (0, "oo")' for n in unknown)
        raise ValueError(f"{_ASK.format('{' + shown + '}')}, or whatever holds of {', '.join(unknown)}")
    left = {
        n: pair for n, pair in given.items() if n not in names or not _said(names[n], read_pair(pair, names))
    }
    return formula, names, left


def _symbol(name: str, ends: Pair) -> sp.Symbol:
    low, high = ends
    if low.is_number and sign_of(low) in (0, 1):
        return sp.Symbol(name, positive=True)
    return sp.Symbol(
        name, **({"negative": True} if high.is_number and sign_of(high) in (0, -1) else {"real": True})
    )


def _said(symbol: sp.Symbol, ends: Pair) -> bool:
    """Whether the assumptions of the symbol name this interval."""
    return ends == declared(symbol)
