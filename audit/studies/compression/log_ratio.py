"""The exact log-density ratio of two compressions and its supremum over the outputs that the truncation accepts.

ln f_1/f_2 = (m/2)(ln|Sigma_2| - ln|Sigma_1|) + (m/2) tr((Sigma_2^-1 - Sigma_1^-1) S) depends on the output through S = output' output/m
only, and linearly.  Zhou, Ligett, Wasserman (2009) bound it by (15); here it is solved.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from flint import arb, ctx, fmpq_mat
from numpy.typing import ArrayLike

from ....mechanisms.compression import Compression
from ....mechanisms.learning.training_set import finite_matrix
from ....symbolic.arrays import Floats
from ....symbolic.errors import SpecError
from ....symbolic.proof.exact_matrices import exact_matrix, is_semidefinite, rows_of, trace_of_product
from ....symbolic.proof.exact_numbers import above, below, written_fraction
from ...record.evidence import Verdict
from ...record.witness import Witness
from .acceptance import BITS, Normaliser, normaliser, window_ball
from .cone_box import moments, output_near, solve, upper_bound

ATTAINED = 1e-5  # relative gap between a witness and the upper bound


@dataclass(frozen=True, eq=False)
class LogRatioBound:
    """sup ln f'_1/f'_2 lies in [lower, upper]; `raw` is the same interval without the normaliser.

    `witness` is an accepted output (m, p) of rational numbers at which the log ratio is at least `lower`, None if none was
    found.  `attained`: some output reaches the supremum, and the witness comes within the gap of it (m >= p, so that every
    S of the window is the S of an output); otherwise the supremum is only enclosed.  `box` is the bound without the cone.
    """

    lower: float
    upper: float
    witness: Floats | None
    attained: bool
    normaliser: Normaliser
    raw: tuple[float, float]
    box: float


def log_ratio(output: fmpq_mat, m: int, first: fmpq_mat, second: fmpq_mat) -> arb:
    """A ball around ln f_1/f_2 at an output of m rows (rows of zeros may be left out), all exact, without the normaliser."""
    gamma = second.inv() - first.inv()
    return (arb(second.det() / first.det()).log() + arb(trace_of_product(gamma, moments(output, m)))) * m / 2


def _direction(compression: Compression, one: Floats, two: Floats, n: int, norm: Normaliser) -> LogRatioBound:
    m, r = compression.rows, compression.reference
    if not compression.truncate:
        value = untruncated_supremum(one, two, m)
        witness = np.zeros((m, len(one))) if np.isfinite(value[1]) else None
        return LogRatioBound(*value, witness, witness is not None, norm, value, value[1])
    with ctx.workprec(BITS):
        exact_one, exact_two, exact_r = exact_matrix(one), exact_matrix(two), exact_matrix(r.covariance)
        gamma, window = exact_two.inv() - exact_one.inv(), window_ball(r, m, n)
        rough = np.array([[float(arb(x)) for x in row] for row in gamma.tolist()])
        s, z = solve(rough, r.covariance, float(window)) if rough.any() else (r.covariance, 0 * rough)
        level = arb(exact_two.det() / exact_one.det()).log()
        high = above((level + upper_bound(gamma, z, exact_r, window)) * m / 2)
        box = above((level + upper_bound(gamma, 0 * z, exact_r, window)) * m / 2)
        witness = output_near(s, rough, r.covariance, window, m)
        low = (
            -np.inf
            if witness is None
            else below(log_ratio(exact_matrix(witness[: len(one)]), m, exact_one, exact_two))
        )
    near = witness is not None and high - low <= ATTAINED * max(1.0, abs(high))
    lower, upper = np.nextafter(low + norm.lower, -np.inf), np.nextafter(high + norm.upper, np.inf)
    return LogRatioBound(float(lower), float(upper), witness, near and m >= len(one), norm, (low, high), box)


def untruncated_supremum(first: ArrayLike, second: ArrayLike, m: int) -> tuple[float, float]:
    """An interval around sup ln f_1/f_2 when nothing is cut out: (inf, inf) unless Sigma_2 - Sigma_1 is positive semidefinite.

    tr((Sigma_2^-1 - Sigma_1^-1) S) is unbounded over the cone unless the matrix is negative semidefinite; then S = 0 is best.
    In both directions at once it is finite for equal second moments only.
    """
    one, two = exact_matrix(first), exact_matrix(second)
    if not is_semidefinite(two - one):
        return np.inf, np.inf
    with ctx.workprec(BITS):
        value = arb(two.det() / one.det()).log() * m / 2
        return below(value), above(value)


@dataclass(frozen=True, eq=False)
class PairAlpha:
    """The exact alpha of two tables, sup |ln f'_1/f'_2| over accepted outputs, enclosed: `forward` is 1 over 2.

    Both densities have mass one on the window, so that alpha lies between half the range of the log ratio and the range,
    whatever the normaliser is.
    """

    compression: Compression
    first: Floats
    second: Floats
    n: int
    forward: LogRatioBound
    backward: LogRatioBound

    @property
    def range(self) -> tuple[float, float]:
        """An interval around sup - inf of the log ratio, where the normaliser cancels."""
        a, b = self.forward.raw, self.backward.raw
        low, high = np.nextafter(a[0] + b[0], -np.inf), np.nextafter(a[1] + b[1], np.inf)
        return float(low), float(high)

    @property
    def error(self) -> float:
        """The probability that the enclosure misses, because of a sampled normaliser."""
        return self.forward.normaliser.error

    @cached_property
    def proved(self) -> tuple[float, float]:
        """An enclosure of alpha that rests on no sampling."""
        low, high = max(self.range[0] / 2, 0.0), self.range[1]
        if not self.error:
            low = max(low, self.forward.lower, self.backward.lower)
            high = min(high, max(self.forward.upper, self.backward.upper))
        return low, high

    @property
    def lower(self) -> float:
        """alpha is at least this, with probability 1 - error."""
        return max(self.proved[0], self.forward.lower, self.backward.lower)

    @property
    def upper(self) -> float:
        """alpha is at most this, with probability 1 - error."""
        return min(self.proved[1], max(self.forward.upper, self.backward.upper))

    @property
    def attained(self) -> bool:
        """Whether an output reaches the larger of the two suprema."""
        better = self.forward if self.forward.upper >= self.backward.upper else self.backward
        return better.attained

    def verdict(self, alpha: float) -> Verdict:
        """On "this pair is alpha-private": PROVED or REFUTED by proved bounds, SURVIVED by a sampled normaliser."""
        if self.proved[1] <= alpha:
            return Verdict.PROVED
        if self.proved[0] > alpha:
            return Verdict.REFUTED
        return Verdict.SURVIVED if self.upper <= alpha else Verdict.UNDECIDED

    def witness(self, alpha: float) -> Witness | None:
        """Second moments, outputs (their rows of zeros left out) and bound as plain data; it refutes `alpha` if it stands when evaluated."""
        found = [x.witness for x in (self.forward, self.backward)]
        if any(x is None for x in found) or not self.compression.truncate:
            return None
        r = self.compression.reference
        return {
            "kind": "log-density ratio of compressions",
            "records": self.n,
            "rows": self.compression.rows,
            "reference": rows_of(exact_matrix(r.covariance)),
            "delta_max": str(written_fraction(r.delta_max)),
            "second_moments": [rows_of(exact_matrix(self.first)), rows_of(exact_matrix(self.second))],
            "outputs": [rows_of(exact_matrix(x[: len(self.first)])) for x in found if x is not None],
            "alpha": str(written_fraction(alpha)),
        }


def pair_alpha(
    compression: Compression,
    first: ArrayLike,
    second: ArrayLike,
    n: int,
    rng: np.random.Generator | None = None,
) -> PairAlpha:
    """The suprema of ln f'_1/f'_2 and ln f'_2/f'_1 for second moments `first`, `second` (p, p) of tables of n records.

    The entries are read as exact numbers.  Raises ValueError if they are singular, not symmetric or outside the protected
    set.  `rng` allows for sampling the normaliser where no proof bounds it.  Without truncation see `untruncated_supremum`.
    """
    one, two = checked_moments(compression, first, n), checked_moments(compression, second, n)
    norm = normaliser(compression, one, two, n, rng)
    forward = _direction(compression, one, two, n, norm)
    return PairAlpha(compression, one, two, n, forward, _direction(compression, two, one, n, norm.reversed()))


def checked_moments(compression: Compression, sigma: ArrayLike, n: int) -> Floats:
    """Second moments (p, p) of a table that the compression would take; SpecError says what is wrong with others."""
    s = finite_matrix("second moments", sigma)
    p = compression.reference.dimension
    if s.shape != (p, p) or (s != s.T).any():
        raise SpecError(f"second moments must be a symmetric matrix of {p} x {p}, got shape {s.shape}")
    if isinstance(n, bool) or n != int(n) or n < max(p, compression.rows):
        raise SpecError(
            f"n must be a whole number of records, at least p = {p} and at least m = {compression.rows}, got {n!r}"
        )
    if not is_semidefinite(exact_matrix(s), strictly=True):
        raise SpecError(
            f"second moments must be positive definite, the least eigenvalue is {np.linalg.eigvalsh(s)[0]:.3g}: "
            "the release has no density, and tables with another null space are told apart with certainty"
        )
    away = float(np.abs(s - compression.reference.covariance).max())
    if away > compression.reference.delta_max * (1 + 1e-12):
        raise SpecError(
            f"the second moments differ from the reference by {away:.6g}, more than delta_max = "
            f"{compression.reference.delta_max:.6g}: the table is outside the protected set; use a wider set to look at it"
        )
    return s
