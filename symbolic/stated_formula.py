"""A formula that a claim states, kept as text: read by the whitelist, in the parameters of whatever it is said of."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp

from .errors import counted
from .parameter_domain import Ends, ParameterDomain, declared, ends_of
from .proof.enclosure import rational
from .proof.expressions import CONSTANTS, FUNCTIONS, ExpressionError, nearest, parse

_LONGEST, _MOST = 2_000, 20  # characters of an entry, and entries of a side
# Beside those of every formula, the functions in which informations are written.
SPECIAL: dict[str, tuple[int, int, Callable[..., sp.Expr]]] = FUNCTIONS | {
    "gamma": (1, 1, sp.gamma),
    "loggamma": (1, 1, sp.loggamma),
    "polygamma": (2, 2, sp.polygamma),
    "digamma": (1, 1, lambda x: sp.polygamma(0, x)),
    "trigamma": (1, 1, lambda x: sp.polygamma(1, x)),
    "besseli": (2, 2, sp.besseli),
    "cosh": (1, 1, sp.cosh),
    "sinh": (1, 1, sp.sinh),
    "tanh": (1, 1, sp.tanh),
}
_NO_NUMBERS = {"nan", "inf", "-inf", "oo", "-oo", "zoo", "None", "True", "False"}
_NAMES = {"EulerGamma": sp.EulerGamma}
_LINE = (-sp.oo, sp.oo)
_WORD = re.compile(r"[^\W\d]\w*")


def read_entry(text: str, names: Mapping[str, sp.Expr]) -> sp.Expr:
    """The expression of one entry; ExpressionError (a ValueError) with the place and what is allowed there."""
    return parse(text, {**_NAMES, **names}, characters=_LONGEST, functions=SPECIAL)


def words_of(text: str) -> tuple[str, ...]:
    """The names in a formula that are no function and no constant, sorted."""
    found = set(_WORD.findall(_without_numbers(text)))
    return tuple(sorted(found - set(SPECIAL) - set(CONSTANTS) - set(_NAMES)))


@dataclass(frozen=True)
class StatedFormula:
    """Entries as text (rows of a square), the parameters it is about, in order, and stated ends of any of its symbols.

    `of` is None where nothing was said: a law with one parameter leaves no choice.
    """

    entries: tuple[tuple[str, ...], ...]
    of: tuple[str, ...] | None
    domains: tuple[tuple[str, Ends], ...]

    @classmethod
    def read(cls, value: Any, of: Any, domains: Any, what: str) -> StatedFormula | None:
        """None of plain numbers, about which nothing else is said; ValueError for what is no formula."""
        rows = _rows(value)
        plain = not any(isinstance(e, str | sp.Basic) for row in rows for e in row)
        if plain and of is None and domains is None:
            return None
        if len(rows) > _MOST or any(len(row) != len(rows) for row in rows):
            raise ValueError(
                f"{what} is one formula, or a square of at most {_MOST} rows of formulas, got {value!r:.80}"
            )
        stated = dict(_domains(domains))
        for entry in (e for row in rows for e in row):
            for name, ends in _declared(entry).items():
                if name not in (domains or {}) and stated.setdefault(name, ends) != ends:
                    raise ValueError(
                        f"{what}: two symbols are called {name} and were declared to be different"
                    )
        texts = tuple(tuple(_text(e, what) for e in row) for row in rows)
        names = None if of is None else _names(of)
        made = cls(texts, names, tuple(sorted(stated.items())))
        if names is not None and len(rows) not in (1, len(names)):
            raise ValueError(f"{what} has {len(rows)} rows, of names {len(names)} parameters")
        symbols = {name: sp.Symbol(name, positive=True) for name in made.words}
        for text in (t for row in texts for t in row):
            try:
                read_entry(text, symbols)
            except ExpressionError as error:
                raise ValueError(f"{what}: {error}") from None
        return made

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The names in it that are no function and no constant."""
        return tuple(sorted({w for row in self.entries for text in row for w in words_of(text)}))

    @property
    def scalar(self) -> bool:
        """Whether it is one entry."""
        return len(self.entries) == 1

    def on(
        self, symbols: Iterable[sp.Symbol], order: Sequence[sp.Symbol] | None = None, whole: bool = True
    ) -> StatedFormula:
        """The same about a law with these symbols: `of` and `domains` complete; ValueError for a name that it does not have.

        `order` are the parameters that it is about where nothing was said; not `whole`: where nothing is known of a
        parameter, as of one of code, nothing is said of its domain.
        """
        known = {s.name: s for s in symbols}
        for name in (*self.words, *(self.of or ())):
            if name not in known:
                raise ValueError(f"unknown parameter {name!r}; {nearest(name, list(known))}")
        if not known:
            raise ValueError("it has no parameters: nothing is left to be informed about")
        of = self.of or (None if order is None else tuple(s.name for s in order))
        if of is None and len(known) == 1:
            of = tuple(known)
        if of is None:
            raise ValueError(
                f"of= must name the parameters that it is about, in order, some of {', '.join(sorted(known)) or 'none'}"
            )
        stated = dict(self.domains)
        # What only the formula's own symbols were declared to be does not widen what the law's are.
        domain = ParameterDomain.of(known.values(), {n: e for n, e in stated.items() if n in known})
        lost = sorted(set(stated) - set(known))
        if lost:
            raise ValueError(
                f"domains names {', '.join(lost)}; the parameters are: {', '.join(sorted(known)) or 'none'}"
            )
        if not self.scalar and len(self.entries) != len(of):
            raise ValueError(
                f"{len(self.entries)} rows of formulas, about {counted(len(of), 'parameter')} ({', '.join(of)})"
            )
        return replace(self, of=of, domains=tuple((s.name, e) for s, e in domain.ends if whole or e != _LINE))

    def matrix(self, symbols: Mapping[str, sp.Expr]) -> sp.ImmutableMatrix:
        """The entries with these meanings of the names."""
        return sp.ImmutableMatrix([[read_entry(text, symbols) for text in row] for row in self.entries])

    def domain(self, symbols: Iterable[sp.Symbol]) -> ParameterDomain:
        """Where it speaks."""
        return ParameterDomain.of(symbols, dict(self.domains))

    @cached_property
    def own_symbols(self) -> dict[str, sp.Symbol]:
        """Symbols that know of each parameter what its domain says of its sign."""
        out = {}
        for name in (*self.words, *(self.of or ()), *dict(self.domains)):
            low, high = dict(self.domains).get(name, (-sp.oo, sp.oo))
            out[name] = sp.Symbol(name, real=True, **_sign(low, high))
        return out

    def constant(self) -> bool:
        """Whether it contains no parameter."""
        return not self.words

    def said(self) -> str:
        """The formula in one line."""
        return (
            self.entries[0][0] if self.scalar else str([list(row) for row in self.entries]).replace("'", "")
        )

    def latex(self) -> str:
        """The formula as a person writes it."""
        value = self.matrix(self.own_symbols)
        return str(sp.latex(value[0, 0] if self.scalar else value))

    def where(self) -> str:
        """For which parameters, in words; "" where all that is said of them is their names."""
        symbols = [sp.Symbol(n, real=True, **_sign(*ends)) for n, ends in self.domains]
        return self.domain(symbols).said() if symbols else ""

    def record(self) -> dict[str, Any]:
        """As plain JSON data, from which it is read again."""
        rows = [list(row) for row in self.entries]
        out: dict[str, Any] = {"value": rows[0][0] if self.scalar else rows}
        if self.of is not None:
            out["of"] = list(self.of)
        if self.domains:
            out["domains"] = {name: [str(e) for e in ends] for name, ends in self.domains}
        return out


def _sign(low: sp.Expr, high: sp.Expr) -> dict[str, bool]:
    if low.is_extended_nonnegative:
        return {"positive": True}
    return {"negative": True} if high.is_extended_nonpositive else {}


def _rows(value: Any) -> list[list[Any]]:
    if isinstance(value, sp.MatrixBase):
        return [list(row) for row in value.tolist()]
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if not isinstance(value, list | tuple):
        return [[value]]
    return [list(row) if isinstance(row, list | tuple) else [row] for row in value]


def _text(entry: Any, what: str) -> str:
    """An entry as text that the reader of formulas knows."""
    if isinstance(entry, str):
        if entry.strip() in _NO_NUMBERS:
            raise ValueError(f"{what} must be finite numbers or formulas such as '4/scale**2', got {entry!r}")
        return entry.strip()
    if isinstance(entry, np.number):
        entry = entry.item()
    if isinstance(entry, sp.Expr):
        if entry.has(sp.nan, sp.oo, -sp.oo, sp.zoo, sp.I):
            raise ValueError(
                f"{what} must be finite real numbers or formulas such as '4/scale**2', got {entry}"
            )
        return str(sp.sstr(entry.xreplace({f: rational(float(f)) for f in entry.atoms(sp.Float)})))
    if isinstance(entry, bool) or not isinstance(entry, int | float) or not abs(entry) < float("inf"):
        raise ValueError(f"{what} must be finite numbers or formulas such as '4/scale**2', got {entry!r}")
    return str(sp.sstr(rational(entry)))


def _declared(entry: Any) -> dict[str, Ends]:
    """What the symbols of a formula were declared to be, of those of which something was."""
    symbols = entry.free_symbols if isinstance(entry, sp.Expr) else set()
    known = {s.name: declared(s) for s in symbols}
    return {name: ends for name, ends in known.items() if ends != _LINE}


def _domains(domains: Any) -> Iterable[tuple[str, Ends]]:
    if domains is None:
        return []
    if not isinstance(domains, Mapping):
        raise ValueError(f'domains must be a dict such as {{"scale": (0, "oo")}}, got {domains!r}')
    return [(str(name), ends_of(pair, str(name))) for name, pair in domains.items()]


def _names(of: Any) -> tuple[str, ...]:
    given = [of] if isinstance(of, str | sp.Symbol) else list(of) if isinstance(of, list | tuple) else None
    names = None if given is None else tuple(n.name if isinstance(n, sp.Symbol) else n for n in given)
    if not names or not all(isinstance(n, str) and n for n in names) or len(set(names)) < len(names):
        raise ValueError(f"of must be the name of a parameter, or several different ones, got {of!r}")
    return names


def _without_numbers(text: str) -> str:
    """The text without the letters of numbers such as 1e-3."""
    return re.sub(r"(?<![\w.])(\d[\d_]*\.?[\d_]*|\.\d[\d_]*)([eE][+-]?\d+)?", " ", text)
