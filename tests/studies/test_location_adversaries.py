"""Adversaries who know the shape of the noise: Pitman, maximum likelihood, and the censored estimator."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
import sympy as sp
from adversary_trials import CensoredLaplace, MaximumLikelihood, Pitman, attack, efficiency, efficient_exists
from scipy import integrate

from noiseproof.symbolic import laws
from noiseproof.symbolic.information.fisher import location_information
from noiseproof.symbolic.proof.truth import Truth

R = sp.Rational
COSINE = laws.cosine_squared(-1, 2)


def test_no_efficient_estimator_exists_but_for_normal_noise() -> None:
    theta = sp.Symbol("s", positive=True)
    for law, truth, share in (
        (laws.normal(0, 2), Truth.HOLDS, R(1)),
        (COSINE, Truth.FAILS, 3 / (sp.pi**2 - 6)),
        (laws.laplace(0, 3), Truth.FAILS, R(1, 2)),
        (laws.logistic(0, 1), Truth.FAILS, 9 / sp.pi**2),
        (laws.normal(0, theta), Truth.HOLDS, R(1)),
    ):
        assert efficient_exists(law)[0] is truth
        assert sp.simplify(efficiency(law) - share) == 0


@pytest.mark.parametrize(
    ("law", "reference"),
    [
        (laws.normal(1, 2), lambda y: y.mean(1) - 1),
        (laws.uniform(0, 1), lambda y: (y.max(1) + y.min(1)) / 2 - 0.5),
    ],
)
def test_pitman_has_its_closed_forms(law: Any, reference: Any) -> None:
    y = law.sample((500, 4), np.random.default_rng(0))
    assert Pitman(law, 4)(y)[:, 0] == pytest.approx(reference(y), abs=1e-6)
    shifted = Pitman(law, 4)(y + 7.0)
    assert shifted == pytest.approx(Pitman(law, 4)(y) + 7.0, abs=1e-6)


@pytest.mark.parametrize("law", [COSINE, laws.laplace(0, 1), laws.student_t(3), laws.gumbel(0, 2)])
def test_pitman_is_the_quotient_of_two_integrals(law: Any) -> None:
    y = law.sample((3, 3), np.random.default_rng(1))
    found = Pitman(law, 3)(y)[:, 0]
    for row, value in zip(y, found, strict=True):
        low, high = row.min() - 60, row.max() + 60
        if np.isfinite(law.ends()[0]):
            low, high = row.max() - law.ends()[1], row.min() - law.ends()[0]

        def likelihood(t: float, row: Any = row) -> float:
            return float(np.exp(law.log_pdf(row - t).sum()))

        inner = [p for p in np.sort(row) if low < p < high]
        top, bottom = (
            integrate.quad(lambda t, p=p: t**p * likelihood(t), low, high, points=inner or None, limit=400)[0]
            for p in (1, 0)
        )
        assert value == pytest.approx(top / bottom, abs=2e-5)


def test_maximum_likelihood_is_the_median_of_laplace_and_the_mode_for_one_response() -> None:
    y = np.random.default_rng(0).laplace(size=(200, 5))
    assert MaximumLikelihood(laws.laplace(0, 1), 5)(y)[:, 0] == pytest.approx(np.median(y, axis=1), abs=1e-4)
    gumbel = laws.gumbel(0.5, 2)
    assert MaximumLikelihood(gumbel)(np.array([[3.0]]))[0, 0] == pytest.approx(2.5, abs=1e-4)
    assert Pitman(gumbel)(np.array([[3.0]]))[0, 0] == pytest.approx(3 - 0.5 - 2 * float(sp.EulerGamma))


def test_several_entries_are_estimated_each_from_its_own_responses() -> None:
    y = np.random.default_rng(0).normal(size=(10, 6))
    joint = Pitman(laws.normal(0, 1), responses=3, entries=2)(y)
    assert joint == pytest.approx(y.reshape(10, 3, 2).mean(axis=1), abs=1e-6)


def test_more_responses_bring_pitman_nearer_to_the_bound() -> None:
    information = location_information(COSINE)
    assert information.numeric is not None
    shares = []
    for k in (1, 3, 9):
        bound = 1 / (k * float(information.numeric[0, 0]))

        def release(x: Any, n: int, rng: np.random.Generator, k: int = k) -> Any:
            return x[0] + COSINE.sample((n, k), rng)

        found = attack(bound, release, [0.0], Pitman(COSINE, k), samples=4_000, seed=1)
        assert not found.below
        shares.append(found.efficiency)
    assert shares[0] < shares[1] < shares[2] < 1


def test_the_censored_estimator_is_unbiased_and_nears_the_bound_on_short_intervals() -> None:
    for width, least in ((4.0, 0.5), (1.0, 0.7), (0.1, 0.95)):
        estimator = CensoredLaplace(1.0, -width / 2, width / 2)
        for mu in (-width / 2, 0.0, width / 4):
            pieces = [-60, -width / 2, mu, width / 2, 60]
            moments = [
                sum(
                    integrate.quad(
                        lambda y, p=p, mu=mu, e=estimator: (
                            float(e(np.array(y))) ** p * np.exp(-abs(y - mu)) / 2
                        ),
                        a,
                        b,
                    )[0]
                    for a, b in itertools.pairwise(pieces)
                )
                for p in (1, 2)
            ]
            assert moments[0] == pytest.approx(mu, abs=1e-8)
            assert moments[1] - mu**2 == pytest.approx(estimator.variance(mu), abs=1e-8)
            assert 1 < estimator.variance(mu) < 2
        assert 1 / estimator.variance(0.0) > least
