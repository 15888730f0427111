"""Triangulations of the planar supports: ears, flips to Delaunay, and refinement to a given length of edges."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...symbolic.arrays import Floats
from .polygon import Point, Polygon, integers, turn
from .supports import Disc, Support
from .triangulation import Mesh, boundary_edges

Whole = NDArray[np.int64]

MOST_TRIANGLES = 300_000
_FINER_AT_CORNERS = 10


@dataclass(frozen=True, eq=False)
class Triangles:
    """Points (p, 2) and triples of their numbers (t, 3)."""

    points: Floats
    cells: Whole

    @property
    def edges(self) -> Floats:
        """The edge vectors, shape (t, 3, 2)."""
        corners = self.points[self.cells]
        return np.asarray(corners[:, [1, 2, 0]] - corners, dtype=float)

    @property
    def areas(self) -> Floats:
        """The areas (t,)."""
        e = self.edges
        return np.asarray(np.abs(e[:, 0, 0] * e[:, 1, 1] - e[:, 0, 1] * e[:, 1, 0]) / 2, dtype=float)

    def diameters(self, metric: Floats | None = None) -> Floats:
        """The longest edge of each triangle, in the norm (e' metric e)^{1/2}."""
        e = self.edges
        squared = np.einsum("tij,jk,tik->ti", e, np.eye(2) if metric is None else metric, e)
        return np.asarray(np.sqrt(squared.max(axis=1)), dtype=float)

    def refined(self, marked: Whole | None = None) -> Triangles:
        """Every triangle cut into four, or the marked ones and what must follow cut at their longest edges."""
        from skfem import MeshTri

        mesh = MeshTri(self.points.T.copy(), self.cells.T.copy())
        fine = mesh.refined() if marked is None else mesh.refined(marked)
        return Triangles(np.asarray(fine.p.T, dtype=float), np.asarray(fine.t.T, dtype=np.int64))

    def moved(self, points: Floats) -> Triangles:
        """The same triangles on other points."""
        return Triangles(points, self.cells)


def extent(support: Support) -> float:
    """The diagonal of the smallest upright rectangle around W."""
    if isinstance(support, Disc):
        return float(2 * np.sqrt(2) * support.radius)
    points = _points(support)
    return float(np.linalg.norm(points.max(axis=0) - points.min(axis=0)))


def _points(support: Support) -> Floats:
    assert isinstance(support, Polygon | Mesh)
    return np.array(support.corners if isinstance(support, Polygon) else support.vertices, dtype=float)


def coarse(support: Support) -> tuple[Triangles, Whole]:
    """The fewest triangles for W, and the points at which its boundary turns inwards.

    A disc is replaced by an inscribed polygon, which `rounded` follows when it is refined.
    """
    if isinstance(support, Disc):
        spokes = np.array([[np.cos(t), np.sin(t)] for t in np.arange(6) * np.pi / 3])
        points = np.vstack([[0.0, 0.0], spokes])
        cells = np.array([[0, 1 + i, 1 + (i + 1) % 6] for i in range(6)])
        return Triangles(
            points * float(support.radius) + np.array(support.centre, dtype=float), cells
        ), np.array([], dtype=int)
    if isinstance(support, Mesh):
        return Triangles(_points(support), np.array(support.triangles)), np.array([], dtype=int)
    assert isinstance(support, Polygon)
    exact = integers(support.corners)
    n = len(exact)
    area = sum(turn((0, 0), exact[i], exact[(i + 1) % n]) for i in range(n))
    ring = list(range(n)) if area > 0 else list(range(n))[::-1]
    turns = [turn(exact[ring[i - 1]], exact[ring[i]], exact[ring[(i + 1) % n]]) for i in range(n)]
    inward = np.array([ring[i] for i in range(n) if turns[i] < 0], dtype=int)
    ring = [ring[i] for i in range(n) if turns[i] != 0]
    kept = np.array(sorted(ring))
    cells = np.searchsorted(kept, np.array(_ears(exact, ring)))
    return delaunay(Triangles(_points(support)[kept], cells)), np.searchsorted(kept, inward)


def rounded(support: Disc, triangles: Triangles) -> Triangles:
    """The points of the boundary moved onto the circle."""
    points, centre = triangles.points.copy(), np.array(support.centre, dtype=float)
    rim = np.unique(boundary_edges(triangles.cells))
    away = points[rim] - centre
    points[rim] = centre + away * (float(support.radius) / np.linalg.norm(away, axis=1))[:, None]
    return triangles.moved(points)


def circumscribed(support: Disc, triangles: Triangles) -> Triangles:
    """The inscribed polygon blown up until it contains the disc."""
    centre = np.array(support.centre, dtype=float)
    a, b = (triangles.points[side] - centre for side in boundary_edges(triangles.cells).T)
    distance = np.abs(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]) / np.linalg.norm(a - b, axis=1)
    factor = float(support.radius) / distance.min() * (1 + 1e-14)
    return triangles.moved(centre + factor * (triangles.points - centre))


def fine(support: Support, size: float) -> Triangles:
    """Triangles with edges of length at most `size`, much smaller ones where the boundary turns inwards."""
    triangles, inward = coarse(support)
    corners = triangles.points[inward]
    while True:
        long = triangles.diameters()
        marked = np.flatnonzero(long > size)
        if not len(marked):
            break
        # A bound from areas before the work is done: equilateral triangles of this size would be as many.
        if triangles.areas.sum() > 0.25 * MOST_TRIANGLES * size**2:
            raise ValueError(
                f"edges of at most {size:.3g} would make about {triangles.areas.sum() / (0.25 * size**2):.2g} triangles, "
                f"more than {MOST_TRIANGLES}: choose a larger mesh_size"
            )
        everywhere = isinstance(support, Disc) or len(marked) == len(long)
        triangles = triangles.refined(None if everywhere else marked)
        triangles = rounded(support, triangles) if isinstance(support, Disc) else delaunay(triangles)
    for _ in range(_FINER_AT_CORNERS if len(corners) else 0):
        touching = [np.flatnonzero((triangles.points == corner).all(axis=1)) for corner in corners]
        marked = np.flatnonzero(np.isin(triangles.cells, np.concatenate(touching)).any(axis=1))
        triangles = triangles.refined(marked)
    return triangles


def _ears(points: list[Point], ring: list[int]) -> list[tuple[int, int, int]]:
    """Triangles of a simple polygon with corners `ring`, counter-clockwise: ears are cut off one by one."""
    cells: list[tuple[int, int, int]] = []
    ring = list(ring)
    while len(ring) > 3:
        ear = next((i for i in range(len(ring)) if _is_ear(points, ring, i)), None)
        if ear is None:
            raise ValueError("no ear was found: the corners are not those of a simple polygon")
        cells.append((ring[ear - 1], ring[ear], ring[(ear + 1) % len(ring)]))
        del ring[ear]
    cells.append((ring[0], ring[1], ring[2]))
    return cells


def _is_ear(points: list[Point], ring: list[int], i: int) -> bool:
    """Whether corner i turns outwards and its triangle holds no other corner."""
    a, b, c = ring[i - 1], ring[i], ring[(i + 1) % len(ring)]
    if turn(points[a], points[b], points[c]) <= 0:
        return False
    others = (p for p in ring if p not in (a, b, c))
    return not any(_inside(points[a], points[b], points[c], points[p]) for p in others)


def _inside(a: Point, b: Point, c: Point, p: Point) -> bool:
    return turn(a, b, p) >= 0 and turn(b, c, p) >= 0 and turn(c, a, p) >= 0


def delaunay(triangles: Triangles, most: int = 20_000) -> Triangles:
    """Inner edges flipped until opposite angles add up to at most pi (Lawson): fewer long thin triangles."""
    if len(triangles.cells) > most:
        return triangles
    p = triangles.points.tolist()
    cells = [_oriented(p, list(cell)) for cell in triangles.cells.tolist()]
    owner: dict[tuple[int, int], int] = {}
    for k, (a, b, c) in enumerate(cells):
        owner.update({(a, b): k, (b, c): k, (c, a): k})
    waiting = [edge for edge in owner if edge[0] < edge[1]]
    for _ in range(100 * len(cells) + 1000):
        if not waiting:
            break
        i, j = waiting.pop()
        if (i, j) not in owner or (j, i) not in owner:
            continue
        one, two = owner[i, j], owner[j, i]
        k = next(v for v in cells[one] if v not in (i, j))
        m = next(v for v in cells[two] if v not in (i, j))
        if not _better(p[i], p[j], p[k], p[m]):
            continue
        del owner[i, j], owner[j, i]
        cells[one], cells[two] = [k, i, m], [m, j, k]
        for t in (one, two):
            a, b, c = cells[t]
            owner.update({(a, b): t, (b, c): t, (c, a): t})
        waiting += [(i, m), (m, j), (j, k), (k, i)]
        waiting = [edge if edge in owner else edge[::-1] for edge in waiting]
    return Triangles(triangles.points, np.array(cells, dtype=np.int64))


def _oriented(p: list[list[float]], cell: list[int]) -> list[int]:
    a, b, c = (p[i] for i in cell)
    return (
        cell if (b[0] - a[0]) * (c[1] - a[1]) > (b[1] - a[1]) * (c[0] - a[0]) else [cell[0], cell[2], cell[1]]
    )


def _better(i: list[float], j: list[float], k: list[float], m: list[float]) -> bool:
    """Whether the diagonal k-m of the quadrilateral i, m, j, k is better than i-j: angles at k and m above pi."""

    def angle(at: list[float]) -> tuple[float, float]:
        ax, ay, bx, by = i[0] - at[0], i[1] - at[1], j[0] - at[0], j[1] - at[1]
        return abs(ax * by - ay * bx), ax * bx + ay * by

    (s1, c1), (s2, c2) = angle(k), angle(m)
    return s1 * c2 + c1 * s2 < -1e-10 * (abs(s1) + abs(c1)) * (abs(s2) + abs(c2))
