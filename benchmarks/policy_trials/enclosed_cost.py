"""The exact cost of a policy of finitely many answers as a ball, and how far its noise stays inside W."""

from __future__ import annotations

import numpy as np
import sympy as sp
from flint import acb, arb, ctx

from noiseproof.mechanisms.dependent_noise.answers import RandomisedAnswers
from noiseproof.mechanisms.dependent_noise.problem import PolicyProblem
from noiseproof.mechanisms.dependent_noise.weight import X
from noiseproof.symbolic.proof.enclosed_integral import ball_function, enclosed_integral
from noiseproof.symbolic.proof.enclosure import enclose


def leeway(policy: RandomisedAnswers, problem: PolicyProblem) -> float:
    """The least distance of a possible noise from the ends of W: negative if the policy leaves W."""
    nodes, low, high = policy.places(), float(problem.noise[0]), float(problem.noise[1])
    least = np.inf
    for j in range(len(nodes) - 1):
        x = np.concatenate([nodes[j : j + 2], problem.turning_points(nodes[j], nodes[j + 1], 65)])
        values = problem.answer(x)
        used = np.any(policy.probabilities[:, j : j + 2] > 0, axis=1)
        y = np.array([float(a) for a in policy.answers])[used]
        least = min(least, float(np.min(y) - values.max() - low), float(high - np.max(y) + values.min()))
    return least


def enclosed_cost(policy: RandomisedAnswers, problem: PolicyProblem, bits: int = 128) -> arb:
    """A ball around J; probabilities are read as exact rational weights, normalised at each node.

    Raises ValueError unless X is bounded, rho = 0, the nodes span X and no noise certainly leaves W.
    """
    weight = problem.weight
    if not weight.bounded or problem.rho != 0 or weight.exact_total is None:
        raise ValueError("an enclosed cost needs a bounded X, rho = 0 and a weight with a closed integral")
    nodes = [sp.Rational(x) for x in policy.nodes]
    if nodes[0] != weight.lower or nodes[-1] != weight.upper:
        raise ValueError(f"the nodes must span X = [{weight.lower}, {weight.upper}]")
    with ctx.workprec(bits):
        return _enclosed(policy, problem, nodes, bits)


def _enclosed(policy: RandomisedAnswers, problem: PolicyProblem, nodes: list[sp.Rational], bits: int) -> arb:
    total = arb(0)
    for j in range(len(nodes) - 1):
        _certainly_inside(policy, problem, nodes[j], nodes[j + 1], j)
        roots = [_enclosed_root(policy.probabilities[:, k].tolist(), bits) for k in (j, j + 1)]
        chord = sum(((a - b) ** 2 for a, b in zip(*roots, strict=True)), arb(0))
        same = policy.probabilities[:, j].tolist() == policy.probabilities[:, j + 1].tolist()
        angle = arb(0) if same else 2 * (chord.sqrt() / 2).asin()
        resistance = enclosed_integral(1 / problem.weight.normalised(), X, nodes[j], nodes[j + 1], bits)
        total += 4 * angle**2 / resistance
    return total


def _certainly_inside(
    policy: RandomisedAnswers, problem: PolicyProblem, low: sp.Expr, high: sp.Expr, j: int
) -> None:
    if problem.query == X:
        least, most = enclose(low), enclose(high)
    else:
        least, most = enclosed_range(problem.query, X, low, high)
    for i in np.flatnonzero(np.any(policy.probabilities[:, j : j + 2] > 0, axis=1)).tolist():
        answer = enclose(sp.Rational(policy.answers[i]))
        below, above = (enclose(end) for end in problem.noise)
        if answer - most < below or answer - least > above:
            raise ValueError(f"the answer {policy.answers[i]} leaves W for x in [{low}, {high}]")
        # Equality of exact ends is a touch, not a crossing; anything in between is not certain.
        if not (answer - most >= below and answer - least <= above):
            raise ValueError(f"not certain that the answer {policy.answers[i]} stays in W: leave more room")


def _enclosed_root(weights: list[float], bits: int) -> list[arb]:
    """The roots of the exact doubles `weights`, normalised to length one."""
    balls = [enclose(sp.Rational(q), bits=bits) for q in weights]
    whole = sum(balls, arb(0)).sqrt()
    return [ball.sqrt() / whole for ball in balls]


def enclosed_range(
    expression: sp.Expr, symbol: sp.Symbol, lower: sp.Expr, upper: sp.Expr, pieces: int = 32
) -> tuple[arb, arb]:
    """(a, b): every value of the expression on [lower, upper] lies above a's lower and below b's upper end."""
    function = ball_function(expression, symbol)
    values = []
    for k in range(pieces):
        low = enclose(lower + (upper - lower) * sp.Rational(k, pieces))
        high = enclose(lower + (upper - lower) * sp.Rational(k + 1, pieces))
        values.append(function(acb(low.union(high))).real)
    least, most = values[0], values[0]
    for value in values[1:]:
        least, most = least.min(value), most.max(value)
    return least, most
