"""Functions of the parameters alone are plain symbols while a law is integrated: an integral over its variable sees no more of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import sympy as sp

from .chart import U, V


@dataclass
class StandIns:
    """Symbols, each with the sign that is known of it, for functions without `variable`; powers of one exponential share theirs."""

    variable: sp.Symbol
    meaning: dict[sp.Symbol, sp.Expr] = field(default_factory=dict)
    kept: set[sp.Basic] = field(default_factory=set)  # parameters that come back along the charts

    def plain(self, e: sp.Basic) -> sp.Basic:
        """`e` with symbols for what depends on parameters only."""
        if not e.args or not e.free_symbols:
            return e
        fixed = not e.free_symbols & {self.variable, U, V}
        if isinstance(e, sp.exp):
            alone, rest = e.args[0].as_independent(self.variable, U, V, as_Add=True)
            if alone.free_symbols and (fixed or not alone.free_symbols & self.kept):
                return self._power(alone) * sp.exp(self.plain(rest))
        if fixed and isinstance(e, sp.Function) and e.is_real:
            return self._symbol(e)
        return e.func(*map(self.plain, e.args))

    def back(self, e: sp.Expr) -> sp.Expr:
        """The functions for their symbols."""
        return e.xreplace(self.meaning)

    def _power(self, exponent: sp.Expr) -> sp.Expr:
        content, rest = sp.expand(exponent).primitive()
        if rest.could_extract_minus_sign():
            content, rest = -content, sp.expand(-rest)
        return self._symbol(sp.exp(rest)) ** content

    def _symbol(self, e: sp.Expr) -> sp.Symbol:
        for symbol, known in self.meaning.items():
            if known == e:
                return symbol
        signs = {k: True for k in ("positive", "negative", "nonnegative") if getattr(e, f"is_{k}")}
        symbol = sp.Dummy("c", real=True, **dict(list(signs.items())[:1]))
        self.meaning[symbol] = e
        return symbol


def worth_it(formulas: Iterable[sp.Expr]) -> bool:
    """Whether there is a function of parameters to stand in for; integrals are left alone."""
    made = list(formulas)
    return not any(e.has(sp.Integral) for e in made) and any(
        a.free_symbols for e in made for a in e.atoms(sp.Function)
    )
