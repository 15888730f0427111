"""The ledger's part in a release: what fits is reserved before anything is drawn, and settled once it is published."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from ...symbolic.errors import SpecError
from .ledger.cost import Cost
from .manifest import LedgerEntry
from .not_met import PolicyNotMetError

if TYPE_CHECKING:
    from .plan import ReleasePlan

# With slack equal to delta no (epsilon, delta) follows from rho: the slack costs (1 + e^epsilon) times itself.
_SLACK = 1e-12


@dataclass(frozen=True, eq=False)
class Booking:
    """A cost that the ledger of the table can take; `path` None: no ledger is kept, `budget` None: it exists already.

    `delta`: at which a new ledger says its budget of rho as an epsilon too.
    """

    path: Path | None
    table_id: str
    budget: Cost | None
    cost: Cost
    what: str
    delta: float | None = None

    @classmethod
    def of(cls, planned: ReleasePlan) -> Booking:
        """Looks at the ledger of the policy, and writes nothing.

        SpecError for a ledger that is damaged or of another table, PolicyNotMetError for a cost that it cannot take.
        """
        policy, what = planned.policy, planned.policy.title
        model, path = policy.model.ledger, policy.ledger_path
        if model is None or path is None:
            return cls(None, "", None, planned.cost, what)
        from .ledger import Ledger
        from .ledger.book import reservation
        from .ledger.currency import caps, charge, excess

        budget = None if path.exists() else _budget(planned)
        book = None if budget is not None else Ledger.open(path, model.table_id).book()
        try:
            if book is not None:
                reservation(book, planned.cost, what)
            elif budget is not None:
                limits = caps(budget)
                over = excess(dict.fromkeys(limits, Fraction(0)), charge(planned.cost, budget), limits)
                if over:
                    raise SpecError("; ".join(over))
        except SpecError as error:
            raise PolicyNotMetError((f"{path.name}: {error.message}",)) from None
        asked = model.budget
        delta = asked.delta if budget is not None and asked is not None and asked.rho is not None else None
        return cls(path, model.table_id, budget, planned.cost, what, delta)


@contextmanager
def booked(booking: Booking, directory: Path) -> Iterator[LedgerEntry | None]:
    """Reserves the cost, and settles it when the block ends; an error before `directory` exists gives it back.

    A process that is killed leaves the reservation: what may have been seen counts as spent until a person withdraws it.
    """
    if booking.path is None:
        yield None
        return
    from .ledger import Ledger

    if booking.budget is not None:
        ledger = Ledger.create(booking.path, booking.table_id, booking.budget, delta=booking.delta)
    else:
        ledger = Ledger.open(booking.path, booking.table_id)
    try:
        number = ledger.reserve(booking.cost, booking.what)
    except SpecError as error:
        raise PolicyNotMetError((f"{booking.path.name}: {error.message}",)) from None
    try:
        spent, left = ledger.spent(number), ledger.remaining(number)
        yield LedgerEntry(
            ledger.table_id,
            str(number),
            ledger.entry(number).hash,
            {k: float(v) for k, v in spent.items()},
            {k: float(v) for k, v in left.items()},
        )
    except BaseException:
        # Once the folder has its name, others may have read it.
        if not os.path.lexists(directory):
            ledger.withdraw(number, "the release ended before anything was published")
        raise
    ledger.settle(number)


def _budget(planned: ReleasePlan) -> Cost:
    policy = planned.policy
    budget = policy.model.ledger.budget if policy.model.ledger else None
    if budget is None:
        raise SpecError(
            "there is no such ledger yet: give ledger.budget to make one, or make it with `noiseproof ledger create`",
            key="ledger.path",
            file=policy.file,
        )
    from .ledger.cost import Information

    unit, adjacency = planned.cost.unit, planned.cost.adjacency
    information: tuple[Information, ...] = ()
    if budget.information is not None:
        units = {i.about: i.unit for i in planned.cost.fisher_information}
        values = policy.per_number(budget.information)
        information = tuple(
            Information(n.name, float(v), units.get(n.name, n.said_unit))
            for n, v in zip(policy.numbers, values, strict=True)
        )
    epsilon = None if budget.epsilon is None else float(budget.epsilon)
    try:
        return Cost(
            epsilon=epsilon if budget.delta is None else None,
            approximate=None if epsilon is None or budget.delta is None else (epsilon, budget.delta),
            rho=None if budget.rho is None else float(budget.rho),
            # Laws on a grid are a hair off the ideal ones: room for that beside rho.
            delta_slack=0.0 if budget.rho is None else _SLACK,
            fisher_information=information,
            unit=unit,
            adjacency=adjacency,
        )
    except ValueError as error:
        raise SpecError(str(error), key="ledger.budget", file=policy.file) from None
