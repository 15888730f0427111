"""The attack on a claimed sensitivity: random and extreme neighbours, climbed on, with a query that is only evaluated."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Self

import numpy as np

from ....mechanisms.stated import QuerySubject
from ....symbolic.claim import Claim
from ....symbolic.domains.adjacency import AddOrRemove, Adjacency, ReplaceOne
from ....symbolic.domains.domain import Domain
from ....symbolic.domains.numeric import Numeric
from ....symbolic.proof.enclosure import NotEnclosableError, enclose, rational
from ....symbolic.stated_optima import SensitivityBound
from ...record.evidence import Evidence, Measured, Sentence, Verdict
from ..check import Counted, Counts
from .stated_sensitivity import apart, further_apart, pair_witness, shape_of

_DRAWS, _CLIMBS = 120, 120
_LEAST, _MOST = 3, 6  # records where the query does not say how many
Records = list[Any]


class WorsePairs(Counted):
    """Pairs from the domain's own generator; what lies beyond the claim is measured in exact numbers."""

    name: ClassVar[str] = "worse pairs"
    sentence: ClassVar[Sentence] = "law"

    @classmethod
    def bind(cls, claim: Claim) -> Self | None:
        subject, predicate = claim.subject, claim.predicate
        if not isinstance(subject, QuerySubject) or not isinstance(predicate, SensitivityBound):
            return None
        searched = isinstance(predicate.relation, ReplaceOne | AddOrRemove)
        return cls(claim) if searched and isinstance(subject.asked.domain, Numeric) else None

    def judge(self, plan: Any, counts: Counts | None, alpha: float) -> Evidence:
        predicate = self.claim.predicate
        assert isinstance(predicate, SensitivityBound)
        search = _Search(self.claim, predicate.relation)
        best = search.run(np.random.default_rng(0))
        if best is None:
            return self.evidence(Verdict.UNDECIDED, "no pair of neighbours had two answers that are numbers")
        claimed = float(enclose(predicate.number).mid())
        furthest = min(best[0], claimed) if best[0] < claimed * (1 + 1e-9) else best[0]
        measured = Measured(tried=search.tried, found=furthest, claimed=claimed)
        exact = (search.exact(best[1]), search.exact(best[2]))
        if further_apart(self.claim, exact):
            found = pair_witness(self.claim, exact)
            return self.evidence(Verdict.REFUTED, measured=measured, witness=found)
        return self.evidence(Verdict.SURVIVED, measured=measured)


class _Search:
    def __init__(self, claim: Claim, relation: Adjacency) -> None:
        self.query, self.relation, self.claim = claim.subject.asked, relation, claim
        self.domain: Domain = self.query.domain
        self.tried = 0
        stated = self.query.stated
        fixed = len(stated.records) if stated is not None and stated.each is None else self.query.n
        self.size = fixed

    def exact(self, records: Records) -> tuple[Any, ...]:
        """A data set of exact records: the decimals of the floats."""
        return tuple(self._number(record) for record in records)

    def _number(self, record: Any) -> Any:
        values = np.atleast_1d(np.asarray(record, dtype=float)).ravel()
        numbers = tuple(rational(float(v)) for v in values)
        bare = np.ndim(record) == 0 or (self.query.stated is not None and self.query.stated.bare)
        return numbers[0] if bare else numbers

    def run(self, rng: np.random.Generator) -> tuple[float, Records, Records] | None:
        best: tuple[float, Records, Records] | None = None
        landmarks = self.domain.landmarks(rng, 8)
        for k in range(_DRAWS):
            pick: Callable[[], Any] = (
                (lambda: landmarks[int(rng.integers(len(landmarks)))])
                if k % 2
                else (lambda: self.domain.draw(rng))
            )
            common = [pick() for _ in range(self._common(rng))]
            pair = self._pair(common, pick(), pick())
            best = self._further(best, pair)
        for _ in range(_CLIMBS):
            if best is None:
                break
            best = self._further(best, self._varied(best[1], rng))
        return best

    def _common(self, rng: np.random.Generator) -> int:
        resized = isinstance(self.relation, AddOrRemove)
        size = self.size if self.size is not None else int(rng.integers(_LEAST, _MOST))
        return max(size - (0 if resized else 1), 0)

    def _pair(self, common: Records, one: Any, two: Any) -> tuple[Records, Records]:
        if isinstance(self.relation, AddOrRemove):
            return [*common, one], list(common)
        return [*common, one], [*common, two]

    def _varied(self, records: Records, rng: np.random.Generator) -> tuple[Records, Records]:
        step = float(rng.choice((1.0, 0.3, 0.05)))
        moved = [self.domain.vary(r, rng, step) if rng.random() < 0.5 else r for r in records]
        return self._pair(
            moved[:-1],
            moved[-1],
            self.domain.draw(rng) if rng.random() < 0.5 else self.domain.vary(moved[-1], rng, 1.0),
        )

    def _further(
        self, best: tuple[float, Records, Records] | None, pair: tuple[Records, Records]
    ) -> tuple[float, Records, Records] | None:
        self.tried += 1
        try:
            one, two = (self.query(self.exact(side)) for side in pair)
            gap = float(apart(one, two, self.claim.predicate.norm, shape_of(self.query, len(one))).mid())  # type: ignore[attr-defined]
        except (NotEnclosableError, ArithmeticError, ValueError, TypeError):
            return best
        if not np.isfinite(gap) or (best is not None and gap <= best[0]):
            return best
        return gap, pair[0], pair[1]
