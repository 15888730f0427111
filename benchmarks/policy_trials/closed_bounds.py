"""Lower bounds on the cost of every policy that hold by a short proof, in closed form."""

from __future__ import annotations

from itertools import pairwise

import sympy as sp

from noiseproof.mechanisms.dependent_noise.problem import PolicyProblem, cosine_information
from noiseproof.mechanisms.dependent_noise.weight import Weight, X
from noiseproof.symbolic.laws.pieces import within
from noiseproof.symbolic.proof.enclosure import is_zero
from noiseproof.symbolic.proof.truth import Truth


def uniform_lower_bound(problem: PolicyProblem) -> sp.Expr:
    """(4 pi^2/L^2) max(0, 1 - L/|X|): no policy costs less for constant p, f(x) = x, rho = 0, bounded X.

    The multiplier 4 pi^2/L^2 on the part of X further than L/2 from its ends, 0 elsewhere, is dual feasible:
    for each answer y the form int 4 v'^2 - mu v^2 over the x at which y is possible is not negative.  On an
    interval inside X of length L, v zero at both ends, that is Wirtinger's inequality; on [0, y] with y <= L
    and v free at the end 0 of X, the function that is 1 on [0, L/2] and cos(pi (x - L/2)/L) after is positive
    and solves the equation.  `even_steps` attains the bound where 2 (|X| - L)/L is an integer.
    """
    weight = problem.weight
    if problem.query != X or weight.expression.has(X) or not weight.bounded or problem.rho != 0:
        raise ValueError("stated for constant p on a bounded X, f(x) = x and rho = 0")
    share = 1 - problem.width / (weight.upper - weight.lower)
    return cosine_information(problem) * sp.Max(0, share)


def vanishing_weight_bound(problem: PolicyProblem) -> sp.Expr:
    """4 pi^2/L^2 - int p'^2/p: no policy costs less for f(x) = x and a p that is 0 at both ends of X.

    With v the root of the density of the answer and Z = sqrt(p) v the cost is 4 int int Z_x^2 - int p'^2/p,
    since int Z^2 dy = p; for each y the function Z is zero at the ends of an interval of length at most L, and
    Wirtinger's inequality applies.  Equality holds for `matched_noise`.
    """
    weight = problem.weight
    if problem.query != X or problem.rho != 0 or not problem.noise_bounded:
        raise ValueError("stated for f(x) = x, rho = 0 and a bounded W")
    information = _information(weight)
    first, *_, last = [
        formula for *_, formula in 2 * list(within(weight.normalised(), X, (weight.lower, weight.upper)))
    ]
    for end, side, formula in ((weight.lower, "+", first), (weight.upper, "-", last)):
        if sp.limit(formula, X, end, side) != 0:
            raise ValueError(f"stated for a weight that is 0 at both ends of X, but not at {end}")
    if not information.is_finite:
        raise ValueError(f"the Fisher information of the weight is {information}: no bound follows")
    return cosine_information(problem) - sp.simplify(information)


def _information(weight: Weight) -> sp.Expr:
    """int p'^2/p of a weight that is continuous; ValueError for one with a jump, whose derivative is no function."""
    pieces = list(within(weight.normalised(), X, (weight.lower, weight.upper)))
    if any(formula is None for _, _, formula in pieces):
        raise ValueError("stated for a weight whose pieces have borders that can be solved for")
    for (_, border, left), (_, _, right) in pairwise(pieces):
        heights = [sp.limit(p, X, border, side) for p, side in ((left, "-"), (right, "+"))]
        if is_zero(heights[0] - heights[1]) is not Truth.HOLDS:
            raise ValueError(f"stated for a continuous weight, which this one is not known to be at {border}")
    slopes = [(low, high, sp.simplify(sp.diff(p, X) ** 2 / p)) for low, high, p in pieces]
    return sp.Add(*(sp.integrate(slope, (X, low, high)) for low, high, slope in slopes))
