"""The release of records with noise on a grid whose columns stay contiguous from reading to writing."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ....mechanisms.grid_noise import Bits, GridRelease
from ....symbolic.arrays import Floats


class ByColumns(GridRelease):
    """The code that a release runs; the audit calls the same."""

    def apply(self, block: ArrayLike, bits: Bits) -> Floats:
        raw = np.asarray(block, dtype=float)
        out = np.empty(raw.shape[::-1])
        for j, row in enumerate(out):
            row[:] = self.apply_column(j, raw[:, j], bits)
        return out.T

    def of_unit(self, records: int) -> ByColumns:
        """The release of so many records, one after the other, as of one long record."""
        return ByColumns(self.noises * records, self.lows * records, self.highs * records)
