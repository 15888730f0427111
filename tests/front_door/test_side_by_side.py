"""What is claimed and what the evidence supports stand side by side: on the page, in the terminal and in a notebook."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest
from made_certificates import certificate, finding

import noiseproof as npf
from noiseproof.audit.record.side_by_side import side_by_side
from noiseproof.console import print_summary
from noiseproof.reports.page import render_certificate
from noiseproof.reports.words import overall

NOISE = npf.GaussianMechanism(sigma=1.0, sensitivity=1.0)
LAPLACE = npf.LaplaceMechanism(epsilon=1.5, sensitivity=1.0)
Row = tuple[str, str, str, str]
PROOFS: list[tuple[Any, Any, list[Row]]] = [
    (NOISE, npf.ZeroConcentratedDP(0.25), [("rho", "at most 0.25", "at least 0.5", "derivation")]),
    (NOISE, npf.ZeroConcentratedDP(2.0), [("rho", "at most 2", "at most 0.5", "derivation")]),
    (LAPLACE, npf.ZeroConcentratedDP(0.1), [("rho", "at most 0.1", "at least 0.", "derivation")]),
    (NOISE, npf.GaussianDP(0.5), [("mu", "at most 0.5", "at least 1", "derivation")]),
    (NOISE, npf.RenyiDP(2.0, 0.5), [("epsilon at order = 2", "at most 0.5", "at least 1", "derivation")]),
    (NOISE, npf.ApproxDP(1.0, 1e-5), [("delta at epsilon = 1", "at most 1e-05", "at least 0.126937", "der")]),
    (NOISE, npf.PureDP(1.0), [("epsilon", "at most 1", "unbounded", "derivation")]),
    (LAPLACE, npf.PureDP(2.0), [("epsilon", "at most 2", "at most 1.5", "derivation")]),
    (NOISE, npf.ErrorBound(2.0), [("mean squared error", "at least 2", "at most 1", "derivation")]),
    (NOISE, npf.ErrorBound(0.5), [("mean squared error", "at least 0.5", "at least 1", "derivation")]),
    (NOISE, npf.FisherInformation(2.0), [("information of entry 1", "2", "1", "quadrature")]),
    (LAPLACE, npf.GaussianDP(1.0), [("delta at epsilon", "at most", "at least", "quadrature")]),
]


@pytest.mark.parametrize("at", range(len(PROOFS)))
def test_a_law_has_the_number_that_was_derived_beside_the_claimed_one(at: int) -> None:
    subject, claim, expected = PROOFS[at]
    (found,) = npf.examine(subject, npf.Claim(claim, about="law"), samples=100).findings
    rows = [(r.quantity, r.claimed, r.found, r.check) for r in side_by_side(found.record())]
    for row, words in zip(rows, expected, strict=False):
        assert all(cell.startswith(word) for cell, word in zip(row, words, strict=True)), row
    assert len(rows) >= len(expected)
    assert len({row[0] for row in rows}) == len(rows)


CODE: list[tuple[Any, list[Row]]] = [
    (npf.PureDP(1.0), [("epsilon at delta = 0", "at most 1", "at least ", "likelihood ratio")]),
    (npf.ApproxDP(9.0, 1e-5), [("epsilon at delta = 1e-05", "at most 9", "at least ", "likelihood ratio")]),
    (npf.FisherInformation(1.0), [("information of entry 1", "1", "at least 0.", "information")]),
    (npf.ErrorBound(0.5), [("Cramer-Rao bound", "at least 0.5", "at most ", "information")]),
]


@pytest.mark.parametrize(("claim", "expected"), CODE)
def test_code_has_the_number_that_its_outcomes_support(claim: Any, expected: list[Row]) -> None:
    (found,) = npf.examine(NOISE, claim, samples=2_000).findings
    rows = [
        (r.quantity, r.claimed, r.found, r.check) for r in side_by_side(found.record()) if r.about == "code"
    ]
    assert [
        all(cell.startswith(word) for cell, word in zip(row, words, strict=True))
        for row, words in zip(rows, expected, strict=True)
    ] == [True]


def test_nothing_is_set_beside_a_claim_that_has_no_number() -> None:
    empty = finding(1).record()
    for rows in ([], [{"delta": 0.0, "claimed": "inf", "certified": 1.0, "attainable": 2.0}]):
        empty["evidence"][0]["bounds"] = rows
        assert side_by_side(empty) == []
    assert side_by_side({**finding(1).record(), "claim": {"predicate": "Own", "parameters": {}}})


def test_terminal_page_and_notebook_show_both_numbers(capsys: Any, tmp_path: Path) -> None:
    made = certificate(finding(1, "REFUTED", certified=1.7), finding(12, "SURVIVED", epsilon=2.5))
    print_summary(made, tmp_path)
    lines = capsys.readouterr().out.splitlines()
    at = next(i for i, line in enumerate(lines) if "claimed" in line)
    assert [" ".join(line.split()) for line in lines[at : at + 3]] == [
        "claimed certified",
        "1 at most 1 at least 1.7 epsilon at delta = 0 (likelihood ratio, code)",
        "12 at most 2.5 at least 0.5 epsilon at delta = 0 (likelihood ratio, code)",
    ]
    first, second = (line.index("at least") for line in lines[at + 1 : at + 3])
    assert first == second == lines[at].index("certified")
    page = render_certificate(made.to_dict())
    assert page.count(">Certified</th>") == 2
    assert "<td>at most 1</td><td>at least 1.7</td>" in page
    rows = ET.fromstring(made._repr_html_()).findall("tfoot/tr")
    assert [[cell.text for cell in row] for row in rows[:2]] == [
        ["finding", "claimed", "certified", "of"],
        ["1", "at most 1", "at least 1.7", "epsilon at delta = 0 (likelihood ratio, code)"],
    ]


@pytest.mark.parametrize(
    ("claimed", "words"), [(1, "Refuted: a tested event tells"), (4, "No sign that a tested event tells")]
)
def test_the_sentence_on_a_page_agrees_with_its_verdict(claimed: float, words: str) -> None:
    box = npf.BlackBox(lambda x, n, rng: x + rng.laplace(scale=0.5, size=n), (0.0, 1.0))
    audit = npf.examine(box, npf.PureDP(claimed), samples=5_000)
    page = render_certificate(audit.to_dict())
    assert f">{words} the two inputs apart better than the claim allows" in page
    assert ("Refuted claim:" in page) == (claimed == 1)


def test_neighbours_of_a_law_are_all_and_those_of_a_black_box_as_stated() -> None:
    proved = npf.examine(npf.LaplaceMechanism(1.0, 1.0), npf.PureDP(1.0), samples=2_000).to_dict()
    assert "of the law, all that the mechanism declares; of the code, the given pair" in render_certificate(
        proved
    )
    scope = npf.Scope(adjacency="replace-one")
    for other, apart in (([1, 1, 1], True), ([0, 1, 1], False)):
        box = npf.BlackBox(lambda x, n, rng: sum(x) + rng.laplace(size=n), ([0, 0, 1], other))
        audit = npf.examine(box, npf.Claim(npf.PureDP(1.0), scope=scope), samples=500)
        assert "replace-one (as stated: not checked against the inputs)" in render_certificate(
            audit.to_dict()
        )
        assert any("inputs differ in 2 entries" in words for words in audit.findings[0].caveats) == apart


def test_what_cannot_refute_uses_no_alpha_and_what_did_bounds_its_error() -> None:
    page = render_certificate(npf.examine(NOISE, npf.ErrorBound(0.5), samples=2_000).to_dict())
    assert "0 (it samples and describes, and cannot refute: it uses no part of alpha)" in page
    assert "0 (nothing was sampled)" in page
    box = npf.BlackBox(lambda x, n, rng: x + rng.laplace(scale=0.5, size=n), (0.0, 1.0))
    refuted = npf.examine(box, npf.PureDP(1.0), samples=5_000).to_dict()
    assert "a true claim would be refuted with probability at most 0.05" in overall(refuted).meaning
    law = npf.examine(NOISE, npf.Claim(npf.GaussianDP(0.5), about="law")).to_dict()
    assert "probability" not in overall(law).meaning
