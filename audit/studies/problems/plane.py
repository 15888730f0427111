"""Pictures in the plane as data: regions bounded by rings, level lines, points."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import sympy as sp

from ....symbolic.arrays import Floats

Ring = tuple[tuple[float, float], ...]
At = Mapping[sp.Symbol, sp.Expr]


@dataclass(frozen=True)
class Area:
    """A part of the plane: inside an odd number of its rings."""

    name: str
    rings: tuple[Ring, ...]


@dataclass(frozen=True)
class Curve:
    """A line through points, or single points where `marks` is said."""

    name: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    marks: bool = False


@dataclass(frozen=True)
class Plane:
    """A picture: `x` and `y` are the ends of its axes."""

    figure: str
    title: str
    x_label: str
    y_label: str
    x: tuple[float, float]
    y: tuple[float, float]
    areas: tuple[Area, ...] = ()
    curves: tuple[Curve, ...] = ()
    note: str = ""


@dataclass(frozen=True)
class Pictures:
    """Figures of either kind."""

    series: tuple[Any, ...] = ()
    planes: tuple[Plane, ...] = field(default=())


def numeric(expressions: Sequence[sp.Expr], symbols: Sequence[sp.Symbol]) -> Callable[..., Floats]:
    """The least of the expressions as a function of arrays, -inf where one of them is no real number; inf for none of them."""
    made = [sp.lambdify(list(symbols), e, "numpy") for e in expressions]

    def least(*arrays: Floats) -> Floats:
        low = np.full(np.broadcast(*arrays).shape, np.inf)
        with np.errstate(all="ignore"):
            for f in made:
                value = np.asarray(f(*arrays), dtype=complex) + np.zeros(low.shape)
                real = np.where(np.abs(value.imag) < 1e-12, value.real, np.nan)
                low = np.minimum(low, np.where(np.isfinite(real), real, -np.inf))
        return low

    return least


def rings_of(level: Floats, x: Floats, y: Floats) -> tuple[Ring, ...]:
    """The rings around the part of a grid, level of shape (len(y), len(x)), in which the level is at least 0."""
    finite = np.clip(level, -1e9, 1e9)
    if finite.min() >= 0:
        return (((x[0], y[0]), (x[-1], y[0]), (x[-1], y[-1]), (x[0], y[-1])),)
    if finite.max() < 0:
        return ()
    drawn = _axes().contourf(x, y, finite, levels=[0.0, 2e9])
    return tuple(ring for path in drawn.get_paths() for ring in _rings(path, closed=True))


def _axes() -> Any:
    """Axes that nobody sees, whose contours are computed."""
    from matplotlib.figure import Figure

    return Figure().add_subplot()


def _rings(path: Any, closed: bool) -> list[Ring]:
    # What matplotlib leaves out as too small to see is measured in pixels, and these are no pixels.
    path.should_simplify = False
    return [
        tuple((float(f"{p:.7g}"), float(f"{q:.7g}")) for p, q in ring)
        for ring in path.to_polygons(closed_only=closed)
    ]


def levels_of(
    values: Floats, inside: Floats, x: Floats, y: Floats, count: int = 5
) -> list[tuple[float, list[Ring]]]:
    """Lines along which a function on a grid is constant, where `inside` is at least 0."""
    kept = np.where((inside >= 0) & np.isfinite(values), values, np.nan)
    if not np.isfinite(kept).any():
        return []
    heights = np.unique(np.quantile(kept[np.isfinite(kept)], np.linspace(0.35, 0.97, count)))
    if len(heights) < 2:
        return []
    drawn = _axes().contour(x, y, np.ma.masked_invalid(kept), levels=heights)
    rows = zip(heights, drawn.get_paths(), strict=True)
    return [(float(h), _rings(path, closed=False)) for h, path in rows]


def span(lower: sp.Expr, upper: sp.Expr, value: float) -> tuple[float, float]:
    """Ends of an axis inside of a parameter's domain, around a value."""
    low, high = (float(e) for e in (lower, upper))
    if np.isfinite(low) and np.isfinite(high):
        return low + 0.01 * (high - low), high - 0.01 * (high - low)
    if np.isfinite(low):
        return low + 0.02 * (value - low), low + 3 * (value - low)
    if np.isfinite(high):
        return high - 3 * (high - value), high - 0.02 * (high - value)
    size = 3 * max(1.0, abs(value))
    return value - size, value + size
