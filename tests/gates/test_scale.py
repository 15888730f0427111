"""Executors: the same certificate whoever does the work; clear words where nobody can."""

from __future__ import annotations

import json
import sys
import threading
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scale_release
from scale_release import SAMPLES, audit, text_of

import noiseproof as npf
from noiseproof.audit.trial.schedule import cluster
from noiseproof.audit.trial.schedule.digests import folders_of
from noiseproof.audit.trial.schedule.packed import Packed, Recent
from noiseproof.audit.trial.schedule.reached import Reached


@cache
def most_threads() -> int:
    """That any library would use in this process."""
    from threadpoolctl import threadpool_info

    return max((pool["num_threads"] for pool in threadpool_info()), default=1)


def threads_used(x: float, size: int, rng: np.random.Generator) -> Any:
    """Noise, with these threads."""
    return [(float(v), f"threads {most_threads()}") for v in x + rng.laplace(size=size)]


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
    split = npf.examine(None, claims(), samples=SAMPLES, workers=2, checkpoint=tmp_path)
    assert text_of(split) == text_of(here)
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
    dask = distributed.LocalCluster(
        n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None
    )
    try:
        assert audit(cluster=dask.scheduler_address) == audit()
    finally:
        # On a machine without a free core its loop may never say that it has ended.
        with suppress(TimeoutError):
            dask.close(timeout=20)


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
    from noiseproof.audit.trial.schedule.worker import identity, require_same

    require_same(identity())
    with pytest.raises(npf.SpecError, match=r"numpy is .* there, 1\.0 here"):
        require_same({**identity(), "numpy": "1.0"})


def test_modules_of_a_release_are_found() -> None:
    box = npf.BlackBox(scale_release.noisy, (0.0, 1.0))
    assert folders_of(box) == (str(Path(scale_release.__file__).parent),)
    assert list(Reached([box]).digests) == ["scale_release.py"]
    assert Reached([npf.LaplaceMechanism(epsilon=1.0, sensitivity=1.0)]).digests == {}


def test_the_files_that_another_program_is_started_with_are_code_of_the_release(tmp_path: Path) -> None:
    script = tmp_path / "release.py"
    found = []
    for text in ("print(1)", "print(2)", "print(1)"):
        script.write_text(text, encoding="utf-8")
        found.append(
            Reached([npf.BlackBox.process([sys.executable, str(script), "sum"], (0.0, 1.0))]).digests
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
