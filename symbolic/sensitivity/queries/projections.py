"""Projection matrices: onto the span of the records, and onto leading eigenvectors of their Gram matrix."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import ClassVar

import sympy as sp

from ...domains.ball import Ball
from ...domains.box import Box
from ...domains.domain import Domain
from ...errors import SpecError
from ...proof.as_written import difference, product
from ...proof.derivation import Step
from ..answer import Dataset, Sensitivity
from ..changes import Change
from ..pairs import Found, answered
from ..query import MATRIX_NORMS, Query
from ..records import intervals, record_of
from .gram import vector

PROJECTIONS = (
    "the difference of two projections has spectral norm at most 1, and its entries lie between -1 and 1; with ranks p and q in "
    "d dimensions its squared Frobenius length is p + q - 2 tr(PQ)"
)
SPAN = (
    "the projection onto the span of a subspace and of one vector more is that of the subspace plus aa', with a unit vector a or "
    "a = 0: one record that is replaced moves it by aa' - bb', of squared Frobenius length at most 2 (1 if d = 1), one that joins by aa'"
)


@dataclass(frozen=True)
class Projection(Query):
    """The projection onto the span of the records (`most` None), or onto the `most` leading eigenvectors of X'X."""

    most: int | None = None
    norms: ClassVar[Sequence[str]] = MATRIX_NORMS

    def describe(self) -> str:
        return (
            "projection onto the span"
            if self.most is None
            else f"projection onto {self.most} leading eigenvectors"
        )

    def __call__(self, dataset: Dataset) -> sp.Matrix:
        rows = sp.Matrix([list(vector(record)) for record in dataset])
        if self.most is None:
            independent = rows.T[:, list(rows.T.rref()[1])]
            if independent.cols == 0:
                return sp.zeros(rows.cols)
            return independent * (independent.T * independent).inv() * independent.T
        return _leading(rows.T * rows, self.most)

    def moved(self, domain: Domain, norm: str, change: Change, n: int | None, effort: float) -> Sensitivity:
        """Over data sets of every size, or of `n` records, at which the projection is defined."""
        d = len(intervals(domain))
        if self.most is not None and self.most >= d:
            raise SpecError(f"{self.describe()}: expected fewer than the {d} dimensions of a record")
        square = self._square(change, d) if norm == "frobenius" else sp.Integer(1)
        steps = self._steps(change, d)
        lemmas = (PROJECTIONS, *((SPAN,) if self.most is None else ()))
        return answered(
            self,
            domain,
            norm,
            change,
            Found(sp.sqrt(square), "ranks of projections", steps, lemmas, self._pairs(domain, change, n, d)),
        )

    def _steps(self, change: Change, d: int) -> tuple[Step, ...]:
        """What the ranks allow, one sum of ranks after the other."""
        square = self._square(change, d)
        return tuple(
            Step(
                difference(t, product(2, sp.Max(0, difference(t, d), evaluate=False))),
                "<=",
                square,
                f"ranks of the sum {t} in {d} dimensions that are not shared",
            )
            for t in self._sums_of_ranks(change, d)
        )

    def _sums_of_ranks(self, change: Change, d: int) -> range:
        """tr(PQ) is at least p + q - d: the sums p + q of ranks that records can move."""
        if self.most is not None:
            return range(2 * self.most, 2 * self.most + 1)
        return range((1 if change.kind == "resize" else 2) * min(change.most, d) + 1)

    def _square(self, change: Change, d: int) -> sp.Integer:
        """A bound on the squared Frobenius length."""
        if self.most is not None:
            return sp.Integer(2 * min(self.most, d - self.most))
        if change.kind == "resize":
            return sp.Integer(min(change.most, d))
        return sp.Integer(min(2 * change.most, d))

    def _pairs(
        self, domain: Domain, change: Change, n: int | None, d: int
    ) -> tuple[tuple[Dataset, Dataset], ...]:
        """Records along the axes, some of which turn to others; none where the domain does not hold them and the origin."""
        bounds = intervals(domain)
        if not (isinstance(domain, Ball) or (isinstance(domain, Box) and all(a <= 0 < b for a, b in bounds))):
            return ()
        axes = [record_of(domain, tuple(bounds[i][1] * int(i == j) for j in range(d))) for i in range(d)]
        zero = record_of(domain, (sp.Integer(0),) * d)
        kept = self.most or 0
        many = min(change.most, d - kept if self.most is None else min(kept, d - kept))
        if self.most is None:
            half = min(many, max(d // 2, 1))
            new = axes[half : 2 * half] or [zero]
            one, two = (axes[:half], new) if change.kind != "resize" else ([zero], [zero, *axes[:many]])
        else:
            top, others = axes[:kept], axes[kept : kept + many]
            one, two = top, [*others, *top[many:]]
            if change.kind == "resize":
                if getattr(domain, "integer", False):
                    return ()
                short = [tuple(x / 2 for x in vector(record)) for record in top[:many]]
                one = [*(record_of(domain, x) for x in short), *top[many:]]
                two = [*one, *others]
        size = max(n or 0, len(one))
        if n is not None and n < len(one):
            return ()
        pad = (zero,) * (size - len(one))
        return (((*pad, *one), (*pad, *two)),)


def _leading(gram: sp.Matrix, most: int) -> sp.Matrix:
    """The projection onto the leading eigenvectors; SpecError where two eigenvalues tie there, or they are irrational."""
    roots: dict[sp.Expr, int] = sp.roots(gram.charpoly().as_expr(), gram.charpoly().gens[0])
    if sum(roots.values()) != gram.rows or not all(r.is_Rational for r in roots):
        raise SpecError("projection: exact values are for Gram matrices with rational eigenvalues")
    chosen: list[sp.Expr] = []
    for root in sorted(roots, reverse=True):
        if sum(roots[r] for r in chosen) < most:
            chosen.append(root)
    if sum(roots[r] for r in chosen) != most:
        raise SpecError(f"projection: eigenvalues tie at place {most}, so that it is not defined")
    total = sp.zeros(gram.rows)
    for root in chosen:
        part = sp.eye(gram.rows)
        for other in roots:
            if other != root:
                part = part * (gram - other * sp.eye(gram.rows)) / (root - other)
        total += part
    return total


def projection_onto_span() -> Projection:
    """The query: the projection onto the span of the records (the column space of X'), as a matrix (d, d).

    >>> npf.sensitivity(npf.queries.projection_onto_span(), npf.Ball(1, dimension=3), norm="spectral", n=10).exact
    1
    """
    return Projection()


def projection_onto_leading(most: int) -> Projection:
    """The query: the projection (d, d) onto the `most` leading eigenvectors of X'X.

    The next eigenvalue must be less. SpecError unless `most` is an integer >= 1.

    >>> npf.sensitivity(npf.queries.projection_onto_leading(1), npf.Ball(1, dimension=3), norm="spectral", n=10).exact
    1
    """
    if isinstance(most, bool) or not isinstance(most, Integral) or most < 1:
        raise SpecError(f"projection_onto_leading: expected a number of eigenvectors >= 1, got {most!r}")
    return Projection(most)
