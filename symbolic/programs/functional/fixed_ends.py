"""What values that are fixed at ends do: they make some functionals convex that are not so pointwise, and leave others without a bound."""

from __future__ import annotations

import sympy as sp

from ...proof.derivation import Step
from ...proof.enclosure import compare, sign
from ...proof.fact import Fact
from ...proof.truth import Truth
from .improvement import directions
from .integrals import closed_integral
from .stated_functional import StatedFunctional

WIRTINGER = (
    "Wirtinger: the integral of v'^2 is at least (pi/L)^2 that of v^2 on an interval of length L where v is 0 at both ends, and at "
    "least a quarter of that where it is 0 at one end"
)


def convex_by_ends(f: StatedFunctional) -> Fact | None:
    """Whether P v'^2 + Q v^2 is never negative in the integral for functions that are 0 where values are fixed; None where that is not asked.

    F is P u'^2 + Q u^2 with numbers P > 0 and Q, and what is linear in u and u'; constraints are affine.
    """
    names, fixed = (f.u, f.slope), len(f.boundary)
    p, mixed, q = (
        sp.simplify(sp.diff(f.integrand, a, b)) for a, b in ((f.slope, f.slope), names, (f.u, f.u))
    )
    affine = all(
        sp.simplify(sp.diff(c.integrand, a, b)) == 0 for c in f.constraints for a in names for b in names
    )
    length = f.high - f.low
    if (
        not (p.is_number and q.is_number and length.is_finite and mixed == 0 and affine)
        or sign(p) != 1
        or not fixed
    ):
        return None
    least = p * sp.pi**2 / length**2 / (1 if fixed == 2 else 4)
    known = compare(q + least, ">=", sp.Integer(0))
    side = {Truth.HOLDS: "at least", Truth.FAILS: "less than"}.get(known, "not compared with")
    return Fact(
        Truth.HOLDS if known is Truth.HOLDS else Truth.UNKNOWN,
        f"the second derivative {q} after u is {side} -{sp.sstr(least)}, what functions that are 0 at the fixed ends need (Wirtinger)",
    )


def unbounded_step(f: StatedFunctional, function: sp.Expr) -> Step | None:
    """That the values of u + t v have no lower bound in t, for an admissible u and a v that keeps ends and constraints; None says nothing."""
    t = sp.Dummy("t", real=True)
    if f.positive or f.parameters or not f.integrand.is_polynomial(f.u, f.slope):
        return None
    for direction, _ in directions(f, sp.Integer(0), f.low, f.high, {}):
        along = sp.Poly(f.at(f.integrand, function + t * direction), t)
        leading = closed_integral(along.LC(), f.x, f.low, f.high)
        while along.degree() > 0 and leading == 0:
            along = sp.Poly(along.as_expr() - along.LC() * t ** along.degree(), t)
            leading = closed_integral(along.LC(), f.x, f.low, f.high)
        if (
            along.degree() > 0
            and leading is not None
            and (sign(leading) == -1 or (along.degree() % 2 and sign(leading)))
        ):
            power = along.degree()
            shown = sp.Integral(along.LC(), (f.x, f.low, f.high))
            words = f"in the direction {f.written(direction)} the value moves with t^{power} times this"
            return Step(shown, "<" if sign(leading) == -1 else ">", sp.Integer(0), words, how=_signed)
    return None


def _signed(left: sp.Expr, right: sp.Expr) -> Truth:
    value = closed_integral(left.function, *left.limits[0])
    return Truth.UNKNOWN if value is None else compare(abs(value), ">", right)
