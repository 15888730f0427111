"""A release of statistics under audit: proved sensitivities, the code that sums at hostile neighbours, the code that draws."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import NDArray

from ....mechanisms.grid_noise import seeded_bits
from ....mechanisms.mechanism import Mechanism
from ....mechanisms.mutant import Mutant
from ....mechanisms.statistics.chosen_ends import STEPS, ClippedSums
from ....mechanisms.statistics.code_path import CodePath, TriedPair
from ....mechanisms.statistics.measurement import Measurement, Totals
from ....mechanisms.statistics.parts import GAUSSIAN, DistinctGroups, Drawer, Noisy, Part
from ....mechanisms.statistics.workload import Workload
from ....symbolic.claim import Claim, Scope
from ....symbolic.errors import SpecError, counted
from ....symbolic.privacy.guarantees import PureDP, ZeroConcentratedDP
from ....symbolic.stated_optima import SensitivityBound
from ..not_met import PolicyNotMetError
from ..policy import Policy
from .bounding import Hashes
from .records import Records, trial_key
from .trial_tables import TrialTable, neighbours

_TOLD = 1.0  # the rho or epsilon at which code is audited: clearly told apart by few outcomes
_WEAKER = 4
_SEED = 5  # of random words that are drawn from twice


@dataclass(frozen=True, eq=False)
class _Few:
    """Totals (cells, amounts) of a small table: most are 0, and hundreds of them are kept."""

    shape: tuple[int, ...]
    held: NDArray[np.int64]
    values: Totals

    @classmethod
    def of(cls, totals: Totals) -> _Few:
        held = np.flatnonzero(totals.any(axis=1))
        return cls(totals.shape, held, totals[held])

    def whole(self) -> Totals:
        out = np.zeros(self.shape, dtype=np.int64)
        out[self.held] = self.values
        return out


_Summed = tuple[list[list[str]], list[list[str]], Mapping[Measurement, _Few], Mapping[Measurement, _Few]]
"""Two neighbours as text, and what the code of the release sums of them."""


@dataclass(frozen=True, eq=False)
class Trials:
    """The claims of one workload; the pairs of tables are made once, and every part is tried on all of them."""

    policy: Policy
    workload: Workload
    scope: Scope
    _seen: list[_Summed] = field(default_factory=list)

    def pairs(self, part: Part) -> Iterator[TriedPair]:
        """What the code of the release sums of synthetic neighbours."""
        for one, two, first, second in self._all_summed():
            totals = first[part.measurement].whole(), second[part.measurement].whole()
            yield TriedPair(list(one), list(two), totals)

    def require_own_draws(self) -> None:
        """PolicyNotMetError where the code that draws everything gives other numbers than the draws that are tried one by one."""
        fullest = max(self._all_summed(), key=lambda seen: sum(len(few.held) for few in seen[2].values()))
        for totals in ({m: few.whole() for m, few in side.items()} for side in fullest[2:]):
            drawn = self.workload.draw(totals, seeded_bits(np.random.default_rng(_SEED)))
            alone: dict[Part, tuple[Drawer, Noisy]] = {}
            bits = seeded_bits(np.random.default_rng(_SEED))
            for part, drawer in self.workload.drawers.items():
                alone[part] = drawer, drawer.at(alone).draw(totals[part.measurement], bits)
                if not np.array_equal(alone[part][1], drawn[part][1]):
                    raise PolicyNotMetError(
                        f"{self.workload.name_of(part)}: drawn with the others it differs from its own draw under the same random bits: the "
                        "audited code is not the code that releases"
                    )

    def _all_summed(self) -> list[_Summed]:
        if not self._seen:
            self._seen.extend(self._summed())
        return self._seen

    def _summed(self) -> Iterator[_Summed]:
        model: Any = self.policy.model
        # Of the policy, not of the workload: that may have been made for other neighbours.
        resizes = model.mechanism.adjacency == "add-or-remove"
        rng = np.random.default_rng([model.audit.seed, 1])
        for one, two in neighbours(self.policy, resizes, model.audit.seed):
            # Which records of a person count is decided by the same words for both tables.
            key = trial_key(rng)
            first, second = (self._totals(side, key) for side in (one, two))
            yield one.shown(), two.shown(), first, second

    def _totals(self, table: TrialTable, key: Hashes) -> dict[Measurement, _Few]:
        found = self.workload.totals(Records(self.policy, table.read, key).rows(self.workload.measurements))
        return {m: _Few.of(totals) for m, totals in found.items()}

    @cached_property
    def claims(self) -> tuple[Claim, ...]:
        """For every part: its sensitivity, a smaller one that must fall, and the guarantee of its draw."""
        return tuple(claim for part in self.workload.parts for claim in self._of(part))

    def _of(self, part: Part) -> Iterator[Claim]:
        norm, value = self.bound(part)
        name = self.workload.name_of(part)
        relation = self.workload.unit.relation()
        subject = self.subject_of(part)
        claim, steps = SensitivityBound(value, norm, relation), _in_steps(part)
        yield Claim(claim, subject, self.scope, title=f"{name}: {claim.sentence()}{steps}")
        if subject.still:
            return
        # No more values come or go than are declared, however many records a unit has.
        reached = sp.Min(value, part.most) if isinstance(part, DistinctGroups) else value
        less = SensitivityBound(reached / 2, norm, relation)
        yield Claim(
            less, subject, self.scope, expect="falls", title=f"control: {name}: {less.sentence()}{steps}"
        )

        yield from self._of_draw(part, name)

    def _of_draw(self, part: Part, name: str) -> Iterator[Claim]:
        """What the draw costs: proved of its law for one unit, and tried on its code for as many units as are told apart well."""
        load, unit = self.workload, self.workload.unit
        drawer, gaussian = load.drawers[part], load.noise == GAUSSIAN
        cost = float(drawer.cost)
        one = ZeroConcentratedDP(cost) if gaussian else PureDP(cost)
        law = drawer.on_trial(*drawer.farthest(unit))
        yield Claim(one, law, self.scope, "law", title=f"{name}: its draw is {one.sentence()}")
        units = math.ceil(math.sqrt(_TOLD / cost) if gaussian else _TOLD / cost)
        scope = replace(
            self.scope, adjacency=f"{counted(units, self.policy.unit)} together: {self.scope.adjacency}"
        )
        many = ZeroConcentratedDP(cost * units**2) if gaussian else PureDP(cost * units)
        subject = drawer.on_trial(*drawer.farthest(unit, units), units)
        said = f"{name}: the code of its draw for {counted(units, self.policy.unit)} together is {many.sentence()}"
        yield Claim(many, subject, scope, title=said)
        weaker = weakened(subject)
        yield Claim(many, weaker, scope, expect="falls", title=f"control: {said}, with {weaker.what}")

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


def _in_steps(part: Part) -> str:
    """What the sums of a part are counted in, where that is not the unit of the column."""
    if isinstance(part, ClippedSums):
        return f", in steps of 1/{2 * STEPS} of the range between the chosen ends, whichever these are"
    step = part.measurement.amounts[0].step
    if len(part.measurement.amounts) > 1:
        return ", in steps of each sum"
    return "" if step == 1 else f", in steps of {float(step):g}"


def weakened(subject: Mechanism) -> Mutant:
    """The same draw with less noise than it declares, or, where the law of that would be too narrow, from inputs further apart."""
    try:
        return Mutant.noise_divided_by(subject, _WEAKER)
    except SpecError:
        pass
    first = np.asarray(subject.neighbours()[0][0])

    def release(data: Any, size: int, rng: np.random.Generator) -> Any:
        return subject.release(first + _WEAKER * (np.asarray(data) - first), size, rng)

    return Mutant(subject, release, f"inputs {_WEAKER} times as far apart")
