"""Sabotaged proofs through the kernel, beside a judge that knows nothing of it: the value of both sides at points."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from random import Random
from typing import Any

from noiseproof.symbolic.proof.kernel.language import Reader, Rejected
from noiseproof.symbolic.proof.kernel.proof import ACCEPTED, REJECTED, answer

from .sabotage import Named, Step, hints, statements, text
from .truth import Judged, judged

POINTS, POINTS_OF_ACCEPTED = 3, 12
LIMIT = 20.0
FALSE, TRUE, OPEN, SAME = "false", "true at points", "not told", "hints"
_SHOWN = 400


@dataclass
class Tally:
    """Counts by source and by kind of (what the judge says, what the kernel says); and the mutants that have to be looked at."""

    counts: Counter[str] = field(default_factory=Counter)
    sources: Counter[str] = field(default_factory=Counter)
    faults: list[tuple[str, Step, str]] = field(default_factory=list)
    crashes: list[tuple[str, Step, str]] = field(default_factory=list)
    slow: list[tuple[str, Step, float]] = field(default_factory=list)
    to_look_at: list[tuple[str, Step]] = field(default_factory=list)
    originals: int = 0
    slowest: float = 0.0

    def put(self, source: str, kind: str, truth: str, word: str) -> None:
        """One more of this kind."""
        self.counts[f"{kind}|{truth}|{word}"] += 1
        self.sources[f"{source}|{truth}|{word}"] += 1


def one(entry: dict[str, Any], seed: int, tally: Tally, most: int | None = None) -> None:
    """All sabotages of one proof; with `most` so many of each kind, by chance."""
    step, seen = entry["proof"], {text(entry["proof"])}
    if _said(step, "as it stands", entry["source"], tally) != ACCEPTED:
        return
    tally.originals += 1
    twins = (("the twin's conclusion", step | t) for t in entry["twins"])
    rng = Random(f"{seed} {text(step)}")
    for kind, mutant in _some((*statements(step, entry["others"]), *twins), rng, most):
        if text(mutant) not in seen and _is_a_theorem(mutant):
            seen.add(text(mutant))
            _try(entry["source"], kind, mutant, Random(f"{seed} {text(mutant)}"), tally)
    for kind, mutant in _some(hints(step, entry["others"]), rng, most):
        if text(mutant) not in seen:
            seen.add(text(mutant))
            tally.put(entry["source"], kind, SAME, _said(mutant, kind, entry["source"], tally))


def _some(several: Iterable[Named], rng: Random, most: int | None) -> list[Named]:
    found = list(several)
    if most is None:
        return found
    rng.shuffle(found)
    counts: Counter[str] = Counter()
    kept = []
    for kind, mutant in found:
        counts[kind] += 1
        if counts[kind] <= most:
            kept.append((kind, mutant))
    return kept


def _try(source: str, kind: str, mutant: Step, rng: Random, tally: Tally) -> None:
    word = _said(mutant, kind, source, tally)
    try:
        points = POINTS_OF_ACCEPTED if word == ACCEPTED else POINTS
        found = judged(mutant, rng, points, sure=word == ACCEPTED)
    except (ArithmeticError, LookupError, TypeError, ValueError):
        # What is no expression of numbers has no value that could be looked at.
        found = Judged(None, 0)
    truth = FALSE if found.wrong else TRUE if found.true_at else OPEN
    tally.put(source, kind, truth, word)
    if word == ACCEPTED and truth == FALSE:
        tally.faults.append((kind, mutant, str(found.wrong)))
    if word == ACCEPTED and truth == OPEN:
        tally.to_look_at.append((kind, mutant))


def _said(step: Step, kind: str, source: str, tally: Tally) -> str:
    start = time.perf_counter()
    try:
        word = answer(step).word
    except Exception as error:
        tally.crashes.append((kind, step, repr(error)[:_SHOWN]))
        word = REJECTED
    seconds = time.perf_counter() - start
    tally.slowest = max(tally.slowest, seconds)
    if seconds > LIMIT:
        tally.slow.append((kind, step, seconds))
    return word


def _is_a_theorem(step: Step) -> bool:
    try:
        for side in ("left", "right"):
            Reader().term(step[side])
    except Rejected:
        return False
    return True


def table(tally: Tally) -> str:
    """By kind: how many are false at a point and how many of these are accepted; the same for the others."""
    kinds = sorted({k.split("|")[0] for k in tally.counts})
    return "\n".join(_rows("sabotage", kinds, tally.counts))


def by_source(tally: Tally) -> str:
    """The same by where the proofs come from."""
    names = sorted({k.split("|")[0] for k in tally.sources})
    return "\n".join(_rows("proofs of", names, tally.sources))


def _rows(head: str, names: list[str], counts: Counter[str]) -> list[str]:
    columns = [(t, w) for t in (FALSE, TRUE, OPEN, SAME) for w in (ACCEPTED, REJECTED)]
    titles = (
        " | ".join(f"{t}: tried | accepted" for t in (FALSE, TRUE, OPEN))
        + " | hints spoilt: tried | accepted"
    )
    found = [f"| {head} | {titles} |", "| --- |" + " ---: |" * 8]
    for name in [*names, "all"]:
        cells = []
        for truth in (FALSE, TRUE, OPEN, SAME):
            several = [
                {
                    w: sum(
                        n
                        for k, n in counts.items()
                        if k.split("|")[1:] == [t, w] and name in ("all", k.split("|")[0])
                    )
                }
                for t, w in columns
                if t == truth
            ]
            said = {k: v for d in several for k, v in d.items()}
            cells += [f"{sum(said.values()):,}", f"{said[ACCEPTED]:,}"]
        found.append(f"| {name} | " + " | ".join(cells) + " |")
    return found
