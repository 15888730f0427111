"""A symmetric matrix is read once: what computes and what proves use the one object that came of it."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from flint import arb_mat, fmpq, fmpq_mat

from ..arrays import Floats
from .enclosed_matrices import definite, inverse, least_eigenvalue, root
from .exact_matrices import decimals
from .truth import Truth

SAME = 1e-12  # numbers are read to twelve digits: what differs by less is rounding, what differs by more is refused


@dataclass(frozen=True, eq=False)
class SymmetricMatrix:
    """A finite symmetric matrix: `exact` is what is proved of, `values` (d, d) its entries rounded, for law and code.

    A float is read as the decimal that it is written as.
    """

    values: Floats
    exact: fmpq_mat

    @classmethod
    def of(cls, name: str, matrix: Any) -> Self:
        """`matrix` with a warning if its triangles had to be averaged; ValueError if they differ by more than rounding."""
        if isinstance(matrix, cls):
            return matrix
        if isinstance(matrix, fmpq_mat):
            return cls.rounded(matrix)
        try:
            given = np.atleast_2d(np.array(matrix, dtype=float))
        except (TypeError, ValueError, OverflowError):
            raise ValueError(
                f"{name} must be a square matrix of finite numbers, got {matrix!r:.60}"
            ) from None
        _require_numbers(name, matrix, given)
        if given.ndim != 2 or given.shape[0] != given.shape[1]:
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
        return cls(given, decimals(given))

    @classmethod
    def rounded(cls, exact: fmpq_mat) -> Self:
        """A symmetric matrix that is known exactly."""
        try:
            values = np.array([[int(x.p) / int(x.q) for x in row] for row in exact.tolist()])
        except OverflowError:
            raise ValueError("the entries of a matrix exceed the range of floating point: scale it") from None
        values.flags.writeable = False
        return cls(values, exact)

    @classmethod
    def positive_definite(cls, name: str, matrix: Any) -> Self:
        """The same, all eigenvalues certainly above zero."""
        read = cls.of(name, matrix)
        if not read._surely_definite() and definite(read.exact) is not Truth.HOLDS:
            raise ValueError(f"{name} must be positive definite: its least eigenvalue is not above zero")
        return read

    def _surely_definite(self) -> bool:
        """Whether a factorisation in floating point shows it: Rump (2006, theorem 2.3), with room for the decimals."""
        shift = 4 * (self.order + 2) * 2.0**-53 * float(np.trace(self.values))
        try:
            np.linalg.cholesky(self.values - shift * np.eye(self.order))
        except np.linalg.LinAlgError:
            return False
        return bool(np.isfinite(shift) and shift > 0)

    def __reduce__(self) -> tuple[Any, ...]:
        # Matrices of flint cannot be sent to another process, their entries can; what was derived is derived anew.
        return _rebuilt, (type(self), self.values, [list(row) for row in self.exact.tolist()])

    @property
    def order(self) -> int:
        """d."""
        return len(self.values)

    @property
    def diagonal(self) -> bool:
        """Whether everything off the diagonal is zero."""
        return not any(self.exact[i, j] for i in range(self.order) for j in range(i))

    @cached_property
    def least_eigenvalue(self) -> tuple[fmpq, fmpq]:
        """Numbers below and above it."""
        return least_eigenvalue(self.exact)

    @cached_property
    def inverse(self) -> arb_mat:
        """Enclosed."""
        return inverse(self.exact)

    @cached_property
    def root(self) -> arb_mat:
        """The positive definite square root, enclosed."""
        return root(self.exact)


def _require_numbers(name: str, matrix: Any, given: Floats) -> None:
    """ValueError that shows the first entry that is no finite number, though numpy made a float of it, and its place."""
    plain = isinstance(matrix, np.ndarray) and matrix.dtype.kind in "fiu"
    written = matrix if plain else np.array(matrix, dtype=object)
    kinds = (bool, np.bool_, bytes, type(None))
    if np.all(np.isfinite(given)) and (plain or not set(map(type, written.ravel())) & set(kinds)):
        return
    for place, entry in zip(np.ndindex(written.shape), written.ravel(), strict=True):
        if isinstance(entry, kinds) or not np.isfinite(float(entry)):
            where = (
                f" in row {place[0] + 1}, column {place[1] + 1}" if given.size > 1 and len(place) == 2 else ""
            )
            shown = entry.item() if isinstance(entry, np.generic) else entry
            raise ValueError(f"{name} must be a square matrix of finite numbers, got {shown!r:.60}{where}")


def _rebuilt(kind: type[SymmetricMatrix], values: Floats, rows: list[list[fmpq]]) -> SymmetricMatrix:
    values.flags.writeable = False
    return kind(values, fmpq_mat(rows))
