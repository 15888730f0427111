"""The mass of a law in numbers: a computation with an estimate of its error, on which no proof rests."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import mpmath  # type: ignore[import-untyped]
import numpy as np
import sympy as sp
from flint import arb

from ..proof.apart import UnfinishedError, apart
from .countable import CountableLaw
from .enclosed_expectation import enclosed_expectation
from .law import Law
from .pieces import borders
from .quadrature import LEVELS

_FINE, _WIDE = 1e-10, 1e-3
_FAR = 10**4  # exponents beyond: of exp(-exp(y)) at such y mpmath would look for digits without end
_TROUBLE = (ArithmeticError, TypeError, ValueError, NameError, AttributeError, NotImplementedError)


def computed_mass(law: Law) -> tuple[float | None, float]:
    """The mass, None where it cannot be computed, and how far it may be off; the law has no free parameters."""
    try:
        if isinstance(law, CountableLaw):
            summed = law.summed()
            # Where it stopped before all of them, what it says is that much is missing, not that it is nowhere.
            return (summed, 1e-12) if abs(summed - 1) <= _FINE else _by_balls(law)
        first = _quadrature(law, [])
    except _TROUBLE:
        return _by_balls(law)
    if first is not None and abs(first[0] - 1) <= _FINE and first[1] <= _FINE:
        return first
    # A mass that is narrow and far away is seen by the quantiles of the table, which tell where to look again.
    try:
        table = law.numeric()
        marks = [float(q) for q in table.ppf(np.array(LEVELS))]
    except _TROUBLE:
        return first if first is not None and _trusted(first) else _by_balls(law)
    again = _quadrature(law, marks)
    if again is None or again[1] > _FINE:
        balls = _by_balls(law)
        return balls if balls[0] is not None else (1.0, 1e-7)  # the table came to one within this
    return again


def enclosed_mass(law: Law) -> arb | None:
    """A ball around the mass; None where none is found."""
    try:
        return apart(lambda: enclosed_expectation(law, sp.Integer(1), _FINE / 4), "the mass in balls")
    except (UnfinishedError, *_TROUBLE):
        return None


def _by_balls(law: Law) -> tuple[float | None, float]:
    ball = enclosed_mass(law)
    return (None, float("inf")) if ball is None else (float(ball.mid()), float(ball.rad()))


def _trusted(found: tuple[float, float]) -> bool:
    # An infinite total is an overflow next to an end, of which the estimated error knows nothing.
    return found[0] < float("inf") and found[1] <= max(_FINE, _WIDE * abs(found[0] - 1))


def _quadrature(law: Law, marks: list[float]) -> tuple[float, float] | None:
    try:
        return apart(lambda: _by_quadrature(law, marks), "the mass by quadrature")
    except UnfinishedError:
        return None


def _exp(x: Any) -> Any:
    """Zero, or a number that is large enough, where the exponent is far out."""
    exponent = mpmath.re(x)
    if exponent < -_FAR:
        return mpmath.mpf(0)
    return mpmath.exp(_FAR if exponent > _FAR else x)


def _halves(y: sp.Symbol, a: sp.Expr, b: sp.Expr) -> list[tuple[sp.Expr, list[Any]]]:
    """The interval from its finite ends inwards: what is next to one is written exactly, and no digits cancel."""
    if a.is_infinite and b.is_infinite:
        return [(y, [-mpmath.inf, mpmath.inf])]
    half = mpmath.mpf(sp.N((b - a) / 2, 30)) if (b - a).is_finite else mpmath.inf
    left, right = (a + y, [mpmath.mpf(0), half]), (b - y, [mpmath.mpf(0), half])
    return [left] * bool(a.is_finite) + [right] * bool(b.is_finite)


def _by_quadrature(law: Law, marks: list[float]) -> tuple[float, float] | None:
    """Tanh-sinh between the kinks and marks; None where the kinks cannot be solved for."""
    total, error = mpmath.mpf(0), mpmath.mpf(0)
    for piece in law.pieces or (law,):
        inner = borders(piece.density, piece.variable)
        if inner is None:
            return None
        lower, upper = piece.ends()
        near = [b for b in inner if lower < float(b) < upper]
        near += [sp.Rational(m) for m in marks if lower < m < upper]
        points = [piece.support[0], *sorted(set(near), key=float), piece.support[1]]
        try:
            constant, rest = piece.density.as_independent(piece.variable, as_Add=False)
            with mpmath.workdps(25):
                outside = mpmath.mpf(sp.N(constant, 30))
                for a, b in pairwise(points):
                    for image, reach in _halves(piece.variable, a, b) if float(b) > float(a) else ():
                        function = sp.lambdify(
                            piece.variable,
                            rest.subs(piece.variable, image),
                            modules=[{"exp": _exp}, "mpmath"],
                        )
                        value, doubt = mpmath.quad(function, reach, error=True, maxdegree=8)
                        total += outside * mpmath.mpf(mpmath.re(value))
                        error += abs(outside) * doubt
        except _TROUBLE:
            return None
    return (float(total), float(error)) if mpmath.isfinite(total) else None
