"""A law on finitely many values, which need not be numbers, with exact probabilities."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import ArrayLike, NDArray

from ..arrays import Floats
from .law import VARIABLE, Law, admitted, exact


@dataclass(frozen=True, init=False)
class DiscreteLaw(Law):
    """A law on finitely many values (numbers or any other hashable things) with exact probabilities.

    `density` is the probability mass as a function of the value (of its position if values are no numbers).
    """

    values: tuple[Any, ...] = ()
    probabilities: tuple[sp.Expr, ...] = ()

    def __init__(self, values: Sequence[Any], probabilities: Sequence[Any], name: str = "discrete") -> None:
        outcomes = tuple(v.item() if isinstance(v, np.generic) else v for v in values)
        masses = tuple(exact(p, "probability") for p in probabilities)
        if len(outcomes) != len(masses) or not outcomes:
            raise ValueError(
                f"expected as many probabilities as values, got {len(masses)} for {len(outcomes)}"
            )
        if len(set(outcomes)) != len(outcomes):
            raise ValueError(
                "the values of a discrete law must be distinct: add up the probabilities of equal ones"
            )
        if any(p.is_negative for p in masses):
            raise ValueError(f"probabilities must be >= 0, got {[str(p) for p in masses if p.is_negative]}")
        if not sp.Add(*masses).free_symbols and sp.simplify(sp.Add(*masses) - 1) != 0:
            raise ValueError(
                f"probabilities must sum to 1, got {sp.Add(*masses)}: pass exact ones such as Rational(1, 3)"
            )
        numbers = all(isinstance(v, int | float | sp.Expr) and not isinstance(v, bool) for v in outcomes)
        points = (
            [exact(v, "value") for v in outcomes]
            if numbers
            else [sp.Integer(i) for i in range(len(outcomes))]
        )
        pieces = [(p, sp.Eq(VARIABLE, v)) for p, v in zip(masses, points, strict=True)]
        object.__setattr__(self, "values", outcomes)
        object.__setattr__(self, "probabilities", masses)
        ends = (sp.Min(*points), sp.Max(*points))
        Law.__init__(self, name, VARIABLE, sp.Piecewise(*pieces, (0, True)), ends, discrete=True)

    @property
    def numbers(self) -> bool:
        """Whether all values are numbers."""
        return all(isinstance(v, int | float | sp.Expr) and not isinstance(v, bool) for v in self.values)

    @property
    def free_symbols(self) -> set[sp.Symbol]:
        """The symbols in the probabilities and values."""
        terms = [*self.probabilities, *(self.values if self.numbers else ())]
        return set().union(*(sp.sympify(t).free_symbols for t in terms if isinstance(t, sp.Expr)))

    def expectation(self, function: sp.Expr) -> sp.Expr:
        """The finite sum of function(value) times probability; needs numbers as values."""
        self._need_numbers("an expectation")
        function = self.function_of(function)
        pairs = zip(self.values, self.probabilities, strict=True)
        return sp.Add(*(p * function.subs(self.variable, exact(v, "value")) for v, p in pairs))

    def mass(self) -> sp.Expr:
        """The sum of the probabilities."""
        return sp.simplify(sp.Add(*self.probabilities))

    def score(self) -> sp.Expr:
        """Never: a discrete law has no density to differentiate."""
        raise ValueError(f"{self.name} is discrete: it has no score in its variable")

    def pdf(self, y: ArrayLike) -> Floats:
        """The probability mass of each entry of `y`."""
        table = {self._key(v): float(p) for v, p in zip(self.values, self.probabilities, strict=True)}
        asked = np.asarray(y) if self.numbers else np.asarray(y, dtype=object)
        if not self.numbers:
            return np.array([table.get(v, 0.0) for v in asked.ravel()]).reshape(asked.shape)
        keys = np.array(sorted(table))
        at = np.clip(np.searchsorted(keys, asked), 0, len(keys) - 1)
        return np.where(keys[at] == asked, np.array([table[k] for k in keys])[at], 0.0)

    def log_pdf(self, y: ArrayLike) -> Floats:
        """The log probability mass of each entry of `y`, -inf where it is zero."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.pdf(y)))

    def cdf(self, y: ArrayLike) -> Floats:
        """P(Y <= y); needs numbers as values."""
        keys, masses = self._sorted()
        total = np.concatenate([[0.0], np.minimum(np.cumsum(masses), 1.0)])
        return np.asarray(total[np.searchsorted(keys, np.asarray(y, dtype=float), side="right")])

    def quantile(self, u: ArrayLike) -> Floats:
        """The smallest value with P(Y <= value) >= u."""
        keys, masses = self._sorted()
        at = np.searchsorted(np.cumsum(masses) * (1 + 1e-15), np.asarray(u, dtype=float), side="left")
        return np.asarray(keys[np.minimum(at, len(keys) - 1)])

    def sample(self, size: int | tuple[int, ...], rng: np.random.Generator) -> NDArray[Any]:
        """Independent draws; an object array if the values are no numbers."""
        p = np.array([float(q) for q in self.probabilities])
        drawn = rng.choice(len(p), size=size, p=p / p.sum())
        if self.numbers:
            return np.array([self._key(v) for v in self.values])[drawn]
        out = np.empty(len(p), dtype=object)
        out[:] = self.values
        return np.asarray(out[drawn])

    def at(self, values: Mapping[Any, Any]) -> DiscreteLaw:
        """The law with the symbols in `values`, or those of these names, replaced."""
        at = admitted(self.named(values))
        return self.map(lambda e: e.subs(at))

    def map(self, change: Callable[[sp.Expr], sp.Expr]) -> DiscreteLaw:
        """The law with its values and probabilities changed in the same way."""
        return DiscreteLaw(self._map(change), [change(p) for p in self.probabilities], self.name)

    def _affine(self, a: sp.Expr, b: sp.Expr, name: str) -> DiscreteLaw:
        self._need_numbers("shifting and scaling")
        return DiscreteLaw(self._map(lambda v: a * v + b), self.probabilities, name)

    def _map(self, function: Callable[[sp.Expr], sp.Expr]) -> tuple[Any, ...]:
        return tuple(function(exact(v)) for v in self.values) if self.numbers else self.values

    def _key(self, value: Any) -> Any:
        return float(value) if self.numbers else value

    def _sorted(self) -> tuple[Floats, Floats]:
        self._need_numbers("a distribution function")
        pairs = sorted((float(v), float(p)) for v, p in zip(self.values, self.probabilities, strict=True))
        return np.array([v for v, _ in pairs]), np.array([p for _, p in pairs])

    def _need_numbers(self, what: str) -> None:
        if not self.numbers:
            raise ValueError(
                f"{what} needs a discrete law on numbers, got the values {list(self.values)[:4]}"
            )
