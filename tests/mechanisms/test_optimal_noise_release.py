"""Optimal noise under audit: claims of its information and of errors, true ones and others that are 1 % off."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import integrate

import noiseproof as npf
from noiseproof.audit.record.evidence import Verdict
from noiseproof.audit.trial.checks.derivation import DerivationCheck
from noiseproof.audit.trial.examine import bind
from noiseproof.mechanisms.optimal_noise import Box, Disc, Interval, OptimalNoise, WholeSpace, optimal_noise
from noiseproof.symbolic.proof.truth import Truth

SQUARE = [[1, 2], [0, 1]]


def by_derivation(noise: OptimalNoise, claim: npf.Predicate) -> Verdict:
    (bound,) = bind(noise, claim)
    return DerivationCheck(bound).judge(None, None, 0.0).verdict


@pytest.mark.parametrize(
    ("noise", "information"),
    [
        (optimal_noise(Interval(0, 1)), 4 * np.pi**2),
        (optimal_noise(WholeSpace(), 4.0), 2.0),
        (optimal_noise(Box((0, 0), (1, 2))), [[4 * np.pi**2, 0], [0, np.pi**2]]),
        (optimal_noise(WholeSpace(2), 2.0, SQUARE), [[1.0, 1.0], [1.0, 3.0]]),
        (optimal_noise(Interval(0, 1), 0, [0.5, 0.5]), [[np.pi**2, np.pi**2], [np.pi**2, np.pi**2]]),
    ],
)
def test_closed_forms_are_proved_and_one_percent_is_refuted(noise: OptimalNoise, information: Any) -> None:
    assert by_derivation(noise, npf.FisherInformation(information)) is Verdict.PROVED
    for factor in (0.99, 1.01):
        wrong = (factor * np.asarray(information)).tolist()
        assert by_derivation(noise, npf.FisherInformation(wrong)) is Verdict.REFUTED


@pytest.fixture(scope="module")
def priced() -> OptimalNoise:
    return optimal_noise(Interval(-1, 2), 3)


def test_ground_states_are_decided_in_balls(priced: OptimalNoise) -> None:
    """The truth by quadrature of the density, which takes no part in the balls."""

    def density(w: float) -> float:
        return float(priced.density(np.array([[w]]))[0])

    def score(w: float) -> float:
        return float(priced.score(np.array([[w]]))[0, 0])

    truth = integrate.quad(lambda w: score(w) ** 2 * density(w), -1, 2)[0]
    square = integrate.quad(lambda w: w**2 * density(w), -1, 2)[0]
    known = priced.subject().noise_information()
    assert known.enclosed is not None
    assert known.derivation.check() is Truth.HOLDS
    assert abs(float(known.enclosed.information[0, 0].mid()) - truth) < 1e-7
    for factor in (0.99, 1.01):
        assert by_derivation(priced, npf.FisherInformation(factor * truth)) is Verdict.REFUTED
    assert by_derivation(priced, npf.FisherInformation(truth)) is not Verdict.REFUTED
    assert by_derivation(priced, npf.ErrorBound(0.99 / truth)) is Verdict.PROVED
    # Between the bound and the error of the release nothing is known, above the latter it is false.
    assert by_derivation(priced, npf.ErrorBound(1.01 / truth)) is Verdict.UNDECIDED
    assert by_derivation(priced, npf.ErrorBound(1.01 * square)) is Verdict.REFUTED


def test_a_square_query_moves_both_ends() -> None:
    noise = optimal_noise(Box((-1, -1), (1, 1)), 1.0, [[1, 0], [0, 2]])
    moved = noise.subject().noise_information()
    assert moved.numeric == pytest.approx(noise.information_about_input, rel=1e-9)
    assert moved.enclosed is not None
    ball = moved.enclosed.inverse[1, 1]
    assert abs(float(ball.mid()) * noise.information_about_input[1, 1] - 1) < 1e-8
    assert (
        by_derivation(noise, npf.ErrorBound(0.99 * np.trace(np.linalg.inv(moved.numeric)))) is Verdict.PROVED
    )


def test_errors_of_gaussian_noise_are_decided_both_ways() -> None:
    noise = optimal_noise(WholeSpace(2), 2.0, SQUARE)
    assert by_derivation(noise, npf.ErrorBound(1.99)) is Verdict.PROVED
    assert by_derivation(noise, npf.ErrorBound(2.01)) is Verdict.REFUTED


def test_a_mesh_is_attacked_and_not_proved() -> None:
    noise = optimal_noise(Disc(1.0), mesh_size=0.2)
    exact = noise.information
    assert by_derivation(noise, npf.FisherInformation(exact.tolist())) is Verdict.UNDECIDED
    far_off = npf.examine(noise, npf.FisherInformation((0.3 * exact).tolist()), samples=20_000, alpha=0.01)
    assert far_off.verdict is Verdict.REFUTED


def test_divided_noise_has_the_square_of_the_factor_as_information(priced: OptimalNoise) -> None:
    whole, half = priced.subject(), priced.subject().with_noise_divided_by(2.0)
    one, four = whole.noise_information().numeric, half.noise_information().numeric
    assert four == pytest.approx(4 * one)
    w = np.linspace(-0.4, 0.9, 7)[:, None]
    law = half.law(np.zeros(1))
    assert law.log_density(w) == pytest.approx(whole.law(np.zeros(1)).log_density(2 * w) + np.log(2))
    drawn = half.release(np.zeros(1), 4_000, np.random.default_rng(1))
    assert drawn.min() >= -0.5
    assert drawn.max() <= 1.0


def test_an_input_of_the_wrong_length_is_refused() -> None:
    subject = optimal_noise(Interval(0, 1), 0, [0.5, 0.5]).subject()
    assert subject.query([1, 3]) == pytest.approx([2.0])
    with pytest.raises(ValueError, match="input of 2 numbers"):
        subject.query([1.0])
    with pytest.raises(ValueError, match="sensitivity"):
        optimal_noise(Interval(0, 1)).subject(sensitivity=0)
