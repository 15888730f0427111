"""Audits whose processes are killed or interrupted: nothing outlives them, and a resumed one says the same."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
import scale_release
from scale_release import SAMPLES, audit, text_of

import noiseproof as npf

pytestmark = pytest.mark.long


def command(
    *options: str, pause: float = 0.0, target: str = "scale_release:several"
) -> subprocess.Popen[str]:
    """The command on the claims of `scale_release`, in a session of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "noiseproof", "audit", target, "--samples", str(SAMPLES), *options],
        env={**os.environ, "SCALE_PAUSE": str(pause), "OMP_NUM_THREADS": "1"},
        cwd=Path(__file__).parents[1] / "made",
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
        # A shell's background jobs ignore interrupts, and what they start inherits it.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )


def members(group: int) -> list[int]:
    """The living processes of a session."""
    found = []
    for path in Path("/proc").iterdir():
        if path.name.isdigit():
            with suppress(OSError, ValueError):
                fields = (path / "stat").read_text().rsplit(")", 1)[1].split()
                if int(fields[3]) == group and fields[0] != "Z":
                    found.append(int(path.name))
    return found


def until(condition: Callable[[], bool], seconds: float) -> bool:
    """Whether the condition came true in time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.05)
    return False


def test_twenty_kills_and_the_same_certificate(tmp_path: Path) -> None:
    def certificate(folder: Path) -> dict[str, Any]:
        data = json.loads((folder / "certificate.json").read_text(encoding="utf-8"))
        del data["timings"]
        return dict(data)

    first = command("-q", "-o", str(tmp_path / "whole"))
    first.wait()
    expected = certificate(tmp_path / "whole")
    rng, kills = random.Random(0), 0
    while kills < 20:
        out = tmp_path / f"out{kills}"
        workers = str(rng.choice([1, 2]))
        process = command("-q", "-o", str(out), "--workers", workers, pause=0.02)
        until(lambda out=out: any(out.glob("checkpoint/units/*.npz")), 120)  # type: ignore[misc]
        time.sleep(rng.random() * 1.5)
        if process.poll() is not None:
            continue
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        kills += 1
        assert until(lambda group=process.pid: not members(group), 10), "a worker outlived the audit"  # type: ignore[misc]
        again = command("-q", "-o", str(out), "--workers", workers)
        assert again.wait() == first.returncode
        assert certificate(out) == expected
        assert not (out / "checkpoint").exists()


@pytest.mark.parametrize("workers", ["1", "2"])
def test_an_interrupt_ends_everything_but_the_checkpoint(tmp_path: Path, workers: str) -> None:
    process = command("-o", str(tmp_path), "--workers", workers, pause=0.2)
    folder = tmp_path / "checkpoint" / "units"
    assert until(lambda: len(list(folder.glob("*.npz"))) > 4, 120)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does
    output, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    assert output.startswith("interrupted: no certificate was written; finished units are kept in")
    assert len(output.splitlines()) == 1, output
    assert until(lambda: not members(process.pid), 10)
    assert list(folder.glob("*.npz"))


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_hanging_call_does_not_outlive_a_killed_audit(workers: str) -> None:
    process = command("-q", "--workers", workers, "--call-seconds", "600", target="scale_release:hanging")
    # Itself, the process of its release, two trackers of joblib, and two workers with a process each.
    alone = 2 if workers == "1" else 8
    assert until(lambda: len(_descendants(process.pid)) >= alone, 120)
    family = _descendants(process.pid)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in family), 10)


def test_workers_that_only_just_start_do_not_outlive_a_killed_audit() -> None:
    process = command("-q", "--workers", "2")
    assert until(lambda: len(_descendants(process.pid)) >= 5, 120)
    family = _descendants(process.pid)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in family), 60)


def _descendants(pid: int) -> list[int]:
    import psutil

    with suppress(psutil.Error):
        return [pid, *(child.pid for child in psutil.Process(pid).children(recursive=True))]
    return []


@pytest.mark.parametrize("workers", [2, 4])
def test_more_workers_one_of_which_dies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, workers: int
) -> None:
    assert audit(workers=workers) == audit()
    monkeypatch.setenv("SCALE_DEADLY", str(tmp_path / "died"))
    monkeypatch.setenv("SCALE_HOME", str(os.getpid()))
    here = text_of(npf.examine(None, scale_release.deadly(), samples=SAMPLES))
    from joblib.externals.loky import get_reusable_executor

    get_reusable_executor().shutdown(wait=True)  # new workers see the new environment
    there = text_of(npf.examine(None, scale_release.deadly(), samples=SAMPLES, workers=workers))
    assert (tmp_path / "died").exists()
    assert there == here


def test_a_cluster_of_two_processes_one_of_which_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    expected = audit()
    with dask_processes(2) as (address, processes):
        assert audit(cluster=address) == expected
        steps: list[str] = []

        def progress(fraction: float, text: str) -> None:
            steps.append(text)
            if len(steps) == 15:
                processes[0].kill()

        assert audit(cluster=address, progress=progress) == expected
        assert len(steps) > 20


@contextmanager
def dask_processes(workers: int) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """A scheduler and workers in processes of their own, which do not come back when they are killed."""
    import socket

    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{s.getsockname()[1]}"
    environment = {**os.environ, "SCALE_PAUSE": "0.05", "OMP_NUM_THREADS": "1"}

    def start(*arguments: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", *arguments, "--no-dashboard"],
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    host, port = address.removeprefix("tcp://").split(":")
    scheduler = start("distributed.cli.dask_scheduler", "--host", host, "--port", port)
    started = [
        start("distributed.cli.dask_worker", address, "--nthreads", "1", "--no-nanny") for _ in range(workers)
    ]
    try:
        from distributed import Client

        with Client(address, timeout=60, set_as_default=False) as client:
            client.wait_for_workers(workers, timeout=60)
        yield address, started
    finally:
        for process in (*started, scheduler):
            process.kill()
            process.wait()
