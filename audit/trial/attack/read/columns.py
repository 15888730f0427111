"""Tokens as columns: outcomes whose text is numbers of fixed places, which all scores of numbers can read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .....symbolic.arrays import Floats
from ...outcomes import Kinds, Outcomes, widen
from ..scores import Score
from .reading import Numbers, numbers, words

_LEAST_SHARE = 0.02  # of outcomes, below which a form of text has no columns
_WIDTH, _ENDS, _FEW = 120, 8, 20


def holds_text(sample: Outcomes) -> bool:
    """Whether so many structures occur that they hold text rather than a few answers."""
    return len(sample.kinds.names) > max(_FEW, 0.01 * len(sample))


def unread_share(sample: Sequence[Outcomes]) -> float:
    """The share of the letters of outcomes that no reader reads, 0 where there is no text."""
    named = [s.kinds.names for s in sample if holds_text(s)]
    return max((1 - words(n).letters / max(sum(map(len, n)), 1) for n in named), default=0.0)


@dataclass(frozen=True)
class Columns:
    """The forms of text that have columns, how many numbers stand beside the text, and how many columns there are.

    `forms` is empty where no form is frequent: then the length and the first and the last tokens are the columns.
    """

    forms: frozenset[str]
    beside: int
    width: int

    @classmethod
    def of(cls, sample: Sequence[Outcomes]) -> Columns | None:
        """From outcomes of the inputs; None if their structure says nothing beyond itself."""
        if not any(map(holds_text, sample)):
            return None
        counts: Counter[str] = Counter()
        tables = [numbers(s.kinds.names) for s in sample]
        for s, table in zip(sample, tables, strict=True):
            often = np.bincount(table.form[s.kinds.codes], minlength=len(table.forms))
            counts.update(dict(zip(table.forms, often.tolist(), strict=True)))
        total = sum(counts.values())
        forms = frozenset(form for form, n in counts.items() if n >= _LEAST_SHARE * total)
        if sum(counts[form] for form in forms) < 0.3 * total:
            forms = frozenset()
        usual = (
            np.diff(t.ends)[np.isin(t.form, [i for i, f in enumerate(t.forms) if f in forms])] for t in tables
        )
        width = min(max(int(sizes.max(initial=0)) for sizes in usual), _WIDTH) if forms else 1 + 2 * _ENDS
        return cls(forms, max(s.values.shape[1] for s in sample), width)

    def read(self, sample: Outcomes) -> Outcomes:
        """The same outcomes with their text as columns."""
        table = numbers(sample.kinds.names)
        names = [form if form in self.forms else "text" for form in table.forms]
        distinct = {name: i for i, name in enumerate(dict.fromkeys(names))}
        kinds: NDArray[np.intp] = np.array([distinct[name] for name in names], dtype=np.intp)
        beside = widen(sample, self.beside).values[:, : self.beside]
        codes = sample.kinds.codes
        return Outcomes(
            np.concatenate([beside, self._rows(table)[codes]], axis=1),
            Kinds(tuple(distinct), kinds[table.form][codes]),
        )

    def _rows(self, table: Numbers) -> Floats:
        """The columns of each text, shape (n, width), zero where it has none."""
        first, last = table.ends[:-1, None], table.ends[1:, None]
        if self.forms:
            place = first + np.arange(self.width)
            known = place < last
        else:
            ahead, back = first + np.arange(_ENDS + 1), last - 1 - np.arange(_ENDS)
            place = np.concatenate([ahead, back], axis=1)
            known = np.concatenate([ahead < last, back > first], axis=1)
        return np.where(known, table.flat[np.where(known, place, 0)], 0.0)

    def on(self, score: Score | None) -> Score | None:
        """A score of columns as one of outcomes."""
        return score and score.after(self.read, "what is written", things=self.beside + self.width)
