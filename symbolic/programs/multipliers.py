"""Multipliers at a point: found in floating point, solved for exactly on the support that was found, then checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import sympy as sp

from ..arrays import Floats
from ..proof.as_written import product, total, value_at, weighted
from ..proof.truth import Truth, all_hold
from .feasibility import AtPoint, Part, Where, put
from .judge import Judge
from .least_squares import nonnegative_least_squares
from .search import nearest
from .smooth_form import SmoothForm

_SMALL, _LONG = 1e-9, 1_000


@dataclass(frozen=True)
class Multipliers:
    """The multiplier of each part, exact; `objective` is 1, or 0 for multipliers of Fritz John that leave the objective out."""

    parts: tuple[Part, ...]
    values: tuple[sp.Expr, ...]
    objective: sp.Expr = sp.S.One

    def lagrangian(self, form: SmoothForm) -> sp.Expr:
        """The objective plus the parts: at most the objective wherever the program is feasible."""
        parts = (v * p.term for v, p in zip(self.values, self.parts, strict=True))
        return self.objective * form.objective + sp.Add(*parts)

    def written(self, form: SmoothForm) -> sp.Expr:
        """The same with its products kept."""
        parts = (product(v, p.term) for v, p in zip(self.values, self.parts, strict=True) if v != 0)
        return total(weighted(self.objective, form.objective), *parts)

    def slope(self, form: SmoothForm, variable: sp.Symbol, where: Mapping[sp.Symbol, sp.Expr]) -> sp.Expr:
        """The derivative of the Lagrangian in a variable at the point, the objective's and each part's as they are written."""
        terms = [weighted(self.objective, value_at(sp.diff(form.objective, variable), where))]
        for v, part in zip(self.values, self.parts, strict=True):
            if v != 0 and part.term.has(variable):
                terms.append(product(v, value_at(sp.diff(part.term, variable), where)))
        return total(*terms)

    def admissible(self, judge: Judge) -> Truth:
        """Whether each multiplier lies in the cone that makes its part at most zero."""
        return all_hold(judge.at_least_zero(e) for e, _ in self.needs())

    def needs(self) -> list[tuple[sp.Expr, str]]:
        """Expressions that must not be negative, each with its reason; all of them, so that the parts are at most zero."""
        rows = []
        groups: dict[tuple[str, int], list[tuple[Part, sp.Expr]]] = {}
        for part, value in zip(self.parts, self.values, strict=True):
            if not part.free:
                rows.append((value, f"the multiplier {part.name} is not negative"))
            if part.group is not None:
                groups.setdefault(part.group, []).append((part, value))
        for (kind, _), members in groups.items():
            if kind == "cone":
                z, s = [v for p, v in members if p.free], next(v for p, v in members if not p.free)
                rows.append((s**2 - sp.Add(*(v**2 for v in z)), "the multiplier lies in the dual cone"))
            else:
                rows += _minors([v for _, v in members])
        return rows

    def said(self) -> str:
        """In words which multipliers are not zero."""
        rows = [f"{p.name} = {v}" for p, v in zip(self.parts, self.values, strict=True) if v != 0]
        return ", ".join(rows) or "all multipliers zero"


def _minors(triangle: list[sp.Expr]) -> list[tuple[sp.Expr, str]]:
    n = int((np.sqrt(8 * len(triangle) + 1) - 1) / 2)
    matrix = sp.zeros(n, n)
    entries = iter(triangle)
    for i in range(n):
        for j in range(i + 1):
            matrix[i, j] = matrix[j, i] = next(entries)
    coefficients = matrix.charpoly().all_coeffs()
    return [
        ((-1) ** k * c, "the multiplier is a positive semidefinite matrix")
        for k, c in enumerate(coefficients)
    ]


def multipliers_at(
    form: SmoothForm, where: Where, at: AtPoint, judge: Judge, sample: Where | None = None, john: bool = False
) -> Multipliers | None:
    """Multipliers for which the Lagrangian is stationary at the point, with signs proved; None if none were found.

    `sample` gives the parameters numbers at which the support is looked for.  With `john` the objective is left out
    and the multipliers add up to one.
    """
    gradient = [put(sp.diff(form.objective, v), where) for v in form.variables]
    if john:
        gradient = [sp.S.Zero for _ in gradient]
    columns = [[put(sp.diff(p.term, v), where) for v in form.variables] for p in at.parts]
    if any(e.has(sp.zoo, sp.nan, sp.oo) for row in (gradient, *columns) for e in row):
        return None
    support = _support(gradient, columns, at.parts, sample or {}, john)
    if support is None:
        return None
    solved = _solved(gradient, columns, support, at.parts, john)
    if solved is None:
        return None
    found = Multipliers(at.parts, solved, sp.S.Zero if john else sp.S.One)
    residual = [
        g + sp.Add(*(v * c[i] for v, c in zip(found.values, columns, strict=True)))
        for i, g in enumerate(gradient)
    ]
    if all_hold(judge.zero(r) for r in residual) is not Truth.HOLDS:
        return None
    return found if found.admissible(judge) is Truth.HOLDS else None


def _support(
    gradient: Sequence[sp.Expr],
    columns: Sequence[Sequence[sp.Expr]],
    parts: Sequence[Part],
    sample: Where,
    john: bool,
) -> list[int] | None:
    """The parts with a multiplier that is not zero in the least-squares solution with the right signs; None if it misses."""
    try:
        g = _numbers(gradient, sample)
        a = np.array([_numbers(c, sample) for c in columns]).reshape(len(columns), len(g)).T
    except TypeError:
        return None
    free = [i for i, p in enumerate(parts) if p.free]
    if john:
        weights = np.array([[0.0 if p.free else 1.0 for p in parts]])
        a, g = np.vstack([a, weights]), np.append(g, -1.0)
    if a.shape[1] == 0:
        return [] if float(np.abs(g).max(initial=0.0)) < _SMALL else None
    values, miss = nonnegative_least_squares(np.hstack([a, -a[:, free]]), -g)
    if miss > 1e-6 * (1 + float(np.abs(g).max(initial=0.0))):
        return None
    # Bound groups stay whole: their signs are decided together.
    chosen = {i for i in range(a.shape[1]) if values[i] > _SMALL}
    chosen |= {i for k, i in enumerate(free) if values[a.shape[1] + k] > _SMALL}
    return sorted(chosen)


def _numbers(row: Sequence[sp.Expr], sample: Where) -> Floats:
    return np.array([nearest(e.subs(sample)) for e in row])


def _solved(
    gradient: Sequence[sp.Expr],
    columns: Sequence[Sequence[sp.Expr]],
    support: list[int],
    parts: Sequence[Part],
    john: bool,
) -> tuple[sp.Expr, ...] | None:
    values = [sp.S.Zero] * len(columns)
    if not support:
        return tuple(values)
    matrix = sp.Matrix([[columns[i][k] for i in support] for k in range(len(gradient))])
    right = -sp.Matrix(gradient)
    if john:
        matrix = matrix.col_join(sp.Matrix([[0 if parts[i].free else 1 for i in support]]))
        right = right.col_join(sp.Matrix([1]))
    veil = _long_powers(matrix, right)
    matrix, right = matrix.xreplace(veil), right.xreplace(veil)
    unknown = sp.symbols(f"lam:{len(support)}", cls=sp.Dummy)
    try:
        solutions = sp.linsolve((matrix, right), *unknown)
    except (ValueError, NotImplementedError):
        return None
    back = {symbol: power for power, symbol in veil.items()}
    if not solutions:
        rough = _by_normal_equations(matrix, right, values, support)
        return None if rough is None else tuple(v.xreplace(back) for v in rough)
    found = next(iter(solutions))
    for i, value in zip(support, found, strict=True):
        values[i] = (
            sp.cancel(value.subs(dict.fromkeys(unknown, 0))) if value.free_symbols else sp.radsimp(value)
        )
    return tuple(v.xreplace(back) for v in values)


def _long_powers(*matrices: sp.Matrix) -> dict[sp.Expr, sp.Dummy]:
    """Powers with long exponents as symbols: exp(a/q) and exp(b/q) are polynomials of degree a and b to sympy, which end its process."""
    powers = {p for m in matrices for p in m.atoms(sp.exp, sp.Pow)}
    return {
        p: sp.Dummy(positive=True)
        for p in powers
        if p.is_positive and any(max(abs(r.p), r.q) > _LONG for r in p.exp.atoms(sp.Rational))
    }


def _by_normal_equations(
    matrix: sp.Matrix, right: sp.Matrix, values: list[sp.Expr], support: list[int]
) -> tuple[sp.Expr, ...] | None:
    """Where zeros that sympy does not see make the system look inconsistent; the residual is judged afterwards."""
    try:
        found = (matrix.T * matrix).LUsolve(matrix.T * right)
    except (ValueError, ZeroDivisionError):
        return None
    for i, value in zip(support, found, strict=True):
        values[i] = sp.simplify(value)
    return tuple(values)
