"""What records are worth for a task: train on one set, judge on another; the settings of the learners are fixed.

`Scores` maps names of measures to numbers.  Every learner sees only the training set, its scaling included.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from ....symbolic.arrays import Floats

Scores = Mapping[str, float]
ACCURACY, BALANCED, RAND, SILHOUETTE, RMSE = (
    "accuracy",
    "balanced accuracy",
    "adjusted Rand index",
    "silhouette",
    "RMSE",
)
# 1 if larger is better, -1 if smaller is.
BETTER: dict[str, int] = {ACCURACY: 1, BALANCED: 1, RAND: 1, SILHOUETTE: 1, RMSE: -1}
_STARTS, _STEPS, _PENALTY = 1, 1000, 1.0


@dataclass(frozen=True, eq=False)
class Split:
    """What one condition trains on, `x` (n, d) and `y` (n,), and what it is judged on, `test_x` (t, d) and `test_y` (t,)."""

    x: Floats
    y: Floats
    test_x: Floats
    test_y: Floats


def classification(split: Split) -> Scores:
    """Accuracy and balanced accuracy of a logistic regression on columns standardised by the training set."""
    from sklearn.linear_model import LogisticRegression

    classes = np.unique(split.y)
    if len(classes) == 1:
        # A synthesiser may draw one class only: its model says that class.
        return _accuracies(np.full(len(split.test_y), classes[0]), split.test_y)
    centre, spread = split.x.mean(axis=0), split.x.std(axis=0)
    spread = np.where(spread > 0, spread, 1.0)
    model = LogisticRegression(max_iter=_STEPS).fit((split.x - centre) / spread, split.y)
    return _accuracies(model.predict((split.test_x - centre) / spread), split.test_y)


def clustering(split: Split) -> Scores:
    """Adjusted Rand index against `test_y`, and silhouette, of the test records put to the k-means centres of the training set.

    As many clusters as `test_y` has values, if there are as many points to put them; a single cluster has the silhouette 0 here.
    """
    from sklearn.cluster import KMeans
    from sklearn.metrics import adjusted_rand_score, silhouette_score

    # A covariance that was clipped to zero yields one point many times.
    count = min(len(np.unique(split.test_y)), len(np.unique(split.x, axis=0)))
    model = KMeans(count, n_init=_STARTS, random_state=0).fit(split.x)
    found = model.predict(split.test_x)
    lone = len(np.unique(found)) == 1
    silhouette = 0.0 if lone else float(silhouette_score(split.test_x, found))
    return {RAND: float(adjusted_rand_score(split.test_y, found)), SILHOUETTE: silhouette}


def regression(split: Split) -> Scores:
    """Root mean squared error on the test records of ridge regression with an intercept."""
    from sklearn.linear_model import Ridge

    # A covariance that was clipped at zero leaves columns nearly dependent: least squares would blow them up.
    model = Ridge(_PENALTY).fit(split.x, split.y)
    return {RMSE: float(np.sqrt(np.mean((model.predict(split.test_x) - split.test_y) ** 2)))}


def trivial(task: str, y: Floats, test_y: Floats) -> Scores:
    """The scores of an answer that looks at no column: the commoner class, one cluster, the mean label."""
    if task == "classification":
        values, counts = np.unique(y, return_counts=True)
        return _accuracies(np.full(len(test_y), values[np.argmax(counts)]), test_y)
    if task == "clustering":
        return {RAND: 0.0, SILHOUETTE: 0.0}
    return {RMSE: float(np.sqrt(np.mean((test_y - y.mean()) ** 2)))}


def _accuracies(found: Floats, truth: Floats) -> Scores:
    right = found == truth
    each = [float(np.mean(right[truth == label])) for label in np.unique(truth)]
    return {ACCURACY: float(np.mean(right)), BALANCED: float(np.mean(each))}


SCORERS: dict[str, Callable[[Split], Scores]] = {
    "classification": classification,
    "clustering": clustering,
    "regression": regression,
}
