"""The Euler-Lagrange equation of a functional, its natural boundary conditions, multipliers, and the second variation."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import sympy as sp

from ...laws.domains import inside
from ...proof.as_written import difference
from ...proof.defined import open_need
from ...proof.derivation import Derivation, Step, evaluated
from ...proof.fact import Fact
from ...proof.nonnegative import nonnegative
from ...proof.truth import Truth
from .stated_functional import StatedFunctional

DU_BOIS_REYMOND = (
    "fundamental lemma (du Bois-Reymond): a continuous function whose integral against every smooth variation that "
    "vanishes at the ends is 0 vanishes (Gelfand and Fomin 1963, section 3); with integral constraints there are "
    "multipliers, unless the constraint's own Euler-Lagrange expression vanishes (section 12)"
)


@dataclass(frozen=True)
class EulerLagrange:
    """What a smooth minimiser must obey: `equation` inside, `natural` at the free ends, one multiplier a constraint.

    `first_integral` is constant along solutions where the Lagrangian does not name x (Beltrami), otherwise None.
    """

    equation: sp.Eq
    natural: tuple[tuple[sp.Expr, sp.Eq], ...]
    multipliers: tuple[sp.Symbol, ...]
    first_integral: sp.Expr | None
    derivation: Derivation = field(repr=False)

    def _repr_latex_(self) -> str:
        return f"${sp.latex(self.equation)}$"


@dataclass(frozen=True)
class SecondVariation:
    """The integral of `slope_weight` eta'^2 + `weight` eta^2: not negative at a minimiser; `legendre` says whether slope_weight >= 0."""

    slope_weight: sp.Expr
    weight: sp.Expr
    legendre: Fact

    def _repr_latex_(self) -> str:
        eta = sp.Symbol("eta")
        return f"$\\int {sp.latex(self.slope_weight)} {{\\eta'}}^2 + {sp.latex(self.weight * eta**2)}$"


@dataclass(frozen=True)
class Lagrangian:
    """F less the constraints' integrands, each times its multiplier."""

    functional: StatedFunctional

    @cached_property
    def multipliers(self) -> tuple[sp.Symbol, ...]:
        taken = {s.name for s in (*self.functional.parameters, self.functional.x, self.functional.u)}
        base = "lambda" if "lambda" not in taken else "mu_"
        many = len(self.functional.constraints) > 1
        names = [f"{base}_{k + 1}" if many else base for k in range(len(self.functional.constraints))]
        return tuple(sp.Symbol(name, real=True) for name in names)

    @cached_property
    def expression(self) -> sp.Expr:
        parts = zip(self.multipliers, self.functional.constraints, strict=True)
        return self.functional.integrand - sp.Add(*(m * c.integrand for m, c in parts))

    def force(self, part: sp.Expr | None = None) -> sp.Expr:
        """The derivative after u of this part of the Lagrangian, all of it by default."""
        return sp.diff(self.expression if part is None else part, self.functional.u)

    def momentum(self, part: sp.Expr | None = None) -> sp.Expr:
        """The derivative after u'."""
        return sp.diff(self.expression if part is None else part, self.functional.slope)

    def residual(self, function: sp.Expr, part: sp.Expr | None = None) -> sp.Expr:
        """Force less the derivative of momentum along a function of x: 0 along an extremal."""
        f = self.functional
        return f.at(self.force(part), function) - sp.diff(f.at(self.momentum(part), function), f.x)

    def written_residual(self, function: sp.Expr, part: sp.Expr) -> sp.Expr:
        """The same of one part, with the derivative of momentum only written down."""
        f = self.functional
        moved = sp.Derivative(f.at(self.momentum(part), function), f.x, evaluate=False)
        return difference(f.at(self.force(part), function), moved)


def euler_lagrange(functional: StatedFunctional) -> EulerLagrange:
    """The conditions of first order, and the identity behind them as a step that is checked."""
    lagrangian, x = Lagrangian(functional), functional.x
    u, eta = sp.Function(functional.u.name)(x), sp.Function("eta")(x)
    residual, small = lagrangian.residual(u), sp.Dummy("epsilon", real=True)
    momentum = functional.at(lagrangian.momentum(), u)
    varied = sp.diff(functional.at(lagrangian.expression, u + small * eta), small).subs(small, 0)
    steps: tuple[Step, ...] = (
        Step(
            varied.doit(),
            "=",
            residual * eta + sp.Derivative(momentum * eta, x),
            "the first variation in the direction eta: the equation's left side times eta, and a derivative that leaves the ends",
            how=evaluated,
        ),
    )
    given = functional.unknown.args[0]
    shown = residual.xreplace({x: given}).subs(sp.Function(functional.u.name)(given), functional.unknown)
    free = [end for end in (functional.low, functional.high) if functional.fixed(end) is None]
    at_ends = functional.written(lagrangian.momentum())
    natural = tuple((end, sp.Eq(at_ends, 0, evaluate=False)) for end in free) if at_ends != 0 else ()
    first = None
    if not lagrangian.expression.has(x):
        beltrami = lagrangian.expression - functional.slope * lagrangian.momentum()
        first = functional.written(sp.simplify(beltrami))
        steps += (
            Step(
                sp.Derivative(functional.at(beltrami, u), x),
                "=",
                sp.diff(u, x) * residual,
                "the first integral moves by u' times the equation's left side: it is constant along solutions (Beltrami)",
                how=evaluated,
            ),
        )
    words = (
        f"a smooth minimiser obeys the Euler-Lagrange equation of {functional.written(functional.integrand)}"
    )
    return EulerLagrange(
        sp.Eq(sp.expand(shown.doit()), 0, evaluate=False),
        natural,
        lagrangian.multipliers,
        first,
        Derivation(words, steps, (DU_BOIS_REYMOND,)),
    )


def second_variation(functional: StatedFunctional) -> SecondVariation:
    """The quadratic form of second order along u, and Legendre's condition for all x, u and u'."""
    lagrangian, f = Lagrangian(functional), functional
    x, u = f.x, sp.Function(f.u.name)(f.x)
    along = sp.diff(lagrangian.momentum(), f.slope)
    mixed = f.at(sp.diff(lagrangian.momentum(), f.u), u)
    weight = f.at(sp.diff(lagrangian.force(), f.u), u) - sp.diff(mixed, x)
    truth = nonnegative(sp.simplify(along).subs(f.x, inside(f.low, f.high)))
    words = {
        Truth.HOLDS: "the second derivative after u' is not negative anywhere",
        Truth.FAILS: "the second derivative after u' is negative somewhere: no minimiser passes there",
        Truth.UNKNOWN: "the sign of the second derivative after u' is open",
    }
    given = f.unknown.args[0]
    return SecondVariation(
        f.written(sp.simplify(along)),
        sp.simplify(weight.doit()).xreplace({x: given}),
        Fact(truth, words[truth]),
    )


def convexity(functional: StatedFunctional) -> Fact:
    """Whether the functional is convex: F in (u, u') jointly for every x, and the constraints affine in them."""
    f = functional
    names = (f.u, f.slope)
    parts = [f.integrand, *(c.integrand for c in f.constraints)]
    if any(
        e.has(sp.Piecewise, sp.Abs, sp.Max, sp.Min, sp.sign, sp.floor, sp.ceiling, sp.Heaviside)
        for e in parts
    ):
        return Fact(
            Truth.UNKNOWN, "a kink or a jump stands in the functional, and second derivatives do not see it"
        )
    need = open_need([e.subs(f.x, inside(f.low, f.high)) for e in parts])
    if need is not None:
        return Fact(Truth.UNKNOWN, f"the functional is not known to be defined for all u and u': {need}")
    for c in f.constraints:
        if any(sp.simplify(sp.diff(c.integrand, a, b)) != 0 for a in names for b in names):
            return Fact(
                Truth.UNKNOWN, f"the constraint on the integral of {f.written(c.integrand)} is not affine"
            )
    hessian = sp.hessian(f.integrand, names).applyfunc(sp.simplify)
    minors = (hessian[0, 0], hessian[1, 1], sp.simplify(hessian.det()))
    truths = [nonnegative(sp.factor(m.subs(f.x, inside(f.low, f.high)))) for m in minors]
    if all(t is Truth.HOLDS for t in truths):
        return Fact(
            Truth.HOLDS,
            "F has a positive semidefinite Hessian in (u, u') for every x: its principal minors are not negative",
        )
    failing = next((m for m, t in zip(minors, truths, strict=True) if t is Truth.FAILS), None)
    if failing is not None:
        return Fact(
            Truth.FAILS,
            f"a principal minor of the Hessian of F in (u, u') is negative somewhere: {f.written(failing)}",
        )
    return Fact(Truth.UNKNOWN, "the sign of a principal minor of the Hessian of F in (u, u') is open")
