"""A release of statistics on trial: proved sensitivities, the code that sums at hostile neighbours, the code that draws."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

import sympy as sp

from ....mechanisms.statistics.code_path import CodePath, TriedPair
from ....mechanisms.statistics.parts import Part
from ....mechanisms.statistics.workload import AllTotals, Workload
from ....symbolic.claim import Claim, Scope
from ....symbolic.stated_optima import SensitivityBound
from ..policy import Policy
from .bounding import Hashes
from .records import Records, fresh_key
from .trial_tables import TrialTable, neighbours


@dataclass(frozen=True, eq=False)
class Trials:
    """The claims of one workload; the pairs of tables are made once, and every part is tried on all of them."""

    policy: Policy
    workload: Workload
    scope: Scope
    _seen: list[tuple[list[list[str]], list[list[str]], AllTotals, AllTotals]] = field(default_factory=list)

    def pairs(self, part: Part) -> Iterator[TriedPair]:
        """What the code of the release sums of synthetic neighbours."""
        if not self._seen:
            self._seen.extend(self._summed())
        for one, two, first, second in self._seen:
            totals = first[part.measurement], second[part.measurement]
            yield TriedPair(list(one), list(two), totals)

    def _summed(self) -> Iterator[tuple[list[list[str]], list[list[str]], AllTotals, AllTotals]]:
        seed = self.policy.model.audit.seed
        for one, two in neighbours(self.policy, self.workload.unit.resizes, seed):
            # Which records of a person count is decided by the same secret for both tables.
            key = fresh_key()
            first, second = (self._totals(side, key) for side in (one, two))
            yield one.shown(), two.shown(), first, second

    def _totals(self, table: TrialTable, key: Hashes) -> AllTotals:
        return self.workload.totals(Records(self.policy, table.read, key).rows())

    @cached_property
    def claims(self) -> tuple[Claim, ...]:
        """For every part: its sensitivity, a smaller one that must fall, and the guarantee of its draw."""
        return tuple(claim for part in self.workload.parts for claim in self._of(part))

    def _of(self, part: Part) -> Iterator[Claim]:
        norm, value = self.bound(part)
        name = self.workload.name_of(part)
        relation = self.workload.unit.relation()
        subject = self.subject_of(part)
        claim = SensitivityBound(value, norm, relation)
        yield Claim(claim, subject, self.scope, title=f"{name}: {claim.sentence()}")
        if subject.still:
            return
        less = SensitivityBound(value / 2, norm, relation)
        yield Claim(
            less, subject, self.scope, expect="falls", title=f"control: {name}: half of it, {less.sentence()}"
        )

    def bound(self, part: Part) -> tuple[str, sp.Expr]:
        """The norm in which a part's noise asks for the sensitivity, and the sensitivity, exact."""
        query, relation = part.stated(), self.workload.unit.relation()
        norm = part.norm(self.workload.noise)
        return norm, query.sensitivity(norm, relation).exact

    def subject_of(self, part: Part) -> CodePath:
        """The code between a table and the sums of a part."""
        still = part.measurement.still(self.workload.unit)
        return CodePath(part, lambda: self.pairs(part), self.workload.name_of(part), still=still)

    @property
    def subject(self) -> CodePath:
        """What claims about the release as a whole are said of."""
        return self.subject_of(self.workload.parts[0])
