"""Plant every fault, let its release run and the standing tests after it, and write the table of what caught it.

python -m benchmarks.planted_release_faults [--only WORD] [--kept FILE] [--part PART] [--seeds N] > docs/planted-faults.md

`--kept` is a file of results, one a line: faults that are in it already are not run again.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .catalogue import FAULTS
from .fault import Fault, compiled_copy
from .page import NONE, page
from .running import planted, released, tested

Kept = dict[tuple[str, str], Any]


def main() -> None:
    """Runs what is missing in the file of results, then prints the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="faults whose name has this word")
    parser.add_argument("--kept", type=Path, required=True, help="the file of results")
    parser.add_argument("--seeds", type=int, default=20, help="releases without a fault, of each policy")
    parser.add_argument(
        "--part", default="", choices=["", "release", "tests", "seeds"], help="run this alone"
    )
    parser.add_argument("--page", action="store_true", help="run nothing, print the page")
    asked = parser.parse_args()
    if not asked.page:
        with tempfile.TemporaryDirectory() as place:
            _run(asked, compiled_copy(Path(place) / "base"))
    print(page(_read(asked.kept)), end="")


def _run(asked: argparse.Namespace, base: Path) -> None:
    kept = _read(asked.kept)

    def once(kind: str, name: str, fault: Fault | None, run: Callable[..., Any], *more: Any) -> None:
        if asked.part in ("", kind) and asked.only in name and (kind, name) not in kept:
            with planted(fault, base) as (place, environment):
                _keep(
                    asked.kept, {"kind": kind, "name": name, "found": run(fault, place, environment, *more)}
                )

    for fault in FAULTS:
        once("release", fault.name, fault, released)
    for fault in FAULTS:
        once("tests", fault.name, fault, tested)
    once("tests", NONE, None, tested)
    for seed in range(1, asked.seeds + 1):
        once("seeds", str(seed), None, released, seed)


def _read(path: Path) -> Kept:
    if not path.exists():
        return {}
    rows = (json.loads(line) for line in path.read_text(encoding="utf-8").splitlines())
    return {(row["kind"], row["name"]): row["found"] for row in rows}


def _keep(path: Path, row: dict[str, object]) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(row) + "\n")
    print(json.dumps(row)[:600], file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
