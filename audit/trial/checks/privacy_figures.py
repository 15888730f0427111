"""The privacy curve and the trade-off curve of an audit, as data for figures."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....mechanisms.mechanism import Subject
from ...record.evidence import Line, Series
from ..attack.claimed_curve import ClaimedCurve
from ..attack.rate_boxes import RateBoxes


def privacy_figures(
    subject: Subject, claimed: ClaimedCurve, boxes: RateBoxes, point: tuple[float, float]
) -> tuple[Series, ...]:
    """Claimed curve, certified lower bound, observed and exact curve; tested events against the claimed trade-off.

    `point` is a delta and the epsilon that was certified there: every smaller epsilon needs at least that delta.
    """
    epsilon, delta = claimed.epsilon, claimed.delta
    fine = np.linspace(0.0, float(epsilon[-1]), 33)
    exceeded = np.maximum(boxes.delta(fine), np.where(fine < point[1], point[0], 0.0))
    lines = [
        Line("claimed", "claimed", _floats(epsilon), _floats(delta)),
        Line("certified lower bound", "attack", _floats(fine), _floats(exceeded)),
        Line("best tested event", "measured", _floats(fine), _floats(boxes.seen_delta(fine))),
    ]
    worst = subject.worst_case()
    if worst is not None:
        lines.append(Line(worst.pair.curve_known, "law", _floats(fine), _floats(worst.pair.delta(fine))))
    curves = Series("privacy curve", f"Privacy curve: {subject.name}", "epsilon", "delta", tuple(lines))
    rate = np.linspace(0.0, 1.0, 41)
    grow = np.exp(np.minimum(epsilon, 700.0))[:, None]
    missed = np.maximum(1 - delta[:, None] - grow * rate, (1 - delta[:, None] - rate) / grow).max(axis=0)
    order = np.argsort(boxes.q, kind="stable")
    trade = Series(
        "trade-off",
        f"Trade-off curve: {subject.name}",
        "false alarm rate",
        "missed detection rate",
        (
            Line("claimed: no test lies below", "claimed", _floats(rate), _floats(np.maximum(missed, 0.0))),
            Line(
                "tested events",
                "measured",
                _floats(boxes.q[order]),
                _floats(1 - boxes.p[order]),
                _floats(1 - boxes.p_high[order]),
                _floats(1 - boxes.p_low[order]),
            ),
        ),
    )
    return curves, trade


def _floats(values: Any) -> tuple[float, ...]:
    return tuple(float(v) for v in np.asarray(values).ravel())
