"""Digests of what an audit depends on: claims and inputs; the code of a release is in `reached`, that of noiseproof in `record.seal`."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from typing import Any

from ....symbolic.claim import Claim
from ...record.finding import claim_record
from ...record.plain import plain
from ..sampling import fingerprint
from .reached import Reached


def digest(*parts: object) -> str:
    """A digest of texts and bytes."""
    h = hashlib.blake2b(digest_size=16)
    for part in parts:
        content = part if isinstance(part, bytes) else str(part).encode()
        h.update(len(content).to_bytes(8, "big") + content)
    return h.hexdigest()


def claims_digest(claims: Sequence[Claim]) -> str:
    """What is claimed of which subject, its parameters and the inputs it is tested on."""
    parts: list[object] = []
    for claim in claims:
        subject = claim.subject
        # Pairs that a search found are kept with the units: with coins of its own a release makes it find others.
        inputs = [str(getattr(subject, "asked", None))]
        if not hasattr(subject, "asked"):
            inputs = [fingerprint(x) for pair in subject.neighbours() for x in pair]
        parts += [
            claim_record(claim),
            claim.title,
            type(subject).__qualname__,
            subject.name,
            plain(subject.parameters()),
        ]
        # Opaque objects are told apart by address, which another process does not know.
        parts += [re.sub(r" at \d+", "", text) for text in inputs]
    return digest(*parts)


def folders_of(subject: Any) -> tuple[str, ...]:
    """The folders from which the modules behind a subject are imported."""
    found: dict[str, None] = {}
    for name, path in Reached([subject]).modules.items():
        depth = name.count(".") + (path.name == "__init__.py")
        if name != "__main__" and depth < len(path.parents):
            found.setdefault(str(path.parents[depth]))
    return tuple(found)
