"""Why nothing is left at the ends when the first variation is integrated by parts: momentum times the difference of two competitors."""

from __future__ import annotations

from dataclasses import dataclass

import sympy as sp

from ...laws.domains import inside
from ...proof.derivation import Step
from ...proof.enclosure import compare
from ...proof.fact import Fact
from ...proof.nonnegative import nonnegative
from ...proof.truth import Truth, all_hold
from .stated_functional import StatedFunctional

NEAR_ZERO = (
    "a density u with the value 0 at a finite end e and finite integral of u'^2/u is o(x - e) there: sqrt(u) is the integral of "
    "u'/(2 sqrt(u)), so that u(x) <= |x - e| times a quarter of the integral of u'^2/u between e and x (Cauchy-Schwarz)"
)
FAR_AWAY = (
    "an integrable u >= 0 has points that go to infinity at which x u(x) goes to 0, since the integral of 1/x diverges: a momentum "
    "that grows no faster than x leaves nothing there"
)


@dataclass(frozen=True)
class BoundaryTerms:
    """Whether the terms at both ends vanish in the limit, with the lemmas and steps that say so."""

    fact: Fact
    lemmas: tuple[str, ...]
    steps: tuple[Step, ...]


def boundary_terms(functional: StatedFunctional, candidate: sp.Expr, momentum: sp.Expr) -> BoundaryTerms:
    """Both ends in turn; `momentum` is the derivative of the Lagrangian after u', in x, u and u'."""
    along = sp.simplify(functional.at(momentum, candidate))
    if along == 0:
        return BoundaryTerms(Fact(Truth.HOLDS, "the functional does not name u'"), (), ())
    facts, lemmas, steps = [], [], []
    for end, side in ((functional.low, "+"), (functional.high, "-")):
        fact, lemma, step = _end(functional, candidate, along, end, side)
        facts.append(fact)
        lemmas += [lemma] if lemma and lemma not in lemmas else []
        steps += [step] if step is not None else []
    whole = all_hold(fact.truth for fact in facts)
    return BoundaryTerms(Fact(whole, "; ".join(fact.reason for fact in facts)), tuple(lemmas), tuple(steps))


def _end(
    f: StatedFunctional, candidate: sp.Expr, along: sp.Expr, end: sp.Expr, side: str
) -> tuple[Fact, str, Step | None]:
    if end.is_infinite:
        rate = limit_at(along / f.x, f.x, end, side)
        own = limit_at(along * candidate, f.x, end, side)
        settled = f.density and rate is not None and rate.is_finite and own == 0
        words = f"at {end} the momentum grows like {rate} x and the candidate times it goes to {own}"
        return Fact(Truth.HOLDS if settled else Truth.UNKNOWN, words), FAR_AWAY if settled else "", None
    there = limit_at(along, f.x, end, side)
    value = f.fixed(end)
    if value is None:
        if there is None:
            return Fact(Truth.UNKNOWN, f"the momentum's limit at the free end {end} is not known"), "", None
        at_end = sp.Limit(along, f.x, end, side)
        step = Step(
            at_end, "=", sp.Integer(0), f"the natural boundary condition at the free end {end}", how=limits
        )
        return Fact(step.check(), f"the momentum at the free end {end} is {there}"), "", step
    if there is not None and there.is_finite:
        return Fact(Truth.HOLDS, f"the values at {end} agree and the momentum there is {there}"), "", None
    weighted = limit_at(along * (f.x - end), f.x, end, side)
    if (
        f.positive
        and value == 0
        and weighted is not None
        and weighted.is_finite
        and information_like(f) is Truth.HOLDS
    ):
        return (
            Fact(Truth.HOLDS, f"at {end} the momentum times the distance goes to {weighted}"),
            NEAR_ZERO,
            None,
        )
    return Fact(Truth.UNKNOWN, f"the momentum has no finite limit at {end}"), "", None


def information_like(f: StatedFunctional) -> Truth:
    """Whether the integrand is u'^2/u times a positive constant, and something that is not negative besides."""
    constant = sp.simplify(sp.diff(f.integrand, f.slope, 2) * f.u / 2)
    if constant.free_symbols & {f.u, f.slope, f.x} or not constant.is_positive:
        return Truth.UNKNOWN
    rest = sp.simplify(f.integrand - constant * f.slope**2 / f.u)
    if rest.has(f.slope):
        return Truth.UNKNOWN
    # A rest c(x) u with c bounded below takes no more than a multiple of the mass.
    per_mass = sp.simplify(rest / f.u)
    if f.density and not per_mass.has(f.u) and _bounded_below(per_mass, f):
        return Truth.HOLDS
    return nonnegative(rest.subs(f.x, inside(f.low, f.high)))


def _bounded_below(e: sp.Expr, f: StatedFunctional) -> bool:
    polynomial = e.is_polynomial(f.x)
    return bool(polynomial and f.low.is_finite and f.high.is_finite)


def limits(left: sp.Expr, right: sp.Expr) -> Truth:
    """Whether the limit on the left is the right side; open where it is not known."""
    if not isinstance(left, sp.Limit):
        return Truth.UNKNOWN
    found = limit_at(left.args[0], left.args[1], left.args[2], str(left.args[3]))
    return Truth.UNKNOWN if found is None else compare(found, "=", right)


def limit_at(e: sp.Expr, x: sp.Symbol, end: sp.Expr, side: str) -> sp.Expr | None:
    """The one-sided limit, None where none is known."""
    try:
        found = sp.limit(sp.simplify(e), x, end, side if end.is_finite else ("-" if end == sp.oo else "+"))
    except (NotImplementedError, ValueError, TypeError, RecursionError):
        return None
    return None if found.has(sp.AccumBounds, sp.Limit, sp.nan) else found
