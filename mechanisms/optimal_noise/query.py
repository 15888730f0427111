"""A linear query y = C x: it enters the problem through A = C C^T alone."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from ...symbolic.arrays import Floats
from .supports import fraction

_SINGULAR = 1e-12


@dataclass(frozen=True, eq=False)
class Query:
    """C (m, n) of full row rank."""

    matrix: Floats

    @classmethod
    def of(cls, query: Any, dimension: int) -> Query:
        """C from an (m, n) or, for m = 1, (n,) array; None is the identity.  ValueError if C is singular."""
        if query is None:
            return cls(np.eye(dimension))
        c = np.array(query, dtype=float)
        c = c.reshape(1, -1) if c.ndim <= 1 else c
        if c.ndim != 2 or c.shape[0] != dimension or not np.all(np.isfinite(c)):
            raise ValueError(
                f"the query C must be a finite matrix with {dimension} rows, one per coordinate of the noise, "
                f"got shape {np.shape(query)}"
            )
        values = np.linalg.svd(c, compute_uv=False)
        if c.shape[1] < dimension or not values[-1] > _SINGULAR * values[0]:
            raise ValueError(
                f"the query C of shape {c.shape} does not have full row rank: C C^T is singular, noise that varies "
                "along its null space costs no information, -4 div(C C^T grad u) is not elliptic, and no noise is "
                "optimal. Drop the dependent rows of C (their answers follow from the others)"
            )
        return cls(c)

    @cached_property
    def gram(self) -> Floats:
        """A = C C^T, shape (m, m)."""
        a = self.matrix @ self.matrix.T
        return np.asarray((a + a.T) / 2, dtype=float)

    @cached_property
    def root(self) -> Floats:
        """A^{1/2}, symmetric positive definite: from the singular values of C, which keeps small ones."""
        left, values, _ = np.linalg.svd(self.matrix, full_matrices=False)
        return np.asarray((left * values) @ left.T, dtype=float)

    @property
    def diagonal(self) -> bool:
        """Whether the rows of C are orthogonal, to fourteen digits."""
        a = self.gram
        scale = np.sqrt(np.outer(np.diag(a), np.diag(a)))
        return bool(np.all(np.abs(a - np.diag(np.diag(a))) <= 1e-14 * scale))

    def weight(self, i: int) -> Fraction:
        """A_ii exactly, decimals read as written."""
        return sum((fraction(float(c)) ** 2 for c in self.matrix[i]), Fraction(0))
