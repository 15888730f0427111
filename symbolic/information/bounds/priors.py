"""The bound of van Trees: for any estimator, on average over a prior."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import sympy as sp
from flint import arb

from ...laws.differentiability import Place
from ...laws.domains import inside
from ...laws.enclosed_expectation import enclosed_expectation
from ...laws.joint import JointLaw
from ...laws.law import Law, simplified
from ...laws.pieces import sign_of
from ...proof.derivation import Step
from ...proof.enclosure import NotEnclosableError, enclose, sign
from ...proof.truth import Truth
from ..error_bounds import VAN_TREES
from ..fisher import location_information
from .answer import EstimationBound, Status
from .derivatives import model_information
from .form import Form, Quantity, bounded_by, known, no_bound
from .problem import Problem, law_at

KIND = "van-trees"
Values = Mapping[sp.Symbol, sp.Expr]


def van_trees(problem: Problem) -> EstimationBound:
    """E[G] (n E[I] + J)^{-1} E[G]', J the information of the prior, G the slopes of the estimand."""

    def none(status: Status, reason: str) -> EstimationBound:
        return no_bound(problem, KIND, "anyone", status, reason)

    trouble = prior_trouble(problem)
    if trouble:
        return none("inapplicable", trouble)
    steps: list[Step] = []
    own: list[sp.Expr] = []
    for p, law in zip(problem.parameters, problem.priors, strict=True):
        held = location_information(law)
        if held.value is None and held.regular is Truth.FAILS:
            ends = {e: law.density.subs(law.variable, e) for e in law.support if e.is_finite}
            jump = next((f", and at {p} = {e} it is {v}" for e, v in ends.items() if v.is_nonzero), "")
            rule = f"the prior density of {p} must be smooth and vanish at the ends of its support"
            return none("inapplicable", f"van Trees does not apply: {rule}{jump}")
        if held.value is not None and held.regular is Truth.HOLDS and not held.scalar.has(sp.Integral):
            own.append(held.scalar)
            steps += held.derivation.steps
            continue
        smooth = vanishing(law)
        if smooth is None:
            return none("unknown", f"the information of the prior of {p} is not known: {held.reason}")
        own.append(smooth.right)
        steps.append(smooth)
    info = model_information(problem)
    if isinstance(info, str):
        return none("inapplicable", info)
    if info.value is None:
        return none(
            "unknown", f"the information has no closed form to be averaged over the prior: {info.reason}"
        )
    steps += info.derivation.steps
    k, n = len(own), problem.observations
    middle: list[list[Quantity]] = []
    for i in range(k):
        row = []
        for j in range(k):
            mean = averaged(problem, info.value[i, j])
            if mean.exact is not None and mean.exact.has(sp.oo, sp.zoo, sp.nan):
                return none(
                    "vacuous", "the mean information over the prior is infinite: the bound says nothing"
                )
            extra = own[i] if i == j else sp.Integer(0)
            row.append(_added(mean, n, extra))
        middle.append(row)
    slopes = problem.estimand.jacobian(sp.Matrix(problem.parameters))
    numerators = [[averaged(problem, slopes[a, i]) for i in range(k)] for a in range(slopes.shape[0])]
    status: Status = "bound" if info.regular is Truth.HOLDS else "open"
    return bounded_by(
        problem,
        KIND,
        "anyone",
        Form(numerators, middle),
        status=status,
        reason=info.reason,
        steps=steps,
        lemmas=(*info.derivation.lemmas, VAN_TREES),
    )


def vanishing(prior: Law) -> Step | None:
    """The mean of the squared slope of the log density, of a prior that is smooth between its ends and vanishes at them; None of others.

    A density with a slope between its ends whose square, divided by it, is integrable is absolutely continuous if it vanishes there.
    """
    y, density = prior.variable, prior.density
    if (
        prior.free_symbols
        or prior.parts
        or density.has(sp.Abs, sp.Piecewise, sp.Max, sp.Min, sp.sign, sp.floor)
    ):
        return None
    point = inside(*prior.support)
    try:
        Place.of(sorted(point.free_symbols, key=str), {}).form(density.subs(y, point))
        ends = [sp.limit(density, y, e, side) for e, side in zip(prior.support, "+-", strict=True)]
    except (ValueError, NotImplementedError):
        return None
    slope = prior.score() ** 2
    value = simplified(prior.expectation(sp.expand(slope)))
    if any(e != 0 for e in ends) or value.has(sp.Integral, sp.oo, sp.zoo, sp.nan):
        return None

    def again(_: sp.Expr, right: sp.Expr) -> Truth:
        # By a ball: another route than that of the closed form.
        try:
            ball = enclosed_expectation(prior, slope, 1e-9)
        except NotEnclosableError:
            return Truth.UNKNOWN
        return Truth.HOLDS if ball.overlaps(enclose(right)) else Truth.FAILS

    left = sp.Integral(density * slope, (y, *prior.support))
    return Step(
        left, "=", value, "the information of the prior, which is smooth and vanishes at its ends", how=again
    )


def _added(mean: Quantity, n: int, extra: sp.Expr) -> Quantity:
    if mean.exact is not None:
        return known(simplified(n * mean.exact + extra))

    def enclosed(at: Values, tolerance: float) -> arb:
        return mean.ball(at, tolerance / n) * n + known(extra).ball(at, tolerance)

    return Quantity(None, enclosed)


def prior_trouble(problem: Problem) -> str:
    """Why the priors cannot be used; "" where nothing was found."""
    if not problem.priors:
        return "a prior is needed: say prior={parameter: law}"
    for p, law in zip(problem.parameters, problem.priors, strict=True):
        if law.discrete:
            return f"the prior of {p} has no density"
        low, high = law.support
        if p.is_nonnegative and not (low.is_nonnegative or sign(low) in (0, 1)):
            return f"the prior of {p} lives on [{low}, {high}], but {p} is positive"
        for name, lower, upper in problem.law.domains:
            if name == p and not all(
                g.is_extended_nonnegative or sign_of(g) in (0, 1) for g in (low - lower, upper - high)
            ):
                return f"the prior of {p} lives on [{low}, {high}], but {p} lies in ({lower}, {upper})"
        if not isinstance(problem.law, JointLaw) and (outside := _outside(problem.law, p, law)):
            return outside
    return ""


def _outside(law: Law, parameter: sp.Symbol, prior: Law) -> str:
    """Whether the law is none at a value that the prior allows; looked at close to its ends and in the middle."""
    if prior.free_symbols or law.free_symbols != {parameter}:
        return ""
    low, high = prior.support
    probes: Sequence[sp.Expr]
    if low.is_finite and high.is_finite:
        probes = [low + (high - low) * q for q in map(sp.Rational, ("1/100", "1/2", "99/100"))]
    elif low.is_finite:
        probes = [low + q for q in map(sp.Rational, ("1/100", "1", "100"))]
    elif high.is_finite:
        probes = [high - q for q in map(sp.Rational, ("1/100", "1", "100"))]
    else:
        probes = list(map(sp.Integer, (-7, 0, 7)))
    for value in probes:
        try:
            law_at(law, {parameter: value})
        except ValueError as trouble:
            return f"the prior of {parameter} allows {value}, where there is no law: {trouble}"
    return ""


def averaged(problem: Problem, function: sp.Expr) -> Quantity:
    """The mean of a function of the parameters over the priors; exact where that is known."""
    value, left = function, list[tuple[sp.Symbol, Law]]()
    for p, law in zip(problem.parameters, problem.priors, strict=True):
        if not value.has(p):
            continue
        mean = law.expectation(sp.expand(value).subs(p, law.variable))
        if mean.has(sp.Integral):
            left.append((p, law))
        else:
            value = simplified(mean)
    if not left:
        return known(value)
    p, law = left[0]
    rest = value

    def enclosed(_at: Values, tolerance: float) -> arb:
        if len(left) > 1 or rest.free_symbols - {p} or law.free_symbols:
            raise ValueError(f"the mean of {rest} over the prior has no closed form")
        return enclosed_expectation(law, rest.subs(p, law.variable), tolerance)

    return Quantity(None, enclosed)
