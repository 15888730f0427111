"""All outcomes of a sample, read: their numbers and their words as arrays, which take less memory than the text itself."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from .....symbolic.arrays import Floats
from .phrases import words_of
from .tokens import numbers_of

Places = NDArray[np.intp]
_KEPT = 4  # samples: of two inputs, and the next two


@dataclass(frozen=True)
class Numbers:
    """The numbers of n texts one after the other: text i has `flat[ends[i] : ends[i + 1]]`, its template is `forms[form[i]]`."""

    flat: Floats
    ends: Places
    form: Places
    forms: tuple[str, ...]


@dataclass(frozen=True)
class Words:
    """The words of n texts one after the other, as numbers that this process knows them by: word i is of `text[i]`.

    `letters` are those that are read in all texts.
    """

    names: tuple[str, ...]
    flat: NDArray[np.int64]
    text: Places
    letters: int

    def said(self, words: NDArray[np.int64]) -> set[str]:
        """Those of these words that stand in a text, each read again in the first that has it."""
        order = np.argsort(self.flat, kind="stable")
        place = order[np.searchsorted(self.flat, words, sorter=order).clip(max=len(order) - 1)]
        first = set(self.text[place[self.flat[place] == words]].tolist())
        wanted = set(words.tolist())
        return {word for text in first for word in words_of(self.names[text])[0] if hash(word) in wanted}


@lru_cache(_KEPT)
def numbers(names: tuple[str, ...]) -> Numbers:
    """The numbers of each structure in words."""
    flat, ends, form = array("d"), array("q", [0]), array("q")
    forms: dict[str, int] = {}
    for name in names:
        template, columns = numbers_of(name)
        flat.extend(columns)
        ends.append(len(flat))
        form.append(forms.setdefault(template, len(forms)))
    return Numbers(np.array(flat), np.array(ends, dtype=np.intp), np.array(form, dtype=np.intp), tuple(forms))


@lru_cache(_KEPT)
def words(names: tuple[str, ...]) -> Words:
    """The words of each structure in words."""
    flat, sizes, letters = array("q"), array("q"), 0
    for name in names:
        found, read = words_of(name)
        flat.extend(map(hash, found))
        sizes.append(len(found))
        letters += read
    return Words(names, np.array(flat), np.repeat(np.arange(len(names)), np.array(sizes)), letters)
