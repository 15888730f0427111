"""How a minimiser moves with the parameters, from the equations of its active constraints: matrices of one point."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import sympy as sp

from ..proof.truth import Truth, all_hold
from .closed_form import excesses
from .feasibility import Where, put
from .judge import Judge
from .smooth_form import SmoothForm


@dataclass(frozen=True)
class Moving:
    """The program at one minimiser: `strong` and `weak` rows are active with and without a positive multiplier.

    `hessian` is that of the Lagrangian, `slopes` the gradients of the active rows (equations, then strong, then weak), and
    `mixed` and `shifts` the derivatives of both in the direction of the parameter.
    """

    hessian: sp.Matrix
    slopes: sp.Matrix
    mixed: sp.Matrix
    shifts: sp.Matrix
    fixed: int
    weak: int

    def rank(self) -> int:
        """How many gradients of the active constraints are linearly independent: all of them under LICQ."""
        return _rank(self.slopes) if self.slopes.rows else 0

    def minors(self) -> list[sp.Expr]:
        """The leading minors of the Hessian where the equations and the strong rows do not move: all are positive under the strong second-order condition."""
        rows = self.slopes[: self.fixed, :]
        kernel = (
            rows.nullspace()
            if rows.rows
            else [sp.eye(self.hessian.rows)[:, i] for i in range(self.hessian.rows)]
        )
        if not kernel:
            return []
        basis = sp.Matrix.hstack(*kernel)
        small = (basis.T * self.hessian * basis).applyfunc(sp.simplify)
        return [small[:k, :k].det() for k in range(1, small.rows + 1)]

    def velocity(self, held: tuple[int, ...], sign: int = 1) -> tuple[sp.Matrix, sp.Matrix] | None:
        """The velocities of point and multipliers while the equations, the strong rows and the `held` weak ones stay active."""
        kept = [*range(self.fixed), *held]
        rows = self.slopes.extract(kept, range(self.slopes.cols)) if kept else sp.zeros(0, self.hessian.cols)
        n, m = self.hessian.rows, len(kept)
        system = (
            sp.Matrix(sp.BlockMatrix([[self.hessian, rows.T], [rows, sp.zeros(m, m)]])) if m else self.hessian
        )
        shifts = sp.Matrix([self.shifts[i] for i in kept])
        right = -sign * (self.mixed.col_join(shifts) if m else self.mixed)
        try:
            found = system.LUsolve(right).applyfunc(sp.simplify)
        except (ValueError, ZeroDivisionError):
            return None
        if found.has(sp.nan, sp.zoo):
            return None
        return found[:n, :], found[n:, :]

    def one_sided(self, sign: int, judge: Judge) -> sp.Matrix | None:
        """The velocity for a parameter that grows (sign 1) or falls (-1): the quadratic program of the weak rows, by its cases.

        Source: Robinson, Strongly regular generalized equations (1980); Dontchev and Rockafellar 2014, theorem 2G.8.
        """
        rows = range(self.fixed, self.fixed + self.weak)
        for size in range(self.weak + 1):
            for held in itertools.combinations(rows, size):
                found = self.velocity(held, sign)
                if found is None:
                    continue
                moved, multipliers = found
                free = [i for i in rows if i not in held]
                lags = [-(self.slopes[i, :] * moved)[0, 0] - sign * self.shifts[i] for i in free]
                signs = [multipliers[self.fixed + k, 0] for k in range(size)]
                if all_hold(judge.at_least_zero(e) for e in (*lags, *signs)) is Truth.HOLDS:
                    return moved
        return None


def _rank(matrix: sp.Matrix) -> int:
    return int(matrix.applyfunc(sp.simplify).rank(simplify=True))


def moving(
    form: SmoothForm,
    stated: SmoothForm,
    where: Where,
    multipliers: dict[str, sp.Expr],
    parameter: sp.Symbol,
    at: Where,
    judge: Judge,
) -> Moving | str:
    """The matrices at the minimiser of the program with numbers (`stated`); a text where the point has no smooth description."""
    rows = [*excesses(form), *(-c.matrix.det() for c in form.matrices)]
    numbers = [*excesses(stated), *(-c.matrix.det() for c in stated.matrices)]
    active = [k for k, e in enumerate(numbers) if judge.zero(put(e, where)) is Truth.HOLDS]
    for k, c in enumerate(stated.cones):
        if k + len(form.above) in active and judge.zero(put(c.bound, where)) is Truth.HOLDS:
            return "the point is at the tip of a norm cone, whose derivative does not exist"
    for p in stated.matrices:
        # Where all other eigenvalues are positive the determinant alone says which matrices near by are semidefinite.
        if _rank(sp.Matrix(p.matrix.subs(where))) < p.matrix.rows - 1:
            return "a matrix has more than one eigenvalue 0, where the derivative is not treated"
    weights = {k: multipliers.get(_name(form, k), sp.S.Zero) for k in active}
    if any(judge.zero(w) is Truth.UNKNOWN for w in weights.values()):
        return "whether a multiplier vanishes is open"
    strong = [k for k in active if judge.zero(weights[k]) is Truth.FAILS]
    weak = [k for k in active if k not in strong]
    both = {**at, **where}
    nu = [multipliers.get(f"nu_{k + 1}", sp.S.Zero) for k in range(len(form.equal))]
    lagrangian = form.objective + sp.Add(*(w * rows[k] for k, w in weights.items()))
    lagrangian += sp.Add(*(m * e for m, e in zip(nu, form.equal, strict=True)))
    ordered = [*form.equal, *(rows[k] for k in strong), *(rows[k] for k in weak)]
    v = list(form.variables)
    gradient = [sp.diff(lagrangian, x) for x in v]
    slopes = (
        sp.Matrix([[_at(sp.diff(e, x), both) for x in v] for e in ordered])
        if ordered
        else sp.zeros(0, len(v))
    )
    hessian = sp.Matrix([[_at(sp.diff(g, x), both) for x in v] for g in gradient])
    shifts = sp.Matrix([_at(sp.diff(e, parameter), both) for e in ordered])
    fixed = len(form.equal) + len(strong)
    for k in range(fixed):
        moves = [i for i in range(len(v)) if slopes[k, i] != 0]
        if len(moves) == 1 and shifts[k] == 0 and hessian[moves[0], moves[0]].has(sp.zoo, sp.oo):
            # A strong constraint holds the variable where it is, and it takes no part, such as x^(3/2) at 0.
            hessian[moves[0], moves[0]] = sp.S.Zero
    mixed = sp.Matrix([_at(sp.diff(g, parameter), both) for g in gradient])
    return Moving(hessian, slopes, mixed, shifts, fixed, len(weak))


def _name(form: SmoothForm, k: int) -> str:
    cones = len(form.above) + len(form.cones)
    if k >= cones:
        return f"det_{k - cones + 1}"
    return f"mu_{k + 1}" if k < len(form.above) else f"s_{k - len(form.above) + 1}"


def _at(e: sp.Expr, both: Where) -> sp.Expr:
    return sp.simplify(e.subs(both, simultaneous=True))
