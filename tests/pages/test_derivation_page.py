"""The page of a derivation: golden, escaped, in order, readable on a phone and on paper, and silent."""

from __future__ import annotations

import copy
import json
import os
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from drawn_pages import BROKEN_MECHANISMS, CONTRAST, HOSTILE, Browser, Outline, poisoned

from noiseproof.reports.derivation_page import render_derivation
from noiseproof.reports.mathml import expression
from noiseproof.reports.text import interval
from noiseproof.reports.words import DERIVATIONS
from noiseproof.verify_command import published_schemas

GOLDEN = Path(__file__).parent / "golden"
SAMPLE: dict[str, Any] = json.loads((GOLDEN / "derivation.json").read_text(encoding="utf-8"))
WORDS = {"schema", "outcome", "kind", "truth", "regular", "status", "relation", "role", "x_scale", "y_scale"}
TERMS = " + ".join(f"{k}*a*b**2*sigma_{k}" for k in range(1, 30))
OUTSIDE = """[...document.querySelectorAll('main *')].filter(e => e.checkVisibility() && !e.closest('.plot')
  && !e.closest('.scroll') && !e.closest('.equation') && e.getBoundingClientRect().right > innerWidth + 1)
  .map(e => e.className + ' ' + e.textContent.slice(0, 40))"""
CUT = """[...document.querySelectorAll('.equation, .scroll')].filter(e => !e.closest('details')
  && e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).overflowX !== 'auto').length"""


def long_record() -> dict[str, Any]:
    record = copy.deepcopy(SAMPLE)
    record["model"]["formulas"][0]["right"] = f"exp(-({TERMS})/b)*x"
    record["information"]["value"] = [[TERMS, f"({TERMS})**2"], [f"({TERMS})**2", f"log({TERMS})"]]
    for row in record["information"]["derivation"]:
        row["left"] = f"Integral({TERMS}, (a, 0, oo))"
    return record


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("derivations")
    for name, record in (("sample", SAMPLE), ("long", long_record())):
        (folder / f"{name}.html").write_text(render_derivation(record), encoding="utf-8")
    return {name: folder / f"{name}.html" for name in ("sample", "long")}


def test_golden() -> None:
    page = re.sub(r"<style>.*?</style>", "<style/>", render_derivation(SAMPLE), flags=re.S)
    page = re.sub(r'<svg viewBox="[^"]*" role="img".*?</svg>', "<svg/>", page, flags=re.S)
    page = "\n".join(line.rstrip() for line in page.splitlines() if line.strip()) + "\n"
    golden = GOLDEN / "derivation.html"
    if os.environ.get("NOISEPROOF_REGENERATE"):
        golden.write_text(page, encoding="utf-8")
    assert page == golden.read_text(encoding="utf-8"), (
        "look at the difference, then set NOISEPROOF_REGENERATE=1"
    )


@pytest.mark.parametrize("name", ["certificate", "dossier"])
def test_witnesses_are_folded(name: str) -> None:
    before = (GOLDEN / f"{name}.html").read_text(encoding="utf-8").split('aria-label="Witness"')[:-1]
    assert before
    for around in (part.rpartition("<details")[2] for part in before):
        assert around.startswith(">")
        assert "</details>" not in around


def test_the_sample_satisfies_the_schema_and_mistakes_do_not() -> None:
    schema = published_schemas()["noiseproof-derivation-1"]
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(SAMPLE, schema, jsonschema.Draft202012Validator)
    for path, value in (
        (("outcome",), "SAFE"),
        (("extra",), 1),
        (("exit_code",), 2),
        (("information", "regular"), "yes"),
        (("information", "numbers", 0, 0, "lower"), "0"),
        (("bounds", 0, "status"), "good"),
        (("model", "kind"), "other"),
    ):
        data = copy.deepcopy(SAMPLE)
        place: Any = data
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = value
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(data, schema, jsonschema.Draft202012Validator)


def test_everything_is_escaped_and_nothing_comes_from_outside() -> None:
    hostile = poisoned(SAMPLE, WORDS)
    # Names of parameters are keys of the values too.
    hostile["asked"]["at"] = {k + HOSTILE: v for k, v in hostile["asked"]["at"].items()}
    page = render_derivation(hostile)
    outline = Outline(page)
    assert not {tag for tag, _ in outline.elements} & {"script", "iframe", "object", "img", "form"}
    assert not [a for _, attributes in outline.elements for a in attributes if a.startswith("on")]
    assert "{{ 7 * 7 }}" in outline.text()
    assert "\u202e" not in page
    assert "\x00" not in page
    for tag, attributes in outline.elements:
        for name in ("src", "href", "srcset", "action", "data"):
            target = attributes.get(name)
            assert target is None or target.startswith("#") or target == "data:,", f"<{tag} {name}={target}>"
    assert not re.search(r"https?:|@import|@font-face", render_derivation(SAMPLE))


def test_headings_are_in_order_ids_unique_and_tables_named() -> None:
    outline = Outline(render_derivation(SAMPLE))
    assert outline.headings[0] == 1
    assert outline.headings.count(1) == 1
    assert all(b <= a + 1 for a, b in zip(outline.headings, outline.headings[1:], strict=False))
    ids = [attributes["id"] for _, attributes in outline.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    for _, attributes in outline.elements:
        for target in (attributes.get("aria-labelledby") or "").split():
            assert target in ids
    tables = sum(tag == "table" for tag, _ in outline.elements)
    assert tables == sum(tag == "caption" for tag, _ in outline.elements)
    assert all("scope" in attributes for tag, attributes in outline.elements if tag == "th")


@pytest.mark.parametrize("outcome", DERIVATIONS)
def test_the_first_screen_says_what_came_out(outcome: str) -> None:
    text = Outline(render_derivation({**SAMPLE, "outcome": outcome})).text()
    first = text[: text.index("The model")]
    assert DERIVATIONS[outcome].text in first
    assert DERIVATIONS[outcome].meaning in first
    assert "Exit code" in first


def test_green_is_only_for_what_exits_with_0() -> None:
    green = {name for name, word in DERIVATIONS.items() if word.tone == "proved"}
    assert green == {"derived", "bounded"}


def test_other_data_is_refused() -> None:
    with pytest.raises(ValueError, match="noiseproof derive MODEL"):
        render_derivation({"schema": "noiseproof-certificate-1"})
    with pytest.raises(ValueError, match="cannot draw the page"):
        render_derivation({"schema": "noiseproof-derivation-1", "outcome": "derived"})


def test_formulas_are_written_as_a_person_does() -> None:
    assert "<mi>γ</mi>" in expression("EulerGamma")
    assert "<msub><mi>ψ</mi><mrow><mn>1</mn></mrow></msub>" in expression("polygamma(1, shape)")
    assert "<msub><mi>I</mi><mrow><mn>0</mn></mrow></msub>" in expression("besseli(0, kappa)")
    assert "<code" not in expression("Matrix([[1/scale**2, 0], [0, polygamma(1, a) - zeta(3)]])")


@pytest.mark.parametrize(
    ("lower", "upper", "shown"),
    [
        (0.5625, 0.5625, "0.5625"),
        (-0.25, -0.25, "−0.25"),
        (0.1, 0.2, "0.1 to 0.2"),
        (0.0, 0.0, "0"),
        (1.23456e-9, 1.23457e-9, "1.2346 × 10⁻⁹"),
        (3.14159, 3.14161, "3.1416"),
    ],
)
def test_an_interval_shows_the_digits_that_are_certain(lower: float, upper: float, shown: str) -> None:
    assert interval({"lower": lower, "upper": upper}) == shown


# 680: A4 without its margins, on paper.
@pytest.mark.parametrize(("width", "media"), [(380, ""), (800, ""), (1280, ""), (680, "print")])
@pytest.mark.parametrize("name", ["sample", "long"])
def test_nothing_is_cut_or_hidden(
    name: str, width: int, media: str, browser: Browser, drawn: dict[str, Path]
) -> None:
    browser.open(drawn[name], width=width, height=800, media=media)
    assert browser.evaluate("document.documentElement.scrollWidth") <= width
    assert browser.evaluate(OUTSIDE) == []
    assert browser.evaluate(CUT) == 0
    assert browser.evaluate(BROKEN_MECHANISMS) == []
    silent = ("Log.entryAdded", "Runtime.consoleAPICalled", "Runtime.exceptionThrown")
    assert [event for event in browser.events if event.get("method") in silent] == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_contrast(scheme: str, browser: Browser, drawn: dict[str, Path]) -> None:
    browser.open(drawn["sample"], scheme=scheme)
    ratio, words = browser.evaluate(CONTRAST)
    assert ratio >= 4.5, f"contrast {ratio:.2f} of {words!r}"


def test_accessibility_tree_has_names(browser: Browser, drawn: dict[str, Path]) -> None:
    browser.open(drawn["sample"])
    nodes = [n for n in browser.call("Accessibility.getFullAXTree")["nodes"] if not n["ignored"]]
    roles = [node["role"]["value"] for node in nodes]
    assert roles.count("main") == 1
    for node in nodes:
        if node["role"]["value"] in ("image", "img", "link", "heading", "region", "table"):
            assert node.get("name", {}).get("value", "").strip(), node
