"""Queries whose entries are the products of all pairs of coordinates, over a ball or a ball times a symmetric interval.

The structure is read from the entries, never from a name.  In the L1 norm the planar sign patterns are enumerated, or
bounded all at once where they are too many; in the L2 norm |u u' - v v'|^2 = |u|^4 + |v|^4 - 2 (u'v)^2.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Floats
from ..domains.ball import Round, Sphere
from ..domains.box import Box
from ..domains.exact import Product
from ..domains.polynomials import PolynomialQuery
from ..programs.verified import largest_eigenvalue
from . import rank_one
from .planar_cone import planar_bound
from .planar_signs import pattern_count, plain_patterns, sign_patterns

ENUMERATED = 30_000
QUICKLY = 12_000
BLOCK = 8
LARGE_SPHERE = 5  # below, each pattern has a closed form


@dataclass(frozen=True)
class SecondMoment:
    """Weights of |z_i z_j| in the sum over all i, j, for z = (x, t) in the unit ball (times [-1, 1]) after scaling by `lengths`.

    The largest weight is one: values are in units of `unit`, so that errors stay small against the result.
    """

    weights: Floats
    lengths: Floats
    marked: bool
    unit: float

    @property
    def ordinary(self) -> int:
        return len(self.weights) - self.marked

    def levels(self) -> tuple[float, float] | None:
        """The one weight off the diagonal and the one on it, before scaling, if there is one each and the latter is no smaller."""
        plain = self.weights / np.outer(self.lengths, self.lengths)
        on = np.eye(len(plain), dtype=bool)
        off, diagonal = plain[~on], plain[on]
        if len(off) == 0 or np.ptp(off) > 1e-12 * off[0] or np.ptp(diagonal) > 1e-12 * diagonal[0]:
            return None
        low, high = float(off.max()), float(diagonal.max())
        return (low, max(high, low)) if high >= low * (1 - 1e-12) else None


@dataclass(frozen=True)
class FarthestPair:
    """A verified upper bound, a pair that is good or best, and how it was found."""

    upper: float
    pair: tuple[Floats, Floats]
    method: str


def recognise(query: PolynomialQuery, domain: Product) -> SecondMoment | None:
    """The second moment that the query is, or None; on a large sphere, where no pair of the ball does better."""
    blocks = domain.blocks
    if not isinstance(blocks[0], Round) or len(blocks) > 2:
        return None
    if isinstance(blocks[0], Sphere) and (len(blocks) > 1 or domain.dimension < LARGE_SPHERE):
        return None
    marked = len(blocks) == 2
    if marked and not (isinstance(blocks[1], Box) and len(blocks[1].bounds) == 1 and domain.flips()[-1]):
        return None
    n = domain.dimension
    weights = np.zeros((n, n))
    for polynomial, multiplicity in zip(query.polynomials, query.multiplicities, strict=True):
        if len(polynomial) != 1:
            return None
        ((exponents, c),) = polynomial.items()
        places = [i for i, power in enumerate(exponents) for _ in range(power)]
        if len(places) != 2:
            return None
        weight = float(multiplicity * abs(c))
        weights[places[0], places[1]] += weight / 2
        weights[places[1], places[0]] += weight / 2
    p = n - marked
    classes = [
        np.diag(weights)[:p],
        weights[:p, :p][~np.eye(p, dtype=bool)],
        weights[p:, :p].ravel(),
        np.diag(weights)[p:],
    ]
    if any(len(part) and (np.ptp(part) > 0 or part[0] <= 0) for part in classes):
        return None
    lengths = np.full(n, float(blocks[0].radius))
    if marked:
        lengths[-1] = float(domain.bounds()[-1][1])
    weights = weights * np.outer(lengths, lengths)
    unit = float(weights.max())
    return SecondMoment(weights / unit, lengths, marked, unit)


def bound(shape: SecondMoment, tolerance: float) -> FarthestPair:
    """An upper bound of sup sum_ij w_ij |u_i u_j - v_i v_j|; patterns are enumerated where they are few enough for the tolerance."""
    count = pattern_count(shape.ordinary, shape.marked)
    if count <= (ENUMERATED if tolerance < 0.01 else QUICKLY):
        solve = rank_one.over_ball_and_interval if shape.marked else rank_one.over_ball
        best = solve(shape.weights)
        return _scaled(shape, best.upper, best.pair, "enumeration of planar sign patterns")
    pair = _plain_pair(shape)
    upper, method = _frobenius(shape), "Cauchy-Schwarz"
    if not shape.marked:
        upper, method = _less_defect(shape), "Cauchy-Schwarz less the distance from rank two"
    elif shape.levels() is not None:
        upper, method = min((upper, method), _conic(shape, fine=tolerance < 0.01))
    return _scaled(shape, upper, pair, method)


def _conic(shape: SecondMoment, fine: bool) -> tuple[float, str]:
    """The conic bound of the full matrix; what the diagonal counts more is at most its share of |u|^2 + |v|^2 on x, and of y^2."""
    levels = shape.levels()
    assert levels is not None
    low, high = levels
    radius, a = float(shape.lengths[0]), float(shape.lengths[-1])
    full = radius**2 * planar_bound(shape.ordinary, a / radius, fine=fine)
    extra = (
        (high - low) * (2 * radius**2 + a**2)
        if high > low * (1 + 1e-12)
        else low * 1e-11 * (2 * radius**2 + a**2)
    )
    return (low * full + extra) * (1 + 1e-12), "conic relaxation in the plane"


def one_sided(shape: SecondMoment) -> FarthestPair:
    """sup sum_ij w_ij |u_i u_j|: with equal weights in each class a constant x is best, by Cauchy-Schwarz, and the longest label."""
    p = shape.ordinary
    point = np.append(np.full(p, p**-0.5), np.ones(int(shape.marked)))
    return _scaled(
        shape, float(point @ shape.weights @ point), (point, 0 * point), "Cauchy-Schwarz, attained"
    )


def _scaled(shape: SecondMoment, upper: float, pair: tuple[Floats, Floats], method: str) -> FarthestPair:
    upper *= shape.unit * (1 + 1e-12)
    return FarthestPair(upper, (pair[0] * shape.lengths, pair[1] * shape.lengths), method)


def _plain_pair(shape: SecondMoment) -> tuple[Floats, Floats]:
    """The best pair over patterns in which each group of ordinary coordinates has one sign."""
    if not shape.marked:
        patterns = plain_patterns(shape.ordinary)[:, :-1, :-1] * shape.weights
        values = np.linalg.eigvalsh(patterns)
        vectors = np.linalg.eigh(patterns[int(np.argmax(values[:, -1] - values[:, 0]))])[1]
        return vectors[:, -1], vectors[:, 0]
    patterns = plain_patterns(shape.ordinary) * shape.weights
    spreads = sum(part for sign in (1.0, -1.0) for part in rank_one.multipliers(sign * patterns))
    best = patterns[int(np.argmax(spreads))]
    return rank_one.maximiser(best), rank_one.maximiser(-best)


def _frobenius(shape: SecondMoment) -> float:
    """Over |x| <= 1, |t| <= 1 lies the ellipsoid a |x|^2 + (1 - a) t^2 <= 1: spread <= sqrt 2 |M|_F in its metric, least over a."""
    if not shape.marked:
        return float(np.sqrt(2) * np.linalg.norm(shape.weights)) * (1 + 1e-12)
    parts = np.linspace(0.01, 0.99, 99)
    metric = np.sqrt(np.stack([parts] * shape.ordinary + [1 - parts], axis=1))
    norms = np.linalg.norm(shape.weights / metric[:, :, None] / metric[:, None, :], axis=(1, 2))
    return float(np.sqrt(2) * norms.min()) * (1 + 1e-12)


def _less_defect(shape: SecondMoment) -> float:
    """spread(M)^2 <= 2 (|M|_F^2 - d^2), d the distance from matrices with at most one positive and one negative eigenvalue.

    By interlacing principal submatrices of such matrices are such matrices, so d^2 is at least the sum over disjoint
    diagonal blocks of the blocks' own squared distances; the least of these over all patterns of a block is computed.
    """
    p, total = shape.ordinary, float((shape.weights**2).sum())
    for size, blocks in ((BLOCK, p // BLOCK), (p % BLOCK, 1)):
        if size < 3 or blocks == 0:
            continue
        weights = shape.weights[:size, :size]
        matrices = sign_patterns(size, marked=False) * weights
        high, low = (np.maximum(largest_eigenvalue(sign * matrices), 0.0) for sign in (1.0, -1.0))
        defect = float((weights**2).sum() - (high**2 + low**2).max())
        total -= blocks * max(defect - 1e-9, 0.0)
    return float(np.sqrt(2 * total)) * (1 + 1e-12)
