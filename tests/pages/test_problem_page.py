"""The pages of programs and queries: escaped, in order, readable on a phone, and silent."""

from __future__ import annotations

import copy
import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import sympy as sp
from drawn_pages import BROKEN_MECHANISMS, CONTRAST, HOSTILE, Browser, Outline, poisoned

from noiseproof.audit.record.plain import json_text
from noiseproof.audit.studies.problems.program import derive_program
from noiseproof.audit.studies.problems.query import derive_query
from noiseproof.audit.studies.problems.regions import active_equations
from noiseproof.audit.trial.spec.program_file import parse_program
from noiseproof.audit.trial.spec.query_file import parse_query
from noiseproof.derivation_lines import print_derivation
from noiseproof.problem_examples import EXAMPLES
from noiseproof.reports.derivation_page import render_derivation
from noiseproof.reports.plane import plane
from noiseproof.reports.words import PROBLEMS
from noiseproof.symbolic.programs.program import Program
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
    page = render_derivation(poisoned(records[name], WORDS))
    outline = Outline(page)
    assert not {tag for tag, _ in outline.elements} & {"script", "iframe", "object", "img", "form"}
    assert not [a for _, attributes in outline.elements for a in attributes if a.startswith("on")]
    assert HOSTILE not in page
    assert "\u202e" not in page
    assert "\x00" not in page
    assert not re.search(r"https?:|@import|@font-face", render_derivation(records[name]))


@pytest.mark.parametrize("name", ["program", "query"])
def test_headings_are_in_order_ids_unique_and_tables_named(records: dict[str, Any], name: str) -> None:
    outline = Outline(render_derivation(records[name]))
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
    text = Outline(render_derivation({**records["query"], "outcome": outcome})).text()
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
        render_derivation({"schema": "noiseproof-certificate-1"})
    with pytest.raises(ValueError, match="cannot draw the page"):
        render_derivation({"schema": "noiseproof-problem-1", "outcome": "derived"})


@pytest.mark.parametrize(("width", "media"), [(380, ""), (1280, ""), (680, "print")])
@pytest.mark.parametrize("name", ["program", "query"])
def test_nothing_is_cut_or_hidden(
    records: dict[str, Any], name: str, width: int, media: str, browser: Browser, tmp_path: Path
) -> None:
    page = tmp_path / "page.html"
    page.write_text(render_derivation(records[name]), encoding="utf-8")
    browser.open(page, width=width, height=800, media=media)
    assert browser.evaluate("document.documentElement.scrollWidth") <= width
    assert browser.evaluate(OUTSIDE) == []
    assert browser.evaluate(BROKEN_MECHANISMS) == []
    silent = ("Log.entryAdded", "Runtime.consoleAPICalled", "Runtime.exceptionThrown")
    assert [event for event in browser.events if event.get("method") in silent] == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_contrast(records: dict[str, Any], scheme: str, browser: Browser, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(render_derivation(records["program"]), encoding="utf-8")
    browser.open(page, scheme=scheme)
    ratio, words = browser.evaluate(CONTRAST)
    assert ratio >= 4.5, f"contrast {ratio:.2f} of {words!r}"


def test_a_title_of_a_program_file_names_its_page() -> None:
    text = 'title = "Where to stand"\n' + SMALL.replace('name = "the nearest point"\n', "")
    record = derive_program(parse_program(text.encode()))
    assert record["title"] == "Where to stand"
    assert "<h1>Where to stand" in render_derivation(json.loads(json_text(record)))


x, t = sp.symbols("x t", real=True)
KINKED = {
    "absolute": Program((x - t) ** 2 / 2 + sp.Abs(x), [x], [], [t]),
    "clipped": Program(sp.Abs(x - t), [x], [x >= 0, x <= 1], [t]),
    "maximum": Program((x - t) ** 2 + sp.Max(x, -2 * x), [x], [], [t]),
    "nested": Program((x - t) ** 2 + sp.Max(sp.Abs(x), 1), [x], [], [t]),
    "bounded": Program((x - t) ** 2, [x], [sp.Abs(x) <= 1], [t]),
    "minimum": Program((x - t) ** 2, [x], [sp.Min(x, 2 * x + 1) >= 1], [t]),
}


@pytest.mark.parametrize("name", KINKED)
def test_equations_of_a_case_are_in_the_symbols_of_the_program_and_hold_there(name: str) -> None:
    program = KINKED[name]
    found = program.solve()
    assert len(found.cases) > 1
    tried = 0
    for case, active in zip(found.cases, active_equations(program, found.cases), strict=True):
        for value in (sp.Rational(k, 7) for k in range(-30, 31)):
            at = {t: value}
            if all(c.subs(at) > 0 for c in case.conditions):
                tried += 1
                for left, right in (one.split(" = ") for one in active):
                    sides = [sp.parse_expr(side, {"x": x, "t": t}) for side in (left, right)]
                    assert sides[0].free_symbols | sides[1].free_symbols <= {x, t}
                    assert (sides[0] - sides[1]).subs(case.minimiser).subs(at) == 0, (active, value)
    assert tried


@pytest.fixture(scope="module")
def kinked() -> dict[str, Any]:
    text = SMALL.replace("(x - s)**2 + (y - t)**2", "(x - s)**2/2 + Abs(x) + (y - t)**2")
    return json.loads(json_text(derive_program(parse_program(text.encode()))))  # type: ignore[no-any-return]


def test_cases_are_one_table_and_conditions_stand_by_kind(
    kinked: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    page = render_derivation(kinked)
    cases = kinked["answer"]["cases"]
    (table,) = re.findall(r'<table class="stack cases">.*?</table>', page, flags=re.S)
    assert table.count('<th scope="row">') == len(cases) > 2
    assert "t_1" not in table + "".join(a["name"] for p in kinked["planes"] for a in p["areas"])
    text = Outline(page).text()
    assert text.count("Auxiliary variable") == 1
    kinds = ("Stationarity", "Primal feasibility", "Dual feasibility", "Complementarity")
    assert [page.count(f"<dt>{kind}</dt>") for kind in kinds] == [1] * 4
    print_derivation(kinked)
    lines = capsys.readouterr().out.splitlines()
    assert [sum(line == f"  {kind.lower()}:" for line in lines) for kind in kinds] == [1] * 4


def test_a_step_that_two_results_share_is_printed_once_and_referred_to(kinked: dict[str, Any]) -> None:
    page = render_derivation(kinked)
    steps = [step for part in kinked["sections"] for step in part["derivation"]]
    distinct = {json.dumps(step, sort_keys=True) for step in steps}
    ids = re.findall(r'<li id="((?:step|lemma)-\d+-\d+)"', page)
    assert len(ids) == len(set(ids)) == len(distinct) < len(steps)
    references = re.findall(r'<li class="again".*?<a href="#([^"]*)">', page)
    assert references
    assert set(references) <= set(ids)
