"""Whether the table of bounds is about the claim, says what the numbers beside it say, and allows the verdict."""

from __future__ import annotations

from collections.abc import Iterator
from math import isclose, isinf

import numpy as np

from ...symbolic.predicates import Predicate
from ...symbolic.privacy.guarantees import Guarantee
from .evidence import Evidence, Verdict

_TABLED = ("likelihood ratio", "bit patterns")
BOUNDING = (*_TABLED, "sequential likelihood ratio")
_HIGHEST = 30.0  # up to where a curve is looked at, or its last corner
_CLOSE = 1e-9


def bound_faults(evidence: Evidence, predicate: Predicate) -> Iterator[str]:
    """What the bounds of one piece of evidence say that the claim, the verdict or the numbers beside them do not."""
    rows = evidence.bounds
    if not rows:
        if evidence.verdict is Verdict.SURVIVED and evidence.check in _TABLED:
            yield "survived, and no bound says how far it was put to the test"
        return
    if evidence.check not in BOUNDING:
        yield "a table of bounds, which this check does not make"
    if not isinstance(predicate, Guarantee):
        yield "it bounds an epsilon, and the claim is no privacy guarantee"
        return
    deltas = [row["delta"] for row in rows]
    if deltas != sorted(set(deltas)):
        yield "the deltas of its bounds do not ascend"
    for row in rows:
        if not _is_claimed(predicate, row["delta"], row["claimed"]):
            yield f"it compares with an epsilon of {row['claimed']:g} at delta {row['delta']:g}, which is not the claim's"
        if row["certified"] > row["attainable"] * (1 + _CLOSE) + _CLOSE:
            yield f"an epsilon of {row['certified']:g} was certified, and {row['attainable']:g} was within reach"
        if evidence.verdict is Verdict.SURVIVED and row["certified"] > row["claimed"] * (1 + _CLOSE):
            yield f"survived, but an epsilon of {row['certified']:g} was certified where {row['claimed']:g} is claimed"
    found = evidence.measured
    if found.claimed is not None and not _is_claimed(predicate, found.delta or 0.0, found.claimed):
        yield f"it compares with an epsilon of {found.claimed:g}, which is not the claim's"
    if found.found is not None and (found.delta, found.found) not in [
        (r["delta"], r["certified"]) for r in rows
    ]:
        yield f"its bounds are not those that it measured, {found.found:g} at delta {found.delta}"


def _is_claimed(guarantee: Guarantee, delta: float, epsilon: float) -> bool:
    """Whether this is about the smallest epsilon at which the claim allows no more than delta; infinite: there is none."""
    point = guarantee.point()
    if point is not None and point[1] == delta:
        return isclose(epsilon, point[0], rel_tol=_CLOSE)
    curve, highest = guarantee.curve(), max(_HIGHEST, *guarantee.knots(), 0.0)
    slack = 1e-3 * highest / 10
    if isinf(epsilon):
        return bool((delta <= 0 and point is None) or np.max(curve(highest + slack)) > delta * (1 - _CLOSE))
    below = np.max(curve(max(epsilon - slack, 0.0)))
    return bool(
        np.max(curve(epsilon + slack)) <= delta * (1 + _CLOSE) + guarantee.rounding
        and (epsilon <= slack or below > delta * (1 + _CLOSE))
    )
