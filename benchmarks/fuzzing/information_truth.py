"""The Fisher information of a random law at a point, by quadrature of slopes and apart from that by distances of laws."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

import mpmath as mp
import sympy as sp

from .random_laws import RandomLaw, Y

_FAR = 10**4  # exponents beyond are cut off: mpmath would look for digits without end
_TERMS, _NEGLIGIBLE = 4000, mp.mpf(10) ** -40


def _exp(x: Any) -> Any:
    return mp.exp(min(mp.re(x), _FAR)) if mp.re(x) > -_FAR else mp.mpf(0)


_MODULES: list[Any] = [{"exp": _exp}, "mpmath"]


def information(one: RandomLaw, at: Mapping[sp.Symbol, sp.Rational]) -> mp.matrix | None:
    """The matrix by 25 digits of quadrature, or sums; None where two ways of cutting the line differ by more than 1e-10."""
    slopes = [
        _numeric(sp.diff(one.density, p).replace(sp.DiracDelta, lambda *_: 0).subs(at))
        for p in one.parameters
    ]
    density, k = _numeric(one.density.subs(at)), len(one.parameters)
    out = mp.zeros(k)
    for i in range(k):
        for j in range(i + 1):

            def product(y: Any, i: int = i, j: int = j) -> Any:
                height = density(y)
                return slopes[i](y) * slopes[j](y) / height if height else mp.mpf(0)

            found = [_total(one, product, at, cuts) for cuts in (1, 3)]
            if not abs(found[0] - found[1]) <= 1e-10 * (1 + abs(found[0])):
                return None
            out[i, j] = out[j, i] = found[0]
    return out


def moved_apart(one: RandomLaw, at: Mapping[sp.Symbol, sp.Rational], p: sp.Symbol, step: sp.Rational) -> Any:
    """4 / step^2 times the squared Hellinger distance of the laws on both sides: it tends to the information where that is finite."""
    sides = [{**at, p: at[p] + sign * step / 2} for sign in (1, -1)]
    densities = [_numeric(one.density.subs(side)) for side in sides]
    ends = [_ends(one, side) for side in sides]

    def gap(y: Any) -> Any:
        roots = [
            mp.sqrt(mp.re(f(y))) if lower < y < upper else mp.mpf(0)
            for f, (lower, upper) in zip(densities, ends, strict=True)
        ]
        return (roots[0] - roots[1]) ** 2

    marks = {m for side in sides for m in _marks(one, side)}
    with mp.workdps(25):
        return 4 / mp.mpf(sp.N(step, 25)) ** 2 * _between(gap, sorted(marks))


def _numeric(e: sp.Expr) -> Callable[[Any], Any]:
    return sp.lambdify(Y, e, modules=_MODULES)  # type: ignore[no-any-return]


def _number(e: sp.Expr) -> Any:
    return mp.mpf(sp.N(e, 40)) if e.is_finite else mp.inf * (1 if e is sp.oo else -1)


def _ends(one: RandomLaw, at: Mapping[sp.Symbol, sp.Rational]) -> tuple[Any, Any]:
    return _number(one.support[0].subs(at)), _number(one.support[1].subs(at))


def _marks(one: RandomLaw, at: Mapping[sp.Symbol, sp.Rational], cuts: int = 1) -> list[Any]:
    """The ends, the points that are not smooth, and a few more, in order."""
    lower, upper = _ends(one, at)
    inner = {_number(p.subs(at)) for p, _ in one.points}
    inner |= {mp.mpf(c) / 3 for c in ((0,) if cuts == 1 else (-7, -2, 1, 5))}
    return sorted({lower, upper, *(p for p in inner if lower < p < upper)})


def _total(one: RandomLaw, f: Callable[[Any], Any], at: Mapping[sp.Symbol, sp.Rational], cuts: int) -> Any:
    with mp.workdps(25):
        if not one.discrete:
            return _between(f, _marks(one, at, cuts))
        lower, upper = _ends(one, at)
        total, y = mp.mpf(0), lower
        while y <= upper and y < _TERMS:
            term = f(y)
            total, y = total + term, y + 1
            if y > 200 and abs(term) < _NEGLIGIBLE:
                break
        return total


def _between(f: Callable[[Any], Any], marks: list[Any]) -> Any:
    return mp.fsum(mp.re(mp.quad(f, [a, b])) for a, b in pairwise(marks))
