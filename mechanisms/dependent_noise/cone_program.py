"""The discretised convex problem: laws on finitely many answers at finitely many x, as a second-order cone program."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...symbolic.arrays import Floats
from ...symbolic.programs.conic import solve


@dataclass(frozen=True)
class ConeSolution:
    """Probabilities (answers, nodes), a multiplier for each node's mass, and the program's optimal values."""

    probabilities: Floats
    multipliers: Floats
    value: float
    dual: float
    status: str


def solve_cones(
    resistances: Floats,
    possible: NDArray[np.bool_],
    potential: Floats | None = None,
    pinned: dict[int, Floats] | None = None,
) -> ConeSolution:
    """min over laws q_j of sum_j 4 |sqrt(q_j) - sqrt(q_{j+1})|^2 / resistance_j + sum potential q.

    `possible` says which answers may have mass at which node, shape (answers, nodes); `pinned` fixes the law at a
    node.  The squared chord between roots is jointly convex in the two laws: 2 - 2 sum s with s^2 <= q q', a
    rotated cone for each pair.  Raises ValueError where some node has no possible answer.
    """
    from scipy import sparse

    possible = possible.copy()
    pinned = pinned or {}
    for node, law in pinned.items():
        possible[:, node] = law > 0
    if not possible.any(axis=0).all():
        node = int(np.flatnonzero(~possible.any(axis=0))[0])
        raise ValueError(f"no answer is possible at node {node}: take more answers, or a wider W")
    nodes = possible.shape[1]
    place = np.argwhere(possible.T)[:, ::-1]
    number = np.full(possible.shape, -1)
    number[tuple(place.T)] = np.arange(len(place))
    pair = np.argwhere(possible[:, :-1] & possible[:, 1:])
    masses, shared = len(place), len(pair)
    rate = np.where(np.isinf(resistances), 0.0, 4 / resistances)

    objective = np.concatenate([np.zeros(masses), -2 * rate[pair[:, 1]]])
    if potential is not None:
        objective[:masses] = potential[tuple(place.T)]
    here, there = number[pair[:, 0], pair[:, 1]], number[pair[:, 0], pair[:, 1] + 1]
    row, column = 3 * np.arange(shared), masses + np.arange(shared)
    half, one = np.full(shared, 0.5), np.ones(shared)
    entries = (
        np.concatenate([-half, -half, -half, half, -one]),
        (
            np.concatenate([row, row, row + 1, row + 1, row + 2]),
            np.concatenate([here, there, here, there, column]),
        ),
    )
    size = masses + shared
    fixed = [(number[i, j], law[i]) for j, law in pinned.items() for i in np.flatnonzero(law > 0)]
    total = sparse.csc_matrix((np.ones(masses), (place[:, 1], np.arange(masses))), shape=(nodes, size))
    # A pinned node's total is implied by its entries: the row is left out, so that rows stay independent.
    free = np.array([j for j in range(nodes) if j not in pinned])
    pins = sparse.csc_matrix(
        (np.ones(len(fixed)), (np.arange(len(fixed)), [k for k, _ in fixed])), shape=(len(fixed), size)
    )
    constraints = sparse.vstack(
        [total[free], pins, -sparse.eye(masses, size), sparse.csc_matrix(entries, shape=(3 * shared, size))]
    )
    right = np.concatenate(
        [np.ones(len(free)), [law for _, law in fixed], np.zeros(masses), np.zeros(3 * shared)]
    )
    solution = solve(
        objective, constraints, right, zero=len(free) + len(fixed), nonnegative=masses, lorentz=(3,) * shared
    )

    table = np.zeros(possible.shape)
    table[tuple(place.T)] = np.maximum(np.array(solution.x[:masses]), 0.0)
    for node, law in pinned.items():
        table[:, node] = law
    table /= table.sum(axis=0)
    constant = 2 * float(rate.sum())
    multipliers = np.zeros(nodes)
    multipliers[free] = -np.array(solution.z[: len(free)])
    multipliers[:-1] += rate
    multipliers[1:] += rate
    value, dual = constant + solution.obj_val, constant + solution.obj_val_dual
    return ConeSolution(table, multipliers, float(value), float(dual), str(solution.status))
