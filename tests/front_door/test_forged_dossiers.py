"""Dossiers whose words do not follow from what they hold are refused, whatever was edited together."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

from noiseproof.audit.dossier import Dossier, PaperClaim, Statement
from noiseproof.audit.dossier.reading import check_dossier
from noiseproof.audit.dossier.run import run
from noiseproof.audit.record.evidence import Evidence, Verdict


@cache
def _dossier() -> str:
    return json.dumps(run(DOSSIER))


def _claims() -> Any:
    def check(value: float, rng: np.random.Generator) -> Evidence:
        step = {
            "left": str(value),
            "relation": "<=",
            "right": "2",
            "reason": "r",
            "truth": "holds" if value <= 2 else "fails",
        }
        stands = Verdict.PROVED if value <= 2 else Verdict.REFUTED
        witness = None if value <= 2 else {"kind": "formula", "left": str(value)}
        return Evidence("comparison", "proof", "law", stands, "s", "d", witness=witness, derivation=(step,))

    made = Dossier("made", "A paper")
    for name, printed, twin in (("made/true", 1, 3), ("made/false", 3, 1)):
        claim = PaperClaim(name, Statement("said", printed), twin=Statement("other", twin), checks=(check,))
        made.claims[name] = lambda claim=claim: claim  # type: ignore[misc]
    return made


DOSSIER = _claims()


def flipped(data: Any) -> None:
    finding = data["findings"][1]
    finding.update(verdict="proved", witness=None, correction=None)
    data["verdicts"] = {"proved": 2}


def flipped_with_rows(data: Any) -> None:
    flipped(data)
    finding = data["findings"][1]
    finding["evidence"][0].update(verdict="PROVED", witness=None)
    finding["evidence"][1].update(verdict="REFUTED", witness={"kind": "formula"})
    finding["twin"].update(verdict="refuted", required=["refuted"])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (flipped, "its verdict is proved, and refuted follows"),
        (flipped_with_rows, "a step does not hold"),
        (lambda d: d["verdicts"].update(proved=7), "the verdicts are not those"),
        (lambda d: d["findings"][0]["twin"].update(verdict="proved"), "what is said of its twin"),
        (lambda d: d["findings"][1].update(witness=None), "its witness is not that of its evidence"),
        (
            lambda d: d["findings"][0]["evidence"][0].update(check="comparison [twin]"),
            "its verdict is proved",
        ),
        (
            lambda d: d["findings"][1]["evidence"][0].update(check="comparisonx"),
            "other checks ran on its twin",
        ),
        (lambda d: d["findings"][0]["evidence"][0].update(sentence="code"), "other checks ran on its twin"),
        (lambda d: d["findings"][0]["evidence"][0].update(error=0.5), "of what is exact"),
        (lambda d: d["findings"].append(copy.deepcopy(d["findings"][0])), "the same id"),
        (lambda d: d.update(sure=True), "this key is unknown"),
    ],
)
def test_dossiers_whose_verdicts_do_not_follow_are_refused(
    change: Callable[[Any], Any], message: str
) -> None:
    data = json.loads(_dossier())
    check_dossier(data)
    change(data)
    with pytest.raises(ValueError, match=message):
        check_dossier(data)


@pytest.mark.parametrize(
    ("measured", "reason", "stood"),
    [
        ({"tried": 7}, "", True),
        ({"tried": 0, "unclear": 3}, "", False),
        ({"tried": 5, "comparisons": 30, "unclear": 29}, "", True),
        ({"tried": 5, "comparisons": 30, "unclear": 30}, "", False),
        ({"parts": [{"tried": 7}, {"tried": 0}]}, "", False),
        ({"parts": [{"tried": 7}, {"steps": 2, "lemmas": 0}]}, "", True),
        ({}, "not so: the last step", None),
        ({"tried": 7}, "9" * 300_000, None),
    ],
)
def test_the_verdict_of_a_row_beside_the_one_that_decides_follows_from_what_it_tried(
    measured: dict[str, Any], reason: str, stood: bool | None
) -> None:
    for verdict in ("SURVIVED", "UNDECIDED"):
        data = json.loads(_dossier())
        rows = data["findings"][0]["evidence"]
        more = {"kind": "computation", "verdict": verdict, "measured": measured, "derivation": []}
        more["reason"] = reason
        like = {k: v for k, v in rows[0].items() if k != "proof"}
        rows += [{**like, **more, "check": f"enclosures{mark}"} for mark in ("", " [twin]")]
        if stood is (verdict == "UNDECIDED"):
            with pytest.raises(ValueError, match="its verdict does not follow from what it tried"):
                check_dossier(data)
        else:
            check_dossier(data)
