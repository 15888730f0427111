"""A short run of the fuzzer of files: nothing that says something else alone is believed, nothing crashes or takes long."""

from __future__ import annotations

from pathlib import Path

import pytest
from fuzz_files import kinds, table
from fuzzing.file_case import only_less, tried
from made_certificates import certificate, finding, one_of_each


@pytest.mark.parametrize("edits", [60, pytest.param(120, marks=pytest.mark.long)])
def test_edited_files_are_refused_or_say_what_they_said(tmp_path: Path, edits: int) -> None:
    passed = certificate(finding(1), finding(2, "REFUTED", expect="falls", certified=2.0)).to_dict()
    tally = tried(kinds(tmp_path, (one_of_each().to_dict(), passed)), edits, 7, tmp_path)
    assert tally.faults == []
    assert tally.slowest < 10
    assert sum(count for (*_, outcome), count in tally.outcomes.items() if outcome == "refused") > edits / 2
    assert "| certificate | verdict |" in table(tally)


@pytest.mark.parametrize(
    ("place", "before", "after", "less"),
    [
        ("findings[].verdict", "SURVIVED", "UNDECIDED", True),
        ("findings[].as_expected", True, False, True),
        ("exit_code", 0, 4, True),
        ("settings.alpha", 0.05, 0.5, True),
        ("findings[].verdict", "UNDECIDED", "SURVIVED", False),
        ("findings[].verdict", "REFUTED", "UNDECIDED", False),
        ("findings[].verdict", "PROVED", "SURVIVED", False),
        ("findings[].as_expected", False, True, False),
        ("exit_code", 1, 0, False),
        ("settings.alpha", 0.5, 0.05, False),
        ("settings.bits", True, False, False),
        ("title", "one", "another", False),
    ],
)
def test_a_file_may_say_less_and_nothing_else(place: str, before: object, after: object, less: bool) -> None:
    def file(value: object) -> dict[str, object]:
        *outer, key = place.split(".")
        inner = {key: value}
        return {"findings": [inner]} if outer == ["findings[]"] else dict.fromkeys(outer, inner) or inner

    assert only_less(file(before), file(after)) is less
    assert not only_less(file(before), {})
    assert not only_less([before], [before, before])
