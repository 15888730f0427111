"""Error bounds: Cramer-Rao variants, van Trees, and what is left where there is no information matrix."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from noiseproof.audit.record.evidence import Verdict
from noiseproof.audit.trial.checks.derivation import DerivationCheck
from noiseproof.mechanisms.gaussian import GaussianMechanism
from noiseproof.symbolic.claim import Claim
from noiseproof.symbolic.information.bounds.error_bound import error_bound
from noiseproof.symbolic.information.error_bounds import claimed_bound_truth, cramer_rao, informed, van_trees
from noiseproof.symbolic.information.fisher import information_of_query, location_information
from noiseproof.symbolic.information.irregular import hellinger
from noiseproof.symbolic.information.noise import normal_information
from noiseproof.symbolic.laws.catalogue import (
    cosine_squared,
    discrete,
    laplace,
    mixture,
    normal,
    triangular,
    truncated,
    uniform,
)
from noiseproof.symbolic.laws.law import VARIABLE, Law
from noiseproof.symbolic.predicates import ErrorBound
from noiseproof.symbolic.proof.truth import Truth

A, B = sp.symbols("a b", real=True)
M = sp.Symbol("m", real=True)
T = sp.Symbol("theta", real=True)
TH = sp.Symbol("theta_0", positive=True)
NOISE = location_information(normal(0, 2))


def _regular() -> np.ndarray:
    return np.array([[3, 1, 0], [1, 2, 1], [0, 1, 4]])


def test_cramer_rao_against_numpy() -> None:
    matrix, pi = _regular(), np.diag([1, 2, 5])
    inverse = np.linalg.inv(matrix)
    assert cramer_rao(matrix).numeric == pytest.approx(np.trace(inverse))
    assert cramer_rao(matrix, weight=pi).numeric == pytest.approx(np.trace(pi @ inverse))
    assert informed(matrix).numeric == pytest.approx(1 / 3 + 1 / 2 + 1 / 4)
    assert informed(matrix, weight=pi).numeric == pytest.approx(1 / 3 + 2 / 2 + 5 / 4)
    slope = np.array([[1, 0, 0], [0, "0.5", 0], ["0.1", 0, 1]], dtype=object)
    g = slope.astype(float)
    found = cramer_rao(matrix, contrast=slope, weight=pi)
    assert found.numeric == pytest.approx(np.trace(pi @ g @ inverse @ g.T))
    for bound in (cramer_rao(matrix), informed(matrix), found):
        assert bound.status == "bound"
        assert bound.derivation.check() is Truth.HOLDS


@settings(deadline=None, max_examples=20)
@given(st.lists(st.integers(-4, 4), min_size=9, max_size=9), st.integers(1, 5))
def test_knowing_more_never_raises_the_bound(entries: list[int], scale: int) -> None:
    root = sp.Matrix(3, 3, entries)
    matrix = root.T * root + sp.eye(3)
    total = cramer_rao(matrix)
    assert sp.simplify(informed(matrix).value - total.value) <= 0
    assert (
        sp.simplify(
            sp.Add(*(cramer_rao(matrix, contrast=[row]).value for row in np.eye(3, dtype=int))) - total.value
        )
        == 0
    )
    assert sp.simplify(cramer_rao(scale * matrix).value * scale - total.value) == 0


def test_singular_information_gives_no_bound() -> None:
    singular = information_of_query([A + B], [A, B], NOISE)
    bound = cramer_rao(singular)
    assert bound.status == "vacuous"
    assert bound.value is None
    assert bound.numeric is None
    assert "vacuous" in bound.reason
    assert cramer_rao(np.array([[1, 1 / 3], [1 / 3, 1 / 9]])).status == "vacuous"
    assert cramer_rao(np.array([[1.0, 0], [0, 1e-12]])).status == "unknown"
    assert cramer_rao(sp.Matrix([[1, 0], [0, sp.Rational(1, 10**12)]])).value == 1 + 10**12
    assert cramer_rao(np.zeros((2, 2))).status == "vacuous"
    x = sp.Symbol("x", positive=True)
    assert cramer_rao(sp.Matrix([[x**2, x], [x, 1]])).status == "vacuous"


def test_contrasts_in_the_row_space_have_a_bound() -> None:
    singular = information_of_query([A + B], [A, B], NOISE)
    total = cramer_rao(singular, contrast=[[1, 1]])
    assert total.value == 4
    assert total.derivation.check() is Truth.HOLDS
    outside = cramer_rao(singular, contrast=[[1, 0]])
    assert outside.status == "vacuous"
    assert "not estimable" in outside.reason
    assert informed(singular).value == 8


@pytest.mark.parametrize("law", [uniform(-1, 1), triangular(-1, 0, 1)], ids=lambda law: law.name)
def test_irregular_information_gives_no_cramer_rao_bound(law) -> None:  # type: ignore[no-untyped-def]
    information = location_information(law)
    assert cramer_rao(information).status == "irregular"
    truth, derivation = claimed_bound_truth(information, ErrorBound(0.01), attained=True)
    assert truth is Truth.UNKNOWN
    assert "does not apply" in derivation.conclusion


@pytest.mark.parametrize(
    ("value", "attained", "truth"),
    [
        (4.0, True, Truth.HOLDS),
        (4.0 * (1 + 5e-16), True, Truth.HOLDS),
        # False by more than the rounding of its twelve decimals, and by less than 1e-12 of it.
        (4.0 * (1 + 5e-13), True, Truth.UNKNOWN),
        (4.0 * (1 + 5e-12), True, Truth.FAILS),
        (4.04, True, Truth.FAILS),
        (4.04, False, Truth.UNKNOWN),
        (3.96, False, Truth.HOLDS),
    ],
)
def test_claimed_bounds_and_their_twins(value: float, attained: bool, truth: Truth) -> None:
    for adversary in ("unbiased", "informed"):
        found, derivation = claimed_bound_truth(NOISE, ErrorBound(value, adversary), attained)  # type: ignore[arg-type]
        assert found is truth
        assert derivation.check() is (Truth.HOLDS if truth is Truth.HOLDS else Truth.FAILS)


def test_claims_that_do_not_follow() -> None:
    singular = information_of_query([A + B], [A, B], NOISE)
    truth, derivation = claimed_bound_truth(singular, ErrorBound(1.0), attained=True)
    assert truth is Truth.UNKNOWN
    assert "vacuous" in derivation.conclusion
    minimax = ErrorBound(1.0, "minimax", domain=(0, 1))
    assert claimed_bound_truth(NOISE, minimax)[0] is Truth.UNKNOWN
    mixed = location_information(mixture([0.5, 0.5], [normal(), normal(3)]))
    assert claimed_bound_truth(mixed, ErrorBound(0.01))[0] is Truth.UNKNOWN, "a quadrature proves nothing"
    matrix = sp.Matrix([[2, 1], [1, 2]])
    weighted = ErrorBound(2.0, weight=[[1, 0], [0, 2]])
    assert claimed_bound_truth(matrix, weighted, True)[0] is Truth.HOLDS
    assert claimed_bound_truth(matrix, ErrorBound(2.02, weight=[[1, 0], [0, 2]]), True)[0] is Truth.FAILS
    crossed = ErrorBound(0.1, "informed", weight=[[2, 1], [1, 2]])
    assert claimed_bound_truth(matrix, crossed)[0] is Truth.UNKNOWN


def test_van_trees() -> None:
    # Normal prior, normal noise: the Bayes risk itself, 1 / (1/4 + 1).
    gaussian = van_trees(NOISE.scalar, normal(0, 1))
    assert gaussian.value == sp.Rational(4, 5)
    assert gaussian.derivation.check() is Truth.HOLDS
    # What is known of the prior is a premise of the bound.
    assert set(location_information(normal(0, 1)).derivation.steps) <= set(gaussian.derivation.steps)
    assert van_trees(sp.Integer(4), cosine_squared(-1, 1)).value == 1 / (4 + sp.pi**2)
    low, high = sp.Rational("-0.23951966557524654"), sp.Rational("95.4745285868767")
    long = van_trees(sp.Integer(4), cosine_squared(low, high))
    assert long.numeric == pytest.approx(1 / (4 + (2 * np.pi / float(high - low)) ** 2))
    assert van_trees(1 + M**2, normal(0, 1), [M]).value == sp.Rational(1, 3)
    both = van_trees(sp.Matrix([[2, 1], [1, 2]]), [normal(0, 1), laplace(0, 1)])
    assert both.value == sp.Rational(6, 8)
    for prior in (uniform(-1, 1), triangular(-1, 0, 1)):
        refused = van_trees(sp.Integer(4), prior)
        assert refused.status == "irregular"
        assert refused.value is None
        assert "does not apply to the prior" in refused.reason


def test_a_prior_whose_information_was_only_computed_proves_no_bound() -> None:
    y = normal().variable
    steep = sp.exp(-(y**4) - y**2)
    quartic = Law("quartic", y, steep / sp.Integral(steep, (y, -sp.oo, sp.oo)), (-sp.oo, sp.oo))
    refused = van_trees(1, quartic)
    assert (refused.value, refused.status) == (None, "unknown")


def test_wrong_arguments_are_named() -> None:
    with pytest.raises(ValueError, match="symmetric"):
        cramer_rao([[1, 2], [3, 4]])
    for indefinite in ([[1, 2], [2, 1]], [[-1.0]], [[1, 0], [0, sp.Rational(-1, 10**6)]]):
        with pytest.raises(ValueError, match="no negative eigenvalue"):
            informed(indefinite)
    with pytest.raises(ValueError, match="columns"):
        cramer_rao([[1]], contrast=[[1, 2]])
    with pytest.raises(ValueError, match="between records"):
        informed([[1, 0], [0, 1]], weight=[[2, 1], [1, 2]])
    with pytest.raises(ValueError, match="positive semidefinite"):
        cramer_rao([[1]], weight=[[-1]])


def test_chapman_robbins_for_the_uniform_scale() -> None:
    # One record on [0, t]: h = -t/2 is best, t^2/4; the unbiased estimator 2Y has variance t^2/3.
    bound = error_bound(uniform(0, TH), TH, TH, "chapman-robbins", at={TH: 3})
    assert bound.value == sp.Rational(9, 4)
    assert bound.derivation.check() is Truth.HOLDS
    many = error_bound(uniform(0, TH), TH, TH, "chapman-robbins", at={TH: 3}, observations=4)
    assert many.numeric is not None
    assert 0.26 < many.numeric <= 9 / (4 * 6)  # variance of (n + 1)/n max
    outside = error_bound(uniform(M, M + 1), M, M, "chapman-robbins", at={M: 0})
    assert outside.value is None


def test_chapman_robbins_approaches_cramer_rao_from_below() -> None:
    bound = error_bound(normal(M, 1), M, M, "chapman-robbins", at={M: 0}, points=[sp.Rational(1, 20)])
    assert bound.numeric == pytest.approx(0.05**2 / np.expm1(0.05**2), abs=1e-12)


def test_chapman_robbins_leaves_out_shifts_that_leave_the_support() -> None:
    # Almost a normal law, so that the overlap alone looks like one: but each law has outcomes that the other has not.
    law = truncated(normal(), -10, 10).shift(M)
    refused = error_bound(law, M, M, "chapman-robbins", at={M: 0}, points=[sp.Rational(1, 2)])
    assert (refused.value, refused.status) == (None, "inapplicable")


@pytest.mark.parametrize(
    ("law", "affinity"),
    [
        (uniform(M, M + 1), 0.9),
        (normal(M, 1), np.exp(-0.01 / 8)),
        (laplace(M, 1), 1.05 * np.exp(-0.05)),
        (truncated(normal(), -1, 1).shift(M), None),
    ],
)
def test_the_bound_of_two_points_is_proved(law: Law, affinity: float | None) -> None:
    if affinity is None:
        grid = np.linspace(-0.9, 1, 200_001)
        there = law.at({M: 0}).pdf(grid) * law.at({M: sp.Rational(1, 10)}).pdf(grid)
        affinity = float(np.trapezoid(np.sqrt(there), grid))
    bound = hellinger(law, M, (0, "0.1"))
    assert bound.numeric == pytest.approx(0.01 / 4 * (1 - np.sqrt(1 - affinity**2)), rel=1e-6)
    assert bound.derivation.check() is Truth.HOLDS


def test_points_far_apart_say_nothing() -> None:
    assert hellinger(uniform(M, M + 1), M, (0, 2)).value == 0


def test_no_van_trees_bound_follows_from_a_query_that_may_jump() -> None:
    jump = sp.Piecewise((T, T < 0), (T + 10, True))
    bound = van_trees(information_of_query([jump], [T], sp.Integer(1)), normal(), [T])
    assert (bound.value, bound.status) == (None, "unknown")


def test_two_points_are_compared_only_where_both_have_a_law() -> None:
    kinked = triangular(0, T, 1)
    with pytest.raises(ValueError, match="integrates to"):
        hellinger(kinked, T, (sp.Rational(1, 2), 2))


@pytest.mark.parametrize(
    ("prior", "word"),
    [
        (normal(0, sp.Symbol("s", positive=True)), "free parameters"),
        (Law("thrice", VARIABLE, 3 * VARIABLE**0, (sp.Integer(0), sp.Integer(1))), "integrates to"),
        (discrete(["a", "b"], [sp.Rational(1, 2)] * 2), "must be a law"),
    ],
)
def test_a_prior_is_a_law_of_numbers_without_free_parameters(prior: Law, word: str) -> None:
    with pytest.raises(ValueError, match=word):
        ErrorBound(0.1, adversary="bayes", prior=prior)


def test_a_prior_without_a_closed_form_is_left_open() -> None:
    steep = sp.exp(-(VARIABLE**4) - VARIABLE**2)
    mass = sp.Integral(steep, (VARIABLE, -sp.oo, sp.oo))
    plain = Law("plain", VARIABLE, steep / mass, (-sp.oo, sp.oo))
    claim = Claim(ErrorBound(0.1, adversary="bayes", prior=plain), GaussianMechanism(1.0, 1.0), about="law")
    check = DerivationCheck.bind(claim)
    assert check is not None
    assert check.judge(None, None, 1e-6).verdict is Verdict.UNDECIDED


@pytest.mark.parametrize("matrix", [[[1, 2], [0, 1]], [[1, 2], [2, 1]], [[-1, 0], [0, 1]]])
def test_a_covariance_is_symmetric_and_positive_definite_in_symbols_too(matrix: list[list[int]]) -> None:
    with pytest.raises(ValueError, match="positive"):
        normal_information(sp.Matrix(matrix))


def test_an_information_that_is_given_is_one() -> None:
    for matrix in (sp.Integer(-1), sp.Matrix([[1, 2], [0, 1]]), sp.Matrix([[1, 2], [2, 1]])):
        with pytest.raises(ValueError, match="an information matrix"):
            information_of_query([A, B], [A, B], matrix)
    with pytest.raises(ValueError, match="an information matrix"):
        van_trees(-sp.Rational(1, 2), normal())
