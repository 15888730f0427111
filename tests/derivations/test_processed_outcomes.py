"""What is left of an outcome's information: held against closed forms and sums, and never more than there was."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import sympy as sp
from mpmath import mp, mpf, ncdf, npdf  # type: ignore[import-untyped]

import noiseproof as npf
from noiseproof.symbolic.proof.truth import Truth

Y = sp.Symbol("y")
MU = sp.Symbol("mu", real=True)
SIGMA, RATE = sp.symbols("sigma rate", positive=True)


@cache
def normal() -> npf.FisherInformationMatrix:
    density = sp.exp(-((Y - MU) ** 2) / (2 * SIGMA**2)) / (SIGMA * sp.sqrt(2 * sp.pi))
    return npf.fisher_information(npf.Law.from_density(density, Y, ("-oo", "oo"), name="normal"), [MU, SIGMA])


@cache
def waiting() -> npf.FisherInformationMatrix:
    return npf.fisher_information(npf.Law.from_density(RATE * sp.exp(-RATE * Y), Y, (0, "oo")), RATE)


@cache
def mixture() -> npf.FisherInformationMatrix:
    density = (0.3 * sp.exp(-(Y**2) / 2) + 0.7 * sp.exp(-((Y - MU) ** 2) / 2)) / sp.sqrt(2 * sp.pi)
    return npf.fisher_information(npf.Law.from_density(density, Y, ("-oo", "oo")), MU)


@cache
def normal_below_one() -> npf.FisherInformationMatrix:
    return normal().censored(upper=1)


AT = {"mu": 0.4, "sigma": 1}


def test_a_censored_normal_has_the_information_of_the_tobit_model() -> None:
    left = normal_below_one()
    assert left.value is not None
    assert left.regular is Truth.HOLDS
    assert left.derivation.check() is Truth.HOLDS
    mu = mpf("0.4")
    # Amemiya 1973, for the mean at a standard deviation of one.
    expected = ncdf(1 - mu) - (1 - mu) * npdf(1 - mu) + npdf(1 - mu) ** 2 / ncdf(mu - 1)
    assert left.at(AT)[0, 0] == pytest.approx(float(expected), rel=1e-12)


def test_a_censored_waiting_time() -> None:
    left = waiting().censored(upper=2)
    assert sp.simplify(left.scalar - (1 - sp.exp(-2 * RATE)) / RATE**2) == 0
    assert left.n(5).scalar == 5 * left.scalar
    assert waiting().n(5).censored(upper=2).scalar == left.n(5).scalar


def test_a_rounded_waiting_time_has_the_information_of_a_geometric_law() -> None:
    """Cells from k - 1/2 to k + 1/2: the first is half as wide, the others are a geometric law."""
    rate, step = mpf("1.5"), mpf("0.5")
    with mp.workdps(30):
        total, edges = mpf(0), [mpf(0)] + [(k + mpf(1) / 2) * step for k in range(200)]
        for a, b in pairwise(edges):
            chance, slope = (
                mp.exp(-rate * a) - mp.exp(-rate * b),
                -a * mp.exp(-rate * a) + b * mp.exp(-rate * b),
            )
            total += slope**2 / chance
    assert waiting().rounded(0.5).at({"rate": 1.5})[0, 0] == pytest.approx(float(total), rel=1e-9)


def test_a_truncated_normal_has_the_covariance_of_its_scores() -> None:
    left = normal().truncated(0, 3)
    with mp.workdps(30):
        density = lambda y: npdf(y - mpf("0.4"))  # noqa: E731
        scores = [lambda y: y - mpf("0.4"), lambda y: (y - mpf("0.4")) ** 2 - 1]
        mass = mp.quad(density, [0, 3])
        mean = lambda f: mp.quad(lambda y: density(y) * f(y), [0, 3]) / mass  # noqa: E731
        means = [mean(s) for s in scores]
        expected = [
            [float(mean(lambda y, a=a, b=b: a(y) * b(y)) - m * n) for b, n in zip(scores, means, strict=True)]
            for a, m in zip(scores, means, strict=True)
        ]
    np.testing.assert_allclose(left.at(AT), expected, rtol=1e-10)


def test_normal_noise_adds_its_variance() -> None:
    noise = npf.Law.from_density(sp.exp(-(Y**2) / 8) / sp.sqrt(8 * sp.pi), Y, ("-oo", "oo"))
    assert normal().noisy(noise).value == sp.Matrix(
        [[1 / (SIGMA**2 + 4), 0], [0, 2 * SIGMA**2 / (SIGMA**2 + 4) ** 2]]
    )


def test_an_unknown_nuisance_costs_what_the_schur_complement_says() -> None:
    shape, scale = sp.symbols("a b", positive=True)
    density = Y ** (shape - 1) * sp.exp(-Y / scale) / (sp.gamma(shape) * scale**shape)
    both = npf.fisher_information(npf.Law.from_density(density, Y, (0, "oo")), [shape, scale])
    left = both.without("b")
    assert sp.simplify(left.scalar - (sp.polygamma(1, shape) - 1 / shape)) == 0
    whole = np.linalg.inv(both.at({"a": 2, "b": 3}))
    assert left.at({"a": 2, "b": 3})[0, 0] == pytest.approx(1 / whole[0, 0])
    with pytest.raises(ValueError, match="no parameter; expected some of a, b"):
        both.without("c")
    with pytest.raises(ValueError, match="not all of them"):
        both.without("a", "b")


@pytest.mark.parametrize("found", [normal, waiting, mixture])
def test_processing_adds_no_information(found: Any) -> None:
    whole = found()
    at = {
        s: v for s, v in {"mu": 0.4, "sigma": 1, "rate": 1.5}.items() if s in map(str, whole.law.free_symbols)
    }
    before = whole.at(at)
    below = normal_below_one() if found is normal else whole.censored(upper=1)
    for after in (below, whole.rounded(1), whole.rounded(0.25), whole.censored(0.1, 0.9)):
        gap = before - after.at(at)
        assert np.linalg.eigvalsh(gap)[0] >= -1e-7, after.reason


def test_a_mixture_is_regular_and_enclosed() -> None:
    """Proved finite by its terms; 30 digits of the integral by mpmath."""
    found = mixture()
    assert found.value is None
    assert found.regular is Truth.HOLDS
    assert {c.name for c in found.conditions if c.truth is Truth.HOLDS} == {c.name for c in found.conditions}
    with mp.workdps(30):

        def score(y: mpf) -> mpf:
            near, far = mp.exp(-(y**2) / 2), mp.exp(-((y - 2) ** 2) / 2)
            return 7 * (y - 2) * far / (3 * near + 7 * far)

        density = lambda y: (3 * npdf(y) + 7 * npdf(y - 2)) / 10  # noqa: E731
        truth = mp.quad(lambda y: score(y) ** 2 * density(y), [-12, -4, 0, 1, 2, 4, 14])
    ((ball,),) = found.enclose({"mu": 2}, 1e-12)
    assert float(ball.rad()) <= 1e-12
    assert abs(float(ball.mid()) - float(truth)) < 2e-12


def test_without_a_value_of_each_parameter_nothing_is_enclosed() -> None:
    for wrong, words in (
        ({}, "a value is needed for mu"),
        ({"nu": 1, "mu": 2}, "nu: no parameter"),
        ([1], "values are given as"),
    ):
        with pytest.raises(ValueError, match=words):
            mixture().enclose(wrong)  # type: ignore[arg-type]
    for tolerance in (0, -1, float("nan"), True, "1e-8"):
        with pytest.raises(ValueError, match="tolerance must be"):
            mixture().enclose({"mu": 2}, tolerance)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda i: i.censored(), "give lower, upper or both"),
        (lambda i: i.censored(2, 1), "lower must lie below upper"),
        (lambda i: i.censored(upper=RATE), "are numbers"),
        (lambda i: i.rounded(0), "step must be a number above 0"),
        (lambda i: i.rounded(-1), "step must be a number above 0"),
        (lambda i: i.noisy(3), "noise is a law with a density"),
        (lambda i: i.noisy(i.law), "independent of the parameters"),
    ],
)
def test_what_cannot_be_done_is_said(ask: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        ask(waiting())


def test_an_irregular_family_leaves_nothing_that_is_known() -> None:
    theta = sp.Symbol("theta", positive=True)
    uniform = npf.fisher_information(npf.Law.from_density(1 / theta, Y, (0, theta)), theta)
    left = uniform.rounded(1)
    assert left.value is None
    assert left.regular is Truth.UNKNOWN
    with pytest.raises(ValueError, match="nothing to enclose"):
        left.enclose({"theta": 2})


def test_vectors_and_counts_are_not_rounded() -> None:
    counts = npf.Law.from_density(sp.exp(-RATE) * RATE**Y / sp.factorial(Y), Y, (0, "oo"), discrete=True)
    with pytest.raises(ValueError, match="is discrete"):
        npf.fisher_information(counts, RATE).rounded(1)
    pair = npf.JointLaw.independent(waiting().law, waiting().law)
    with pytest.raises(ValueError, match="law of vectors"):
        npf.fisher_information(pair, RATE).censored(upper=1)


@pytest.mark.parametrize(
    ("density", "support", "value"),
    [
        # By quadrature of the slope of the convolution, squared, over the convolution (mpmath, 12 digits).
        (sp.Rational(1, 2) * Y**0, (-1, 1), 0.750815140691),
        (sp.exp(-sp.Abs(Y)) / 2, ("-oo", "oo"), 0.368474422725),
    ],
)
def test_other_noise_is_enclosed(density: sp.Expr, support: Any, value: float) -> None:
    bell = sp.exp(-((Y - MU) ** 2) / 2) / sp.sqrt(2 * sp.pi)
    known = npf.fisher_information(npf.Law.from_density(bell, Y, ("-oo", "oo")), MU)
    left = known.noisy(npf.Law.from_density(density, Y, support))
    assert left.regular is Truth.HOLDS
    assert left.at({"mu": 0.4})[0, 0] == pytest.approx(value, abs=2e-8)


def test_a_wrong_integral_over_a_part_falls_by_its_ball(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both sides of the step would come from the same wrong formula; the ball comes by another route."""
    from noiseproof.symbolic.laws import parts_of_line

    honest = parts_of_line.elementary_integral
    monkeypatch.setattr(
        parts_of_line, "elementary_integral", lambda *given: honest(*given) * sp.Rational(101, 100)
    )
    part = parts_of_line.closed_part(waiting().law, sp.Integer(1), (sp.Integer(0), sp.Integer(2)))
    assert part is not None
    assert [step.check() for step in part.steps] == [Truth.FAILS]
