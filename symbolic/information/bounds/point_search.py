"""Good points for a bound, found in floats: any admissible points give a valid bound, so nothing rests on this search."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import NDArray

from ...laws.countable import CountableLaw
from ...laws.domains import domain_points
from ...laws.finite import DiscreteLaw
from ...laws.law import Law
from .problem import Problem

Floats = NDArray[np.float64]
_LEVELS = (1e-13, 1e-10, 1e-7, 1e-5, 1e-4, 1e-3, 0.01, 0.03, 0.07, 0.15, 0.25, 0.35, 0.5)
_NODES, _MOST, _WHOLE, _TAIL = 24, 20_000, 40, 1e-3
_STEPS = tuple(2.0**k for k in range(-7, 4))
_SHARES = (1 / 64, 1 / 16, 1 / 8, 1 / 4, 3 / 8, 1 / 2, 5 / 8, 3 / 4, 7 / 8, 1.0, 1.5, 2.5, 4.0)


@dataclass(frozen=True)
class Candidate:
    """Offsets from the parameters, one tuple for each point; `nearest` if the search ended next to the parameter."""

    points: tuple[tuple[sp.Expr, ...], ...]
    nearest: bool = False


@dataclass(frozen=True)
class Objective:
    """The trace of the bound in floats, as a function of the offsets (points, k); -inf where it is none."""

    theta: Sequence[sp.Symbol]
    centre: Floats
    nodes: Floats
    weights: Floats
    log_density: Callable[..., Any]
    ends: Callable[..., Any]
    mean: Callable[..., Any]
    observations: int
    marks: Floats | None
    domains: Sequence[tuple[float, float]]
    nearest: float
    spread: float

    def __call__(self, offsets: Floats) -> float:
        places = np.atleast_2d(offsets) + self.centre
        if np.min(np.max(np.abs(np.atleast_2d(offsets)), axis=1)) < self.nearest:
            return -math.inf
        with np.errstate(all="ignore"):
            try:
                return self._value(places)
            except (ArithmeticError, ValueError, TypeError, np.linalg.LinAlgError):
                return -math.inf

    def _value(self, places: Floats) -> float:
        low, high = self.ends(*self.centre)
        nodes, weights = self._cut([e for p in places for e in self.ends(*p)])
        home = self.log_density(nodes, *self.centre)
        ratios = []
        for place in places:
            if not all(map(_admitted, self.theta, place, self.domains)):
                return -math.inf
            a, b = self.ends(*place)
            if a < low - 1e-12 or b > high + 1e-12:
                return -math.inf
            logs = np.broadcast_to(np.asarray(self.log_density(nodes, *place), dtype=float), nodes.shape)
            inside = (nodes >= a) & (nodes <= b)
            if np.any(np.isnan(logs[inside])):
                return -math.inf
            ratios.append(np.where(inside, logs, -np.inf))
        r = len(places)
        middle = np.empty((r, r))
        for i in range(r):
            for j in range(i + 1):
                terms = weights * np.exp(ratios[i] + ratios[j] - home)
                total = float(np.sum(terms))
                far = [terms[:_NODES]] * math.isinf(low) + [terms[-_NODES:]] * math.isinf(high)
                infinite = len(terms) > 4 * _NODES and any(float(np.sum(e)) > _TAIL * total for e in far)
                if infinite or not np.isfinite(total):
                    return -math.inf
                middle[i, j] = middle[j, i] = np.expm1(self.observations * math.log(max(total, 1e-300)))
        gaps = np.array([self.mean(*p) for p in places]) - np.array(self.mean(*self.centre))
        eigen = np.linalg.eigvalsh(middle)
        if eigen[0] <= 1e-6 * max(eigen[-1], 1e-300):
            return -math.inf
        value = float(np.trace(gaps.T @ np.linalg.solve(middle, gaps)))
        return value if np.isfinite(value) else -math.inf

    def _cut(self, ends: list[float]) -> tuple[Floats, Floats]:
        """Nodes and weights, with the panels of a density cut where a support ends inside of them."""
        if self.marks is None:
            return self.nodes, self.weights
        new = [
            e for e in ends if self.marks[0] < e < self.marks[-1] and np.min(np.abs(self.marks - e)) > 1e-12
        ]
        return _panels(np.sort(np.concatenate([self.marks, new]))) if new else (self.nodes, self.weights)


def searched(problem: Problem, count: int) -> list[Candidate]:
    """Candidates, the best first: exact rationals at a value of the parameters, multiples of positive parameters if they are symbols."""
    law = problem.law
    assert isinstance(law, Law)
    centre = dict(problem.at) or domain_points(law.free_symbols, law.domains, 1)[0]
    objective = _objective(problem, law, centre)
    singles = [] if objective is None else _singles(problem, objective)
    if objective is None or not singles:
        return []
    found = singles if count == 1 else _several(objective, singles, count)
    found.sort(key=lambda pair: -pair[0])
    smallest = min((float(np.max(np.abs(p))) for _, p in singles), default=0.0)
    return [
        Candidate(_exact(problem, centre, objective, p), bool(np.max(np.abs(p)) <= 3 * smallest))
        for _, p in found[:12]
    ]


def _objective(problem: Problem, law: Law, centre: dict[sp.Symbol, sp.Expr]) -> Objective | None:
    theta = list(problem.parameters)
    nuisance = {s: v for s, v in centre.items() if s not in theta}
    fixed = law.map(lambda e: e.subs(nuisance))
    found = None
    # A table of a density with heavy tails may not reach as far as others.
    for first in (0, 3, 5):
        with suppress(ValueError, ArithmeticError, TypeError):
            found = _nodes(fixed.at({p: centre[p] for p in theta}), _LEVELS[first:])
            break
    if found is None and not fixed.discrete:
        low, high = fixed.at({p: centre[p] for p in theta}).ends()
        middles = {0.0, *(float(centre[p]) for p in theta)}
        grid = np.unique([c + s * 2.0**k for c in middles for k in range(-6, 41) for s in (-1, 0, 1)])
        grid = np.unique([*grid[(grid > low) & (grid < high)], *(e for e in (low, high) if math.isfinite(e))])
        found = (*_panels(grid), grid)
    if found is None:
        return None
    nodes, weights, marks = found
    if isinstance(fixed, DiscreteLaw):
        density = sp.Piecewise(
            *((sp.log(p), sp.Eq(fixed.variable, i)) for i, p in enumerate(fixed.probabilities))
        )
    else:
        density = fixed.log_density()
    modules = ["numpy", "scipy"]
    middle = np.array([float(centre[p]) for p in theta])
    log_density = sp.lambdify([fixed.variable, *theta], density, modules)
    spread = spread_of(nodes, weights * np.exp(np.broadcast_to(log_density(nodes, *middle), nodes.shape)))
    return Objective(
        theta,
        middle,
        nodes,
        weights,
        log_density,
        sp.lambdify(theta, list(fixed.support), modules),
        sp.lambdify(theta, [e.subs(nuisance) for e in problem.mean], modules),
        problem.observations,
        marks,
        [_domain(law, p, centre) for p in theta],
        0.9 * _STEPS[0] * spread / math.sqrt(problem.observations),
        spread,
    )


def _domain(law: Law, symbol: sp.Symbol, centre: dict[sp.Symbol, sp.Expr]) -> tuple[float, float]:
    for s, low, high in law.domains:
        if s == symbol:
            return float(low.subs(centre)), float(high.subs(centre))
    return -math.inf, math.inf


def spread_of(nodes: Floats, masses: Floats) -> float:
    """About the width of a law, by the nodes of its integrals and the mass at each."""
    with np.errstate(all="ignore"):
        total = np.nancumsum(masses)
    low, high = (
        float(nodes[min(int(np.searchsorted(total, q * total[-1])), len(nodes) - 1)]) for q in (0.25, 0.75)
    )
    return high - low or 1.0


def _nodes(law: Law, levels_below: Sequence[float]) -> tuple[Floats, Floats, Floats | None]:
    """Points and weights of an integral over the law, and the ends of its panels if it has a density."""
    if isinstance(law, DiscreteLaw):
        return np.arange(len(law.values), dtype=float), np.ones(len(law.values)), None
    levels = np.array(levels_below)
    marks = np.unique(np.concatenate([law.quantile(levels), law.quantile(1 - levels)]))
    marks = marks[np.isfinite(marks)]
    if isinstance(law, CountableLaw):
        low, high = int(marks[0]), int(min(marks[-1], marks[0] + _MOST))
        nodes = np.arange(low, high + 1, dtype=float)
        return nodes, np.ones(len(nodes)), None
    ends = [float(e) for e in law.support if e.is_finite]
    marks = np.unique(np.concatenate([marks, ends]))
    marks = marks[np.concatenate([[True], np.diff(marks) > 1e-12 * (1 + np.abs(marks[1:]))])]
    return (*_panels(marks), marks)


def _panels(marks: Floats) -> tuple[Floats, Floats]:
    """Gauss nodes and weights between neighbouring marks."""
    x, w = np.polynomial.legendre.leggauss(_NODES)
    half, middle = np.diff(marks) / 2, (marks[1:] + marks[:-1]) / 2
    return (middle[:, None] + half[:, None] * x).ravel(), (half[:, None] * w).ravel()


def _admitted(symbol: sp.Symbol, value: float, domain: tuple[float, float]) -> bool:
    if not domain[0] < value < domain[1]:
        return False
    if (symbol.is_positive and not value > 0) or (symbol.is_nonnegative and value < 0):
        return False
    return not (symbol.is_integer and value != round(value))


def _singles(problem: Problem, objective: Objective) -> list[tuple[float, Floats]]:
    """Single points in each coordinate, and the best of them improved."""
    spread = objective.spread
    found: list[tuple[float, Floats]] = []
    k = len(objective.theta)
    for i, symbol in enumerate(objective.theta):
        size = abs(float(objective.centre[i]))
        if symbol.is_integer:
            sizes = [float(m) for m in range(1, _WHOLE + 1)]
        else:
            root = math.sqrt(objective.observations)
            sizes = [s * spread / root for s in _STEPS] + [c * (size or 1.0) for c in _SHARES]
        for h in sorted({*sizes}):
            for side in (h, -h):
                offset = np.zeros(k)
                offset[i] = side
                value = objective(offset)
                if value > -math.inf:
                    found.append((value, offset[None, :]))
    if found and not objective.theta[0].is_integer:
        best = max(found, key=lambda pair: pair[0])
        found.append(_improved(objective, best[1]))
    return found


def _improved(objective: Objective, start: Floats) -> tuple[float, Floats]:
    from scipy.optimize import minimize

    scale = np.where(start == 0, np.max(np.abs(start)) / 4, start)

    def loss(x: Floats) -> float:
        return min(-objective((x * scale.ravel()).reshape(start.shape)), 1e300)

    begin, most = np.asarray((start / scale).ravel(), dtype=np.float64), 120 * start.size
    done = minimize(loss, begin, method="Nelder-Mead", options={"maxfev": most, "xatol": 1e-4, "fatol": 1e-8})
    return -float(done.fun), (done.x * scale.ravel()).reshape(start.shape)


def _several(
    objective: Objective, singles: list[tuple[float, Floats]], count: int
) -> list[tuple[float, Floats]]:
    """Sets of several points: pairs of good single ones, improved together."""
    singles = sorted(singles, key=lambda pair: -pair[0])
    distinct: list[Floats] = []
    for _, p in singles:
        if all(np.max(np.abs(p - q)) > 0.1 * np.max(np.abs(p)) for q in distinct):
            distinct.append(p)
    sides = list(distinct[:8]) + [-p for p in distinct[:4]]
    found = []
    for group in itertools.combinations(sides, count):
        points = np.concatenate(group)
        value = objective(points)
        if value > -math.inf:
            found.append((value, points))
    found.sort(key=lambda pair: -pair[0])
    whole = any(p.is_integer for p in objective.theta)
    improved = [] if whole else [_improved(objective, p) for _, p in found[:2]]
    return [pair for pair in improved if pair[0] > -math.inf] + found


def _exact(
    problem: Problem, centre: dict[sp.Symbol, sp.Expr], objective: Objective, offsets: Floats
) -> tuple[tuple[sp.Expr, ...], ...]:
    """Simple rationals near the offsets that lose next to nothing; shares of positive parameters where these are symbols."""
    goal = objective(offsets)
    # Long fractions of symbols stand in exponents, where they are simplified without end.
    for digits in (8, 32, 128, 1024, 10**6)[: None if problem.at else 3]:
        scaled = offsets.copy()
        rows = []
        for r, row in enumerate(offsets):
            made = []
            for i, p in enumerate(problem.parameters):
                unit = centre[p] if p.is_positive and not p.is_integer else sp.Integer(1)
                near = Fraction(float(row[i]) / float(unit)).limit_denominator(digits)
                share = sp.Rational(near.numerator, near.denominator)
                scaled[r, i] = float(share * unit)
                made.append(
                    share * (unit if problem.at else (p if p.is_positive and not p.is_integer else 1))
                )
            rows.append(tuple(made))
        if np.all(np.any(scaled != 0, axis=1)) and objective(scaled) >= goal * (1 - 1e-3):
            break
    return tuple(rows)
