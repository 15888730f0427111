"""Numbers taken from each outcome of a query plus noise: which ones, what to count of them, what the counts say.

A part is one number per outcome whose law, if the declaration is true, has one of two centres and one scale: a
single entry of a vector of independent ones, or a projection of a normal vector.  Parts are chosen on outcomes of
their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from .....symbolic.arrays import Floats
from .location_scale import SHAPES, Shape, Weights, best_weights, explained, thresholds

_ENTRIES = (1, 2, 3, 4, 6, 8, 12, 16)  # how many of a vector may share one bound
_TESTED_ENTRIES = (
    3  # of a normal vector, beside its projection: a sum of many entries looks normal whatever they are
)
_LARGEST_COVARIANCE = 500
_REPEATS_LOOKED_AT, _REPEATS_ALLOWED = 2_000, 0.001
_FAR = 0.7  # scales from the centre: beyond it lie about half of the outcomes of each shape
# What the choice of events assumes of the part that is counted: its level, and its size against the learning part.
EXPECTED_ALPHA, EXPECTED_GROWTH = 0.05, 3.0


@dataclass(frozen=True)
class Part:
    """One number per outcome, `direction` @ outcome, not smaller on input 1, and the thresholds at which it is counted.

    Without weights a part tests the shape and bounds nothing.
    """

    direction: Floats
    centres: Floats
    scale: float
    at: Floats
    weights: Weights | None

    @property
    def single(self) -> bool:
        """Whether it is one entry of the outcome, not a sum of several."""
        return bool(np.count_nonzero(self.direction) == 1)

    @property
    def ratio(self) -> float:
        """The distance of the centres in scales, as estimated from the learning part."""
        return float((self.centres[1] - self.centres[0]) / self.scale)

    def of_weights(self, below: Floats) -> Floats:
        """Of the counts below all thresholds (2, T), those that the weights are about (K,)."""
        w = self.weights
        return below[w.side, np.searchsorted(self.at, w.threshold)] if w is not None else np.zeros(0)

    def bound(self, shape: Shape, below: Floats, n: Floats, alpha: float) -> float:
        """A number >= 0 that exceeds the true distance in scales with probability at most alpha."""
        if self.weights is None:
            return 0.0
        return max(0.0, float(self.weights.bound(shape, self.of_weights(below), n, alpha)))


def repeats(values: Floats) -> bool:
    """Whether outcomes (n, d) repeat in some column more often than noise that was not rounded would."""
    head = values[:_REPEATS_LOOKED_AT]
    distinct = np.count_nonzero(np.diff(np.sort(head, axis=0), axis=0), axis=0) + 1
    return bool(np.any(len(head) - distinct > _REPEATS_ALLOWED * len(head)))


def likeliest_shape(values: Sequence[Floats]) -> Shape:
    """The shape under which the outcomes on both inputs, entries taken one by one, have the largest likelihood."""

    def log_likelihood(shape: Shape) -> float:
        centres, scale = _fit(shape, values)
        terms = [
            shape.log_density((v - c) / scale) - np.log(scale) for v, c in zip(values, centres, strict=True)
        ]
        return float(sum(t.sum() for t in terms))

    return max(SHAPES.values(), key=log_likelihood)


def _fit(shape: Shape, values: Sequence[Floats]) -> tuple[Floats, Floats]:
    """Centres (2, d) and one scale (d,) for both inputs."""
    fits = [shape.fit(v) for v in values]
    return np.stack([c for c, _ in fits]), np.sqrt(np.mean([s * s for _, s in fits], axis=0))


def choose(shape: Shape, values: Sequence[Floats]) -> tuple[Part, ...]:
    """The best direction of a normal vector, which is normal again; otherwise the entries that together move most."""
    d = values[0].shape[1]
    n = EXPECTED_GROWTH * min(map(len, values))
    if shape.name == "gaussian" and d > 1:
        # Centres along a direction are estimated on outcomes that did not choose it.
        direction = _best_direction([v[::2] for v in values])
        middles, spread = _fit(shape, [v[1::2] @ direction[:, None] for v in values])
        along = _part(shape, direction, middles[:, 0], float(spread[0]), n, 1)
    centres, scale = _fit(shape, values)
    order = np.argsort(-np.abs(centres[1] - centres[0]) / scale, kind="stable")
    if shape.name == "gaussian" and d > 1:
        entries = [
            _part(shape, np.eye(1, d, j)[0], centres[:, j], float(scale[j]), n, 1)
            for j in order[:_TESTED_ENTRIES]
        ]
        return (along, *(replace(p, weights=None) for p in entries))
    best: tuple[float, tuple[Part, ...]] = (-1.0, ())
    for m in (m for m in _ENTRIES if m <= d):
        parts = tuple(
            _part(shape, np.eye(1, d, j)[0], centres[:, j], float(scale[j]), n, m) for j in order[:m]
        )
        expected = sum(
            p.bound(shape, _expected(shape, p, n), np.array([n, n]), EXPECTED_ALPHA / m) for p in parts
        )
        best = max(best, (expected, parts), key=lambda item: item[0])
    return best[1]


def _best_direction(values: Sequence[Floats]) -> Floats:
    """The direction in which the centres are furthest apart in deviations (Fisher's discriminant)."""
    difference = values[1].mean(axis=0) - values[0].mean(axis=0)
    variance = np.mean([v.var(axis=0) for v in values], axis=0)
    if len(difference) <= _LARGEST_COVARIANCE:
        share = min(1.0, len(difference) / min(map(len, values)))
        covariance = np.mean([np.cov(v, rowvar=False) for v in values], axis=0)
        direction = np.linalg.lstsq(
            (1 - share) * covariance + share * np.diag(variance), difference, rcond=None
        )[0]
    else:
        direction = difference / np.maximum(variance, 1e-300)
    largest = np.abs(direction).max()
    return np.asarray(direction / largest if largest > 0 else np.eye(1, len(direction))[0], dtype=float)


def _part(shape: Shape, direction: Floats, centres: Floats, scale: float, n: float, m: int) -> Part:
    if centres[1] < centres[0]:
        direction, centres = -direction, -centres
    at = thresholds(shape, centres, scale)
    return Part(direction, centres, scale, at, best_weights(shape, centres, scale, at, n, EXPECTED_ALPHA / m))


def _expected(shape: Shape, part: Part, n: float) -> Floats:
    return n * np.stack([shape.cdf((part.at - c) / part.scale) for c in part.centres])


def tally(parts: Sequence[Part], i: int, values: Floats) -> Floats:
    """Counts of one unit (n, d) on input i: below each threshold of each part, then pairs of parts on the same side."""
    y = values @ np.stack([p.direction for p in parts]).T
    below = [
        np.searchsorted(np.sort(column), p.at, side="right") for column, p in zip(y.T, parts, strict=True)
    ]
    centred = (y - [p.centres[i] for p in parts]) / [p.scale for p in parts]
    sides = [(s.T @ s).ravel() for s in ((centred > 0).astype(float), (np.abs(centred) > _FAR).astype(float))]
    return np.concatenate([*below, *sides]).astype(float)


def tally_length(parts: Sequence[Part]) -> int:
    """How many counts `tally` gives."""
    return sum(len(p.at) for p in parts) + 2 * len(parts) ** 2


def split(counts: Floats, parts: Sequence[Part]) -> tuple[list[Floats], Floats]:
    """Per part the counts below its thresholds (2, T); the same-side counts (2 inputs, 2 events, m, m)."""
    m = len(parts)
    end = counts.shape[1] - 2 * m * m
    return np.split(counts[:, :end], m, axis=1), counts[:, end:].reshape(2, 2, m, m)


def contradiction(
    shape: Shape, parts: Sequence[Part], below: Sequence[Floats], tables: Floats, n: Floats, alpha: float
) -> str:
    """How the counts contradict the shape, one scale for both inputs, or independent entries; "" if they do not.

    Of outcomes for which all of it is true something is said with probability at most alpha.
    """
    from scipy import stats

    told = [k for k, p in enumerate(parts) if p.single or shape.name == "gaussian"]
    share = alpha / 2 / max(len(told), 1)
    if not all(explained(shape, parts[k].at, below[k], n, share) for k in told):
        return (
            f"no two centres and one scale explain how many outcomes lie below {len(parts[0].at)} thresholds"
        )
    bounding = [k for k, p in enumerate(parts) if p.single and p.weights is not None]
    if len(bounding) > 1:
        a, b = (np.array(bounding)[i] for i in np.triu_indices(len(bounding), 1))
        first, second, together = tables[..., a, a], tables[..., b, b], tables[..., a, b]
        trials = np.broadcast_to(n[:, None, None], together.shape)
        # Fisher's exact test: given the two totals, how often both occur is hypergeometric if they are independent.
        below_it = stats.hypergeom.cdf(together, trials, first, second)
        above_it = stats.hypergeom.sf(together - 1, trials, first, second)
        if 2 * np.min(np.minimum(below_it, above_it)) * together.size <= alpha / 2:
            return "its entries are not independent"
    return ""


def ratios(shape: Shape, parts: Sequence[Part], below: Sequence[Floats], n: Floats, alpha: float) -> Floats:
    """Lower bounds on the distances in scales, all of them right with probability 1 - alpha if the noise has this shape.

    A sum of several entries has the shape of its entries if that is normal; otherwise it says nothing.
    """
    usable = [
        k for k, p in enumerate(parts) if p.weights is not None and (p.single or shape.name == "gaussian")
    ]
    return np.array([parts[k].bound(shape, below[k], n, alpha / len(usable)) for k in usable])
