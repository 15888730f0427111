"""Parametric families under audit: information and error bounds, with densities, samplers or both."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy as sp
from scipy import stats
from scipy.special import gammaln

import noiseproof as npf
from noiseproof.symbolic import laws

THETA = sp.Symbol("theta", real=True)
R, U, S = npf.Verdict.REFUTED, npf.Verdict.UNDECIDED, npf.Verdict.SURVIVED


def _laplace(scale: float) -> Any:
    return lambda theta, size, rng: theta + rng.laplace(scale=scale, size=size)


def _laplace_density(y: Any, theta: float) -> Any:
    return -np.log(2) - np.abs(y - theta)


def _uniform_density(y: Any, theta: float) -> Any:
    with np.errstate(divide="ignore"):
        return np.log(0.5 * (np.abs(y - theta) < 1))


def _judge(family: npf.Family, claim: Any, **options: Any) -> npf.Verdict:
    return npf.examine(family, claim, samples=20_000, **options).verdict


@pytest.mark.parametrize(
    ("law", "value"),
    [
        (laws.normal(THETA, 2), 0.25),
        (laws.logistic(THETA, 1), 1 / 3),
        (laws.gumbel(THETA, 1), 1.0),
        (laws.student_t(5, THETA, 1), 6 / 8),
        (laws.laplace(THETA, 2), 0.25),
    ],
)
def test_the_information_of_a_law_is_proved_and_one_per_cent_off_is_refuted(
    law: npf.Law, value: float
) -> None:
    family = npf.Family.of_law(law, [THETA], 0.5, location=True)
    [finding] = npf.examine(family, npf.FisherInformation(value), samples=20_000).findings
    assert finding.sentences["law"] is npf.Verdict.PROVED
    assert finding.verdict is S
    assert _judge(family, npf.FisherInformation(value * 1.01)) is R


def test_a_sampler_that_departs_from_its_density_is_refuted() -> None:
    claim = npf.FisherInformation(1.0)
    assert _judge(npf.Family(_laplace(1.0), _laplace_density, 2.0), claim) is S
    certificate = npf.examine(npf.Family(_laplace(0.8), _laplace_density, 2.0), claim, samples=20_000)
    assert certificate.findings[0].sentences["fit"] is R


def test_an_irregular_family_has_no_information_and_no_bound() -> None:
    family = npf.Family(None, _uniform_density, 2.0)
    assert _judge(family, npf.FisherInformation(1.0)) is R
    assert _judge(family, npf.ErrorBound(1 / 3)) is U


def test_the_code_of_a_location_family_refutes_a_bound_that_its_edges_break() -> None:
    def sample(theta: float, size: int, rng: np.random.Generator) -> Any:
        return theta + rng.uniform(-1, 1, size=size)

    assert _judge(npf.Family(sample, None, 2.0, location=True), npf.ErrorBound(1 / 3)) is R


def test_singular_information_is_never_green() -> None:
    a, b = sp.symbols("a b", real=True)
    family = npf.Family.of_law(laws.normal(a + b, 1), [a, b], [0.0, 0.0])
    certificate = npf.examine(family, npf.Claim(npf.ErrorBound(0.1), about="law"))
    assert certificate.verdict is U
    assert certificate.exit_code == 4


def test_adversaries_without_the_restriction_to_unbiased_ones() -> None:
    subject = npf.GaussianMechanism(1.0, 1.0)

    def verdict(value: float) -> npf.Verdict:
        bound = npf.ErrorBound(value, adversary="minimax", domain=(-5.0, 5.0))
        return npf.examine(subject, npf.Claim(bound, about="law")).verdict

    # van Trees with a squared cosine prior of width 10: 1/(1 + 4 pi^2/100) = 0.717; linear minimax: 25/26.
    assert verdict(0.71) is npf.Verdict.PROVED
    assert verdict(0.73) is U
    assert verdict(0.97) is R
    prior = laws.normal(0, 2)
    bayes = [npf.ErrorBound(v, adversary="bayes", prior=prior) for v in (0.8, 0.801)]
    verdicts = [npf.examine(subject, npf.Claim(b, about="law")).verdict for b in bayes]
    assert verdicts == [npf.Verdict.PROVED, R]


def test_where_supports_nest_an_irregular_family_is_answered_with_chapman_robbins() -> None:
    scale = sp.Symbol("scale", positive=True)
    family = npf.Family.of_law(laws.uniform(0, scale), [scale], 1.0)
    certificate = npf.examine(family, npf.Claim(npf.ErrorBound(0.2), about="law"))
    assert certificate.verdict is U
    details = [e.detail for e in certificate.findings[0].evidence if e.check == "derivation"]
    # One outcome of U(0, 1): sup_h h^2 / ((1 - h)^{-1} - 1) = sup_h h (1 - h) = 1/4, at h = 1/2.
    assert "Chapman-Robbins gives at least 0.25" in details[0]


COUNTING: dict[str, tuple[Any, Any, float, float]] = {
    "poisson": (
        lambda t, n, r: r.poisson(t, n),
        lambda y, t: y * np.log(t) - t - gammaln(y + 1),  # enormous between negative numbers
        4.0,
        1 / 4,
    ),
    "masses": (lambda t, n, r: r.poisson(t, n), lambda y, t: stats.poisson.logpmf(y, t), 4.0, 1 / 4),
    "large": (None, lambda y, t: stats.poisson.logpmf(y, t), 3e4, 1 / 3e4),
    "binomial": (
        lambda t, n, r: r.binomial(10, t, n),
        lambda y, t: stats.binom.logpmf(y, 10, t),
        0.3,
        10 / 0.21,
    ),
    "negative": (None, lambda y, t: stats.poisson.logpmf(y + 9, t), 2.0, 1 / 2),
}


@pytest.mark.parametrize("name", COUNTING)
def test_a_family_on_whole_numbers_is_summed_and_its_code_is_counted(name: str) -> None:
    sample, log_density, theta, information = COUNTING[name]
    family = npf.Family(sample, log_density, theta, name=name)
    for factor, verdict in ((1.0, S), (1.01, R)):
        assert (
            npf.examine(family, npf.FisherInformation(factor * information), samples=30_000).verdict
            is verdict
        )
    if sample is not None:
        mutant = npf.Family(lambda t, n, r: sample(1.1 * t, n, r), log_density, theta)
        found = npf.examine(mutant, npf.FisherInformation(information), samples=30_000).findings[0]
        assert [e.verdict for e in found.evidence if e.check == "fit"] == [R]


UNREADABLE: dict[str, tuple[Any, str]] = {
    "moves": (lambda y, t: np.where(y == t, 0.0, -np.inf), "sums to 0"),
    "grows": (lambda y, t: (y - 1) * np.log(1 - t) + np.log(t), "sums to inf"),
    "columns": (lambda y, t: -np.abs(y[:, 0] - t), "IndexError"),
    "rooted": (lambda y, t: -np.sqrt(y - t), "integrates to"),
    "raises": (lambda y, t: 1 / 0, "ZeroDivisionError"),
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_what_is_no_density_is_undecided_and_says_why(name: str) -> None:
    log_density, why = UNREADABLE[name]
    family = npf.Family(lambda t, n, r: r.normal(t, 1, n), log_density, 0.5)
    found = npf.examine(family, npf.FisherInformation(1.0), samples=1_000)
    assert found.verdict is not S
    assert why in next(e.detail for e in found.findings[0].evidence if e.check == "quadrature")
