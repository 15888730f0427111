"""What one subject of an audit needs done: its inputs and its checks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ....mechanisms.mechanism import Subject
from ..check import Betting, Check, Counted
from ..sampling import fingerprint


@dataclass(frozen=True, eq=False)
class Work:
    """The checks of all claims about one subject, by number, and the inputs at which they want outcomes.

    `number` is that of the work in its audit and `stream` the place of the subject in all streams, which subjects
    without inputs leave as it is; `places` of a check are those of its inputs in `inputs`.
    A check belongs to one claim and one pair of neighbours; since all checks of a subject look at the same outcomes, a
    shard is drawn once and counted for every (claim, pair) of the subject.
    """

    number: int
    stream: int
    subject: Subject
    inputs: tuple[Any, ...]
    counted: dict[int, Counted]
    bets: dict[int, Betting]
    places: dict[int, tuple[int, ...]]
    seed: int
    share: float
    call_seconds: float | None

    @classmethod
    def of(
        cls,
        number: int,
        stream: int,
        subject: Subject,
        checks: Mapping[int, Check],
        seed: int,
        share: float,
        call_seconds: float | None,
    ) -> Work:
        """The work on `subject`; inputs that are equal are one input."""
        inputs: dict[str, Any] = {}
        for check in checks.values():
            for x in check.inputs():
                inputs.setdefault(fingerprint(x), x)
        order = {key: place for place, key in enumerate(inputs)}
        places = {j: tuple(order[fingerprint(x)] for x in check.inputs()) for j, check in checks.items()}
        counted: dict[int, Counted] = {}
        bets: dict[int, Betting] = {}
        for j, check in checks.items():
            check.enter(j, counted, bets)
        return cls(
            number, stream, subject, tuple(inputs.values()), counted, bets, places, seed, share, call_seconds
        )
