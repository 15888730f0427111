"""Leaks that no single column shows: parities, shared noise, equal columns, one of many."""

from __future__ import annotations

from typing import Any

import numpy as np

from .leak_case import EPSILON, LeakCase, Release, Rng, in_clear, leak_case
from .words import hexes, number, pick, uuid


def _parity(of: int, among: int) -> Any:
    def service(s: float, r: Rng) -> Any:
        bits = r.integers(0, 2, size=among)
        bits[of] = (bits[:of].sum() + int(s)) % 2
        return bits

    return service


def _shared(places: int, among: int, correlation: float) -> tuple[Release, Release]:
    """Noise that several entries share if the bit is set; no entry alone tells."""

    def release(d: int, r: Rng) -> Any:
        values = r.normal(size=among)
        if d:
            values[1:places] = correlation * values[0] + np.sqrt(1 - correlation**2) * values[1:places]
        return values

    def twin(d: int, r: Rng) -> Any:
        flip = r.random() < 1 / (1 + np.exp(EPSILON))
        return release(1 - d if flip else d, r)

    return release, twin


def _one_word(epsilon: float, among: int) -> Release:
    def release(d: int, r: Rng) -> Any:
        said = r.random(among) < 0.05
        said[among // 3] = r.random() < (
            1 / (1 + np.exp(-epsilon / 1)) if d else 1 / (1 + np.exp(epsilon / 1))
        )
        return " ".join(f"w{i}" for i in np.flatnonzero(said))

    return release


def _equal(s: float, r: Rng) -> Any:
    a = number(r)
    return {"a": a, "b": a if s else number(r)}


def _difference(s: float, r: Rng) -> Any:
    start = 1.7e9 * r.random()
    return {"start": start, "end": start + r.gamma(40.0, 1.0) * (3 if s else 1)}


def _seconds(s: float, r: Rng) -> str:
    start = number(r, 86_000)
    end = start + 60 * (1 + int(s))
    return f"{_clock(start)} - {_clock(end)} room {number(r, 90)}"


def _clock(t: int) -> str:
    return f"{t // 3600:02d}:{t // 60 % 60:02d}:{t % 60:02d}"


def _joint(name: str, pair: tuple[Release, Release], *, seen: bool = False) -> LeakCase:
    return LeakCase(name, "shared", *pair, seen=seen)


JOINT: tuple[LeakCase, ...] = (
    leak_case("parity of two of twenty bits", "shared", _parity(1, 20), seen=False),
    leak_case("parity of three of twenty bits", "shared", _parity(2, 20), seen=False),
    leak_case("parity of four of twenty bits", "shared", _parity(3, 20), seen=False),
    _joint("two of a hundred share noise", _shared(2, 100, 1.0)),
    _joint("two of twenty are correlated", _shared(2, 20, 0.9)),
    _joint("five of twenty share noise", _shared(5, 20, 0.95)),
    _joint("word said more often among three thousand", (_one_word(3.0, 3000), _one_word(1.0, 3000))),
    leak_case("equal columns", "shared", _equal, seen=True),
    leak_case("difference of two times", "shared", _difference, seen=False),
    leak_case("length of a meeting", "shared", _seconds, seen=False),
    leak_case("equal words", "shared", lambda s, r: _same(s, r), seen=True),
    leak_case("id that tells the other", "shared", lambda s, r: [h := hexes(r, 8), h[::-1] if s else hexes(r, 8)], seen=True),
    leak_case("order of two numbers", "shared", lambda s, r: sorted(r.normal(size=2), reverse=bool(s)), seen=True),
    leak_case("sum that fits", "shared", lambda s, r: _bill(s, r), seen=False),
    leak_case("sign of a product", "shared", lambda s, r: _signs(s, r), seen=False),
    leak_case("one level beside noise", "clear", lambda s, r: [r.normal(), 0.25 + 0.5 * s, uuid(r)], told=in_clear),
)  # fmt: skip


def _same(s: float, r: Rng) -> str:
    first, second = (pick(("amber", "birch", "cedar", "delta"), r) for _ in range(2))
    return f"from {first} to {first if s else second} {uuid(r)}"


def _bill(s: float, r: Rng) -> Any:
    parts = r.integers(1, 500, size=3)
    return [*map(int, parts), int(parts.sum()) if s else int(r.integers(3, 1500))]


def _signs(s: float, r: Rng) -> Any:
    x = r.normal(size=2)
    return [float(x[0]), float(abs(x[1]) * np.sign(x[0]) * (1 if s else -1))]
