"""The files of a folder against the digests that were sealed: changed, missing, additional, or no files at all."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ..checked import Checked
from ..reading.strict_json import MAX_BYTES
from .folder import ATTESTATION, ATTESTATIONS, FileDigest, FolderError, digest_file, entries, read_file


@dataclass(frozen=True)
class SealedFiles:
    """Digests of what is here, the bytes of its JSON files, and what was found."""

    digests: dict[str, FileDigest]
    json: dict[str, bytes]
    found: list[Checked]


def compare_files(directory: Path, wanted: Mapping[str, str]) -> SealedFiles:
    """The folder against `wanted`: SHA-256 (hexadecimal) by plain name.

    A JSON file is read once: what is judged later are the bytes whose digest was taken, not those that came after.
    """
    regular, odd = entries(directory)
    digests: dict[str, FileDigest] = {}
    texts: dict[str, bytes] = {}
    found = [_fails(name, f"is {what}, and only regular files travel") for name, what in odd.items()]
    found += [
        _fails(n, "missing: it was sealed and is not here")
        for n in wanted
        if n not in regular and n not in odd
    ]
    found += [
        _fails(n, "additional: it is here and was not sealed")
        for n in regular
        if n not in wanted and n not in ATTESTATIONS
    ]
    changed = []
    for name in (n for n in wanted if n in regular):
        try:
            if name.endswith(".json"):
                texts[name] = raw = read_file(directory, name, MAX_BYTES)
                digests[name] = FileDigest(hashlib.sha256(raw).hexdigest(), len(raw))
            else:
                digests[name] = digest_file(directory, name)
        except (FolderError, OSError) as error:
            found.append(_fails(name, f"cannot be read: {error}"))
            continue
        if digests[name].sha256 != wanted[name]:
            changed.append(name)
    if not any(digest.sha256 == wanted[name] for name, digest in digests.items()):
        found.insert(0, _fails(ATTESTATION, "is of another folder: no file is as it was sealed"))
    found += [
        _fails(name, "swapped or edited: its digest is not the one that was sealed") for name in changed
    ]
    if not found:
        count = "1 file is" if len(wanted) == 1 else f"{len(wanted)} files are"
        found = [Checked("files", "holds", f"{count} as sealed, and no other is there")]
    return SealedFiles(digests, texts, found)


def _fails(name: str, message: str) -> Checked:
    return Checked("files", "fails", message, ascii(name)[1:-1][:80])
