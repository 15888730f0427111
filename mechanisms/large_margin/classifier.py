"""Large-margin multiclass Gaussian classification as an estimator (Pathak, Raj 2010; Sha, Saul 2007)."""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from ...symbolic.arrays import Floats
from ..additive import positive
from ..learning.training_set import finite_matrix
from .conic import conic_solution
from .first_order import first_order_solution
from .huber import Huber
from .objective import Objective
from .solution import Solution
from .training import labelled

CONIC_ENTRIES = 400_000
# Where the infimum is not attained, a rule in double precision comes about as near as this.
LIMIT_GAP = 1e-4


class QuadraticRule(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """The decision y = argmin_c x'Phi_c x of the extended record x (paper, equations 1 to 3), from a fitted `phi_`."""

    def costs(self, X: ArrayLike) -> Floats:
        """x'Phi_c x for each record and class, shape (n, C): the smallest decides."""
        check_is_fitted(self, "phi_")
        x = finite_matrix("features", X)
        if x.shape[1] != self.n_features_in_:
            raise ValueError(f"expected {self.n_features_in_} features per record, got {x.shape[1]}")
        extended = np.column_stack([x, np.ones(len(x))])
        return np.asarray(np.einsum("ni,cij,nj->nc", extended, self.phi_, extended, optimize=True))

    def decision_function(self, X: ArrayLike) -> Floats:
        """Minus the costs, shape (n, C), the largest decides; for two classes cost 0 less cost 1, shape (n,), above 0 for the second."""
        costs = self.costs(X)
        return -costs if costs.shape[1] > 2 else costs[:, 0] - costs[:, 1]

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """The class of each record (n,)."""
        best = self.costs(X).argmin(axis=1)
        return np.asarray(self.classes_[best])

    @property
    def precisions_(self) -> Floats:
        """The inverse covariances Psi_c, shape (C, d, d)."""
        check_is_fitted(self, "phi_")
        return np.asarray(self.phi_[:, :-1, :-1])

    @property
    def centroids_(self) -> Floats:
        """The centroids mu_c with Psi_c mu_c = -(last column), of least length where Psi_c is singular, shape (C, d)."""
        return -np.stack(
            [np.linalg.pinv(p) @ f[:-1, -1] for p, f in zip(self.precisions_, self.phi_, strict=True)]
        )

    @property
    def offsets_(self) -> Floats:
        """theta_c = Phi_c[k, k] - mu_c'Psi_c mu_c, shape (C,); at least 0 up to rounding if Phi_c is positive semidefinite."""
        mu = self.centroids_
        return np.asarray(self.phi_[:, -1, -1] - np.einsum("ci,cij,cj->c", mu, self.precisions_, mu))


class LargeMarginGaussian(QuadraticRule):
    """The large-margin Gaussian classifier of Pathak and Raj 2010; not private.

    min sum_i sum_(c != y_i) loss(lead) + regularization sum_c tr Psi_c + (ridge/2)|Phi|^2 over positive semidefinite Phi_c.
    `width` and `margin` are those of the Huber loss. `ridge` = 0 is the paper's objective, whose infimum need not be attained:
    a linear rule, Psi_c -> 0, costs its regulariser nothing in the limit (see `reduced`). Its corners are then large, equal up
    to a few digits; `solution_.lower_bound` is the infimum. Warns where the certificate falls short. `solver`: "conic"
    (clarabel), "first-order", or "auto", which is conic while the program is small. `fit(X, y)` takes records (n, d) and labels
    (n,); `tolerance` is the relative gap of the certificate. ValueError for anything else.

    Fitted: `phi_` (C, d + 1, d + 1), `classes_`, `solution_` with its certificate, `precisions_`, `centroids_`, `offsets_`.

    >>> model = npf.LargeMarginGaussian(regularization=0.1).fit([[0.0], [0.2], [0.8], [1.0]], [0, 0, 1, 1])
    >>> model.predict([[0.1], [0.9]])
    array([0, 1])
    """

    def __init__(
        self,
        regularization: float = 0.1,
        *,
        width: float = 0.5,
        margin: float = 1.0,
        ridge: float = 1e-2,
        solver: str = "auto",
        tolerance: float = 1e-6,
    ) -> None:
        self.regularization = regularization
        self.width = width
        self.margin = margin
        self.ridge = ridge
        self.solver = solver
        self.tolerance = tolerance

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Fits to records (n, d) and labels (n,) of at least two classes; ValueError says what is wrong."""
        price = positive("regularization", self.regularization, "lambda, the price of the traces")
        if not (np.isfinite(self.ridge) and self.ridge >= 0):
            raise ValueError(f"ridge must be a finite number >= 0, got {self.ridge!r}")
        if self.solver not in ("auto", "conic", "first-order"):
            raise ValueError(f"solver must be 'auto', 'conic' or 'first-order', got {self.solver!r}")
        tolerance = positive("tolerance", self.tolerance, "the relative gap to reach")
        loss = Huber(self.width, self.margin)
        x, number, classes = labelled(X, y)
        check_classification_targets(y)
        objective = Objective.of(x, number, len(classes), loss, price, float(self.ridge))
        entries = objective.outer.size * 2 * (len(classes) - 1)
        self.solution_ = self._solution(objective, tolerance, entries <= CONIC_ENTRIES)
        if not self.solution_.holds(max(tolerance, LIMIT_GAP) if self.ridge == 0 else tolerance):
            warnings.warn(
                f"the solution is certified to a relative gap of {self.solution_.gap:.2g} only",
                ConvergenceWarning,
                stacklevel=2,
            )
        self.phi_, self.classes_, self.n_features_in_ = self.solution_.phi, classes, x.shape[1]
        return self

    def _solution(self, objective: Objective, tolerance: float, small: bool) -> Solution:
        if self.solver == "conic" or (self.solver == "auto" and small):
            try:
                return conic_solution(objective, tolerance / 100)
            except ArithmeticError:
                if self.solver == "conic":
                    raise
        return first_order_solution(objective, tolerance)
