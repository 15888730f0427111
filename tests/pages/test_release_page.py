"""What an officer gets: a page for phone and paper, a data card, parameters for a registry; hostile names stay names."""

from __future__ import annotations

import contextlib
import copy
import itertools
import json
import math
import re
import subprocess
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from drawn_pages import BROKEN_MECHANISMS, CONTRAST, Browser, Outline, chromium, poisoned, restore
from hypothesis import given, settings
from hypothesis import strategies as st
from made_release import EPSILON, certificate, changed, manifest, places

from noiseproof.audit.release.checklist.checklist import checklist
from noiseproof.reports.compliance import answer_word, counts
from noiseproof.reports.data_card import data_card
from noiseproof.reports.registry import parameters
from noiseproof.reports.release_page import release_page
from noiseproof.symbolic.proof.kernel.documents import tied
from noiseproof.verify_command import published_schemas


def page(release: dict[str, Any] | None = None, audit: dict[str, Any] | None = None, **more: Any) -> str:
    release, audit = release or manifest(), audit or certificate()
    return release_page(release, audit, checklist(release, audit), **more)


def card(release: dict[str, Any]) -> str:
    return data_card(release, certificate(), checklist(release, certificate()))


# One of a few words each, or what figures and pointers are found by.
WORDS = {
    "schema",
    "kind",
    "role",
    "law",
    "fit",
    "code",
    "bytes",
    "expect",
    "predicate",
    "verdict",
    "truth",
    "answer",
    "date",
    "relation",
    "x_scale",
    "y_scale",
    "figure",
    "asked",
}


def poisoned_release() -> tuple[dict[str, Any], dict[str, Any]]:
    audit = poisoned(certificate(), WORDS | {"about"})
    for finding, honest in zip(audit["findings"], certificate()["findings"], strict=True):
        restore(finding, honest)
    audit["findings"] = [tied(finding) for finding in audit["findings"]]
    return poisoned(manifest(), WORDS), audit


def test_the_page_says_what_an_officer_must_know() -> None:
    text = Outline(page()).text()
    for words in (
        "Adult, three columns",
        "taken one record at a time (not sex , and not a person with several records as a whole). Changing these values in one record makes no published result more than 4.49 times (e^1.5) more or less likely.",
        "equally likely values of the private columns of one record is right at most 81.8 times in 100 (50 without the release)",
        "age: any attacker's typical error is at least 103 years, averaged over possible records (single records may be guessed better)",
        "typical noise (root mean square) age ±206 years, hours per week ±277 h, capital gain ±283,000 USD , at worst 283 % of a column's declared range",
        "48 842",
        "What this does not mean",
        "A person with several rows is protected for one of them.",
        "14 asked of the signer 2 signer says yes 18 met 1 not applicable",
        "No check found a fault. 14 questions below are still unanswered",
        "Questions left blank are not answered by this signature",
        "Signer's answer: yes - Decided in the meeting of 3 March.",
        "NIST SP 800-226",
        "Signature",
        "2e" * 32,
        "hmac-sha256:" + "0f" * 32,
        "every adversary, averaged over the bounds",
        "control: refuted as expected",
        "remaining unit record, epsilon 1",
    ):
        assert words in text, words
    assert "the law" not in text[text.index("Checklist The") : text.index("Findings of the audit A")]
    assert not re.search(r"\bsafe\b|certified|compliant|guaranteed privacy", text, re.I)
    assert not re.search(r"section \d|§", text, re.I)


def test_green_is_kept_for_evidence() -> None:
    items = checklist(manifest(), certificate())
    for one in items:
        assert (answer_word(one.answer).tone == "proved") == (
            one.answer.state == "met" and one.answer.applies
        )
    assert [(word.text, many) for word, many in counts(items)] == [
        ("Asked of the signer", 14),
        ("Signer says yes", 2),
        ("Met", 18),
        ("Not applicable", 1),
    ]
    denied = checklist(manifest(), certificate(), {"trust-curator": "no: x"})
    assert counts(denied)[0][0].text == "Signer says no"
    unknown = checklist(manifest(), certificate(), {"trust-curator": "not known: x"})
    assert ("Signer: not known", 1) in [(word.text, many) for word, many in counts(unknown)]


def test_what_speaks_against_a_release_comes_first() -> None:
    broken = page(changed(manifest(), "costs.unit", "person"))
    assert 'class="hero tone-undecided"' in broken
    assert "1 item of the checklist is not met." in broken
    before = broken[broken.index('id="before"') : broken.index('id="columns"')]
    assert "#item-unit-agrees" in before
    assert "No check found a fault." not in broken
    # An item without the evidence that it needs speaks against a release as well.
    without = page(changed(manifest(), "policy.limits", {}))
    before = without[without.index('id="before"') : without.index('id="columns"')]
    assert "1 item speaks against this release" in before
    assert "#item-parameters-limits" in before


def test_a_control_that_stands_is_no_pass() -> None:
    audit = changed(certificate(), "exit_code", 1)
    control = audit["findings"][1]
    control.update(verdict="SURVIVED", as_expected=False)
    control["sentences"]["code"] = "SURVIVED"
    row = {**audit["findings"][0]["evidence"][2]["bounds"][0], "claimed": EPSILON / 1.1}
    control["evidence"][0].update(verdict="SURVIVED", witness=None, bounds=[row])
    assert '<article class="finding tone-neutral" id="finding-2"' in page()
    html = page(manifest(), audit)
    assert '<article class="finding tone-refuted" id="finding-2"' in html
    assert 'class="hero tone-refuted"' in html
    assert "carry no weight" in html


def test_a_page_is_the_same_bytes_twice_and_needs_nothing() -> None:
    html = page()
    assert html == page()
    outline = Outline(html)
    for tag, attributes in outline.elements:
        for name in ("src", "href", "xlink:href", "srcset", "action", "data"):
            target = attributes.get(name)
            assert target is None or target.startswith("#") or target == "data:,", f"<{tag} {name}={target}>"
    assert not re.search(r"https?:|@import|@font-face", html)
    assert "default-src 'none'" in html
    assert len(html.encode()) < 500_000


def test_headings_ids_and_tables_are_in_order() -> None:
    outline = Outline(page())
    levels = outline.headings
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))
    ids = [attributes["id"] for _, attributes in outline.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    for _, attributes in outline.elements:
        for name in ("aria-labelledby", "href"):
            for target in (attributes.get(name) or "").split():
                assert target == "data:," or target.removeprefix("#") in ids, f"{name}={target}"
    tables = [tag for tag, _ in outline.elements if tag in ("table", "caption")]
    assert tables == ["table", "caption"] * (len(tables) // 2)
    assert all("scope" in attributes for tag, attributes in outline.elements if tag == "th")
    assert all(
        attributes.get("role") == "img" or attributes.get("aria-hidden") == "true"
        for tag, attributes in outline.elements
        if tag == "svg"
    )


def test_information_is_printed_per_squared_unit_of_its_column() -> None:
    text = page()
    assert "(years)^-2" in text
    assert "^-2)^-2" not in text


def test_a_trade_off_can_be_handed_in() -> None:
    line = {"name": "error", "role": "law", "x": [0.1, 1.0], "y": [4.0, 1.0], "low": None, "high": None}
    series = {
        "figure": "calibration",
        "title": "Error against epsilon",
        "x_label": "epsilon",
        "y_label": "error",
        "x_scale": "log",
        "y_scale": "linear",
        "lines": [line],
    }
    html = page(trade_off=[series])
    assert "Error against epsilon" in html
    assert "What the noise allows" not in html


def test_hostile_text_stays_text_on_the_page() -> None:
    html = page(*poisoned_release())
    outline = Outline(html)
    assert not {tag for tag, _ in outline.elements} & {"script", "iframe", "object", "img", "form"}
    assert not [a for _, attributes in outline.elements for a in attributes if a.startswith("on")]
    assert "{{ 7 * 7 }}" in outline.text()
    assert "alert(" in outline.text()
    assert not re.search("[\u202e\u200f\x00]", html)


def test_hostile_text_stays_text_in_the_data_card() -> None:
    from markdown_it import MarkdownIt

    release, _ = poisoned_release()
    plain, hostile = (MarkdownIt("commonmark").enable("table").parse(card(r)) for r in (manifest(), release))
    assert [t.type for t in plain] == [t.type for t in hostile]
    assert len([t for t in hostile if t.type == "td_open"]) == len([t for t in plain if t.type == "td_open"])
    inner = {child.type for token in hostile for child in token.children or ()}
    assert inner <= {"text", "softbreak", "text_special"}
    assert not re.search("[\u202e\u200f\x00]", card(release))


def test_the_data_card_says_the_same() -> None:
    text = card(manifest()).replace("\\", "")
    for words in (
        "# Adult, three columns",
        "1.5-differentially private for each record",
        "| age | years | 17 | 90 |",
        "Released as they are: sex",
        "Signer says yes: 2; Met: 18; Not applicable: 1",
        "A person with several rows",
        "Signer's answer: yes - Decided in the meeting of 3 March.",
        "| data.parquet | 1234567 | " + "1d" * 32,
    ):
        assert words in text, words


def test_parameters_satisfy_their_schema() -> None:
    schema = published_schemas()["noiseproof-parameters-1"]
    jsonschema.Draft202012Validator.check_schema(schema)
    for release in (manifest(), changed(manifest(), "table.rows", None), poisoned_release()[0]):
        found = parameters(release, certificate(), checklist(manifest(), certificate()))
        jsonschema.validate(
            json.loads(json.dumps(found, allow_nan=False)), schema, jsonschema.Draft202012Validator
        )
    assert found["audit"] == {"verdict": "SURVIVED", "alpha": 0.05, "bits": True, "claims": 1, "controls": 1}
    assert found["checklist"]["trust-curator"] == "asked of the signer"
    wrong = {"audit.verdict": "SAFE", "records": 1.5, "guarantees.0.epsilon": None, "checklist.x": "yes"}
    for path, value in wrong.items():
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(changed(found, path, value), schema, jsonschema.Draft202012Validator)


def test_pages_of_other_files_are_refused() -> None:
    with pytest.raises(ValueError, match="noiseproof-release-1"):
        page({"schema": "other"})
    missing = manifest()
    del missing["does_not_mean"]
    with pytest.raises(ValueError, match=r"release\.json: does_not_mean is missing"):
        page(missing)
    with pytest.raises(ValueError, match="does not follow"):
        page(manifest(), changed(certificate(), "verdict", "PROVED"))


JUNK = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=8),
    st.just(10**400),
    st.just("\ud800"),
    st.lists(st.integers(), max_size=2),
    st.dictionaries(st.text(max_size=4), st.integers(), max_size=2),
    st.just([{}]),
)


def drawn_or_refused(release: dict[str, Any], audit: dict[str, Any]) -> None:
    items = checklist(manifest(), certificate())
    for draw in (release_page, data_card, parameters):
        with contextlib.suppress(ValueError):
            assert draw(release, audit, items)


@settings(max_examples=8, deadline=None, derandomize=True)
@given(path=st.sampled_from(places(manifest())), value=JUNK)
def test_a_damaged_manifest_is_drawn_or_refused(path: str, value: Any) -> None:
    drawn_or_refused(changed(manifest(), path, value), certificate())


@settings(max_examples=8, deadline=None, derandomize=True)
@given(path=st.sampled_from(places(certificate())), value=JUNK)
def test_a_damaged_certificate_is_drawn_or_refused(path: str, value: Any) -> None:
    drawn_or_refused(manifest(), changed(certificate(), path, value))


@pytest.mark.long
def test_every_place_of_both_files_damaged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("noiseproof.reports.figures.draw", lambda *_: "<svg></svg>")
    junk = itertools.cycle(
        (None, True, -1, 2.5, math.nan, "", "x", [], {"a": 1}, [{}], 10**400, "\ud800", "inf")
    )
    for path in places(manifest()):
        for value in itertools.islice(junk, 2):
            drawn_or_refused(changed(manifest(), path, value), certificate())
    for path in places(certificate()):
        for value in itertools.islice(junk, 2):
            drawn_or_refused(manifest(), changed(certificate(), path, value))


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("release")
    release, audit = poisoned_release()
    wide = copy.deepcopy(manifest())
    wide["mechanism"]["columns"] = [
        dict(wide["mechanism"]["columns"][0], name=f"a column number {k}") for k in range(40)
    ]
    pages = {"plain": page(), "hostile": page(release, audit), "wide": page(wide)}
    for name, html in pages.items():
        (folder / f"{name}.html").write_text(html, encoding="utf-8")
    return {name: folder / f"{name}.html" for name in pages}


@pytest.mark.parametrize("width", [360, 800, 1280])
@pytest.mark.parametrize("name", ["plain", "hostile", "wide"])
def test_the_page_fits_a_phone(name: str, width: int, browser: Browser, drawn: dict[str, Path]) -> None:
    browser.open(drawn[name], width=width, height=800)
    assert browser.evaluate("document.documentElement.scrollWidth") <= width
    silent = ("Log.entryAdded", "Runtime.consoleAPICalled", "Runtime.exceptionThrown")
    assert [event for event in browser.events if event.get("method") in silent] == []


@pytest.mark.parametrize(("width", "media"), [(360, ""), (800, ""), (680, "print")])
def test_no_number_and_no_short_word_of_a_table_is_broken(
    width: int, media: str, browser: Browser, drawn: dict[str, Path]
) -> None:
    browser.open(drawn["plain"], width=width, height=800, media=media)
    assert browser.evaluate(BROKEN_MECHANISMS) == []


def test_columns_need_no_sideways_scrolling_on_a_phone(browser: Browser, drawn: dict[str, Path]) -> None:
    browser.open(drawn["plain"], width=360, height=800)
    hidden = "[...document.querySelectorAll('.scroll')].filter(e => e.closest('details') === null && e.scrollWidth > e.clientWidth).length"
    assert browser.evaluate(hidden) == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_contrast(scheme: str, browser: Browser, drawn: dict[str, Path]) -> None:
    browser.open(drawn["plain"], scheme=scheme)
    ratio, words = browser.evaluate(CONTRAST)
    assert ratio >= 4.5, f"contrast {ratio:.2f} of {words!r}"


def test_the_accessibility_tree_has_names(browser: Browser, drawn: dict[str, Path]) -> None:
    browser.open(drawn["plain"])
    nodes = [n for n in browser.call("Accessibility.getFullAXTree")["nodes"] if not n["ignored"]]
    roles = [node["role"]["value"] for node in nodes]
    assert roles.count("main") == 1
    assert sum(role in ("image", "img") for role in roles) == 1
    for node in nodes:
        if node["role"]["value"] in ("image", "img", "link", "heading", "region", "table"):
            assert node.get("name", {}).get("value", "").strip(), node


def test_nothing_is_cut_on_paper(browser: Browser, drawn: dict[str, Path]) -> None:
    # 180 mm: A4 without its margins.
    browser.open(drawn["plain"], width=680, media="print", scheme="dark")
    assert browser.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    outside = "[...document.querySelectorAll('main *')].filter(e => e.getBoundingClientRect().right > 681).map(e => e.className || e.tagName)"
    assert browser.evaluate(outside) == []
    assert (
        browser.evaluate("document.querySelector('article details ul').getBoundingClientRect().height") > 50
    )


def test_the_page_prints_on_a4(drawn: dict[str, Path], tmp_path: Path) -> None:
    flags = (
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--no-pdf-header-footer",
        f"--user-data-dir={tmp_path / 'profile'}",
    )
    target = tmp_path / "page.pdf"
    subprocess.run(
        [chromium(), *flags, f"--print-to-pdf={target}", drawn["plain"].as_uri()],
        check=True,
        capture_output=True,
        timeout=60,
    )
    document = target.read_bytes()
    assert document.startswith(b"%PDF-")
    boxes = re.findall(rb"/MediaBox \[([\d. ]+)\]", document)
    width, height = (float(v) for v in boxes[0].split()[2:])
    assert (width, height) == pytest.approx((595, 842), abs=1.5)
    assert 3 <= len(boxes) <= 10
