"""A claim that exact computation settles, with what settled it."""

from __future__ import annotations

from dataclasses import dataclass

from ...symbolic.claim import Claim
from ..record.evidence import Evidence


@dataclass(frozen=True, eq=False)
class Derived:
    """A claim about the declared law and its evidence; no outcome was drawn for it."""

    claim: Claim
    evidence: tuple[Evidence, ...]
