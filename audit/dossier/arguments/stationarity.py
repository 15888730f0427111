"""The stationarity condition of Problems 2 and 3 as printed terms, against the first variation of the cost.

With y = f(x) + w a policy gamma(w|x) = u^2 costs J = 4 int int p |D u|^2, D = d/dx at fixed y.  Everything is compared on
jets: the values of a function and of its derivatives at one point, which smooth functions take on freely.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

import sympy as sp
from sympy.calculus.euler import euler_equations

from ....symbolic.proof.as_written import inner, product, quotient, total
from ....symbolic.proof.derivation import Derivation, Step, carried_out
from ....symbolic.proof.enclosure import refuting_point
from ....symbolic.proof.expressions import parse
from ....symbolic.proof.truth import Truth

Terms = Mapping[str, str]

# What multiplies each coefficient: F F' : u_ww;  F : u_wx, F' : u_wx;  the Laplacian in x;  (grad p/p)' F' u_w;
# the row of Laplacians of f times u_w;  (grad p/p)' u_x.
TERMS = ("ww", "wx", "wx transposed", "xx", "p w", "f w", "p x")
SIZES = ((1, 1), (2, 1), (1, 2), (2, 2))
PAIRS = SIZES[:3]
ALL_SIZES = (
    "both sides are sums over the entries of x of terms with at most two of the entries of w, so that sizes up to two settle "
    "all sizes (polarisation)"
)


@dataclass(frozen=True)
class Equation:
    """The sum of the terms + (mu(x) - rho_share rho |w|^2) u = 0 for the root u of a density.

    `beside` says whose derivatives stand in the terms of first order.  `ends` says what is asked at the ends of X
    of someone who takes a solution for an optimum: "no flux" (p D u = 0), "free" (nothing), "" (not said to suffice).
    """

    terms: Terms
    beside: Literal["u", "gamma"] = "u"
    rho_share: str = "0"
    ends: Literal["", "free", "no flux"] = ""

    def __post_init__(self) -> None:
        unknown = set(self.terms) - set(TERMS)
        if unknown:
            raise ValueError(f"terms are among {TERMS}, got {sorted(unknown)}")

    def data(self) -> dict[str, Any]:
        """The same as plain data for a rule."""
        return {
            "terms": dict(self.terms),
            "beside": self.beside,
            "rho share": self.rho_share,
            "ends": self.ends,
        }

    def coefficient(self, name: str) -> sp.Expr:
        """The exact number before a term."""
        return parse(self.terms.get(name, "0"))

    def operator(self, at: Jet) -> sp.Expr:
        """The terms on a jet, without those in mu and rho; raises ValueError where sizes do not fit."""
        c, F = self.coefficient, at.F
        crossed = F
        if c("wx transposed") != 0:
            if at.n != at.m:
                raise ValueError(f"F' is {at.n} x {at.m} and stands where {at.m} x {at.n} is needed")
            crossed = F.T
        factor = 2 * at.value if self.beside == "gamma" else 1
        slope_w, slope_x = factor * at.slope_w, factor * at.slope_x
        mixed = at.mixed  # m x n
        return sp.expand(
            c("ww") * (F * F.T * at.second_w).trace()
            + c("wx") * (F.T * mixed).trace()
            + c("wx transposed") * (crossed.T * mixed).trace()
            + c("xx") * at.second_x.trace()
            + c("p w") * (at.ratio.T * F.T * slope_w)[0, 0]
            + c("f w") * (at.laplacian.T * slope_w)[0, 0]
            + c("p x") * (at.ratio.T * slope_x)[0, 0]
        )


@dataclass(frozen=True)
class Jet:
    """Second-order polynomials for u(w, x) and f(x), a linear one for p(x), around x = 0, w = 0, f(0) = 0, p(0) = 1."""

    n: int
    m: int

    @property
    def x(self) -> list[sp.Symbol]:
        return [sp.Symbol(f"x{i}", real=True) for i in range(self.n)]

    @property
    def w(self) -> list[sp.Symbol]:
        return [sp.Symbol(f"w{j}", real=True) for j in range(self.m)]

    @property
    def value(self) -> sp.Symbol:
        return sp.Symbol("u", positive=True)

    @property
    def slope_w(self) -> sp.Matrix:
        return _column("uw", self.m)

    @property
    def slope_x(self) -> sp.Matrix:
        return _column("ux", self.n)

    @property
    def second_w(self) -> sp.Matrix:
        return _symmetric("uww", self.m)

    @property
    def mixed(self) -> sp.Matrix:
        return sp.Matrix(self.m, self.n, lambda j, i: sp.Symbol(f"uw{j}x{i}", real=True))

    @property
    def second_x(self) -> sp.Matrix:
        return _symmetric("uxx", self.n)

    @property
    def F(self) -> sp.Matrix:  # noqa: N802
        """The Jacobian of f, m x n."""
        return sp.Matrix(self.m, self.n, lambda j, i: sp.Symbol(f"f{j}x{i}", real=True))

    @property
    def ratio(self) -> sp.Matrix:
        """grad p / p."""
        return _column("r", self.n)

    @property
    def hessians(self) -> list[sp.Matrix]:
        return [_symmetric(f"f{j}xx", self.n) for j in range(self.m)]

    @property
    def laplacian(self) -> sp.Matrix:
        return sp.Matrix([h.trace() for h in self.hessians])

    def weight(self) -> sp.Expr:
        """p near 0."""
        return 1 + (self.ratio.T * sp.Matrix(self.x))[0, 0]

    def query(self) -> list[sp.Expr]:
        """f near 0."""
        x = sp.Matrix(self.x)
        linear = self.F * x
        return [linear[j] + (x.T * self.hessians[j] * x)[0, 0] / 2 for j in range(self.m)]

    def field(self) -> sp.Expr:
        """The function whose jet this is, near 0."""
        x, w = sp.Matrix(self.x), sp.Matrix(self.w)
        value = self.value + (self.slope_w.T * w)[0, 0] + (self.slope_x.T * x)[0, 0]
        second = (w.T * self.second_w * w)[0, 0] / 2 + (w.T * self.mixed * x)[0, 0]
        return value + second + (x.T * self.second_x * x)[0, 0] / 2

    def at_fixed_answer(self) -> sp.Expr:
        """The function of x that an adversary with the answer y = 0 sees: the field at w = y - f(x)."""
        return self.field().subs(dict(zip(self.w, [-f for f in self.query()], strict=True)))

    def at_origin(self, expression: sp.Expr) -> sp.Expr:
        return expression.subs(dict.fromkeys([*self.x, *self.w], 0))


def _column(name: str, size: int) -> sp.Matrix:
    return sp.Matrix([sp.Symbol(f"{name}{k}", real=True) for k in range(size)])


def _symmetric(name: str, size: int) -> sp.Matrix:
    return sp.Matrix(size, size, lambda a, b: sp.Symbol(f"{name}{min(a, b)}{max(a, b)}", real=True))


def first_variation(jet: Jet, lagrangian: Callable[[sp.Expr, sp.Matrix, sp.Expr], sp.Expr]) -> sp.Expr:
    """Euler's expression of int L(v, grad v, p) dx at x = 0, for v(x) = field(y - f(x), x) with y = 0."""
    v = sp.Function("v")(*jet.x)
    gradient = sp.Matrix([v.diff(s) for s in jet.x])
    euler = euler_equations(lagrangian(v, gradient, jet.weight()), v, jet.x)[0].lhs
    return jet.at_origin(euler.subs(v, jet.at_fixed_answer()).doit())


@cache
def true_operator(n: int, m: int) -> sp.Expr:
    """-1/2 of the first variation of int p |D u|^2: what plus mu p u must vanish (p = 1 at the point)."""
    return sp.expand(-first_variation(Jet(n, m), lambda v, g, p: p * (g.T * g)[0, 0]) / 2)


@cache
def by_entries(jet: Jet) -> sp.Expr:
    """The sum over the entries i of x of D_i D_i u + (p_i/p) D_i u, with D_i = d/dx_i - sum_j f_ji d/dw_j, kept in these groups."""
    groups = []
    for i in range(jet.n):
        query, across = list(jet.F[:, i]), list(jet.mixed[:, i])
        first = total(jet.slope_x[i], product(-1, inner(query, jet.slope_w)))
        bent = [inner(jet.second_w[k, :], query) for k in range(jet.m)]
        second = [
            jet.second_x[i, i],
            product(-2, inner(query, across)),
            inner(query, bent),
            product(-1, inner([h[i, i] for h in jet.hessians], jet.slope_w)),
        ]
        groups.append(total(*second, product(jet.ratio[i], first)))
    return total(*groups)


def equal(left: sp.Expr, right: sp.Expr) -> Truth:
    """Equality of rational functions of jets: a point at which they differ, else the numerator multiplied out."""
    return _equal(carried_out(left), carried_out(right))


@cache
def _equal(left: sp.Expr, right: sp.Expr) -> Truth:
    difference = left - right
    jets = sorted(difference.free_symbols, key=lambda s: str(s.name))
    point = {s: sp.Rational(sp.prime(k + 3), 7) for k, s in enumerate(jets)}
    if not any(s.is_integer for s in jets):
        value = difference.subs(point)
        if value.is_Rational and value != 0:
            return Truth.FAILS
    numerator = sp.expand(sp.fraction(sp.together(difference))[0])
    if numerator == 0:
        return Truth.HOLDS
    return Truth.UNKNOWN if refuting_point(difference, "=", limit=40) is None else Truth.FAILS


def euler_steps(equation: Equation) -> list[Step]:
    """The printed terms against the first variation for all sizes up to two by two."""
    steps = []
    for n, m in SIZES:
        reason = f"first variation of the cost, {n} entries of x and {m} of w"
        try:
            left = equation.operator(Jet(n, m))
        except ValueError as error:
            steps.append(Step(sp.Integer(n), "=", sp.Integer(m), f"{reason}: {error}"))
            continue
        grouped = by_entries(Jet(n, m))
        steps += [
            Step(
                true_operator(n, m),
                "=",
                grouped,
                f"Euler's expression of the cost, over p: the sum of D_i (p D_i u)/p, {n} entries of x and {m} of w",
                how=equal,
            ),
            Step(left, "=", grouped, reason, how=equal),
        ]
    if equation.rho_share != "0":
        v, w, rho = sp.symbols("v w rho", positive=True)
        # The cost is 4 |D u|^2 + rho w^2 u^2; its variation was divided by -8.
        quarter = quotient(sp.Derivative(rho * w**2 * v**2, v), product(8, rho * w**2 * v))
        steps.append(
            Step(
                parse(equation.rho_share), "=", quarter, "the term in rho w'w, from rho w'w gamma in the cost"
            )
        )
    return steps


def sufficiency_steps(ends: str) -> list[Step]:
    """Picone's identity: a positive solution costs no more than any v, up to the flux at the ends of X."""
    u = sp.Symbol("u", positive=True)
    v, du, dv, t = sp.symbols("v Du Dv t", real=True)
    slope = 2 * v * dv / u - v**2 * du / u**2
    flux = sp.Integer(0) if ends == "no flux" else sp.Symbol("flux", real=True)
    # Along a line of x at a fixed answer: u, v and the flow p D u as functions of one variable.
    U, V, flow = (sp.Function(name)(t) for name in ("u", "v", "flow"))
    return [
        Step(dv**2 - du * slope, "=", (dv - v * du / u) ** 2, "Picone's identity, never negative", how=equal),
        Step(
            sp.Derivative(V**2 / U * flow, t),
            "=",
            product(2 * V * V.diff(t) / U - V**2 * U.diff(t) / U**2, flow) + V**2 / U * flow.diff(t),
            "the product rule for D(v^2/u p D u), with the flow p D u: what is integrated by parts",
            where=(U,),
        ),
        Step(
            product(flux, quotient(v**2, u)),
            "=",
            sp.Integer(0),
            "the boundary term (p D u) v^2/u at the ends of X, where p D u is 0 if there is no flux",
        ),
    ]


def euler_derivation(equation: Equation) -> Derivation:
    """That the equation is the stationarity condition, and (where `ends` is set) that its solutions are optimal."""
    steps = euler_steps(equation) + (sufficiency_steps(equation.ends) if equation.ends else [])
    return Derivation(
        "the equation is the stationarity condition of the cost", tuple(steps), (ALL_SIZES, FUNDAMENTAL)
    )


FUNDAMENTAL = (
    "fundamental lemma of the calculus of variations, with a multiplier mu(x) for each int gamma dw = 1"
)
