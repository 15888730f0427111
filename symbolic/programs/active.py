"""The constraints that are active at a point with their gradients there, and what the gradients say: LICQ and MFCQ."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
import sympy as sp

from ..errors import SpecError
from ..proof.enclosure import is_zero
from ..proof.fact import Fact
from ..proof.truth import Truth
from .constraints import PSD, Constraint, Equation, Inequality, NormCone, said
from .lifting import Lifting
from .natural_domain import all_constraints, natural_domain
from .region import Point, Region
from .stated_program import StatedProgram


@dataclass(frozen=True)
class Active:
    """At a feasible point: gradients (rows) of the equations and of the active inequalities, and the active `cones` that have none."""

    program: StatedProgram
    point: Point
    equations: sp.Matrix
    inequalities: sp.Matrix
    names: tuple[str, ...]
    cones: tuple[Constraint, ...]

    @property
    def trouble(self) -> str:
        """That a formula has no derivative at the point, in words; empty if all have one."""
        for e in self.program.expressions():
            if any(_no_number(sp.diff(e, v).subs(self.point)) for v in self.program.variables):
                return f"{e} has no derivative at the point"
        return ""

    def licq(self) -> Fact:
        """Whether the gradients of equations and active inequalities are linearly independent, for all parameters."""
        if self.cones:
            return Fact(
                Truth.UNKNOWN,
                f"{self.cones[0]} has no single gradient at the point, and LICQ is one of gradients",
            )
        rows = self.equations.col_join(self.inequalities)
        if not rows.rows:
            return Fact(Truth.HOLDS, "no constraint is active")
        count = f"the gradients of the active constraints ({', '.join(self.names)})"
        found = _independent(rows, self._alone)
        words = {Truth.HOLDS: "are linearly independent", Truth.FAILS: "are linearly dependent"}
        return Fact(
            found, f"{count} {words.get(found, 'are not known to be independent for all parameters')}"
        )

    def mfcq(self, towards: Point | None = None) -> Fact:
        """Whether a direction along all equations leads strictly into every active inequality; `towards` is a strict point, if known."""
        along = _independent(self.equations, self._alone) if self.equations.rows else Truth.HOLDS
        if along is not Truth.HOLDS:
            word = "are dependent" if along is Truth.FAILS else "are not known to be independent"
            return Fact(along, f"the gradients of the equations {word}")
        if not self.inequalities.rows and not self.cones:
            return Fact(
                Truth.HOLDS, "no inequality is active, and the gradients of the equations are independent"
            )
        for direction in self._directions(towards):
            if self._leads_inside(direction):
                return Fact(
                    Truth.HOLDS, f"({', '.join(map(str, direction))}) leads strictly inside", tuple(direction)
                )
        weights = None if self.cones else self._weights()
        if weights is not None:
            sum_ = " + ".join(
                f"{w} ({n})" for w, n in zip(weights, self.names[-len(weights) :], strict=True) if w != 0
            )
            reason = f"no direction leads inside: the gradients weighted {sum_} add up to one of the equations, or to zero"
            return Fact(Truth.FAILS, reason, tuple(weights))
        return Fact(
            Truth.UNKNOWN,
            "no direction was found that leads inside all active constraints, nor weights that exclude it",
        )

    @property
    def _alone(self) -> Region:
        return Region((), self.program.domain, {}, {}, ())

    def _null(self) -> sp.Matrix:
        """A basis of the directions along the equations, as columns."""
        order = len(self.program.variables)
        if not self.equations.rows:
            return sp.eye(order)
        basis = self.equations.nullspace()
        return sp.Matrix.hstack(*basis) if basis else sp.zeros(order, 0)

    def _numbers(self, matrix: sp.Matrix) -> Any:
        sample = next(islice(self.program.domain.points(), 1), {})
        return np.array(matrix.subs(sample).evalf().tolist(), dtype=float).reshape(matrix.shape)

    def _directions(self, towards: Point | None) -> list[list[sp.Expr]]:
        found = []
        if towards is not None:
            found.append([sp.simplify(towards[v] - self.point[v]) for v in self.program.variables])
        basis = self._null()
        if not self.inequalities.rows or not basis.cols:
            return found
        from scipy.optimize import linprog

        slopes = self._numbers(self.inequalities * basis)
        if not np.all(np.isfinite(slopes)):
            return found
        rows, cols = slopes.shape
        table = [[*row, 1.0] for row in slopes.tolist()]
        answer: Any = linprog(
            [0.0] * cols + [-1.0], table, [0.0] * rows, bounds=[(-1, 1)] * cols + [(None, 1)]
        )
        if answer.status == 0 and answer.x[-1] > 1e-9:
            for digits in (1, 4, 64, 2**20):
                step = sp.Matrix([sp.Rational(round(float(y) * digits), digits) for y in answer.x[:-1]])
                found.append(list(basis * step))
        return found

    def _leads_inside(self, direction: list[sp.Expr]) -> bool:
        step = sp.Matrix(direction)
        if any(sp.simplify(e) != 0 for e in self.equations * step):
            return False
        if not all(self._alone.known(sp.simplify(-e), "positive") for e in self.inequalities * step):
            return False
        return all(self._interior(c, direction) for c in self.cones)

    def _interior(self, c: Constraint, direction: list[sp.Expr]) -> bool:
        """Whether value plus derivative along the direction lies inside the cone."""

        def moved(e: sp.Expr) -> sp.Expr:
            slopes = (
                sp.diff(e, v).subs(self.point) * d
                for v, d in zip(self.program.variables, direction, strict=True)
            )
            return sp.simplify(e.subs(self.point) + sp.Add(*slopes))

        if isinstance(c, NormCone):
            there = NormCone([moved(e) for e in c.vector], moved(c.bound), c.norm)
            return self._alone.known(sp.simplify(-there.excess), "positive")
        assert isinstance(c, PSD)
        matrix = c.matrix.applyfunc(moved)
        return all(self._alone.known(matrix[: k + 1, : k + 1].det(), "positive") for k in range(matrix.rows))

    def _weights(self) -> list[sp.Expr] | None:
        """Numbers >= 0, not all zero, with which the gradients add up to nothing along the equations (Motzkin): exact."""
        slopes = self.inequalities * self._null()
        rows = slopes.rows
        if not slopes.cols:
            return [sp.Integer(1)] * rows
        from scipy.optimize import linprog

        values = self._numbers(slopes)
        if not np.all(np.isfinite(values)):
            return None
        answer: Any = linprog(
            [0.0] * rows, A_eq=[*values.T.tolist(), [1.0] * rows], b_eq=[0.0] * slopes.cols + [1.0]
        )
        if answer.status != 0:
            return None
        support = [k for k, w in enumerate(answer.x) if w > 1e-9]
        null = slopes.extract(support, list(range(slopes.cols))).T.nullspace()
        if len(null) != 1:
            return None
        weights = [sp.simplify(w / next(x for x in null[0] if x != 0)) for w in null[0]]
        if not all(self._alone.known(w, "nonnegative") for w in weights):
            return None
        return [weights[support.index(k)] if k in support else sp.Integer(0) for k in range(rows)]


def _independent(rows: sp.Matrix, alone: Region) -> Truth:
    """By the determinant of the Gram matrix of the rows."""
    if rows.rows > rows.cols:
        return Truth.FAILS
    gram = sp.simplify((rows * rows.T).det(method="berkowitz"))
    if alone.known(gram, "positive"):
        return Truth.HOLDS
    return Truth.FAILS if is_zero(gram) is Truth.HOLDS else Truth.UNKNOWN


def active_at(lifting: Lifting, values: Any) -> Active:
    """The active constraints of the smooth program at a point of the stated one; SpecError for a point that is not feasible.

    The point has exact coordinates, numbers or formulas of the parameters; SpecError also where it depends on the parameters
    which constraints are active, and where a constraint has no derivative.
    """
    program = lifting.program
    point = lifting.point(lifting.stated.point(values))
    alone = Region((), program.domain, {}, {}, ())
    for e in natural_domain(program).positive:
        if not alone.known(e.subs(point), "positive"):
            raise SpecError(
                f"the point is not known to lie in the natural domain: {e} = {e.subs(point)} must be above zero"
            )
    equations: list[list[sp.Expr]] = []
    inequalities: list[list[sp.Expr]] = []
    names: list[str] = []
    cones: list[Constraint] = []
    for c in all_constraints(program):
        name = said(c)
        if isinstance(c, Equation):
            if is_zero(c.excess.subs(point)) is not Truth.HOLDS:
                raise SpecError(
                    f"the point is not feasible: {name} is not met, {c.excess} = {c.excess.subs(point)}"
                )
            equations.append(_gradient(c.excess, program, point, name))
            names.insert(len(equations) - 1, name)
        elif _touches(c, point, alone, name):
            if isinstance(c, Inequality) or (isinstance(c, NormCone) and _smooth_there(c, point, alone)):
                inequalities.append(_gradient(c.excess, program, point, name))
                names.append(name)
            else:
                cones.append(c)
    order = len(program.variables)
    return Active(
        program,
        point,
        sp.Matrix(len(equations), order, [x for row in equations for x in row]),
        sp.Matrix(len(inequalities), order, [x for row in inequalities for x in row]),
        tuple(names),
        tuple(cones),
    )


def _touches(c: Constraint, point: Point, alone: Region, name: str) -> bool:
    """Whether an inequality or cone is active at the point; SpecError if it is violated or that depends on parameters."""
    if isinstance(c, PSD):
        matrix = c.matrix.subs(point)
        minors = [matrix[: k + 1, : k + 1].det() for k in range(matrix.rows)]
        if all(alone.known(m, "positive") for m in minors):
            return False
        if all(v.is_nonnegative for v in matrix.eigenvals()) if not matrix.free_symbols else False:
            return True
        raise SpecError(f"the point is not known to be feasible: {name}")
    value = sp.simplify(c.excess.subs(point))
    if value.is_finite is False:
        raise SpecError(f"{name} has no value at the point")
    if alone.known(-value, "positive"):
        return False
    if is_zero(value) is Truth.HOLDS:
        return True
    if alone.known(value, "positive"):
        raise SpecError(f"the point is not feasible: {name} is violated, {c.excess} = {value}")
    raise SpecError(f"whether {name} is active at the point depends on the parameters: {c.excess} = {value}")


def _smooth_there(c: NormCone, point: Point, alone: Region) -> bool:
    if c.norm != "l2":
        return False
    return alone.known(sp.Add(*(e.subs(point) ** 2 for e in c.vector)), "positive")


def _gradient(e: sp.Expr, program: StatedProgram, point: Point, name: str) -> list[sp.Expr]:
    row = [sp.simplify(sp.diff(e, v).subs(point)) for v in program.variables]
    if any(map(_no_number, row)):
        raise SpecError(
            f"{name} has no derivative at the point: move the point, or write the constraint without a root or kink there"
        )
    return row


def _no_number(e: sp.Expr) -> bool:
    return bool(e.has(sp.nan, sp.zoo, sp.oo, -sp.oo))
