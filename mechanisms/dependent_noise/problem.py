"""Problems 2 and 3 for one query: least average Fisher information of the answer y = f(x) + w over policies."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import ArrayLike

from ...symbolic.arrays import Floats
from .weight import Weight, X, exact_expression, numeric

NOT_SMOOTH = (sp.Abs, sp.sign, sp.Max, sp.Min, sp.Heaviside, sp.floor, sp.ceiling, sp.Piecewise)


@dataclass(frozen=True)
class PolicyProblem:
    """min over gamma(w|x) of int p(x) [ I(x) + rho E(w^2|x) ] dx, w in `noise`, x real, y = query(x) + w real.

    I(x) is the Fisher information about x in y, int (d gamma/dx - f' d gamma/dw)^2 / gamma dw: the density of
    y is gamma(y - f(x)|x), and its derivative in x has a minus sign (Farokhi and Sandberg 2019, equations 2, 3;
    their appendix C prints a plus).  rho = 0 is Problem 2, rho > 0 Problem 3.  Raises ValueError where the
    problem has no solution to look for.
    """

    weight: Weight
    noise: tuple[sp.Expr, sp.Expr]
    query: sp.Expr = X
    rho: sp.Expr = sp.S.Zero

    def __post_init__(self) -> None:
        low, high = (exact_expression(end) for end in self.noise)
        object.__setattr__(self, "noise", (low, high))
        object.__setattr__(self, "query", exact_expression(self.query))
        object.__setattr__(self, "rho", exact_expression(self.rho))
        if low.free_symbols or high.free_symbols or self.rho.free_symbols:
            raise ValueError(f"the ends of W and rho are numbers, got [{low}, {high}] and {self.rho}")
        if not low < high:
            raise ValueError(f"W is empty: a density needs w_lo < w_hi, got [{low}, {high}]")
        if self.rho < 0 or not self.rho.is_finite:
            raise ValueError(f"rho is the price of E w^2, a number >= 0, got {self.rho}")
        if not self.noise_bounded and self.rho == 0:
            raise ValueError(
                f"W = [{low}, {high}] is unbounded and rho = 0: noise spread ever wider drives the Fisher "
                "information to 0 and no policy attains it; bound W or charge rho > 0 for E w^2 (Problem 3)"
            )
        if self.query.free_symbols - {X}:
            raise ValueError(f"the query is an expression in {X} alone, got {self.query}")
        if self.query.has(*NOT_SMOOTH):
            raise ValueError(
                f"the query {self.query} is not differentiable everywhere: the score of y needs f'"
            )
        if sp.simplify(self.slope) == 0:
            raise ValueError(f"the query {self.query} does not depend on {X}: nothing is released about x")

    @property
    def noise_bounded(self) -> bool:
        """Whether W is bounded."""
        return bool(self.noise[0].is_finite and self.noise[1].is_finite)

    @property
    def width(self) -> sp.Expr:
        """The length of W."""
        return self.noise[1] - self.noise[0]

    @property
    def middle(self) -> sp.Expr:
        """The middle of a bounded W."""
        return (self.noise[0] + self.noise[1]) / 2

    @cached_property
    def slope(self) -> sp.Expr:
        """f'(x)."""
        return sp.diff(self.query, X)

    def answer(self, x: ArrayLike) -> Floats:
        """f(x) without noise; same shape as `x`."""
        return np.asarray(self._compiled(x))

    def turning_points(self, lower: float, upper: float, samples: int = 4001) -> Floats:
        """The zeros of f' inside (lower, upper) at which its sign changes between `samples` points."""
        from scipy.optimize import brentq

        slope = numeric(self.slope, X)
        at = np.linspace(lower, upper, samples)
        signs = np.sign(slope(at))
        changes = np.flatnonzero(signs[1:] * signs[:-1] < 0)
        roots = [brentq(lambda x: float(slope(x)), at[k], at[k + 1], xtol=1e-14) for k in changes]
        zeros = at[1:-1][signs[1:-1] == 0]
        return np.unique(np.concatenate([np.array(roots, dtype=float), zeros]))

    @cached_property
    def _compiled(self) -> Any:
        return numeric(self.query, X)


def cosine_information(problem: PolicyProblem) -> sp.Expr:
    """4 pi^2/L^2: no density on an interval of length L that vanishes at its ends has less, by Wirtinger."""
    return 4 * sp.pi**2 / problem.width**2
