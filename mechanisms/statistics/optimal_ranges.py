"""The matrix mechanism: the queries of least error for a workload, by its convex program, rounded to whole numbers, with a bound.

For Gaussian noise the error of a strategy A is tr(G (A'A)^-1) times the greatest squared norm of a column, G = W'W the Gram matrix of
the workload (Li, Hay, Rastogi, Miklau and McGregor 2010): convex in X = A'A with diagonal at most 1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

import numpy as np
from flint import fmpq, fmpq_mat

from ...symbolic.arrays import Floats, Ints
from ...symbolic.proof.derivation import Derivation, Step
from ...symbolic.proof.enclosure import rational

LARGEST = 64
_STEPS, _GAP = 2_000, 1e-10
_SCALE, _DIGITS = 1 << 12, 1 << 60
SQUARE = "for all X and Y: tr((X^(-1/2) - X^(1/2) Y) G (X^(-1/2) - X^(1/2) Y)') >= 0, so that tr(G X^-1) >= 2 tr(G Y) - tr(X Y G Y')"
DOMINANT = "a symmetric matrix with at least the sum of the other absolute values of each row on its diagonal is positive semidefinite (Gershgorin)"
LEVEL = "tr(X S) <= tr(X L) <= sum L for a diagonal L with L - S positive semidefinite and X with diagonal at most 1; Y scaled by tr(G Y) / sum L"


def best_gram(gram: Ints) -> Floats:
    """X with diagonal at most 1 that minimises tr(G X^-1), by weights that grow where the diagonal is too large, shape (n, n)."""
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    with threadpool_limits(1):  # small matrices: threads cost more than they bring
        return _best_gram(gram)


def _best_gram(gram: Ints) -> Floats:
    n = len(gram)
    weights, x = np.full(n, 1 / n), np.eye(n)
    for _ in range(_STEPS):
        roots = np.sqrt(weights)
        values, vectors = np.linalg.eigh(roots[:, None] * gram * roots)
        values = np.sqrt(np.maximum(values, 0.0))
        x = (vectors * values) @ vectors.T / np.outer(roots, roots)
        diagonal = np.diag(x)
        if diagonal.max() <= (1 + _GAP) * values.sum():
            break
        weights = weights * diagonal / values.sum()
        weights = weights / weights.sum()
    return np.asarray(x / np.diag(x).max())


def best_queries(gram: Ints) -> QueryBound:
    """The best strategy in whole numbers, upper triangular, with its bound."""
    x = best_gram(gram)
    factor = np.linalg.cholesky(x).T
    return QueryBound(np.asarray(np.rint(factor * _SCALE), dtype=np.int64), gram, x)


@dataclass(frozen=True)
class QueryBound:
    """tr(G (B'B)^-1) times the greatest squared column of the whole queries B, a bound for all matrices, and the steps."""

    queries: Ints = field(repr=False)
    gram: Ints = field(repr=False)
    near: Floats = field(repr=False)  # X near the optimum; any positive definite one gives a bound that holds

    @cached_property
    def inverse(self) -> fmpq_mat:
        """(B'B)^-1, exactly."""
        b = fmpq_mat([[fmpq(int(x)) for x in row] for row in self.queries])
        return (b.transpose() * b).inv()

    @property
    def squared_column(self) -> int:
        """The squared l2 sensitivity of the queries where one row is added or removed."""
        return int((self.queries.astype(object) ** 2).sum(axis=0).max())

    @cached_property
    def value(self) -> Fraction:
        """The objective of the queries: the sum of the variances for noise of variance squared_column."""
        return _fraction(_trace(self._gram * self.inverse)) * self.squared_column

    @cached_property
    def _gram(self) -> fmpq_mat:
        return fmpq_mat([[fmpq(int(x)) for x in row] for row in self.gram])

    @cached_property
    def lower(self) -> Fraction:
        """No strategy, of whole numbers or not, has an objective below it."""
        return self._traced**2 / sum(self._levels, Fraction(0))

    @cached_property
    def _dual(self) -> fmpq_mat:
        inverse = np.linalg.inv(self.near)
        return fmpq_mat(
            [[fmpq(round(float(v) * _DIGITS), _DIGITS) for v in row] for row in (inverse + inverse.T) / 2]
        )

    @cached_property
    def _traced(self) -> Fraction:
        return _fraction(_trace(self._gram * self._dual))

    @cached_property
    def _rows(self) -> list[Fraction]:
        """The sums of the absolute values in each row of Y G Y'."""
        s = self._dual * self._gram * self._dual.transpose()
        return [sum((abs(_fraction(x)) for x in row), Fraction(0)) for row in s.tolist()]

    @cached_property
    def _levels(self) -> list[Fraction]:
        """The diagonal of L: a little above the sums."""
        return [Fraction(math.ceil(x * _DIGITS), _DIGITS) for x in self._rows]

    @cached_property
    def derivation(self) -> Derivation:
        """That the bound is one, and how near the queries come to it."""
        rows = [
            Step(rational(x), "<=", rational(y), f"row {i + 1} of Y G Y': absolute values", shown=_both(x, y))
            for i, (x, y) in enumerate(zip(self._rows, self._levels, strict=True))
        ]
        trace, total = self._traced, sum(self._levels, Fraction(0))
        steps = (
            *rows,
            Step(
                rational(self.lower * total),
                "=",
                rational(trace**2),
                "the bound tr(G Y)^2 / sum L",
                shown=(
                    f"{float(self.lower):.12g} * {float(total):.12g}",
                    f"tr(G Y)^2 = {float(trace**2):.12g}",
                ),
            ),
            Step(
                rational(self.lower),
                "<=",
                rational(self.value),
                "the queries are not below the bound",
                shown=_both(self.lower, self.value),
            ),
        )
        return Derivation(
            f"the queries are within {float(self.value / self.lower - 1):.1e} of the optimum",
            steps,
            (SQUARE, DOMINANT, LEVEL),
        )


def _both(left: Fraction, right: Fraction) -> tuple[str, str]:
    return f"{float(left):.12g}", f"{float(right):.12g}"


def _trace(matrix: fmpq_mat) -> fmpq:
    return sum((matrix[i, i] for i in range(matrix.nrows())), fmpq(0))


def _fraction(value: fmpq) -> Fraction:
    return Fraction(int(value.p), int(value.q))
