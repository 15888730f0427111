"""Guarantees: curves are curves, conversions are sound, and an exact answer never contradicts the numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from noiseproof.symbolic.guarantees import (
    ApproxDP,
    GaussianDP,
    Guarantee,
    PureDP,
    RenyiDP,
    ZeroConcentratedDP,
)
from noiseproof.symbolic.pair import DiscretePair, GaussianPair, LaplacePair, Pair
from noiseproof.symbolic.truth import Truth

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


def test_the_implied_curve_of_approximate_privacy_is_attained_by_its_extreme_pair() -> None:
    pair = binary(1.2)
    assert pair.delta(EPSILONS) == pytest.approx(PureDP(1.2).curve()(EPSILONS), abs=1e-14)
    e = np.exp(1.2)
    leaking = DiscretePair(
        tuple(map(sp.Float, (0.1, 0.9 * e / (1 + e), 0.9 / (1 + e), 0.0))),
        tuple(map(sp.Float, (0.0, 0.9 / (1 + e), 0.9 * e / (1 + e), 0.1))),
    )
    assert leaking.delta(EPSILONS) == pytest.approx(ApproxDP(1.2, 0.1).curve()(EPSILONS), abs=1e-14)


def test_a_pure_pair_under_a_gaussian_claim_is_refuted_or_left_open_but_never_proved() -> None:
    pair = LaplacePair(sp.Integer(1))
    assert GaussianDP(0.9).holds(pair) is Truth.FAILS
    assert GaussianDP(3.0).holds(pair) is Truth.UNKNOWN


@pytest.mark.parametrize(
    "build",
    [
        lambda: PureDP(0.0), lambda: PureDP(-1.0), lambda: PureDP(float("nan")), lambda: PureDP(float("inf")),
        lambda: PureDP(TEXT), lambda: PureDP(True), lambda: ApproxDP(-0.1, 0.1), lambda: ApproxDP(1.0, 1.0),
        lambda: ApproxDP(1.0, -1e-9), lambda: ApproxDP(1.0, float("nan")), lambda: ApproxDP(0.0, 0.0),
        lambda: GaussianDP(0.0), lambda: RenyiDP(1.0, 1.0), lambda: RenyiDP(2.0, 0.0), lambda: ZeroConcentratedDP(-1.0),
    ],
)  # fmt: skip
def test_numbers_out_of_range_are_refused(build) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ValueError, match=r"must|claims"):
        build()


@pytest.mark.parametrize("kind", [np.float32, np.float64, np.int64, int])
def test_numbers_of_any_real_type_are_accepted(kind: type) -> None:
    assert PureDP(kind(1)).parameters() == {"epsilon": 1.0}
