"""Algorithm 3 of Lyu, Su, Li (PVLDB 2017): a sparse vector that publishes the noisy answer of a query above.

An outcome holds one number per query: the noisy answer (above), `BELOW`, or `NOT_REACHED`.  With the answers v at
the queries above, its density is the product of their noise densities and the integral of the threshold's noise z
over z <= min v - 1 times P(below | z) of all queries below.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from noiseproof.mechanisms.black_box import BlackBox
from noiseproof.symbolic.arrays import Floats
from noiseproof.symbolic.privacy.guarantees import PureDP

from .entry import EPSILON, ZooEntry, rates_of
from .laplace_integral import cdf, panel, pdf
from .sparse_vector import ABOVE, CUTOFF, INPUTS, THRESHOLD, Answers, SparseVector

_RHO, _NU = 2 / EPSILON, 2 * CUTOFF / EPSILON
BELOW, NOT_REACHED = -1000.0, -2000.0
_SYMBOLS = SparseVector(_RHO, _NU)
_REACH = 120  # e^-60 of the threshold's noise lies beyond
_DRAWS, _CHUNK = 600_000, 50_000


def _release(data: Answers, size: int, rng: np.random.Generator) -> Floats:
    threshold = THRESHOLD + rng.laplace(0.0, _RHO, size=(size, 1))
    answers = np.asarray(data) + rng.laplace(0.0, _NU, size=(size, len(data)))
    above = answers >= threshold
    reached = np.cumsum(above, axis=1) - above < CUTOFF
    return np.where(reached, np.where(above, answers, BELOW), NOT_REACHED)


def _integrand(z: Floats, low: NDArray[np.intp], high: NDArray[np.intp]) -> Floats:
    """Threshold density times the probability that `low` queries of answer 0 and `high` of answer 1 stay below."""
    zeros, ones = cdf(THRESHOLD + z, _NU), cdf(THRESHOLD + z - 1, _NU)
    return np.asarray(pdf(z, _RHO) * zeros ** low[..., None] * ones ** high[..., None])


@cache
def _integrals() -> Floats:
    """Integrals up to -1, 0, ..., 120 for every number of queries below of either answer, shape (6, 6, 122)."""
    low, high = (v.ravel() for v in np.meshgrid(np.arange(6), np.arange(6), indexing="ij"))
    start = np.arange(-1.0, _REACH)
    z, w = panel(start, start + 1)
    parts = np.array(
        [
            (_integrand(z, np.full(len(z), a), np.full(len(z), b)) * w).sum(axis=1)
            for a, b in zip(low, high, strict=True)
        ]
    )
    first = _left_tail(np.full(len(low), -1.0), low, high)
    return np.cumsum(np.column_stack([first, parts]), axis=1).reshape(6, 6, -1)


def _left_tail(u: Floats, low: NDArray[np.intp], high: NDArray[np.intp]) -> Floats:
    """The integral up to u <= -1, where every factor is one exponential of z."""
    rate = 1 / _RHO + (low + high) / _NU
    return np.asarray(np.exp(rate * u + low / _NU) * 0.5 ** (low + high) / (2 * _RHO * rate))


def threshold_integral(u: Floats, low: NDArray[np.intp], high: NDArray[np.intp]) -> Floats:
    """The integral of the threshold's noise up to u (n,) with `low` and `high` queries below, to twelve digits."""
    inside = np.clip(u, -1.0, _REACH - 1e-9)
    floor = np.floor(inside)
    z, w = panel(floor, inside)
    whole = _integrals()[low, high, (floor + 1).astype(int)]
    rest = (_integrand(z, low, high) * w).sum(axis=1)
    return np.where(u < -1, _left_tail(np.minimum(u, -1.0), low, high), whole + rest)


def _log_density(y: Floats, data: Answers) -> Floats:
    y, answers = np.asarray(y, dtype=float), np.asarray(data)
    below = y == BELOW
    above = ~below & (y != NOT_REACHED)
    smallest = np.where(above, y, np.inf).min(axis=1)
    high = (below & (answers == 1)).sum(axis=1)
    low = below.sum(axis=1) - high
    noise = np.where(above, -np.abs(y - answers) / _NU - np.log(2 * _NU), 0.0).sum(axis=1)
    return np.asarray(noise + np.log(threshold_integral(np.minimum(smallest - THRESHOLD, _REACH), low, high)))


def log_ratio(y: Floats) -> Floats:
    """log p(y | input 2) - log p(y | input 1)."""
    return np.round(_loss(y), 9)


def _loss(y: Floats) -> Floats:
    return np.asarray(_log_density(y, INPUTS[1]) - _log_density(y, INPUTS[0]))


def _worst_loss() -> float:
    """The largest |loss|: for each pattern of symbols a search over the smaller published answer.

    The loss of a published answer is monotone, so that the larger of two answers is best at one of its ends: as
    small as the smaller one, or beyond 1.
    """
    u = np.concatenate([np.linspace(-6.0, 6.0, 4801), np.linspace(6.0, 119.0, 400)])
    best = 0.0
    for symbols in _SYMBOLS.outcomes(len(INPUTS[0])):
        tops = np.flatnonzero(symbols == ABOVE)
        base = np.where(symbols == 0, BELOW, NOT_REACHED)
        rows = np.repeat(base[None, :], len(u) if tops.size else 1, axis=0)
        ends = [(0.0, 0.0), (0.0, 10.0), (10.0, 0.0)] if tops.size == 2 else [(0.0,) * tops.size]
        for end in ends:
            trial = rows.copy()
            trial[:, tops] = (THRESHOLD + u)[: len(rows), None] + np.asarray(end)
            best = max(best, float(np.abs(_loss(trial)).max()))
    return best


@cache
def _rates() -> tuple[Floats, Floats]:
    """P0 and P1 of {loss > t}, from draws of the even mixture of both inputs with exact weights p0/m and p1/m.

    The loss has no closed-form law; both probabilities come from the same draws, so that most of their error
    cancels in the ratio.
    """
    rng = np.random.default_rng(3)
    loss = np.concatenate(
        [log_ratio(_release(data, _CHUNK, rng)) for _ in range(_DRAWS // _CHUNK) for data in INPUTS]
    )
    zero, one = 2 / (1 + np.exp(loss)), 2 / (1 + np.exp(-loss))
    q, p = rates_of(loss, zero, one)
    keep = np.unique(np.linspace(0, len(q) - 1, 20_001).astype(int))
    return q[keep], p[keep]


SPARSE_VALUES = ZooEntry(
    "svt3",
    BlackBox(_release, INPUTS, _log_density, name="svt3"),
    PureDP(EPSILON),
    0.0,
    _worst_loss(),
    log_ratio,
    _rates,
)
