"""Random covariances, weights, systems and projections, ill conditioned, tiny and huge; their truth by mpmath from the decimals."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable
from typing import Any

import mpmath as mp
import numpy as np

import noiseproof as npf
from noiseproof.mechanisms.ron_gauss import RonGaussRelease
from noiseproof.symbolic.predicates import Predicate

from .subject_case import SubjectCase

Rng = np.random.Generator
_DIGITS = 90
_READ = mp.mpf(10) ** -12  # a claim's numbers are read to twelve digits


def _written(x: float) -> Any:
    return mp.mpf(repr(float(x)))


def _matrix(values: np.ndarray) -> Any:
    return mp.matrix([[_written(x) for x in row] for row in values])


def _margin(rng: Rng) -> float:
    return float(10 ** rng.uniform(-12, -1) * rng.choice([-1, 1]))


def _definite(rng: Rng, order: int, worst: float = 14.0) -> np.ndarray:
    """Q diag Q' with a condition up to 10^worst, two small eigenvalues near each other now and then."""
    q, _ = np.linalg.qr(rng.normal(size=(order, order)))
    values = np.sort(10 ** -rng.uniform(0, rng.uniform(0, worst), order))
    values[-1] = 1.0
    if rng.random() < 0.3:
        values[1] = values[0] * (1 + 10 ** -rng.uniform(0, 12))
    s = (q * values) @ q.T * 10 ** rng.uniform(-30, 30) ** rng.choice([0, 1])
    return np.asarray((s + s.T) / 2)


def _word(build: Callable[[], Any], claim: Callable[[], Predicate]) -> Callable[[], str]:
    def word() -> str:
        certificate = npf.examine(build(), npf.Claim(claim(), about="law"), samples=200)
        return str(certificate.findings[0].verdict.name)

    return word


def _upper(
    family: str, about: str, truth: Any, margin: float, build: Any, predicate: Callable[[float], Predicate]
) -> SubjectCase:
    """A claim that the quantity is at most truth (1 + margin)."""
    with mp.workdps(_DIGITS):
        claimed = float(truth * (1 + _written(margin)))
        holds = bool(truth <= _written(claimed) * (1 + _READ))
    about = f"{about}, claimed {claimed!r}, truth {mp.nstr(truth, 18)}"
    return SubjectCase(family, about, _word(build, lambda: predicate(claimed)), holds, margin)


def covariance_mu(rng: Rng) -> SubjectCase:
    """mu = sensitivity / sqrt(least eigenvalue)."""
    s, far = _definite(rng, int(rng.integers(2, 5))), float(10 ** rng.uniform(-3, 1))
    with mp.workdps(_DIGITS):
        least = min(mp.eigsy(_matrix(s), eigvals_only=True))
        if least <= 0:
            return covariance_mu(rng)
        far *= float(mp.sqrt(least))
        truth = _written(far) / mp.sqrt(least)
    return _upper(
        "covariance: mu",
        f"covariance {s.tolist()}, sensitivity {far!r}",
        truth,
        _margin(rng),
        lambda: npf.GaussianMechanism(covariance=s, sensitivity=far),
        npf.GaussianDP,
    )


def asymmetric_covariance(rng: Rng) -> SubjectCase:
    """Triangles that differ: by last digits the mean is meant, by more nothing may be proved."""
    s = _definite(rng, 3, 6.0)
    t = s.copy()
    rough = rng.random() < 0.5
    for i, j in ((0, 1), (0, 2), (1, 2)):
        t[i, j] = t[i, j] * (1 + 10 ** rng.uniform(-10, -1)) if rough else np.nextafter(t[i, j], np.inf)
    mean = t / 2 + t.T / 2
    with mp.workdps(_DIGITS):
        truth = 1 / mp.sqrt(max(min(mp.eigsy(_matrix(mean), eigvals_only=True)), mp.mpf(10) ** -80))

    def build() -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return npf.GaussianMechanism(covariance=t)

    case = _upper(
        "asymmetric covariance", f"covariance {t.tolist()}", truth, _margin(rng), build, npf.GaussianDP
    )
    scale = np.sqrt(np.outer(np.diag(t), np.diag(t)))
    refused = bool(np.any(np.abs(t - t.T) > 1e-12 * scale))
    return SubjectCase(case.family, case.description, case.word, case.holds and not refused, case.margin)


def covariance_information(rng: Rng) -> SubjectCase:
    """The inverse of a covariance, as it is or with one entry moved."""
    s, margin = _definite(rng, int(rng.integers(2, 5))), _margin(rng)
    return _information(
        "covariance: information",
        s,
        margin,
        rng,
        lambda m: m**-1,
        lambda: npf.GaussianMechanism(covariance=s),
    )


def _information(
    family: str, s: np.ndarray, margin: float, rng: Rng, of: Callable[[Any], Any], build: Callable[[], Any]
) -> SubjectCase:
    order = len(s)
    with mp.workdps(_DIGITS):
        exact = of(_matrix(s))
        claimed = np.array([[float(exact[max(i, j), min(i, j)]) for j in range(order)] for i in range(order)])
        if rng.random() < 0.6:
            i, j = rng.integers(0, order, 2)
            claimed[i, j] *= 1 + margin
            claimed[j, i] = claimed[i, j]
        holds = all(
            abs(exact[i, j] - _written(claimed[i, j]))
            <= _READ * max(abs(exact[i, j]), abs(_written(claimed[i, j])))
            for i in range(order)
            for j in range(order)
        )
    about = f"matrix {s.tolist()}, claimed {claimed.tolist()}"
    return SubjectCase(family, about, _word(build, lambda: npf.FisherInformation(claimed)), holds, margin)


def covariance_error(rng: Rng) -> SubjectCase:
    """Tr(Pi S): no unbiased adversary errs less; half of the weights are inverses."""
    s = _definite(rng, 3)
    w = _definite(rng, 3, 4.0)
    if rng.random() < 0.5:
        w = np.linalg.inv(s)
        w = (w + w.T) / 2
    return _error("covariance: error", s, w, rng, lambda m: m, lambda: npf.GaussianMechanism(covariance=s))


def _error(
    family: str, s: np.ndarray, w: np.ndarray, rng: Rng, of: Callable[[Any], Any], build: Callable[[], Any]
) -> SubjectCase:
    margin = _margin(rng)
    with mp.workdps(_DIGITS):
        product = _matrix(w) * of(_matrix(s))
        truth = sum(product[i, i] for i in range(len(w)))
        claimed = float(truth * (1 + _written(margin)))
        holds = bool(truth >= _written(claimed) * (1 - _READ))
    about = f"matrix {s.tolist()}, weight {w.tolist()}, claimed {claimed!r}, truth {mp.nstr(truth, 18)}"
    return SubjectCase(family, about, _word(build, lambda: npf.ErrorBound(claimed, weight=w)), holds, margin)


def covariance_delta(rng: Rng) -> SubjectCase:
    """delta(epsilon) of the worst pair, Balle and Wang (2018), theorem 5."""
    s, epsilon = _definite(rng, 2), round(float(rng.uniform(0.1, 4)), 3)
    with mp.workdps(_DIGITS):
        least = min(mp.eigsy(_matrix(s), eigvals_only=True))
        if least <= 0:
            return covariance_delta(rng)
        far = float(mp.sqrt(least) * rng.uniform(0.3, 3))
        mu, e = _written(far) / mp.sqrt(least), _written(epsilon)
        truth = mp.ncdf(mu / 2 - e / mu) - mp.exp(e) * mp.ncdf(-mu / 2 - e / mu)
    margin = float(np.sign(_margin(rng)) * 10 ** rng.uniform(-8, -1))
    return _upper(
        "covariance: delta",
        f"covariance {s.tolist()}, sensitivity {far!r}, epsilon {epsilon}",
        truth,
        margin,
        lambda: npf.GaussianMechanism(covariance=s, sensitivity=far),
        lambda delta: npf.ApproxDP(epsilon, min(delta, 0.999)),
    )


def linear_query(rng: Rng) -> SubjectCase:
    """mu = max |w_i| (upper - lower) / sigma, or the budget itself for Laplace noise."""
    w = rng.normal(size=int(rng.integers(1, 6))) * 10 ** rng.uniform(-8, 8)
    low = float(rng.normal() * 10 ** rng.uniform(-3, 6))
    high, sigma = low + float(10 ** rng.uniform(-3, 3)), float(10 ** rng.uniform(-3, 3))
    about = f"weights {w.tolist()}, bounds {low!r}, {high!r}, sigma or epsilon {sigma!r}"
    with mp.workdps(_DIGITS):
        moved = max(abs(_written(x)) for x in w) * (_written(high) - _written(low)) / _written(sigma)
        if rng.random() < 0.3:
            epsilon = min(sigma, 50.0)
            build = lambda: npf.LinearQuery(w, low, high, epsilon=epsilon)  # noqa: E731
            return _upper("linear query", about, _written(epsilon), _margin(rng), build, npf.PureDP)
        if not 1e-12 < moved < 1e12:
            return linear_query(rng)
    return _upper(
        "linear query",
        about,
        moved,
        _margin(rng),
        lambda: npf.LinearQuery(w, low, high, sigma=sigma),
        npf.GaussianDP,
    )


def _root(matrix: Any) -> Any:
    values, vectors = mp.eigsy(matrix)
    return vectors * mp.diag([mp.sqrt(v) for v in values]) * vectors.T


def _longest(matrix: Any, widths: list[Any]) -> Any:
    """max d' M d over the corners of a box."""
    corners = (
        mp.matrix([s * w for s, w in zip(signs, widths, strict=True)])
        for signs in itertools.product((1, -1), repeat=len(widths))
    )
    return max((d.T * matrix * d)[0] for d in corners)


def _box(rng: Rng, order: int) -> tuple[np.ndarray, np.ndarray]:
    low = np.round(rng.normal(size=order), 2)
    return low, low + 10 ** rng.uniform(-3, 3, order)


def optimal_mu(rng: Rng) -> SubjectCase:
    """mu^2 = sqrt(lambda) max d' Pi^{1/2} d."""
    order = int(rng.integers(2, 4))
    pi, box, lam = _definite(rng, order), _box(rng, order), float(10 ** rng.uniform(-2, 2))
    with mp.workdps(_DIGITS):
        if min(mp.eigsy(_matrix(pi), eigvals_only=True)) <= 0:
            return optimal_mu(rng)
        widths = [_written(b) - _written(a) for a, b in zip(*box, strict=True)]
        truth = mp.sqrt(mp.sqrt(_written(lam)) * _longest(_root(_matrix(pi)), widths))
    return _upper(
        "optimal noise: mu",
        f"weight {pi.tolist()}, box {box}, lambda {lam!r}",
        truth,
        _margin(rng),
        lambda: npf.OptimalGaussian(lam, box, weight=pi),
        npf.GaussianDP,
    )


def optimal_information(rng: Rng) -> SubjectCase:
    """sqrt(lambda) Pi^{1/2}, and Tr(W Pi^{-1/2}) / sqrt(lambda)."""
    order = int(rng.integers(2, 4))
    pi, box, lam = _definite(rng, order), _box(rng, order), float(10 ** rng.uniform(-2, 2))
    with mp.workdps(_DIGITS):
        if min(mp.eigsy(_matrix(pi), eigvals_only=True)) <= 0:
            return optimal_information(rng)

    def build() -> Any:
        return npf.OptimalGaussian(lam, box, weight=pi)

    if rng.random() < 0.5:
        return _information(
            "optimal noise: information",
            pi,
            _margin(rng),
            rng,
            lambda m: _root(m) * mp.sqrt(_written(lam)),
            build,
        )
    return _error(
        "optimal noise: error",
        pi,
        _definite(rng, order, 3.0),
        rng,
        lambda m: _root(m) ** -1 / mp.sqrt(_written(lam)),
        build,
    )


def trajectory_mu(rng: Rng) -> SubjectCase:
    """mu^2 = sqrt(rho) max d' (Psi'Psi)^{1/2} d, the condition of Psi up to 1e9."""
    order = int(rng.integers(2, 4))
    horizon = int(rng.integers(0, 3))
    a = np.round(rng.normal(size=(order, order)), 2)
    q, _ = np.linalg.qr(rng.normal(size=(order, order)))
    c = (
        q * 10 ** -np.concatenate([[0.0], rng.uniform(0, 9, order - 1)])
        if horizon == 0
        else np.round(rng.normal(size=(1, order)), 3)
    )
    if horizon == 0 and rng.random() < 0.5:
        c = c @ np.linalg.qr(rng.normal(size=(order, order)))[0]
    horizon = max(horizon, 0 if len(c) == order else order - 1)
    box, rho = _box(rng, order), float(10 ** rng.uniform(-2, 2))
    with mp.workdps(_DIGITS):
        rows, gram = _matrix(c), mp.zeros(order)
        for _ in range(horizon + 1):
            gram += rows.T * rows
            rows = rows * _matrix(a)
        if min(mp.eigsy(gram, eigvals_only=True)) <= mp.mpf(10) ** -24:
            return trajectory_mu(rng)
        widths = [_written(y) - _written(x) for x, y in zip(*box, strict=True)]
        truth = mp.sqrt(mp.sqrt(_written(rho)) * _longest(_root(gram), widths))
    return _upper(
        "trajectory: mu",
        f"A {a.tolist()}, C {c.tolist()}, horizon {horizon}, box {box}, rho {rho!r}",
        truth,
        _margin(rng),
        lambda: npf.TrajectoryNoise(a, c, horizon, rho, box, beyond=0.1),
        npf.GaussianDP,
    )


def stretched_projection(rng: Rng) -> SubjectCase:
    """Where the mean and, with W'W = c I, the matrix lose the most together: epsilon_1 + c epsilon_2."""
    m, n = int(rng.integers(2, 5)), int(rng.integers(2, 6))
    first, second = (round(float(x), 2) for x in rng.uniform(0.1, 2, 2))
    stretch = float(10 ** rng.uniform(-12, -5.4) * rng.choice([-1, 1]))
    with mp.workdps(_DIGITS):
        truth = _written(first) + _written(second) * (1 + _written(stretch)) ** 2
    margin = float(np.sign(_margin(rng)) * 10 ** rng.uniform(-11, -1))

    def build() -> Any:
        plain = RonGaussRelease.needed(m, 2, n, first, second, symmetric=False).W
        return RonGaussRelease.needed(
            m, 2, n, first, second, symmetric=False, projection=plain * (1 + stretch)
        )

    about = f"m {m}, n {n}, budgets {first}, {second}, W stretched by {stretch!r}"
    return _upper("stretched projection", about, truth, margin, build, npf.PureDP)


FAMILIES = (
    covariance_mu,
    asymmetric_covariance,
    covariance_information,
    covariance_error,
    covariance_delta,
    linear_query,
    optimal_mu,
    optimal_information,
    trajectory_mu,
    stretched_projection,
)
