"""The paper's alpha of two tables, term by term, beside bounds that hold with no term left out.

Zhou, Ligett, Wasserman (2009), (15), compares a table with the reference Sigma_1; Delta = Sigma_1 - Sigma_2, Gamma = Sigma_2^-1 - Sigma_1^-1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from flint import arb, ctx
from numpy.typing import ArrayLike

from noiseproof.audit.studies.compression.acceptance import normaliser, window_ball
from noiseproof.audit.studies.compression.log_ratio import checked_moments
from noiseproof.audit.studies.compression.rational_matrices import (
    BITS,
    above,
    exact_matrix,
    largest_entry,
    sum_of_entries,
)
from noiseproof.mechanisms.compression import Compression


@dataclass(frozen=True)
class PrintedAlpha:
    """The terms of (15) without its o(1), and of the last step of its proof with exact constants in place of o(1).

    (15): `spread` from C sqrt(ln(2np)/m), `closeness` from Dmax, `divergence` from the last term of the bracket.
    Last step: `entries` = (m p |Gamma|_F/2)(C sqrt(ln(2np)/m) + Dmax), `divergence_step` = (m/4) |Gamma|_F^2 |Sigma_1|_2^2/(1 - c)^2 with
    c = |Sigma_1|_2 |Gamma|_2, infinite for c >= 1 (lemma C.2 says nothing then); `small` is c.
    """

    spread: float
    closeness: float
    divergence: float
    entries: float
    divergence_step: float
    small: float
    enough_rows: bool
    unit_columns: bool
    rejection: float

    @property
    def total(self) -> float:
        """(15) without its o(1)."""
        return self.spread + self.closeness + self.divergence

    @property
    def with_normaliser(self) -> float:
        """(15) with -ln(1 - rejection) in place of its o(1): a proved bound wherever columns have squared length n.

        ln det is concave, so that A <= tr(Delta Gamma) <= |Delta|_F^2/(l_1 l_2); with unit diagonals l_2 <= 1 <= |Sigma_1|_2, hence m A/2
        is at most the last term of (15), with no assumption that Gamma or Delta is small.
        """
        return self.total - float(np.log1p(-self.rejection))

    @property
    def last_step(self) -> float:
        """The proof's last step, every o(1) replaced, the normaliser of remark 4.3 added as -ln(1 - rejection)."""
        return self.entries + self.divergence_step - float(np.log1p(-self.rejection))

    @property
    def hypotheses(self) -> bool:
        """Whether lemma 4.4's conditions hold: m >= 2 (C_1 + C_2) ln(2np) and columns of squared length n."""
        return self.enough_rows and self.unit_columns


def printed_alpha(compression: Compression, first: ArrayLike, second: ArrayLike, n: int) -> PrintedAlpha:
    """(15) for the reference `first` and any other `second` (p, p), Dmax = delta_max of the compression."""
    one, two = checked_moments(compression, first, n), checked_moments(compression, second, n)
    m, p, d_max = compression.rows, len(one), compression.reference.delta_max
    spread = compression.reference.window(m, n) - d_max
    gamma = np.linalg.inv(two) - np.linalg.inv(one)
    lowest = np.linalg.eigvalsh(one)[0] * np.linalg.eigvalsh(two)[0]
    moved, size = np.linalg.norm(one - two), np.linalg.norm(one, 2)
    factor = m * p * moved / (2 * lowest)
    small = float(size * np.linalg.norm(gamma, 2))
    by_gamma = float(np.linalg.norm(gamma))
    step = m * (by_gamma * size / (1 - small)) ** 2 / 4 if small < 1 else np.inf
    norm = normaliser(compression, one, two, n)
    return PrintedAlpha(
        float(factor * spread),
        float(factor * d_max),
        float(factor * 2 * moved * size**2 / (p * lowest)),
        float(m * p * by_gamma / 2 * (spread + d_max)),
        float(step),
        small,
        bool(spread <= 1),
        bool(np.abs([np.diag(one) - 1, np.diag(two) - 1]).max() <= 1e-9),
        float(-np.expm1(-norm.upper)),
    )


def explicit_alpha(compression: Compression, first: ArrayLike, second: ArrayLike, n: int) -> float:
    """A proved bound of the exact alpha with no o(1): (m/2) sum |Gamma| (window + max(|Sigma_1 - R|, |Sigma_2 - R|)), plus the normaliser.

    ln det is concave: ln|Sigma_2| - ln|Sigma_1| <= -tr(Gamma Sigma_2), so that the log ratio is at most (m/2) tr(Gamma (S - Sigma_2)), whatever
    Gamma is; and S lies within the window of R.  It holds for any two positive definite matrices.
    """
    one, two = checked_moments(compression, first, n), checked_moments(compression, second, n)
    norm = normaliser(compression, one, two, n)
    with ctx.workprec(BITS):
        r, a, b = (exact_matrix(x) for x in (compression.reference.covariance, one, two))
        gamma = b.inv() - a.inv()
        room = window_ball(compression.reference, compression.rows, n) + arb(
            max(largest_entry(a - r), largest_entry(b - r))
        )
        raw = room * arb(sum_of_entries(gamma)) * compression.rows / 2
        # Twice it bounds the range of the log ratio, where no normaliser is needed.
        return min(above(raw + max(norm.upper, -norm.lower)), above(2 * raw))
