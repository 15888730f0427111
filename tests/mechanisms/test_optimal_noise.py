"""Optimal noise on lines, boxes and the whole space: costs by independent routes, certificates that can say both words."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy as sp
from optimal_noise_trials.within import gaussian_within, optimal_noise_within
from scipy import special, stats

from noiseproof.mechanisms.optimal_noise import (
    Box,
    HalfLine,
    Interval,
    OptimalNoise,
    WholeSpace,
    optimal_noise,
)
from noiseproof.mechanisms.optimal_noise.vector_noise import Independent
from noiseproof.symbolic import laws
from noiseproof.symbolic.laws.law import Law
from noiseproof.symbolic.proof.truth import Truth

F = Fraction


# --- the noises ---------------------------------------------------------------------------------------------

C = np.array([[1.0, 2.0, 0.0, 1.0], [0.0, 1.0, 1.0, 0.0], [2.0, 0.0, 0.0, 1.0]])

NOISES: dict[str, tuple[Any, float, Any]] = {
    "interval": (Interval(0, 1), 0, None),
    "interval with variance": (Interval(-1, 2), 1.5, None),
    "average query": (Interval(-0.5, 2), 3.0, [0.25, 0.25, 0.5]),
    "half-line from 0": (HalfLine(0), 1, None),
    "half-line from 2": (HalfLine(2), 0.5, None),
    "half-line down": (HalfLine(1, upwards=False), 4, None),
    "deep interval": (Interval(-30, 25), 9.0, None),
    "line": (WholeSpace(), 2, None),
    "box": (Box((0, -1), (1, 2)), 2.5, [[1, 0], [0, 3]]),
    "quadrant": (Box((0, -np.inf), (np.inf, 2)), 2.5, None),
    "space": (WholeSpace(3), 4, C),
}


@pytest.fixture(scope="module", params=NOISES)
def noise(request: pytest.FixtureRequest) -> OptimalNoise:
    return optimal_noise(*NOISES[request.param])


def test_cost_bound_and_residual(noise: OptimalNoise) -> None:
    c = noise.certificate
    assert c.rigorous
    assert c.lower_bound <= c.cost
    assert c.gap < 1e-12
    assert c.residual < 1e-13
    assert noise.trace + noise.rho * noise.second_moment == pytest.approx(noise.cost, rel=1e-12)
    assert c.judge(noise.cost) is Truth.HOLDS
    assert c.judge(noise.cost * 1.0001) is Truth.FAILS
    assert c.judge(noise.cost * 0.9999) is Truth.FAILS


def test_information_by_three_routes(noise: OptimalNoise) -> None:
    rng = np.random.default_rng(7)
    w = noise.sample(40_000, rng)
    # Finite differences of the log density agree with the score, away from the boundary, where it grows without limit.
    middle = w[np.abs(noise.score(w)).max(axis=1) < 30 * np.sqrt(np.trace(noise.information))][:500]
    step = 1e-5 * np.diag(np.std(w, axis=0))
    log = noise.noise.log_density
    slopes = np.column_stack([(log(middle + h) - log(middle - h)) / (2 * h.max()) for h in step])
    scale = np.sqrt(np.diag(noise.information))
    assert np.abs((slopes - noise.score(middle)) / scale).max() < 1e-5
    # Scores of a sample: s^2 has infinite variance (s ~ 2/distance at the boundary), so its sum is cut at a level
    # and compared with what finite differences and quadrature say of the part below that level.
    for i in range(w.shape[1]):
        level = 10 * scale[i]
        s = noise.score(w)[:, i]
        part = np.where(np.abs(s) < level, s**2, 0.0)
        expected, whole = _quadrature(noise, i, level)
        assert whole == pytest.approx(noise.information[i, i], rel=1e-5)
        assert abs(part.mean() - expected) < 5 * part.std() / np.sqrt(len(part))
        assert expected > 0.8 * noise.information[i, i]


def _quadrature(noise: OptimalNoise, i: int, level: float) -> tuple[float, float]:
    """E[s_i^2; |s_i| < level] and E[s_i^2], s_i by finite differences of the log density along one axis."""
    if not isinstance(noise.noise, Independent):
        sd = np.sqrt(noise.information[i, i])
        z = level / sd
        return sd**2 * (special.erf(z / 2**0.5) - 2 * z * np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi)), sd**2
    entry = noise.noise.entries[i]
    edges = entry.quantile(np.array([1e-13, 1 - 1e-13]))
    low, high = np.maximum(edges[0] - 0.5, entry.ends[0]), np.minimum(edges[1] + 0.5, entry.ends[1])
    x, weights = np.polynomial.legendre.leggauss(20)
    knots = np.linspace(low, high, 4001)
    half = np.diff(knots)[:, None] / 2
    w = (knots[:-1, None] + half + half * x).ravel()
    # Logarithmic steps next to the ends: the difference quotient needs room on both sides.
    room = np.minimum(w - entry.ends[0], entry.ends[1] - w)
    h = 1e-4 * np.minimum(room, np.diff(edges)[0])
    s = (entry.log_pdf(w + h) - entry.log_pdf(w - h)) / (2 * h)
    mass = (half * weights).ravel() * np.exp(entry.log_pdf(w))
    return float((mass * np.where(np.abs(s) < level, s**2, 0)).sum()), float((mass * s**2).sum())


def _fit(noise: OptimalNoise, size: int, seed: int) -> float:
    """The smallest p-value of exact binomial tests of the uniform transforms, times their number."""
    w = noise.sample(size, np.random.default_rng(seed))
    u = noise.law.uniforms(w, np.random.default_rng(0))
    levels = np.array([1e-3, 0.01, *np.arange(1, 20) / 20, 0.99, 0.999])
    p = [stats.binomtest(int((column <= t).sum()), size, t).pvalue for column in u.T for t in levels]
    p += [stats.kstest(column, "uniform").pvalue for column in u.T]
    if u.shape[1] > 1:
        both = int(((u[:, 0] < 0.5) == (u[:, 1] < 0.5)).sum())
        p.append(stats.binomtest(both, size, 0.5).pvalue)
    return float(min(p) * len(p))


def test_samplers_fit(noise: OptimalNoise) -> None:
    assert _fit(noise, 20_000, 11) > 1e-4


@pytest.mark.long
def test_samplers_fit_a_million_draws(noise: OptimalNoise) -> None:
    assert _fit(noise, 1_000_000, 12) > 1e-4


def test_the_fit_sees_a_wrong_law() -> None:
    right, wrong = optimal_noise(Interval(-1, 2), 1.5), optimal_noise(Interval(-1, 2), 3.0)
    w = right.sample(60_000, np.random.default_rng(3))
    assert stats.kstest(wrong.law.uniforms(w, np.random.default_rng(0))[:, 0], "uniform").pvalue < 1e-6
    assert stats.kstest(right.law.uniforms(w, np.random.default_rng(0))[:, 0], "uniform").pvalue > 1e-3


@pytest.mark.parametrize("name", ["interval with variance", "half-line from 2", "deep interval"])
def test_the_stated_error_of_the_inversion(name: str) -> None:
    entry = optimal_noise(*NOISES[name]).noise.entries[0]  # type: ignore[attr-defined]
    u = np.concatenate([np.logspace(-9, -1, 500), np.linspace(0.1, 1 - 1e-9, 2000)])
    drawn = entry.mean + entry.deviation * entry.inversion.ppf(u)
    # 1e-11 of the inversion and about 1e-12 of the table that it is compared with.
    assert np.abs(entry.cdf(drawn) - u).max() < 2e-11


def test_moments_of_a_sample(noise: OptimalNoise) -> None:
    squares = (noise.sample(40_000, np.random.default_rng(5)) ** 2).sum(axis=1)
    assert abs(squares.mean() - noise.second_moment) < 5 * squares.std() / np.sqrt(len(squares))


def test_densities_integrate_to_one(noise: OptimalNoise) -> None:
    for entry in getattr(noise.noise, "entries", ()):
        low, high = entry.quantile(np.array([1e-15, 1 - 1e-15]))
        x, weights = np.polynomial.legendre.leggauss(400)
        w = (low + high) / 2 + (high - low) / 2 * x
        assert (high - low) / 2 * weights @ np.exp(entry.log_pdf(w)) == pytest.approx(1, abs=1e-9)


def test_virial_identity() -> None:
    # Stretching W moves the energy by its boundary: a J = rho E w^2 + 2a [w u'^2] over the ends.
    a, rho, low, high = 5.0, 1.5, -1.0, 2.0
    noise = optimal_noise(Interval(low, high), rho, [1.0, 2.0])
    gap = 1e-5
    u2 = [noise.density([[end]])[0] / gap**2 for end in (low + gap, high - gap)]
    left = a * noise.information[0, 0]
    right = rho * noise.second_moment + 2 * a * (high * u2[1] - low * u2[0])
    assert left == pytest.approx(right, rel=1e-4)


def test_centres() -> None:
    noise = optimal_noise(Interval(-1, 2), 1.5)
    law, y = noise.around([10.0]), np.array([[9.5], [8.0], [12.5]])
    assert law.log_density(y) == pytest.approx(noise.noise.log_density(y - 10))
    assert np.isneginf(law.log_density(y)[1:]).all()
    assert law.sample(100, np.random.default_rng(0)) == pytest.approx(
        10 + noise.sample(100, np.random.default_rng(0))
    )
    levels = np.array([0.01, 0.3, 0.5, 0.9])
    assert law.uniforms_if_scaled(levels, 1.0) == pytest.approx(levels, abs=1e-9)
    assert np.abs(law.uniforms_if_scaled(levels, 1.2) - levels).max() > 0.01
    with pytest.raises(ValueError, match="centre must have 1 entries"):
        noise.around([1.0, 2.0])
    with pytest.raises(ValueError, match=r"shape \(size, 1\)"):
        noise.density([1.0, 2.0])


# --- closed forms -------------------------------------------------------------------------------------------


def test_squared_cosines_are_exact_laws() -> None:
    noise = optimal_noise(Box((0.1, -1), (0.4, 2)))
    assert noise.exact_laws == (laws.cosine_squared(0.1, 0.4), laws.cosine_squared(-1, 2))
    for law, moment in zip(noise.exact_laws, np.diag(noise.information), strict=True):
        assert float(law.expectation(law.score() ** 2).doit()) == pytest.approx(moment, rel=1e-14)
        assert law.mass() == 1
    assert noise.second_moment == pytest.approx(
        sum(float(law.expectation(law.variable**2).doit()) for law in noise.exact_laws), rel=1e-14
    )


def test_the_query_does_not_change_the_noise_on_an_interval() -> None:
    plain, weighted = optimal_noise(Interval(0, 3)), optimal_noise(Interval(0, 3), 0, [3.0, 4.0])
    assert plain.exact_laws == weighted.exact_laws
    assert weighted.cost == pytest.approx(25 * plain.cost)
    c = np.array([[3.0, 4.0]])
    assert weighted.information_about_input == pytest.approx(c.T @ c * plain.information[0, 0])
    # With a price on variance it does.
    assert (
        optimal_noise(Interval(0, 3), 1, [3.0, 4.0]).second_moment
        > 1.0001 * optimal_noise(Interval(0, 3), 1).second_moment
    )


def test_numbers_are_read_as_decimals() -> None:
    support = optimal_noise(Interval(0.1, 0.3)).exact_laws
    assert support is not None
    assert support[0].support == (sp.Rational(1, 10), sp.Rational(3, 10))


def test_a_small_price_leaves_the_squared_cosine() -> None:
    limit, near = optimal_noise(Interval(-1, 2)), optimal_noise(Interval(-1, 2), 1e-12)
    w = np.linspace(-0.99, 1.99, 101)[:, None]
    assert near.density(w) == pytest.approx(limit.density(w), rel=1e-9)
    assert near.score(w) == pytest.approx(limit.score(w), rel=1e-9, abs=1e-9)
    assert near.information == pytest.approx(limit.information, rel=1e-9)


def test_the_half_line_from_zero_is_the_first_odd_hermite_function() -> None:
    noise = optimal_noise(HalfLine(0), 1)
    w = np.array([1e-9, 1e-3, 0.5, 1.0, 4.0, 10.0, 30.0])[:, None]
    expected = 2 * np.log(w[:, 0]) - w[:, 0] ** 2 / 2 + np.log(2 / np.pi) / 2
    assert noise.noise.log_density(w) == pytest.approx(expected, rel=1e-12, abs=1e-12)
    assert noise.score(w)[:, 0] == pytest.approx(2 / w[:, 0] - w[:, 0], rel=1e-12)
    assert noise.cost == pytest.approx(6, rel=1e-15)
    assert noise.second_moment == pytest.approx(3, rel=1e-12)


def test_the_solver_finds_the_normal_law_where_nothing_is_cut_off() -> None:
    wide, line = optimal_noise(Interval(-1000, 1000), 1), optimal_noise(WholeSpace(), 1)
    w = np.array([0.0, 0.3, -2.0, 10.0, 30.0])[:, None]
    assert wide.noise.log_density(w) == pytest.approx(line.noise.log_density(w), rel=1e-12, abs=1e-12)
    # Beyond e^-700 the logarithm is continued by two terms of WKB.
    far = np.array([[45.0], [-200.0]])
    assert wide.noise.log_density(far) == pytest.approx(line.noise.log_density(far), rel=1e-6)
    assert wide.score(far) == pytest.approx(line.score(far), rel=1e-5)
    assert np.isneginf(wide.noise.log_density(np.array([[1000.0], [-1001.0]]))).all()
    assert np.isnan(wide.score([[1001.0]])).all()


def test_the_normal_law_of_the_whole_space() -> None:
    rho = 4.0
    noise = optimal_noise(WholeSpace(3), rho, C)
    values, vectors = np.linalg.eigh(C @ C.T)
    root = (vectors * np.sqrt(values)) @ vectors.T
    covariance = root / np.sqrt(rho)
    assert noise.information == pytest.approx(np.linalg.inv(covariance))
    assert noise.second_moment == pytest.approx(np.trace(covariance))
    assert noise.cost == pytest.approx(2 * np.sqrt(rho) * np.trace(root))
    assert np.cov(noise.sample(200_000, np.random.default_rng(1)).T) == pytest.approx(covariance, abs=0.02)
    # Twice that covariance is refuted as the optimum, as is any other multiple.
    for factor in (2.0, 1.01, 0.99):
        cost = np.trace(C @ C.T @ noise.information) / factor + rho * factor * noise.second_moment
        assert noise.certificate.judge(cost) is Truth.FAILS


def test_problem_four() -> None:
    theta = 2.0
    noise = gaussian_within(theta, C)
    values, vectors = np.linalg.eigh(C @ C.T)
    root = (vectors * np.sqrt(values)) @ vectors.T
    assert noise.second_moment == pytest.approx(theta)
    assert np.linalg.inv(noise.information) == pytest.approx(theta * root / np.trace(root))
    assert noise.rho == pytest.approx((np.trace(root) / theta) ** 2)
    # On an interval: slack, active, and out of reach.
    slack = optimal_noise_within(Interval(-1, 1), 0.5)
    assert slack.rho == 0
    active = optimal_noise_within(Interval(-1, 1), 0.1)
    assert active.rho > 0
    assert active.second_moment == pytest.approx(0.1, rel=1e-9)
    assert active.trace == pytest.approx(active.certificate.lower_bound - 0.1 * active.rho, rel=1e-8)
    assert slack.trace < active.trace < gaussian_within(0.1).trace * 1.2
    assert active.trace > gaussian_within(0.1).trace, "fewer noises are allowed, so the least Tr I is larger"
    half = optimal_noise_within(HalfLine(0), 0.1)
    assert half.rho == pytest.approx(900, rel=1e-8)
    with pytest.raises(ValueError, match="out of reach"):
        optimal_noise_within(Interval(1, 2), 1.0)
    with pytest.raises(ValueError, match="theta must be > 0"):
        gaussian_within(0.0)


def test_samples_repeat() -> None:
    noise = optimal_noise(Interval(-1, 2), 1.5)
    again = optimal_noise(Interval(-1, 2), 1.5)
    assert np.array_equal(
        noise.sample(1000, np.random.default_rng(4)), again.sample(1000, np.random.default_rng(4))
    )


def test_exact_laws_are_laws() -> None:
    assert all(isinstance(law, Law) for law in optimal_noise(Interval(0, 1)).exact_laws or ())
    assert optimal_noise(Interval(0, 1), 1).exact_laws is None
    assert optimal_noise(WholeSpace(3), 4, C).exact_laws is None
