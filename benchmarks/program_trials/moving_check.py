"""Derivatives of minimisers by finite differences of minimisers that Newton's method finds to fifty digits (mpmath)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, combinations

import mpmath as mp
import numpy as np
import sympy as sp

from program_trials import numbers
from program_trials.moving import MOVING, Moving
from program_trials.numbers import Numeric
from program_trials.program import symbols_of
from program_trials.smooth import Piece, Smooth, smooth

DIGITS, STEP = 50, mp.mpf(10) ** -12
Said = tuple[bool, str]


def moving_rows() -> Iterator[tuple[str, list[Said]]]:
    mp.mp.dps = DIGITS
    for moving in MOVING:
        yield f"{moving.program.name}, {moving.parameter} = {moving.at}", list(_compared(moving))


def _compared(moving: Moving) -> Iterator[Said]:
    program = moving.program
    at = {moving.parameter: sp.sympify(moving.at)}
    form = smooth(program, at)
    point = form.point(tuple(sp.sympify(e) for e in program.minimisers[0]))
    best, _ = numbers.least(Numeric(form), np.random.default_rng(5))
    here = float(form.objective.subs(dict(zip(form.variables, point, strict=True))))
    yield abs(best - here) < 1e-7, f"value {here:.9g}, least found {best:.9g}"
    centre = [mp.mpf(str(sp.N(e, DIGITS + 5))) for e in point]
    if moving.derivative:
        found = _central(moving, centre)
        given = [mp.mpf(str(sp.N(sp.sympify(d), DIGITS))) for d in moving.derivative]
        gap = max(abs(a - b) for a, b in zip(found, given, strict=True))
        yield gap < mp.mpf(10) ** -15, f"differs from the difference quotient by {mp.nstr(gap, 2)}"
        return
    assert moving.sides is not None
    for sign, side in zip((-1, 1), moving.sides, strict=True):
        yield _one_side(moving, centre, sign, side)


def _central(moving: Moving, centre: list[mp.mpf]) -> list[mp.mpf]:
    """Richardson's quotient, of fourth order: its error at this step lies far below the bound."""
    own = len(moving.derivative)
    ends = {k: minimiser(moving, centre, k * STEP)[:own] for k in (-2, -1, 1, 2)}
    return [
        (8 * (p - m) - (pp - mm)) / (12 * STEP)
        for mm, m, p, pp in zip(ends[-2], ends[-1], ends[1], ends[2], strict=True)
    ]


def _one_side(moving: Moving, centre: list[mp.mpf], sign: int, side: tuple[str, ...]) -> Said:
    own = len(side)
    near, nearer = (
        [
            (a - b) / (sign * h)
            for a, b in zip(minimiser(moving, centre, sign * h)[:own], centre, strict=False)
        ]
        for h in (STEP, STEP / 1000)
    )
    if side in (("oo",), ("",)):
        grows = abs(nearer[0] / near[0])
        jump = abs(nearer[0] * STEP / 1000)
        # A jump makes quotients grow a thousandfold, a cube root a hundredfold.
        good = grows > 50 and (jump > 0.5) == (side == ("",))
        return bool(good), f"quotient grows {mp.nstr(grows, 5)}-fold, step {mp.nstr(jump, 3)}"
    gap = max(abs(q - mp.mpf(s)) for q, s in zip(near, side, strict=True))
    return gap < mp.mpf(
        10
    ) ** -9, f"from {'left' if sign < 0 else 'right'} {', '.join(mp.nstr(q, 6) for q in near)}"


def minimiser(moving: Moving, centre: list[mp.mpf], step: mp.mpf) -> list[mp.mpf]:
    """The KKT point near the centre for the parameter moved by `step`: the program is convex, so that it is a minimiser."""
    program = moving.program
    parameter = symbols_of(program)[moving.parameter]
    marked = smooth(program, {moving.parameter: parameter})
    value = mp.mpf(str(sp.N(sp.sympify(moving.at), DIGITS + 5))) + step
    near = [p for p in marked.below if abs(_number(p.excess, marked, centre, parameter, value - step)) < 1e-9]
    far = [p for p in marked.below if p not in near]
    if program.unique is None:
        near, far = list(marked.below), []
    subsets = chain.from_iterable(combinations(near, k) for k in range(len(near), -1, -1))
    for subset in subsets:
        found = _newton(marked, list(subset), centre, parameter, value)
        if found is None:
            continue
        x, weights = found[: len(centre)], found[len(centre) : len(centre) + len(subset)]
        excess = [_number(p.excess, marked, x, parameter, value) for p in (*near, *far)]
        if (
            min([*weights, mp.mpf(0)]) > -(mp.mpf(10) ** -30)
            and max([*excess, mp.mpf(0)]) < mp.mpf(10) ** -30
        ):
            return x
    raise ArithmeticError(f"{program.name}: no set of active constraints gives a KKT point")


def _number(
    expression: sp.Expr, form: Smooth, x: list[mp.mpf], parameter: sp.Symbol, value: mp.mpf
) -> mp.mpf:
    return mp.mpf(sp.lambdify((*form.variables, parameter), expression, "mpmath")(*x, value))


def _newton(
    form: Smooth, subset: list[Piece], centre: list[mp.mpf], parameter: sp.Symbol, value: mp.mpf
) -> list[mp.mpf] | None:
    """Newton's method on stationarity and the active equations; None where it is singular or leaves."""
    tight = [*subset, *form.equations]
    weights = sp.symbols(f"weight:{len(tight)}", real=True)
    lagrangian = form.objective + sum(w * p.excess for w, p in zip(weights, tight, strict=True))
    unknown = [*form.variables, *weights]
    system = [lagrangian.diff(v) for v in form.variables] + [p.excess for p in tight]
    made = sp.lambdify((*unknown, parameter), system, "mpmath")
    slopes = sp.lambdify((*unknown, parameter), sp.Matrix(system).jacobian(unknown), "mpmath")
    # Off the centre by a little, where a second derivative may vanish.
    nudge = mp.sign(value) * mp.mpf(10) ** -3 if not tight and len(centre) == 1 else mp.mpf(0)
    z = [*(c + nudge for c in centre), *(mp.mpf(0.1) for _ in tight)]
    for _ in range(60):
        try:
            step = mp.lu_solve(slopes(*z, value), mp.matrix([-e for e in made(*z, value)]))
        except (ZeroDivisionError, ValueError, TypeError):
            return None
        z = [a + b for a, b in zip(z, step, strict=True)]
        if not all(mp.isfinite(e) and mp.im(e) == 0 for e in z):
            return None
        if max(abs(s) for s in step) < mp.mpf(10) ** -45:
            return z
    return None
