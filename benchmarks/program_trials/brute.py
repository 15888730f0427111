"""Minima by brute force, apart from any engine: faces of a polyhedron in fractions, roots of a polynomial, dense grids with refinement."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations, product

import numpy as np
from scipy.optimize import linprog, minimize

Row = list[Fraction]
Matrix = list[Row]
Array = np.ndarray


def solved(matrix: Matrix, right: Row) -> Row | None:
    """The solution of a square system in fractions, None where it is singular."""
    n = len(matrix)
    rows = [[*row, b] for row, b in zip(matrix, right, strict=True)]
    for k in range(n):
        pivot = next((i for i in range(k, n) if rows[i][k] != 0), None)
        if pivot is None:
            return None
        rows[k], rows[pivot] = rows[pivot], rows[k]
        rows[k] = [e / rows[k][k] for e in rows[k]]
        for i in range(n):
            if i != k and rows[i][k] != 0:
                rows[i] = [a - rows[i][k] * b for a, b in zip(rows[i], rows[k], strict=True)]
    return [row[n] for row in rows]


def dot(a: Row, b: Row) -> Fraction:
    return sum((x * y for x, y in zip(a, b, strict=True)), Fraction(0))


def quadratic_value(hessian: Matrix, slope: Row, x: Row) -> Fraction:
    return dot(x, [dot(row, x) for row in hessian]) / 2 + dot(slope, x)


def least_on_polytope(
    hessian: Matrix, slope: Row, below: Matrix, ends: Row, equal: Matrix, right: Row
) -> tuple[Fraction, list[Row]] | None:
    """The least x'Hx/2 + c'x on a bounded polyhedron, and its isolated stationary points of that value; None if it is empty.

    A quadratic function, convex or not, has a minimiser inside of some face where the stationary system of that face is not
    singular: along a direction without curvature one can move to a smaller face.
    """
    n, found = len(slope), []
    for size in range(n + 1):
        for rows in combinations(range(len(below)), size):
            tight = [below[k] for k in rows] + equal
            level = [ends[k] for k in rows] + right
            for kept in _independent(tight, level, n):
                x = _stationary(hessian, slope, *kept)
                if x is not None and _inside(x, below, ends, equal, right):
                    found.append((quadratic_value(hessian, slope, x), x))
    if not found:
        return None
    best = min(v for v, _ in found)
    return best, [list(p) for p in {tuple(x) for v, x in found if v == best}]


def _independent(tight: Matrix, level: Row, n: int) -> list[tuple[Matrix, Row]]:
    """All of the rows, or those subsets that are independent where equations repeat each other."""
    if len(tight) <= 1 or np.linalg.matrix_rank(np.array(tight, dtype=float)) == len(tight):
        return [(tight, level)] if len(tight) <= n else []
    rank = int(np.linalg.matrix_rank(np.array(tight, dtype=float)))
    return [
        ([tight[k] for k in rows], [level[k] for k in rows])
        for rows in combinations(range(len(tight)), rank)
        if np.linalg.matrix_rank(np.array([tight[k] for k in rows], dtype=float)) == rank
    ][:1]


def _stationary(hessian: Matrix, slope: Row, tight: Matrix, level: Row) -> Row | None:
    n, m = len(slope), len(tight)
    system = [[*hessian[i], *(tight[k][i] for k in range(m))] for i in range(n)]
    system += [[*tight[k], *[Fraction(0)] * m] for k in range(m)]
    answer = solved(system, [-c for c in slope] + level)
    return None if answer is None else answer[:n]


def _inside(x: Row, below: Matrix, ends: Row, equal: Matrix, right: Row) -> bool:
    return all(dot(a, x) <= b for a, b in zip(below, ends, strict=True)) and all(
        dot(a, x) == b for a, b in zip(equal, right, strict=True)
    )


def linear_status(slope: Row, below: Matrix, ends: Row, equal: Matrix, right: Row) -> str:
    """What HiGHS says of a linear program."""
    found = linprog(
        np.array(slope, dtype=float),
        A_ub=np.array(below, dtype=float) if below else None,
        b_ub=np.array(ends, dtype=float) if below else None,
        A_eq=np.array(equal, dtype=float) if equal else None,
        b_eq=np.array(right, dtype=float) if equal else None,
        bounds=(None, None),
    )
    return {0: "optimal", 2: "infeasible", 3: "unbounded"}.get(found.status, "unknown")


def least_of_polynomial(coefficients: list[int], low: Fraction, high: Fraction) -> tuple[float, list[float]]:
    """The least value of a polynomial (highest power first) on an interval, from the roots of its derivative."""
    roots = np.roots(np.polyder(np.array(coefficients, dtype=float)))
    inner = [float(r.real) for r in roots if abs(r.imag) < 1e-7 and float(low) < r.real < float(high)]
    points = [float(low), float(high), *inner]
    values = [float(np.polyval(coefficients, p)) for p in points]
    return min(values), [p for p, v in zip(points, values, strict=True) if v < min(values) + 1e-9]


def least_on_grid(
    objective: Callable[..., Array],
    below: Callable[..., list[Array]],
    box: list[tuple[float, float]],
    steps: int,
) -> tuple[float, list[Array]] | None:
    """The least value on the feasible points of a grid, refined from the best ones and from one per part of the box."""
    axes = np.meshgrid(*[np.linspace(lo, hi, steps) for lo, hi in box], indexing="ij")
    grid = [a.ravel() for a in axes]
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        inside = np.all(
            [np.broadcast_to(g, grid[0].shape) <= 1e-12 for g in below(*grid)] or [grid[0] < np.inf], axis=0
        )
        values = np.where(inside, np.broadcast_to(objective(*grid), grid[0].shape), np.inf)
        if not np.isfinite(values).any():
            return None
        order = np.argsort(values)[: 40 if len(box) > 1 else 10]
        starts = [np.array([g[k] for g in grid]) for k in order if np.isfinite(values[k])]
        starts += [_best_of_part(grid, values, box, part) for part in product((0, 1), repeat=len(box))]
        refined = [_refined(objective, below, box, s) for s in starts if s is not None]
    ends = [*refined, *((float(values[k]), np.array([g[k] for g in grid])) for k in order[:1])]
    best = min(v for v, _ in ends)
    return best, _apart([x for v, x in sorted(ends, key=lambda e: e[0]) if v < best + 1e-9])


def _apart(points: list[Array]) -> list[Array]:
    """One of those that lie together."""
    kept: list[Array] = []
    for x in points:
        if all(np.abs(x - y).max() > 1e-3 for y in kept):
            kept.append(x)
    return kept


def _best_of_part(
    grid: list[Array], values: Array, box: list[tuple[float, float]], part: tuple[int, ...]
) -> Array | None:
    middle = [(lo + hi) / 2 for lo, hi in box]
    here = np.all([(g > m) == bool(p) for g, m, p in zip(grid, middle, part, strict=True)], axis=0)
    masked = np.where(here, values, np.inf)
    k = int(np.argmin(masked))
    return np.array([g[k] for g in grid]) if np.isfinite(masked[k]) else None


def _refined(
    objective: Callable[..., Array],
    below: Callable[..., list[Array]],
    box: list[tuple[float, float]],
    start: Array,
) -> tuple[float, Array]:
    found = minimize(
        lambda x: float(objective(*x)),
        start,
        method="SLSQP",
        bounds=box,
        constraints=[{"type": "ineq", "fun": lambda x: -np.array([float(g) for g in below(*x)])}]
        if below(*start)
        else [],
        options={"ftol": 1e-14, "maxiter": 300},
    )
    x = np.clip(found.x, [lo for lo, _ in box], [hi for _, hi in box])
    outside = max([float(g) for g in below(*x)], default=0.0)
    value = float(objective(*x))
    # A point outside by rounding has a value that is too low by about as much: it is kept only if that cannot matter.
    return (value, x) if outside < 1e-11 and np.isfinite(value) else (np.inf, x)
