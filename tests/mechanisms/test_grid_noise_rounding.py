"""What grid noise adds for safety: distances to the ideal laws, ends that were cut, floating point, against other arithmetic."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from flint import arb, ctx

from noiseproof.mechanisms.grid_noise import GridNoise, grid_cosine, grid_gaussian, grid_laplace
from noiseproof.mechanisms.grid_noise.column_loss import ColumnLoss, SplitLoss
from noiseproof.mechanisms.grid_noise.half_line import enclosed_renyi, fraction_below, log_mass

NOISES = {
    "laplace": grid_laplace(1.0, -3),
    "laplace, scale below the step": grid_laplace(0.3, 0),
    "laplace, fine": grid_laplace(0.7, -5),
    "gaussian": grid_gaussian(1.3, -2),
    "gaussian, deviation below the step": grid_gaussian(0.4, 0),
    "gaussian, fine": grid_gaussian(0.7, -5),
    "cosine": grid_cosine(2.0, -2),
    "cosine, fine": grid_cosine(0.9, -5),
}


def _ideal(noise: GridNoise, k: int) -> mpmath.mpf:
    """The mass of k in the ideal law but for its sum."""
    s = mpmath.mpf(repr(noise.parameter)) / mpmath.mpf(2) ** noise.exponent
    if noise.kind == "laplace":
        return mpmath.exp(-abs(k) / s)
    if noise.kind == "gaussian":
        return mpmath.exp(-((k / s) ** 2) / 2)
    return mpmath.cos(mpmath.pi * k / (2 * s)) ** 2 if abs(k) < s else mpmath.mpf(0)


def _mass(noise: GridNoise, k: int) -> mpmath.mpf:
    """The mass of k, from the whole numbers that the noise is made of."""
    beyond = abs(k) - noise.last
    if beyond <= 0:
        return mpmath.mpf(noise.weights[k - noise.first]) / 2**128
    r = mpmath.mpf(noise.ratio) / 2**64
    return mpmath.mpf(noise.tail) / 2**128 * (1 - r) * r ** (beyond - 1) if noise.tail else mpmath.mpf(0)


def _distance(noise: GridNoise) -> mpmath.mpf:
    """The total variation to the ideal law, over so many steps that what is left out is far below all of it."""
    with mpmath.workdps(70):
        s = mpmath.mpf(repr(noise.parameter)) / mpmath.mpf(2) ** noise.exponent
        reach = int(s * {"laplace": 150, "gaussian": 17, "cosine": 1}[noise.kind]) + noise.last + 2
        steps = range(-reach, reach + 1)
        ideal = [_ideal(noise, k) for k in steps]
        total = mpmath.fsum(ideal)
        real = [_mass(noise, k) for k in steps]
        return mpmath.fsum(abs(a - b / total) for a, b in zip(real, ideal, strict=True)) / 2


@pytest.mark.parametrize("name", NOISES)
def test_the_stated_distance_is_an_upper_bound_that_is_nearly_reached(name: str) -> None:
    noise = NOISES[name]
    exact, stated = _distance(noise), mpmath.mpf(noise.total_variation)
    assert exact <= stated <= 1.01 * exact


@pytest.mark.parametrize("name", [n for n in NOISES if NOISES[n].tail])
@pytest.mark.parametrize("order", [1.5, 3.0, 17.0])
def test_renyi_divergence_against_the_plain_sum(name: str, order: float) -> None:
    noise, span = NOISES[name], 3
    with mpmath.workdps(50):
        reach = noise.last + 40 * int(noise.parameter * 2.0**-noise.exponent + 1)
        terms = []
        for k in range(-reach, reach + span + 1):
            p, q = _mass(noise, k), _mass(noise, k - span)
            terms.append(p**order * q ** (1 - order))
        plain = mpmath.log(mpmath.fsum(terms)) / (order - 1)
        with ctx.workprec(256):
            found = enclosed_renyi(noise, span, arb(order))
            # What the sum leaves out lies beyond forty scales.
            assert abs(mpmath.mpf(found.mid().str(40, radius=False)) - plain) < 1e-14


@pytest.mark.parametrize("name", NOISES)
@pytest.mark.parametrize("span", [1, 3, 8])
def test_floating_point_never_makes_a_loss_or_a_mass_smaller(name: str, span: int) -> None:
    noise = NOISES[name]
    if not noise.tail and span > 2 * noise.last:
        pytest.skip("the two laws are apart")
    column = ColumnLoss.of(noise, span)
    split = SplitLoss.of(column, 2.0**-6)
    steps = (
        range(noise.first - 1, noise.last + span + 2)
        if noise.tail
        else range(noise.first + span, noise.last + 1)
    )
    assert len(steps) == len(column.loss)
    with ctx.workprec(200):
        for k, loss in zip(steps, column.loss, strict=True):
            exact = log_mass(noise, k) - log_mass(noise, k - span)
            assert arb(float(loss)) + arb(split.raised) >= exact
    outside = Fraction(0) if noise.tail else fraction_below(noise, noise.first + span)
    assert Fraction(column.endless) >= outside
    assert sum(map(Fraction, np.asarray(split.mass).tolist())) + outside >= 1
