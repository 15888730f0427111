"""Policies written as one expression: the cosine noise, the paper's tilted noise, and two that do better."""

from __future__ import annotations

from dataclasses import dataclass

import sympy as sp

from noiseproof.mechanisms.dependent_noise.problem import PolicyProblem, cosine_information
from noiseproof.mechanisms.dependent_noise.weight import X

W = sp.Symbol("w", real=True)


@dataclass(frozen=True)
class DensityPolicy:
    """gamma(w|x) = shape(w, x) / int shape dw on W, zero outside; `shape` is positive inside W.

    `information` is the Fisher information of the answer at x in closed form, an expression in X, where it is
    known; `printed_information` the same with the plus sign of the paper's appendix C.  The numerical
    cost never reads them.
    """

    name: str
    shape: sp.Expr
    information: sp.Expr | None = None
    printed_information: sp.Expr | None = None


def _phase(problem: PolicyProblem) -> sp.Expr:
    """pi (w - middle)/width: from -pi/2 to pi/2 on W."""
    if not problem.noise_bounded:
        raise ValueError(f"cosine noise needs a bounded W, got [{problem.noise[0]}, {problem.noise[1]}]")
    return sp.pi * (W - problem.middle) / problem.width


def constant_noise(problem: PolicyProblem) -> DensityPolicy:
    """The cos^2 density, whatever x is: the best among policies that do not look at x, for every p and f."""
    information = problem.slope**2 * cosine_information(problem)
    return DensityPolicy("constant noise", sp.cos(_phase(problem)) ** 2, information, information)


def tilted_noise(problem: PolicyProblem, tilt: sp.Expr, name: str = "tilted noise") -> DensityPolicy:
    """exp(b(x) w) cos^2, with b = `tilt` an expression in X.

    With v(b) the variance of this law, its information is b'^2 v + 2 f' b' + f'^2 (b^2 + 4 pi^2/L^2): the
    score in w has second moment b^2 + 4 pi^2/L^2, and covariance -b' with the score in x.
    """
    slope, turn = problem.slope, sp.diff(tilt, X)
    square = turn**2 * tilted_variance(problem, tilt) + slope**2 * (tilt**2 + cosine_information(problem))
    shape = sp.exp(tilt * (W - problem.middle)) * sp.cos(_phase(problem)) ** 2
    return DensityPolicy(name, shape, square + 2 * slope * turn, square - 2 * slope * turn)


def tilt_excess(problem: PolicyProblem, tilt: sp.Expr, *, printed_sign: bool = False) -> sp.Expr:
    """f'^2 b^2 + 2 f' b', an expression in X: on average, tilted noise costs at least this more than constant noise.

    What is left out, b'^2 times a variance, is not negative.  `printed_sign` as in appendix C: - 2 f' b'.
    """
    cross = 2 * problem.slope * sp.diff(tilt, X)
    return sp.simplify(problem.slope**2 * tilt**2 + (-cross if printed_sign else cross))


def tilted_variance(problem: PolicyProblem, tilt: sp.Expr) -> sp.Expr:
    """The variance of exp(b w) cos^2 on W, the second derivative in b of the log of its integral."""
    if tilt == 0:
        return problem.width**2 * (sp.Rational(1, 12) - 1 / (2 * sp.pi**2))
    square = 4 * sp.pi**2 / problem.width**2
    half = problem.width / 2
    rest = 2 * (square - tilt**2) / (square + tilt**2) ** 2
    return 1 / tilt**2 - half**2 / sp.sinh(half * tilt) ** 2 - rest


def printed_corollary_4(problem: PolicyProblem) -> DensityPolicy:
    """The policy of Corollary 4 as printed, tilt -p'/p; the factor exp(-(p'/p) x) is lost in normalising."""
    _identity_only(problem)
    return tilted_noise(problem, -problem.weight.log_slope(), "Corollary 4 as printed")


def mirrored_corollary_4(problem: PolicyProblem) -> DensityPolicy:
    """The same policy with the other sign of the tilt, which is what y = x + w asks for."""
    _identity_only(problem)
    return tilted_noise(problem, problem.weight.log_slope(), "Corollary 4 with the tilt reversed")


def turning_noise(problem: PolicyProblem, angle: sp.Expr) -> DensityPolicy:
    """u^2 for u = cos(t) u_1 + sin(t) u_2, where t = `angle` is an expression in X and u_k the k-th sine mode.

    Its information is 4 (t'^2 - 16 f' t'/(3 L) + f'^2 (pi/L)^2 (1 + 3 sin^2 t)): with t' a little above zero
    where f' > 0 the middle term wins, so constant noise is never optimal (see `turning_gain`).
    """
    phase, length = _phase(problem), problem.width
    slope, turn = problem.slope, sp.diff(angle, X)
    # sin(2 (phase + pi/2)) = -2 sin(phase) cos(phase)
    shape = sp.cos(phase) ** 2 * (sp.cos(angle) - 2 * sp.sin(angle) * sp.sin(phase)) ** 2
    square = turn**2 + slope**2 * (sp.pi / length) ** 2 * (1 + 3 * sp.sin(angle) ** 2)
    cross = sp.Rational(16, 3) * slope * turn / length
    return DensityPolicy("turning noise", shape, 4 * (square - cross), 4 * (square + cross))


def turning_gain(problem: PolicyProblem, direction: sp.Expr) -> tuple[sp.Expr, sp.Expr]:
    """(g, h), expressions in X whose averages G, H bound the gain over constant noise by e G - e^2 H.

    The policy is turning noise of angle e `direction`; sin^2 t <= t^2 gives the bound.  Wherever G > 0 and H
    is finite a small e > 0 beats constant noise; `direction` = f always has g > 0.
    """
    turn, length = sp.diff(direction, X), problem.width
    gain = sp.Rational(64, 3) * problem.slope * turn / length
    loss = 4 * turn**2 + 12 * (sp.pi / length) ** 2 * problem.slope**2 * direction**2
    return sp.simplify(gain), sp.simplify(loss)


def common_answer(problem: PolicyProblem, share: sp.Expr) -> DensityPolicy:
    """With probability 1 - `share` an answer y whose law ignores x, else constant noise.

    Needs a bounded X on which f varies by less than the length of W.  By convexity of the information the cost
    is at most `share` times that of constant noise, so the infimum of Problem 2 is 0; it is not attained by a
    density that is positive on all of W.
    """
    if not problem.weight.bounded:
        raise ValueError("a common answer needs a bounded X")
    ends = [problem.weight.lower, problem.weight.upper]
    turning = problem.turning_points(float(ends[0]), float(ends[1]))
    values = [problem.query.subs(X, x) for x in [*ends, *map(sp.Float, turning)]]
    low, high = sp.Max(*values) + problem.noise[0], sp.Min(*values) + problem.noise[1]
    if not low < high:
        raise ValueError(
            f"f varies by {float(sp.Max(*values) - sp.Min(*values)):.6g} on X, W has length {problem.width}: "
            "no answer is possible at every x"
        )
    y = problem.query + W
    bump = sp.Rational(8, 3) / (high - low) * sp.cos(sp.pi * (y - (low + high) / 2) / (high - low)) ** 4
    answer = sp.Piecewise((bump, (y > low) & (y < high)), (0, True))
    noise = 2 / problem.width * sp.cos(_phase(problem)) ** 2
    return DensityPolicy(f"common answer with probability {1 - share}", (1 - share) * answer + share * noise)


def matched_noise(problem: PolicyProblem, mixing: sp.Expr) -> DensityPolicy:
    """G(x + w) cos^2, with G = `mixing` an expression in X: optimal where p is int G(x + w) (2/L) cos^2 dw.

    For that p, vanishing at the ends of X, the cost is 4 pi^2/L^2 minus the Fisher information int p'^2/p of
    the weight, and no policy has less: with Z = sqrt(p gamma) as a function of y and x the cost is
    4 int int (dZ/dx)^2 - int p'^2/p, and Wirtinger's inequality bounds the first integral for each y.
    """
    _identity_only(problem)
    return DensityPolicy("matched noise", mixing.subs(X, X + W) * sp.cos(_phase(problem)) ** 2)


def _identity_only(problem: PolicyProblem) -> None:
    if sp.simplify(problem.query - X) != 0:
        raise ValueError(f"stated for the query f(x) = x, got {problem.query}")
