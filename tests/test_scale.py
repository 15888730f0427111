"""Executors: the same certificate whoever does the work; clear words where nobody can."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scale_release
from scale_release import text_of

import noiseproof as npf
from noiseproof.audit.scale import cluster
from noiseproof.audit.scale.digests import folders_of, release_digests
from noiseproof.audit.scale.packed import Packed, Recent

SAMPLES = 4_000


def audit(**settings: Any) -> str:
    """The certificate of the claims of `scale_release`, as text without timings."""
    return text_of(npf.examine(None, scale_release.several(), samples=SAMPLES, **settings))


def threads_used(x: float, size: int, rng: np.random.Generator) -> Any:
    """Noise, with the most threads that any library would use."""
    from threadpoolctl import threadpool_info

    most = max((pool["num_threads"] for pool in threadpool_info()), default=1)
    return [(float(v), f"threads {most}") for v in x + rng.laplace(size=size)]


def test_two_workers_give_the_certificate_of_one(tmp_path: Path) -> None:
    def own_generator() -> Any:
        own = np.random.default_rng(3)
        return npf.BlackBox(lambda x, size, rng: x + own.laplace(size=size), (0.0, 1.0), name="own generator")

    def claims() -> list[npf.Claim]:
        scale = 1.0
        inline = npf.BlackBox(
            lambda x, size, rng: x + scale * rng.laplace(size=size), (0.0, 1.0), name="inline"
        )
        counted = npf.BlackBox(threads_used, (0.0, 1.0))
        return [
            *scale_release.several(),
            *(npf.Claim(npf.PureDP(1.0), s) for s in (inline, counted, own_generator())),
        ]

    here = npf.examine(None, claims(), samples=SAMPLES)
    assert {f.verdict.name for f in here.findings} == {"SURVIVED", "REFUTED"}
    assert text_of(npf.examine(None, claims(), samples=SAMPLES, workers=2, checkpoint=tmp_path)) == text_of(
        here
    )
    # The own generator would have been copied: it was drawn from here, all others elsewhere, each on one thread.
    kept = [json.loads(_json(p)) for p in (tmp_path / "units").glob("judge-*.npz")]
    assert len(kept) == sum(len(f.evidence) for f in here.findings)
    bets: dict[str, Any] = {"samples": 500, "sequential": True}
    here = npf.examine(None, claims()[:3], **bets)
    assert text_of(npf.examine(None, claims()[:3], workers=2, **bets)) == text_of(here)


def _json(path: Path) -> str:
    with np.load(path, allow_pickle=False) as found:
        return str(found["json"].tobytes().decode())


def test_the_same_through_the_interface_of_dask() -> None:
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None
    ) as dask:
        assert audit(cluster=dask.scheduler_address) == audit()


def test_a_release_runs_on_one_thread() -> None:
    names = set[str]()

    def noted(x: float, size: int, rng: np.random.Generator) -> Any:
        names.update(word for _, word in threads_used(x, size, rng))
        return x + rng.laplace(size=size)

    npf.examine(npf.BlackBox(noted, (0.0, 1.0)), npf.PureDP(1.0), samples=SAMPLES)
    assert "threads 1" in names


def test_threads_are_given_back_even_where_a_callback_fails() -> None:
    from threadpoolctl import threadpool_info, threadpool_limits

    def threads() -> list[int]:
        return [pool["num_threads"] for pool in threadpool_info()]

    def fail(fraction: float, text: str) -> None:
        if text.startswith("sampling"):
            assert set(threads()) == {1}
            raise KeyError(text)

    with threadpool_limits(2):
        before = threads()
        # The error is held, and with it every frame that it passed.
        with pytest.raises(KeyError) as held:
            npf.examine(npf.LaplaceMechanism(1.0, 1.0), npf.PureDP(1.0), samples=1000, progress=fail)
        assert threads() == before
        assert held.value.args


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"workers": 0}, "workers must be a whole number from 1 to"),
        ({"workers": True}, "workers must be"),
        ({"workers": 2.0}, "workers must be"),
        ({"workers": 2, "cluster": "tcp://127.0.0.1:1"}, "give workers or a cluster"),
        ({"cluster": "127.0.0.1:1"}, 'such as "tcp://127.0.0.1:8786"'),
    ],
)
def test_unusable_settings_are_refused_before_any_call(settings: dict[str, Any], words: str) -> None:
    def release(x: float, size: int, rng: np.random.Generator) -> Any:
        raise AssertionError("called")

    with pytest.raises(npf.SpecError, match=words):
        npf.examine(npf.BlackBox(release, (0.0, 1.0)), npf.PureDP(1.0), **settings)


def test_an_unreachable_cluster_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr(cluster, "_CONNECT", 0.3)
    with pytest.raises(npf.SpecError, match="no Dask scheduler answers at tcp:"):
        audit(cluster="tcp://127.0.0.1:1")


def test_a_cluster_without_workers_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=0, processes=False, dashboard_address=None) as dask:
        monkeypatch.setattr(cluster, "_CONNECT", 1.0)
        with pytest.raises(npf.SpecError, match="has no workers; start some with"):
            audit(cluster=dask.scheduler_address)


def test_missing_dask_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(npf.SpecError, match=r"pip install 'noiseproof\[dask\]'"):
        audit(cluster="tcp://127.0.0.1:1")


def test_what_cannot_be_sent_is_named() -> None:
    lock = threading.Lock()
    with pytest.raises(npf.SpecError, match="mine: cannot be sent to another process"):
        Packed.of(lambda: lock, "mine")
    packed = Packed.of(lambda x: x + 1, "mine")
    assert packed.value("mine")(1) == 2


def test_what_cannot_be_read_is_said(tmp_path: Path) -> None:
    import importlib

    (tmp_path / "module_that_goes.py").write_text("def f(x):\n    return x\n", encoding="utf-8")
    sys.path.insert(0, str(tmp_path))
    try:
        packed = Packed.of(importlib.import_module("module_that_goes").f, "mine")
    finally:
        sys.path.remove(str(tmp_path))
        del sys.modules["module_that_goes"]
    with pytest.raises(npf.SpecError, match="cannot import 'module_that_goes'; install that module there"):
        packed.value("mine")
    folder = Packed(packed.key, packed.content, (str(tmp_path),))
    assert folder.value("mine")(3) == 3
    sys.path.remove(str(tmp_path))


def test_other_versions_are_refused() -> None:
    pytest.importorskip("distributed")
    from noiseproof.audit.scale.worker import _require_same, identity

    _require_same(identity())
    with pytest.raises(npf.SpecError, match=r"numpy is .* there, 1\.0 here"):
        _require_same({**identity(), "numpy": "1.0"})


def test_modules_of_a_release_are_found() -> None:
    box = npf.BlackBox(scale_release.noisy, (0.0, 1.0))
    assert folders_of(box) == (str(Path(scale_release.__file__).parent),)
    assert list(release_digests([box])) == ["scale_release.py"]
    assert release_digests([npf.LaplaceMechanism(epsilon=1.0, sensitivity=1.0)]) == {}


def test_the_files_that_another_program_is_started_with_are_code_of_the_release(tmp_path: Path) -> None:
    script = tmp_path / "release.py"
    found = []
    for text in ("print(1)", "print(2)", "print(1)"):
        script.write_text(text, encoding="utf-8")
        found.append(
            release_digests([npf.BlackBox.process([sys.executable, str(script), "sum"], (0.0, 1.0))])
        )
    assert list(found[0]) == ["release.py"]
    assert found[0] != found[1]
    assert found[0] == found[2]


def test_recent_values_fall_out_in_order() -> None:
    recent = Recent[int](2)
    assert recent.put("a", 1) == []
    assert recent.put("b", 2) == []
    assert recent.get("a") == 1
    assert recent.put("c", 3) == [2]
    assert recent.get("b") is None


# Long runs: other processes that are killed, and ten thousand audits.


def command(
    *options: str, pause: float = 0.0, target: str = "scale_release:several"
) -> subprocess.Popen[str]:
    """The command on the claims of `scale_release`, in a session of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "noiseproof", "audit", target, "--samples", str(SAMPLES), *options],
        env={**os.environ, "SCALE_PAUSE": str(pause), "OMP_NUM_THREADS": "1"},
        cwd=Path(__file__).parent,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True,
        # A shell's background jobs ignore interrupts, and what they start inherits it.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )  # fmt: skip


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


@pytest.mark.long
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


@pytest.mark.long
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


def hanging() -> list[npf.Claim]:
    """A release that returns when it is tried, and never again."""

    def release(x: float, size: int, rng: np.random.Generator) -> Any:
        time.sleep(0 if size <= 4 else 1_000)
        return x + rng.laplace(size=size)

    return [npf.Claim(npf.PureDP(1.0), npf.BlackBox(release, (0.0, 1.0)))]


@pytest.mark.long
@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_hanging_call_does_not_outlive_a_killed_audit(workers: str) -> None:
    process = command("-q", "--workers", workers, "--call-seconds", "600", target="test_scale:hanging")
    # Itself, the process of its release, two trackers of joblib, and two workers with a process each.
    alone = 2 if workers == "1" else 8
    assert until(lambda: len(_descendants(process.pid)) >= alone, 120)
    family = _descendants(process.pid)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in family), 10)


@pytest.mark.long
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


@pytest.mark.long
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


@pytest.mark.long
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
            [sys.executable, "-m", *arguments, "--no-dashboard"], env=environment,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip

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


@pytest.mark.long
def test_memory_stays_flat_over_ten_thousand_audits() -> None:
    psutil = pytest.importorskip("psutil")
    process = psutil.Process()
    sizes = {}
    for i in range(10_001):
        box = npf.BlackBox(lambda x, size, rng, i=i: x + rng.laplace(size=size), (0.0, 1.0 - i / 1e6))
        npf.examine(box, npf.PureDP(1.0 + i / 1e5), samples=200, seed=i)
        if i % 1_000 == 0:
            sizes[i] = process.memory_info().rss / 1e6
    assert sizes[10_000] - sizes[2_000] < 20, sizes  # megabytes
