"""Statistics by declared groups: whole-number noise on exact sums, quantiles by the exponential mechanism, one budget split between them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from ....mechanisms.statistics.budget import InfeasibleBudgetError
from ....mechanisms.statistics.summing import AllTotals
from ....mechanisms.statistics.workload import Workload
from ....symbolic.arrays import Floats
from ....symbolic.claim import Claim, Scope
from ....symbolic.errors import SpecError, counted
from ....symbolic.privacy.guarantees import ApproxDP, Guarantee, PureDP, ZeroConcentratedDP
from ...record.evidence import Series
from ..ledger.amounts import decimal
from ..ledger.cost import Cost
from ..limits import Decision, Limits, epsilon_asked
from ..manifest import StatedGuarantee
from ..not_met import PolicyNotMetError
from ..policy import Policy
from ..statistics.compiled import workload_of
from ..statistics.membership_risk import membership_risk, right_at_most, total_variation
from ..statistics.predicted_utility import predict_utility
from ..statistics.published import SHOWN, batch_of, record_of, schema_of
from ..statistics.recomputed import misfits
from ..statistics.table_sums import table_sums
from ..statistics.trials import Trials
from ..statistics.words import (
    adjacency_of,
    caveats,
    lines_of,
    parts_of,
    split_sentences,
    split_verdict,
    utility_of,
)
from ..trade_off import privacy_curves
from .kind import Drawn, Kind
from .made_rows import made_columns
from .terms import Terms

if TYPE_CHECKING:
    import pyarrow as pa

    from ....mechanisms.grid_noise import Bits
    from ..tables import PolicyTable

_CUT = Fraction(1, 10**9)
_SHOWN_RECORDS = 200_000  # some 40 bytes of a certificate each, of which 16 MiB are read


@dataclass(frozen=True, eq=False)
class StatisticsKind(Kind):
    """All that is published is a function of the noisy parts of the workload, and of public facts."""

    policy: Policy
    workload: Workload

    name: ClassVar[str] = "statistics"
    facts: ClassVar[tuple[str, ...]] = ("results",)
    notes: ClassVar[tuple[str, ...]] = (
        "The code that sums was run on synthetic neighbours which the policy allows; no record of the table was looked at for that.",
    )

    @classmethod
    def configure(cls, policy: Policy, records: int | None = None) -> Self:
        made = cls(policy, workload_of(policy, budget_asked(policy)))
        try:
            _ = made.workload.measurements
        except SpecError as error:
            raise error.within(file=policy.file, key="statistics") from None
        made._require_few_records()
        made._require_noise()
        return made

    def _require_few_records(self) -> None:
        """SpecError for persons with so many records that a certificate, which shows a pair of neighbours for every draw, cannot be read."""
        draws, most = len(self.workload.parts), self.policy.rows_of_unit
        if most > 1 and draws * most > _SHOWN_RECORDS:
            raise SpecError(
                f"expected at most {max(_SHOWN_RECORDS // draws, 1):,} with {counted(draws, 'draw')}, got {most:,}: neighbours with so many records "
                "are tried, and shown, for each of them; of a person with more records so many count, chosen by a secret hash",
                key="table.rows_per_person",
                file=self.policy.file,
            )

    def _require_noise(self) -> None:
        """PolicyNotMetError for a budget that is too small for its targets, or for any noise; SpecError for one too large."""
        try:
            _ = self.workload.drawers
        except InfeasibleBudgetError as error:
            first = (
                "; ends of clipping, drawn first, take the rest of the budget" if self.workload.first else ""
            )
            raise PolicyNotMetError(f"{error}{first}") from None
        except SpecError as error:
            name, why = "rho" if self.gaussian else "epsilon", f"({error.message})"
            if self.workload.budget < 1:
                raise PolicyNotMetError(
                    f"{name} = {float(self.workload.budget):.4g} is too small: no noise that can be drawn is wide enough {why}; raise the limits, or "
                    "publish fewer statistics"
                ) from None
            raise SpecError(
                f"{name} = {float(self.workload.budget):.4g} is so large that hardly any noise would be left {why}: lower the limits",
                key="limits",
                file=self.policy.file,
            ) from None

    @property
    def gaussian(self) -> bool:
        """Whether the budget is one of rho."""
        return self.workload.noise == "gaussian"

    @property
    def spent(self) -> float:
        """What one unit of privacy pays, as a decimal that is no less than the exact cost."""
        exact = self.workload.cost
        if exact > self.workload.budget:
            raise PolicyNotMetError(
                f"the draws together cost {float(exact):.9g}, more than {float(self.workload.budget):.9g}, which the limits leave"
            )
        found, budget = float(exact), float(self.workload.budget)
        # Shares are cut at their twelfth digit: what is left of a budget that was meant to be spent is not kept.
        if exact > self.workload.budget * (1 - _CUT):
            return budget
        while decimal(found) < exact:
            found = math.nextafter(found, math.inf)
        return min(found, budget)

    @property
    def cost(self) -> Cost:
        model: Any = self.policy.model.mechanism
        common = {"unit": self.policy.unit, "adjacency": model.adjacency}
        if not self.gaussian:
            return Cost.pure(self.spent, **common)
        limits = self.policy.model.limits
        approximate = None
        if limits.epsilon is not None and limits.delta is not None:
            approximate = (float(limits.epsilon), float(limits.delta))
        return Cost.zcdp(self.spent, approximate=approximate, **common)

    @cached_property
    def decisions(self) -> tuple[Decision, ...]:
        limits = Limits(self.policy, self.scope)
        subject = self._trials.subject
        return (
            *limits.epsilon(
                lambda: None if self.gaussian else self.spent,
                lambda e: float(ZeroConcentratedDP(self.spent).curve()(e)),
                "Gaussian",
            ),
            *limits.rho(lambda: self.cost, subject),
            *limits.refused(
                ("information", "error", "unbiased_error", "utility"),
                " is about a released row of a record, and statistics have none: give each statistic an `error`",
            ),
        )

    @property
    def scope(self) -> Scope:
        """What claims about the release quantify over."""
        columns = ", ".join(c.name for c in self.policy.kept[:12])
        return Scope(
            adjacency_of(self.policy),
            f"records with {columns}, any values: clipped, declared or left out",
            self.policy.unit,
        )

    @property
    def guarantee(self) -> PureDP | ZeroConcentratedDP:
        """What the release as a whole keeps."""
        return ZeroConcentratedDP(self.spent) if self.gaussian else PureDP(self.spent)

    @cached_property
    def terms(self) -> Terms:
        load, model = self.workload, self.policy.model
        return Terms(
            parameters={
                "noise": load.noise,
                "budget": str(load.budget),
                "statistics": [one.words() for one in predict_utility(self.policy, load)],
                "parts": parts_of(load),
                "split": list(load.split.lines()),
                "split_sentences": split_sentences(load),
                "split_verdict": split_verdict(load),
                "attack_risk": membership_risk(
                    right_at_most(self.guarantee), self.policy.unit, resizes=load.unit.resizes
                ),
                "random_source": "ChaCha20, keyed by the operating system; whole numbers alone",
            },
            columns=made_columns(self.policy, "statistics", "sums over all records"),
            guarantees=self._guarantees(model.limits.epsilon, model.limits.delta),
            adjacency=adjacency_of(self.policy),
            does_not_mean=caveats(self.policy, load),
            utility=utility_of(self.policy, load),
            lines=lines_of(self.policy, load),
        )

    def _guarantees(self, epsilon: Any, delta: Any) -> tuple[StatedGuarantee, ...]:
        model: Any = self.policy.model.mechanism
        relation, spent = model.adjacency, self.spent
        unit = f"{self.policy.unit} under {relation}"
        if not self.gaussian:
            moved = "added or removed" if relation == "add-or-remove" else "replaced"
            said = (
                f"{spent:.6g}-differentially private per {unit}: if one {self.policy.unit} is {moved}, the probability of any set of outputs "
                f"changes by a factor of at most e^{spent:.4g}"
            )
            return (StatedGuarantee(PureDP.key, said, {"epsilon": spent}),)
        concentrated = StatedGuarantee(
            ZeroConcentratedDP.key,
            f"{spent:.6g}-zero-concentrated differentially private per {unit}",
            {"rho": spent},
        )
        if epsilon is None or delta is None:
            return (concentrated,)
        said = f"({float(epsilon):.6g}, {float(delta):.3g})-differentially private per {unit}, which follows from rho = {spent:.6g}"
        return (
            StatedGuarantee(ApproxDP.key, said, {"epsilon": float(epsilon), "delta": float(delta)}),
            concentrated,
        )

    def figures(self) -> tuple[Series, ...]:
        """What one unit risks at every epsilon."""
        limits, stated = self.policy.model.limits, self.guarantee
        point: Guarantee = stated
        if limits.epsilon is not None and limits.delta is not None:
            point = ApproxDP(float(limits.epsilon), float(limits.delta))
        most = total_variation(stated)  # the curve falls from there: at epsilon = 0 it is the membership risk

        def delta(epsilon: Floats) -> Floats:
            return np.asarray(np.minimum(stated.curve()(epsilon), most), dtype=float)

        said = f"bound from {'rho' if self.gaussian else 'epsilon'} = {self.spent:.6g}"
        return privacy_curves(self.policy, point, delta, said)

    def trials(self) -> tuple[Claim, ...]:
        return self._trials.claims

    def require_own_code(self) -> None:
        self._trials.require_own_draws()

    @cached_property
    def _trials(self) -> Trials:
        return Trials(self.policy, self.workload, self.scope)

    @property
    def schema(self) -> pa.Schema:
        return schema_of(self.workload, self.policy.model.output.format)

    def rows(self, records: int | None) -> int:
        return self.workload.rows

    def misfits(self, facts: Mapping[str, Any]) -> Iterator[str]:
        shown = facts.get("results")
        yield from misfits(self.workload, shown if isinstance(shown, list) else [])

    def screen(
        self,
        table: PolicyTable,
        progress: Callable[[float, str], None] | None = None,
        cluster: str | None = None,
    ) -> Callable[[Bits], AbstractContextManager[Drawn]]:
        """What is drawn later is drawn from the exact sums: the table is not read again."""
        sums = table_sums(self.policy, self.workload, table, progress, cluster)
        # The rows of the data file are numbers: how many records there are is found apart, and only where it is public.
        records = table.source.count() if self.policy.model.table.rows_public else None
        return partial(self._drawn, sums, records)

    def draw(self, table: PolicyTable, bits: Bits) -> AbstractContextManager[Drawn]:
        return self.screen(table)(bits)

    @contextmanager
    def _drawn(self, totals: AllTotals, records: int | None, bits: Bits) -> Iterator[Drawn]:
        drawn = self.workload.draw(totals, bits)
        rows = [record_of(self.workload, s, figure) for s, figure in self.workload.figures(drawn)]
        written = batch_of(rows, self.schema, self.policy.model.output.format)
        yield Drawn(iter([written]), lambda: {"results": rows[:SHOWN]}, records)


def budget_asked(policy: Policy) -> Fraction:
    """The rho or the epsilon that the limits leave for all statistics; SpecError where they name none."""
    limits, model = policy.model.limits, policy.model.mechanism
    assert model.kind == "statistics"
    if model.noise == "laplace":
        epsilon = epsilon_asked(limits)
        if epsilon is None:
            raise SpecError(
                "expected epsilon, or rho: what all statistics together may cost one unit of privacy",
                key="limits",
                file=policy.file,
            )
        return decimal(epsilon)
    found = [] if limits.rho is None else [decimal(limits.rho)]
    if limits.epsilon is not None:
        if limits.delta is None:
            raise SpecError(
                'Gaussian noise has no finite epsilon with delta = 0: set limits.delta, or mechanism.noise = "laplace"',
                key="limits.epsilon",
                file=policy.file,
            )
        found.append(_rho_of(float(limits.epsilon), float(limits.delta)))
    if not found:
        raise SpecError(
            "expected rho, or epsilon with delta: what all statistics together may cost one unit of privacy",
            key="limits",
            file=policy.file,
        )
    return min(found)


def _rho_of(epsilon: float, delta: float) -> Fraction:
    """The largest rho, to six digits, that is (epsilon, delta)-differentially private."""
    low, high = 0.0, max(4 * epsilon, 4 * epsilon**2)
    for _ in range(60):
        middle = (low + high) / 2
        if float(ZeroConcentratedDP(middle).curve()(epsilon)) <= delta:
            low = middle
        else:
            high = middle
    digits = Fraction(f"{low:.6e}")
    return digits if digits <= Fraction(low) else Fraction(f"{low * (1 - 1e-6):.6e}")
