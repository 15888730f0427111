"""The charges of a ledger as a picture: on the page of a release and on that of the ledger, with words for who does not see it."""

from __future__ import annotations

import copy
import re
from pathlib import Path
from typing import Any

import pytest
from drawn_pages import BROKEN_MECHANISMS, CONTRAST, HOSTILE, Browser, Outline
from typer.testing import CliRunner

from noiseproof.audit.record.reading.by_path import Record, UnreadableError
from noiseproof.audit.release.ledger import Cost, Ledger
from noiseproof.audit.release.ledger.export import exported
from noiseproof.audit.release.ledger.history import MOST, history
from noiseproof.audit.release.verify.manifest_check import _ledger_faults
from noiseproof.cli import app
from noiseproof.reports.ledger_history import HEIGHT, TOP, ledger_histories, ledger_page

COSTS = (0.3, 0.05, 0.2, 0.1)
TITLE = "ages <b>& more</b> {{ 7 * 7 }}"


def charged(folder: Path, costs: tuple[float, ...] = COSTS, limit: float = 1.5) -> Ledger:
    """A ledger with these charges, and one that was withdrawn."""
    made = Ledger.create(
        folder / "t.ledger", "people <i>", Cost.zcdp(limit, delta_slack=1e-12, unit="record"), delta=1e-6
    )
    gone = made.reserve(Cost.zcdp(0.05, unit="record"), "never drawn")
    made.withdraw(gone, "nothing was drawn")
    for cost in costs:
        made.settle(made.reserve(Cost.zcdp(cost, unit="record"), TITLE))
    return made


def records(charges: Any) -> list[Record]:
    return [Record.of(one, "charge") for one in charges]


def test_columns_stand_on_each_other_and_end_below_the_limit(tmp_path: Path) -> None:
    book = charged(tmp_path).book()
    last = max(book.entries)
    (found,) = ledger_histories({"rho": 1.5, "delta_slack": 1e-12}, records(history(book, last)))
    scale = (HEIGHT - TOP) / 1.5
    assert [c.charge for c in found.columns] == pytest.approx([v * scale for v in COSTS])
    assert [c.before for c in found.columns] == pytest.approx([sum(COSTS[:i]) * scale for i in range(4)])
    assert [c.here for c in found.columns] == [False, False, False, True]
    assert all(c.top >= TOP for c in found.columns)
    assert all(a.x + a.width < b.x for a, b in zip(found.columns, found.columns[1:], strict=False))
    day = book.entries[last].at[:10]
    assert found.sentence == f"rho: 4 charges on {day}, together 0.65 of 1.5; 0.85 left; this release 0.1"
    assert found.columns[-1].left == "0.85"


def test_a_full_ledger_reaches_its_limit_and_has_nothing_left(tmp_path: Path) -> None:
    book = charged(tmp_path, (0.1,) * 3, 0.3).book()
    (found,) = ledger_histories({"rho": 0.3}, records(history(book)))
    assert found.columns[-1].top == pytest.approx(TOP)
    assert found.sentence.endswith("together 0.3 of 0.3; 0 left")


def test_of_many_charges_the_first_ones_stand_together(tmp_path: Path) -> None:
    many = charged(tmp_path, (0.01,) * (MOST + 5)).book()
    found = history(many)
    assert len(found) == MOST
    assert found[0]["entries"] == 6
    assert sum(one["charge"]["rho"] for one in found) == pytest.approx(float(many.spent()["rho"]))
    text = Outline(ledger_page(exported(many, "0" * 64), found)).text()
    assert "6 entries together" in text
    assert f"{MOST + 5} charges" in text


def test_nothing_of_other_releases_but_days_and_amounts_is_in_a_release(tmp_path: Path) -> None:
    made = charged(tmp_path)
    number = max(made.book().entries)
    record = made.record(number)
    assert set(record["history"][0]) == {"day", "entries", "here", "charge"}
    assert TITLE not in str(record)
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\d", one["day"]) for one in record["history"])


def test_a_history_that_was_altered_is_seen(tmp_path: Path) -> None:
    made = charged(tmp_path)
    record = made.record(max(made.book().entries))
    assert list(_ledger_faults(record)) == []
    for path, value, said in (
        (("charge", "rho"), 0.2, "do not add up"),
        (("charge",), {}, "not as a release writes it"),
        (("here",), True, "2 charges of this release"),
        (("charge", "rho"), "much", "not as a release writes it"),
    ):
        other = copy.deepcopy(record)
        place = other["history"][0]
        for name in path[:-1]:
            place = place[name]
        place[path[-1]] = value
        assert any(said in fault for fault in _ledger_faults(other)), said
    assert any("do not add up" in f for f in _ledger_faults({**record, "history": record["history"][1:]}))


def test_charges_that_are_none_are_refused() -> None:
    good = {"day": "2026-01-01", "entries": 1, "here": False, "charge": {"rho": 1.0}}
    assert len(ledger_histories({"rho": 2.0}, records([good]))) == 1
    for name, value in (
        ("charge", {"rho": "many"}),
        ("charge", {"rho": -1.0}),
        ("day", 3),
        ("entries", None),
    ):
        with pytest.raises(UnreadableError):
            ledger_histories({"rho": 2.0}, records([{**good, name: value}]))


def test_words_from_strangers_are_words(tmp_path: Path) -> None:
    book = charged(tmp_path).book()
    data = exported(book, "0" * 64)
    data["table_id"] = HOSTILE
    for entry in data["entries"]:
        entry["what"] = HOSTILE
    charges = [{**one, "day": "<b>2026-01"} for one in history(book)]
    html = ledger_page(data, charges)
    assert "<script" not in html
    assert "<b>" not in html
    assert "49" not in Outline(html).text().replace("{{ 7 * 7 }}", "")


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ledger")
    charged(folder)
    said = CliRunner().invoke(
        app, ["ledger", "show", str(folder / "t.ledger"), "--page", str(folder / "ledger.html")]
    )
    assert said.exit_code == 0, said.output
    return folder / "ledger.html"


def test_the_picture_has_words_and_a_table(page: Path) -> None:
    html = page.read_text(encoding="utf-8")
    (svg,) = re.findall(r'<svg viewBox="0 0 640 160".*?</svg>', html, re.DOTALL)
    label, words = re.findall(r'aria-labelledby="(\S+) (\S+)"', svg)[0]
    assert f'<title id="{label}">Charges of the ledger, rho</title>' in svg
    assert re.search(rf'<desc id="{words}">rho: 4 charges on .*, together 0.65 of 1.5; 0.85 left', svg)
    text = Outline(html).text()
    assert text.count("ages <b>& more</b>") == 4
    assert "never drawn" not in text
    assert svg.count("<rect") == 8


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_of_a_ledger_is_drawn_with_contrast(page: Path, browser: Browser, scheme: str) -> None:
    browser.open(page, scheme=scheme)
    ratio, words = browser.evaluate(CONTRAST)
    assert ratio >= 4.5, f"contrast {ratio:.2f} of {words!r}"
    assert browser.evaluate(BROKEN_MECHANISMS) in ([], "", None)


def test_the_page_of_a_ledger_fits_narrow_windows_and_one_sheet(page: Path, browser: Browser) -> None:
    import base64

    browser.open(page, width=360)
    assert browser.evaluate("document.documentElement.scrollWidth") <= 360
    browser.open(page)
    sheet = {"paperWidth": 8.27, "paperHeight": 11.69, "printBackground": True}
    pdf = base64.b64decode(browser.call("Page.printToPDF", **sheet)["data"])
    assert len(re.findall(rb"/Type\s*/Page\b", pdf)) == 1
