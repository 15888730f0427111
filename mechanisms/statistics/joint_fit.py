"""One table without negative counts for all noisy marginals: entropy steps from independent columns, as many as the noise calls for."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from ...symbolic.arrays import Floats
from .anova import put_together
from .marginal_space import Marginal, MarginalSpace

# Steps: how many records one observation of the last table is worth in each, halved every second step.
_PULLS = tuple(2.0 ** (-k / 2) for k in range(24))
_PATIENCE = 2  # steps without a smaller estimated error after which no more are taken
_CERTIFIED = 1e-2  # noise deviations, over all measured cells together, from the exact minimum of a step
_ITERATIONS, _MEMORY, _NEWTON = 2_000, 30, 100
_DENSE = 400  # measured cells: above, a matrix of their squares costs more than it saves
_PROBE, _SEED = (
    0.3,
    20_260_101,
)  # noise deviations by which the noisy cells are moved to see how the fit follows
_LEAST = 0.5  # records: of a category in the independent table, where the noise left it less
PLACES = 6


@dataclass(frozen=True)
class JointFit:
    """A fitted table (one axis for each column, entries >= 0 of six places) with what is known of it.

    `distance` bounds how far its measured marginals are from those of the exact minimum of its last step, in noise deviations, as
    the root of the sum of squares over all measured cells; `errors` has the estimated mean squared error after each step, in noise
    variances a measured cell: the table is the one after step `steps`, where it is least.
    """

    table: Floats
    steps: int
    distance: float
    errors: tuple[float, ...]


@dataclass(frozen=True)
class NoisyCells:
    """The measured marginals of a joint table, cell after cell: noisy counts `y` and 1 / variance `w`, shape (measured cells,)."""

    shape: tuple[int, ...]
    axes: tuple[tuple[int, ...], ...]
    y: Floats = field(repr=False)
    w: Floats = field(repr=False)

    @cached_property
    def sums(self) -> Any:
        """The sparse matrix of zeros and ones that sums a flat joint table to the measured cells."""
        from scipy import sparse

        cells, rows, start = math.prod(self.shape), [], 0
        for kept in self.axes:
            of_marginal = np.arange(math.prod(self.shape[i] for i in kept)) + start
            start += of_marginal.size
            wide = [n if i in kept else 1 for i, n in enumerate(self.shape)]
            rows.append(np.broadcast_to(of_marginal.reshape(wide), self.shape).ravel())
        columns = np.tile(np.arange(cells), len(rows))
        return sparse.csr_matrix(
            (np.ones(columns.size), (np.concatenate(rows), columns)), shape=(start, cells)
        )

    @cached_property
    def spread(self) -> Any:
        """Its transpose."""
        return self.sums.T.tocsr()

    def moved(self, by: Floats) -> NoisyCells:
        """The same marginals with other noise."""
        new = replace(self, y=self.y + by)
        new.__dict__.update(sums=self.sums, spread=self.spread)
        return new


@dataclass(frozen=True)
class Step:
    """Where a step ended: log shares of the joint cells, fitted measured cells, multipliers, and the distance from the exact minimum."""

    logs: Floats
    fitted: Floats
    nu: Floats
    distance: float


def joint_fit(
    space: MarginalSpace,
    noisy: Mapping[Marginal, Floats],
    weights: Mapping[Marginal, Fraction],
    components: Mapping[Marginal, Floats],
    columns: Marginal,
) -> JointFit | None:
    """The table of all columns with the total of `components` (least squares) that noisy marginals call for; None if no step converged.

    The first table has independent columns. Each step minimises half the squares of the residuals, in noise variances, plus
    pull * (relative entropy from the table before), over tables >= 0 of that total (proximal steps with the entropy: Bregman
    iterations), so that first the strong features of the noisy marginals are fitted and last the noise. The step with the least
    estimate of the error is taken: residual squares - cells + 2 * (how much the fit follows its data), which is Stein's unbiased
    estimate for Gaussian noise; how it follows is seen from a second fit, to data moved by fixed signs (Ramani, Blu and Unser 2008).
    Everything is a function of `noisy` and of public facts.
    """
    total = float(components.get((), np.zeros(())))
    shape = space.shape(columns)
    if total <= 0:
        return JointFit(np.zeros(shape), 0, 0.0, ())
    cells = NoisyCells(
        shape,
        tuple(tuple(columns.index(name) for name in a) for a in noisy),
        np.concatenate([np.ravel(t) for t in noisy.values()]),
        np.concatenate([np.full(t.size, float(weights[a])) for a, t in noisy.items()]),
    )
    signs = np.random.default_rng(_SEED).choice([-1.0, 1.0], cells.y.size)
    found = _path(cells, signs / np.sqrt(cells.w), _independent(space, components, columns), total)
    if not found:
        return None
    errors = tuple(error for _, error in found)
    best = int(np.argmin(errors))
    table = _six_places(np.exp(found[best][0].logs) * total, total).reshape(shape)
    return JointFit(table, best + 1, found[best][0].distance, errors)


def _independent(
    space: MarginalSpace, components: Mapping[Marginal, Floats], columns: Sequence[str]
) -> Floats:
    """Log shares of the joint cells if the columns were independent, from the estimated counts of each column."""
    logs = np.zeros(1)
    for name in columns:
        counts = np.maximum(put_together(space, components, (name,)), _LEAST)
        logs = np.add.outer(logs, np.log(counts / counts.sum())).ravel()
    return logs


def _path(cells: NoisyCells, by: Floats, logs: Floats, total: float) -> list[tuple[Step, float]]:
    """Steps and estimated errors until these rise for good, or a step does not converge."""
    data = (cells, cells.moved(_PROBE * by))
    start = np.exp(logs) * total
    at = [Step(logs, c.sums @ start, np.zeros_like(c.y), 0.0) for c in data]
    found: list[tuple[Step, float]] = []
    for pull in _PULLS:
        at = [step(c, s, pull, total) for c, s in zip(data, at, strict=True)]
        if max(s.distance for s in at) > _CERTIFIED:
            break
        squares = float((cells.w * (cells.y - at[0].fitted) ** 2).sum())
        follows = float((cells.w * by * (at[1].fitted - at[0].fitted)).sum()) / _PROBE
        found.append((at[0], (squares + 2 * follows) / cells.y.size - 1))
        if int(np.argmin([e for _, e in found])) < len(found) - _PATIENCE:
            break
    return found


@dataclass(frozen=True)
class Dual:
    """The dual of a step, in one multiplier a measured cell, times the noise deviation: smooth, without constraints, curvature >= 1.

    At multipliers nu the table is before * exp(spread(nu) / pull), scaled to the total; the gap between its objective and the dual
    one is half the sum of w (y - sums - nu / w)^2, the squared slope, and the minimum is no farther than the root of that sum.
    """

    cells: NoisyCells
    before: Step
    pull: float
    total: float

    def at(self, z: Floats) -> tuple[Step, float, Floats]:
        """The step that ends there, the value, and its slope."""
        cells = self.cells
        roots = np.sqrt(cells.w)
        logs = self.before.logs + (cells.spread @ (z * roots)) / self.pull
        top = float(logs.max())
        whole = top + math.log(float(np.exp(logs - top).sum()))
        fitted = cells.sums @ (np.exp(logs - whole) * self.total)
        slope = z + roots * (fitted - cells.y)
        value = float(z @ z) / 2 - float(z @ (roots * cells.y)) + self.pull * self.total * whole
        return Step(logs - whole, fitted, z * roots, float(np.linalg.norm(slope))), value, slope

    def curvature(self, at: Step) -> Floats:
        """The matrix of second derivatives, shape (measured cells, measured cells)."""
        table = np.exp(at.logs) * self.total
        both = (self.cells.sums.multiply(table) @ self.cells.spread).toarray()
        both -= np.outer(at.fitted, at.fitted) / self.total
        roots = np.sqrt(self.cells.w)
        return np.asarray(np.eye(roots.size) + both * np.outer(roots, roots) / self.pull)


def step(cells: NoisyCells, before: Step, pull: float, total: float) -> Step:
    """The minimum of a step from its dual: by Newton's method where the matrix is small, otherwise by L-BFGS."""
    dual = Dual(cells, before, pull, total)
    start = before.nu / np.sqrt(cells.w)  # scaled to the new pull, the last multipliers are nearly right
    found = _newton(dual, start) if cells.y.size <= _DENSE else _quasi_newton(dual, start)
    return dual.at(found)[0]


def _newton(dual: Dual, z: Floats) -> Floats:
    from scipy.linalg import cho_factor, cho_solve

    at, value, slope = dual.at(z)
    for _ in range(_NEWTON):
        if at.distance <= _CERTIFIED:
            break
        way = -cho_solve(cho_factor(dual.curvature(at)), slope)
        length, steep = 1.0, float(way @ slope)
        while dual.at(z + length * way)[1] > value + length * steep / 4 and length > 1e-6:
            length /= 2
        z = z + length * way
        at, value, slope = dual.at(z)
    return z


def _quasi_newton(dual: Dual, z: Floats) -> Floats:
    from scipy.optimize import minimize

    # The diagonal of the curvature, with the fit of the last step.
    scale = 1 / np.sqrt(1 + dual.cells.w * np.maximum(dual.before.fitted, 0.0) / dual.pull)
    last = [math.inf]

    def scaled(x: Floats) -> tuple[float, Floats]:
        at, value, slope = dual.at(x * scale)
        last[0] = at.distance
        return value, slope * scale

    def enough(intermediate_result: Any) -> None:
        if last[0] <= _CERTIFIED:
            raise StopIteration

    options: Any = {
        "maxiter": _ITERATIONS,
        "maxfun": 2 * _ITERATIONS,
        "maxcor": _MEMORY,
        "ftol": 0.0,
        "gtol": 0.0,
    }
    found = minimize(scaled, z / scale, jac=True, method="L-BFGS-B", callback=enough, options=options)
    return np.asarray(found.x * scale)


def _six_places(table: Floats, total: float) -> Floats:
    """Rounded, so that sums agree in all six places; the largest cell takes what is missing from the total, less than half a place after them."""
    rounded = np.round(table, PLACES)
    rounded[int(np.argmax(rounded))] += total - rounded.sum()
    return rounded
