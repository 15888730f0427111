"""Lower bounds on the error of estimators of a user's own model: each kind by name, or the largest that applies."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import sympy as sp

from ...proof.apart import UnfinishedError, apart, at_once
from ...proof.enclosure import compare
from ...proof.expressions import nearest
from ...proof.truth import Truth
from .answer import BINDS, Adversary, EstimationBound
from .derivatives import bhattacharyya, cramer_rao
from .estimator_risks import known_risks
from .form import no_bound
from .points import on_points
from .priors import van_trees
from .problem import Problem, read_problem
from .weiss_weinstein import weiss_weinstein

UNBIASED = ("cramer-rao", "bhattacharyya", "chapman-robbins", "barankin")
ANYONE = ("van-trees", "weiss-weinstein")
KINDS = (*UNBIASED, *ANYONE)
_ON_POINTS = ("chapman-robbins", "barankin", "weiss-weinstein")


def error_bound(
    law: Any,
    parameters: Any,
    estimand: Any,
    kind: str = "cramer-rao",
    *,
    observations: int = 1,
    bias: Any = None,
    prior: Any = None,
    at: Any = None,
    points: Any = None,
    count: int = 2,
    effort: float = 1.0,
) -> EstimationBound:
    """The lower bound of this `kind` on the mean squared error of estimators of `estimand` from independent `observations` of a law.

    `estimand` is an expression of the `parameters`, or its text, or a list of m for a bound on the error matrix (m, m);
    parameters that are not named are known to the estimator. "cramer-rao", "bhattacharyya" (order 2), "chapman-robbins"
    (Hammersley; irregular families and integer parameters too) and "barankin" (on `count` points) bind unbiased estimators, or
    those with the `bias` that is stated, a formula for each estimand. "van-trees" and "weiss-weinstein" bind every estimator,
    on average over `prior`, one law for each parameter. `at` gives values to all parameters; without it the answer is a
    formula. `points` are offsets from the parameters, sought numerically if None; `effort` scales the limit on
    processor time. Lehmann and Casella 1998, Theory of point estimation, 2.5 and 2.6; Van Trees and Bell 2007, Bayesian bounds.
    ValueError or TypeError for what is no such question; a bound that does not apply is an answer without value.

    >>> y, t = sp.Symbol("y"), sp.Symbol("t", positive=True)
    >>> counts = npf.Law.from_density(t**y * sp.exp(-t) / sp.factorial(y), y, (0, "oo"), discrete=True)
    >>> npf.error_bound(counts, t, sp.exp(-t), observations=4).value
    t*exp(-2*t)/4
    """
    problem = _asked(law, parameters, estimand, observations, bias, prior, at)
    if kind not in KINDS:
        raise ValueError(f"kind {kind!r} is not known: {nearest(str(kind), list(KINDS))}")
    if kind in ANYONE and not problem.priors:
        p = problem.parameters[0]
        raise ValueError(f"{kind} binds on average over a prior: prior={{{p}: law}} or [derive.prior.{p}]")
    if kind in ANYONE and problem.biased:
        raise ValueError(f"{kind} binds every estimator: a bias cannot be stated")
    if points is not None and kind not in _ON_POINTS:
        raise ValueError(f"{kind} has no points; those with points are {', '.join(_ON_POINTS)}")
    if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= 4:
        raise ValueError(f"count must be a whole number from 1 to 4, got {count!r}")
    return at_once(partial(_answered, problem, kind, points, count), effort)


def best_bound(
    law: Any,
    parameters: Any,
    estimand: Any,
    against: str = "unbiased",
    *,
    observations: int = 1,
    bias: Any = None,
    prior: Any = None,
    at: Any = None,
    effort: float = 1.0,
) -> EstimationBound:
    """The largest bound that applies to the adversary `against`: "unbiased" (with a bias: those that have it), or "anyone" with a prior.

    Only bounds whose conditions were all proved are compared, and only such as bind the same estimators; matrices by their trace.
    `compared` holds all of them, also those that did not apply, and why. `law`, `parameters`, `estimand`, `observations`, `bias`,
    `prior`, `at`, `effort` and errors as in `error_bound`.

    >>> y, t = sp.Symbol("y"), sp.Symbol("t", positive=True)
    >>> best = npf.best_bound(npf.Law.from_density(1 / t, y, (0, t)), t, t, at={"t": 2})
    >>> best.kind, best.value
    ('barankin', 32/27)
    """
    if against not in ("unbiased", "anyone"):
        raise ValueError(f"against {against!r} is not known: {nearest(str(against), ['unbiased', 'anyone'])}")
    problem = _asked(law, parameters, estimand, observations, bias, prior, at)
    if against == "anyone" and not problem.priors:
        raise ValueError(
            f"bounds for anyone are on average over a prior: say prior={{{problem.parameters[0]}: law}}"
        )
    if against == "anyone" and problem.biased:
        raise ValueError("bounds for anyone bind every estimator: a bias cannot be stated")
    kinds = UNBIASED if against == "unbiased" else ANYONE
    return at_once(lambda: _largest(problem, [_answered(problem, kind, None, 2) for kind in kinds]), effort)


def _asked(
    law: Any, parameters: Any, estimand: Any, observations: Any, bias: Any, prior: Any, at: Any
) -> Problem:
    return read_problem(law, parameters, estimand, bias=bias, observations=observations, at=at, prior=prior)


def _answered(problem: Problem, kind: str, points: Any, count: int) -> EstimationBound:
    adversary: Adversary = "anyone" if kind in ANYONE else "biased" if problem.biased else "unbiased"
    if kind not in ANYONE and problem.priors:
        problem = replace(problem, priors=())
    ways: dict[str, Callable[[], EstimationBound]] = {
        "cramer-rao": lambda: cramer_rao(problem),
        "bhattacharyya": lambda: bhattacharyya(problem),
        "chapman-robbins": lambda: on_points(problem, kind, points, 1),
        "barankin": lambda: on_points(problem, kind, points, count),
        "van-trees": lambda: van_trees(problem),
        "weiss-weinstein": lambda: weiss_weinstein(problem, points),
    }
    try:
        found = apart(ways[kind], f"the bound {kind}")
        return replace(found, beside=lambda: known_risks(problem))
    except UnfinishedError as stuck:
        return no_bound(problem, kind, adversary, "unknown", f"unknown: {stuck}")


def _largest(problem: Problem, found: list[EstimationBound]) -> EstimationBound:
    """The largest of bounds for one adversary, with all of them beside it."""
    usable = [b for b in found if b.status == "bound"]
    said = "; ".join(f"{b.kind}: {b.reason}" for b in found if b.status != "bound")
    if not usable:
        answer = no_bound(problem, "best", found[0].adversary, "unknown", f"no bound applies: {said}")
        return replace(answer, compared=tuple(found))
    best, doubts = usable[0], list[str]()
    for other in usable[1:]:
        larger = _exceeds(other, best)
        if larger is None:
            doubts.append(f"{other.kind} and {best.kind} could not be compared: say at which values with at=")
        elif larger:
            best = other
    reason = "; ".join(
        [
            f"{best.kind}, the largest of {len(usable)} for {BINDS[best.adversary]}",
            *([f"not used: {said}"] if said else []),
            *doubts,
        ]
    )
    return replace(best, reason=f"{best.reason}; {reason}", compared=tuple(found))


def _exceeds(other: EstimationBound, best: EstimationBound) -> bool | None:
    """Whether one bound is certainly larger; None where that is not known."""
    if other.value is not None and best.value is not None:
        truth = compare(_trace(other.value), ">", _trace(best.value))
        return None if truth is Truth.UNKNOWN else truth is Truth.HOLDS
    try:
        a, b = (sum((row[i] for i, row in enumerate(x.enclose())), 0) for x in (other, best))
    except ValueError:
        return None
    return bool(a > b)


def _trace(value: sp.Expr | sp.MatrixBase) -> sp.Expr:
    return value.trace() if isinstance(value, sp.MatrixBase) else value
