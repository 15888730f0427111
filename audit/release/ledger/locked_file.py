"""A file that is only added to, by one process at a time, and a head beside it that says how far it is whole."""

from __future__ import annotations

import json
import os
import re
import secrets
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from types import ModuleType

from ....symbolic.errors import SpecError
from ...record.seal.folder import require_unsealed
from .chain import Head, canonical

_WAIT = 60.0
_LARGEST = 1 << 28
_GONE = (
    "its head lies here and the ledger does not: it was removed, renamed or never came back from a copy, and with it what "
    "was spent; bring it back"
)


class LedgerExistsError(SpecError):
    """Another ledger has the name of one that was to be made."""


class LockedFile:
    """The open, locked file; what is not whole yet is known from `read`."""

    def __init__(self, path: Path, descriptor: int) -> None:
        self._path, self._descriptor = path, descriptor

    def read(self) -> bytes:
        """All bytes of the file."""
        size = os.fstat(self._descriptor).st_size
        if size > _LARGEST:
            raise SpecError(
                f"expected a ledger of at most {_LARGEST} bytes, got {size}", file=str(self._path)
            )
        parts, at = [], 0
        while part := os.pread(self._descriptor, 1 << 20, at):
            parts.append(part)
            at += len(part)
        return b"".join(parts)

    def append(self, content: bytes, head: Head) -> None:
        """Add the content and then the head that follows from it; both are on the disk when this returns, or neither."""
        before = os.fstat(self._descriptor).st_size
        try:
            _write_all(self._descriptor, content)
            os.fsync(self._descriptor)
            write_head(self._path, head)
        except OSError as error:
            with suppress(OSError):
                os.ftruncate(self._descriptor, before)
                os.fsync(self._descriptor)
            raise SpecError(f"nothing was entered: {error.strerror}", file=str(self._path)) from None


@contextmanager
def locked(path: Path, *, write: bool) -> Iterator[LockedFile]:
    """The file at `path` under a lock, shared for reading; SpecError if it is no plain file or stays locked."""
    deadline = time.monotonic() + _WAIT
    while True:
        descriptor = _open(path, (os.O_RDWR | os.O_APPEND) if write else os.O_RDONLY)
        try:
            _wait(descriptor, write, deadline, path)
            # Someone may have put another file in its place while this one was waited for.
            if _same(descriptor, path):
                yield LockedFile(path, descriptor)
                return
        finally:
            os.close(descriptor)


def create(path: Path, content: bytes, head: Head) -> None:
    """Make the file with its first line, whole from the first moment; SpecError if there is one."""
    locks = _locks(path)
    require_unsealed(path.parent)
    # A head is written after its ledger has its name: one without the other is no race, it is a ledger that is gone.
    if os.path.lexists(head_path(path)) and not os.path.lexists(path):
        raise SpecError(_GONE, file=str(path))
    _remove_leftovers(path)
    partial = path.with_name(f".{path.name}.{secrets.token_hex(6)}.partial")
    try:
        descriptor = os.open(partial, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o666)
        try:
            # Locked before it is visible: nobody sees it without its head.
            locks.flock(descriptor, locks.LOCK_EX)
            _write_all(descriptor, content)
            os.fsync(descriptor)
            os.link(partial, path)
            _keep_name(path)
            write_head(path, head)
        finally:
            os.close(descriptor)
    except FileExistsError:
        raise LedgerExistsError(
            "there is a ledger here already, and it is not overwritten", file=str(path)
        ) from None
    except OSError as error:
        raise SpecError(f"a ledger cannot be made here: {error.strerror}", file=str(path)) from None
    finally:
        with suppress(OSError):
            partial.unlink(missing_ok=True)


def _remove_leftovers(path: Path) -> None:
    """Removes what was left by whoever was killed while it made a ledger of this name: nobody takes so long for it."""
    pattern = re.compile(rf"\.{re.escape(path.name)}\.[0-9a-f]{{12}}\.partial")
    with suppress(OSError):
        for left in path.parent.iterdir():
            if pattern.fullmatch(left.name) and time.time() - left.lstat().st_mtime > _WAIT:
                left.unlink()


def head_path(path: Path) -> Path:
    """The file that holds the head of a ledger; SpecError if a ledger cannot be called that."""
    if not path.name:
        raise SpecError("expected the name of a file, got a folder", file=str(path))
    return path.with_name(f"{path.name}.head")


def read_head(path: Path) -> Head | None:
    """The head of the ledger at `path`; None if there is none, SpecError if it is damaged."""
    place = head_path(path)
    try:
        # Neither a link nor a pipe in its place is followed or waited for.
        descriptor = os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            content = os.read(descriptor, 4096)
        finally:
            os.close(descriptor)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise SpecError(f"cannot read: {error.strerror}", file=str(place)) from None
    try:
        head = Head(**json.loads(content))
        if canonical(asdict(head)) + b"\n" == content and head.lines > 0 and head.bytes > 0:
            return head
    except (ValueError, TypeError, RecursionError):
        pass
    raise SpecError("this head of a ledger is damaged: it was not written like this", file=str(place))


def write_head(path: Path, head: Head) -> None:
    """Put the head in place of the last one, whole or not at all (under the ledger's lock).

    A head that is lost with the power only acknowledges less than there is, which does no harm.
    """
    place = head_path(path)
    partial = place.with_name(f".{place.name}.partial")
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o666)
    try:
        try:
            _write_all(descriptor, canonical(asdict(head)) + b"\n")
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        os.replace(partial, place)
    except OSError:
        with suppress(OSError):
            partial.unlink()
        raise


def _write_all(descriptor: int, content: bytes) -> None:
    view = memoryview(content)
    while view:
        view = view[os.write(descriptor, view) :]


def _keep_name(path: Path) -> None:
    """Bring the name of a new file to the disk, as well as its content."""
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _open(path: Path, flags: int) -> int:
    try:
        descriptor = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        link = path.is_symlink()
        why = "a link, expected the ledger itself" if link else (error.strerror or "cannot be opened")
        if isinstance(error, FileNotFoundError) and os.path.lexists(head_path(path)):
            why = _GONE
        raise SpecError(f"cannot open the ledger: {why}", file=str(path)) from None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise SpecError("expected a ledger, this is no plain file", file=str(path))
    return descriptor


def _locks(path: Path) -> ModuleType:
    try:
        import fcntl
    except ImportError:
        raise SpecError("a ledger needs the file locks of a POSIX system", file=str(path)) from None
    return fcntl


def _wait(descriptor: int, write: bool, deadline: float, path: Path) -> None:
    locks = _locks(path)
    kind = locks.LOCK_EX if write else locks.LOCK_SH
    while True:
        try:
            locks.flock(descriptor, kind | locks.LOCK_NB)
            return
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise SpecError(
                    f"another process has held the ledger for {_WAIT:g} s: look for one that hangs",
                    file=str(path),
                ) from None
            time.sleep(0.005)


def _same(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), os.lstat(path))
    except OSError:
        return False
