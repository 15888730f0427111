"""Good shares of measurements with Laplace noise: precisions are squares of shares, so that the program is not convex.

Few measurements with large shares beat many with small ones, and each subset of them has a minimum of its own: the best of many
searches is taken, and how far the optimum may be away is bounded by the convex program of Gaussian noise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from ...symbolic.arrays import Floats
from .share_program import ShareProgram

_STARTS, _CLIMBS, _MOVES, _STEPS = 40, 4, 600, 1_000
_SMALL, _SEED = 1e-4, 20_260_101

Moves = Callable[[Floats], Iterable[Floats]]


def laplace_value(program: ShareProgram, shares: Floats) -> float:
    """The objective at the squares of the shares."""
    return program.value(shares**2)


def laplace_shares(program: ShareProgram, starts: Sequence[Floats], moves: Moves) -> Floats:
    """The best shares of 1 that were found, zeros included, from the starts and from random ones; `moves` gives shares to try next."""
    rng = np.random.default_rng(_SEED)
    k = len(program.price)
    wide = [np.full(k, 1 / k), *(rng.dirichlet(np.full(k, 1.0 if i % 2 else 0.2)) for i in range(_STARTS))]
    finite = [s for s in (*starts, *wide) if np.isfinite(laplace_value(program, s))]
    found = sorted((descended(program, s) for s in finite), key=lambda s: laplace_value(program, s))
    best = (moved(program, s, moves) for s in found[:_CLIMBS])
    return min(best, key=lambda s: laplace_value(program, s))


def descended(program: ShareProgram, start: Floats) -> Floats:
    """A minimum near a start: shares^(4/3) times the cube root of their gain, over and over.

    By 1/p = min over q with sum q = 1 of sum q^2 / y the objective is at most a sum of multiples of 1 / shares^2, with equality at the
    shares: each step minimises that sum.  Shares that are nearly zero are left out.
    """
    shares, value = start, laplace_value(program, start)
    for step in range(_STEPS):
        shares = np.cbrt(shares**4 * program.gains(shares**2))
        shares /= shares.sum()
        if step % 20 == 19:
            kept = np.where(shares > _SMALL, shares, 0.0)
            if np.isfinite(laplace_value(program, kept)):
                shares = kept / kept.sum()
            before, value = value, laplace_value(program, shares)
            if before - value < 1e-10 * value:
                break
    return shares


def moved(program: ShareProgram, shares: Floats, moves: Moves) -> Floats:
    """The shares after moves that help; of each support one is tried, and at most so many in all."""
    best, value, left = shares, laplace_value(program, shares), _MOVES
    seen: set[frozenset[int]] = set()
    while left > 0:
        for start in moves(best):
            support = frozenset(np.flatnonzero(start).tolist())
            if support in seen:
                continue
            seen.add(support)
            left -= 1
            if not np.isfinite(laplace_value(program, start)):
                continue
            trial = descended(program, start)
            if laplace_value(program, trial) < value * (1 - 1e-9):
                best, value = trial, laplace_value(program, trial)
                break
            if left == 0:
                return best
        else:
            return best
    return best
