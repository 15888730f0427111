"""Discrete noise and choices under audit: profiles against sums, costs proved, tighter claims and halved noise refuted."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp
from flint import arb, ctx

import noiseproof as npf
from noiseproof import Claim, PureDP, RenyiDP, SpecError, Verdict, ZeroConcentratedDP
from noiseproof.audit.trial.checks.quadrature import Quadrature, numerical_profile
from noiseproof.mechanisms.whole_noise import (
    DiscreteGaussian,
    DiscreteLaplace,
    DiscreteNoise,
    DiscreteNoiseMechanism,
    ExponentialMechanism,
)
from noiseproof.mechanisms.whole_noise.outcome import WholeOutcome
from noiseproof.mechanisms.whole_noise.pair import WholePair
from noiseproof.symbolic.proof.enclosure import enclose
from noiseproof.symbolic.proof.truth import Truth

F = Fraction
LAPLACE = DiscreteNoiseMechanism(DiscreteLaplace(F(3)), (5, 7, 0), (6, 7, -2))
GAUSSIAN = DiscreteNoiseMechanism(
    (DiscreteGaussian(F(9)), DiscreteGaussian(F(7, 3)), DiscreteGaussian(F(4))), (5, 7, 0), (6, 7, -2)
)
RHO = float(F(1, 18) + F(4, 8))
CHOICE = ExponentialMechanism((1, 0), (0, 1), F(1), 1, (1, 300))
EVEN = ExponentialMechanism((1, 0), (0, 1), F(1))


def masses(noise: DiscreteNoise, reach: int) -> np.ndarray:
    return np.exp(noise.log_mass(np.arange(-reach, reach + 1)))


@pytest.mark.parametrize(
    "noise",
    [DiscreteGaussian(F(5, 4)), DiscreteGaussian(F(500)), DiscreteLaplace(F(5, 4)), DiscreteLaplace(F(20))],
)
@pytest.mark.parametrize("span", [1, 2, 7])
def test_the_profile_of_one_column_is_the_sum_over_outcomes(noise: DiscreteNoise, span: int) -> None:
    reach = 45 * math.ceil(noise.standard_deviation()) + span
    log = noise.log_mass(np.arange(-reach, reach + 1))
    log_p, log_q = log[:-span], log[span:]
    p, q = np.exp(log_p), np.exp(log_q)
    pair = WholePair(((noise, span, 1),))
    epsilons = np.array([0.0, 0.05, 0.3, 1.0, 2.5])
    expected = [np.maximum(0, q - np.exp(e) * p).sum() for e in epsilons]
    assert pair.delta(epsilons) == pytest.approx(expected, rel=1e-9, abs=1e-13)
    exact = enclose(pair.profile(sp.Rational(3, 10)))
    assert float(exact.mid()) == pytest.approx(expected[2], rel=1e-9, abs=1e-13)
    for order in (F(3, 2), F(2), F(5)):
        a = sp.Rational(order.numerator, order.denominator)
        logs = float(order) * log_q + (1 - float(order)) * log_p
        expected_renyi = math.log(np.exp(logs).sum()) / (float(order) - 1)
        assert float(enclose(pair.renyi(a)).mid()) == pytest.approx(expected_renyi, rel=1e-9)


@pytest.mark.parametrize(
    "noise", [DiscreteGaussian(F(5, 4)), DiscreteGaussian(F(500)), DiscreteLaplace(F(20))]
)
def test_the_computation_sums_over_one_entry_and_sees_a_claim_that_is_a_little_too_strict(
    noise: DiscreteNoise,
) -> None:
    made = DiscreteNoiseMechanism(noise, (3, 4), (3, 9))
    delta = numerical_profile(*(made.law(x) for x in made.neighbours()[0]))
    assert delta is not None
    epsilons = np.array([0.0, 0.3, 1.0])
    assert [delta(e) for e in epsilons] == pytest.approx(made.worst_case().pair.delta(epsilons), rel=1e-9)
    at = float(delta(0.1))
    for share, expected in ((1.0, Verdict.SURVIVED), (0.99, Verdict.REFUTED)):
        check = Quadrature(Claim(npf.ApproxDP(0.1, share * at * (1 + 1e-9)), made, about="law"))
        assert check.judge(None, None, 0.05).verdict is expected


def test_what_is_not_integrated_is_said_without_a_word_on_entries_that_do_not_differ() -> None:
    both = DiscreteNoiseMechanism(DiscreteGaussian(F(9)), (3, 4), (4, 5))
    wide = DiscreteNoiseMechanism(DiscreteGaussian(F(10**12)), (3, 4), (3, 5))
    for made in (both, wide):
        found = Quadrature(Claim(ZeroConcentratedDP(9.0), made, about="law")).judge(None, None, 0.05)
        assert found.verdict is Verdict.UNDECIDED
        assert found.detail.startswith("not integrated: ")


def test_at_a_tie_both_thresholds_give_the_same() -> None:
    pair = WholePair(((DiscreteLaplace(F(2)), 3, 1),))
    for epsilon in (sp.Rational(1, 2), sp.Rational(3, 2), sp.Integer(2)):
        value = enclose(pair.profile(epsilon))
        assert float(value.mid()) == pytest.approx(float(pair.delta(float(epsilon))), abs=1e-15)
    assert pair.profile(sp.Integer(2)) == 0 or enclose(pair.profile(sp.Integer(2))) == 0


def test_the_profile_of_several_columns_lies_between_its_bounds() -> None:
    noise = DiscreteGaussian(F(9))
    p = masses(noise, 120)
    p, q = p[:-1], p[1:]
    both_p, both_q = np.outer(p, p), np.outer(q, q)
    low, high = WholePair(((noise, 1, 2),)).bounds([0.1, 0.5, 1.0])
    for e, least, most in zip((0.1, 0.5, 1.0), low, high, strict=True):
        assert least <= np.maximum(0, both_q - math.exp(e) * both_p).sum() <= most


@pytest.mark.parametrize(
    "noise",
    [
        DiscreteGaussian(F(9, 4)),
        DiscreteGaussian(F(1 << 60)),
        DiscreteLaplace(F(3)),
        DiscreteLaplace(F(1 << 30)),
    ],
)
def test_the_law_in_floating_point_is_the_enclosed_one(noise: DiscreteNoise) -> None:
    law = WholeOutcome((noise,), (5,))
    step = math.ceil(noise.standard_deviation())
    k = np.array([-3.0, -1.0, 0.0, 0.5, 1.0, 2.0]) * step
    k = np.rint(k)
    v = law.uniforms((k + 5)[:, None], np.random.default_rng(0))[:, 0]
    for x, u in zip(k.tolist(), v.tolist(), strict=True):
        m = abs(int(x))
        with ctx.workprec(256):
            below = (1 - noise.within(m)) / 2 if x <= 0 else (1 + noise.within(m)) / 2 - noise.mass(m)
        low = float(below.mid())
        assert low - 1e-8 <= u <= low + float(noise.mass(m).mid()) + 1e-8
    levels = np.array([0.001, 0.3, 0.5, 0.9, 0.9999])
    assert law.uniforms_if_scaled(levels, 1.0) == pytest.approx(levels, abs=1e-9)
    x = law.sample(4_000, np.random.default_rng(1))[:, 0] - 5
    assert (x == np.rint(x)).all()
    assert 0.8 < x.std() / noise.standard_deviation() < 1.25


@pytest.mark.parametrize(
    ("mechanism", "holds", "fails"),
    [
        (LAPLACE, PureDP(1.0), PureDP(0.9)),
        (LAPLACE, ZeroConcentratedDP(0.5), PureDP(0.999)),
        (GAUSSIAN, ZeroConcentratedDP(RHO), ZeroConcentratedDP(0.9 * RHO)),
        (GAUSSIAN, RenyiDP(2.0, 2 * RHO), RenyiDP(2.0, 1.99 * RHO)),
        (GAUSSIAN, RenyiDP(2.5, 2.5 * RHO), PureDP(50.0)),
        (CHOICE, PureDP(1.0), PureDP(0.9)),
        (EVEN, ZeroConcentratedDP(0.125), ZeroConcentratedDP(0.1125)),
    ],
)
def test_exact_costs_are_proved_and_smaller_ones_refuted(
    mechanism: npf.Mechanism, holds: npf.Guarantee, fails: npf.Guarantee
) -> None:
    claims = [Claim(holds, about="law"), Claim(fails, mechanism, about="law", expect="falls")]
    verdicts = [finding.verdict for finding in npf.examine(mechanism, claims, samples=1_000).findings]
    assert verdicts == [Verdict.PROVED, Verdict.REFUTED]


@pytest.mark.parametrize(
    ("mechanism", "claim"),
    [(LAPLACE, PureDP(1.0)), (GAUSSIAN, ZeroConcentratedDP(RHO)), (CHOICE, PureDP(1.0))],
)
def test_the_code_survives_and_half_the_noise_falls(
    mechanism: DiscreteNoiseMechanism | ExponentialMechanism, claim: npf.Guarantee
) -> None:
    control = Claim(claim, mechanism.with_noise_divided_by(2), expect="falls")
    certificate = npf.examine(mechanism, [Claim(claim), control], samples=30_000, seed=3)
    assert [f.verdict for f in certificate.findings] == [Verdict.SURVIVED, Verdict.REFUTED]
    attacks = [e for f in certificate.findings for e in f.evidence if e.check == "likelihood ratio"]
    assert [e.verdict for e in attacks] == [Verdict.SURVIVED, Verdict.REFUTED]


def test_code_with_half_the_noise_of_its_law_does_not_fit() -> None:
    class Wrong(DiscreteNoiseMechanism):
        def release(self, data, size, rng):  # type: ignore[no-untyped-def]
            return DiscreteNoiseMechanism.release(self.with_noise_divided_by(2), data, size, rng)

    wrong = Wrong(DiscreteGaussian(F(9)), (5, 7), (6, 7))
    certificate = npf.examine(wrong, ZeroConcentratedDP(0.1), samples=20_000, seed=4)
    fit = next(e for e in certificate.findings[0].evidence if e.check == "fit")
    assert certificate.verdict is Verdict.REFUTED
    assert fit.verdict is Verdict.REFUTED
    assert "0.5 times" in fit.detail


def test_a_loss_range_gives_a_quarter_of_the_rho_that_the_largest_loss_gives() -> None:
    pair = EVEN.worst_case().pair
    length = pair.loss_range()
    assert length is not None
    with ctx.workprec(128):
        assert abs(enclose(length) - 1) < arb(2) ** -60
    assert ZeroConcentratedDP(0.125).holds(pair) is Truth.HOLDS
    assert WholePair(((DiscreteLaplace(F(2)), 1, 1),)).loss_range() is None


def test_every_step_of_the_pairs_holds() -> None:
    for mechanism in (LAPLACE, GAUSSIAN, CHOICE):
        pair = mechanism.worst_case().pair
        assert pair.steps()
        assert all(step.check() is Truth.HOLDS for step in pair.steps())


def test_a_vector_that_does_not_fit_is_refused() -> None:
    noise = DiscreteGaussian(F(4))
    for make, word in (
        (lambda: DiscreteNoiseMechanism(noise, (1, 2), (1,)), "same number"),
        (lambda: DiscreteNoiseMechanism(noise, (1, 2), (1, 2)), "equal"),
        (lambda: DiscreteNoiseMechanism(noise, (1, 2), (1, 2.5)), "whole numbers"),  # type: ignore[arg-type]
        (lambda: DiscreteNoiseMechanism(noise, (1,), (1 << 53,)), "2\\^52"),
        (lambda: DiscreteNoiseMechanism((noise,), (1, 2), (1, 3)), "one for each"),
        (lambda: ExponentialMechanism((0, 3), (0, 0), 1), "at most the sensitivity"),
        (lambda: ExponentialMechanism((0, 3), (0,), 1), "same number"),
    ):
        with pytest.raises(SpecError, match=word):
            make()
