"""Two outcome laws as the masses of a few hundred cells, and the scores by which the distinguisher sorts the cells.

Every event {score > t} is then a sum of cells, so that an audit can be simulated without drawing a single outcome.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import special

from ....mechanisms.mechanism import Mechanism
from ....symbolic.arrays import Floats
from ....symbolic.laws.vector import Categories, IndependentNoise, NormalVector, OutcomeLaw
from ....symbolic.privacy.guarantees import Guarantee
from ....symbolic.privacy.pair import DiscretePair, GaussianPair
from ..attack.scores import BESIDE_A_LAW, LAWFUL, LEARNT, law_score
from ..outcomes import Kinds, Outcomes

# Fine in the tails: an adversary who takes the best of many events there is led astray by chance.
_TAIL = np.concatenate([np.geomspace(1e-12, 1e-3, 19)[:-1], np.geomspace(1e-3, 0.15, 24)])
_LEVELS = np.unique(np.concatenate([np.linspace(0.15, 0.85, 29), _TAIL, 1 - _TAIL]))
_DRAWS, _NUMBERS = 40_000, 4_000_000
_FAR = 1e6  # the score of an outcome that only one input produces


@dataclass(frozen=True)
class Cells:
    """Masses q on input 0 and p on input 1, each (m,), and scores (m,) that sort the cells, each with its doubt."""

    q: Floats
    p: Floats
    scores: tuple[tuple[Floats, float], ...]

    @classmethod
    def at(cls, guarantee: Guarantee) -> Cells | None:
        """The pair that attains a guarantee, to an adversary who does not know it; None if none is known."""
        pair = guarantee.attained_pair()
        if isinstance(pair, DiscretePair):
            p, q = np.array(pair.p, dtype=float), np.array(pair.q, dtype=float)
            with np.errstate(divide="ignore", invalid="ignore"):
                loss = np.log(p / q)
            # What neither law produces stands at its end of the order.
            ends = np.where(np.arange(len(p)) < len(p) / 2, -_FAR, _FAR)
            return cls(q, p, ((np.clip(np.where(np.isnan(loss), ends, loss), -_FAR, _FAR), LEARNT),))
        if not isinstance(pair, GaussianPair):
            return None
        mu = float(pair.mu)
        edges = np.unique(np.concatenate([special.ndtri(_LEVELS), mu + special.ndtri(_LEVELS)]))
        q, p = _masses(special.ndtr(edges)), _masses(special.ndtr(edges - mu))
        return cls(q, p, ((_middles(edges), LEARNT),))

    def without_law(self) -> Cells:
        """The same to an adversary who is not told the law, where some score does without it."""
        learnt = tuple((score, LEARNT) for score, doubt in self.scores if doubt != LAWFUL)
        return replace(self, scores=learnt or self.scores)

    @classmethod
    def of(cls, declared: Mechanism, actual: Mechanism, pair: tuple[Any, Any]) -> Cells:
        """Outcomes of the law of `actual`, sorted by the privacy loss of the law of `declared`."""
        zero, one = (actual.law(x) for x in pair)
        loss = law_score(declared.log_density, pair, "")

        def scored(y: Floats) -> Floats:
            return np.round(loss.of(Outcomes(y, Kinds.same("", len(y)))), 9)

        if isinstance(zero, Categories) and isinstance(one, Categories):
            y = np.arange(len(zero.probabilities), dtype=float)[:, None]
            return cls(np.array(zero.probabilities), np.array(one.probabilities), ((scored(y), LAWFUL),))
        return _on_a_line(zero, one, scored) or _sampled(actual, pair, zero, one, scored)


def _on_a_line(zero: OutcomeLaw, one: OutcomeLaw, scored: Callable[[Floats], Floats]) -> Cells | None:
    """Exact masses where the laws differ along one line; an adversary who looks there without the law sorts by the place on it."""
    cdf: Callable[[Floats], Floats]
    if isinstance(zero, IndependentNoise) and isinstance(one, IndependentNoise):
        move = np.subtract(one.centre, zero.centre)
        apart = np.flatnonzero(move)
        if zero.noise != one.noise or len(apart) != 1 or zero.noise.discrete:
            return None
        centre, noise, direction = np.asarray(zero.centre), zero.noise, np.sign(move)
        shift, backwards = float(np.abs(move).max()), bool(direction[apart[0]] < 0)
        # The place on the line grows towards input 1, whichever way that is.
        quantiles = -noise.quantile(_LEVELS)[::-1] if backwards else noise.quantile(_LEVELS)
        cdf = (lambda t: 1 - noise.cdf(-t)) if backwards else noise.cdf
    elif isinstance(zero, NormalVector) and isinstance(one, NormalVector):
        if not np.array_equal(zero.covariance, one.covariance):
            return None
        move = one.centre - zero.centre
        shift = float(np.linalg.norm(zero.whitened(one.centre[None])))
        if shift == 0:
            return None
        centre, quantiles, direction = zero.centre, special.ndtri(_LEVELS), move / shift
        cdf = special.ndtr
    else:
        return None
    edges = np.unique(np.round(np.concatenate([quantiles, shift + quantiles]), 12))
    place = _middles(edges)
    loss = scored(centre + place[:, None] * direction)
    return Cells(
        _masses(cdf(edges)), _masses(cdf(edges - shift)), ((loss, LAWFUL), (place, LEARNT + BESIDE_A_LAW))
    )


def _sampled(
    actual: Mechanism,
    pair: tuple[Any, Any],
    zero: OutcomeLaw,
    one: OutcomeLaw,
    scored: Callable[[Floats], Floats],
) -> Cells:
    """Masses by the weights q/(p+q) and p/(p+q) of outcomes of both laws: the ratio in a cell is never beyond the true losses."""
    rng = np.random.default_rng(1)
    size = min(_DRAWS, max(2_000, _NUMBERS // zero.dimension))
    y = zero.sample(size, rng)
    other = None
    if isinstance(zero, IndependentNoise) and isinstance(one, IndependentNoise) and zero.noise == one.noise:
        # Symmetric noise: each outcome with its mirror image, so that the masses sum to exactly one.
        mirrored = np.add(zero.centre, one.centre) - y
        other = mirrored if np.allclose(one.log_density(mirrored), zero.log_density(y)) else None
    other = one.sample(size, rng) if other is None else other
    y = np.concatenate([y, other])
    with np.errstate(invalid="ignore"):
        loss = actual.log_density(y, pair[1]) - actual.log_density(y, pair[0])  # type: ignore[operator]
    share = special.expit(np.nan_to_num(loss, nan=0.0, posinf=_FAR, neginf=-_FAR))
    score = scored(y)
    cuts = np.unique(np.quantile(score, _LEVELS, method="lower"))
    cell = np.searchsorted(cuts, score, side="left")
    _, first, cell = np.unique(cell, return_index=True, return_inverse=True)
    p, q = (np.bincount(cell, weight) / size for weight in (share, 1 - share))
    return Cells(q / q.sum(), p / p.sum(), ((score[first], LAWFUL),))


def _masses(cdf: Floats) -> Floats:
    return np.maximum(np.diff(cdf, prepend=0.0, append=1.0), 0.0)


def _middles(edges: Floats) -> Floats:
    """A point of each cell between ascending edges, the two outer cells included."""
    return np.concatenate([[edges[0] - 1], 0.5 * (edges[1:] + edges[:-1]), [edges[-1] + 1]])
