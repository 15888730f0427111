"""The pair of neighbours that reaches a sensitivity, on the answer as one record moves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import sympy as sp
from flint import arb

from ....symbolic.proof.apart import UnfinishedError, apart
from ....symbolic.proof.enclosure import NotEnclosableError, enclose, rational
from ....symbolic.sensitivity.query_over import DatasetQuery
from ....symbolic.sensitivity.records import intervals
from ...record.evidence import Line, Series

_POINTS = 61


def pair_pictures(query: DatasetQuery, pair: tuple[Any, Any] | None) -> tuple[Series, ...]:
    """One picture, or none where the records are no numbers or it does not end."""
    if pair is None:
        return ()
    try:
        return (apart(lambda: _picture(query, pair), "the picture of the pair"),)
    except (
        UnfinishedError,
        ArithmeticError,
        ValueError,
        TypeError,
        NotEnclosableError,
        KeyError,
        StopIteration,
    ):
        return ()


def _picture(query: DatasetQuery, pair: tuple[Any, Any]) -> Series:
    one, two = (list(side) for side in pair)
    if len(one) == len(two):
        place = next(i for i, (a, b) in enumerate(zip(one, two, strict=True)) if a != b)
        return _moved(query, one, place, one[place], two[place])
    less, more = sorted((one, two), key=len)
    place = next((i for i, (a, b) in enumerate(zip(less, more, strict=False)) if a != b), len(less))
    return _added(query, less, more, place)


def _moved(query: DatasetQuery, rest: list[Any], place: int, here: Any, there: Any) -> Series:
    """Along the line from the record of one data set to that of the other; along an axis where they differ in one number."""
    a, b = _numbers(here), _numbers(there)
    differing = [k for k, (p, q) in enumerate(zip(a, b, strict=True)) if p != q]
    entry = _entry(query, [*rest], place, here, there)
    if len(differing) == 1:
        k = differing[0]
        low, high = _axis(query, k, a[k], b[k])
        grid = np.linspace(float(low), float(high), _POINTS)
        records = [_with(here, a[:k] + (rational(float(t)),) + a[k + 1 :]) for t in grid]
        ends, label = (float(a[k]), float(b[k])), _label(query, place, k)
    else:
        grid = np.linspace(0.0, 1.0, _POINTS)
        records = [
            _with(here, tuple(p + rational(float(t)) * (q - p) for p, q in zip(a, b, strict=True)))
            for t in grid
        ]
        ends, label = (0.0, 1.0), "share of the way from one record to the other"
    x, y = _curve(query, rest, place, grid, records, entry)
    marks = tuple(_number(_answer(query, _put(rest, place, r))[entry]) for r in (here, there))
    return Series(
        "pair",
        "The answer as the one record moves, and the pair that is furthest apart",
        label,
        _entry_label(query, entry),
        (Line("the answer", "law", x, y), Line("the pair", "attack", ends, marks)),
    )


def _added(query: DatasetQuery, less: list[Any], more: list[Any], place: int) -> Series:
    """With one record at each place of the axis, and without it."""
    record = more[place]
    numbers = _numbers(record)
    k = 0
    low, high = _axis(query, k, numbers[k], numbers[k])
    grid = np.linspace(float(low), float(high), _POINTS)
    before, after = _answer(query, less), _answer(query, more)
    gaps = [abs(_number(p) - _number(q)) for p, q in zip(before, after, strict=True)]
    entry = int(np.argmax(gaps))
    records = [_with(record, numbers[:k] + (rational(float(t)),) + numbers[k + 1 :]) for t in grid]
    x, y = _curve(query, more, place, grid, records, entry)
    level = _number(before[entry])
    return Series(
        "pair",
        "The answer with one record more, wherever it lies, and the pair that is furthest apart",
        _label(query, 0, k),
        _entry_label(query, entry),
        (
            Line("with the record", "law", x, y),
            Line("without it", "claimed", (float(low), float(high)), (level, level)),
            Line("the pair", "attack", (float(numbers[k]),) * 2, (level, _number(after[entry]))),
        ),
    )


def _curve(
    query: DatasetQuery, rest: list[Any], place: int, grid: Any, records: list[Any], entry: int
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    points = [
        (float(t), _number(_answer(query, _put(rest, place, r))[entry]))
        for t, r in zip(grid, records, strict=True)
    ]
    kept = [(t, v) for t, v in points if np.isfinite(v)]
    return tuple(t for t, _ in kept), tuple(v for _, v in kept)


def _answer(query: DatasetQuery, dataset: list[Any]) -> tuple[sp.Expr, ...]:
    return query(tuple(dataset))


def _put(rest: list[Any], place: int, record: Any) -> list[Any]:
    return [*rest[:place], record, *rest[place + 1 :]]


def _entry(query: DatasetQuery, rest: list[Any], place: int, here: Any, there: Any) -> int:
    """The entry of the answer that moves most."""
    one, two = (_answer(query, _put(rest, place, r)) for r in (here, there))
    return int(np.argmax([abs(_number(p) - _number(q)) for p, q in zip(one, two, strict=True)]))


def _numbers(record: Any) -> tuple[sp.Rational, ...]:
    values = (
        record.values()
        if isinstance(record, Mapping)
        else record
        if isinstance(record, tuple | list)
        else [record]
    )
    return tuple(rational(v) for v in values)


def _with(like: Any, numbers: tuple[sp.Rational, ...]) -> Any:
    """A record of the same form with other numbers."""
    if isinstance(like, Mapping):
        return dict(zip(like, numbers, strict=True))
    return numbers if isinstance(like, tuple | list) else numbers[0]


def _axis(query: DatasetQuery, k: int, a: sp.Expr, b: sp.Expr) -> tuple[sp.Expr, sp.Expr]:
    """The ends of the number k of a record; around the pair where they are infinite."""
    domain = query.domain
    if isinstance(domain, list | tuple):
        domain = domain[k]
    ends = (domain.start, domain.end) if isinstance(domain, sp.Interval) else intervals(domain)[k]
    size = max(abs(b - a), sp.Integer(1))
    low = ends[0] if ends[0].is_finite else min(a, b) - size
    high = ends[1] if ends[1].is_finite else max(a, b) + size
    return low, high


def _label(query: DatasetQuery, place: int, k: int) -> str:
    if query.stated is None:
        return "the record" if k == 0 else f"number {k + 1} of the record"
    groups = query.stated.records
    name: str = groups[place if query.each is None else 0][k].name
    return name


def _entry_label(query: DatasetQuery, entry: int) -> str:
    many = query.stated is not None and len(query.stated.vector.entries) > 1
    return f"entry {entry + 1} of the answer" if many or entry else "answer"


def _number(value: sp.Expr) -> float:
    ball: arb = enclose(value)
    return float(ball.mid())
