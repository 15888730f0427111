"""Thirty releases exactly at their claim, in every form that outcomes take: whoever refutes one of them raises a false alarm."""

from __future__ import annotations

import base64
import json
import struct
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

import noiseproof as npf

Generator = np.random.Generator
Release = Callable[[int, int, Generator], Any]

HONEST = float(np.e / (1 + np.e))
RARE = 0.1  # a rate on input 0, and e times as much on input 1
_START = datetime(2026, 1, 1, tzinfo=UTC)


def bit(d: int, size: int, rng: Generator) -> Any:
    return np.where(rng.random(size) < HONEST, d, 1 - d)


def number(d: int, size: int, rng: Generator) -> Any:
    return d + rng.laplace(size=size)


def whole(d: int, size: int, rng: Generator) -> Any:
    stop = 1 - np.exp(-1)
    return d + rng.geometric(stop, size) - rng.geometric(stop, size)


def rare(d: int, size: int, rng: Generator) -> Any:
    return rng.random(size) < RARE * (np.e if d else 1)


def word(d: int, size: int, rng: Generator) -> list[str]:
    """Of four words one is e times as likely on the input that it belongs to."""
    others = rng.integers(1, 4, size)
    place = np.where(rng.random(size) < np.e / (np.e + 3), d, (d + others) % 4)
    return [("red", "green", "blue", "grey")[i] for i in place]


def leaky(d: int, size: int, rng: Generator) -> Any:
    return np.where(rng.random(size) < 0.1, 2 + d, bit(d, size, rng)).astype(float)


def written(of: Release, form: Callable[[Any, Any], Any]) -> Release:
    """Each outcome in another form, beside a number between 0 and a million that says nothing."""

    def release(d: int, size: int, rng: Generator) -> list[Any]:
        values = np.asarray(of(d, size, rng)).tolist()
        return [form(v, n) for v, n in zip(values, rng.integers(0, 10**6, size).tolist(), strict=True)]

    return release


def raising(d: int, size: int, rng: Generator) -> Any:
    if rare(d, size, rng).any():
        raise RuntimeError("no answer")
    return rng.normal(size=size)


def shifted(d: int, size: int, rng: Generator) -> Any:
    return number(d, size, rng) + 0.2 * rng.normal()


def moody(d: int, size: int, rng: Generator) -> Any:
    """Honest with a probability of its own in each call, `HONEST` on average."""
    return np.where(rng.random(size) < HONEST + rng.uniform(-0.15, 0.15), d, 1 - d)


def doubled(d: int, size: int, rng: Generator) -> Any:
    return np.repeat(number(d, size, rng), 2)[:size]


def at_once(d: int, size: int, rng: Generator) -> Any:
    return np.full(size, np.nan) if rare(d, 1, rng)[0] else rng.normal(size=size)


def _missing(d: int, size: int, rng: Generator) -> Any:
    return np.where(rare(d, size, rng), np.nan, rng.normal(size=size))


_PURE: dict[str, Release] = {
    "number": number,
    "bit": bit,
    "whole number": whole,
    "word": word,
    "log line of a bit": written(bit, lambda v, n: f"INFO request {n} answer={'yes' if v else 'no'} ok"),
    "log line of a number": written(number, lambda v, n: f"[{n}] value {v:.4f} written"),
    "log line of a word": written(word, lambda v, n: f"user {n} chose {v} today"),
    "JSON of a whole number": written(whole, lambda v, n: json.dumps({"id": n, "count": v})),
    "JSON of a number": written(number, lambda v, n: json.dumps({"id": n, "mean": {"value": v}})),
    "JSON of a bit": written(bit, lambda v, n: json.dumps({"id": n, "seen": bool(v)})),
    "CSV row": written(number, lambda v, n: f"{n},{v:.3f},end"),
    "bytes of a bit": written(bit, lambda v, n: bytes([int(v)]) + n.to_bytes(3, "big")),
    # All digits of the sum would give the input away: near zero the last bits of 1 + noise are zeros.
    "bytes of a number": written(number, lambda v, n: struct.pack("<d", round(v, 3))),
    "base64 of a bit": written(bit, lambda v, n: base64.b64encode(bytes([65 + int(v)]) * 3).decode()),
    "list": written(bit, lambda v, n: [int(v), n / 1e6]),
    "length of a list": written(bit, lambda v, n: [n % 7] * (2 + int(v))),
    "nested": written(whole, lambda v, n: {"a": [n % 5, {"b": v}], "c": None}),
    "time stamp": written(number, lambda v, n: (_START + timedelta(hours=v)).isoformat()),
    "Unix time": written(whole, lambda v, n: 1_700_000_000 + int(v)),
    "NaN": _missing,
    "None": written(rare, lambda v, n: None if v else n / 1e6),
    "exception": written(rare, lambda v, n: ValueError("none") if v else n / 1e6),
    "exception of a call": raising,
    "shared shift": shifted,
    "shared shift in text": written(shifted, lambda v, n: f"[{n}] value {v:.3f}"),
    "shared honesty": moody,
    "each outcome twice": doubled,
    "NaN of a call": at_once,
}

CASES: dict[str, Callable[[], tuple[Any, Any]]] = {
    **{
        name: lambda release=release: (npf.BlackBox(release, (0, 1)), npf.PureDP(1))  # type: ignore[misc]
        for name, release in _PURE.items()
    },
    "delta": lambda: (npf.BlackBox(leaky, (0, 1)), npf.ApproxDP(1, 0.1)),
    "law known": lambda: (npf.RandomisedResponse(1.0), npf.PureDP(1)),
}
CHEAP = (
    "number",
    "bit",
    "whole number",
    "shared shift",
    "shared honesty",
    "each outcome twice",
    "NaN",
    "word",
)
