"""Ed25519 keys in PEM files: the private one readable by its owner only, the public one beside it."""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from ....symbolic.errors import SpecError
from .folder import require_unsealed

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

PASSPHRASE = "NOISEPROOF_KEY_PASSPHRASE"
_LONGEST = 64 * 1024
_P = 2**255 - 19
_D = -121665 * pow(121666, -1, _P) % _P


def make_key(path: str | Path, passphrase: str | None = None) -> tuple[Path, Path]:
    """A new key pair: PATH (mode 0600) and PATH.pub; SpecError if either exists.  A passphrase encrypts the private key."""
    from cryptography.hazmat.primitives import serialization as forms
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    private_path, public_path = Path(path), Path(f"{path}.pub")
    require_unsealed(private_path.parent)
    key = Ed25519PrivateKey.generate()
    locked = forms.BestAvailableEncryption(passphrase.encode()) if passphrase else forms.NoEncryption()
    private = key.private_bytes(forms.Encoding.PEM, forms.PrivateFormat.PKCS8, locked)
    public = key.public_key().public_bytes(forms.Encoding.PEM, forms.PublicFormat.SubjectPublicKeyInfo)
    for target in (private_path, public_path):
        if target.exists() or target.is_symlink():
            raise SpecError(
                "this file exists already and is not overwritten; give another path", file=str(target)
            )
    for target, content, mode in ((private_path, private, 0o600), (public_path, public, 0o644)):
        try:
            descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
        except OSError as error:
            raise SpecError(f"cannot write: {error.strerror}", file=str(target)) from None
    return private_path, public_path


def load_private_key(path: str | Path) -> Ed25519PrivateKey:
    """The private key in a PEM file; SpecError if it is none, or if others can read the file."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    raw = _read(path)
    if b"PUBLIC KEY" in raw:
        raise SpecError(
            "expected a private key, got a public one: sign with the file without .pub", file=str(path)
        )
    passphrase = os.environ.get(PASSPHRASE)
    locked = b"ENCRYPTED" in raw
    if locked and not passphrase:
        raise SpecError(f"the key is encrypted: put its passphrase into {PASSPHRASE}", file=str(path))
    try:
        key = load_pem_private_key(raw, passphrase.encode() if locked and passphrase else None)
    except Exception as error:  # the library raises many kinds
        reason = f"cannot be decrypted with {PASSPHRASE}" if locked else f"not a private key in PEM ({error})"
        raise SpecError(f"{reason}; `noiseproof keygen` makes one", file=str(path)) from None
    if not isinstance(key, Ed25519PrivateKey):
        raise SpecError(f"expected an Ed25519 key, got {type(key).__name__}", file=str(path))
    return key


def load_public_key(path: str | Path) -> Ed25519PublicKey:
    """The public key in a PEM file, or the public half of a private one; SpecError if it is neither."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import load_pem_public_key

    raw = _read(path)
    if b"PRIVATE KEY" in raw:
        return load_private_key(path).public_key()
    try:
        key = load_pem_public_key(raw)
    except Exception as error:  # the library raises many kinds
        raise SpecError(
            f"not a public key in PEM ({error}); expected the .pub file of `noiseproof keygen`",
            file=str(path),
        ) from None
    if not isinstance(key, Ed25519PublicKey):
        raise SpecError(f"expected an Ed25519 key, got {type(key).__name__}", file=str(path))
    if _signs_anything(key.public_bytes_raw()):
        raise SpecError(
            "this public key is no key of anybody: a point of small order, for which anyone can make signatures; "
            "expected the .pub file of `noiseproof keygen`",
            file=str(path),
        )
    return key


def _signs_anything(point: bytes) -> bool:
    """Whether an encoded point (32 bytes) has order 1, 2, 4 or 8, or is not the shortest encoding of its point.

    Those orders have y = 1, -1, 0, and y with y = 0 after doubling: d y^4 + 2 y^2 = 1.
    """
    y = int.from_bytes(point, "little") % 2**255
    return y >= _P or y * (y * y - 1) * (_D * y**4 + 2 * y * y - 1) % _P == 0


def key_id(key: Ed25519PublicKey) -> str:
    """The SHA-256 (hexadecimal) of the key as DER, a hint by which people tell keys apart."""
    from cryptography.hazmat.primitives import serialization as forms

    return hashlib.sha256(
        key.public_bytes(forms.Encoding.DER, forms.PublicFormat.SubjectPublicKeyInfo)
    ).hexdigest()


def _read(path: str | Path) -> bytes:
    try:
        with open(path, "rb") as file:
            mode = os.fstat(file.fileno()).st_mode
            raw = file.read(_LONGEST + 1)
    except OSError as error:
        reason = "no such file" if isinstance(error, FileNotFoundError) else error.strerror
        raise SpecError(f"{reason}; expected a key written by `noiseproof keygen`", file=str(path)) from None
    if b"PRIVATE KEY" in raw and os.name == "posix" and stat.S_IMODE(mode) & 0o077:
        raise SpecError(
            "others can read this private key: make it yours alone with chmod 600", file=str(path)
        )
    if len(raw) > _LONGEST:
        raise SpecError(f"expected a key of at most {_LONGEST:,} bytes", file=str(path))
    return raw
