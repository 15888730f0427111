"""Minimisers of empirical risks in numbers, many data sets at once; a search for neighbours far apart; enclosures at exact data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp
from flint import arb

from ...arrays import Floats
from ...domains.box import Box
from ...domains.domain import Domain
from ...domains.exact import Block
from ...proof.enclosure import NotEnclosableError, enclose, rational
from ...proof.work import spend, spent, units_of
from ..answer import Dataset
from ..changes import Change
from ..records import intervals, record_of
from .risk_problem import RiskProblem

_HALVINGS, _NEWTON, _CANDIDATES, _ROUNDS, _POLISHED = 50, 40, 14, 60, 8
_WIDTHS = (sp.Rational(1, 10**10), sp.Rational(1, 10**7), sp.Rational(1, 10**5))


@dataclass(frozen=True)
class Solver:
    """Minimisers (m, p) of data sets (m, n, d) in floating point."""

    problem: RiskProblem
    width: float

    def __post_init__(self) -> None:
        symbols = [*self.problem.over, *self.problem.records]
        gradient = [sp.lambdify(symbols, g, "numpy") for g in self.problem.gradient]
        pull = [sp.lambdify(self.problem.over, g, "numpy") for g in self.problem.pull]
        object.__setattr__(self, "_gradient", gradient)
        object.__setattr__(self, "_pull", pull)

    def slope(self, theta: Floats, data: Floats) -> Floats:
        """The gradient (m, p) of the risk at theta (m, p)."""
        m, n, d = data.shape
        args = [theta[:, i : i + 1] for i in range(theta.shape[1])] + [data[:, :, j] for j in range(d)]
        mean = [np.broadcast_to(g(*args), (m, n)).mean(axis=1) for g in self._gradient]  # type: ignore[attr-defined]
        own = [np.broadcast_to(g(*theta.T), (m,)) for g in self._pull]  # type: ignore[attr-defined]
        return np.stack([a + b for a, b in zip(mean, own, strict=True)], axis=1)

    def __call__(self, data: Floats) -> Floats:
        with np.errstate(all="ignore"):
            return self._halved(data) if len(self.problem.over) == 1 else self._newton(data)

    def _halved(self, data: Floats) -> Floats:
        low, high = np.full((len(data), 1), -self.width), np.full((len(data), 1), self.width)
        for _ in range(_HALVINGS + max(int(np.log2(self.width)), 0)):
            middle = (low + high) / 2
            rising = self.slope(middle, data) > 0
            low, high = np.where(rising, low, middle), np.where(rising, middle, high)
        return np.asarray((low + high) / 2)

    def _newton(self, data: Floats) -> Floats:
        p = len(self.problem.over)
        theta = np.zeros((len(data), p))
        for _ in range(_NEWTON):
            slope = self.slope(theta, data)
            h = 1e-6
            columns = [
                (self.slope(theta + h * e, data) - self.slope(theta - h * e, data)) / (2 * h)
                for e in np.eye(p)
            ]
            step = np.linalg.solve(np.stack(columns, axis=2), slope[:, :, None])[:, :, 0]
            length = np.linalg.norm(step, axis=1, keepdims=True)
            theta = theta - step * np.minimum(1.0, 1.0 / np.maximum(length, 1e-300))
            if float(np.max(np.abs(step))) < 1e-13:
                break
        return theta


def farthest_data(
    problem: RiskProblem, domain: Domain, n: int, change: Change, width: float, effort: float
) -> list[tuple[Dataset, Dataset]]:
    """Neighbours whose minimisers are far apart, as exact data sets, the farthest first."""
    rng = np.random.default_rng(0)
    solver, deadline = Solver(problem, width), spent() + units_of(effort)
    marks = _marks(domain, rng)
    k, shared = change.most, n - (change.most if change.kind == "replace" else 0)
    d = marks.shape[1]

    def sides(batch: Floats) -> tuple[Floats, Floats]:
        rest, u, v = batch[:, :shared], batch[:, shared : shared + k], batch[:, shared + k :]
        one = np.concatenate([rest, u], axis=1) if change.kind == "replace" else rest
        return one, np.concatenate([rest, v], axis=1)

    def apart(batch: Floats) -> Floats:
        spend(batch.size)
        one, two = sides(batch)
        gaps = np.linalg.norm(solver(one) - solver(two), axis=1) if one.shape[1] else np.zeros(len(batch))
        return np.where(np.isfinite(gaps), gaps, 0.0)

    batch = _starts(marks, shared, k, rng)
    here = apart(batch)
    order = np.argsort(-here)[:40]
    batch, here = batch[order], here[order]
    step = np.full(len(batch), 0.3)
    low, high = (np.array([float(x) for x in side]) for side in zip(*intervals(domain), strict=True))
    for _ in range(_ROUNDS):
        if spent() > deadline:
            break
        moved = batch + step[:, None, None] * (high - low) * rng.normal(size=batch.shape) * (
            rng.random(batch.shape) < 0.3
        )
        near = (
            domain.nearest(moved.reshape(-1, d)).reshape(batch.shape) if isinstance(domain, Block) else moved
        )
        found = apart(near)
        better = found > here
        batch[better], here[better] = near[better], found[better]
        step = np.clip(np.where(better, step * 1.5, step * 0.85), 1e-6, 0.5)
    chosen = [batch[i] for i in np.argsort(-here)[:3]]
    if isinstance(domain, Box) and not domain.integer:
        tops = [batch[i] for i in np.argsort(-here)[:_POLISHED]]
        chosen = [*_polished(apart, tops, low, high, deadline), *chosen]

    def exact(side: Floats) -> Dataset:
        return tuple(_exact(domain, row, low, high) for row in side[0])

    found_pairs = (sides(c[None]) for c in chosen)
    return [(exact(one), exact(two)) for one, two in found_pairs]


def _polished(
    apart: Callable[[Floats], Floats], tops: list[Floats], low: Floats, high: Floats, deadline: int
) -> list[Floats]:
    """Local searches with slopes from the best of the random ones, the farthest pair first."""
    from scipy.optimize import minimize

    done: list[tuple[float, Floats]] = []
    for top in tops:
        if spent() > deadline:
            break
        rows = top.size // len(low)
        bottom, ceiling = np.tile(low, rows), np.tile(high, rows)
        found: Any = minimize(
            _minus(apart, top.shape),
            top.ravel(),
            method="L-BFGS-B",
            bounds=list(zip(bottom.tolist(), ceiling.tolist(), strict=True)),
            options={"maxiter": 60},
        )
        done.append((float(found.fun), np.clip(found.x, bottom, ceiling).reshape(top.shape)))
    return [x for _, x in sorted(done, key=lambda pair: pair[0])[:2]]


def _minus(apart: Callable[[Floats], Floats], shape: tuple[int, ...]) -> Callable[[Floats], float]:
    return lambda x: -float(apart(x.reshape(1, *shape))[0])


def _marks(domain: Domain, rng: np.random.Generator) -> Floats:
    """Corners, the middle, and the origin, (m, d)."""
    found = [domain.vector(r) for r in domain.landmarks(rng, _CANDIDATES)]  # type: ignore[attr-defined]
    return np.array(list(found))


def _starts(marks: Floats, shared: int, k: int, rng: np.random.Generator) -> Floats:
    """Shared records that are copies of one, of two, or any; those that change are copies of one each."""
    m = len(marks)
    rows = []
    for i in range(m):
        for j in range(m):
            u, v = rng.integers(m, size=2)
            half = shared // 2
            rows.append([*[i] * half, *[j] * (shared - half), *[u] * k, *[v] * k])
    for _ in range(1500):
        u, v = rng.integers(m, size=2)
        rows.append([*rng.integers(m, size=shared), *[u] * k, *[v] * k])
    for i in range(m):
        for u in range(m):
            rows += [[*[i] * shared, *[u] * k, *[v] * k] for v in range(u)]
    return marks[np.array(rows)]


def _exact(domain: Domain, row: Floats, low: Floats, high: Floats) -> Any:
    """The row as an exact record, on the border where it is as good as on it."""
    snapped = np.where(
        abs(row - low) < 1e-4 * (high - low), low, np.where(abs(row - high) < 1e-4 * (high - low), high, row)
    )
    middle = (low + high) / 2
    snapped = np.where(abs(snapped - middle) < 1e-4 * (high - low), middle, snapped)
    if isinstance(domain, Box):
        ends = intervals(domain)
        exact = [rational(float(round(float(x), 9 if not domain.integer else 0))) for x in snapped]
        return record_of(
            domain, tuple(min(max(sp.Rational(x), a), b) for x, (a, b) in zip(exact, ends, strict=True))
        )
    return record_of(domain, tuple(rational(x) for x in domain.rounded(domain.nearest(row))))  # type: ignore[attr-defined]


def slope_at(problem: RiskProblem, theta: tuple[sp.Rational, ...], dataset: Dataset) -> list[arb] | None:
    """Balls around a subgradient of the risk at exact numbers; None where there is no enclosure."""
    at = dict(zip(problem.over, theta, strict=True))
    try:
        balls = []
        for g, r in zip(problem.gradient, problem.pull, strict=True):
            terms = [enclose(g.subs({**at, **problem.named(z)})) for z in dataset]
            balls.append(sum(terms, arb(0)) / len(terms) + enclose(r.subs(at)))
        return balls
    except (NotEnclosableError, TypeError, ValueError):
        return None


@dataclass(frozen=True)
class Enclosed:
    """A minimiser within `error` of `centre`, in the Euclidean norm; exact where the error is zero."""

    centre: tuple[sp.Rational, ...]
    error: sp.Rational


def enclosed_minimiser(
    problem: RiskProblem, dataset: Dataset, width: float, modulus: sp.Rational
) -> Enclosed | None:
    """The minimiser at exact data: linear equations, signs of the slope beside it, or |theta - t| <= |slope(t)| / modulus."""
    if problem.hessian is not None and problem.ridge is not None:
        return Enclosed(_solved(problem, dataset), sp.Integer(0))
    data = np.array([[[float(x) for x in problem.named(z).values()] for z in dataset]])
    near = tuple(rational(float(f"{x:.13g}")) for x in Solver(problem, width)(data)[0])
    if len(near) == 1:
        return _between(problem, dataset, near[0])
    slope = slope_at(problem, near, dataset)
    if slope is None:
        return None
    size = sum((s * s for s in slope), arb(0)).sqrt().upper() / arb(int(modulus.p)) * arb(int(modulus.q))
    return Enclosed(near, _above(size))


def _between(problem: RiskProblem, dataset: Dataset, near: sp.Rational) -> Enclosed | None:
    simple = sp.Rational(near).limit_denominator(10**5)
    if _vanishes(problem, simple, dataset):
        return Enclosed((simple,), sp.Integer(0))
    for width in _WIDTHS:
        left, right = slope_at(problem, (near - width,), dataset), slope_at(problem, (near + width,), dataset)
        if left is not None and right is not None and left[0] < 0 < right[0]:
            return Enclosed((near,), width)
    return None


def _vanishes(problem: RiskProblem, theta: sp.Rational, dataset: Dataset) -> bool:
    """Whether the slope is a rational number at an exact point, and zero."""
    at = {problem.over[0]: theta}
    terms = [problem.gradient[0].subs({**at, **problem.named(z)}) for z in dataset]
    total = sp.Add(*terms) / len(terms) + problem.pull[0].subs(at)
    return bool(total.is_Rational and total == 0)


def _solved(problem: RiskProblem, dataset: Dataset) -> tuple[sp.Expr, ...]:
    zero = dict.fromkeys(problem.over, sp.Integer(0))
    hessian, slope = problem.ridge, sp.Matrix([r.subs(zero) for r in problem.pull])
    assert hessian is not None
    assert problem.hessian is not None
    for record in dataset:
        at = problem.named(record)
        hessian = hessian + problem.hessian.subs(at) / len(dataset)
        slope = slope + sp.Matrix([g.subs({**zero, **at}) for g in problem.gradient]) / len(dataset)
    return tuple(-x for x in hessian.LUsolve(slope))


def _above(ball: arb) -> sp.Rational:
    mantissa, exponent = ball.upper().man_exp()
    return sp.Rational(int(mantissa)) * sp.Integer(2) ** int(exponent)
