"""Expectations of functions with kinks and jumps are those of mpmath, whatever the law and wherever the border lies."""

from __future__ import annotations

import mpmath
import pytest
import sympy as sp

import noiseproof as npf
from noiseproof.symbolic.information.error_bounds import van_trees
from noiseproof.symbolic.information.fisher import location_information
from noiseproof.symbolic.laws import laplace, logistic, normal, student_t, triangular, truncated, uniform
from noiseproof.symbolic.laws.chart import Chart, U, V
from noiseproof.symbolic.laws.law import VARIABLE, Law
from noiseproof.symbolic.laws.pieces import borders, resolved
from noiseproof.symbolic.laws.quadrature import quadrature
from noiseproof.symbolic.proof.truth import Truth

Y = VARIABLE
THETA = sp.Symbol("theta", real=True)
QUARTER = sp.Rational(1, 4)

LAWS: dict[str, Law] = {
    "normal": normal(QUARTER, 2),
    "laplace": laplace(1, 2),
    "logistic": logistic(-1, QUARTER),
    "student": student_t(5, QUARTER),
    "uniform": uniform(-1, 2),
    "triangular": triangular(-1, QUARTER, 2),
    "truncated": truncated(normal(), -1, 2),
}
FUNCTIONS: dict[str, tuple[sp.Expr, tuple[float, ...]]] = {
    "distance": (sp.Abs(Y - QUARTER / 2), (0.125,)),
    "pieces": (sp.Piecewise((Y, Y > 1), (2 * Y, True)), (1,)),
    "positive part": (sp.Max(Y, 0), (0,)),
    "step": (sp.Heaviside(Y - QUARTER), (0.25,)),
    "parabola": (sp.Abs(Y**2 - QUARTER), (-0.5, 0.5)),
}


def _truth(law: Law, function: sp.Expr, marks: tuple[float, ...]) -> mpmath.mpf:
    value = sp.lambdify(Y, law.density * function, modules="mpmath")
    low, high = (float(end) for end in law.support)
    # The tail of a Student law is slow: the far ends are mapped by mpmath itself.
    inner = sorted({m for m in (*marks, -20.0, -5.0, -1.0, 0.0, 0.25, 1.0, 5.0, 20.0) if low < m < high})
    return mpmath.quad(value, [mpmath.mpf(low), *inner, mpmath.mpf(high)])


# Every law and every function, in half of the pairs; all of them in a long run.
PAIRS = [
    pytest.param(law, name, marks=() if (i + j) % 2 == 0 else pytest.mark.long)
    for i, law in enumerate(LAWS)
    for j, name in enumerate(FUNCTIONS)
]


@pytest.mark.parametrize(("law", "name"), PAIRS)
def test_kinks_and_jumps_of_the_function_are_seen(law: str, name: str) -> None:
    function, marks = FUNCTIONS[name]
    truth = _truth(LAWS[law], function, marks)
    value = LAWS[law].expectation(function)
    if value.has(sp.Integral):  # not known in closed form: then the numbers are right
        value, _ = quadrature(LAWS[law], function)
    assert abs(mpmath.mpf(sp.N(value, 20)) - truth) < 1e-9 * (1 + abs(truth))


@pytest.mark.parametrize("law", ["normal", "laplace", "uniform", "triangular"])
def test_a_border_inside_of_a_chart_has_a_closed_form(law: str) -> None:
    for name in ("positive part", "step"):
        assert not LAWS[law].expectation(FUNCTIONS[name][0]).has(sp.Integral)
    assert logistic().expectation(sp.Abs(Y)).equals(2 * sp.log(2))


def test_a_sign_that_no_assumption_settles_is_not_guessed() -> None:
    m = sp.Symbol("m", real=True)
    s = sp.Symbol("s", positive=True)
    # Taken apart at zero it needs no sign of m: the mean of a folded normal law, the same on both sides.
    folded = normal(m, s).expectation(sp.Abs(Y))
    for at in (-2, 0, 3):
        known = sp.sqrt(2 / sp.pi) * sp.exp(-sp.Rational(at**2, 2)) + at * sp.erf(at / sp.sqrt(2))
        assert sp.N(folded.subs({m: at, s: 1}) - known, 30) == pytest.approx(0, abs=1e-25)
    assert sp.simplify(normal(m, s).expectation(sp.Abs(Y - m)) - s * sp.sqrt(2 / sp.pi)) == 0


def test_a_step_keeps_its_middle_where_its_gap_vanishes_on_a_whole_piece() -> None:
    assert normal().expectation(sp.Heaviside(sp.Max(Y, 0) - Y)) == sp.Rational(3, 4)


def test_jumps_without_number_are_no_formula() -> None:
    for jumping in (sp.floor(Y), sp.Mod(Y, 1), sp.ceiling(2 * Y), sp.frac(Y)):
        assert borders(jumping, Y) is None
        assert resolved(jumping, Y, lambda _: 1) is None
        assert uniform(0, 3).expectation(jumping).has(sp.Integral)
    with pytest.raises(ValueError, match="borders"):
        quadrature(uniform(0, 3), sp.floor(Y))


def test_integrals_next_to_a_logarithm_converge_where_they_do() -> None:
    chart = Chart("beta", U)
    assert chart.integral(-sp.log(V) / U * sp.Integer(1), sp.Dummy()) != sp.oo
    assert chart.integral(sp.log(U) / U, sp.Dummy()) == -sp.oo
    half = Chart("gamma", U)
    assert half.integral(sp.exp(-U) / U - sp.exp(-2 * U) / U, sp.Dummy()) is None  # log 2, and no infinity


def test_van_trees_averages_an_information_with_a_kink() -> None:
    bound = van_trees(sp.Abs(THETA), normal(1, 1), [THETA])
    assert bound.numeric == pytest.approx(float(1 / (1 + mpmath.mpf("1.166630941175"))), rel=1e-9)
    assert bound.derivation.check() is Truth.HOLDS


def test_a_border_far_out_on_a_half_line_is_not_taken_for_one_beyond_its_end() -> None:
    far = sp.Rational(-11, 3)
    value = laplace(7, sp.Rational(13, 3)).expectation(sp.Max(far, Y))
    tail = sp.Rational(13, 6) * sp.exp((far - 7) / sp.Rational(13, 3))
    assert sp.simplify(value - 7 - tail) == 0


@pytest.mark.parametrize("name", ["u", "v", "p", "q", "x", "h", "t", "z"])
def test_a_parameter_may_have_any_name(name: str) -> None:
    """The symbols that integrals are computed with are no symbols that a user can write."""
    scale, other = sp.Symbol(name, positive=True), sp.Symbol("b", positive=True)
    a, b, y = sp.Symbol("a", real=True), sp.Symbol("b", real=True), sp.Symbol("y", real=True)
    read = npf.Law.from_density
    bell = read(sp.exp(-((y - a - b) ** 2) / (2 * scale**2)) / (scale * sp.sqrt(2 * sp.pi)), y, ("-oo", "oo"))
    assert (bell.mass(), bell.mean(), bell.variance()) == (1, a + b, scale**2)
    kernel = y ** (scale - 1) * (1 - y) ** (other - 1)
    share = read(kernel * sp.gamma(scale + other) / (sp.gamma(scale) * sp.gamma(other)), y, (0, 1))
    assert share.mass() == 1
    logs = share.expectation(sp.log(share.variable))
    assert sp.simplify(logs - sp.digamma(scale) + sp.digamma(scale + other)) == 0


def test_a_law_with_a_parameter_theta_is_moved_by_another_number() -> None:
    theta = sp.Symbol("theta", real=True)
    y = sp.Symbol("y", real=True)
    law = npf.Law.from_density(sp.exp(-((y - theta) ** 2) / 2) / sp.sqrt(2 * sp.pi), y, ("-oo", "oo"))
    assert location_information(law).value == sp.Matrix([[1]])


def test_waves_of_a_normal_number():
    m, v, w = sp.Symbol("m", real=True), sp.Symbol("v", positive=True), sp.Symbol("w", positive=True)
    law = npf.Law.from_density(sp.exp(-((Y - m) ** 2) / (2 * v)) / sp.sqrt(2 * sp.pi * v), Y, ("-oo", "oo"))
    for function, truth in (
        (sp.sin(Y), sp.exp(-v / 2) * sp.sin(m)),
        (sp.cos(w * Y), sp.exp(-v * w**2 / 2) * sp.cos(w * m)),
        (sp.sin(Y) ** 2, (1 - sp.exp(-2 * v) * sp.cos(2 * m)) / 2),
        (Y * sp.sin(Y), sp.exp(-v / 2) * (m * sp.sin(m) + v * sp.cos(m))),
        (sp.exp(Y) * sp.sin(Y), sp.exp(m) * sp.sin(m + v)),
    ):
        assert sp.simplify(law.expectation(function) - truth) == 0
    assert law.expectation(sp.sin(Y**2)).has(sp.Integral)
