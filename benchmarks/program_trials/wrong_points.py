"""Feasible points that are said to be minimisers and are off by 1e-2 to 1e-6, each with a feasible point that is better.

The last two lie outside of the feasible set by about as much: they are refuted by their constraint, not by a better point.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class WrongPoint:
    """The point, its largest distance in one entry from the minimiser, and a better point (the minimiser, or near it)."""

    program: str
    point: tuple[str, ...]
    off: str
    better: tuple[str, ...] = ()
    outside: bool = False


WRONG_POINTS = (
    WrongPoint("linear, a vertex", ("199/100", "6"), "1/100", ("2", "6")),
    WrongPoint("least norm on a plane", ("501/500", "1999/1000", "3"), "1/500", ("1", "2", "3")),
    WrongPoint("quadratic under a line", ("14999/10000", "5001/10000"), "1/10000", ("3/2", "1/2")),
    WrongPoint("hard margin", ("100001/100000", "0", "-1"), "1/100000", ("1", "0", "-1")),
    WrongPoint("projection on a box", ("999999/1000000", "0", "1/2"), "1/1000000", ("1", "0", "1/2")),
    WrongPoint("projection on a simplex", ("751/1000", "249/1000", "0"), "1/1000", ("3/4", "1/4", "0")),
    WrongPoint("projection on an l1 ball", ("7499/10000", "-1/4"), "1/10000", ("3/4", "-1/4")),
    WrongPoint("water-filling", ("200001/100000", "99999/100000", "0"), "1/100000", ("2", "1", "0")),
    WrongPoint(
        "nearest positive semidefinite matrix", ("1501/1000", "3/2", "3/2"), "1/1000", ("3/2", "3/2", "3/2")
    ),
    WrongPoint("trust region, indefinite", ("59/100", "4/5"), "1/100", ("3/5", "4/5")),
    WrongPoint("double well", ("1000001/1000000",), "1/1000000", ("1",)),
    WrongPoint("Rosenbrock's valley", ("10001/10000", "5001/5000"), "1/5000", ("1", "1")),
    WrongPoint("linear on a disc", ("-2000001/1000000", "-3"), "1/1000000", outside=True),
    WrongPoint("hard margin", ("9999/10000", "0", "-1"), "1/10000", outside=True),
)
