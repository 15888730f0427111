"""Pairs of records that move second moments the most, and raw data that become such a pair inside the pipeline.

The mean is released first, then the records are centred by it.  For unit vectors f, g in R^p choose alpha > 0, beta and
h = (alpha f - beta g)/2 of length one.  Raw records u = W h and v = -u then satisfy u - mu = alpha W f and
v - mu = beta W g for mu = u - alpha W f: near this outcome of the mean they are centred, normalised and projected to f and
g.  With u constant, the same outcome lies beyond both centres of the mean in every attribute, so that the mean has its
largest loss there too, and the two losses add.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import sqrt
from typing import Any

import numpy as np
import sympy as sp
from scipy import optimize

from ...symbolic.arrays import Floats
from ...symbolic.proof.derivation import Step
from ...symbolic.proof.enclosure import rational
from ..covariance import LaplaceCovariance

ALPHA = sp.Rational(3, 10)


@dataclass(frozen=True, eq=False)
class Extreme:
    """Unit vectors f, g (p,) with labels y, z (0 without labels), their cosine, and n times how far they move the entries in L1.

    `shares` are the parts of that distance that entries of records, of records with labels, and of labels have.
    """

    f: Floats
    g: Floats
    y: float
    z: float
    cosine: sp.Expr
    distance: sp.Expr
    shares: tuple[sp.Expr, sp.Expr, sp.Expr]


def extreme(p: int, symmetric: bool) -> Extreme:
    """The pair on two blocks that `LaplaceCovariance` attains; for all entries of even or odd p no pair moves further."""
    twin = LaplaceCovariance(p, 1, 1.0, symmetric)
    (pair,) = twin.neighbours()
    f, g = (records[0] for records in pair)
    distance = twin.worst_case().pair.max_loss()
    return Extreme(f, g, 0.0, 0.0, sp.Integer(0), distance, (distance, sp.Integer(0), sp.Integer(0)))


@cache
def extreme_augmented(p: int, a: sp.Rational, symmetric: bool) -> Extreme:
    """The best pair found that is constant on two blocks, with labels in [-a, a]: its distance is exact, its being best is not claimed."""
    best: tuple[float, int, Floats] = (-np.inf, 0, np.zeros(3))
    grid = np.linspace(-np.pi / 2, np.pi / 2, 25)
    for first in range((p + 1) // 2, p):
        one, two, share = np.meshgrid(grid, grid, np.linspace(-1, 1, 9), indexing="ij")
        values = _moved(one, two, share, first, p, float(a), symmetric)
        at = np.unravel_index(int(np.argmax(values)), values.shape)
        if values[at] > best[0]:
            best = (float(values[at]), first, np.array([one[at], two[at], share[at]]))
    _, first, start = best

    def less(x: Floats) -> float:
        return -float(_moved(x[0], x[1], np.clip(x[2], -1, 1), first, p, float(a), symmetric))

    best_angles = optimize.minimize(
        less, start, method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-12}
    ).x
    theta, phi, ratio = best_angles
    (c, s), (d, t) = (_on_circle(float(angle)) for angle in (theta, phi))
    z = a * rational(round(float(np.clip(ratio, -1, 1)), 6))
    second = p - first
    counts, entries = _entries(c, s, d, t, a, z, first, second, symmetric)
    moved = [k * sp.Abs(e) for k, e in zip(counts, entries, strict=True)]
    shares = (sp.Add(*moved[:3]), sp.Add(*moved[3:5]), moved[5])
    blocks = [first, second]
    f, g = (np.repeat([float(i) / sqrt(first), float(j) / sqrt(second)], blocks) for i, j in ((c, s), (d, t)))
    return Extreme(f, g, float(a), float(z), c * d + s * t, sp.Add(*moved), shares)


def _entries(
    c: Any, s: Any, d: Any, t: Any, y: Any, z: Any, first: int, second: int, symmetric: bool
) -> tuple[tuple[int, ...], tuple[Any, ...]]:
    """How often each distinct entry of the difference is released, and the entries, for numbers or expressions."""
    twice = 1 if symmetric else 2
    inside = [k * (k + 1) // 2 if symmetric else k * k for k in (first, second)]
    root = sp.sqrt if isinstance(c, sp.Expr) else np.sqrt
    counts = (*inside, twice * first * second, twice * first, twice * second, 1)
    entries = (
        (c * c - d * d) / first,
        (s * s - t * t) / second,
        (c * s - d * t) / root(first * second),
        (c * y - d * z) / root(first),
        (s * y - t * z) / root(second),
        y * y - z * z,
    )
    return counts, entries


def _moved(theta: Any, phi: Any, ratio: Any, first: int, p: int, a: float, symmetric: bool) -> Any:
    """The L1 distance for f = (cos theta, sin theta), g = (cos phi, sin phi) spread over the blocks, labels a and a ratio."""
    counts, entries = _entries(
        np.cos(theta), np.sin(theta), np.cos(phi), np.sin(phi), a, a * ratio, first, p - first, symmetric
    )
    return sum(k * np.abs(e) for k, e in zip(counts, entries, strict=True))


def _on_circle(angle: float) -> tuple[sp.Rational, sp.Rational]:
    """A rational point of the unit circle near the angle in [-pi, pi]."""
    half = rational(round(float(np.tan(angle / 2)), 6))
    return (1 - half**2) / (1 + half**2), 2 * half / (1 + half**2)


@dataclass(frozen=True, eq=False)
class Aligned:
    """An orthonormal W (m, p) and raw data, n records each, that differ in the first record and become `pair` near one outcome."""

    W: Floats
    zero: Floats
    one: Floats
    outcome: Floats
    steps: tuple[Step, ...]


def aligned(pair: Extreme, m: int, n: int, given: Floats | None = None) -> Aligned:
    """Records e = W h and -e, the others -e and e in turn.  Unless a projection is `given`, W makes e constant.

    The vector k across h goes to an alternating q then, and the steps say that the mean has its largest loss as well.
    """
    c, alpha = pair.cosine, ALPHA
    beta = alpha * c + sp.sqrt(alpha**2 * c**2 + 4 - alpha**2)
    along = (alpha - beta * c) / 2  # f'h
    across = sp.sqrt(1 - along**2)  # f'k, k the unit vector across h in the plane of f and g
    h = (float(alpha) * pair.f - float(beta) * pair.g) / 2
    length = Step(
        (alpha**2 + beta**2 - 2 * alpha * beta * c) / 4,
        "=",
        sp.Integer(1),
        "h = (alpha f - beta g)/2 has length one: records W h and -W h are normalised already",
    )
    W = _constant(pair, h, m) if given is None else given
    e = W @ h
    raw = [np.vstack([first, *(e if i % 2 else -e for i in range(n - 1))]) for first in (e, -e)]
    outcome = e - float(alpha) * W @ pair.f
    if given is not None:
        return Aligned(W, raw[0], raw[1], outcome, (length,))
    rest = -((n - 1) % 2)  # what the other records add up to, in units of e
    unit = sp.sqrt(sp.Rational(m, m - m % 2))  # entries of sqrt(m) q are +-unit, or one 0 between them
    beyond = tuple(
        Step(
            1 - alpha * along - alpha * across * sign * unit,
            ">",
            sp.Rational(1 + rest, n),
            "sqrt(m) times one attribute of the mean's outcome lies beyond its centre for either record: the loss of the mean "
            "is |u - v|_1/(n scale) there",
        )
        for sign in (1, -1)
    )
    return Aligned(W, raw[0], raw[1], outcome, (length, *beyond))


def _constant(pair: Extreme, h: Floats, m: int) -> Floats:
    """An orthonormal W (m, p) that takes h to a constant vector and the vector across it to an alternating one."""
    k = pair.f - (pair.f @ h) * h
    if np.linalg.norm(k) < 1e-12:
        k = np.eye(len(h))[int(np.argmin(np.abs(h)))]
        k = k - (k @ h) * h
    alternating = np.array([(-1.0) ** i for i in range(m - m % 2)] + [0.0] * (m % 2)) / sqrt(m - m % 2)
    basis = _completed([np.full(m, 1 / sqrt(m)), alternating], len(h))
    return np.asarray(basis @ _completed([h, k / np.linalg.norm(k)], len(h)).T, dtype=float)


def _completed(first: list[Floats], columns: int) -> Floats:
    """An orthonormal matrix with the given first columns."""
    size = len(first[0])
    rest = np.eye(size)
    q, _ = np.linalg.qr(np.column_stack([*first, rest]))
    q[:, : len(first)] = np.column_stack(first)
    return np.asarray(q[:, :columns], dtype=float)
