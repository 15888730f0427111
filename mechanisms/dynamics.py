"""Answers of a linear system over time, and the noise on its initial state that makes them private at least cost.

x[k+1] = A x[k], y[k] = C x[k] + w[k], k = 0..T; stacked y = Psi x[0] + w with Psi (M, n), M = m (T + 1).  The cost of a
noise is J + rho Q, J the trace of the information about x[0] and Q the sum of the noise variances.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
import sympy as sp
from flint import arb_mat, ctx, fmpq_mat
from numpy.typing import ArrayLike

from ..symbolic.arrays import Floats
from ..symbolic.errors import counted
from ..symbolic.information.query import Query, linear
from ..symbolic.laws.vector import NormalVector, OutcomeLaw
from ..symbolic.programs.least_cost_noise import (
    RHO,
    GaussianNoise,
    W,
    lower_bound,
    optimal_noise,
    prove_optimal,
)
from ..symbolic.proof.as_written import product
from ..symbolic.proof.derivation import Derivation, Step
from ..symbolic.proof.enclosed_matrices import BITS, nearest_floats
from ..symbolic.proof.exact_matrices import decimals
from ..symbolic.proof.symmetric_matrix import SymmetricMatrix
from .additive import Additive, positive, whole
from .gaussian import OptimalGaussian, box
from .mechanism import WorstCase

_SINGULAR = 1e-13
MARGINAL = (
    "the information of w about a shift along the range of Psi is at least that of its component in the range "
    "(data processing, Zamir 1998, IEEE Trans. Inf. Theory 44(3))"
)
BIJECTIVE = (
    "the answers are a linear bijection of x[0] + z, beside an independent part that does not depend on x[0]"
)


@dataclass(frozen=True)
class LinearSystem:
    """The linear system x[k+1] = A x[k] with answers C x[k]; `a` (n, n) and `c` (m, n) as nested tuples.

    `of(A, C)` takes arrays and raises ValueError for shapes that do not fit or numbers that are not finite.

    >>> system = npf.LinearSystem.of([[1, 1], [0, 1]], [[1, 0]])
    >>> system.observable, system.stacked(2).tolist()  # C, C A and C A^2 below each other
    (True, [[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]])
    """

    a: tuple[tuple[float, ...], ...]
    c: tuple[tuple[float, ...], ...]

    @classmethod
    def of(cls, A: ArrayLike, C: ArrayLike) -> LinearSystem:
        a, c = (np.atleast_2d(np.asarray(m, dtype=float)) for m in (A, C))
        if a.ndim != 2 or a.shape[0] != a.shape[1] or not np.all(np.isfinite(a)):
            raise ValueError(f"A must be a finite square matrix, got shape {a.shape}")
        if c.ndim != 2 or c.shape[1] != len(a) or not np.all(np.isfinite(c)):
            raise ValueError(
                f"C must be finite with {counted(len(a), 'column')}, one per state, got shape {c.shape}"
            )
        return cls(*(tuple(tuple(row) for row in m.tolist()) for m in (a, c)))

    @property
    def order(self) -> int:
        """n, the number of states."""
        return len(self.a)

    def stacked(self, horizon: int) -> Floats:
        """Psi_T = [C; CA; ...; CA^T], shape (m (T + 1), n)."""
        a, rows = np.array(self.a), [np.array(self.c)]
        for _ in range(whole("horizon", horizon, least=0)):
            rows.append(rows[-1] @ a)
        return np.concatenate(rows)

    def gramian(self, horizon: int) -> Floats:
        """Psi_T' Psi_T, the observability Gramian over 0..T, shape (n, n)."""
        psi = self.stacked(horizon)
        return np.asarray(psi.T @ psi, dtype=float)

    def rank(self, horizon: int) -> int:
        """The rank of Psi_T in exact arithmetic, the entries of A and C read as decimals."""
        return int(self.exact(horizon).rank())

    def exact_gramian(self, horizon: int) -> SymmetricMatrix:
        """Psi_T' Psi_T in exact arithmetic."""
        psi = self.exact(horizon)
        return SymmetricMatrix.rounded(psi.transpose() * psi)

    def exact(self, horizon: int) -> fmpq_mat:
        """Psi_T in exact arithmetic, the entries of A and C read as decimals."""
        a, row = decimals(np.array(self.a)), decimals(np.array(self.c))
        rows = [row]
        for _ in range(horizon):
            rows.append(rows[-1] * a)
        return fmpq_mat([line for block in rows for line in block.tolist()])

    @property
    def observable(self) -> bool:
        """Whether (A, C) is observable: rank Psi_{n-1} = n (Kalman; Cayley-Hamilton for larger T)."""
        return self.rank(self.order - 1) == self.order

    @cached_property
    def least_horizon(self) -> int:
        """The smallest T for which Psi_T has full column rank; at most n - 1 if (A, C) is observable."""
        for horizon in range(self.order):
            if self.rank(horizon) == self.order:
                return horizon
        raise ValueError(
            f"(A, C) is not observable: rank {self.rank(self.order - 1)} of {self.order}; some direction of x[0] never "
            "shows in the answers, so no unbiased estimator of x[0] and no information bound on it exists"
        )

    def query(self, horizon: int) -> Query:
        """The stacked answers as a linear query of x[0]."""
        return linear(sp.Matrix(self.stacked(horizon).tolist()))

    def checked(self, horizon: int) -> Floats:
        """Psi_T, or a ValueError that says which mathematics is missing."""
        least = self.least_horizon
        if whole("horizon", horizon, least=0) < least:
            raise ValueError(
                f"horizon T = {horizon} is too small: Psi_T' Psi_T is singular before T = {least}, and the information "
                "about x[0] with it"
            )
        psi = self.stacked(horizon)
        values = np.linalg.svd(psi, compute_uv=False)
        if not np.isfinite(values[0]) or values[-1] <= _SINGULAR * values[0]:
            raise ValueError(
                f"Psi_T is singular to working precision (singular values {values[-1]:.2g} to {values[0]:.2g}): scale the "
                "states alike, or choose another horizon"
            )
        return psi


class TrajectoryNoise(Additive):
    """Noise for the answers of a linear system: y = Psi_T (x[0] + z) + v, z and v normal.

    z has the covariance (Psi'Psi)^{-1/2}/sqrt(rho), v lies outside the range of Psi. `A` (n, n) and `C` (m, n) are those of
    LinearSystem, `horizon` is T >= 0, `rho` > 0 the price of variance. `beyond` is the variance of v in each of the M - n
    directions that Psi x[0] never takes. The cost is 2 sqrt(rho) Tr (Psi'Psi)^{1/2} + rho beyond (M - n): among noises with a
    density the infimum is not attained for M > n, and beyond = 0, which has no density on R^M, is its limit (Farokhi, Sandberg
    2019, theorem 4, prints twice this covariance). `domain` = (lower, upper), arrays (n,), says where initial states live; any
    two are neighbours. ValueError for anything else.

    >>> noise = npf.TrajectoryNoise([[1, 1], [0, 1]], [[1, 0]], horizon=2, rho=1.0, domain=([0, 0], [1, 1]))
    >>> noise.release([0.5, 0.1], 1000, np.random.default_rng(0)).shape
    (1000, 3)
    """

    name = "trajectory"
    summary = "adds noise to the initial state of a linear system and lets it run through all answers"
    coordinatewise = False

    def __init__(
        self,
        A: ArrayLike,
        C: ArrayLike,
        horizon: int,
        rho: float,
        domain: tuple[ArrayLike, ArrayLike],
        beyond: float = 0.0,
    ) -> None:
        self.system = LinearSystem.of(A, C)
        self.A, self.C = np.array(self.system.a), np.array(self.system.c)
        self.horizon = whole("horizon", horizon, least=0)
        self.rho = positive("rho", rho, "the price of variance")
        self.psi = self.system.checked(self.horizon)
        self.dimension, self.order = self.psi.shape
        self.domain: tuple[Floats, Floats] = box(domain)
        if len(self.domain[0]) != self.order:
            raise ValueError(
                f"domain must have {self.order} entries, one per state, got {len(self.domain[0])}"
            )
        if not (np.isfinite(beyond) and beyond >= 0):
            raise ValueError(
                f"beyond (variance outside the range of Psi) must be a finite number >= 0, got {beyond!r}"
            )
        self.beyond = float(beyond) if self.dimension > self.order else 0.0

    @classmethod
    def printed(
        cls,
        A: ArrayLike,
        C: ArrayLike,
        horizon: int,
        rho: float,
        domain: tuple[ArrayLike, ArrayLike],
        beyond: float = 0.0,
    ) -> Self:
        """The covariance 2 (Psi'Psi)^{-1/2}/sqrt(rho) of theorem 4 as printed: the optimum for rho/4."""
        return cls(A, C, horizon, positive("rho", rho, "the price of variance") / 4, domain, beyond)

    @classmethod
    def within(
        cls,
        A: ArrayLike,
        C: ArrayLike,
        horizon: int,
        budget: float,
        domain: tuple[ArrayLike, ArrayLike],
        beyond: float = 0.0,
    ) -> Self:
        """Problem 4: the least J with Q = `budget`; for beyond = 0 the covariance budget (Psi'Psi)^{-1/2}/Tr (Psi'Psi)^{1/2}."""
        psi = LinearSystem.of(A, C).checked(horizon)
        left = positive("budget", budget, "the largest Q") - beyond * (psi.shape[0] - psi.shape[1])
        if left <= 0:
            raise ValueError(
                f"the variance beyond the range of Psi alone uses up the budget {budget!r}: lower `beyond`"
            )
        total = np.linalg.svd(psi, compute_uv=False).sum()
        return cls(A, C, horizon, float(total / left) ** 2, domain, beyond)

    @cached_property
    def state(self) -> OptimalGaussian:
        """The release of x[0] + z itself, from which y follows and which follows from y."""
        return OptimalGaussian(self.rho, self.domain, weight=self.system.exact_gramian(self.horizon))

    def covariance(self) -> Floats:
        """The covariance of the stacked noise, (M, M): of rank n if `beyond` is zero."""
        return self._covariance

    @cached_property
    def _covariance(self) -> Floats:
        """Psi (Psi'Psi)^{-1/2} Psi'/sqrt(rho) + beyond (I - Psi (Psi'Psi)^{-1} Psi'), rounded once."""
        root = self.system.exact_gramian(self.horizon).root
        with ctx.workprec(BITS):
            psi, half = arb_mat(self.system.exact(self.horizon)), root.inv()
            reach = psi * half
            inside = nearest_floats(reach * psi.transpose())
            onto = nearest_floats(reach * reach.transpose())
        whole = inside / np.sqrt(self.rho) + self.beyond * (np.eye(self.dimension) - onto)
        return np.asarray(whole, dtype=float)

    def quality(self) -> float:
        """Q = Tr (Psi'Psi)^{1/2}/sqrt(rho) + beyond (M - n), the sum of the noise variances."""
        inside = float(self._singular_values.sum() / np.sqrt(self.rho))
        return float(inside + self.beyond * (self.dimension - self.order))

    def error_bound(self) -> float:
        """Tr (Psi'Psi)^{-1/2}/sqrt(rho), the least mean squared error of an unbiased estimator of x[0]."""
        return float(np.sum(1 / self._singular_values) / np.sqrt(self.rho))

    @cached_property
    def _singular_values(self) -> Floats:
        return np.asarray(np.linalg.svd(self.psi, compute_uv=False), dtype=float)

    def query(self, data: Any) -> Floats:
        state = np.atleast_1d(np.asarray(data, dtype=float))
        if state.shape != (self.order,) or not np.all(np.isfinite(state)):
            raise ValueError(
                f"{self.name} expects an initial state of {self.order} finite numbers, got shape {state.shape}"
            )
        return np.asarray(self.psi @ state, dtype=float)

    def noise_law(self, centre: Floats) -> OutcomeLaw:
        if self.dimension > self.order and self.beyond == 0:
            raise ValueError(
                f"the noise lives on {self.order} of {self.dimension} dimensions: it has no density there; look at `state`, "
                "the release of x[0] + z, which is equivalent, or give beyond > 0"
            )
        return NormalVector(centre, self.covariance())

    def draw(self, size: int, rng: np.random.Generator) -> Floats:
        # z through the initial state, not through the covariance that the law uses.
        w = self.state.draw(size, rng) @ self.psi.T
        if self.beyond > 0:
            v = rng.normal(0.0, np.sqrt(self.beyond), size=(size, self.dimension))
            w = w + v - v @ np.linalg.pinv(self.psi).T @ self.psi.T
        return np.asarray(w, dtype=float)

    def neighbours(self) -> tuple[tuple[Any, Any], ...]:
        return self.state.neighbours()

    def worst_case(self) -> WorstCase:
        worst = self.state.worst_case()
        return WorstCase(worst.pair, worst.dominating, worst.steps, (*worst.lemmas, BIJECTIVE))

    def with_noise_divided_by(self, factor: float) -> Self:
        return type(self)(
            self.A, self.C, self.horizon, self.rho * factor**4, self.domain, self.beyond / factor**2
        )


def infimum() -> Derivation:
    """No noise with a density on R^M, M > n, attains the infimum 2 sqrt(rho) Tr (Psi'Psi)^{1/2} of J + rho Q.

    Per eigenvalue a of Psi'Psi the noise along the range of Psi costs at least 2 sqrt(rho a), which only the normal
    with variance sqrt(a/rho) attains; every direction outside adds rho times its variance, which a density makes positive.
    """
    before = prove_optimal(optimal_noise())
    v, d = sp.Symbol("v", positive=True), sp.Symbol("d", positive=True, integer=True)
    normal = GaussianNoise.with_variance(v)
    moment = d * normal.second_moment()
    steps = (
        Step(
            product(RHO, d, sp.Integral(W**2 * normal.density(), (W, -sp.oo, sp.oo))),
            "=",
            RHO * v * d,
            "normal noise of variance v in d = M - n directions outside the range costs this, by integration",
        ),
        Step(
            RHO * v * d,
            ">",
            sp.Integer(0),
            "it changes no information about x[0]; every density has v > 0: the bound is never reached",
        ),
        Step(
            sp.Limit(lower_bound() + RHO * moment, v, 0),
            "=",
            lower_bound(),
            "and v -> 0 comes as near as you like",
        ),
    )
    return Derivation(
        "the infimum is not attained by a density", (*before.steps, *steps), (*before.lemmas, MARGINAL)
    )


# The vehicle: s[k+1] = s[k] + v[k], v[k+1] = v[k], position released (example 4 of Farokhi and Sandberg 2019).

T = sp.Symbol("T", positive=True)


def vehicle_gramian(horizon: sp.Expr = T) -> sp.Matrix:
    """sum over k = 0..T of [1, k]'[1, k], by summation."""
    k = sp.Symbol("k", integer=True)
    sums = [sp.factor(sp.summation(k**p, (k, 0, T))) for p in range(3)]
    return sp.Matrix([[sums[0], sums[1]], [sums[1], sums[2]]]).subs(T, horizon)


def vehicle_root_traces(horizon: sp.Expr = T) -> tuple[sp.Expr, sp.Expr]:
    """(Tr G^{1/2}, Tr G^{-1/2}) of the Gramian G: sqrt(Tr G + 2 sqrt(det G)), and the same over sqrt(det G)."""
    g = vehicle_gramian(horizon)
    root = sp.sqrt(sp.factor(g.det()))
    first = sp.sqrt(sp.factor(g.trace()) + 2 * root)
    return first, first / root


def vehicle_quality(rho: sp.Expr, horizon: sp.Expr = T, factor: int = 1) -> sp.Expr:
    """Q for the covariance factor G^{-1/2}/sqrt(rho); the optimum has factor 1, the paper prints 2."""
    return factor * vehicle_root_traces(horizon)[0] / sp.sqrt(rho)


def vehicle_error(rho: sp.Expr, horizon: sp.Expr = T, factor: int = 1) -> sp.Expr:
    """The least unbiased error about (s[0], v[0]) for that covariance."""
    return factor * vehicle_root_traces(horizon)[1] / sp.sqrt(rho)
