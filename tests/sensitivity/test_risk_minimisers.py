"""Minimisers of convex risks: both ends hold against a search written apart, meet within 5 %, and hypotheses are proved or refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy as sp

import noiseproof as npf
from noiseproof import queries
from noiseproof.symbolic.proof.truth import Truth

t, s, x, y, z = sp.symbols("t s x y z")
HUBER = sp.Piecewise(((t - x) ** 2 / 2, sp.Abs(t - x) <= 1), (sp.Abs(t - x) - sp.Rational(1, 2), True))
# Loss, records, regulariser, domain, n, and the slope of the risk's loss in numbers.
CASES: dict[str, tuple[Any, ...]] = {
    "hinge": (sp.Max(0, 1 - t * z), [z], t**2 / 8, npf.Box(-1, 1), 2, lambda v, d: -d * (d * v < 1), 0.25),
    "huber": (HUBER, [x], t**2 / 2, npf.Box(-3, 3), 3, lambda v, d: np.clip(v - d, -1, 1), 1.0),
    "logistic": (
        sp.log(1 + sp.exp(-t * z)), [z], t**2 / 4, npf.Box(-1, 1), 2, lambda v, d: -d / (1 + np.exp(d * v)), 0.5,
    ),
}  # fmt: skip


def searched(slope: Any, ridge: float, low: float, high: float, n: int, draws: int = 20_000) -> float:
    """The largest distance found among random neighbours with many records at the ends: a bound from below."""
    rng = np.random.default_rng(5)
    data = rng.uniform(low, high, (draws, n + 1))
    data = np.where(rng.random(data.shape) < 0.4, np.where(rng.random(data.shape) < 0.5, low, high), data)
    data = np.where(rng.random(data.shape) < 0.2, 0.0, data)

    def least(records: Any) -> Any:
        a, b = np.full(len(records), -50.0), np.full(len(records), 50.0)
        for _ in range(50):
            m = (a + b) / 2
            up = slope(m[:, None], records).mean(axis=1) + ridge * m > 0
            a, b = np.where(up, a, m), np.where(up, m, b)
        return (a + b) / 2

    return float(np.max(abs(least(data[:, :n]) - least(data[:, 1:]))))


SLOW = {"hinge", "logistic"}


@pytest.mark.parametrize("name", [pytest.param(c, marks=pytest.mark.long) if c in SLOW else c for c in CASES])
def test_both_ends_are_near_and_hold_against_a_search(name: str) -> None:
    loss, records, ridge, domain, n, slope, weight = CASES[name]
    answer = queries.risk_minimiser(loss, [t], records, ridge).answer(domain, "l2", n=n)
    low, high = (float(e) for e in (domain.low, domain.high))
    found = searched(slope, weight, low, high, n)
    assert found <= float(answer.at_most()) + 1e-9
    assert float(answer.at_most()) <= 1.05 * float(answer.at_least())
    assert answer.attained_at is not None
    assert answer.derivation.check() is Truth.HOLDS
    if name == "huber":
        assert answer.exact == sp.Rational(2, 3)


def test_the_mean_is_a_minimiser_with_an_exact_sensitivity() -> None:
    answer = queries.risk_minimiser((t - x) ** 2 / 2, [t], [x]).answer(npf.Box(-1, 2), "l2", n=4)
    assert answer.exact == sp.Rational(3, 4)


@pytest.mark.long
def test_ridge_in_one_dimension_is_enclosed() -> None:
    query = queries.risk_minimiser((t * x - y) ** 2 / 2, [t], [x, y], t**2 / 4)
    answer = query.answer(npf.Box(-1, 1, dimension=2), "l2", n=3)
    assert float(answer.at_least()) <= 0.8 <= float(answer.at_most()) <= 1.05 * 0.8
    assert query(((1, 1), (0, 0), (1, 0))) == (sp.Rational(2, 7),)


@pytest.mark.long
def test_a_risk_in_two_dimensions_has_a_bound_and_a_pair() -> None:
    query = queries.risk_minimiser(sp.log(1 + sp.exp(-s * x - t * y)), [s, t], [x, y], (s**2 + t**2) / 4)
    answer = query.answer(npf.Ball(1, 2), "l2", n=2)
    # The plain lemma gives 2 sup|g| / (n modulus) <= 2; the search over six numbers does not close in these seconds.
    assert 0.5 < float(answer.at_least()) < float(answer.at_most()) <= 6.0
    assert answer.reason


@pytest.mark.parametrize(
    ("loss", "ridge", "words"),
    [
        (sp.cos(t * z), t**2 / 4, "not proved"),
        (sp.Max(0, 1 - t * z), 0, "strong_convexity="),
        (-sp.Abs(t - z), t**2, "not proved"),
        (-sp.log(t), t**2, "not proved"),
        (sp.Piecewise((-((t - z) ** 2), t - z <= 1), (0, True)), t**2, "not proved"),
    ],
)
def test_what_is_not_proved_to_be_convex_gets_no_bound(loss: Any, ridge: Any, words: str) -> None:
    answer = queries.risk_minimiser(loss, [t], [z], ridge).answer(npf.Box(-1, 1), "l2", n=2)
    assert answer.upper is None
    assert answer.exact is None
    assert words in answer.reason


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: queries.risk_minimiser(t * z + x, [t], [z]), "holds x"),
        (lambda: queries.risk_minimiser(t * z, [t], [t]), "different symbols"),
        (lambda: queries.risk_minimiser(t * z, [t], [z], strong_convexity=-1), "strong_convexity > 0"),
        (lambda: queries.risk_minimiser(t**2, [t], [z]).answer(npf.Box(-1, 1), "l2"), "give n="),
        (lambda: queries.risk_minimiser(t**2, [t], [z]).answer(npf.Ball(1, 2), "l2", n=2), "names 1"),
    ],
)
def test_bad_input_is_told(make: Any, words: str) -> None:
    with pytest.raises(npf.SpecError, match=words):
        make()
