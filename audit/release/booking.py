"""The ledger's part in a release: asked whether the cost fits before anything is drawn, and charged for good just before."""

from __future__ import annotations

import os
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from ...symbolic.errors import SpecError
from .ledger.amounts import digits
from .ledger.cost import Cost
from .manifest import LedgerEntry
from .not_met import PolicyNotMetError

if TYPE_CHECKING:
    from .ledger.book import Book
    from .plan import ReleasePlan

# With slack equal to delta no (epsilon, delta) follows from rho: the slack costs (1 + e^epsilon) times itself.
_SLACK = 1e-12


@dataclass(frozen=True, eq=False)
class Booking:
    """A cost that the ledger of the table can take; `path` None: no ledger is kept.

    `budget` is the one that the policy states, `create` whether a ledger of it may be made, `delta` at which that one says
    its budget of rho as an epsilon too.
    """

    path: Path | None
    table_id: str
    budget: Cost | None
    create: bool
    cost: Cost
    what: str
    delta: float | None = None

    @classmethod
    def of(cls, planned: ReleasePlan) -> Booking:
        """Looks at the ledger of the policy, and writes nothing.

        SpecError for a ledger that is not there, damaged, of another table or of another budget; PolicyNotMetError for a cost
        that it cannot take.
        """
        policy, what = planned.policy, planned.policy.title
        model, path = policy.model.ledger, policy.ledger_path
        if model is None or path is None:
            return cls(None, "", None, False, planned.cost, what)
        from .ledger.book import reservation
        from .ledger.currency import caps, charge, excess

        asked, budget = model.budget, _budget(planned)
        delta = asked.delta if asked is not None and asked.rho is not None else None
        made = cls(path, model.table_id, budget, model.create, planned.cost, what, delta)
        missing = not os.path.lexists(path) and not os.path.lexists(f"{path}.head")
        if missing and not model.create:
            raise SpecError(
                "there is no such ledger, and none is made unasked: make it with `noiseproof ledger create`, or set "
                "ledger.create = true beside ledger.budget",
                key="ledger.path",
                file=policy.file,
            )
        book = None if missing else made.opened()
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
        return made

    def opened(self) -> Book:
        """What the ledger says; SpecError unless it is of this table and has the budget that the policy states."""
        from .ledger import Ledger

        assert self.path is not None
        book = Ledger.open(self.path, self.table_id).book()
        if self.budget is not None:
            _require_budget(book, self.budget, self.path)
        return book


@dataclass(frozen=True)
class Charge:
    """An entry that is spent for good, and what is to be said of its ledger; `made`: this release made that."""

    entry: LedgerEntry
    made: bool
    said: str

    def after(self, directory: Path) -> str:
        """What a release that ended early leaves."""
        spent = f"entry {self.entry.entry} of the ledger stays spent: noise may have been drawn under it"
        return f"{directory} was written, whole; {spent}" if os.path.lexists(directory) else spent


def charged(booking: Booking) -> Charge | None:
    """Enters the cost, for good: nothing that happens to the release after this gives it back.

    A process that is killed before this returns leaves at most a reservation, under which nothing was drawn.
    """
    if booking.path is None:
        return None
    from .ledger import Ledger, LedgerExistsError
    from .ledger.currency import words

    made = False
    if booking.create and booking.budget is not None and not os.path.lexists(booking.path):
        try:
            Ledger.create(booking.path, booking.table_id, booking.budget, delta=booking.delta)
            made = True
        except LedgerExistsError:
            pass  # another release has made it meanwhile: its budget is compared like any other
    opened = booking.opened().opened
    ledger = Ledger.open(booking.path, booking.table_id)
    try:
        number = ledger.reserve(booking.cost, booking.what)
    except SpecError as error:
        raise PolicyNotMetError((f"{booking.path.name}: {error.message}",)) from None
    book = ledger.book(number)
    spent, left = book.spent(), book.remaining()
    # Settled before the first draw: an entry can be withdrawn only while nothing was drawn under it.
    ledger.settle(number)
    totals = ", ".join(
        f"{words(n)} {float(spent[n]):.6g} of {float(book.limits[n]):.6g}" for n in book.limits
    )
    how = (
        "MADE BY THIS RELEASE (ledger.create = true): it knows of no earlier one"
        if made
        else f"opened {opened}"
    )
    entry = LedgerEntry(
        ledger.table_id,
        str(number),
        book.entries[number].hash,
        {k: float(v) for k, v in spent.items()},
        {k: float(v) for k, v in left.items()},
    )
    return Charge(
        entry,
        made,
        f"ledger: {booking.path} of table {book.table_id!r}, {how}; entry {number}, spent {totals}",
    )


def _require_budget(book: Book, stated: Cost, path: Path) -> None:
    """SpecError, with both numbers, unless the budget of the policy is that of the ledger."""
    from .ledger.currency import caps, words

    mine = caps(stated)
    others = [n for n in book.limits if n.startswith("fisher_information:") and n not in mine]
    names = dict.fromkeys([*mine, *book.limits])
    wrong = [
        f"{words(n)}: {_shown(mine.get(n))} in the policy, {_shown(book.limits.get(n))} in the ledger"
        for n in names
        if n not in others and n != "delta_slack" and mine.get(n) != book.limits.get(n)
    ]
    if wrong:
        raise SpecError(
            f"{path.name} has another budget than the policy states ({'; '.join(wrong)}): a budget is fixed when its ledger is made; "
            "state that one, or leave ledger.budget out",
            key="ledger.budget",
        )


def _shown(value: Fraction | None) -> str:
    if value is None:
        return "none"
    short = f"{float(value):.12g}"
    return short if Fraction(short) == value else digits(value)


def _budget(planned: ReleasePlan) -> Cost | None:
    policy = planned.policy
    budget = policy.model.ledger.budget if policy.model.ledger else None
    if budget is None:
        return None
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
