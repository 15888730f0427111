"""Releases in processes of their own, which can be killed: forked from one that has loaded the package, so that they start at once."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sealed_release import verify

from noiseproof.audit.release.ledger import Ledger
from noiseproof.audit.release.manifest import NAME
from noiseproof.audit.release.tables import leftovers

_FORKING = """
import json, os, sys
from noiseproof.cli import app
from noiseproof.audit.record.certificate import Certificate
from noiseproof.audit.release import releasing

def run(arguments):
    try:
        app(arguments, standalone_mode=True)
    except SystemExit as end:
        return end.code or 0
    return 70

policy, target, audit = sys.argv[1:]
if audit:
    certificate = Certificate.from_json(audit)
    releasing.audited = lambda *_: certificate
# What is loaded and computed once is known to the children.
if policy:
    code = run(["release", policy, "-o", target, "--no-digest", "-q"])
    assert code == 0, code
print("ready", flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    if "wait" in asked:
        print(os.waitstatus_to_exitcode(os.waitpid(asked["wait"], 0)[1]), flush=True)
        continue
    child = os.fork()
    if child:
        print(child, flush=True)
        continue
    said = os.open(asked["said"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.dup2(said, 1)
    os.dup2(said, 2)
    code = 70
    try:
        code = run(asked["arguments"])
    finally:
        sys.stdout.flush()
        os._exit(code)
"""


class Releases:
    """Runs of `noiseproof release`, each in a process of its own."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process

    def start(self, policy: Path, target: Path, *more: str) -> int:
        """The id of a process that releases; what it prints goes into `said` beside the folder of the policy."""
        arguments = ["release", str(policy), "-o", str(target), *more]
        return self._asked({"arguments": arguments, "said": str(policy.parent.parent / "said")})

    def wait(self, process: int) -> int:
        """Its exit code, negative for a signal."""
        return self._asked({"wait": process})

    def killed(self, process: int, after: float) -> int:
        """Kills it after so many seconds; its exit code if it was faster."""
        time.sleep(after)
        os.kill(process, signal.SIGKILL)
        return self.wait(process)

    def _asked(self, what: dict[str, Any]) -> int:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(what) + "\n")
        self.process.stdin.flush()
        return int(self.process.stdout.readline())


@contextmanager
def releases(like: Path | None = None, audit: str = "") -> Iterator[Releases]:
    """A process from which releases are started.

    It releases the policy `like` once itself: those that it starts have then less to load and to compute.  A certificate
    `audit` (JSON) takes the place of the trial of all of them.
    """
    with TemporaryDirectory() as folder:
        place = Path(folder) / "here"
        if like is not None:
            shutil.copytree(like.parent, place)
        asked = ["" if like is None else str(place / like.name), str(place / "warm"), audit]
        process = subprocess.Popen(
            [sys.executable, "-c", _FORKING, *asked],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            assert process.stdout.readline() == "ready\n"
            yield Releases(process)
        finally:
            process.stdin.close()
            process.wait(timeout=60)
            process.stdout.close()


def hidden(target: Path) -> list[Path]:
    """Folders of releases to `target` that are written at the moment, or were left."""
    return [p for p in target.parent.iterdir() if p.name.startswith(f".{target.name}.") and p.is_dir()]


def readable(folder: Path) -> bool:
    """Whether a data file in it holds anything: what was drawn may have been read."""
    return any(path.stat().st_size > 4 for path in folder.glob("data.*"))


def check(target: Path, ledger: Path, published: list[Path]) -> dict[str, int]:
    """What a release to `target` left, which no process writes any more, is whole and paid for; counts of states of entries.

    `published` are the releases before it under other names.
    """
    folders = [*published, *([target] if target.exists() else [])]
    left = leftovers(target)
    assert hidden(target) == left
    states: list[str] = []
    # A kind that costs nothing that can be counted has no ledger.
    if ledger.exists():
        book = Ledger.open(ledger)
        entries = book.book().entries
        states = [entry.state for entry in entries.values()]
        for folder in folders:
            manifest = json.loads((folder / NAME).read_text(encoding="utf-8"))
            book.confirm(manifest["ledger"], manifest["costs"])
            assert entries[int(manifest["ledger"]["entry"])].state == "settled"
        assert states.count("settled") >= len(folders) + sum(map(readable, left))
    if target.exists():
        assert [f for f in verify(target) if f.state == "fails" and not f.what.startswith("checklist")] == []
    return {state: states.count(state) for state in ("reserved", "settled")}


def kill_often(running: Releases, policy: Path, kills: int, seed: int, *more: str) -> dict[str, int]:
    """Kills releases at random moments, half of them while something is written; how many of them left what."""
    folder, target, ledger = policy.parent, policy.parent / "out", policy.parent / "table.ledger"
    kept, rng = folder.parent / "kept", random.Random(seed)
    kept.mkdir()
    begun = time.monotonic()
    assert running.wait(running.start(policy, target, *more)) == 0, (folder.parent / "said").read_text()
    whole = time.monotonic() - begun
    published = [target.rename(kept / "first")]
    seen = {"nothing": 0, "whole": 0, "leftover": 0, "noise in a leftover": 0, "reserved": 0}
    for kill in range(kills):
        (folder / "out.answers.toml").unlink(missing_ok=True)
        process = running.start(policy, target, *more)
        if kill % 2:
            deadline = time.monotonic() + 2 * whole
            while not hidden(target) and not target.exists() and time.monotonic() < deadline:
                time.sleep(0.0005)
            running.killed(process, rng.uniform(0, 0.35 * whole))
        else:
            running.killed(process, rng.uniform(0, 1.1 * whole))
        seen["reserved"] = check(target, ledger, published)["reserved"]
        seen["leftover"] += bool(leftovers(target))
        seen["noise in a leftover"] += any(map(readable, leftovers(target)))
        seen["whole" if target.exists() else "nothing"] += 1
        if target.exists():
            published.append(target.rename(kept / f"{kill}"))
    # The next release is not held up, and takes away what the kills have left.
    assert running.wait(running.start(policy, target, *more)) == 0, (folder.parent / "said").read_text()
    check(target, ledger, published)
    assert unknown(folder) == []
    print(f"{kills} kills of a release of {whole:.2f} s: {seen}")
    return seen


def unknown(folder: Path) -> list[str]:
    """What lies beside a release to `out` without being named in docs/reference/release.md."""
    known = {
        "policy.toml",
        "table.csv",
        "table.ledger",
        "table.ledger.head",
        "salt",
        "out",
        "out.answers.toml",
    }
    named = re.compile(r"\.out\.answers\.toml\.\d+\.partial")
    return sorted(p.name for p in folder.iterdir() if p.name not in known and not named.fullmatch(p.name))
