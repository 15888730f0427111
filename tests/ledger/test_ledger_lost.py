"""Half of a ledger: a head without its lines, or lines without their head, is never taken for a whole or for none."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from noiseproof import SpecError
from noiseproof.audit.release.ledger import Cost, Ledger, adopt

TENTH = Cost.pure(0.1)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A ledger of three entries."""
    ledger = Ledger.create(tmp_path / "adult.jsonl", "adult", Cost.pure(1.0))
    for k in range(3):
        ledger.reserve(TENTH, f"release {k}")
    return ledger.path


def head(path: Path) -> Path:
    return path.with_name(path.name + ".head")


@pytest.mark.parametrize("lines", [1, 2, 3, None])
def test_a_ledger_without_its_head_is_not_whole_however_short(path: Path, lines: int | None) -> None:
    written = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(written[:lines]))
    head(path).unlink()
    for use in (lambda: Ledger.open(path), lambda: Ledger.create(path, "adult", Cost.pure(1.0))):
        with pytest.raises(SpecError, match=r"head of this ledger is missing|there is a ledger here already"):
            use()
    with pytest.raises(SpecError, match="expected the hash of an entry"):
        adopt(path, json.loads(written[0])["hash"])


@pytest.mark.parametrize("left", ["whole", "empty", "a link to nowhere"])
def test_a_head_without_its_ledger_is_a_ledger_that_is_gone(path: Path, left: str) -> None:
    path.unlink()
    if left != "whole":
        head(path).write_bytes(b"")
    if left == "a link to nowhere":
        head(path).unlink()
        head(path).symlink_to("nowhere")
    for use in (lambda: Ledger.open(path), lambda: Ledger.create(path, "adult", Cost.pure(1.0))):
        with pytest.raises(SpecError, match="its head lies here and the ledger does not"):
            use()
    assert not path.exists()


def test_a_ledger_of_no_entry_is_whole_with_its_head(tmp_path: Path) -> None:
    Ledger.create(tmp_path / "new.jsonl", "adult", Cost.pure(1.0))
    assert Ledger.open(tmp_path / "new.jsonl").check() == ()


def test_what_the_killed_left_of_a_ledger_goes_when_it_is_made(tmp_path: Path) -> None:
    path = tmp_path / "adult.jsonl"
    left, new, other = (
        path.with_name(f".{name}.partial")
        for name in (f"{path.name}.{'0' * 12}", f"{path.name}.{'1' * 12}", "x")
    )
    for one in (left, new, other):
        one.touch()
    os.utime(left, (0, 0))
    Ledger.create(path, "adult", Cost.pure(1.0))
    assert sorted(path.parent.glob(".*")) == sorted([new, other])
