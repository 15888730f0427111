"""Random 64-bit words: from ChaCha20 keyed by the operating system for releases, from a seed for audits and tests."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint64]
Bits = Callable[[int], Words]
"""`bits(size)` gives `size` independent uniform words of 64 bits, shape (size,)."""

_REKEY_BYTES = 1 << 28  # far below the 2^38 bytes after which the counter of ChaCha20 would come round
_ZEROS = memoryview(bytes(1 << 17))
_forks = 0


def _forked() -> None:
    global _forks
    _forks += 1


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)


class SecureBits:
    """The key stream of ChaCha20 under a key and a nonce of os.urandom; safe to share between threads and over forks.

    Each thread has a stream of its own.  A process that was forked, and a stream that gave 2^28 bytes, take a new key.
    """

    def __init__(self) -> None:
        # Imported here so that a missing library is a message before any work.
        try:
            from cryptography.hazmat.primitives.ciphers import Cipher, algorithms
        except ImportError:
            raise ValueError(
                "noise for a release needs the package `cryptography`: install it, e.g. pip install cryptography"
            ) from None
        self._stream: Callable[[], Any] = lambda: Cipher(
            algorithms.ChaCha20(os.urandom(32), os.urandom(16)), mode=None
        ).encryptor()
        self._local = threading.local()

    def __call__(self, size: int) -> Words:
        out = np.empty(size, dtype=np.uint64)
        if size == 0:
            return out
        local, owner = self._local, (os.getpid(), _forks)
        if getattr(local, "owner", None) != owner or local.left < out.nbytes:
            local.encryptor, local.owner = self._stream(), owner
            local.left = max(_REKEY_BYTES, out.nbytes)
        local.left -= out.nbytes
        into = out.data.cast("B")
        for start in range(0, len(into), len(_ZEROS)):
            part = into[start : start + len(_ZEROS)]
            local.encryptor.update_into(_ZEROS[: len(part)], part)
        return out

    def __reduce__(self) -> Any:
        raise TypeError("a secure generator is not copied to another process: call secure_bits() there")


def secure_bits() -> SecureBits:
    """A source of words for a real release; nobody can repeat it."""
    return SecureBits()


def seeded_bits(rng: np.random.Generator) -> Bits:
    """Words of a generator for audits and tests: the same seed gives the same words.  Never for a release."""

    def bits(size: int) -> Words:
        return rng.integers(0, 2**64 - 1, size=size, dtype=np.uint64, endpoint=True)

    return bits
