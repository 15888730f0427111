"""Every kind of witness is evaluated again from its data alone, in another process, and falls when it is edited."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
import sympy as sp
from shared_artefacts import Shelf

from noiseproof import (
    BlackBox,
    Claim,
    CosineMechanism,
    ErrorBound,
    Family,
    FisherInformation,
    GaussianDP,
    GaussianMechanism,
    LaplaceMechanism,
    Mutant,
    OptimalGaussian,
    PureDP,
    examine,
)
from noiseproof.audit.record.evidence import Evidence, Verdict
from noiseproof.audit.record.plain import plain
from noiseproof.audit.trial.attack.events import Event
from noiseproof.audit.trial.attack.scores import Score
from noiseproof.audit.trial.checks.likelihood_ratio import ChosenEvents, LikelihoodRatio
from noiseproof.audit.trial.outcomes import Grid
from noiseproof.audit.witnesses import kinds, reevaluate
from noiseproof.symbolic import laws

Witnesses = dict[str, dict[str, Any]]
THETA = sp.Symbol("theta", real=True)


def triangular(y: Any, theta: float) -> Any:
    with np.errstate(divide="ignore"):
        return np.log(np.maximum(1 - np.abs(np.asarray(y) - theta), 0.0))


@pytest.fixture(scope="module")
def witnesses(shelf: Shelf) -> Witnesses:
    return shelf.once("witnesses", made_witnesses)


def made_witnesses() -> Witnesses:
    """One witness of each kind and check, as it stands in the JSON of a certificate."""
    gaussian = GaussianMechanism(1.0, 1.0)
    normal = laws.normal(0, 1).shift(THETA)
    runs: list[tuple[Any, Any]] = [
        (gaussian, Claim(GaussianDP(0.9), about="law")),
        (gaussian, PureDP(3.0)),
        (CosineMechanism(-4.0, 4.0), PureDP(2.0)),
        (Mutant.noise_divided_by(gaussian, 3.0), GaussianDP(1.0)),
        (BlackBox(lambda d, n, r: d + r.laplace(0, 0.2, n), (0.0, 1.0)), PureDP(1.0)),
        (
            Mutant.noise_divided_by(OptimalGaussian(1.0, (np.zeros(2), np.ones(2))), 3.0),
            ErrorBound(2.0, weight=np.diag([1.0, 2.0])),
        ),
        (Mutant.noise_divided_by(OptimalGaussian(1.0, (np.zeros(60), np.ones(60))), 3.0), ErrorBound(60.0)),
        (Mutant.noise_divided_by(gaussian, 3.0), FisherInformation(1.0)),
        (LaplaceMechanism(1.0, 1.0, dimension=2), Claim(FisherInformation(1.0), about="law")),
        (
            Family(
                None,
                lambda y, t: -0.5 * (np.asarray(y) - t) ** 2 - 0.5 * np.log(2 * np.pi),
                0.0,
                location=True,
            ),
            FisherInformation(2.0),
        ),
        (Family(None, triangular, 0.0, location=True), FisherInformation(6.0)),
        (
            Family.of_law(laws.uniform(-1, 1).shift(THETA), [THETA], 0.0, location=True),
            FisherInformation(3.0),
        ),
        (Family.of_law(normal, [THETA], 0.0, location=True), Claim(FisherInformation(2.0), about="law")),
        (BlackBox(lambda d, n, r: [f"user={'ab'[d]} t={r.random()}" for _ in range(n)], (0, 1)), PureDP(1.0)),
    ]
    found: dict[str, dict[str, Any]] = {}
    for i, (subject, claim) in enumerate(runs):
        data = json.loads(examine(subject, claim, samples=3000, bits=i == 4).to_json())
        for finding in data["findings"]:
            for evidence in finding["evidence"]:
                assert (evidence["witness"] is not None) == (evidence["verdict"] == "REFUTED")
                if evidence["witness"] is not None:
                    found[f"{i} {evidence['check']}: {evidence['witness']['kind']}"] = evidence["witness"]
    found["other events: rate boxes"] = json.loads(json.dumps(plain(second_event_refutes().witness)))
    return found


def second_event_refutes() -> Evidence:
    """The evidence where the event that was chosen shows nothing, and another that was counted beside it does."""
    check = LikelihoodRatio.bind(
        Claim(PureDP(1.0), BlackBox(lambda d, n, r: r.laplace(d, 0.2, n), (0.0, 1.0)))
    )
    assert check is not None
    score = Score("value", lambda sample: sample.values[:, 0])
    plan = ChosenEvents(Grid(np.zeros(1)), (score,), (Event(0, 0.0), Event(0, 1.0)), 1.0, 0.0, 100, 100, "")
    # Per input: two counts, their squares over the outcomes, outcomes, units.
    counts = np.array(
        [[500.0, 5.0, 250.0, 0.025, 1000.0, 100.0], [520.0, 400.0, 270.4, 160.0, 1000.0, 100.0]]
    )
    return check.judge(plan, counts, 0.05)


def test_every_kind_of_the_audit_occurs(witnesses: Witnesses) -> None:
    seen = {w["kind"] for w in witnesses.values()}
    assert seen == {
        "inequality",
        "event",
        "rate boxes",
        "binomial",
        "histograms",
        "profile",
        "information",
        "shape",
        "irregular",
    }
    assert seen <= set(kinds())


def test_any_event_that_was_counted_may_refute() -> None:
    evidence = second_event_refutes()
    assert evidence.verdict is Verdict.REFUTED
    assert evidence.witness is not None
    assert evidence.witness["kind"] == "rate boxes"
    told = "the event (value above 1) happened 400 times in 1,000 on input 1 and 5 times in 1,000 on input 0"
    assert told in evidence.detail
    stands, words = reevaluate(json.loads(json.dumps(plain(evidence.witness))))
    assert stands
    assert words.startswith(f"{told}; the lower confidence bound on delta(1) is 0.29")


def test_all_witnesses_stand_in_another_process(witnesses: Witnesses) -> None:
    script = (
        "import json, sys\n"
        "from noiseproof.audit.witnesses import reevaluate\n"
        "json.dump({k: reevaluate(w) for k, w in json.load(sys.stdin).items()}, sys.stdout)\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", script],
        input=json.dumps(witnesses),
        capture_output=True,
        text=True,
        check=True,
    )
    answers = json.loads(run.stdout)
    assert set(answers) == set(witnesses)
    for key, (stands, text) in answers.items():
        assert stands is True, (key, text)
        assert text


def weakened(witness: dict[str, Any]) -> dict[str, Any]:
    """The witness with its numbers changed so that it shows nothing any more."""
    w = copy.deepcopy(witness)
    if w["kind"] == "inequality":
        w["left"], w["right"] = ("0", w["right"]) if w["relation"] == "<=" else (w["right"], w["right"])
    elif w["kind"] == "event":
        w["count"]["k"] = w["count"]["l"]
    elif w["kind"] == "rate boxes":
        w["k1"] = w["k0"]
    elif w["kind"] == "binomial":
        w["successes"] = round(w["trials"] * w["probability"])
    elif w["kind"] == "histograms":
        w["counts"][1] = w["counts"][0]
    elif w["kind"] == "profile":
        w["claimed"] = w["delta"]
    elif w["kind"] == "information":
        w["claimed"] = w["numerical"]
    elif w["kind"] == "shape":
        w["claimed"] = w["information"]
    elif "speeds" in w:
        w["speeds"] = [1.0] * len(w["speeds"])
    else:
        w["reason"] = ""
    return w


def test_edited_witnesses_fall(witnesses: Witnesses) -> None:
    for key, witness in witnesses.items():
        assert reevaluate(weakened(witness))[0] is False, key


def test_cut_or_unknown_witnesses_are_reported(witnesses: Witnesses) -> None:
    for key, witness in witnesses.items():
        with pytest.raises(ValueError, match="cut or edited"):
            reevaluate({"kind": witness["kind"]})
        assert key
    with pytest.raises(ValueError, match="unknown kind"):
        reevaluate({"kind": "magic"})


def of_kind(witnesses: Witnesses, kind: str) -> dict[str, Any]:
    return copy.deepcopy(next(w for w in witnesses.values() if w["kind"] == kind))


IMPOSSIBLE: dict[str, tuple[str, Any]] = {
    "more often than there are outcomes": ("event", lambda w: w["count"].update(k=w["count"]["n"] + 1)),
    "a negative count": ("event", lambda w: w["count"].update(l=-1)),
    "no outcomes": ("event", lambda w: w["count"].update(k=0, n=0)),
    "a point below the curve": ("event", lambda w: w.update(epsilon=0.0, delta=0.0)),
    "a level above the error": ("event", lambda w: w.update(level=2 * w["alpha"])),
    "a level of zero": ("event", lambda w: w.update(level=0.0)),
    "boxes: more often than there are outcomes": (
        "rate boxes",
        lambda w: w.update(k1=[w["n1"] + 1 for _ in w["k1"]]),
    ),
    "boxes: no outcomes": ("rate boxes", lambda w: w.update(n1=0, k1=[0 for _ in w["k1"]])),
    "boxes: a negative count": ("rate boxes", lambda w: w.update(k0=[-1 for _ in w["k0"]])),
    "boxes: a point below the curve": ("rate boxes", lambda w: w.update(epsilon=0.0, delta=0.0)),
    "boxes: a level above the error": ("rate boxes", lambda w: w.update(level=2 * w["alpha"])),
}


@pytest.mark.parametrize("name", IMPOSSIBLE)
def test_counts_points_and_levels_that_cannot_be_are_no_witness(name: str, witnesses: Witnesses) -> None:
    kind, change = IMPOSSIBLE[name]
    witness = of_kind(witnesses, kind)
    assert reevaluate(witness)[0] is True
    change(witness)
    assert reevaluate(witness)[0] is False


def test_the_counts_of_an_event_stand_only_on_the_side_that_they_speak_for(witnesses: Witnesses) -> None:
    witness = of_kind(witnesses, "event")
    count = witness["count"]
    witness["count"] = {"k": count["l"], "n": count["m"], "l": count["k"], "m": count["n"]}
    assert reevaluate(witness)[0] is False
