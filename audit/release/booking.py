"""The ledger's part in a release: asked whether the cost fits before anything is drawn, and charged for good just before."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from ...symbolic.errors import SpecError
from .ledger.amounts import digits
from .ledger.cost import Cost
from .manifest import LedgerEntry
from .not_met import PolicyNotMetError
from .policy import Policy

if TYPE_CHECKING:
    from .ledger import Ledger
    from .plan import ReleasePlan

# With slack equal to delta no (epsilon, delta) follows from rho: the slack costs (1 + e^epsilon) times itself.
_SLACK = 1e-12


@dataclass(frozen=True, eq=False)
class Booking:
    """A cost that the ledger of the policy can take; `budget` is the one that the policy states."""

    policy: Policy
    cost: Cost
    budget: Cost | None

    @classmethod
    def of(cls, planned: ReleasePlan) -> Booking | None:
        """Looks at the ledger of the policy, and writes nothing; None if no ledger is kept.

        SpecError as `standing` raises it; PolicyNotMetError for a cost that the ledger cannot take.
        """
        policy = planned.policy
        model, path = policy.model.ledger, policy.ledger_path
        if model is None or path is None:
            return None
        from .ledger.book import Book, reservation
        from .ledger.currency import caps

        made = cls(policy, planned.cost, budget_of(policy, planned.cost.adjacency))
        ledger = standing(policy)
        if ledger is not None:
            book = ledger.book()
        else:
            assert made.budget is not None  # a policy whose ledger is to be made states one
            book = Book("", model.table_id, made.budget, None, caps(made.budget), "")
        with _fits(path):
            reservation(book, made.cost, policy.title)
        return made

    def opened(self) -> tuple[Ledger, bool]:
        """The ledger, and whether this made it."""
        ledger = standing(self.policy)
        if ledger is not None:
            return ledger, False
        from .ledger import Ledger, LedgerExistsError

        model, path = self.policy.model.ledger, self.policy.ledger_path
        assert model is not None
        assert path is not None
        assert self.budget is not None
        try:
            # What is spent is said at the delta of the policy, as its limits are.
            delta = None if self.budget.rho is None else self.policy.model.limits.delta
            return Ledger.create(path, model.table_id, self.budget, delta=delta), True
        except LedgerExistsError:
            # Another release has made it meanwhile: its budget is compared like any other.
            return self.opened()


def refusals(planned: ReleasePlan) -> tuple[str, ...]:
    """Why the ledger of the policy would not take the cost: another unit or adjacency, another currency, or no room.

    Nothing where none is kept, or it has yet to be made by a command.  SpecError as `standing` raises it.
    """
    model, path = planned.policy.model.ledger, planned.policy.ledger_path
    if model is None or path is None or not (model.create or os.path.lexists(path)):
        return ()
    try:
        Booking.of(planned)
    except PolicyNotMetError as error:
        return tuple(error.reasons)
    return ()


def standing(policy: Policy) -> Ledger | None:
    """The ledger of the policy; None if none is kept, or if the release is to make it.

    SpecError for one that is not there, damaged, of another table or of another budget than the policy states.
    """
    model, path = policy.model.ledger, policy.ledger_path
    if model is None or path is None:
        return None
    from .ledger import Ledger

    if not os.path.lexists(path) and not os.path.lexists(f"{path}.head"):
        if model.create:
            return None
        raise SpecError(
            "there is no such ledger, and none is made unasked: make it with `noiseproof ledger create`, or set "
            "ledger.create = true beside ledger.budget",
            key="ledger.path",
            file=policy.file,
        )
    ledger = Ledger.open(path, model.table_id)
    budget = budget_of(policy)
    if budget is not None:
        _require_budget(ledger, budget, policy)
    return ledger


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


def charged(booking: Booking) -> Charge:
    """Enters the cost, for good: nothing that happens to the release after this gives it back.

    A process that is killed before this returns leaves at most a reservation, under which nothing was drawn.
    """
    from .ledger.currency import shown, words

    ledger, made = booking.opened()
    with _fits(ledger.path):
        number = ledger.reserve(booking.cost, booking.policy.title)
    # Settled before the first draw: an entry can be withdrawn only while nothing was drawn under it.
    ledger.settle(number)
    record, book = ledger.record(number), ledger.book()
    totals = ", ".join(
        f"{words(n)} {record['spent'][n]:.6g} of {float(limit):.6g}" for n, limit in book.limits.items()
    )
    made_here = "MADE BY THIS RELEASE (ledger.create = true): it knows of no earlier one"
    said = (
        f"ledger: {ledger.path} of table {book.table_id!r}, {made_here if made else f'opened {book.opened}'}; "
        f"entry {number}, spent {totals}; this release alone {shown(book.entries[number].charge, booking.cost)}"
    )
    return Charge(LedgerEntry(**{**record, "entry": str(number)}), made, said)


@contextmanager
def _fits(path: Path) -> Iterator[None]:
    """A cost that the ledger cannot take is a policy that is not met; a ledger that cannot be written is no such thing."""
    try:
        yield
    except SpecError as error:
        if error.file:
            # A disk, a lock or a line is at fault: what is said of a cost names no file.
            raise
        raise PolicyNotMetError(f"{path.name}: {error.message}") from None


def _require_budget(ledger: Ledger, stated: Cost, policy: Policy) -> None:
    """SpecError, with both numbers, unless the budget of the policy is that of the ledger."""
    from .ledger.currency import caps, words

    mine, limits = caps(stated), ledger.book().limits
    released = {f"fisher_information:{n.name}" for n in policy.numbers}
    # A ledger may hold columns that this policy does not release.
    theirs = [n for n in limits if n in released or not n.startswith("fisher_information:")]
    wrong = [
        f"{words(n)}: {_shown(mine.get(n))} in the policy, {_shown(limits.get(n))} in the ledger"
        for n in dict.fromkeys((*mine, *theirs))
        if n != "delta_slack" and mine.get(n) != limits.get(n)
    ]
    if wrong:
        raise SpecError(
            f"{ledger.path.name} has another budget than the policy states ({'; '.join(wrong)}): "
            "a budget is fixed when its ledger is made; state that one, or leave ledger.budget out",
            key="ledger.budget",
            file=policy.file,
        )


def _shown(value: Fraction | None) -> str:
    if value is None:
        return "none"
    short = f"{float(value):.12g}"
    return short if Fraction(short) == value else digits(value)


def budget_of(policy: Policy, adjacency: str = "replace-one") -> Cost | None:
    """The budget that the policy states; its amounts are the same under all adjacencies."""
    budget = policy.model.ledger.budget if policy.model.ledger else None
    if budget is None:
        return None
    from .ledger.cost import Information

    information: tuple[Information, ...] = ()
    if budget.information is not None:
        values = policy.per_number(budget.information)
        information = tuple(
            Information(n.name, float(v), n.said_unit) for n, v in zip(policy.numbers, values, strict=True)
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
            unit=policy.unit,
            adjacency=adjacency,
        )
    except ValueError as error:
        raise SpecError(str(error), key="ledger.budget", file=policy.file) from None
