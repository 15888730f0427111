"""Freezes what noiseproof says, so that a change of its structure can be shown to change nothing else.

usage: frozen_facts.py record DIR [PART ...]   writes verdicts, certificates, messages, schemas and files of this version; parts:
                                               messages, releases, audits, papers; default: all
       frozen_facts.py compare OLD NEW         what two records differ in, but for timings and provenance (of the parts that NEW has); exit code 1
       frozen_facts.py read DIR                this version replays every witness of DIR, verifies its folder and its ledger

Only the front door and the commands are used, so that a version from before and one from after can both be asked.
"""

from __future__ import annotations

import contextlib
import importlib.resources
import json
import os
import random
import shutil
import sys
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from frozen_comparison import compare
from frozen_subjects import COLUMNS, KINDS, LABELS, slip, subjects

ROOT = Path(__file__).resolve().parents[1]
SAMPLES, SEED = 20_000, 7
COMMANDS = (
    "",
    "audit",
    "plan",
    "report",
    "replay",
    "papers",
    "mechanisms",
    "init",
    "experiment",
    "diff",
    "check-spec",
    "release",
    "calibrate",
    "seal",
    "verify",
    "keygen",
    "export",
    "ledger",
    "ledger create",
    "ledger show",
    "ledger check",
    "ledger export",
)


def command(*arguments: str) -> tuple[int, str]:
    """Exit code and everything that a command printed."""
    from typer.testing import CliRunner

    from noiseproof.cli import app

    result = CliRunner().invoke(app, list(arguments), env={"COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb"})
    said = (
        "" if result.exception is None or isinstance(result.exception, SystemExit) else repr(result.exception)
    )
    return result.exit_code, result.output + said


def record(folder: Path, parts: Collection[str] = ()) -> None:
    """Write every fact of these parts (of all, if none is named) into the folder."""
    import noiseproof as npf

    folder.mkdir(parents=True)
    (folder / "names.json").write_text(json.dumps(sorted(npf.__all__), indent=1))
    said = {name or "noiseproof": command(*name.split(), "--help") for name in COMMANDS}
    (folder / "help.json").write_text(json.dumps(said, indent=1))
    for schema in (importlib.resources.files("noiseproof.reports") / "schemas").iterdir():
        (folder / "schemas").mkdir(exist_ok=True)
        (folder / "schemas" / schema.name).write_bytes(schema.read_bytes())
    known: dict[str, Callable[[Path], Any]] = {
        "messages": _messages,
        "releases": _releases,
        "audits": _audits,
        "papers": lambda place: print(command("papers", "-o", str(place), "-q")),
    }
    for name in parts or known:
        _step(name, folder, known[name])


def _step(name: str, folder: Path, write: Any) -> None:
    print(name, flush=True)
    (folder / name).mkdir()
    write(folder / name)


def _audits(place: Path) -> None:
    import noiseproof as npf

    for name, subject, claims in subjects():
        for workers in (1, 2):
            bits = not name.startswith("mechanism-cov")
            try:
                text = npf.examine(
                    subject, claims, samples=SAMPLES, seed=SEED, bits=bits, workers=workers
                ).to_json()
            except Exception as error:  # a fault is a fact as well
                text = json.dumps(repr(error))
            (place / f"{name}-{workers}.json").write_text(text)
    subject = npf.GaussianMechanism(1.0, 1.0)
    made = npf.examine(
        subject, [npf.PureDP(1.0), npf.GaussianDP(1.0)], samples=SAMPLES, seed=SEED, sequential=True
    )
    (place / "sequential-1.json").write_text(made.to_json())
    for spec in sorted((ROOT / "examples").glob("*.toml")):
        for workers in (1, 2):
            out = place / "out"
            code, text = command(
                "audit",
                str(spec),
                "-o",
                str(out),
                "--samples",
                str(SAMPLES),
                "--seed",
                str(SEED),
                "-q",
                "--workers",
                str(workers),
            )
            (place / f"spec-{spec.stem}-{workers}.code").write_text(f"{code} {text}")
            (out / "certificate.json").rename(place / f"spec-{spec.stem}-{workers}.json")
            shutil.rmtree(out)


def _releases(place: Path) -> None:
    rng = np.random.default_rng(0)
    age, hours = rng.uniform(0, 100, size=300), rng.integers(0, 81, size=300)
    said = np.where(age / 100 + hours / 80 + rng.normal(0, 0.2, 300) > 1, "yes", "no")
    rows = ["age,hours,y", *(f"{a:.3f},{h},{y}" for a, h, y in zip(age, hours, said, strict=True))]
    (place / "table.csv").write_text("\n".join(rows) + "\n")
    for name, (mechanism, limits, label, samples, bits) in KINDS.items():
        policy = place / f"{name}.toml"
        ledger = (
            '[ledger]\npath = "people.jsonl"\ntable_id = "people"\nbudget = { epsilon = 50.0 }\n'
            if name == "laplace"
            else ""
        )
        policy.write_text(
            f'title = "People"\n[table]\npath = "table.csv"\nrows_public = true\n[mechanism]\n{mechanism}\n[limits]\n{limits}\n'
            f"[audit]\nsamples = {samples}\nbits = {str(bits).lower()}\n{ledger}{COLUMNS}{LABELS[label]}"
        )
        if ledger:
            asked = ("--table", "people", "--unit", "record", "--epsilon", "50")
            command("ledger", "create", str(place / "people.jsonl"), *asked)
        code, text = command("release", str(policy), "-o", str(place / name), "-q")
        (place / f"{name}.code").write_text(f"{code} {text}".replace(str(place), "PLACE"))
        rows = ("--rows", "300") if name == "compression" else ()
        code, text = command("calibrate", str(policy), "-o", str(place / f"{name}-calibration"), "-q", *rows)
        (place / f"{name}-calibration.code").write_text(f"{code} {text}".replace(str(place), "PLACE"))
    print(
        command("keygen", str(place / "officer.pem")),
        command("seal", str(place / "laplace"), "--key", str(place / "officer.pem")),
    )


def _messages(place: Path) -> None:
    """What commands answer to files with seeded slips."""
    rng = random.Random(SEED)
    work = place / "work"
    work.mkdir()
    (work / "table.csv").write_text("age,hours,y\n41,70,no\n12,40,yes\n")
    mechanism, limits, label, *_ = KINDS["laplace"]
    policy = f'title = "People"\n[table]\npath = "table.csv"\nrows_public = true\n[mechanism]\n{mechanism}\n[limits]\n{limits}\n{COLUMNS}{LABELS[label]}'
    spec = work / "template.toml"
    command("init", str(spec))
    seeds = {
        "spec": (spec.read_bytes(), ("check-spec",)),
        "policy": (policy.encode(), ("calibrate", "-o", str(work / "out"))),
    }
    said: dict[str, Any] = {}
    for name, (text, verb) in seeds.items():
        for number in range(250):
            path = work / f"{name}.toml"
            path.write_bytes(slip(text, rng))
            code, answer = command(verb[0], str(path), *verb[1:])
            said[f"{name}-{number}"] = [code, answer.replace(str(work), "WORK")]
            shutil.rmtree(work / "out", ignore_errors=True)
    for arguments in (
        ("audit", "absent.toml"),
        ("audit", "os:system"),
        ("audit", "noiseproof"),
        ("replay", "x"),
        ("replay", "x#1"),
        ("verify", "absent"),
        ("report", "absent.json"),
        ("diff", "a.json", "b.json"),
        ("ledger", "show", "absent"),
        ("ledger", "check", "absent"),
        ("papers", "nothing2000"),
        ("export", "absent.json", "-o", str(work / "o")),
        ("plan",),
        ("plan", "--epsilon", "-1"),
        ("experiment", "x"),
        ("seal", "absent"),
        ("release", "absent.toml", "-o", str(work / "o")),
        ("audit", str(spec), "--alpha", "2"),
        ("audit", str(spec), "--samples", "5"),
        ("audit", str(spec), "--workers", "0"),
        ("plan", "--epsilon", "1", "--delta", "1e-5"),
        ("ledger", "create", str(work / "l"), "--table", "t", "--unit", "year", "--epsilon", "1"),
        ("mechanisms",),
    ):
        code, answer = command(*arguments)
        said[" ".join(arguments).replace(str(work), "WORK")] = [code, answer.replace(str(work), "WORK")]
    shutil.rmtree(work)
    (place / "messages.json").write_text(json.dumps(said, indent=1))


def read(folder: Path) -> int:
    """Replay witnesses, verify the sealed folder and the ledger; 1 if anything fails."""
    from noiseproof.audit.witnesses import reevaluate

    failed, stood = 0, 0
    for path in sorted(folder.rglob("*.json")):
        with contextlib.suppress(ValueError):
            for witness in _witnesses(json.loads(path.read_text(encoding="utf-8"))):
                holds, what = reevaluate(witness)
                stood += holds
                if not holds:
                    failed += 1
                    print(f"{path}: {what}")
    print(f"witnesses: {stood} stand, {failed} do not")
    for arguments in (
        ("verify", str(folder / "releases/laplace"), "--key", str(folder / "releases/officer.pem.pub")),
        (
            "ledger",
            "check",
            str(folder / "releases/people.jsonl"),
            "--release",
            str(folder / "releases/laplace"),
        ),
        ("ledger", "show", str(folder / "releases/people.jsonl")),
    ):
        code, text = command(*arguments)
        failed += bool(code)
        print(" ".join(arguments[:2]), code, text)
    return int(failed > 0)


def _witnesses(data: Any) -> Iterator[dict[str, Any]]:
    if isinstance(data, dict):
        if isinstance(data.get("witness"), dict) and "kind" in data["witness"]:
            yield data["witness"]
        for value in data.values():
            yield from _witnesses(value)
    elif isinstance(data, list):
        for value in data:
            yield from _witnesses(value)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["record", place, *parts]:
            os.chdir(ROOT)
            record(Path(place).resolve(), parts)
        case ["compare", one, other]:
            sys.exit(compare(Path(one), Path(other)))
        case ["read", place]:
            sys.exit(read(Path(place)))
        case _:
            sys.exit(__doc__)
