"""Problem 1 on a box for densities that do not look at x: the largest Tr I^{-1}, I = C' K C, C square."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from noiseproof.symbolic.arrays import Floats
from policy_trials.box_modes import BoxModes

Progress = Callable[[int, int, float], None]

SINGULAR = 1e-12


@dataclass(frozen=True)
class TraceInverseProblem:
    """max Tr((C' K C)^{-1}) over densities on the box of the given widths, K their Fisher information.

    `query` is the matrix C of y = C x + w, shape (m, m) and invertible: with fewer answers than entries of x
    the information is singular and has no inverse.
    """

    query: Floats
    modes: BoxModes

    def __post_init__(self) -> None:
        matrix = np.atleast_2d(np.asarray(self.query, dtype=float))
        object.__setattr__(self, "query", matrix)
        size = len(self.modes.widths)
        if matrix.ndim != 2 or matrix.shape[0] != size:
            raise ValueError(
                f"C has one row for each coordinate of W: expected {size} rows, got {matrix.shape}"
            )
        if (
            matrix.shape[1] != size
            or np.linalg.svd(matrix, compute_uv=False)[-1] < SINGULAR * np.abs(matrix).max()
        ):
            raise ValueError(
                f"I = C' K C is singular for C of shape {matrix.shape} and rank "
                f"{np.linalg.matrix_rank(matrix)}: Tr I^-1 needs a square invertible C"
            )

    @cached_property
    def shape(self) -> Floats:
        """P = (C C')^{-1}: Tr I^{-1} = Tr(P K^{-1})."""
        return np.asarray(np.linalg.inv(self.query @ self.query.T))

    def value(self, information: Floats) -> float:
        """Tr I^{-1} for noise of Fisher information K."""
        return float(np.trace(self.shape @ np.linalg.inv(information)))

    def upper_bound(self) -> float:
        """sum_ij |P_ij| L_i L_j/(4 pi^2): no density on the box has a larger Tr I^{-1}.

        Along any direction v a line meets the box in at most the length min_i L_i |v|/|v_i|, so by Wirtinger
        v' K v >= 4 pi^2 v_i^2/L_i^2 for every i; hence (K^{-1})_ii <= L_i^2/(4 pi^2), and the other entries of
        a positive matrix are bounded by its diagonal.  For P diagonal (C with orthogonal rows) the product of
        cos^2 densities attains it.  For m = 2 and P_12 != 0 it is the supremum and is not attained: equality
        needs a singular K^{-1}, which thin densities along a diagonal of the box approach (`slanted_value`).
        """
        widths = np.array(self.modes.widths)
        return float(np.sum(np.abs(self.shape) * np.outer(widths, widths)) / (4 * np.pi**2))

    def attained(self) -> bool:
        """Whether some density attains the upper bound: exactly if C has orthogonal rows, for m <= 2."""
        off = self.shape - np.diag(np.diag(self.shape))
        return bool(np.all(np.abs(off) <= SINGULAR * np.abs(self.shape).max()))

    def slanted_value(self, thinness: float) -> float:
        """Tr I^{-1} of cos^2 noise on the parallelogram of sides (1 - e) d and e d', for m = 2.

        d and d' are the diagonals of the box, d the one along which P weighs more, e = `thinness` in (0, 1).
        K^{-1} = ((1 - e)^2 d d' + e^2 d' d'')/(4 pi^2) in closed form; e -> 0 reaches the upper bound.
        """
        if len(self.modes.widths) != 2 or not 0 < thinness < 1:
            raise ValueError("a slanted density needs m = 2 and a thinness between 0 and 1")
        side = 1.0 if self.shape[0, 1] >= 0 else -1.0
        wide, thin = (np.array([self.modes.widths[0], s * self.modes.widths[1]]) for s in (side, -side))
        inverse = (1 - thinness) ** 2 * np.outer(wide, wide) + thinness**2 * np.outer(thin, thin)
        return float(np.trace(self.shape @ inverse) / (4 * np.pi**2))


@dataclass(frozen=True)
class Ascent:
    """One ascent: the coefficients of u, Tr I^{-1} at each step, and how far Theorem 1's equation is from holding."""

    problem: TraceInverseProblem
    coefficients: Floats
    values: tuple[float, ...]
    residual: float

    @property
    def value(self) -> float:
        """Tr I^{-1} where the ascent ended; the density is admissible, so this is attained."""
        return self.values[-1]

    def density(self, w: ArrayLike) -> Floats:
        """u^2 at points w of shape (points, m)."""
        return self.problem.modes.density(self.coefficients, w)


@dataclass(frozen=True)
class TraceInverseSolution:
    """The ascents from all starts, best first, with what no density exceeds and what Problem 2's optimum gets."""

    problem: TraceInverseProblem
    ascents: tuple[Ascent, ...]
    upper_bound: float
    least_trace: Ascent
    attained: bool

    @property
    def best(self) -> Ascent:
        """The ascent with the largest Tr I^{-1}."""
        return self.ascents[0]


def maximise_trace_inverse(
    problem: TraceInverseProblem,
    rng: np.random.Generator,
    starts: int = 8,
    steps: int = 200,
    tolerance: float = 1e-11,
    progress: Progress | None = None,
) -> TraceInverseSolution:
    """Ascent from `starts` random metrics; `progress(done, starts, best value)` after each.

    Tr I^{-1} >= 2 Tr S^{1/2} - Tr(S I) for every S > 0, with equality at S = I^{-2}: maximising the right side
    over densities is a ground state of -div(C S C' grad), so each step S <- I^{-2}, u <- ground state cannot
    decrease Tr I^{-1}, and a fixed point solves the equation of Theorem 1.
    """
    if starts < 1:
        raise ValueError(f"at least one start is needed, got {starts}")
    size, found = len(problem.modes.widths), []
    for done in range(starts):
        factor = rng.standard_normal((size, size))
        found.append(_ascend(problem, factor @ factor.T + 1e-3 * np.eye(size), steps, tolerance))
        if progress is not None:
            progress(done + 1, starts, max(a.value for a in found))
    ordered = tuple(sorted(found, key=lambda a: -a.value))
    least = _ascend(problem, np.eye(size), 0, tolerance)
    return TraceInverseSolution(problem, ordered, problem.upper_bound(), least, problem.attained())


def _ascend(problem: TraceInverseProblem, metric: Floats, steps: int, tolerance: float) -> Ascent:
    values: list[float] = []
    state = problem.modes.ground_state(problem.query @ metric @ problem.query.T)[1]
    for step in range(steps + 1):
        information = problem.modes.information(state)
        values.append(problem.value(information))
        if step == steps or (step > 0 and values[-1] - values[-2] <= tolerance * values[-1]):
            break
        state = problem.modes.ground_state(theorem_1_metric(problem, information))[1]
    return Ascent(problem, state, tuple(values), theorem_1_residual(problem, state))


def theorem_1_metric(problem: TraceInverseProblem, information: Floats) -> Floats:
    """C I^{-2} C', the matrix A of the equation div(A grad u) + mu u = 0."""
    inverse = np.linalg.inv(problem.query.T @ information @ problem.query)
    return np.asarray(problem.query @ inverse @ inverse @ problem.query.T)


def theorem_1_residual(problem: TraceInverseProblem, coefficients: Floats) -> float:
    """|div(A grad u) + mu u| / |mu u| with A = C I^{-2} C', in the norm dual to the energy int |grad u|^2.

    0 iff u satisfies the necessary condition of Theorem 1, for the mu that Theorem 1 then needs; tested against
    twice as many modes per coordinate as u has.
    """
    metric = theorem_1_metric(problem, problem.modes.information(coefficients))
    modes, state = problem.modes.refined(coefficients, 2 * problem.modes.count)
    size = len(modes.widths)
    bent = sum((1 if i == j else 2) * metric[i, j] * (form @ state) for (i, j), form in modes.forms.items())
    mu = float(state @ bent) / float(state @ state)
    energy = sum(np.diag(modes.forms[i, i]) for i in range(size))
    return float(np.sqrt(np.sum((bent - mu * state) ** 2 / energy) / np.sum((mu * state) ** 2 / energy)))
