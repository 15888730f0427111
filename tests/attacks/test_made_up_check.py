"""A check that nobody here knows, one class and one line, goes through audit, certificate, replay in another process, and page."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import pytest

import noiseproof as npf
from noiseproof.audit.record.certificate import Certificate
from noiseproof.audit.record.evidence import Evidence, Measured, Verdict
from noiseproof.audit.record.known_checks import known
from noiseproof.audit.record.witness import Witness
from noiseproof.audit.record.witness import register as evaluates
from noiseproof.audit.record.witness_form import Attacked, Count, Trials
from noiseproof.audit.trial.check import Counted, Counts, attackable_pairs
from noiseproof.audit.trial.checks import register
from noiseproof.audit.trial.planning.plan import statistical_checks
from noiseproof.audit.trial.witness_forms import ALL
from noiseproof.reports.page import render_certificate
from noiseproof.symbolic.claim import Claim

NAME, MIDDLE = "signs", 0.5


class Signs(Attacked):
    """How many of the outcomes on each of the two inputs were large."""

    large: list[Count]
    of: list[Trials]


@evaluates(NAME, Signs, ALL)
def signs(witness: Witness) -> tuple[bool, str]:
    """Two rates that are further apart than pure privacy allows, by Hoeffding's inequality on each."""
    rates, sizes = np.divide(witness["large"], witness["of"]), np.array(witness["of"])
    off = np.sqrt(np.log(2 / witness["alpha"]) / (2 * sizes))
    least, most = max(rates[1] - off[1], 0), min(rates[0] + off[0], 1)
    return bool(least > np.exp(witness["parameters"]["epsilon"]) * most), f"{least:.4f} beside {most:.4f}"


@register
class SignCheck(Counted):
    """Whether large outcomes are too frequent on the second input."""

    name: ClassVar[str] = NAME
    witnesses: ClassVar[frozenset[str]] = frozenset({NAME})
    statement: ClassVar[str] = "signs tell the inputs apart no better than {claim} allows"

    @classmethod
    def bind(cls, claim: Claim) -> Self | None:
        return cls(claim) if claim.subject.name == "signed" and attackable_pairs(claim) else None

    def inputs(self) -> tuple[Any, ...]:
        return attackable_pairs(self.claim)[0]

    def count(self, plan: Any, unit: Any, rng: np.random.Generator) -> Counts:
        return np.array([[np.sum(one.values[:, 0] > MIDDLE), len(one)] for one in unit], dtype=float)

    def judge(self, plan: Any, counts: Counts | None, alpha: float) -> Evidence:
        assert counts is not None
        large, of = counts.astype(int).T.tolist()
        witness = {"kind": NAME, **self.key(), "large": large, "of": of, "alpha": alpha}
        fell, said = signs(witness)
        verdict = Verdict.REFUTED if fell else Verdict.SURVIVED
        more = {"error": alpha, "witness": witness if fell else None}
        return self.evidence(verdict, measured=Measured(note=said), **more)


def found(certificate: Certificate) -> list[Evidence]:
    return [e for finding in certificate.findings for e in finding.evidence if e.check == NAME]


@pytest.fixture(scope="module")
def certificate() -> Certificate:
    subject = npf.BlackBox(
        lambda data, size, rng: sum(data) + rng.laplace(size=size), inputs=([0], [1]), name="signed"
    )
    control = npf.Claim(npf.PureDP(0.5), expect="falls")
    assert statistical_checks([npf.Claim(npf.PureDP(1.1), subject=subject)]) == 2  # it shares alpha
    return npf.examine(subject, [npf.PureDP(1.1), control], samples=4_000)


def test_it_binds_counts_and_says_both_words(certificate: Certificate) -> None:
    assert [e.verdict.name for e in found(certificate)] == ["SURVIVED", "REFUTED"]
    assert all(known(e) for e in found(certificate))


def test_its_certificate_comes_back_is_replayed_and_drawn(certificate: Certificate, tmp_path: Path) -> None:
    assert found(Certificate.from_json(certificate.to_json())) == found(certificate)
    assert found(certificate)[1].detail in render_certificate(certificate.to_dict())
    data = certificate.to_dict()
    (tmp_path / "good.json").write_text(json.dumps(data), encoding="utf-8")
    next(e for e in data["findings"][1]["evidence"] if e["check"] == NAME)["witness"]["large"][1] //= 2
    (tmp_path / "edited.json").write_text(json.dumps(data), encoding="utf-8")
    for file, code, word in (
        ("good.json", 0, f"{NAME}: refutation"),
        ("edited.json", 1, f"{NAME}: DOES NOT"),
    ):
        run = "import test_made_up_check; from noiseproof.cli import main; main()"
        command = [sys.executable, "-c", run, "replay", f"{tmp_path / file}#2"]
        done = subprocess.run(command, cwd=Path(__file__).parent, capture_output=True, text=True)
        assert (done.returncode, word in done.stdout) == (code, True), done.stderr


def test_a_name_that_is_taken_is_refused() -> None:
    register(SignCheck)
    with pytest.raises(ValueError, match="a check has a name of its own: 'fit' is taken"):
        register(type("Fit", (SignCheck,), {"name": "fit"}))
