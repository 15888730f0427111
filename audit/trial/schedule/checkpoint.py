"""Finished units of an audit on disk: one file each, written whole or not at all, read only by the run that they belong to.

A folder holds `audit.json`, which says what was asked, and `units/NAME.npz`: arrays and JSON, never pickle.  It is as
confidential as the outcomes of the release: counts of events, and the first outcomes of releases with randomness of
their own.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import zipfile
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....symbolic.errors import SpecError
from ...record.reading.strict_json import read_strict, read_strict_file
from ...record.seal.folder import require_unsealed

SCHEMA = "noiseproof-checkpoint-1"
_ANEW = "to start again, remove this folder (the command does it with --fresh); to keep it, name another one"
_LARGEST_UNIT = 512 * 2**20  # bytes: the outcomes of the largest unit
_WORDS = {
    "noiseproof": "the version of noiseproof",
    "python": "the version of Python",
    "packages": "the version of a package",
    "engine": "the code of noiseproof",
    "release": "the code of the release",
    "seed": "the seed",
    "settings": "the settings",
    "unseen": "what nobody can compare",
    "claims": "the claims, their subjects or their inputs",
    "spec": "the spec",
    "data": "the data",
}


@dataclass(frozen=True)
class Record:
    """A result as plain JSON data and arrays of numbers."""

    data: Any
    arrays: dict[str, NDArray[Any]] = field(default_factory=dict)


class Checkpoint:
    """The units of one run in `folder`; `asked` is all that they depend on, as plain data.

    The folder is made with the first unit.  Raises SpecError if it holds the units of another run, if it cannot be read or
    written, and on reading a damaged unit.
    """

    def __init__(self, folder: Path, asked: dict[str, Any]) -> None:
        self.folder = folder
        self._asked = json.loads(json.dumps({"schema": SCHEMA, **asked}, sort_keys=True))
        text = json.dumps(self._asked, sort_keys=True)
        self._digest = hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
        require_unsealed(folder)
        existing = next((p for p in (folder, *folder.absolute().parents) if p.exists()), folder)
        if not existing.is_dir():
            raise SpecError("expected a folder for the checkpoint, got a file", file=str(existing))
        if not os.access(existing, os.W_OK | os.X_OK):
            raise SpecError(
                "a checkpoint cannot be written here: this folder is not writable", file=str(existing)
            )
        self._header = folder / "audit.json"
        if self._header.exists():
            self._compare()

    def _compare(self) -> None:
        try:
            found = read_strict_file(self._header)
        except (ValueError, OSError) as error:
            reason = error.strerror if isinstance(error, OSError) else "not JSON"
            raise SpecError(
                f"the checkpoint is damaged ({reason}): it does not say what its units belong to; {_ANEW}",
                file=str(self._header),
            ) from None
        if found == self._asked:
            if self._asked.get("unseen"):
                raise SpecError(
                    f"whether this checkpoint is of the same release cannot be told: {'; '.join(self._asked['unseen'][:3])} "
                    f"cannot be compared with what it was then; {_ANEW}",
                    file=str(self.folder),
                )
            return
        if not isinstance(found, dict) or found.get("schema") != SCHEMA:
            raise SpecError(
                f'expected a checkpoint with "schema": "{SCHEMA}"; {_ANEW}', file=str(self._header)
            )
        changed = [
            text + _detail(found.get(key), self._asked.get(key))
            for key, text in _WORDS.items()
            if found.get(key) != self._asked.get(key)
        ]
        raise SpecError(
            f"this checkpoint belongs to another run: {'; '.join(changed) or 'its contents'} changed since, and its units cannot be "
            f"mixed with new ones; {_ANEW}",
            file=str(self.folder),
        )

    def load(self, name: str) -> Record | None:
        """The record of this name; None if there is none of this run."""
        path = self._path(name)
        try:
            with path.open("rb") as file:
                content = file.read(_LARGEST_UNIT + 1)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise SpecError(f"cannot read: {error.strerror}", file=str(path)) from None
        try:
            _check_sizes(content)
            # The reader checks a checksum of each array.
            with np.load(io.BytesIO(content), allow_pickle=False) as found:
                arrays = {key: found[key] for key in found.files}
            data = read_strict(arrays.pop("json").tobytes(), longest=_LARGEST_UNIT)
            if data["asked"] != self._digest:
                return None
            return Record(data["data"], arrays)
        except (ValueError, KeyError, TypeError, EOFError, OSError, zipfile.BadZipFile) as error:
            raise self._damaged(path) from error

    def save(self, name: str, record: Record) -> None:
        """Keep a record under this name."""
        text = json.dumps({"asked": self._digest, "data": record.data}, allow_nan=False)
        buffer = io.BytesIO()
        arrays = {"json": np.frombuffer(text.encode(), dtype=np.uint8), **record.arrays}
        np.savez(buffer, allow_pickle=False, **arrays)
        try:
            if not self._header.exists():
                self._path(name).parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                header = json.dumps(self._asked, indent=1, sort_keys=True)
                _write(self._header, header.encode())
            _write(self._path(name), buffer.getvalue())
        except OSError as error:
            if not any(self._path(name).parent.glob("*.npz")):
                discard(self.folder)  # nothing in it can be gone on from
            raise SpecError(
                f"the checkpoint cannot be written: {error.strerror}; make room, or name another folder",
                file=str(self.folder),
            ) from None

    def damaged(self, name: str) -> SpecError:
        """What to say of a record whose content cannot be used."""
        return self._damaged(self._path(name))

    def _damaged(self, path: Path) -> SpecError:
        return SpecError(
            "this unit of the checkpoint is damaged; remove the file and run again: it alone is repeated, the others are kept",
            file=str(path),
        )

    def _path(self, name: str) -> Path:
        return self.folder / "units" / f"{name}.npz"


def _check_sizes(content: bytes) -> None:
    """ValueError for more than a unit can hold, packed or unpacked: a few bytes may unpack to any number."""
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        if max(len(content), sum(part.file_size for part in packed.infolist())) > _LARGEST_UNIT:
            raise ValueError(f"more than {_LARGEST_UNIT:,} bytes")


def discard(folder: Path) -> None:
    """Remove the checkpoint in `folder`, and the folder if nothing else is in it."""
    units = folder / "units"
    with suppress(OSError):
        for path in (*units.glob("*.npz"), *units.glob(".*.partial"), *folder.glob(".audit.json.*.partial")):
            path.unlink(missing_ok=True)
        (folder / "audit.json").unlink(missing_ok=True)
        units.rmdir()
    with suppress(OSError):
        folder.rmdir()


def _write(path: Path, content: bytes) -> None:
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        os.replace(partial, path)
    finally:
        with suppress(OSError):
            partial.unlink(missing_ok=True)


def _detail(before: Any, now: Any) -> str:
    """What differs, in brackets: names of files, versions, numbers; digests are not shown."""
    if isinstance(before, dict) and isinstance(now, dict):
        keys = [k for k in sorted({*before, *now}) if before.get(k) != now.get(k)]
        shown = [
            f"{k} {before.get(k)} -> {now.get(k)}" if _short(before.get(k)) and _short(now.get(k)) else k
            for k in keys
        ]
        return f" ({', '.join(shown)})" if keys else ""
    return f" ({before} -> {now})" if _short(before) and _short(now) else ""


def _short(value: Any) -> bool:
    return value is None or len(str(value)) < 20
