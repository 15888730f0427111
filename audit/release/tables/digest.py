"""The digest of a private table under salts of which one is secret: only who holds that can tell which table it was."""

from __future__ import annotations

import hashlib
import hmac
import os
import stat
import struct
from pathlib import Path

from ....symbolic.errors import SpecError
from ...record.table_folder import folder_files

SALT_BYTES = 32
_BLOCK = 1 << 20


def salted_digest(path: str | Path, salt: bytes) -> str:
    """HMAC-SHA256 of the bytes of a file, or of the Parquet files of a folder with their names, under the salt.

    Without the salt no guess at the table can be checked.
    """
    if len(salt) < SALT_BYTES:
        raise ValueError(f"expected a salt of at least {SALT_BYTES} bytes, got {len(salt)}: see `kept_salt`")
    digest = hmac.new(salt, digestmod=hashlib.sha256)
    try:
        if Path(path).is_dir():
            for file in folder_files(Path(path)):
                name = file.relative_to(path).as_posix().encode(errors="surrogateescape")
                digest.update(struct.pack(">QQ", len(name), file.stat().st_size) + name)
                _update(digest, file)
        else:
            _update(digest, path)
    except OSError as error:
        raise SpecError(f"cannot be read: {error.strerror}", file=str(path)) from None
    return f"hmac-sha256:{digest.hexdigest()}"


def _update(digest: hmac.HMAC, path: str | Path) -> None:
    with open(path, "rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)


def fresh_digest(path: str | Path, secret: bytes) -> str:
    """hmac-sha256:SALT:DIGEST under the secret salt and a fresh one together: that two are of one table does not show."""
    return _under_both(path, secret, os.urandom(SALT_BYTES))


def has_digest(path: str | Path, secret: bytes, said: str) -> bool:
    """Whether the file has the digest that a manifest states; those of version 0.1.0 have no salt of their own."""
    name, *parts = said.split(":")
    try:
        salt = bytes.fromhex(parts[0]) if name == "hmac-sha256" and len(parts) in (1, 2) else b""
    except ValueError:
        salt = b""
    if not salt:
        raise SpecError(f"expected hmac-sha256:SALT:DIGEST as a manifest states it, got {said!r:.80}")
    again = _under_both(path, secret, salt) if len(parts) == 2 else salted_digest(path, secret)
    return hmac.compare_digest(again.encode(), said.encode())


def _under_both(path: str | Path, secret: bytes, salt: bytes) -> str:
    name, _, digest = salted_digest(path, hmac.digest(secret, salt, "sha256")).partition(":")
    return f"{name}:{salt.hex()}:{digest}"


def kept_salt(path: str | Path) -> bytes:
    """The secret salt of all releases in this file, which is made with permissions 0600 if it is not there.

    Keep it outside of the release.  Raises SpecError for a file that others can read, or that holds no salt.
    """
    path = Path(path)
    try:
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        except FileExistsError:
            return _read(path)
        with os.fdopen(descriptor, "wb") as file:
            salt = os.urandom(SALT_BYTES)
            file.write(salt.hex().encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
        return salt
    except OSError as error:
        raise _not_kept(error, path) from None


def require_salt(path: str | Path) -> None:
    """SpecError, and nothing is made, unless a salt is kept in this file or can be."""
    path = Path(path)
    try:
        if os.path.lexists(path):
            _read(path)
        elif not os.access(path.parent, os.W_OK | os.X_OK):
            raise PermissionError(0, "expected a folder that can be written to")
    except OSError as error:
        raise _not_kept(error, path) from None


def _not_kept(error: OSError, path: Path) -> SpecError:
    return SpecError(
        f"the salt of the table's digest cannot be kept here: {error.strerror}; name a file in a folder that you can write to (--salt FILE), "
        "or state no digest (--no-digest)",
        file=str(path),
    )


def _read(path: Path) -> bytes:
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    with os.fdopen(descriptor, "rb") as file:
        found = os.fstat(file.fileno())
        if not stat.S_ISREG(found.st_mode) or found.st_mode & 0o077:
            raise SpecError(
                "others can read this salt: make it readable for its owner only (chmod 600)", file=str(path)
            )
        text = file.read(1024)
    try:
        salt = bytes.fromhex(text.decode("ascii").strip())
    except ValueError:
        salt = b""
    if len(salt) < SALT_BYTES:
        raise SpecError(
            f"expected {SALT_BYTES} bytes in hexadecimal digits; remove the file to make a new salt",
            file=str(path),
        )
    return salt
