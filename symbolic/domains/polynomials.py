"""Polynomials with rational coefficients as {exponents: coefficient}, and queries made of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import sympy as sp
from numpy.typing import NDArray

from ..arrays import Floats
from ..errors import counted

Coefficients = dict[tuple[int, ...], Fraction]
Point = tuple[Fraction, ...]
LARGEST = 10**100  # coefficients: beyond, products leave the range of doubles


def add(*terms: tuple[Fraction, Coefficients]) -> Coefficients:
    """The sum of number times polynomial, without zero coefficients."""
    total: Coefficients = {}
    for factor, polynomial in terms:
        for exponents, c in polynomial.items():
            total[exponents] = total.get(exponents, Fraction(0)) + factor * c
    return {exponents: c for exponents, c in total.items() if c}


def multiply(first: Coefficients, second: Coefficients) -> Coefficients:
    """The product."""
    total: Coefficients = {}
    for m, c in first.items():
        for n, d in second.items():
            exponents = tuple(i + j for i, j in zip(m, n, strict=True))
            total[exponents] = total.get(exponents, Fraction(0)) + c * d
    return total


def degree(polynomial: Coefficients) -> int:
    """The total degree; 0 for the zero polynomial."""
    return max((sum(m) for m in polynomial), default=0)


def value(polynomial: Coefficients, point: Sequence[Fraction]) -> Fraction:
    """The exact value at a rational point."""
    total = Fraction(0)
    for m, c in polynomial.items():
        for x, power in zip(point, m, strict=True):
            if power:
                c *= x**power
        total += c
    return total


@dataclass(frozen=True)
class PolynomialQuery:
    """Entries f_k, polynomials in `variables` with rational coefficients; entry k is released `multiplicities[k]` times.

    A multiplicity may be any positive rational weight: in the L1 norm it multiplies |f_k|, in the L2 norm |f_k|^2, and
    in the max norm it plays no part.
    """

    variables: tuple[sp.Symbol, ...]
    entries: tuple[sp.Expr, ...]
    multiplicities: tuple[Fraction, ...] = ()

    def __post_init__(self) -> None:
        variables, entries = tuple(self.variables), tuple(self.entries)
        if not variables or not all(isinstance(x, sp.Symbol) for x in variables):
            raise ValueError(f"expected at least one sympy symbol as variable, got {self.variables!r}")
        if len(set(variables)) != len(variables):
            raise ValueError(f"expected different variables, got {variables}")
        if not entries:
            raise ValueError("expected at least one entry, got none")
        weights = tuple(self.multiplicities) or (Fraction(1),) * len(entries)
        if len(weights) != len(entries):
            raise ValueError(
                f"expected one multiplicity for each of {counted(len(entries), 'entry')}, got {len(weights)}"
            )
        if any(isinstance(w, bool) or not isinstance(w, int | Fraction) or w <= 0 for w in weights):
            raise ValueError(f"multiplicities must be positive rationals (int or Fraction), got {weights}")
        object.__setattr__(self, "variables", variables)
        object.__setattr__(self, "entries", entries)
        object.__setattr__(self, "multiplicities", tuple(Fraction(w) for w in weights))
        object.__setattr__(self, "_polynomials", tuple(_coefficients(e, variables) for e in entries))

    @property
    def polynomials(self) -> tuple[Coefficients, ...]:
        """The entries as coefficients."""
        found: tuple[Coefficients, ...] = getattr(self, "_polynomials")  # noqa: B009
        return found


def _coefficients(entry: sp.Expr, variables: tuple[sp.Symbol, ...]) -> Coefficients:
    if not isinstance(entry, sp.Expr):
        raise ValueError(
            f"expected sympy polynomials as entries, got {entry!r}: write sp.Integer(3) for a number"
        )
    try:
        polynomial = sp.Poly(entry, *variables, domain="QQ")
    except (sp.PolynomialError, sp.CoercionFailed) as error:
        raise ValueError(
            f"expected a polynomial in {', '.join(map(str, variables))} with rational coefficients, got {entry}"
        ) from error
    found = {tuple(m): Fraction(int(c.p), int(c.q)) for m, c in polynomial.terms() if c}
    if not all(Fraction(1, LARGEST) <= abs(c) <= LARGEST for c in found.values()):
        raise ValueError(
            f"coefficients must lie between 1e-100 and 1e100 in absolute value (rescale the entry), got {entry}"
        )
    return found


class Batch:
    """Values and gradients of several polynomials at many points, in floating point."""

    def __init__(self, polynomials: Iterable[Coefficients], variables: int) -> None:
        given = list(polynomials)
        monomials = sorted({m for polynomial in given for m in polynomial}) or [(0,) * variables]
        place = {m: i for i, m in enumerate(monomials)}
        self.exponents = np.array(monomials)
        self.matrix = np.zeros((len(given), len(monomials)))
        for k, polynomial in enumerate(given):
            for m, c in polynomial.items():
                self.matrix[k, place[m]] = float(c)

    def values(self, points: Floats) -> Floats:
        """Shape (points, polynomials)."""
        return np.asarray(self._monomials(points, self.exponents) @ self.matrix.T)

    def gradient(self, points: Floats, directions: Floats) -> Floats:
        """The gradient of sum_k directions[i, k] f_k at point i, shape (points, variables)."""
        columns = []
        weights = directions @ self.matrix
        for i in range(points.shape[1]):
            lowered = self.exponents.copy()
            lowered[:, i] = np.maximum(lowered[:, i] - 1, 0)
            terms = self._monomials(points, lowered) * self.exponents[:, i]
            columns.append((terms * weights).sum(axis=1))
        return np.stack(columns, axis=1)

    @staticmethod
    def _monomials(points: Floats, exponents: NDArray[np.int64]) -> Floats:
        result = np.ones((len(points), len(exponents)))
        for i in range(points.shape[1]):
            # Each power once: many monomials share it.
            result *= (points[:, i : i + 1] ** np.arange(exponents[:, i].max() + 1))[:, exponents[:, i]]
        return result
