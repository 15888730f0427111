"""Differentiability in the parameter is proved where a claim differentiates, and formulas that are no law there are refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy as sp

import noiseproof as npf
from noiseproof.audit.trial.checks.derivation import DerivationCheck
from noiseproof.symbolic import laws
from noiseproof.symbolic.information.fisher import fisher_information, information_of_query
from noiseproof.symbolic.laws.differentiability import NotDifferentiableError, Place, bounded
from noiseproof.symbolic.laws.law import VARIABLE as Y
from noiseproof.symbolic.laws.law import Law
from noiseproof.symbolic.laws.quadrature import quadrature
from noiseproof.symbolic.proof.truth import Truth

T = sp.Symbol("theta", real=True)
P = sp.Symbol("t", positive=True)
UNIT = (sp.Integer(0), sp.Integer(1))
LINE = (-sp.oo, sp.oo)
HALF = sp.Rational(1, 2)
PROVED, REFUTED, UNDECIDED = npf.Verdict.PROVED, npf.Verdict.REFUTED, npf.Verdict.UNDECIDED


def _said(law: Law, at: float, predicate: Any, parameter: sp.Symbol = T) -> npf.Verdict:
    family = npf.Family.of_law(law, [parameter], at)
    check = DerivationCheck.bind(npf.Claim(predicate, family, about="law"))
    assert check is not None
    return check.judge(None, None, 1e-6).verdict


KINKS = [
    (T + sp.sign(T) * sp.Abs(T), 0),
    (sp.Max(T, 2 * T), 0),
    (sp.Min(T, T**2), 1),
    (T + sp.Heaviside(T), 0),
    (T + sp.floor(T), 3),
    (T + sp.ceiling(2 * T), HALF),
    (sp.Mod(T, 2), 4),
    (sp.frac(T), -1),
    (sp.Piecewise((T, T < 1), (2 * T - 1, True)), 1),
    (T + sp.Abs(sp.sin(sp.pi * T)), 7),
    (T + sp.Abs(sp.Max(T, 0) - 2), 2),
    (T + sp.sign(sp.cos(T)), None),
    (T + sp.Piecewise((1, sp.Eq(T, 0)), (0, True)), 0),
]


@pytest.mark.parametrize(("mean", "at"), KINKS)
def test_nothing_is_settled_at_a_kink_of_the_parameter(mean: sp.Expr, at: sp.Expr | None) -> None:
    law = laws.normal(mean, 1)
    found = fisher_information(law, [T], {} if at is None else {T: at})
    assert found.regular is Truth.UNKNOWN
    assert found.value is None
    if at is not None:
        for claim in (npf.ErrorBound(1.0), npf.ErrorBound(0.25), npf.FisherInformation(4)):
            assert _said(law, float(at), claim) is UNDECIDED


@pytest.mark.parametrize(("mean", "at"), [(m, at) for m, at in KINKS if at is not None])
def test_beside_a_kink_the_information_is_proved(mean: sp.Expr, at: sp.Expr) -> None:
    place = sp.sympify(at) + sp.Rational(1, 1024)
    h = sp.Rational(1, 10**9)
    steps = [sp.N(mean.subs(T, place + s * h), 60) for s in (1, -1)]
    true = float(((steps[0] - steps[1]) / (2 * h)) ** 2)
    found = fisher_information(laws.normal(mean, 1), [T], {T: place})
    assert found.regular is Truth.HOLDS
    assert found.numeric is not None
    assert found.numeric[0, 0] == pytest.approx(true, rel=1e-6)
    value = float(found.numeric[0, 0])
    assert _said(laws.normal(mean, 1), float(place), npf.FisherInformation(value)) is PROVED
    assert _said(laws.normal(mean, 1), float(place), npf.FisherInformation(value * 1.01)) is REFUTED


@pytest.mark.parametrize(
    ("law", "at"),
    [
        (laws.normal(0, 1 + sp.Abs(T)), 0),
        (laws.gumbel(0, sp.exp(sp.Max(T, 0))), 0),
        (laws.laplace(sp.Abs(T) * T + sp.floor(T), 1), 1),
        (
            laws.mixture(
                [1 / (1 + sp.exp(sp.Abs(T))), 1 / (1 + sp.exp(-sp.Abs(T)))],
                [laws.normal(0, 1), laws.normal(3, 1)],
            ),
            0,
        ),
        (laws.logistic(sp.sign(T), 1), 0),
        (laws.truncated(laws.normal(sp.Abs(T), 1), -1, 1), 0),
        (laws.uniform(0, 1 + sp.Abs(T)), 0),
        (laws.discrete([0, 1], [HALF + sp.Abs(T) / 4, HALF - sp.Abs(T) / 4]), 0),
        (Law("slope", Y, sp.Abs(T * (Y - HALF)) + 1 - sp.Abs(T) / 4, UNIT), 0),
        (Law("larger", Y, 1 + (Y - HALF) * (sp.Max(Y + T, Y + 2 * T) - Y), UNIT), 0),
        (Law("power", Y, (1 + sp.Abs(T)) * Y ** sp.Abs(T), UNIT), 0),
    ],
    ids=lambda v: getattr(v, "name", None),
)
def test_kinks_are_found_wherever_the_parameter_stands(law: Law, at: int) -> None:
    assert fisher_information(law, [T], {T: at}).regular is not Truth.HOLDS
    for claim in (npf.FisherInformation(1.0), npf.ErrorBound(0.01)):
        assert _said(law, at, claim) is UNDECIDED


def test_a_jump_of_the_density_is_seen_however_it_is_written() -> None:
    for step in (sp.Heaviside(Y - T), (1 + sp.sign(Y - T)) / 2, sp.Piecewise((1, Y > T), (0, True))):
        law = Law("from theta", Y, step * sp.exp(T - Y), LINE)
        assert fisher_information(law, [T], {T: 0}).regular is not Truth.HOLDS
        assert _said(law, 0.0, npf.FisherInformation(1)) is not PROVED
    for wave in (sp.Mod(Y - T, 1), sp.frac(Y - T)):
        law = Law("wave", Y, 2 * wave, UNIT)
        assert fisher_information(law, [T], {T: 0}).regular is Truth.UNKNOWN


def test_ends_that_stand_still_next_to_the_parameter_are_no_moving_ends() -> None:
    still = laws.uniform(sp.floor(T), sp.floor(T) + 2)
    assert _said(still, 0.5, npf.FisherInformation(0)) is PROVED
    assert _said(still, 1.0, npf.FisherInformation(0)) is UNDECIDED
    box = sp.Piecewise((1, sp.And(sp.floor(T) < Y, sp.floor(T) + 1 > Y)), (0, True))
    assert _said(Law("box", Y, box, LINE), 0.5, npf.FisherInformation(0)) is UNDECIDED
    turning = laws.uniform(0, 1 + sp.sin(T) ** 2 + sp.cos(T) ** 2)
    assert fisher_information(turning, [T]).regular is Truth.HOLDS
    slow = laws.uniform(0, 1 + T**4)
    assert _said(slow, 0.0, npf.FisherInformation(0)) is UNDECIDED
    assert _said(slow, 1.0, npf.FisherInformation(16)) is REFUTED
    assert _said(laws.uniform(0, 1 + T), 0.0, npf.FisherInformation(1)) is REFUTED


@pytest.mark.parametrize(
    "law",
    [laws.uniform(0, T), laws.discrete([T, 2 * T], [HALF, HALF]), laws.uniform(T, 2)],
    ids=lambda v: v.name,
)
def test_a_bound_where_there_is_no_information_is_left_open(law: Law) -> None:
    assert _said(law, 1.0, npf.FisherInformation(1)) is REFUTED
    assert _said(law, 1.0, npf.ErrorBound(1.0)) is UNDECIDED


def test_no_derivative_is_taken_on_the_border_of_what_a_parameter_may_be() -> None:
    a = sp.Symbol("a", nonnegative=True)
    assert fisher_information(laws.normal(a, 1), [a], {a: 0}).regular is Truth.UNKNOWN
    assert fisher_information(laws.normal(a, 1), [a], {a: 1}).regular is Truth.HOLDS
    p = sp.Symbol("p", real=True)
    coin = laws.discrete([0, 1], [1 - p, p])
    assert _said(coin, 0.0, npf.FisherInformation(4), p) is UNDECIDED
    assert _said(coin, 0.25, npf.FisherInformation(16 / 3), p) is PROVED
    assert _said(coin, 0.25, npf.FisherInformation(16 / 3 * (1 + 1e-9)), p) is REFUTED
    square = laws.discrete([0, 1], [1 - p**2, p**2])
    assert _said(square, 0.0, npf.FisherInformation(4), p) is UNDECIDED


@pytest.mark.parametrize(
    "symbol", [sp.Symbol("n", integer=True), sp.Symbol("z"), sp.Symbol("q", rational=True)]
)
def test_only_real_symbols_are_differentiated(symbol: sp.Symbol) -> None:
    with pytest.raises(ValueError, match="real"):
        fisher_information(laws.normal(symbol, 1), [symbol])


@pytest.mark.parametrize(
    ("law", "symbols", "at", "word"),
    [
        (laws.normal(T, P), [P], [2.0], "leaves theta free"),
        (laws.normal(T, P), [P], [-2.0], "leaves theta free"),
        (laws.normal(T, P), [T, P], [0.0, -2.0], "contradicts"),
        (laws.normal(T, P), [T, P], [0.0], "one number for each"),
        (laws.normal(T, 1), [T, T], [0.0, 0.0], "one number for each"),
        (laws.normal(T, 1), [T, P], [0.0, 1.0], "does not depend"),
        (laws.normal(0, 1), [], [], "does not depend"),
        (laws.uniform(0, T), [T], [-1.0], "empty"),
        (laws.triangular(0, T, 1), [T], [0.0], "not defined"),
        (laws.triangular(0, T, 1), [T], [2.0], "integrates to"),
        (laws.normal(T + sp.arg(T - 2), 1), [T], [2.0], "not defined"),
        (Law("slant", Y, HALF + T * Y, (-sp.Integer(1), sp.Integer(1))), [T], [1.0], "negative"),
        (Law("heavy", Y, 1 + T * Y, UNIT), [T], [1.0], "integrates to"),
        (laws.discrete([0, 1], [1 - T, T]), [T], [1.5], "negative|>= 0"),
    ],
)
def test_what_is_no_law_at_the_parameter_is_refused(
    law: Law, symbols: list[sp.Symbol], at: list[float], word: str
) -> None:
    with pytest.raises(ValueError, match=word):
        npf.Family.of_law(law, symbols, at)


def test_a_location_family_is_shifted_by_its_parameter() -> None:
    assert npf.Family.of_law(laws.laplace(T, 2), [T], 0.5, location=True).location
    jumping = [laws.normal(T + jump(T), 1) for jump in (sp.sign, sp.floor)]
    still = Law("still", Y, sp.Integer(1), (sp.floor(T), sp.floor(T) + 1))
    uneven = [laws.normal(2 * T, 1), laws.normal(T, 1 + T**2), laws.logistic(sp.Abs(T), 1)]
    for law in (*uneven, *jumping, still):
        with pytest.raises(ValueError, match="shift"):
            npf.Family.of_law(law, [T], 0.5, location=True)
    with pytest.raises(ValueError, match="shift"):
        npf.Family.of_law(laws.discrete([0, 1], [T, 1 - T]), [T], 0.5, location=True)
    with pytest.raises(ValueError, match="shift"):
        npf.Family.of_law(laws.normal(T, P), [T, P], [0.5, 1.0], location=True)


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ((sp.Symbol("y"), sp.exp(-sp.Symbol("y")), (sp.Integer(0), sp.oo)), "real symbol"),
        ((Y, sp.Integer(1), (sp.Integer(1), sp.Integer(0))), "empty"),
        ((Y, sp.Symbol("c") * Y, UNIT), "not known to be real"),
        ((Y, sp.DiracDelta(Y), LINE), "atom"),
        ((Y, sp.zoo * Y, UNIT), "not defined"),
        ((Y, 1.0, UNIT), "sympy expressions"),
        ((sp.Symbol("y", positive=True), sp.Integer(1), (sp.Integer(-1), sp.Integer(0))), "sign"),
    ],
)
def test_a_law_is_a_real_formula_on_an_interval(arguments: Any, word: str) -> None:
    with pytest.raises(ValueError, match=word):
        Law("test", *arguments)


def test_decimals_in_a_density_are_read_as_they_are_written() -> None:
    law = Law("flat", Y, 0.1 + 1.8 * Y, (sp.Integer(0), sp.Float(1.0)))
    assert law.density == sp.Rational(1, 10) + sp.Rational(9, 5) * Y
    assert law.mass() == 1


def test_a_density_is_positive_before_it_has_information() -> None:
    touching = Law("touching", Y, 1 + T * (2 * Y - 1), UNIT)
    assert fisher_information(touching, [T], {T: 0}).regular is not Truth.FAILS
    dead = Law("dead", Y, sp.Piecewise((2 * T**2, HALF > Y), (2 - 2 * T**2, True)), UNIT)
    assert fisher_information(dead, [T], {T: 0}).regular is Truth.UNKNOWN
    assert fisher_information(dead, [T], {T: HALF}).value is not None


@pytest.mark.parametrize(
    ("law", "true"),
    [
        (Law("power", Y, P * Y ** (P - 1), UNIT), lambda t: 1 / t**2),
        (Law("exponential", Y, P * sp.exp(-P * Y), (sp.Integer(0), sp.oo)), lambda t: 1 / t**2),
        pytest.param(
            Law("beta", Y, P * (P + 1) * Y ** (P - 1) * (1 - Y), UNIT),
            lambda t: 1 / t**2 + 1 / (t + 1) ** 2,
            marks=pytest.mark.long,
        ),
    ],
    ids=lambda v: getattr(v, "name", None),
)
@pytest.mark.parametrize("at", [0.125, 0.5])
def test_laws_without_a_chart_of_their_own_are_proved(law: Law, true: Any, at: float) -> None:
    assert _said(law, at, npf.FisherInformation(true(at)), P) is PROVED
    assert _said(law, at, npf.FisherInformation(true(at) * (1 + 1e-10)), P) is REFUTED
    assert _said(law, at, npf.ErrorBound(1 / true(at) * (1 + 1e-10)), P) is UNDECIDED


def test_a_density_that_is_unbounded_at_its_end_has_quantiles() -> None:
    for t in (0.5, 0.1):
        law = Law("power", Y, P * Y ** (P - 1), UNIT).at({P: t})
        levels = np.array([0.01, 0.3, 0.9])
        assert law.quantile(levels) == pytest.approx(levels ** (1 / t), rel=1e-6)
        assert law.cdf(levels) == pytest.approx(levels**t, abs=1e-8)


def test_a_sign_that_is_declared_bounds_nothing_at_its_border() -> None:
    y = sp.Symbol("y", positive=True)
    tilt = sp.exp(T * sp.sqrt(-sp.log(y)))
    law = Law("tilted", y, tilt / sp.Integral(tilt, (y, 0, 1)), UNIT)
    assert fisher_information(law, [T], {T: 0}).regular is Truth.UNKNOWN
    assert not any(bounded(e, y) for e in (1 / y, sp.log(y)))
    assert all(bounded(e, y) for e in (1 / (1 + y**2), sp.log(1 + y**2)))


def test_the_information_of_a_discrete_law_is_a_number_too() -> None:
    coin = fisher_information(laws.discrete([0, 1], [1 - P, P]), [P], {P: sp.Rational(1, 4)})
    assert coin.numeric == pytest.approx(np.array([[16 / 3]]))


def test_what_cannot_be_integrated_says_so() -> None:
    law = Law("unknown", Y, 1 + sp.Function("f", real=True)(Y), UNIT)
    with pytest.raises(ValueError, match="cannot be"):
        quadrature(law, Y)


def test_a_privacy_claim_about_a_family_says_what_is_missing() -> None:
    family = npf.Family.of_law(laws.normal(T, 1), [T], 0.0)
    for guarantee in (npf.PureDP(1), npf.ApproxDP(1, 1e-6), npf.GaussianDP(1)):
        certificate = npf.examine(family, npf.Claim(guarantee, about="law"))
        assert certificate.verdict is UNDECIDED
        assert "no pair of neighbouring inputs" in certificate.findings[0].evidence[0].detail


def test_a_query_is_differentiable_where_it_is_known_to_be() -> None:
    a, b = sp.symbols("a b", real=True)
    for bent in (sp.Mod(a, 1), sp.log(a), a / b, sp.sqrt(a**2 + 2 * a + 1), sp.frac(a), sp.arg(a), sp.tan(a)):
        assert information_of_query([bent + b], [a, b], sp.Integer(1)).regular is Truth.UNKNOWN
    for smooth in (a * b, sp.exp(a) / (1 + b**2), sp.log(1 + a**2), sp.sqrt(2 + a**2), sp.atan(a)):
        assert information_of_query([smooth + b], [a, b], sp.Integer(1)).regular is Truth.HOLDS


def test_the_smooth_form_next_to_a_place_equals_the_formula_there() -> None:
    rng = np.random.default_rng(20)
    kinds = (sp.Abs, sp.sign, sp.floor, sp.ceiling, sp.frac, lambda x: sp.Max(x, 1), lambda x: sp.Mod(x, 2))
    for _ in range(40):
        formula: sp.Expr = T
        for k in rng.integers(len(kinds), size=3):
            formula = (
                kinds[k](formula * int(rng.integers(1, 4)) + sp.Rational(int(rng.integers(-9, 9)), 4)) + T
            )
        at = sp.Rational(int(rng.integers(-40, 40)), 7)
        try:
            form = Place.of([T], {T: at}).form(formula)
        except NotDifferentiableError:
            continue
        assert not form.has(sp.Abs, sp.sign, sp.floor, sp.ceiling, sp.frac, sp.Max, sp.Mod)
        for h in (0, sp.Rational(1, 10**6), -sp.Rational(1, 10**6)):
            assert sp.simplify(form.subs(T, at + h) - formula.subs(T, at + h)) == 0


def test_a_name_that_is_bound_in_an_integral_is_not_its_parameter() -> None:
    with pytest.raises(NotDifferentiableError, match="bound"):
        Place.of([T], {T: sp.Rational(3, 2)}).form(sp.Integral(sp.floor(T), (T, 0, T)))
