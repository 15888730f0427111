"""A candidate in floating point becomes a feasible rational point, as near the minimiser as digits are asked for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import mpmath as mp  # type: ignore[import-untyped]
import numpy as np
import sympy as sp

from ..arrays import Floats
from .least_squares import nonnegative_least_squares
from .lifting import affine
from .search import Numeric, slope

_DIGITS = 70
_NEAR = 1e-5
Point = dict[sp.Symbol, sp.Expr]


@dataclass(frozen=True)
class Polished:
    """The point as decimals of many digits, the active excesses, their multipliers in floating point."""

    values: tuple[mp.mpf, ...]
    active: tuple[sp.Expr, ...]
    multipliers: tuple[mp.mpf, ...]
    residual: float


def polished(numeric: Numeric, x: Floats) -> Polished:
    """Newton's method on the equations of the constraints that are active with a multiplier, and of stationarity."""
    form = numeric.form
    active = _active(numeric, x)
    rows = tuple(e for e, _ in active)
    unknown = (*form.variables, *(sp.Dummy(f"y{i}") for i in range(len(rows))))
    lagrangian = form.objective + sp.Add(
        *(y * e for y, e in zip(unknown[len(form.variables) :], rows, strict=True))
    )
    system = [*(slope(lagrangian, v) for v in form.variables), *rows]
    residual = sp.lambdify([list(unknown)], system, "mpmath")
    slopes = sp.Matrix([[slope(e, v) for v in unknown] for e in system])
    jacobian = sp.lambdify([list(unknown)], slopes, "numpy")
    start = [*x.tolist(), *(m for _, m in active)]
    with mp.workdps(_DIGITS + 10):
        at = [mp.mpf(v) for v in start]
        size = np.inf
        for step in range(25):
            try:
                now = [mp.re(mp.mpmathify(r)) for r in residual(at)]
                if step < 5:
                    with np.errstate(all="ignore"):
                        rows_at = np.array(jacobian([float(a) for a in at]), dtype=float)
                    if not np.all(np.isfinite(rows_at)):  # LAPACK may never come back from them
                        break
                    back = np.linalg.pinv(rows_at, rcond=1e-10)
            except (NameError, TypeError, ValueError, ArithmeticError, np.linalg.LinAlgError):
                break
            before, size = size, float(max((abs(r) for r in now), default=mp.mpf(0)))
            if size < 10.0**-_DIGITS or size > 100 * max(before, 1e-3):
                break
            moved = back @ np.array([float(r) for r in now])
            at = [a - mp.mpf(d) for a, d in zip(at, moved.tolist(), strict=True)]
        n = len(form.variables)
        return Polished(tuple(at[:n]), rows, tuple(at[n:]), size)


def _active(numeric: Numeric, x: Floats) -> list[tuple[sp.Expr, float]]:
    """The excesses that are near zero and carry a multiplier, with its estimate; all equations."""
    form = numeric.form
    near = [e for e, v in zip(numeric.inequalities, numeric.above(x), strict=True) if v > -_NEAR]
    if form.matrices:
        near += [
            -sp.expand(c.matrix.det())
            for c, low in zip(form.matrices, numeric.least_eigenvalues(x), strict=True)
            if low < _NEAR
        ]
    rows = (*near, *form.equal)
    if not rows:
        return []
    slopes = numeric.jacobian(rows)(x).T
    free = slopes[:, len(near) :]
    values, _ = nonnegative_least_squares(np.hstack([slopes, -free]), -numeric.gradient(x))
    kept = [(e, values[i]) for i, e in enumerate(near) if values[i] > 1e-6]
    count = len(form.equal)
    return [
        *kept,
        *((e, values[len(near) + j] - values[len(rows) + j]) for j, e in enumerate(form.equal[:count])),
    ]


def near_points(numeric: Numeric, found: Polished, x: Floats) -> Iterator[Point]:
    """Exact points near the candidate, simple ones first; whether they are feasible is for others to decide."""
    variables = numeric.form.variables
    for bound in (1, 12, 1000):
        yield {
            v: _rational(Fraction(float(a)).limit_denominator(bound))
            for v, a in zip(variables, x, strict=True)
        }
    squares = [_rational(Fraction(float(a) ** 2).limit_denominator(100)) for a in x]
    yield {v: (1 if a > 0 else -1) * sp.sqrt(q) for v, a, q in zip(variables, x, squares, strict=True)}
    if not found.residual <= 1e-12 or not all(mp.isfinite(a) for a in found.values):
        exact = [_rational(Fraction(float(a))) for a in x]
    else:
        exact = [sp.Rational(mp.nstr(a, 40, min_fixed=-mp.inf, max_fixed=mp.inf)) for a in found.values]
    for shift in (0, 30, 20, 14, 9, 6):
        moved = _repaired(numeric, exact, x, shift)
        if moved is not None:
            yield dict(zip(variables, moved, strict=True))


def _rational(f: Fraction) -> sp.Rational:
    return sp.Rational(f.numerator, f.denominator)


def _repaired(numeric: Numeric, exact: list[sp.Expr], x: Floats, shift: int) -> list[sp.Expr] | None:
    """The point moved onto its affine equations, exactly, and inside of curved constraints by 10^-shift of a direction."""
    form, variables = numeric.form, numeric.form.variables
    near = [e for e, v in zip(numeric.inequalities, numeric.above(x), strict=True) if v > -1e-7]
    flat = [e for e in near if affine(e, variables)]
    fixed = [e for e in form.equal if affine(e, variables)]
    curved = [e for e in near if not affine(e, variables)]
    curved += [-sp.expand(c.matrix.det()) for c in form.matrices]
    if shift:
        direction = _inward(numeric, fixed, [*flat, *curved], x)
        if direction is None:
            return None
        step = sp.Rational(1, 10**shift)
        exact = [
            a + step * _rational(Fraction(d).limit_denominator(10**6))
            for a, d in zip(exact, direction, strict=True)
        ]
    moved = _onto([*fixed, *([] if shift else flat)], variables, exact)
    bent = [e for e in form.equal if not affine(e, variables)]
    return _bent(bent, variables, moved, x) if bent and moved is not None else moved


def _inward(numeric: Numeric, fixed: list[sp.Expr], others: list[sp.Expr], x: Floats) -> list[float] | None:
    """A direction along the equations in which all other constraints fall, by a linear program."""
    from scipy.optimize import linprog

    n = len(x)
    if not others:
        return [0.0] * n
    slopes = numeric.jacobian(tuple(others))(x)
    rows = np.hstack([slopes, np.maximum(np.linalg.norm(slopes, axis=1, keepdims=True), 1e-12)])
    equal = np.hstack([numeric.jacobian(tuple(fixed))(x), np.zeros((len(fixed), 1))]) if fixed else None
    found = linprog(
        np.append(np.zeros(n), -1.0),
        A_ub=rows,
        b_ub=np.zeros(len(others)),
        A_eq=equal,
        b_eq=np.zeros(len(fixed)) if fixed else None,
        bounds=[(-1, 1)] * n + [(None, 1)],
    )
    if found.status != 0 or found.x is None or found.x[n] <= 1e-9:
        return None
    return [float(d) for d in found.x[:n]]


def _onto(rows: list[sp.Expr], variables: tuple[sp.Symbol, ...], x: list[sp.Expr]) -> list[sp.Expr] | None:
    """The nearest point on which the affine rows vanish; None if there is none."""
    rows = [e for e in rows if e.has(*variables)]
    if not rows:
        return x
    matrix = sp.Matrix([[sp.diff(e, v) for v in variables] for e in rows])
    _, pivots = matrix.T.rref()
    independent = matrix.extract(list(pivots), list(range(len(variables))))
    at = dict(zip(variables, x, strict=True))
    miss = sp.Matrix([rows[i].subs(at) for i in pivots])
    try:
        back = independent.T * (independent * independent.T).LUsolve(miss)
    except (ValueError, ZeroDivisionError):
        return None
    return [sp.expand(a - b) for a, b in zip(x, back, strict=True)]


def _bent(
    rows: list[sp.Expr], variables: tuple[sp.Symbol, ...], x: list[sp.Expr], near: Floats
) -> list[sp.Expr] | None:
    """One curved equation solved for a variable in which it is linear or quadratic."""
    if len(rows) != 1:
        return None
    (row,) = rows
    at = dict(zip(variables, x, strict=True))
    for k, v in enumerate(variables):
        if not row.has(v) or not row.is_polynomial(v) or sp.degree(row, v) > 2:
            continue
        roots = [
            r for r in sp.roots(sp.Poly(row.subs({w: a for w, a in at.items() if w != v}), v)) if r.is_real
        ]
        if roots:
            best = min(roots, key=lambda r: abs(float(r) - near[k]))
            if abs(float(best) - near[k]) < 1e-3:
                return [best if w == v else at[w] for w in variables]
    return None
