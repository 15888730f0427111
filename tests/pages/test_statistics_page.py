"""A release of statistics for its readers: the page, the dictionary, the CSV file and the frame say what the data file holds."""

from __future__ import annotations

import copy
import csv
import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from drawn_pages import BROKEN_MECHANISMS, CONTRAST, Browser, Outline
from made_release import changed
from sealed_release import verify

import noiseproof as npf
from noiseproof.audit.release import release
from noiseproof.audit.release.checklist.checklist import checklist
from noiseproof.audit.release.kinds.statistics import StatisticsKind
from noiseproof.audit.release.numbers_frame import numbers_table
from noiseproof.audit.release.policy import parse_policy
from noiseproof.audit.release.policy.models import OutputModel
from noiseproof.audit.release.spreadsheet import guarded, unguarded
from noiseproof.audit.release.statistics.published import batch_of, record_of, schema_of
from noiseproof.audit.release.tables import write_table
from noiseproof.audit.release.verify.numbers_check import check_numbers
from noiseproof.mechanisms.grid_noise import seeded_bits
from noiseproof.release_command import pages
from noiseproof.reports.data_dictionary import data_dictionary
from noiseproof.reports.released_numbers import shown
from noiseproof.reports.statistics_facts import statistics_facts
from noiseproof.symbolic.proof.kernel.documents import tied

POLICY = """
title = "Staff <b>"
columns = [
  { name = "age", kind = "integer", role = "private", low = 18, high = 82, unit = "year", missing = "skip" },
  { name = "office", kind = "category", role = "private", categories = ["=north", "south", "<i>nowhere"], missing = "skip", undeclared = "skip" },
]
[table]
path = "staff.csv"
[mechanism]
kind = "statistics"
noise = "laplace"
[[statistics]]
name = "people & places"
measure = "count"
by = ["office"]
size = 2
[[statistics]]
name = "mean age"
measure = "mean"
column = "age"
size = 200
[limits]
epsilon = 2.0
[audit]
samples = 5_000
alpha = 0.001
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sound release is refused with probability 0.001 at most."""
    made = tmp_path_factory.mktemp("staff")
    rows = [f"{18 + 7 * i % 65},{['=north', 'south'][i % 2]}" for i in range(300)]
    (made / "staff.csv").write_text("\n".join(["age,office", *rows]) + "\n")
    release(parse_policy(POLICY.encode(), folder=made), made / "out", pages=pages)
    return made / "out"


@pytest.fixture(scope="module")
def manifest(folder: Path) -> dict[str, Any]:
    return dict(json.loads((folder / "release.json").read_text()))


@pytest.fixture(scope="module")
def certificate(folder: Path) -> dict[str, Any]:
    return dict(json.loads((folder / "certificate.json").read_text()))


def page(manifest: dict[str, Any], certificate: dict[str, Any]) -> str:
    return pages(manifest, certificate, [])["index.html"]


def test_the_page_says_in_words_what_is_published(folder: Path, manifest: dict[str, Any]) -> None:
    text = Outline((folder / "index.html").read_text()).text()
    for words in (
        "What is published",
        "4 about groups; no row of the table",
        "people & places",
        "number of records by office",
        "is right at most 88.1 times in 100",
        "At the declared size of a group this statistic says nothing",
        "Where the budget goes",
        "conditions of Karush, Kuhn and Tucker",
        "One per cent more epsilon in total",
        "PROVED",
        "What this does not mean",
        "No check found a fault.",
        "Signature",
    ):
        assert words in text, words
    # Of the office where nobody works about every fortieth noisy count is told from zero.
    results = manifest["mechanism"]["parameters"]["results"]
    assert "numbers of records of 3 disjoint cells" in text
    assert "[1, 1]" not in text
    for words in ("Too noisy", "the noisy count is no more than the half width"):
        assert (words in text) == any(row["suppressed"] for row in results)
    for row in results[:3]:
        assert shown(row["value"], 0) in text


def test_tables_have_captions_and_headers_and_drawings_are_not_read_aloud(folder: Path) -> None:
    outline = Outline((folder / "index.html").read_text())
    tags = [tag for tag, _ in outline.elements]
    assert tags.count("caption") >= tags.count("table") - 1
    heads = [a for tag, a in outline.elements if tag == "th"]
    assert all(a.get("scope") in ("row", "col") for a in heads)
    lines = [a for tag, a in outline.elements if tag == "svg" and "line-of" in (a.get("class") or "")]
    assert len(lines) == 4 + 3
    assert all(a.get("aria-hidden") == "true" for a in lines)


def test_names_stay_names(folder: Path, manifest: dict[str, Any]) -> None:
    html = (folder / "index.html").read_text()
    assert "<i>nowhere" not in html
    assert "&lt;i&gt;nowhere" in html
    assert "Staff <b>" not in html
    # No warning is needed of what no spreadsheet runs.
    assert not any("spreadsheet" in one for one in manifest["does_not_mean"])
    assert "people & places,count,'=north," in (folder / "numbers.csv").read_text()
    assert "has one apostrophe more before it" in (folder / "data-dictionary.md").read_text()


def test_verify_holds_and_sees_another_number(folder: Path, tmp_path: Path) -> None:
    found = {(f.what, f.file): f.state for f in verify(folder, pages=pages)}
    assert "fails" not in found.values()
    for name in ("index.html", "data-dictionary.md", "numbers.csv", "data-card.md", "parameters.json"):
        assert found["page", name] == "holds", name
    assert found["numbers", "data.parquet"] == "holds"
    table = pq.read_table(folder / "data.parquet")
    swapped = table.set_column(table.column_names.index("value"), "value", [[1.0, 2.0, 3.0, 4.0]])
    pq.write_table(swapped, tmp_path / "data.parquet")
    data = json.loads((folder / "release.json").read_text())
    assert [c.state for c in check_numbers(tmp_path, data, "data.parquet")] == ["fails"]
    pq.write_table(table.slice(1), tmp_path / "data.parquet")
    assert [c.state for c in check_numbers(tmp_path, data, "data.parquet")] == ["fails"]


def test_the_csv_file_holds_what_the_parquet_file_holds(folder: Path) -> None:
    with (folder / "numbers.csv").open(newline="") as file:
        read = list(csv.DictReader(file))
    rows = pq.read_table(folder / "data.parquet").to_pylist()
    assert len(read) == len(rows) == 4
    for one, other in zip(read, rows, strict=True):
        for name, value in other.items():
            text = one[name]
            if isinstance(value, bool):
                assert text == str(value).lower()
            else:
                assert (text == "") if value is None else (type(value)(unguarded(text)) == value)
    # Nothing that a spreadsheet would run.
    assert [one["office"] for one in read[:3]] == ["'=north", "south", "<i>nowhere"]


@pytest.mark.parametrize(
    "name", ["=1+1", "+a", "-a", "@a", "'=a", "''", "\uff1da", " =a", "a=b", "<=50K", "", "[-1, 2)"]
)
def test_no_name_is_a_formula_and_every_name_is_read_back(name: str, tmp_path: Path) -> None:
    assert unguarded(guarded(name)) == name
    assert not guarded(name).startswith(("=", "+", "-", "@", "\uff1d"))
    if name in ("", "''"):
        return
    columns = {
        "=office": {"kind": "category", "categories": [name, "b"], "missing": "skip", "undeclared": "skip"}
    }
    asked = {name: {"measure": "count", "by": ["=office"]}}
    policy = npf.Statistics(columns, asked, limits={"epsilon": 1.0}, noise="laplace").policy
    workload = StatisticsKind.configure(policy).workload
    rows = [
        record_of(workload, s, f)
        for s, f in workload.figures(
            workload.draw(workload.totals([]), seeded_bits(np.random.default_rng(1)))
        )
    ]
    schema = schema_of(workload, "csv")
    write_table(tmp_path / "data.csv", schema, [batch_of(rows, schema, "csv")], OutputModel(format="csv"))
    assert numbers_table(tmp_path / "data.csv").to_pylist() == rows
    for line in csv.reader((tmp_path / "data.csv").open(newline="")):
        assert not any(cell.startswith(("=", "+", "@")) for cell in line)


def test_the_dictionary_has_every_column_and_the_exact_probability(
    folder: Path, manifest: dict[str, Any]
) -> None:
    text = (folder / "data-dictionary.md").read_text()
    for name in pq.read_schema(folder / "data.parquet").names:
        assert f"| {name} |" in text
    chance = manifest["utility"]["statistics"]["people & places"]["probability"]
    assert 0.95 <= chance < 1
    assert f"{chance:.9g}" in text
    with pytest.raises(ValueError, match="statistics"):
        data_dictionary(changed(manifest, "mechanism.kind", "laplace"))


def test_numbers_are_read_back_as_a_frame(folder: Path, tmp_path: Path) -> None:
    numbers = npf.read_statistics(folder)
    assert len(numbers) == 4
    assert "2-differentially private" in repr(numbers)
    places = numbers.of("people & places")
    assert places.table["office"].to_pylist() == ["=north", "south", "<i>nowhere"]
    assert "office" not in numbers.of("mean age").table.column_names
    assert "<td>&lt;i&gt;nowhere</td>" in numbers._repr_html_()
    with pytest.raises(npf.SpecError, match="no statistic 'mean'"):
        numbers.of("mean")
    with pytest.raises(npf.SpecError, match="noiseproof release"):
        npf.read_statistics(tmp_path)
    shutil.copy(folder / "release.json", tmp_path)
    text = (tmp_path / "release.json").read_text().replace('"kind": "statistics"', '"kind": "laplace"')
    (tmp_path / "release.json").write_text(text)
    with pytest.raises(npf.SpecError, match="one of 'laplace'"):
        npf.read_statistics(tmp_path)


def test_a_ledger_is_a_picture_and_a_sentence(manifest: dict[str, Any], certificate: dict[str, Any]) -> None:
    entry = {
        "table_id": "staff",
        "entry": "3",
        "head": "0" * 64,
        "spent": {"epsilon": 5.0},
        "remaining": {"epsilon": 3.0},
    }
    data = {**manifest, "ledger": entry}
    facts = statistics_facts(data)
    assert facts is not None
    (purse,) = facts.purses
    assert (purse.before, purse.here, purse.left) == pytest.approx((37.5, 25.0, 37.5))
    said = "3 spent by earlier releases, 2 by this one, 3 left of 8"
    assert said in purse.sentence
    assert said in Outline(page(data, certificate)).text()


def test_the_charges_of_a_ledger_are_drawn_on_the_page_of_a_release(
    manifest: dict[str, Any], certificate: dict[str, Any]
) -> None:
    def charge(day: str, epsilon: float, here: bool) -> dict[str, Any]:
        return {"day": day, "entries": 1, "here": here, "charge": {"epsilon": epsilon}}

    entry = {
        "table_id": "staff",
        "entry": "3",
        "head": "0" * 64,
        "spent": {"epsilon": 5.0},
        "remaining": {"epsilon": 3.0},
        "history": [charge("2026-01-31", 3.0, False), charge("2026-11-26", 2.0, True)],
    }
    html = page({**manifest, "ledger": entry}, certificate)
    text = Outline(html).text()
    assert "2 charges from 2026-01-31 to 2026-11-26, together 5 of 8; 3 left; this release 2" in text
    assert "2026-11-26 (this release)" in text
    assert html.count('class="mine"') == html.count('class="charge"') == 1
    # The entry's facts are those of before: a list of charges is no fact of one line.
    assert "history" not in text.lower().split("where the budget goes")[0]
    assert 'class="history"' not in page(
        {**manifest, "ledger": {k: v for k, v in entry.items() if k != "history"}}, certificate
    )
    entry["history"][0]["charge"]["epsilon"] = "<b>"  # type: ignore[index]
    with pytest.raises(ValueError, match="expected a number"):
        page({**manifest, "ledger": entry}, certificate)


def test_long_tables_are_cut_with_a_word(manifest: dict[str, Any], certificate: dict[str, Any]) -> None:
    data = copy.deepcopy(manifest)
    inner = data["mechanism"]["parameters"]
    row = inner["results"][0]
    inner["results"] = [{**row, "office": f"o{i}"} for i in range(300)]
    text = Outline(page(data, certificate)).text()
    assert "270 more numbers are in the data file" in text
    assert "o29" in text
    assert "o30" not in text


def test_damaged_numbers_are_refused(manifest: dict[str, Any], certificate: dict[str, Any]) -> None:
    for path, value in (
        ("mechanism.parameters.results.0.value", "many"),
        ("mechanism.parameters.statistics.0.numbers", "3"),
        ("mechanism.parameters.parts.0.share", 7),
        ("mechanism.parameters.split", "none"),
    ):
        with pytest.raises(ValueError, match=r"release\.json"):
            page(changed(manifest, path, value), certificate)


SABOTAGE: list[tuple[str, str, Any, str]] = [
    ("parameters-carried", "guarantees.0.epsilon", 1.9, "not met"),
    ("parameters-carried", "mechanism.parameters.parts.0.scale", "1/100", "not met"),
    ("parameters-carried", "mechanism.parameters.parts.0.law", "uniform", "open"),
    ("parameters-carried", "mechanism.parameters.parts.0.part", "nothing", "open"),
    ("algorithm-law", "mechanism.parameters.parts.0.part", "nothing", "open"),
    ("algorithm-bounds", "policy.columns.0.high", 200, "not met"),
    ("utility-leak", "utility.statistics.mean age.mean", 40.0, "open"),
    ("utility-leak", "utility.secret", 1.0, "open"),
    ("utility-leak", "utility.statistics.people & places.deviation", 1.0, "not met"),
    ("implementation-configuration", "mechanism.parameters.parts.1.cells", 7, "not met"),
    ("implementation-configuration", "mechanism.parameters.parts.1.part", "nothing", "open"),
    ("implementation-code", "mechanism.parameters.parts.1.part", "nothing", "open"),
    ("side-grid", "mechanism.parameters.parts.0.law", "uniform", "open"),
    ("side-bytes", "mechanism.parameters.parts.0.law", "uniform", "open"),
]


@pytest.mark.parametrize(("key", "path", "value", "state"), SABOTAGE)
def test_an_item_of_the_checklist_says_both_words(
    key: str, path: str, value: Any, state: str, manifest: dict[str, Any], certificate: dict[str, Any]
) -> None:
    found = {i.key: i.answer for i in checklist(manifest, certificate)}
    assert found[key].state == "met", found[key].why
    data = copy.deepcopy(manifest)
    *inner, last = [int(p) if p.isdecimal() else p for p in path.split(".")]
    place: Any = data
    for part in inner:
        place = place[part]
    place[last] = value
    assert {i.key: i.answer.state for i in checklist(data, certificate)}[key] == state


def test_findings_that_are_gone_are_missed(manifest: dict[str, Any], certificate: dict[str, Any]) -> None:
    without = copy.deepcopy(certificate)
    kept = [f for f in without["findings"] if f["claim"]["predicate"] == "SensitivityBound"]
    without["findings"] = [tied({**f, "id": i}) for i, f in enumerate(kept, 1)]
    states = {i.key: i.answer for i in checklist(manifest, without)}
    assert states["implementation-code"].state == "open"
    assert "was not tried" in states["implementation-code"].why
    assert not [i for i in checklist(manifest, certificate) if i.answer.state in ("open", "not met")]


@pytest.mark.parametrize(("width", "media"), [(380, ""), (800, ""), (1280, ""), (680, "print")])
def test_nothing_is_broken_and_nothing_leaves_the_page(
    width: int, media: str, browser: Browser, folder: Path
) -> None:
    browser.open(folder / "index.html", width=width, height=800, media=media)
    assert browser.evaluate(BROKEN_MECHANISMS) == []
    assert browser.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_contrast(scheme: str, browser: Browser, folder: Path) -> None:
    browser.open(folder / "index.html", scheme=scheme)
    ratio, words = browser.evaluate(CONTRAST)
    assert ratio >= 4.5, f"contrast {ratio:.2f} of {words!r}"
