"""The word score: which words, pairs of words, letters at places and forms of numbers speak for one input."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from .....symbolic.arrays import Floats
from ...outcomes import Outcomes
from ..scores import Score, log_ratio
from .reading import words

# Standard deviations: of all words about two pass by chance, of very many a few more.
_LEAST_Z, _CLEAR_Z = 2.5, 3.5
_FEWEST = 7  # outcomes with a word, below which it cannot be clear
_MOST = 60  # words with a weight


def word_score(zero: Outcomes, one: Outcomes) -> Score | None:
    """The sum of the log count ratios of words that are clearly more frequent on one input; None if there are none."""
    worth = telling(_occurring(zero), _occurring(one), len(zero), len(one))
    if not worth:
        return None
    clear = np.array(list(worth))
    said = set().union(*(words(s.kinds.names).said(clear) for s in (zero, one)))
    found = sorted(said, key=lambda word: (-worth[hash(word)][0], word))[:_MOST]
    weights = {word: worth[hash(word)][1] for word in found}

    def of(sample: Outcomes) -> Floats:
        read = words(sample.kinds.names)
        known = {
            hash(word): weight for word, weight in weights.items()
        }  # in another process they have other numbers
        there = np.flatnonzero(np.isin(read.flat, list(known)))
        each = [known[word] for word in read.flat[there].tolist()]
        score = np.bincount(read.text[there], each, minlength=len(sample.kinds.names))
        return np.asarray(score[sample.kinds.codes], dtype=float)

    return Score("words", of, about=f", of which {found[0]!r} says most", things=len(weights))


def telling(
    zero: tuple[NDArray[Any], Floats], one: tuple[NDArray[Any], Floats], n0: int, n1: int
) -> dict[Any, tuple[float, float]]:
    """How clearly each of the things that tell most is more frequent on one input, and the log ratio of its counts.

    From things that n0 and n1 outcomes hold, and how many outcomes do; a thing may come more than once.
    """
    (w0, m0), (w1, m1) = zero, one
    known, which = np.unique(np.concatenate([w0, w1]), return_inverse=True)
    k0 = np.bincount(which[: len(w0)], m0, minlength=len(known))
    k1 = np.bincount(which[len(w0) :], m1, minlength=len(known))
    pooled = (k0 + k1 + 1) / (n0 + n1 + 2)
    z = np.abs((k1 / n1 - k0 / n0) / np.sqrt(pooled * (1 - pooled) * (1 / n0 + 1 / n1)))
    seen = np.flatnonzero(k0 + k1 >= _FEWEST)
    least = float(np.clip(-special.ndtri(1 / max(len(seen), 1)), _LEAST_Z, _CLEAR_Z))
    clear = seen[z[seen] > least]
    if not len(clear):
        return {}
    # Words that are equally clear are all kept: their reader chooses the first by the alphabet.
    clear = clear[z[clear] >= np.sort(z[clear])[-_MOST:][0]]
    rows = zip(z[clear].tolist(), log_ratio(k0, k1, n0, n1)[clear].tolist(), strict=True)
    return dict(zip(known[clear].tolist(), rows, strict=True))


def _occurring(sample: Outcomes) -> tuple[NDArray[np.int64], Floats]:
    """The words of the structures that occur in a sample, one after the other, and in how many outcomes each structure does."""
    read = words(sample.kinds.names)
    often = np.bincount(sample.kinds.codes, minlength=len(sample.kinds.names))[read.text]
    return read.flat[often > 0], often[often > 0].astype(float)
