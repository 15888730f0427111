"""What the lines of a ledger say: entries with their state, totals, and whether each line was allowed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from ....symbolic.errors import SpecError, counted
from .amounts import amount, digits, line_of_text
from .chain import Chain
from .cost import Cost
from .currency import Amounts, caps, charge, excess

SCHEMA = "noiseproof-ledger-1"
_KEYS = {
    "open": {"schema", "id", "table_id", "budget", "delta"},
    "reserve": {"cost", "charge", "what"},
    "settle": {"entry", "digest"},
    "withdraw": {"entry", "why"},
    "torn": {"bytes", "sha256"},
    "adopt": {"known"},
}
_EVERY = {"kind", "at", "line", "previous", "hash"}


@dataclass(frozen=True)
class Entry:
    """One release: its number, cost, charge in the ledger's amounts, and its state (reserved, settled, withdrawn).

    `hash` is that of the line that reserved it; `at` is the time that the writer's clock showed.
    """

    number: int
    what: str
    cost: Cost
    charge: Amounts
    at: str
    hash: str
    state: str = "reserved"
    note: str = ""


@dataclass
class Book:
    """The state of a ledger after the lines that it has taken in."""

    id: str
    table_id: str
    budget: Cost
    delta: float | None
    limits: Amounts
    opened: str
    entries: dict[int, Entry] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)
    _spent: Amounts = field(default_factory=dict)
    _last: str = ""

    def spent(self) -> Amounts:
        """The total of what is reserved or settled; a reservation counts until it is withdrawn."""
        return {name: self._spent.get(name, Fraction(0)) for name in self.limits}

    def remaining(self) -> Amounts:
        """The limits minus what is spent."""
        return {name: limit - self._spent.get(name, 0) for name, limit in self.limits.items()}

    def take(self, line: Mapping[str, Any]) -> None:
        """Take in the next line; SpecError if the rules do not allow it."""
        kind, number = line.get("kind"), line["line"]
        if kind == "open" or kind not in _KEYS or set(line) != _KEYS[kind] | _EVERY:
            raise SpecError(f"its keys are not those of a line of kind {kind!r:.40}")
        self._date(line)
        if kind == "torn":
            self.remarks.append(
                f"line {number} sets aside {amount('bytes', line['bytes']):g} bytes of a line that was cut off when it was "
                "written; nothing was published under it"
            )
        elif kind == "reserve":
            cost = Cost.from_dict(line["cost"])
            content, charged = reservation(self, cost, line["what"])
            if content["charge"] != line["charge"]:
                raise SpecError(f"its cost comes to {content['charge']}, it says {line['charge']!r:.200}")
            entry = Entry(number, line["what"], cost, charged, line["at"], line["hash"])
            self.entries[number] = entry
            self._count(entry, 1)
        elif kind == "adopt":
            known = line_of_text("the hash", line["known"])
            self.remarks.append(
                f"line {number}: the head file was lost and made again by someone who knew the hash {known[:12]}"
            )
        else:
            state = "settled" if kind == "settle" else "withdrawn"
            entry = closed(self, line["entry"], state, _note(line))
            self.entries[entry.number] = entry
            if kind == "withdraw":
                self._count(entry, -1)

    def _count(self, entry: Entry, sign: int) -> None:
        for name, value in entry.charge.items():
            self._spent[name] = self._spent.get(name, Fraction(0)) + sign * value

    def _date(self, line: Mapping[str, Any]) -> None:
        at = line_of_text("the time", line["at"], 40)
        if at < self._last:
            self.remarks.append(
                f"line {line['line']} is dated {at}, before an earlier one ({self._last}): the clock went backwards; "
                "what counts is the order of the lines"
            )
        self._last = max(at, self._last)


def opening(identity: str, table_id: str, budget: Cost, delta: float | None) -> dict[str, Any]:
    """The content of a first line; `delta`: at which rho or Renyi points are also said as an epsilon."""
    caps(budget)
    line_of_text("the id of the ledger", identity)
    line_of_text("the id of the table", table_id)
    converts = budget.rho is not None or bool(budget.renyi)
    if converts != (delta is not None) or (delta is not None and amount("delta", delta, below=1.0) == 0):
        raise SpecError(
            "a delta > 0 goes with a budget of rho or of Renyi points, and with no other", key="delta"
        )
    return {
        "kind": "open",
        "schema": SCHEMA,
        "id": identity,
        "table_id": table_id,
        "budget": budget.to_dict(),
        "delta": delta,
    }


def reservation(book: Book, cost: Cost, what: str) -> tuple[dict[str, Any], Amounts]:
    """The content of a line that reserves `cost`, and the charge.

    Raises SpecError if the ledger cannot count the cost, or if it is above what is left.
    """
    line_of_text("what is released", what)
    wanted = charge(cost, book.budget)
    over = excess(book.spent(), wanted, book.limits)
    if over:
        raise SpecError(f"the budget of {book.table_id!r} does not allow this release: {'; '.join(over)}")
    return {"kind": "reserve", "cost": cost.to_dict(), "charge": _written(wanted), "what": what}, wanted


def read_book(chain: Chain, file: str, upto: int | None = None) -> Book:
    """The book after the line numbered `upto` (after all of them by default); every line is checked against the rules.

    Raises SpecError that names the line.
    """
    book: Book | None = None
    for line in chain.lines[: None if upto is None else upto + 1]:
        try:
            if book is None:
                book = _opened(line)
            else:
                book.take(line)
        except (ValueError, TypeError, KeyError, OverflowError) as error:
            reason = error.message if isinstance(error, SpecError) else repr(error)
            raise SpecError(f"line {line['line']} cannot stand in a ledger: {reason}", file=file) from None
    if book is None:
        raise SpecError(f"expected the number of a line, got {upto}", file=file)
    if chain.torn:
        book.remarks.append(
            f"the file ends with {counted(len(chain.torn), 'byte')} of a line that was cut off when it was written; nothing was published "
            "under it, and the next entry sets it aside"
        )
    return book


def closed(book: Book, number: Any, state: str, note: str = "") -> Entry:
    """The entry with its last state; SpecError unless it is there and still reserved."""
    if type(number) is not int or number not in book.entries:
        raise SpecError(f"there is no entry {number!r:.40}: expected one of {_numbers(book)}")
    entry = book.entries[number]
    if entry.state != "reserved":
        after = (
            ": what was published stays spent, and what may have been drawn"
            if entry.state == "settled"
            else ""
        )
        raise SpecError(f"entry {number} is {entry.state} already{after}")
    return replace(entry, state=state, note=note)


def _opened(line: Mapping[str, Any]) -> Book:
    if line.get("schema") != SCHEMA:
        raise SpecError(f"expected the schema {SCHEMA}, got {line.get('schema')!r:.80}")
    if line.get("kind") != "open" or set(line) != _KEYS["open"] | _EVERY:
        raise SpecError("its keys are not those of a first line")
    budget = Cost.from_dict(line["budget"])
    opening(line["id"], line["table_id"], budget, line["delta"])
    at = line_of_text("the time", line["at"], 40)
    return Book(line["id"], line["table_id"], budget, line["delta"], caps(budget), at, _last=at)


def _note(line: Mapping[str, Any]) -> str:
    if line["kind"] == "withdraw":
        return line_of_text("the reason", line["why"], 1000)
    return "" if line["digest"] == "" else line_of_text("the digest", line["digest"])


def _numbers(book: Book) -> str:
    numbers = [str(n) for n, e in book.entries.items() if e.state == "reserved"]
    return ", ".join(numbers[:20]) or "(none is reserved)"


def _written(amounts: Mapping[str, Fraction]) -> dict[str, str]:
    return {name: digits(value) for name, value in amounts.items()}
