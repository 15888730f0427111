"""The files of a release folder, opened without following links out of it."""

from __future__ import annotations

import hashlib
import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from ....symbolic.errors import SpecError

ATTESTATION = "attestation.json"
BUNDLE = "attestation.sigstore.json"
ATTESTATIONS = (ATTESTATION, BUNDLE)
_CHUNK = 2**20
_FORBIDDEN = frozenset("/\\:\0")


def require_unsealed(place: str | Path, key: str = "") -> None:
    """SpecError if `place` is a sealed folder or lies in one: any file more breaks its seal."""
    path = Path(os.path.abspath(place))
    sealed = next((p for p in (path, *path.parents) if (p / ATTESTATION).is_file()), None)
    if sealed is not None:
        raise SpecError(
            "this folder is sealed, and whatever is written into it breaks the seal: name a place outside of it",
            key=key,
            file=str(sealed),
        )


class FolderError(ValueError):
    """An entry of the folder that is no regular file, or cannot be read."""


@dataclass(frozen=True)
class FileDigest:
    """A file's SHA-256 (hexadecimal) and its length in bytes."""

    sha256: str
    bytes: int


def plain_name(name: object) -> bool:
    """Whether this is the name of a file that can lie in the folder itself, and nowhere else."""
    return (
        isinstance(name, str)
        and 0 < len(name) <= 255
        and name not in (".", "..")
        and not _FORBIDDEN & set(name)
        and name.isprintable()
    )


def entries(directory: Path) -> tuple[list[str], dict[str, str]]:
    """(names of regular files, what the other entries are), both sorted."""
    regular, odd = [], {}
    with os.scandir(directory) as found:
        for entry in sorted(found, key=lambda e: e.name):
            if entry.is_symlink():
                odd[entry.name] = "a symbolic link"
            elif entry.is_dir(follow_symlinks=False):
                odd[entry.name] = "a folder"
            elif not entry.is_file(follow_symlinks=False):
                odd[entry.name] = "neither a file nor a folder"
            else:
                regular.append(entry.name)
    return regular, odd


def open_file(directory: Path, name: str) -> IO[bytes]:
    """The regular file `name` of the folder; FolderError if it is a link, a pipe, or anything else."""
    if not plain_name(name):
        raise FolderError(f"{name!r} is not the plain name of a file")
    # Without O_NONBLOCK a named pipe would wait for a writer for ever.
    flags = (
        os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    )
    path = directory / name
    try:
        if path.is_symlink():
            raise FolderError(f"{name} is a symbolic link")
        descriptor = os.open(path, flags)
    except OSError as error:
        raise FolderError(f"{name} cannot be opened: {error.strerror}") from None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise FolderError(f"{name} is not a regular file")
    return os.fdopen(descriptor, "rb")


def read_file(directory: Path, name: str, longest: int) -> bytes:
    """The content of a file; FolderError beyond `longest` bytes."""
    with open_file(directory, name) as file:
        raw = file.read(longest + 1)
    if len(raw) > longest:
        raise FolderError(f"{name} has more than {longest:,} bytes")
    return raw


def digest_file(directory: Path, name: str) -> FileDigest:
    """Digest and length of a file, read in pieces."""
    digest, size = hashlib.sha256(), 0
    with open_file(directory, name) as file:
        while piece := file.read(_CHUNK):
            digest.update(piece)
            size += len(piece)
    return FileDigest(digest.hexdigest(), size)
