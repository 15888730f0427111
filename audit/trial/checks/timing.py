"""The time of a call must tell the inputs apart no better than the claim allows; only for subjects that ask for it."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np

from ....symbolic.claim import Claim
from ....symbolic.privacy.guarantees import Guarantee
from ...record.evidence import Evidence, Measured, Sentence, Verdict
from ..attack.claimed_curve import ClaimedCurve
from ..bits.durations import largest_area, longer_calls, p_value
from ..check import Counted, Counts, attackable_pairs

_ROUNDS, _SEED = 1_000, 20_262


class Timing(Counted):
    """Which of two interleaved calls took longer, counted; binds where the subject has `timing` set.

    Durations are those of the machine: this check alone does not repeat from the seed.
    """

    name: ClassVar[str] = "timing"
    sentence: ClassVar[Sentence] = "bytes"
    statistical: ClassVar[bool] = True

    @classmethod
    def bind(cls, claim: Claim) -> Self | None:
        asked = claim.subject.timing and attackable_pairs(claim)
        return cls(claim) if asked else None

    def judge(self, plan: Any, counts: Counts | None, alpha: float) -> Evidence:
        assert isinstance(self.claim.predicate, Guarantee)
        pair = attackable_pairs(self.claim)[0]
        allowed = largest_area(ClaimedCurve.of(self.claim.predicate))
        longer = longer_calls(self.claim.subject, pair, _ROUNDS, np.random.default_rng(_SEED))
        most = max(longer, _ROUNDS - longer)
        p = p_value(longer, _ROUNDS, allowed)
        powerless = p_value(_ROUNDS, _ROUNDS, allowed) > alpha
        found = p <= alpha
        # Equal times are a condition for the sentence, no support of it.
        verdict = Verdict.REFUTED if found else Verdict.UNDECIDED
        slower = 1 if longer >= _ROUNDS - longer else 0
        what = f"interleaved pairs of calls of which that on input {slower} took longer (at most the rate that the claim allows)"
        ending = "" if found else "nothing was found, which alone supports nothing"
        if powerless:
            ending = "the claim allows so much that no order of calls would refute it"
        witness = {
            "kind": "binomial",
            "what": what,
            "successes": most,
            "trials": _ROUNDS,
            "probability": allowed,
            "tests": 1,
            "alpha": alpha,
        }
        return self.evidence(
            verdict,
            ending,
            Measured(of=what, successes=most, trials=_ROUNDS, probability=allowed, p=p),
            error=alpha,
            witness=witness if found else None,
        )
