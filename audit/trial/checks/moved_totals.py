"""The attack on the sums of a release: its own code at hostile neighbours, in whole numbers; a pair that moves too far refutes."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, ClassVar, Self

import sympy as sp

from ....mechanisms.statistics.code_path import CodePath
from ....symbolic.claim import Claim
from ....symbolic.proof.enclosure import compare
from ....symbolic.proof.truth import Truth
from ....symbolic.stated_optima import SensitivityBound
from ...record.evidence import Evidence, Measured, Verdict
from ..check import Counted, Counts
from .stated_sensitivity import answers_witness


class MovedTotals(Counted):
    """Survives where no pair moves the sums further than is claimed and one at least moves them."""

    name: ClassVar[str] = "moved totals"

    @classmethod
    def bind(cls, claim: Claim) -> Self | None:
        known = isinstance(claim.subject, CodePath) and isinstance(claim.predicate, SensitivityBound)
        return cls(claim) if known and claim.about != "law" else None

    def judge(self, plan: Any, counts: Counts | None, alpha: float) -> Evidence:
        predicate = self.claim.predicate
        assert isinstance(predicate, SensitivityBound)
        tried, best, bound = 0, Fraction(0), predicate.number
        for pair in self.claim.subject.pairs():
            tried += 1
            for part in self.claim.subject.part.as_drawn:
                answers = part.answers(*pair.totals)
                gap = _gap(answers, predicate.norm)
                if self._beyond(gap, bound, predicate.norm):
                    measured = Measured(entry=tried, found=_size(gap, predicate.norm), claimed=float(bound))
                    found = answers_witness(
                        self.claim, pair.one, pair.two, [[str(v) for v in side] for side in answers]
                    )
                    return self.evidence(Verdict.REFUTED, measured=measured, witness=found)
                best = max(best, gap)
        claimed = float(bound)
        furthest = min(_size(best, predicate.norm), claimed)
        measured = Measured(tried=tried, found=furthest, claimed=claimed)
        # A code that never moves was not tried at all.
        verdict = Verdict.SURVIVED if best > 0 or self.claim.subject.still else Verdict.UNDECIDED
        return self.evidence(verdict, measured=measured)

    def _beyond(self, gap: Fraction, bound: sp.Expr, norm: str) -> bool:
        most = bound**2 if norm == "l2" else bound
        return compare(sp.Rational(gap.numerator, gap.denominator), ">", most) is Truth.HOLDS


def _gap(answers: tuple[list[int], list[int]], norm: str) -> Fraction:
    parts = [abs(a - b) for a, b in zip(*answers, strict=True)]
    return Fraction(sum(p * p for p in parts) if norm == "l2" else sum(parts))


def _size(gap: Fraction, norm: str) -> float:
    return float(gap) ** 0.5 if norm == "l2" else float(gap)
