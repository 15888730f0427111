"""The word score: which words, pairs of words, letters at places and forms of numbers speak for one input."""

from __future__ import annotations

from collections import Counter

import numpy as np
from numpy.typing import NDArray
from scipy import special

from .....symbolic.arrays import Floats
from ...outcomes import Outcomes
from ..scores import Score, log_ratio
from .tokens import read_all

_LEAST_Z, _CLEAR_Z = (
    2.5,
    3.5,
)  # standard deviations: of all words about two pass by chance, of very many a few more
_FEWEST = 7  # outcomes with a word, below which it cannot be clear
_MOST = 60  # words with a weight


def word_score(zero: Outcomes, one: Outcomes) -> Score | None:
    """The sum of the log count ratios of words that are clearly more frequent on one input; None if there are none."""
    counts = [_counts(zero), _counts(one)]
    n0, n1 = len(zero), len(one)
    found: list[tuple[float, str, float]] = []
    words = [word for word in {*counts[0], *counts[1]} if counts[0][word] + counts[1][word] >= _FEWEST]
    clear = float(np.clip(-special.ndtri(1 / max(len(words), 1)), _LEAST_Z, _CLEAR_Z))
    for word in words:
        k0, k1 = counts[0][word], counts[1][word]
        pooled = (k0 + k1 + 1) / (n0 + n1 + 2)
        z = (k1 / n1 - k0 / n0) / np.sqrt(pooled * (1 - pooled) * (1 / n0 + 1 / n1))
        if abs(z) > clear:
            found.append((float(abs(z)), word, float(log_ratio(k0, k1, n0, n1))))
    if not found:
        return None
    found.sort(key=lambda row: (-row[0], row[1]))
    weights = {word: ratio for _, word, ratio in found[:_MOST]}

    def of(sample: Outcomes) -> Floats:
        texts = read_all(sample.kinds.names)
        score = np.array([sum(weights.get(word, 0.0) for word in text.words) for text in texts])
        return np.asarray(score[sample.kinds.codes], dtype=float)

    return Score("words", of, about=f", of which {found[0][1]!r} says most")


def _counts(sample: Outcomes) -> Counter[str]:
    """In how many outcomes each word is."""
    often: NDArray[np.intp] = np.bincount(sample.kinds.codes, minlength=len(sample.kinds.names))
    counts: Counter[str] = Counter()
    for text, n in zip(read_all(sample.kinds.names), often, strict=True):
        if n:
            for word in text.words:
                counts[word] += int(n)
    return counts
