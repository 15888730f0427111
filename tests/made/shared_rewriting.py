"""The workers of a run share the rewriting of assertions: each does its part of the test files and reads the others'."""

from __future__ import annotations

import marshal
import os
from pathlib import Path
from typing import Any

import pytest
from _pytest.assertion import rewrite

Rewritten = tuple[bytes, Any]


def share_rewriting(config: pytest.Config, tests: Path) -> None:
    """Rewrite every n-th file now, for all workers, unless an earlier run has kept it as bytecode."""
    worker, rewritten = getattr(config, "workerinput", None), getattr(rewrite, "_rewrite_test", None)
    if worker is None or rewritten is None or not config.option.basetemp:
        return
    folder = Path(config.option.basetemp).parent / "rewritten"
    folder.mkdir(parents=True, exist_ok=True)

    def place(file: Path) -> Path:
        return folder / str(file).replace(os.sep, " ")

    def read(file: Path, config: pytest.Config) -> Rewritten:
        kept = place(file)
        if not kept.exists():
            result: Rewritten = rewritten(file, config)
            return result
        found: Rewritten = marshal.loads(kept.read_bytes())
        return found

    number = int(str(worker["workerid"]).removeprefix("gw"))
    for file in sorted(tests.rglob("test_*.py"))[number :: int(worker["workercount"])]:
        if rewrite._read_pyc(file, rewrite.get_cache_dir(file) / (file.stem + rewrite.PYC_TAIL)) is not None:
            continue
        partial = place(file).with_suffix(".partial")
        partial.write_bytes(marshal.dumps(rewritten(file, config)))
        partial.replace(place(file))
    rewrite._rewrite_test = read
