"""Seeded edits of JSON files: one value, one key or one part is changed, as somebody would who wants a file to say more."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Path = tuple[Any, ...]

VERDICTS = ("REFUTED", "UNDECIDED", "SURVIVED", "PROVED")
NUMBERS = (0, -1, 1, 2, 1e-12, 0.5, 1e300, 10**18, True, None, "inf", "nan", "1e99999999999", "0", [])
WORDS = (
    "",
    "x\u200b",
    "\x1b]52;c;cm0=\x07",
    "::error file=x::y",
    "\u202e",
    "<script>",
    "A" * 5000,
    "\x00",
    "_x0008_",
)
SAME = {
    "PureDP": "PureDp",
    "holds": "falls",
    "falls": "holds",
    "code": "law",
    "law": "code",
    "proof": "attack",
}


@dataclass(frozen=True)
class Edited:
    """A changed file: the kind of edit, where it was made, and the bytes."""

    edit: str
    place: str
    raw: bytes


def edited(original: Any, other: Any, rng: np.random.Generator) -> Edited:
    """One edit of `original`; parts may come from `other`, a file of the same kind."""
    edits: tuple[tuple[str, Callable[..., Path | None]], ...] = (
        ("verdict", _verdict),
        ("verdicts together", _all_verdicts),
        ("number", _number),
        ("value", _value),
        ("type", _type),
        ("text", _text),
        ("deletion", _deletion),
        ("duplicate", _duplicate),
        ("part of another file", _swap),
        ("part of the same file", _moved),
        ("unknown key", _unknown),
    )
    name, edit = edits[int(rng.integers(len(edits) + 2)) % len(edits)]
    data = copy.deepcopy(original)
    place = edit(data, other, rng)
    if place is None or rng.random() < 0.06:
        return _of_bytes(original, rng)
    return Edited(
        name,
        shown(place),
        json.dumps(data, ensure_ascii=bool(rng.integers(2))).encode("utf-8", "surrogatepass"),
    )


def shown(place: Path) -> str:
    """A place without its numbers, as in findings[].evidence[].verdict."""
    return re.sub(r"\.\[", "[", ".".join("[]" if isinstance(step, int) else str(step) for step in place))


def places(data: Any, start: Path = ()) -> list[Path]:
    """Every place in the data, its inner ones included."""
    found: list[Path] = []
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for step, inner in items:
        found += [(*start, step), *places(inner, (*start, step))]
    return found


def at(data: Any, place: Path) -> Any:
    """The value at a place."""
    for step in place:
        data = data[step]
    return data


def _put(data: Any, place: Path, value: Any) -> Path:
    at(data, place[:-1])[place[-1]] = value
    return place


def _chosen(data: Any, rng: np.random.Generator, wanted: Callable[[Path, Any], bool]) -> Path | None:
    """A place, each kind of place as likely as any other: a file has more points of figures than verdicts."""
    kinds: dict[str, list[Path]] = {}
    for place in places(data):
        if wanted(place, at(data, place)):
            kinds.setdefault(shown(place), []).append(place)
    if not kinds:
        return None
    some = kinds[sorted(kinds)[int(rng.integers(len(kinds)))]]
    return some[int(rng.integers(len(some)))]


def _verdict(data: Any, other: Any, rng: np.random.Generator) -> Path | None:
    place = _chosen(
        data, rng, lambda _, v: v in VERDICTS or v in ("holds", "fails", "proved", "refuted", "survived")
    )
    if place is None:
        return None
    words = VERDICTS if at(data, place) in VERDICTS else ("holds", "fails", "proved", "refuted", "survived")
    left = [word for word in words if word != at(data, place)]
    return _put(data, place, left[int(rng.integers(len(left)))])


def _all_verdicts(data: Any, other: Any, rng: np.random.Generator) -> Path | None:
    """One word of a verdict by another everywhere, as a search and replace does, with what follows from it."""
    if not isinstance(data, dict):
        return None
    old, new = rng.choice(VERDICTS, 2, replace=False)
    for place in places(data):
        if at(data, place) == old:
            _put(data, place, str(new))
    if "exit_code" in data:
        data["exit_code"] = int(rng.integers(0, 2))
    for finding in data.get("findings", []):
        if isinstance(finding, dict) and "as_expected" in finding and rng.integers(2):
            finding["as_expected"] = True
    return ("every verdict",)


def _number(data: Any, other: Any, rng: np.random.Generator) -> Path | None:
    place = _chosen(data, rng, lambda _, v: isinstance(v, int | float) and not isinstance(v, bool))
    if place is None:
        return None
    value = at(data, place)
    factor = [0.5, 0.9, 1.1, 2, 10, 1 + 1e-6, -1][int(rng.integers(7))]
    return _put(data, place, round(value * factor) if isinstance(value, int) else value * factor)


def _value(data: Any, other: Any, rng: np.random.Generator) -> Path | None:
    place = _chosen(data, rng, lambda _, v: not isinstance(v, dict | list))
    return place and _put(data, place, NUMBERS[int(rng.integers(len(NUMBERS)))])


def _type(data: Any, other: Any, rng: np.random.Generator) -> Path | None:
    place = _chosen(data, rng, lambda *_: True)
    if place is None:
        return None
    value = at(data, place)
    other_type = [[value], {"value": value}, str(value)[:2000], [], {}][int(rng.integers(5))]
    return _put(data, place, other_type)


def _text(data: Any, other: Any, rng: np.random.Generator) -> Path | None:
    place = _chosen(data, rng, lambda _, v: isinstance(v, str))
    if place is None:
        return None
    value, word = at(data, place), WORDS[int(rng.integers(len(WORDS)))]
    changed = [SAME.get(value, value + word), value + word, word, re.sub(r"\d", "7", value)]
    return _put(data, place, changed[int(rng.integers(len(changed)))])


def _deletion(data: Any, other: Any, rng: np.random.Generator) -> Path | None:
    place = _chosen(data, rng, lambda *_: True)
    if place is not None:
        del at(data, place[:-1])[place[-1]]
    return place


def _duplicate(data: Any, other: Any, rng: np.random.Generator) -> Path | None:
    place = _chosen(data, rng, lambda p, _: isinstance(p[-1], int))
    if place is not None:
        at(data, place[:-1]).append(copy.deepcopy(at(data, place)))
    return place


def _swap(data: Any, other: Any, rng: np.random.Generator) -> Path | None:
    place = _chosen(data, rng, lambda *_: True)
    if place is None:
        return None
    same = [p for p in places(other) if shown(p) == shown(place) and at(other, p) != at(data, place)]
    return _put(data, place, copy.deepcopy(at(other, same[int(rng.integers(len(same)))]))) if same else None


def _moved(data: Any, other: Any, rng: np.random.Generator) -> Path | None:
    return _swap(data, copy.deepcopy(data), rng)


def _unknown(data: Any, other: Any, rng: np.random.Generator) -> Path | None:
    place = _chosen(data, rng, lambda _, v: isinstance(v, dict))
    if place is not None:
        at(data, place)[WORDS[int(rng.integers(len(WORDS)))] + "sure"] = True
        return (*place, "+")
    return place


def _of_bytes(original: Any, rng: np.random.Generator) -> Edited:
    """What only the bytes show: a key twice, numbers that are none, nesting, a cut, other encodings."""
    text = json.dumps(original)
    kinds: dict[str, bytes] = {
        "key twice": re.sub(
            r'"(verdict|schema|key|at|title)": "', r'"\1": "PROVED", "\1": "', text, count=1
        ).encode(),
        "NaN": re.sub(r": -?\d+(\.\d+)?([,}\]])", r": NaN\2", text, count=1).encode(),
        "1e999": re.sub(r": -?\d+(\.\d+)?([,}\]])", r": 1e999\2", text, count=1).encode(),
        "nesting": text[:-1].encode() + b', "x": ' + b"[" * 100_000,
        "cut": text[: int(rng.integers(1, len(text)))].encode(),
        "encoding": text.encode("utf-16"),
        "surrogate": text.replace('"title": "', '"title": "\\ud800', 1).encode(),
        "digits": re.sub(r": -?\d+(\.\d+)?([,}\]])", ": " + "9" * 5000 + r"\2", text, count=1).encode(),
        "two documents": (text * 2).encode(),
    }
    name = sorted(kinds)[int(rng.integers(len(kinds)))]
    return Edited(name, "bytes", kinds[name])
