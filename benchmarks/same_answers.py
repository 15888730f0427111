"""Every answer of the lists, the examples and the pages as JSON: the same bytes idle, beside other work, in another order, thread and process.

    cd benchmarks && python same_answers.py record OUT.json [--reverse] [--thread] [--only TEXT]   # the answers of one process
    cd benchmarks && python same_answers.py compare FOLDER [--only TEXT] [--how NAME ...]   # records what FOLDER lacks; exit code 1

Questions: the families, queries, programs, derivatives and error bounds of the lists, `examples/*.toml` and the examples of the pages.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import doctest
import io
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import derivations
import error_bounds
from derivation_trials.families import FAMILIES
from error_bound_trials.models import MODELS
from program_trials.moving import MOVING
from program_trials.program import read, symbols_of
from program_trials.programs import PROGRAMS
from program_trials.stated import stated
from sensitivity_trials.asked import ask
from sensitivity_trials.queries import QUERIES

ROOT = Path(__file__).resolve().parents[1]
BUSY = 8
# What differs from the first record: options of `record`, and the environment.
HOW: dict[str, tuple[tuple[str, ...], dict[str, str]]] = {
    "idle": ((), {}),
    "busy": ((), {}),
    "reversed": (("--reverse",), {}),
    "thread": (("--thread",), {}),
    "hash 1": ((), {"PYTHONHASHSEED": "1"}),
    "hash 2": ((), {"PYTHONHASHSEED": "2"}),
    "one BLAS thread": ((), {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}),
    "elsewhere": ((), {"TZ": "Asia/Kathmandu", "LC_ALL": "tr_TR.UTF-8"}),
}


def plain(value: Any) -> Any:
    """What was answered, without the functions that check it again; formulas as they are printed."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items() if k != "seconds"}
    if isinstance(value, list | tuple):
        return [plain(v) for v in value]
    return None if callable(value) and not hasattr(value, "free_symbols") else str(value)


def questions() -> Iterator[tuple[str, Callable[[], Any]]]:
    for f in FAMILIES:
        yield f"family {f.name}", lambda f=f: derivations.found_of(f)
    for q in QUERIES:
        yield f"query {q.name}", lambda q=q: ask(q)
    for p in PROGRAMS:
        yield f"program {p.name}", lambda p=p: _program(p)
    for m in MOVING:
        at = {m.parameter: read(m.at, symbols_of(m.program))}
        yield f"derivative {m.program.name} {m.at}", lambda m=m, at=at: stated(m.program).derivative(at=at)
    for model in MODELS:
        for kind in (k for kinds in error_bounds.KINDS.values() for k in kinds):
            bound = lambda m=model, k=kind: error_bounds.bound_of(m, error_bounds.law_of(m), k)  # noqa: E731
            yield f"bound {model.name} {kind}", bound
    for spec in sorted((ROOT / "examples").glob("*.toml")):
        yield f"example {spec.name}", lambda spec=spec: _certificate(spec)
    for folder in ("how-to", "tutorials", "theory"):
        for page in sorted((ROOT / "docs" / folder).glob("*.md")):
            yield f"page {page.name}", lambda page=page: _page(page)


def _program(program: Any) -> Any:
    engine = stated(program)
    found = [engine.kkt(), engine.solve(), engine.convexity(), engine.dual()]
    if program.minimisers and not program.regions:
        found += [engine.certify([read(e, symbols_of(program)) for e in m]) for m in program.minimisers]
    return found


def _certificate(spec: Path) -> Any:
    from typer.testing import CliRunner

    from noiseproof.cli import app

    with tempfile.TemporaryDirectory() as folder:
        result = CliRunner().invoke(app, ["audit", str(spec), "-o", folder])
        written = json.loads((Path(folder) / "certificate.json").read_text(encoding="utf-8"))
    return [result.exit_code, {k: v for k, v in written.items() if k not in ("environment", "timings")}]


def _page(page: Path) -> list[str]:
    """What every example of a page printed."""
    printed: list[str] = []

    class Recorded(doctest.DocTestRunner):
        def report_success(self, out: Any, test: Any, example: Any, got: str) -> None:
            printed.append(got)

        report_failure = report_success

        def report_unexpected_exception(self, out: Any, test: Any, example: Any, exc_info: Any) -> None:
            printed.append(repr(exc_info[1]))

    asked = doctest.DocTestParser().get_doctest(page.read_text(encoding="utf-8"), {}, page.name, str(page), 0)
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        Recorded(verbose=False).run(asked)
    return printed


def record(out: Path, reverse: bool, thread: bool, only: str) -> None:
    asked = [(name, work) for name, work in questions() if only in name]
    found: dict[str, Any] = {}

    def answer() -> None:
        for name, work in reversed(asked) if reverse else asked:
            with contextlib.redirect_stderr(io.StringIO()):
                try:
                    found[name] = plain(work())
                except Exception as error:  # What escapes is an answer too.
                    found[name] = f"{type(error).__name__}: {error}"

    worker = threading.Thread(target=answer)
    (worker.start if thread else answer)()
    if thread:
        worker.join()
    out.write_text(json.dumps({n: found[n] for n, _ in asked}, indent=1), encoding="utf-8")


def compare(folder: Path, only: str, how: list[str]) -> int:
    folder.mkdir(exist_ok=True)
    for name in how:
        options, more = HOW[name]
        out = folder / f"{name.replace(' ', '-')}.json"
        if out.exists():
            continue
        spin = [sys.executable, "-c", "while True: pass"]
        others = [subprocess.Popen(spin) for _ in range(BUSY if name == "busy" else 0)]
        try:
            run = [sys.executable, __file__, "record", str(out), "--only", only, *options]
            subprocess.run(run, env={**os.environ, "PYTHONHASHSEED": "0", **more}, check=True)
        finally:
            for other in others:
                other.kill()
    records = {n: json.loads((folder / f"{n.replace(' ', '-')}.json").read_text()) for n in how}
    first = records[how[0]]
    different = {n: [q for q in first if first[q] != r.get(q)] for n, r in records.items()}
    for name, names in different.items():
        print(f"{name}: {len(first)} answers, {len(names)} differ from {how[0]}: {', '.join(names) or '-'}")
    return int(any(different.values()))


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("record", "compare"))
    parser.add_argument("where", type=Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--reverse", action="store_true")
    parser.add_argument("--thread", action="store_true")
    parser.add_argument("--how", nargs="+", default=list(HOW), choices=list(HOW))
    given = parser.parse_args()
    if given.what == "compare":
        return compare(given.where, given.only, given.how)
    record(given.where, given.reverse, given.thread, given.only)
    return 0


if __name__ == "__main__":
    sys.exit(main())
