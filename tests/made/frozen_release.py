"""Releases with frozen values: what is drawn is the same whatever the table is, so that all else that shows has to be the same.

The command runs with its real code from the policy to the seal.  The table is read, its noise is drawn and thrown away, and
fixed numbers take its place.  Clock and random words stand still.
"""

from __future__ import annotations

import datetime
import json
import os
import shutil
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from frozen_policies import Freeze, FrozenPolicy
from hostile_tables import Form, Records
from typer.testing import CliRunner

from noiseproof import release_command
from noiseproof.audit.record.certificate import Certificate
from noiseproof.audit.release import releasing
from noiseproof.audit.release.kinds import KINDS, ron_gauss
from noiseproof.audit.release.ledger import ledger as ledger_module
from noiseproof.audit.release.policy import Policy
from noiseproof.audit.trial import examine
from noiseproof.cli import app
from noiseproof.mechanisms import grid_noise
from noiseproof.mechanisms.grid_noise import seeded_bits


class _Noon(datetime.datetime):
    """A clock that stands still."""

    @classmethod
    def now(cls, tz: datetime.tzinfo | None = None) -> _Noon:
        return cls(2026, 3, 31, 12, tzinfo=tz)


@dataclass(frozen=True)
class Seen:
    """All that a run of the command shows to anybody, and all that it leaves in the folder of the policy."""

    exit_code: int
    output: str
    error: str
    progress: tuple[str, ...]
    warned: tuple[str, ...]
    order: tuple[str, ...]
    kept: Mapping[str, tuple[str, float]]  # permissions, and times of what is released
    files: Mapping[str, bytes]

    def differences(self, other: Seen) -> list[str]:
        """What is not the same, in words; empty if nobody can tell the two runs apart."""
        names = ("exit_code", "output", "error", "progress", "warned", "order", "kept")
        found = [
            f"{name}: {mine!r} and {theirs!r}"[:2000]
            for name in names
            if (mine := getattr(self, name)) != (theirs := getattr(other, name))
        ]
        for name in sorted({*self.files, *other.files}):
            mine, theirs = self.files.get(name), other.files.get(name)
            if mine != theirs:
                sizes = ["no file" if raw is None else f"{len(raw)} bytes" for raw in (mine, theirs)]
                found.append(f"{name}: {sizes[0]} and {sizes[1]}, not the same")
        return found


@contextmanager
def standing_still(policy: FrozenPolicy, certificate: Certificate | None) -> Iterator[list[str]]:
    """Clock, random words and draws stand still; gives the list of what progress is said.

    A `certificate` takes the place of the trial, and little is computed twice; without it everything is.
    """
    progress: list[str] = []

    @contextmanager
    def bar(quiet: bool) -> Iterator[Callable[[float, str], None]]:
        yield say

    def say(fraction: float, text: str) -> None:
        # How fast how many records are read is for the one who waits; it stands in no file and no other line.
        if not text.startswith(("summing: ", "bounding persons: ")):
            progress.append(f"{fraction:.6f} {text}")

    clock = SimpleNamespace(UTC=datetime.UTC, datetime=_Noon, time=datetime.time)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(releasing, "datetime", clock)
        patch.setattr(ledger_module, "datetime", clock)
        patch.setattr(examine, "time", SimpleNamespace(perf_counter=lambda: 0.0))
        patch.setattr("secrets.token_hex", lambda size: "5a" * size)
        patch.setattr(release_command, "progress_bar", bar)
        for module in (grid_noise, ron_gauss):
            patch.setattr(module, "secure_bits", lambda: seeded_bits(np.random.default_rng(5)))
        kind = KINDS[policy.kind]
        if certificate is not None:
            _compute_little(patch, kind, certificate)
        if kind.needs_records:
            patch.setattr(kind, "draw", _frozen(kind.draw, policy.freeze))
        else:
            screen = kind.screen
            patch.setattr(kind, "screen", lambda *asked: _frozen(screen(*asked), policy.freeze))
        yield progress


def _kept(found: os.stat_result, released: bool) -> tuple[str, float]:
    return oct(found.st_mode), found.st_mtime if released else 0.0


def remembered(real: Callable[..., Any], key: Callable[..., Any]) -> Callable[..., Any]:
    """The same function, which computes once for each key of its arguments."""

    def answer(*arguments: Any) -> Any:
        asked = (real, key(*arguments))
        if asked not in _ANSWERS:
            _ANSWERS[asked] = real(*arguments)
        return _ANSWERS[asked]

    return answer


_ANSWERS: dict[Any, Any] = {}
_PAGES = release_command.pages


def _compute_little(patch: pytest.MonkeyPatch, kind: Any, certificate: Certificate) -> None:
    """No trial and no curves; plans and pages once for all that they are given: none of these is given a record."""
    patch.setattr(releasing, "audited", lambda *_: certificate)
    patch.setattr(kind, "figures", lambda self: ())
    patch.setattr(releasing, "plan", remembered(releasing.plan, _asked))
    # A page that somebody else draws may know more than it is given.
    if release_command.pages is _PAGES:
        patch.setattr(release_command, "pages", remembered(_PAGES, lambda *plain: json.dumps(plain)))


def _asked(policy: Policy, records: int | None) -> Any:
    return (str(policy.folder), policy.digest, records)


def _frozen(real: Any, freeze: Freeze) -> Any:
    """A draw whose numbers are fixed from its beginning to its end; the trial before it is not touched."""

    @contextmanager
    def draw(*arguments: Any) -> Iterator[Any]:
        with pytest.MonkeyPatch.context() as patch:
            freeze(patch)
            with real(*arguments) as drawn:
                yield drawn

    return draw


def seen(
    policy: FrozenPolicy, rows: Records, form: Form, place: Path, certificate: Certificate | None = None
) -> Seen:
    """What one release of the table shows; `place` is made for it and removed: two runs have the same paths."""
    place.mkdir()
    try:
        (place / "policy.toml").write_text(policy.text(), encoding="utf-8")
        table = form.write(rows, place)
        arguments = ["release", str(place / "policy.toml"), "-o", str(place / "out"), "--no-digest"]
        with standing_still(policy, certificate) as progress, warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            done = CliRunner().invoke(app, [*arguments, "--table", str(table)])
        shutil.rmtree(table) if table.is_dir() else table.unlink(missing_ok=True)
        (place / "policy.toml").unlink()
        left = sorted(place.rglob("*"))
        return Seen(
            done.exit_code,
            done.stdout,
            done.stderr,
            tuple(progress),
            tuple(f"{w.category.__name__}: {w.message}" for w in warned),
            tuple(os.listdir(place / "out")) if (place / "out").is_dir() else (),
            {str(p.relative_to(place)): _kept(p.stat(), (place / "out") in (p, p.parent)) for p in left},
            {str(p.relative_to(place)): p.read_bytes() for p in left if p.is_file()},
        )
    finally:
        shutil.rmtree(place)
