"""Releases that are killed, run out of disk, may not write, or race for one budget: whole or nothing, and paid for.

The processes are real and so are the full disks; `tests/ledger/test_interrupted_releases.py` ends a release at each of its steps.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from frozen_policies import LEDGER
from pre_release_cases import CASES, write_table
from release_processes import Releases, check, kill_often, releases, unknown

from noiseproof.audit.release.ledger import Ledger
from noiseproof.audit.release.plan import plan
from noiseproof.audit.release.policy import read_policy
from noiseproof.audit.release.trial import audited
from noiseproof.symbolic.errors import SpecError

COST = 0.0109662  # Fisher information about an age of one release, rounded down
FREE = (0, 8, 24, 60, 100, 160, 400)  # KiB


def policy_in(folder: Path, budget: float = 10.0, rows: int = 2_000) -> Path:
    """A policy with a ledger, and its table."""
    folder.mkdir(exist_ok=True)
    write_table(folder, rows=rows)
    ledger = {**LEDGER, "budget": {"information": budget}}
    return CASES["optimal"].written(folder, audit={"samples": 2000, "bits": False}, ledger=ledger)


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Releases]:
    """Releases of that policy, which take its certificate."""
    policy = policy_in(tmp_path_factory.mktemp("like") / "here")
    with releases(policy, audited(plan(read_policy(policy))).to_json()) as started:
        yield started


def said(folder: Path) -> str:
    """What the releases from this folder have printed."""
    return (folder.parent / "said").read_text()


def states(folder: Path) -> list[str]:
    return [e.state for e in Ledger.open(folder / "table.ledger").book().entries.values()]


def test_a_few_kills_leave_the_whole_or_nothing(running: Releases, tmp_path: Path) -> None:
    kill_often(running, policy_in(tmp_path / "here"), 5, 1, "--no-digest")


def test_what_is_not_paid_for_is_noticed(running: Releases, tmp_path: Path) -> None:
    here, target = tmp_path / "here", tmp_path / "here" / "out"
    policy = policy_in(here)
    assert running.wait(running.start(policy, here / "first", "--no-digest")) == 0, said(here)
    before = {name: (here / name).read_bytes() for name in ("table.ledger", "table.ledger.head")}
    assert running.wait(running.start(policy, target, "--no-digest")) == 0, said(here)
    assert check(target, here / "table.ledger", [here / "first"]) == {"reserved": 0, "settled": 2}
    left = here / ".out.0123456789abcdef.partial"
    left.mkdir()
    check(target, here / "table.ledger", [here / "first"])
    # What was drawn and lies in a leftover is one release more than was charged.
    (left / "data.parquet").write_bytes(b"PAR1 and more")
    with pytest.raises(AssertionError):
        check(target, here / "table.ledger", [here / "first"])
    (left / "data.parquet").unlink()
    for name, content in before.items():
        (here / name).write_bytes(content)
    with pytest.raises(SpecError):
        check(target, here / "table.ledger", [here / "first"])


def race(running: Releases, here: Path, budget: float, targets: tuple[str, str]) -> list[int]:
    """The exit codes, in order, of two releases at once."""
    policy = policy_in(here, budget)
    processes = [running.start(policy, here / target, "--no-digest") for target in targets]
    return sorted(running.wait(process) for process in processes)


def test_of_two_releases_at_once_that_do_not_both_fit_one_is_refused(
    running: Releases, tmp_path: Path
) -> None:
    here = tmp_path / "here"
    assert race(running, here, 1.5 * COST, ("one", "two")) == [0, 1], said(here)
    assert states(here) == ["settled"]
    (done,) = [here / name for name in ("one", "two") if (here / name).exists()]
    check(done, here / "table.ledger", [])
    assert "left of 0.0164493" in said(here)


@pytest.mark.long
@pytest.mark.parametrize("targets", [("one", "two"), ("one", "one")], ids=["two names", "one name"])
def test_races_for_a_budget_or_a_name(running: Releases, targets: tuple[str, str], tmp_path: Path) -> None:
    for run in range(20):
        here = tmp_path / f"{run}" / "here"
        here.parent.mkdir()
        room = 1.5 if run % 2 else 2.5
        codes = race(running, here, room * COST, targets)
        published = [here / name for name in sorted(set(targets)) if (here / name).exists()]
        # With room for both only the name can refuse one, which was drawn by then, or found the name taken at once.
        assert len(published) == codes.count(0) == (2 if run % 2 == 0 and len(set(targets)) == 2 else 1), (
            said(here)
        )
        for folder in published:
            check(folder, here / "table.ledger", [p for p in published if p != folder])
        assert states(here).count("settled") <= int(room)
        assert set(states(here)) == {"settled"}
        assert not list(here.glob(".*"))


root = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can mount a small disk"
)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 2 MB."""
    place = tmp_path / "disk"
    place.mkdir()
    if subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", place], capture_output=True
    ).returncode:
        pytest.skip("a small disk cannot be mounted here")
    # What releases print lies elsewhere.
    (place / "said").symlink_to(tmp_path / "said")
    yield place
    subprocess.run(["umount", place], check=True)


@root
@pytest.mark.parametrize(
    "free", [pytest.param(k, marks=[] if k in (24, 100) else [pytest.mark.long]) for k in FREE]
)
def test_a_release_on_a_disk_that_is_nearly_full(running: Releases, disk: Path, free: int) -> None:
    here = disk / "here"
    policy = policy_in(here)
    found = os.statvfs(disk)
    (disk / "full").write_bytes(bytes(max(0, found.f_bavail * found.f_frsize - free * 1024)))
    code = running.wait(running.start(policy, here / "out", "--no-digest"))
    assert code == (0 if free >= 400 else 2), said(here)
    if code:
        assert "No space left on device" in said(here)
        assert not (here / "out").exists()
    ledger = here / "table.ledger"
    entries = check(here / "out", ledger, []) if (here / "table.ledger.head").exists() else {}
    # Nothing was drawn unless it was paid for, and that stands in the message.
    assert ("stays spent" in said(here)) is (code != 0 and entries.get("settled", 0) == 1)
    assert unknown(here) == []
    (disk / "full").unlink()
    again = running.wait(running.start(policy, here / "out2", "--no-digest"))
    assert again == 0, said(here)
    check(here / "out2", ledger, [here / "out"] if code == 0 else [])


@root
@pytest.mark.parametrize("ledger", [False, True], ids=["of the folder", "of the ledger"])
def test_a_place_that_may_not_be_written(running: Releases, disk: Path, ledger: bool) -> None:
    one, other = (disk, disk.parent) if ledger else (disk.parent, disk)
    here, target = one / "here", other / "out"
    policy = policy_in(here)
    assert running.wait(running.start(policy, here / "first", "--no-digest")) == 0, said(here)
    before = (here / "table.ledger").read_bytes()
    subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
    try:
        code = running.wait(running.start(policy, target, "--no-digest"))
    finally:
        subprocess.run(["mount", "-o", "remount,rw", disk], check=True)
    assert code == 2
    assert ("Read-only file system" if ledger else "is not writable") in said(here)
    assert "stays spent" not in said(here)
    assert (here / "table.ledger").read_bytes() == before
    assert [p.name for p in other.iterdir() if "out" in p.name] == []
