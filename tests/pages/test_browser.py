"""The pages in headless Chromium: drawn, silent, offline, accessible, in every width and colour scheme."""

import base64
import io
import json
import runpy
from pathlib import Path

import pytest
from drawn_pages import CONTRAST, Browser

from noiseproof.reports import write_certificate_page, write_dossier_pages

GOLDEN = Path(__file__).parent / "golden"
SAMPLE = runpy.run_path(str(GOLDEN / "sample.py"))
DOSSIER = json.loads((GOLDEN / "dossier.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    dossier, index = write_dossier_pages([DOSSIER], folder / "papers")
    page = write_certificate_page(SAMPLE["certificate"](), folder / "certificate.html")
    return {"certificate": page, "dossier": dossier, "index": index}


NAMES = ("certificate", "dossier", "index")


@pytest.mark.parametrize("name", NAMES)
def test_page_is_drawn_without_a_word_or_a_request(
    name: str, browser: Browser, pages: dict[str, Path]
) -> None:
    from PIL import Image

    browser.open(pages[name])
    picture = Image.open(
        io.BytesIO(base64.b64decode(browser.call("Page.captureScreenshot")["data"]))
    ).convert("RGB")
    assert picture.size == (1280, 1600)
    colours = picture.getcolors(1 << 24)
    assert len(colours) > 50
    assert max(count for count, _ in colours) < 0.98 * 1280 * 1600
    silent = ("Log.entryAdded", "Runtime.consoleAPICalled", "Runtime.exceptionThrown")
    assert [event for event in browser.events if event.get("method") in silent] == []
    asked = [
        e["params"]["request"]["url"]
        for e in browser.events
        if e.get("method") == "Network.requestWillBeSent"
    ]
    assert [url for url in asked if not url.startswith("data:")] == [pages[name].as_uri()]


def test_noise_requests_and_pale_text_would_be_seen(browser: Browser, tmp_path: Path) -> None:
    page = tmp_path / "faulty.html"
    page.write_text(
        "<body style='background: #fff'><p style='color: #999'>pale</p><img src='missing.png'>"
        "<script>console.error('x')</script>"
    )
    browser.open(page)
    assert browser.evaluate(CONTRAST)[1] == "pale"
    assert browser.evaluate(CONTRAST)[0] < 4.5
    seen = [event.get("method") for event in browser.events]
    assert "Runtime.consoleAPICalled" in seen
    assert seen.count("Network.requestWillBeSent") == 2


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", NAMES)
def test_text_has_contrast(name: str, scheme: str, browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages[name], scheme=scheme)
    dark = browser.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(16, 20, 24)"
    assert dark == (scheme == "dark")
    ratio, words = browser.evaluate(CONTRAST)
    assert ratio >= 4.5, f"contrast {ratio:.2f} of {words!r}"


@pytest.mark.parametrize("width", [360, 420, 800])
@pytest.mark.parametrize("name", NAMES)
def test_page_fits_narrow_windows(name: str, width: int, browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages[name], width=width, height=800)
    assert browser.evaluate("document.documentElement.scrollWidth") <= width


def test_first_screen_holds_verdict_claims_and_commands(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["certificate"], height=800)
    for selector in (".headline", ".exit", ".glance tbody tr:last-child", ".card", ".glance pre"):
        bottom = browser.evaluate(f"document.querySelector('{selector}').getBoundingClientRect().bottom")
        assert 0 < bottom <= 800, selector


def test_keyboard_reaches_the_findings_and_the_tables(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["certificate"])
    browser.press("Tab", 9)
    assert browser.evaluate("document.activeElement.className") == "skip"
    assert browser.evaluate("document.activeElement.getBoundingClientRect().left >= 0")
    assert browser.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    reach = "document.querySelector('summary').tabIndex"
    assert browser.evaluate(reach) == 0


@pytest.mark.parametrize("name", NAMES)
def test_accessibility_tree_has_names(name: str, browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages[name])
    nodes = [n for n in browser.call("Accessibility.getFullAXTree")["nodes"] if not n["ignored"]]
    roles = [node["role"]["value"] for node in nodes]
    assert roles.count("main") == 1
    assert "banner" in roles
    for node in nodes:
        if node["role"]["value"] in ("image", "img", "link", "heading", "region", "table", "figure"):
            named = node.get("name", {}).get("value", "").strip()
            assert named or node["role"]["value"] == "figure", node
    drawn = sum(role in ("image", "img") for role in roles)
    assert drawn == {"certificate": 3, "dossier": 1, "index": 0}[name]


def test_formulas_are_laid_out_as_formulas(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["certificate"])
    assert browser.evaluate("getComputedStyle(document.querySelector('mfrac')).display") == "block math"
    size = "(r => [r.width, r.height])(document.querySelector('mfrac').getBoundingClientRect())"
    width, height = browser.evaluate(size)
    assert width > 20
    assert height > 20


def test_numbers_behind_figures_take_little_paper(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["certificate"], width=680, media="print")
    assert browser.evaluate("document.querySelector('figure').getBoundingClientRect().height") < 700
    inside = "parseFloat(getComputedStyle(document.querySelector('.hero')).paddingLeft)"
    assert browser.evaluate(inside) > 8
    assert browser.evaluate("getComputedStyle(document.querySelector('table.fit')).breakInside") == "avoid"


def test_print_opens_the_tables(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["certificate"])
    visible = "document.querySelector('details table').checkVisibility({contentVisibilityAuto: true})"
    assert not browser.evaluate(visible)
    browser.open(pages["certificate"], media="print", scheme="dark")
    assert browser.evaluate(visible)
    assert browser.evaluate("document.querySelector('details table').getBoundingClientRect().height") > 50
    assert browser.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
