"""The signs of u_i u_j - v_i v_j for two vectors u, v fall into few patterns, which are listed here up to symmetry.

Write (u_i, v_i) = r_i (cos f_i, sin f_i).  Then u_i u_j - v_i v_j = r_i r_j cos(f_i + f_j), so for vectors in general
position (a dense set) the signs are those of cos(f_i + f_j).  Turning f_i by pi flips the signs of u_i and v_i, so all
f_i may be taken in (-pi/2, pi/2].  Two angles of opposite sign have a sum within (-pi/2, pi/2): the sign is +.  Two
angles of one sign have the sign of pi/2 - |f_i| - |f_j| = w_i + w_j with w = pi/4 - |f|, which is the sign of that w
whose absolute value is larger.  So coordinates fall into two groups; + stands between the groups, and within a group,
sorted by |w|, entry (i, j) has the sign s_max(i, j) of one sequence s.  Exchanging u and v (f to pi/2 - f, then
flipping one group) negates both sequences.
"""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

Signs = NDArray[np.float64]


def sign_patterns(ordinary: int, marked: bool) -> Signs:
    """All patterns for `ordinary` interchangeable coordinates, and one more that stands last if `marked`.

    Up to permutations of the ordinary coordinates, sign flips of coordinates and exchange of u and v (negation); shape
    (count, n, n) with n = ordinary + marked.  Every sign matrix of a pair (u, v) in general position is in the list up
    to these; a few occur twice.
    """
    blocks = []
    for first in range(ordinary + 1):
        second = ordinary - first
        if not marked and first < second:
            continue
        for place in range(first + 1) if marked else (None,):
            blocks.append(_block(first, second, place))
    return np.concatenate(blocks)


def pattern_count(ordinary: int, marked: bool) -> int:
    """At most this many patterns are listed."""
    if marked:
        return int(2**ordinary * (ordinary + 1) * (ordinary + 2) // 2)
    return int(2 ** max(ordinary - 1, 0) * (ordinary // 2 + 1))


def _block(first: int, second: int, place: int | None) -> Signs:
    """Patterns with groups of these sizes; the marked coordinate is number `place` of the first group, with sign +."""
    inside = first + (place is not None)
    total = inside + second
    sequences = np.array(list(itertools.product((1.0, -1.0), repeat=total)))
    fixed = place if place is not None else 0
    sequences = sequences[sequences[:, fixed] > 0]
    if place:
        # Neighbours of one sign in a sequence are twins: the marked one goes first.
        sequences = sequences[sequences[:, place - 1] < 0]
    order = np.maximum.outer(np.arange(total), np.arange(total))
    matrices = sequences[:, order]
    matrices[:, :inside, inside:] = matrices[:, inside:, :inside] = 1.0
    if place is not None:
        kept = [*(i for i in range(total) if i != place), place]
        matrices = matrices[:, kept][:, :, kept]
    return matrices


def plain_patterns(ordinary: int) -> Signs:
    """The patterns of a marked coordinate in which each group of ordinary coordinates has one sign: a few dozen."""
    matrices = []
    for first in range(ordinary + 1):
        for near, far, outermost in itertools.product((1.0, -1.0), (1.0, -1.0), (False, True)):
            matrix = np.ones((ordinary + 1, ordinary + 1))
            matrix[:first, :first] = near
            matrix[first:-1, first:-1] = far
            # With the marked one innermost, its row has the group's sign; outermost, its own sign +.
            matrix[:first, -1] = matrix[-1, :first] = 1.0 if outermost else near
            matrices.append(matrix)
    return np.array(matrices)
