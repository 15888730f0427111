"""Tokens as columns: outcomes whose text is numbers of fixed places, which all scores of numbers can read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from .....symbolic.arrays import Floats
from ...outcomes import Kinds, Outcomes, widen
from ..scores import Score
from .tokens import Text, read_all, unread

_LEAST_SHARE = 0.02  # of outcomes, below which a form of text has no columns
_WIDTH, _ENDS, _FEW = 120, 8, 20


def holds_text(sample: Outcomes) -> bool:
    """Whether so many structures occur that they hold text rather than a few answers."""
    return len(sample.kinds.names) > max(_FEW, 0.01 * len(sample))


def unread_share(sample: Sequence[Outcomes]) -> float:
    """The share of the letters of outcomes that no reader reads, 0 where there is no text."""
    return max((unread(s.kinds.names) for s in sample if holds_text(s)), default=0.0)


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
        for s in sample:
            often = np.bincount(s.kinds.codes, minlength=len(s.kinds.names))
            for text, n in zip(read_all(s.kinds.names), often, strict=True):
                counts[text.template] += int(n)
        total = sum(counts.values())
        forms = frozenset(form for form, n in counts.items() if n >= _LEAST_SHARE * total)
        if sum(counts[form] for form in forms) < 0.3 * total:
            forms = frozenset()
        widths = [
            len(text.columns)
            for s in sample
            for text in read_all(s.kinds.names)
            if not forms or text.template in forms
        ]
        width = min(max(widths), _WIDTH) if forms else 1 + 2 * _ENDS
        return cls(forms, max(s.values.shape[1] for s in sample), width)

    def read(self, sample: Outcomes) -> Outcomes:
        """The same outcomes with their text as columns."""
        texts = read_all(sample.kinds.names)
        table = np.array([self._row(text) for text in texts])
        names = [text.template if text.template in self.forms else "text" for text in texts]
        distinct = {name: i for i, name in enumerate(dict.fromkeys(names))}
        codes: NDArray[np.intp] = np.array([distinct[name] for name in names], dtype=np.intp)[
            sample.kinds.codes
        ]
        beside = widen(sample, self.beside).values[:, : self.beside]
        return Outcomes(
            np.concatenate([beside, table[sample.kinds.codes]], axis=1), Kinds(tuple(distinct), codes)
        )

    def _row(self, text: Text) -> Floats:
        given = text.columns
        if not self.forms:
            length, *inside = given
            missing = (0.0,) * _ENDS
            given = (length, *[*inside, *missing][:_ENDS], *[*inside[::-1], *missing][:_ENDS])
        row = np.zeros(self.width)
        row[: len(given[: self.width])] = given[: self.width]
        return row

    def on(self, score: Score | None) -> Score | None:
        """A score of columns as one of outcomes."""
        if score is None:
            return None
        return replace(
            score,
            name=f"{score.name}, of what is written",
            of=lambda sample: score.of(self.read(sample)),
            learn=None,
        )
