"""The program of shares among marginals, and where its searches with Laplace noise start and go."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from ...symbolic.arrays import Floats
from .gaussian_shares import gaussian_shares
from .laplace_shares import laplace_shares
from .marginal_space import MarginalSpace
from .share_program import ShareProgram


def marginal_program(space: MarginalSpace) -> ShareProgram:
    """A marginal tells of the components that it contains, at the price of its cells."""
    costs = space.costs()
    inside = (frozenset(i for i, s in enumerate(costs) if set(s) <= set(a)) for a in space.candidates)
    return ShareProgram(
        tuple(f"({', '.join(a)})" for a in space.candidates),
        tuple(Fraction(space.cells(a)) for a in space.candidates),
        tuple(inside),
        tuple(costs.values()),
    )


def marginal_shares(space: MarginalSpace, noise: str) -> Floats:
    """The shares of 1 of the candidates: the optimum for Gaussian noise, the best of many searches for Laplace noise."""
    program = marginal_program(space)
    if noise == "gaussian":
        return gaussian_shares(program)
    wanted = np.array([float(a in space.workload) for a in space.candidates])
    whole = np.eye(len(wanted))[program.incidence.all(axis=0)]
    return laplace_shares(
        program, [wanted / wanted.sum(), *whole], lambda shares: marginal_moves(space, shares)
    )


def marginal_moves(space: MarginalSpace, shares: Floats) -> list[Floats]:
    """A measured marginal left out, two as the one of all their columns, a column more or less."""
    place = {a: i for i, a in enumerate(space.candidates)}
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
