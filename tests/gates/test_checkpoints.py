"""Checkpoints: a killed audit goes on to the same certificate; anything that does not belong together is refused."""

from __future__ import annotations

import importlib.util
import json
import multiprocessing
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scale_release
from typer.testing import CliRunner

import noiseproof as npf
from noiseproof.audit.trial.schedule.checkpoint import Checkpoint, Record, discard
from noiseproof.cli import app

SAMPLES = 4_000


def run(folder: Path | None, **settings: Any) -> str:
    """The certificate of the claims of `scale_release`, as text without timings."""
    return scale_release.text_of(
        npf.examine(None, scale_release.several(), samples=SAMPLES, checkpoint=folder, **settings)
    )


@pytest.fixture(scope="module")
def reference() -> str:
    """The certificate of a run that nothing disturbed."""
    return run(None)


def units(folder: Path) -> list[Path]:
    """The files of the finished units."""
    return sorted((folder / "units").glob("*.npz"))


def killed_after(folder: Path, more: int) -> None:
    """Start the audit in a fork and kill it once it has finished so many more units."""
    before = len(units(folder))
    process = multiprocessing.get_context("fork").Process(target=run, args=(folder,))
    process.start()
    while process.is_alive() and len(units(folder)) < before + more:
        time.sleep(0.001)
    assert process.pid is not None
    os.kill(process.pid, signal.SIGKILL)
    process.join()


def test_a_killed_audit_goes_on_to_the_same_certificate(tmp_path: Path, reference: str) -> None:
    folder = tmp_path / "kept"
    killed_after(folder, 3)
    first = {path.name: path.stat().st_mtime_ns for path in units(folder)}
    assert first
    killed_after(folder, 9)
    assert run(folder) == reference
    # What was finished before the kill was not done again.
    assert all((folder / "units" / name).stat().st_mtime_ns == when for name, when in first.items())
    assert not list(folder.rglob("*.partial")) or len(list(folder.rglob("*.partial"))) <= 2


def test_a_finished_checkpoint_gives_the_certificate_without_judging_again(
    tmp_path: Path, reference: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from noiseproof.audit.trial.checks.likelihood_ratio import LikelihoodRatio

    assert run(tmp_path / "kept") == reference
    monkeypatch.setattr(LikelihoodRatio, "learn", None)
    assert run(tmp_path / "kept") == reference


def test_bets_resume(tmp_path: Path) -> None:
    settings: dict[str, Any] = {"samples": 2_000, "sequential": True}
    claims = scale_release.one()
    expected = npf.examine(None, claims, **settings)
    assert npf.examine(None, claims, checkpoint=tmp_path / "kept", **settings) == expected
    assert [p.name for p in units(tmp_path / "kept")] == ["bet-0.npz"]
    assert npf.examine(None, claims, checkpoint=tmp_path / "kept", **settings) == expected


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"seed": 1}, "the seed (0 -> 1)"),
        ({"samples": 5_000}, "the settings (samples 4000 -> 5000)"),
        ({"alpha": 0.01}, "alpha 0.05 -> 0.01"),
        ({"provenance": {"spec_digest": "another"}}, "the spec"),
    ],
)
def test_another_run_is_refused(tmp_path: Path, changed: dict[str, Any], words: str) -> None:
    settings: dict[str, Any] = {"samples": SAMPLES, "checkpoint": tmp_path / "kept"}
    npf.examine(None, scale_release.one(), **settings)
    with pytest.raises(npf.SpecError, match="belongs to another run") as refusal:
        npf.examine(None, scale_release.one(), **(settings | changed))
    assert words in str(refusal.value)
    assert "to start again" in str(refusal.value)
    assert "--fresh" in str(refusal.value)


def test_other_claims_are_refused(tmp_path: Path) -> None:
    box = npf.BlackBox(scale_release.noisy, (0.0, 1.0))
    npf.examine(box, npf.PureDP(1.0), samples=SAMPLES, checkpoint=tmp_path)
    for subject, claim in (
        (box, npf.PureDP(2.0)),
        (npf.BlackBox(scale_release.noisy, (0.0, 0.5)), npf.PureDP(1.0)),
    ):
        with pytest.raises(npf.SpecError, match="the claims, their subjects or their inputs"):
            npf.examine(subject, claim, samples=SAMPLES, checkpoint=tmp_path)


def user_module(folder: Path, text: str) -> Any:
    """A release in a file of the user, freshly imported."""
    path = folder / "my_release_of_scale.py"
    path.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def test_changed_code_of_the_release_is_refused(tmp_path: Path) -> None:
    text = "def publish(x, size, rng):\n    return x + rng.laplace(size=size)\n"
    for body, refused in ((text, False), (text, False), (text.replace("x +", "1.1 * x +"), True)):
        box = npf.BlackBox(user_module(tmp_path, body).publish, (0.0, 1.0))
        if not refused:
            npf.examine(box, npf.PureDP(1.0), samples=SAMPLES, checkpoint=tmp_path / "kept")
            continue
        with pytest.raises(npf.SpecError, match=r"the code of the release \(my_release_of_scale.py\)"):
            npf.examine(box, npf.PureDP(1.0), samples=SAMPLES, checkpoint=tmp_path / "kept")


def test_changed_values_of_a_closure_are_changed_code(tmp_path: Path) -> None:
    def release(scale: float) -> Any:
        return lambda x, size, rng: x + rng.laplace(size=size) * scale

    npf.examine(npf.BlackBox(release(1.0), (0.0, 1.0)), npf.PureDP(1.0), samples=SAMPLES, checkpoint=tmp_path)
    with pytest.raises(npf.SpecError, match="the code of the release"):
        npf.examine(
            npf.BlackBox(release(1.1), (0.0, 1.0)), npf.PureDP(1.0), samples=SAMPLES, checkpoint=tmp_path
        )


def test_changed_code_of_noiseproof_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(tmp_path)
    monkeypatch.setattr("noiseproof.audit.trial.examine.code_digest", lambda: "another")
    with pytest.raises(npf.SpecError, match="the code of noiseproof"):
        run(tmp_path)


def test_a_release_that_changed_unseen_is_found_by_its_outcomes(tmp_path: Path) -> None:
    hidden = tmp_path / "scale.txt"  # what is read is no part of the code

    class Release:
        def __call__(self, x: float, size: int, rng: np.random.Generator) -> Any:
            return x + rng.laplace(size=size) * float(hidden.read_text())

    hidden.write_text("1.0")
    box = npf.BlackBox(Release(), (0.0, 1.0), name="hidden")
    npf.examine(box, npf.PureDP(1.0), samples=SAMPLES, checkpoint=tmp_path)
    (tmp_path / "units" / "judge-0.npz").unlink()
    hidden.write_text("2.0")
    with pytest.raises(npf.SpecError, match="gives other outcomes than when this checkpoint was begun"):
        npf.examine(box, npf.PureDP(1.0), samples=SAMPLES, checkpoint=tmp_path)


def test_outcomes_of_a_release_with_its_own_randomness_are_kept(tmp_path: Path) -> None:
    own = np.random.default_rng(5)
    box = npf.BlackBox.single(lambda x: x + own.laplace(), (0.0, 1.0), name="own")
    first = npf.examine(box, npf.PureDP(1.0), samples=1_000, checkpoint=tmp_path)
    for name in ("judge-0", "count-0-0"):
        (tmp_path / "units" / f"{name}.npz").unlink()
    again = npf.examine(box, npf.PureDP(1.0), samples=1_000, checkpoint=tmp_path)
    # The same event, of the outcomes that chose it; other counts in the shard that was drawn again.
    event = "the event ("
    assert (
        first.findings[0].evidence[0].detail.split(event)[1].split(")")[0]
        == (again.findings[0].evidence[0].detail.split(event)[1].split(")")[0])
    )
    with np.load(tmp_path / "units" / "draw-0-0-0.npz", allow_pickle=False) as kept:
        assert kept["values"].shape == (11, 1)


def test_an_audit_at_pairs_that_a_search_found_goes_on_whatever_coins_the_release_has(tmp_path: Path) -> None:
    own = np.random.default_rng()
    calls: list[int] = []

    def release(x: Any) -> float:
        calls.append(1)  # what moves while it is called is no change of the code
        return float(np.sum(x)) + own.laplace()

    def audited() -> npf.Certificate:
        calls.clear()
        found = npf.search_neighbours(
            npf.BlackBox.single(release, (0.0, 1.0), name="own"),
            npf.Box(0.0, 1.0),
            npf.ReplaceOne(),
            size=3,
            samples=2_000,
        )
        claims = [npf.PureDP(3.0), npf.Claim(npf.PureDP(0.1), expect="falls")]
        return npf.examine(found.subject(), claims, notes=found.notes, samples=1_000, checkpoint=tmp_path)

    first = audited()
    for unit in units(tmp_path)[:2]:
        unit.unlink()
    again = audited()
    assert [f.verdict for f in again.findings] == [f.verdict for f in first.findings]
    assert again.notes == first.notes
    pairs = [c.findings[1].evidence[0].witness["inputs"] for c in (first, again)]  # type: ignore[index]
    assert pairs[0] == pairs[1]


@pytest.mark.parametrize("damage", ["cut", "flipped", "text", "empty"])
def test_a_damaged_unit_is_named_and_nothing_else_is_lost(
    tmp_path: Path, reference: str, damage: str
) -> None:
    assert run(tmp_path) == reference
    victim = tmp_path / "units" / "judge-1.npz"
    content = victim.read_bytes()
    flipped = bytearray(content)
    flipped[len(content) // 2] ^= 0xFF
    victim.write_bytes({"cut": content[:-30], "flipped": bytes(flipped), "text": b"{}", "empty": b""}[damage])
    with pytest.raises(
        npf.SpecError, match=r"judge-1\.npz: this unit of the checkpoint is damaged; remove the file"
    ):
        run(tmp_path)
    victim.unlink()
    assert run(tmp_path) == reference


@pytest.mark.parametrize("text", ["", "{", "[]", '{"schema": "another"}', "[" * 100_000])
def test_a_damaged_folder_is_said(tmp_path: Path, text: str) -> None:
    npf.examine(None, scale_release.one(), samples=SAMPLES, checkpoint=tmp_path)
    (tmp_path / "audit.json").write_text(text, encoding="utf-8")
    with pytest.raises(npf.SpecError, match="to start again"):
        npf.examine(None, scale_release.one(), samples=SAMPLES, checkpoint=tmp_path)


def test_units_hold_no_pickle(tmp_path: Path) -> None:
    checkpoint = Checkpoint(tmp_path, {"seed": 0})
    with pytest.raises(ValueError, match="arrays cannot be saved"):
        checkpoint.save("unit", Record({}, {"thing": np.array([object()])}))
    checkpoint.save("unit", Record({"a": 1}, {"x": np.arange(3.0)}))
    found = checkpoint.load("unit")
    assert found is not None
    assert found.data == {"a": 1}
    assert found.arrays["x"].tolist() == [0.0, 1.0, 2.0]
    assert Checkpoint(tmp_path / "other", {"seed": 1}).load("unit") is None
    assert (tmp_path / "units" / "unit.npz").stat().st_mode & 0o077 == 0


def test_a_file_is_no_checkpoint(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine", encoding="utf-8")
    with pytest.raises(npf.SpecError, match="expected a folder for the checkpoint"):
        run(tmp_path / "file")
    assert (tmp_path / "file").read_text(encoding="utf-8") == "mine"


def test_discard_leaves_what_is_not_a_unit(tmp_path: Path) -> None:
    npf.examine(None, scale_release.one(), samples=SAMPLES, checkpoint=tmp_path)
    (tmp_path / "mine.txt").write_text("mine", encoding="utf-8")
    discard(tmp_path)
    assert [p.name for p in tmp_path.iterdir()] == ["mine.txt"]
    discard(tmp_path / "nowhere")


def test_a_release_that_fails_at_once_leaves_nothing(tmp_path: Path) -> None:
    box = npf.BlackBox(lambda x, size, rng: 1 / 0, (0.0, 1.0), name="broken")
    with pytest.raises(npf.SpecError, match="fails on every input"):
        npf.examine(box, npf.PureDP(1.0), samples=SAMPLES, checkpoint=tmp_path / "kept")
    assert not (tmp_path / "kept").exists()


def test_the_command_keeps_units_until_the_certificate_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    arguments = ["audit", "scale_release:one", "--samples", "4000", "-o", str(out), "-q"]
    monkeypatch.setattr(scale_release, "noisy", Interrupted(calls=6))
    stopped = CliRunner().invoke(app, arguments)
    assert stopped.exit_code == 130, stopped.output
    assert "finished units are kept in" in stopped.output
    assert "the same command goes on from there" in stopped.output
    assert units(out / "checkpoint")
    refused = CliRunner().invoke(app, [*arguments, "--seed", "3"])
    assert refused.exit_code == 2
    assert "the seed (0 -> 3)" in refused.output
    done = CliRunner().invoke(app, [*arguments, "--fresh"])
    assert done.exit_code == 0, done.output
    assert sorted(p.name for p in out.iterdir()) == ["certificate.json", "index.html"]
    certificate = json.loads((out / "certificate.json").read_text(encoding="utf-8"))
    assert "fresh" not in certificate["provenance"]["command"]


class Interrupted:
    """A release that is interrupted at one of its calls."""

    __name__ = "noisy"

    def __init__(self, calls: int) -> None:
        self.left = calls

    def __call__(self, x: float, size: int, rng: np.random.Generator) -> Any:
        self.left -= size > 4
        if size > 4 and self.left == 0:
            raise KeyboardInterrupt
        return x + rng.laplace(size=size)
