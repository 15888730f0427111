"""How far a given projection is from orthonormal, in numbers that certainly hold, and what that does to the loss.

With G = W'W, c = Tr(G)/p and |G - c I|_F <= s a unit record becomes a vector no longer than sqrt(c + s): entries of second
moments grow by c + s at most.  Records made to become f and g become vectors within 3 s of sqrt(c) f and sqrt(c) g
(c >= 0.9, s <= 0.1), so that outer products keep c times their entries but for 8 s in Frobenius norm.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp
from flint import arb, arb_mat, ctx

from ...symbolic.arrays import Floats
from ...symbolic.proof.derivation import Step
from ...symbolic.proof.enclosed_matrices import BITS, short
from ...symbolic.proof.enclosure import rational
from ...symbolic.proof.exact_matrices import decimals
from ...symbolic.proof.exact_numbers import symbolic_number
from ...symbolic.proof.truth import Truth
from .extreme import Aligned, Extreme

ROUNDING = 1e-5  # an entry of W'W may be off by this, as with single precision; the loss is that of the W that was given


@dataclass(frozen=True, eq=False)
class GivenProjection:
    """W (m, p) with columns that are orthonormal but for rounding, read once."""

    W: Floats

    @classmethod
    def of(cls, projection: Any, m: int, p: int) -> GivenProjection:
        """ValueError unless every entry of W'W is within 1e-5 of the identity's."""
        W = np.array(projection, dtype=float)
        if W.shape != (m, p) or not np.all(np.isfinite(W)):
            raise ValueError(f"projection must be ({m}, {p}) with orthonormal columns, got shape {W.shape}")
        away = float(np.abs(W.T @ W - np.eye(p)).max())
        if away > ROUNDING or p * away > 0.1:
            raise ValueError(
                f"projection must have orthonormal columns: W'W differs from the identity by {away:.1e}; take Q of np.linalg.qr(W)"
            )
        W.flags.writeable = False
        return cls(W)

    @cached_property
    def _spread(self) -> tuple[sp.Rational, sp.Rational]:
        """c and s: below the mean of the diagonal of W'W by less than 1e-25, and above |W'W - c I|_F."""
        with ctx.workprec(BITS):
            p = self.W.shape[1]
            w = arb_mat(decimals(self.W))
            gram = w.transpose() * w
            c = arb(short(gram.trace() / p, "below"))
            square = sum(
                ((gram[i, j] - c * int(i == j)).abs_upper() ** 2 for i in range(p) for j in range(p)), arb(0)
            )
            ends = short(c, "below"), short(square.upper().sqrt(), "above")
        return symbolic_number(ends[0]), symbolic_number(ends[1])

    @property
    def growth(self) -> sp.Rational:
        """A number above the largest eigenvalue of W'W."""
        return sp.Add(*self._spread)

    def reached(self, pair: Extreme) -> sp.Expr:
        """A lower bound of how far records that would become `pair` move the entries in L1."""
        c, s = self._spread
        p = self.W.shape[1]
        records, products, labels = pair.shares
        lost = 16 * p * s + 12 * rational(max(abs(pair.y), abs(pair.z))) * sp.sqrt(p) * s
        return c * records + sp.sqrt(c) * products + labels - lost

    def mean_reached(self, at: Aligned, n: int) -> sp.Expr:
        """A lower bound of the loss of the mean, times its scale, where the matrix reaches its own: at the outcome of `at`.

        The records are e/|e| and -e/|e|, e = W h with |h| = 1, and the outcome is divided by |e| <= sqrt(growth) as well.
        """
        m, p = self.W.shape
        e, rest = at.zero[0], -((n - 1) % 2)
        far = np.abs(at.outcome - (rest - 1) * e / n) - np.abs(at.outcome - (rest + 1) * e / n)
        rounding = 4e-15 * m * (p + 4)  # of W h and W f in floating point, a dozen times over
        lower = rational(max(0.0, abs(float(far.sum())) - rounding))
        return lower / sp.sqrt(self.growth)

    def step(self) -> Step:
        """The bound on the largest eigenvalue, enclosed again when it is checked."""

        def decide(_left: sp.Expr, right: sp.Expr) -> Truth:
            return Truth.HOLDS if GivenProjection(self.W).growth <= right else Truth.UNKNOWN

        return Step(
            sp.Symbol("largest_eigenvalue", positive=True),
            "<=",
            self.growth,
            "of W'W for the projection that was given: centred, normalised and projected records have at most this squared length",
            how=decide,
        )
