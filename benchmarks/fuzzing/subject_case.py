"""A case of the subject fuzzer: a claim whose truth is known from outside, and the word that the product has for it."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np

Draw = Callable[[np.random.Generator], "SubjectCase"]


@dataclass(frozen=True)
class SubjectCase:
    """`word()` asks the product (PROVED, SURVIVED, UNDECIDED, REFUTED); `holds` is the truth, computed with mpmath, flint or by hand.

    `margin` is the relative distance of the claimed number from the true one. A `word` that raises ValueError or TypeError with
    a message has refused; any other exception is a crash.
    """

    family: str
    description: str
    word: Callable[[], str]
    holds: bool
    margin: float


@dataclass
class Tally:
    """What was said, by family and truth; wrong words and crashes in full."""

    words: Counter[tuple[str, bool, str]] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)

    def add(self, case: SubjectCase) -> None:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                word = case.word()
        except (ValueError, TypeError) as refusal:
            word = "refused"
            if not str(refusal):
                self.faults.append(f"{case.family}: {case.description}: refused without a word")
        except Exception as crash:
            word = "crashed"
            self.faults.append(f"{case.family}: {case.description}: {type(crash).__name__}: {crash}")
        self.words[case.family, case.holds, word] += 1
        if (word == "PROVED" and not case.holds) or (word == "REFUTED" and case.holds):
            truth = "holds" if case.holds else "falls"
            self.faults.append(
                f"{case.family}: {case.description}: {word}, and it {truth} (margin {case.margin:.1e})"
            )

    def share(self, word: str) -> float:
        """The share of all cases that got this word."""
        return sum(count for (_, _, said), count in self.words.items() if said == word) / max(
            sum(self.words.values()), 1
        )


def tried(families: Iterable[Draw], cases: int, seed: int) -> Tally:
    """`cases` cases, the families in turn, each with a stream of its own from `seed`."""
    draws, tally = list(families), Tally()
    for k in range(cases):
        tally.add(draws[k % len(draws)](np.random.default_rng([seed, k])))
    return tally
