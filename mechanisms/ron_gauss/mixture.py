"""RON-Gauss for each class: a Gaussian mixture whose components are private models of the classes, in one projection.

Labels are private: a replaced record may leave one class and join another, so that the count, the sum and the second
moments of two classes move, each by what one record contributes.  All classes' sums together have the L1 sensitivities
2, 2 sqrt(m) and 2 p (p + 1 for the upper triangle) for "replace-one", and half of these for "add-or-remove".  The noise
is scaled to these, and the three budgets add up to the guarantee.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Self

import numpy as np
import sympy as sp
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from ...symbolic.arrays import Floats
from ...symbolic.domains.adjacency import one_record
from ..additive import positive, whole
from . import scales
from .model import PROJECTIONS, RonGauss
from .moments import SumScales, noisy_moments
from .normalisation import on_sphere, records
from .projection import dimensions
from .repair import spectrum
from .synthesis import normal_records


class RonGaussMixture(RonGauss):
    """Private synthetic data of several classes: one Gaussian per class, fitted with noise that hides the class of a record too.

    `classes`: all labels that may occur, declared without looking at the data; or "public", which reads the set from the
    data and states that the set is public.
    `public_labels=True` says that each record's class is public and stays the same when the record is replaced: sizes of
    classes are exact, noise is scaled to a class's size, and only one class moves. "printed" is the paper's algorithm 3
    on each class and needs it (the available text of the paper does not state the mixture).
    `epsilon_size` pays for the noisy counts of private labels. Samples are moved by the class means unless
    `return_mean=False`. Other arguments and errors as in `RonGauss`: `n_components`, `epsilon_mean`, `epsilon_covariance`, ...

    Fitted: `classes_`, and for each class in that order `sizes_`, `weights_` (k,), `means_` (k, m), `noisy_covariances_`,
    `covariances_` (k, p, p); `components_`, `epsilon_`, `budget_`, `scales_` (on sums) as in `RonGauss`.

    >>> X, y = np.random.default_rng(0).normal(size=(60, 4)), [0, 1] * 30
    >>> model = npf.RonGaussMixture(2, 0.5, 1.0, classes=[0, 1], epsilon_size=0.5, random_state=0).fit(X, y)
    >>> records, labels = model.sample(10)
    >>> records.shape, labels.shape, model.epsilon_
    ((10, 2), (10,), 2.0)
    """

    def __init__(
        self,
        n_components: int,
        epsilon_mean: float,
        epsilon_covariance: float,
        classes: Sequence[Hashable] | str,
        *,
        epsilon_size: float | None = None,
        public_labels: bool = False,
        sensitivity: str = "needed",
        adjacency: str = "replace-one",
        projection: str = "uniform",
        public_projection: bool = True,
        symmetric_noise: bool | None = None,
        return_mean: bool = True,
        random_state: int | np.random.Generator | None = None,
    ) -> None:
        self.n_components = n_components
        self.epsilon_mean = epsilon_mean
        self.epsilon_covariance = epsilon_covariance
        self.classes = classes
        self.epsilon_size = epsilon_size
        self.public_labels = public_labels
        self.sensitivity = sensitivity
        self.adjacency = adjacency
        self.projection = projection
        self.public_projection = public_projection
        self.symmetric_noise = symmetric_noise
        self.return_mean = return_mean
        self.random_state = random_state

    @property
    def public_size(self) -> bool:  # type: ignore[override]
        """Whether sums are divided by exact sizes."""
        return bool(self.public_labels)

    def fit(self, X: ArrayLike, y: Any = None) -> Self:
        """Fits the model to records (n, m) and their class labels (n,)."""
        self._check_options()
        rows = records(X, least=2)
        m = rows.shape[1]
        _, p = dimensions(m, self.n_components)
        unit = on_sphere(rows)
        known, codes = self._codes(y, len(rows))
        if self.public_labels:
            small = [known[c] for c in range(len(known)) if np.sum(codes == c) < 2]
            if small:
                raise ValueError(
                    f"each class needs at least 2 records where sizes are public, class {small[0]!r} has fewer"
                )
        sums = self._sum_scales(m)
        rng = np.random.default_rng(self.random_state)
        W = PROJECTIONS[self.projection](m, p, rng)
        self._keep_classes(
            known, [noisy_moments(unit[codes == c], W, sums, rng) for c in range(len(known))], W
        )
        self.n_features_in_ = m
        self.scales_ = {"mean": sums.mean, "covariance": sums.covariance, "size": sums.size}
        self._stream = np.random.default_rng(int(rng.integers(2**63)))
        return self

    def sample(
        self, size: int | Mapping[Any, int], random_state: int | np.random.Generator | None = None
    ) -> tuple[Floats, NDArray[Any]]:
        """Synthetic records (size, p) and labels (size,): classes drawn by their noisy weights, or as many as `size` maps to each."""
        check_is_fitted(self, "covariances_")
        rng = self._stream if random_state is None else np.random.default_rng(random_state)
        wanted = self._wanted(size, rng)
        parts = []
        for c, count in enumerate(wanted):
            centre = self._projected[c] if self.return_mean else np.zeros(self._projected.shape[1])
            if count:
                parts.append(normal_records(centre, self._factors[c], int(count), rng))
        order = rng.permutation(int(wanted.sum()))
        labels = np.repeat(np.asarray(self.classes_), wanted)
        return np.concatenate(parts)[order], labels[order]

    def released(self) -> dict[str, Any]:
        """What may be published, as plain data: noisy moments of each class, budget, and the projection if it is public."""
        check_is_fitted(self, "covariances_")
        out: dict[str, Any] = {
            "classes": list(self.classes_),
            "sizes": self.sizes_.tolist(),
            "means": self.means_.tolist(),
            "noisy_covariances": self.noisy_covariances_.tolist(),
            "epsilon": self.epsilon_,
            "adjacency": self.adjacency,
        }
        if self.public_projection:
            out["components"] = self.components_.tolist()
        return out

    def _keep_classes(self, known: list[Any], moments: list[Any], W: Floats) -> None:
        self.classes_ = known
        self.sizes_ = np.array([part.size for part in moments])
        self.weights_ = self.sizes_ / self.sizes_.sum()
        self.means_ = np.array([part.mean for part in moments])
        self.noisy_covariances_ = np.array([part.second for part in moments])
        spectra = [spectrum(part.second) for part in moments]
        self.covariances_ = np.array([(vectors * values) @ vectors.T for values, vectors in spectra])
        self._factors = np.array([vectors * np.sqrt(values) for values, vectors in spectra])
        self._projected = self.means_ @ W
        self.__dict__.pop("components_", None)
        if self.public_projection:
            self.components_ = W
        self.budget_ = {
            "mean": float(self.epsilon_mean),
            "covariance": float(self.epsilon_covariance),
            "size": float(self.epsilon_size or 0.0),
        }
        self.epsilon_ = sum(self.budget_.values())

    def _wanted(self, size: int | Mapping[Any, int], rng: np.random.Generator) -> NDArray[np.int64]:
        if not isinstance(size, Mapping):
            return np.asarray(rng.multinomial(whole("size", size), self.weights_), dtype=np.int64)
        unknown = [label for label in size if label not in self.classes_]
        if unknown:
            raise ValueError(f"unknown class {unknown[0]!r}: the classes are {self.classes_}")
        wanted = np.array(
            [whole("size", size.get(label, 0), least=0) for label in self.classes_], dtype=np.int64
        )
        if not wanted.any():
            raise ValueError("size must ask for at least one record")
        return wanted

    def _codes(self, y: Any, n: int) -> tuple[list[Any], NDArray[np.int64]]:
        """The classes in order, and the place of each label among them (n,)."""
        labels = np.asarray(y)
        if labels.shape != (n,):
            raise ValueError(f"labels must be one per record, shape ({n},), got shape {labels.shape}")
        values = labels.tolist()
        known = sorted(set(values)) if isinstance(self.classes, str) else np.asarray(self.classes).tolist()
        place = {label: c for c, label in enumerate(known)}
        for i, label in enumerate(values):
            if label not in place:
                raise ValueError(
                    f"label {i} is not among the declared classes {known}: declare all classes that may occur"
                )
        return known, np.array([place[label] for label in values], dtype=np.int64)

    def _check_options(self) -> None:
        if not isinstance(self.public_labels, bool | np.bool_):
            raise ValueError(f"public_labels must be True or False, got {self.public_labels!r}")
        if isinstance(self.classes, str):
            if self.classes != "public":
                raise ValueError(f'classes must be a sequence of labels, or "public", got {self.classes!r}')
        elif (
            not isinstance(self.classes, Sequence | np.ndarray)
            or not all(isinstance(c, Hashable) for c in self.classes)
            or not 0 < len(set(self.classes)) == len(self.classes)
        ):
            raise ValueError(f"classes must be a sequence of distinct labels, got {self.classes!r}")
        if self.public_labels and self.adjacency == "add-or-remove":
            raise ValueError(
                "add-or-remove neighbours differ in the size of a class: public_labels needs replace-one"
            )
        if self.public_labels != (self.epsilon_size is None):
            raise ValueError(
                "epsilon_size is the budget of the noisy counts: give it exactly if public_labels=False, "
                f"got public_labels={self.public_labels} and epsilon_size={self.epsilon_size!r}"
            )
        super()._check_options()

    def _sum_scales(self, m: int) -> SumScales:
        if self.public_labels:
            return super()._sum_scales(m)
        # One record comes or goes in each of the classes that move: two for a replaced record.
        moved = 1 if one_record(self.adjacency).resizes else 2
        mean = moved * scales.needed_mean(m, "add-or-remove")
        matrix: sp.Expr = moved * scales.needed_covariance(
            int(self.n_components), "add-or-remove", self._symmetric()
        )
        size = positive("epsilon_size", self.epsilon_size, "the budget of the noisy counts")
        return SumScales(
            float(mean) / self.epsilon_mean,
            float(matrix) / self.epsilon_covariance,
            moved / size,
            self._symmetric(),
        )
