"""Two answers at a time: as x grows, each answer hands its probability over to the next."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import sympy as sp

from noiseproof.mechanisms.dependent_noise.answers import RandomisedAnswers
from noiseproof.mechanisms.dependent_noise.problem import PolicyProblem
from noiseproof.mechanisms.dependent_noise.weight import X


def staircase(problem: PolicyProblem, steps: Sequence[sp.Expr]) -> RandomisedAnswers:
    """The policy with one sure answer at each x in `steps`, turning from one to the next in between.

    Its cost is the sum of pi^2 / int 1/p over neighbouring steps; before the first and after the last step it
    answers a constant.  Raises ValueError where an answer would have to leave W: between its neighbouring steps
    (or the end of X) f may vary by at most the length of W.
    """
    if not problem.weight.bounded:
        raise ValueError("a staircase has finitely many steps: it needs a bounded X")
    ends = (problem.weight.lower, problem.weight.upper)
    places = [sp.sympify(s, strict=True) for s in steps]
    inside = [ends[0], *places, ends[1]]
    if not places or any(not a < b for a, b in pairwise(places)):
        raise ValueError("a staircase needs steps in increasing order")
    if places[0] < ends[0] or places[-1] > ends[1]:
        raise ValueError(f"steps must lie in X = [{ends[0]}, {ends[1]}]")
    answers = []
    for k in range(len(places)):
        answers.append(_answer(problem, inside[k], inside[k + 2]))
    nodes, columns = list(places), list(range(len(places)))
    if places[0] > ends[0]:
        nodes, columns = [ends[0], *nodes], [0, *columns]
    if places[-1] < ends[1]:
        nodes, columns = [*nodes, ends[1]], [*columns, len(places) - 1]
    return RandomisedAnswers(tuple(nodes), tuple(answers), np.eye(len(places))[:, columns])


def _answer(problem: PolicyProblem, low: sp.Expr, high: sp.Expr) -> sp.Expr:
    """The answer in the middle of those that are possible for all x in [low, high]."""
    turning = problem.turning_points(float(low), float(high))
    values = [problem.query.subs(X, x) for x in (low, high, *map(sp.Float, turning))]
    least, most = sp.Min(*values), sp.Max(*values)
    if most - least > problem.width:
        raise ValueError(
            f"f varies by {float(most - least):.6g} for x in [{low}, {high}], W has length {problem.width}: no "
            "answer is possible on all of it; put the steps closer"
        )
    return (least + most + problem.noise[0] + problem.noise[1]) / 2


def even_steps(problem: PolicyProblem) -> tuple[sp.Expr, ...]:
    """Steps half a width of W apart for f(x) = x: optimal for constant p where 2 (|X| - L)/L is an integer.

    The first lies half a width inside X, the last is as many as needed for the last answer to reach the end.
    """
    if problem.query != X or not problem.weight.bounded:
        raise ValueError("even steps are for the query f(x) = x on a bounded X")
    low, high, half = problem.weight.lower, problem.weight.upper, problem.width / 2
    if high - low <= problem.width:
        return (low,)
    count = int(sp.ceiling((high - low - problem.width) / half))
    return tuple(sp.Min(low + half * (k + 1), high) for k in range(count + 1))
