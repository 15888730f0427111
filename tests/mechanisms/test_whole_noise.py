"""The laws of discrete noise: enclosures against sums and closed forms, moments, half widths, costs and refusals."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, ctx

from noiseproof import SpecError
from noiseproof.mechanisms.whole_noise import DiscreteGaussian, DiscreteLaplace, DiscreteNoise
from noiseproof.mechanisms.whole_noise import gaussian_sums as sums

F = Fraction
SMALL = [
    DiscreteGaussian(F(1, 16)),
    DiscreteGaussian(F(2, 3)),
    DiscreteGaussian(F(9)),
    DiscreteGaussian(F(1000, 3)),
    DiscreteLaplace(F(1, 16)),
    DiscreteLaplace(F(5, 7)),
    DiscreteLaplace(F(12)),
]
LARGE = [
    DiscreteGaussian(F(10**9, 7)),
    DiscreteGaussian(F(1 << 80)),
    DiscreteLaplace(F(10**7, 3)),
    DiscreteLaplace(F(1 << 40)),
]
ALL = SMALL + LARGE


def by_summing(noise: DiscreteNoise, reach: int) -> dict[int, float]:
    """Masses from exp(-rate |k|^power), added up in doubles."""
    weights = {k: math.exp(-float(noise.rate) * abs(k) ** noise.power) for k in range(-reach, reach + 1)}
    total = math.fsum(weights.values())
    return {k: w / total for k, w in weights.items()}


@pytest.mark.parametrize("noise", SMALL, ids=str)
def test_enclosures_hold_what_summing_gives(noise: DiscreteNoise) -> None:
    reach = 60 * math.ceil(noise.standard_deviation()) + 4
    masses = by_summing(noise, reach)
    for k in (0, 1, -1, 2, 5, 17):
        assert float(noise.mass(k).mid()) == pytest.approx(masses[k], rel=1e-12)
        if masses[k] > 1e-300:
            assert noise.log_mass([k])[0] == pytest.approx(math.log(masses[k]), rel=1e-12, abs=1e-14)
        within = math.fsum(masses[j] for j in range(-abs(k), abs(k) + 1))
        assert float(noise.within(abs(k)).mid()) == pytest.approx(within, rel=1e-12)
        outside = math.fsum(p for j, p in masses.items() if abs(j) > abs(k))
        assert float(noise.outside(abs(k)).mid()) == pytest.approx(outside, rel=1e-11)
    assert noise.variance() == pytest.approx(math.fsum(k * k * p for k, p in masses.items()), rel=1e-12)
    assert noise.mean_absolute() == pytest.approx(math.fsum(abs(k) * p for k, p in masses.items()), rel=1e-12)


@pytest.mark.parametrize("noise", ALL, ids=str)
def test_enclosures_are_narrow_and_consistent(noise: DiscreteNoise) -> None:
    s = math.ceil(noise.standard_deviation())
    for m in (0, 1, s, 5 * s, 9 * s):
        inner, outer = noise.within(m), noise.outside(m)
        with ctx.workprec(300):
            assert (inner + outer).contains(1)
            assert outer > 0
            # Two neighbouring tails differ by the two masses between them.
            assert (noise.outside(m) - noise.outside(m + 1)).overlaps(2 * noise.mass(m + 1))
        assert float(outer.rad()) <= 1e-40 * float(outer.mid())
    assert noise.within(-1) == 0
    assert noise.outside(-1) == 1
    assert noise.mass(-s).overlaps(noise.mass(s))


@pytest.mark.parametrize("variance", [F(257), F(300), F(5000, 3)])
@pytest.mark.parametrize("n", [0, 1, 40, 300])
def test_the_two_ways_to_a_gaussian_tail_agree(variance: Fraction, n: int) -> None:
    with ctx.workprec(256):
        added, expanded = sums._added(variance, n, 0), sums._expanded_tail(variance, n)
        assert added.overlaps(expanded)
        assert expanded.rad() < abs(expanded) * arb(2) ** -150
        first = 2 * sums._added(variance, 1, 1)
        assert first.overlaps(2 * sums._expanded_first_moment(variance))


@pytest.mark.parametrize("variance", [F(1, 16), F(1, 3), F(4), F(100)])
def test_poisson_gives_the_sum_over_the_line(variance: Fraction) -> None:
    with ctx.workprec(256):
        assert (2 * sums._added(variance, 0, 0) - 1).overlaps(sums.total(variance))


@pytest.mark.parametrize("noise", ALL, ids=str)
@pytest.mark.parametrize("confidence", [F(1, 2), F(95, 100), 1 - F(1, 10**9), 1 - F(1, 10**30)])
def test_the_half_width_is_the_least_that_is_certain(noise: DiscreteNoise, confidence: Fraction) -> None:
    m = noise.half_width(confidence)
    with ctx.workprec(300):
        level = arb(confidence.numerator) / confidence.denominator
        assert noise.within(m) >= level
        assert m == 0 or noise.within(m - 1) < level
    with ctx.workprec(300):
        assert arb(noise.coverage(m)) <= noise.within(m)
    assert float(confidence) - 4e-16 <= noise.coverage(m) <= 1


def test_half_widths_of_the_normal_law_far_from_the_steps() -> None:
    assert DiscreteGaussian(1 << 60).half_width("0.95") == pytest.approx(1.959963984540054 * 2**30, rel=1e-8)
    assert DiscreteLaplace(1 << 30).half_width(F(95, 100)) == pytest.approx(math.log(20) * 2**30, rel=1e-8)


def test_costs_are_exact_fractions() -> None:
    assert DiscreteGaussian(F(50, 3)).rho(9) == F(27, 100)
    assert DiscreteLaplace(F(7, 2)).epsilon(3) == F(6, 7)
    assert DiscreteGaussian(0.1).proxy == F(1, 10)
    assert DiscreteGaussian(F(5, 2)).parameters() == {"law": "gaussian", "variance": "5/2"}
    assert DiscreteLaplace(F(5, 2)).parameters() == {"law": "laplace", "scale": "5/2"}
    assert DiscreteGaussian(variance="5/2") == DiscreteGaussian(F(5, 2)) != DiscreteGaussian(F(5, 3))


def test_moments_far_from_the_steps_are_those_of_the_real_line() -> None:
    gaussian, laplace = DiscreteGaussian(1 << 80), DiscreteLaplace(1 << 40)
    assert gaussian.variance() == pytest.approx(2.0**80, rel=1e-12)
    assert gaussian.mean_absolute() == pytest.approx(math.sqrt(2 / math.pi) * 2.0**40, rel=1e-12)
    assert laplace.variance() == pytest.approx(2 * 2.0**80, rel=1e-12)
    assert laplace.standard_deviation() == pytest.approx(math.sqrt(2) * 2.0**40, rel=1e-12)


def test_log_masses_keep_the_shape_of_the_numbers() -> None:
    k = np.array([[0, 1], [-(2**62), 2**62]])
    for noise in (DiscreteGaussian(1 << 80), DiscreteLaplace(3)):
        out = noise.log_mass(k)
        assert out.shape == k.shape
        assert np.isfinite(out).all()
        assert out[1, 0] == out[1, 1]


@pytest.mark.parametrize(
    ("make", "word"),
    [
        (lambda: DiscreteGaussian(F(1, 17)), "1/16 to 2\\^80"),
        (lambda: DiscreteGaussian((1 << 80) + 1), "1/16 to 2\\^80"),
        (lambda: DiscreteLaplace((1 << 40) + 1), "1/16 to 2\\^40"),
        (lambda: DiscreteLaplace(0), "1/16 to 2\\^40"),
        (lambda: DiscreteLaplace(True), "a fraction"),
        (lambda: DiscreteGaussian("much"), "a fraction"),
        (lambda: DiscreteGaussian(math.nan), "a fraction"),
        (lambda: DiscreteGaussian(math.inf), "a fraction"),
        (lambda: DiscreteGaussian(None), "a fraction"),
        (lambda: DiscreteGaussian(10**400), "no double can hold"),
        (lambda: DiscreteGaussian(2).half_width(1), "strictly between"),
        (lambda: DiscreteGaussian(2).mass(0.5), "whole number"),
        (lambda: DiscreteGaussian(2).rho(-1), "at least 0"),
        (lambda: DiscreteLaplace(2).epsilon(-1), "at least 0"),
        (lambda: DiscreteLaplace(2).draw(-1, lambda size: np.zeros(size, dtype=np.uint64)), "at least 0"),
    ],
)
def test_what_is_no_parameter_is_refused(make: object, word: str) -> None:
    with pytest.raises(SpecError, match=word):
        make()  # type: ignore[operator]
