"""The exact risk of explicit estimators, to stand beside a bound: maximum likelihood, UMVU, moments, and the best linear one under a prior."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import sympy as sp
from flint import arb

from ...laws.countable import CountableLaw
from ...laws.finite import DiscreteLaw
from ...laws.joint import JointLaw
from ...laws.law import Law, simplified, smooth_derivative
from ...proof.apart import UnfinishedError, apart, net_of
from ...proof.enclosure import is_zero
from ...proof.truth import Truth
from ..of_model import fisher_information
from .answer import BINDS, EstimatorRisk
from .derivatives import mean_of
from .form import Quantity
from .priors import averaged
from .problem import Problem, read_problem, read_rule

_X = sp.Dummy("x", real=True)


def estimator_risk(
    law: Any,
    parameters: Any,
    estimand: Any,
    estimator: Any,
    *,
    observations: int = 1,
    prior: Any = None,
    at: Any = None,
    effort: float = 1.0,
) -> EstimatorRisk:
    """The mean squared error of an estimator of `estimand`: of the mean, over the `observations`, of a function of one.

    `estimator` is an expression, or its text, in the variable of the law, without its parameters. The risk is a formula of the
    `parameters`, a number with `at`, the mean over `prior` with one; `value` is None where no closed form is known, and
    `enclose` answers; `effort` scales the limit on processor time. ValueError or TypeError for what is no such question.
    Lehmann and Casella 1998, Theory of point estimation, 1.1: variance and squared bias.

    >>> y, s = sp.Symbol("y"), sp.Symbol("s", positive=True)
    >>> npf.estimator_risk(npf.Law.from_density(sp.exp(-y / s) / s, y, (0, "oo")), s, s, y, observations=4).value
    s**2/4
    """
    problem = read_problem(law, parameters, estimand, observations=observations, at=at, prior=prior)
    if not isinstance(problem.law, Law) or isinstance(problem.law, DiscreteLaw):
        raise TypeError(f"estimator_risk expects a law of one number, got {problem.law.name}")
    if len(problem.estimand) != 1:
        raise ValueError(f"estimator_risk takes one estimand, got {len(problem.estimand)}")
    if isinstance(estimator, str):
        estimator = read_rule(estimator, problem.law)
    if isinstance(estimator, bool) or not isinstance(estimator, sp.Expr | int | float):
        raise TypeError(f"estimator must be a sympy expression in {problem.law.variable}, got {estimator!r}")
    rule = sp.sympify(estimator)
    y = problem.law.variable
    rule = rule.xreplace({s: y for s in rule.free_symbols if s.name == y.name})
    strange = sorted(s.name for s in rule.free_symbols - {y})
    if strange:
        raise ValueError(f"estimator contains {', '.join(strange)}: it may contain {y} only, no parameter")
    try:
        with net_of(effort):
            return apart(lambda: _of_mean(problem, "the estimator", rule), "the risk of the estimator")
    except UnfinishedError as stuck:
        return EstimatorRisk("the estimator", rule, None, _whom(problem), f"unknown: {stuck}")


def known_risks(problem: Problem) -> tuple[EstimatorRisk, ...]:
    """The estimators that are known for a problem with one estimand, each with its risk; empty where none is."""
    if isinstance(problem.law, JointLaw | DiscreteLaw) or len(problem.estimand) != 1 or problem.biased:
        return ()
    found: list[EstimatorRisk] = []
    for way in (_efficient, _of_moments, _of_extreme):
        try:
            found += apart(partial(way, problem), "the risks of estimators")
        except (UnfinishedError, ValueError, NotImplementedError):
            continue
    kept: list[EstimatorRisk] = []
    for risk in found:
        if all(is_zero(risk.estimator - other.estimator) is not Truth.HOLDS for other in kept):
            kept.append(risk)
    return tuple(kept)


def _whom(problem: Problem) -> str:
    return BINDS["anyone"] if problem.priors else "at the parameter"


def _of_mean(problem: Problem, name: str, rule: sp.Expr) -> EstimatorRisk:
    n, target = problem.observations, problem.placed(problem.estimand[0])
    bare = replace(problem, priors=())
    first, second = mean_of(bare, rule), mean_of(bare, rule**2)
    if second.exact is None and (end := heavy_end(problem, rule**2)) is not None:
        assert isinstance(problem.law, Law)
        y, side = problem.law.variable, "falls no faster" if end in (sp.oo, -sp.oo) else "rises no slower"
        distance = y if end in (sp.oo, -sp.oo) else y - end
        why = (
            f"towards {end} the density times the square of the estimator {side} than {sp.sstr(1 / distance)}"
        )
        return EstimatorRisk(name, rule, sp.oo, _whom(problem), why, problem.at)
    if first.exact is not None and second.exact is not None:
        spread = (second.exact - first.exact**2) / n + (first.exact - target) ** 2
        return _placed(problem, name, rule, simplified(spread))
    if problem.priors:
        return EstimatorRisk(
            name, rule, None, _whom(problem), "the risk has no closed form to be averaged over the prior"
        )

    def enclosed(at: Any, tolerance: float) -> arb:
        a, b = first.ball(at, tolerance / 16), second.ball(at, tolerance / 16)
        goal = Quantity(target).ball(at, tolerance)
        return (b - a**2) / n + (a - goal) ** 2

    return EstimatorRisk(
        name,
        rule,
        None,
        _whom(problem),
        "no closed form is known; the risk is enclosed"
        + ("" if problem.at else ", where at= says the values of the parameters"),
        problem.at,
        enclosed,
    )


def heavy_end(problem: Problem, function: sp.Expr) -> sp.Expr | None:
    """An end of the support towards which r f function has a positive limit, r the distance from it, or from 0 if it is infinite.

    Near a finite end, or far out, f function is then above c/r for some c > 0, whose integral has no end: E[function] is
    infinite.  For n independent observations a mean whose terms have no second moment has none either.
    """
    law = problem.law
    if not isinstance(law, Law) or isinstance(law, DiscreteLaw | CountableLaw) or law.pieces or law.parts:
        return None
    integrand, r = problem.placed(law.density * function), sp.Dummy("r", positive=True)
    for end, inwards in zip(map(problem.placed, law.support), (1, -1), strict=True):
        infinite = end in (sp.oo, -sp.oo)
        there = r * integrand.subs(law.variable, -inwards * r if infinite else end + inwards * r)
        try:
            limit = sp.limit(sp.simplify(there), r, sp.oo if infinite else 0)
        except (NotImplementedError, ValueError, TypeError, sp.PoleError):
            continue
        if limit.is_extended_positive:
            return end
    return None


def _placed(problem: Problem, name: str, rule: sp.Expr, risk: sp.Expr) -> EstimatorRisk:
    """The risk at the values that were given, or on average over the prior."""
    if not problem.priors:
        return EstimatorRisk(
            name, rule, problem.placed(risk), _whom(problem), "variance and squared bias", problem.at
        )
    mean = averaged(problem, risk)
    return EstimatorRisk(
        name,
        rule,
        mean.exact,
        _whom(problem),
        "variance and squared bias, on average over the prior",
        {},
        mean.enclosed,
    )


def _efficient(problem: Problem) -> list[EstimatorRisk]:
    """g + g' I^{-1} score where it contains no parameter: it attains the Cramer-Rao bound, and the likelihood is largest at it."""
    law, theta = problem.law, problem.parameters
    info = fisher_information(law, list(theta))
    if info.value is None or info.regular is not Truth.HOLDS:
        return []
    assert isinstance(law, Law)
    (target,) = problem.estimand
    scores = sp.Matrix([smooth_derivative(law.log_density(), p) for p in theta])
    slopes = sp.Matrix([target]).jacobian(sp.Matrix(theta))
    inverse = info.value.inv()
    rule = simplified(target + (slopes * inverse * scores)[0, 0])
    if rule.has(*theta):
        return []
    risk = simplified((slopes * inverse * slopes.T)[0, 0] / problem.observations)
    found = [_placed(problem, "maximum likelihood, which is UMVU", rule, risk)]
    if problem.priors:
        found += _linear(problem, rule, risk)
    return found


def _linear(problem: Problem, rule: sp.Expr, risk: sp.Expr) -> list[EstimatorRisk]:
    """The best linear function of an unbiased estimator: the posterior mean under a conjugate prior (Diaconis and Ylvisaker 1979)."""
    (target,) = problem.estimand
    noise, mean, square = averaged(problem, risk), averaged(problem, target), averaged(problem, target**2)
    if noise.exact is None or mean.exact is None or square.exact is None:
        return []
    own = simplified(square.exact - mean.exact**2)
    share = simplified(own / (own + noise.exact))
    value = simplified(own * noise.exact / (own + noise.exact))
    better = mean.exact + share * (rule - mean.exact)
    return [
        EstimatorRisk(
            "best linear, which is the posterior mean if the prior is conjugate",
            better,
            value,
            BINDS["anyone"],
            "variance of the estimand and mean noise (Lehmann and Casella 1998, 4.7)",
        )
    ]


def _of_moments(problem: Problem) -> list[EstimatorRisk]:
    """The mean of the observations, corrected so that it is unbiased."""
    law, (target,) = problem.law, problem.estimand
    assert isinstance(law, Law)
    mean = law.mean()
    if mean.has(sp.Integral, sp.Sum, sp.oo, sp.nan):
        return []
    p = problem.parameters[0]
    slope = simplified(sp.diff(mean, p) / sp.diff(target, p)) if target.has(p) else sp.Integer(0)
    rest = simplified(mean - slope * target)
    if slope == 0 or slope.has(*problem.parameters) or rest.has(*problem.parameters):
        return []
    return [_of_mean(problem, "mean of the observations, made unbiased", (law.variable - rest) / slope)]


def _of_extreme(problem: Problem) -> list[EstimatorRisk]:
    """The smallest or largest observation where only the support moves: it is sufficient and complete."""
    law, (target,), n = problem.law, problem.estimand, problem.observations
    assert isinstance(law, Law)
    if len(problem.parameters) != 1 or isinstance(law, CountableLaw):
        return []
    (p,), y = problem.parameters, law.variable
    moving = [i for i, e in enumerate(law.support) if e == p]
    mixed = simplified(sp.diff(law.log_density(), p, y))
    if len(moving) != 1 or law.support[1 - moving[0]].has(p) or mixed != 0 or target != p:
        return []
    low, high = law.support
    below = (
        sp.integrate(law.density, (y, low, _X))
        if moving[0] == 1
        else sp.integrate(law.density, (y, _X, high))
    )
    density = simplified(n * below ** (n - 1) * law.density.subs(y, _X))
    first, second = (sp.simplify(sp.integrate(sp.expand(density * _X**k), (_X, low, high))) for k in (1, 2))
    if first.has(sp.Integral, sp.Piecewise) or second.has(sp.Integral, sp.Piecewise):
        return []
    name = "largest" if moving[0] == 1 else "smallest"
    extreme = sp.Symbol(name, real=True)
    likely = _placed(
        problem,
        f"maximum likelihood, the {name} observation",
        extreme,
        simplified(second - 2 * p * first + p**2),
    )
    ratio, gap = simplified(first / p), simplified(first - p)
    spread = simplified(second - first**2)
    if not ratio.has(p):
        return [
            likely,
            _placed(
                problem, f"UMVU, from the {name} observation", extreme / ratio, simplified(spread / ratio**2)
            ),
        ]
    if not gap.has(p):
        return [likely, _placed(problem, f"UMVU, from the {name} observation", extreme - gap, spread)]
    return [likely]
