"""At each delta: the epsilon that is claimed, that was certified, and that was within reach at this sample size."""

from __future__ import annotations

import numpy as np

from .claimed_curve import ClaimedCurve
from .rate_boxes import RateBoxes

_DELTAS = (0.0, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2)


def bounds_table(
    claimed: ClaimedCurve,
    delta: float,
    certified: float,
    boxes: RateBoxes,
    sizes: tuple[int, int],
    alpha: float,
) -> tuple[dict[str, float], ...]:
    """Rows of delta, claimed, certified, attainable; all lower bounds hold together.

    `certified` is the exact bound at `delta`, which is valid at smaller deltas too.  Attainable is the bound that a
    release would have got whose every outcome gives its input away.
    """
    rows = []
    for d in sorted({*_DELTAS, delta}):
        own = certified if d <= delta else 0.0
        rows.append(
            {
                "delta": d,
                "claimed": claimed.allowed_epsilon(d),
                "certified": max(own, boxes.epsilon(d)),
                "attainable": attainable(d, sizes, alpha),
            }
        )
    return tuple(rows)


def attainable(delta: float, sizes: tuple[int, int], alpha: float) -> float:
    """The exact bound if an event always happens on one input and never on the other, at the smaller of these sample sizes.

    All of n under P and none of n under Q have probability (P (1 - Q))^n.  Under P = r Q + delta that is largest at
    P = 1 if r >= 2 - delta, at P = (r + delta)/2 below.
    """
    n = min(sizes)
    root = float(np.exp(np.log(alpha) / n))
    ratio = (1 - delta) / -float(np.expm1(np.log(alpha) / n))
    if ratio < 2 - delta:
        ratio = 2 * root - delta + 2 * float(np.sqrt(root * (root - delta))) if root > delta else 1.0
    return float(np.log(max(ratio, 1.0)))
