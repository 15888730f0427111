"""Optimal noise: bad input says which mathematics is missing, certificates refuse what contradicts them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from noiseproof.mechanisms.optimal_noise import (
    Box,
    Disc,
    HalfLine,
    Interval,
    Mesh,
    OptimalityCertificate,
    Polygon,
    WholeSpace,
    optimal_noise,
)
from noiseproof.symbolic.proof.truth import Truth

SQUARE = Polygon([(0, 0), (1, 0), (1, 1), (0, 1)])

BAD: dict[str, tuple[Any, str]] = {
    "empty interval": (lambda: Interval(1, 1), "no interior"),
    "reversed interval": (lambda: Interval(2, 1), "lower < upper"),
    "infinite interval": (lambda: Interval(0, np.inf), "upper must be finite"),
    "nan": (lambda: HalfLine(np.nan), "must be finite"),
    "empty box": (lambda: Box((0, 0), (1, 0)), "no interior"),
    "lengths of a box": (lambda: Box((0, 0), (1,)), "as many lower as upper"),
    "dimension": (lambda: WholeSpace(0), "whole number >= 1"),
    "half-line without price": (lambda: optimal_noise(HalfLine(0)), "infimum 0, which no density attains"),
    "space without price": (lambda: optimal_noise(WholeSpace(2)), "unbounded and rho = 0"),
    "quadrant without price": (lambda: optimal_noise(Box((0, 0), (1, np.inf))), "unbounded and rho = 0"),
    "negative price": (lambda: optimal_noise(Interval(0, 1), -1), "rewards noise"),
    "no support": (lambda: optimal_noise([0, 1]), "support must be one of"),  # type: ignore[arg-type]
    "rows of the query": (lambda: optimal_noise(Interval(0, 1), 1, np.eye(2)), "1 rows"),
    "singular query": (lambda: optimal_noise(WholeSpace(2), 1, [[1, 2], [2, 4]]), "not elliptic"),
    "tall query": (lambda: optimal_noise(WholeSpace(2), 1, [[1], [2]]), "full row rank"),
    "zero query": (lambda: optimal_noise(Interval(0, 1), 1, [0, 0]), "full row rank"),
    "oblique box in space": (
        lambda: optimal_noise(Box((0,) * 3, (1,) * 3), 1, np.eye(3) + 0.1),
        "does not separate in a box of R",
    ),
    "mesh on a line": (lambda: optimal_noise(Interval(0, 1), 1, mesh_size=0.1), "needs no mesh"),
    "out of resolution": (lambda: optimal_noise(Interval(10**9, 10**9 + 1), 1), "does not resolve"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_says_what_is_missing(case: str) -> None:
    call, message = BAD[case]
    with pytest.raises(ValueError, match=message):
        call()


def test_a_certificate_refuses_a_bound_above_its_cost() -> None:
    with pytest.raises(ValueError, match="above an attained cost"):
        OptimalityCertificate(1.0, 1.1, "", (), True, 0.0, "")
    loose = OptimalityCertificate(1.0, 0.9, "", (), False, 0.0, "")
    assert loose.judge(0.95) is Truth.UNKNOWN
    assert loose.gap == pytest.approx(1 / 9)


BAD_SETS: dict[str, tuple[Any, str]] = {
    "bow tie": (lambda: Polygon([(0, 0), (1, 1), (1, 0), (0, 1)]), "intersects itself"),
    "touching corner": (lambda: Polygon([(0, 0), (2, 0), (2, 2), (1, 0), (0, 2)]), "intersects itself"),
    "spike": (lambda: Polygon([(0, 0), (2, 0), (1, 0), (1, 1)]), "turns back on itself"),
    "repeated corner": (lambda: Polygon([(0, 0), (1, 0), (1, 0), (0, 1)]), "repeated"),
    "no area": (lambda: Polygon([(0, 0), (1, 1), (2, 2)]), "turns back|intersects"),
    "two corners": (lambda: Polygon([(0, 0), (1, 0)]), "3 to 1000 corners"),
    "three coordinates": (lambda: Polygon([(0, 0, 0), (1, 0, 0), (0, 1, 0)]), "pair of numbers"),
    "infinite corner": (lambda: Polygon([(0, 0), (1, 0), (0, np.inf)]), "must be finite"),
    "no radius": (lambda: Disc(0), "radius must be > 0"),
    "empty mesh": (lambda: Mesh([(0, 0)], []), "W is empty"),
    "number of a vertex": (lambda: Mesh([(0, 0), (1, 0), (0, 1)], [(0, 1, 3)]), "below 3"),
    "flat triangle": (lambda: Mesh([(0, 0), (1, 0), (2, 0)], [(0, 1, 2)]), "no area"),
    "two pieces": (
        lambda: Mesh([(0, 0), (1, 0), (0, 1), (5, 5), (6, 5), (5, 6)], [(0, 1, 2), (3, 4, 5)]),
        "falls into 2 pieces",
    ),
    "pieces joined at a point": (
        lambda: Mesh([(0, 0), (1, 0), (0, 1), (-1, 0), (0, -1)], [(0, 1, 2), (0, 3, 4)]),
        "falls into 2 pieces",
    ),
    "fold": (lambda: Mesh([(0, 0), (1, 0), (0, 1), (1, 1)], [(0, 1, 2), (0, 1, 3)]), "overlap"),
    "hanging node": (
        lambda: Mesh(
            [(0, 0), (2, 0), (1, 0), (1, 1), (0, -1), (2, -1)],
            [(0, 1, 3), (0, 2, 4), (2, 1, 5), (2, 4, 5), (0, 3, 4)],
        ),
        "overlap|meet|hangs",
    ),
    "wound twice": (
        lambda: Mesh(
            [
                (0, 0),
                *[(np.cos(t) * (1 + t / 9), np.sin(t) * (1 + t / 9)) for t in np.arange(9) * np.pi / 2.2],
            ],
            [(0, i, i + 1) for i in range(1, 9)] + [(0, 9, 1)],
        ),
        "overlap|twice|meet",
    ),
    "too fine": (lambda: optimal_noise(SQUARE, mesh_size=1e-5), "choose a larger mesh_size"),
    "no size": (lambda: optimal_noise(SQUARE, mesh_size=0.0), "must be > 0"),
    "degree": (lambda: optimal_noise(SQUARE, degree=3), "degree must be 1 or 2"),
    "oblique quadrant": (
        lambda: optimal_noise(Box((0, 0), (np.inf, 1)), 1, [[1, 0.5], [0, 1]]),
        "bounded sets in the plane only",
    ),
    "query of the wrong height": (lambda: optimal_noise(SQUARE, query=[[1.0, 2.0]]), "2 rows"),
}


@pytest.mark.parametrize("case", BAD_SETS)
def test_bad_sets_say_what_is_missing(case: str) -> None:
    call, message = BAD_SETS[case]
    with pytest.raises(ValueError, match=message):
        call()
