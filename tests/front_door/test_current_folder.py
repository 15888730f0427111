"""What lies in the current folder is imported where a spec names it, and nowhere else."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

SPEC = """
samples = 1000
[mechanism]
function = "mine:release"
[neighbours]
inputs = [0.0, 1.0]
[[claims]]
predicate = "pure-dp"
epsilon = 3.0
"""
MINE = """
import os
def release(data, size, rng):
    assert "PYTHONSAFEPATH" not in os.environ
    return data + rng.laplace(0, 1, size)
"""
POISON = ("bz2", "numpy", "joblib", "multiprocessing", "pickle", "argparse", "lzma", "noiseproof", "sympy")


def test_processes_that_are_started_import_nothing_from_it_but_what_a_spec_names(tmp_path: Path) -> None:
    for name in POISON:
        (tmp_path / f"{name}.py").write_text(f"open('{name}.hit', 'w')\nraise SystemExit('imported')\n")
    (tmp_path / "mine.py").write_text(MINE)
    (tmp_path / "spec.toml").write_text(SPEC)
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONSAFEPATH", "PYTHONPATH")}
    done = subprocess.run(
        [
            sys.executable,
            "-P",
            "-m",
            "noiseproof",
            *["audit", "spec.toml", "--workers", "2", "-o", "out", "-f", "json", "-q"],
        ],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert list(tmp_path.glob("*.hit")) == []
    assert done.returncode in (0, 4), done.stderr
    (finding,) = json.loads((tmp_path / "out" / "certificate.json").read_text())["findings"]
    # A release whose environment is another one fails on every input, and would be refused.
    assert "raises" not in json.dumps(finding)
