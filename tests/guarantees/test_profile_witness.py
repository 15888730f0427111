"""Refutations by an exact privacy profile are evaluated again from their data alone."""

from __future__ import annotations

import copy
import json

import numpy as np
import pytest

import noiseproof as npf
from noiseproof.audit.record.evidence import Verdict
from noiseproof.audit.witnesses import reevaluate
from noiseproof.mechanisms.grid_noise import GridRelease, grid_gaussian, grid_laplace

LOWS, HIGHS = np.zeros(2), np.array([1.0, 2.0])
EDITS = {"claimed": "1/2", "epsilon": "40"}


@pytest.fixture(scope="module")
def witness() -> dict[str, object]:
    release = GridRelease([grid_laplace(1.0, -10), grid_gaussian(3.0, -9)], LOWS, HIGHS)
    claim = npf.Claim(npf.ApproxDP(1.0, 1e-6), about="law")
    (finding,) = npf.examine(release.mechanism(), [claim]).findings
    assert finding.verdict is Verdict.REFUTED
    (found,) = [e.witness for e in finding.evidence if e.witness is not None]
    return dict(json.loads(json.dumps(found)))


def test_the_witness_stands(witness: dict[str, object]) -> None:
    stands, says = reevaluate(witness)
    assert stands
    assert says.startswith("2 columns: delta(1")


@pytest.mark.parametrize("key", EDITS)
def test_an_edited_witness_falls(witness: dict[str, object], key: str) -> None:
    assert not reevaluate({**witness, key: EDITS[key]})[0]


def test_a_bound_that_the_profile_only_may_exceed_refutes_nothing() -> None:
    # The largest loss of two columns is 1 here: the profile vanishes, and its enclosure cannot say so.
    column = {"noise": "laplace", "parameter": 2.0, "exponent": -3, "span": 8, "entries": 2}
    stands, says = reevaluate({"kind": "grid profile", "columns": [column], "epsilon": "1", "claimed": "0"})
    assert not stands
    assert "not certainly more than 0" in says


def test_a_witness_of_absurd_size_is_refused(witness: dict[str, object]) -> None:
    absurd = copy.deepcopy(witness)
    absurd["columns"][0]["entries"] = 10**9  # type: ignore[index]
    stands, says = reevaluate(absurd)
    assert not stands
    assert "entries" in says


@pytest.fixture(scope="module")
def whole() -> dict[str, object]:
    noise = (npf.DiscreteGaussian("9/2"), npf.DiscreteLaplace(4))
    claim = npf.Claim(npf.ApproxDP(0.1, 0.05), about="law")
    mechanism = npf.DiscreteNoiseMechanism(noise, (3, 5), (4, 6))
    (finding,) = npf.examine(mechanism, [claim]).findings
    (found,) = [e.witness for e in finding.evidence if e.witness is not None]
    return dict(json.loads(json.dumps(found)))


def test_the_witness_of_whole_noise_stands_and_falls_when_edited(whole: dict[str, object]) -> None:
    assert whole["kind"] == "whole profile"
    stands, says = reevaluate(whole)
    assert stands
    assert says.startswith("2 columns: delta(0.1")
    for edit in (
        {"claimed": "1/2"},
        {"epsilon": "40"},
        {"columns": [{"noise": "cosine", "parameter": "2", "span": 1, "entries": 1}]},
        {"columns": [{"noise": "laplace", "parameter": "2", "span": 1, "entries": 10**9}]},
        {"columns": [{"noise": "laplace", "parameter": "9" * 500, "span": 1, "entries": 1}]},
    ):
        assert not reevaluate({**whole, **edit})[0]
