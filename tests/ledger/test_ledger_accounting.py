"""What a total comes to: dp-accounting against formulas by hand, the slack, adaptive choices, the error that remains."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from default_install import hide_extras

from noiseproof import SpecError
from noiseproof.audit.release.ledger import Cost, Information, Ledger, accountant
from noiseproof.audit.release.ledger.accountant import statement
from noiseproof.audit.release.ledger.amounts import decimal
from noiseproof.audit.release.ledger.currency import caps, charge, excess
from noiseproof.ledger_command import _totals
from noiseproof.symbolic.privacy.guarantees import RenyiDP, ZeroConcentratedDP

rdp = pytest.importorskip("dp_accounting.rdp.rdp_privacy_accountant")
events = pytest.importorskip("dp_accounting.dp_event")

RHOS = (1e-9, 1e-4, 0.02, 0.5, 3.0, 40.0)
DELTAS = (1e-12, 1e-6, 1e-2)


def epsilon_of(rho: float, delta: float, slack: float = 0.0) -> accountant.Statement:
    """The statement about a total of rho."""
    said = statement(Cost.zcdp(1.0), {"rho": decimal(rho), "delta_slack": decimal(slack)}, delta, "")
    assert said is not None
    return said


@pytest.mark.parametrize(("rho", "delta"), list(itertools.product(RHOS, DELTAS)))
def test_rho_by_three_routes(rho: float, delta: float) -> None:
    said = epsilon_of(rho, delta)
    assert said.least <= said.epsilon <= said.largest
    # The textbook formula, by hand.
    assert said.largest == pytest.approx(rho + 2 * math.sqrt(rho * math.log(1 / delta)))
    # The curve that refutes zero-concentrated claims elsewhere: its own orders, its own formula.
    if said.epsilon > 0 and rho > 1e-6:
        assert float(ZeroConcentratedDP(rho).curve()(said.epsilon)) == pytest.approx(delta, rel=0.05)
    # A whole composition in the accountant: Gaussian noise with a standard deviation of 1/sqrt(2 rho), in four parts.
    composed = rdp.RdpAccountant([1.05 + k / 50 for k in range(3000)])
    composed.compose(events.SelfComposedDpEvent(events.GaussianDpEvent(math.sqrt(2 / rho)), 4))
    assert said.epsilon <= composed.get_epsilon(delta) * (1 + 1e-4)


@pytest.mark.parametrize("parts", [["0.1", "0.2"], ["0.7", "0.1", "0.1"], ["1e-9"] * 7, ["0.3"]])
def test_a_sum_is_never_said_to_be_less_than_it_is(parts: list[str]) -> None:
    total = sum(map(Fraction, parts), Fraction(0))
    said = statement(Cost.pure(1.0), {"epsilon": total}, None, "")
    assert said is not None
    assert total < Fraction(said.epsilon) <= total * (1 + Fraction(1, 10**15))
    assert epsilon_of(0.0, 1e-6).epsilon == 0


def test_renyi_points_by_hand() -> None:
    budget = Cost.renyi_points([(2, 0.5), (8, 1.2), (40, 3.0)])
    said = statement(budget, caps(budget), 1e-6, "")
    assert said is not None
    by_hand = min(
        value + math.log1p(-1 / order) - math.log(1e-6 * order) / (order - 1) for order, value in budget.renyi
    )
    assert said.epsilon == pytest.approx(by_hand, rel=1e-12)
    assert said.largest == pytest.approx(min(v + math.log(1e6) / (a - 1) for a, v in budget.renyi))
    curves = [float(RenyiDP(a, v).curve()(said.epsilon)) for a, v in budget.renyi]
    assert min(curves) == pytest.approx(1e-6, rel=1e-9)


def test_the_least_order_that_the_accountant_converts_is_converted_by_hand_too() -> None:
    order = accountant._LEAST_ORDER
    budget = Cost.renyi_points([(order, 0.5)])
    said = statement(budget, caps(budget), 1e-6, "")
    assert said is not None
    assert said.epsilon == pytest.approx(
        0.5 + math.log1p(-1 / order) - math.log(1e-6 * order) / (order - 1), rel=1e-12
    )


@pytest.mark.parametrize("factor", [0.5, 0.99, 1.01, 2.0])
def test_an_accountant_that_is_wrong_is_seen(factor: float, monkeypatch: pytest.MonkeyPatch) -> None:
    right = accountant._accountant
    monkeypatch.setattr(accountant, "_accountant", lambda points, delta: factor * right(points, delta))
    for budget in (Cost.zcdp(0.5), Cost.renyi_points([(8, 1.2)])):
        with pytest.raises(SpecError, match=r"dp-accounting says .* do not rely on either"):
            statement(budget, caps(budget), 1e-6, "")


def test_without_the_accountant_totals_go_on(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    hide_extras(monkeypatch)
    ledger = Ledger.create(tmp_path / "a.jsonl", "t", Cost.zcdp(1.0))
    ledger.settle(ledger.reserve(Cost.zcdp(0.4), "one"))
    assert ledger.remaining()["rho"] == Fraction(3, 5)
    with pytest.raises(SpecError, match=r"pip install 'noiseproof\[ledger\]'"):
        ledger.statement()
    assert "not installed" in ledger.export()["statements"]["budget"]["undecided"]
    # Of what is missing people are told once.
    (said,) = (line for line in _totals(ledger) if "dp-accounting" in line)
    assert said.startswith("budget and spent as (epsilon, delta): ")
    too_rough = statement(Cost.zcdp(1.0, 0.1), {"rho": Fraction(0), "delta_slack": Fraction(1, 10)}, 1e-6, "")
    assert too_rough is not None
    assert too_rough.epsilon == math.inf


def test_sums_need_no_accountant() -> None:
    budget = Cost.approximate_dp(1.5, 1e-6)
    said = statement(budget, caps(budget), None, "")
    assert said is not None
    assert (said.epsilon, said.delta) == pytest.approx((1.5, 1e-6), rel=1e-15)
    assert said.epsilon >= 1.5


@pytest.mark.parametrize("slack", [1e-15, 1e-12, 1e-10])
def test_slack_is_paid_for_out_of_delta(slack: float) -> None:
    said = epsilon_of(0.5, 1e-6, slack)
    # Around the best order, 1 + sqrt(log(1e6)/0.5).
    orders = np.linspace(5, 8, 6001)
    reached, _ = rdp.compute_delta(orders, 0.5 * orders, said.epsilon)
    assert reached + (1 + math.exp(said.epsilon)) * slack <= 1e-6 * (1 + 1e-6)
    assert reached + (1 + math.exp(said.epsilon)) * slack >= 1e-6 * (1 - 1e-3)
    assert said.epsilon >= epsilon_of(0.5, 1e-6).epsilon


def test_slack_that_is_too_large_leaves_no_statement() -> None:
    assert math.isinf(epsilon_of(1.0, 1e-6, 1e-8).epsilon)
    assert accountant.said(epsilon_of(1.0, 1e-6, 1e-8))["epsilon"] is None  # type: ignore[index]


def test_slack_costs_both_neighbours() -> None:
    """A law at distance t from an (epsilon, 0) law reaches delta = t + e^epsilon t: adding t alone would be false."""
    epsilon, t = 1.0, 1e-3
    p = np.array([math.exp(epsilon), 1.0]) / (1 + math.exp(epsilon))
    near_p, near_q = p + [t, -t], p[::-1] - [t, -t]
    for near, ideal in ((near_p, p), (near_q, p[::-1])):
        assert abs(near - ideal).sum() / 2 == pytest.approx(t)
    reached = np.maximum(near_p - math.exp(epsilon) * near_q, 0).sum()
    assert reached > t
    assert reached == pytest.approx((1 + math.exp(epsilon)) * t)


def _transcripts(budget: Cost, rounds: int) -> dict[tuple[int, ...], tuple[float, float]]:
    """The probabilities of all transcripts of randomised responses whose epsilon depends on all answers before.

    After each answer the analyst asks for more or for less; what the ledger would refuse ends the transcript.
    """
    finished: dict[tuple[int, ...], tuple[float, float]] = {}

    def go(answers: tuple[int, ...], spent: dict[str, Fraction], p: float, q: float) -> None:
        epsilon = (0.2, 0.55, 0.9)[(sum(answers) + len(answers)) % 3]
        wanted = charge(Cost.pure(epsilon), budget)
        if len(answers) == rounds or excess(spent, wanted, caps(budget)):
            finished[answers] = (p, q)
            return
        likely = math.exp(epsilon) / (1 + math.exp(epsilon))
        after = {name: spent[name] + wanted[name] for name in spent}
        go((*answers, 1), after, p * likely, q * (1 - likely))
        go((*answers, 0), after, p * (1 - likely), q * likely)

    go((), dict.fromkeys(caps(budget), Fraction(0)), 1.0, 1.0)
    return finished


def test_adaptively_chosen_costs_stay_within_the_budget() -> None:
    """Exact: every transcript is enumerated, the costs depend on the answers, the ledger stops it."""
    pure, concentrated = Cost.pure(2.0), Cost.zcdp(0.6)
    found = _transcripts(pure, 12)
    p, q = np.array(list(found.values())).T
    assert p.sum() == pytest.approx(1)
    assert len({len(a) for a in found}) > 2, "the number of releases depends on the answers"
    assert np.abs(np.log(p / q)).max() <= 2.0
    found = _transcripts(concentrated, 12)
    p, q = np.array(list(found.values())).T
    for order in (1.01, 1.5, 2.0, 8.0, 64.0):
        divergence = math.log(float((p**order * q ** (1 - order)).sum())) / (order - 1)
        assert divergence <= 0.6 * order
    said = statement(concentrated, caps(concentrated), 1e-3, accountant.COVERS_BUDGET)
    assert said is not None
    assert np.maximum(p - math.exp(said.epsilon) * q, 0).sum() <= 1e-3


def test_what_the_two_statements_cover(tmp_path: Any) -> None:
    ledger = Ledger.create(tmp_path / "a.jsonl", "t", Cost.zcdp(1.0), delta=1e-5)
    ledger.reserve(Cost.pure(1.0), "half of it")
    whole, spent = ledger.statement("budget"), ledger.statement("spent")
    assert whole is not None
    assert spent is not None
    assert spent.epsilon < whole.epsilon
    assert "However the releases and their costs were chosen" in whole.covers
    assert "without looking" in spent.covers
    assert "only the statement about the budget holds" in spent.covers
    with pytest.raises(SpecError, match='expected "budget" or "spent"'):
        ledger.statement("left")


def _ages(*values: float | None, unit: str = "year") -> list[Cost]:
    return [
        Cost.pure(0.01, fisher_information=() if v is None else (Information("age", v, unit),))
        for v in values
    ]


def test_information_adds_up_to_the_error_that_remains(tmp_path: Any) -> None:
    ledger = Ledger.create(tmp_path / "a.jsonl", "t", Cost.pure(1.0))
    deviations = (2.0, 3.0, 6.0)
    for cost in _ages(*(1 / d**2 for d in deviations)):
        ledger.reserve(cost, "Gaussian noise")
    (age,) = ledger.information()
    # The best combination of three unbiased Gaussian estimates has this variance.
    weights = np.array([1 / d**2 for d in deviations]) / sum(1 / d**2 for d in deviations)
    best = sum(w**2 * d**2 for w, d in zip(weights, deviations, strict=True))
    assert age.error_bound == pytest.approx(best)
    assert age.unstated == ()
    ledger.withdraw(1, "never drawn")
    assert ledger.information()[0].error_bound == pytest.approx(1 / (1 / 9 + 1 / 36))
    ledger.reserve(_ages(None)[0], "says nothing about ages")
    (age,) = ledger.information()
    assert age.unstated == (5,)
    assert age.error_bound is None
    assert age.error_bound_on(10.0) is None
    ledger.reserve(_ages(0.5, unit="month")[0], "another unit")
    assert {(c.about, c.unit, c.unstated) for c in ledger.information()} == {
        ("age", "year", (5, 6)),
        ("age", "month", (2, 3, 5)),
    }


def test_the_bound_on_an_interval_holds_for_the_best_biased_adversary(tmp_path: Any) -> None:
    ledger = Ledger.create(tmp_path / "a.jsonl", "t", Cost.pure(1.0))
    deviation, width = 1.5, 4.0
    ledger.reserve(_ages(1 / deviation**2)[0], "Gaussian noise")
    (age,) = ledger.information()
    bound = age.error_bound_on(width)
    assert bound is not None
    assert age.error_bound is not None
    t = np.linspace(-width / 2, width / 2, 801)
    y = np.linspace(-12, 12, 1201)[:, None]
    prior = np.cos(math.pi * t / width) ** 2
    joint = prior * np.exp(-((y - t) ** 2) / (2 * deviation**2))
    joint /= joint.sum()
    mean = (joint * t).sum(1) / joint.sum(1)
    best = float((joint * (t - mean[:, None]) ** 2).sum())
    # The unbiased bound does not hold for someone who knows the interval; this one does.
    assert bound <= best < age.error_bound
    assert bound >= 0.8 * best
