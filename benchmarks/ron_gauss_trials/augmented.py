"""The supervised variant: second moments of (x, y) with x in the unit ball of R^p and |y| <= a, at explicit neighbours.

Chanyaswad, Liu, Mittal (2019, lemma 5) scale the noise to (2 sqrt(p) + 4 a sqrt(p) + a^2)/n.  The pairs searched here are
constant on two blocks of entries of x: for each pattern of signs of the difference the best pair maximises and minimises
one quadratic form in three numbers.
"""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import sympy as sp

from noiseproof.mechanisms.ron_gauss.scales import needed_augmented, needed_covariance, printed_augmented
from noiseproof.symbolic.arrays import Floats
from noiseproof.symbolic.errors import SpecError
from noiseproof.symbolic.privacy.pair import ProductLaplacePair
from noiseproof.symbolic.proof.enclosure import rational
from ron_gauss_trials.covariance import MatrixAttack, checked

_ROUGH, _FINE = 91, 5_761  # directions of two blocks
_DIGITS = 12
_INSIDE = 1 - 1e-11  # rounding to the digits above must not leave the ball


def augmented_attack(
    p: int, a: float, n: int, epsilon: float, sensitivity: str = "printed", symmetric: bool = False
) -> MatrixAttack:
    """The attack on (1/n) sum z z' of z = (x, y), noise on all (p + 1)^2 entries or on the upper triangle if `symmetric`.

    The two records are rational, so that the pair of laws is exact; u and v hold the label as their last entry.
    Raises ValueError for p < 1, a <= 0, n < 2, epsilon <= 0.
    """
    checked(p, n, epsilon, sensitivity)
    size = needed_augmented(p, a, symmetric=symmetric)
    scale = (printed_augmented(p, a) if sensitivity == "printed" else size) / (n * rational(epsilon))
    first, second = widest_pair(p, a, symmetric)
    unit = 1 / (n * scale)
    entries = [
        abs(first[i] * first[j] - second[i] * second[j])
        for i in range(p + 1)
        for j in range(i if symmetric else 0, p + 1)
    ]
    pair = ProductLaplacePair(tuple(sp.Rational(d.numerator, d.denominator) * unit for d in entries))
    u, v = (np.array([float(x) for x in one]) for one in (first, second))
    # Both are proved; which is smaller depends on a.
    bound = min(size, _part_by_part(p, a, symmetric), key=float)
    return MatrixAttack(epsilon, scale, u, v, pair, bound * unit)


def _part_by_part(p: int, a: float, symmetric: bool) -> sp.Expr:
    """A bound of the L1 distance: records, records times labels, and labels, each as far apart as they can be."""
    cross = (1 if symmetric else 2) * 2 * rational(a) * sp.sqrt(p)
    return needed_covariance(p, symmetric=symmetric) + cross + rational(a) ** 2


def widest_pair(
    p: int, a: float, symmetric: bool = False
) -> tuple[tuple[Fraction, ...], tuple[Fraction, ...]]:
    """Two points (x, y) in R^(p+1), |x| <= 1 and |y| <= a, whose outer products lie far apart in L1: the best of those searched."""
    if not (np.isfinite(a) and a > 0):
        raise SpecError(f"a must be a finite number > 0, the largest absolute label, got {a!r}")
    # Roughly for every pattern, finely for the best one.
    _, k, signs = max(
        (_distance(k, p, a, symmetric, signs, _ROUGH)[0], k, signs)
        for k in range((p + 1) // 2, p + 1)
        for signs in itertools.product((1.0, -1.0), repeat=5)
    )
    _, top, bottom = _distance(k, p, a, symmetric, signs, _FINE)
    return _spread(top, k, p, a), _spread(bottom, k, p, a)


def _distance(
    k: int, p: int, a: float, symmetric: bool, signs: tuple[float, ...], angles: int
) -> tuple[float, Floats, Floats]:
    """The L1 distance of the best pair for this pattern of signs on blocks of k and p - k entries, and the pair."""
    c = _weights(k, p - k, symmetric)
    top, bottom = _extremes(c * _symmetric((1.0, *signs)), a, angles if k < p else 1)
    return float((c * np.abs(np.outer(top, top) - np.outer(bottom, bottom))).sum()), top, bottom


def least_safe_label(p: int, symmetric: bool = False, most: float = 20.0) -> float:
    """The a below which the pairs found refute the printed scale, by bisection; 0 if they do nowhere.

    Above it nothing is claimed: no better pair was found.
    """

    def excess(a: float) -> float:
        u, v = (np.array([float(x) for x in one]) for one in widest_pair(p, a, symmetric))
        d = np.abs(np.outer(u, u) - np.outer(v, v))
        total = d[np.triu_indices(p + 1)].sum() if symmetric else d.sum()
        return float(total) / float(printed_augmented(p, a)) - 1

    low, high = 1e-6, most
    if excess(low) <= 0:
        return 0.0
    while high - low > 1e-3 * high:
        middle = np.sqrt(low * high) if high > 10 * low else 0.5 * (low + high)
        low, high = (middle, high) if excess(middle) > 0 else (low, middle)
    return float(low)


def _weights(k: int, rest: int, symmetric: bool) -> Floats:
    """What one entry of the 3 x 3 matrix of (first block, second block, label) counts for in L1.

    A point (s, t, y) stands for s/sqrt(k) on the first block and t/sqrt(rest) on the second.
    """
    sizes = np.sqrt([k, rest, 1])
    c = np.outer(sizes, sizes)
    if symmetric:
        # Off the diagonal both halves of the matrix stand for one released entry.
        c = c / 2
        c[np.diag_indices(3)] = [(k + 1) / 2, (rest + 1) / 2 if rest else 0.0, 1.0]
    return np.asarray(c, dtype=float)


def _symmetric(entries: tuple[float, ...]) -> Floats:
    matrix = np.zeros((3, 3))
    matrix[np.triu_indices(3)] = entries
    return np.asarray(matrix + np.triu(matrix, 1).T, dtype=float)


def _extremes(form: Floats, a: float, angles: int) -> tuple[Floats, Floats]:
    """Where z' form z is largest and smallest over |(s, t)| <= 1, |y| <= a, on a grid of directions of (s, t)."""
    angle = np.linspace(0, np.pi, angles)
    w = np.column_stack([np.cos(angle), np.sin(angle)])
    q, along = np.einsum("ij,jk,ik->i", w, form[:2, :2], w), w @ form[:2, 2]
    ones = np.ones(len(w))
    with np.errstate(divide="ignore", invalid="ignore"):
        inside = np.clip(np.nan_to_num(-along / form[2, 2]), -a, a)
        shorter = np.clip(np.nan_to_num(-a * along / q), -1.0, 1.0)
    # y at an end or where its parabola turns, for the full length; the length where its own parabola turns, for y = a.
    lengths = np.concatenate([ones, ones, ones, shorter, 0 * ones])
    labels = np.concatenate([a * ones, -a * ones, inside, a * ones, a * ones])
    points = np.column_stack([np.tile(w, (5, 1)) * lengths[:, None], labels])
    values = np.einsum("ij,jk,ik->i", points, form, points)
    # (0, 0, 0) is in the domain as well.
    top, bottom = points[int(np.argmax(values))], points[int(np.argmin(values))]
    zero = np.zeros(3)
    return (top if values.max() > 0 else zero), (bottom if values.min() < 0 else zero)


def _spread(point: Floats, k: int, p: int, a: float) -> tuple[Fraction, ...]:
    """The point of R^(p+1), its entries decimals, inside the domain for certain."""
    values = [point[0] / np.sqrt(k)] * k + [point[1] / np.sqrt(max(p - k, 1))] * (p - k)
    x = [Fraction(f"{_INSIDE * value:.{_DIGITS}f}") for value in values]
    limit = Fraction(str(rational(a)))
    y = min(max(Fraction(f"{point[2]:.{_DIGITS}f}"), -limit), limit)
    assert sum(v * v for v in x) <= 1
    return (*x, y)
