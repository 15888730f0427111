"""Numbers as steps: which repeated values an outcome has, and on which sides of the middles the rest lies."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ....symbolic.arrays import Floats
from ..outcomes import quantile

USUAL_VALUES, _LEAST_SHARE = 12, 0.003  # numbers of a column that have a weight of their own


@dataclass(frozen=True)
class Steps:
    """In each column the values that repeat, and the middle of the rest.

    `medians` (d,) are infinite where nothing is left beside repeated values; atom i is a value of column `columns[i]`.
    """

    columns: tuple[int, ...]
    atoms: tuple[float, ...]
    medians: Floats

    @classmethod
    def of(cls, values: Floats) -> Steps:
        """From outcomes (n, d)."""
        columns: list[int] = []
        atoms: list[float] = []
        ordered = np.sort(np.ascontiguousarray(values.T), axis=1)
        least = int(max(2.0, _LEAST_SHARE * len(values)))
        medians = quantile(values, 0.5)
        for j in np.flatnonzero((ordered[:, least:] == ordered[:, :-least]).any(axis=1)).tolist():
            distinct, counts = np.unique(ordered[j], return_counts=True)
            often = np.flatnonzero(counts > least)
            often = often[np.argsort(-counts[often], kind="stable")[:USUAL_VALUES]]
            rest = ordered[j][~np.isin(ordered[j], distinct[often])]
            if len(rest) > 0.01 * len(values):
                medians[j] = np.median(rest)
            else:
                medians[j] = np.inf
                if often.size == len(distinct):
                    often = often[:-1]  # the others' complement
            columns += [j] * len(often)
            atoms += distinct[often].tolist()
        return cls(tuple(columns), tuple(atoms), medians)

    def features(self, values: Floats) -> Floats:
        """Zeros and ones: beyond the middle, or equal to a repeated value."""
        stepping = np.flatnonzero(np.isfinite(self.medians))
        # A feature after the other, each in one piece of memory.
        columns = np.ascontiguousarray(values.T)
        out = np.empty((len(stepping) + len(self.atoms), len(values)))
        np.greater(
            columns[stepping], self.medians[stepping, None], out=out[: len(stepping)], casting="unsafe"
        )
        for i, (j, atom) in enumerate(zip(self.columns, self.atoms, strict=True)):
            np.equal(columns[j], atom, out=out[len(stepping) + i], casting="unsafe")
        return out.T
