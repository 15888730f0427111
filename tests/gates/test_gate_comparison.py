"""What a change did to the verdicts: every step down counts, and so does a claim that vanished."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from made_certificates import certificate, finding

import noiseproof as npf
from noiseproof.audit.record.evidence import Resolution
from noiseproof.audit.trial.gate.comparison import Row, compare_certificates

VERDICTS = ["REFUTED", "UNDECIDED", "SURVIVED"]


def rows(old: list[Any], new: list[Any]) -> list[Row]:
    return compare_certificates(certificate(*old).to_dict(), certificate(*new).to_dict())


@pytest.mark.parametrize("old", VERDICTS)
@pytest.mark.parametrize("new", VERDICTS)
def test_each_step_between_verdicts(old: str, new: str) -> None:
    (row,) = rows([finding(1, old, certified=0.1)], [finding(7, new, title="renamed", certified=0.2)])
    step = VERDICTS.index(new) - VERDICTS.index(old)
    assert row.change == ("worse" if step < 0 else "better" if step else "same")
    assert row.counts == (step < 0)
    assert (row.old, row.new, row.epsilon) == (old, new, (0.1, 0.2))


def test_controls_are_better_when_they_fall() -> None:
    stands, falls = (finding(1, v, expect="falls") for v in ("SURVIVED", "REFUTED"))
    assert [r.change for r in rows([falls], [stands])] == ["worse"]
    assert [r.change for r in rows([stands], [falls])] == ["better"]


def test_what_is_new_or_gone() -> None:
    a, b = finding(1, epsilon=1), finding(2, "REFUTED", epsilon=2)
    assert [(r.change, r.counts) for r in rows([a], [a, b])] == [("same", False), ("new", True)]
    assert [(r.change, r.counts) for r in rows([a, b], [a])] == [("same", False), ("gone", True)]
    assert [(r.change, r.counts) for r in rows([b], [b, a])] == [("same", False), ("new", False)]
    assert rows([], []) == []


@pytest.mark.parametrize("verdict", VERDICTS)
def test_another_claim_under_one_title_has_changed_whatever_its_verdict(verdict: str) -> None:
    old, new = (finding(1, verdict, epsilon=e, title="the release") for e in (3.5, 6))
    (row,) = rows([old], [new])
    assert (row.change, row.counts, row.title) == ("changed", True, "release: the release")
    assert row.why == "3.5-differentially private -> 6-differentially private"
    assuming = replace(old, claim={**old.claim, "assumptions": ["nobody looks"]})
    assert [(r.change, r.why) for r in rows([old], [assuming])] == [("changed", "other assumptions")]


@pytest.mark.parametrize("weaker", [{"samples": 200}, {"alpha": 1e-12}, {"bits": False}])
def test_a_better_verdict_of_a_weaker_audit_is_no_better(weaker: dict[str, Any]) -> None:
    before = {"alpha": 0.05, "samples": 20_000, "bits": True}
    for verdict in ("REFUTED", "UNDECIDED"):
        old, new = (certificate(finding(1, v)).to_dict() for v in (verdict, "SURVIVED"))
        old["settings"] |= before
        new["settings"] |= {**before, **weaker}
        (row,) = compare_certificates(old, new)
        assert (row.change, row.counts) == ("weaker", True)
        (row,) = compare_certificates({**old, "settings": new["settings"]}, new)
        assert (row.change, row.counts) == ("better", False)


def test_a_survival_that_would_have_missed_more_is_weaker() -> None:
    def survived(value: float) -> Any:
        one = finding(1)
        resolution = Resolution("the noise scaled by 1/c", value)
        return replace(one, evidence=(replace(one.evidence[0], resolution=resolution),))

    # Half as many samples miss 1.4 times the departure: nothing that anybody must hear of.
    assert [r.change for r in rows([survived(1.1)], [survived(1.15)])] == ["same"]
    assert [(r.change, r.counts) for r in rows([survived(1.1)], [survived(2.5)])] == [("weaker", True)]
    bytes_too = survived(1.1)
    asked = replace(
        bytes_too,
        asked=("code", "bytes"),
        evidence=(*bytes_too.evidence, replace(bytes_too.evidence[0], sentence="bytes")),
    )
    assert [r.why for r in rows([asked], [survived(1.1)])] == [
        "no longer asked: the bytes written have the property"
    ]


@pytest.mark.parametrize("verdict", VERDICTS)
@pytest.mark.parametrize(
    ("subject", "why"),
    [
        ({"inputs": "b" * 16}, "other inputs"),
        ({"inputs": None}, "other inputs"),
        ({"parameters": {"scale": 0.1}}, "scale 1.0 -> 0.1"),
        ({"parameters": {}}, "scale 1.0 -> none"),
        ({"parameters": {"scale": 1.0, "clip": "x" * 99}}, f"clip none -> {'x' * 40}..."),
        ({"deterministic": False}, "with randomness of its own"),
    ],
)
def test_a_verdict_about_another_subject_is_another_verdict(
    verdict: str, subject: dict[str, Any], why: str
) -> None:
    told = {"parameters": {"scale": 1.0}, "deterministic": True, "inputs": "a" * 16}
    old, new = (certificate(finding(1, v)).to_dict() for v in ("UNDECIDED", verdict))
    for one in (old, new):
        one["subjects"] = [{"name": "release", **told}]
    assert "changed" not in [r.change for r in compare_certificates(old, new)]
    new["subjects"][0] |= subject
    (row,) = compare_certificates(old, new)
    assert (row.change, row.counts, row.why) == ("worse" if verdict == "REFUTED" else "changed", True, why)


def test_inputs_that_moved_closer_are_seen_whatever_the_noise_does() -> None:
    def audited(scale: float, apart: float) -> dict[str, Any]:
        def release(x: float, size: int, rng: np.random.Generator) -> Any:
            return x + rng.laplace(scale=scale, size=size)

        box = npf.BlackBox(release, (0.0, apart), name="release")
        return npf.examine(box, npf.PureDP(1.0), samples=3_000).to_dict()

    old, new, closer = audited(1.0, 1.0), audited(1.0, 1.0), audited(0.1, 0.01)
    assert [r.change for r in compare_certificates(old, new)] == ["same"]
    assert [(r.change, r.counts, r.why) for r in compare_certificates(old, closer)] == [
        ("changed", True, "other inputs")
    ]


def test_a_survival_that_states_another_departure_or_none_is_weaker() -> None:
    def survived(*resolution: Resolution) -> Any:
        one = finding(1)
        return replace(
            one, evidence=(replace(one.evidence[0], resolution=resolution[0] if resolution else None),)
        )

    factor = Resolution("the claim made c times stricter", 1.1)
    for other in ([], [Resolution("a record in clear in the share c", 0.01)]):
        (row,) = rows([survived(factor)], [survived(*other)])
        assert (row.change, row.counts) == ("weaker", True)
        assert row.why.startswith("likelihood ratio: half the noise would have been found;")


def test_equal_claims_are_matched_in_order() -> None:
    pair = [finding(1, "SURVIVED"), finding(2, "REFUTED")]
    assert [r.change for r in rows(pair, pair)] == ["same", "same"]
    assert [r.change for r in rows(pair, pair[::-1])] == ["worse", "better"]
