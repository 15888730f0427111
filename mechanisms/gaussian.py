"""Gaussian mechanisms: a given deviation, any covariance, and the optimal noise for a trace of Fisher information."""

from __future__ import annotations

import itertools
from functools import cached_property
from typing import Any, Self

import numpy as np
import sympy as sp
from flint import arb, arb_mat, fmpq, fmpq_mat
from numpy.typing import ArrayLike

from ..symbolic.arrays import Floats
from ..symbolic.information.fisher import Information
from ..symbolic.information.noise import normal_information, rooted_information
from ..symbolic.laws.vector import NormalVector, OutcomeLaw
from ..symbolic.privacy.pair import GaussianPair
from ..symbolic.proof.derivation import Step
from ..symbolic.proof.enclosed_matrices import definite, form, inverse, middle, nearest_floats, root, short
from ..symbolic.proof.enclosure import rational
from ..symbolic.proof.exact_numbers import quotient, symbolic_number
from ..symbolic.proof.symmetric_matrix import SymmetricMatrix
from ..symbolic.proof.truth import Truth
from .additive import Additive, deviation, positive, whole
from .asked import Asked, OfQuery
from .mechanism import WorstCase

_CORNERS = 12  # entries: with more, not all corners of a box are tried
_NEAR = 1e-9
_LARGEST_ROUNDED = 60  # rows: enclosing the root of more takes minutes
_QUIET = 1e-9  # of the loudest variance: below it a direction is lost to the rounding of an eigenvector


class GaussianMechanism(Additive):
    """The Gaussian mechanism y = x + w: w normal with deviation `sigma` per entry, or with a `covariance` (d, d).

    `sensitivity` > 0 bounds the Euclidean distance of neighbouring inputs (dimension,): with sigma it is (sensitivity/sigma)-Gaussian DP.
    Give exactly one of `sigma` and `covariance`, in the units of the inputs (squared). ValueError for anything else.
    Source: Dwork and Roth 2014, appendix A; Dong, Roth and Su 2022 for the exact curve.

    >>> pair = npf.GaussianMechanism(sigma=2.0, sensitivity=1.0).worst_case().pair
    >>> npf.GaussianDP(0.5).holds(pair).name, npf.ApproxDP(0.5, 1e-6).holds(pair).name
    ('HOLDS', 'FAILS')
    """

    name = "gaussian"
    summary = "adds normal noise of a given deviation or covariance"

    def __init__(
        self,
        sigma: float | None = None,
        sensitivity: float = 1.0,
        dimension: int = 1,
        covariance: ArrayLike | SymmetricMatrix | None = None,
    ) -> None:
        if (sigma is None) == (covariance is None):
            raise ValueError(
                "give exactly one of sigma (one deviation for all entries) and covariance (a d x d matrix)"
            )
        self.sensitivity = positive("sensitivity", sensitivity, "the Euclidean distance of neighbours")
        self.sigma = None if sigma is None else deviation("sigma", sigma, "the deviation of the noise")
        self._read = (
            None if covariance is None else SymmetricMatrix.positive_definite("covariance", covariance)
        )
        self.covariance = None if self._read is None else self._read.values
        self.dimension = whole("dimension", dimension) if self._read is None else self._read.order

    @classmethod
    def for_query(
        cls,
        query: Any,
        domain: Any = None,
        adjacency: Any = "replace-one",
        *,
        sigma: float,
        effort: float = 1.0,
        **given: Any,
    ) -> GaussianOfQuery:
        """Normal noise of deviation `sigma` on a user's own query, with its proved L2 sensitivity.

        Arguments as those of `LaplaceMechanism.for_query`; the guarantee of the result is that of a Gaussian mechanism with
        mu = sensitivity / sigma.
        """
        return GaussianOfQuery(Asked.of(query, domain, "l2", adjacency, effort, given), sigma)

    def noise_law(self, centre: Floats) -> OutcomeLaw:
        if self._read is not None:
            return NormalVector(centre, self._read)
        assert self.sigma is not None
        return NormalVector(centre, np.eye(self.dimension) * self.sigma**2)

    def draw(self, size: int, rng: np.random.Generator) -> Floats:
        if self._read is None:
            assert self.sigma is not None
            return rng.normal(0.0, self.sigma, size=(size, self.dimension))
        values = np.linalg.eigvalsh(self._read.values)
        if values[0] > _QUIET * values[-1]:
            zero = np.zeros(self.dimension)
            return rng.multivariate_normal(zero, self._read.values, size=size, method="eigh")
        return rng.standard_normal((size, self.dimension)) @ nearest_floats(self._read.root)

    def _weakest(self) -> tuple[sp.Expr | None, Floats]:
        """The deviation of the noise in its quietest direction (None if it is not known exactly), and that direction."""
        if self._read is None:
            return rational(self.sigma or 0), np.eye(self.dimension)[0]
        diagonal = np.diag(self._read.values)
        if self._read.diagonal:
            return sp.sqrt(rational(float(diagonal.min()))), np.eye(self.dimension)[np.argmin(diagonal)]
        # The eigenvector of the largest eigenvalue of the inverse: that of the least of S is rounded away.
        return None, np.linalg.eigh(nearest_floats(self._read.inverse))[1][:, -1]

    def neighbours(self) -> tuple[tuple[Any, Any], ...]:
        return ((np.zeros(self.dimension), self.sensitivity * self._weakest()[1]),)

    def worst_case(self) -> WorstCase:
        lemma = "d' S^{-1} d <= |d|^2 / (least eigenvalue of S), attained along its eigenvector"
        least, _ = self._weakest()
        far = rational(self.sensitivity)
        if least is not None or self._read is None:
            return WorstCase(GaussianPair(far / least), lemmas=(lemma,))
        # Some neighbours are as hard to tell apart as the upper end says, none easier than the lower end.
        below, above = self._read.least_eigenvalue
        if not below > 0:
            raise ValueError("the least eigenvalue of the covariance could not be told from zero")
        steps = (_exceeds(self._read.exact, below),)
        near, worst = (far / sp.sqrt(symbolic_number(end)) for end in (above, below))
        return WorstCase(GaussianPair(near), GaussianPair(worst), steps, (lemma,))

    def noise_information(self) -> Information:
        if self.sigma is not None:
            return normal_information(sp.eye(self.dimension) * rational(self.sigma) ** 2)
        return normal_information(self._read)

    def noise_variance(self) -> tuple[sp.Expr, ...]:
        if self._read is None:
            return (rational(self.sigma or 0) ** 2,) * self.dimension
        return tuple(symbolic_number(self._read.exact[i, i]) for i in range(self.dimension))

    def with_noise_divided_by(self, factor: float) -> Self:
        if self.sigma is not None:
            return type(self)(self.sigma / factor, self.sensitivity, self.dimension)
        assert self._read is not None
        quieter = SymmetricMatrix.rounded(self._read.exact * (1 / quotient(factor) ** 2))
        return type(self)(None, self.sensitivity, covariance=quieter)


class GaussianOfQuery(OfQuery, GaussianMechanism):
    """y = f(x) + w for a user's own query f: what `GaussianMechanism.for_query` makes."""

    name = "gaussian of a query"
    summary = "adds normal noise to a query whose sensitivity is proved"

    def __init__(self, asked: Asked, sigma: float) -> None:
        super().__init__(sigma, asked.bound, asked.entries)
        self.asked, self.scope = asked, asked.scope()

    def worst_case(self) -> WorstCase:
        """The pair that was found attains its own distance; no neighbours are further apart than the bound."""
        deviation = rational(self.sigma or 0)
        length = sp.sqrt(sp.Add(*(d**2 for d in self.asked.distances)))
        most = GaussianPair(rational(self.sensitivity) / deviation)
        found = self.asked.found.derivation
        return WorstCase(GaussianPair(length / deviation), most, self.asked.steps, found.lemmas)

    def parameters(self) -> dict[str, Any]:
        return {"sigma": self.sigma, "sensitivity": self.sensitivity, **self.asked.parameters()}

    def with_noise_divided_by(self, factor: float) -> Self:
        assert self.sigma is not None
        return type(self)(self.asked, self.sigma / factor)


def _exceeds(covariance: fmpq_mat, bound: fmpq) -> Step:
    reason = "the least eigenvalue of S: S less this multiple of the identity has positive pivots in ball arithmetic"

    def again(left: sp.Expr, _right: sp.Expr) -> Truth:
        return Truth.HOLDS if definite(covariance, quotient(left)) is Truth.HOLDS else Truth.UNKNOWN

    return Step(symbolic_number(bound), "<=", sp.Symbol("least_eigenvalue", positive=True), reason, how=again)


class OptimalGaussian(Additive):
    """One record of a box released as x + n with the Gaussian noise that minimises Tr(Pi^{-1} I) + lambda E|n|^2.

    The density is proportional to exp(-(sqrt(lambda)/2) n' Pi^{1/2} n), covariance Pi^{-1/2}/sqrt(lambda)
    (farokhi2020, theorem 2.4). `lam` > 0 is lambda; `domain` = (lower, upper), two arrays (d,), says where records live; neighbours
    are any two records of it. `weight` is Pi (d, d), the identity by default. `records` (n, d), if given, only
    serve to measure adversaries on real data. ValueError for anything else.

    >>> npf.OptimalGaussian(lam=4.0, domain=([0, 0], [1, 1])).covariance()
    array([[0.5, 0. ],
           [0. , 0.5]])
    """

    name = "optimal-gaussian"
    summary = "adds the Gaussian noise that minimises Tr(Pi^-1 I) + lambda E|n|^2 to a record of a box"

    def __init__(
        self,
        lam: float,
        domain: tuple[ArrayLike, ArrayLike],
        weight: ArrayLike | SymmetricMatrix | None = None,
        records: ArrayLike | None = None,
    ) -> None:
        self.lam = positive("lambda", lam, "the price of variance")
        self.domain: tuple[Floats, Floats] = box(domain)
        self.dimension = len(self.domain[0])
        self._read = None if weight is None else SymmetricMatrix.positive_definite("weight", weight)
        self.weight = None if self._read is None else self._read.values
        if self._read is not None and self._read.order != self.dimension:
            raise ValueError(
                f"weight must be {self.dimension} x {self.dimension} like the domain, got {self._read.values.shape}"
            )
        self.records = None if records is None else np.asarray(records, dtype=float)

    def _root_weight(self) -> Floats:
        return np.eye(self.dimension) if self._read is None else self._weight_to(0.5)

    def _weight_to(self, power: float) -> Floats:
        """Pi^power for 1/2, -1/2 and -1/4, rounded once; of large matrices in floating point."""
        assert self._read is not None
        if self.dimension > _LARGEST_ROUNDED:
            values, vectors = np.linalg.eigh(self._read.values)
            return np.asarray((vectors * values**power) @ vectors.T, dtype=float)
        # The root of a root, not the root of the covariance that the law uses.
        half = self._read.root if power != -0.25 else SymmetricMatrix.rounded(middle(self._read.root)).root
        return nearest_floats(half if power > 0 else inverse(half))

    def covariance(self) -> Floats:
        """Pi^{-1/2} / sqrt(lambda), shape (d, d)."""
        return self._covariance

    @cached_property
    def _covariance(self) -> Floats:
        if self._read is None:
            return np.asarray(np.eye(self.dimension) / np.sqrt(self.lam), dtype=float)
        return np.asarray(self._weight_to(-0.5) / np.sqrt(self.lam), dtype=float)

    def noise_law(self, centre: Floats) -> OutcomeLaw:
        return NormalVector(centre, self.covariance())

    def draw(self, size: int, rng: np.random.Generator) -> Floats:
        z = rng.standard_normal((size, self.dimension))
        return np.asarray((z if self._read is None else z @ self._quarter) * self.lam**-0.25, dtype=float)

    @cached_property
    def _quarter(self) -> Floats:
        return self._weight_to(-0.25)

    def neighbours(self) -> tuple[tuple[Any, Any], ...]:
        centre, half = self.domain[0] / 2 + self.domain[1] / 2, (self.domain[1] - self.domain[0]) / 2
        shift = self._corners[0] * half
        return ((centre - shift, centre + shift),)

    @cached_property
    def _widths(self) -> list[fmpq]:
        """Those of the box, its ends read as decimals."""
        low, high = ([quotient(repr(v)) for v in end.tolist()] for end in self.domain)
        return [b - a for a, b in zip(low, high, strict=True)]

    @cached_property
    def _corners(self) -> Floats:
        """Signs of the corner-to-corner shifts one of which has the largest d' Pi^{1/2} d; more than twelve entries: of a long one."""
        if self._read is None or self._read.diagonal:
            return np.ones((1, self.dimension))
        widest, weight = max(self._widths), self._root_weight()
        widths = np.array([float(arb(w / widest)) for w in self._widths])
        if self.dimension <= _CORNERS:
            signs = np.array(list(itertools.product((1.0, -1.0), repeat=self.dimension - 1)))
            corners = np.column_stack([np.ones(len(signs)), signs])
            lengths = np.einsum("ij,jk,ik->i", corners * widths, weight, corners * widths)
            order = np.argsort(-lengths, kind="stable")
            # Rounding moves a length by less than this: the largest is among those that are left.
            return np.asarray(corners[order[lengths[order] >= lengths.max() * (1 - _NEAR)]], dtype=float)
        signs = np.ones(self.dimension)
        for _ in range(100):
            signs = np.where(weight @ (signs * widths) >= 0, 1.0, -1.0)
        return signs[None]

    def worst_case(self) -> WorstCase:
        s, t = sp.symbols("s t", nonnegative=True)
        steps = (
            Step(
                sp.expand((s + t) ** 2),
                ">=",
                s**2,
                "a shift s within a width s + t is longest at the full width",
            ),
        )
        lemmas = ("a convex function on a box is largest at a corner",)
        root_lam = sp.sqrt(rational(self.lam))
        if self._read is None or self._read.diagonal:
            widths = map(symbolic_number, self._widths)
            weights = [self._read.exact[i, i] if self._read else fmpq(1) for i in range(self.dimension)]
            terms = (w**2 * sp.sqrt(symbolic_number(v)) for w, v in zip(widths, weights, strict=True))
            return WorstCase(GaussianPair(sp.sqrt(sp.Add(*terms) * root_lam)), None, steps, lemmas)
        low, high = self._squared_shifts()
        enclosed = Step(
            symbolic_number(high),
            ">=",
            sp.Symbol("largest_shift", positive=True),
            "d' Pi^{1/2} d at the corners of the box, the root enclosed again",
            how=lambda left, _: Truth.HOLDS if self._squared_shifts()[1] <= quotient(left) else Truth.UNKNOWN,
        )
        near, worst = (GaussianPair(sp.sqrt(symbolic_number(end) * root_lam)) for end in (low, high))
        return WorstCase(near, worst, (*steps, enclosed), lemmas)

    def _squared_shifts(self) -> tuple[fmpq, fmpq]:
        """Below and above the largest d' Pi^{1/2} d."""
        assert self._read is not None
        enclosed = root(self._read.exact)
        forms = [form(enclosed, _signed(row, self._widths)) for row in self._corners]
        low = max(short(f, "below") for f in forms)
        if self.dimension > _CORNERS:
            forms = [form(arb_mat([[abs(x) for x in row] for row in enclosed.tolist()]), self._widths)]
        return low, max(short(f, "above") for f in forms)

    def noise_information(self) -> Information:
        root_lam = sp.sqrt(rational(self.lam))
        if self._read is None:
            return normal_information(sp.eye(self.dimension) / root_lam)
        return rooted_information(self._read, root_lam)

    def noise_variance(self) -> tuple[sp.Expr, ...]:
        """Exact, or to thirty digits from above."""
        root_lam = sp.sqrt(rational(self.lam))
        if self._read is None:
            return (1 / root_lam,) * self.dimension
        if self._read.diagonal:
            weights = (self._read.exact[i, i] for i in range(self.dimension))
            return tuple(1 / (sp.sqrt(symbolic_number(v)) * root_lam) for v in weights)
        variances = inverse(self._read.root)
        ends = (short(variances[k, k], "above") for k in range(self.dimension))
        return tuple(symbolic_number(end) / root_lam for end in ends)

    def with_noise_divided_by(self, factor: float) -> Self:
        return type(self)(self.lam * factor**4, self.domain, self._read, self.records)


def _signed(signs: Floats, widths: list[fmpq]) -> list[fmpq]:
    return [int(s) * w for s, w in zip(signs, widths, strict=True)]


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
    return SymmetricMatrix.positive_definite(name, matrix).values
