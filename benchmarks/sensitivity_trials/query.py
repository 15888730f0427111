"""What is known of a query before any instrument is asked: how it is written, what it computes, and its sensitivity."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sensitivity_trials.relations import Relation
from sensitivity_trials.spaces import Space

Floats = NDArray[np.float64]
Norm = Literal["l1", "l2", "max", "frobenius", "spectral"]
Kind = Literal["closed", "search", "infinite"]


@dataclass(frozen=True)
class Query:
    """A query of n records, `value` maps data sets (m, n, d) to answers (m,), (m, k) or (m, k, k).

    `expression` has the entries of the answer, row by row, as sympy reads them; `per` says that they are those of one
    record and are summed ("sum"), averaged ("mean") or the loss of a risk ("risk", least in the symbols `over`, with
    the ridge term `ridge`*|over|^2/2).  `structure` names a query that no expression writes, with `options`.
    `truth` is exact and `number` its digits; without a closed form `truth` is empty.  A `closed` one has a proof in
    `why`; one by `search` has what is known of it there.  `ray` leads to two neighbours for each t > 1, whose answers
    move apart without end.  `attained` is False where the supremum is no maximum.
    """

    name: str
    records: tuple[tuple[str, ...], ...]
    space: Space
    relation: Relation
    norm: Norm
    value: Callable[[Floats], Floats]
    truth: str
    number: str
    why: str
    kind: Kind = "closed"
    expression: tuple[str, ...] = ()
    per: Literal["", "sum", "mean", "risk"] = ""
    over: tuple[str, ...] = ()
    ridge: str = "0"
    structure: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    ray: Callable[[float], tuple[Floats, Floats]] | None = None
    attained: bool = True

    @property
    def claim(self) -> float:
        """Relative accuracy that is asked of an answer: a factor 1.05 around a risk's minimiser, 1e-6 of the rest."""
        return 0.05 if self.per == "risk" else 1e-6


def names(letter: str, count: int) -> tuple[tuple[str, ...], ...]:
    """Records of one symbol each: ((x1,), (x2,), ...)."""
    return tuple((f"{letter}{k}",) for k in range(1, count + 1))


def pairs(one: str, two: str, count: int) -> tuple[tuple[str, ...], ...]:
    """Records of two symbols each: ((x1, y1), (x2, y2), ...)."""
    return tuple((f"{one}{k}", f"{two}{k}") for k in range(1, count + 1))
