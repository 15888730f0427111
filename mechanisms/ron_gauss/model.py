"""RON-Gauss as estimators: fit a private Gaussian model to records, sample synthetic ones from it.

The guarantee is about what `released()` returns and about samples, over the reals, for records that are valid input: an
error message is no private answer.  A fitted object keeps no record, but `random_state` given as a number determines
the noise: keep it secret, or leave it None for a release.
"""

from __future__ import annotations

from numbers import Real
from typing import Any, Self

import numpy as np
import sympy as sp
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from ...symbolic.arrays import Floats
from ...symbolic.domains.adjacency import one_record
from ..additive import positive, whole
from . import scales
from .moments import NoisyMoments, SumScales, noisy_moments
from .normalisation import on_sphere, records
from .projection import dimensions, qr_of_uniform, uniform_projection
from .repair import spectrum
from .synthesis import normal_records

PROJECTIONS = {"uniform": uniform_projection, "qr of uniform": qr_of_uniform}


class RonGauss(BaseEstimator):  # type: ignore[misc]
    """Private synthetic data: N(0, noisy covariance) of randomly projected records (Chanyaswad, Liu, Mittal 2019, algorithm 3).

    `n_components` p <= m; `epsilon_mean`, `epsilon_covariance` > 0 are budgets of the noisy mean and of the noisy
    second moments.
    `sensitivity`: "needed" scales the noise to a proved sensitivity (certified to about a percent up to p = 20); "printed" to the paper's 2 sqrt(m)/n and
    2 sqrt(p)/n, the second of which is too small for p > 2: that model is not private as claimed.
    `adjacency`: "replace-one" or "add-or-remove" (with a private number of records).
    `public_size`: False divides noisy sums by a noisy count (`epsilon_size`). Under "replace-one" neighbours have equal
    counts, so that the count costs them nothing; the noise on sums does not depend on n either, and the same release is
    (epsilon_size + epsilon_mean/2 + epsilon_covariance)-private, at most, for records that come or go.
    `projection`: "uniform" or "qr of uniform" (the paper's recipe). The matrix is drawn without looking at the data;
    `public_projection=False` withholds it from what is released, and buys no better guarantee.
    `symmetric_noise`: True puts noise on the upper triangle, False on all entries; None takes the triangle, which has
    the smaller error at the needed scale, and all entries for "printed", as the paper does.
    `return_mean` moves samples by the projected noisy mean, at no further budget.
    `random_state`: None, an integer, or a numpy Generator. ValueError, when it is fitted, for anything else.

    Fitted: `components_` (m, p) if public, `mean_` (m,), `noisy_covariance_` and the valid `covariance_` (p, p), `size_`
    (n, or the noisy count), `epsilon_` (total for the stated adjacency), `budget_` (its parts), `scales_` (Laplace
    scales of noise on averages, or on sums where n is private).

    >>> records = np.random.default_rng(0).normal(size=(50, 4))
    >>> model = npf.RonGauss(2, epsilon_mean=0.5, epsilon_covariance=1.5, random_state=0).fit(records)
    >>> model.sample(10).shape, model.epsilon_
    ((10, 2), 2.0)
    """

    def __init__(
        self,
        n_components: int,
        epsilon_mean: float,
        epsilon_covariance: float,
        *,
        sensitivity: str = "needed",
        adjacency: str = "replace-one",
        public_size: bool = True,
        epsilon_size: float | None = None,
        projection: str = "uniform",
        public_projection: bool = True,
        symmetric_noise: bool | None = None,
        return_mean: bool = False,
        random_state: int | np.random.Generator | None = None,
    ) -> None:
        self.n_components = n_components
        self.epsilon_mean = epsilon_mean
        self.epsilon_covariance = epsilon_covariance
        self.sensitivity = sensitivity
        self.adjacency = adjacency
        self.public_size = public_size
        self.epsilon_size = epsilon_size
        self.projection = projection
        self.public_projection = public_projection
        self.symmetric_noise = symmetric_noise
        self.return_mean = return_mean
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: Any = None) -> Self:
        """Fits the model to records (n, m), n >= 2, none of them zero; y is ignored.  ValueError says what is wrong."""
        return self._fit(X, None)

    def sample(self, size: int, random_state: int | np.random.Generator | None = None) -> Any:
        """`size` synthetic records (size, p); each call continues the model's own stream unless `random_state` is given."""
        check_is_fitted(self, "covariance_")
        rng = self._stream if random_state is None else np.random.default_rng(random_state)
        return normal_records(self._centre(), self._factor, size, rng)

    def released(self) -> dict[str, Any]:
        """What may be published, as plain data: noisy moments, size, budget, and the projection if it is public."""
        check_is_fitted(self, "covariance_")
        out: dict[str, Any] = {
            "size": self.size_,
            "mean": self.mean_.tolist(),
            "noisy_covariance": self.noisy_covariance_.tolist(),
            "epsilon": self.epsilon_,
            "adjacency": self.adjacency,
        }
        if self.public_projection:
            out["components"] = self.components_.tolist()
        return out

    def _fit(self, X: ArrayLike, labels: Floats | None) -> Self:
        # Everything is checked before the generator is touched.
        self._check_options()
        rows = records(X, least=2)
        n, m = rows.shape
        _, p = dimensions(m, self.n_components)
        unit = on_sphere(rows)
        sums = self._sum_scales(m)
        rng = np.random.default_rng(self.random_state)
        W = PROJECTIONS[self.projection](m, p, rng)
        self._keep(noisy_moments(unit, W, sums, rng, labels), W)
        self.n_features_in_ = m
        per = n if self.public_size else 1
        self.scales_ = {"mean": sums.mean / per, "covariance": sums.covariance / per, "size": sums.size}
        # Not a child of the first generator: its state would tell the noise.
        self._stream = np.random.default_rng(int(rng.integers(2**63)))
        return self

    def _keep(self, moments: NoisyMoments, W: Floats) -> None:
        self.size_, self.mean_, self.noisy_covariance_ = moments.size, moments.mean, moments.second
        values, vectors = spectrum(moments.second)
        self.covariance_ = (vectors * values) @ vectors.T
        self._factor = vectors * np.sqrt(values)
        self.projected_mean_ = W.T @ moments.mean
        self.__dict__.pop("components_", None)
        if self.public_projection:
            self.components_ = W
        self.budget_ = {
            "mean": float(self.epsilon_mean),
            "covariance": float(self.epsilon_covariance),
            # Neighbours by replacement have equal counts: the noisy one costs them nothing.
            "size": float(self.epsilon_size or 0.0) if one_record(self.adjacency).resizes else 0.0,
        }
        self.epsilon_ = sum(self.budget_.values())

    def _centre(self) -> Floats:
        shift = self.projected_mean_ if self.return_mean else np.zeros_like(self.projected_mean_)
        return np.asarray(np.concatenate([shift, np.zeros(len(self._factor) - len(shift))]), dtype=float)

    def _check_options(self) -> None:
        whole("n_components", self.n_components)
        for name in ("epsilon_mean", "epsilon_covariance", "epsilon_size", "label_bound"):
            value = getattr(self, name, None)
            if isinstance(value, bool) or not isinstance(value, Real | None):
                raise ValueError(f"{name} must be a number, got {value!r}")
            if value is None and name in ("epsilon_mean", "epsilon_covariance"):
                raise ValueError(
                    f"{name} must be a number > 0, got None: say how much of the budget it may spend"
                )
        positive("epsilon_mean", self.epsilon_mean, "the budget of the mean")
        positive("epsilon_covariance", self.epsilon_covariance, "the budget of the covariance")
        resizes = one_record(self.adjacency).resizes
        if self.sensitivity not in ("needed", "printed"):
            raise ValueError(f'sensitivity must be "needed" or "printed", got {self.sensitivity!r}')
        if self.projection not in PROJECTIONS:
            raise ValueError(
                f"projection must be one of {', '.join(map(repr, PROJECTIONS))}, got {self.projection!r}"
            )
        for name in ("public_size", "public_projection", "return_mean"):
            if not isinstance(getattr(self, name), bool | np.bool_):
                raise ValueError(f"{name} must be True or False, got {getattr(self, name)!r}")
        if not (self.symmetric_noise is None or isinstance(self.symmetric_noise, bool | np.bool_)):
            raise ValueError(f"symmetric_noise must be True, False or None, got {self.symmetric_noise!r}")
        if resizes and self.public_size:
            raise ValueError(
                "add-or-remove neighbours differ in their number of records: it cannot be public; "
                "give public_size=False and epsilon_size"
            )
        if self.sensitivity == "printed" and (resizes or not self.public_size):
            raise ValueError(
                'sensitivity="printed" is stated for replace-one with a public number of records only'
            )
        if self.public_size != (self.epsilon_size is None):
            raise ValueError(
                "epsilon_size is the budget of the noisy count: give it exactly if public_size=False, "
                f"got public_size={self.public_size} and epsilon_size={self.epsilon_size!r}"
            )
        if self.epsilon_size is not None:
            positive("epsilon_size", self.epsilon_size, "the budget of the noisy count")

    def _symmetric(self) -> bool:
        return self.sensitivity == "needed" if self.symmetric_noise is None else bool(self.symmetric_noise)

    def _sum_scales(self, m: int) -> SumScales:
        printed = self.sensitivity == "printed"
        mean = scales.printed_mean(m) if printed else scales.needed_mean(m, self.adjacency)
        matrix = self._matrix_sensitivity(int(self.n_components), printed)
        size = None if self.epsilon_size is None else 1 / float(self.epsilon_size)
        return SumScales(
            float(mean) / self.epsilon_mean, float(matrix) / self.epsilon_covariance, size, self._symmetric()
        )

    def _matrix_sensitivity(self, p: int, printed: bool) -> sp.Expr:
        return (
            scales.printed_covariance(p)
            if printed
            else scales.needed_covariance(p, self.adjacency, self._symmetric())
        )


class RonGaussSupervised(RonGauss):
    """Private synthetic data with a numeric label: the label, bounded by `label_bound` > 0, joins the projected records as a column.

    Chanyaswad, Liu, Mittal 2019, algorithm 4. Arguments, errors and fitted attributes as in `RonGauss` (`n_components`,
    `epsilon_mean`, `epsilon_covariance`, ...), with matrices (p + 1, p + 1), the label last. "printed" takes the
    paper's (2 sqrt(p) + 4 a sqrt(p) + a^2)/n. Samples are pairs (X, y); synthetic labels are not clipped.

    >>> X, y = np.random.default_rng(0).normal(size=(50, 4)), np.linspace(-1, 1, 50)
    >>> model = npf.RonGaussSupervised(2, 0.5, 1.5, label_bound=1.0, random_state=0).fit(X, y)
    >>> [part.shape for part in model.sample(10)]
    [(10, 2), (10,)]
    """

    def __init__(
        self,
        n_components: int,
        epsilon_mean: float,
        epsilon_covariance: float,
        label_bound: float,
        *,
        sensitivity: str = "needed",
        adjacency: str = "replace-one",
        public_size: bool = True,
        epsilon_size: float | None = None,
        projection: str = "uniform",
        public_projection: bool = True,
        symmetric_noise: bool | None = None,
        return_mean: bool = False,
        random_state: int | np.random.Generator | None = None,
    ) -> None:
        super().__init__(
            n_components,
            epsilon_mean,
            epsilon_covariance,
            sensitivity=sensitivity,
            adjacency=adjacency,
            public_size=public_size,
            epsilon_size=epsilon_size,
            projection=projection,
            public_projection=public_projection,
            symmetric_noise=symmetric_noise,
            return_mean=return_mean,
            random_state=random_state,
        )
        self.label_bound = label_bound

    def fit(self, X: ArrayLike, y: Any = None) -> Self:
        """Fits the model to records (n, m) and labels (n,) in [-label_bound, label_bound]."""
        self._check_options()
        bound = positive("label_bound", self.label_bound, "the largest absolute label")
        return self._fit(X, bounded_labels(y, len(records(X, least=2)), bound))

    def sample(
        self, size: int, random_state: int | np.random.Generator | None = None
    ) -> tuple[Floats, Floats]:
        """Synthetic records (size, p) and labels (size,)."""
        rows = super().sample(size, random_state)
        return rows[:, :-1], rows[:, -1]

    def _matrix_sensitivity(self, p: int, printed: bool) -> sp.Expr:
        if printed:
            return scales.printed_augmented(p, self.label_bound)
        return scales.needed_augmented(p, self.label_bound, self.adjacency, self._symmetric())


def bounded_labels(y: Any, n: int, bound: float) -> Floats:
    """Labels as an array (n,) within [-bound, bound]; ValueError names the first that is not."""
    try:
        labels = np.asarray(y, dtype=float)
    except (TypeError, ValueError):
        raise ValueError("y must be numbers, one label per record") from None
    if labels.shape != (n,):
        raise ValueError(f"y must have one label per record, shape ({n},), got shape {labels.shape}")
    outside = np.flatnonzero(~(np.abs(labels) <= bound))
    if outside.size:
        raise ValueError(
            f"labels must lie in [-{bound:g}, {bound:g}]: label {outside[0]} does not; clip the labels, "
            "or give a larger label_bound that does not depend on the data"
        )
    return labels
