"""How likely the truncation of a compression is to reject, bounded for all tables at once; and what that does to the density ratio.

For second moments S of m independent N(0, Sigma) rows and any entry, P(|S_jk - Sigma_jk| >= t) <= 2 exp(-(m/2)(u - ln(1 + u)))
with u = t/sqrt(Sigma_jj Sigma_kk).  Chernoff: the log moment generating function of x_j x_k - Sigma_jk at lambda is
-h(lambda Sigma_jk) with h(x) = x + ln((1 - x)^2 - a^2)/2 and a = lambda sqrt(Sigma_jj Sigma_kk) < 1/2, |x| <= a; h rises and then
falls, so that its least value is at an end, and h(a) <= h(-a): the square of one normal variable is the worst case.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from flint import arb, ctx, fmpq, fmpq_mat

from ....mechanisms.compression import Compression
from ....mechanisms.compression.reference import ReferenceCovariance
from ....symbolic.arrays import Floats
from ....symbolic.proof.exact_matrices import exact_matrix
from ....symbolic.proof.exact_numbers import above, below, written_fraction

BITS = 256


@dataclass(frozen=True)
class Normaliser:
    """ln P_2(accepted) - ln P_1(accepted) lies in [lower, upper]: what renormalising adds to the log ratio of 1 over 2.

    `error` is the probability that it does not (0: proved); `source` names the argument.
    """

    lower: float
    upper: float
    source: str
    error: float = 0.0

    def reversed(self) -> Normaliser:
        """The same for 2 over 1."""
        return Normaliser(-self.upper, -self.lower, self.source, self.error)


def spread_ball(m: int, n: int, p: int) -> arb:
    """C sqrt(ln(2 n p)/m), the part of the window that allows for chance (procedure 4.1), as a ball."""
    e = arb.const_e()
    c_1, c_2 = 4 * e / (6 * arb.pi()).sqrt(), arb(8).sqrt() * e
    return (2 * (c_1 + c_2) * arb(2 * n * p).log() / m).sqrt()


def window_ball(reference: ReferenceCovariance, m: int, n: int) -> arb:
    """The window of procedure 4.1 as a ball: C sqrt(ln(2 n p)/m) + delta_max."""
    return spread_ball(m, n, reference.dimension) + arb(written_fraction(reference.delta_max))


def rejection_ball(variances: list[fmpq], away: fmpq_mat | None, window: arb, m: int) -> arb:
    """An upper bound of P(some |S_jk - R_jk| > window), R the reference and |Sigma - R| = `away` (None: added to the window).

    `variances` are upper bounds of Sigma_jj.  The bound may exceed one.
    """
    p, total = len(variances), arb(0)
    for j in range(p):
        for k in range(j, p):
            room = window - (arb(0) if away is None else arb(abs(away[j, k])))
            if not room > 0:
                return arb(1)
            u = room / arb(variances[j] * variances[k]).sqrt()
            total += 2 * (-(u - (1 + u).log()) * m / 2).exp()
    return total


def rejection_bound(compression: Compression, sigma: Floats, n: int) -> float:
    """A proved upper bound of P_Sigma(rejected), at most one."""
    r, s = compression.reference, exact_matrix(sigma)
    with ctx.workprec(BITS):
        away = s - exact_matrix(r.covariance)
        variances = [s[j, j] for j in range(r.dimension)]
        return min(
            1.0, above(rejection_ball(variances, away, window_ball(r, compression.rows, n), compression.rows))
        )


def rejection_bound_for_all(compression: Compression, n: int) -> float:
    """A proved upper bound of P_Sigma(rejected) for every Sigma of the protected set, at most one."""
    r = compression.reference
    with ctx.workprec(BITS):
        wider = [
            written_fraction(float(r.covariance[j, j])) + written_fraction(r.delta_max)
            for j in range(r.dimension)
        ]
        return min(
            1.0,
            above(
                rejection_ball(wider, None, spread_ball(compression.rows, n, r.dimension), compression.rows)
            ),
        )


def normaliser(
    compression: Compression,
    first: Floats,
    second: Floats,
    n: int,
    rng: np.random.Generator | None = None,
    draws: int = 20_000,
    error: float = 1e-3,
) -> Normaliser:
    """The proved interval by `rejection_bound`; where that says nothing and `rng` is given, one from draws with error `error`.

    With neither, [-inf, inf]: the range of the log ratio over the window still bounds alpha without any normaliser.
    """
    if not compression.truncate:
        return Normaliser(0.0, 0.0, "nothing is cut out")
    rejected = [rejection_bound(compression, s, n) for s in (first, second)]
    if max(rejected) < 1:
        with ctx.workprec(BITS):
            logs = [below((1 - arb(written_fraction(r))).log()) for r in rejected]
        return Normaliser(logs[1], -logs[0], "Chernoff bound of the rejection")
    if rng is None:
        return Normaliser(-np.inf, np.inf, "unknown")
    ends = [compression.acceptance(s, n, draws, rng, level=1 - error / 2) for s in (first, second)]
    with np.errstate(divide="ignore"):
        (a, b), (c, d) = np.log(ends)
    return Normaliser(float(c - b), float(d - a), f"exact binomial intervals from {draws} draws each", error)
