"""A private large-margin multiclass classifier, its epsilon derived in `epsilon.py`."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Self

import numpy as np
import sympy as sp
from numpy.typing import ArrayLike

from ...symbolic.arrays import Floats
from ...symbolic.programs.symmetric import coordinates, matrices
from ...symbolic.proof.enclosure import rational
from ..additive import positive
from .classifier import QuadraticRule
from .epsilon import PrivacyTerms
from .huber import Huber
from .newton import tilted_minimisers
from .objective import Objective
from .training import in_unit_ball, labelled

METHODS = ("objective", "output")


class PrivateLargeMarginGaussian(QuadraticRule):
    """Large-margin classification with epsilon-differential privacy; neighbours replace one labelled record, n is public.

    Minimises the mean loss + (ridge/2)|Phi|^2 over symmetric Phi_1, ..., Phi_C that add up to zero, with noise of density
    exp(-|b|/scale): by `method` on the linear part ("objective") or on the minimiser ("output"). Decisions and losses depend on
    differences of the Phi_c only; the paper's trace (Pathak and Raj 2010) acts on their sum and is left out. Afterwards one multiple
    of the identity is added to all of them, which makes them positive semidefinite and changes no decision (post-processing).

    `classes` are declared, never read off the data. Records have length at most 1. `ridge` None takes the least for which
    the Jacobian costs a quarter of epsilon ("objective"), or 1/sqrt(epsilon n) ("output"); neither looks at the data.
    `random_state` is for experiments: a number, or a generator that scikit-learn copies, gives two fits one noise, and their
    difference shows the data. Leave it None for a release. `width` and `margin` are those of the Huber loss. ValueError, when
    it is fitted, for anything else.

    Fitted: `phi_` (C, d + 1, d + 1), `epsilon_`, `terms_`, `ridge_`, `noise_scale_`.

    >>> model = npf.PrivateLargeMarginGaussian(epsilon=1.0, classes=[0, 1], random_state=0)
    >>> model.fit([[0.0], [0.2], [0.8], [1.0]], [0, 0, 1, 1]).phi_.shape
    (2, 2, 2)
    """

    def __init__(
        self,
        epsilon: float,
        classes: ArrayLike,
        *,
        method: str = "objective",
        ridge: float | None = None,
        width: float = 0.5,
        margin: float = 0.5,
        random_state: int | np.random.Generator | None = None,
    ) -> None:
        self.epsilon = epsilon
        self.classes = classes
        self.method = method
        self.ridge = ridge
        self.width = width
        self.margin = margin
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Fits to records (n, d) of the unit ball with labels (n,) among the classes; ValueError says what is wrong."""
        rng = np.random.default_rng(self.random_state)
        released = self.released(X, y, 1, rng)[0]
        lowest = float(np.linalg.eigvalsh(released).min())
        self.phi_ = released + max(0.0, -lowest) * np.eye(released.shape[-1])
        return self

    def released(self, X: ArrayLike, y: ArrayLike, size: int, rng: np.random.Generator) -> Floats:
        """`size` independent releases (size, C, d + 1, d + 1) for the same records, before post-processing; sets what is fitted."""
        objective = self._objective(X, y)
        tilt = self._noise(size, objective, rng)
        if self.method == "output":
            best = tilted_minimisers(objective, np.zeros((1, *tilt.shape[1:])))
            return matrices(best + tilt)
        return matrices(tilted_minimisers(objective, tilt / len(objective.labels)))

    def log_density(self, released: Floats, X: ArrayLike, y: ArrayLike) -> Floats:
        """The log density of releases (B, C, d + 1, d + 1) up to a constant that does not depend on the data, shape (B,)."""
        objective = self._objective(X, y)
        phi = coordinates(np.asarray(released, dtype=float))
        if self.method == "output":
            best = tilted_minimisers(objective, np.zeros((1, *phi.shape[1:])))
            return np.asarray(-np.sqrt(((phi - best) ** 2).sum(axis=(1, 2))) / self.noise_scale_)
        noise = len(objective.labels) * objective.gradient(phi)
        length = np.sqrt((noise**2).sum(axis=(1, 2)))
        return np.asarray(-length / self.noise_scale_ + np.linalg.slogdet(objective.hessian(phi))[1])

    def _objective(self, X: ArrayLike, y: ArrayLike) -> Objective:
        epsilon = positive("epsilon", self.epsilon, "the privacy parameter")
        if self.method not in METHODS:
            raise ValueError(f"method must be one of {', '.join(METHODS)}, got {self.method!r}")
        loss = Huber(self.width, self.margin)
        x, number, classes = labelled(X, y, self.classes)
        x = in_unit_ball(x)
        n = len(x)
        ridge = self._ridge(epsilon, len(classes), n)
        terms = PrivacyTerms(len(classes), n, rational(self.width), rational(ridge))
        scale = self._scale(epsilon, terms)
        self.terms_, self.ridge_, self.epsilon_, self.noise_scale_ = terms, ridge, epsilon, scale
        self.classes_, self.n_features_in_ = classes, x.shape[1]
        return Objective.of(x, number, len(classes), loss, 0.0, ridge, average=True)

    def _scale(self, epsilon: float, terms: PrivacyTerms) -> float:
        """The scale of the noise that makes the release epsilon-differentially private."""
        if self.method == "output":
            return float(terms.minimiser_sensitivity) / epsilon
        if epsilon <= float(terms.jacobian):
            raise ValueError(
                f"the Jacobian alone costs {float(terms.jacobian):.4g} of epsilon = {epsilon:g}: take a larger ridge or width, "
                "or method='output'"
            )
        return float(terms.noise_scale(rational(epsilon)))

    def _ridge(self, epsilon: float, classes: int, n: int) -> float:
        if self.ridge is not None:
            return positive("ridge", self.ridge, "mu, the price of |Phi|^2/2")
        if self.method == "output":
            return float(1 / np.sqrt(epsilon * n))
        return _quarter_ridge(epsilon, classes, n, self.width)

    def _noise(self, size: int, objective: Objective, rng: np.random.Generator) -> Floats:
        """Noise of density exp(-|b|/scale) on collections (size, C, s) that add up to zero: Gamma length, any direction."""
        shape = (size, objective.classes, objective.outer.shape[1])
        direction = rng.standard_normal(shape)
        direction -= direction.mean(axis=1, keepdims=True)
        direction /= np.sqrt((direction**2).sum(axis=(1, 2), keepdims=True))
        length = self.noise_scale_ * rng.gamma((shape[1] - 1) * shape[2], size=size)
        return np.asarray(direction * length[:, None, None])


@lru_cache(maxsize=256)
def _quarter_ridge(epsilon: float, classes: int, n: int, width: float) -> float:
    """The ridge at which the Jacobian costs a quarter of epsilon."""
    from scipy.optimize import brentq

    def excess(log_ridge: float) -> float:
        terms = PrivacyTerms(classes, n, sp.Float(width), sp.Float(np.exp(log_ridge)))
        return float(terms.jacobian) - epsilon / 4

    return float(np.exp(brentq(excess, -60.0, 60.0)))


def audit_subject(model: PrivateLargeMarginGaussian, one: tuple[Any, Any], two: tuple[Any, Any]) -> Any:
    """The release of `model` as a black box with known density, for two neighbouring training sets (features, labels).

    ValueError unless they have equal size and differ in exactly one record.
    """
    from ..black_box import BlackBox

    for x, y in (one, two):
        model._objective(x, y)
    (x, y), (x2, y2) = ((np.asarray(x, dtype=float), np.asarray(y)) for x, y in (one, two))
    if x.shape != x2.shape:
        raise ValueError(
            f"neighbours replace one record: features have shapes {x.shape} and {x2.shape}, give two of one shape"
        )
    changed = int(np.count_nonzero((x != x2).any(axis=1) | (y != y2)))
    if changed != 1:
        raise ValueError(f"neighbours differ in exactly one record, these differ in {changed}")

    def release(data: tuple[Any, Any], size: int, rng: np.random.Generator) -> Floats:
        found = model.released(*data, size, rng)
        return found.reshape(size, -1)

    def log_density(rows: Floats, data: tuple[Any, Any]) -> Floats:
        k = np.asarray(data[0]).shape[1] + 1
        return model.log_density(rows.reshape(len(rows), -1, k, k), *data)

    return BlackBox(
        release, (one, two), log_density, name=f"private large-margin classifier ({model.method})"
    )
