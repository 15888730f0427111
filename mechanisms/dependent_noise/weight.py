"""The weight p(x) of Problem 2 on an interval X: a density of importance, not a prior; its integral is one."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import ArrayLike

from ...symbolic.arrays import Floats
from ...symbolic.proof.enclosure import rational

X = sp.Symbol("x", real=True)
NODES, HALF_NODES = np.polynomial.legendre.leggauss(12), np.polynomial.legendre.leggauss(6)
SMALL_ENOUGH = 60  # operations in an expression that sympy is asked to integrate


def numeric(expression: sp.Expr, *symbols: sp.Symbol) -> Any:
    """The expression as a numpy function that answers with an array of its arguments' common shape."""
    function = sp.lambdify(symbols, expression, modules=["scipy", "numpy"])

    def call(*values: ArrayLike) -> Floats:
        arrays = np.broadcast_arrays(*(np.asarray(v, dtype=float) for v in values))
        with np.errstate(all="ignore"):
            return np.broadcast_to(np.asarray(function(*arrays), dtype=float), arrays[0].shape)

    return call


def exact_expression(value: Any) -> sp.Expr:
    """The value as a sympy expression without floats: 0.1 is one tenth."""
    expression = sp.sympify(value, strict=True)
    return expression.xreplace({f: rational(float(f)) for f in expression.atoms(sp.Float)})


@dataclass(frozen=True)
class Weight:
    """p(x) = expression / total for lower < x < upper, `expression` a sympy expression in X alone.

    Raises ValueError if p is negative somewhere, vanishes everywhere, or has no finite integral.
    """

    expression: sp.Expr
    lower: sp.Expr
    upper: sp.Expr

    def __post_init__(self) -> None:
        for name in ("expression", "lower", "upper"):
            object.__setattr__(self, name, exact_expression(getattr(self, name)))
        if self.expression.free_symbols - {X} or self.lower.free_symbols or self.upper.free_symbols:
            raise ValueError(f"a weight is an expression in {X} alone on an interval of numbers, got {self}")
        if not self.lower < self.upper:
            raise ValueError(f"X is empty: expected lower < upper, got [{self.lower}, {self.upper}]")
        if self.expression.is_nonnegative is not True:
            at = self._probes()
            values = numeric(self.expression, X)(at)
            if np.any(np.isnan(values)):
                place = at[np.isnan(values)][0]
                raise ValueError(f"p is no real number at x = {place:.6g}: a weight is defined on all of X")
            if np.any(values < 0):
                place = at[np.argmin(values)]
                raise ValueError(f"p is negative at x = {place:.6g}: a weight p maps X to [0, inf)")
        if not self.total > 0:
            raise ValueError("p vanishes on X: a weight needs a positive integral")

    @property
    def bounded(self) -> bool:
        """Whether both ends of X are finite."""
        return bool(self.lower.is_finite and self.upper.is_finite)

    @cached_property
    def exact_total(self) -> sp.Expr | None:
        """The integral of the expression in closed form, or None where sympy finds none."""
        for end in (self.lower, self.upper):
            if end.is_infinite:
                # p >= c/|x| far out already has an infinite integral.
                tail = sp.limit(sp.Abs(X) * self.expression, X, end)
                if tail.is_positive or tail is sp.oo:
                    raise ValueError(_no_integral(f"{X} p({X}) tends to {tail} for {X} -> {end}"))
        if sp.count_ops(self.expression) > SMALL_ENOUGH:
            return None
        value = sp.integrate(self.expression, (X, self.lower, self.upper))
        if value is sp.nan or value.has(sp.zoo):
            return None
        if value.is_infinite:
            raise ValueError(_no_integral(f"its integral over X is {value}"))
        return None if value.has(sp.Integral, sp.Piecewise) else sp.simplify(value)

    @cached_property
    def total(self) -> float:
        """The integral of the expression over X."""
        if self.exact_total is not None:
            return float(self.exact_total)
        return self._integral(float(self.lower), float(self.upper))

    def normalised(self) -> sp.Expr:
        """p as an expression; its constant is exact where sympy found the integral."""
        total = self.exact_total if self.exact_total is not None else sp.Float(self.total)
        return self.expression / total

    def log_slope(self) -> sp.Expr:
        """p'(x)/p(x)."""
        return sp.simplify(sp.diff(self.expression, X) / self.expression)

    def density(self, x: ArrayLike) -> Floats:
        """p at `x`, without asking whether x lies in X."""
        return np.asarray(self._compiled(x)) / self.total

    def mass(self, lower: float, upper: float) -> float:
        """The integral of p between two points of X."""
        return self._integral(lower, upper, self.total) / self.total

    def average(self, expression: sp.Expr) -> sp.Expr:
        """int p(x) expression dx in closed form; raises ValueError where sympy finds none."""
        value = sp.integrate(sp.expand(expression * self.expression), (X, self.lower, self.upper))
        if self.exact_total is None or value.has(sp.Integral, sp.nan, sp.zoo):
            raise ValueError(f"no closed form of the average of {expression} under p = {self.expression}")
        return sp.simplify(value / self.exact_total)

    def truncated(self, mass: float) -> tuple[float, float]:
        """Ends a < b with at most `mass` outside of [a, b]; those of X where they are finite."""
        from scipy.optimize import brentq

        ends = []
        for end, side in ((self.lower, -1), (self.upper, 1)):
            if end.is_finite:
                ends.append(float(end))
                continue
            other = self.upper if side < 0 else self.lower
            start, reach = (float(other) if other.is_finite else 0.0), 1.0

            def beyond(reach: float, start: float = start, side: int = side) -> float:
                return self.mass(*sorted((start + side * reach, side * np.inf))) - mass / 2

            while beyond(reach) > 0:
                reach *= 2
            if reach > 1:
                reach = brentq(beyond, reach / 2, reach, rtol=1e-3)
            ends.append(start + side * reach)
        return ends[0], ends[1]

    def resistances(self, nodes: Floats) -> Floats:
        """The integral of 1/p over each interval between nodes; inf where the quadrature sees it diverge."""
        middle, half = (nodes[1:] + nodes[:-1]) / 2, np.diff(nodes) / 2

        def rule(table: tuple[Floats, Floats]) -> Floats:
            with np.errstate(divide="ignore"):
                return (1 / self.density(middle[:, None] + half[:, None] * table[0])) @ table[1] * half

        fine, coarse = rule(NODES), rule(HALF_NODES)
        # A pole of 1/p (a zero of p) shows as two rules that disagree; so does a steep p, which is looked at again.
        for k in np.flatnonzero(~(np.abs(fine - coarse) <= 1e-9 * np.abs(fine))):
            fine[k] = self._resistance(float(nodes[k]), float(nodes[k + 1]))
        return np.asarray(fine)

    def _resistance(self, lower: float, upper: float) -> float:
        from scipy.integrate import IntegrationWarning, quad

        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("error", IntegrationWarning)
            try:
                value, error = quad(lambda x: self.total / float(self._compiled(x)), lower, upper, limit=200)
            except (IntegrationWarning, ZeroDivisionError):
                return float("inf")
        return float(value) if np.isfinite(value) and error <= 1e-6 * abs(value) else float("inf")

    @cached_property
    def _compiled(self) -> Any:
        return numeric(self.expression, X)

    def _probes(self) -> Floats:
        inside = (np.arange(2000) + 0.5) / 2000
        low, high = float(self.lower), float(self.upper)
        if self.bounded:
            return low + (high - low) * inside
        far = inside / (1 - inside)
        if self.lower.is_finite:
            return low + far
        return high - far if self.upper.is_finite else np.concatenate([-far[::-1], far])

    def _integral(self, lower: float, upper: float, scale: float = 0.0) -> float:
        from scipy.integrate import IntegrationWarning, quad

        if lower >= upper:
            return 0.0
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("error", IntegrationWarning)
            try:
                value, error = quad(lambda x: float(self._compiled(x)), lower, upper, limit=400)
            except IntegrationWarning:
                raise ValueError(_no_integral("numerical integration does not converge")) from None
        if not np.isfinite(value) or error > 1e-6 * max(abs(value), scale):
            raise ValueError(_no_integral(f"numerical integration gives {value:.3g} +- {error:.1g}"))
        return float(value)


def _no_integral(reason: str) -> str:
    return (
        f"p is not integrable over X ({reason}): the cost is an average over X with weight p, which needs a "
        "finite integral of p; choose a bounded X or a weight with lighter tails"
    )
