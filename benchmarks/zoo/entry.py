"""One row of the zoo: a release on a fixed pair of inputs, what it claims, and what is exactly true."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from noiseproof.mechanisms.black_box import BlackBox
from noiseproof.symbolic.arrays import Floats
from noiseproof.symbolic.privacy.guarantees import ApproxDP, PureDP

EPSILON = 1.0  # claimed by every row

Rates = Callable[[], tuple[Floats, Floats]]


@dataclass(frozen=True, eq=False)
class ZooEntry:
    """`subject` carries its exact log density; `true_epsilon` is exact at `delta` on the subject's pair of inputs.

    `log_ratio(y)` is log p1(y)/p0(y), the privacy loss of input 2 over input 1, with equal losses equal in floating
    point.  `rates()` are P0(E), P1(E) of the Neyman-Pearson events E = {log ratio > t}, thresholds t ascending.
    """

    name: str
    subject: BlackBox
    claim: PureDP | ApproxDP
    delta: float
    true_epsilon: float
    log_ratio: Callable[[Floats], Floats]
    rates: Rates

    @property
    def violates(self) -> bool:
        """Whether the pair breaks the claim; both numbers are read to twelve digits."""
        return self.true_epsilon > self.claim.epsilon * (1 + 1e-12)

    def black_box(self) -> BlackBox:
        """The same code without its density."""
        return BlackBox(self.subject.release, self.subject.inputs, name=self.name)


def rates_of(loss: Floats, zero: Floats, one: Floats) -> tuple[Floats, Floats]:
    """P0 and P1 of {loss > t} at every attained value t but the largest, from the masses of the outcomes."""
    values, group = np.unique(np.round(loss, 9), return_inverse=True)
    tails = [
        np.cumsum(np.bincount(group, mass, len(values))[::-1])[::-1][1:] / mass.sum() for mass in (zero, one)
    ]
    return tails[0], tails[1]


def largest_loss(zero: Floats, one: Floats) -> float:
    """max |log p1/p0| over the outcomes that either input produces; infinite if one of them cannot."""
    used = (zero > 0) | (one > 0)
    with np.errstate(divide="ignore"):
        return float(np.abs(np.log(one[used]) - np.log(zero[used])).max())
