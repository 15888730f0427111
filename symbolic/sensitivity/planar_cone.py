"""A conic bound for entries z_i z_j over a ball times an interval whose size hardly depends on the dimension of the ball.

Let z = (x, y), |x| <= 1, |y| <= a, and let e_1, ..., e_K be directions of the half plane in the order of their angles.
For a pair (u, v) each (u_i, v_i), up to sign, is a sum of nonnegative multiples of two neighbouring directions; R_k
collects the multiples of e_k over the p coordinates of x, B_k those of the one coordinate y, for which the direction
may be taken between 0 and pi/4 (flips and exchange of u and v).  With (c, s)^ = (c, -s) and M_kl = |<e_k, e_l^>|

    sum_ij |u_i u_j - v_i v_j| <= R'M R + 2 B'M R + y^2 - y'^2,   sum_k w_k(t) R_k <= sqrt p   for 0 <= t <= 1,

by the triangle inequality, and by Cauchy-Schwarz over the p coordinates in the norm t u^2 + (1-t) v^2, where
w_k(t) a + w_(k+1)(t) b <= |a e_k + b e_(k+1)|_t: true for w_k = |e_k|_t times the cosine of half the larger angle to a
neighbour in this norm.  The right side, a quadratic form in (1, R, B) >= 0, is relaxed to matrices that are positive
semidefinite and entrywise nonnegative, with all products of the linear constraints.  The solver's dual variables are
moved into their cones, which is verified, and what they miss is paid for with bounds on the variables.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from ..arrays import Floats
from ..programs.conic import solve
from ..programs.symmetric import Triangle
from ..programs.verified import all_positive_definite, shift_for

TILTS = (0.5, 0.42, 0.58, 0.34, 0.66, 0.24, 0.76, 0.1, 0.9)
NUDGE = 1e-13


@dataclass(frozen=True)
class _Program:
    """Maximise <objective, Z> for Z with corner 1, <equal_k, Z> = 0, <above_k, Z> >= 0, Z >= 0 entrywise and semidefinite."""

    objective: Floats
    equal: list[Floats]
    above: list[Floats]


def planar_bound(p: int, a: float, fine: bool = False) -> float:
    """A verified upper bound of sup sum_ij |u_i u_j - v_i v_j| over |x| <= 1, |y| <= a; the fine grid takes longer."""
    directions, special = (36, 7) if fine else (28, 4)
    angles, marked = np.pi * np.arange(directions) / directions, np.linspace(0.0, np.pi / 4, special)
    return _bound(_program(p, a, angles, marked))


def _weights(directions: Floats, tilt: float) -> Floats:
    """w_k: the norm of direction k times the cosine of half the larger angle to a neighbour, rounded down."""
    metric = np.array([tilt, 1 - tilt])
    norms = np.sqrt((directions**2 * metric).sum(axis=1))
    following = np.roll(directions, -1, axis=0)
    following[-1] *= -1
    cosines = (directions * following * metric).sum(axis=1) / (norms * np.roll(norms, -1))
    half = np.sqrt((1 + cosines) / 2)
    return np.asarray(norms * np.minimum(half, np.roll(half, 1)) * (1 - NUDGE))


def _program(p: int, a: float, angles: Floats, special: Floats) -> _Program:
    """Variables: 1, R / sqrt p, B / a."""
    directions, marked = (np.stack([np.cos(x), np.sin(x)], axis=1) for x in (angles, special))
    # The cone of the marked directions holds (1, 0) and (1, 1) exactly.
    marked[-1] = marked[-1, 0]
    mirror = np.array([1.0, -1.0])
    k, m = len(angles), len(special)
    n = 1 + k + m
    plain, tail = slice(1, 1 + k), slice(1 + k, n)
    objective = np.zeros((n, n))
    objective[plain, plain] = p * np.abs(directions * mirror @ directions.T)
    objective[tail, plain] = np.sqrt(p) * a * np.abs(marked * mirror @ directions.T)
    objective[plain, tail] = objective[tail, plain].T
    objective[tail, tail] = a * a * (marked * mirror @ marked.T)
    objective[1:, 1:] += NUDGE * (p + a * a)
    forms = []
    for tilt in TILTS:
        form = np.zeros(n)
        form[0], form[plain] = 1.0, -_weights(directions, tilt)
        forms.append(form)
    inside, whole = np.zeros(n), np.zeros(n)
    inside[0], inside[tail] = 1.0, -marked[:, 1]
    whole[0], whole[tail] = 1.0, -marked[:, 0]
    forms.append(inside)
    units = np.eye(n)
    pairs = [(f, e) for f in forms for e in units] + list(itertools.combinations_with_replacement(forms, 2))
    equal = [_product(whole, e) for e in units]
    # y has one direction, between two neighbours: products of multiples further apart vanish.
    equal += [_product(units[1 + k + i], units[1 + k + j]) for i in range(m) for j in range(i + 2, m)]
    return _Program(objective, equal, [_product(f, g) for f, g in pairs])


def _product(f: Floats, g: Floats) -> Floats:
    return (np.outer(f, g) + np.outer(g, f)) / 2


def _bound(program: _Program) -> float:
    n = len(program.objective)
    equal, above = np.array(program.equal), np.array(program.above)
    corner, free, weights, entries, cone = _dual_variables(program, equal, above)
    weights, entries = np.maximum(weights, 0.0), np.maximum(entries, 0.0)
    entries = (entries + entries.T) / 2
    values, vectors = np.linalg.eigh(cone)
    size = float(np.abs(cone).max()) * n + 1
    cone = (vectors * np.maximum(values, 2 * shift_for(size, n))) @ vectors.T
    cone = (cone + cone.T) / 2 + 2 * shift_for(size, n) * np.eye(n)
    if not all_positive_definite(cone, size):
        raise ArithmeticError("the dual matrix could not be verified")
    # objective = corner e0 e0' + free.equal - weights.above - entries - cone + missed, as matrices.
    terms = np.tensordot(free, equal, 1) - np.tensordot(weights, above, 1) - entries - cone
    missed = program.objective - terms
    missed[0, 0] -= corner
    sizes = (
        np.tensordot(np.abs(free), np.abs(equal), 1)
        + np.tensordot(weights, np.abs(above), 1)
        + entries
        + np.abs(cone)
    )
    missed = np.abs(missed) + 2.3e-16 * (len(equal) + len(above) + 8) * (
        sizes + program.objective + abs(corner)
    )
    # Each variable is at most 1 / (smallest positive coefficient bound): R / sqrt p and B / a stay below 2.
    return float(corner + 4 * missed.sum()) * (1 + 1e-12)


def _dual_variables(
    program: _Program, equal: Floats, above: Floats
) -> tuple[float, Floats, Floats, Floats, Floats]:
    from scipy import sparse

    triangle = Triangle(len(program.objective))
    first = np.zeros((1, len(triangle)))
    first[0, 0] = 1.0
    parts = [first, triangle.of(equal) * triangle.counts, -triangle.of(above) * triangle.counts]
    cones_of_z = [
        sparse.csc_matrix(-sparse.identity(len(triangle))),
        sparse.csc_matrix(-sparse.diags(triangle.roots)),
    ]
    matrix = sparse.vstack([*(sparse.csc_matrix(part) for part in parts), *cones_of_z])
    constant = np.zeros(matrix.shape[0])
    constant[0] = 1.0
    found = solve(
        -triangle.of(program.objective) * triangle.counts,
        matrix,
        constant,
        zero=1 + len(equal),
        nonnegative=len(above) + len(triangle),
        semidefinite=(triangle.order,),
    )
    z = np.nan_to_num(found.z)
    cuts = np.cumsum([1, len(equal), len(above), len(triangle)])
    first_z, free, weights, entries, cone = np.split(z, cuts)
    return (
        float(first_z[0]),
        free,
        weights,
        triangle.matrices(entries / triangle.counts),
        triangle.matrices(cone / triangle.roots),
    )
