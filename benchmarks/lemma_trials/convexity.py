"""Lemmas on convex functions and their minima, at random points."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from .trial import Generator, at_most, equal, lemma

_DRAWS = 20


def _midpoints(rng: Generator, f: Callable[[np.ndarray], float], n: int = 3) -> Iterator[bool]:
    for _ in range(_DRAWS):
        a, b = rng.normal(size=n), rng.normal(size=n)
        yield at_most(f((a + b) / 2), (f(a) + f(b)) / 2)


@lemma(
    "a differentiable convex function lies above its tangents",
    "a convex function lies above its tangents",
    says="the logarithm of a sum of exponentials at 20 pairs of points",
    falsified="the sum of sines",
)
def tangents(rng: Generator, true: bool) -> Iterator[bool]:
    for _ in range(_DRAWS):
        p, q = rng.normal(size=3), rng.normal(size=3)
        if true:
            f, slope = (lambda x: np.log(np.exp(x).sum())), np.exp(p) / np.exp(p).sum()
        else:
            f, slope = (lambda x: np.sin(x).sum()), np.cos(p)
        yield at_most(f(p) + slope @ (q - p), f(q))


@lemma(
    "a supremum of affine functions is convex",
    "a largest of linear terms is convex",
    says="midpoints of the largest of five affine functions, and of a sum of two such",
    falsified="of the smallest",
)
def suprema(rng: Generator, true: bool) -> Iterator[bool]:
    slopes, ends = rng.normal(size=(5, 3)), rng.normal(size=5)
    pick = np.max if true else np.min
    yield from _midpoints(rng, lambda x: float(pick(slopes @ x + ends)))
    yield from _midpoints(rng, lambda x: float(pick(slopes @ x + ends) + pick(-slopes @ x)))


@lemma(
    "a convex function of s stays one",
    says="midpoints of s^4 + exp(s), s linear in three numbers, and of sums with linear terms",
    falsified="of s = a product of the numbers",
)
def composed_with_linear(rng: Generator, true: bool) -> Iterator[bool]:
    a = rng.normal(size=3)

    def f(x: np.ndarray) -> float:
        s = a @ x if true else 3 * x[0] * x[1]
        return float(s**4 + np.exp(s) + x[2])

    yield from _midpoints(rng, f)


@lemma(
    "a function on the line that is continuously differentiable",
    says="midpoints of integrals of slopes that never fall: x|x|/2 and the integral of tanh",
    falsified="the integral of sin",
)
def growing_slopes(rng: Generator, true: bool) -> Iterator[bool]:
    for f in (lambda x: max(x, 0) ** 2 / 2, lambda x: np.log(np.cosh(x)) if true else -np.cos(3 * x)):
        yield from _midpoints(rng, lambda x, f=f: float(f(x[0])), 1)


@lemma(
    "Phi^* minimises J and Phi^p minimises J_p",
    "a minimiser over a convex set has no negative slope",
    says="quadratic functions on [0, 1]: the minimiser against the midpoint with another, and slopes towards other points",
    falsified="a point beside the minimiser",
)
def minimisers(rng: Generator, true: bool) -> Iterator[bool]:
    for centre, other in rng.uniform(-0.5, 1.5, size=(_DRAWS, 2)):
        best, far = np.clip([centre, other], 0, 1)
        best = best if true else np.clip(1 - best, 0, 1)
        yield at_most((best - centre) ** 2, ((best + far) / 2 - centre) ** 2)
        yield all(2 * (best - centre) * (x - best) >= -1e-12 for x in np.linspace(0, 1, 11))


@lemma(
    "a convex program with affine constraints",
    says="the least norm under A x = b from the conditions with multipliers, against 20 feasible points",
    falsified="the wrong sign of the multipliers",
)
def affine_constraints(rng: Generator, true: bool) -> Iterator[bool]:
    a, b = rng.normal(size=(2, 4)), rng.normal(size=2)
    sign = 1 if true else -1
    system = np.block([[np.eye(4), -sign * a.T], [a, np.zeros((2, 2))]])
    if not true:
        system[4:, :4] = -a
    x = np.linalg.solve(system, np.concatenate([np.zeros(4), b]))[:4]
    kernel = np.eye(4) - np.linalg.pinv(a) @ a
    yield equal(a @ x, b, 1e-7)
    for _ in range(_DRAWS):
        yield at_most(x @ x, float(np.sum((x + kernel @ rng.normal(size=4)) ** 2)))


@lemma(
    "the other terms and the constraint are linear in gamma",
    says="means under mixtures of two densities are mixtures of means, and a mixture is a density",
    falsified="the integral of the square of the density",
)
def mixtures(rng: Generator, true: bool) -> Iterator[bool]:
    for t in rng.uniform(0, 1, _DRAWS):
        p, q, cost = rng.dirichlet(np.ones(6)), rng.dirichlet(np.ones(6)), rng.normal(size=6)
        mixed = t * p + (1 - t) * q

        def of(law: np.ndarray, cost: np.ndarray = cost) -> float:
            return float(cost @ law if true else (law**2).sum())

        yield (
            equal(mixed.sum(), 1.0)
            and bool(np.all(mixed >= 0))
            and equal(of(mixed), t * of(p) + (1 - t) * of(q), 1e-7)
        )


@lemma(
    "l with curvature at least mu",
    says="mu |b - a| <= |l'(b) - l'(a)| for l' = mu phi + phi^3, and for l' = mu phi, where it is an equality",
    falsified="1.01 mu",
)
def strong_monotonicity(rng: Generator, true: bool) -> Iterator[bool]:
    for k, (a, b) in enumerate(rng.normal(size=(_DRAWS, 2))):
        mu, cubic = rng.uniform(0.1, 2), k % 2
        rise = mu * (b - a) + cubic * (b**3 - a**3)
        yield at_most((1 if true else 1.01) * mu * abs(b - a), abs(rise))


@lemma(
    "the loss is min u^2/(4h) + v",
    says="Huber's hinge against the least value on a grid of u, v = max(h + s - u, 0)",
    falsified="u^2/(2h)",
)
def huber_hinge(rng: Generator, true: bool) -> Iterator[bool]:
    h = 0.5
    for s in np.linspace(-1, 2, _DRAWS):
        u = np.linspace(0, 3, 30_001)
        best = float(np.min(u**2 / ((4 if true else 2) * h) + np.maximum(h + s - u, 0)))
        hinge = 0.0 if s < -h else s if s > h else (h + s) ** 2 / (4 * h)
        yield abs(best - hinge) < 1e-3
