"""For which parameters which constraints are active: a strip for one parameter, a map for two."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import sympy as sp

from ....symbolic.arrays import Floats
from ....symbolic.programs.closed_form import Case, excesses
from ....symbolic.programs.lifting import Lifting
from ....symbolic.programs.program import Program
from ....symbolic.programs.real_form import real_form
from ....symbolic.programs.smooth_form import smooth_form
from ....symbolic.proof.apart import UnfinishedError, apart
from .plane import Area, At, Curve, Plane, numeric, rings_of, span

_GRID, _FINE = 121, 721


def active_equations(program: Program, cases: Sequence[Case]) -> list[list[str]]:
    """For each case what holds with equality, in the symbols of the program: constraints, and the branch of a term with a kink."""
    if not cases:
        return []
    form = smooth_form(real_form(program)[0])
    rows = excesses(form)
    return [list(dict.fromkeys(_equations([rows[k] for k in case.active], form.lifting))) for case in cases]


def _equations(active: Sequence[sp.Expr], lifting: Lifting) -> Iterator[str]:
    """Excesses that vanish as equations; where two branches of one term meet, these are equal."""
    auxiliary, tight = {t for t, _ in lifting.terms}, set(lifting.equal)
    sides: dict[sp.Expr, tuple[sp.Expr, sp.Expr, sp.Expr]] = {}
    for t, term in lifting.terms:
        whole = lifting.restored(term)
        kink = isinstance(whole, sp.Max | sp.Min)
        branches = (whole.args[0], -whole.args[0]) if isinstance(whole, sp.Abs) else whole.args * kink
        sides |= {sign * (side - whole): (t, whole, side) for side in branches for sign in (1, -1)}
    found = [(e.free_symbols & auxiliary, lifting.restored(e)) for e in active]
    for _ in auxiliary:  # a variable has the value of its term only where one of its bounds is reached
        for names, e in found:
            owner = {sides[e][0]} if e in sides else names if e == 0 else set()
            tight |= owner if names - owner <= tight else set()
    met: dict[sp.Expr, list[sp.Expr]] = {}
    for names, e in found:
        if e in sides and names <= tight:
            met.setdefault(sides[e][1], []).append(sides[e][2])
        elif e != 0 and names <= tight:
            yield _equation(e)
    for whole, (side, *others) in met.items():
        yield from (_equation(sp.expand(side - other).as_content_primitive()[1]) for other in others)
        if not others:
            yield f"{sp.sstr(whole)} = {sp.sstr(side)}"


def _equation(excess: sp.Expr) -> str:
    """An excess that vanishes, as it is read most easily: x = 0 rather than -x = 0."""
    plain = -excess if excess.could_extract_minus_sign() else excess
    positive = [t for t in sp.Add.make_args(plain) if not t.could_extract_minus_sign()]
    left = sp.Add(*positive)
    return f"{sp.sstr(left)} = {sp.sstr(left - plain)}"


def region_pictures(program: Program, cases: Sequence[Case], at: At) -> list[Plane]:
    """The picture of a program that was solved by cases of one or more parameters; empty where nothing can be drawn."""
    if not cases or not program.parameters:
        return []
    named = [", ".join(found) or "no constraint active" for found in active_equations(program, cases)]
    try:
        draw = _strip if len(program.parameters) == 1 else _map
        return apart(lambda: list(draw(program, cases, named, at)), "the regions")
    except (UnfinishedError, ArithmeticError, ValueError, TypeError, NameError, NotImplementedError):
        return []


def _ends(program: Program, symbol: sp.Symbol, at: At) -> tuple[float, float]:
    lower, upper = dict(program.domain.ends)[symbol]
    return span(lower, upper, float(at[symbol]))


def _strip(program: Program, cases: Sequence[Case], named: Sequence[str], at: At) -> Iterator[Plane]:
    """The minimiser over the one parameter, on bands of the cases."""
    p = program.parameters[0]
    low, high = _ends(program, p, at)
    x = np.linspace(low, high, _FINE)
    inside = [numeric(case.conditions, [p])(x) for case in cases]
    curves = []
    for v in program.variables:
        y = np.full(x.shape, np.nan)
        for case, level in zip(cases, inside, strict=True):
            value = np.asarray(sp.lambdify([p], case.minimiser[v], "numpy")(x), dtype=float) + np.zeros(
                x.shape
            )
            y = np.where((level >= 0) & np.isnan(y), value, y)
        kept = np.isfinite(y)
        curves.append(Curve(v.name, tuple(x[kept].tolist()), tuple(y[kept].tolist())))
    heights = [h for c in curves for h in c.y] or [0.0, 1.0]
    margin = 0.08 * (max(heights) - min(heights)) or 1.0
    y_ends = min(heights) - margin, max(heights) + margin
    areas = [
        Area(name, tuple(_band(a, b, y_ends) for a, b in _runs(x, level)))
        for name, level in zip(named, inside, strict=True)
    ]
    word = "minimiser" if program.sign == 1 else "maximiser"
    yield Plane(
        "regions",
        f"The {word}, and which constraints are active",
        p.name,
        word,
        (low, high),
        y_ends,
        tuple(areas),
        tuple(curves),
    )


def _band(a: float, b: float, y: tuple[float, float]) -> tuple[tuple[float, float], ...]:
    return ((a, y[0]), (b, y[0]), (b, y[1]), (a, y[1]))


def _runs(x: Floats, level: Floats) -> list[tuple[float, float]]:
    """Intervals on which the level is at least 0, their ends between two places in proportion."""
    runs: list[tuple[float, float]] = []
    start: float | None = None
    for i, here in enumerate(level >= 0):
        if here and start is None:
            start = x[0] if i == 0 else _crossing(x, level, i)
        if not here and start is not None:
            runs.append((float(start), float(_crossing(x, level, i))))
            start = None
    return [*runs, (float(start), float(x[-1]))] if start is not None else runs


def _crossing(x: Floats, level: Floats, i: int) -> float:
    a, b = float(level[i - 1]), float(level[i])
    share = a / (a - b) if np.isfinite(a) and np.isfinite(b) and a != b else 0.5
    return float(x[i - 1] + share * (x[i] - x[i - 1]))


def _map(program: Program, cases: Sequence[Case], named: Sequence[str], at: At) -> Iterator[Plane]:
    """The regions over the first two parameters, the others at their values."""
    p, q, *others = program.parameters
    fixed = {s: at[s] for s in others}
    (x_low, x_high), (y_low, y_high) = _ends(program, p, at), _ends(program, q, at)
    x, y = np.linspace(x_low, x_high, _GRID), np.linspace(y_low, y_high, _GRID)
    grid = np.meshgrid(x, y)
    areas = []
    for name, case in zip(named, cases, strict=True):
        level = numeric([c.subs(fixed) for c in case.conditions], [p, q])(*grid)
        if rings := rings_of(level, x, y):
            areas.append(Area(name, rings))
    here = Curve(f"{p} = {at[p]}, {q} = {at[q]}", (float(at[p]),), (float(at[q]),), True)
    beside = f" at {', '.join(f'{s} = {v}' for s, v in fixed.items())}" if fixed else ""
    yield Plane(
        "regions",
        f"Which constraints are active{beside}",
        p.name,
        q.name,
        (x_low, x_high),
        (y_low, y_high),
        tuple(areas),
        (here,),
    )
