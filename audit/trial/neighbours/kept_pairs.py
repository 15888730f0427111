"""The pairs that a search found, kept with the units of an audit that is drawn at them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ....symbolic.claim import Claim
from ....symbolic.errors import SpecError
from ..isolation.transfer import decoded, encoded
from ..schedule.checkpoint import Checkpoint, Record
from ..schedule.reached import content_digest
from .result import SearchedRelease


def at_kept_pairs(
    kept: Checkpoint, claims: list[Claim], notes: Sequence[str]
) -> tuple[list[Claim], Sequence[str]]:
    """Claims and notes of the search that the units in `kept` belong to; those given, kept from now on, if there are none.

    Notes say how pairs were found, so they go with the pairs.
    """
    searched = {id(s): s for s in (c.subject for c in claims) if isinstance(s, SearchedRelease)}
    moved: dict[int, Any] = {}
    for n, (place, subject) in enumerate(searched.items()):
        name = f"search-{n}"
        record = kept.load(name)
        if record is None:
            try:
                data, content = encoded(subject.pairs)
            except TypeError:  # records of the user's own kind: the search has to find the same again
                data, content = None, b""
            said = {"pairs": data, "notes": list(notes), "content": content_digest(subject.pairs)}
            kept.save(name, Record(said, {"bytes": np.frombuffer(content, dtype=np.uint8)}))
        elif record.data["pairs"] is None:
            if record.data["content"] is None or record.data["content"] != content_digest(subject.pairs):
                raise SpecError(
                    "the search found other neighbours than those of this checkpoint, whose kind of record cannot be kept: "
                    "to start again, remove this folder (the command does it with --fresh)",
                    file=str(kept.folder),
                )
        else:
            moved[place] = subject.at(decoded(record.data["pairs"], record.arrays["bytes"].tobytes()))
            notes = record.data["notes"]
    return [replace(c, subject=moved.get(id(c.subject), c.subject)) for c in claims], notes
