"""By how much the noise of a control is divided: enough for the attack to find it, not much more."""

from __future__ import annotations

import math

from ....mechanisms.mechanism import Mechanism
from ....symbolic.claim import Claim
from ....symbolic.errors import SpecError
from ....symbolic.predicates import Predicate
from ..checks.information import InformationOfCode
from ..checks.likelihood_ratio import LikelihoodRatio
from ..sampling import Schedule

EXACT_FACTOR = 1.01
# The excess of a control over the declared noise, in units of what the attack resolves: certain to fall, below twice.
EXCESS = 1.5
# Resolutions are planned for this share of alpha, since the number of tests of the audit is not known yet.
SHARE = 1 / 50


def automatic_factor(
    mechanism: Mechanism, predicate: Predicate, about: str, samples: int, alpha: float
) -> float:
    """A factor > 1 whose control must fall: 1 % if the law decides, else 1.5 times the excess that the attack resolves."""
    if about == "law":
        return EXACT_FACTOR
    claim = Claim(predicate, mechanism)
    schedule = Schedule.of(samples, 1)
    found = None
    for kind in (LikelihoodRatio, InformationOfCode):
        check = kind.bind(claim)
        if check is not None:
            found = check.resolution(sum(schedule.learning), sum(schedule.units), alpha * SHARE)
    if found is None or found.value is None:
        raise SpecError(
            f"with {samples} samples no attack on the code resolves this claim: it is far from tight or the samples "
            "are few; give a number, a tighter control, or more samples",
            key="noise_factor",
        )
    return math.ceil(100 * (1 + EXCESS * (found.value - 1))) / 100
