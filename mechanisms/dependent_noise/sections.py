"""For each answer y the values of x at which it is possible, as runs of points of a fine grid."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ...symbolic.arrays import Floats
from .problem import PolicyProblem

Whole = NDArray[np.intp]

EDGE = 1e-11  # relative to the range of f: values this close to the edge of W count as inside
CELLS = 200  # cells of y where W has an infinite end


@dataclass(frozen=True)
class Sections:
    """Answers y in [low, high] are possible at no grid points but first..last, for each entry of the arrays.

    Every y has all its runs among the entries; without a potential (rho = 0) a run inside of another is left out.
    """

    first: Whole
    last: Whole
    low: Floats
    high: Floats

    def __len__(self) -> int:
        return len(self.first)

    def chosen(self, which: NDArray[np.bool_]) -> Sections:
        """The entries where `which` is true."""
        return Sections(self.first[which], self.last[which], self.low[which], self.high[which])


def sections_of(problem: PolicyProblem, grid: Floats) -> Sections:
    """The sections of every answer on the grid; f is taken at the grid's points only."""
    values = problem.answer(grid)
    below, above = (float(end) for end in problem.noise)
    edge = EDGE * (1 + float(np.ptp(values)))
    found: dict[tuple[int, int], list[float]] = {}
    rows: list[tuple[int, int, float, float]] = []
    for start, stop in _cells(problem, values, edge):
        inside = (values + below < stop - edge / 2) & (values + above > start + edge / 2)
        edges = np.flatnonzero(np.diff(np.concatenate([[0], inside, [0]])))
        for first, last in zip(edges[::2].tolist(), (edges[1::2] - 1).tolist(), strict=True):
            if problem.rho > 0:
                rows.append((first, last, start, stop))
                continue
            seen = found.setdefault((first, last), [start, stop])
            seen[0], seen[1] = min(seen[0], start), max(seen[1], stop)
    rows += [(first, last, ends[0], ends[1]) for (first, last), ends in found.items()]
    if problem.rho == 0:
        rows = _outermost(rows)
    table = np.array(rows)
    return Sections(table[:, 0].astype(np.intp), table[:, 1].astype(np.intp), table[:, 2], table[:, 3])


def _cells(problem: PolicyProblem, values: Floats, edge: float) -> list[tuple[float, float]]:
    """Cells of y: on each the set of possible grid points is constant, or taken as their union."""
    below, above = (float(end) for end in problem.noise)
    breaks = np.concatenate([values + end for end in (below, above) if np.isfinite(end)] or [values])
    if problem.rho > 0:
        nearest = min(max(0.0, below), above)
        spread = np.linspace(values.min(), values.max(), CELLS) + nearest
        breaks = np.concatenate([breaks, spread])
    breaks = np.unique(breaks)
    kept = breaks[np.concatenate([[True], np.diff(breaks) > edge])].tolist()
    inner = list(pairwise(kept))
    outer = [(-np.inf, kept[0])] * (not np.isfinite(below)) + [(kept[-1], np.inf)] * (not np.isfinite(above))
    return inner + outer


def _outermost(rows: list[tuple[int, int, float, float]]) -> list[tuple[int, int, float, float]]:
    kept: list[tuple[int, int, float, float]] = []
    for row in sorted(rows, key=lambda r: (r[0], -r[1])):
        if not kept or row[1] > kept[-1][1]:
            kept.append(row)
    return kept
