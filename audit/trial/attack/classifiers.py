"""The classifiers that scores are made of: the linear discriminant of weighted features, and trees (scikit-learn)."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....symbolic.arrays import Floats
from ..outcomes import Outcomes, distinct

Places = NDArray[np.intp]

_JOINT = 1_000  # features that are seen together
_ROUNDS, _LEAVES, _CELLS = 30, 48, 2_000


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


def fitted_trees(zero: NDArray[np.float32], one: NDArray[np.float32], boosted: bool) -> Any:
    """Boosted trees of rows (n, d) of either input in bins, or a single one: quick where columns hold many values."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    rounds, rate, leaves = (_ROUNDS, 0.15, 31) if boosted else (1, 1.0, _LEAVES)
    model = HistGradientBoostingClassifier(
        max_iter=rounds,
        learning_rate=rate,
        max_leaf_nodes=leaves,
        min_samples_leaf=_least(len(zero)) * (1 + boosted),
        early_stopping=False,
        random_state=0,
    )
    with one_thread():
        return model.fit(np.concatenate([zero, one]), np.repeat([0, 1], [len(zero), len(one)]))


def fitted_tree(zero: NDArray[np.float32], one: NDArray[np.float32]) -> Any:
    """One tree of rows (n, d) of either input."""
    from sklearn.tree import DecisionTreeClassifier

    rows, inputs = np.concatenate([zero, one]), np.repeat([0, 1], [len(zero), len(one)])
    weights, least = np.ones(len(rows), dtype=np.intp), _least(len(zero)) / len(rows)
    if rows.shape[1] == 1:
        rows, inputs, weights = _cells(zero[:, 0], one[:, 0])
    model = DecisionTreeClassifier(max_leaf_nodes=_LEAVES, min_weight_fraction_leaf=least, random_state=0)
    return model.fit(rows, inputs, sample_weight=weights)


def _cells(zero: NDArray[np.float32], one: NDArray[np.float32]) -> tuple[NDArray[np.float32], Places, Places]:
    """Numbers (n,) of either input in cells, one row for each: a tree sorts what it is taught at every split."""
    zero, one = np.sort(zero), np.sort(one)
    every = max(1, len(zero) // _CELLS)
    ends = np.unique(np.concatenate([zero[::every], one[::every], zero[-1:], one[-1:]]))
    weights = np.concatenate(
        [np.diff(np.searchsorted(s, ends, side="right"), prepend=0) for s in (zero, one)]
    )
    some = weights > 0
    return np.tile(ends, 2)[some, None], np.repeat([0, 1], len(ends))[some], weights[some]


def _least(rows: int) -> int:
    """The outcomes of a leaf, of so many of either input."""
    return max(25, rows // 1000)


def one_thread() -> Any:
    """A context in which scikit-learn computes on one thread."""
    return _threads().limit(limits=1, user_api="openmp")


@cache
def _threads() -> Any:
    import sklearn.ensemble  # noqa: F401  # threads are limited of libraries that are loaded
    from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

    return ThreadpoolController()


def single(values: Floats) -> NDArray[np.float32]:
    """Numbers in the precision of the trees, none of them infinite."""
    largest = float(np.finfo(np.float32).max) / 1e9  # so that their sum is finite too
    return np.clip(values, -largest, largest).astype(np.float32)
