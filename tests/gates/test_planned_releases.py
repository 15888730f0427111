"""Where no law is known a plan says for which release exactly at the claim its number is, and each number is right."""

from __future__ import annotations

import numpy as np
import pytest
from counted_refutations import as_black_box, refuted
from statsmodels.stats.proportion import proportion_confint

import noiseproof as npf
from noiseproof.audit.trial.planning.at_the_claim import GAUSSIAN, LAPLACE, noise_at
from noiseproof.audit.trial.planning.plan import plan_all

POINT = npf.ApproxDP(1.0, 1e-5)


def test_laplace_noise_at_a_claim_is_that_of_the_closed_form() -> None:
    noise = noise_at(LAPLACE, npf.ApproxDP(1.0, 0.01))
    assert noise is not None
    assert noise.parameters()["epsilon"] == pytest.approx(1 - 2 * np.log(0.99), rel=1e-9)
    assert noise_at(LAPLACE, npf.PureDP(2_000.0)) is noise_at(GAUSSIAN, npf.PureDP(1.0)) is None


def at_the_claim(release: str, factor: float) -> tuple[npf.BlackBox, npf.Guarantee]:
    """Code of unknown law, and what it breaks by `factor`."""
    noise = noise_at(release, POINT) if release != "worst case" else None
    if noise is not None:
        return as_black_box(npf.Mutant.noise_divided_by(noise, factor)), POINT
    masses = np.array(POINT.attained_pair().p, dtype=float)  # type: ignore[attr-defined]
    box = npf.BlackBox(
        lambda x, size, rng: rng.choice(4, size, p=masses if x else masses[::-1]), inputs=(0, 1)
    )
    return box, POINT.tightened(factor)


@pytest.mark.parametrize("audits", [8, pytest.param(300, marks=pytest.mark.long)])
@pytest.mark.parametrize(
    ("release", "factor"), [("worst case", 1.5), ("Gaussian noise", 4.0), ("Laplace noise", 1.5)]
)
def test_the_size_for_each_release_at_a_claim_is_right_within_a_third(
    release: str, factor: float, audits: int
) -> None:
    needed = npf.sample_size(None, POINT, factor, release=release).samples
    assert needed is not None
    subject, claim = at_the_claim(release, factor)
    enough = refuted(subject, claim, round(1.3 * needed), audits)
    assert proportion_confint(enough, audits, alpha=0.002, method="beta")[1] >= 0.95
    few = refuted(subject, claim, round(needed / 1.3), audits) if audits > 100 else 0
    assert proportion_confint(few, audits, alpha=0.002, method="beta")[0] <= 0.95


def test_noise_at_an_approximate_claim_needs_far_more_than_the_worst_case() -> None:
    plans, skipped = plan_all([npf.Claim(POINT)], resolution=1.05)
    worst, gaussian, laplace = plans
    assert [p.release for p in plans] == [
        "tight pair (randomised response), easiest to detect",
        "Gaussian noise",
        "Laplace noise",
    ]
    assert (worst.samples or 0) < 0.5 * (laplace.samples or 0)
    assert (gaussian.samples, skipped) == (None, ())
    assert gaussian.reason.startswith("out of reach")
    found = npf.resolution_at(None, POINT, 10**6, release="Gaussian noise").resolution
    assert 1.2 < (found or 0) < 1.5
    assert npf.sample_size(None, npf.ApproxDP(1.0, 1e-9), 4.0, release="Gaussian noise").samples


def test_code_without_a_law_has_a_row_for_each_release_and_no_gaussian_is_pure() -> None:
    box = npf.BlackBox(lambda x, size, rng: x + rng.laplace(size=size), (0.0, 1.0), name="code")
    plans, skipped = plan_all([npf.Claim(npf.PureDP(1.0), box)], samples=1_000)
    assert [(p.subject, p.release[:10]) for p in plans] == [("code", "tight pair"), ("code", "Laplace no")]
    assert skipped == ("Gaussian noise satisfies epsilon-DP for no finite epsilon",)
    plans, _ = plan_all([npf.Claim(npf.GaussianDP(1.0))], samples=1_000)
    assert [p.release for p in plans] == ["tight pair (Gaussian noise), easiest to detect", "Laplace noise"]
