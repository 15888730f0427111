"""Releases are whole or not there: errors, kills, full disks and two at once; salted digests."""

from __future__ import annotations

import errno
import hashlib
import hmac
import os
import random
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from noiseproof.audit.release.tables import (
    kept_salt,
    leftovers,
    remove_leftovers,
    require_salt,
    salted_digest,
    whole_or_nothing,
)
from noiseproof.symbolic.errors import SpecError


def files(folder: Path) -> dict[str, str]:
    return {str(p.relative_to(folder)): p.read_text() for p in folder.rglob("*") if p.is_file()}


def raised(error: BaseException) -> None:
    raise error


def release(target: Path, then: Callable[[], None] = lambda: None, content: str = "1") -> None:
    """Writes one file, and does `then` before the folder is to appear."""
    with whole_or_nothing(target) as folder:
        (folder / "a").write_text(content)
        then()


def test_a_folder_appears_when_all_is_written(tmp_path: Path) -> None:
    os.umask(old := os.umask(0))
    with whole_or_nothing(tmp_path / "out") as folder:
        (folder / "a").write_text("1")
        (folder / "inner").mkdir()
        (folder / "inner" / "b").write_text("2")
        assert not (tmp_path / "out").exists()
        assert folder.stat().st_mode & 0o777 == 0o700
        assert folder.name.startswith(".out.")
    assert files(tmp_path) == {"out/a": "1", "out/inner/b": "2"}
    assert (tmp_path / "out").stat().st_mode & 0o777 == 0o777 & ~old
    assert [p.name for p in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize("error", [ValueError("x"), SpecError("x"), KeyboardInterrupt(), SystemExit(1)])
def test_an_error_leaves_nothing_and_passes_through(error: BaseException, tmp_path: Path) -> None:
    with pytest.raises(type(error)):
        release(tmp_path / "out", lambda: raised(error))
    assert list(tmp_path.iterdir()) == []


def test_a_release_is_never_written_over(tmp_path: Path) -> None:
    for name in ("empty", "full"):
        (tmp_path / name).mkdir()
    (tmp_path / "full" / "a").write_text("1")
    (tmp_path / "file").write_text("")
    (tmp_path / "dangling").symlink_to("nowhere")
    for name in ("empty", "full", "file", "dangling"):
        with pytest.raises(SpecError, match="exists already"), whole_or_nothing(tmp_path / name):
            pytest.fail("the block must not run")
    with (
        pytest.raises(SpecError, match="does not exist: make it first"),
        whole_or_nothing(tmp_path / "no" / "out"),
    ):
        pytest.fail("the block must not run")
    # Another process was faster.
    with pytest.raises(SpecError, match="exists already"):
        release(tmp_path / "out", lambda: release(tmp_path / "out", content="2"))
    assert (tmp_path / "out" / "a").read_text() == "2"
    assert leftovers(tmp_path / "out") == []


def test_leftovers_of_a_killed_release_are_named_and_removed(tmp_path: Path) -> None:
    dead = tmp_path / ".out.0123456789abcdef.partial"
    dead.mkdir()
    (dead / "data.csv").write_text("1")
    others = [
        ".out2.0123456789abcdef.partial",
        ".out.partial",
        "out.0123456789abcdef.partial",
        ".out.0123.partial",
    ]
    for name in others:
        (tmp_path / name).mkdir()
    (tmp_path / ".out.1123456789abcdef.partial").symlink_to(tmp_path / others[0])
    with whole_or_nothing(tmp_path / "out2") as folder:
        # A release that runs is no leftover.
        assert folder not in leftovers(tmp_path / "out2")
        assert leftovers(tmp_path / "out") == [dead]
        assert remove_leftovers(tmp_path / "out") == [dead]
    assert not dead.exists()
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted(
        [*others[1:], "out2", ".out.1123456789abcdef.partial"]
    )


def run(script: str, folder: Path) -> subprocess.Popen[str]:
    # The two modules are loaded by path: the package is slow to import, and a kill should come while files are written.
    import noiseproof.audit.release.tables.outcome_folder as module
    import noiseproof.symbolic.errors

    head = f"""
        import importlib.util, sys, types
        for name in ("p", "p.symbolic", "p.audit", "p.audit.release", "p.audit.release.tables"):
            sys.modules[name] = types.ModuleType(name); sys.modules[name].__path__ = []
        for name, path in (("p.symbolic.errors", {noiseproof.symbolic.errors.__file__!r}), ("p.audit.release.tables.outcome_folder", {module.__file__!r})):
            spec = importlib.util.spec_from_file_location(name, path)
            sys.modules[name] = loaded = importlib.util.module_from_spec(spec); spec.loader.exec_module(loaded)
        whole_or_nothing = loaded.whole_or_nothing
        print("ready", flush=True)
    """
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(head) + textwrap.dedent(script)],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


WRITES = """
    with whole_or_nothing("out") as folder:
        for name in "abcdefgh":
            (folder / name).write_bytes(b"x" * 300_000)
"""


def killed_at_random(folder: Path, moments: int, seed: int) -> list[bool]:
    """Whether the release was there after each of so many kills; every one is followed by a look at the folder."""
    draw, found = random.Random(seed), []
    for _ in range(moments):
        process = run(WRITES, folder)
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(draw.random() * 0.04)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        visible = [p for p in folder.iterdir() if not p.name.startswith(".")]
        assert visible in ([], [folder / "out"])
        if visible:
            assert {p.name: p.stat().st_size for p in visible[0].iterdir()} == dict.fromkeys(
                "abcdefgh", 300_000
            )
            for path in visible[0].iterdir():
                path.unlink()
            visible[0].rmdir()
        found.append(bool(visible))
    with whole_or_nothing(folder / "out"):
        pass
    assert [p.name for p in folder.iterdir()] == ["out"]
    return found


def test_a_kill_leaves_the_whole_release_or_none(tmp_path: Path) -> None:
    killed_at_random(tmp_path, 8, seed=1)


@pytest.mark.long
def test_two_hundred_kills_leave_the_whole_release_or_none(tmp_path: Path) -> None:
    found = killed_at_random(tmp_path, 200, seed=2)
    assert 0 < sum(found) < 200


def test_a_file_system_that_takes_no_more_leaves_nothing(tmp_path: Path) -> None:
    script = """
        import resource
        resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))
        try:
            with whole_or_nothing("out") as folder:
                (folder / "small").write_bytes(b"x" * 900_000)
                (folder / "large").write_bytes(b"x" * 1_100_000)
        except ValueError as error:
            print(type(error).__name__, error)
    """
    out, err = run(script, tmp_path).communicate(timeout=60)
    assert err == ""
    assert f"SpecError {tmp_path / 'out'}: --output: nothing was written: File too large" in out
    assert list(tmp_path.iterdir()) == []


def test_the_writer_of_tables_on_a_full_disk(tmp_path: Path) -> None:
    script = """
        import resource
        import numpy as np, pyarrow as pa
        from noiseproof.audit.release.policy.models import OutputModel
        from noiseproof.audit.release.tables import whole_or_nothing, write_table
        resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))
        schema = pa.schema([("x", pa.float64())])
        for form in ("csv", "parquet"):
            # The error comes in the middle, or with the very last bytes.
            for parts in (40, 1):
                rng = np.random.default_rng(0)
                batches = (pa.record_batch([rng.standard_normal(160_000 // (1 if parts == 1 else 6))], schema=schema) for _ in range(parts))
                try:
                    with whole_or_nothing("out") as folder:
                        write_table(folder / "data", schema, batches, OutputModel(format=form))
                except ValueError as error:
                    print(type(error).__name__, str(error).split(": ", 1)[1])
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert done.stderr == ""
    assert done.stdout.splitlines() == ["SpecError --output: nothing was written: File too large"] * 4
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can mount a small disk"
)
def test_a_disk_that_is_full(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(disk)], capture_output=True
    )
    if mounted.returncode:
        pytest.skip("a small disk cannot be mounted here")
    try:
        with pytest.raises(SpecError, match="nothing was written: No space left on device"):
            release(disk / "out", content="x" * 3_000_000)
        assert list(disk.iterdir()) == []
        release(disk / "out", content="x" * 500_000)
        assert files(disk) == {"out/a": "x" * 500_000}
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_a_disk_that_fails_while_it_is_flushed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(descriptor: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(os, "fsync", failing)
    with pytest.raises(SpecError, match="nothing was written: Input/output error"):
        release(tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_everything_is_on_disk_before_the_folder_appears(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    order: list[str] = []
    sync, rename = os.fsync, os.rename

    def noted_sync(descriptor: int) -> None:
        order.append(Path(os.readlink(f"/proc/self/fd/{descriptor}")).name.split(".partial")[0][:5])
        sync(descriptor)

    def noted_rename(old: Path, new: Path) -> None:
        order.append("rename")
        rename(old, new)

    monkeypatch.setattr(os, "fsync", noted_sync)
    monkeypatch.setattr(os, "rename", noted_rename)
    with whole_or_nothing(tmp_path / "out") as folder:
        (folder / "a").write_text("1")
        (folder / "b").write_text("2")
    assert order == ["a", "b", ".out.", "rename", tmp_path.name[:5]]


def test_two_releases_at_once_to_one_name(tmp_path: Path) -> None:
    first = run(
        "import time\nwith whole_or_nothing('out') as f:\n    (f / 'a').write_text('first')\n    time.sleep(0.5)\n",
        tmp_path,
    )
    assert first.stdout is not None
    first.stdout.readline()
    deadline = time.monotonic() + 20
    while not list(tmp_path.glob(".out.*/a")) and time.monotonic() < deadline:
        time.sleep(0.01)
    second = run("with whole_or_nothing('out') as f:\n    (f / 'a').write_text('second')\n", tmp_path)
    errors = [first.communicate(timeout=60)[1], second.communicate(timeout=60)[1]]
    # One of them is there as it was written; the other was told, and left nothing.
    assert sorted("exists already" in e for e in errors) == [False, True]
    winner = ("first", "second")[[bool(e) for e in errors].index(False)]
    assert files(tmp_path) == {"out/a": winner}


def test_a_digest_tells_nothing_without_its_salt(tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_bytes(b"age\n1\n" * 500_000)
    salt = kept_salt(tmp_path / "salt")
    assert kept_salt(tmp_path / "salt") == salt
    assert (tmp_path / "salt").stat().st_mode & 0o777 == 0o600
    digest = salted_digest(tmp_path / "table.csv", salt)
    expected = hmac.new(salt, (tmp_path / "table.csv").read_bytes(), hashlib.sha256).hexdigest()
    assert digest == f"hmac-sha256:{expected}"
    assert salted_digest(tmp_path / "table.csv", kept_salt(tmp_path / "other")) != digest
    with pytest.raises(ValueError, match="expected a salt of at least 32 bytes"):
        salted_digest(tmp_path / "table.csv", b"short")
    with pytest.raises(SpecError, match="cannot be read: No such file"):
        salted_digest(tmp_path / "no.csv", salt)


def test_a_folder_that_cannot_be_written_to_has_ways_out_that_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Who runs the tests may be allowed to write everywhere.
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(SpecError, match=r"--salt FILE\), or state no digest \(--no-digest\)"):
        require_salt(tmp_path / "noiseproof.salt")
    with pytest.raises(SpecError, match="--no-digest"):
        kept_salt(tmp_path / "no" / "noiseproof.salt")
    assert list(tmp_path.iterdir()) == []


def test_a_salt_that_others_can_read_is_refused(tmp_path: Path) -> None:
    kept_salt(tmp_path / "salt")
    (tmp_path / "salt").chmod(0o640)
    with pytest.raises(SpecError, match="others can read this salt"):
        kept_salt(tmp_path / "salt")
    (tmp_path / "salt").chmod(0o600)
    for text in ("", "abc", "00" * 31, "zz" * 32, "é"):
        (tmp_path / "salt").write_text(text)
        with pytest.raises(SpecError, match="expected 32 bytes in hexadecimal digits"):
            kept_salt(tmp_path / "salt")
    (tmp_path / "link").symlink_to("nowhere")
    for path in (tmp_path / "link", tmp_path / "no" / "salt", tmp_path):
        with pytest.raises(SpecError):
            kept_salt(path)
