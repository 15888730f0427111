"""The L-shape, whose least eigenvalue is published to fifteen digits."""

from __future__ import annotations

from noiseproof.mechanisms.optimal_noise import Polygon


def l_shape(side: float = 1.0, corner: tuple[float, float] = (0.0, 0.0)) -> Polygon:
    """Three squares of length `side` > 0 around the re-entrant corner at `corner`; the fourth, below right, is missing."""
    if not side > 0:
        raise ValueError(f"side must be > 0, got {side!r}")
    x, y = corner
    steps = ((0, 0), (0, -1), (-1, -1), (-1, 1), (1, 1), (1, 0))
    return Polygon([(x + i * side, y + j * side) for i, j in steps])
