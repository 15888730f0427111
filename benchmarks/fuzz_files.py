"""Edited certificates, dossiers, sealed folders and ledgers through every command that reads them: what is believed?

python benchmarks/fuzz_files.py [--cases 20000] [--seed 20] [--every 5] [--dossiers FOLDER] [--release FOLDER]
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from fuzzing.file_case import Tally, tried
from fuzzing.file_kinds import (
    Kind,
    audited,
    certificates,
    dossiers,
    ledger_lines,
    made_folder,
    made_ledger,
    sealed,
    unsealed,
)


def kinds(
    folder: Path, samples: tuple[Any, ...], papers: Path | None = None, release: Path | None = None
) -> tuple[Kind, ...]:
    """Every kind of file; `samples` are certificates, `papers` holds dossiers, `release` is the folder of a release."""
    found = [certificates(samples)]
    made_ledger(folder / "ledger")
    made_folder(folder / "sealed", found[0].samples[0])
    found += [ledger_lines(folder / "ledger")]
    found += [sealed(folder / "sealed", name) for name in ("certificate.json", "attestation.json")]
    found += [] if papers is None else [dossiers(papers)]
    if release is not None:
        found += [
            sealed(release, "release.json"),
            unsealed(release, "release.json"),
            unsealed(release, "certificate.json"),
        ]
    return tuple(found)


def table(tally: Tally) -> str:
    """One Markdown row for each kind of file and of edit."""
    words = ("refused", "same", "pretended", "fault")
    rows: dict[tuple[str, str], Counter[str]] = {}
    for (kind, edit, outcome), count in tally.outcomes.items():
        rows.setdefault((kind, edit), Counter())[outcome] += count
    lines = ["| file | edit | " + " | ".join(words) + " |", "| --- | --- |" + " ---: |" * len(words)]
    for (kind, edit), counts in sorted(rows.items()):
        lines.append(f"| {kind} | {edit} | " + " | ".join(str(counts[word]) for word in words) + " |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=20)
    parser.add_argument(
        "--every", type=int, default=5, help="edits per run of a command, where Python reads too"
    )
    parser.add_argument("--dossiers", type=Path)
    parser.add_argument("--release", type=Path)
    asked = parser.parse_args()
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as place:
        found = kinds(Path(place), audited(), asked.dossiers, asked.release)
        tally = tried(found, asked.cases, asked.seed, Path(place), asked.every)
    print(table(tally))
    print("\nWhat a changed file could still pretend, by place:\n")
    for (kind, where), count in sorted(tally.pretended.items()):
        print(f"- {kind}: {where} ({count})")
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    seconds = time.perf_counter() - start
    print(
        f"\n{asked.cases} cases, seed {asked.seed}, {seconds:.0f} s; slowest {tally.slowest:.1f} s, memory {memory} MB; ",
        end="",
    )
    print(f"faults: {len(tally.faults)}")
    for fault in tally.faults:
        print(f"- {fault}")
    raise SystemExit(bool(tally.faults))


if __name__ == "__main__":
    main()
