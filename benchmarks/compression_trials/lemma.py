"""The rejection as lemma 4.4 of Zhou, Ligett, Wasserman (2009) bounds it, where its hypotheses hold."""

from __future__ import annotations

import numpy as np
from flint import ctx

from noiseproof.audit.studies.compression.acceptance import BITS, spread_ball
from noiseproof.mechanisms.compression import Compression
from noiseproof.symbolic.arrays import Floats


def lemma_4_4(compression: Compression, sigma: Floats, n: int) -> float | None:
    """1/n^2, the paper's bound of the rejection, or None where a hypothesis of lemma 4.4 fails.

    Columns of squared length n, m >= 2 (C_1 + C_2) ln(2 n p), Sigma in the protected set.
    """
    r = compression.reference
    with ctx.workprec(BITS):
        enough = spread_ball(compression.rows, n, r.dimension) <= 1
    unit = bool(np.abs(np.diag(sigma) - 1).max() <= 1e-9)
    inside = float(np.abs(sigma - r.covariance).max()) <= r.delta_max * (1 + 1e-12)
    return 1 / n**2 if enough and unit and inside else None
