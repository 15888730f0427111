"""The ledger of a table: a cost is reserved before anything is drawn, and settled as soon as something may have been."""

from __future__ import annotations

import datetime
import secrets
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Self

from ....symbolic.errors import SpecError
from .accountant import COVERS_BUDGET, COVERS_SPENT, Statement, statement
from .amounts import line_of_text
from .book import Book, Entry, closed, opening, read_book, reservation
from .chain import START, Chain, Head, canonical, digest, read_chain, sealed
from .cost import Cost
from .currency import Amounts, as_numbers
from .export import exported
from .history import history
from .information import ColumnTotal, information_totals
from .locked_file import LockedFile, create, head_path, locked, read_head
from .release_record import entry_number, fault_of_record


class Ledger:
    """An open ledger: each call locks the file, reads and checks all of it, and answers or adds a line.

    Processes and threads may share the file.  Every call raises SpecError if the file is not as it was written.
    """

    def __init__(self, path: Path, table_id: str, head: str) -> None:
        """Use `create` or `open`."""
        self.path, self.table_id, self._seen = path, table_id, head

    @classmethod
    def create(cls, path: str | Path, table_id: str, budget: Cost, *, delta: float | None = None) -> Self:
        """A new ledger at `path`, which must not exist yet.

        `budget`: the largest totals, in one currency, and the unit of privacy.  `delta`: at which a budget of rho or of
        Renyi points is also said as an epsilon (default 1e-6).
        """
        path = Path(path)
        if delta is None and (budget.rho is not None or budget.renyi):
            delta = 1e-6
        content = opening(secrets.token_hex(16), table_id, budget, delta)
        first = sealed({**content, "at": _now()}, 0, START)
        written = canonical(first) + b"\n"
        create(path, written, Head(first["id"], 1, len(written), first["hash"]))
        return cls(path, table_id, first["hash"])

    @classmethod
    def open(cls, path: str | Path, table_id: str | None = None) -> Self:
        """The ledger at `path`; SpecError if it is damaged, or of another table than `table_id`."""
        path = Path(path)
        with locked(path, write=False) as file:
            chain, _ = _read(path, file)
        book = read_book(chain, str(path))
        if table_id is not None and book.table_id != table_id:
            raise SpecError(
                f"expected the ledger of table {table_id!r}, this one is of {book.table_id!r}", file=str(path)
            )
        return cls(path, book.table_id, chain.head.hash)

    def reserve(self, cost: Cost, what: str) -> int:
        """The number of a new entry of this cost; SpecError, and nothing is written, if the budget does not allow it.

        Call it before anything is drawn, and publish only after it has returned.
        """
        if not isinstance(cost, Cost):
            raise SpecError(f"expected a Cost, got {cost!r:.80}")
        return self._add(lambda book: reservation(book, cost, what)[0])

    def settle(self, number: int, digest: str = "") -> None:
        """Enter that something is drawn under entry `number`, or published (`digest`: of what): it is spent for good.

        Again for a settled one changes nothing.
        """
        if digest:
            line_of_text("the digest", digest)
        self._add(lambda book: _closing(book, number, "settled", {"kind": "settle", "digest": digest}))

    def withdraw(self, number: int, why: str) -> None:
        """Give back what entry `number` reserved: only if nothing was drawn under it."""
        line_of_text("why it is withdrawn", why, 1000)
        self._add(lambda book: _closing(book, number, "withdrawn", {"kind": "withdraw", "why": why}))

    def book(self, upto: int | None = None) -> Book:
        """All that the ledger says, after its line `upto` if that is given."""
        return read_book(self._chain(), str(self.path), upto)

    def entry(self, number: int) -> Entry:
        """One entry."""
        entries = self.book().entries
        if number not in entries:
            raise SpecError(f"there is no entry {number!r}", file=str(self.path))
        return entries[number]

    def spent(self, upto: int | None = None) -> Amounts:
        """The exact total of each amount, reserved and settled, after line `upto` if that is given."""
        return self.book(upto).spent()

    def remaining(self, upto: int | None = None) -> Amounts:
        """What is left of each amount."""
        return self.book(upto).remaining()

    def statement(self, of: str = "budget") -> Statement | None:
        """(epsilon, delta) of the whole "budget", or of what is "spent"; None for a ledger of Fisher information only."""
        book = self.book()
        if of not in ("budget", "spent"):
            raise SpecError(f'expected "budget" or "spent", got {of!r:.40}')
        amounts, covers = (book.limits, COVERS_BUDGET) if of == "budget" else (book.spent(), COVERS_SPENT)
        return statement(book.budget, amounts, book.delta, covers)

    def information(self) -> tuple[ColumnTotal, ...]:
        """The Fisher information that was spent on each column, and the error bound that remains."""
        return information_totals(self.book())

    def record(self, number: int) -> dict[str, Any]:
        """What a release says of its entry, as JSON data: the totals are those after it, `head` is the hash of its line."""
        book = self.book(number)
        if number not in book.entries:
            raise SpecError(f"there is no entry {number!r}", file=str(self.path))
        return _record(book, number)

    def check(self) -> tuple[str, ...]:
        """Remarks on a ledger that is whole: lines cut off, clocks gone backwards; SpecError if it is not whole."""
        return tuple(self.book().remarks)

    def confirm(self, record: Mapping[str, Any], cost: Mapping[str, Any] | None = None) -> None:
        """Raise SpecError unless a release's record of its entry (and its cost) is what the ledger says.

        It also shows that the ledger still has all lines up to that entry, as they were then.
        """
        chain = self._chain()
        fault = fault_of_record(read_book(chain, str(self.path)), record, cost)
        if fault is None:
            number = entry_number(record)
            then = _record(read_book(chain, str(self.path), number), number)
            wrong = [key for key in ("spent", "remaining") if record.get(key, then[key]) != then[key]]
            fault = (
                f"the release says {wrong[0]} {record[wrong[0]]!r:.200}, the ledger {then[wrong[0]]}"
                if wrong
                else None
            )
        if fault is not None:
            raise SpecError(fault, file=str(self.path))

    def confirm_head(self, known: str) -> None:
        """Raise SpecError unless some line has this hash: then all lines up to it are as they were."""
        _require_hash(self._chain(), known, self.path)

    def export(self) -> dict[str, Any]:
        """All that the ledger says, as JSON data."""
        chain = self._chain()
        return exported(read_book(chain, str(self.path)), chain.head.hash)

    @property
    def head(self) -> str:
        """The hash of the last line: who keeps it can tell later whether the ledger was rewritten or cut off."""
        return str(self._chain().head.hash)

    def _chain(self) -> Chain:
        with locked(self.path, write=False) as file:
            chain, _ = _read(self.path, file)
        self._same(chain)
        return chain

    def _same(self, chain: Chain) -> None:
        if all(line["hash"] != self._seen for line in chain.lines):
            raise SpecError("the ledger was replaced since it was opened", file=str(self.path))
        self._seen = chain.head.hash

    def _add(self, content: Callable[[Book], dict[str, Any] | None]) -> int:
        """The number of the line that was added, or of the last one if there is nothing to add."""
        with locked(self.path, write=True) as file:
            chain, complete = _read(self.path, file)
            self._same(chain)
            new = content(read_book(chain, str(self.path)))
            head = chain.head if new is None else _append(file, chain, complete, new)
            self._seen = head.hash
            return head.lines - 1


def adopt(path: str | Path, known: str) -> None:
    """Make the missing head of a ledger again, if the hash `known` (from a release of its table) is one of its lines.

    The ledger says from then on that it was done.  Raises SpecError if no line has the hash, or if there is a head.
    """
    path = Path(path)
    with locked(path, write=True) as file:
        if head_path(path).exists():
            raise SpecError("this ledger has its head: nothing to adopt", file=str(path))
        data = file.read()
        chain = read_chain(data, None, str(path))
        entries = read_book(chain, str(path)).entries.values()
        _require_hash(chain, known, path)
        # Every line but an entry's stands in no release: it could be that of a ledger which was cut off before them.
        if all(entry.hash != known for entry in entries):
            raise SpecError(
                "expected the hash of an entry, as it stands in its release, not that of another line",
                file=str(path),
            )
        _append(file, chain, data.endswith(b"\n") and not chain.torn, {"kind": "adopt", "known": known})


def _append(file: LockedFile, chain: Chain, complete: bool, content: dict[str, Any]) -> Head:
    """Add a line after the chain, and one before it that accounts for bytes that were cut off."""
    new = [content]
    if chain.torn:
        new.insert(0, {"kind": "torn", "bytes": len(chain.torn), "sha256": digest(chain.torn)})
    number, previous, added = len(chain.lines), chain.lines[-1]["hash"], b"" if complete else b"\n"
    for part in new:
        line = sealed({**part, "at": _now()}, number, previous)
        number, previous, added = number + 1, line["hash"], added + canonical(line) + b"\n"
    head = Head(chain.head.ledger, number, chain.end + len(chain.torn) + len(added), previous)
    file.append(added, head)
    return head


def _record(book: Book, number: int) -> dict[str, Any]:
    return {
        "table_id": book.table_id,
        "entry": number,
        "head": book.entries[number].hash,
        "spent": as_numbers(book.spent()),
        "remaining": as_numbers(book.remaining()),
        "history": history(book, number),
    }


def _require_hash(chain: Chain, known: str, path: Path) -> None:
    if all(line["hash"] != known for line in chain.lines):
        raise SpecError(
            f"no line has the hash {known!r:.80}: lines were cut off or changed, or it is another ledger",
            file=str(path),
        )


def _read(path: Path, file: LockedFile) -> tuple[Chain, bool]:
    """The chain of a locked file, and whether its last line is complete."""
    data, known = file.read(), read_head(path)
    chain = read_chain(data, known, str(path))
    if known is None:
        raise SpecError(
            f"the head of this ledger is missing: without it nobody can tell whether lines were cut off; "
            f"bring back {head_path(path).name}, or adopt the ledger with the hash that stands in its last release "
            "(one that was never used, because making it was cut short: remove it and make it again)",
            file=str(path),
        )
    return chain, data.endswith(b"\n") and not chain.torn


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")


def _closing(book: Book, number: int, state: str, content: dict[str, Any]) -> dict[str, Any] | None:
    if state == "settled" and number in book.entries and book.entries[number].state == state:
        return None
    closed(book, number, state)
    return {**content, "entry": number}
