"""The dual in one or two multipliers: its function, where it is a bound, and its best value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp

from ....symbolic.arrays import Floats
from ....symbolic.programs.constraints import PSD
from ....symbolic.programs.dual import Dual
from ....symbolic.proof.apart import UnfinishedError, apart
from ...record.evidence import Line, Series
from .plane import Area, At, Curve, Pictures, Plane, levels_of, numeric, rings_of

NOTHING = Pictures()
_POINTS, _GRID, _MOST = 161, 101, 8


@dataclass(frozen=True)
class _Reduced:
    """The dual function of the multipliers that its equations leave free, and what must not be negative."""

    function: sp.Expr
    free: tuple[sp.Symbol, ...]
    needs: tuple[sp.Expr, ...]


def dual_pictures(found: Dual, at: At) -> Pictures:
    """The picture at these values of the parameters; nothing where it cannot be drawn."""
    try:
        return apart(lambda: _pictures(_reduced(found, at)), "the picture of the dual")
    except (
        UnfinishedError,
        ArithmeticError,
        ValueError,
        TypeError,
        NameError,
        NotImplementedError,
        IndexError,
    ):
        return NOTHING


def _reduced(found: Dual, at: At) -> _Reduced:
    """The equations of the dual, which are linear, express some multipliers by the others."""
    assert found.function is not None
    conditions = [c for c in found.constraints if not isinstance(c, PSD)]
    if len(conditions) < len(found.constraints):
        raise ValueError("a cone of matrices is not drawn")
    equations = [(c.lhs - c.rhs).subs(at) for c in conditions if isinstance(c, sp.Eq)]
    solved: Any = sp.solve(equations, list(reversed(found.multipliers)), dict=True) if equations else [{}]
    known = solved[0]
    free = tuple(m for m in found.multipliers if m not in known)
    needs = [
        (c.lhs - c.rhs if isinstance(c, sp.Ge | sp.Gt) else c.rhs - c.lhs).subs(at).subs(known)
        for c in conditions
        if not isinstance(c, sp.Eq)
    ]
    kept = [e for e in dict.fromkeys(map(sp.expand, needs)) if e.free_symbols]
    return _Reduced(found.function.subs(at).subs(known), free, tuple(kept))


def _pictures(dual: _Reduced) -> Pictures:
    if not 0 < len(dual.free) <= _MOST:
        return NOTHING
    best = _best(dual)
    if best is None:
        return NOTHING
    shown = dual.free if len(dual.free) <= 2 else _two(dual, best)
    fixed = {m: sp.Float(v) for m, v in zip(dual.free, best, strict=True) if m not in shown}
    point = [float(v) for m, v in zip(dual.free, best, strict=True) if m in shown]
    words = ", the other multipliers at their best values" if fixed else ""
    sliced = _Reduced(
        dual.function.subs(fixed),
        shown,
        tuple(e for e in (n.subs(fixed) for n in dual.needs) if e.free_symbols),
    )
    if len(shown) == 1:
        return Pictures((_line(sliced, point[0], words),))
    return Pictures(planes=(_plane(sliced, point, words),))


def _best(dual: _Reduced) -> Floats | None:
    """The best multipliers as floats: for a picture, not for a proof."""
    from scipy import optimize

    minimize: Any = optimize.minimize
    g, room = _value(dual), numeric(dual.needs, dual.free)
    sides = [sp.lambdify(list(dual.free), e, "numpy") for e in dual.needs]
    limits: Any = [{"type": "ineq", "fun": lambda m, f=f: float(np.real(f(*m)))} for f in sides]
    rng, found = np.random.default_rng(0), []
    drawn = np.vstack(
        [rng.exponential(1.0, (400, len(dual.free))), rng.normal(0.0, 1.0, (400, len(dual.free)))]
    )
    heights = np.where(room(*drawn.T) >= 0, g(*drawn.T), -np.inf)
    for start in drawn[np.argsort(-heights)[:4]]:
        with np.errstate(all="ignore"):
            made = minimize(
                lambda m: -min(max(float(g(*m)), -1e12), 1e12), start, method="SLSQP", constraints=limits
            )
        if np.isfinite(made.fun) and abs(made.fun) < 1e11 and float(room(*made.x)) > -1e-6:
            found.append((float(made.fun), made.x))
    return min(found, key=lambda pair: pair[0])[1] if found else None


def _value(dual: _Reduced) -> Callable[..., Floats]:
    return numeric([dual.function], dual.free)


def _two(dual: _Reduced, best: Floats) -> tuple[sp.Symbol, ...]:
    """The two multipliers on which most depends: the largest ones."""
    order = sorted(range(len(dual.free)), key=lambda k: -abs(float(best[k])))[:2]
    return tuple(dual.free[k] for k in sorted(order))


def _ends(dual: _Reduced, k: int, value: float) -> tuple[float, float]:
    """An axis around the best value, from zero where the multiplier must not be negative."""
    m = dual.free[k]
    size = max(abs(value), 0.5 * max(1.0, abs(value)))
    bounded = any(e == m for e in dual.needs)
    return (0.0 if bounded else value - 1.5 * size), value + 1.5 * size


def _line(dual: _Reduced, point: float, words: str) -> Series:
    low, high = _ends(dual, 0, point)
    x = np.linspace(low, high, _POINTS)
    y = _value(dual)(x)
    inside = numeric(dual.needs, dual.free)(x) >= -1e-12
    kept = np.isfinite(y) & inside
    if kept.sum() < 2:
        raise ValueError("nothing to draw")
    top = float(_value(dual)(np.array([point]))[0])
    ends = (float(x[kept][0]), float(x[kept][-1]))
    return Series(
        "dual",
        f"The dual function: every value is a lower bound{words}",
        _named(dual.free[0]),
        "bound",
        (
            Line("dual function", "law", tuple(x[kept].tolist()), tuple(y[kept].tolist())),
            Line("its best value", "claimed", ends, (top, top)),
        ),
    )


def _plane(dual: _Reduced, point: list[float], words: str) -> Plane:
    ends = [_ends(dual, k, point[k]) for k in (0, 1)]
    x, y = (np.linspace(*pair, _GRID) for pair in ends)
    grid = np.meshgrid(x, y)
    inside = numeric(dual.needs, dual.free)(*grid) if dual.needs else np.full(grid[0].shape, 1.0)
    values = _value(dual)(*grid)
    curves = [
        Curve(f"bound {height:.4g}", *_columns(ring))
        for height, rings in levels_of(values, inside, x, y)
        for ring in rings
    ]
    curves.append(Curve("the best multipliers", (point[0],), (point[1],), True))
    area = Area("where the dual function is a bound", rings_of(inside, x, y))
    return Plane(
        "dual",
        f"The dual function in two multipliers, by its level lines{words}",
        _named(dual.free[0]),
        _named(dual.free[1]),
        ends[0],
        ends[1],
        (area,) if area.rings else (),
        tuple(curves),
        "level lines of the bound",
    )


def _named(multiplier: sp.Symbol) -> str:
    """A multiplier as an axis calls it: mu_1 is μ1."""
    letter, _, rest = multiplier.name.partition("_")
    return f"{ {'mu': 'μ', 'nu': 'ν', 'gamma': 'γ'}.get(letter, letter) }{rest}"


def _columns(ring: Any) -> tuple[tuple[float, ...], tuple[float, ...]]:
    return tuple(p for p, _ in ring), tuple(q for _, q in ring)
