"""The bound of Weiss and Weinstein on one point, with the exponent 1/2: for any estimator, on average over a prior; no derivative.

With p(x, t) the density of outcome and parameter, psi = sqrt(p(x, t + h)/p(x, t)) - sqrt(p(x, t - h)/p(x, t)) has mean zero given any
outcome, so no estimator is correlated with it; the covariance inequality is the bound.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
import sympy as sp
from flint import arb

from ...arrays import Floats
from ...laws.joint import JointLaw
from ...laws.law import Law, simplified
from ...proof.derivation import Step
from ...proof.enclosure import NotEnclosableError
from ..fisher import LOCATION
from .answer import EstimationBound, Status
from .form import Form, Quantity, bounded_by, known, no_bound
from .overlaps import NotAdmissibleError, Overlap, integral_in_a_ball, overlap
from .points import read_points
from .priors import prior_trouble
from .problem import Problem

KIND = "weiss-weinstein"
LEMMA = "Weiss-Weinstein inequality with s = 1/2 (Weinstein and Weiss 1988, IEEE Trans. Inf. Theory 34(2))"
HALF = sp.Rational(1, 2)
_H = sp.Dummy("h", positive=True)
_STEPS = tuple(2.0**k for k in np.arange(-6, 3, 0.5))
_TRIED = 4
Place = Mapping[sp.Symbol, sp.Expr]


def weiss_weinstein(problem: Problem, points: Any) -> EstimationBound:
    """E[(g(t + h) - g(t)) sqrt(p(x, t + h)/p(x, t))]^2 / (2 (1 - eta(2 h))), eta(h) the mean of that root."""

    def none(status: Status, reason: str) -> EstimationBound:
        return no_bound(problem, KIND, "anyone", status, reason)

    trouble = prior_trouble(problem) or _trouble(problem)
    if trouble:
        return none("inapplicable", trouble)
    if points is not None:
        offsets = [row[0] for row in read_points(problem, points)]
        if len(offsets) != 1 or offsets[0].is_positive is not True:
            raise ValueError(
                f"weiss-weinstein takes one point, a positive offset from the parameter, got {points!r}"
            )
    else:
        offsets = _searched(problem)
    why = "no point was found at which the densities overlap in a known way"
    for h in offsets[:_TRIED]:
        try:
            found = _at(problem, h)
        except (NotAdmissibleError, NotEnclosableError, ValueError) as error:
            why = str(error)
            continue
        if found.status == "bound":
            return found
        why = found.reason
    return none("unknown", why)


def _trouble(problem: Problem) -> str:
    """Why the bound is not known here; "" where it is."""
    if len(problem.parameters) != 1 or isinstance(problem.law, JointLaw):
        return "weiss-weinstein is known here for one parameter of a law of one number"
    (p,), (prior,), law = problem.parameters, problem.priors, problem.law
    if law.free_symbols - {p}:
        names = ", ".join(sorted(s.name for s in law.free_symbols - {p}))
        return f"weiss-weinstein needs numbers for {names}: fix them with law.at(...)"
    if p.is_integer:
        return "the parameter takes whole numbers only"
    for e in law.support:
        # What is possible at t - h and at t + h must be possible at t.
        if e.has(p) and sp.diff(e, p, 2) != 0:
            return f"the support ends at {e}, which is not linear in the parameter"
    for what, density in ((law.name, law.density), (f"the prior of {p}", prior.density)):
        if density.has(sp.Piecewise, sp.Heaviside, sp.Max, sp.Min):
            return f"the density of {what} has pieces, on which it may vanish"
    return ""


def _at(problem: Problem, h: sp.Expr) -> EstimationBound:
    steps: list[Step] = []
    (p,) = problem.parameters
    gaps = [simplified(g.subs(p, p + h) - g) for g in problem.estimand]
    once, twice = affinity(problem, h), affinity(problem, 2 * h)
    steps += [*once.steps, *twice.steps]
    numerators = [[_integrated(problem, once, h, gap)] for gap in gaps]
    wide = _integrated(problem, twice, 2 * h, sp.Integer(1))
    middle = [[wide.map(lambda e: 2 * (1 - e))]]
    return bounded_by(
        problem,
        KIND,
        "anyone",
        Form(numerators, middle),
        status="bound",
        reason=f"the point {p} + ({h})",
        steps=steps,
        lemmas=(LEMMA,),
        points=((h,),),
    )


def affinity(problem: Problem, h: sp.Expr) -> Overlap:
    """The Hellinger affinity of one observation at t and at t + h, as a function of t or a number."""
    (p,), law = problem.parameters, problem.law
    assert isinstance(law, Law)
    found = affinity_at(law, p)
    if found is not None and found.quantity.exact is not None:
        return replace(found, quantity=known(found.quantity.exact.subs(_H, h)))
    if not is_location(law, p):
        raise NotAdmissibleError("the affinity of the densities has no closed form")
    return overlap(law, [p], [{p: sp.Integer(0)}, {p: h}], [HALF, HALF])


@lru_cache(64)
def affinity_at(law: Law, p: sp.Symbol) -> Overlap | None:
    """The affinity at t and at t + h for all positive h, in closed form."""
    try:
        return overlap(law, [p], [{p: p}, {p: p + _H}], [HALF, HALF])
    except NotAdmissibleError:
        return None


def is_location(law: Law, p: sp.Symbol) -> bool:
    """Whether the law is that of t plus a number whose law does not depend on t."""
    centred = sp.simplify(law.density.subs(law.variable, law.variable + p))
    ends = [sp.simplify(e - p) if e.is_finite else e for e in law.support]
    return not any(e.has(p) for e in (centred, *ends))


def _integrated(problem: Problem, once: Overlap, h: sp.Expr, factor: sp.Expr) -> Quantity:
    """The integral over t of factor(t) sqrt(prior(t) prior(t + h)) affinity(t)^n."""
    (p,), (prior,), n = problem.parameters, problem.priors, problem.observations
    rho = once.quantity
    constant = (rho.exact is None or not rho.exact.has(p)) and not factor.has(p)
    if constant:
        own = _of_prior(prior, h)
        if own is not None and rho.exact is not None and own.exact is not None:
            return known(factor * rho.exact**n * own.exact)
    t = prior.variable
    low, high = prior.support
    inner = factor.subs(p, t) * _root(prior, h)
    if rho.exact is not None:
        inner *= (rho.exact**n).subs(p, t)
    if not high.is_infinite and not low.is_infinite and (high - h - low).is_positive is not True:
        return known(0)
    above = abs(factor.subs(p, t)) * _root(prior, h)
    if inner.free_symbols - {t}:
        raise NotAdmissibleError("the overlap of the prior has no closed form")

    def enclosed(at: Place, tolerance: float) -> arb:
        value = _with_tails(prior, inner, above, (low, high - h), tolerance / 2)
        return value if rho.exact is not None else value * rho.ball(at, tolerance / (4 * n)) ** n

    return Quantity(None, enclosed)


def _root(prior: Law, h: sp.Expr) -> sp.Expr:
    t = prior.variable
    return sp.sqrt(prior.density) * sp.sqrt(prior.density.subs(t, t + h))


def _with_tails(
    prior: Law, inner: sp.Expr, above: sp.Expr, ends: tuple[sp.Expr, sp.Expr], tolerance: float
) -> arb:
    """The integral; far out, where its growth is not seen, what lies there is at most the integral of `above` in size."""
    low, high = ends
    try:
        return integral_in_a_ball(prior, inner, ends, tolerance)
    except NotEnclosableError as trouble:
        if not low.is_finite or high.is_finite:
            raise trouble from None
    reach, tail = sp.Integer(8), arb(1)
    for _ in range(12):
        tail = abs(integral_in_a_ball(prior, above, (low + reach, high), tolerance / 4))
        if float(tail.upper()) <= tolerance / 4:
            break
        reach *= 2
    middle = integral_in_a_ball(prior, inner, (low, low + reach), tolerance / 4)
    return middle + tail.union(-tail)


def _of_prior(prior: Law, h: sp.Expr) -> Quantity | None:
    """The integral of sqrt(prior(t) prior(t + h))."""
    try:
        return overlap(
            prior.shift(LOCATION), [LOCATION], [{LOCATION: sp.Integer(0)}, {LOCATION: h}], [HALF, HALF]
        ).quantity
    except (NotAdmissibleError, ValueError):
        return None


def _searched(problem: Problem) -> list[sp.Expr]:
    """Offsets, the best first, by integrals in floats: any of them gives a valid bound."""
    (prior,), (p,) = problem.priors, problem.parameters
    assert isinstance(problem.law, Law)
    if prior.free_symbols:
        return []
    quartiles = prior.quantile(np.array([0.25, 0.75]))
    spread = float(quartiles[1] - quartiles[0])
    marks = prior.quantile(
        np.concatenate([[1e-9, 1e-6, 1e-4, 1e-3], np.linspace(0.01, 0.99, 25), [1 - 1e-3, 1 - 1e-6]])
    )
    x, w = np.polynomial.legendre.leggauss(8)
    half, middle = np.diff(marks) / 2, (marks[1:] + marks[:-1]) / 2
    nodes, weights = (middle[:, None] + half[:, None] * x).ravel(), (half[:, None] * w).ravel()
    gap = sp.lambdify([p], problem.estimand[0], "numpy")

    closed = affinity_at(problem.law, p)
    rho = None if closed is None else closed.quantity.exact
    if rho is None and not is_location(problem.law, p):
        return []
    formula = None if rho is None else sp.lambdify([p, _H], rho, ["numpy", "scipy"])

    def eta(h: float, function: Callable[[Any], Any]) -> float:
        """The mean of function times the root, by a sum over the nodes."""
        if formula is not None:
            overlapping = np.broadcast_to(np.asarray(formula(nodes, h), dtype=complex).real, nodes.shape)
        else:
            found = affinity(problem, sp.Rational(h).limit_denominator(64)).quantity
            overlapping = np.full(nodes.shape, float(found.ball({}, 1e-5).mid()))
        joint = np.exp((prior.log_pdf(nodes) + prior.log_pdf(nodes + h)) / 2)
        values = np.nan_to_num(function(nodes) * joint * overlapping**problem.observations)
        return float(np.sum(weights * np.where(joint > 0, values, 0.0)))

    scored: list[tuple[float, float]] = []
    for step in _STEPS:
        h = step * spread / np.sqrt(problem.observations)
        try:
            with np.errstate(all="ignore"):
                top = eta(h, _risen(gap, h))
                value = top**2 / (2 * (1 - eta(2 * h, np.ones_like)))
        except (NotAdmissibleError, NotEnclosableError, ValueError, TypeError):
            continue
        if np.isfinite(value):
            scored.append((value, h))
    scored.sort(reverse=True)
    return [
        sp.Rational(h).limit_denominator(64) for _, h in scored if sp.Rational(h).limit_denominator(64) > 0
    ]


def _risen(gap: Callable[[Floats], Any], h: float) -> Callable[[Floats], Floats]:
    """What the estimand rises by over a step."""
    return lambda t: np.broadcast_to(gap(t + h) - gap(t), t.shape)
