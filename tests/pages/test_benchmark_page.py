"""Benchmarks say how they were made, and their tables are tables."""

from __future__ import annotations

import argparse
import datetime
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture(scope="module")
def page() -> ModuleType:
    path = Path(__file__).resolve().parents[2] / "benchmarks" / "page.py"
    spec = importlib.util.spec_from_file_location("benchmarks_page", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_table_has_as_many_columns_everywhere(page: ModuleType) -> None:
    found = page.table("| | a | b |", [page.row("1", "2", "3")])
    assert found == ["| | a | b |", "| --- | --- | --- |", "| 1 | 2 | 3 |", ""]


def test_a_page_says_how_it_was_made(
    page: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def lines(arguments: argparse.Namespace, made: str) -> list[str]:
        return [f"{made}.", "", *page.table("| draws |", [page.row(str(arguments.draws))])]

    monkeypatch.setattr(sys, "argv", ["some.py", "--draws", "7", "--write", str(tmp_path / "page.md")])
    page.benchmark(
        "benchmarks/some.py", "unused.md", "Some.", lines, draws=(5, "how many"), pairs=(2, "each")
    )
    text = (tmp_path / "page.md").read_text(encoding="utf-8")
    today = datetime.date.today().isoformat()
    assert text.startswith(
        f"{today}, `python benchmarks/some.py --draws 7 --pairs 2`.\n\n| draws |\n| --- |\n| 7 |\n\nTotal: "
    )
    assert capsys.readouterr().out == text
