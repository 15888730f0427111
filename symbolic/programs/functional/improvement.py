"""A function with less than a candidate: the candidate moved a little in a direction that keeps all constraints, both values in balls."""

from __future__ import annotations

from dataclasses import dataclass

import sympy as sp
from flint import arb

from ...proof.enclosure import compare
from ...proof.exact_numbers import above, below
from ...proof.truth import Truth
from .integrals import closed_integral, integral_ball
from .stated_functional import StatedFunctional

_STEPS = tuple(sp.Rational(sign, size) for size in (4, 32, 256, 4096) for sign in (1, -1))


@dataclass(frozen=True)
class Improvement:
    """`function` is admissible and has at most `value`, the candidate at least `candidate_value`; `at` are the parameters' values."""

    function: sp.Expr
    value: float
    candidate_value: float
    at: dict[sp.Symbol, sp.Expr]

    def __str__(self) -> str:
        sign = "<" if self.value < self.candidate_value else ">"
        where = "".join(f", {k} = {v}" for k, v in self.at.items())
        return (
            f"a better function is {self.function}: {self.value:.9g} {sign} {self.candidate_value:.9g}{where}"
        )


def improvement(functional: StatedFunctional, candidate: sp.Expr) -> Improvement | None:
    """The first direction and step that certainly lowers the value; None if none of those tried does."""
    for scale in (sp.Integer(2), sp.Rational(1, 3), sp.Integer(7)):
        at = {p: scale + k if not p.is_negative else -scale - k for k, p in enumerate(functional.parameters)}
        found = _at(functional, candidate, at)
        if found is not None or not at:
            return found
    return None


def _at(f: StatedFunctional, candidate: sp.Expr, at: dict[sp.Symbol, sp.Expr]) -> Improvement | None:
    x = f.x
    low, high = (sp.sympify(end).subs(at) for end in (f.low, f.high))
    own = candidate.subs(at)
    integrand = f.integrand.subs(at)

    def value(function: sp.Expr) -> arb | None:
        return integral_ball(sp.simplify(f.at(integrand, function)), x, low, high, own if f.density else None)

    start = value(own)
    if start is None:
        return None
    for direction, size in directions(f, own, low, high, at):
        for step in _STEPS:
            # Positive functions are moved by themselves times something bounded: they stay positive.
            if f.positive and compare(abs(step) * size, "<", sp.Integer(1)) is not Truth.HOLDS:
                continue
            moved = sp.simplify(own + step * direction)
            found = value(moved)
            if found is not None and bool(found < start):
                shown = moved.xreplace({x: f.unknown.args[0]})
                pair = (above(found), below(start)) if f.sign == 1 else (-above(found), -below(start))
                return Improvement(shown, *pair, at)
    return None


def directions(
    f: StatedFunctional, own: sp.Expr, low: sp.Expr, high: sp.Expr, at: dict[sp.Symbol, sp.Expr]
) -> list[tuple[sp.Expr, sp.Expr]]:
    """Functions that vanish at fixed ends and on which all constraints' linear parts are 0, exactly, with the sum of their coefficients' sizes."""
    x, raw = f.x, _raw(f, own, low, high)
    rows = []
    for c in f.constraints:
        row = []
        for g in raw:
            linear = sp.diff(c.integrand, f.u) * g + sp.diff(c.integrand, f.slope) * sp.diff(g, x)
            found = closed_integral(linear.subs(at), x, low, high)
            if found is None:
                return []
            row.append(found)
        rows.append(row)
    if not rows:
        return [(g, sp.Integer(1)) for g in raw]
    kernel = sp.Matrix(rows).nullspace()
    return [(sp.Add(*(c * g for c, g in zip(v, raw, strict=True))), sp.Add(*map(sp.Abs, v))) for v in kernel]


def _raw(f: StatedFunctional, own: sp.Expr, low: sp.Expr, high: sp.Expr) -> list[sp.Expr]:
    x, count = f.x, len(f.constraints) + 3
    if low.is_finite and high.is_finite:
        s = (2 * x - low - high) / (high - low)
        base = [s**k for k in range(count)]
        if f.boundary and not f.positive:
            # What Wirtinger's inequality holds with equality for.
            start = low if len(f.boundary) == 2 or f.boundary[0][0] == f.low else high
            share = (x - start) / (high - low)
            wave = sp.sin(sp.pi * share / (1 if len(f.boundary) == 2 else 2))
            return [*_at_ends(f, base), wave]
    else:
        away = x**2 if low.is_infinite and high.is_infinite else x - low if low.is_finite else high - x
        base = [sp.exp(-k * away) for k in range(count)]
    if f.positive:
        return [own * b for b in base]
    return _at_ends(f, base)


def _at_ends(f: StatedFunctional, base: list[sp.Expr]) -> list[sp.Expr]:
    ends = sp.Mul(*(f.x - end for end, _ in f.boundary)) if f.boundary else sp.Integer(1)
    return [ends * b for b in base]
