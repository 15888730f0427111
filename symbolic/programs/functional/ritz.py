"""A minimiser in a space of polynomials (one finite element of high degree), whose coefficients are exact and which keeps all constraints."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import sympy as sp

from ...arrays import Floats
from .euler_lagrange import Lagrangian
from .stated_functional import StatedFunctional

_NEWTON, _POINTS, _DENOMINATOR = 60, 160, 1 << 50


class NoMinimiserError(ArithmeticError):
    """Newton's method found no stationary point in the space of polynomials."""


@dataclass(frozen=True)
class RitzSolution:
    """`function` keeps ends and constraints exactly and is a polynomial, or for positive functions `root`^2 times the polynomial `share`."""

    function: sp.Expr
    root: sp.Expr | None
    share: sp.Expr
    multipliers: tuple[sp.Rational, ...]
    degree: int


def ritz(functional: StatedFunctional, degree: int) -> RitzSolution:
    """The stationary point of the functional among polynomials of this degree; NoMinimiserError if none was found.

    Positive functions are squares w^2, of w with w'' = 0 beside w = 0 at ends where they vanish: as solutions have it whose
    potential is finite there, and as the lower bound needs.
    """
    return _Ritz(functional, degree).solve()


class _Ritz:
    def __init__(self, functional: StatedFunctional, degree: int) -> None:
        self.f, self.degree = functional, degree
        self.s = sp.Dummy("s", real=True)
        half = (functional.high - functional.low) / 2
        self.place = (functional.x - functional.low) / half - 1
        self.basis, self.offset = self._space()
        nodes, weights = np.polynomial.legendre.leggauss(_POINTS)
        self.weights = weights * float(half)
        self.x = float(functional.low) + float(half) * (nodes + 1)
        both = [*self.basis, self.offset]
        self.values = np.array([_poly(e, self.s)(nodes) for e in both])
        self.slopes = np.array([_poly(e, self.s).deriv()(nodes) / float(half) for e in both])

    def _space(self) -> tuple[list[sp.Expr], sp.Expr]:
        """Polynomials in s on [-1, 1] that keep the ends at 0, and one that has the values that are prescribed."""
        f, s = self.f, self.s
        places = {f.low: sp.Integer(-1), f.high: sp.Integer(1)}
        fixed = [(places[end], value) for end, value in f.boundary]
        if f.positive:
            fixed = [(end, sp.sqrt(value)) for end, value in fixed]
        names = [sp.legendre(k, s) for k in range(self.degree + 1)]
        rows = [[e.subs(s, end) for e in names] for end, _ in fixed]
        if f.positive:
            rows += [[sp.diff(e, s, 2).subs(s, end) for e in names] for end, value in fixed if value == 0]
        kernel = (
            sp.Matrix(rows).nullspace()
            if rows
            else [sp.eye(self.degree + 1)[:, k] for k in range(self.degree + 1)]
        )
        basis = [sp.expand(sp.Add(*(v[k] * names[k] for k in range(len(names))))) for v in kernel]
        offset = sp.interpolate(fixed, s) if fixed else sp.Integer(0)
        return basis, sp.sympify(offset)

    def solve(self) -> RitzSolution:
        guess = self._start()
        coefficients, multipliers = self._newton(guess)
        exact = [sp.Rational(round(float(c) * _DENOMINATOR), _DENOMINATOR) for c in coefficients]
        inner = self.offset + sp.Add(*(c * e for c, e in zip(exact, self.basis, strict=True)))
        shape = sp.expand(inner.subs(self.s, self.place))
        found = tuple(sp.Rational(*float(m).as_integer_ratio()) for m in multipliers)
        function, share = self._exactly_admissible(shape)
        return RitzSolution(function, shape if self.f.positive else None, share, found, self.degree)

    def _start(self) -> Floats:
        """A function that is positive inside, or the prescribed ends joined by a line."""
        if not self.f.positive:
            return np.zeros(len(self.basis))
        fixed = {end for end, _ in self.f.boundary}
        share = (self.x - float(self.f.low)) / float(self.f.high - self.f.low)
        bump = np.ones_like(share)
        if self.f.low in fixed and self.f.high in fixed:
            bump = np.sin(np.pi * share)
        elif fixed:
            bump = np.sin(np.pi / 2 * (share if self.f.low in fixed else 1 - share))
        first = np.linalg.lstsq(self.values[:-1].T, bump - self.values[-1], rcond=None)[0]
        return np.asarray(first / np.sqrt(np.sum(self.weights * bump**2)))

    def _newton(self, start: Floats) -> tuple[Floats, Floats]:
        evaluate = self._compiled()
        c: Floats = start
        m: Floats = np.zeros(len(self.f.constraints))
        values = evaluate(c, m)
        m = np.asarray(
            np.linalg.lstsq(values.constraints.T, values.gradient, rcond=None)[0] if len(m) else m,
            dtype=float,
        )
        for _ in range(_NEWTON):
            values = evaluate(c, m)
            size, count = len(c), len(m)
            whole = np.zeros((size + count, size + count))
            whole[:size, :size] = values.hessian
            whole[:size, size:], whole[size:, :size] = -values.constraints.T, values.constraints
            right = -np.concatenate([values.gradient - values.constraints.T @ m, values.misfit])
            step = np.linalg.lstsq(whole, right, rcond=None)[0]
            if not np.all(np.isfinite(step)):
                break
            shrink = min(
                1.0, 0.5 * max(1.0, float(np.abs(c).max())) / max(1e-300, float(np.abs(step[:size]).max()))
            )
            c, m = c + shrink * step[:size], m + shrink * step[size:]
            if float(np.abs(step).max()) < 1e-13 * max(1.0, float(np.abs(c).max())):
                return c, m
        if float(np.abs(right).max()) < 1e-7:
            return c, m
        raise NoMinimiserError(f"Newton's method stopped with a residual of {float(np.abs(right).max()):.3g}")

    def _compiled(self) -> Callable[[Floats, Floats], _Values]:
        f, x = self.f, self.f.x
        w, dw = sp.symbols("w dw", real=True, cls=sp.Dummy)
        image = {f.u: w**2, f.slope: 2 * w * dw} if f.positive else {f.u: w, f.slope: dw}
        main = sp.simplify(f.integrand.subs(image, simultaneous=True))
        sides = [sp.simplify(c.integrand.subs(image, simultaneous=True)) for c in f.constraints]
        names = Lagrangian(f).multipliers
        whole = main - sp.Add(*(m * g for m, g in zip(names, sides, strict=True)))
        first = [_function((x, w, dw), [sp.diff(e, w), sp.diff(e, dw), e]) for e in (main, *sides)]
        second = _function(
            (x, w, dw, *names), [sp.diff(whole, w, w), sp.diff(whole, w, dw), sp.diff(whole, dw, dw)]
        )
        targets = np.array([float(c.value) for c in f.constraints])
        basis, slopes = self.values[:-1], self.slopes[:-1]

        def evaluate(c: Floats, m: Floats) -> _Values:
            v, d = c @ basis + self.values[-1], c @ slopes + self.slopes[-1]
            parts = [part(self.x, v, d) for part in first]
            gradients = [basis @ (self.weights * p[0]) + slopes @ (self.weights * p[1]) for p in parts]
            sums = np.array([float(np.sum(self.weights * p[2])) for p in parts[1:]])
            a, b, e = second(self.x, v, d, *m)
            cross = (basis * (self.weights * b)) @ slopes.T
            hessian = (
                (basis * (self.weights * a)) @ basis.T
                + cross
                + cross.T
                + (slopes * (self.weights * e)) @ slopes.T
            )
            rows = np.array(gradients[1:]).reshape(len(m), len(c))
            return _Values(gradients[0], hessian, rows, sums - targets)

        return evaluate

    def _exactly_admissible(self, shape: sp.Expr) -> tuple[sp.Expr, sp.Expr]:
        """The function brought onto the constraints in exact arithmetic: a correction of the size of rounding."""
        f, x = self.f, self.f.x
        base = shape**2 if f.positive else shape
        if not f.constraints:
            return base, sp.Integer(1)
        s = sp.expand(self.place)
        factor = base if f.positive else sp.Mul(*(x - end for end, _ in f.boundary))
        moves = [factor * s**k for k in range(len(f.constraints))]
        kept = [self._integral(f.at(c.integrand, base)) for c in f.constraints]
        rows = [[self._integral(self._linear(c.integrand, g)) for g in moves] for c in f.constraints]
        right = sp.Matrix([c.value - k for c, k in zip(f.constraints, kept, strict=True)])
        found = sp.Matrix(rows).LUsolve(right)
        change = sp.Add(*(c * s**k for k, c in enumerate(found)))
        return (base * (1 + change), 1 + change) if f.positive else (base + factor * change, sp.Integer(1))

    def _linear(self, integrand: sp.Expr, move: sp.Expr) -> sp.Expr:
        return sp.diff(integrand, self.f.u) * move + sp.diff(integrand, self.f.slope) * sp.diff(
            move, self.f.x
        )

    def _integral(self, e: sp.Expr) -> sp.Expr:
        poly = sp.Poly(sp.expand(e), self.f.x)
        whole = poly.integrate(self.f.x)
        return whole.eval(self.f.high) - whole.eval(self.f.low)


@dataclass(frozen=True)
class _Values:
    gradient: Floats
    hessian: Floats
    constraints: Floats
    misfit: Floats


def _poly(e: sp.Expr, s: sp.Symbol) -> np.polynomial.Polynomial:
    coefficients = [float(c) for c in sp.Poly(e, s).all_coeffs()[::-1]]
    return np.polynomial.Polynomial(coefficients)


def _function(names: tuple[sp.Symbol, ...], parts: list[sp.Expr]) -> Callable[..., list[Floats]]:
    # A second derivative sees nothing of a kink: what is found is judged in balls.
    flat = [e.replace(sp.DiracDelta, lambda *_: sp.S.Zero) for e in parts]
    compiled = sp.lambdify(names, flat, ["numpy", "scipy"], cse=True)

    def values(x: Floats, *rest: object) -> list[Floats]:
        try:
            with np.errstate(all="ignore"):
                found = compiled(x, *rest)
        except (NameError, TypeError) as error:
            raise NoMinimiserError(f"the functional has no values in floating point: {error}") from error
        rows = [np.broadcast_to(np.asarray(part, dtype=float), x.shape) for part in found]
        if not all(np.all(np.isfinite(row)) for row in rows):
            raise NoMinimiserError("the search met a function at which the functional has no value")
        return rows

    return values
