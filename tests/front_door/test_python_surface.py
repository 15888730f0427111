"""What a person sees in Python: short reprs, a table in notebooks, the public names, and what a wrong argument is told."""

from __future__ import annotations

import json
import pickle
import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from made_certificates import certificate, finding, one_of_each

import noiseproof as npf
from noiseproof.audit.record.evidence import Resolution
from noiseproof.audit.record.weakest import weakest_survival

LAPLACE = npf.LaplaceMechanism(epsilon=1.0, sensitivity=1.0)
CLAIM = npf.PureDP(1.0)


def nothing(*_: Any) -> None: ...


def test_the_front_door_shows_the_public_names_each_once() -> None:
    assert dir(npf) == sorted(npf.__all__)


def test_a_name_that_is_nearly_right_is_suggested() -> None:
    with pytest.raises(AttributeError, match="no attribute 'PureDp'; did you mean 'PureDP'"):
        npf.PureDp  # noqa: B018


def test_a_verdict_is_its_word() -> None:
    verdict = npf.Verdict.SURVIVED
    assert (repr(verdict), str(verdict), f"{verdict:<9}|") == ("Verdict.SURVIVED", "SURVIVED", "SURVIVED |")
    assert (json.dumps(verdict), pickle.loads(pickle.dumps(verdict))) == ("2", verdict)


def test_a_certificate_is_its_title_its_verdict_and_a_line_a_finding() -> None:
    falls = finding(3, "REFUTED", title="half", expect="falls")
    made = certificate(finding(1), finding(2, "REFUTED", title="a\nb\x1b[31m"), falls, title="My audit")
    assert str(made).splitlines() == [
        "My audit: REFUTED",
        "  1  SURVIVED   1-differentially private",
        "  2  REFUTED    a b\ufffd[31m",
        "  3  REFUTED    half  [control, refuted as expected]",
    ]
    assert repr(made) == str(made)
    assert repr(made.findings[0]) == "<Finding 1  SURVIVED   1-differentially private>"
    assert "[control, NOT REFUTED: no power shown]" in repr(one_of_each())


def test_the_weakest_resolution_is_that_of_a_claim_that_survived() -> None:
    def known(made: Any, factor: float) -> Any:
        return replace(
            made,
            evidence=(replace(made.evidence[0], resolution=Resolution("the noise scaled by 1/c", factor)),),
        ).record()

    low, high = known(finding(1), 2.0), known(finding(2), 3.0)
    others = [known(finding(3, expect="falls"), 9.0), {**low, "verdict": "UNDECIDED"}, finding(4).record()]
    for rows in ([low, high, *others], [high, low, *others]):
        (said,) = weakest_survival(rows)
        assert said.startswith(
            "least power among 2 claims that survived: half the noise would NOT have been found; noise 3 times smaller than this "
            "release has would be found with probability 0.95 (estimated by this audit), of “1-differentially private”; smaller reductions"
        )
    stated = [
        {**row["evidence"][0], "resolution": {"ray": "ray", "value": 2.0, "power": 0.95}} for row in [high]
    ]
    assert (
        "would have been found; c = 2 (ray) would be found with"
        in weakest_survival([{**high, "evidence": stated}])[0]
    )
    assert weakest_survival(others) == ()


def test_what_lacked_power_and_the_bytes_are_told_apart_from_what_survived() -> None:
    rows = [finding(1).record(), finding(2).record(), finding(3, "UNDECIDED", title="open").record()]
    stated = ({"value": 1.8}, {"value": 2.1, "in_clear": 1.0}, {"value": 2.3, "samples": 9e4})
    for row, more in zip(rows, stated, strict=True):
        row["evidence"][0]["resolution"] = {"ray": "the noise scaled by 1/c", "power": 0.95, **more}
    rows[0]["evidence"].append({**rows[1]["evidence"][0], "sentence": "bytes"})
    numbers, written, powerless, clear = weakest_survival([rows[0], rows[2]])
    assert numbers.startswith(
        "resolution: half the noise would have been found; noise 1.8 times smaller than this release has would be "
    )
    assert written.startswith("resolution in the bytes: half the noise would NOT have been found; ")
    assert (
        powerless
        == "1 claim is undecided for lack of power: no factor below 2.3 would have been found, of “open”"
    )
    assert clear.startswith(
        "if outcomes leak the record in clear, the audit notices it with probability 0.95 when all of them do; when half"
    )


def test_a_notebook_shows_a_table_of_text() -> None:
    table = ET.fromstring(certificate(finding(1, title="<b>&"), title="<script>")._repr_html_())
    assert table.findtext("caption") == "<script>: SURVIVED"
    assert [cell.text for cell in table.iterfind("tbody/tr/*")] == ["1", "SURVIVED", "<b>&", None]


SHORT: list[tuple[Any, str]] = [
    (LAPLACE, "<LaplaceMechanism 'laplace': epsilon=1.0, sensitivity=1.0, dimension=1>"),
    (npf.BlackBox(nothing, (0, 1)), "<BlackBox 'nothing'>"),
    (npf.Family(nothing, None, 0.5), "<Family 'family': theta=0.5>"),
    (finding(1).evidence[0], f"<Evidence likelihood ratio: SURVIVED: {finding(1).evidence[0].statement}>"),
]


@pytest.mark.parametrize(("thing", "said"), SHORT)
def test_a_repr_is_short(thing: Any, said: str) -> None:
    assert repr(thing) == said


def test_no_subject_is_long() -> None:
    subjects = [
        npf.MECHANISMS["gaussian"](covariance=np.eye(20)),
        *(fault.subject for fault in npf.BROKEN_MECHANISMS),
    ]
    assert [text for s in subjects if len(text := repr(s)) > 200 or "object at" in text] == []


def examined(*arguments: Any, **options: Any) -> Callable[[], Any]:
    return lambda: npf.examine(*(arguments or (LAPLACE, CLAIM)), samples=200, **options)


REFUSED: list[tuple[Callable[[], Any], str]] = [
    (examined(npf.Box([0], [1]), 1.0), r"claims must be predicates such as PureDP\(1\.0\).*got float"),
    (examined(LAPLACE, None), "got NoneType"),
    (examined(LAPLACE, npf.PureDP), r"got the class PureDP: call it, PureDP\(\.\.\.\)"),
    (examined(LAPLACE, [npf.PureDP]), r"got the class PureDP: call it, PureDP\(\.\.\.\)"),
    (examined(LAPLACE, {CLAIM: 1}), "got dict"),
    (examined(CLAIM, LAPLACE), "claims must be predicates.*got LaplaceMechanism"),
    (examined(npf.LaplaceMechanism, CLAIM), r"must be a Mechanism.*got the class LaplaceMechanism: call it"),
    (examined(nothing, CLAIM), r"got function: wrap it, BlackBox\(release, \(x0, x1\)\)"),
    (examined(title=3), "title must be text, got 3"),
    (examined(notes="a note"), "notes must be a list of texts, got 'a note'"),
    (examined(notes=3), "notes must be a list of texts, got 3"),
    (examined(provenance=3), "provenance must be a dict, got 3"),
    (examined(progress=3), r"progress must be a function \(fraction, text\), got 3"),
    (examined(checkpoint=3), "checkpoint must be the path of a folder, got 3"),
    (examined(bits="no"), "bits must be True or False, got 'no'"),
    (examined(sequential=1), "sequential must be True or False, got 1"),
    (lambda: npf.Claim(CLAIM, scope="all"), r"scope must be a Scope\(\.\.\.\), got 'all'"),  # type: ignore[arg-type]
    (lambda: npf.Claim(CLAIM, title=3), "title must be text, got 3"),  # type: ignore[arg-type]
    (lambda: npf.Claim(CLAIM, assumptions="ab"), "assumptions must be a tuple of texts, got 'ab'"),  # type: ignore[arg-type]
    (lambda: npf.sample_size(3, CLAIM, 1.5), "must be a Mechanism.*got int"),
    (lambda: npf.ApproxDP("1", 0.1), "epsilon must be a finite number >= 0, got '1'"),  # type: ignore[arg-type]
    (lambda: npf.ApproxDP(1, "a"), r"delta must lie in \[0, 1\), got the text 'a'"),  # type: ignore[arg-type]
    (lambda: npf.RenyiDP([2], 1), r"order must be a finite number > 1, got \[2\]"),  # type: ignore[arg-type]
    (lambda: npf.ErrorBound(None), "an error bound is a finite number >= 0, got None"),  # type: ignore[arg-type]
    (lambda: npf.Ball("1", 2), "ball: expected a finite radius > 0, got '1'"),  # type: ignore[arg-type]
    (lambda: npf.Simplex(3, None), "simplex: expected"),  # type: ignore[arg-type]
    (lambda: npf.Categorical(3), "categorical: expected a list of values, got 3"),  # type: ignore[arg-type]
    (lambda: npf.LaplaceMechanism(None, 1), "epsilon .* must be a finite number > 0, got None"),  # type: ignore[arg-type]
    (lambda: npf.RandomisedResponse(1, "a"), "categories must be a whole number >= 2, got 'a'"),  # type: ignore[arg-type]
    (lambda: npf.Certificate.from_json(b"{}"), "expected the text of a certificate, got bytes"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("call", "said"), REFUSED, ids=[said for _, said in REFUSED])
def test_a_wrong_argument_is_told_what_was_expected(call: Callable[[], Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        call()


def test_numbers_of_numpy_are_numbers() -> None:
    made = npf.examine(LAPLACE, npf.Claim(CLAIM, about="law"), alpha=np.float32(0.25), bits=np.False_)  # type: ignore[arg-type]
    assert (made.settings["alpha"], type(made.settings["alpha"]), made.exit_code) == (0.25, float, 0)
    assert npf.ApproxDP(Fraction(1, 2), np.float32(0.25)).delta == 0.25  # type: ignore[arg-type]
    assert npf.ErrorBound(np.int64(2)).value == 2


def test_a_certificate_read_back_looks_the_same() -> None:
    made = replace(one_of_each(), title="again")
    assert repr(npf.Certificate.from_json(made.to_json())) == repr(made)
