"""What a trial of a cited lemma is: instances at which the lemma is evaluated, and a falsified one that must be seen to fail at some."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

Generator = np.random.Generator
# (draws, whether the lemma is tried as it is cited or falsified) -> whether it holds at each instance.
Trial = Callable[[Generator, bool], Iterator[bool]]
_CLOSE = 1e-9


@dataclass(frozen=True)
class Tried:
    """A lemma: how its text begins wherever it is cited, what is evaluated, what the falsified one says, and the trial."""

    begins: tuple[str, ...]
    says: str
    falsified: str
    trial: Trial

    def holds(self, true: bool = True, seed: int = 0) -> bool:
        """Whether it holds at all instances; of the falsified lemma (`true` is False) it must be False."""
        return all(self.trial(np.random.default_rng(seed), true))


REGISTRY: list[Tried] = []


def lemma(*begins: str, says: str, falsified: str) -> Callable[[Trial], Trial]:
    """Decorator: the function tries the lemmas whose text begins so."""

    def keep(trial: Trial) -> Trial:
        REGISTRY.append(Tried(begins, says, falsified, trial))
        return trial

    return keep


def equal(one: float | np.ndarray, other: float | np.ndarray, close: float = _CLOSE) -> bool:
    """Equality of numbers or arrays, relative to the larger."""
    size = float(np.max(np.abs(one), initial=0)) + float(np.max(np.abs(other), initial=0))
    return bool(np.max(np.abs(np.asarray(one) - np.asarray(other)), initial=0) <= close * max(size, 1e-300))


def at_most(one: float, other: float, close: float = _CLOSE) -> bool:
    """one <= other, up to rounding."""
    return bool(one <= other + close * (abs(one) + abs(other)))
