"""Whether affine conditions on parameters contradict one another, by exact multipliers."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import sympy as sp

_FAR = (3, 10**3, 10**6)


def impossible(
    conditions: Sequence[sp.Expr], strict: frozenset[sp.Expr], symbols: Sequence[sp.Symbol]
) -> bool:
    """Whether no point has all `conditions` at least zero and those in `strict` above it; False proves nothing.

    Multiples that are not negative add up to a negative number, or to zero with a strict one among them (Motzkin 1936).
    """
    slopes = [[sp.diff(e, s) for s in symbols] for e in conditions]
    constants = [e.subs(dict.fromkeys(symbols, 0)) for e in conditions]
    if not conditions or any(not x.is_Rational for row in (*slopes, constants) for x in row):
        return False
    weights = _weights(slopes, constants)
    if weights is None:
        return False
    support, values = weights
    total = sp.Add(*(v * constants[i] for v, i in zip(values, support, strict=True)))
    tight = any(conditions[i] in strict for i, v in zip(support, values, strict=True) if v > 0)
    return all(v >= 0 for v in values) and bool(total < 0 or (total == 0 and tight))


def inner_point(
    conditions: Sequence[sp.Expr], symbols: Sequence[sp.Symbol]
) -> dict[sp.Symbol, sp.Expr] | None:
    """A simple rational point at which all affine conditions are above zero; None if none was found."""
    from scipy.optimize import linprog

    slopes = [[sp.diff(e, s) for s in symbols] for e in conditions]
    if not conditions or any(not x.is_Rational for row in slopes for x in row):
        return None
    rows = [[*(-float(x) for x in row), 1.0] for row in slopes]
    room = [float(e.subs(dict.fromkeys(symbols, 0))) for e in conditions]
    costs = [*[0.0] * len(symbols), -1.0]
    # Small numbers first: slopes at large ones are lost in rounding.
    for far in _FAR:
        bounds = [*[(-far, far)] * len(symbols), (None, 1)]
        found = linprog(costs, A_ub=rows, b_ub=room, bounds=bounds)
        if found.status != 0 or found.x is None:
            continue
        for bound in (1, 12, 1000, 10**6):
            near = [Fraction(float(x)).limit_denominator(bound) for x in found.x[:-1]]
            at = {s: sp.Rational(x.numerator, x.denominator) for s, x in zip(symbols, near, strict=True)}
            if all(bool(e.subs(at) > 0) for e in conditions):
                return at
    return None


def _weights(slopes: list[list[sp.Expr]], constants: list[sp.Expr]) -> tuple[list[int], list[sp.Expr]] | None:
    """Multiples whose slopes cancel, with the least sum of constants, adding up to one: exact."""
    from scipy.optimize import linprog

    matrix = np.array([[*map(float, row), 1.0] for row in slopes]).T
    costs = np.array([float(c) for c in constants])
    if not (np.all(np.isfinite(matrix)) and np.all(np.isfinite(costs))):
        return None
    target = np.append(np.zeros(matrix.shape[0] - 1), 1.0)
    found = linprog(costs, A_eq=matrix, b_eq=target, bounds=(0, None))
    if found.status != 0 or found.x is None or float(found.fun or 0.0) > 1e-9:
        return None
    support = [i for i, y in enumerate(found.x) if y > 1e-9]
    unknown = sp.symbols(f"y:{len(support)}", cls=sp.Dummy)
    equations = [
        sp.Add(*(y * slopes[i][k] for y, i in zip(unknown, support, strict=True)))
        for k in range(matrix.shape[0] - 1)
    ]
    solutions = sp.linsolve([*equations, sp.Add(*unknown) - 1], *unknown)
    if not solutions:
        return None
    return support, [v.subs(dict.fromkeys(unknown, 0)) for v in next(iter(solutions))]
