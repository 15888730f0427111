"""Claimed formulas against code: outcomes along a path of parameters refute what is 10 % too low, and nothing that is true."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy as sp

import noiseproof as npf
from noiseproof.audit.trial.attack.path import PathCells, PathCount, choose, plain_scores
from noiseproof.audit.trial.outcomes import canonical
from noiseproof.symbolic.information.claimed_length import NoLengthError, length_above, places_along

F, B = npf.FisherInformation, npf.ErrorBound
t = sp.Symbol("t", positive=True)
Rng = np.random.Generator

FAMILIES: dict[str, tuple[Any, float, str]] = {
    "exponential": (lambda x, n, rng: rng.exponential(x, n), 2.0, "1/t**2"),
    "normal": (lambda x, n, rng: rng.normal(x, 1.5, n), -0.7, "4/9"),
    "deviation": (lambda x, n, rng: rng.normal(0, x, n), 1.5, "2/t**2"),
    "Poisson": (lambda x, n, rng: rng.poisson(x, n), 3.0, "1/t"),
    "Bernoulli": (lambda x, n, rng: rng.random(n) < x, 0.3, "1/(t*(1-t))"),
    "four normals": (lambda x, n, rng: rng.normal(x, 1, (n, 4)), 0.2, "4"),
}


def family(name: str) -> npf.Family:
    sample, theta, _ = FAMILIES[name]
    return npf.Family(sample, None, theta, name=name)


@pytest.mark.parametrize("name", FAMILIES)
def test_a_true_formula_stands_and_one_too_low_falls(name: str) -> None:
    true = FAMILIES[name][2]
    certificate = npf.examine(
        family(name), [F(true, of="t"), F(f"0.9*({true})", of="t")], samples=60_000, seed=3
    )
    assert [f.verdict.name for f in certificate.findings] == ["SURVIVED", "REFUTED"]
    assert npf.Certificate.from_json(certificate.to_json()).verdict is certificate.verdict


def test_one_too_high_is_never_supported() -> None:
    certificate = npf.examine(family("exponential"), F("1.12/t**2"), samples=60_000)
    assert certificate.verdict.name == "UNDECIDED"
    assert "bound information from below only" in certificate.findings[0].evidence[0].detail


def test_a_bound_that_is_too_high_falls() -> None:
    certificate = npf.examine(family("exponential"), [B("t**2"), B("1.1*t**2")], samples=60_000)
    assert [f.verdict.name for f in certificate.findings] == ["SURVIVED", "REFUTED"]


def test_entries_of_theta_move_one_at_a_time() -> None:
    both = npf.Family(lambda x, n, rng: rng.normal(x[0], x[1], n), None, [0.3, 1.5], name="normal")
    of = ["mu", "sigma"]
    claims = [F([["1/sigma**2", 0], [0, f"{c}/sigma**2"]], of=of) for c in (2, 1.75)]
    certificate = npf.examine(both, claims, samples=60_000)
    assert [f.verdict.name for f in certificate.findings] == ["SURVIVED", "REFUTED"]


def test_a_support_that_moves_refutes_every_formula() -> None:
    moving = npf.Family(lambda x, n, rng: rng.uniform(0, x, n), None, 2.0, name="uniform")
    assert npf.examine(moving, F("1/t**2"), samples=20_000).verdict.name == "REFUTED"


def test_code_that_fails_on_the_way_is_asked_for_its_domain() -> None:
    def sample(x: float, n: int, rng: Rng) -> Any:
        if x > 3:
            raise ValueError("too large")
        return rng.exponential(x, n)

    certificate = npf.examine(npf.Family(sample, None, 2.0, name="fails"), F("1/t**2"), samples=20_000)
    assert certificate.verdict.name == "UNDECIDED"
    assert "domains={'t': (low, high)}" in certificate.findings[0].evidence[0].detail
    claim = F("1/t**2", domains={"t": (1.0, 3.0)})
    assert (
        npf.examine(npf.Family(sample, None, 1.8, name="fails"), claim, samples=60_000).verdict.name
        == "SURVIVED"
    )


def test_outcomes_that_share_their_noise_settle_nothing() -> None:
    def sample(x: float, n: int, rng: Rng) -> Any:
        return np.repeat(rng.exponential(x, n // 50 + 1), 50)[:n]

    certificate = npf.examine(npf.Family(sample, None, 2.0, name="shares"), F("1/t**2"), samples=40_000)
    assert "outcomes of one call depend on each other" in certificate.findings[0].evidence[0].detail


@pytest.mark.parametrize(
    "claim", [F("1/(t-2)**2"), F("-1/t**2"), F("0*t"), F("1/t**2", domains={"t": (2, 3)})]
)
def test_a_formula_without_a_way_around_theta_settles_nothing(claim: Any) -> None:
    certificate = npf.examine(family("exponential"), claim, samples=1_000)
    assert certificate.verdict.name == "UNDECIDED"
    assert "no path of parameters" in certificate.findings[0].evidence[0].detail


def test_the_law_and_the_code_are_both_asked() -> None:
    y, s = sp.Symbol("y"), sp.Symbol("s", positive=True)
    law = npf.Law.from_density(sp.exp(-y / s) / s, y, (0, "oo"), name="exponential")
    certificate = npf.examine(npf.Family.of_law(law, [s], 2.0), F("1/s**2"), samples=40_000)
    asked = [e.check for e in certificate.findings[0].evidence]
    assert asked == ["derivation", "quadrature", "information along a path", "maximum likelihood"]
    assert certificate.verdict.name == "SURVIVED"


def test_false_alarms_are_rare_on_true_claims() -> None:
    """200 counts of a true claim: an e-value exceeds 1/alpha with probability at most alpha, here 0.2."""
    rng, alarms, alpha = np.random.default_rng(11), 0, 0.2
    places = [1.0, 1.3, 1.69]
    lengths = np.array([np.log(1.3)] * 2)
    learnt = [canonical(rng.exponential(x, 4_000), 4_000) for x in places]
    cells = choose(plain_scores(learnt), learnt)
    deviation = float(cells.statistic(learnt).std())
    for _ in range(200):
        values = cells.statistic([canonical(rng.exponential(x, 2_000), 2_000) for x in places])
        count = PathCount(len(values), float(values.sum()), float(values @ values), cells.highest)
        alarms += count.log_e_value(lengths, deviation, alpha) >= -np.log(alpha)
    assert alarms <= 0.2 * 200 + 3 * np.sqrt(200 * 0.2 * 0.8)


def test_the_statistic_is_bounded_by_what_it_says() -> None:
    rng = np.random.default_rng(5)
    sample = [canonical(rng.standard_cauchy(3_000) + x, 3_000) for x in (0.0, 0.5, 1.0)]
    cells = PathCells.learn(plain_scores(sample)[0], sample, 1)
    assert cells.statistic(sample).max() <= cells.highest


def test_a_length_is_bounded_from_above() -> None:
    exact = float(np.log(3.0))
    assert exact <= length_above(1 / t**2, t, 1.0, 3.0) <= exact * 1.01
    assert length_above(-1 / t**2, t, 1.0, 3.0) == pytest.approx(0.0, abs=1e-300)
    with pytest.raises(NoLengthError, match="value near t"):
        length_above(1 / (t - 2) ** 2, t, 1.0, 3.0)
    assert places_along(1 / t**2, t, 1.0, lambda x: 0.9 < x < 1.1, 2.0, 8) is None


def test_a_density_in_numbers_refutes_both_sides_at_theta() -> None:
    from scipy import stats

    both = npf.Family(
        lambda x, n, rng: rng.exponential(x, n), lambda v, x: stats.expon.logpdf(v, scale=x), 2.0, name="both"
    )
    for factor, word in ((0.9, "REFUTED"), (1.0, "SURVIVED"), (1.1, "REFUTED")):
        certificate = npf.examine(both, F(f"{factor}/t**2", domains={"t": (0, "oo")}), samples=1_000)
        found = {e.check: e.verdict.name for e in certificate.findings[0].evidence}
        assert found["quadrature"] == word
        said = next(e.detail for e in certificate.findings[0].evidence if e.check == "quadrature")
        assert said.startswith("information by integrating the Hellinger distance at t = 2: trace ")
        assert npf.Certificate.from_json(certificate.to_json()).verdict is certificate.verdict
