"""In what two records of frozen facts differ, but for timings, provenance and what the operating system decides."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

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
        # Version 0.1.0 wrote no key of the claim into evidence.
        loose = LOOSE | {"claim"} if "check" in data else LOOSE
        return {key: _tight(value) for key, value in data.items() if key not in loose}
    if isinstance(data, list):
        return [_tight(value) for value in data]
    if isinstance(data, str):
        data = re.sub(r"/\S*/releases/", "PLACE/releases/", data)  # where the record itself was written
        return re.sub(r"\b[0-9a-f]{16,64}\b", "HEX", re.sub(r"\b\d+(\.\d+)? s\b", "N s", data))
    return data


def _form(data: Any) -> Any:
    """The words of a fact; numbers as what they are."""
    if isinstance(data, dict):
        return {key: _form(value) for key, value in data.items() if key != "reason"}
    if isinstance(data, list):
        forms = [_form(value) for value in data]
        # How many points a curve has depends on the numbers that were drawn.
        return forms[:1] if data and all(isinstance(v, float) for v in data) else forms
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
