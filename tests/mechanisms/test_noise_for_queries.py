"""Noise for a user's own query: scaled to the proved sensitivity, with the law and the code that an audit tries."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import noiseproof as npf

X, Y = sp.symbols("x y")
MEAN = npf.DatasetQuery(sp.exp(X), npf.Box(0, 1), records=[X], each="mean", n=4)


def test_the_scale_follows_from_the_sensitivity() -> None:
    made = npf.LaplaceMechanism.for_query(MEAN, epsilon=2)
    assert made.sensitivity >= (np.e - 1) / 4
    assert made.sensitivity == pytest.approx((np.e - 1) / 4, rel=1e-12)
    assert float(made.scale) == pytest.approx((np.e - 1) / 8, rel=1e-12)
    assert made.query([0, 1, 0, 1]) == pytest.approx([(1 + np.e) / 2])


@pytest.mark.parametrize(
    ("mechanism", "holds", "falls"),
    [
        (npf.LaplaceMechanism.for_query(MEAN, epsilon=1), npf.PureDP(1.0), npf.PureDP(0.99)),
        (
            npf.LaplaceMechanism.for_query(
                [sp.exp(X), sp.sin(X)], npf.Box(0, 1), epsilon=1, records=[X], each="sum", n=3
            ),
            npf.PureDP(1.0),
            npf.PureDP(0.99),
        ),
        (
            npf.GaussianMechanism.for_query(
                [X, Y], npf.Ball(1, dimension=2), "add-or-remove", sigma=2, records=[(X, Y)], each="sum", n=3
            ),
            npf.GaussianDP(0.5),
            npf.GaussianDP(0.495),
        ),
    ],
)
def test_the_law_keeps_the_guarantee_and_not_a_stronger_one(
    mechanism: npf.Mechanism, holds: npf.Guarantee, falls: npf.Guarantee
) -> None:
    for claim, verdict in ((holds, npf.Verdict.PROVED), (falls, npf.Verdict.REFUTED)):
        found = npf.examine(mechanism, npf.Claim(claim, about="law"), samples=1_000)
        assert found.verdict is verdict, found.findings


def test_code_that_draws_half_the_noise_is_caught() -> None:
    class Half(type(npf.LaplaceMechanism.for_query(MEAN, epsilon=1))):  # type: ignore[misc]
        def draw(self, size: int, rng: np.random.Generator) -> np.ndarray:
            return super().draw(size, rng) / 2

    half = Half(npf.LaplaceMechanism.for_query(MEAN, epsilon=1).asked, 1.0)
    assert npf.examine(half, npf.PureDP(1.0), samples=20_000).verdict is npf.Verdict.REFUTED


@pytest.mark.parametrize(
    ("query", "domain", "words"),
    [
        (1 / X, sp.Interval.Lopen(0, 1), "finite sensitivity"),
        (sp.Integer(3), npf.Box(0, 1), "does not move"),
        (sp.Matrix([[X, 1], [1, X]]), npf.Box(0, 1), "list the entries of the matrix"),
        (X, (0, 1), r"got int; numbers from 0 to 1 are Box\(0, 1\)"),
        (X * sp.Symbol("k"), npf.Box(0, 1), "in no record"),
    ],
)
def test_a_query_without_a_scale_is_refused(query: sp.Expr, domain: object, words: str) -> None:
    with pytest.raises(npf.SpecError, match=words):
        npf.LaplaceMechanism.for_query(query, domain, epsilon=1, records=[X], each="sum", n=2)


def test_data_that_are_no_numbers_are_refused() -> None:
    with pytest.raises(ValueError, match="finite numbers"):
        npf.LaplaceMechanism.for_query(MEAN, epsilon=1).query([0, np.nan, 0, 1])


TALLIED = npf.LaplaceMechanism.for_query(npf.queries.count([1]), npf.Categorical(range(3)), epsilon=1, n=4)
ON_A_BALL = npf.LaplaceMechanism.for_query(
    [X, Y], npf.Ball(1, dimension=2), "add-or-remove", epsilon=1, records=[(X, Y)], each="mean", n=2
)


@pytest.mark.parametrize(
    ("mechanism", "data", "words"),
    [
        (npf.LaplaceMechanism.for_query(MEAN, epsilon=1), [0, 1], "expected 4 records"),
        (npf.LaplaceMechanism.for_query(MEAN, epsilon=1), [0, 1, 0, 5], "record 5.0 lies outside"),
        (ON_A_BALL, [(0, 1)], "expected 2 to 3 records"),
        (ON_A_BALL, [(0, 1), (0.9, 0.9)], "lies outside"),
        (TALLIED, [0, 1, 2, 3], "lies outside"),
    ],
)
def test_data_that_the_noise_is_not_scaled_for_are_refused(
    mechanism: npf.LaplaceMechanism, data: list[object], words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        mechanism.query(data)


def test_data_on_the_border_are_taken() -> None:
    assert ON_A_BALL.query([(0.6, 0.8), (np.sqrt(0.5), np.sqrt(0.5)), (1, 0)]).shape == (2,)
    assert TALLIED.query([0, 1, 2, 1]) == TALLIED.query(np.array([0, 1, 2, 1])) == pytest.approx([2])


def test_a_second_domain_is_refused() -> None:
    with pytest.raises(npf.SpecError, match="has its domain"):
        npf.LaplaceMechanism.for_query(MEAN, npf.Box(0, 9), epsilon=1)
