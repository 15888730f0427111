"""Lemmas that the instruments cite: sensitivities, programs and informations of one's own models."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy import integrate, special

from .trial import Generator, at_most, equal, lemma

_DRAWS = 20


@lemma(
    "on the feasible set each part of the Lagrangian",
    says="f + mu g <= f at feasible points of random convex constraints, mu >= 0",
    falsified="mu < 0",
)
def weak_duality(rng: Generator, true: bool) -> Iterator[bool]:
    for _ in range(_DRAWS):
        x, c, mu = rng.normal(size=3), rng.normal(size=3), rng.exponential()
        bound = float((x - c) @ (x - c)) + rng.exponential()
        constraint = float((x - c) @ (x - c)) - bound
        value = float(x @ x)
        yield at_most(value + (mu if true else -mu) * constraint, value)


@lemma(
    "the 1-norm of a vector is the largest of its sums with signs",
    says="eight sums with signs of three numbers",
    falsified="the Euclidean norm",
)
def sums_with_signs(rng: Generator, true: bool) -> Iterator[bool]:
    signs = np.array(np.meshgrid(*[[-1, 1]] * 3)).reshape(3, 8)
    for _ in range(_DRAWS):
        x = rng.normal(size=3)
        yield equal(float((x @ signs).max()), float(np.linalg.norm(x, 1 if true else 2)))


@lemma(
    "an odd power has the sign of its base",
    says="third and fifth powers of 20 numbers",
    falsified="fourth powers",
)
def odd_powers(rng: Generator, true: bool) -> Iterator[bool]:
    for x in rng.normal(size=_DRAWS):
        yield all(np.sign(x**k) == np.sign(x) for k in ((3, 5) if true else (4,)))


@lemma(
    "|uu' - vv'|^2 =",
    says="the Frobenius length of uu' - vv' at 20 pairs against both sides, orthogonal vectors of one length among them",
    falsified="1.9 max |x|^4",
)
def outer_products(rng: Generator, true: bool) -> Iterator[bool]:
    for k in range(_DRAWS):
        u, v = (rng.normal(size=3), rng.normal(size=3)) if k else (np.eye(3)[0], np.eye(3)[1])
        square = float(np.linalg.norm(np.outer(u, u) - np.outer(v, v)) ** 2)
        yield equal(square, float((u @ u) ** 2 + (v @ v) ** 2 - 2 * (u @ v) ** 2), 1e-8)
        yield at_most(square, (2 if true else 1.9) * max(u @ u, v @ v) ** 2)


@lemma(
    "-vv' <= uu' - vv' <= uu'",
    says="the spectral norm of uu' - vv' against max |x|^2, and of one uu'",
    falsified="0.99 max |x|^2",
)
def spectral_norms(rng: Generator, true: bool) -> Iterator[bool]:
    for k in range(_DRAWS):
        u, v = rng.normal(size=3), rng.normal(size=3) * (k > 0)
        bound = (1 if true else 0.99) * max(u @ u, v @ v)
        yield at_most(float(np.linalg.norm(np.outer(u, u) - np.outer(v, v), 2)), bound)


@lemma(
    "the Gamma integral and the Beta integral",
    says="both integrals by quadrature against gamma functions, and their slopes in the exponents against digamma functions",
    falsified="gamma(a + 1)",
)
def gamma_integrals(rng: Generator, true: bool) -> Iterator[bool]:
    for a, b in rng.uniform(1.2, 4, size=(8, 2)):
        value = special.gamma(a if true else a + 1)
        yield equal(integrate.quad(lambda x, a=a: x ** (a - 1) * np.exp(-x), 0, 60)[0], value, 1e-6)
        slope = integrate.quad(lambda x, a=a: np.log(x) * x ** (a - 1) * np.exp(-x), 0, 60)[0]
        yield equal(slope, special.gamma(a) * special.digamma(a), 1e-6)
        beta = integrate.quad(lambda x, a=a, b=b: x ** (a - 1) * (1 - x) ** (b - 1), 0, 1)[0]
        yield equal(beta, special.beta(a, b), 1e-6)


@lemma(
    "one record a away from the mean of n",
    says="variances of n and n + 1 records, divided by the number and by one less, against the formulas",
    falsified="a^2/n in the place of a^2/(n + 1)",
)
def one_record_more(rng: Generator, true: bool) -> Iterator[bool]:
    for n in range(2, 2 + _DRAWS):
        x, a = rng.normal(size=n), rng.normal()
        more = np.append(x, x.mean() + a)
        whole = n / (n + 1) * x.var() + n / (n + 1) ** 2 * a**2
        unbiased = (n - 1) / n * x.var(ddof=1) + a**2 / (n + 1 if true else n)
        yield equal(more.var(), whole, 1e-8) and equal(more.var(ddof=1), unbiased, 1e-8)


@lemma(
    "clipping is monotone",
    says="clipped numbers of 200 ordered ones are ordered",
    falsified="their absolute values",
)
def clipping(rng: Generator, true: bool) -> Iterator[bool]:
    clipped = np.clip(np.sort(rng.normal(size=200)), -0.5, 1)
    yield bool(np.all(np.diff(clipped if true else np.abs(clipped)) >= 0))


@lemma(
    "to sort two vectors moves them no further apart",
    says="distances of 20 pairs of vectors before and after sorting, in three norms",
    falsified="after sorting one of them the other way round",
)
def sorting(rng: Generator, true: bool) -> Iterator[bool]:
    for _ in range(_DRAWS):
        x, y = rng.normal(size=5), rng.normal(size=5)
        other = np.sort(y) if true else np.sort(y)[::-1]
        for order in (1, 2, np.inf):
            yield at_most(np.linalg.norm(np.sort(x) - other, order), np.linalg.norm(x - y, order))


@lemma(
    "a weighted sum of sorted numbers in [a, b]",
    says="sums of sorted numbers with random weights against the integral over t of the sums of indicators",
    falsified="without a times the sum of the weights",
)
def layers_of_sorted_numbers(rng: Generator, true: bool) -> Iterator[bool]:
    for _ in range(_DRAWS):
        x, w = np.sort(rng.uniform(1, 3, 6)), rng.normal(size=6)
        ends = np.concatenate([[1.0], x, [3.0]])
        middle = (ends[:-1] + ends[1:]) / 2
        integral = sum(
            (high - low) * float(w @ (x > t)) for low, high, t in zip(ends, ends[1:], middle, strict=False)
        )
        yield equal(float(w @ x), (float(w.sum()) if true else 0.0) + integral, 1e-8)
