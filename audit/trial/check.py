"""The interface of a check: bind to a claim, learn where to look, count per unit of work, judge."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ...symbolic.claim import Claim
from ...symbolic.privacy.guarantees import Guarantee
from ..record.evidence import Evidence, Kind, Sentence
from .outcomes import Outcomes

Counts = NDArray[np.float64]


def attackable_pairs(claim: Claim) -> list[tuple[Any, Any]]:
    """The declared neighbours of a guarantee that is said of code; none for any other claim."""
    if not isinstance(claim.predicate, Guarantee) or claim.about == "law":
        return []
    return list(claim.subject.neighbours())


class Check(ABC):
    """One way of putting a claim to the test.

    Exact checks need no samples: `inputs` is empty and `judge` does everything.  Statistical checks see only
    units of outcomes, one per input, and their counts are added up: any order and any grouping of the units
    gives the same evidence.
    """

    name: ClassVar[str]
    kind: ClassVar[Kind]
    sentence: ClassVar[Sentence]
    statistical: ClassVar[bool] = (
        False  # draws by itself, and so needs a share of alpha although it has no inputs
    )

    def __init__(self, claim: Claim) -> None:
        self.claim = claim

    @classmethod
    @abstractmethod
    def bind(cls, claim: Claim) -> Self | None:
        """The check of this claim, or None if it does not apply."""

    @classmethod
    def bind_all(cls, claim: Claim) -> list[Self]:
        """All checks of this kind that the claim calls for: at most one, or one per pair of neighbours."""
        check = cls.bind(claim)
        return [] if check is None else [check]

    def inputs(self) -> tuple[Any, ...]:
        """The indices of the subject at which outcomes are needed."""
        return ()

    def learn(self, sample: Sequence[Outcomes]) -> Any:
        """Fix what to look at, from a part of the sample that is not used for counting."""
        return None

    def count(self, plan: Any, unit: Sequence[Outcomes]) -> Counts:
        """Counts of one unit of work, to be added to those of other units."""
        raise NotImplementedError(f"{self.name} does not count")

    @abstractmethod
    def judge(self, plan: Any, counts: Counts | None, alpha: float) -> Evidence:
        """The evidence, from the sum of the counts; false alarms have probability at most alpha."""
