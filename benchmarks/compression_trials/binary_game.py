"""The binary game (Zhou, Ligett, Wasserman 2009, example 3.6): tables of signs, neighbours with some signs of one row flipped."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import sympy as sp

from noiseproof.mechanisms.additive import whole
from noiseproof.mechanisms.compression.columns import second_moments
from noiseproof.symbolic.arrays import Floats


@dataclass(frozen=True)
class BinaryGame:
    """Tables in {-1, 1}^(n x p); the neighbour has `flipped` signs of one row turned."""

    n: int
    p: int
    flipped: int

    def __post_init__(self) -> None:
        whole("n", self.n)
        whole("p", self.p)
        if not 0 <= whole("flipped", self.flipped, least=0) <= self.p:
            raise ValueError(f"flipped must lie between 0 and p = {self.p}, got {self.flipped}")

    def tables(self, rng: np.random.Generator, row: int = 0) -> tuple[Floats, Floats]:
        """A random table of signs (n, p), and its neighbour with the first `flipped` signs of `row` turned."""
        one = rng.choice([-1.0, 1.0], size=(self.n, self.p))
        two = one.copy()
        two[row, : self.flipped] *= -1
        return one, two

    def difference(self, rng: np.random.Generator) -> Floats:
        """Delta = Sigma_1 - Sigma_2 of one such pair, (p, p)."""
        one, two = self.tables(rng)
        return second_moments(one) - second_moments(two)

    @property
    def frobenius_norm(self) -> sp.Expr:
        """|Delta|_F = (2/n) sqrt(2 s (p - s)) with s flipped signs, exactly: 2 s (p - s) entries move by 2/n."""
        s = sp.Integer(self.flipped)
        return 2 * sp.sqrt(2 * s * (self.p - s)) / self.n

    @property
    def spectral_norm(self) -> sp.Expr:
        """|Delta|_2 = (2/n) sqrt(s (p - s)), exactly: Delta has rank two with opposite eigenvalues."""
        s = sp.Integer(self.flipped)
        return 2 * sp.sqrt(s * (self.p - s)) / self.n

    @property
    def largest_entry(self) -> sp.Expr:
        """max |Delta_jk| = 2/n where any entry moves."""
        return sp.Integer(2 if 0 < self.flipped < self.p else 0) / self.n
