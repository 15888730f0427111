"""Supports given as triangles: a connected set without overlaps, holes allowed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...symbolic.arrays import Floats
from .polygon import integers, meet, turn
from .supports import Support, number

Whole = NDArray[np.int64]


@dataclass(frozen=True)
class Mesh(Support):
    """The union of triangles: `vertices` are pairs of coordinates, `triangles` triples of their numbers (from 0).

    ValueError for triangles without area, hanging nodes, overlaps, and sets that are not connected through edges.
    """

    vertices: tuple[tuple[float, float], ...]
    triangles: tuple[tuple[int, int, int], ...]
    dimension = 2
    bounded = True

    def __init__(self, vertices: Sequence[Any], triangles: Sequence[Any]) -> None:
        points = tuple(tuple(point) for point in vertices)
        cells = tuple(tuple(int(i) for i in cell) for cell in triangles)
        if not cells:
            raise ValueError("W is empty: a mesh needs at least one triangle")
        for point in points:
            if len(point) != 2:
                raise ValueError(f"each vertex must be a pair of numbers, got {point!r}")
            for value in point:
                number(value, "each coordinate of a vertex")
        for cell in cells:
            if len(cell) != 3 or not all(0 <= i < len(points) for i in cell):
                raise ValueError(
                    f"each triangle must be three numbers of vertices below {len(points)}, got {cell}"
                )
        object.__setattr__(self, "vertices", points)
        object.__setattr__(self, "triangles", cells)
        _check(points, cells)


def boundary_edges(triangles: Whole) -> Whole:
    """The edges (k, 2) that belong to one triangle only."""
    edges = np.sort(triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
    unique, counts = np.unique(edges, axis=0, return_counts=True)
    return np.asarray(unique[counts == 1], dtype=np.int64)


def _check(points: tuple[Any, ...], cells: tuple[Any, ...]) -> None:
    exact = integers(points)
    owners: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for k, (a, b, c) in enumerate(cells):
        if turn(exact[a], exact[b], exact[c]) == 0:
            raise ValueError(f"triangle {k} has no area: leave it out")
        for i, j, opposite in ((a, b, c), (b, c, a), (c, a, b)):
            owners.setdefault((min(i, j), max(i, j)), []).append((k, opposite))
    for (i, j), sides in owners.items():
        signs = [turn(exact[i], exact[j], exact[opposite]) > 0 for _, opposite in sides]
        if len(sides) > 2 or len(set(signs)) < len(sides):
            raise ValueError(
                f"triangles {[k for k, _ in sides]} overlap: they lie on one side of edge {i}-{j}"
            )
    _connected(len(cells), [[k for k, _ in sides] for sides in owners.values() if len(sides) == 2])
    _boundary(exact, [edge for edge, sides in owners.items() if len(sides) == 1])
    _angles(np.array(points, dtype=float), np.array(cells))


def _angles(points: Floats, cells: Whole) -> None:
    """No vertex is wound about twice; with edges without folds and a simple boundary nothing is then covered twice."""
    total = np.zeros(len(points))
    for i in range(3):
        corner, b, c = (points[cells[:, (i + k) % 3]] for k in range(3))
        (ux, uy), (vx, vy) = (b - corner).T, (c - corner).T
        np.add.at(total, cells[:, i], np.arctan2(np.abs(ux * vy - uy * vx), ux * vx + uy * vy))
    if np.any(total > 3 * np.pi):
        raise ValueError(
            f"triangles overlap around vertex {int(np.argmax(total))}: they go round it more than once"
        )


def _connected(count: int, pairs: list[list[int]]) -> None:
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    rows = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    graph = coo_array((np.ones(len(rows)), (rows[:, 0], rows[:, 1])), shape=(count, count))
    found = int(connected_components(graph, directed=False)[0])
    if found > 1:
        raise ValueError(
            f"W falls into {found} pieces that share no edge: the least eigenvalue is that of one piece, or is multiple, "
            "and no optimal density is positive on all of W. Solve each piece and keep the least cost"
        )


def _boundary(exact: list[tuple[int, int]], edges: list[tuple[int, int]]) -> None:
    ends = np.bincount(np.array(edges).ravel(), minlength=len(exact))
    if np.any(ends > 2):
        raise ValueError(
            f"the boundary of W passes twice through vertex {int(np.argmax(ends))}: move the pieces apart, or join them "
            "through an edge"
        )
    low = [min(exact[i][0], exact[j][0]) for i, j in edges]
    order = sorted(range(len(edges)), key=low.__getitem__)
    for place, first in enumerate(order):
        i, j = edges[first]
        for second in order[place + 1 :]:
            if low[second] > max(exact[i][0], exact[j][0]):
                break
            k, m = edges[second]
            shared = {i, j} & {k, m}
            if not shared:
                crossing = meet(exact[i], exact[j], exact[k], exact[m])
            else:
                (common,) = shared
                a, b = ({i, j} - shared).pop(), ({k, m} - shared).pop()
                inner = sum(
                    (exact[a][x] - exact[common][x]) * (exact[b][x] - exact[common][x]) for x in (0, 1)
                )
                crossing = turn(exact[common], exact[a], exact[b]) == 0 and inner > 0
            if crossing:
                raise ValueError(
                    f"boundary edges {i}-{j} and {k}-{m} meet: triangles overlap, or a vertex hangs in the middle of "
                    "an edge. Neighbouring triangles must share whole edges"
                )
