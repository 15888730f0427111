"""Every kind of witness is evaluated again from its data alone, in another process, and falls when it is edited."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from functools import cache
from typing import Any

import numpy as np
import pytest
import sympy as sp

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
    OptimalGaussian,
    PureDP,
    Tampered,
    examine,
)
from noiseproof.audit.witness import kinds, reevaluate
from noiseproof.symbolic import laws

THETA = sp.Symbol("theta", real=True)


def triangular(y: Any, theta: float) -> Any:
    with np.errstate(divide="ignore"):
        return np.log(np.maximum(1 - np.abs(np.asarray(y) - theta), 0.0))


@cache
def witnesses() -> dict[str, dict[str, Any]]:
    """One witness of each kind and check, as it stands in the JSON of a certificate."""
    gaussian = GaussianMechanism(1.0, 1.0)
    normal = laws.normal(0, 1).shift(THETA)
    runs: list[tuple[Any, Any]] = [
        (gaussian, Claim(GaussianDP(0.9), about="law")),
        (gaussian, PureDP(3.0)),
        (CosineMechanism(-4.0, 4.0), PureDP(2.0)),
        (Tampered.noise_divided_by(gaussian, 3.0), GaussianDP(1.0)),
        (BlackBox(lambda d, n, r: d + r.laplace(0, 0.2, n), (0.0, 1.0)), PureDP(1.0)),
        (
            Tampered.noise_divided_by(OptimalGaussian(1.0, (np.zeros(2), np.ones(2))), 3.0),
            ErrorBound(2.0, weight=np.diag([1.0, 2.0])),
        ),
        (
            Tampered.noise_divided_by(OptimalGaussian(1.0, (np.zeros(300), np.ones(300))), 3.0),
            ErrorBound(300.0),
        ),
        (Tampered.noise_divided_by(gaussian, 3.0), FisherInformation(1.0)),
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
    ]
    found: dict[str, dict[str, Any]] = {}
    for i, (subject, claim) in enumerate(runs):
        data = json.loads(examine(subject, claim, samples=3000, bits=i == 4).to_json())
        for finding in data["findings"]:
            for evidence in finding["evidence"]:
                assert (evidence["witness"] is not None) == (evidence["verdict"] == "REFUTED")
                if evidence["witness"] is not None:
                    found[f"{i} {evidence['check']}: {evidence['witness']['kind']}"] = evidence["witness"]
    return found


def test_every_kind_of_the_audit_occurs() -> None:
    seen = {w["kind"] for w in witnesses().values()}
    assert seen == {
        "inequality",
        "event counts",
        "binomial",
        "histograms",
        "profile",
        "information",
        "shape",
        "irregular",
    }
    assert seen <= set(kinds())


def test_all_witnesses_stand_in_another_process() -> None:
    script = (
        "import json, sys\n"
        "from noiseproof.audit.witness import reevaluate\n"
        "json.dump({k: reevaluate(w) for k, w in json.load(sys.stdin).items()}, sys.stdout)\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", script],
        input=json.dumps(witnesses()),
        capture_output=True,
        text=True,
        check=True,
    )
    answers = json.loads(run.stdout)
    assert set(answers) == set(witnesses())
    for key, (stands, text) in answers.items():
        assert stands is True, (key, text)
        assert text


def weakened(witness: dict[str, Any]) -> dict[str, Any]:
    """The witness with its numbers changed so that it shows nothing any more."""
    w = copy.deepcopy(witness)
    if w["kind"] == "inequality":
        w["left"], w["right"] = ("0", w["right"]) if w["relation"] == "<=" else (w["right"], w["right"])
    elif w["kind"] == "event counts":
        w["counts"]["k1"] = w["counts"]["k0"]
        w["counts"]["prior_k1"] = w["counts"]["prior_k0"]
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


def test_edited_witnesses_fall() -> None:
    for key, witness in witnesses().items():
        assert reevaluate(weakened(witness))[0] is False, key


def test_cut_or_unknown_witnesses_are_reported() -> None:
    for key, witness in witnesses().items():
        with pytest.raises(ValueError, match="cut or edited"):
            reevaluate({"kind": witness["kind"]})
        assert key
    with pytest.raises(ValueError, match="unknown kind"):
        reevaluate({"kind": "magic"})


def test_counts_and_grids_that_cannot_be_are_no_witness() -> None:
    witness = copy.deepcopy(next(w for w in witnesses().values() if w["kind"] == "event counts"))
    witness["counts"]["weights"] = [1000.0 * v for v in witness["counts"]["weights"]]
    assert reevaluate(witness)[0] is False
    witness["counts"]["weights"] = [-1.0, 2.0, *[0.0] * (len(witness["counts"]["weights"]) - 2)]
    assert reevaluate(witness)[0] is False
    witness = copy.deepcopy(next(w for w in witnesses().values() if w["kind"] == "event counts"))
    witness["counts"]["k1"] = [witness["counts"]["n1"] + 1 for _ in witness["counts"]["k1"]]
    assert reevaluate(witness)[0] is False
    witness = copy.deepcopy(next(w for w in witnesses().values() if w["kind"] == "event counts"))
    witness["grid"] = [[epsilon, 0.0] for epsilon, _ in witness["grid"]]
    assert reevaluate(witness)[0] is False
