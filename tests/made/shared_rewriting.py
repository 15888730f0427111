"""The workers of a run share the rewriting of assertions: each does its part of the test files and reads the others'."""

from __future__ import annotations

import marshal
from pathlib import Path
from typing import Any

import pytest
from _pytest.assertion import rewrite


def share_rewriting(config: pytest.Config, tests: Path) -> None:
    """Rewrite every n-th file now, for all workers, unless an earlier run has kept it as bytecode."""
    worker, rewritten = getattr(config, "workerinput", None), getattr(rewrite, "_rewrite_test", None)
    if worker is None or rewritten is None or not config.option.basetemp:
        return
    folder = Path(config.option.basetemp).parent / "rewritten"
    folder.mkdir(parents=True, exist_ok=True)

    def read(file: Path, config: pytest.Config) -> Any:
        kept = folder / str(file).replace("/", " ")
        return marshal.loads(kept.read_bytes()) if kept.exists() else rewritten(file, config)

    number, count = int(str(worker["workerid"]).removeprefix("gw")), int(worker["workercount"])
    for file in sorted(tests.rglob("test_*.py"))[number::count]:
        cached = rewrite.get_cache_dir(file) / (file.stem + rewrite.PYC_TAIL)
        if rewrite._read_pyc(file, cached) is None:
            partial = folder / f"{number}.partial"
            partial.write_bytes(marshal.dumps(rewritten(file, config)))
            partial.replace(folder / str(file).replace("/", " "))
    rewrite._rewrite_test = read
