"""A folder that appears whole or not at all: written under a hidden name beside it, then renamed once."""

from __future__ import annotations

import ctypes
import datetime
import os
import re
import secrets
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ....symbolic.errors import SpecError

# renameat2 (Linux): the folder that a path starts at where it is not absolute, and that the two names change places.
_HERE, _EXCHANGE = -100, 2


@contextmanager
def whole_or_nothing(directory: str | Path, *, over: bool = False) -> Iterator[Path]:
    """Yields an empty hidden folder beside `directory`, which takes that name when the block ends without an error.

    With `over` it takes the place of the folder that has that name, which is then removed.
    All files are on disk before the one renaming.  After an error nothing is left; after a kill or a loss of power at most
    the hidden folder, which the next call for the same directory removes.  Raises SpecError if `directory` exists, its
    parent does not, or the disk does not take what is written.
    """
    target = Path(os.path.abspath(directory))
    key = "" if over else "--output"
    if not over:
        require_free(target)
    with _described(target, key):
        remove_leftovers(target)
        partial, lock, mode = _hidden(target)
    try:
        try:
            with _described(target, key):
                yield partial
                _to_disk(partial)
                os.chmod(partial, stat.S_IMODE(target.stat().st_mode) if over else mode)
                if over:
                    _exchange(partial, target)
                else:
                    require_free(target)
                    os.rename(partial, target)
        except BaseException:
            _remove(partial)
            raise
        with _described(target, key):
            _sync(target.parent)
        if over:
            _remove(partial)
    finally:
        os.close(lock)


def date_files(folder: Path, moment: datetime.datetime) -> None:
    """Gives a folder and its files one time: their own would tell how long the private table was read."""
    seconds = moment.timestamp()
    for path in (*folder.iterdir(), folder):
        os.utime(path, (seconds, seconds))


def leftovers(directory: str | Path) -> list[Path]:
    """Hidden folders of releases to `directory` that were killed: nobody holds their lock."""
    target = Path(os.path.abspath(directory))
    pattern = re.compile(rf"\.{re.escape(target.name)}\.[0-9a-f]{{16}}\.partial")
    found = []
    with suppress(OSError):
        for path in sorted(target.parent.iterdir()):
            if pattern.fullmatch(path.name) and path.is_dir() and not path.is_symlink() and not _held(path):
                found.append(path)
    return found


def remove_leftovers(directory: str | Path) -> list[Path]:
    """Removes what killed releases to `directory` left, and names it."""
    found = leftovers(directory)
    for path in found:
        shutil.rmtree(path, ignore_errors=True)
    return found


def _remove(partial: Path) -> None:
    """Removes a hidden folder; a second interrupt while it goes does not keep the rest of it."""
    try:
        shutil.rmtree(partial, ignore_errors=True)
    except KeyboardInterrupt:
        shutil.rmtree(partial, ignore_errors=True)
        raise


def require_free(target: Path) -> None:
    """SpecError if a folder of that name cannot be made."""
    if os.path.lexists(target):
        why = "this exists already: a release is never written over; name another folder"
    elif not target.parent.is_dir():
        why = "the folder that is to hold it does not exist: make it first"
    elif not os.access(target.parent, os.W_OK):
        why = "the folder that is to hold it is not writable"
    else:
        return
    raise SpecError(why, key="--output", file=str(target))


def _hidden(target: Path) -> tuple[Path, int, int]:
    """A new hidden folder, the descriptor that holds its lock, and the permissions it is to get."""
    import fcntl

    partial = target.with_name(f".{target.name}.{secrets.token_hex(8)}.partial")
    partial.mkdir()
    mode = stat.S_IMODE(partial.stat().st_mode)
    # Not readable by others before it is released.
    partial.chmod(0o700)
    lock = os.open(partial, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(lock)
        partial.rmdir()
        raise
    return partial, lock, mode


def _held(path: Path) -> bool:
    """Whether a running process holds the lock of a hidden folder."""
    import fcntl

    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(descriptor)
    return False


def _exchange(one: Path, other: Path) -> None:
    """Two folders change names: at once where the system can, else in turn, and a kill may then leave both hidden."""
    with suppress(AttributeError):
        names = os.fsencode(one), os.fsencode(other)
        if ctypes.CDLL(None).renameat2(_HERE, names[0], _HERE, names[1], _EXCHANGE) == 0:
            return
    # Not a name that the next call for this directory would remove.
    aside = one.with_name(f"{one.name}.before")
    os.rename(other, aside)
    os.rename(one, other)
    os.rename(aside, one)


def _to_disk(folder: Path) -> None:
    for path in sorted(folder.rglob("*")):
        _sync(path)
    _sync(folder)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def _described(target: Path, key: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else "the disk does not take it"
        raise SpecError(f"nothing was written: {reason}", key=key, file=str(target)) from error
