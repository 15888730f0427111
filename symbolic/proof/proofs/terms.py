"""Sympy's expressions in the language of the kernel: JSON, with each symbol's assumptions as its declaration."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from ..enclosure import rational
from ..trace import Column, Letter, Symmetric, Trace

_FUNCTIONS: dict[type, str] = {
    sp.exp: "exp",
    sp.log: "log",
    sp.Abs: "abs",
    sp.sign: "sign",
    sp.floor: "floor",
    sp.ceiling: "ceiling",
    sp.sin: "sin",
    sp.cos: "cos",
    sp.tan: "tan",
    sp.sinh: "sinh",
    sp.cosh: "cosh",
    sp.tanh: "tanh",
    sp.asin: "asin",
    sp.acos: "acos",
    sp.atan: "atan",
    sp.erf: "erf",
    sp.erfc: "erfc",
    sp.gamma: "gamma",
    sp.loggamma: "loggamma",
    sp.factorial: "factorial",
    sp.Max: "max",
    sp.Min: "min",
}
_CONSTANTS = {sp.pi: "pi", sp.E: "e", sp.EulerGamma: "euler"}
_ENDS = {sp.oo: "oo", -sp.oo: "-oo"}
_SIDES = {"+": "above", "-": "below"}
_TRANSPOSED = "_transpose"


class NotInLanguageError(ValueError):
    """An expression that the kernel's language does not have."""


class Translation:
    """Expressions of one step, and the declarations of their symbols: two symbols of one name get two names."""

    def __init__(self) -> None:
        self.names: dict[sp.Symbol, str] = {}
        self.letters: dict[str, str] = {}
        self.terms: dict[sp.Expr, Any] = {}
        self.bound: list[sp.Symbol] = []
        self.signs: dict[sp.Symbol, str] = {}
        # Instances at which hypotheses hold, for the symbols that were there.
        self.instances: dict[tuple[sp.Symbol, ...], dict[str, Any]] = {}

    def declarations(self) -> dict[str, list[str]]:
        """The free symbols' assumptions, in words of the kernel."""
        return {
            name: _words(symbol, self.signs.get(symbol))
            for symbol, name in self.names.items()
            if symbol not in self.bound
        }

    def ends_of(self, within: Iterable[tuple[sp.Symbol, sp.Expr, sp.Expr]]) -> list[list[Any]]:
        """That the symbols which occur lie between their ends, as hypotheses and as signs."""
        given = []
        for symbol, low, high in within:
            if symbol not in self.names:
                continue
            name = self.names[symbol]
            signs = (("positive", low.is_positive), ("negative", high.is_negative)) + (
                ("nonnegative", low == 0),
                ("nonpositive", high == 0),
            )
            self.signs |= dict([(symbol, word) for word, holds in signs if holds][:1])
            given += [
                [name, relation, self.term(end)]
                for relation, end in ((">=", low), ("<=", high))
                if end.is_finite and end != 0
            ]
        return given

    def term(self, expression: Any) -> Any:
        """The expression as JSON; NotInLanguageError for what the language has not."""
        value = sp.sympify(expression, strict=True)
        if not isinstance(value, sp.Expr):
            raise NotInLanguageError(f"{type(value).__name__} is no expression of numbers")
        if value not in self.terms:
            self.terms[value] = self._new(value)
        return self.terms[value]

    def _new(self, e: sp.Expr) -> Any:
        if isinstance(e, sp.Float):
            e = rational(float(e))
        if isinstance(e, sp.Integer):
            return int(e)
        if isinstance(e, sp.Rational):
            return ["/", int(e.p), int(e.q)]
        if e in _CONSTANTS:
            return ["const", _CONSTANTS[e]]
        if isinstance(e, Letter):
            return self._letter(e)
        if isinstance(e, sp.Symbol):
            return self._symbol(e)
        if isinstance(e, sp.Add):
            return ["+", *(self.term(a) for a in e.args)]
        if isinstance(e, sp.Mul):
            return self._product(e)
        if isinstance(e, sp.Pow):
            return self._power(e)
        if isinstance(e, Trace):
            return ["tr", self.term(e.args[0])]
        return self._function(e)

    def _product(self, e: sp.Mul) -> Any:
        """Signs and divisors as a person writes them."""
        above: list[sp.Expr] = []
        below: list[sp.Expr] = []
        for a in e.args:
            under = (
                isinstance(a, sp.Pow)
                and a.exp.could_extract_minus_sign()
                and a.base.is_commutative is not False
            )
            (below if under else above).append(1 / a if under else a)
        if not below:
            return ["*", *(self.term(a) for a in above)]
        sides = [self._several(above), self._several(below)]
        return ["/", *sides]

    def _several(self, factors: list[sp.Expr]) -> Any:
        terms = [self.term(a) for a in factors]
        return 1 if not terms else terms[0] if len(terms) == 1 else ["*", *terms]

    def _power(self, e: sp.Pow) -> Any:
        if not (e.exp.is_Integer and e.exp > 0):
            self.letters.update((a.name, "positive definite") for a in e.base.atoms(Symmetric))
        if e.exp == sp.Rational(1, 2):
            return ["sqrt", self.term(e.base)]
        if e.exp == -1 and e.base.is_commutative:
            return ["/", 1, self.term(e.base)]
        return ["^", self.term(e.base), self.term(e.exp)]

    def _letter(self, e: Letter) -> Any:
        name = e.name.removesuffix(_TRANSPOSED)
        kind = "symmetric" if isinstance(e, Symmetric) else "column" if isinstance(e, Column) else "general"
        known = self.letters.setdefault(name, kind)
        if known != kind and (known, kind) != ("positive definite", "symmetric"):
            raise NotInLanguageError(f"two matrices of the name {name}")
        return ["mat'" if e.name.endswith(_TRANSPOSED) else "mat", name]

    def _symbol(self, e: sp.Symbol) -> str:
        if e.is_extended_real is False or e.is_commutative is False:
            raise NotInLanguageError(f"{e} is no real number")
        if e not in self.names:
            # As it is printed: a dummy has a line before its name.
            taken, shown, i = set(self.names.values()), str(e).lstrip("#") or "v", 1
            name = shown
            while name in taken:
                i += 1
                name = f"{shown}_{i}"
            self.names[e] = name
        return self.names[e]

    def _function(self, e: sp.Expr) -> Any:
        if isinstance(e, sp.Integral | sp.Sum):
            return self._binder(e)
        if isinstance(e, sp.Limit):
            return self._limit(e)
        if isinstance(e, sp.Derivative):
            found = self.term(e.expr)
            for symbol, order in e.variable_count:
                found = ["diff", found, self._symbol(symbol), int(order)]
            return found
        if isinstance(e, AppliedUndef):
            return ["fn", e.func.__name__, *(self.term(a) for a in e.args)]
        if isinstance(e, sp.Indexed):
            return ["fn", str(e.base), *(self.term(a) for a in e.indices)]
        if isinstance(e, sp.polygamma) and e.args[0].is_Integer:
            return ["polygamma", int(e.args[0]), self.term(e.args[1])]
        op = _FUNCTIONS.get(type(e))
        if op is None:
            raise NotInLanguageError(f"{type(e).__name__} is not in the kernel's language")
        return [op, *(self.term(a) for a in e.args)]

    def _limit(self, e: sp.Limit) -> Any:
        body, symbol, end, side = e.args
        if str(side) not in _SIDES:
            raise NotInLanguageError("a limit from both sides")
        self.bound.append(symbol)
        found, to = self.term(body), ["const", _ENDS[end]] if end in _ENDS else self.term(end)
        return ["lim", found, self._symbol(symbol), to, _SIDES[str(side)]]

    def _binder(self, e: sp.Expr) -> Any:
        found, op = self.term(e.function), "int" if isinstance(e, sp.Integral) else "sum"
        for limits in e.limits:
            if len(limits) != 3:
                raise NotInLanguageError(f"{op} without ends")
            symbol, low, high = limits
            self.bound.append(symbol)
            ends = [["const", _ENDS[v]] if v in _ENDS else self.term(v) for v in (low, high)]
            found = [op, found, self._symbol(symbol), *ends]
        return found


def _words(symbol: sp.Symbol, within: str | None = None) -> list[str]:
    found = ["integer"] if symbol.is_integer else []
    signs: list[tuple[str, Callable[[], bool | None]]] = [
        ("positive", lambda: symbol.is_positive),
        ("negative", lambda: symbol.is_negative),
        ("nonnegative", lambda: symbol.is_nonnegative),
        ("nonpositive", lambda: symbol.is_nonpositive),
        ("nonzero", lambda: symbol.is_nonzero),
    ]
    return [within or next((word for word, holds in signs if holds()), "real"), *found]
