"""The release Phi X: a table of n records compressed to m rows by a Gaussian matrix, its tail cut out by drawing anew.

Rows of Phi X, Phi with independent N(0, 1/n) entries, are independent N(0, X'X/n) vectors: the release depends on the table
through Sigma = X'X/n only, and can be drawn from that law without drawing Phi.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...symbolic.arrays import Floats
from ..additive import whole
from ..learning.training_set import finite_matrix
from .columns import normalised_columns, second_moments
from .reference import ReferenceCovariance


class NeverAcceptedError(RuntimeError):
    """No output passed the truncation within the allowed number of draws."""


@dataclass(frozen=True, eq=False)
class Compression:
    """Compression of a table X (n, p), p <= n, by a random Gaussian matrix: Phi X (m, p).

    Outputs are released whose S = (Phi X)'(Phi X)/m lie in the window of the `reference`. Zhou, Ligett, Wasserman (2009),
    procedures 4.1 and 4.2. `rows` is m <= n. `normalise`: columns first get squared length n, by factors that depend on the
    data and are not covered by the analysis. `truncate=False` releases every draw. `redraws` bounds the number of draws per
    release. ValueError for other tables, NeverAcceptedError if no draw is accepted.

    >>> compression = npf.Compression(rows=5, reference=npf.ReferenceCovariance(np.eye(2), delta_max=0.1), truncate=False)
    >>> table = np.tile([[1.0, 1.0], [1.0, -1.0]], (20, 1))
    >>> compression.release(table, np.random.default_rng(0)).shape
    (5, 2)
    """

    rows: int
    reference: ReferenceCovariance
    normalise: bool = False
    truncate: bool = True
    redraws: int = 1_000

    def __post_init__(self) -> None:
        whole("rows", self.rows)
        whole("redraws", self.redraws)

    def table(self, table: ArrayLike) -> Floats:
        """The table that is compressed; ValueError if it is unusable or outside the protected set."""
        x = finite_matrix("table", table)
        n, p = x.shape
        self.require_size(n, p)
        x = normalised_columns(x) if self.normalise else x
        self.require_moments(second_moments(x), n)
        return x

    def require_size(self, n: int, p: int) -> None:
        """ValueError unless p <= n and m <= n."""
        if p > n:
            raise ValueError(
                f"a table of {n} records and {p} columns has singular second moments: p <= n is needed"
            )
        if self.rows > n:
            raise ValueError(
                f"m = {self.rows} rows are more than the n = {n} records: that is no compression"
            )

    def require_moments(self, sigma: Floats, n: int) -> None:
        """ValueError unless n records with second moments sigma (p, p) can be compressed and lie in the protected set."""
        self.require_size(n, len(sigma))
        self.reference.require_moments(sigma)
        self.root(sigma)

    def release(self, table: ArrayLike, rng: np.random.Generator) -> Floats:
        """One accepted output Phi X, shape (m, p), by drawing Phi; NeverAcceptedError if all draws fail."""
        x = self.table(table)
        n = len(x)
        for _ in range(self.redraws):
            out = rng.standard_normal((self.rows, n)) @ x / np.sqrt(n)
            if self.accepts(out, n):
                return np.asarray(out)
        raise self._never(n)

    def sample(self, table: ArrayLike, size: int, rng: np.random.Generator) -> Floats:
        """`size` accepted outputs (size, m, p) from their law, without Phi."""
        x = self.table(table)
        n, p = x.shape
        return self.sample_moments(second_moments(x), n, size, rng).reshape(size, self.rows, p)

    def sample_moments(self, sigma: Floats, n: int, size: int, rng: np.random.Generator) -> Floats:
        """`size` accepted outputs (size, m, p) for second moments sigma of n records; NeverAcceptedError as for `release`."""
        root = self.root(sigma)
        out = np.empty((size, self.rows, len(sigma)))
        left = np.arange(size)
        for _ in range(self.redraws):
            drawn = rng.standard_normal((len(left), self.rows, len(sigma))) @ root.T
            good = self.accepts(drawn, n)
            out[left[good]] = drawn[good]
            left = left[~good]
            if not len(left):
                return out
        raise self._never(n)

    def accepts(self, outputs: Floats, n: int) -> NDArray[np.bool_]:
        """Whether outputs (..., m, p) lie in the window, shape (...)."""
        if not self.truncate:
            return np.ones(outputs.shape[:-2], dtype=bool)
        moments = np.swapaxes(outputs, -1, -2) @ outputs / self.rows
        away = np.abs(moments - self.reference.covariance).max(axis=(-2, -1))
        return np.asarray(away <= self.reference.window(self.rows, n))

    def log_density(self, outputs: Floats, sigma: Floats, n: int, log_acceptance: float = 0.0) -> Floats:
        """The log density of outputs (..., m, p) given second moments: normal rows, minus infinity outside the window.

        `log_acceptance` is the log of the probability of being accepted, which divides the density (equation 14).
        """
        root = self.root(sigma)
        p = len(sigma)
        scaled = np.linalg.solve(root, np.swapaxes(outputs, -1, -2))
        level = -self.rows * (np.log(np.diag(root)).sum() + p / 2 * np.log(2 * np.pi)) - log_acceptance
        inside = self.accepts(outputs, n)
        return np.asarray(np.where(inside, level - (scaled**2).sum(axis=(-2, -1)) / 2, -np.inf))

    def acceptance(
        self, sigma: Floats, n: int, draws: int, rng: np.random.Generator, level: float = 0.999
    ) -> tuple[float, float]:
        """An exact (Clopper-Pearson) interval for the probability that a draw is accepted, from `draws` draws."""
        from scipy.stats import binomtest

        root, hits, done = self.root(sigma), 0, 0
        while done < draws:
            size = min(draws - done, max(1, 2_000_000 // (self.rows * len(sigma))))
            hits += int(self.accepts(rng.standard_normal((size, self.rows, len(sigma))) @ root.T, n).sum())
            done += size
        found = binomtest(hits, draws).proportion_ci(level, method="exact")
        return float(found.low), float(found.high)

    def root(self, sigma: Floats) -> Floats:
        """The Cholesky factor of second moments; ValueError if they are singular."""
        lowest = float(np.linalg.eigvalsh(sigma)[0])
        if lowest <= 1e-12 * float(np.abs(sigma).max()):
            raise ValueError(
                f"the second moments are singular (least eigenvalue {lowest:.3g}): the release has no density; drop columns "
                "that depend on others"
            )
        return np.asarray(np.linalg.cholesky(sigma))

    def _never(self, n: int) -> NeverAcceptedError:
        return NeverAcceptedError(
            f"none of {self.redraws} draws came within {self.reference.window(self.rows, n):.4g} of the reference: the table's second "
            "moments are too far from it for this window; take more rows, a wider delta_max or a nearer reference"
        )
