"""The linear discriminant of weighted features, and the weights of outcomes where many are equal."""

from __future__ import annotations

import numpy as np

from ....symbolic.arrays import Floats
from ..outcomes import Outcomes, distinct

_JOINT = 1_000  # features that are seen together


def weighed(sample: Outcomes) -> tuple[Outcomes, Floats]:
    """Outcomes, once where many are equal, and the share of the sample that each stands for, shape (n,)."""
    found = distinct(sample)
    if found is None:
        return sample, np.full(len(sample), 1 / len(sample))
    return found[0], np.bincount(found[1]) / len(sample)


def direction(
    fa: Floats, fb: Floats, wa: Floats, wb: Floats, size: int, ridge: float
) -> tuple[Floats, float]:
    """The linear discriminant of features (n, f) with weights (n,) under the two inputs, shape (f,), and its value half-way between them.

    Those that differ most, `_JOINT` at most, are seen together; of the others, and of too few outcomes, `size` at least,
    which would only be learnt by heart, each is seen alone: no matrix grows with the size of an outcome.  The features are overwritten.
    """
    ma, mb = wa @ fa, wb @ fb
    apart = mb - ma
    for f, m, w in ((fa, ma, wa), (fb, mb, wb)):
        f -= m
        f *= np.sqrt(w)[:, None]
    within = 0.5 * sum(np.einsum("ij,ij->j", f, f) for f in (fa, fb))
    spread = np.sqrt(within + 0.25 * apart**2)
    spread = np.where(spread > 0, spread, 1.0)
    along = apart / spread / (within / spread**2 + ridge)
    if size >= 4 * min(len(apart), _JOINT):
        joint = np.sort(np.argsort(-np.abs(apart) / spread, kind="stable")[:_JOINT])
        together = [f if len(joint) == f.shape[1] else f[:, joint] for f in (fa, fb)]
        scaled = 0.5 * sum(f.T @ f for f in together) / np.outer(spread[joint], spread[joint])
        along[joint] = np.linalg.solve(scaled + ridge * np.eye(len(joint)), (apart / spread)[joint])
    along /= spread
    return along, 0.5 * float((ma + mb) @ along)
