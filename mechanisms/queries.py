"""Bounded queries with Laplace or Gaussian noise: mean, sum and linear query, under both adjacency relations.

Values are clipped to public bounds [lower, upper].  "replace-one" keeps the number of records (public) and changes
one value; "add-or-remove" changes the number of records by one.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import sympy as sp
from numpy.typing import ArrayLike

from ..symbolic.arrays import Floats
from ..symbolic.domains.adjacency import OneRecord, one_record
from ..symbolic.errors import counted
from ..symbolic.laws import catalogue as laws
from ..symbolic.laws.vector import IndependentNoise, NormalVector, OutcomeLaw
from ..symbolic.privacy.pair import GaussianPair, LaplacePair
from ..symbolic.proof.as_written import difference, product
from ..symbolic.proof.derivation import Step
from ..symbolic.proof.enclosure import rational
from .additive import Additive, deviation, positive, whole
from .mechanism import WorstCase


class BoundedQuery(Additive):
    """A scalar query of a list of clipped values, plus Laplace noise (`epsilon`) or normal noise (`sigma`)."""

    coordinatewise = False

    def __init__(
        self,
        lower: float,
        upper: float,
        count: int,
        epsilon: float | None,
        sigma: float | None,
        adjacency: OneRecord,
    ) -> None:
        if not (np.isfinite(lower) and np.isfinite(upper) and lower < upper):
            raise ValueError(f"bounds need finite lower < upper, got lower={lower!r}, upper={upper!r}")
        if not np.isfinite(float(upper) - float(lower)):
            raise ValueError(
                f"bounds need a finite width upper - lower, got lower={lower!r}, upper={upper!r}"
            )
        if (epsilon is None) == (sigma is None):
            raise ValueError("give exactly one of epsilon (Laplace noise) and sigma (normal noise)")
        one_record(adjacency)
        self.lower, self.upper, self.count = float(lower), float(upper), whole("count", count)
        self.epsilon = None if epsilon is None else positive("epsilon", epsilon, "the privacy parameter")
        self.sigma = None if sigma is None else deviation("sigma", sigma, "the deviation of the noise")
        self.adjacency: OneRecord = adjacency

    @property
    def resizes(self) -> bool:
        """Whether neighbours differ in their number of records."""
        return one_record(self.adjacency).resizes

    @abstractmethod
    def sensitivity(self) -> sp.Expr:
        """The exact largest change of the query between neighbours."""

    @abstractmethod
    def sensitivity_steps(self) -> tuple[Step, ...]:
        """Checked steps that bound the change of the query."""

    @abstractmethod
    def evaluate(self, values: Floats) -> float:
        """The code's query of clipped values (n,)."""

    @abstractmethod
    def formula(self, values: Sequence[sp.Expr]) -> sp.Expr:
        """The query as it is meant, of exact values."""

    def query(self, data: Any) -> Floats:
        values = np.asarray(data, dtype=float)
        if values.ndim != 1 or values.size == 0 or not np.all(np.isfinite(values)):
            raise ValueError(
                f"{self.name} expects a non-empty list of finite numbers, got shape {values.shape}"
            )
        return np.array([self.evaluate(np.clip(values, self.lower, self.upper))])

    def noise_law(self, centre: Floats) -> OutcomeLaw:
        if self.sigma is not None:
            return NormalVector(centre, [[self.sigma**2]])
        return IndependentNoise(
            laws.laplace(0, self.sensitivity() / rational(self.epsilon or 0)), tuple(centre)
        )

    def draw(self, size: int, rng: np.random.Generator) -> Floats:
        if self.sigma is not None:
            return rng.normal(0.0, self.sigma, size=(size, 1))
        return rng.laplace(0.0, float(self.sensitivity()) / (self.epsilon or 1.0), size=(size, 1))

    def worst_case(self) -> WorstCase:
        # The change is recomputed on the worst neighbours: a wrong `sensitivity` shows up as a wrong pair.
        change = self.exact_change()
        scale = (
            rational(self.sigma)
            if self.sigma is not None
            else self.sensitivity() / rational(self.epsilon or 0)
        )
        pair = GaussianPair(change / scale) if self.sigma is not None else LaplacePair(change / scale)
        return WorstCase(pair, steps=self.sensitivity_steps())

    def exact_change(self) -> sp.Expr:
        """|f(x) - f(x')| on the declared worst neighbours, in exact arithmetic."""
        one, two = (self.formula([rational(float(v)) for v in x]) for x in self.neighbours()[0])
        return sp.Abs(one - two)

    def _bounds(self) -> tuple[sp.Expr, sp.Expr]:
        return rational(self.lower), rational(self.upper)

    def _magnitude(self) -> sp.Expr:
        low, high = self._bounds()
        return sp.Max(sp.Abs(low), sp.Abs(high))

    def _extremes(self) -> tuple[float, float]:
        """The value to add or to change, largest in magnitude first."""
        return (self.lower, self.upper) if abs(self.lower) > abs(self.upper) else (self.upper, self.lower)


def _replace_steps(weight: sp.Expr, what: str) -> tuple[Step, ...]:
    a, b, rest = sp.symbols("a b rest", real=True)
    s, t = sp.symbols("s t", nonnegative=True)
    low, high = sp.symbols("lower upper", real=True)
    return (
        Step(
            difference(product(weight, rest + a), product(weight, rest + b)),
            "=",
            weight * (a - b),
            f"{what}: all other terms cancel",
        ),
        Step(
            (high - low) - ((high - s) - (low + t)),
            ">=",
            sp.Integer(0),
            "two values upper - s and lower + t of [lower, upper] differ by at most upper - lower",
        ),
    )


class BoundedMean(BoundedQuery):
    """The mean of values clipped to [lower, upper], with Laplace noise (`epsilon`) or normal noise (`sigma`): give exactly one.

    `count` is the number n of records for "replace-one", for "add-or-remove" the public least number of them. Inputs are arrays
    (n,), outcomes (size, 1). ValueError for anything else, another `adjacency` too. `sensitivity()` is exact: (upper - lower)/n
    for "replace-one".

    >>> npf.BoundedMean(lower=0, upper=50, count=100, epsilon=1.0).sensitivity()
    1/2
    """

    name = "bounded-mean"
    summary = "the mean of values in a public interval, with Laplace or normal noise"

    def __init__(
        self,
        lower: float,
        upper: float,
        count: int,
        epsilon: float | None = None,
        sigma: float | None = None,
        adjacency: OneRecord = "replace-one",
    ) -> None:
        super().__init__(lower, upper, count, epsilon, sigma, adjacency)

    def evaluate(self, values: Floats) -> float:
        return float(values.mean())

    def formula(self, values: Sequence[sp.Expr]) -> sp.Expr:
        return sp.Add(*values) / len(values)

    def sensitivity(self) -> sp.Expr:
        low, high = self._bounds()
        return (high - low) / (self.count + self.resizes)

    def sensitivity_steps(self) -> tuple[Step, ...]:
        n, m, v = sp.Symbol("n", positive=True), sp.Symbol("m", real=True), sp.Symbol("v", real=True)
        if not self.resizes:
            return _replace_steps(1 / n, "mean of n values, one replaced")
        step = Step(
            (n * m + v) / (n + 1) - m,
            "=",
            (v - m) / (n + 1),
            "adding v to n values of mean m moves the mean by (v - m)/(n + 1)",
        )
        return (step, _replace_steps(1 / n, "")[1])

    def neighbours(self) -> tuple[tuple[Any, Any], ...]:
        x = np.full(self.count, self.lower)
        if self.resizes:
            return ((x, np.append(x, self.upper)),)
        return ((x, np.append(x[1:], self.upper)),)

    def with_noise_divided_by(self, factor: float) -> Self:
        return type(self)(
            self.lower, self.upper, self.count, **_louder(self, factor), adjacency=self.adjacency
        )


class BoundedSum(BoundedQuery):
    """The sum of values clipped to [lower, upper], with Laplace noise (`epsilon`) or normal noise (`sigma`): give exactly one.

    Inputs are arrays (n,), outcomes (size, 1); `adjacency` is "add-or-remove" or "replace-one". ValueError for anything else.

    >>> npf.BoundedSum(-10, 50, epsilon=1.0).sensitivity(), npf.BoundedSum(-10, 50, epsilon=1.0, adjacency="replace-one").sensitivity()
    (50, 60)
    """

    name = "bounded-sum"
    summary = "the sum of values in a public interval, with Laplace or normal noise"

    def __init__(
        self,
        lower: float,
        upper: float,
        epsilon: float | None = None,
        sigma: float | None = None,
        adjacency: OneRecord = "add-or-remove",
    ) -> None:
        super().__init__(lower, upper, 1, epsilon, sigma, adjacency)

    def evaluate(self, values: Floats) -> float:
        return float(values.sum())

    def formula(self, values: Sequence[sp.Expr]) -> sp.Expr:
        return sp.Add(*values)

    def sensitivity(self) -> sp.Expr:
        low, high = self._bounds()
        return self._magnitude() if self.resizes else high - low

    def sensitivity_steps(self) -> tuple[Step, ...]:
        if not self.resizes:
            return _replace_steps(sp.Integer(1), "sum, one value replaced")
        s, v = sp.symbols("s v", real=True)
        return (
            Step(difference(s + v, s), "=", v, "adding v moves the sum by v, at most max(|lower|, |upper|)"),
        )

    def neighbours(self) -> tuple[tuple[Any, Any], ...]:
        far, other = self._extremes()
        if not self.resizes:
            return ((np.array([other, other]), np.array([other, far])),)
        return ((np.array([far]), np.array([far, far])),)

    def with_noise_divided_by(self, factor: float) -> Self:
        return type(self)(self.lower, self.upper, **_louder(self, factor), adjacency=self.adjacency)


class LinearQuery(BoundedQuery):
    """A linear query sum_i a_i x_i with public `weights` (n,) and values clipped to [lower, upper]; Laplace (`epsilon`) or normal (`sigma`) noise.

    Neighbours replace one record, the number n of records is public. Inputs are arrays (n,), outcomes (size, 1). ValueError for weights
    that are all zero, and unless exactly one of `epsilon` and `sigma` is given.

    >>> npf.LinearQuery([0.5, -2.0, 1.0], lower=0, upper=3, sigma=1.0).sensitivity()
    6
    """

    name = "linear-query"
    summary = "a weighted sum of values in a public interval, with Laplace or normal noise"

    def __init__(
        self,
        weights: ArrayLike,
        lower: float,
        upper: float,
        epsilon: float | None = None,
        sigma: float | None = None,
    ) -> None:
        self.weights = np.atleast_1d(np.asarray(weights, dtype=float))
        if self.weights.ndim != 1 or not np.all(np.isfinite(self.weights)) or not np.any(self.weights):
            raise ValueError("weights must be a list of finite numbers, not all zero")
        super().__init__(lower, upper, self.weights.size, epsilon, sigma, "replace-one")

    def evaluate(self, values: Floats) -> float:
        if values.size != self.count:
            raise ValueError(f"linear-query has {counted(self.count, 'weight')}, got {values.size} values")
        return float(self.weights @ values)

    def formula(self, values: Sequence[sp.Expr]) -> sp.Expr:
        return sp.Add(*(rational(float(a)) * v for a, v in zip(self.weights, values, strict=True)))

    def sensitivity(self) -> sp.Expr:
        low, high = self._bounds()
        return rational(float(np.abs(self.weights).max())) * (high - low)

    def sensitivity_steps(self) -> tuple[Step, ...]:
        return _replace_steps(sp.Symbol("w", real=True), "one value of weight w replaced")

    def neighbours(self) -> tuple[tuple[Any, Any], ...]:
        x = np.full(self.count, self.lower)
        z = x.copy()
        z[np.argmax(np.abs(self.weights))] = self.upper
        return ((x, z),)

    def with_noise_divided_by(self, factor: float) -> Self:
        return type(self)(self.weights, self.lower, self.upper, **_louder(self, factor))


def _louder(query: BoundedQuery, factor: float) -> dict[str, float | None]:
    return {
        "epsilon": None if query.epsilon is None else query.epsilon * factor,
        "sigma": None if query.sigma is None else query.sigma / factor,
    }
