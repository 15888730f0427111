"""Laws on whole numbers without an end: a mass for each, and sums in place of integrals."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import ArrayLike, NDArray

from ..arrays import Floats
from .law import Law
from .power_sums import chosen, power_sum, smooth_from

_SMALLEST, _MOST = 1e-15, 1 << 22  # mass that may be left out of a table, and its entries
_MISSING = 1e-7


@dataclass(frozen=True)
class CountableLaw(Law):
    """A law on the whole numbers from one end of its support to the other, `oo` or `-oo` included."""

    def expectation(self, function: sp.Expr) -> sp.Expr:
        """The sum of function times mass, exact; an unevaluated Sum where none was found."""
        function = self.function_of(function)
        if self.pieces:
            return sp.Add(*(piece.expectation(function) for piece in self.pieces))
        known = self.series(function)
        if known is not None:
            return known
        return sp.summation(self.density * function, (self.variable, *self.support))

    def series(self, function: sp.Expr) -> sp.Expr | None:
        """The sum by a series that is known, None without one: a polynomial as a sum of y (y - 1) ... (y - k + 1), whose sums are known one by one."""
        y, (lower, _) = self.variable, self.support
        if not lower.is_nonnegative:
            return power_sum(self.density * function, y, self.support, self.domains)
        # What is special at the first few numbers is added apart: from there on a function may be a polynomial.
        begin = smooth_from(self.density * function, y, lower)
        mass, smooth, first = self.density, function, list[sp.Expr]()
        if begin is not None and begin != lower and (begin - lower).is_Integer:
            mass, smooth = chosen(mass, y, begin), chosen(function, y, begin)
            first = [lower + k for k in range(int(begin - lower))]
        if not (smooth.has(y) and sp.expand(smooth).is_polynomial(y)):
            return power_sum(self.density * function, y, self.support, self.domains)
        parts = [(c, k) for k, c in enumerate(_falling(sp.Poly(smooth, y))) if c != 0]
        terms = [(c, mass * sp.Mul(*(y - j for j in range(k)))) for c, k in parts]
        sums = [(c, power_sum(t, y, self.support, self.domains)) for c, t in terms]
        special = [(self.density * function - mass * smooth).subs(y, n) for n in first]
        known = [c * s for c, s in sums if s is not None]
        return sp.Add(*known, *special) if len(known) == len(sums) else None

    def mass(self) -> sp.Expr:
        """The sum of all masses: one, if the law was written correctly."""
        total = self.expectation(sp.Integer(1))
        return total if total.has(sp.Sum) else sp.simplify(total)

    def log_pdf(self, y: ArrayLike) -> Floats:
        """The log mass of each entry of `y`, -inf where it is no whole number of the support."""
        at = np.asarray(y, dtype=float)
        return np.where(at == np.floor(at), super().log_pdf(at), -np.inf)

    def cdf(self, y: ArrayLike) -> Floats:
        """P(Y <= y)."""
        first, total = _summed(self)
        total = np.minimum(total, 1.0)
        place = np.floor(np.asarray(y, dtype=float)) - first
        self._require_table(total, bool(np.any(np.isfinite(place) & (place >= len(total)))))
        return np.where(place < 0, 0.0, total[np.clip(place, 0, len(total) - 1).astype(int)])

    def quantile(self, u: ArrayLike) -> Floats:
        """The smallest whole number with P(Y <= y) >= u."""
        first, total = _summed(self)
        self._require_table(total, bool(np.any(np.asarray(u, dtype=float) > total[-1])))
        place = np.searchsorted(total * (1 + 1e-15), np.asarray(u, dtype=float), side="left")
        return np.asarray(first + np.minimum(place, len(total) - 1), dtype=float)

    def sample(self, size: int | tuple[int, ...], rng: np.random.Generator) -> NDArray[Any]:
        """Independent draws of shape `size`."""
        return np.asarray(self.quantile(rng.random(size)))

    def _require_table(self, total: Floats, beyond: bool) -> None:
        """ValueError where an answer lies beyond a table that had to stop early: nothing is known of it there."""
        if beyond and total[-1] < 1 - _MISSING and len(total) >= _MOST:
            raise ValueError(
                f"the masses of {self.name} fall slowly: {len(total):,} of them come to {total[-1]:.6g}, and what lies beyond is not tabulated"
            )

    def summed(self) -> float:
        """The sum of the masses in numbers, up to where next to nothing is left."""
        return float(_summed(self)[1][-1])

    def _affine(self, a: sp.Expr, b: sp.Expr, name: str) -> Law:
        if a not in (1, -1) or b.is_integer is not True:
            raise ValueError(f"{self.name} lies on whole numbers: it is moved by whole numbers only")
        back, ends = (self.variable - b) / a, (a * self.support[0] + b, a * self.support[1] + b)
        return replace(
            self,
            name=name,
            density=self.density.subs(self.variable, back),
            support=ends if a == 1 else ends[::-1],
        )


def _falling(polynomial: sp.Poly) -> list[sp.Expr]:
    """The coefficients c_k of the polynomial as a sum of c_k y (y - 1) ... (y - k + 1)."""
    found: list[sp.Expr] = []
    while not polynomial.is_zero:
        polynomial, rest = sp.div(polynomial, sp.Poly(polynomial.gen - len(found), polynomial.gen))
        found.append(rest.as_expr())
    return found


@lru_cache(64)
def _summed(law: CountableLaw) -> tuple[float, Floats]:
    """The first whole number, and the mass up to each, until next to nothing is left."""
    lower, upper = law.ends()
    size = 256
    while True:
        first = lower if np.isfinite(lower) else min(upper, 0.0) - size
        last = min(upper, first + (size if np.isfinite(lower) else 2 * size) - 1)
        total = np.cumsum(law.pdf(np.arange(first, last + 1)))
        whole = (first, last) == (lower, upper)
        if whole or total[-1] > 1 - _SMALLEST * size or size >= _MOST:
            return first, total
        size *= 4
