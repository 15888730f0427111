"""Sealed folders with a file edited, swapped, stripped, emptied or taken from elsewhere, every digest made to fit and signed: what verifies?

python benchmarks/fuzz_folders.py FOLDER FOLDER ... [--cases 5000] [--seed 43]

FOLDERS are written by `noiseproof audit` or `noiseproof release`, two at least.  An edit may say less, never something else.
Only durations may: the same audit gives others on each day, and no page shows more than their sum.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import re
import shutil
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, reduce
from operator import getitem
from pathlib import Path
from typing import Any
from unittest.mock import patch

from noiseproof.audit.record.certificate import Certificate
from noiseproof.audit.record.plain import json_text
from noiseproof.audit.release.verify import attest, exit_code, make_key, seal, verify
from noiseproof.release_command import pages
from noiseproof.symbolic.errors import SpecError

EDITS = ("edit", "edit", "edit", "swap", "strip", "empty", "replace", "rename", "strip manifest")
_SEALS = ("attestation.json", "attestation.sigstore.json")
_WORDS = re.compile(r"\b(?:SURVIVED|REFUTED|PROVED|UNDECIDED|Survived|Refuted|Proved|passed|FAILED)\b|\d+")
_OTHERS = {"REFUTED": "SURVIVED", "SURVIVED": "PROVED", "UNDECIDED": "PROVED", "FAILED": "passed"}
_FITTED = ("sha256", "bytes")  # digests in the manifest, which are made to fit
_LEFT_OUT = ("timings", *_FITTED)


def edited(text: str, rng: random.Random) -> str:
    """The text with one number or verdict of it made better."""
    places = list(_WORDS.finditer(text))
    if not places:
        return text + " PROVED"
    one = rng.choice(places)
    other = _OTHERS.get(
        one[0], "Survived" if one[0].isalpha() else str(int(one[0][-9:]) + rng.choice((1, 7, 100)))
    )
    return text[: one.start()] + (other if other != one[0] else "PROVED") + text[one.end() :]


def edited_json(raw: bytes, rng: random.Random) -> tuple[str, str]:
    """JSON with one value of it edited, and its place: each kind of place is as likely as another."""
    data, places = json.loads(raw), defaultdict[tuple[str, ...], list[tuple[str | int, ...]]](list)
    for path in _leaves(data, ()):
        places[tuple(key for key in path if isinstance(key, str))].append(path)
    *path, last = rng.choice(places[rng.choice(sorted(places))])
    at = reduce(getitem, path, data)
    value, more = at[last], rng.choice((1, 7, 100))
    match value:
        case str():
            at[last] = edited(value, rng)
        case bool() | None:
            at[last] = not value
        case _:
            at[last] = value + more if not value or rng.random() < 0.5 else value * (1 + more / 1000)
    return json_text(data), ".".join(map(str, (*path, last)))


def _leaves(data: Any, path: tuple[str | int, ...]) -> Iterator[tuple[str | int, ...]]:
    if not isinstance(data, dict | list):
        yield path
        return
    for key, value in data.items() if isinstance(data, dict) else enumerate(data):
        if key not in _LEFT_OUT:
            yield from _leaves(value, (*path, key))


def broken(folder: Path, others: Sequence[Path], kind: str, rng: random.Random) -> str:
    """One edit of a folder, in words; empty where there was nothing to do."""
    names = sorted(p.name for p in folder.iterdir())
    name = rng.choice(names)
    path, before = folder / name, (folder / name).read_bytes()
    match kind:
        case "edit" if path.suffix == ".json":
            text, place = edited_json(before, rng)
            path.write_text(text, encoding="utf-8")
            name = f"{name}: {place}"
        case "edit" if path.suffix != ".parquet":
            path.write_text(edited(before.decode(), rng), encoding="utf-8")
        case "swap":
            other = folder / rng.choice(names)
            path.write_bytes(other.read_bytes())
            other.write_bytes(before)
            name = f"{name} and {other.name}"
        case "strip":
            path.unlink()
        case "empty":
            path.write_bytes(b"")
        case "replace":
            donor = rng.choice(others)
            path.write_bytes((donor / rng.choice(sorted(p.name for p in donor.iterdir()))).read_bytes())
        case "rename":
            path.rename(
                folder
                / rng.choice((f"{path.stem}-final{path.suffix}", f"report{path.suffix}", f"{name}.bak"))
            )
        case "strip manifest" if (folder / "release.json").exists():
            (folder / "release.json").unlink()
            for one in folder.glob("*.[hmc]*"):
                one.write_text(edited(one.read_text(encoding="utf-8"), rng), encoding="utf-8")
        case _:
            return ""
    return f"{kind} {name}"


def fits_again(folder: Path) -> None:
    """Digests in the manifest are made to fit what lies there."""
    try:
        manifest = json.loads((folder / "release.json").read_text(encoding="utf-8"))
        for row in manifest["files"]:
            raw = (folder / row["name"]).read_bytes()
            row |= {"sha256": hashlib.sha256(raw).hexdigest(), "bytes": len(raw)}
        (folder / "release.json").write_text(json.dumps(manifest), encoding="utf-8")
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return


def meaning(folder: Path) -> dict[str, bytes]:
    """What each file says: of JSON without dates, versions and durations; of drawings without coordinates."""
    return {p.name: _said(p) for p in folder.iterdir() if p.name not in _SEALS}


def _said(path: Path) -> bytes:
    raw = path.read_bytes()
    if path.suffix == ".json":
        try:
            return json.dumps(_without(json.loads(raw)), sort_keys=True).encode()
        except ValueError:
            return raw
    if path.suffix == ".html":
        return re.sub(rb"<svg.*?</svg>", b"", raw, flags=re.DOTALL)
    return re.sub(rb'"startLine": \d+', b"", raw)


def _without(data: object) -> object:
    if isinstance(data, dict):
        return {k: _without(v) for k, v in data.items() if k not in _LEFT_OUT}
    return [_without(v) for v in data] if isinstance(data, list) else data


_READ = Certificate.from_data


@lru_cache(maxsize=40)
def _once(function: Callable[..., Any], data: str) -> Any:
    """Of the same data the same: most edits leave certificate and manifest as they are."""
    return function(*json.loads(data))


def drawn(*data: Any) -> Any:
    """The pages of a folder."""
    return _once(pages, json.dumps(data))


def trial(
    source: Path, others: Sequence[Path], kind: str, rng: random.Random, place: Path
) -> tuple[str, str]:
    """(what was done, what came of it): "same" or "less" is no lie, "signed" and "believed" are."""
    folder = place / "folder"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(source, folder, ignore=lambda _, names: [n for n in names if n in _SEALS])
    before = meaning(folder)
    done = broken(folder, others, kind, rng)
    if not done:
        return kind, "same"
    fits_again(folder)
    after, unseen = meaning(folder), list[str]()
    # A page less says less; what makes a release one has to be there all the same.
    gone = before.keys() - after.keys()
    if after.items() <= before.items() and not any(
        n == "release.json" or n.startswith("data.") for n in gone
    ):
        return done, "less" if gone else "same"
    try:
        seal(
            folder,
            place / "key",
            pages=drawn,
            **({"say": unseen.append} if "say" in seal.__annotations__ else {}),
        )
        if not unseen:
            return done, "signed"
    except (SpecError, ValueError):
        (folder / "attestation.json").unlink(missing_ok=True)
        try:
            attest(folder, place / "key")
        except (SpecError, ValueError):
            return done, "refused"
    return done, "believed" if exit_code(verify(folder, place / "key.pub", pages=drawn)) == 0 else "found"


def fuzz(folders: Sequence[Path], cases: int, seed: int) -> Counter[tuple[str, str]]:
    """Outcomes by kind of edit; a lie is counted with all that was done."""
    rng, found = random.Random(seed), Counter[tuple[str, str]]()
    read = staticmethod(lambda data: _once(_READ, json.dumps([data])))
    with tempfile.TemporaryDirectory() as name, patch.object(Certificate, "from_data", read):
        make_key(Path(name) / "key")
        for source in folders:  # as it is each may be signed, or nothing was shown of its edits
            shutil.copytree(
                source, Path(name) / source.name, ignore=lambda _, n: [x for x in n if x in _SEALS]
            )
            seal(Path(name) / source.name, Path(name) / "key", pages=drawn)
        for case in range(cases):
            source = folders[case % len(folders)]
            kind = rng.choice(EDITS)
            done, outcome = trial(source, [f for f in folders if f != source], kind, rng, Path(name))
            lie = outcome in ("signed", "believed")
            found[f"{source.name}: {done}" if lie else kind, outcome] += 1
    return found


def main() -> None:
    """Counts by kind of edit, lies one by one."""
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("folders", nargs="+", type=Path)
    asked.add_argument("--cases", type=int, default=5_000)
    asked.add_argument("--seed", type=int, default=43)
    given = asked.parse_args()
    for (kind, outcome), count in sorted(fuzz(given.folders, given.cases, given.seed).items()):
        print(f"{outcome:<8} {count:>6}  {kind}")


if __name__ == "__main__":
    main()
