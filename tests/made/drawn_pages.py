"""A page as its readers have it: the outline of its elements and words, and headless Chromium."""

from __future__ import annotations

import fcntl
import json
import os
import re
import select
import shutil
import subprocess
import time
from collections.abc import Collection
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from noiseproof.audit.record.evidence import SENTENCES

# Ends every text of a stranger: markup of HTML, Markdown, Jinja and LaTeX, and characters that are not seen.
HOSTILE = "<script>alert(\"x\")</script>' onload='x' | a\n\n# b\n---\n\u202e\u200f\x00 &amp; {{ 7 * 7 }} `c` [d](javascript:e) $\\frac{f}"
VOID = {"meta", "link", "br", "path", "circle", "use", "mspace"}
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

# Short words of tables, and numbers anywhere, that are broken in the middle.
BROKEN_MECHANISMS = """(() => {
  const found = [], range = document.createRange();
  const walker = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const e = walker.currentNode.parentElement;
    if (!e.checkVisibility() || e.closest('pre, code, svg, math')) continue;
    // The head of a stacked table is for those who hear it.
    if (getComputedStyle(e.closest('thead') ?? e).position === 'absolute') continue;
    const words = e.closest('td, thead') ? /[\\p{L}\\d.]{2,14}/gu : /\\d[\\d.]*(e-\\d+| × 10)/g;
    for (const word of walker.currentNode.data.matchAll(words)) {
      range.setStart(walker.currentNode, word.index);
      range.setEnd(walker.currentNode, word.index + word[0].length);
      if (new Set([...range.getClientRects()].map(r => r.top)).size > 1) found.push(word[0]);
    }
  }
  return found;
})()"""


class Outline(HTMLParser):
    """The elements of a page, its headings and text; fails where tags do not nest."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.stack: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.headings: list[int] = []
        self.words: list[str] = []
        self.feed(html)
        self.close()
        assert not self.stack, f"left open: {self.stack}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(int(tag[1]))
        if tag not in VOID:
            self.stack.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.stack.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.stack:
            self.words.append(data)

    def text(self) -> str:
        return " ".join(" ".join(self.words).split())


def poisoned(data: Any, fixed: Collection[str], free: bool = False) -> Any:
    """The same data with a hostile ending on every text that is not `fixed`, and on the keys of a `free` object."""
    if isinstance(data, dict):
        return {
            k + HOSTILE * free: v
            # A claim has a free text of the name "sentence", evidence one of four words.
            if isinstance(v, str) and (k in fixed or (k == "sentence" and v in SENTENCES))
            else poisoned(v, fixed, free=k in ("parameters", "packages", "versions"))
            for k, v in data.items()
        }
    if isinstance(data, list):
        return [poisoned(item, fixed) for item in data]
    return data + HOSTILE if isinstance(data, str) and data not in ("", "inf", "-inf", "nan") else data


HELD = {"predicate", "parameters", "sentence", "check", "left", "right", "kind"}


def restore(hostile: Any, honest: Any) -> None:
    """What the reader holds against the rest of a finding is as it was: otherwise there is no page."""
    if isinstance(honest, dict):
        for key, value in honest.items():
            if key in HELD | {"measured"}:
                hostile[key] = value
            elif key in hostile:
                restore(hostile[key], value)
    elif isinstance(honest, list):
        for one, other in zip(hostile, honest, strict=True):
            restore(one, other)


def chromium() -> str:
    """The path of Chromium; skips the test where there is none, and fails it in CI."""
    binary = shutil.which("chromium")
    if binary is None:
        reason = "no `chromium` on the path: install Debian's package chromium to test the pages in a browser"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    return binary


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
