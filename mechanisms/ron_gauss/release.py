"""The joint release of a noisy mean and noisy second moments (algorithms 3 and 4) as a subject of an audit.

The projection is fixed, the number n of records public, one record may be replaced.  The code under audit is the pipeline's
own `noisy_moments`; the law is written down by itself.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, Self

import numpy as np
import sympy as sp
from numpy.typing import ArrayLike

from ...symbolic.arrays import Floats
from ...symbolic.laws import catalogue as laws
from ...symbolic.laws.law import Law
from ...symbolic.proof.derivation import Step
from ...symbolic.proof.enclosure import rational
from ..additive import positive, whole
from ..covariance import sensitivity_steps
from ..laplace import laplace_worst_case
from ..mechanism import Mechanism, WorstCase
from . import scales
from .extreme import Aligned, Extreme, aligned, extreme, extreme_augmented
from .given_projection import GivenProjection
from .law import AdaptiveMoments, LargestLoss
from .model import bounded_labels
from .moments import SumScales, noisy_moments
from .normalisation import on_sphere, records
from .release_steps import ADAPTIVE, certified_step, label_steps, mean_steps, projection_steps


class RonGaussRelease(Mechanism):
    """(mu, Sigma) of n records in R^m: the noisy mean, then noisy second moments of records centred, normalised, projected by W.

    `mean_scale` and `covariance_scale` are Laplace scales of the noise on averages, numbers or exact expressions.  Outcomes
    are the m entries of mu, then those of Sigma row by row: all p^2, or with `symmetric` those of the upper triangle.
    `projection` is W (m, p), orthonormal up to rounding (1e-5); without it W is one that lets the declared neighbours reach
    the largest loss of mean and matrix together.  Claims are decided on the W that was given: where W'W = c I the matrix loses
    c times as much, and with epsilon read to twelve digits c = 1 + 1e-15 changes nothing.  Inputs are raw records (n, m), none
    of them zero.
    """

    name = "ron-gauss"
    summary = "the noisy mean and the noisy second moments that a private Gaussian model is made of"

    def __init__(
        self,
        m: int,
        p: int,
        n: int,
        mean_scale: float | sp.Expr,
        covariance_scale: float | sp.Expr,
        symmetric: bool = False,
        projection: ArrayLike | None = None,
    ) -> None:
        self.m, self.p, self.n = whole("m", m, least=2), whole("p", p, least=2), whole("n", n, least=2)
        if self.p > self.m:
            raise ValueError(f"p must be at most m, got p = {self.p} and m = {self.m}")
        self.mean_scale = positive("mean_scale", mean_scale, "the scale of the noise on the mean")
        self.covariance_scale = positive(
            "covariance_scale", covariance_scale, "the scale of the noise on the matrix"
        )
        self.exact_mean_scale = _exact(mean_scale)
        self.exact_covariance_scale = _exact(covariance_scale)
        self.symmetric = bool(symmetric)
        self._given = None if projection is None else GivenProjection.of(projection, self.m, self.p)
        self.projection = None if self._given is None else self._given.W
        self._pair = self._extreme()
        self._aligned: Aligned = aligned(self._pair, self.m, self.n, self.projection)

    @classmethod
    def printed(
        cls,
        m: int,
        p: int,
        n: int,
        epsilon_mean: float,
        epsilon_covariance: float,
        projection: ArrayLike | None = None,
    ) -> Self:
        """The scales 2 sqrt(m)/n and 2 sqrt(p)/n over the budgets, as the paper prints them."""
        first, second = scales.printed_mean(m), scales.printed_covariance(p)
        return cls(m, p, n, *_over(n, (first, epsilon_mean), (second, epsilon_covariance)), False, projection)

    @classmethod
    def needed(
        cls,
        m: int,
        p: int,
        n: int,
        epsilon_mean: float,
        epsilon_covariance: float,
        symmetric: bool = True,
        projection: ArrayLike | None = None,
    ) -> Self:
        """Scaled to proved sensitivities: private with the two budgets added up, for every m, p, n and W."""
        first, second = scales.needed_mean(m), scales.needed_covariance(p, symmetric=symmetric)
        return cls(
            m, p, n, *_over(n, (first, epsilon_mean), (second, epsilon_covariance)), symmetric, projection
        )

    @property
    def W(self) -> Floats:  # noqa: N802 - the paper's symbol
        """The projection (m, p)."""
        return self._aligned.W

    def law(self, data: Any) -> AdaptiveMoments:
        unit, labels = self._read(data)
        return AdaptiveMoments(unit, self.W, *self._noises, self._entries(), labels)

    @cached_property
    def _noises(self) -> tuple[Law, Law]:
        mean, matrix = (laws.laplace(0, s) for s in (self.exact_mean_scale, self.exact_covariance_scale))
        return mean, matrix

    def release(self, data: Any, size: int, rng: np.random.Generator) -> Floats:
        unit, labels = self._read(data)
        sums = SumScales(self.mean_scale * self.n, self.covariance_scale * self.n, None, self.symmetric)
        i, j = self._entries()
        out = np.empty((size, self.m + len(i)))
        for row in out:
            moments = noisy_moments(unit, self.W, sums, rng, labels)
            row[: self.m], row[self.m :] = moments.mean, moments.second[i, j]
        return out

    def neighbours(self) -> tuple[tuple[Any, Any], ...]:
        """Raw data sets whose first records become the extreme pair once centred by an outcome of the mean near `meeting_point`."""
        return ((self._aligned.zero, self._aligned.one),)

    def meeting_point(self) -> Floats:
        """The outcome (m,) of the mean near which the records become the extreme pair; by default the mean loses the most there too."""
        return self._aligned.outcome

    def worst_case(self) -> WorstCase:
        """Attained: the declared neighbours' largest loss, exactly.  Dominating: both sensitivities over their scales, added."""
        unit = sp.Integer(1) / self.n
        first = 2 * sp.sqrt(self.m) * unit / self.exact_mean_scale
        second = self._sensitivity() * self._growth() * unit / self.exact_covariance_scale
        distance = self._pair.distance if self._given is None else self._given.reached(self._pair)
        reached = distance * unit / self.exact_covariance_scale
        reached += (
            first
            if self._given is None
            else self._given.mean_reached(self._aligned, self.n) / self.exact_mean_scale
        )
        pure = laplace_worst_case(first + second, self.m + len(self._entries()[0]))
        lemmas = (*pure.lemmas, *ADAPTIVE)
        zero, one = (self.law(x) for x in self.neighbours()[0])
        projected = projection_steps() if self._given is None else (self._given.step(),)
        steps = (*mean_steps(self.m), *projected, *self._matrix_steps(), *pure.steps)
        return WorstCase(
            LargestLoss(reached, (zero, one), self._aligned.steps), pure.dominating, steps, lemmas
        )

    def with_noise_divided_by(self, factor: float) -> Self:
        by = rational(factor)
        return self._again(self.exact_mean_scale / by, self.exact_covariance_scale / by)

    def _again(self, mean_scale: sp.Expr, covariance_scale: sp.Expr) -> Self:
        return type(self)(
            self.m, self.p, self.n, mean_scale, covariance_scale, self.symmetric, self.projection
        )

    def _extreme(self) -> Extreme:
        return extreme(self.p, self.symmetric)

    def _sensitivity(self) -> sp.Expr:
        return scales.needed_covariance(self.p, symmetric=self.symmetric)

    def _growth(self) -> sp.Expr:
        """By how much the projection may stretch second moments."""
        return sp.Integer(1) if self._given is None else self._given.growth

    def _matrix_steps(self) -> tuple[Step, ...]:
        if self._sensitivity() == scales.closed_covariance(self.p, self.symmetric):
            return sensitivity_steps(self.p, self.n, self.symmetric)
        return (certified_step(self._sensitivity(), self.p, None, self.symmetric),)

    def _entries(self) -> Any:
        if self.symmetric:
            return np.triu_indices(self.p)
        return tuple(axis.ravel() for axis in np.indices((self.p, self.p)))

    def _read(self, data: Any) -> tuple[Floats, Floats | None]:
        rows = records(data)
        if rows.shape != (self.n, self.m):
            raise ValueError(
                f"{self.name} expects {self.n} records of {self.m} numbers, got shape {rows.shape}"
            )
        return on_sphere(rows), None


def _exact(scale: float | sp.Expr) -> sp.Expr:
    return scale if isinstance(scale, sp.Expr) else rational(float(scale))


def _over(n: int, mean: tuple[sp.Expr, float], matrix: tuple[sp.Expr, float]) -> tuple[sp.Expr, sp.Expr]:
    """Exact scales of noise on averages, from sums' sensitivities with their budgets."""
    count = whole("n", n, least=2)
    first, second = (
        sensitivity / count / rational(positive("epsilon", epsilon, "a privacy budget"))
        for sensitivity, epsilon in (mean, matrix)
    )
    return first, second


class RonGaussSupervisedRelease(RonGaussRelease):
    """The same with labels in [-label_bound, label_bound] as one more column of the projected records (algorithm 4).

    Inputs are (n, m + 1), the label last; matrices are (p + 1, p + 1).
    """

    name = "ron-gauss-supervised"
    summary = "the noisy mean and the noisy second moments of projected records and labels"

    def __init__(
        self,
        m: int,
        p: int,
        n: int,
        label_bound: float | sp.Rational,
        mean_scale: float | sp.Expr,
        covariance_scale: float | sp.Expr,
        symmetric: bool = False,
        projection: ArrayLike | None = None,
    ) -> None:
        self.label_bound = positive("label_bound", label_bound, "the largest absolute label")
        super().__init__(m, p, n, mean_scale, covariance_scale, symmetric, projection)

    @classmethod
    def printed(  # type: ignore[override]
        cls,
        m: int,
        p: int,
        n: int,
        label_bound: float,
        epsilon_mean: float,
        epsilon_covariance: float,
        projection: ArrayLike | None = None,
    ) -> Self:
        """The scales 2 sqrt(m)/n and (2 sqrt(p) + 4 a sqrt(p) + a^2)/n over the budgets, as the paper prints them."""
        parts = (
            (scales.printed_mean(m), epsilon_mean),
            (scales.printed_augmented(p, label_bound), epsilon_covariance),
        )
        return cls(m, p, n, label_bound, *_over(n, *parts), False, projection)

    @classmethod
    def needed(  # type: ignore[override]
        cls,
        m: int,
        p: int,
        n: int,
        label_bound: float,
        epsilon_mean: float,
        epsilon_covariance: float,
        symmetric: bool = True,
        projection: ArrayLike | None = None,
    ) -> Self:
        """Scaled to proved sensitivities: private with the two budgets added up, for every m, p, n, W and label bound."""
        matrix = scales.needed_augmented(p, label_bound, symmetric=symmetric)
        parts = (scales.needed_mean(m), epsilon_mean), (matrix, epsilon_covariance)
        return cls(m, p, n, label_bound, *_over(n, *parts), symmetric, projection)

    def neighbours(self) -> tuple[tuple[Any, Any], ...]:
        labels = (np.full((self.n, 1), first) for first in (self._pair.y, self._pair.z))
        inputs = []
        for rows, column in zip((self._aligned.zero, self._aligned.one), labels, strict=True):
            column[1:] = 0.0
            inputs.append(np.hstack([rows, column]))
        return ((inputs[0], inputs[1]),)

    def _again(self, mean_scale: sp.Expr, covariance_scale: sp.Expr) -> Self:
        return type(self)(
            self.m,
            self.p,
            self.n,
            self.label_bound,
            mean_scale,
            covariance_scale,
            self.symmetric,
            self.projection,
        )

    def _extreme(self) -> Extreme:
        return extreme_augmented(self.p, rational(self.label_bound), self.symmetric)

    def _sensitivity(self) -> sp.Expr:
        return scales.needed_augmented(self.p, self.label_bound, symmetric=self.symmetric)

    def _growth(self) -> sp.Expr:
        # Labels are not projected: shorter records leave them as long as they are.
        return sp.Max(1, super()._growth())

    def _matrix_steps(self) -> tuple[Step, ...]:
        bound = rational(self.label_bound)
        if self._sensitivity() == scales.closed_augmented(self.p, bound, self.symmetric):
            return label_steps(self.p, self.label_bound, self.symmetric)
        return (certified_step(self._sensitivity(), self.p, bound, self.symmetric),)

    def _entries(self) -> Any:
        if self.symmetric:
            return np.triu_indices(self.p + 1)
        return tuple(axis.ravel() for axis in np.indices((self.p + 1, self.p + 1)))

    def _read(self, data: Any) -> tuple[Floats, Floats | None]:
        rows = records(data)
        if rows.shape != (self.n, self.m + 1):
            raise ValueError(
                f"{self.name} expects {self.n} records of {self.m} numbers and a label, got shape {rows.shape}"
            )
        return on_sphere(rows[:, :-1]), bounded_labels(rows[:, -1], self.n, self.label_bound)
