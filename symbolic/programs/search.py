"""Candidates for the minimiser of a program, found in floating point: no promise, only points worth a proof."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp

from ..arrays import Floats
from .smooth_form import SmoothForm

_FAR, _NOWHERE = 1e6, 1e30


def nearest(e: sp.Expr) -> float:
    """A real number in floating point, be it written with roots of complex numbers; TypeError for what is no real number."""
    found = complex(sp.N(e, 25))
    if abs(found.imag) > 1e-12 * (1 + abs(found.real)):
        raise TypeError(f"{e} is not known to be real")
    return found.real


def slope(e: sp.Expr, v: sp.Symbol) -> sp.Expr:
    """The derivative where there is one: steps such as floor and sign are flat between their jumps."""
    found = sp.diff(e, v)
    return found.replace(
        lambda a: isinstance(a, sp.Subs | sp.Derivative | sp.DiracDelta), lambda _: sp.S.Zero
    )


@dataclass(frozen=True)
class Numeric:
    """The functions of a program without parameters as functions of float vectors."""

    form: SmoothForm

    @cached_property
    def objective(self) -> Callable[[Floats], float]:
        return self._scalar(self.form.objective)

    @cached_property
    def gradient(self) -> Callable[[Floats], Floats]:
        return self._vector([slope(self.form.objective, v) for v in self.form.variables])

    @cached_property
    def inequalities(self) -> tuple[sp.Expr, ...]:
        """Excesses of inequalities and cones, squared where a norm has a kink, and least eigenvalues by determinants."""
        rows = [*self.form.above]
        for cone in self.form.cones:
            rows += [sp.Add(*(e**2 for e in cone.vector)) - cone.bound**2, -cone.bound]
        return tuple(rows)

    @cached_property
    def above(self) -> Callable[[Floats], Floats]:
        return self._vector(self.inequalities)

    @cached_property
    def equal(self) -> Callable[[Floats], Floats]:
        return self._vector(self.form.equal)

    @cached_property
    def bounds(self) -> list[tuple[float | None, float | None]]:
        rows = []
        ranges = self.form.ranges()
        natural = self.form.natural
        # At the end of a natural domain a slope may be infinite, and no search comes back from there.
        needed = {v for e in (*natural.positive, *natural.nonnegative) for v in e.free_symbols}
        for v in self.form.variables:
            low, high = (float(e) for e in ranges[v])
            if v in needed and low < high:
                inset = 1e-9 * min(1.0, high - low)
                low, high = low + inset, high - inset
            rows.append((low if np.isfinite(low) else None, high if np.isfinite(high) else None))
        return rows

    def _scalar(self, e: sp.Expr) -> Callable[[Floats], float]:
        try:
            compiled = sp.lambdify([list(self.form.variables)], e, ["numpy", "scipy"])
        except NotImplementedError:  # a function that numpy and scipy do not have: no candidate comes from it
            return lambda _: _NOWHERE

        def value(x: Floats) -> float:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                try:
                    found = complex(compiled(list(x)))
                except (NameError, TypeError, ValueError, ArithmeticError):
                    return _NOWHERE
            return found.real if abs(found.imag) < 1e-12 and np.isfinite(found.real) else _NOWHERE

        return value

    def _vector(self, rows: Any) -> Callable[[Floats], Floats]:
        compiled = [self._scalar(e) for e in rows]
        return lambda x: np.array([f(x) for f in compiled])

    def jacobian(self, rows: tuple[sp.Expr, ...]) -> Callable[[Floats], Floats]:
        """The derivatives of the rows, one line each."""
        n = len(self.form.variables)
        flat = self._vector([slope(e, v) for e in rows for v in self.form.variables])
        return lambda x: np.asarray(flat(x)).reshape(len(rows), n)

    def least_eigenvalues(self, x: Floats) -> Floats:
        """The least eigenvalue of each matrix that has to be positive semidefinite."""
        at = dict(zip(self.form.variables, x.tolist(), strict=True))
        return np.array(
            [
                np.linalg.eigvalsh(np.array(c.matrix.subs(at).tolist(), dtype=float))[0]
                for c in self.form.matrices
            ]
        )

    def violation(self, x: Floats) -> float:
        """The largest excess at the point."""
        parts = [np.maximum(self.above(x), 0), np.abs(self.equal(x))]
        if self.form.matrices:
            parts.append(np.maximum(-self.least_eigenvalues(x), 0))
        return float(max((p.max(initial=0.0) for p in parts), default=0.0))


def candidates(numeric: Numeric, starts: list[Floats], seed: int = 0, tries: int = 8) -> Iterator[Floats]:
    """Local minima from the given starts and from random ones, feasible to 1e-6."""
    from scipy.optimize import minimize

    n, draw = len(numeric.form.variables), np.random.default_rng(seed)
    constraints: list[dict[str, Any]] = []
    if numeric.inequalities:
        slope = numeric.jacobian(numeric.inequalities)
        constraints.append({"type": "ineq", "fun": lambda x: -numeric.above(x), "jac": lambda x: -slope(x)})
    if numeric.form.equal:
        constraints.append({"type": "eq", "fun": numeric.equal, "jac": numeric.jacobian(numeric.form.equal)})
    if numeric.form.matrices:
        constraints.append({"type": "ineq", "fun": numeric.least_eigenvalues})
    scale = [1.0, 0.1, 3.0, 10.0]
    random = [_inside(draw.normal(0.3, scale[k % 4], n), numeric.bounds) for k in range(tries)]
    for start in [*starts, _inside(np.full(n, 0.5), numeric.bounds), *random]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                found = minimize(  # type: ignore[call-overload]
                    numeric.objective,
                    _inside(start, numeric.bounds),
                    jac=numeric.gradient,
                    bounds=numeric.bounds,
                    constraints=constraints,
                    method="SLSQP",
                    options={"maxiter": 300, "ftol": 1e-14},
                )
            except (ValueError, FloatingPointError, np.linalg.LinAlgError, OverflowError):
                continue
        x = np.asarray(found.x, dtype=float)
        if np.all(np.isfinite(x)) and np.abs(x).max() < _FAR and numeric.violation(x) < 1e-6:
            yield x


def _inside(x: Floats, bounds: list[tuple[float | None, float | None]]) -> Floats:
    low = np.array([-np.inf if a is None else a for a, _ in bounds])
    high = np.array([np.inf if b is None else b for _, b in bounds])
    return np.clip(x, low, high)


def best(numeric: Numeric, starts: list[Floats], tries: int = 8) -> list[Floats]:
    """Distinct candidates, the lowest value first."""
    found: list[Floats] = []
    for x in candidates(numeric, starts, tries=tries):
        if all(np.abs(x - y).max() > 1e-5 for y in found):
            found.append(x)
    return sorted(found, key=numeric.objective)
