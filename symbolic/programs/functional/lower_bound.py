"""No competitor has less: a lower bound on a convex functional from a momentum and multipliers, by the infimum at each point alone.

For every function sigma(x), the integral of sigma' u + sigma u' is what sigma u leaves at the ends.  So the functional is at
least the multipliers' constraints, that rest, and the integral of inf over (u, u') of L - sigma' u - sigma u' (duality of Fenchel).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import sympy as sp
from flint import arb, fmpz_poly

from ...proof.enclosure import enclose, is_zero
from ...proof.truth import Truth
from .boundary import NEAR_ZERO, information_like
from .euler_lagrange import Lagrangian
from .integrals import integral_ball
from .ritz import RitzSolution
from .stated_functional import StatedFunctional

_GRID, _TRIES = 256, 20


@dataclass(frozen=True)
class LowerBound:
    """No admissible function has less than `value` (its lower end), by this argument; None where none was found."""

    value: arb | None
    argument: str
    lemmas: tuple[str, ...] = ()


def lower_bound(functional: StatedFunctional, found: RitzSolution) -> LowerBound:
    """A bound from the momentum of a function near the minimiser; the functional is known to be convex."""
    f, lagrangian, near = functional, Lagrangian(functional), Near(functional, found)
    fixed = _settled(f, lagrangian, dict(zip(lagrangian.multipliers, found.multipliers, strict=True)))
    whole = lagrangian.expression.subs(fixed)
    sigma = near.at(lagrangian.momentum().subs(fixed))
    sigma -= _at_free_ends(f, near, sigma)
    targets = sp.Add(*(m * c.value for m, c in zip(fixed.values(), f.constraints, strict=True)))
    force = sp.diff(whole, f.u)
    if not force.has(f.u, f.slope):
        balanced = _balanced(f, force, near.filled(sigma))
        if balanced is None:
            what = (
                "no bound from the multipliers that were found" if fixed else "nothing bounds the functional"
            )
            return LowerBound(None, f"both ends are free and the load does not sum to 0: {what}")
        sigma = balanced
    if _homogeneous(f, whole):
        return _by_mass(f, near, whole, sigma, targets)
    return _by_points(f, near, whole, sigma, targets)


class Near:
    """A function near the minimiser by letters for a polynomial w and its derivatives, filled in when all is simplified.

    It is w, or w^2 where the functional is of positive functions.
    """

    def __init__(self, functional: StatedFunctional, found: RitzSolution) -> None:
        self.f = functional
        self.w, self.first, self.second = sp.symbols("w w1 w2", real=True, cls=sp.Dummy)
        self.poly = sp.Poly(found.function if found.root is None else found.root, functional.x)

    def at(self, e: sp.Expr) -> sp.Expr:
        """An expression in x, u and u' along the function."""
        value, slope = (self.w**2, 2 * self.w * self.first) if self.f.positive else (self.w, self.first)
        return sp.cancel(e.subs({self.f.u: value, self.f.slope: slope}, simultaneous=True))

    def derivative(self, e: sp.Expr) -> sp.Expr:
        """The derivative after x of an expression in x and the letters w and w1."""
        return sp.diff(e, self.f.x) + sp.diff(e, self.w) * self.first + sp.diff(e, self.first) * self.second

    def filled(self, e: sp.Expr) -> sp.Expr:
        """The expression in x alone, polynomials written for quick evaluation."""
        polynomials = (self.poly, self.poly.diff(self.f.x), self.poly.diff(self.f.x).diff(self.f.x))
        letters = (self.w, self.first, self.second)
        return e.xreplace({a: sp.horner(b) for a, b in zip(letters, polynomials, strict=True)})

    def quotient(self, e: sp.Expr) -> tuple[sp.Poly, sp.Poly]:
        """A rational expression in x alone as above and below, without the factors that vanish in both at an end."""
        parts = [self._polynomial(side) for side in sp.fraction(sp.cancel(e))]
        for end in (self.f.low, self.f.high):
            factor = sp.Poly(self.f.x - end, self.f.x)
            while all(part.eval(end) == 0 for part in parts) and not parts[0].is_zero:
                parts = [part.exquo(factor) for part in parts]
        return parts[0], parts[1]

    def _polynomial(self, e: sp.Expr) -> sp.Poly:
        x, first = self.f.x, self.poly.diff(self.f.x)
        values = {self.w: self.poly, self.first: first, self.second: first.diff(x)}
        letters = sp.Poly(e, x, *values)
        total = sp.Poly(0, x)
        for powers, coefficient in letters.terms():
            term = sp.Poly(coefficient * x ** powers[0], x)
            for value, power in zip(values.values(), powers[1:], strict=True):
                term *= value**power
            total += term
        return total


def _settled(
    f: StatedFunctional, lagrangian: Lagrangian, fixed: dict[sp.Symbol, sp.Expr]
) -> dict[sp.Symbol, sp.Expr]:
    """The multipliers, one of them moved so that a load between two free ends sums to 0 exactly, where one can."""
    free = all(f.fixed(end) is None for end in (f.low, f.high))
    if not free or sp.diff(lagrangian.expression, f.u).has(f.u, f.slope):
        return fixed
    for m in fixed:
        others = {k: v for k, v in fixed.items() if k != m}
        load = sp.integrate(sp.diff(lagrangian.expression.subs(others), f.u), (f.x, f.low, f.high))
        if not load.has(sp.Integral) and sp.diff(load, m).is_nonzero:
            return {**fixed, m: fixed[m] - load.subs(m, fixed[m]) / sp.diff(load, m)}
    return fixed


def _at_free_ends(f: StatedFunctional, near: Near, sigma: sp.Expr) -> sp.Expr:
    """The line through the momentum's values at free ends, where it has to vanish."""
    line = sp.Integer(0)
    for end, other in ((f.low, f.high), (f.high, f.low)):
        if f.fixed(end) is None:
            line += near.filled(sigma).subs(f.x, end) * (f.x - other) / (end - other)
    return line


def _balanced(f: StatedFunctional, force: sp.Expr, sigma: sp.Expr) -> sp.Expr | None:
    """The momentum whose derivative is the force exactly, which does not name u: 0 at a free end, near sigma otherwise."""
    whole = sp.integrate(force, f.x)
    free = [end for end in (f.low, f.high) if f.fixed(end) is None]
    if whole.has(sp.Integral):
        return None
    middle = (f.low + f.high) / 2
    about = whole.subs(f.x, free[0]) if free else (whole - sigma).subs(f.x, middle)
    balanced = whole - about
    return balanced if all(sp.simplify(balanced.subs(f.x, end)) == 0 for end in free) else None


def _homogeneous(f: StatedFunctional, whole: sp.Expr) -> bool:
    t = sp.Dummy("t", positive=True)
    scaled = whole.subs({f.u: t * f.u, f.slope: t * f.slope}, simultaneous=True)
    return f.density and is_zero(sp.simplify(scaled - t * whole)) is Truth.HOLDS


def _by_mass(f: StatedFunctional, near: Near, whole: sp.Expr, sigma: sp.Expr, targets: sp.Expr) -> LowerBound:
    """Of degree one in (u, u'), the infimum is 0 or minus infinity; the mass's multiplier takes what is missing."""
    y = sp.Dummy("y", real=True)
    line = whole.subs({f.u: 1, f.slope: y}, simultaneous=True) - near.derivative(sigma) - sigma * y
    least = _least(line, y)
    if least is None:
        return LowerBound(None, "the infimum over u'/u did not close")
    ends = [end for end in (f.low, f.high) if f.fixed(end) is not None]
    lemmas: tuple[str, ...] = ()
    for end in ends:
        grown = near.quotient(sigma * (f.x - end))
        if f.fixed(end) != 0 or grown[1].eval(end) == 0 or information_like(f) is not Truth.HOLDS:
            return LowerBound(None, f"the rest at {end} is not known to vanish")
        lemmas = (NEAR_ZERO,)
    worst = _least_quotient(*near.quotient(least), f.low, f.high)
    if worst is None:
        return LowerBound(None, "the infimum over the interval was not enclosed")
    value = enclose(targets + worst)
    return LowerBound(
        value,
        "the multiplier of the mass, lowered by the worst point of the interval (Barta's bound)",
        lemmas,
    )


def _by_points(
    f: StatedFunctional, near: Near, whole: sp.Expr, sigma: sp.Expr, targets: sp.Expr
) -> LowerBound:
    """The infimum over (u, u') in closed form at each x, integrated in balls."""
    inner = whole - near.derivative(sigma) * f.u - sigma * f.slope
    for one, other in ((f.u, f.slope), (f.slope, f.u)):
        first = _least(inner, one) if inner.has(one) else inner
        least = None if first is None else _least(first, other) if first.has(other) else first
        if least is not None:
            break
    else:
        return LowerBound(None, "the infimum over (u, u') did not close")
    rest = sp.Add(
        *(
            side * near.filled(sigma).subs(f.x, end) * f.fixed(end)
            for end, side in ((f.high, 1), (f.low, -1))
            if f.fixed(end) is not None
        )
    )
    ball = None if rest.has(sp.zoo, sp.nan, sp.oo) else integral_ball(near.filled(least), f.x, f.low, f.high)
    if ball is None:
        return LowerBound(None, "the infimum over (u, u') was not integrated")
    return LowerBound(
        ball + enclose(targets + rest),
        "the infimum over (u, u') at each point, in closed form, integrated in balls",
    )


def _least(e: sp.Expr, name: sp.Symbol) -> sp.Expr | None:
    """The infimum of a convex expression over one real (or positive) symbol, by its one stationary point."""
    slope = sp.diff(e, name)
    if is_zero(sp.simplify(slope)) is Truth.HOLDS:
        return e.subs(name, 1)
    try:
        found = sp.solve(slope, name)
    except NotImplementedError:
        return None
    admitted = [
        s for s in found if s.is_real is not False and not (name.is_positive and s.is_positive is False)
    ]
    if len(admitted) != 1 or (name.is_positive and not admitted[0].is_positive):
        return None
    if is_zero(sp.simplify(slope.subs(name, admitted[0]))) is not Truth.HOLDS:
        return None
    return sp.simplify(e.subs(name, admitted[0]))


def _least_quotient(top: sp.Poly, bottom: sp.Poly, low: sp.Expr, high: sp.Expr) -> sp.Rational | None:
    """A number that the quotient does not fall below on the interval, near its least value: all roots are enclosed."""
    (x,) = top.gens
    if not all(c.is_Rational for c in (*top.all_coeffs(), *bottom.all_coeffs())):
        return None
    if _has_root(bottom, low, high):
        return None
    places = [low + (high - low) * sp.Rational(k, _GRID) for k in range(_GRID + 1)]
    least = min(top.eval(place) / bottom.eval(place) for place in places)
    margin = sp.Rational(round(float(abs(least)) * 2**60) + 1, 2**80)
    positive = sp.sign(bottom.eval(low))
    for _ in range(_TRIES):
        bound = sp.Rational(math.floor((least - margin) * 2**80), 2**80)
        rest = (top - bound * bottom) * positive
        if rest.eval(low) > 0 and not _has_root(sp.Poly(rest, x), low, high):
            return bound
        margin *= 16
    return None


def _has_root(polynomial: sp.Poly, low: sp.Expr, high: sp.Expr) -> bool:
    """Whether a root may lie in the closed interval, by balls around all of them (Arb isolates those of the squarefree parts)."""
    _, whole = polynomial.clear_denoms(convert=True)
    integers = fmpz_poly([int(c) for c in whole.all_coeffs()[::-1]])
    first, last = enclose(low), enclose(high)
    roots: Any = integers.complex_roots()
    return any(z.imag.contains(0) and not (z.real < first or z.real > last) for z, _ in roots)
