"""Expectations in balls: held against closed forms and quadrature, and never found where there is none."""

from __future__ import annotations

import mpmath  # type: ignore[import-untyped]
import pytest
import sympy as sp
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st

from noiseproof import Law
from noiseproof.symbolic.laws.enclosed_expectation import enclosed_expectation
from noiseproof.symbolic.proof.enclosure import NotEnclosableError, enclose
from noiseproof.symbolic.proof.growth import NoGrowthError, Scale, growth, located

Y = sp.Symbol("y", real=True)
Z = sp.Symbol("z", positive=True)
PHI = sp.exp(-(Y**2) / 2) / sp.sqrt(2 * sp.pi)
HALF = sp.Rational(1, 2)


@pytest.mark.parametrize(
    ("density", "support", "function", "value"),
    [
        (PHI, (-sp.oo, sp.oo), Y**4, 3),
        (PHI * (1 + sp.erf(3 * Y / sp.sqrt(2))), (-sp.oo, sp.oo), 1, 1),
        (1 / sp.cosh(sp.pi * Y / 2) / 2, (-sp.oo, sp.oo), Y**2, 1),
        (Y ** sp.Rational(-19, 20) / 20, (0, 1), sp.log(Y) ** 2, 800),
        (sp.exp(-(Y**4)) / (2 * sp.gamma(sp.Rational(5, 4))), (-sp.oo, sp.oo), 1, 1),
        (sp.exp(-1 / (2 * Y)) / sp.sqrt(2 * sp.pi) * Y ** sp.Rational(-3, 2), (0, sp.oo), 1, 1),
        (HALF * PHI + HALF * PHI.subs(Y, Y - 1000), (-sp.oo, sp.oo), Y, 500),
        (Y ** sp.Rational(-11, 10) / 10, (1, sp.oo), 1, 1),
        (2 * sp.cos(sp.pi * Y) ** 2, (-HALF, HALF), 4 * sp.pi**2 * sp.tan(sp.pi * Y) ** 2, 4 * sp.pi**2),
        (1 + sp.sin(2 * sp.pi * Y), (0, 1), 1 / (1 + sp.sin(2 * sp.pi * Y)), 1),
        (sp.exp(-sp.Abs(Y - sp.sqrt(2))) / 2, (-sp.oo, sp.oo), Y, sp.sqrt(2)),
    ],
)
def test_known_expectations_are_enclosed(density, support, function, value) -> None:
    law = Law("a law", Y, density, tuple(map(sp.sympify, support)))
    ball = enclosed_expectation(law, sp.sympify(function), 1e-9)
    # The exact value is a ball itself where it is no rational number.
    assert ball.overlaps(enclose(sp.sympify(value)))
    assert float(ball.rad()) <= 1e-9


@pytest.mark.parametrize(
    ("density", "support", "function"),
    [
        (1 / (sp.pi * (1 + Y**2)), (-sp.oo, sp.oo), Y),
        (1 / (sp.pi * (1 + Y**2)), (-sp.oo, sp.oo), Y**2),
        (Y ** sp.Rational(-11, 10) / 10, (1, sp.oo), Y),
        (2 * Y, (0, 1), Y**-2),
        (sp.exp(-Y), (0, sp.oo), sp.exp(Y)),
    ],
)
def test_what_diverges_is_not_enclosed(density, support, function) -> None:
    law = Law("a law", Y, density, tuple(map(sp.sympify, support)))
    with pytest.raises(NotEnclosableError):
        enclosed_expectation(law, function, 1e-6)


def test_sums_are_enclosed() -> None:
    y = sp.Symbol("y")
    poisson = Law.from_density(sp.exp(-2) * 2**y / sp.factorial(y), y, (0, "oo"), discrete=True)
    assert enclosed_expectation(poisson, poisson.variable**2).contains(6)
    rounded = (sp.erf((y + HALF) / sp.sqrt(2)) - sp.erf((y - HALF) / sp.sqrt(2))) / 2
    law = Law.from_density(rounded, y, ("-oo", "oo"), discrete=True)
    # Rounding a normal number adds nearly 1/12 to its variance; the value is a sum of 80 terms in 40 digits.
    with mpmath.workdps(40):
        mass = lambda n: (mpmath.erf((n + 0.5) / mpmath.sqrt(2)) - mpmath.erf((n - 0.5) / mpmath.sqrt(2))) / 2  # noqa: E731
        truth = mpmath.fsum(n**2 * mass(n) for n in range(-40, 41))
    ball = enclosed_expectation(law, law.variable**2)
    assert ball.overlaps(arb(mpmath.nstr(truth, 35)))


def test_masses_that_fall_too_slowly_are_not_added_up() -> None:
    y = sp.Symbol("y")
    zeta = Law.from_density(6 / (sp.pi**2 * y**2), y, (1, "oo"), discrete=True)
    with pytest.raises(NotEnclosableError):
        enclosed_expectation(zeta, 1 / zeta.variable ** sp.Rational(1, 10), 1e-12)


_NUMBERS = st.fractions(min_value=sp.Rational(1, 8), max_value=6, max_denominator=8).map(
    lambda q: sp.Rational(q.numerator, q.denominator)
)


@settings(max_examples=40, deadline=None, derandomize=True)
@given(_NUMBERS, _NUMBERS, _NUMBERS, _NUMBERS)
def test_random_integrands_lie_in_their_growth(a, b, c, d) -> None:
    """At points far out, the expression divided by its scale lies in the ball."""
    for e in (
        Z**a * sp.exp(-b * Z) * (1 + c * sp.exp(-d * Z)) / (1 + Z**2),
        (sp.exp(-a * Z**2) + b * sp.exp(-a * Z**2 + c * Z)) / (1 + d * sp.erf(Z)),
        sp.log(1 + a / Z) * (b + sp.log(Z)) ** 2,
        sp.gamma(Z + a) / sp.gamma(Z + b) * sp.polygamma(0, Z + c) * sp.exp(-d * Z),
        1 - (1 - 1 / Z) ** a,
        sp.exp(-a * sp.sqrt(1 + b * Z)),
        sp.erfc(a * Z + b) * sp.exp(c * Z),
    ):
        found, start = located(e, Z)
        for point in (start, 2 * start, start**2):
            at = sp.Rational(str(int(float(point))))
            value = enclose(e.subs(Z, at), bits=6000)
            held = found.scale.at(arb(int(at))) * found.factor
            assert held.overlaps(value), (e, point)


@settings(max_examples=30, deadline=None, derandomize=True)
@given(_NUMBERS, _NUMBERS)
def test_the_rest_of_an_integral_is_bounded(a, b) -> None:
    e = Z**a * sp.exp(-b * Z)
    found, start = located(e, Z)
    while True:
        try:
            rest = found.beyond(start)
            break
        except NoGrowthError:
            start = start * 2
    truth = float(sp.N(sp.uppergamma(a + 1, b * int(float(start))) / b ** (a + 1)))
    assert truth <= float(abs(rest).upper()) * (1 + 1e-9)


def test_a_growth_that_is_not_there_is_not_found() -> None:
    with pytest.raises(NoGrowthError):
        located(sp.exp(Z**2) / (1 - sp.erf(Z) - sp.erfc(Z)), Z, 8)
    with pytest.raises(NoGrowthError):
        growth(1 / Z, Z, arb(4)).beyond(arb(4))
    with pytest.raises(ValueError, match="at least 3"):
        growth(Z, Z, arb(1))
    assert Scale(sp.Integer(-1)).falls(arb(4))
    assert not Scale(sp.Integer(1)).falls(arb(4))
