"""A symmetric matrix is read once: what computes and what proves use the one object that came of it."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Self

import numpy as np
from flint import arb_mat, fmpq, fmpq_mat

from ..arrays import Floats
from .enclosed_matrices import definite, inverse, least_eigenvalue, root
from .exact_matrices import exact_matrix, matrix_of
from .truth import Truth

SAME = 1e-12  # numbers are read to twelve digits: what differs by less is rounding, what differs by more is refused


@dataclass(frozen=True, eq=False)
class SymmetricMatrix:
    """A finite symmetric matrix: `values` (d, d) are what law and code compute with, `readings` what is proved of.

    A float is the decimal that somebody wrote and the binary number that the machine holds.  Where these differ there are
    two readings, and what is said must hold of both.
    """

    values: Floats
    readings: tuple[fmpq_mat, ...]

    @classmethod
    def of(cls, name: str, matrix: Any) -> Self:
        """`matrix` with a warning if its triangles had to be averaged; ValueError if they differ by more than rounding."""
        if isinstance(matrix, cls):
            return matrix
        if isinstance(matrix, fmpq_mat):
            return cls.exact(matrix)
        given = np.atleast_2d(np.array(matrix, dtype=float))
        if given.ndim != 2 or given.shape[0] != given.shape[1] or not np.all(np.isfinite(given)):
            raise ValueError(f"{name} must be a square matrix of finite numbers, got shape {given.shape}")
        apart = np.abs(given / 2 - given.T / 2) * 2
        roots = np.sqrt(np.abs(np.diag(given)))
        if np.any(apart > SAME * np.outer(roots, roots)):
            i, j = (int(k) for k in np.unravel_index(int(np.argmax(apart)), apart.shape))
            raise ValueError(
                f"{name} must be symmetric, got {given.item(i, j)} and {given.item(j, i)} on either side of its diagonal: "
                "decide which is meant, or pass (M + M.T)/2"
            )
        if np.any(apart):
            warnings.warn(
                f"{name} is symmetric but for rounding (up to {apart.max():.1e}): the mean of its triangles is read",
                stacklevel=3,
            )
            given = given / 2 + given.T / 2
        given.flags.writeable = False
        decimals = matrix_of([[Fraction(repr(x)) for x in row] for row in given.tolist()])
        binary = exact_matrix(given)
        return cls(given, (decimals,) if decimals == binary else (decimals, binary))

    @classmethod
    def exact(cls, *readings: fmpq_mat) -> Self:
        """A matrix that is known exactly, or within a few readings; `values` are those of the first."""
        values = np.array([[int(x.p) / int(x.q) for x in row] for row in readings[0].tolist()])
        values.flags.writeable = False
        return cls(values, tuple(r for i, r in enumerate(readings) if r not in readings[:i]))

    @classmethod
    def positive_definite(cls, name: str, matrix: Any) -> Self:
        """The same, all eigenvalues of all readings certainly above zero."""
        read = cls.of(name, matrix)
        if any(definite(r) is not Truth.HOLDS for r in read.readings):
            raise ValueError(
                f"{name} must be positive definite, also with its last digits rounded: some direction has no variance "
                "that can be told from zero"
            )
        return read

    @property
    def order(self) -> int:
        """d."""
        return len(self.values)

    @property
    def diagonal(self) -> bool:
        """Whether everything off the diagonal is zero."""
        return not any(np.any(self.values[i, :i]) for i in range(self.order))

    @cached_property
    def least_eigenvalues(self) -> tuple[tuple[fmpq, fmpq], ...]:
        """Below and above, for each reading."""
        return tuple(least_eigenvalue(r) for r in self.readings)

    @cached_property
    def inverses(self) -> tuple[arb_mat, ...]:
        """Enclosed, for each reading."""
        return tuple(inverse(r) for r in self.readings)

    @cached_property
    def roots(self) -> tuple[arb_mat, ...]:
        """The positive definite square roots, enclosed, for each reading."""
        return tuple(root(r) for r in self.readings)
