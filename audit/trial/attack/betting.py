"""Bets against a privacy claim: capital that a true claim lets grow past 1/alpha with probability at most alpha, ever.

A pair is one outcome of either input, each cut into levels 0..J-1.  A claim bounds more than events: for stakes
0 <= s <= 1 on the levels, E_1[s] <= e^epsilon E_0[s] + delta, and the same with the inputs exchanged.  So what a pair
pays, s(level on 1) - e^epsilon s(level on 0) - delta max(s), is worth nothing on average, and 1 + payoff, multiplied
over the pairs, is a nonnegative supermartingale: by Ville's inequality one may look at it as often as one likes (Shafer
and Vovk 2019; Waudby-Smith and Ramdas 2024).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ....symbolic.arrays import Floats

Levels = NDArray[np.intp]

LARGEST = 0.98  # of the capital may be lost on one pair
_FRACTIONS = np.linspace(0.02, LARGEST, 49)  # of the largest stake on an event that cannot go bankrupt
_CAPS = np.linspace(0.1, 1.0, 10)  # of the largest stake, where delta makes large ones dear
_SCALES = (0.25, 0.5, 0.75, 1.0, 1.25, 1.5)  # of the stakes on both directions together


def pair_counts(one: Levels, zero: Levels, levels: int) -> Floats:
    """How many pairs have level i on input 1 and level j on input 0, shape (levels, levels), from levels (n,) and (n,)."""
    return np.bincount(one * levels + zero, minlength=levels * levels).reshape(levels, levels).astype(float)


def payoffs(plus: ArrayLike, minus: ArrayLike, epsilon: ArrayLike, delta: float) -> Floats:
    """What a pair pays for each level on input 1 and on input 0, shape (..., J, J).

    `plus` (..., J) is staked on outcomes of input 1 against those of input 0, `minus` (..., J) the other way round.
    """
    up, down = (np.asarray(v, dtype=float) for v in (plus, minus))
    ratio = np.exp(np.asarray(epsilon, dtype=float))[..., None]
    fee = delta * (up.max(axis=-1) + down.max(axis=-1))
    return np.asarray(
        (up - ratio * down)[..., :, None] + (down - ratio * up)[..., None, :] - fee[..., None, None],
        dtype=float,
    )


def log_capital(counts: Floats, payoff: Floats) -> Floats:
    """Log capital after pairs counted (..., J, J) that paid `payoff` (..., J, J)."""
    return np.asarray((counts * np.log1p(payoff)).sum(axis=(-2, -1)), dtype=float)


def best_fraction(p: ArrayLike, q: ArrayLike, epsilon: ArrayLike, delta: ArrayLike) -> tuple[Floats, Floats]:
    """The stake on an event of rates p and q that makes capital grow fastest, and that growth per pair; broadcast.

    The stake is a fraction of 1/(e^epsilon + delta), the largest that cannot go bankrupt.  Fraction 0 and growth 0 where nothing
    is to be won.
    """
    p, q, epsilon, delta = np.broadcast_arrays(*(np.asarray(v, dtype=float) for v in (p, q, epsilon, delta)))
    cells = np.stack([p * q, p * (1 - q), (1 - p) * q, (1 - p) * (1 - q)], axis=-1)
    ratio = np.exp(epsilon)
    pay = np.stack([1 - ratio, np.ones_like(ratio), -ratio, np.zeros_like(ratio)], axis=-1) - delta[..., None]
    stakes = _FRACTIONS / (ratio + delta)[..., None]
    growth = (cells[..., None, :] * np.log1p(stakes[..., None] * pay[..., None, :])).sum(axis=-1)
    best = np.argmax(growth, axis=-1)
    top = np.take_along_axis(growth, best[..., None], axis=-1)[..., 0]
    return np.where(top > 0, _FRACTIONS[best], 0.0), np.maximum(top, 0.0)


def graded_stakes(
    log_ratio: Floats, share: Floats, epsilon: ArrayLike, delta: float
) -> tuple[Floats, Floats, Floats]:
    """Stakes on levels in both directions at once, and the growth per pair that they promise: (g, J), (g, J), (g,).

    `log_ratio` (J,) are log rates on input 1 over input 0, `share` (J,) of the outcomes of both; `epsilon` (g,).  For a rare
    level of ratio r the growth r log(1 + s) + log(1 - e^epsilon s) is largest at s = (r - e^epsilon)/(e^epsilon (1 + r)).
    """
    ratio = np.exp(np.atleast_1d(np.asarray(epsilon, dtype=float)))[:, None]
    odds = np.exp(np.clip(log_ratio, -25, 25))
    p, q = share * odds / (1 + odds), share / (1 + odds)
    p, q = p / p.sum(), q / q.sum()
    plus, minus = (
        _capped(np.maximum((r - ratio) / (ratio * (1 + r)), 0.0), a, b, ratio, delta)
        for r, a, b in ((odds, p, q), (1 / odds, q, p))
    )
    found: list[tuple[Floats, Floats, Floats]] = []
    # Both directions together may lose all on one pair: either every stake is cut down, or the largest ones are.
    for ceiling in (1.0, 0.5):
        up, down = (np.minimum(v, ceiling * LARGEST / ratio) for v in (plus, minus))
        pay = payoffs(up, down, np.log(ratio[:, 0]), delta)
        largest = LARGEST / np.maximum(-pay.min(axis=(1, 2)), 1e-300)
        for scale in _SCALES:
            scales = np.minimum(scale, largest)[:, None]
            found.append((scales * up, scales * down, log_capital(p[:, None] * q, scales[..., None] * pay)))
    best = np.argmax([growth for _, _, growth in found], axis=0)
    plus, minus = (np.stack([row[k] for row in found])[best, np.arange(len(ratio))] for k in (0, 1))
    return plus, minus, np.max([growth for _, _, growth in found], axis=0)


def _capped(stakes: Floats, p: Floats, q: Floats, ratio: Floats, delta: float) -> Floats:
    """Stakes (g, J) cut off at the height where growth, less delta times the largest stake, is best."""
    if delta <= 0:
        return stakes
    caps = _CAPS[:, None, None] * stakes.max(axis=1, keepdims=True)
    cut = np.minimum(stakes, caps)
    with np.errstate(divide="ignore", invalid="ignore"):
        worth = np.log1p(cut) @ p + np.log1p(-ratio * cut) @ q - delta * caps[..., 0]
    worth = np.where(np.isfinite(worth), worth, -np.inf)
    best = np.argmax(worth, axis=0)
    chosen = np.take_along_axis(cut, best[None, :, None], axis=0)[0]
    return np.where(np.take_along_axis(worth, best[None], axis=0)[0][:, None] > 0, chosen, 0.0)
