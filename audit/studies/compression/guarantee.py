"""Distributional and constrained differential privacy of a compression as claims about every pair of tables of the protected set.

Zhou, Ligett, Wasserman (2009), definitions 2.3 and 2.4, theorem 2.5.  Both quantify over second moments: tables of n records
with |Sigma - R| <= delta_max entrywise whose second moments differ by at most `closeness`; the second also asks for one record
that differs.  Tables outside the set, and neighbours further apart, are not covered.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from flint import arb, ctx, fmpq, fmpq_mat

from ....mechanisms.compression import Compression, second_moments
from ....symbolic.arrays import Floats
from ....symbolic.claim import Claim, Scope
from ....symbolic.errors import SpecError
from ....symbolic.privacy.guarantees import PureDP
from ....symbolic.proof.exact_matrices import exact_matrix, is_semidefinite
from ....symbolic.proof.exact_numbers import above, written_fraction
from ....symbolic.proof.proofs.recorded import recorded
from ...record.evidence import Evidence, Measured, Verdict
from ...record.known_checks import COMPRESSION, stated
from .acceptance import BITS, rejection_bound_for_all, window_ball
from .derivation import derived, guarantee_derivation
from .log_ratio import PairAlpha, pair_alpha

Adjacency = Literal["distributional", "differential"]

_INSIDE = 1 - 1e-9  # rounding must not leave the set
_NEARNESS = 1e-6  # how near to singular the explicit tables are where the set reaches singular ones


@dataclass(frozen=True, eq=False)
class CompressionGuarantee:
    """alpha for all pairs of tables in the scope: at most `alpha` (proved), at least what `attack` shows on one explicit pair.

    `least_eigenvalue` is a proved lower bound over the set, at or below zero if none is known: `alpha` is then infinite.
    """

    compression: Compression
    n: int
    closeness: float
    adjacency: Adjacency
    least_eigenvalue: float
    alpha: float
    rejection: float

    @property
    def scope(self) -> Scope:
        """What a claim of this kind quantifies over."""
        r = self.compression.reference
        near = f"second moments differ by at most {self.closeness:g} entrywise"
        pairs = (
            f"any number of records differ, {near}"
            if self.adjacency == "distributional"
            else f"one record is replaced, {near}"
        )
        return Scope(
            pairs,
            f"tables of n = {self.n:,} records and {r.dimension} columns with positive definite X'X/n within {r.delta_max:g} of the "
            "public reference, entrywise; already normalised, if they are to be",
            "one record" if self.adjacency == "differential" else "the whole table",
        )

    def claim(self, alpha: float) -> Claim:
        """The claim that the law of the release is alpha-private over the scope."""
        return Claim(
            PureDP(alpha),
            scope=self.scope,
            about="law",
            assumptions=(
                "the second moments lie in the protected set",
                "rejected draws are not seen",
                "Phi is not seen",
            ),
            source="Zhou, Ligett, Wasserman (2009), definitions 2.3 and 2.4",
            title=f"{self.adjacency} privacy of compression",
        )

    def tables(self) -> tuple[Floats, Floats]:
        """Two tables (n, p) of the scope that differ in one record: none, and sqrt(n c) times signs.

        The signs are those of the eigenvector of the least eigenvalue of R, the first second moments lie where it is least.
        """
        r, p = self.compression.reference, self.compression.reference.dimension
        sign = np.where(np.linalg.eigh(r.covariance)[1][:, 0] >= 0, 1.0, -1.0)
        # R - d s s' stays positive definite while d < 1/(s' R^-1 s).
        down = min(r.delta_max * _INSIDE, (1 - _NEARNESS) / float(sign @ np.linalg.solve(r.covariance, sign)))
        low = r.covariance - down * np.outer(sign, sign)
        step = min(self.closeness, r.delta_max + down) * _INSIDE
        first = np.zeros((self.n, p))
        first[:p] = np.sqrt(self.n) * np.linalg.cholesky(low).T
        second = first.copy()
        second[-1] = np.sqrt(self.n * step) * sign
        return first, second

    @property
    def unbounded(self) -> bool:
        """Whether the set certainly reaches singular second moments: then no alpha holds for all pairs."""
        r = self.compression.reference
        sign = np.where(np.linalg.eigh(r.covariance)[1][:, 0] >= 0, 1.0, -1.0)
        lowered = exact_matrix(np.outer(sign, sign)) * written_fraction(r.delta_max)
        return not is_semidefinite(exact_matrix(r.covariance) - lowered)

    @cached_property
    def attack(self) -> PairAlpha:
        """The exact alpha of the two `tables`."""
        one, two = (second_moments(x) for x in self.tables())
        return pair_alpha(self.compression, (one + one.T) / 2, (two + two.T) / 2, self.n)

    def verdict(self, alpha: float) -> Verdict:
        """PROVED by the bound for all pairs, REFUTED by the explicit one, UNDECIDED between them."""
        if self.alpha <= alpha and derived():
            return Verdict.PROVED
        return Verdict.REFUTED if self.attack.verdict(alpha) is Verdict.REFUTED else Verdict.UNDECIDED

    def evidence(self, alpha: float) -> Evidence:
        """The verdict on `claim(alpha)` with its witness."""
        verdict = self.verdict(alpha)
        witness: dict[str, Any] | None = self.attack.witness(alpha) if verdict is Verdict.REFUTED else None
        reason = (
            "the set reaches singular second moments: no alpha holds for all pairs" if self.unbounded else ""
        )
        least = None if verdict is Verdict.PROVED else float(self.attack.proved[0])
        measured = Measured(found=None if self.unbounded else float(self.alpha), largest=least)
        kind: Literal["proof", "computation"] = "proof" if verdict is Verdict.PROVED else "computation"
        return Evidence(
            COMPRESSION,
            kind,
            "law",
            verdict,
            stated(COMPRESSION, PureDP(alpha).sentence(), measured),
            reason,
            measured=measured,
            witness=witness,
            derivation=tuple(recorded(guarantee_derivation())),
        )


def compression_guarantee(
    compression: Compression, n: int, closeness: float | None = None, adjacency: Adjacency = "distributional"
) -> CompressionGuarantee:
    """A proved alpha for ALL pairs of the set: m p^2 c/(2 l^2) (window + delta_max), plus the normaliser of all tables.

    c = `closeness`, by default 2 delta_max, the widest in the set; l is the least eigenvalue of R less p delta_max.
    Differential privacy has no smaller bound here: one record may move the second moments as far (theorem 2.5).
    Raises ValueError for a compression that truncates nothing or normalises by itself, n < m, n <= p, closeness <= 0.
    """
    r, p = compression.reference, compression.reference.dimension
    if adjacency not in ("distributional", "differential"):
        raise SpecError(f'adjacency must be "distributional" or "differential", got {adjacency!r}')
    if not compression.truncate:
        raise SpecError(
            "without truncation alpha is infinite for any two tables with different second moments"
        )
    if compression.normalise:
        raise SpecError(
            "normalise=True scales columns by factors that depend on the data: a guarantee of the normalised tables is none of the "
            "raw ones; normalise first, and claim it for normalised tables"
        )
    if isinstance(n, bool) or n != int(n) or n < compression.rows or n <= p:
        raise SpecError(
            f"n must be a whole number of records, above p = {p} and at least m = {compression.rows}, got {n!r}"
        )
    c = 2 * r.delta_max if closeness is None else closeness
    if not (np.isfinite(c) and 0 < c <= 2 * r.delta_max):
        raise SpecError(
            f"closeness must lie in (0, 2 delta_max] = (0, {2 * r.delta_max:g}]: no tables of the set are further apart; got {c!r}"
        )
    rejection = rejection_bound_for_all(compression, n)
    with ctx.workprec(BITS):
        lowest = least_eigenvalue(r.covariance) - p * written_fraction(r.delta_max)
        alpha = np.inf
        if lowest > 0:
            window = window_ball(r, compression.rows, n) + arb(written_fraction(r.delta_max))
            raw = window * arb(written_fraction(c) / lowest**2) * compression.rows * p**2 / 2
            alpha = above(2 * raw)
            if rejection < 1:
                alpha = min(alpha, above(raw - (1 - arb(written_fraction(rejection))).log()))
    return CompressionGuarantee(
        compression, int(n), float(c), adjacency, float(arb(lowest)), float(alpha), rejection
    )


def least_eigenvalue(covariance: Floats) -> fmpq:
    """A rational lower bound of the least eigenvalue of a positive definite matrix, proved by elimination."""
    s, p = exact_matrix(covariance), len(covariance)
    value = float(np.linalg.eigvalsh(covariance)[0])
    for part in (1 - 1e-9, 1 - 1e-6, 0.99, 0.5):
        found = written_fraction(value * part)
        if is_semidefinite(
            s - fmpq_mat(p, p, [found if j == k else fmpq(0) for j in range(p) for k in range(p)])
        ):
            return found
    raise SpecError(f"the matrix is too near to singular: its least eigenvalue is about {value:.3g}")
