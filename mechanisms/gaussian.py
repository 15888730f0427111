"""Gaussian mechanisms: a given deviation, any covariance, and the optimal noise for a trace of Fisher information."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any, Self

import numpy as np
import sympy as sp
from numpy.typing import ArrayLike

from ..symbolic.arrays import Floats
from ..symbolic.information.fisher import Information
from ..symbolic.information.noise import least_eigenvalue_exceeds, normal_information, squared_distance
from ..symbolic.laws.vector import NormalVector, OutcomeLaw
from ..symbolic.privacy.pair import GaussianPair
from ..symbolic.proof.derivation import Step
from ..symbolic.proof.enclosure import rational
from ..symbolic.proof.truth import Truth
from .additive import Additive, deviation, positive, whole
from .mechanism import WorstCase

_LARGEST_CERTIFIED = 60
_ROOT_ERROR = 1e-9


class GaussianMechanism(Additive):
    """y = x + w, w normal with deviation `sigma` per entry, or with a `covariance` (d, d).

    `sensitivity` bounds the Euclidean distance of neighbouring inputs.
    """

    name = "gaussian"
    summary = "adds normal noise of a given deviation or covariance"

    def __init__(
        self,
        sigma: float | None = None,
        sensitivity: float = 1.0,
        dimension: int = 1,
        covariance: ArrayLike | None = None,
    ) -> None:
        if (sigma is None) == (covariance is None):
            raise ValueError(
                "give exactly one of sigma (one deviation for all entries) and covariance (a d x d matrix)"
            )
        self.sensitivity = positive("sensitivity", sensitivity, "the Euclidean distance of neighbours")
        self.sigma = None if sigma is None else deviation("sigma", sigma, "the deviation of the noise")
        self.covariance = None if covariance is None else positive_definite("covariance", covariance)
        self.dimension = whole("dimension", dimension) if self.covariance is None else len(self.covariance)

    def _covariance(self) -> Floats:
        if self.covariance is not None:
            return self.covariance
        assert self.sigma is not None
        return np.eye(self.dimension) * self.sigma**2

    def noise_law(self, centre: Floats) -> OutcomeLaw:
        return NormalVector(centre, self._covariance())

    def draw(self, size: int, rng: np.random.Generator) -> Floats:
        if self.sigma is not None:
            return rng.normal(0.0, self.sigma, size=(size, self.dimension))
        return rng.multivariate_normal(np.zeros(self.dimension), self._covariance(), size=size, method="eigh")

    def _weakest(self) -> tuple[sp.Expr | None, Floats]:
        """The deviation of the noise in its quietest direction (None if it is not known exactly), and that direction."""
        if self.sigma is not None:
            return rational(self.sigma), np.eye(self.dimension)[0]
        diagonal = np.diag(self._covariance())
        if not np.any(self._covariance() - np.diag(diagonal)):
            return sp.sqrt(rational(float(diagonal.min()))), np.eye(self.dimension)[np.argmin(diagonal)]
        return None, np.linalg.eigh(self._covariance())[1][:, 0]

    def neighbours(self) -> tuple[tuple[Any, Any], ...]:
        return ((np.zeros(self.dimension), self.sensitivity * self._weakest()[1]),)

    def worst_case(self) -> WorstCase:
        lemma = "d' S^{-1} d <= |d|^2 / (least eigenvalue of S), attained along its eigenvector"
        least, direction = self._weakest()
        if least is not None:
            return WorstCase(GaussianPair(rational(self.sensitivity) / least), lemmas=(lemma,))
        # The computed eigenvector gives neighbours that exist; a certified lower bound of the eigenvalue gives the proof.
        length = sum((rational(float(v)) ** 2 for v in direction), sp.Integer(0))
        squared = squared_distance(direction, self._covariance()) / length
        bound, step = _certified(self._covariance(), 1 / squared)
        far = rational(self.sensitivity)
        return WorstCase(
            GaussianPair(far * sp.sqrt(squared)), GaussianPair(far / sp.sqrt(bound)), (step,), (lemma,)
        )

    def noise_information(self) -> Information:
        if self.sigma is not None:
            return normal_information(sp.eye(self.dimension) * rational(self.sigma) ** 2)
        return normal_information(self._covariance())

    def noise_variance(self) -> tuple[sp.Expr, ...]:
        if self.sigma is not None:
            return (rational(self.sigma) ** 2,) * self.dimension
        return tuple(rational(float(v)) for v in np.diag(self._covariance()))

    def with_noise_divided_by(self, factor: float) -> Self:
        if self.sigma is not None:
            return type(self)(self.sigma / factor, self.sensitivity, self.dimension)
        return type(self)(None, self.sensitivity, covariance=self._covariance() / factor**2)


def _certified(covariance: Floats, estimate: sp.Rational) -> tuple[sp.Rational, Step]:
    """A number that the least eigenvalue certainly exceeds, as close below `estimate` as can be shown, and the step that shows it."""
    gaps = [sp.Rational(1, 10**digits) for digits in (13, 11, 9, 6, 3, 1)]
    shown = (estimate * (1 - gap) for gap in gaps if len(covariance) <= _LARGEST_CERTIFIED)
    bound = next((b for b in shown if least_eigenvalue_exceeds(covariance, b) is Truth.HOLDS), estimate / 2)
    reason = "the least eigenvalue of S: S less this multiple of the identity has positive pivots in ball arithmetic"
    large = len(covariance) > _LARGEST_CERTIFIED

    def again(left: sp.Expr, _right: sp.Expr) -> Truth:
        return Truth.UNKNOWN if large else least_eigenvalue_exceeds(covariance, left)

    return bound, Step(bound, "<=", sp.Symbol("least_eigenvalue", positive=True), reason, how=again)


class OptimalGaussian(Additive):
    """One record of a box released as x + n with the noise that minimises Tr(Pi^{-1} I) + lambda E|n|^2.

    The density is proportional to exp(-(sqrt(lambda)/2) n' Pi^{1/2} n), covariance Pi^{-1/2}/sqrt(lambda)
    (farokhi2020, theorem 2.4).  `domain` = (lower, upper), two arrays (d,), says where records live; neighbours
    are any two records of it.  `weight` is Pi (d, d), the identity by default.  `records` (n, d), if given, only
    serve to measure adversaries on real data.
    """

    name = "optimal-gaussian"
    summary = "adds the Gaussian noise that minimises Tr(Pi^-1 I) + lambda E|n|^2 to a record of a box"

    def __init__(
        self,
        lam: float,
        domain: tuple[ArrayLike, ArrayLike],
        weight: ArrayLike | None = None,
        records: ArrayLike | None = None,
    ) -> None:
        self.lam = positive("lambda", lam, "the price of variance")
        self.domain: tuple[Floats, Floats] = box(domain)
        self.dimension = len(self.domain[0])
        self.weight = None if weight is None else positive_definite("weight", weight)
        if self.weight is not None and len(self.weight) != self.dimension:
            raise ValueError(
                f"weight must be {self.dimension} x {self.dimension} like the domain, got {self.weight.shape}"
            )
        self.records = None if records is None else np.asarray(records, dtype=float)

    def _root_weight(self) -> Floats:
        if self.weight is None:
            return np.eye(self.dimension)
        values, vectors = np.linalg.eigh(self.weight)
        return np.asarray((vectors * np.sqrt(values)) @ vectors.T, dtype=float)

    def covariance(self) -> Floats:
        """Pi^{-1/2} / sqrt(lambda), shape (d, d)."""
        return np.asarray(np.linalg.inv(self._root_weight()) / np.sqrt(self.lam), dtype=float)

    def noise_law(self, centre: Floats) -> OutcomeLaw:
        return NormalVector(centre, self.covariance())

    def draw(self, size: int, rng: np.random.Generator) -> Floats:
        if self.weight is None:
            return rng.normal(0.0, self.lam**-0.25, size=(size, self.dimension))
        # Pi^{-1/4} lambda^{-1/4} z: a route of its own, not through the covariance that the law uses.
        values, vectors = np.linalg.eigh(self.weight)
        z = rng.standard_normal((size, self.dimension))
        return np.asarray(((z @ vectors) * values**-0.25) @ vectors.T * self.lam**-0.25, dtype=float)

    def neighbours(self) -> tuple[tuple[Any, Any], ...]:
        centre, half = (self.domain[0] + self.domain[1]) / 2, self._worst_shift()[0] / 2
        return ((centre - half, centre + half),)

    def _worst_shift(self) -> tuple[Floats, bool]:
        """The corner-to-corner shift with the largest d' Pi^{1/2} d, and whether it is certainly the largest."""
        widths = self.domain[1] - self.domain[0]
        root = self._root_weight()
        if not np.any(root - np.diag(np.diag(root))):
            return widths, True
        if self.dimension <= 12:
            signs = np.array(list(itertools.product((1.0, -1.0), repeat=self.dimension - 1)))
            corners = np.column_stack([np.ones(len(signs)), signs]) * widths
            return corners[np.argmax(np.einsum("ij,jk,ik->i", corners, root, corners))], True
        shift = widths.copy()
        for _ in range(100):
            shift = np.where(root @ shift >= 0, widths, -widths)
        return shift, False

    def worst_case(self) -> WorstCase:
        lam, widths = rational(self.lam), [rational(float(v)) for v in self.domain[1] - self.domain[0]]
        shift, certain = self._worst_shift()
        if self.weight is None:
            mu = sp.sqrt(sum((w**2 for w in widths), sp.Integer(0)) * sp.sqrt(lam))
        else:
            mu = sp.sqrt(rational(float(shift @ self._root_weight() @ shift)) * sp.sqrt(lam))
        s, t = sp.symbols("s t", nonnegative=True)
        step = Step(
            sp.expand((s + t) ** 2), ">=", s**2, "a shift s within a width s + t is longest at the full width"
        )
        dominating = None
        if not certain:
            magnitude = np.abs(self.domain[1] - self.domain[0])
            bound = rational(float(magnitude @ np.abs(self._root_weight()) @ magnitude))
            dominating = GaussianPair(sp.sqrt(bound * sp.sqrt(lam)))
        return WorstCase(
            GaussianPair(mu), dominating, (step,), ("a convex function on a box is largest at a corner",)
        )

    def noise_information(self) -> Information:
        if self.weight is None:
            return normal_information(sp.eye(self.dimension) / sp.sqrt(rational(self.lam)))
        known = normal_information(self.covariance())
        assert known.numeric is not None
        # The root of the weight is a float whose rounding two inversions magnify: that is no fault of a claim.
        return replace(known, error=max(known.error, _ROOT_ERROR * float(np.abs(known.numeric).max())))

    def noise_variance(self) -> tuple[sp.Expr, ...]:
        if self.weight is None:
            return (1 / sp.sqrt(rational(self.lam)),) * self.dimension
        return tuple(rational(float(v)) for v in np.diag(self.covariance()))

    def with_noise_divided_by(self, factor: float) -> Self:
        return type(self)(self.lam * factor**4, self.domain, self.weight, self.records)


def box(domain: tuple[ArrayLike, ArrayLike]) -> tuple[Floats, Floats]:
    """Lower and upper ends of a box as arrays (d,), lower < upper in every coordinate."""
    lower, upper = (np.atleast_1d(np.asarray(v, dtype=float)) for v in domain)
    if lower.shape != upper.shape or lower.ndim != 1:
        raise ValueError(
            f"domain = (lower, upper) needs two arrays of one length, got {lower.shape} and {upper.shape}"
        )
    if not (np.all(np.isfinite(lower)) and np.all(np.isfinite(upper)) and np.all(lower < upper)):
        raise ValueError("domain must be finite with lower < upper in every coordinate")
    with np.errstate(over="ignore"):
        if not np.all(np.isfinite(upper - lower)):
            raise ValueError("domain must have a finite width upper - lower in every coordinate")
    return lower, upper


def positive_definite(name: str, matrix: ArrayLike) -> Floats:
    """`matrix` as a symmetric positive definite array (d, d), or a ValueError."""
    m = np.atleast_2d(np.asarray(matrix, dtype=float))
    if m.ndim != 2 or m.shape[0] != m.shape[1] or not np.allclose(m, m.T) or np.linalg.eigvalsh(m)[0] <= 0:
        raise ValueError(f"{name} must be a symmetric positive definite matrix, got shape {m.shape}")
    return m
