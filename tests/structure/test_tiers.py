"""What runs by default: each test that moved to the long runs leaves something behind, and a dear test fails CI."""

from __future__ import annotations

import json
import re

import pytest
from checkout import ROOT

pytest_plugins = ["pytester"]
[SECTION] = json.loads((ROOT / "benchmarks/results/moved-tests.json").read_text(encoding="utf-8"))["sections"]
DEAR = "import time\ndef test_dear():\n    end = time.process_time() + 0.4\n    while time.process_time() < end: pass\ndef test_cheap(): pass\n"


def stands(name: str) -> bool:
    """Whether `folder/file.py::test`, or the test of that instance, is one of this checkout."""
    file, _, test = name.partition("[")[0].partition("::")
    path = ROOT / "tests" / file
    return path.exists() and f"def {test}(" in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("row", SECTION["rows"], ids=lambda row: row[0])
def test_what_moved_leaves_an_assertion_behind(row: list[str]) -> None:
    name, kept, seconds, behind = row
    gone = {other for other, left, *_ in SECTION["rows"] if left == "none"}
    named = re.findall(r"`(\S+?)`", behind)
    assert float(seconds) > 0
    assert all(stands(one) and one not in gone for one in named)
    assert stands(name)
    assert named if kept == "none" else int(kept.removeprefix("1 in ")) >= 2


@pytest.mark.parametrize(("limit", "code"), [("0.2", 1), ("100", 0)])
def test_a_dear_test_fails_a_run_with_a_limit(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, limit: str, code: int
) -> None:
    pytester.makepyfile(DEAR)
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "tests" / "made"))
    arguments = ("-p", "processor_seconds", "--cpu-limit", limit, "--cpu-seconds", "cost.json", "-n", "1")
    done = pytester.runpytest_subprocess(*arguments)
    assert (done.ret, "test_dear: 0." in done.stdout.str()) == (code, bool(code))
    assert next(iter(json.loads((pytester.path / "cost.json").read_text()))).endswith("::test_dear")
