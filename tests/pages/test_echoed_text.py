"""What strangers wrote reaches a terminal, a log or a report as text: it steers nothing and commands nobody."""

from __future__ import annotations

import ast
import json
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import pytest
from made_certificates import certificate, finding
from typer.testing import CliRunner

from noiseproof.audit.record.certificate import Certificate
from noiseproof.audit.record.shown_text import one_line
from noiseproof.audit.trial.gate.failure import failure_message
from noiseproof.cli import app
from noiseproof.reports.junit import render_junit
from noiseproof.reports.markdown import render_markdown
from noiseproof.reports.sarif import render_sarif

ROOT = Path(__file__).resolve().parents[2]
HOSTILE = "x\x1b]52;c;cm0=\x07\n::error file=x::y\r\n##[error]z ##vso[task.complete]\x9b31m\u202e\u200b"


def harmless(text: str) -> None:
    """No escape, no reordering, and no line that a runner takes for a command."""
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e\u200b]", text), ascii(text)
    assert not re.search(r"^\s*::", text, re.M), text
    assert "##[" not in text
    assert "##vso[" not in text


def hostile() -> Certificate:
    found = [
        replace(finding(n, v, subject=HOSTILE, title=HOSTILE), caveats=(HOSTILE,))
        for n, v in ((1, "REFUTED"), (2, "UNDECIDED"), (3, "SURVIVED"))
    ]
    return certificate(*found, title=HOSTILE)


def test_one_line_keeps_its_length_and_plain_text() -> None:
    assert len(one_line(HOSTILE)) == len(HOSTILE)
    harmless(one_line(HOSTILE))
    assert one_line("##teamcity[x]") == "#\ufffdteamcity[x]"
    for plain in ("a: b", "std::vector", "## heading", "é ≤ 1", "a :: b"):
        assert one_line(plain) == plain


def test_the_commands_say_what_a_file_holds_in_harmless_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "c.json").write_text(hostile().to_json())
    data = json.loads(hostile().to_json())
    (tmp_path / "unknown.json").write_text(json.dumps({**data, HOSTILE: 1}))
    data["findings"][0]["claim"]["predicate"] = HOSTILE
    (tmp_path / "predicate.json").write_text(json.dumps(data))
    (tmp_path / "spec.toml").write_text(
        f"{json.dumps(HOSTILE)} = 1\n[mechanism]\nname = {json.dumps(HOSTILE)}\n"
    )
    for words in (
        "diff c.json c.json",
        "replay c.json#1",
        "replay c.json#2",
        "report unknown.json",
        "report predicate.json",
        "export unknown.json",
        "check-spec spec.toml",
    ):
        done = CliRunner().invoke(app, words.split())
        assert done.exit_code in (0, 1, 2), done.output
        harmless(done.output)
    named = CliRunner().invoke(app, ["report", HOSTILE])
    assert named.exit_code == 2
    harmless(named.output)


def test_a_message_is_no_longer_than_anybody_reads(tmp_path: Path) -> None:
    (tmp_path / "c.json").write_text(json.dumps({**hostile().to_dict(), "y" * 1_000_000: 1}))
    assert len(CliRunner().invoke(app, ["report", str(tmp_path / "c.json")]).output) < 10_000


def test_reports_of_builds_hold_harmless_lines() -> None:
    data = hostile().to_dict()
    tree = ET.fromstring(render_junit(data))
    for element in tree.iter():
        harmless("\n".join([*element.attrib.values(), element.text or ""]))
    log = json.loads(render_sarif(data))
    for result in log["runs"][0]["results"]:
        harmless(result["message"]["text"])
        harmless(result["locations"][0]["logicalLocations"][0]["name"])
    harmless(render_markdown(data))
    failed = [f for f in hostile().findings if not f.as_expected]
    harmless(failure_message(hostile(), failed, "pytest x"))
    harmless(render_markdown({**data, "findings": [{**data["findings"][0], "id": HOSTILE}]}))


def test_only_one_place_of_the_front_door_prints() -> None:
    for path in (ROOT / "src" / "noiseproof").glob("*.py"):
        printing = [
            node.lineno
            for node in ast.walk(ast.parse(path.read_text()))
            if isinstance(node, ast.Call)
            and ast.unparse(node.func) in ("typer.echo", "click.echo", "print", "console.print")
        ]
        assert not printing or path.name == "console.py" or (path.name, len(printing)) == ("plan_table.py", 1)
