"""Which of the project's kinds of file a file is, and the commands that take it: for messages to who gave it to another."""

from __future__ import annotations

import re
from pathlib import Path

from .toml_file import parse_toml

_READ = 100_000  # bytes: the first are enough to tell, and a table may be huge
_WORDS = re.compile("[a-z -]+")  # a command whose argument is the file itself
_SCHEMA = re.compile(rb'"schema":\s*"noiseproof-([a-z]+)-\d')
# What each kind is called, and the commands that read it, with what they are given if that is not the file itself; of
# none the words say what to do.
KINDS: dict[str, tuple[str, tuple[str, ...]]] = {
    "spec": ("a spec", ("audit", "plan", "check-spec")),
    "policy": ("a release policy", ("release", "calibrate", "policy check")),
    "model": ("a model", ("derive",)),
    "program": ("a program", ("derive",)),
    "query": ("a query", ("derive",)),
    "problem": ("a derivation, whose page lies beside it: derive its program or query again", ()),
    "answers": ("a file of answers", ("answer",)),
    "certificate": ("a certificate", ("report", "replay", "diff", "export")),
    "dossier": ("a dossier", ("export",)),
    "proof": ("a proof: `python -m noiseproof.symbolic.proof.kernel FILE` checks it", ()),
    "derivation": ("a derivation, whose page lies beside it: derive its model again", ()),
    "ledger": ("a ledger", ("ledger show", "ledger check")),
    "release": ("the manifest of a release", ("verify FOLDER", "answer FOLDER", "seal FOLDER")),
    "attestation": ("the seal of a folder", ("verify FOLDER",)),
    "release folder": ("the folder of a release", ("verify", "answer", "seal")),
    "audit folder": ("the folder of an audit, with a certificate.json", ("seal", "verify", "report")),
    "table": ("a table", ("policy init", "release POLICY --table")),
    "python": ("Python", ("audit MODULE:FUNCTION", "papers")),
    "key": ("a key", ("seal FOLDER --key", "verify FOLDER --key")),
    "page": ("a page to open in a browser; the .json beside it holds the data", ()),
}


def kind_of(path: Path) -> str:
    """The kind of a file or folder, one of `KINDS`; "" if it is none that is known, or cannot be read."""
    try:
        if path.is_dir():
            return _folder(path)
        with path.open("rb") as file:
            raw = file.read(_READ)
    except (OSError, ValueError):
        return ""
    if path.name.endswith((".csv", ".csv.gz", ".parquet", ".pq")) or raw.startswith(b"PAR1"):
        return "table"
    if path.suffix == ".py":
        return "python"
    start = raw.lstrip(b"\xef\xbb\xbf \t\r\n")[:200].lower()
    if start.startswith((b"<!doctype html", b"<html")):
        return "page"
    if start.startswith(b"-----begin "):
        return "key"
    return _json(raw) if start.startswith(b"{") else _toml(raw)


def hint(path: Path, command: str, before: str = "-") -> str:
    """What the file is and which commands take it, for one who gave it to `command` (its first word), after the word `before`; "" where that is right or unknown."""
    kind = kind_of(path)
    if not kind:
        return ""
    words, commands = KINDS[kind]
    if any((_WORDS.fullmatch(o) and o.split()[0] == command) or o.endswith(f" {before}") for o in commands):
        return ""
    takers = ", ".join(f"`noiseproof {one}`" for one in commands)
    return f"this is {words}{': use ' if takers else ''}{takers}"


def _folder(path: Path) -> str:
    if (path / "release.json").is_file():
        return "release folder"
    return "audit folder" if (path / "certificate.json").is_file() else ""


def _json(raw: bytes) -> str:
    if b'"payloadType"' in raw[:1_000]:
        return "attestation"
    found = _SCHEMA.search(raw)
    kind = found[1].decode() if found else ""
    return kind if kind in KINDS else ""


def _toml(raw: bytes) -> str:
    if len(raw) == _READ:
        return ""
    try:
        keys = parse_toml(raw, "", "").keys()
    except ValueError:
        return ""
    if keys == {"answers"}:
        return "answers"
    if keys & {"columns", "limits"}:
        return "policy"
    if not keys & {"claims", "controls"}:
        stated = next((table for table in ("model", "program", "query") if table in keys), "")
        if stated:
            return stated
    return "spec" if keys & {"mechanism", "claims"} else ""
