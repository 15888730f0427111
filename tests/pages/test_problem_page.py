"""The pages of programs and queries: escaped, in order, readable on a phone, and silent."""

from __future__ import annotations

import copy
import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from drawn_pages import BROKEN_MECHANISMS, CONTRAST, HOSTILE, Browser, Outline, poisoned

from noiseproof.audit.record.plain import json_text
from noiseproof.audit.studies.problems.program import derive_program
from noiseproof.audit.studies.problems.query import derive_query
from noiseproof.audit.trial.spec.program_file import parse_program
from noiseproof.audit.trial.spec.query_file import parse_query
from noiseproof.problem_examples import EXAMPLES
from noiseproof.reports.plane import plane
from noiseproof.reports.problem_page import render_problem
from noiseproof.reports.words import PROBLEMS
from noiseproof.verify_command import published_schemas

SMALL = """
[program]
name = "the nearest point"
minimise = "(x - s)**2 + (y - t)**2"
over = ["x", "y"]
subject_to = ["x + y <= 1"]
[program.parameters.s]
domain = ["-oo", "oo"]
[program.parameters.t]
domain = ["-oo", "oo"]
"""
WORDS = {"schema", "kind", "outcome", "truth", "relation", "role", "x_scale", "y_scale", "status"}
OUTSIDE = """[...document.querySelectorAll('main *')].filter(e => e.checkVisibility() && !e.closest('.plot')
  && !e.closest('.scroll') && !e.closest('.equation') && e.getBoundingClientRect().right > innerWidth + 1)
  .map(e => e.className + ' ' + e.textContent.slice(0, 40))"""


@pytest.fixture(scope="module")
def records() -> dict[str, dict[str, Any]]:
    found = {
        "program": derive_program(parse_program(SMALL.encode())),
        "query": derive_query(parse_query(EXAMPLES["average"].encode())),
    }
    return {name: json.loads(json_text(record)) for name, record in found.items()}


@pytest.mark.parametrize("name", ["program", "query"])
def test_the_record_satisfies_the_schema_and_mistakes_do_not(records: dict[str, Any], name: str) -> None:
    validator = jsonschema.Draft202012Validator(published_schemas()["noiseproof-problem-1"])
    validator.check_schema(published_schemas()["noiseproof-problem-1"])
    validator.validate(records[name])
    for path, value in (
        (("outcome",), "SAFE"),
        (("exit_code",), 2),
        (("extra",), 1),
        (("sections", 0, "derivation", 0, "truth"), "yes"),
        (("statement", 0, "relation"), "~"),
        (("answer", "more"), 1),
    ):
        data: Any = copy.deepcopy(records[name])
        place = data
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = value
        with pytest.raises(jsonschema.ValidationError):
            validator.validate(data)


@pytest.mark.parametrize("name", ["program", "query"])
def test_everything_is_escaped_and_nothing_comes_from_outside(records: dict[str, Any], name: str) -> None:
    page = render_problem(poisoned(records[name], WORDS))
    outline = Outline(page)
    assert not {tag for tag, _ in outline.elements} & {"script", "iframe", "object", "img", "form"}
    assert not [a for _, attributes in outline.elements for a in attributes if a.startswith("on")]
    assert HOSTILE not in page
    assert "\u202e" not in page
    assert "\x00" not in page
    assert not re.search(r"https?:|@import|@font-face", render_problem(records[name]))


@pytest.mark.parametrize("name", ["program", "query"])
def test_headings_are_in_order_ids_unique_and_tables_named(records: dict[str, Any], name: str) -> None:
    outline = Outline(render_problem(records[name]))
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


@pytest.mark.parametrize("outcome", PROBLEMS)
def test_the_first_screen_says_what_came_out(records: dict[str, Any], outcome: str) -> None:
    text = Outline(render_problem({**records["query"], "outcome": outcome})).text()
    first = text[: text.index("The query")]
    assert PROBLEMS[outcome].text in first
    assert PROBLEMS[outcome].meaning in first


def test_green_is_only_for_what_is_exact() -> None:
    assert {name for name, word in PROBLEMS.items() if word.tone == "proved"} == {"derived"}


def test_regions_are_numbered_and_points_marked(records: dict[str, Any]) -> None:
    drawn = next(p for p in records["program"]["planes"] if p["figure"] == "regions")
    found = plane(drawn, "p")
    assert [entry["name"] for entry in found["legend"]] == [
        "1: no constraint active",
        "2: x + y = 1",
        "s = 0, t = 1/2",
    ]
    assert found["svg"].count('fill-rule="evenodd"') == 2
    assert found["svg"].count('font-weight="700"') == 2


def test_other_data_is_refused() -> None:
    with pytest.raises(ValueError, match="noiseproof derive PROGRAM"):
        render_problem({"schema": "noiseproof-certificate-1"})
    with pytest.raises(ValueError, match="cannot draw the page"):
        render_problem({"schema": "noiseproof-problem-1", "outcome": "derived"})


@pytest.mark.parametrize(("width", "media"), [(380, ""), (1280, ""), (680, "print")])
@pytest.mark.parametrize("name", ["program", "query"])
def test_nothing_is_cut_or_hidden(
    records: dict[str, Any], name: str, width: int, media: str, browser: Browser, tmp_path: Path
) -> None:
    page = tmp_path / "page.html"
    page.write_text(render_problem(records[name]), encoding="utf-8")
    browser.open(page, width=width, height=800, media=media)
    assert browser.evaluate("document.documentElement.scrollWidth") <= width
    assert browser.evaluate(OUTSIDE) == []
    assert browser.evaluate(BROKEN_MECHANISMS) == []
    silent = ("Log.entryAdded", "Runtime.consoleAPICalled", "Runtime.exceptionThrown")
    assert [event for event in browser.events if event.get("method") in silent] == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_contrast(records: dict[str, Any], scheme: str, browser: Browser, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(render_problem(records["program"]), encoding="utf-8")
    browser.open(page, scheme=scheme)
    ratio, words = browser.evaluate(CONTRAST)
    assert ratio >= 4.5, f"contrast {ratio:.2f} of {words!r}"


def test_a_title_of_a_program_file_names_its_page() -> None:
    text = 'title = "Where to stand"\n' + SMALL.replace('name = "the nearest point"\n', "")
    record = derive_program(parse_program(text.encode()))
    assert record["title"] == "Where to stand"
    assert "<h1>Where to stand" in render_problem(json.loads(json_text(record)))
