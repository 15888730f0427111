"""Reachable sets: which doubles can come out of centre + scale * log(uniform on a grid), found by inverting the formula.

A textbook sampler turns a uniform number on a grid such as 2^-53 into noise: some doubles near a centre are never
written, and which ones depends on the centre (Mironov 2012).  Sampler is a candidate formula; nothing is assumed of the
release that is tested, since a set only says which event is counted.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ....symbolic.arrays import Floats
from .logarithms import LOGARITHMS

Bools = NDArray[np.bool_]

# The inverse is off by at most about (|noise|/scale + 3) steps of the grid times the uniform number, which is below 4.
_REACH = 4


@dataclass(frozen=True)
class Sampler:
    """centre -/+ scale * log(v), v on multiples of 2^-bits in (0, 1]; `divides`: log(v) / rate with rate = 1/scale given.

    `residues`, where not empty, are those of v * 2^bits modulo 8 that occur above and below the centre.
    """

    logarithm: str
    bits: int
    divides: bool = False
    residues: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())

    @property
    def name(self) -> str:
        """The formula in words."""
        formula = "log(v)/rate" if self.divides else "scale*log(v)"
        kind = "numpy's Laplace, " if self.residues[0] else ""
        return f"{kind}centre -/+ {formula}, v on multiples of 2^-{self.bits}, log of {self.logarithm}"

    def magnitude(self, v: Floats, parameter: ArrayLike) -> Floats:
        """|noise| for uniform numbers v, of the scale (or the rate)."""
        log = LOGARITHMS[self.logarithm](v)
        p = np.asarray(parameter, dtype=float)
        return np.asarray(-(log / p) if self.divides else -(p * log), dtype=float)

    def reaches(self, y: Floats, centre: ArrayLike, parameter: ArrayLike) -> Bools:
        """Whether each y (n,) comes out for some v; `centre` and `parameter` broadcast to y."""
        y, c, p = np.broadcast_arrays(y, np.asarray(centre, dtype=float), np.asarray(parameter, dtype=float))
        # Columns of a table are strided; everything below is quicker on rows of their own.
        y = np.ascontiguousarray(y)
        one_centre, one_parameter = np.ndim(centre) == 0, np.ndim(parameter) == 0
        grid = 2.0**self.bits
        with np.errstate(all="ignore"):
            noise = y - c
            v0 = np.exp(-np.abs(noise) * (p if self.divides else 1 / p))
        above = noise > 0
        # An unreadable number (v0 is NaN) becomes zero, which no sampler draws.
        near = np.rint(np.nan_to_num(v0 * grid, nan=0.0)).astype(np.int64)
        drawn = self._drawn(above)
        out = np.zeros(len(y), dtype=bool)
        rows = np.arange(len(y))
        for step in sorted(range(-_REACH, _REACH + 1), key=abs):
            if not len(rows):
                break
            k = near[rows] + step
            ok = (k >= 1) & (k <= grid)
            if drawn is not None:
                ok &= (drawn[rows] >> (k & 7) & 1).astype(bool)
            tried = rows[ok]
            a = self.magnitude(k[ok] / grid, float(p[0]) if one_parameter else p[tried])
            cc = float(c[0]) if one_centre else c[tried]
            hit = np.where(above[tried], cc + a, cc - a) == y[tried]
            out[tried[hit]] = True
            rows = rows[~out[rows]]
        return out

    def _drawn(self, above: Bools) -> NDArray[np.int64] | None:
        """For each side of the centre the residues of k that are drawn there, as bits of a number; None for all."""
        if not self.residues[0]:
            return None
        high, low = (sum(1 << r for r in side) for side in self.residues)
        return np.where(above, np.int64(high), np.int64(low))


# 2 - U - U rounds 2 - U to multiples of 2^-52 first: of the residues modulo 8 only these are left above the centre.
NUMPY_LAPLACE = Sampler("C library", 53, residues=((0, 1, 4, 7), (0, 2, 4, 6)))

SAMPLERS: tuple[Sampler, ...] = (
    NUMPY_LAPLACE,
    *(
        Sampler(log, bits, divides)
        for bits in (24, 31, 32, 52, 53)
        for divides in (False, True)
        for log in LOGARITHMS
    ),
)
