"""Curves of a model: its density, the scores of its parameters, and the information over each of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Literal

import numpy as np
import sympy as sp

from ....symbolic.arrays import Floats
from ....symbolic.information.model_information import FisherInformationMatrix
from ....symbolic.laws.law import Law
from ....symbolic.proof.apart import UnfinishedError, apart
from ...record.evidence import Line, Series
from ...trial.spec.model_file import ModelFile

_POINTS, _ENCLOSED, _FAR = 121, 17, 1000
_TAIL, _FINE = 0.004, 1e-6
Role = Literal["law", "bound", "measured", "attack", "claimed"]
_ROLES: tuple[Role, ...] = ("law", "bound", "measured", "attack", "claimed")
At = Mapping[sp.Symbol, sp.Expr]


def curves_of(model: ModelFile, found: FisherInformationMatrix | None, at: At) -> tuple[Series, ...]:
    """What can be drawn; a curve that cannot be computed is left out."""
    drawn: list[Series] = []
    makers: list[Callable[[], Iterator[Series]]] = []
    if isinstance(model.law, Law):
        law = model.law
        makers.append(lambda: _over_outcomes(law, found.parameters if found else (), at))
    if found is not None:
        makers.append(lambda: _over_parameters(model, found, at))
    for maker in makers:
        try:
            drawn += apart(partial(_all, maker), "the curves")
        except (UnfinishedError, ArithmeticError, ValueError, TypeError, NameError, NotImplementedError):
            continue
    return tuple(drawn)


def _all(maker: Callable[[], Iterator[Series]]) -> list[Series]:
    return list(maker())


def words_of(at: At) -> str:
    """The values of parameters in words: scale = 2, shape = 3/2."""
    return ", ".join(f"{s} = {v}" for s, v in at.items())


def _over_outcomes(law: Law, theta: Sequence[sp.Symbol], at: At) -> Iterator[Series]:
    fixed = law.at(dict(at)) if at else law
    x = _outcomes(fixed)
    where = f" at {words_of(at)}" if at else ""
    name = "mass" if law.discrete else "density"
    yield Series(
        "density",
        f"The {name}{where}",
        str(law.variable),
        name,
        (Line(name, "law", *_finite(x, np.asarray(fixed.pdf(x), dtype=float))),),
    )
    log = sp.log(law.density)
    lines = []
    for role, p in zip(_ROLES, theta, strict=False):
        score = sp.diff(log, p).subs(dict(at))
        values = [_number(score.subs(law.variable, sp.Float(float(v)))) for v in x]
        lines.append(Line(f"score of {p}", role, *_finite(x, np.array(values))))
    lines = [line for line in lines if len(line.x) > 1]
    if lines:
        yield Series(
            "score",
            f"The scores: how the log {name} moves with each parameter{where}",
            str(law.variable),
            "score",
            tuple(lines),
        )


def _outcomes(law: Law) -> Floats:
    """Places that hold nearly all of the mass."""
    if law.discrete and not math.isfinite(law.ends()[0]):
        # Without a first value there are no quantiles: whole numbers around zero that carry next to all of the mass.
        near = np.arange(-_FAR, _FAR + 1, dtype=float)
        mass = np.asarray(law.pdf(near), dtype=float)
        if mass.sum() < 1 - _TAIL:
            raise ValueError("the mass lies far from zero")
        return np.asarray(near[mass > 1e-4 * mass.max()])
    lower, upper = (float(v) for v in law.quantile(np.array([_TAIL, 1 - _TAIL])))
    if law.discrete:
        size = int(upper - lower) + 1
        return lower + np.arange(0, size, max(1, math.ceil(size / _POINTS)), dtype=float)
    return np.linspace(lower, upper, _POINTS)


def _over_parameters(model: ModelFile, found: FisherInformationMatrix, at: At) -> Iterator[Series]:
    for k, p in enumerate(found.parameters[: len(_ROLES)]):
        if p.is_integer:
            continue
        others = {s: v for s, v in at.items() if s != p}
        if found.value is not None:
            x = _around(model, p, float(at[p]), _POINTS)
            formula = found.value[k, k].subs(others)
            values = np.array([_number(formula.subs(p, sp.Float(v, 20))) for v in x])
        else:
            x, values = _enclosed(found, k, _around(model, p, float(at[p]), _ENCLOSED), {**others, p: at[p]})
        xs, ys = _finite(x, values)
        if len(xs) < 2:
            continue
        beside = f" at {words_of(others)}" if others else ""
        log: Literal["linear", "log"] = "log" if min(ys) > 0 and max(ys) > 50 * min(ys) else "linear"
        yield Series(
            f"information-{p}",
            f"The information about {p}{beside}",
            str(p),
            "information",
            (Line(f"information about {p}", "law", xs, ys),),
            y_scale=log,
        )


def _enclosed(found: FisherInformationMatrix, k: int, x: Floats, at: At) -> tuple[Floats, Floats]:
    """The information at these places, where it is enclosed."""
    p = found.parameters[k]
    return x, np.array([float(found.enclose({**at, p: float(v)}, _FINE)[k][k].mid()) for v in x])


def _around(model: ModelFile, p: sp.Symbol, value: float, points: int) -> Floats:
    """Values of a parameter inside of its domain, around the one that was given."""
    lower, upper = (float(e) for e in model.domains.get(p.name, (-sp.oo, sp.oo)))
    if math.isfinite(lower) and math.isfinite(upper):
        return lower + (upper - lower) * np.linspace(0.03, 0.97, points)
    if math.isfinite(lower):
        return lower + (value - lower) * np.geomspace(0.3, 3.0, points)
    if math.isfinite(upper):
        return upper - (upper - value) * np.geomspace(3.0, 0.3, points)
    return value + np.linspace(-3.0, 3.0, points)


def _number(value: sp.Expr) -> float:
    number = sp.N(value, 15)
    return float(number) if number.is_number and number.is_real else math.nan


def _finite(x: Floats, y: Floats) -> tuple[tuple[float, ...], tuple[float, ...]]:
    kept = np.isfinite(y)
    return tuple(x[kept].tolist()), tuple(y[kept].tolist())
