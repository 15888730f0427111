"""Random steps through the kernel: none that is false at a point is accepted; of those true by construction, how many are."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field
from random import Random
from typing import Any

from noiseproof.symbolic.proof.kernel.language import Reader, Rejected
from noiseproof.symbolic.proof.kernel.proof import ACCEPTED, answer

from .edits import edited
from .families import FAMILIES
from .quadrature import fine
from .truth import refuted
from .values import UndefinedError, UnknownError

POINTS = 4


@dataclass
class Tally:
    """Counts by family, and every step that was accepted and is false."""

    false: Counter[str] = field(default_factory=Counter)
    not_refuted: Counter[str] = field(default_factory=Counter)
    true: Counter[str] = field(default_factory=Counter)
    true_accepted: Counter[str] = field(default_factory=Counter)
    changed_accepted: Counter[str] = field(default_factory=Counter)
    faults: list[tuple[dict[str, Any], str]] = field(default_factory=list)
    slowest: float = 0.0


def one(number: int, seed: int, tally: Tally) -> None:
    """The step of this number: as it was made in one of ten, changed in the others."""
    rng = Random(f"{seed} {number}")
    family = rng.choice(sorted(FAMILIES))
    try:
        step = FAMILIES[family](rng)
    except (UndefinedError, UnknownError):
        return
    kept = family != "random" and number % 10 == 0
    if not kept and family != "random":
        step = edited(step, rng)
    try:
        for side in ("left", "right"):
            Reader().term(step[side])
    except Rejected:
        return  # No theorem: a change made it a sentence that is not of the language.
    start = time.perf_counter()
    said = answer(step).word == ACCEPTED
    tally.slowest = max(tally.slowest, time.perf_counter() - start)
    state = rng.getstate()
    wrong = refuted(step, rng, 4 * POINTS if said else POINTS)
    if said and wrong is not None:
        rng.setstate(state)
        with fine():
            wrong = refuted(step, rng, 4 * POINTS)
    if kept:
        tally.true[family] += 1
        tally.true_accepted[family] += said
    elif wrong is None:
        tally.not_refuted[family] += 1
        tally.changed_accepted[family] += said
    else:
        tally.false[family] += 1
    if said and wrong is not None:
        tally.faults.append((step, wrong))
