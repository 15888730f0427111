"""A proof beside a refutation of the same sentence settles nothing; a law proved and its code refuted is REFUTED."""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from typing import Any

import pytest

from noiseproof import Claim, GaussianDP, GaussianMechanism, LaplaceMechanism, Mutant, PureDP
from noiseproof.audit.record.certificate import Certificate
from noiseproof.audit.record.evidence import Verdict
from noiseproof.audit.trial.checks.derivation import DerivationCheck
from noiseproof.audit.trial.checks.quadrature import Quadrature
from noiseproof.audit.trial.examine import examine
from noiseproof.audit.trial.gate.failure import failure_message
from noiseproof.symbolic.privacy.pair import LaplacePair
from noiseproof.symbolic.proof.enclosure import rational

WITNESS = {"kind": "profile", "epsilon": 1.0, "delta": 0.1, "claimed": 0.0, "absolute_error": 1e-10}


class WrongLaw(LaplaceMechanism):
    """Its closed form says half of the loss that its density has."""

    def worst_case(self) -> Any:
        return replace(super().worst_case(), pair=LaplacePair(rational(self.epsilon) / 2))


def test_a_proof_that_the_density_contradicts_is_undecided() -> None:
    certificate = examine(WrongLaw(2.0, 1.0), Claim(PureDP(1.0), about="law"), samples=100)
    (finding,) = certificate.findings
    assert {e.check: e.verdict.name for e in finding.evidence} == {
        "derivation": "PROVED",
        "quadrature": "REFUTED",
    }
    assert finding.verdict is Verdict.UNDECIDED
    assert certificate.exit_code == 4
    assert any("evidence disagrees, please report" in words for words in finding.caveats)
    assert "evidence disagrees, please report" in failure_message(certificate, [finding], "repeat")
    assert Certificate.from_json(certificate.to_json()) == certificate


@pytest.mark.parametrize(
    ("proof", "computation"), [("PROVED", "REFUTED"), ("REFUTED", "PROVED"), ("PROVED", "PROVED")]
)
@pytest.mark.parametrize("about", ["law", "code"])
def test_neither_side_wins_by_whim(
    monkeypatch: pytest.MonkeyPatch, proof: str, computation: str, about: Any
) -> None:
    for check, verdict in ((DerivationCheck, proof), (Quadrature, computation)):
        monkeypatch.setattr(
            check,
            "judge",
            lambda self, plan, counts, alpha, v=verdict: self.evidence(
                Verdict[v], witness=WITNESS if v == "REFUTED" else None
            ),
        )
    mechanism = GaussianMechanism(sigma=1.0)
    certificate = examine(mechanism, Claim(GaussianDP(1.0), about=about), samples=2000)
    agree = proof == computation
    best = Verdict.PROVED if about == "law" else Verdict.SURVIVED
    assert certificate.verdict is (best if agree else Verdict.UNDECIDED)
    assert any("disagrees" in words for words in certificate.findings[0].caveats) is not agree


def test_a_law_proved_and_its_code_refuted_is_refuted() -> None:
    broken = Mutant.noise_divided_by(LaplaceMechanism(1.0, 1.0), 3.0)
    certificate = examine(broken, PureDP(1.0), samples=5000)
    (finding,) = certificate.findings
    assert finding.sentences["law"] is Verdict.PROVED
    assert finding.verdict is Verdict.REFUTED
    assert not any("disagrees" in words for words in finding.caveats)


@pytest.mark.parametrize("written", ["PROVED", "REFUTED"])
def test_an_older_certificate_that_let_one_side_win_is_refused_with_the_reason(written: str) -> None:
    data = copy.deepcopy(examine(WrongLaw(2.0, 1.0), Claim(PureDP(1.0), about="law"), samples=100).to_dict())
    data.update(verdict=written, exit_code=0 if written == "PROVED" else 1)
    data["findings"][0].update(verdict=written, as_expected=written == "PROVED", caveats=[])
    data["findings"][0]["sentences"]["law"] = written
    with pytest.raises(ValueError, match=r"evidence disagrees, please report.*audit again"):
        Certificate.from_json(json.dumps(data))
