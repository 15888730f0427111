"""Which marginals to measure with Laplace noise: precisions are squares of shares, so that the program is not convex.

Few marginals with large shares beat many with small ones, and each subset of marginals has a minimum of its own: the best of many
searches is taken, and how far the optimum may be away is bounded by the convex program of Gaussian noise.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...symbolic.arrays import Floats
from .gaussian_shares import ShareProgram
from .marginal_space import Marginal, MarginalSpace

_STARTS, _CLIMBS, _MOVES, _STEPS = 40, 4, 600, 1_000
_SMALL, _SEED = 1e-4, 20_260_101


def laplace_value(program: ShareProgram, shares: Floats) -> float:
    """The objective sum c_S / p_S with p = incidence (shares^2 / cells)."""
    p = program.incidence @ (shares**2 / program.cells)
    return float((program.cost / p).sum()) if (p > 0).all() else float("inf")


def laplace_shares(space: MarginalSpace) -> Floats:
    """The best shares that were found, zeros included; they add up to 1."""
    program = ShareProgram.of(space)
    wanted = np.array([float(a in space.workload) for a in space.candidates])
    rng = np.random.default_rng(_SEED)
    k = len(wanted)
    starts = [wanted / wanted.sum(), np.full(k, 1 / k)]
    starts += [rng.dirichlet(np.full(k, 1.0 if i % 2 else 0.2)) for i in range(_STARTS)]
    starts += list(np.eye(k)[program.incidence.all(axis=0)])
    found = sorted((descended(program, start) for start in starts), key=lambda s: laplace_value(program, s))
    return min((moved(program, space, s) for s in found[:_CLIMBS]), key=lambda s: laplace_value(program, s))


def descended(program: ShareProgram, start: Floats) -> Floats:
    """A minimum near a start: shares^(4/3) times the cube root of their gain, over and over.

    By 1/p = min over q with sum q = 1 of sum q^2 / y the objective is at most a sum of multiples of 1 / shares^2, with equality at the
    shares: each step minimises that sum.  Shares that are nearly zero are left out.
    """
    shares, value = start, laplace_value(program, start)
    for step in range(_STEPS):
        p = program.incidence @ (shares**2 / program.cells)
        gains = program.incidence.T @ (program.cost / p**2) / program.cells
        shares = np.cbrt(shares**4 * gains)
        shares /= shares.sum()
        if step % 20 == 19:
            kept = np.where(shares > _SMALL, shares, 0.0)
            if np.isfinite(laplace_value(program, kept)):
                shares = kept / kept.sum()
            before, value = value, laplace_value(program, shares)
            if before - value < 1e-10 * value:
                break
    return shares


def moved(program: ShareProgram, space: MarginalSpace, shares: Floats) -> Floats:
    """The shares after moves that help: a marginal left out, two as one, a column more or less; at most so many are tried."""
    place = {a: i for i, a in enumerate(space.candidates)}
    best, value, left = shares, laplace_value(program, shares), _MOVES
    seen: set[frozenset[int]] = set()
    while left > 0:
        for start in _moves(space, place, best):
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


def _moves(space: MarginalSpace, place: dict[Marginal, int], shares: Floats) -> list[Floats]:
    used = [i for i, s in enumerate(shares) if s > 0]
    columns = {name for a in space.candidates for name in a}
    moves = []

    def move(out: Sequence[int], names: set[str] | None) -> None:
        marginal = None if names is None else space.canonical(names)
        if marginal is not None and marginal not in place:
            return
        start = shares.copy()
        start[list(out)] = 0.0
        if marginal is not None:
            start[place[marginal]] += shares[list(out)].sum()
        if start.any():
            moves.append(start / start.sum())

    for i in used:
        names = set(space.candidates[i])
        move([i], None)
        for j in used:
            if i < j:
                move([i, j], names | set(space.candidates[j]))
        for name in columns:
            move([i], names ^ {name})
    return moves
