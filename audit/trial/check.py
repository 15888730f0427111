"""A check binds to a claim and ends with evidence; it is counted (learn, count, judge) or betting (one draw after the other).

An exact check is a counted check with nothing to count: it has no inputs, and `judge` does everything.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ...symbolic.claim import Claim
from ...symbolic.privacy.guarantees import Guarantee
from ..record.evidence import Evidence, Kind, Measured, Sentence, Verdict
from ..record.known_checks import stated
from ..record.plain import plain
from .outcomes import Outcomes

_NOTHING = Measured()
Counts = NDArray[np.float64]
Draw = Callable[[Any, int, tuple[int, ...]], Outcomes]


def attackable_pairs(claim: Claim) -> list[tuple[Any, Any]]:
    """The declared neighbours of a guarantee that is said of code; none for any other claim."""
    if not isinstance(claim.predicate, Guarantee) or claim.about == "law":
        return []
    return list(claim.subject.neighbours())


class Check(ABC):
    """One way of putting a claim to the test, an attack on code unless it says otherwise; of two kinds, `Counted` and `Betting`."""

    name: ClassVar[str]
    kind: ClassVar[Kind] = "attack"
    sentence: ClassVar[Sentence] = "code"
    statistical: ClassVar[bool] = (
        False  # draws by itself, and so needs a share of alpha although it has no inputs
    )
    witnesses: ClassVar[frozenset[str]] = frozenset()  # the kinds that a registered check finds
    statement: ClassVar[str] = "{claim}"  # what it is about, beside the words of its claim

    def __init__(self, claim: Claim) -> None:
        self.claim = claim

    @classmethod
    def bind(cls, claim: Claim) -> Self | None:
        """The check of this claim, or None if it does not apply; a check says this or `bind_all`."""
        return next(iter(cls.bind_all(claim)), None)

    @classmethod
    def bind_all(cls, claim: Claim) -> list[Self]:
        """All checks of this kind that the claim calls for: at most one, or one per pair of neighbours."""
        check = cls.bind(claim)
        return [] if check is None else [check]

    def evidence(
        self, verdict: Verdict, reason: str = "", measured: Measured = _NOTHING, **more: Any
    ) -> Evidence:
        """What this check found; `more` are further fields of `Evidence`."""
        statement = stated(self.name, self.claim.predicate.sentence(), measured)
        return Evidence(
            self.name, self.kind, self.sentence, verdict, statement, reason, measured=measured, **more
        )

    def key(self) -> dict[str, Any]:
        """What ties a witness to the claim."""
        predicate = self.claim.predicate
        return {"predicate": type(predicate).__name__, "parameters": plain(predicate.parameters())}

    def inputs(self) -> tuple[Any, ...]:
        """The indices of the subject at which outcomes are needed."""
        return ()

    @abstractmethod
    def enter(self, number: int, counted: dict[int, Counted], bets: dict[int, Betting]) -> None:
        """Stand under this number among the checks of its kind."""


class Counted(Check):
    """Sees only units of outcomes, one per input, whose counts are added up: any order and any grouping of the units
    gives the same evidence."""

    def enter(self, number: int, counted: dict[int, Counted], bets: dict[int, Betting]) -> None:
        counted[number] = self

    def learn(self, sample: Sequence[Outcomes]) -> Any:
        """Fix what to look at, from a part of the sample that is not used for counting."""
        return None

    def count(self, plan: Any, unit: Sequence[Outcomes], rng: np.random.Generator) -> Counts:
        """Counts of one unit of work, to be added to those of other units; none of an exact check.

        `rng` is a stream of this unit alone: nothing random in a test may follow from the outcomes that are tested.
        """
        return np.zeros(0)

    def count_calls(
        self, plan: Any, units: Sequence[Sequence[Outcomes]], streams: Iterable[np.random.Generator]
    ) -> Counts:
        """The sum of the counts of several units, each with its stream."""
        total = np.zeros(0)
        for place, (unit, rng) in enumerate(zip(units, streams)):  # noqa: B905 - streams may go on
            counts = self.count(plan, unit, rng)
            total = total + counts if place else counts
        return total

    @abstractmethod
    def judge(self, plan: Any, counts: Counts | None, alpha: float) -> Evidence:
        """The evidence, from the sum of the counts; false alarms have probability at most alpha."""


class Betting(Check):
    """Draws for itself, as many outcomes at its inputs as it needs: each bet depends on those before it."""

    def enter(self, number: int, counted: dict[int, Counted], bets: dict[int, Betting]) -> None:
        bets[number] = self

    @abstractmethod
    def run(
        self,
        draw: Draw,
        samples: int,
        alpha: float,
        deadline: float | None = None,
        progress: Callable[[float], None] | None = None,
    ) -> Evidence:
        """The evidence, from at most `samples` outcomes per input; false alarms have probability at most alpha.

        `draw(input, size, stream)`; `deadline` is a time of `time.monotonic`, looked at between draws only.
        """
