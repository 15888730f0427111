"""A claim that is true of every subject, or that quantifies over nothing: it is left undecided, and no other check looks at it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

from ....mechanisms.mechanism import Mechanism
from ...record.evidence import Evidence, Kind, Sentence, Verdict
from ..check import Counted, Counts


class Vacuous(Counted):
    """UNDECIDED with the reason: what nothing could break is neither proved nor survived."""

    name: ClassVar[str] = "what is claimed"
    kind: ClassVar[Kind] = "proof"
    sentence: ClassVar[Sentence] = "law"

    def judge(self, plan: Any, counts: Counts | None, alpha: float) -> Evidence:
        found = self.evidence(Verdict.UNDECIDED, self.claim.vacuous())
        return found if isinstance(self.claim.subject, Mechanism) else replace(found, sentence="code")
