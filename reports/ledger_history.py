"""The charges of a ledger as a picture of columns: what was spent before, each charge, and the limit; with the words beside it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..audit.record.reading.by_path import Record, UnreadableError
from ..symbolic.errors import counted
from .environment import page
from .text import number

WIDTH, HEIGHT, TOP = 640.0, 140.0, 16.0
_GAP = 0.18  # of a column
_WIDEST = 64.0
_TWO_DAYS = 170.0  # of two days beside each other
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Column:
    """One charge: its place, how high what was spent before it reaches, and the charge above that; and the same in words."""

    x: float
    width: float
    before: float
    charge: float
    here: bool
    day: str
    what: str
    cost: str
    spent: str
    left: str

    @property
    def top(self) -> float:
        """Where the charge ends."""
        return HEIGHT - self.before - self.charge


@dataclass(frozen=True)
class LedgerHistory:
    """One amount of a ledger."""

    name: str
    limit: str
    columns: tuple[Column, ...]
    sentence: str

    @property
    def end(self) -> float:
        """Where the last column ends."""
        return self.columns[-1].x + self.columns[-1].width

    @property
    def apart(self) -> bool:
        """Whether the first and the last day differ, and have room beside each other."""
        return self.columns[0].day != self.columns[-1].day and self.end > _TWO_DAYS

    @property
    def marked(self) -> bool:
        """Whether one of them is that of the release whose page this is."""
        return any(column.here for column in self.columns)

    @property
    def titled(self) -> bool:
        """Whether charges have names."""
        return any(column.what for column in self.columns)


def ledger_histories(
    limits: Mapping[str, float], history: Sequence[Record], titles: Sequence[str] = ()
) -> tuple[LedgerHistory, ...]:
    """One for each amount with a limit above 0 of which something was charged; UnreadableError for charges that are none.

    `history` are the charges as `noiseproof.audit.release.ledger.history` gives them.
    """
    return tuple(
        _drawn(name, limit, history, titles)
        for name, limit in limits.items()
        if history and 0 < limit < math.inf and any(_amount(one, name) for one in history)
    )


def _amount(one: Record, name: str) -> float:
    # Names of amounts hold dots: no path leads there.
    charge = one.record("charge")
    value = Record.of({"amount": charge.data.get(name, 0.0)}, charge.place).number("amount")
    if not 0 <= value < math.inf:
        raise UnreadableError(f"{charge.where(str(name))}: expected an amount of at least 0")
    return value


def _drawn(name: str, limit: float, history: Sequence[Record], titles: Sequence[str]) -> LedgerHistory:
    each, spent, columns = min(WIDTH / len(history), _WIDEST), 0.0, []
    amounts = [_amount(one, name) for one in history]
    scale = (HEIGHT - TOP) / max(limit, math.fsum(amounts))
    for i, (one, value) in enumerate(zip(history, amounts, strict=True)):
        after = math.fsum(amounts[: i + 1])
        entries = one.number("entries")
        columns.append(
            Column(
                i * each + each * _GAP / 2,
                each * (1 - _GAP),
                spent * scale,
                value * scale,
                one.value("here") is True,
                one.text("day")[:10],
                _what(int(entries), titles, i - len(history)),
                number(value),
                number(after),
                number(_left(limit, after)),
            )
        )
        spent = after
    first, last = columns[0].day, columns[-1].day
    when = f"on {first}" if first == last else f"from {first} to {last}"
    total = sum(int(one.number("entries")) for one in history)
    mine = next((c for c in columns if c.here), None)
    said = (
        f"{name}: {counted(total, 'charge')} {when}, together {number(spent)} of {number(limit)}; "
        f"{number(_left(limit, spent))} left"
    )
    if mine is not None:
        said += f"; this release {mine.cost}"
    return LedgerHistory(name, number(limit), tuple(columns), said)


def _what(entries: int, titles: Sequence[str], place: int) -> str:
    """What one charge is of; titles are those of all entries, of which the last ones stand alone, and `place` counts from the end."""
    return f"{counted(entries, 'entry')} together" if entries > 1 else titles[place] if titles else ""


def _left(limit: float, spent: float) -> float:
    left = limit - spent
    return left if left > _ROUNDING * limit else 0.0


def ledger_page(exported: Mapping[str, Any], history: Sequence[Mapping[str, Any]]) -> str:
    """The page of a ledger, from its export and its charges (`history` of its book); ValueError for other data."""
    record = Record.of(exported, "the ledger")
    charges = [Record.of(one, f"the ledger: charge {i + 1}") for i, one in enumerate(history)]
    titles = [e.text("what") for e in record.records("entries") if e.text("state") != "withdrawn"]
    limits = {name: float(value) for name, value in record.record("limits").data.items()}
    return page(
        "ledger.html",
        ledger=exported,
        histories=ledger_histories(limits, charges, titles),
        totals=[
            (
                name,
                number(limit),
                number(float(record.record("spent").data[name])),
                number(float(record.record("remaining").data[name])),
            )
            for name, limit in limits.items()
        ],
    )
