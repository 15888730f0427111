"""The maximum-likelihood adversary: its bias and error are measured, said, and never decide."""

from __future__ import annotations

import re

import numpy as np
import pytest
import sympy as sp
from scipy import stats

import noiseproof as npf
from noiseproof.audit.trial.attack.block_estimates import maximum_likelihood


def evidence(
    family: npf.Family, claim: npf.ErrorBound | npf.FisherInformation, samples: int = 20_000
) -> npf.Evidence:
    certificate = npf.examine(family, claim, samples=samples, seed=5)
    assert npf.Certificate.from_json(certificate.to_json()).verdict is certificate.verdict
    return next(e for e in certificate.findings[0].evidence if e.check == "maximum likelihood")


def numbers(detail: str) -> list[tuple[float, float, float]]:
    """Measured error over the claimed one, and its interval."""
    found = re.findall(
        r"error ([\d.]+) times what is claimed for the sample, confidence interval from ([\d.]+) to ([\d.]+\d)",
        detail,
    )
    return [tuple(map(float, row)) for row in found]  # type: ignore[misc]


def test_it_finds_the_maximum() -> None:
    y = np.random.default_rng(1).exponential(2.0, 400)
    found = maximum_likelihood(lambda v, t: stats.expon.logpdf(v, scale=t), 2.0, y)
    assert found == pytest.approx(y.mean(), rel=1e-3)
    assert np.isnan(maximum_likelihood(lambda v, t: 1 / 0 * v, 2.0, y))


def test_its_error_is_that_of_the_bound_where_it_is_efficient() -> None:
    family = npf.Family(
        lambda t, n, r: r.exponential(t, n),
        lambda v, t: stats.expon.logpdf(v, scale=t),
        2.0,
        name="exponential",
    )
    found = evidence(family, npf.ErrorBound("t**2", domains={"t": (0, "oo")}))
    ((measured, low, high),) = numbers(found.detail)
    assert found.verdict.name == "UNDECIDED"
    assert low < measured < high
    assert 0.75 < measured < 1.25
    half = evidence(family, npf.ErrorBound("t**2/2", domains={"t": (0, "oo")}))
    assert numbers(half.detail)[0][0] > 1.5


def test_an_unbiased_statistic_of_the_law_plays_too() -> None:
    y, s = sp.Symbol("y"), sp.Symbol("s", positive=True)
    law = npf.Law.from_density(sp.exp(-y / s) / s, y, (0, "oo"), name="exponential")
    found = evidence(npf.Family.of_law(law, [s], 2.0), npf.ErrorBound("s**2"))
    assert "mean of y, unbiased by derivation" in found.detail
    assert len(numbers(found.detail)) == 2


def test_its_bias_in_small_samples_is_said() -> None:
    """The likelihood's shape of a gamma law is too large on average: about 3 k / n for samples of n."""
    family = npf.Family(
        lambda t, n, r: r.gamma(t, 1.0, n), lambda v, t: stats.gamma.logpdf(v, t), 2.5, name="gamma"
    )
    detail = evidence(family, npf.FisherInformation("trigamma(t)", domains={"t": (0, "oo")})).detail
    assert re.search(r"bias -?[\d.e-]+, confidence interval from -?[\d.e-]+ to -?[\d.e-]+", detail)


def test_too_few_outcomes_of_a_call_are_no_sample() -> None:
    family = npf.Family(
        lambda t, n, r: r.gamma(t, 1.0, n), lambda v, t: stats.gamma.logpdf(v, t), 2.5, name="gamma"
    )
    found = evidence(family, npf.FisherInformation("trigamma(t)", domains={"t": (0, "oo")}), samples=500)
    assert found.detail == "no call had 20 outcomes that are single numbers"
