"""The regularised machine as a program in symbols, for every number of records q and of features p.

Its optimality conditions are differentiated from the Lagrangian; the ones printed in farokhi2020, (15), stand beside
them, so that the two can be compared, and both be evaluated exactly at a point.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TypeAlias

import sympy as sp

from ...symbolic.errors import counted
from ...symbolic.proof.as_written import value_at
from ...symbolic.proof.derivation import Derivation, Step
from ...symbolic.proof.enclosure import compare, rational
from ...symbolic.proof.truth import Truth, all_hold

p, q = sp.symbols("p q", integer=True, positive=True)
rho, theta = sp.symbols("rho theta", positive=True)
beta = sp.Symbol("beta", real=True)
alpha, x, y, xi, omega, varsigma = (
    sp.IndexedBase(name, real=True) for name in ("alpha", "x", "y", "xi", "omega", "varsigma")
)
# i and k run in sums; j is the record or feature that a condition is about.
i, j, k = sp.symbols("i j k", integer=True, positive=True)

Number: TypeAlias = int | str | sp.Expr


def _records(term: sp.Expr) -> sp.Expr:
    return sp.Sum(term, (i, 1, q))


def _value(record: sp.Expr) -> sp.Expr:
    """alpha'x_record + beta."""
    return sp.Sum(alpha[k] * x[record, k], (k, 1, p)) + beta


def cost() -> sp.Expr:
    """(2a): (1/2) alpha'alpha + (rho/2)(beta^2 + xi'xi) + theta 1'xi."""
    squares = sp.Sum(alpha[k] ** 2, (k, 1, p))
    return squares / 2 + rho / 2 * (beta**2 + _records(xi[i] ** 2)) + theta * _records(xi[i])


def constraints(record: sp.Expr) -> tuple[sp.Expr, sp.Expr]:
    """(2b) and (2c) for one record: both expressions must be >= 0."""
    return y[record] * _value(record) - 1 + xi[record], xi[record]


def lagrangian() -> sp.Expr:
    """The cost less the constraints times their multipliers omega and varsigma."""
    margin, slack = constraints(i)
    return cost() - _records(omega[i] * margin) - _records(varsigma[i] * slack)


@dataclass(frozen=True)
class Conditions:
    """Optimality conditions: `zero` must vanish, `nonnegative` must not be negative; j is any feature or record.

    `features` names those whose j runs over 1..p; in the others it runs over 1..q, or does not occur.
    """

    zero: Mapping[str, sp.Expr]
    nonnegative: Mapping[str, sp.Expr]
    features: frozenset[str] = field(default=frozenset({"alpha"}))

    def at(self, point: Point) -> dict[str, Truth]:
        """Whether each condition holds at a point, for all j, in exact arithmetic."""
        out = {}
        for relation, group in (("=", self.zero), (">=", self.nonnegative)):
            for name, expression in group.items():
                values = (point.value(expression, n) for n in self._range(name, expression, point))
                out[name] = all_hold(compare(value, relation, sp.Integer(0)) for value in values)
        return out

    def hold(self, point: Point) -> Truth:
        """Whether all conditions hold at a point."""
        return all_hold(self.at(point).values())

    def _range(self, name: str, expression: sp.Expr, point: Point) -> range:
        if not expression.has(j):
            return range(1, 2)
        return range(1, 1 + (len(point.alpha) if name in self.features else len(point.xi)))


@dataclass(frozen=True)
class Point:
    """Exact data and variables: features as rows, labels, (alpha, beta, xi), multipliers; decimals are read as written."""

    features: Sequence[Sequence[Number]]
    labels: Sequence[int]
    rho: Number
    theta: Number
    alpha: Sequence[Number]
    beta: Number
    xi: Sequence[Number]
    omega: Sequence[Number]
    varsigma: Sequence[Number]

    def __post_init__(self) -> None:
        size, width = len(self.labels), len(self.alpha)
        lengths = {len(v) for v in (self.features, self.xi, self.omega, self.varsigma)}
        if lengths != {size} or {len(row) for row in self.features} != {width}:
            raise ValueError(
                f"expected {counted(size, 'record')} of {counted(width, 'feature')} with as many slacks and multipliers of both kinds"
            )

    def value(self, expression: sp.Expr, number: int) -> sp.Expr:
        """The exact value of an expression of this module with j = number."""
        sizes = {p: len(self.alpha), q: len(self.labels), j: number}
        written = expression.subs(sizes).doit()
        return sp.sympify(written.xreplace(self._numbers()))

    def _numbers(self) -> dict[sp.Expr, sp.Expr]:
        numbers: dict[sp.Expr, sp.Expr] = {
            rho: rational(self.rho),
            theta: rational(self.theta),
            beta: rational(self.beta),
        }
        vectors = (
            (alpha, self.alpha),
            (xi, self.xi),
            (y, self.labels),
            (omega, self.omega),
            (varsigma, self.varsigma),
        )
        for base, values in vectors:
            numbers |= {base[n]: rational(v) for n, v in enumerate(values, 1)}
        for n, row in enumerate(self.features, 1):
            numbers |= {x[n, m]: rational(v) for m, v in enumerate(row, 1)}
        return numbers


@cache
def derived() -> Conditions:
    """The Karush-Kuhn-Tucker conditions of (2): derivatives of its Lagrangian, feasibility, signs, complementarity."""
    function = lagrangian()
    margin, slack = constraints(j)
    return Conditions(
        {
            "alpha": _derivative(function, alpha[j]),
            "beta": _derivative(function, beta),
            "xi": _derivative(function, xi[j]),
            "margin complementarity": omega[j] * margin,
            "slack complementarity": varsigma[j] * slack,
        },
        {"margin": margin, "slack": slack, "omega": omega[j], "varsigma": varsigma[j]},
    )


def printed() -> Conditions:
    """(15) of farokhi2020 as printed: (15a) to (15d) with omega, varsigma >= 0 and nothing else."""
    return Conditions(
        {
            "alpha": alpha[j] - _records(omega[i] * y[i] * x[i, j]),
            "beta": beta - _records(omega[i] * y[i]) / rho,
            "xi": xi[j] - sp.Max((omega[j] + varsigma[j] - 1) / rho, 0),
            "margin complementarity": omega[j] * (y[j] * _value(j) - 1 + xi[j]),
            "slack complementarity": xi[j] * varsigma[j],
        },
        {"omega": omega[j], "varsigma": varsigma[j]},
    )


def maximum_is_idle() -> Derivation:
    """With xi >= 0 the derived equation for xi equals its maximum with 0: the `max` of (15b) adds and takes nothing."""
    slack = sp.Symbol("xi_j", nonnegative=True)
    multipliers = sp.symbols("omega_j varsigma_j", nonnegative=True)
    stationary = (
        derived().zero["xi"].subs({xi[j]: slack, omega[j]: multipliers[0], varsigma[j]: multipliers[1]})
    )
    solved = theta + rho * slack - multipliers[1]
    return Derivation(
        "max((omega_j + varsigma_j - theta)/rho, 0) = xi_j",
        (
            Step(
                value_at(stationary, {multipliers[0]: solved}),
                "=",
                sp.Integer(0),
                "stationarity in xi_j, solved by omega_j + varsigma_j = theta + rho xi_j",
            ),
            Step(
                (theta + rho * slack - theta) / rho,
                ">=",
                sp.Integer(0),
                "so the maximum is attained by its first entry",
            ),
        ),
    )


def _derivative(function: sp.Expr, variable: sp.Expr) -> sp.Expr:
    """The derivative of sums in one entry; j is within the range of the sums."""
    raw = sp.diff(function, variable).doit()

    def within(*branches: sp.Tuple) -> sp.Expr:
        (value, condition), *rest = branches
        allowed = {sp.And(j >= 1, j <= n) for n in (p, q)} | {j <= n for n in (p, q)}
        if condition not in allowed or [value for value, _ in rest] != [0]:
            raise ArithmeticError(f"the derivative has a case that is not about the range of j: {condition}")
        return value

    return sp.expand(raw.replace(sp.Piecewise, within))
