"""A workload of marginals measured together: which tables get integer noise, and the consistent estimate from what comes out."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from ...symbolic.arrays import Floats
from ...symbolic.domains.exact import exact
from ...symbolic.errors import SpecError, nearest_name
from ...symbolic.programs.program import Program
from .anova import least_squares, put_together
from .budget_item import DIGITS, BudgetItem, budget_law, cut_fraction, shown
from .gaussian_shares import gaussian_shares
from .joint_fit import JointFit, joint_fit
from .marginal_shares import marginal_program, marginal_shares
from .marginal_space import Marginal, MarginalSpace, marginal_space, subsets
from .nonnegative import marginal_of, with_total
from .share_certificate import ShareCertificate, gaussian_certificate, laplace_certificate
from .share_statement import stated_program

_UNITS = {"add-or-remove": 1, "replace-one": 2}
_MOST_CELLS = 1_000_000
_ROUNDING = 1e-9  # records: of sums of doubles
MOST_JOINT_CELLS = 100_000  # of a fitted joint table: minutes of work above


@dataclass(frozen=True)
class MarginalStrategy:
    """Which marginals are measured with which shares of the total, and what is estimated from them.

    One person moves at most `rows` rows: each measured table has the squared l2 sensitivity rows^2 (2 rows^2 where rows are replaced)
    and the l1 sensitivity rows (2 rows). Columns of each table stand in the order of `space.sizes`.
    """

    space: MarginalSpace
    total: Fraction
    noise: str
    neighbours: str
    rows: int
    shares: dict[Marginal, Fraction]
    certificate: ShareCertificate = field(repr=False)

    @property
    def measured(self) -> tuple[Marginal, ...]:
        """The marginals that get noise of their own."""
        return tuple(self.shares)

    @property
    def item(self) -> BudgetItem:
        """One measured table, as the split of a budget sees it."""
        return _item(self.neighbours, self.rows)

    @property
    def parameters(self) -> dict[Marginal, Fraction]:
        """For each measured marginal what the law of its noise is made from: Gaussian variance, or Laplace scale."""
        law = budget_law(self.noise)
        return {a: law.parameter(self.item, s) for a, s in self.shares.items()}

    @cached_property
    def weights(self) -> dict[Marginal, Fraction]:
        """1 / variance of a cell of each measured marginal; on the grid the true variance is not above it."""
        law = budget_law(self.noise)
        return {a: 1 / law.variance(self.item, s) for a, s in self.shares.items()}

    @property
    def program(self) -> Program:
        """The convex program of Gaussian noise in the weights, for its conditions: w_1, w_2, ... belong to `space.candidates`."""
        return stated_program(
            marginal_program(self.space), 1 / budget_law(self.noise).variance(self.item, self.total)
        )

    def cell_variance(self, marginal: Any) -> Fraction:
        """The variance of each cell of the estimate of a wanted marginal, exactly: at most that, on the grid."""
        return self.space.cell_variance(self._wanted(marginal), self.space.precisions(self.weights))

    @property
    def root_mean_squared_error(self) -> float:
        """Of all cells of the wanted marginals."""
        variances = [(self.space.cells(m), self.cell_variance(m)) for m in self.space.workload]
        return math.sqrt(float(sum(n * v for n, v in variances)) / sum(n for n, _ in variances))

    def estimate(self, noisy: Mapping[Any, Any], nonnegative: str | None = None) -> dict[Marginal, Floats]:
        """All wanted marginals from the noisy measured ones: least squares, so that all their sums agree.

        `noisy` has an array for each measured marginal. `nonnegative="joint"` returns the marginals of `joint(noisy)`, which agree; `"each"`
        moves each marginal to the nearest one without negative entries: these agree in the total alone. Both use nothing but `noisy`,
        and are biased: `cell_variance` is of the estimate without them. SpecError where there is no joint table.
        """
        if nonnegative not in (None, "joint", "each"):
            raise SpecError(f"nonnegative: {nearest_name(str(nonnegative), ['joint', 'each'])}")
        if nonnegative == "joint":
            return self._of_joint(self._fitted(noisy))
        components = least_squares(self.space, self._tables(noisy), self.weights)
        found = {m: put_together(self.space, components, m) for m in self.space.workload}
        if nonnegative is None:
            return found
        total = max(0.0, float(components[()]))
        return {m: with_total(table, total) for m, table in found.items()}

    def joint(self, noisy: Mapping[Any, Any]) -> JointFit | None:
        """One table of all columns (`joint_columns`) without negative entries that the noisy marginals call for.

        None where it has more than `MOST_JOINT_CELLS` cells, or where no step of the fit reached its certificate.
        """
        columns = self.joint_columns
        if self.space.cells(columns) > MOST_JOINT_CELLS:
            return None
        tables = self._tables(noisy)
        components = least_squares(self.space, tables, self.weights)
        return joint_fit(self.space, tables, self.weights, components, columns)

    def published(self, noisy: Mapping[Any, Any]) -> tuple[dict[Marginal, Floats], str]:
        """All wanted marginals without negative counts, and how they were found.

        "unbiased" by least squares, if no count of it is negative: then nothing needs to move; otherwise "joint", or "each" where there is
        no joint table.
        """
        plain = self.estimate(noisy)
        if min(float(t.min()) for t in plain.values()) >= -_ROUNDING:
            return {m: np.maximum(t, 0.0) for m, t in plain.items()}, "unbiased"
        fit = self.joint(noisy)
        return (self.estimate(noisy, "each"), "each") if fit is None else (self._of_joint(fit), "joint")

    def _of_joint(self, fit: JointFit) -> dict[Marginal, Floats]:
        return {m: marginal_of(fit.table, self.joint_columns, m) for m in self.space.workload}

    def _fitted(self, noisy: Mapping[Any, Any]) -> JointFit:
        fit = self.joint(noisy)
        if fit is None:
            raise SpecError(
                f'nonnegative="joint" needs a table of all columns with at most {MOST_JOINT_CELLS:,} cells whose fit can be certified; '
                f'this one has {self.space.cells(self.joint_columns):,}: take "each", whose marginals agree in the total alone'
            )
        return fit

    @property
    def joint_columns(self) -> Marginal:
        """The columns of the workload, in their order."""
        return tuple(n for n in self.space.sizes if any(n in m for m in self.space.workload))

    def _tables(self, noisy: Mapping[Any, Any]) -> dict[Marginal, Floats]:
        given = {self.space.canonical(names): np.asarray(table) for names, table in noisy.items()}
        if set(given) != set(self.measured):
            names = "; ".join(", ".join(a) or "the total" for a in self.measured)
            raise SpecError(f"noisy must have a table for each measured marginal and no other: {names}")
        for a, table in given.items():
            if table.shape != self.space.shape(a):
                raise SpecError(
                    f"noisy: the table of {a} must have the shape {self.space.shape(a)}, got {table.shape}"
                )
        return {a: given[a].astype(float) for a in self.measured}

    def _wanted(self, names: Any) -> Marginal:
        marginal = self.space.canonical(names)
        precisions = self.space.precisions(self.weights)
        if any(precisions.get(s, 0) == 0 for s in subsets(marginal) if self.space.freedom(s) > 0):
            raise SpecError(
                f"{', '.join(marginal)} is no marginal of the workload, nor of one of its marginals"
            )
        return marginal

    def as_item(self, name: str, weight: Any = 1) -> BudgetItem:
        """The whole workload as one item of a budget: its share is the total of `scaled`, its weighted variance that of all cells."""
        law, value = budget_law(self.noise), self.certificate.value
        at_one = value * self.total**law.power / (law.factor * law.squared(self.item))
        squared, l1 = self.item.sensitivity_squared, self.item.sensitivity
        return BudgetItem(name, squared, l1, weight=cut_fraction(exact(weight, "weight") * at_one))

    def scaled(self, total: Any) -> MarginalStrategy:
        """The same strategy with another total."""
        new = _total(total)
        return _strategy(self.space, new, self.noise, self.neighbours, self.rows, self._parts())

    def _parts(self) -> Floats:
        spent = sum(self.shares.values(), Fraction(0))
        return np.array([float(self.shares.get(a, Fraction(0)) / spent) for a in self.space.candidates])

    def lines(self) -> list[str]:
        """What is measured, what comes out, and how far from the best this is."""
        letter = budget_law(self.noise).share
        rows = [
            f"Marginals measured with {letter} = {shown(self.total)} ({self.noise} noise, {self.neighbours})"
        ]
        for a, s in self.shares.items():
            rows.append(
                f"  {', '.join(a) or 'total'}: share {shown(s)} ({100 * float(s / self.total):.3g} %), {self.space.cells(a):,} cells, "
                f"standard deviation {float(1 / self.weights[a]) ** 0.5:.4g}"
            )
        rows.append("estimated by least squares, so that all sums agree")
        for m in self.space.workload:
            rows.append(
                f"  {', '.join(m) or 'total'}: standard deviation {float(self.cell_variance(m)) ** 0.5:.4g}"
            )
        return [*rows, f"{self.certificate.verdict}: {self.certificate.reason}"]


def marginal_strategy(
    sizes: Mapping[str, int],
    workload: Any,
    total: Any,
    noise: str = "gaussian",
    *,
    neighbours: str = "add-or-remove",
    rows: int = 1,
    most_cells: int = _MOST_CELLS,
) -> MarginalStrategy:
    """The marginals to measure so that the wanted ones have the least weighted sum of variances, with a certificate.

    `sizes` gives the number of categories of each column, `workload` tuples of column names (or a weight for each), `total` rho or
    epsilon, by `noise`; one person has at most `rows` rows, `neighbours` is "add-or-remove" or "replace-one". For Gaussian noise the
    strategy is the optimum among all marginals of these columns with at most `most_cells` cells, certified within 1e-6; for Laplace noise
    the best of many searches with a bound. SpecError for what cannot be meant.

    >>> tables = npf.marginal_strategy({"sex": 2, "region": 4, "age": 9}, [("sex", "age"), ("region", "age")], total="1/2")
    >>> tables.certificate.verdict, sorted(tables.measured)[:2]
    ('PROVED', [('region', 'age'), ('sex', 'age')])
    """
    budget_law(noise)
    if neighbours not in _UNITS:
        raise SpecError(f"neighbours: {nearest_name(str(neighbours), _UNITS)}")
    if isinstance(rows, bool) or not isinstance(rows, int) or rows < 1:
        raise SpecError(f"rows must be the whole number of rows that one person has at most, got {rows!r}")
    space = marginal_space(sizes, workload, most_cells)
    return _strategy(space, _total(total), noise, neighbours, rows, marginal_shares(space, noise))


def _strategy(
    space: MarginalSpace, total: Fraction, noise: str, neighbours: str, rows: int, parts: Floats
) -> MarginalStrategy:
    law, item, program = budget_law(noise), _item(neighbours, rows), marginal_program(space)
    shares = _rounded(space, parts, total)
    weights = [1 / law.variance(item, shares[a]) if a in shares else Fraction(0) for a in space.candidates]
    whole = 1 / law.variance(item, total)
    if noise == "gaussian":
        certificate = gaussian_certificate(program, weights, whole)
    else:
        best = _rounded(space, gaussian_shares(program), whole)
        relaxed = [best.get(a, Fraction(0)) for a in space.candidates]
        certificate = laplace_certificate(program, weights, relaxed, whole)
    return MarginalStrategy(space, total, noise, neighbours, rows, shares, certificate)


def _item(neighbours: str, rows: int) -> BudgetItem:
    units = _UNITS[neighbours]
    return BudgetItem("a marginal", sensitivity_squared=units * rows**2, sensitivity=units * rows)


def _rounded(space: MarginalSpace, parts: Floats, total: Fraction) -> dict[Marginal, Fraction]:
    """Shares of 12 digits that are in sum at most the total."""
    whole = sum((Fraction(float(x)) for x in parts), Fraction(0))
    return {
        a: cut_fraction(Fraction(float(x)) / whole * total, DIGITS)
        for a, x in zip(space.candidates, parts, strict=True)
        if x > 0
    }


def _total(total: Any) -> Fraction:
    value = exact(total, "total")
    if value <= 0:
        raise SpecError(f"total must be above 0, got {total}")
    return value
