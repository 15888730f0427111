"""The released numbers of a manifest as rows of a page: digits that fit their interval, bars and dots on one scale."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ..audit.record.reading.by_path import Record, as_number
from .text import number

ROWS, ALL_ROWS = 30, 240  # of one statistic, and of all: the rest is in the data file
_WIDTH = 200.0
_BARS = ("count", "persons", "sum", "distinct", "top", "ranges", "marginals")
_LEAST = 0.2  # of the declared range: dots are not drawn on a smaller part of it
_EXACT = 2.0**53


@dataclass(frozen=True)
class Drawing:
    """Places on a line of 200: `bar` from its start with a width, the interval, the value; None where there is none."""

    zero: float | None
    bar: tuple[float, float] | None
    interval: tuple[float, float] | None
    value: float | None


@dataclass(frozen=True)
class NumberRow:
    """One released number in words, and as a drawing."""

    groups: tuple[str, ...]
    quantity: str
    value: str
    interval: str
    suppressed: bool
    drawing: Drawing


@dataclass(frozen=True)
class _Number:
    groups: tuple[str, ...]
    quantity: str
    value: float | None
    low: float | None
    high: float | None
    suppressed: bool

    @property
    def known(self) -> list[float]:
        return [v for v in (self.value, self.low, self.high) if v is not None and math.isfinite(v)]


def _optional(one: Record, name: str) -> float | None:
    return None if one.value(name) is None else one.number(name)


def read_numbers(results: Sequence[Record], statistic: str, groups: Sequence[str]) -> list[_Number]:
    """The released numbers of one statistic; UnreadableError for anything that is no number."""
    return [
        _Number(
            tuple("" if one.value(name) is None else one.text(name) for name in groups),
            one.text("quantity"),
            _optional(one, "value"),
            _optional(one, "low"),
            _optional(one, "high"),
            one.value("suppressed") is True,
        )
        for one in results
        if one.get("statistic") == statistic
    ]


def drawn_rows(
    numbers: Sequence[_Number], measure: str, ends: tuple[float, float] | None
) -> tuple[tuple[NumberRow, ...], str]:
    """The rows, and what the line of their drawings stands for."""
    bars = measure in _BARS
    low, high = _scale(numbers, bars, ends)
    rows = tuple(
        NumberRow(
            tuple(name for name in one.groups if name),  # a table of marginals has some of the columns alone
            one.quantity,
            "withheld" if one.value is None else shown(one.value, _digits(one)),
            _interval(one),
            one.suppressed,
            _drawing(one, bars, low, high),
        )
        for one in numbers
    )
    kind = "Bars start at 0" if bars else "Dots"
    return (
        rows,
        f"{kind}; the line goes from {number(float(low))} to {number(float(high))}, ticks are the interval",
    )


def _end(value: float) -> str:
    return shown(value, 0) if 100 <= abs(value) < _EXACT else number(value)


def _scale(numbers: Sequence[_Number], bars: bool, ends: tuple[float, float] | None) -> tuple[float, float]:
    known = [v for one in numbers for v in one.known if bars or not one.suppressed]
    low, high = min(known, default=0.0), max(known, default=1.0)
    if bars:
        low, high = min(low, 0.0), max(high, 0.0)
    elif ends is not None:
        short = _LEAST * (ends[1] - ends[0]) - (high - low)
        if short > 0:
            low, high = max(low - short / 2, ends[0]), min(high + short / 2, ends[1])
    return (low, high) if high > low and math.isfinite(high - low) else (low, low + 1.0)


def _drawing(one: _Number, bars: bool, low: float, high: float) -> Drawing:
    def at(value: float) -> float:
        return round(_WIDTH * (min(max(value, low), high) - low) / (high - low), 1)

    zero = at(0.0) if bars else None
    value = None if one.value is None else at(one.value)
    bar = None
    if zero is not None and value is not None:
        bar = min(zero, value), round(abs(value - zero), 1)
    interval = None
    if one.low is not None or one.high is not None:
        interval = at(low if one.low is None else one.low), at(high if one.high is None else one.high)
    return Drawing(zero, bar, interval, value)


def _digits(one: _Number) -> int:
    """As many decimals as the interval leaves meaning to."""
    if all(float(v).is_integer() for v in one.known):
        return 0
    half = None if one.low is None or one.high is None else (one.high - one.low) / 2
    if half is None or not half > 0 or not math.isfinite(half):
        return 3
    return min(max(0, 1 - math.floor(math.log10(half))), 9)


def shown(value: float, digits: int) -> str:
    """A number with all digits before the point, and so many after it."""
    if abs(value) >= _EXACT:
        return number(value)
    text = f"{value:,.{digits}f}".replace(",", "\u202f").replace("-", "−")
    return text[1:] if text.startswith("−") and not text.strip("−0.\u202f") else text


def _interval(one: _Number) -> str:
    if one.low is None and one.high is None:
        return "none"
    digits = _digits(one)
    low = "no end" if one.low is None else shown(one.low, digits)
    return f"{low} to {'no end' if one.high is None else shown(one.high, digits)}"


def finite_ends(record: Record) -> tuple[float, float] | None:
    """The declared ends of a statistic, if it has both."""
    value = record.value("ends")
    if not isinstance(value, list) or len(value) != 2:
        return None
    low, high = map(as_number, value)
    fit = low is not None and high is not None and math.isfinite(low) and math.isfinite(high) and low < high
    return (low, high) if fit and low is not None and high is not None else None
