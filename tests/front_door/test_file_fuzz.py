"""A short run of the fuzzer of files: nothing that says something else alone is believed, nothing crashes or takes long."""

from __future__ import annotations

from pathlib import Path

from fuzz_files import kinds, table
from fuzzing.file_case import tried
from made_certificates import certificate, finding, one_of_each


def test_edited_files_are_refused_or_say_what_they_said(tmp_path: Path) -> None:
    passed = certificate(finding(1), finding(2, "REFUTED", expect="falls", certified=2.0)).to_dict()
    tally = tried(kinds(tmp_path, (one_of_each().to_dict(), passed)), 120, 7, tmp_path)
    assert tally.faults == []
    assert tally.slowest < 10
    assert sum(count for (*_, outcome), count in tally.outcomes.items() if outcome == "refused") > 60
    assert "| certificate | verdict |" in table(tally)
