"""Which values of parameters a formula speaks about: an open interval for each, exact, and what is true on all of it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
import sympy as sp

from .proof.enclosure import admits, enclose, rational, sample_points, sign

Ends = tuple[sp.Expr, sp.Expr]
_INFINITE = {"oo": sp.oo, "inf": sp.oo, "-oo": -sp.oo, "-inf": -sp.oo}
_MOST_POINTS = 60


def end_of(value: Any, name: str) -> sp.Expr:
    """One end of an interval: a number as the decimal that was written, a constant, "oo" or "-oo"; ValueError for anything else."""
    if isinstance(value, str) and value.strip() in _INFINITE:
        return _INFINITE[value.strip()]
    if isinstance(value, sp.Expr) and value.is_number and value.is_extended_real:
        return value
    if isinstance(value, np.number):
        value = value.item()
    if isinstance(value, str):
        try:
            return sp.Rational(value)
        except (TypeError, ValueError):
            value = value[:40]
    elif isinstance(value, Real | Decimal) and not isinstance(value, bool) and value == value:
        return rational(value) if math.isfinite(value) else sp.oo if float(value) > 0 else -sp.oo
    raise ValueError(f'domains: an end of {name} is a number, "oo" or "-oo", got {value!r}')


def ends_of(pair: Any, name: str) -> Ends:
    """Both ends, the lower one first; ValueError for anything else."""
    if isinstance(pair, str) or not isinstance(pair, Sequence) or len(pair) != 2:
        raise ValueError(f'domains: {name} needs its two ends, such as (0, 1) or (0, "oo"), got {pair!r}')
    low, high = (end_of(end, name) for end in pair)
    if sign_of(high - low) != 1:
        raise ValueError(f"domains: {name} begins at {low} and ends at {high}: give the lower end first")
    return low, high


def sign_of(value: sp.Expr) -> int | None:
    """The sign of a constant that may be infinite."""
    if value in (sp.oo, -sp.oo):
        return 1 if value is sp.oo else -1
    return sign(value) if value.is_finite else None


def declared(symbol: sp.Symbol) -> Ends:
    """The interval that the assumptions of a symbol leave."""
    low = sp.Integer(0) if symbol.is_nonnegative else -sp.oo
    return low, sp.Integer(0) if symbol.is_nonpositive else sp.oo


@dataclass(frozen=True)
class ParameterDomain:
    """An open interval for each symbol; `inside` writes each as a formula of a symbol that may be any positive (or real) number."""

    ends: tuple[tuple[sp.Symbol, Ends], ...]

    @classmethod
    def of(cls, symbols: Iterable[sp.Symbol], domains: Mapping[str, Ends]) -> ParameterDomain:
        """What assumptions and stated ends leave; ValueError where the latter go beyond the former, or name no symbol."""
        ordered = sorted(symbols, key=lambda s: s.name)
        strange = sorted(set(domains) - {s.name for s in ordered})
        if strange:
            known = ", ".join(s.name for s in ordered) or "none"
            raise ValueError(f"domains names {', '.join(strange)}; the parameters are: {known}")
        rows = []
        for symbol in ordered:
            low, high = widest = declared(symbol)
            if symbol.name in domains:
                low, high = domains[symbol.name]
                if sign_of(low - widest[0]) == -1 or sign_of(widest[1] - high) == -1:
                    raise ValueError(
                        f"domains: {symbol.name} may lie in ({low}, {high}), but it was declared to lie in ({widest[0]}, {widest[1]})"
                    )
            rows.append((symbol, (low, high)))
        return cls(tuple(rows))

    def inside(self, expression: sp.Expr) -> sp.Expr:
        """The expression with each bounded symbol as a formula of a positive one, so that nothing outside is spoken of."""
        moved = {}
        for symbol, (low, high) in self.ends:
            if (low, high) == declared(symbol):
                continue
            u = sp.Dummy(symbol.name, positive=True)
            if low.is_finite and high.is_finite:
                moved[symbol] = (low + high * u) / (1 + u)
            else:
                moved[symbol] = low + u if low.is_finite else high - u
            if not (low.is_finite or high.is_finite):
                moved[symbol] = sp.Dummy(symbol.name, real=True)
        return expression.subs(moved, simultaneous=True) if moved else expression

    def points(self) -> Iterator[dict[sp.Symbol, sp.Expr]]:
        """A few points of the domain, of rational numbers."""
        real = {
            s: sp.Symbol(s.name, real=True, **({"integer": True} if s.is_integer else {}))
            for s, _ in self.ends
        }
        found, seen = 0, set[tuple[sp.Expr, ...]]()
        for at in sample_points(set(real.values())):
            point = {s: self._placed(at[real[s]], s, ends) for s, ends in self.ends}
            if tuple(point.values()) in seen or not all(self._within(s, v) for s, v in point.items()):
                continue
            seen.add(tuple(point.values()))
            yield point
            found += 1
            if found >= _MOST_POINTS:
                return

    @staticmethod
    def _placed(value: sp.Expr, symbol: sp.Symbol, ends: Ends) -> sp.Expr:
        low, high = ends
        if symbol.is_integer:
            return value
        size = sp.Abs(value) if value else sp.Rational(1, 11)
        if low.is_finite and high.is_finite:
            return low + (high - low) * size / (1 + size)
        return low + size if low.is_finite else high - size if high.is_finite else value

    def _within(self, symbol: sp.Symbol, value: sp.Expr) -> bool:
        low, high = dict(self.ends)[symbol]
        return sign_of(value - low) == 1 and sign_of(high - value) == 1 and admits(symbol, value)

    def contains(self, point: Mapping[str, sp.Expr], only: bool = False) -> bool:
        """Whether a point, by names, gives each symbol a value inside; `only` those that it names."""
        known = {s.name: s for s, _ in self.ends}
        if not set(point) <= set(known) or not (only or set(point) == set(known)):
            return False
        return all(self._within(known[name], value) for name, value in point.items())

    def said(self) -> str:
        """In words: 0 < scale < oo."""
        return ", ".join(
            f"{name} > {low}"
            if high is sp.oo and low.is_finite
            else f"{name} < {high}"
            if low == -sp.oo and high.is_finite
            else f"{low} < {name} < {high}"
            if low.is_finite
            else f"real {name}"
            for name, low, high in ((s.name, *ends) for s, ends in self.ends)
        )

    def record(self) -> dict[str, list[str]]:
        """The ends as text, by names."""
        return {s.name: [str(end) for end in ends] for s, ends in self.ends}

    def floats(self, name: str) -> tuple[float, float]:
        """The ends of one parameter as floats."""
        low, high = next(ends for s, ends in self.ends if s.name == name)
        return tuple(float(e) if e.is_infinite else float(enclose(e).mid()) for e in (low, high))  # type: ignore[return-value]
