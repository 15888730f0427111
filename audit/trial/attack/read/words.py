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
FEWEST = 7  # outcomes with a word, below which it cannot be clear
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
    found, weights = clear(k0, k1, n0, n1)
    rows = zip(_apart(k0[found], k1[found], n0, n1).tolist(), weights.tolist(), strict=True)
    return dict(zip(known[found].tolist(), rows, strict=True))


def clear(
    k0: NDArray[Any], k1: NDArray[Any], n0: int, n1: int, fewest: int = FEWEST, least: float = _LEAST_Z
) -> tuple[NDArray[np.intp], Floats]:
    """The places of things that are clearly more frequent on one input, those that tell most, and the log ratios of their counts.

    From in how many of n0 and n1 outcomes each is; what is in fewer than `fewest` of all is none.
    """
    seen = np.flatnonzero(k0 + k1 >= fewest)
    z = _apart(k0[seen], k1[seen], n0, n1)
    clearly = z > float(np.clip(-special.ndtri(1 / max(len(seen), 1)), least, _CLEAR_Z))
    # Things that are equally clear are all kept: their reader chooses the first by the alphabet.
    clearly &= z >= np.sort(z)[-_MOST:][:1].sum()
    return seen[clearly], log_ratio(k0, k1, n0, n1)[seen[clearly]]


def _apart(k0: NDArray[Any], k1: NDArray[Any], n0: int, n1: int) -> Floats:
    """The standard deviations between two counts by their likelihood, which few against none are too."""
    share = (k0 + k1) / (n0 + n1)
    twice = 2 * (special.xlogy(k0, k0 / (n0 * share)) + special.xlogy(k1, k1 / (n1 * share)))
    return np.asarray(np.sqrt(np.maximum(twice, 0.0)), dtype=float)


def _occurring(sample: Outcomes) -> tuple[NDArray[np.int64], Floats]:
    """The words of the structures that occur in a sample, one after the other, and in how many outcomes each structure does."""
    read = words(sample.kinds.names)
    often = np.bincount(sample.kinds.codes, minlength=len(sample.kinds.names))[read.text]
    return read.flat[often > 0], often[often > 0].astype(float)
