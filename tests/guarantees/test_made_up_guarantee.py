"""A guarantee that nobody here knows, one class, goes through spec, audit, certificate, replay, page, plan, manifest and ledger."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import pytest
import sympy as sp

import noiseproof as npf
from noiseproof.audit.record.certificate import Certificate
from noiseproof.audit.record.certificate_check import check_certificate
from noiseproof.audit.record.evidence import Verdict
from noiseproof.audit.record.reading.by_path import Record
from noiseproof.audit.release.checklist.support import implies, stated
from noiseproof.audit.release.ledger import Cost, Ledger
from noiseproof.audit.trial.spec import SCHEMA, parse_spec
from noiseproof.audit.trial.spec.build import build
from noiseproof.audit.witnesses import reevaluate
from noiseproof.reports.page import render_certificate
from noiseproof.symbolic.privacy.guarantees import GUARANTEES, READING, Curve, Guarantee, at_most, register
from noiseproof.symbolic.privacy.guarantees.guarantee import deciding_step
from noiseproof.symbolic.privacy.pair import DiscretePair, Pair
from noiseproof.symbolic.proof.derivation import Step
from noiseproof.symbolic.proof.enclosure import rational
from noiseproof.symbolic.proof.truth import Truth


@dataclass(frozen=True)
class TradeOffDP(Guarantee):
    """f-differentially private (Dong, Roth, Su 2022); f is linear between (0, 1), (alarm, miss), (miss, alarm) and (1, 0)."""

    alarm: float
    miss: float

    key: ClassVar[str] = "trade-off"
    weaker: ClassVar[dict[str, int]] = {"alarm": -1, "miss": -1}

    def __post_init__(self) -> None:
        if not 0 < self.alarm <= self.miss < 1 - self.alarm:
            raise ValueError(f"alarm must be above 0 and at most miss, their sum below 1, got {self}")

    def sentence(self) -> str:
        return f"kept from every test with less than {self.alarm:.4g} of false alarms and {self.miss:.4g} of misses"

    def curve(self) -> Curve:
        return lambda eps: np.maximum(0.0, 1 - self.miss - self.alarm * np.exp(np.asarray(eps, dtype=float)))

    def knots(self) -> tuple[float, ...]:
        return (float(np.log((1 - self.miss) / self.alarm)),)

    def attained_pair(self) -> Pair:
        p = rational(self.alarm), rational(self.miss) - rational(self.alarm), 1 - rational(self.miss)
        return DiscretePair(p, p[::-1])

    def compared_with(self) -> tuple[float, ...]:
        return (*self.knots(), 1 - self.alarm - self.miss)

    def inequality(self, pair: Pair) -> Step:
        # Profiles are convex in e^epsilon and the curve is linear there: the two ends decide.
        alarm, miss = (rational(x) * (1 - READING) for x in (self.alarm, self.miss))
        largest = sp.log((1 - miss) / alarm)
        if at_most(pair.max_loss(), largest) is Truth.HOLDS:
            return deciding_step(
                pair.profile(sp.Integer(0)), 1 - alarm - miss, "the total variation distance"
            )
        return deciding_step(pair.max_loss(), largest, "the largest privacy loss")

    def tightened(self, factor: float) -> Self:
        loss = self.knots()[0] / factor
        alarm = (1 - self.alarm - self.miss) / factor / np.expm1(loss)
        return type(self)(float(alarm), float(1 - np.exp(loss) * alarm))


@pytest.fixture(scope="module", autouse=True)
def known() -> Iterator[None]:
    register(TradeOffDP)
    yield
    del GUARANTEES["TradeOffDP"]


ALARM = "(1 - exp(-epsilon/2))/(exp(epsilon) - 1)"
SPEC = f"""
samples = 4000
[mechanism]
name = "laplace"
epsilon = 1
sensitivity = 1
[[claims]]
predicate = "trade-off"
alarm = "{ALARM}"
miss = "1 - exp(epsilon)*{ALARM}"
about = "law"
[[claims]]
predicate = "trade-off"
alarm = "{ALARM}"
miss = "1 - exp(epsilon)*{ALARM}"
[[controls]]
predicate = "trade-off"
alarm = 0.3
miss = 0.4
about = "law"
[[controls]]
predicate = "trade-off"
alarm = "{ALARM}"
miss = "1 - exp(epsilon)*{ALARM}"
noise_factor = 4
"""


@pytest.fixture(scope="module")
def certificate(known: None) -> Certificate:
    job = build(parse_spec(SPEC.encode()))
    return npf.examine(None, list(job.claims), samples=job.settings.samples)


def test_the_true_claim_stands_and_the_false_ones_fall(certificate: Certificate) -> None:
    verdicts = [finding.verdict for finding in certificate.findings]
    assert verdicts == [Verdict.PROVED, Verdict.SURVIVED, Verdict.REFUTED, Verdict.REFUTED]
    assert certificate.verdict is Verdict.SURVIVED


def test_its_certificate_comes_back_and_is_drawn(certificate: Certificate) -> None:
    text = certificate.to_json()
    assert Certificate.from_json(text).to_json() == text
    data = json.loads(text)
    assert {finding["claim"]["predicate"] for finding in data["findings"]} == {"TradeOffDP"}
    page = render_certificate(data)
    assert all(finding["claim"]["sentence"] in page for finding in data["findings"])
    assert [one.state for one in check_certificate(data)] == ["holds"]
    data["findings"][2]["claim"]["parameters"]["miss"] = 0.39
    said = " ".join(one.message for one in check_certificate(data))
    assert "its sentence does not say its numbers" in said
    assert "its witness compares with a number that is not the claim's" in said


def test_its_witnesses_are_evaluated_again(certificate: Certificate) -> None:
    found = [
        one["witness"]
        for finding in json.loads(certificate.to_json())["findings"]
        for one in finding["evidence"]
        if one["witness"]
    ]
    assert {witness["kind"] for witness in found} >= {"inequality", "event"}
    assert all(reevaluate(witness)[0] for witness in found)
    (event,) = [witness for witness in found if witness["kind"] == "event"]
    assert event["predicate"] == "TradeOffDP"
    assert not reevaluate({**event, "parameters": {"alarm": 0.01, "miss": 0.02}})[0]


def test_it_is_attained_tightened_and_planned_for() -> None:
    claim = TradeOffDP(0.2, 0.3)
    pair, epsilon = claim.attained_pair(), np.linspace(0, 2, 41)
    assert pair.delta(epsilon) == pytest.approx(claim.curve()(epsilon), abs=1e-15)
    assert claim.holds(pair) is Truth.HOLDS
    assert claim.tightened(1.01).holds(pair) is Truth.FAILS
    assert (npf.sample_size(None, claim, 1.3).samples or 0) > 100


def test_a_spec_knows_its_table_and_refuses_a_slip() -> None:
    assert "trade-off" in json.dumps(SCHEMA.data())
    with pytest.raises(npf.SpecError, match="alarm"):
        parse_spec(SPEC.replace("alarm = 0.3\n", "").encode())


def test_a_manifest_may_state_it_and_a_ledger_says_why_it_has_no_cost(tmp_path: Path) -> None:
    record: Any = {"guarantees": [{"kind": "trade-off", "alarm": 0.2, "miss": 0.3}]}
    (one,) = stated(Record.of(record, "release.json"))
    claim = {"predicate": "TradeOffDP", "parameters": {"alarm": 0.2, "miss": 0.3}}
    assert implies(claim, one.guarantee)
    assert not implies({**claim, "parameters": {"alarm": 0.1, "miss": 0.3}}, one.guarantee)
    ledger = Ledger.create(tmp_path / "ledger.jsonl", "table", Cost.of(npf.PureDP(1.0)))
    with pytest.raises(npf.SpecError, match="no number of this guarantee adds up over releases"):
        ledger.reserve(Cost.of(one.guarantee), "a release")
    ledger.settle(ledger.reserve(Cost.of(npf.PureDP(0.25)), "another"))
    assert ledger.remaining() == {"epsilon": 0.75}


def test_a_name_that_is_taken_is_refused() -> None:
    register(TradeOffDP)
    with pytest.raises(ValueError, match=r"a name is taken by .*PureDP"):
        register(type("PureDP", (TradeOffDP,), {"key": "another"}))
