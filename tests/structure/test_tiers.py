"""What runs by default: each test that moved to the long runs leaves something behind, and a dear test fails CI."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from checkout import ROOT

pytest_plugins = ["pytester"]
TESTS = ROOT / "tests"
MOVED = json.loads((ROOT / "benchmarks" / "results" / "moved-tests.json").read_text(encoding="utf-8"))
[SECTION] = MOVED["sections"]
ROWS = {row[0]: row for row in SECTION["rows"]}


def stands(name: str) -> bool:
    """Whether `folder/file.py::test` or an instance of it is a test of this checkout."""
    file, _, test = name.partition("[")[0].partition("::")
    path = TESTS / file
    return (
        path.exists() and re.search(rf"^(def )?{test}\b", path.read_text(encoding="utf-8"), re.M) is not None
    )


@pytest.mark.parametrize("name", ROWS)
def test_what_moved_leaves_an_assertion_behind(name: str) -> None:
    assert stands(name)
    _, kept, seconds, behind = ROWS[name]
    assert float(seconds) > 0
    if kept == "none":
        named = re.findall(r"`(\S+?)`", behind)
        assert named, "name the test that still asserts it"
        assert all(stands(one) and ROWS.get(one, ["", ""])[1] != "none" for one in named)
    else:
        assert int(kept.removeprefix("1 in ")) >= 2


DEAR = "import time\n\ndef test_dear():\n    end = time.process_time() + 0.4\n    while time.process_time() < end: pass\n\ndef test_cheap():\n    pass\n"


@pytest.mark.parametrize(("limit", "code"), [("0.2", 1), ("100", 0)])
def test_a_dear_test_fails_a_run_with_a_limit(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, limit: str, code: int
) -> None:
    pytester.makepyfile(DEAR)
    monkeypatch.setenv("PYTHONPATH", str(TESTS / "made"))
    arguments = ("-p", "processor_seconds", "--cpu-limit", limit, "--cpu-seconds", "cost.json")
    done = pytester.runpytest_subprocess(*arguments, "-p", "xdist", "-n", "1")
    assert done.ret == code
    assert ("FAILED" in done.stdout.str()) is bool(code)
    assert ("test_cheap: " in done.stdout.str()) is False
    written = json.loads(Path(pytester.path, "cost.json").read_text(encoding="utf-8"))
    assert next(name.partition("::")[2] for name in written) == "test_dear"
