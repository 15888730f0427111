"""Entries z_i z_j over a ball, or over a ball times an interval: eigenvalues for each planar sign pattern.

For a pattern S and weights C the sum of C_ij |u_i u_j - v_i v_j| is u'Mu - v'Mv with M = C o S.  Over the unit ball
each term is an extreme eigenvalue (or 0).  Over |x| <= 1, |t| <= 1 each term is max z'Mz under two quadratic
constraints, for which the dual min a + b subject to diag(a I, b) - M positive semidefinite is tight (Polyak 1998,
theorem 4.1; Ye, Zhang 2003).  Any feasible (a, b) bounds from above, and feasibility is verified.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats
from ..programs.verified import all_positive_definite, largest_eigenvalue, shift_for
from .planar_signs import Signs, sign_patterns


@dataclass(frozen=True)
class Best:
    """A verified bound for all patterns, and the pattern with the largest value with its two maximisers."""

    upper: float
    signs: Signs
    pair: tuple[Floats, Floats]


def over_ball(weights: Floats) -> Best:
    """Patterns over the unit ball; `weights` has one value on the diagonal and one off it."""
    patterns = sign_patterns(len(weights), marked=False)
    matrices = patterns * weights
    zero = np.zeros(len(matrices))
    uppers = np.maximum(largest_eigenvalue(matrices), zero) + np.maximum(largest_eigenvalue(-matrices), zero)
    best = int(np.argmax(uppers))
    values, vectors = np.linalg.eigh(matrices[best])
    first = vectors[:, -1] * (values[-1] > 0)
    return Best(_up(uppers.max()), patterns[best], (first, vectors[:, 0] * (values[0] < 0)))


def over_ball_and_interval(weights: Floats) -> Best:
    """Patterns over |x| <= 1, |t| <= 1 with t the last coordinate; weights equal within each of the classes xx, xx diagonal, xt."""
    patterns = sign_patterns(len(weights) - 1, marked=True)
    matrices = patterns * weights
    uppers = dual(matrices)[0] + dual(-matrices)[0]
    best = int(np.argmax(uppers))
    pair = tuple(maximiser(sign * matrices[best]) for sign in (1.0, -1.0))
    return Best(_up(uppers.max()), patterns[best], (pair[0], pair[1]))


def dual(matrices: Floats) -> tuple[Floats, Floats, Floats]:
    """Verified a + b, a and b with diag(a I, b) - M positive definite, near the least, for each matrix M (last row: t)."""
    n = matrices.shape[-1]
    size = float(np.abs(matrices).max(initial=1.0)) * n
    values, _, cross = _turned(matrices)
    a, b = multipliers(matrices)
    lift = np.full(len(a), 16 * shift_for(size, n))
    for _ in range(40):
        # b is stepped along the boundary of the feasible pairs, which may be steep near the largest eigenvalue.
        raised = a + lift
        edge = matrices[:, -1, -1] + (cross**2 / np.maximum(raised[:, None] - values, lift[:, None])).sum(
            axis=1
        )
        lifted = np.maximum(np.minimum(edge, b), 0.0) + lift
        slack = -matrices
        slack[:, range(n - 1), range(n - 1)] += raised[:, None]
        slack[:, -1, -1] += lifted
        if all_positive_definite(slack, size):
            return raised + lifted, raised, lifted
        short = np.linalg.eigvalsh(slack)[:, 0] < 2 * shift_for(size, n)
        lift = np.where(short, 4 * lift, lift)
    raise ArithmeticError("the dual multipliers could not be verified")


def _turned(matrices: Floats) -> tuple[Floats, Floats, Floats]:
    """Eigenvalues and eigenvectors of the block of x, and the row of t in these coordinates."""
    values, vectors = np.linalg.eigh(matrices[:, :-1, :-1])
    return values, vectors, np.einsum("kij,ki->kj", vectors, matrices[:, :-1, -1])


def multipliers(matrices: Floats) -> tuple[Floats, Floats]:
    """Not verified: the least a + b on the curve b(a) = M_tt + sum c_i^2 / (a - l_i), b cut at 0, by bisection."""
    values, _, cross = _turned(matrices)
    corner = matrices[:, -1, -1]
    length = np.sqrt((cross**2).sum(axis=1))

    def terms(a: Floats, power: int) -> Floats:
        gap = np.maximum(a[:, None] - values, 1e-15 * (1.0 + length)[:, None])
        return np.asarray((cross**2 / gap**power).sum(axis=1))

    floor = np.maximum(values[:, -1], 0.0)
    stationary = _bisect(lambda a: np.asarray(terms(a, 2) > 1), floor, floor + length)
    b = corner + terms(stationary, 1)
    # Where b < 0 there, t stays inside its interval: b = 0, and a is smaller.
    inside = _bisect(lambda a: np.asarray(corner + terms(a, 1) > 0), floor, stationary)
    a = np.where(b < 0, inside, stationary)
    return a, np.maximum(np.where(b < 0, 0.0, b), 0.0)


def _bisect(too_small: Callable[[Floats], NDArray[np.bool_]], lower: Floats, upper: Floats) -> Floats:
    for _ in range(60):
        middle = (lower + upper) / 2
        rising = too_small(middle)
        lower, upper = np.where(rising, middle, lower), np.where(rising, upper, middle)
    return upper


def maximiser(matrix: Floats) -> Floats:
    """A point (x, t) with |x| <= 1, |t| <= 1 at which z'Mz is largest, up to rounding."""
    a = float(multipliers(matrix[None])[0][0])
    values, vectors, cross = (part[0] for part in _turned(matrix[None]))
    gap = a - values
    x = np.where(gap > 1e-9 * (1 + abs(a)), cross / np.maximum(gap, 1e-300), 0.0)
    filled = x.copy()
    filled[-1] += np.sqrt(max(1 - float(x @ x), 0.0))
    candidates = [np.append(vectors @ (y / max(1.0, np.linalg.norm(y))), 1.0) for y in (x, filled, 0 * x)]
    if matrix[-1, -1] < 0:
        reduced = matrix[:-1, :-1] - np.outer(matrix[:-1, -1], matrix[:-1, -1]) / matrix[-1, -1]
        top = np.linalg.eigh(reduced)[1][:, -1]
        t = float(np.clip(-matrix[-1, :-1] @ top / matrix[-1, -1], -1, 1))
        candidates += [np.append(top, t), np.append(np.zeros(len(top)), 0.0)]
    return max(candidates, key=lambda z: float(z @ matrix @ z))


def _up(value: float) -> float:
    return float(value) * (1 + 1e-14)
