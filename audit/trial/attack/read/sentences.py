"""An event on outcomes that were read, said as a person would: what an outcome contains or holds, and where."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from math import prod
from typing import Any

import numpy as np

from ...outcomes import Kinds, Outcomes, exception, is_plain, join
from ...structure import NUMBER
from ..events import Event
from ..scores import ANYWHERE, REPEATED, Score
from .coded import decoded
from .tokens import read_tokens

_SHOWN, _HELD = 1_000, 2_000_000  # outcomes per input that are looked at; their letters and numbers
_TOLD, _COLUMNS, _CANDIDATES, _LONGEST, _BYTES, _READ = 200, 12, 100, 100, 64, 8_000
_LEAST, _EXACT = 0.3, 1 - 1e-9  # correlation with the event, from which on something is worth saying
_QUOTED = r"b?'(?:[^'\\]|\\.)*'|b?\"(?:[^\"\\]|\\.)*\""
_PART = re.compile(
    rf"(?s)(?P<key>{_QUOTED}): |(?:str |bytes |=)(?P<text>{_QUOTED})|raises \w+: (?P<message>.*)"
    r"|(?P<leaf>\w+\[\d[\d, ]*\])|(?P<open>\w*[\[{])|(?P<close>[\]}])|(?P<next>, )|(?P<word>\w+)"
)
_TELLING = 3
_NUMBER = re.compile("number|complex|huge")
# Of what says as much, in this order: failures and how many items there are before what these leave behind.
_TOLD_FIRST = tuple(
    map(re.compile, (r".*(raise| exception )", "the number of items", "(?!the length |.*the letter )"))
)
_AT_THE_END = (
    (re.compile(r"(?s)(\{.*\}) in the order (\[.*\])"), "order its keys as"),
    (re.compile(r"masked (.*) (\[[\d, ]*\])"), "hide the entries"),
)
# What an outcome holds, by what is said of it: a number, or anything where only being there counts.
Said = dict[str, float]


def some(sample: Outcomes, scores: Iterable[Score] = ()) -> Outcomes:
    """As many outcomes as a sentence is found in, of those that repeat each one: a plan that holds them goes to every worker."""
    first = sample[:_SHOWN]
    if any(score.name == REPEATED for score in scores):
        rows = np.unique(sample.keys(), return_index=True)[1]
        first = join([first, sample[np.sort(rows[rows >= _SHOWN])[:_SHOWN]]])
    held = first.values.size + sum(map(len, first.kinds.words()))
    few = first[: max(1, _SHOWN * _HELD // max(held, _HELD))]
    return Outcomes(few.values, Kinds.of(few.kinds.words()))  # a part keeps the words of the whole


def said(score: Score, event: Event, shown: Sequence[Outcomes]) -> str:
    """The event as a sentence where what is read allows one, otherwise by its score."""
    short = f"{event.threshold:.6g}"
    about = "" if float(short) == event.threshold else "about "
    side = f"{'at most' if event.swapped else 'above'} {about}{short}"
    words = ""
    if shown:
        # Of plain numbers only those that repeat, or their remainders, are worth a look.
        kinds = {name for s in shown for name in s.kinds.names}
        plain = len(kinds) == 1 and shown[0].values.shape[1] == 1 and not score.divisors
        words = "" if plain else sentence(score, event, shown)
        words = words or most_telling(score, event, shown)
    return words if words.startswith("the ") else f"{side} on {words}" if words else f"{score.said} {side}"


def sentence(score: Score, event: Event, shown: Sequence[Outcomes]) -> str:
    """What outcomes of the event say and others do not; of a score of many things what says most of it; "" if nothing does."""
    every = join(shown)
    counted = (score.of(every) > event.threshold) != event.swapped
    if counted.all() or not counted.any():
        return ""
    sides = [np.flatnonzero(counted == side) for side in (True, False)]
    # Spread over both inputs: what is true of one input only is no sentence about the event.
    rows = np.concatenate([at[np.linspace(0, len(at) - 1, min(_TOLD, len(at))).astype(int)] for at in sides])
    sample, inside = every[rows], counted[rows]
    with np.errstate(all="ignore"):
        far = np.abs(sample.values[inside].mean(0) - sample.values[~inside].mean(0)) / sample.values.std(0)
    columns = set(np.argsort(-np.nan_to_num(far), kind="stable")[:_COLUMNS].tolist())
    loose = score.name == ANYWHERE
    read = _all_read(sample, columns, loose)
    # Counts say at once which words are worth a look; of numbers the most frequent are.
    often = Counter(what for said in read for what in said)
    among = Counter(what for said, i in zip(read, inside, strict=True) if i for what in said)
    of, off = inside.sum(), (~inside).sum()
    kept: set[str] = set()
    for number in (True, False):
        worth = {
            w: n if number else abs(among[w] / of - (n - among[w]) / off)
            for w, n in often.items()
            if w.startswith("the ") == number
        }
        kept |= set(sorted(worth, key=lambda w: -worth[w])[:_CANDIDATES])
    told = {w: _told(w, _values(read, w), inside, score.divisors) for w in often if w in kept}
    if exact := [w for w, (worth, _) in told.items() if worth > _EXACT]:
        # A few outcomes that say otherwise are found among all.
        read = _all_read(every, columns, loose)
        told |= {w: _told(w, _values(read, w), counted, score.divisors) for w in exact}
    best, words = max(
        told.values(),
        key=lambda one: (round(one[0], 9), *(bool(first.match(one[1])) for first in _TOLD_FIRST)),
        default=(0.0, ""),
    )
    if best < _LEAST:
        return ""
    words = words if len(words) <= _LONGEST else words[: _LONGEST - 3] + "..."
    things = score.things or every.values.shape[1]
    of_many = f"a score of {things:,} things read, most of all" if things > 1 else "a score that tells"
    return words if best > _EXACT else f"{of_many} whether {words}"


def most_telling(score: Score, event: Event, shown: Sequence[Outcomes]) -> str:
    """An event of outcomes that repeat by the three that tell most and a count, or by those that it lacks; "" for other events."""
    if score.name != REPEATED:
        return ""
    every = join(shown)
    told = score.of(every)
    counted = (told > event.threshold) != event.swapped
    # What was never learnt has the score 0: an event that holds it is said by what it lacks.
    lacks = (event.threshold < 0) != event.swapped
    rows = np.flatnonzero(counted != lacks)
    keys, first, often = np.unique(every.keys()[rows], return_index=True, return_counts=True)
    if not len(keys):
        return ""
    rows = rows[first]
    few = _TELLING + (len(keys) == _TELLING + 1)  # one other is no count
    order = np.lexsort((-often, -np.abs(told[rows]).round(9)))[:few]
    said = [_outcome(every.kinds.words()[i], every.values[i].tolist()) for i in rows[order]]
    others = len(keys) - len(said)
    last = f"one of {others:,} others" if others else said.pop()
    words = f"{', '.join(said)} or {last}" if said else last
    return f"the outcome is {'not ' if lacks else ''}{words}"


def _outcome(kind: str, values: Sequence[float]) -> str:
    """One outcome, shortened."""
    left = map(_number, values)
    if array := re.fullmatch(rf"{NUMBER}\[([\d, ]+)\]", kind):
        kind = f"[{', '.join(islice(left, prod(map(int, array[1].split(',')))))}]"
    elif "'" not in kind and '"' not in kind:  # no text, which may have the same word
        kind = re.sub(rf"\b{NUMBER}\b", lambda _: next(left, ""), kind)
    kind = kind.removeprefix("str ")
    return kind if len(kind) <= _LONGEST else f"{kind[: _LONGEST - 3]}..."


def _all_read(sample: Outcomes, columns: set[int], loose: bool) -> list[Said]:
    """What each outcome holds; its numbers at whatever place too if they are `loose`."""
    rows = zip(sample.kinds.words(), sample.values.tolist(), strict=True)
    # One structure is read once; its numbers stand at the same places.
    forms = {
        n: _read(n, [1j * j for j in range(sample.values.shape[1])], columns) for n in sample.kinds.names
    }
    return [
        {what: v[int(x.imag)] if isinstance(x, complex) else x for what, x in forms[n].items()}
        | ({f"hold the number {_number(x)}": 1.0 for x in v} if loose else {})
        for n, v in rows
    ]


def _values(read: Sequence[Said], what: str) -> Any:
    return np.array([said.get(what, np.nan) for said in read])


def _told(what: str, values: Any, inside: Any, divisors: Sequence[int]) -> tuple[float, str]:
    """How well one thing that is read goes with an event, and how it is said; a number by the threshold that does best."""
    there, (verb, _, rest) = ~np.isnan(values), what.partition(" ")
    if verb != "the":
        worth = _correlation(there, inside)
        return abs(worth), f"the outcome {verb}s {rest}" if worth > 0 else f"the outcome does not {what}"
    levels = np.unique(np.quantile(values[there], np.linspace(0, 1, 41), method="nearest"))
    cuts = [(values == v, f"is {_number(v)}") for v in levels if len(levels) < 4]
    for middle in map(_between, levels[:-1].tolist(), levels[1:].tolist()):
        said = _number(middle)
        cuts += [(values > middle, f"is above {said}"), (values <= middle, f"is at most {said}")]
    for by in divisors:
        left = values % by
        usual = Counter(left[there & inside].tolist()).most_common(1)
        cuts += [(left == part, f"leaves {_number(part)} when divided by {by}") for part, _ in usual]
    found = [(_correlation(there & cut, inside), f"{what} {words}") for cut, words in cuts]
    return max(found, key=lambda one: round(one[0], 9), default=(0.0, ""))


def _number(value: float) -> str:
    """With all of its digits: what is said is what is counted."""
    return repr(float(value)).removesuffix(".0")


def _between(low: float, high: float) -> float:
    """A number with few digits that has the first on its left or is it, and the second on its right."""
    middle = low / 2 + high / 2
    return next((x for n in range(4, 18) if low <= (x := float(f"{middle:.{n}g}")) < high), low)


def _correlation(one: Any, other: Any) -> float:
    p, q = one.mean(), other.mean()
    spread = p * (1 - p) * q * (1 - q)
    return float(((one & other).mean() - p * q) / spread**0.5) if spread > 0 else 0.0


def _read(name: str, values: Sequence[Any], columns: set[int]) -> dict[str, Any]:
    """What one outcome holds, from its structure in words and those of its numbers that are in `columns`."""
    said: dict[str, Any] = {f"raise {exception(name)[7:]}": 1} if exception(name) else {}
    if not is_plain(name) and not said:
        name, _, odd = name.rpartition(" non-finite at ")
        said = {f"hold {p.partition(':')[2]} at position {p.partition(':')[0]}": 1 for p in odd.split(",")}
    late: Said = {}
    for pattern, verb in _AT_THE_END:
        if found := pattern.fullmatch(name):
            name, words = found.groups()
            late = {f"{verb} {words}": 1.0}
    heads: list[str] = []
    column = 0
    for path, kind, words in _parts(name[:_READ]):
        where = _where(path, heads)
        if kind == "message" and path:
            # The type stands before what it says.
            said[f"hold the exception {words.partition(': ')[0][7:]}{where}"] = 1
            words = words.partition(": ")[2]
        if kind in ("text", "message"):
            heads += [words] if name.startswith("DataFrame") and path[:1] == (0,) else []
            said |= {**_of_text(words, where), **said}
        elif kind in ("key", "close"):
            said |= (
                {f"hold the key {words}": 1}
                if kind == "key"
                else {f"the number of items{where}": float(words)}
            )
        else:
            shape = [int(n) for n in re.findall(r"\d+", words.partition("[")[2])]
            size = prod(shape) if _NUMBER.match(words) else 0
            said[
                f"hold {re.sub('^number', 'a number' if not shape else 'numbers of shape ', words)}{where}"
            ] = 1
            for j in columns & set(range(column, column + size)):
                place = path + tuple(map(int, np.unravel_index(j - column, shape))) if shape else path
                said[f"the number{_where(place, heads)}"] = values[j]
            column += 2 if size and words.startswith(("complex", "huge")) else size
    return said | late


def _parts(name: str) -> Iterator[tuple[tuple[Any, ...], str, str]]:
    """The parts of a structure in words: their path of keys and positions, of which sort they are, and their words."""
    path: list[Any] = []
    for found in _PART.finditer(name):
        kind = found.lastgroup or ""
        if kind == "open":
            path.append(0)
        elif kind == "close":
            last = path.pop() if path else ""
            if isinstance(last, int):
                yield tuple(path), kind, str(last + 1)
        elif kind == "next":
            path[-1:] = [p + 1 if isinstance(p, int) else p for p in path[-1:]]
        else:
            path[-1:] = [found["key"]] if kind == "key" else path[-1:]
            yield tuple(path), kind, found[0] if kind == "message" and path else found[kind]


def _where(path: tuple[Any, ...], heads: Sequence[str]) -> str:
    if heads and len(path) == 3 and path[0] == 2 and path[2] < len(heads):
        return f" in the column {heads[path[2]]}"
    keys, places = [p for p in path if isinstance(p, str)], [str(p) for p in path if isinstance(p, int)]
    return (f" under key {keys[-1]}" if keys else "") + (
        f" at position {', '.join(places)}" if places else ""
    )


def _of_text(quoted: str, where: str) -> Said:
    """What text or bytes say: words and numbers after what stands before them, both ends, what is said in code."""
    try:
        raw = ast.literal_eval(quoted)
    except (SyntaxError, ValueError):  # the message of an exception with arguments of other kinds
        raw = quoted
    blob = raw if isinstance(raw, bytes) else b""
    text = blob.decode("latin-1") or (raw if isinstance(raw, str) else quoted)
    said: Said = {}
    before, last, count = "", "", 0
    for kind, token in read_tokens(text)[0]:
        if kind == "between":
            before = (last if last.isalpha() else "") + token[-8:]
            continue
        short, after = token[:24], f" after {before!r}" if before.strip(" \"'(") else ""
        if kind == "number":
            count += 1
            places = (f"the number{after}{where}", f"the number in place {count}{where}")
            said = dict.fromkeys(places, float(token.replace(",", ""))) | said
        else:
            said |= {f"contain {short!r}{after}{where}": 1, f"contain {short!r}{where}": 1}
        if last.isalpha() and token.isalpha():
            said[f"contain {last[:24]!r} before {short!r}{where}"] = 1
        said |= {
            f"contain the letters {token[i : i + 4]!r}{where}": 1 for i in range(min(len(token), 60) - 3)
        }
        last, before = token, ""
    coded = [word for _, told in decoded(text) for word in re.findall(r"\w+", told)]
    said |= {f"contain {word!r} in coded text{where}": 1 for word in coded}
    said |= {f"the byte in place {i}{where}": byte for i, byte in enumerate(blob[:_BYTES])}
    said |= {f"end with {text[-1:]!r}{where}": 1, f"the length of the text{where}": len(text)}
    return said | {f"hold the letter {c!r} in place {i}{where}": 1 for i, c in enumerate(text[:_BYTES])}
