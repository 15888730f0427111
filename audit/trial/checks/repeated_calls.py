"""Calls of a release must not repeat each other: fixed seeds, states set anew at each call or shared by forks."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np

from ....symbolic.claim import Claim
from ....symbolic.privacy.guarantees import Guarantee
from ...record.evidence import Evidence, Measured, Sentence, Verdict
from ...record.plain import plain, shown
from ..attack.bounds_table import attainable
from ..attack.claimed_curve import ClaimedCurve
from ..attack.event_bound import EventTest
from ..bits.repeats import count_repeats
from ..check import Counted, Counts, attackable_pairs
from ..isolation.forked import DiedError

_TRIALS = (25, 50, 100, 200)  # four calls each
_OTHERS = "what was written is judged by its bit patterns"
_CLEAR = 0.5  # by which a release that always repeats itself would exceed the claim


class RepeatedCalls(Counted):
    """The event that a call gives the bytes of an earlier call, on the first pair of neighbours.

    `forks`: one of the two in a fork of this process; asked for by a subject with `processes` set.
    """

    name: ClassVar[str] = "repeated calls"
    sentence: ClassVar[Sentence] = "bytes"
    statistical: ClassVar[bool] = True

    def __init__(self, claim: Claim, pair: tuple[Any, Any], forks: bool = False) -> None:
        super().__init__(claim)
        assert isinstance(claim.predicate, Guarantee)
        self.pair, self.forks, self.guarantee = pair, forks, claim.predicate
        self.claimed = ClaimedCurve.of(claim.predicate)

    @classmethod
    def bind_all(cls, claim: Claim) -> list[Self]:
        ways = (False, True) if claim.subject.processes else (False,)
        return [cls(claim, pair, forks) for pair in attackable_pairs(claim)[:1] for forks in ways]

    def judge(self, plan: Any, counts: Counts | None, alpha: float) -> Evidence:
        trials, epsilon, delta = self._plan(alpha)
        where = "in a process and in its fork" if self.forks else "one after the other"
        try:
            count = count_repeats(self.claim.subject, self.pair, trials, self.forks)
        except (TimeoutError, DiedError) as error:
            return self.evidence(
                Verdict.UNDECIDED,
                f"a forked process did not answer ({error or 'time is up'}): nothing was tested",
                Measured(way=where),
                error=alpha,
            )
        test = EventTest(count, delta, alpha)
        bound = test.lower_bound()
        found = test.refutes(epsilon, bound)
        powerless = attainable(delta, (trials, trials), alpha) <= epsilon
        # Calls that do not repeat are a condition for the sentence, no support of it.
        verdict = Verdict.REFUTED if found else Verdict.UNDECIDED
        reason, note = "", ""
        if found:
            note = "on one input a call repeats an earlier one, on the other it does not: its randomness is used again, or there is none"
        elif powerless:
            reason = f"the claim allows so much that {trials} calls could not refute it"
        else:
            note = f"no difference was found, which is no evidence of independence (randomness fixed on one input only would be refuted): {_OTHERS}"
        measured = Measured(way=where, note=note, on=1, count=[count.k, count.n, count.l, count.m])
        witness = {
            "kind": "event",
            **self.key(),
            "inputs": shown(self.pair),
            "alpha": alpha,
            "level": alpha,
            "threshold": 0.5,
            "p_is_input": 1,
            "score": f"same bytes as an earlier call on input 1, calls made {where}",
            "count": plain(vars(count)),
            "epsilon": epsilon,
            "delta": delta,
        }
        return self.evidence(verdict, reason, measured, error=alpha, witness=witness if found else None)

    def _plan(self, alpha: float) -> tuple[int, float, float]:
        """How many trials, and the point of the claimed curve that a release which always repeats exceeds most."""
        trials, epsilon, delta = 0, 0.0, 0.0
        for trials in _TRIALS:
            reach = np.array([attainable(float(d), (trials, trials), alpha) for d in self.claimed.delta])
            excess = np.nan_to_num(reach - self.claimed.epsilon, nan=-np.inf)
            place = int(np.argmax(excess))
            epsilon, delta = float(self.claimed.epsilon[place]), float(self.claimed.delta[place])
            if excess[place] > _CLEAR:
                break
        return trials, epsilon, delta
