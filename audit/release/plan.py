"""A policy with its mechanism configured: what will be released, audited and charged, before the table is looked at."""

from __future__ import annotations

from dataclasses import dataclass

from ...symbolic.errors import SpecError, nearest_name
from .kinds import KINDS, Kind
from .ledger.cost import Cost
from .policy import Policy


@dataclass(frozen=True, eq=False)
class ReleasePlan:
    """The policy and the mechanism with all its numbers."""

    policy: Policy
    kind: Kind

    @property
    def cost(self) -> Cost:
        """What the release costs one unit of privacy."""
        return self.kind.cost

    @property
    def unmet(self) -> tuple[str, ...]:
        """One sentence for each reason, known before anything is sampled, why the policy is not met."""
        reasons = [d.unmet for d in self.kind.decisions if d.unmet is not None]
        why = self.kind.bytes_fault
        if why is not None and self.policy.model.audit.bits:
            reasons.append(
                f"the policy asks for the bytes (audit.bits = true): {why}; set it to false to release without a word on them"
            )
        return tuple(reasons)


def plan(policy: Policy, records: int | None = None) -> ReleasePlan:
    """The plan of a policy; `records` is the public number of records, where the mechanism needs it.

    Raises SpecError for one that cannot be carried out, PolicyNotMetError if no noise meets its limits.
    """
    name = policy.model.mechanism.kind
    if name not in KINDS:
        raise SpecError(
            f"cannot release with {name!r}; {nearest_name(name, KINDS)}",
            key="mechanism.kind",
            file=policy.file,
        )
    kind = KINDS[name].configure(policy, records)
    if kind.needs_records and records is None:
        raise SpecError(
            f"what {name} keeps depends on the number of records: say how many there are (calibrate --rows)",
            key="mechanism.kind",
            file=policy.file,
        )
    return ReleasePlan(policy, kind)
