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
import re
import shutil
import sys
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
SAMPLES, SEED = 20_000, 7
# What may differ between two runs of one version, or names where and when it was run.
LOOSE = {
    "timings",
    "provenance",
    "command",
    "seconds",
    "at",
    "created",
    "started",
    "finished",
    "measured",
    "environment",
    "versions",
    "entry_hash",
    "hash",
    "salt",
    "salted",
    "sha256",
    "digest",
    "files",
    "code_digest",
    "ledger",
}
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
WORDS = (
    b"1e999",
    b"-1",
    b"nan",
    b"true",
    b"[[",
    b"]]",
    b'"""',
    b"\xff",
    b"0",
    b'"x"',
    b"{}",
    b"9" * 400,
    b"=",
    b"\n",
)
COLUMNS = """
[[columns]]
name = "age"
kind = "number"
role = "private"
low = 0
high = 100
unit = "year"
[[columns]]
name = "hours"
kind = "integer"
role = "private"
low = 0
high = 80
unit = "h"
"""
LABELS = {
    "public": '[[columns]]\nname = "y"\nkind = "label"\nrole = "public"\ncategories = ["no", "yes"]\n',
    "private": '[[columns]]\nname = "y"\nkind = "label"\nrole = "private"\ncategories = ["no", "yes"]\n',
    "drop": '[[columns]]\nname = "y"\nrole = "drop"\n',
}
# mechanism, limits, role of the label, samples, bits
KINDS = {
    "laplace": ('kind = "laplace"\ncalibrate = true', "epsilon = 2.0", "public", 3000, True),
    "gaussian": ('kind = "gaussian"\ndeviation = 300.0', "epsilon = 2.0\ndelta = 1e-4", "public", 3000, True),
    "optimal": ('kind = "optimal"\nhalf_width = 30.0', "error = 50.0", "public", 3000, True),
    "constrained": (
        'kind = "constrained"\nhalf_width = { age = 25, hours = 20 }\ncells = 8',
        "error = 50.0",
        "public",
        3000,
        True,
    ),
    "null-space": ('kind = "null-space"\nvariance = 0.5', "error = 50.0", "public", 3000, False),
    "ron-gauss": (
        'kind = "ron-gauss"\ncomponents = 2\ncalibrate = true',
        "epsilon = 2.0",
        "private",
        3000,
        True,
    ),
    "compression": (
        'kind = "compression"\nrows = 3\ncovariance = [[0.33, 0.0], [0.0, 0.33]]\ndelta_max = 0.05',
        "epsilon = 6.0",
        "drop",
        10_000,
        False,
    ),
}


def command(*arguments: str) -> tuple[int, str]:
    """Exit code and everything that a command printed."""
    from typer.testing import CliRunner

    from noiseproof.cli import app

    result = CliRunner().invoke(app, list(arguments), env={"COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb"})
    said = (
        "" if result.exception is None or isinstance(result.exception, SystemExit) else repr(result.exception)
    )
    return result.exit_code, result.output + said


def subjects() -> Iterator[tuple[str, Any, list[Any]]]:
    """An example of every mechanism with true and false claims, and every planted fault."""
    import noiseproof as npf

    box = ([0.0, -1.0], [1.0, 1.0])
    claims = [
        npf.PureDP(1.0),
        npf.GaussianDP(1.0),
        npf.ApproxDP(1.0, 1e-3),
        npf.ZeroConcentratedDP(0.5),
        npf.RenyiDP(4.0, 2.0),
        npf.ErrorBound(1.0),
        npf.FisherInformation(1.0),
        npf.Claim(npf.PureDP(0.4), expect="falls"),
        npf.Claim(npf.GaussianDP(0.2), about="law", expect="falls"),
    ]
    made = {
        "laplace": npf.LaplaceMechanism(1.0, 1.0),
        "laplace-vector": npf.LaplaceMechanism(0.5, 1.0, dimension=3),
        "gaussian": npf.GaussianMechanism(2.0, 1.0),
        "gaussian-covariance": npf.GaussianMechanism(covariance=[[2.0, 0.5], [0.5, 1.0]]),
        "optimal-gaussian": npf.OptimalGaussian(2.0, box),
        "optimal-weighted": npf.OptimalGaussian(2.0, box, weight=[[2.0, 0.5], [0.5, 1.0]]),
        "cosine": npf.CosineMechanism(-1.0, 3.0, sensitivity=0.5),
        "response": npf.RandomisedResponse(1.0, 3),
        "mean": npf.BoundedMean(-1.0, 2.0, 7, epsilon=0.5),
        "sum": npf.BoundedSum(-3.0, 2.0, sigma=2.0, adjacency="replace-one"),
        "linear": npf.LinearQuery([1.0, -3.0, 0.5], -1.0, 1.0, epsilon=1.0),
        "covariance": npf.LaplaceCovariance.needed(3, 4, 1.0),
        "covariance-printed": npf.LaplaceCovariance.printed(4, 5, 1.0),
        "trajectory": npf.TrajectoryNoise([[1.0, 1.0], [0.0, 1.0]], [[1.0, 0.0]], 3, 2.0, box, beyond=0.1),
        "black-box": npf.BlackBox(_noisy_sum, (0.0, 1.0)),
    }
    yield from ((f"mechanism-{name}", subject, claims) for name, subject in made.items())
    yield "mechanism-trajectory-privacy", made["trajectory"], claims[:5]
    yield "mechanism-linear-error", made["linear"], [npf.ErrorBound(1.0, weight=np.eye(3))]
    for number, fault in enumerate(npf.BROKEN):
        yield f"broken-{number:02d}", fault.subject, [fault.claim]


def _noisy_sum(data: float, size: int, rng: np.random.Generator) -> Any:
    return data + rng.laplace(size=size)


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
            path.write_bytes(_slip(text, rng))
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


def _slip(text: bytes, rng: random.Random) -> bytes:
    lines = text.split(b"\n")
    at = rng.randrange(len(lines))
    match rng.randrange(5):
        case 0:
            del lines[at]
        case 1:
            lines.insert(at, lines[rng.randrange(len(lines))])
        case 2:
            key, _, _ = lines[at].partition(b"=")
            lines[at] = key + b"= " + rng.choice(WORDS)
        case 3:
            line = lines[at]
            cut = rng.randrange(len(line) + 1)
            lines[at] = line[:cut] + rng.choice(WORDS) + line[cut + 1 :]
        case _:
            line = lines[at]
            cut = rng.randrange(len(line) + 1)
            lines[at] = line[: max(cut - 1, 0)] + line[cut:]
    return b"\n".join(lines)


def facts(folder: Path) -> Iterator[tuple[str, Any]]:
    """(name, content) of every file that is compared."""
    for path in sorted(p for p in folder.rglob("*") if p.is_file()):
        name = path.relative_to(folder).as_posix()
        if path.suffix == ".json" and not name.endswith(("attestation.json", "work.json")):
            fact = _tight(json.loads(path.read_text(encoding="utf-8")))
            # The projection of RON-Gauss comes from the operating system: its numbers are new in every run.
            yield name, _form(fact) if name.startswith("releases/ron-gauss") else fact
        elif path.suffix == ".code":
            yield name, path.read_text(encoding="utf-8")


def _tight(data: Any) -> Any:
    if isinstance(data, dict):
        return {key: _tight(value) for key, value in data.items() if key not in LOOSE}
    if isinstance(data, list):
        return [_tight(value) for value in data]
    if isinstance(data, str):
        return re.sub(r"\b[0-9a-f]{16,64}\b", "HEX", re.sub(r"\b\d+(\.\d+)? s\b", "N s", data))
    return data


def _form(data: Any) -> Any:
    """The words of a fact; numbers as what they are."""
    if isinstance(data, dict):
        return {key: _form(value) for key, value in data.items() if key != "detail"}
    if isinstance(data, list):
        return [_form(value) for value in data]
    return re.sub(r"-?[\d,.]+(e[+-]?\d+)?", "N", data) if isinstance(data, str) else type(data).__name__


def differences(old: Any, new: Any, place: str = "") -> Iterator[str]:
    """Where two facts differ."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in [*old, *(k for k in new if k not in old)]:
            if key not in new or key not in old:
                yield f"{place}/{key}: only in {'old' if key in old else 'new'}"
            else:
                yield from differences(old[key], new[key], f"{place}/{key}")
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for i, (a, b) in enumerate(zip(old, new, strict=True)):
            yield from differences(a, b, f"{place}/{i}")
    elif old != new and not (old != old and new != new):
        yield f"{place}: {old!r:.300} -> {new!r:.300}"


def compare(old: Path, new: Path) -> int:
    """Print every difference; 1 if there is one."""
    before, after = dict(facts(old)), dict(facts(new))
    there = {name.split("/")[0] for name in after}
    before = {name: fact for name, fact in before.items() if name.split("/")[0] in there}
    found = [
        line
        for name in sorted(before.keys() | after.keys())
        for line in differences(before.get(name), after.get(name), name)
    ]
    for line in found:
        print(line)
    print(f"{len(before)} files of facts before, {len(after)} after, {len(found)} differences")
    return int(bool(found))


def read(folder: Path) -> int:
    """Replay witnesses, verify the sealed folder and the ledger; 1 if anything fails."""
    from noiseproof.audit.record.witness import reevaluate

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
