"""Error bounds on a grid: the pointwise one fails, the averaged one holds against every adversary."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp
from bound_trials.grid import chapman_robbins_on_grid, chi_squared
from flint import ctx

from noiseproof.mechanisms.grid_noise import GridNoise, GridRelease, grid_cosine, grid_gaussian, grid_laplace
from noiseproof.symbolic.information import grid_error
from noiseproof.symbolic.information.error_bounds import cramer_rao
from noiseproof.symbolic.information.grid_error import prior_affinity, weiss_weinstein
from noiseproof.symbolic.information.grid_overlap import affinity, whole_affinity
from noiseproof.symbolic.proof.derivation import Step
from noiseproof.symbolic.proof.proofs.recorded import recorded
from noiseproof.symbolic.proof.truth import Truth

COARSE = {
    "laplace": grid_laplace(3.0, 0),
    "gaussian": grid_gaussian(3.0, 0),
    "cosine": grid_cosine(8.0, 0),
    "cosine, three steps": grid_cosine(2.0, 0),
}


def masses(noise: GridNoise, reach: int) -> np.ndarray:
    return np.array([float(noise.mass(k)) for k in range(-reach, reach + 1)])


def bayes_risk(noise: GridNoise, prior: np.ndarray, releases: int = 1) -> float:
    """The mean squared error of the posterior mean, the best of all estimators, in steps; one or two releases."""
    p, t = masses(noise, 60), np.arange(len(prior))
    size = len(prior) + len(p) - 1
    joint = np.array([np.pad(p, (i, size - len(p) - i)) for i in t])  # (t, y)
    if releases == 2:
        joint = np.einsum("ty,tz->tyz", joint, joint).reshape(len(t), -1)
    joint *= prior[:, None]
    first, second = t @ joint, t**2 @ joint
    whole = joint.sum(axis=0)
    seen = whole > 0
    return float(second.sum() - (first[seen] ** 2 / whole[seen]).sum())


def sine_prior(points: int) -> np.ndarray:
    return 2 / (points + 1) * np.sin(np.pi * np.arange(1, points + 1) / (points + 1)) ** 2


# A pointwise bound does not hold


@pytest.mark.parametrize("noise", [COARSE["cosine, three steps"], COARSE["cosine"]], ids=["three", "fifteen"])
def test_an_unbiased_estimator_can_have_no_error_at_one_record(noise: GridNoise) -> None:
    """g = 0 on all outcomes of record 0; unbiasedness at t = 1, 2, ... and -1, -2, ... fixes g further out, one value each."""
    last, p = noise.last, {k: noise.mass(k) for k in range(-noise.last, noise.last + 1)}
    g = dict.fromkeys(range(-last, last + 1), Fraction(0))
    for t in range(1, 13):
        for sign in (1, -1):
            known = sum(p[sign * k] * g[sign * (t + k)] for k in range(-last, last))
            g[sign * (t + last)] = (sign * t - known) / p[sign * last]

    def error(t: int) -> Fraction:
        assert sum(p[k] * g[t + k] for k in p) == t  # unbiased, exactly
        return sum((p[k] * (g[t + k] - t) ** 2 for k in p), Fraction(0))

    assert error(0) == 0
    # Cramer-Rao of the continuous law would be (half_width / pi)^2 at every record; the bound on the mean error stands.
    assert np.mean([float(error(t)) for t in range(-12, 13)]) > (noise.parameter / math.pi) ** 2
    bound = weiss_weinstein(noise).numeric
    assert bound is not None
    assert 0 < bound < np.mean([float(error(t)) for t in range(-12, 13)])
    assert chapman_robbins_on_grid(noise).value is None


# The average bound


@pytest.mark.parametrize("name", COARSE)
@pytest.mark.parametrize("points", [2, 5, 13, 60])
def test_no_adversary_beats_the_bound_under_its_prior(name: str, points: int) -> None:
    noise = COARSE[name]
    risk = bayes_risk(noise, sine_prior(points))
    bound = weiss_weinstein(noise, domain=(0, points - 1)).numeric
    assert bound is not None
    assert 0.25 * risk < bound <= risk


@pytest.mark.parametrize("h", [1, 2, 3, 5])
def test_the_bound_holds_for_every_distance_of_records(h: int) -> None:
    for noise in COARSE.values():
        bound = weiss_weinstein(noise, domain=(3, 22), h=h).numeric
        assert bound is not None
        assert bound <= bayes_risk(noise, sine_prior(20))


def test_two_releases_of_the_same_record() -> None:
    noise = COARSE["gaussian"]
    bound = weiss_weinstein(noise, domain=(0, 19), releases=2).numeric
    assert bound is not None
    assert bound <= bayes_risk(noise, sine_prior(20), releases=2)
    once = weiss_weinstein(noise, domain=(0, 19)).numeric
    assert once is not None
    assert bound < once
    # The bound for one release is false for two.
    assert once > bayes_risk(noise, sine_prior(20), releases=2)


def test_over_long_windows_the_posterior_mean_stays_above() -> None:
    for noise in COARSE.values():
        bound = weiss_weinstein(noise).numeric
        assert bound is not None
        assert bound <= bayes_risk(noise, np.full(600, 1 / 600)) * 1.01
        assert bound <= float(sum(float(noise.mass(k)) * k * k for k in range(-80, 81))) * (1 + 1e-9)


@pytest.mark.parametrize(
    ("make", "inverse_information"),
    [(grid_laplace, 1.0), (grid_gaussian, 1.0), (grid_cosine, 1 / math.pi**2)],
    ids=["laplace", "gaussian", "cosine"],
)
def test_on_finer_grids_neighbouring_steps_give_one_over_the_information(
    make: Callable[[float, int], GridNoise], inverse_information: float
) -> None:
    ratios = []
    for exponent in (-3, -5, -7, -9):
        bound = weiss_weinstein(make(1.0, exponent), h=1).numeric
        assert bound is not None
        ratios.append(abs(bound / inverse_information - 1))
    assert all(b < a for a, b in itertools.pairwise(ratios))
    assert ratios[-1] < 4e-3
    # The best distance is never worse, and for Laplace noise much better.
    best = weiss_weinstein(make(1.0, -9)).numeric
    assert best is not None
    assert best >= inverse_information * (1 - 1e-4)


def test_the_continuous_limit_is_that_of_the_mechanism_of_the_same_name() -> None:
    from noiseproof.mechanisms import CosineMechanism

    known = cramer_rao(CosineMechanism(-1.0, 1.0).noise_information()).value
    bound = weiss_weinstein(grid_cosine(1.0), h=1)
    assert bound.value is not None
    assert float(bound.value / known) == pytest.approx(1.0, abs=2e-3)
    assert isinstance(bound.value, sp.Rational)


def test_bounds_scale_with_the_grid() -> None:
    small, large = (weiss_weinstein(grid_gaussian(s), domain=(0, 500)).numeric for s in (1.0, 1024.0))
    assert small is not None
    assert large is not None
    assert large / small == pytest.approx(2.0**20, rel=1e-9)


# Routes


@pytest.mark.parametrize("name", COARSE)
@pytest.mark.parametrize("h", [0, 1, 2, 9, 40])
def test_affinities_by_three_routes(name: str, h: int) -> None:
    noise = COARSE[name]
    ball = affinity(noise, h)
    low, high = whole_affinity(noise, h)
    with ctx.workprec(192):
        assert low <= ball.upper()
        assert high >= ball.lower()
        assert float(high - low) < 1e-30
    p = masses(noise, 200)
    summed = np.sqrt(p[: len(p) - h] * p[h:]).sum()
    assert float(ball.mid()) == pytest.approx(summed, abs=1e-12)


def test_affinities_of_fine_laplace_noise_with_tails() -> None:
    noise = grid_laplace(1.0, -10)
    for h in (1, 3000):
        low, high = whole_affinity(noise, h)
        x = h / 2048
        assert float(low.mid()) == pytest.approx(math.exp(-x) * (1 + x), abs=1e-6)
        with ctx.workprec(192):
            assert low <= affinity(noise, h) <= high
            assert float(high - low) < 1e-30


@pytest.mark.parametrize("points", [1, 2, 7, 40])
def test_the_affinity_of_the_prior_by_three_routes(points: int) -> None:
    prior = np.sqrt(sine_prior(points))
    assert (prior**2).sum() == pytest.approx(1.0)
    for h in range(points + 5):
        summed = (prior[: max(points - h, 0)] * prior[h:]).sum() if h < points else 0.0
        assert float(prior_affinity(points, h)) == pytest.approx(summed, abs=1e-14)
        with ctx.workprec(192):
            assert float(grid_error._summed_prior(points, h).mid()) == pytest.approx(summed, abs=1e-14)


def test_chapman_robbins_of_noise_with_full_support() -> None:
    noise = COARSE["laplace"]
    p = masses(noise, 300)
    chi = chi_squared(noise, 2)
    assert chi is not None
    assert float(chi.mid()) == pytest.approx((p[:-2] ** 2 / p[2:]).sum() - 1, rel=1e-9)
    bound = chapman_robbins_on_grid(noise)
    variance = float((p * np.arange(-300, 301) ** 2).sum())
    assert bound.numeric is not None
    assert bound.derivation.check() is Truth.HOLDS
    assert 0.5 * variance < bound.numeric <= variance
    exact = bound.derivation.steps[-1]
    assert replace(exact, left=exact.left * (1 + sp.Rational(1, 10**9))).check() is not Truth.HOLDS
    single = chapman_robbins_on_grid(noise, h=1).numeric
    assert single is not None
    assert single <= bound.numeric


# Derivations


@pytest.mark.parametrize("domain", [None, (0, 30)])
@pytest.mark.parametrize("name", ["laplace", "cosine"])
def test_every_step_holds_and_falls_when_sabotaged(name: str, domain: tuple[int, int] | None) -> None:
    bound = weiss_weinstein(COARSE[name], domain=domain)
    assert bound.derivation.check() is Truth.HOLDS
    assert len(recorded(bound.derivation)) == len(bound.derivation.steps) + 1
    for step in bound.derivation.steps:
        if step.relation == "<=":
            spoilt = Step(
                step.left * (1 + sp.Rational(1, 10**9)) + sp.Rational(1, 10**9),
                "<=",
                step.right,
                step.reason,
                step.how,
            )
        else:
            spoilt = Step(
                step.left * sp.Rational(101, 100) + sp.Rational(1, 7), "=", step.right, step.reason, step.how
            )
        assert spoilt.check() is not Truth.HOLDS, step.reason


def test_a_release_gives_a_bound_for_each_column() -> None:
    release = GridRelease((grid_gaussian(1.0), grid_cosine(2.0)), (0.0, -1.0), (3.0, 1.0))
    one, two = release.mechanism().error_bounds()
    assert one.numeric == weiss_weinstein(release.noises[0], domain=release.ends[0]).numeric
    # The noise alone and the bounds alone both limit what an adversary can be wrong by.
    assert one.numeric is not None
    assert two.numeric is not None
    assert one.numeric < min(1.0, 9 / 12)
    assert two.numeric < 4 * (1 / 3 - 2 / math.pi**2)


@pytest.mark.parametrize(
    "call",
    [
        lambda: weiss_weinstein(COARSE["cosine"], h=0),
        lambda: weiss_weinstein(COARSE["cosine"], releases=0),
        lambda: weiss_weinstein(COARSE["cosine"], domain=(3, 3)),
    ],
)
def test_unusable_arguments_are_refused(call: Callable[[], object]) -> None:
    with pytest.raises(ValueError, match=r"expected|domain"):
        call()
