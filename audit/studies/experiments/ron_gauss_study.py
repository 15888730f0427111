"""One repeat of a RON-Gauss experiment: a split, a projection, synthetic records under each condition, and their scores.

Judging needs the test records in the coordinates of the synthetic ones: they are normalised, centred by the released mean
(not for a mixture, whose samples are moved by the class means instead) and projected by the released W.  This uses
nothing but the release, so anyone who holds it may do it to records of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ....mechanisms.ron_gauss import RonGauss, RonGaussMixture, RonGaussSupervised, on_sphere, renormalised
from ....symbolic.arrays import Floats
from . import ron_gauss_findings as names
from .independent_columns import independent_columns
from .scoring import SCORERS, Split, trivial

Task = Literal["classification", "clustering", "regression"]
MEAN_SHARE, SIZE_SHARE, TEST_SHARE, LABEL_BOUND = 0.3, 0.1, 0.3, 1.0
# A budget at which the noise is far below the rounding that matters.
_NO_NOISE = 1e12


# What the conditions that differ in their noise only tell the model.
SCALES: dict[str, dict[str, Any]] = {
    names.PRINTED: {"sensitivity": "printed"},
    names.ALL_ENTRIES: {"symmetric_noise": False},
    names.NEEDED: {},
}


@dataclass(frozen=True, eq=False)
class Study:
    """`x` (n, m) and `y` (n,) are the records; a point of `grid` is (p, epsilon), the budget of a whole release.

    Labels of a regression lie in `label_range`, which is public; they are mapped to [-1, 1] for the release.
    """

    task: Task
    x: Floats
    y: Floats
    grid: tuple[tuple[int, float], ...]
    label_range: tuple[float, float] = (-1.0, 1.0)

    def __call__(self, point: int, rng: np.random.Generator) -> Mapping[str, float]:
        p, epsilon = self.grid[point]
        train, test = self.split(rng)
        seed = int(rng.integers(2**32))
        data = Split(self.x[train], self.y[train], self.x[test], self.y[test])
        found = {names.TRIVIAL: trivial(self.task, data.y, data.test_y)}
        for condition, seen in self.conditions(data, p, epsilon, seed):
            found[condition] = SCORERS[self.task](seen)
        return {f"{c}: {measure}": v for c, scores in found.items() for measure, v in scores.items()}

    def split(self, rng: np.random.Generator) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Positions of the training and the test records, at random; classes keep their shares."""
        groups = np.zeros(len(self.y)) if self.task == "regression" else self.y
        test: list[int] = []
        for label in np.unique(groups):
            members = rng.permutation(np.flatnonzero(groups == label))
            test.extend(members[: round(TEST_SHARE * len(members))].tolist())
        chosen = np.zeros(len(self.y), dtype=bool)
        chosen[test] = True
        return np.flatnonzero(~chosen), np.flatnonzero(chosen)

    def conditions(self, data: Split, p: int, epsilon: float, seed: int) -> Iterator[tuple[str, Split]]:
        """What each condition trains on and is judged on; one `seed` gives all of them the same W."""
        m = data.x.shape[1]
        yield names.REAL, data
        exact = self.fitted(data, p, _NO_NOISE, seed)
        x, y = _seen(exact, data.x), data.y
        yield names.PROJECTED, Split(x, y, _seen(exact, data.test_x), data.test_y)
        yield names.NOISELESS, self.synthetic(exact, data)
        for condition, settings in SCALES.items():
            yield condition, self.synthetic(self.fitted(data, p, epsilon, seed, **settings), data)
        yield names.UNPROJECTED, self.synthetic(self.fitted(data, m, epsilon, seed), data)
        if self.task != "regression":
            yield names.INDEPENDENT, self.independent(data, epsilon, seed)
        if self.task == "classification":
            hidden = self.fitted(
                data,
                p,
                (1 - SIZE_SHARE) * epsilon,
                seed,
                public_labels=False,
                epsilon_size=SIZE_SHARE * epsilon,
            )
            yield names.HIDDEN, self.synthetic(hidden, data)

    def noise(self, p: int) -> dict[str, float]:
        """Sensitivities of the sum of second moments that the conditions take: their scales on sums times the budget."""
        data = Split(self.x, self.y, self.x, self.y)
        sums = 1 if self.task == "classification" else len(self.y)
        asked = [(c, p, settings) for c, settings in SCALES.items()]
        found = {}
        for condition, columns, settings in (*asked, (names.UNPROJECTED, self.x.shape[1], {})):
            model: Any = self.fitted(data, columns, 1.0, 0, **settings)
            found[condition] = round(float(model.scales_["covariance"]) * sums * (1 - MEAN_SHARE), 9)
        return found

    def fitted(
        self, data: Split, p: int, epsilon: float, seed: int, **settings: Any
    ) -> RonGauss | RonGaussMixture:
        """The private model of the training records; 0.3 of the budget goes to the mean, the rest to the second moments."""
        budgets = MEAN_SHARE * epsilon, (1 - MEAN_SHARE) * epsilon
        if self.task == "clustering":
            return RonGauss(p, *budgets, random_state=seed, **settings).fit(data.x)
        if self.task == "regression":
            model = RonGaussSupervised(p, *budgets, LABEL_BOUND, random_state=seed, **settings)
            return model.fit(data.x, self.bounded(data.y))
        labels = {"public_labels": True, **settings}
        return RonGaussMixture(p, *budgets, "public", random_state=seed, **labels).fit(data.x, data.y)

    def synthetic(self, model: Any, data: Split) -> Split:
        """As many synthetic records as there are training records, and the test records in their coordinates."""
        test, size = _seen(model, data.test_x), len(data.y)
        if self.task == "clustering":
            return Split(model.sample(size), data.y, test, data.test_y)
        x, y = model.sample(size)
        return Split(x, self.unbounded(y) if self.task == "regression" else y, test, data.test_y)

    def independent(self, data: Split, epsilon: float, seed: int) -> Split:
        """The baseline of independent columns, for each class by itself if there are labels to learn."""
        budgets = MEAN_SHARE * epsilon, (1 - MEAN_SHARE) * epsilon
        rng = np.random.default_rng(seed)
        groups = data.y if self.task == "classification" else np.zeros(len(data.y))
        parts = [(label, data.x[groups == label]) for label in np.unique(groups)]
        x = np.vstack([independent_columns(rows, *budgets, len(rows), rng) for _, rows in parts])
        y = np.concatenate([np.full(len(rows), label) for label, rows in parts])
        return Split(x, y, on_sphere(data.test_x), data.test_y)

    def bounded(self, labels: Floats) -> Floats:
        """Labels mapped from their public range to [-1, 1]."""
        low, high = self.label_range
        return np.asarray(np.clip((2 * labels - low - high) / (high - low), -LABEL_BOUND, LABEL_BOUND))

    def unbounded(self, labels: Floats) -> Floats:
        """The inverse of `bounded`."""
        low, high = self.label_range
        return np.asarray((labels * (high - low) + low + high) / 2)


def _seen(model: Any, x: Floats) -> Floats:
    """Records in the coordinates of the synthetic ones of `model`."""
    unit = on_sphere(x)
    # The classes of a mixture are moved to their means in the coordinates before centring: no one knows a test record's class.
    rows = unit if isinstance(model, RonGaussMixture) else renormalised(unit, model.mean_)
    return np.asarray(rows @ model.components_)
