"""Mutated specs, certificates, policies, tables, ledgers and sealed folders: a message, no traceback, nothing run or escaped."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mutated_files import TARGETS, WORDS, case, watched

EDITS = st.lists(
    st.tuples(
        st.floats(0, 1),
        st.sampled_from(["insert", "replace", "delete", "double", "swap"]),
        st.one_of(st.sampled_from(WORDS), st.binary(max_size=4)),
        st.integers(1, 40),
    ),
    min_size=1,
    max_size=4,
)


def mutated(seed: bytes, edits: list[tuple[float, str, bytes, int]]) -> bytes:
    """The seed after these edits, at shares of its length."""
    for share, how, word, length in edits:
        at = int(share * len(seed))
        head, part, tail = seed[:at], seed[at : at + length], seed[at + length :]
        seed = {
            "insert": head + word + part + tail,
            "replace": head + word + tail,
            "delete": head + tail,
            "double": head + part + part + tail,
            "swap": tail + head + part,
        }[how]
    return seed


@pytest.mark.parametrize("name", TARGETS)
def test_files_that_are_as_they_should_be_are_read(name: str) -> None:
    for seed in TARGETS[name].seeds():
        case(TARGETS[name], seed)


def fuzz(name: str, examples: int) -> None:
    """This many mutated files."""
    target = TARGETS[name]
    seeds = target.seeds()

    @settings(max_examples=examples, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(st.sampled_from(range(len(seeds))), EDITS)
    def run(which: int, edits: list[tuple[float, str, bytes, int]]) -> None:
        case(target, mutated(seeds[which], edits))

    run()


@pytest.mark.parametrize("name", TARGETS)
def test_mutated_files_end_in_a_message(name: str) -> None:
    fuzz(name, 20)


@pytest.mark.long
@pytest.mark.parametrize("name", TARGETS)
def test_ten_thousand_mutated_files_end_in_a_message(name: str) -> None:
    fuzz(name, 10_000)


@pytest.mark.long
@pytest.mark.parametrize("name", TARGETS)
def test_ten_thousand_files_chosen_by_atheris_end_in_a_message(name: str, tmp_path: Path) -> None:
    pytest.importorskip("atheris")
    run = subprocess.run(
        [
            sys.executable,
            str(Path(__file__).parents[1] / "made" / "mutated_files.py"),
            name,
            "-runs=10000",
            "-seed=1",
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=3600,
        check=False,
    )
    assert run.returncode == 0, run.stderr[-3000:]
    assert "Done 10000 runs" in run.stderr


def test_the_watch_sees_what_is_started_and_what_is_written_elsewhere(tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    with watched(inner):
        (inner / "file").write_text("fine")
    with pytest.raises(AssertionError, match="open"), watched(inner):
        (tmp_path / "outside").write_text("not fine")
    with pytest.raises(AssertionError, match=r"subprocess\.Popen"), watched(inner):
        subprocess.run(["true"], check=True)
