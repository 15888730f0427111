"""A seed that follows from a name: the same whatever runs before, beside or without it."""

from __future__ import annotations

import hashlib


def seed_of(session: int, name: str, trial: int) -> int:
    """The seed of the trial of this number in the test of this name; a whole number below 2^48."""
    text = f"{session}\x00{name}\x00{trial}".encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.sha256(text).digest()[:6])
