"""What vouches for an optimum: a lower bound on the cost of every noise on W, and the Euler-Lagrange residual."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ...symbolic.proof.truth import Truth

_ROUNDING = 1e-12


@dataclass(frozen=True)
class OptimalityCertificate:
    """`cost` is attained by the noise that was returned, `lower_bound` is undercut by no noise on W.

    `method` and `conditions` say why the bound holds.  `rigorous`: by algebra or ball arithmetic; otherwise the theorem
    holds and its numbers were computed in floating point.  `residual` is zero for the exact optimum, relative to
    the cost; `residual_of` says of what.
    """

    cost: float
    lower_bound: float
    method: str
    conditions: tuple[str, ...]
    rigorous: bool
    residual: float
    residual_of: str

    def __post_init__(self) -> None:
        if not self.lower_bound <= self.cost * (1 + _ROUNDING):
            raise ValueError(f"a lower bound of {self.lower_bound} above an attained cost of {self.cost}")

    @property
    def gap(self) -> float:
        """How much the noise may cost above the optimum at most, relative to the lower bound."""
        return max(0.0, self.cost / self.lower_bound - 1)

    def judge(self, cost: float) -> Truth:
        """Whether a noise of this cost is optimal to the gap: FAILS above what is attained, or below the lower bound."""
        if cost > self.cost * (1 + _ROUNDING) or cost < self.lower_bound * (1 - _ROUNDING):
            return Truth.FAILS
        return Truth.HOLDS if self.rigorous and self.gap <= _ROUNDING else Truth.UNKNOWN


def added(parts: tuple[OptimalityCertificate, ...]) -> OptimalityCertificate:
    """The certificate of independent entries: costs and bounds add up (separation of variables)."""
    if len(parts) == 1:
        return parts[0]
    cost = math.fsum(p.cost for p in parts)
    return OptimalityCertificate(
        cost,
        math.nextafter(math.fsum(p.lower_bound for p in parts), 0.0),
        "per entry, added up: " + "; ".join(dict.fromkeys(p.method for p in parts)),
        (
            "A = C C^T is diagonal, so that the problem separates",
            *dict.fromkeys(condition for p in parts for condition in p.conditions),
        ),
        all(p.rigorous for p in parts),
        sum(p.residual * p.cost for p in parts) / cost,
        parts[0].residual_of,
    )
