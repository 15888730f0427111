"""Numeric routes to what the list says: minimisers by search, multipliers by least squares and linear programs (scipy only)."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from itertools import product

import numpy as np
import sympy as sp
from scipy.optimize import linprog, lsq_linear, minimize

from program_trials.smooth import Piece, Smooth

Array = np.ndarray


def compiled(expressions: list[sp.Expr], variables: tuple[sp.Symbol, ...]) -> Callable[[Array], Array]:
    made = sp.lambdify(variables, expressions, "numpy")
    return lambda x: np.array(made(*x), dtype=float)


class Numeric:
    """Values and gradients of a smooth form as functions of an array."""

    def __init__(self, form: Smooth) -> None:
        v = form.variables
        self.form = form
        self.objective = compiled([form.objective], v)
        self.slope = compiled([form.objective.diff(s) for s in v], v)
        self.below = compiled([p.excess for p in form.below], v)
        self.equal = compiled([p.excess for p in form.equations], v)
        self.below_slopes = self._jacobian(form.below)
        self.equal_slopes = self._jacobian(form.equations)
        self.bounds = [_bounds(form, s) for s in v]

    def _jacobian(self, pieces: tuple[Piece, ...]) -> Callable[[Array], Array]:
        v = self.form.variables
        flat = compiled([p.excess.diff(s) for p in pieces for s in v], v)
        return lambda x: flat(x).reshape(len(pieces), len(v))

    def violation(self, x: Array) -> float:
        return max(0.0, *self.below(x), *np.abs(self.equal(x)), 0.0)

    def value(self, x: Array) -> float:
        return float(self.objective(x)[0])

    def constraints(self) -> list[dict[str, object]]:
        return [
            {"type": "ineq", "fun": lambda x: -self.below(x), "jac": lambda x: -self.below_slopes(x)},
            {"type": "eq", "fun": self.equal, "jac": self.equal_slopes},
        ][: 1 if not self.form.equations else 2]

    def start(self, rng: np.random.Generator) -> Array:
        x = rng.uniform(-3, 3, len(self.bounds))
        return np.array([np.clip(e, lo + 1e-2, hi) for e, (lo, hi) in zip(x, self.bounds, strict=True)])


def _bounds(form: Smooth, symbol: sp.Symbol) -> tuple[float, float]:
    """What the constraints of one variable alone say, so that no search leaves the domain of a logarithm."""
    low, high = -np.inf, np.inf
    for piece in form.below:
        slope = piece.excess.diff(symbol)
        if piece.excess.free_symbols == {symbol} and slope.is_number and slope != 0:
            end = float(sp.solve(piece.excess, symbol)[0])
            low, high = (low, min(high, end)) if slope > 0 else (max(low, end), high)
    inner = any(log.args[0] == symbol for log in form.objective.atoms(sp.log))
    return (max(low, 1e-12) if inner else low), high


def least(model: Numeric, rng: np.random.Generator, starts: int = 25) -> tuple[float, Array]:
    """The least value that SLSQP finds from random starts, and where."""
    best = (np.inf, np.zeros(len(model.bounds)))
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for _ in range(starts):
            found = minimize(
                model.value,
                model.start(rng),
                jac=model.slope,
                method="SLSQP",
                bounds=model.bounds,
                constraints=model.constraints(),
                options={"ftol": 1e-15, "maxiter": 1000},
            )
            if model.violation(found.x) < 1e-8 and model.value(found.x) < best[0]:
                best = (model.value(found.x), found.x)
    return best


def deepest(model: Numeric, rng: np.random.Generator) -> float:
    """The least possible largest excess (equations as they are): below 0 with Slater's point, above 0 without a feasible one."""
    best = np.inf
    n = len(model.bounds)
    linear = np.append(np.zeros(n), 1.0)
    below = {
        "type": "ineq",
        "fun": lambda z: z[n] - model.below(z[:n]),
        "jac": lambda z: np.hstack([-model.below_slopes(z[:n]), np.ones((len(model.form.below), 1))]),
    }
    equal = {
        "type": "eq",
        "fun": lambda z: model.equal(z[:n]),
        "jac": lambda z: np.hstack([model.equal_slopes(z[:n]), np.zeros((len(model.form.equations), 1))]),
    }
    for _ in range(10):
        start = np.append(rng.uniform(-2, 2, n), 10.0)
        found = minimize(
            lambda z: z[n],
            start,
            jac=lambda z: linear,
            method="SLSQP",
            bounds=[(-10, 10)] * n + [(-1, None)],
            constraints=[below] + ([equal] if model.form.equations else []),
            options={"maxiter": 500},
        )
        x = found.x[:n]
        if not model.form.equations or np.abs(model.equal(x)).max() < 1e-8:
            best = min(best, float(model.below(x).max()))
    return best


def active(model: Numeric, x: Array) -> list[int]:
    return [k for k, g in enumerate(model.below(x)) if abs(g) < 1e-9] if model.form.below else []


def columns(model: Numeric, x: Array) -> tuple[Array, int]:
    """Gradients of active inequalities, then of equations, as columns; how many are of inequalities."""
    n = len(x)
    near = active(model, x)
    rows = [
        *(model.below_slopes(x)[k] for k in near),
        *(model.equal_slopes(x) if model.form.equations else []),
    ]
    return np.array(rows, dtype=float).reshape(len(rows), n).T, len(near)


def stationarity(model: Numeric, x: Array) -> float:
    """How far the best multipliers leave the gradient of the Lagrangian from 0."""
    matrix, signed = columns(model, x)
    slope = model.slope(x)
    if matrix.shape[1] == 0:
        return float(np.linalg.norm(slope))
    low = [0.0] * signed + [-np.inf] * (matrix.shape[1] - signed)
    found = lsq_linear(matrix, -slope, (low, np.inf), tol=1e-14)
    return float(np.linalg.norm(matrix @ found.x + slope))


def spread(model: Numeric, x: Array, count: int) -> list[tuple[float, float]]:
    """For each constraint of the program the least and the largest multiplier that go with the point."""
    matrix, signed = columns(model, x)
    near = active(model, x)
    pieces: list[Piece] = [*(model.form.below[k] for k in near), *model.form.equations]
    shares = [float(sp.N(p.share.subs(dict(zip(model.form.variables, x, strict=True))))) for p in pieces]
    bounds = [(0, None)] * signed + [(None, None)] * (matrix.shape[1] - signed)
    found = []
    for k in range(count):
        cost = np.array([s if p.of == k else 0.0 for p, s in zip(pieces, shares, strict=True)])
        if not cost.any():
            found.append((0.0, 0.0))
            continue
        ends = [linprog(sign * cost, A_eq=matrix, b_eq=-model.slope(x), bounds=bounds) for sign in (1, -1)]
        found.append(
            tuple(
                sign * end.fun if end.status == 0 else sign * -np.inf
                for sign, end in zip((1, -1), ends, strict=True)
            )
        )
    return found


def mangasarian_fromovitz(model: Numeric, x: Array) -> bool:
    """Whether a direction leads strictly inside of every active inequality along the equations, whose gradients are independent."""
    matrix, signed = columns(model, x)
    inside, along = matrix.T[:signed], matrix.T[signed:]
    if len(along) and np.linalg.matrix_rank(along) < len(along):
        return False
    found = linprog(
        np.zeros(len(x)),
        A_ub=inside if signed else None,
        b_ub=-np.ones(signed) if signed else None,
        A_eq=along if len(along) else None,
        b_eq=np.zeros(len(along)) if len(along) else None,
        bounds=(None, None),
    )
    return bool(found.status == 0)


def independent(model: Numeric, x: Array) -> bool:
    matrix, _ = columns(model, x)
    return bool(matrix.shape[1] == 0 or np.linalg.matrix_rank(matrix, tol=1e-9) == matrix.shape[1])


def on_grid(model: Numeric, step: int = 400) -> float:
    """The least value of the objective on the feasible points k/step with entries from -2 to 2."""
    line = np.arange(-2 * step, 2 * step + 1) / step
    axes = np.meshgrid(*[line] * len(model.bounds), indexing="ij")
    grid = [a.ravel() for a in axes]
    shaped = [np.broadcast_to(r, grid[0].shape) for r in _rows(model.form, grid)]
    inside = np.all(np.array(shaped[1:]) <= 0, axis=0)
    return float(shaped[0][inside].min())


def _rows(form: Smooth, grid: list[Array]) -> list[Array]:
    made = sp.lambdify(form.variables, [form.objective, *(p.excess for p in form.below)], "numpy")
    return [np.asarray(r, dtype=float) for r in made(*grid)]


def by_enumeration(model: Numeric) -> tuple[float, list[tuple[int, ...]]]:
    """The least value over whole numbers from -3 to 3, and where."""
    points = [p for p in product(range(-3, 4), repeat=len(model.bounds)) if model.violation(np.array(p)) == 0]
    values = [model.value(np.array(p, dtype=float)) for p in points]
    return min(values), [p for p, v in zip(points, values, strict=True) if v == min(values)]


def curvatures(model: Numeric, rng: np.random.Generator) -> float:
    """The least eigenvalue of the Hessians of objective and inequalities at random points (equations with curvature: -1)."""
    form = model.form
    if any(sp.hessian(p.excess, form.variables).norm() != 0 for p in form.equations):
        return -1.0
    made = [
        sp.lambdify(form.variables, sp.hessian(e, form.variables), "numpy")
        for e in (form.objective, *(p.excess for p in form.below))
    ]
    found = []
    for _ in range(40):
        x = model.start(rng)
        for hessian in made:
            matrix = np.array(hessian(*x), dtype=float)
            if np.isfinite(matrix).all():
                found.append(float(np.linalg.eigvalsh(matrix).min()))
    return min(found)
