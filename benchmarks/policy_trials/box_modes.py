"""Densities on a box that vanish on its boundary: squares of sine series, whose Fisher information is a matrix form."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from noiseproof.symbolic.arrays import Floats


def _kron(factors: list[Floats]) -> Floats:
    product: Floats = np.ones((1, 1))
    for factor in factors:
        product = np.asarray(np.kron(product, factor), dtype=np.float64)
    return product


@dataclass(frozen=True)
class BoxModes:
    """u = sum c_k prod_i sqrt(2/L_i) sin(k_i pi w_i/L_i), k_i = 1..count, on the box of the given widths.

    Coordinates w_i run from 0 to L_i; the density is u^2, its mass |c|^2.  At most three coordinates.
    """

    widths: tuple[float, ...]
    count: int = 16

    def __post_init__(self) -> None:
        if not 1 <= len(self.widths) <= 3:
            raise ValueError(f"a box of 1 to 3 coordinates is expected, got {len(self.widths)}")
        if not all(np.isfinite(width) and width > 0 for width in self.widths):
            raise ValueError(
                f"W is empty or unbounded: a box has finite widths > 0, got {self.widths}; without a bound on W "
                "noise spread ever wider drives the Fisher information to 0"
            )
        if self.count < 1:
            raise ValueError(f"at least one mode per coordinate is needed, got {self.count}")

    @cached_property
    def forms(self) -> dict[tuple[int, int], Floats]:
        """(i, j) with i <= j -> the symmetric matrix D with c' D c = int du/dw_i du/dw_j."""
        numbers = np.arange(1, self.count + 1, dtype=float)
        one = np.eye(self.count)
        found = {}
        for i, width in enumerate(self.widths):
            second = [one] * len(self.widths)
            second[i] = np.diag((numbers * np.pi / width) ** 2)
            found[i, i] = _kron(second)
            for j in range(i + 1, len(self.widths)):
                mixed = [one] * len(self.widths)
                mixed[i], mixed[j] = -self._slopes(i), self._slopes(j)
                found[i, j] = _kron(mixed)
        return found

    def _slopes(self, i: int) -> Floats:
        """int s_a ds_b for the sine modes of one coordinate: 4 a b/(L (a^2 - b^2)) for a + b odd, else 0."""
        a = np.arange(1, self.count + 1, dtype=float)[:, None]
        odd = (a + a.T) % 2 == 1
        return np.where(odd, 4 * a * a.T / self.widths[i] / np.where(odd, a**2 - a.T**2, 1.0), 0.0)

    def information(self, coefficients: Floats) -> Floats:
        """K = int grad gamma grad gamma' / gamma = 4 int grad u grad u', shape (m, m), for |c| = 1."""
        size = len(self.widths)
        matrix = np.empty((size, size))
        for (i, j), form in self.forms.items():
            matrix[i, j] = matrix[j, i] = 4 * float(coefficients @ form @ coefficients)
        return matrix

    def ground_state(self, matrix: Floats) -> tuple[float, Floats]:
        """(least value, c) of int grad u' A grad u over |c| = 1, for a symmetric A >= 0."""
        from scipy.linalg import eigh

        total = sum((1 if i == j else 2) * matrix[i, j] * form for (i, j), form in self.forms.items())
        values, vectors = eigh(total, subset_by_index=(0, 0))
        state = vectors[:, 0]
        return float(values[0]), np.asarray(state * np.sign(state[np.argmax(np.abs(state))]))

    def root(self, coefficients: Floats, w: ArrayLike) -> Floats:
        """u at points w of shape (points, m)."""
        points = np.atleast_2d(np.asarray(w, dtype=float))
        numbers = np.arange(1, self.count + 1, dtype=float)
        value = np.broadcast_to(
            coefficients.reshape((1, *(self.count,) * len(self.widths))),
            (len(points), *(self.count,) * len(self.widths)),
        )
        for i, width in enumerate(self.widths):
            modes = np.sqrt(2 / width) * np.sin(points[:, i, None] * numbers * np.pi / width)
            value = np.einsum("pa...,pa->p...", value, modes)
        return np.asarray(value)

    def refined(self, coefficients: Floats, count: int) -> tuple[BoxModes, Floats]:
        """The same u written with `count` >= self.count modes per coordinate."""
        size = len(self.widths)
        table = np.zeros((count,) * size)
        table[(slice(self.count),) * size] = coefficients.reshape((self.count,) * size)
        return BoxModes(self.widths, count), table.ravel()

    def density(self, coefficients: Floats, w: ArrayLike) -> Floats:
        """u^2 inside the box, 0 outside, at points w of shape (points, m)."""
        points = np.atleast_2d(np.asarray(w, dtype=float))
        inside = np.all((points >= 0) & (points <= np.array(self.widths)), axis=1)
        return np.where(inside, self.root(coefficients, points) ** 2, 0.0)
