"""Simple polygons, checked in exact arithmetic: no corner touches another side, whatever the orientation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .supports import Support, fraction, number

Point = tuple[int, int]
_MOST_CORNERS = 1000


@dataclass(frozen=True)
class Polygon(Support):
    """The inside of a closed polygon with corners in order, either way round; ValueError if it meets itself."""

    corners: tuple[tuple[float, float], ...]
    dimension = 2
    bounded = True

    def __init__(self, corners: Sequence[Any]) -> None:
        points = [tuple(point) for point in corners]
        for point in points:
            if len(point) != 2:
                raise ValueError(f"each corner must be a pair of numbers, got {point!r}")
            for value in point:
                number(value, "each coordinate of a corner")
        if not 3 <= len(points) <= _MOST_CORNERS:
            raise ValueError(
                f"a polygon needs 3 to {_MOST_CORNERS} corners, got {len(points)}: W is empty, or should be a Mesh"
            )
        object.__setattr__(self, "corners", tuple(points))
        _refuse_crossings(integers(points))

    @classmethod
    def regular(cls, sides: int, edge: float = 1.0) -> Polygon:
        """The regular polygon around 0 with `sides` edges of length `edge`."""
        if sides < 3 or not number(edge, "edge") > 0:
            raise ValueError(
                f"a regular polygon needs at least 3 sides of positive length, got {sides}, {edge!r}"
            )
        radius = edge / (2 * math.sin(math.pi / sides))
        turns = [2 * math.pi * i / sides for i in range(sides)]
        return cls([(radius * math.cos(t), radius * math.sin(t)) for t in turns])


def integers(points: Sequence[Sequence[Any]]) -> list[Point]:
    """The points, multiplied by one number that makes all coordinates whole: signs of areas are then exact."""
    pairs = [(fraction(x), fraction(y)) for x, y in points]
    scale = math.lcm(*(value.denominator for pair in pairs for value in pair))
    return [(int(x * scale), int(y * scale)) for x, y in pairs]


def turn(a: Point, b: Point, c: Point) -> int:
    """Twice the signed area of the triangle a, b, c, in units of `integers`."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _between(a: Point, b: Point, p: Point) -> bool:
    """Whether p, known to be in line with a and b, lies on the closed segment."""
    return min(a[0], b[0]) <= p[0] <= max(a[0], b[0]) and min(a[1], b[1]) <= p[1] <= max(a[1], b[1])


def meet(a: Point, b: Point, c: Point, d: Point) -> bool:
    """Whether the closed segments a-b and c-d have a point in common."""
    if max(a[0], b[0]) < min(c[0], d[0]) or max(c[0], d[0]) < min(a[0], b[0]):
        return False
    first, second, third, fourth = turn(a, b, c), turn(a, b, d), turn(c, d, a), turn(c, d, b)
    if (
        (first > 0) != (second > 0)
        and (third > 0) != (fourth > 0)
        and 0 not in (first, second, third, fourth)
    ):
        return True
    return (
        (first == 0 and _between(a, b, c))
        or (second == 0 and _between(a, b, d))
        or (third == 0 and _between(c, d, a))
        or (fourth == 0 and _between(c, d, b))
    )


def _refuse_crossings(points: list[Point]) -> None:
    n = len(points)
    why = "W is not the inside of one closed curve, and an inside is what the Dirichlet problem needs"
    for i in range(n):
        if points[i] == points[i - 1]:
            raise ValueError(f"corner {i} of the polygon is repeated: {why}; leave one of them out")
    for i in range(n):
        a, b = points[i], points[(i + 1) % n]
        after = points[(i + 2) % n]
        back = (a[0] - b[0]) * (after[0] - b[0]) + (a[1] - b[1]) * (after[1] - b[1])
        if turn(a, b, after) == 0 and back > 0:
            raise ValueError(
                f"the polygon turns back on itself at corner {(i + 1) % n}: {why}; the spike has no inside"
            )
        # Neighbouring sides share a corner; all others must not meet.
        for j in range(i + 2, n - (i == 0)):
            if meet(a, b, points[j], points[(j + 1) % n]):
                raise ValueError(
                    f"the polygon intersects itself: side {i} meets side {j}. {why}; order the corners along the boundary"
                )
