"""A second-moment matrix with Laplace noise on every entry, scaled to an L1 sensitivity that is too small.

RON-Gauss (Chanyaswad, Liu, Mittal 2019) takes 2 sqrt(p)/n for the L1 sensitivity of the p x p matrix; two unit
records reach p/n, here 8/100 instead of 2 sqrt(8)/100.
"""

from __future__ import annotations

import numpy as np

from noiseproof.symbolic.arrays import Floats

from .entry import EPSILON
from .laplace import laplace_entry

_P, _N = 8, 100
_SCALE = 2 * np.sqrt(_P) / (_N * EPSILON)
_HALVES = np.sign(np.arange(_P) - _P / 2 + 0.5)
# (u u' - v v')/n with entries of u, v = +-1/sqrt p: 0 where the signs of v agree, 2/(p n) where they differ.
DIFFERENCE = np.where(np.outer(_HALVES, _HALVES) < 0, 2 / (_P * _N), 0.0)
_CELLS = 512


def _rates() -> tuple[Floats, Floats]:
    """P0 and P1 of {loss > t}: the convolution of the entries' losses on a lattice that holds all their atoms.

    The loss of one entry goes from -a to a; an atom of mass 1/2 lies where input 1 (the matrix D) is, an atom of
    mass e^-a/2 at the other end, a density in between.  Cell masses are exact; only where a loss lies within its
    cell of width 2a/512 is rounded.
    """
    entries = int(np.count_nonzero(DIFFERENCE))
    a = DIFFERENCE.max() / _SCALE
    edges = (np.arange(_CELLS) + 0.5) / _CELLS
    below = 1 - 0.5 * np.exp(-a * edges)  # under input 1, place measured from its centre towards the other
    mass = np.diff(np.concatenate([[0.0], below, [1.0]]))
    total = np.zeros(entries * _CELLS + 1)
    spectrum = np.fft.rfft(mass, len(total))
    zero = np.clip(np.fft.irfft(spectrum**entries, len(total)), 0.0, None)
    # Under input 2 the same entry is mirrored.
    one = zero[::-1]
    return np.cumsum(zero[::-1])[::-1][1:], np.cumsum(one[::-1])[::-1][1:]


RON_GAUSS_COV = laplace_entry("ron_gauss_cov", DIFFERENCE, np.zeros((_P, _P)), _SCALE, _rates)
