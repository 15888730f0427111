"""A claim that is true of every subject, or that quantifies over nothing, is never green, and a control speaks for its own mechanism only."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest
import sympy as sp

from noiseproof import (
    ApproxDP,
    BlackBox,
    Claim,
    ErrorBound,
    GaussianDP,
    GaussianMechanism,
    LaplaceMechanism,
    Mutant,
    PureDP,
    RandomisedResponse,
    RenyiDP,
    ZeroConcentratedDP,
)
from noiseproof.audit.dossier.formula import Formula, at_points, derivation
from noiseproof.audit.dossier.instances import Instances, on_instances
from noiseproof.audit.record.certificate_check import check_certificate
from noiseproof.audit.record.evidence import Verdict
from noiseproof.audit.trial.examine import examine
from noiseproof.symbolic.errors import SpecError
from noiseproof.symbolic.predicates import Predicate

VACUOUS: tuple[Predicate, ...] = (
    ErrorBound(0.0),
    ErrorBound(0, "informed"),
    ErrorBound(0, "minimax", domain=(0.0, 1.0)),
    PureDP(1e300),
    PureDP(1e4),
    ApproxDP(1e5, 1e-9),
    ApproxDP(1e5, 0.0),
    ApproxDP(1.0, 1 - 1e-13),
    ApproxDP(0.0, 0.9999999999999999),
    GaussianDP(1e300),
    GaussianDP(100.0),
    RenyiDP(2.0, 1e300),
    RenyiDP(1.5, 1e3),
    ZeroConcentratedDP(1e300),
    ZeroConcentratedDP(1e3),
)
SAYS_SOMETHING: tuple[Predicate, ...] = (
    ErrorBound(1e-6),
    PureDP(50.0),
    ApproxDP(50.0, 0.5),
    GaussianDP(50.0),
    RenyiDP(2.0, 500.0),
    ZeroConcentratedDP(500.0),
)


@pytest.mark.parametrize("predicate", VACUOUS, ids=repr)
def test_what_is_true_of_every_subject_is_undecided(predicate: Predicate) -> None:
    mechanism = GaussianMechanism(sigma=1.0)
    box = BlackBox(lambda d, n, r: d + r.normal(0, 1, n), (0.0, 1.0))
    asked = [Claim(predicate, mechanism, about=about) for about in ("law", "code")]
    certificate = examine(None, [*asked, Claim(predicate, box)], samples=100)
    assert {f.verdict for f in certificate.findings} == {Verdict.UNDECIDED}
    assert certificate.exit_code == 4
    assert all("true of every subject" in f.evidence[0].detail for f in certificate.findings)
    assert "vacuous" in certificate.to_json()


class Alone(LaplaceMechanism):
    """Nobody has a neighbour."""

    def neighbours(self) -> tuple[tuple[Any, Any], ...]:
        return ()


@pytest.mark.parametrize("about", ["law", "code"])
@pytest.mark.parametrize("epsilon", [1.0, 0.1])
def test_what_quantifies_over_nothing_is_undecided(about: Any, epsilon: float) -> None:
    claim = Claim(PureDP(epsilon), about=about)
    (finding,) = examine(Alone(1.0, 1.0), claim, samples=100).findings
    assert finding.verdict is Verdict.UNDECIDED
    assert [e.detail for e in finding.evidence] == [
        "vacuous, it quantifies over nothing: laplace declares no pair of neighbouring inputs, which a privacy claim is about: "
        "examine a mechanism"
    ]


def test_what_quantifies_over_nothing_is_said_alike_in_a_dossier() -> None:
    x = sp.Symbol("x", real=True)
    nowhere = Formula(x**2, ">=", -x, where=(-1 - x**2,))
    for check in (derivation, at_points):
        found = check(nowhere, np.random.default_rng(0))
        assert found.verdict is Verdict.UNDECIDED
        assert found.detail.startswith("vacuous, it quantifies over nothing: no values were found")
    none = on_instances(Instances("none", {}, lambda rng: ()), np.random.default_rng(0))
    assert (none.verdict, none.detail) == (
        Verdict.UNDECIDED,
        "vacuous, it quantifies over nothing: there are no instances",
    )


@pytest.mark.parametrize("predicate", SAYS_SOMETHING, ids=repr)
def test_a_weak_claim_is_no_vacuous_one(predicate: Predicate) -> None:
    mechanism = (
        LaplaceMechanism(40.0, 1.0)
        if isinstance(predicate, PureDP | ApproxDP)
        else GaussianMechanism(sigma=0.1)
    )
    assert examine(mechanism, Claim(predicate, about="law"), samples=100).verdict is Verdict.PROVED


def test_a_vacuous_control_stands() -> None:
    mechanism = GaussianMechanism(sigma=1.0)
    controls = Claim(PureDP(1e300), about="law", expect="falls")
    certificate = examine(mechanism, [Claim(GaussianDP(1.0), about="law"), controls], samples=100)
    assert certificate.exit_code == 1


OTHERS: dict[str, Any] = {
    "another class": RandomisedResponse(5.0),
    "a black box": BlackBox(lambda d, n, r: d + 0 * r.random(n), (0.0, 1.0), name="no noise"),
    "a name that begins alike": BlackBox(lambda d, n, r: d + 0 * r.random(n), (0.0, 1.0), name="laplacean"),
    "a fault of another": Mutant.noise_divided_by(GaussianMechanism(sigma=1.0), 4.0),
}


@pytest.mark.parametrize("other", OTHERS)
def test_a_control_about_another_mechanism_is_refused(other: str) -> None:
    claims = [PureDP(1.0), Claim(PureDP(0.5), OTHERS[other], expect="falls")]
    with pytest.raises(SpecError, match="control is a claim about the same mechanism"):
        examine(LaplaceMechanism(1.0, 1.0), claims, samples=100)


def test_what_was_read_back_is_held_to_the_same() -> None:
    mechanism = LaplaceMechanism(1.0, 1.0)
    claims = [Claim(PureDP(1.0), about="law"), Claim(PureDP(0.9), about="law", expect="falls")]
    data = examine(mechanism, claims, samples=100).to_dict()
    assert {c.state for c in check_certificate(data)} == {"holds"}
    stranger = copy.deepcopy(data)
    stranger["findings"][1]["subject"] = "another"
    assert any("none of the certificate" in c.message for c in check_certificate(stranger))
    empty = copy.deepcopy(data)
    claim = empty["findings"][0]["claim"]
    claim["parameters"]["epsilon"] = 1e300
    assert any("true of every subject" in c.message for c in check_certificate(empty))
