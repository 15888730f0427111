"""Lemmas on laws, information and privacy: by quadrature, and exactly for discrete laws."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from scipy import integrate, optimize, special

from .trial import Generator, at_most, equal, lemma

_DRAWS = 20
_HERMITE, _MASS = np.polynomial.hermite_e.hermegauss(60)
_MASS = _MASS / _MASS.sum()
# Location families on the line: density, score s = d log p/dw, and the ends of its support.
_LAWS: dict[str, tuple[Callable[[float], float], Callable[[float], float], float]] = {
    "normal": (lambda w: np.exp(-(w**2) / 2) / np.sqrt(2 * np.pi), lambda w: -w, 12.0),
    "logistic": (lambda w: 0.25 / np.cosh(w / 2) ** 2, lambda w: -np.tanh(w / 2), 60.0),
    "cosine": (lambda w: np.cos(np.pi * w / 2) ** 2, lambda w: -np.pi * np.tan(np.pi * w / 2), 1.0),
}


def _mean(law: str, f: Callable[[float], float]) -> float:
    density, _, end = _LAWS[law]
    return float(integrate.quad(lambda w: density(w) * f(w), -end, end, limit=200)[0])


@lemma(
    "differentiation under the integral sign",
    says="E s = 0, and E[g(w) s] = -E g'(w) for g = sin, arctan, w^3, under normal, logistic and cosine-squared noise",
    falsified="uniform noise, whose score is 0 inside",
)
def scores(rng: Generator, true: bool) -> Iterator[bool]:
    tests = [(np.sin, np.cos), (np.arctan, lambda w: 1 / (1 + w**2)), (lambda w: w**3, lambda w: 3 * w**2)]
    for law, (_, score, _) in _LAWS.items():
        s = score if true else lambda w: 0.0
        yield abs(_mean(law, s)) < 1e-8
        for g, slope in tests:
            yield abs(_mean(law, lambda w, g=g, s=s: g(w) * s(w)) + _mean(law, slope)) < 1e-6


@lemma(
    "Stein's identity",
    "E[s w'] = -I for the score s of a density",
    "E[score w'] = -1 on R^m",
    says="E[s w] = -1 for normal, logistic and cosine-squared densities, by quadrature",
    falsified="the uniform density, whose boundary term does not vanish",
)
def stein(rng: Generator, true: bool) -> Iterator[bool]:
    for law, (_, score, _) in _LAWS.items():
        yield equal(_mean(law, lambda w, s=score: (s(w) if true else 0.0) * w), -1.0, 1e-6)


@lemma(
    "equality needs A^{1/2} s + sqrt(rho) w = 0",
    says="the score of the normal density of covariance A^{1/2}/sqrt(rho) solves the equation at random points",
    falsified="of covariance A/rho",
)
def equality_of_stein(rng: Generator, true: bool) -> Iterator[bool]:
    for _ in range(_DRAWS):
        a = rng.normal(size=(3, 3))
        a, rho, w = a @ a.T + 0.1 * np.eye(3), rng.uniform(0.1, 3), rng.normal(size=3)
        values, basis = np.linalg.eigh(a)
        root = basis @ np.diag(np.sqrt(values)) @ basis.T
        score = -np.linalg.solve(root / np.sqrt(rho) if true else a / rho, w)
        yield np.linalg.norm(root @ score + np.sqrt(rho) * w) < 1e-8


@lemma(
    "Cramer-Rao inequality",
    says="the variance of y about its centre against 1/I, for normal (equality), logistic and cosine-squared noise",
    falsified="against 1.01/I",
)
def cramer_rao(rng: Generator, true: bool) -> Iterator[bool]:
    for law, (_, score, _) in _LAWS.items():
        variance, information = _mean(law, lambda w: w**2), _mean(law, lambda w, s=score: s(w) ** 2)
        yield at_most((1 if true else 1.01) / information, variance, 1e-7)


@lemma(
    "the law of y depends on x through C x only",
    says="normal densities of y = C x + w at two x with the same C x",
    falsified="at two x with another C x",
)
def through_c_only(rng: Generator, true: bool) -> Iterator[bool]:
    c = rng.normal(size=(2, 4))
    kernel = np.eye(4) - np.linalg.pinv(c) @ c
    for _ in range(_DRAWS):
        x, y, move = rng.normal(size=4), rng.normal(size=2), rng.normal(size=4)
        other = x + (kernel @ move if true else move)
        yield equal(np.sum((y - c @ x) ** 2), np.sum((y - c @ other) ** 2), 1e-7)


@lemma(
    "the score of z is the mean of the score of y given z",
    says="a law of six outcomes with a parameter and a channel to three: slopes of log P(z) against means of scores",
    falsified="a channel that looks at the parameter",
)
def score_of_what_is_left(rng: Generator, true: bool) -> Iterator[bool]:
    for _ in range(_DRAWS):
        a, channel, look = (
            rng.normal(size=6),
            rng.dirichlet(np.ones(3), size=6),
            rng.dirichlet(np.ones(3), size=6),
        )

        def law(t: float, a: np.ndarray = a) -> np.ndarray:
            return np.exp(a * t) / np.exp(a * t).sum()

        def left(t: float, channel: np.ndarray = channel, look: np.ndarray = look) -> np.ndarray:
            share = 0.0 if true else t
            return law(t) @ ((1 - share) * channel + share * look)

        t, step = 0.3, 1e-5
        slope = (np.log(left(t + step)) - np.log(left(t - step))) / (2 * step)
        p, score = law(t), a - law(t) @ a
        yield equal(slope, (p * score) @ channel / (p @ channel), 1e-6)


@lemma(
    "among laws of one variance the normal law has the largest entropy",
    "normal laws have the largest entropy",
    says="entropies of uniform, Laplace, logistic and normal laws of variance 1; H(X, Y) <= H(X) + H(Y) for random tables",
    falsified="the normal law has the least",
)
def entropies(rng: Generator, true: bool) -> Iterator[bool]:
    normal = np.log(2 * np.pi * np.e) / 2
    for other in (np.log(np.sqrt(12)), 1 + np.log(np.sqrt(2)), 2 + np.log(np.sqrt(3) / np.pi)):
        yield at_most(other, normal) if true else at_most(normal, other)
    for _ in range(_DRAWS):
        p = rng.dirichlet(np.ones(12)).reshape(3, 4)
        joint, apart = -(p * np.log(p)).sum(), sum(-(m * np.log(m)).sum() for m in (p.sum(0), p.sum(1)))
        yield at_most(joint, apart)


@lemma(
    "mutual information of a normal signal",
    says="E log p(y|x)/p(y) by Gauss-Hermite quadrature against log(1 + s/theta)/2",
    falsified="log(1 + s/theta)",
)
def mutual_information(rng: Generator, true: bool) -> Iterator[bool]:
    for s, theta in rng.uniform(0.2, 3, size=(_DRAWS, 2)):
        x = np.sqrt(s) * _HERMITE[:, None]
        y = x + np.sqrt(theta) * _HERMITE[None, :]
        density = (
            -((y - x) ** 2) / (2 * theta)
            - np.log(theta) / 2
            + y**2 / (2 * (s + theta))
            + np.log(s + theta) / 2
        )
        yield equal(_MASS @ density @ _MASS, np.log1p(s / theta) / (2 if true else 1), 1e-7)


@lemma(
    "Markov's inequality; the mean of a sum",
    "Markov's inequality for (sum |n_i|)^2",
    says="P(X >= t) t <= E X for random nonnegative discrete laws, X = 0 or t among them; E(X + Y) = E X + E Y",
    falsified="P(X >= t) t <= 0.99 E X",
)
def markov(rng: Generator, true: bool) -> Iterator[bool]:
    for k in range(_DRAWS):
        values, p, t = rng.exponential(size=6), rng.dirichlet(np.ones(6)), rng.uniform(0.2, 2)
        values = values if k else np.array([0, 0, 0, t, t, t])
        other = rng.normal(size=6)
        yield at_most(p[values >= t].sum() * t, (1 if true else 0.99) * p @ values)
        yield at_most(p[values**2 >= t].sum() * t, p @ values**2)
        yield equal(p @ (values + other), p @ values + p @ other)


@lemma(
    "Chernoff's bound; both signs",
    says="P(X >= t) <= E exp(l X - l t) for the normal law and random discrete ones",
    falsified="a tenth of the right side",
)
def chernoff(rng: Generator, true: bool) -> Iterator[bool]:
    factor = 1 if true else 0.1
    for t in rng.uniform(0.2, 3, _DRAWS):
        yield at_most(special.erfc(t / np.sqrt(2)) / 2, factor * np.exp(-(t**2) / 2))
        values, p, rate = rng.normal(size=6), rng.dirichlet(np.ones(6)), rng.uniform(0.1, 2)
        yield at_most(p[values >= t].sum(), factor * p @ np.exp(rate * (values - t)))


@lemma(
    "E exp(quadratic form of a normal vector)",
    says="E exp(lam x y) by Gauss-Hermite quadrature for correlated x, y against det(1 - lam R J)^(-1/2)",
    falsified="det(1 - lam R J)^(-1)",
)
def quadratic_form(rng: Generator, true: bool) -> Iterator[bool]:
    for r, lam in zip(rng.uniform(-0.9, 0.9, _DRAWS), rng.uniform(0.05, 0.2, _DRAWS), strict=True):
        x = _HERMITE[:, None]
        y = r * x + np.sqrt(1 - r**2) * _HERMITE[None, :]
        mean = _MASS @ np.exp(lam * x * y) @ _MASS
        det = np.linalg.det(np.eye(2) - lam * np.array([[1, r], [r, 1]]) @ np.array([[0, 1], [1, 0]]))
        yield equal(mean, det ** (-0.5 if true else -1), 1e-7)


@lemma(
    "E max <= (E max^4)^(1/4)",
    says="random discrete laws of four nonnegative numbers: Jensen, and the largest is at most the sum",
    falsified="E max <= (E max^(1/2))^2",
)
def moments_of_a_maximum(rng: Generator, true: bool) -> Iterator[bool]:
    power = 4 if true else 0.5
    for _ in range(_DRAWS):
        values, p = rng.exponential(size=(6, 4)), rng.dirichlet(np.ones(6))
        most = values.max(axis=1)
        yield at_most(p @ most, (p @ most**power) ** (1 / power)) and bool(np.all(most <= values.sum(axis=1)))


@lemma(
    "the bounded-Lipschitz distance is at least",
    says="the distance of two laws on six points by a linear program, against functions with values and slopes in [-1, 1]",
    falsified="functions of twice the size",
)
def bounded_lipschitz(rng: Generator, true: bool) -> Iterator[bool]:
    x = np.sort(rng.uniform(0, 3, 6))
    for _ in range(_DRAWS):
        gap = rng.dirichlet(np.ones(6)) - rng.dirichlet(np.ones(6))
        step = (np.eye(6, k=1) - np.eye(6))[:5]
        done = optimize.linprog(
            -gap, np.vstack([step, -step]), np.concatenate([np.diff(x), np.diff(x)]), bounds=[(-1, 1)] * 6
        )
        f = np.clip((x - x[rng.integers(6)]) * np.sign(rng.normal()), -1, 1)
        best = done.x if not true else f
        yield at_most(abs((1 if true else 2) * best @ gap), -done.fun, 1e-7)


@lemma(
    "a distribution function is not negative",
    says="the normal distribution function at 200 points",
    falsified="the same less 1/2",
)
def distribution_function(rng: Generator, true: bool) -> Iterator[bool]:
    yield bool(np.all(special.ndtr(rng.normal(scale=5, size=200)) - (0 if true else 0.5) >= 0))


def _delta(epsilon: float, mu: float) -> float:
    return float(special.ndtr(mu / 2 - epsilon / mu) - np.exp(epsilon) * special.ndtr(-mu / 2 - epsilon / mu))


@lemma(
    "the exact delta increases with the separation",
    says="the curve of two normal laws at growing distances",
    falsified="it decreases",
)
def growing_delta(rng: Generator, true: bool) -> Iterator[bool]:
    for epsilon in rng.uniform(0, 2, _DRAWS):
        deltas = [_delta(epsilon, mu) for mu in np.linspace(0.1, 4, 30)]
        yield bool(np.all(np.diff(deltas) > 0)) is true


@lemma(
    "Neyman-Pearson: the exact curve",
    says="the integral of (p - e^epsilon q)+ by quadrature against the formula",
    falsified="without e^epsilon",
)
def neyman_pearson(rng: Generator, true: bool) -> Iterator[bool]:
    for epsilon, mu in zip(rng.uniform(0.1, 2, 8), rng.uniform(0.3, 3, 8), strict=True):
        start = epsilon / mu + mu / 2
        weight = np.exp(epsilon) if true else 1.0

        def excess(y: float, mu: float = mu, weight: float = weight) -> float:
            return float(
                max(np.exp(-((y - mu) ** 2) / 2) - weight * np.exp(-(y**2) / 2), 0) / np.sqrt(2 * np.pi)
            )

        total = (
            integrate.quad(excess, start - 20, start, limit=200)[0]
            + integrate.quad(excess, start, start + 20, limit=200)[0]
        )
        yield equal(total, _delta(epsilon, mu), 1e-6)


@lemma(
    "an inequality that holds at every x",
    says="f <= g at 50 points, and their sums with nonnegative weights",
    falsified="weights of both signs",
)
def weights(rng: Generator, true: bool) -> Iterator[bool]:
    for _ in range(_DRAWS):
        f, more, p = rng.normal(size=50), rng.exponential(size=50), rng.normal(size=50)
        yield at_most(f @ (np.abs(p) if true else p), (f + more) @ (np.abs(p) if true else p))


@lemma(
    "an integral of a nonnegative function",
    says="E f for f >= 0 against sums of P(f > k/n)/n, which lie at most 1/n below",
    falsified="the same of f - 1/2",
)
def layers(rng: Generator, true: bool) -> Iterator[bool]:
    for n in (10, 100, 1000):
        f, p = rng.uniform(size=40), rng.dirichlet(np.ones(40))
        f = f if true else f - 0.5
        total = sum(p[f > k / n].sum() / n for k in range(1, n + 1))
        yield at_most(total, p @ f) and at_most(p @ f, total + 1 / n)


@lemma(
    "phi >= 0 of mass c",
    says="int |phi/c - gamma| <= |1 - c| + int |phi - gamma| <= 2 int |phi - gamma| on 10 points, phi = c gamma among them",
    falsified="0.9 of each right side",
)
def normalised(rng: Generator, true: bool) -> Iterator[bool]:
    share = 1 if true else 0.9
    for k in range(_DRAWS):
        gamma = rng.dirichlet(np.ones(10))
        phi = rng.exponential(size=10) / 10 if k else 0.5 * gamma
        c = phi.sum()
        between = abs(1 - c) + np.abs(phi - gamma).sum()
        yield at_most(np.abs(phi / c - gamma).sum(), share * between)
        yield at_most(between, share * 2 * np.abs(phi - gamma).sum())


@lemma(
    "the entries of a uniform unit vector",
    says="E w w' over the sphere by quadrature is 1/3 of the identity",
    falsified="over the cap of heights above 0.2",
)
def uniform_unit_vector(rng: Generator, true: bool) -> Iterator[bool]:
    z, mass = np.polynomial.legendre.leggauss(20)
    z = z if true else 0.2 + 0.8 * (z + 1) / 2
    angle = 2 * np.pi * np.arange(12) / 12
    r = np.sqrt(1 - z**2)
    w = np.stack([np.outer(r, np.cos(angle)), np.outer(r, np.sin(angle)), np.outer(z, np.ones(12))])
    yield equal(np.einsum("ikl,jkl,k->ij", w, w, mass) / (2 * 12), np.eye(3) / 3, 1e-7)


@lemma(
    "independence: E n_i'n_i n_j'n_j",
    says="pairs of independent random vectors of discrete laws: the mean of the product of squared lengths",
    falsified="i = j",
)
def independence(rng: Generator, true: bool) -> Iterator[bool]:
    for _ in range(_DRAWS):
        n, p = rng.normal(size=(5, 3)), rng.dirichlet(np.ones(5))
        lengths = (n**2).sum(axis=1)
        mean = p @ np.outer(lengths, lengths) @ p if true else p @ lengths**2
        yield equal(mean, (p @ lengths) ** 2, 1e-7)


@lemma(
    "a statistic that is a sum over records",
    "a sum moves by the sum of what comes",
    "a sum of scores moves by the sum",
    says="sums over ten records, one of which is replaced",
    falsified="products over them",
)
def replaced_record(rng: Generator, true: bool) -> Iterator[bool]:
    for _ in range(_DRAWS):
        x, new = rng.normal(size=10), rng.normal()
        other = np.concatenate([[new], x[1:]])
        together = np.sum if true else np.prod
        yield equal(together(np.sin(x)) - together(np.sin(other)), np.sin(x[0]) - np.sin(new), 1e-7)


@lemma(
    "Laplace noise of scale b on every entry",
    says="the loss at 200 outcomes is at most |d|_1/b, which it has beyond both centres",
    falsified="at most |d|_2/b",
)
def laplace_loss(rng: Generator, true: bool) -> Iterator[bool]:
    for _ in range(_DRAWS):
        d, b = rng.normal(size=3), rng.uniform(0.2, 3)
        y = np.vstack([rng.normal(scale=5, size=(200, 3)), 100 * np.sign(d)])
        loss = (np.abs(y).sum(axis=1) - np.abs(y - d).sum(axis=1)) / b
        yield at_most(float(loss.max()), float(np.linalg.norm(d, 1 if true else 2)) / b)
        yield equal(loss.max(), np.abs(d).sum() / b, 1e-6)
