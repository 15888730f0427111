"""Laws: mass one, exact moments, and several routes to each number that must agree with the one density."""

from __future__ import annotations

import time
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

from noiseproof.symbolic.laws.catalogue import (
    cosine_squared,
    discrete,
    gumbel,
    laplace,
    logistic,
    mixture,
    normal,
    student_t,
    triangular,
    truncated,
    uniform,
)
from noiseproof.symbolic.laws.finite import DiscreteLaw
from noiseproof.symbolic.laws.law import VARIABLE, Law

M = sp.Symbol("m", real=True)
S = sp.Symbol("s", positive=True)

LAWS: dict[str, Law] = {
    "normal": normal(0.3, 1.7),
    "laplace": laplace(-0.4, 0.6),
    "logistic": logistic(1, 0.5),
    "student": student_t(5, 0.2, 1.5),
    "gumbel": gumbel(0.5, 2),
    "uniform": uniform(-1, 2.5),
    "triangular": triangular(-1, 0.5, 3),
    "triangular at an end": triangular(0, 0, 2),
    "cosine": cosine_squared(-2, 5),
    "truncated normal": truncated(normal(0.5, 2), -1, 3),
    "truncated student": truncated(student_t(3), -1, 2),
    "truncated student, even": truncated(student_t(4, 0.5), -2, 3),
    "truncated tail": truncated(normal(), 4, 6),
    "mixture": mixture([0.3, 0.7], [normal(-1, 0.5), normal(2, 1.5)]),
    "mixed supports": mixture([0.5, 0.5], [uniform(0, 1), uniform(0, 2)]),
    "scaled down": gumbel(0, 1).scale(-2).shift(0.7),
}
each = pytest.mark.parametrize("law", LAWS.values(), ids=LAWS.keys())


def _range(law: Law) -> tuple[float, float]:
    low, high = law.quantile([0.0, 1.0])
    return float(low), float(high)


def _integral(law: Law, function, a: float, b: float) -> float:  # type: ignore[no-untyped-def]
    """Independent of the package's own quadrature: QUADPACK on the density alone."""
    cuts = [a, *(float(q) for q in law.quantile(np.linspace(0.001, 0.999, 25)) if a < q < b), b]
    cuts += [float(x) for x in (-0.4, 0.5, 1.0) if a < x < b]
    cuts = sorted(cuts)
    return sum(
        integrate.quad(lambda y: function(y) * law.pdf(y), lo, hi, epsabs=1e-12)[0]
        for lo, hi in pairwise(cuts)
    )


@each
def test_mass_is_one_by_two_routes(law: Law) -> None:
    mass = law.mass()
    assert float(mass) == pytest.approx(1, abs=1e-12)
    assert _integral(law, lambda y: 1.0, *_range(law)) == pytest.approx(1, abs=1e-8)


@each
def test_moments_agree_with_quadrature(law: Law) -> None:
    mean, variance = float(law.mean().evalf()), float(law.variance().evalf())
    ends = _range(law)
    assert _integral(law, lambda y: y, *ends) == pytest.approx(mean, abs=1e-7)
    assert _integral(law, lambda y: (y - mean) ** 2, *ends) == pytest.approx(variance, rel=1e-6)


@each
def test_distribution_function_has_the_density_as_slope(law: Law) -> None:
    levels = np.linspace(0.03, 0.97, 9)
    y = law.quantile(levels)
    assert law.cdf(y) == pytest.approx(levels, abs=1e-9)
    for (a, b), area in zip(pairwise(y), np.diff(levels), strict=True):
        assert _integral(law, lambda _: 1.0, float(a), float(b)) == pytest.approx(area, abs=1e-8)
    if law.distribution is not None:
        f = sp.lambdify(law.variable, sp.diff(law.distribution, law.variable), ["numpy", "scipy"])
        assert np.array([float(f(v)) for v in y]) == pytest.approx(law.pdf(y), rel=1e-9)


@each
def test_the_table_needs_no_attached_route(law: Law) -> None:
    alone = replace(law, route=None)
    levels = np.linspace(0.01, 0.99, 23)
    y = law.quantile(levels)
    assert alone.cdf(y) == pytest.approx(levels, abs=1e-8)
    assert alone.quantile(levels) == pytest.approx(y, rel=1e-6, abs=1e-7)
    drawn = alone.sample(20_000, np.random.default_rng(5))
    assert stats.kstest(drawn, law.cdf).pvalue > 1e-4


@each
def test_samples_follow_the_distribution_function(law: Law) -> None:
    drawn = law.sample((100, 300), np.random.default_rng(3))
    assert drawn.shape == (100, 300)
    assert np.array_equal(drawn, law.sample((100, 300), np.random.default_rng(3)))
    assert stats.kstest(drawn.ravel(), law.cdf).pvalue > 1e-4


@each
def test_score_is_the_slope_of_the_log_density(law: Law) -> None:
    y = law.quantile(np.array([0.11, 0.31, 0.62, 0.83]))
    score = np.array([float(law.score().subs(law.variable, v)) for v in y])
    h = 1e-5
    assert score == pytest.approx((law.log_pdf(y + h) - law.log_pdf(y - h)) / (2 * h), rel=1e-4, abs=1e-6)


@pytest.mark.parametrize(
    "density",
    [
        -sp.log(VARIABLE),
        -6 * VARIABLE * (VARIABLE - 1),
        4 * (1 - VARIABLE) ** 3,
        12 * (VARIABLE - sp.Rational(1, 2)) ** 2,
    ],
)
def test_factors_of_either_sign_make_a_density(density: sp.Expr) -> None:
    law = Law("factors", VARIABLE, density, (sp.Integer(0), sp.Integer(1)))
    levels = np.array([0.125, 0.375, 0.75])
    heights = [float(density.subs(VARIABLE, x)) for x in levels]
    assert law.pdf(levels) == pytest.approx(heights)
    assert law.cdf(law.quantile(levels)) == pytest.approx(levels)


def test_a_wrong_route_is_noticed() -> None:
    planted = replace(normal(0, 1), route=normal(0, 1.01).route)
    levels = np.linspace(0.03, 0.97, 9)
    with pytest.raises(AssertionError):
        assert replace(planted, route=None).cdf(planted.quantile(levels)) == pytest.approx(levels, abs=1e-8)


def test_a_wrong_constant_is_noticed() -> None:
    law = normal()
    planted = Law(
        "planted", law.variable, law.density * sp.Rational(101, 100), law.support, charts=law.charts
    )
    assert planted.mass() == sp.Rational(101, 100)
    with pytest.raises(ValueError, match="expected 1"):
        planted.cdf(0.0)


@pytest.mark.parametrize(
    ("law", "mean", "variance"),
    [
        (normal(M, S), M, S**2),
        (laplace(M, S), M, 2 * S**2),
        (logistic(M, S), M, sp.pi**2 * S**2 / 3),
        (student_t(5, M, S), M, 5 * S**2 / 3),
        (gumbel(M, S), M + sp.EulerGamma * S, sp.pi**2 * S**2 / 6),
        (uniform(M, M + S), M + S / 2, S**2 / 12),
        (cosine_squared(-S, S), 0, S**2 * (sp.Rational(1, 3) - 2 / sp.pi**2)),
        (triangular(0, 1, 3), sp.Rational(4, 3), sp.Rational(7, 18)),
        (student_t(2), 0, sp.oo),
        (mixture(["0.3", "0.7"], [normal(), normal(2, 3)]), sp.Rational(7, 5), sp.Rational(186, 25)),
    ],
    ids=lambda v: v.name if isinstance(v, Law) else None,
)
def test_exact_moments(law: Law, mean: sp.Expr, variance: sp.Expr) -> None:
    assert law.mass() == 1
    assert sp.simplify(law.mean() - mean) == 0
    found = law.variance()
    assert found == variance or sp.simplify(found - variance) == 0


def test_moments_that_do_not_exist() -> None:
    assert student_t(1).mean() in (sp.nan, sp.oo)
    assert student_t(1).variance() is sp.nan


def test_tails_neither_underflow_nor_overflow() -> None:
    far = np.array([-5000.0, 5000.0])
    assert normal().log_pdf(far) == pytest.approx(-(far**2) / 2 - np.log(2 * np.pi) / 2)
    assert logistic().log_pdf(far) == pytest.approx([-5000, -5000])
    assert laplace(1, 2).log_pdf(far) == pytest.approx(-np.abs(far - 1) / 2 - np.log(4))
    assert student_t(3).log_pdf(far) == pytest.approx(stats.t(3).logpdf(far))
    assert mixture([0.5, 0.5], [normal(), normal(1)]).log_pdf(5000.0) == pytest.approx(
        normal(1).log_pdf(5000.0) - np.log(2)
    )
    assert np.all(uniform(0, 1).log_pdf([-0.1, 1.1]) == -np.inf)
    assert np.isnan(normal().log_pdf(np.nan))
    assert truncated(normal(), 30, 31).quantile(0.5) == pytest.approx(30.0230, abs=1e-3)


@settings(deadline=None, max_examples=25)
@given(
    st.sampled_from(sorted(LAWS)),
    st.integers(-30, 30).map(lambda k: k / 8),
    st.integers(1, 30).map(lambda k: k / 8),
    st.booleans(),
)
def test_shift_and_scale_change_variables(name: str, c: float, a: float, down: bool) -> None:
    law, factor = LAWS[name], -a if down else a
    image = law.scale(factor).shift(c)
    u = np.array([0.1, 0.4, 0.9])
    y = law.quantile(u)
    assert image.pdf(factor * y + c) == pytest.approx(law.pdf(y) / a, rel=1e-9)
    assert image.quantile(1 - u if down else u) == pytest.approx(factor * y + c, rel=1e-8, abs=1e-9)


@settings(deadline=None, max_examples=4)
@given(st.integers(-20, 20), st.integers(1, 20))
def test_shift_and_scale_of_exact_moments(c: int, a: int) -> None:
    for law in (gumbel(M, S), laplace(M, S), triangular(0, 1, 3)):
        image = law.scale(sp.Rational(a, 4)).shift(c)
        assert sp.simplify(image.mean() - (sp.Rational(a, 4) * law.mean() + c)) == 0
        assert sp.simplify(image.variance() - sp.Rational(a, 4) ** 2 * law.variance()) == 0


def test_decimals_are_read_as_written() -> None:
    assert normal(0, 0.1).variance() == sp.Rational(1, 100)
    assert mixture([0.1, 0.2, 0.7], [normal(), normal(1), normal(2)]).mass() == 1


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: normal(0, 0), "sd must be > 0"),
        (lambda: laplace(0, -1), "scale must be > 0"),
        (lambda: student_t(-1), "dof must be > 0"),
        (lambda: normal(float("nan"), 1), "finite"),
        (lambda: normal(0, sp.Symbol("q", real=True)), "positive=True"),
        (lambda: normal(sp.Symbol("q")), "real=True"),
        (lambda: normal(sp.Symbol("y", real=True)), "variable of the law"),
        (lambda: uniform(1, 1), "lo must be below hi"),
        (lambda: triangular(0, 4, 3), "mode must lie between"),
        (lambda: truncated(uniform(0, 1), -1, 1), "inside the support"),
        (lambda: mixture([0.5, 0.6], [normal(), normal(1)]), "sum to 1"),
        (lambda: mixture([1], [normal(), normal(1)]), "as many weights"),
        (lambda: discrete([0, 1], [0.5, 0.6]), "sum to 1"),
        (lambda: discrete([0, 0], [0.5, 0.5]), "distinct"),
        (lambda: discrete([0, 1], [1.5, -0.5]), ">= 0"),
        (lambda: normal(M, 1).pdf(0.0), "free parameters m"),
        (lambda: laplace(0, S).at({S: -1}), "contradicts"),
        (lambda: normal(0, S).at({S: 0}), "contradicts"),
        (lambda: discrete([0, S], [0.5, 0.5]).at({S: -1}), "contradicts"),
        (lambda: normal().quantile(1.5), "levels"),
        (lambda: normal().scale(0), "positive or negative"),
    ],
)
def test_bad_parameters_are_named(make, message: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ValueError, match=message):
        make()


def test_discrete_numbers() -> None:
    law = discrete([3, -1, 0.5], [0.2, 0.3, 0.5])
    assert isinstance(law, DiscreteLaw)
    assert law.discrete
    assert law.mass() == 1
    assert law.mean() == sp.Rational(11, 20)
    assert law.pdf([-1, 0.5, 3, 7]).tolist() == [0.3, 0.5, 0.2, 0.0]
    assert law.cdf([-2, -1, 0, 0.5, 4]) == pytest.approx([0, 0.3, 0.3, 0.8, 1])
    assert law.quantile([0, 0.3, 0.31, 0.8, 1]).tolist() == [-1, -1, 0.5, 0.5, 3]
    drawn = law.sample(30_000, np.random.default_rng(0))
    assert np.mean(drawn == 0.5) == pytest.approx(0.5, abs=0.02)
    moved = law.scale(-2).shift(1)
    assert moved.mean() == 1 - 2 * law.mean()
    assert moved.variance() == 4 * law.variance()


def test_discrete_words() -> None:
    p = sp.Symbol("p", positive=True)
    law = discrete(["yes", "no"], [p, 1 - p])
    assert law.mass() == 1
    fixed = law.at({p: 0.25})
    assert fixed.pdf(["no", "yes", "maybe"]).tolist() == [0.75, 0.25, 0.0]
    assert set(fixed.sample(100, np.random.default_rng(1))) == {"yes", "no"}
    with pytest.raises(ValueError, match="numbers"):
        fixed.mean()


def test_three_million_numbers_at_a_time() -> None:
    start = time.process_time()
    drawn = laplace().sample(3_000_000, np.random.default_rng(0))
    assert np.isfinite(laplace().log_pdf(drawn)).all()
    assert time.process_time() - start < 5
