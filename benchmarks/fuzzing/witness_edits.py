"""Random edits of real witnesses of every kind: what still stands must be true by other means, and nothing may hang or crash.

cd benchmarks && python -m fuzzing.witness_edits [--edits 3000] [--seed 20]
"""

from __future__ import annotations

import argparse
import copy
import json
import signal
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from noiseproof.audit.witnesses import reevaluate

from .real_witnesses import Found, Witness, found
from .witness_truth import untrue

SLOW = 10.0
_NUMBERS = (0, 1, -1, 2, 50, 0.5, -0.5, 1e-9, 1e9, 1e300, 10**15, 10**18, 10**30, 1e-300)
_TEXTS = ("", "oo", "-oo", "nan", "0", "1", "-1", "1/2", "1e99999999999", "9" * 5000, "9**9**9**9", "because", "__import__('os')", "PureDp", "\u200bPureDP", "x", "1/0", "1e308")  # fmt: off
_OTHERS: tuple[Any, ...] = (None, True, [], {}, [[]], "1", 0)


@dataclass
class Seen:
    """What was said of the edits, by kind; faults in full."""

    words: Counter[tuple[str, str]] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    slowest: float = 0.0


def edited(original: Witness, others: Sequence[Witness], rng: np.random.Generator) -> tuple[Witness, str]:
    """The witness with one place changed, now and then two, and where."""
    witness, where = copy.deepcopy(original), []
    for _ in range(1 if rng.random() < 0.8 else 2):
        places = list(_places(witness))
        if not places:
            break
        path = places[int(rng.integers(len(places)))]
        parent = _at(witness, path[:-1])
        key, action = path[-1], rng.random()
        if action < 0.1:
            del parent[key]
        elif action < 0.15 and isinstance(parent, dict):
            parent[f"{key}2"] = parent[key]
        elif action < 0.2:
            donor = others[int(rng.integers(len(others)))]
            parent[key] = copy.deepcopy(
                donor.get(key, next(iter(donor.values())))
                if isinstance(parent, dict)
                else next(iter(donor.values()))
            )
        else:
            parent[key] = _changed(parent[key], rng)
        where.append(".".join(map(str, path)))
    return witness, ", ".join(where)


def _changed(value: Any, rng: np.random.Generator) -> Any:
    if rng.random() < 0.1:
        return _OTHERS[int(rng.integers(len(_OTHERS)))]
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        if rng.random() < 0.4:
            return _NUMBERS[int(rng.integers(len(_NUMBERS)))]
        moved = value * float(rng.choice([-1, 0.5, 0.9, 1.001, 1.1, 2, 10, 1e6])) + float(
            rng.choice([0, 0, 1])
        )
        return round(moved) if isinstance(value, int) else moved
    if isinstance(value, str):
        if value and rng.random() < 0.5:
            place = int(rng.integers(len(value)))
            return value[:place] + str(rng.choice(list("0123456789.-/e()*+ "))) + value[place + 1 :]
        return _TEXTS[int(rng.integers(len(_TEXTS)))]
    if isinstance(value, list):
        rows = [[], value * 2, value[::-1], value[:-1], value[1:], [value[0]] * len(value) if value else []]
        return copy.deepcopy(rows[int(rng.integers(len(rows)))])
    return {} if rng.random() < 0.5 else value


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield (*path, key)
        yield from _places(inner, (*path, key))


def _at(value: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        value = value[key]
    return value


def tried(originals: Sequence[Found], edits: int, seed: int) -> Seen:
    """So many edits, kind by kind in turn."""
    rng, seen = np.random.default_rng(seed), Seen()
    by_kind: dict[str, list[Found]] = {}
    for one in originals:
        by_kind.setdefault(one.kind, []).append(one)
        if not reevaluate(one.witness, one.terms)[0]:
            seen.faults.append(f"{one.kind}: the original does not stand")
    kinds = sorted(by_kind)
    for number in range(edits):
        same = by_kind[kinds[number % len(kinds)]]
        one = same[int(rng.integers(len(same)))]
        other = originals[int(rng.integers(len(originals)))].witness
        witness, where = edited(one.witness, (other,), rng)
        if witness == one.witness:
            seen.words[one.kind, "same"] += 1
            continue
        _judge(one, json.loads(json.dumps(witness)), where, seen)
    return seen


def _judge(one: Found, witness: Witness, where: str, seen: Seen) -> None:
    terms = one.terms and replace(one.terms, evidence=replace(one.terms.evidence, witness=witness))
    started = time.perf_counter()
    try:
        with _alarm():
            stands, says = reevaluate(witness, terms)
        word = "stands" if stands else "falls"
    except ValueError as error:
        stands, says, word = False, str(error), "refused"
    except Exception as crash:
        stands, says, word = False, repr(crash), "crashed"
        seen.faults.append(f"{one.kind}: {where}: {type(crash).__name__}: {crash!s:.200}")
    took = time.perf_counter() - started
    seen.slowest = max(seen.slowest, took)
    seen.words[one.kind, word] += 1
    if took > SLOW:
        seen.faults.append(f"{one.kind}: {where}: {took:.0f} s for {json.dumps(witness)[:300]}")
    if len(says) > 4_000:
        seen.faults.append(f"{one.kind}: {where}: says {len(says):,} characters")
    if stands:
        try:
            wrong = untrue(one, witness)
        except Exception as error:
            wrong = f"cannot be computed: {error!r:.200}"
        if wrong is not None:
            seen.faults.append(
                f"{one.kind}: {where}: stands, and is not true: {wrong}: {json.dumps(witness)[:300]}"
            )


@contextmanager
def _alarm() -> Iterator[None]:
    """An interrupt after twice as long as an edit may take."""

    def ring(*_: Any) -> None:
        raise RuntimeError("no answer in time")

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, 2 * SLOW)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def table(seen: Seen) -> str:
    """One Markdown row for each kind."""
    words = ("stands", "falls", "refused", "same", "crashed")
    lines = ["| kind | " + " | ".join(words) + " |", "| --- |" + " ---: |" * len(words)]
    for kind in sorted({kind for kind, _ in seen.words}):
        lines.append(f"| {kind} | " + " | ".join(str(seen.words[kind, word]) for word in words) + " |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--edits", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=20)
    asked = parser.parse_args()
    started = time.perf_counter()
    seen = tried(list(found()), asked.edits, asked.seed)
    print(table(seen))
    print(
        f"\n{sum(seen.words.values()):,} edits in {time.perf_counter() - started:.0f} s, the slowest {seen.slowest:.1f} s; {len(seen.faults)} faults"
    )
    for fault in seen.faults:
        print(fault)
    raise SystemExit(1 if seen.faults else 0)


if __name__ == "__main__":
    main()
