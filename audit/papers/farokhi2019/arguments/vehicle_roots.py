"""The two roots from which the quality and the error of the vehicle are put together."""

from __future__ import annotations

from dataclasses import dataclass

import sympy as sp

from .....symbolic.proof.as_written import power, product, quotient, root, total
from .....symbolic.proof.derivation import Step

T = sp.Symbol("T", positive=True, integer=True)


@dataclass(frozen=True)
class Roots:
    """The two roots sqrt((T+1)(P -+ sqrt(Delta))) from which Q and E are put together, and the factor before them."""

    front: sp.Expr
    inner: sp.Expr = 2 * T**2 + T + 6
    delta: sp.Expr = 4 * T**4 + 4 * T**3 + 13 * T**2 - 12 * T + 36

    @property
    def pair(self) -> tuple[sp.Expr, sp.Expr]:
        """The smaller and the larger root."""
        low, high = (sp.sqrt((T + 1) * (self.inner + sign * sp.sqrt(self.delta))) for sign in (-1, 1))
        return low, high

    @property
    def quality(self) -> sp.Expr:
        """front (low + high)."""
        low, high = self.pair
        return self.front * (low + high)

    @property
    def error(self) -> sp.Expr:
        """front (1/low + 1/high)."""
        low, high = self.pair
        return self.front * (1 / low + 1 / high)

    def written(self, name: str) -> sp.Expr:
        """The quality ("Q") or the error ("E") as it is printed."""
        pair = [root(product(T + 1, self.inner + sign * sp.sqrt(self.delta))) for sign in (-1, 1)]
        return product(self.front, total(*(pair if name == "Q" else (quotient(1, r) for r in pair))))

    def steps(self, mean: sp.Expr, last: sp.Expr) -> tuple[Step, ...]:
        """front^2 times (u + v) and u v over what they should be, `mean` and `last`, u and v the squares of what is added."""
        u, v = sp.symbols("u v", nonnegative=True)
        low, high = sp.symbols("l h", positive=True)
        rest = 4 * T**4 + 4 * T**3 + T**2 + 12 * (T - sp.Rational(1, 2)) ** 2
        return (
            Step(
                power(total(root(u), root(v)), 2),
                "=",
                u + v + 2 * sp.sqrt(u * v),
                "squares are compared: both sides are positive",
            ),
            Step(
                1 / low + 1 / high,
                "=",
                (low + high) / (low * high),
                "reciprocals are added over their product",
            ),
            Step(
                sp.expand(self.delta - rest),
                ">",
                sp.Integer(0),
                "Delta is positive: it exceeds a sum of squares",
            ),
            Step(
                sp.expand(self.inner**2 - self.delta),
                ">",
                sp.Integer(0),
                "sqrt(Delta) is smaller than 2T^2 + T + 6: the roots are real",
            ),
            Step(
                mean,
                "=",
                sp.Integer(1),
                "the sum of the two squares, over what the trace of G^(1/2) asks for",
            ),
            Step(last, "=", sp.Integer(1), "their product, over what the determinant of G asks for"),
        )
