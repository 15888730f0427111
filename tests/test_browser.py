"""The pages in headless Chromium: drawn, silent, offline, accessible, in every width and colour scheme."""

import base64
import fcntl
import io
import json
import os
import runpy
import select
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from noiseproof.reports import write_certificate_page, write_dossier_pages

GOLDEN = Path(__file__).parent / "golden"
SAMPLE = runpy.run_path(str(GOLDEN / "sample.py"))
DOSSIER = json.loads((GOLDEN / "dossier.json").read_text(encoding="utf-8"))
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--remote-debugging-pipe",
)
SECONDS = 60.0
# The least contrast of any visible text with the nearest ground behind it, and the text it belongs to.
CONTRAST = """(() => {
  const channels = c => { const m = c.match(/[\\d.]+/g).map(Number); return [...m.slice(0, 3), m[3] ?? 1]; };
  const light = c => { const [r, g, b] = c.slice(0, 3).map(v => v / 255)
      .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  let worst = [99, ''];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const e = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || !e.checkVisibility() || e.closest('title, desc')) continue;
    let ground = [255, 255, 255, 1];
    for (let up = e; up; up = up.parentElement) {
      const c = channels(getComputedStyle(up).backgroundColor);
      if (c[3] === 1) { ground = c; break; }
    }
    const style = getComputedStyle(e);
    const ink = light(channels(e.closest('svg') ? style.fill : style.color)), back = light(ground);
    const ratio = (Math.max(ink, back) + 0.05) / (Math.min(ink, back) + 0.05);
    if (ratio < worst[0]) worst = [ratio, walker.currentNode.data.trim()];
  }
  return worst;
})()"""


class Browser:
    """Chromium spoken to over its debugging pipe; events are kept in `events`."""

    def __init__(self, binary: str, profile: Path) -> None:
        # Descriptors from 10 up, so that moving them to 3 and 4 in the child overwrites neither.
        ends = [fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (*os.pipe(), *os.pipe())]
        child_in, self._out, self._in, child_out = ends
        self._process = subprocess.Popen(
            [binary, *FLAGS, f"--user-data-dir={profile}", "about:blank"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=(3, 4),
            preexec_fn=lambda: (os.dup2(child_in, 3), os.dup2(child_out, 4)),
        )
        os.close(child_in)
        os.close(child_out)
        self._buffer = b""
        self._number = 0
        self._session: str | None = None
        self.events: list[dict[str, Any]] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network", "Accessibility"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("id") == self._number:
                assert "error" not in answer, f"{method}: {answer['error']}"
                result: dict[str, Any] = answer["result"]
                return result
            self.events.append(answer)

    def _receive(self) -> dict[str, Any]:
        deadline = time.monotonic() + SECONDS
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._in], [], [], max(0.0, deadline - time.monotonic()))
            chunk = os.read(self._in, 1 << 20) if ready else b""
            if not chunk:
                raise TimeoutError(f"Chromium did not answer within {SECONDS} s, or ended")
            self._buffer += chunk
        message, _, self._buffer = self._buffer.partition(b"\0")
        answer: dict[str, Any] = json.loads(message)
        return answer

    def open(
        self, page: Path, width: int = 1280, height: int = 1600, scheme: str = "light", media: str = ""
    ) -> None:
        self.events.clear()
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        feature = {"name": "prefers-color-scheme", "value": scheme}
        self.call("Emulation.setEmulatedMedia", media=media, features=[feature])
        self.call("Page.navigate", url=page.as_uri())
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self._receive())

    def evaluate(self, expression: str) -> Any:
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def press(self, key: str, code: int) -> None:
        for kind in ("rawKeyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code)

    def close(self) -> None:
        self._session = None
        self.call("Browser.close")
        os.close(self._out)
        os.close(self._in)
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    binary = shutil.which("chromium")
    if binary is None:
        reason = "no `chromium` on the path: install Debian's package chromium to test the pages in a browser"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    running = Browser(binary, tmp_path_factory.mktemp("profile"))
    yield running
    running.close()


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


def test_print_opens_the_tables(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["certificate"])
    visible = "document.querySelector('details table').checkVisibility({contentVisibilityAuto: true})"
    assert not browser.evaluate(visible)
    browser.open(pages["certificate"], media="print", scheme="dark")
    assert browser.evaluate(visible)
    assert browser.evaluate("document.querySelector('details table').getBoundingClientRect().height") > 50
    assert browser.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
