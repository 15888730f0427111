"""Bounds by derivatives: Cramer-Rao of order one, Bhattacharyya of order two."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

import sympy as sp
from flint import arb

from ...laws.countable import CountableLaw
from ...laws.enclosed_expectation import enclosed_expectation
from ...laws.finite import DiscreteLaw
from ...laws.joint import JointLaw
from ...laws.law import Law, simplified, smooth_derivative
from ...proof.derivation import Step
from ...proof.enclosure import NotEnclosableError, is_zero
from ...proof.truth import Truth
from ..exponential_family import separated
from ..model_information import FisherInformationMatrix
from ..of_model import fisher_information
from .answer import Adversary, EstimationBound, Status
from .form import Form, Quantity, bounded_by, known, no_bound
from .problem import Problem, rough

CRAMER_RAO, BHATTACHARYYA = "cramer-rao", "bhattacharyya"
CRAMER_RAO_LEMMA = (
    "Cramer-Rao inequality with bias and functions of the parameters (Lehmann and Casella 1998, 2.5 and 2.6)"
)
BHATTACHARYYA_LEMMA = (
    "Bhattacharyya inequality of order two (Bhattacharyya 1946, Sankhya 8(1); Lehmann and Casella 1998, 2.5)"
)
EXCHANGE = (
    "in the interior of a full exponential family, means of estimators may be differentiated any number of times"
    " under the integral (Lehmann and Romano 2005, theorem 2.7.1)"
)
SECOND_MOMENTS = (
    "with n independent observations: E[S_a S_b] = n E[u_a u_b], E[S_ab S_c] = n E[v_ab u_c],"
    " E[S_ab S_cd] = n E[v_ab v_cd] + n (n - 1) (E[u_a u_c] E[u_b u_d] + E[u_a u_d] E[u_b u_c])"
)
Place = Mapping[sp.Symbol, sp.Expr]


def model_information(problem: Problem) -> FisherInformationMatrix | str:
    """The information about the parameters, or why there is none to use."""
    if any(p.is_integer for p in problem.parameters):
        return "a parameter takes whole numbers only: there is no slope in it"
    if trouble := rough(problem):
        return trouble
    info = fisher_information(problem.law, list(problem.parameters))
    if info.regular is Truth.FAILS:
        return info.reason
    return info


def information_entries(problem: Problem, info: FisherInformationMatrix) -> list[list[Quantity]]:
    """The information in one observation, exact or in balls."""
    k = len(problem.parameters)
    value = info.value
    if value is not None:
        placed = problem.placed(value)
        return [[known(placed[i, j]) for j in range(k)] for i in range(k)]

    def entry(i: int, j: int) -> Quantity:
        def enclosed(at: Place, tolerance: float) -> arb:
            return info.enclose(dict(at), tolerance)[i][j]

        return Quantity(None, enclosed)

    return [[entry(i, j) for j in range(k)] for i in range(k)]


def cramer_rao(problem: Problem) -> EstimationBound:
    """G (n I)^{-1} G' + b b', G the slopes of estimand and bias."""
    adversary: Adversary = "biased" if problem.biased else "unbiased"
    info = model_information(problem)
    if isinstance(info, str):
        return no_bound(problem, CRAMER_RAO, adversary, "inapplicable", info)
    if info.value is None and info.stopped:
        return no_bound(problem, CRAMER_RAO, adversary, "unknown", info.reason)
    n = problem.observations
    slopes = problem.mean.jacobian(sp.Matrix(problem.parameters))
    placed = problem.placed(slopes)
    numerators = [[known(e) for e in row] for row in placed.tolist()]
    middle = [[q.map(lambda e: e * n) for q in row] for row in information_entries(problem, info)]
    status: Status = "bound" if info.regular is Truth.HOLDS else "open"
    return bounded_by(
        problem,
        CRAMER_RAO,
        adversary,
        Form(numerators, middle),
        status=status,
        reason=info.reason,
        steps=info.derivation.steps,
        lemmas=(*info.derivation.lemmas, CRAMER_RAO_LEMMA),
    )


def bhattacharyya(problem: Problem) -> EstimationBound:
    """The covariance inequality with the first and second derivatives of the likelihood, divided by it."""
    adversary: Adversary = "biased" if problem.biased else "unbiased"
    law = problem.law
    if isinstance(law, JointLaw):
        return no_bound(
            problem,
            BHATTACHARYYA,
            adversary,
            "inapplicable",
            "the second order is known here for laws of one number",
        )
    info = model_information(problem)
    if isinstance(info, str):
        return no_bound(problem, BHATTACHARYYA, adversary, "inapplicable", info)
    theta = problem.parameters
    trouble = _rough(law, problem)
    if trouble:
        return no_bound(problem, BHATTACHARYYA, adversary, "inapplicable", trouble)
    log = law.log_density()
    first = {(p,): simplified(smooth_derivative(log, p)) for p in theta}
    second = {
        (p, q): simplified(smooth_derivative(first[p,], q) + first[p,] * first[q,])
        for p, q in itertools.combinations_with_replacement(theta, 2)
    }
    parts: dict[tuple[sp.Symbol, ...], sp.Expr] = {**first, **second}
    keys = list(parts)
    found: dict[tuple[Any, Any], Quantity] = {}
    steps = list(info.derivation.steps)
    for i, a in enumerate(keys):
        for b in keys[: i + 1]:
            q = mean_of(problem, parts[a] * parts[b])
            found[a, b] = found[b, a] = q
            if q.exact is not None:
                steps.append(
                    Step(
                        _integral(law, parts[a] * parts[b]),
                        "=",
                        q.exact,
                        f"E[{_said(a)} {_said(b)}]",
                        how=_again(problem, parts[a] * parts[b]),
                    )
                )
    n = problem.observations
    middle = [[_of_sample(found, a, b, n) for b in keys] for a in keys]
    numerators = [[known(problem.placed(sp.diff(e, *key))) for key in keys] for e in problem.mean]
    apart = separated(law, list(theta))
    full = apart is not None and bool(apart.statistics) and apart.slopes.rank() >= len(apart.statistics)
    proved = full and info.regular is Truth.HOLDS
    status: Status = "bound" if proved else "open"
    reason = info.reason if proved else "that two derivatives may be taken under the integral was not proved"
    return bounded_by(
        problem,
        BHATTACHARYYA,
        adversary,
        Form(numerators, middle),
        status=status,
        reason=reason,
        steps=steps,
        lemmas=(
            *info.derivation.lemmas,
            BHATTACHARYYA_LEMMA,
            *((EXCHANGE,) if proved else ()),
            SECOND_MOMENTS,
        ),
    )


def _rough(law: Law, problem: Problem) -> str:
    """Why the density has no second derivative in the parameters; "" where nothing was found."""
    theta = problem.parameters
    if isinstance(law, DiscreteLaw):
        return "" if not law.density.has(sp.Abs) else "the masses have a kink"
    if any(e.has(*theta) for e in law.support):
        return "the support moves with the parameter"
    kinks = law.density.atoms(sp.Abs, sp.Piecewise, sp.Max, sp.Min, sp.sign, sp.Heaviside, sp.floor)
    if any(k.has(*theta) for k in kinks):
        return "the density has a kink that moves with the parameter: there is no second derivative"
    return ""


def mean_of(problem: Problem, function: sp.Expr) -> Quantity:
    """E[function(Y)], exact where that is known."""
    law = problem.law
    assert isinstance(law, Law)
    # With numbers for the parameters an integral is much quicker than with symbols.
    value = _expected(*_there(problem, law, function))
    if value is not None:
        return known(value)

    def enclosed(at: Place, tolerance: float) -> arb:
        fixed = law.at(dict(at))
        placed = function.subs(dict(at))
        try:
            return enclosed_expectation(fixed, placed, tolerance)
        except NotEnclosableError:
            # Exponentials are followed farther out than hyperbolic functions.
            return enclosed_expectation(fixed, sp.expand(placed.rewrite(sp.exp)), tolerance)

    return Quantity(None, enclosed)


def _there(problem: Problem, law: Law, function: sp.Expr) -> tuple[Law, sp.Expr]:
    return (law.at(dict(problem.at)), function.subs(dict(problem.at))) if problem.at else (law, function)


def _expected(law: Law, function: sp.Expr) -> sp.Expr | None:
    if isinstance(law, DiscreteLaw):
        value = sp.Add(*(p * function.subs(law.variable, i) for i, p in enumerate(law.probabilities)))
    elif isinstance(law, CountableLaw):
        value = law.expectation(sp.expand(function))
    else:
        value = law.expectation(function)
    if value.has(sp.Integral, sp.Sum, sp.Piecewise):
        return None
    value = simplified(value)
    return None if value.has(sp.oo, sp.zoo, sp.nan) else value


def _integral(law: Law, function: sp.Expr) -> sp.Expr:
    """The mean as it is written, not carried out."""
    kind = sp.Sum if isinstance(law, CountableLaw) else sp.Integral
    return kind(law.density * function, (law.variable, *law.support))


def _again(problem: Problem, function: sp.Expr) -> Any:
    def check(_: sp.Expr, right: sp.Expr) -> Truth:
        law = problem.law
        assert isinstance(law, Law)
        value = _expected(*_there(problem, law, function))
        return Truth.UNKNOWN if value is None else is_zero(simplified(value - right))

    return check


def _said(key: tuple[sp.Symbol, ...]) -> str:
    return f"{'u' if len(key) == 1 else 'v'}_{'_'.join(map(str, key))}"


def _of_sample(
    found: Mapping[tuple[Any, Any], Quantity], a: tuple[sp.Symbol, ...], b: tuple[sp.Symbol, ...], n: int
) -> Quantity:
    """The second moments of the derivatives of the likelihood of n independent observations."""
    q = found[a, b]
    if len(a) == 1 or len(b) == 1 or n == 1:
        return q.map(lambda e: e * n)
    (i, j), (k, m) = a, b
    parts = [q, *(found[x, y] for x, y in (((i,), (k,)), ((j,), (m,)), ((i,), (m,)), ((j,), (k,))))]
    exact_parts = [p.exact for p in parts if p.exact is not None]
    if len(exact_parts) == len(parts):
        v, ik, jm, im, jk = exact_parts
        return known(n * v + n * (n - 1) * (ik * jm + im * jk))

    def enclosed(at: Place, tolerance: float) -> arb:
        v, ik, jm, im, jk = (p.ball(at, tolerance) for p in parts)
        return n * v + n * (n - 1) * (ik * jm + im * jk)

    return Quantity(None, enclosed)
