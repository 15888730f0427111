"""Runs a planted copy: its own release first, then the standing tests that are about the changed modules."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from .catalogue import FAULTS
from .fault import ROOT, Fault, planted_copy

_CHILD = Path(__file__).with_name("child.py")
_SECONDS = 1800


@contextmanager
def planted(fault: Fault | None, base: Path | None = None) -> Iterator[tuple[Path, dict[str, str]]]:
    """A folder with the copy, and an environment in which it is what `import noiseproof` finds."""
    with tempfile.TemporaryDirectory() as place:
        root = planted_copy(fault, Path(place) / "import", base)
        threads = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}
        yield Path(place), {**os.environ, **threads, "PYTHONPATH": str(root)}


def released(
    fault: Fault | None, place: Path, environment: dict[str, str], seed: int = 0
) -> list[dict[str, Any]]:
    """What came of each policy, up to the first that is not released."""
    folder = place / f"seed {seed}"
    folder.mkdir()
    command = [
        sys.executable,
        str(_CHILD),
        str(folder),
        str(seed),
        *(() if fault is None else fault.statistics),
    ]
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=_SECONDS, check=False
    )
    found: list[dict[str, Any]] = [
        json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")
    ]
    for row in found:
        # What ran is the copy.
        assert str(place) in row.pop("package")
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1:]
        found.append({"policy": "", "ended": "failed", "said": " ".join(last), "written": False})
    return found


def tested(fault: Fault | None, place: Path, environment: dict[str, str]) -> list[str]:
    """The first standing test that fails, without the long ones; of no fault, all that fail."""
    every = sorted({name for one in FAULTS for name in one.tests})
    files = [f"tests/{name}" for name in (every if fault is None else fault.tests)]
    first = [] if fault is None else ["-x"]
    options = ["-q", *first, "-m", "not long", "-k", _ABOUT, "-p", "no:cacheprovider", "-p", "no:randomly"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, *files],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=_SECONDS,
        check=False,
    )
    if done.returncode == 0:
        return []
    words = re.findall(r"^(?:FAILED|ERROR) (.*)$", done.stdout, re.M)
    return words or [f"pytest ends with {done.returncode}: {' '.join(done.stdout.strip().splitlines()[-1:])}"]


# Of files about all kinds of release, what is about this one.
_ABOUT = "(not test_whole_folder and not test_release_run) or statistics or anew"
