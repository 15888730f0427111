"""Guarantees: curves are curves, conversions are sound, and an exact answer never contradicts the numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from noiseproof.symbolic.privacy.guarantees import (
    ApproxDP,
    GaussianDP,
    Guarantee,
    PureDP,
    RenyiDP,
    ZeroConcentratedDP,
    at_most,
)
from noiseproof.symbolic.privacy.pair import DiscretePair, GaussianPair, LaplacePair, Pair, gaussian_delta
from noiseproof.symbolic.proof.truth import Truth

EPSILONS = np.linspace(0.0, 12.0, 121)
TEXT: Any = "1"


def number(low: float, high: float) -> st.SearchStrategy[float]:
    return st.floats(low, high, allow_nan=False).map(lambda v: float(f"{v:.4g}"))


guarantees = st.one_of(
    st.builds(PureDP, number(0.01, 8)),
    st.builds(ApproxDP, number(0.0, 8), number(1e-9, 0.9)),
    st.builds(GaussianDP, number(0.01, 5)),
    st.builds(RenyiDP, number(1.05, 64), number(0.01, 8)),
    st.builds(ZeroConcentratedDP, number(0.001, 8)),
)


def binary(epsilon: float) -> DiscretePair:
    keep = sp.exp(sp.Rational(repr(epsilon))) / (1 + sp.exp(sp.Rational(repr(epsilon))))
    return DiscretePair((keep, 1 - keep), (1 - keep, keep))


pairs = st.one_of(
    number(0.05, 4).map(lambda v: GaussianPair(sp.Rational(repr(v)))),
    number(0.05, 6).map(lambda v: LaplacePair(sp.Rational(repr(v)))),
    number(0.05, 4).map(binary),
)


@given(guarantees)
@settings(max_examples=200, deadline=None, derandomize=True)
def test_a_curve_decreases_within_zero_and_one(guarantee: Guarantee) -> None:
    delta = guarantee.curve()(EPSILONS)
    assert delta.shape == EPSILONS.shape
    assert np.all((delta >= 0) & (delta <= 1))
    assert np.all(np.diff(delta) <= 1e-12)
    assert float(guarantee.curve()(1.0)) == pytest.approx(delta[10], abs=1e-15)


@given(guarantees, st.floats(1.01, 50))
@settings(max_examples=100, deadline=None, derandomize=True)
def test_a_tightened_guarantee_is_stricter_and_of_the_same_kind(guarantee: Guarantee, factor: float) -> None:
    tight = guarantee.tightened(factor)
    assert type(tight) is type(guarantee)
    assert np.all(tight.curve()(EPSILONS) <= guarantee.curve()(EPSILONS) + 1e-12)
    if not (isinstance(guarantee, ApproxDP) and guarantee.epsilon == 0):
        assert tight.parameters() != guarantee.parameters()


@given(guarantees, pairs)
@settings(max_examples=60, deadline=None, derandomize=True)
def test_what_holds_exactly_lies_below_the_implied_curve(guarantee: Guarantee, pair: Pair) -> None:
    # For Renyi and zero-concentrated guarantees this is the soundness of their conversion to a curve.
    excess = float(np.max(pair.delta(EPSILONS) - guarantee.curve()(EPSILONS)))
    if guarantee.holds(pair) is Truth.HOLDS:
        assert excess <= 1e-9
    if excess > 1e-9:
        assert guarantee.holds(pair) is not Truth.HOLDS


@given(st.floats(0.01, 6), st.floats(1e-8, 0.8), pairs)
@settings(max_examples=40, deadline=None, derandomize=True)
def test_approximate_privacy_is_decided_by_the_profile(epsilon: float, delta: float, pair: Pair) -> None:
    exact = float(pair.delta(epsilon))
    if abs(exact - delta) > 1e-9:
        assert ApproxDP(epsilon, delta).holds(pair) is (Truth.HOLDS if exact < delta else Truth.FAILS)


@pytest.mark.parametrize("pair", [LaplacePair(sp.Rational(3, 2)), binary(1.5)])
def test_pure_privacy_is_decided_at_the_largest_loss(pair: Pair) -> None:
    assert PureDP(1.5).holds(pair) is Truth.HOLDS
    assert PureDP(1.5 * (1 - 1e-9)).holds(pair) is Truth.FAILS
    assert ZeroConcentratedDP(1.5**2 / 2).holds(pair) is Truth.HOLDS
    # A scale that is off by one rounding does not refute a claim that a person would call exact.
    assert PureDP(1.5 * (1 - 1e-15)).holds(pair) is Truth.HOLDS


def test_normal_noise_is_never_pure_and_exactly_concentrated() -> None:
    pair = GaussianPair(sp.Integer(1))
    assert PureDP(50.0).holds(pair) is Truth.FAILS
    assert ZeroConcentratedDP(0.5).holds(pair) is Truth.HOLDS
    assert ZeroConcentratedDP(0.5 - 1e-9).holds(pair) is Truth.FAILS
    assert RenyiDP(10.0, 5.0).holds(pair) is Truth.HOLDS
    assert RenyiDP(10.0, 5.0 - 1e-9).holds(pair) is Truth.FAILS


def test_a_pure_pair_is_concentrated_by_its_loss_or_left_open() -> None:
    pair = LaplacePair(sp.Integer(1))
    decisive = ZeroConcentratedDP(0.5).inequality(pair)
    assert decisive.left == sp.Rational(1, 2)
    assert decisive.check() is Truth.HOLDS
    # Between the divergences that are looked at and half the squared loss nothing is settled, and nothing refuted.
    assert ZeroConcentratedDP(0.49).holds(pair) is Truth.UNKNOWN
    assert ZeroConcentratedDP(0.2).holds(pair) is Truth.FAILS


def published(order: Any, bound: Any, epsilon: Any) -> Any:
    """Canonne, Kamath, Steinke 2020, proposition 12, as it is printed there."""
    with np.errstate(over="ignore"):
        return np.exp((order - 1) * (bound - epsilon)) / (order - 1) * (1 - 1 / order) ** order


@pytest.mark.parametrize(("order", "bound"), [(1.05, 0.3), (2.0, 0.5), (32.0, 4.0)])
def test_a_renyi_bound_is_converted_as_published(order: float, bound: float) -> None:
    expected = np.minimum(published(order, bound, EPSILONS), 1.0)
    assert RenyiDP(order, bound).curve()(EPSILONS) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("rho", [0.01, 0.5, 3.0])
def test_a_concentrated_bound_takes_the_best_order(rho: float) -> None:
    orders = 1 + np.geomspace(1e-2, 1e4, 40_001)
    for epsilon in (rho + 0.5 * np.sqrt(rho), rho + 3 * np.sqrt(rho), 12.0):
        least = published(orders, rho * orders, epsilon).min()
        assert least * (1 - 1e-9) <= float(ZeroConcentratedDP(rho).curve()(epsilon)) <= 1.1 * least


@pytest.mark.parametrize("kind", [GaussianDP, lambda mu: ZeroConcentratedDP(mu**2 / 2)])
def test_a_guarantee_tightened_by_the_noise_multiplier_is_tight_again(kind: Any) -> None:
    pair = GaussianPair(sp.Rational(6, 5) / 4)
    assert kind(1.2).tightened(4.0).holds(pair) is Truth.HOLDS
    assert kind(1.2).tightened(4.0 * (1 + 1e-9)).holds(pair) is Truth.FAILS


def test_exact_constants_are_compared_without_guessing() -> None:
    root = sp.sqrt(5 + 2 * sp.sqrt(6))
    assert at_most(root, sp.sqrt(2) + sp.sqrt(3)) is Truth.HOLDS
    assert at_most(root, sp.Rational(314626437, 10**8)) is Truth.HOLDS
    assert at_most(root, sp.Rational(314626436, 10**8)) is Truth.FAILS
    assert at_most(sp.oo, sp.Integer(1)) is Truth.FAILS
    assert at_most(sp.exp(sp.Rational(1, 10**900)), sp.Integer(1)) is Truth.UNKNOWN
    assert at_most(sp.Function("delta")(1), sp.Integer(1)) is Truth.UNKNOWN


@pytest.mark.parametrize(
    ("guarantee", "whole"),
    [
        (PureDP(1.2), True),
        (ApproxDP(1.2, 0.1), True),
        (GaussianDP(0.8), True),
        (RenyiDP(4.0, 1.5), False),
        (ZeroConcentratedDP(0.3), False),
    ],
)
def test_a_guarantee_is_attained_by_its_extreme_pair(guarantee: Guarantee, whole: bool) -> None:
    pair = guarantee.attained_pair()
    assert pair is not None
    assert guarantee.holds(pair) is Truth.HOLDS
    assert guarantee.tightened(1 + 1e-9).holds(pair) is Truth.FAILS
    if whole:
        assert pair.delta(EPSILONS) == pytest.approx(guarantee.curve()(EPSILONS), abs=1e-14)


@given(guarantees, guarantees)
@settings(max_examples=150, deadline=None, derandomize=True)
def test_what_the_numbers_imply_is_never_denied_by_the_extreme_pair(one: Guarantee, other: Guarantee) -> None:
    pair = one.attained_pair()
    assert pair is not None
    said = one.implies(other)
    if said is not Truth.UNKNOWN:
        assert other.holds(pair) is not ~said


def test_a_pure_pair_under_a_gaussian_claim_is_refuted_or_left_open_but_never_proved() -> None:
    pair = LaplacePair(sp.Integer(1))
    assert GaussianDP(0.9).holds(pair) is Truth.FAILS
    assert GaussianDP(3.0).holds(pair) is Truth.UNKNOWN
    # In floating point this pair exceeds the claim at epsilon = 12 by more than the search asks for, exactly it does
    # not; at epsilon = 13 it is far above.  One epsilon at which a comparison holds proves nothing of the others.
    mass = sp.Rational(repr(float(gaussian_delta(4.9, 12.0) + 1.5e-12)))
    constant = DiscretePair((mass, 1 - mass), (sp.Integer(0), sp.Integer(1)))
    assert float(constant.delta(13.0)) > float(gaussian_delta(4.9, 13.0)) + 0.05
    assert GaussianDP(4.9).inequality(constant).left == constant.profile(sp.Integer(12))
    assert GaussianDP(4.9).holds(constant) is Truth.UNKNOWN


@pytest.mark.parametrize(
    "build",
    [
        lambda: PureDP(0.0),
        lambda: PureDP(-1.0),
        lambda: PureDP(float("nan")),
        lambda: PureDP(float("inf")),
        lambda: PureDP(TEXT),
        lambda: PureDP(True),
        lambda: ApproxDP(-0.1, 0.1),
        lambda: ApproxDP(1.0, 1.0),
        lambda: ApproxDP(1.0, -1e-9),
        lambda: ApproxDP(1.0, float("nan")),
        lambda: ApproxDP(0.0, 0.0),
        lambda: GaussianDP(0.0),
        lambda: RenyiDP(1.0, 1.0),
        lambda: RenyiDP(2.0, 0.0),
        lambda: ZeroConcentratedDP(-1.0),
    ],
)
def test_numbers_out_of_range_are_refused(build) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ValueError, match=r"must|claims"):
        build()


@pytest.mark.parametrize("kind", [np.float32, np.float64, np.int64, int])
def test_numbers_of_any_real_type_are_accepted(kind: type) -> None:
    assert PureDP(kind(1)).parameters() == {"epsilon": 1.0}
